"""Which project's memory a uri means: the one in which this client was shown it, or the one that is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from recall.engine import Engine
from recall.errors import UsageError
from recall.server import app
from recall.server.sessions import Sessions
from recall.server.shown import Shown
from recall.settings import ServerSettings
from recall.testing.fakes import Notes
from support.serving import complaint, document, text, with_client
from support.web import Reply, web
from support.worlds import make_engine, make_scope

URI = "recall://notes/core"
HERE, THERE = Path("/projects/here"), Path("/projects/there")


def server(folder: Path) -> Any:
    """A server of which every project has one memory, of the same uri, which is the project's name."""

    def start(project: Path) -> Engine:
        scope = make_scope(folder, root=project, main_root=project, cwd=project, names=(project.name,))
        return make_engine(folder, [Notes("notes", {"core": f"결제 {project.name}"})], scope=scope)

    for name in ("shop-api", "billing"):
        (folder / name).mkdir()
    return app.build(Sessions(start, folder / "shop-api", folder), ServerSettings())


def said(reply: Reply) -> str:
    """The text of a tool's result, an error or not."""
    return str(reply.message["result"]["content"][0]["text"])


# -- over HTTP ------------------------------------------------------------------------------------------------


def test_two_sessions_read_the_same_uri_each_in_its_own_project(tmp_path: Path) -> None:
    other = str(tmp_path / "billing")

    async def main() -> None:
        async with web(server(tmp_path)) as found:
            one, two, three = [await found.open() for _ in range(3)]
            await found.call(one, "deep_recall", query="결제")
            await found.call(two, "deep_recall", query="결제", project=other)
            for tool, argument in (("read_memory", {"uri": URI}), ("fetch", {"id": URI})):
                assert "결제 shop-api" in said(await found.call(one, tool, **argument))
                assert "결제 billing" in said(await found.call(two, tool, **argument))
                assert "결제 shop-api" in said(await found.call(three, tool, **argument))
            read = {"id": 1, "method": "resources/read", "params": {"uri": URI}}
            for session, name in ((one, "shop-api"), (two, "billing"), (three, "shop-api")):
                (content,) = (await found.post(session, read)).message["result"]["contents"]
                assert f"결제 {name}" in content["text"]

    anyio.run(main)


def test_without_sessions_a_uri_that_anybody_was_shown_elsewhere_needs_its_project(tmp_path: Path) -> None:
    other = str(tmp_path / "billing")

    async def main() -> None:
        async with web(server(tmp_path)) as found:
            await found.call_without_session("search", query="결제")
            assert "결제 shop-api" in said(await found.call_without_session("fetch", id=URI))
            await found.call_without_session("deep_recall", query="결제", project=other)
            for tool, argument in (("read_memory", {"uri": URI}), ("fetch", {"id": URI})):
                refused = said(await found.call_without_session(tool, **argument))
                assert "may be a memory of several projects" in refused
                assert "take a project" in refused
                assert "billing" not in refused  # that is somebody's
                named = await found.call_without_session(tool, **argument, project=other)
                assert "결제 billing" in said(named)

    anyio.run(main)


# -- one client -----------------------------------------------------------------------------------------------


def test_a_client_that_was_shown_a_uri_in_two_projects_is_asked_which_it_means(tmp_path: Path) -> None:
    other = str(tmp_path / "billing")

    async def talk(client: Any) -> None:
        await client.call_tool("deep_recall", {"query": "결제", "project": other})
        assert "결제 billing" in text(await client.call_tool("read_memory", {"uri": URI}))
        await client.call_tool("deep_recall", {"query": "결제"})
        for tool, argument in (("read_memory", {"uri": URI}), ("fetch", {"id": URI})):
            refused = complaint(await client.call_tool(tool, argument))
            assert other in refused
            assert str(tmp_path / "shop-api") in refused
            assert "take a project" in refused
            for project in ("billing", "shop-api"):
                named = {**argument, "project": str(tmp_path / project)}
                assert f"결제 {project}" in document(await client.call_tool(tool, named))["text"]
        with pytest.raises(Exception, match="several projects"):
            await client.read_resource(URI)

    with_client(server(tmp_path), talk)


def test_the_next_page_is_of_the_project_that_was_named(tmp_path: Path) -> None:
    async def talk(client: Any) -> Any:
        await client.call_tool("read_memory", {"uri": URI, "project": str(tmp_path / "billing")})
        return await client.call_tool("read_memory", {"uri": URI})

    assert document(with_client(server(tmp_path), talk))["text"] == "결제 billing"


@pytest.mark.parametrize("project", ["/nowhere/at/all", "shop-api"])
def test_a_project_that_is_none_is_an_error_as_everywhere(tmp_path: Path, project: str) -> None:
    async def talk(client: Any) -> Any:
        return await client.call_tool("read_memory", {"uri": URI, "project": project})

    assert complaint(with_client(server(tmp_path), talk)).startswith("project: ")


# -- what is remembered ---------------------------------------------------------------------------------------


def test_what_was_not_shown_is_the_default_projects() -> None:
    assert Shown().project_of(URI, HERE) == HERE
    assert Shown(known=False).project_of(URI, HERE) == HERE


def test_what_was_shown_in_one_project_is_that_projects() -> None:
    shown = Shown()
    shown.note([URI, URI], THERE)
    assert shown.project_of(URI, HERE) == THERE
    assert shown.project_of("recall://notes/other", HERE) == HERE


def test_whose_memories_were_forgotten_is_asked_rather_than_given_anothers() -> None:
    shown = Shown(remembered=2)
    shown.note([f"recall://notes/{number}" for number in range(3)], THERE)
    assert shown.project_of("recall://notes/2", HERE) == THERE
    with pytest.raises(UsageError, match="several projects: /projects/here, /projects/there"):
        shown.project_of("recall://notes/0", HERE)


def test_forgotten_memories_of_the_default_project_cost_no_question() -> None:
    shown = Shown(remembered=2)
    shown.note([f"recall://notes/{number}" for number in range(9)], HERE)
    assert shown.project_of("recall://notes/0", HERE) == HERE
