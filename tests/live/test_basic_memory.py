"""basic-memory's own MCP server as a source by settings alone: the example of docs/providers/mcp.md as it stands."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from live.basic_memory_programs import NEW
from live.environments import cache
from recall.answer import Answer, Outcome
from recall.api import Deadline, Health, State
from recall.engine import Engine
from support.looking import write
from support.worlds import REPOSITORY

LONG = 180.0  # seconds: it takes many to start on a busy machine
SHORT = 2.0  # seconds of a question that must not be held up
NAME = "mcp-basic-memory"
NOTES = {
    "webhooks": "---\ntitle: Webhook retries\npermalink: webhooks\n---\n\nWebhook retries are capped at three.\n",
    "정산": "---\ntitle: 정산 날짜\npermalink: settlement\n---\n\nSettlement 정산 은 매월 5일이다.\n",
}


def example() -> str:
    """The settings of the page."""
    page = (REPOSITORY / "docs/providers/mcp.md").read_text("utf-8").split("## basic-memory")[1]
    found = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert found is not None
    return found[1]


class Notes:
    """A user's home with notes and the program on her path; recall set as the page says."""

    def __init__(self, folder: Path, program: Path) -> None:
        self.home, self.root = folder / "home", folder / "shop-api"
        self.root.mkdir()
        self.program = program
        for name, text in NOTES.items():
            write(self.home / "basic-memory" / f"{name}.md", text)
        write(self.home / ".config/recall/config.toml", example())
        (folder / "bin").mkdir()
        (folder / "bin" / "basic-memory").symlink_to(program)
        path = os.pathsep.join([str(folder / "bin"), os.defpath])
        # Its search by meaning would load a model from the network.
        off = {"BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false", "BASIC_MEMORY_AUTO_UPDATE": "false"}
        self.env = {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", **off}
        self._index()
        self.engine = self.start()

    def _index(self) -> None:
        """As it does by itself beside its first answers."""
        command = [str(self.program), "reindex", "--search"]
        subprocess.run(command, env=self.env, cwd=self.home, check=True, capture_output=True, timeout=LONG)

    def start(self) -> Engine:
        return Engine.start(self.root, home=self.home, env=self.env)

    def ask(self, question: str, seconds: float = LONG) -> tuple[Answer, Outcome]:
        answer = self.engine.recall(question, providers=[NAME], deadline=seconds)
        (outcome,) = answer.outcomes
        return answer, outcome

    def checkup(self) -> Health:
        found = self.engine.sources[NAME].provider.health(self.engine.scope, Deadline.after(LONG))
        assert isinstance(found, Health)
        return found

    def servers(self) -> list[int]:
        """Its processes, keepers not among them."""
        return [pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if self._is_server(pid)]

    def _is_server(self, pid: int) -> bool:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            env = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False
        return b"keeper.py" not in command and f"HOME={self.home}\0".encode() in env and b"mcp" in command


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Notes]:
    made = Notes(tmp_path, NEW.installed())
    yield made
    made.engine.close()


def texts(answer: Answer) -> str:
    return "\n".join(hit.ranked.row.text for hit in answer.hits)


def test_it_is_found_healthy_and_queried_by_the_settings_of_the_page(
    notes: Notes, measured: Callable[[str], None]
) -> None:
    found = notes.checkup()
    assert (found.state, found.reason) == (State.READY, "")
    assert "answers as" in found.facts[0]
    answer, outcome = notes.ask("webhook retries")
    assert "capped at three" in texts(answer), outcome
    assert outcome.state is State.READY
    assert answer.hits[0].ranked.row.uri.startswith(f"recall://{NAME}/")
    measured(f"basic-memory, question in an open session: {answer.seconds:.2f} s")
    assert len(notes.servers()) >= 1


def test_killed_it_is_told_in_time_and_the_next_question_starts_another(notes: Notes) -> None:
    notes.ask("webhook retries")
    before = notes.servers()
    assert before
    for pid in before:
        os.kill(pid, signal.SIGSTOP)
    answer, outcome = notes.ask("webhook retries", SHORT)
    assert answer.seconds < SHORT
    assert outcome.state is State.BUSY
    assert "capped at three" in texts(answer)  # what the index holds of it answers in its place
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    notes.ask("webhook retries")  # it may be told that the server ended
    answer, outcome = notes.ask("webhook retries")
    assert (outcome.state, outcome.reason) == (State.READY, "")
    assert not set(before) & set(notes.servers())


def test_a_server_that_is_not_there_is_absent_and_found_once_it_is_installed(notes: Notes) -> None:
    program = Path(notes.env["PATH"].split(os.pathsep)[0]) / "basic-memory"
    program.unlink()
    assert notes.ask("webhook retries")[1].state is State.ABSENT
    program.symlink_to(notes.program)
    answer, outcome = notes.ask("webhook retries")
    assert "capped at three" in texts(answer), outcome


def test_its_programs_are_kept_below_the_tests_own_folder() -> None:
    assert NEW.folder.is_relative_to(cache())
