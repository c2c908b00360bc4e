"""The documentation names what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recall.cli.setup import command
from recall.demo import sample
from recall.server.sessions import Sessions
from recall.server.tools import Tools
from recall.settings import ServerSettings
from recall.setup.clients import CLIENTS
from support.repositories import START, Repo, needs_git
from support.worlds import NOW, REPOSITORY, run_recall

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


def page(name: str) -> str:
    return (REPOSITORY / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_is_named_where_users_look_for_it(client: str) -> None:
    assert f"| `{client}` |" in page("docs/clients.md")
    assert client in (command.help or "")
    assert client in README


def test_every_tool_is_described_with_all_its_arguments(tmp_path: Path) -> None:
    tools = Tools(
        Sessions(lambda _path: pytest.fail("no engine"), tmp_path, tmp_path), ServerSettings()
    ).all()
    plugin, rows = page("integrations/claude-code/README.md"), page("docs/mcp.md").splitlines()
    for tool in tools:
        assert f"`{tool.name}`" in plugin
        (row,) = (line for line in rows if line.startswith(f"| `{tool.name}` |"))
        named = re.findall(r"`(\w+)`", row.split("|")[2])
        assert named == list(tool.parameters["properties"])


@needs_git
def test_the_readme_shows_the_sample_as_it_answers(tmp_path: Path) -> None:
    world = sample.build(tmp_path, NOW)
    repo = Repo.new(world.project, tmp_path / "nobody")
    repo.commits = int(NOW - START) // 3_600  # the sample's files are older than their commit
    repo.commit("결제 워커를 시작한다")
    done = run_recall(["query", "결제 재시도 정책", "--deadline", "30"], home=world.home, cwd=world.project)
    shown = README.split('$ recall query "결제 재시도 정책"\n')[1].split("\n```")[0].splitlines()
    varying = re.compile(r"…|\d{4}-\d\d-\d\d|now: ")  # left out in the page, or another one each day
    missing = [line for line in shown if not varying.search(line) and line not in done.stdout.splitlines()]
    assert missing == []
    sources = [line.split()[0] for line in shown[shown.index("Sources") + 1 :]]
    listed = [
        line.split()[0] for line in done.stdout.split("\nSources\n")[1].splitlines() if line[:3] != "   "
    ]
    assert sources == listed
