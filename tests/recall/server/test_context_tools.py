"""The tools of a session's continuity, as a client of the SDK meets them."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp.client import Client

from recall.checkpoints import KINDS
from recall.render.document import TRUST
from recall.testing.fakes import Notes, Slow
from support.serving import called, complaint, document, server_over, text, with_client


def test_a_bootstrap_gives_a_handle_that_holds_while_the_server_runs(tmp_path: Path) -> None:
    server = server_over(tmp_path, [Notes()])

    async def talk(client: Client) -> tuple[object, object]:
        given = document(await client.call_tool("context_bootstrap", {}))
        assert given["label"] == TRUST
        assert "Project: shop-api" in given["text"]
        handle = given["context_handle"]
        return handle, document(await client.call_tool("check_handle", {"handle": handle}))

    handle, checked = with_client(server, talk)
    assert checked == {"allowed": True}
    again = document(called(server_over(tmp_path, [Notes()]), "check_handle", handle=handle))
    assert again["allowed"] is False
    assert "has ended" in again["reason"]


def test_a_checkpoint_is_in_the_next_bootstrap(tmp_path: Path) -> None:
    server = server_over(tmp_path, [Notes()])
    saved = document(
        called(
            server,
            "context_checkpoint",
            kind="decision",
            text="네 번 재시도한다",
            next_steps=["remove the flag"],
        )
    )
    assert saved["saved"] is True
    given = document(called(server, "context_bootstrap"))
    assert "네 번 재시도한다" in given["text"]
    assert "remove the flag" in given["text"]


def test_a_save_that_was_based_on_an_older_revision_is_refused_with_the_newer_entries(tmp_path: Path) -> None:
    server = server_over(tmp_path, [Notes()])
    first = document(called(server, "context_checkpoint", kind="decision", text="one"))
    document(called(server, "context_checkpoint", kind="decision", text="two", base=first["revision"]))
    refused = document(
        called(server, "context_checkpoint", kind="decision", text="three", base=first["revision"])
    )
    assert refused["saved"] is False
    assert any("two" in line for line in refused["newer"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"kind": "decisions", "text": "x"}, "decision"),
        ({"kind": "decision", "text": " "}, "text"),
        ({"kind": "decision", "text": "password: hunter2-hunter2-X9"}, "secret"),
        ({"kind": "decision", "text": "x", "closes": ["12"]}, "closes 12"),
        ({"kind": "decision", "text": "x", "pathes": ["a"]}, "did you mean"),
    ],
)
def test_what_may_not_be_saved_is_a_tool_error_that_says_why(
    tmp_path: Path, arguments: dict[str, object], said: str
) -> None:
    result = called(server_over(tmp_path, [Notes()]), "context_checkpoint", **arguments)
    assert said in complaint(result)
    assert "hunter2" not in text(result)


def test_only_the_checkpoint_says_that_it_writes(tmp_path: Path) -> None:
    async def talk(client: Client) -> dict[str, bool | None]:
        listed = await client.list_tools()
        return {tool.name: tool.annotations.read_only_hint for tool in listed.tools if tool.annotations}

    found = with_client(server_over(tmp_path, [Notes()]), talk)
    assert [name for name, read_only in found.items() if not read_only] == ["context_checkpoint"]


def test_a_source_that_hangs_does_not_hold_up_a_bootstrap(tmp_path: Path) -> None:
    hanging = Slow()
    assert document(called(server_over(tmp_path, [hanging]), "context_bootstrap"))["text"]
    assert not hanging.began.is_set()


def test_every_kind_can_be_saved(tmp_path: Path) -> None:
    server = server_over(tmp_path, [Notes()])
    for kind in KINDS:
        assert document(called(server, "context_checkpoint", kind=kind, text=f"of kind {kind}"))["saved"]
