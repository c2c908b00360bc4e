"""The source `serena` in mode "mcp" with the real program, newest and last of 1.x.

What holds for every version and failure is in tests/plugins/recall_serena, with a scripted Serena. Here: that the real
ones are as that one says, that they change nothing, and that nothing is left of them.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from live.environments import Program
from live.serena_programs import PROGRAMS, SERENA_1, SERENA_2
from recall import health
from recall.answer import Answer, Outcome
from recall.api import State
from recall.engine import Engine
from recall_serena.private import KIND
from support.ending import is_gone
from support.looking import write
from support.repositories import Repo
from support.serving import Served, served
from support.worlds import snapshot

LONG = 120.0  # seconds: for what starts a Serena on a busy machine
MEMORIES = {
    "core": "# Core\n\nThe shop sells tea. Payments are in `app/pay.py`.\n",
    "payments/retry_policy": "# 재시도 정책\n\n결제 재시도는 세 번까지, `charge_card`가 한다. 은행이 그렇게 정했다.\n",
    "배포/롤백_절차": "# 롤백 절차\n\n배포에 실패하면 `make rollback` 을 실행한다.\n",
}
PAY = '"""Payments."""\n\nTIMES = 3\n\n\ndef charge_card(order):\n    for _ in range(TIMES):\n        order.pay()\n'
# Settings as an old version left them: a newer Serena rewrites them when it opens the project.
OLD_PROJECT = "language: python\nignored_paths: []\nread_only: false\nproject_name: shop-api\n"
USERS_SERENA = "agent_interface: REPL\nlanguage_backend: LSP\nweb_dashboard: true\nprojects:\n- {root}\n"


class Shop:
    """A user's home and repository, with memories of the project and of all; recall set to ask a Serena."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root, self.tmp = folder / "home", folder / "shop-api", folder / "tmp"
        self.bin = folder / "bin"
        for made in (self.tmp, self.bin):
            made.mkdir()
        self.repo = Repo.new(self.root, self.home)
        for name, text in MEMORIES.items():
            write(self.root / ".serena/memories" / f"{name}.md", text)
        write(
            self.home / ".serena/memories/global/style.md", "# Style\n\nShort sentences, for reviews too.\n"
        )
        write(self.home / ".serena/serena_config.yml", USERS_SERENA.format(root=self.root))
        write(self.root / ".serena/project.yml", OLD_PROJECT)
        write(self.root / "app/pay.py", PAY)
        write(self.root / "app/shop.py", "from app.pay import charge_card\n\ncharge_card(None)\n")
        self.repo.git("add", "-A")
        self.repo.git("commit", "-qm", "A shop")
        self.started: list[int] = []

    @property
    def env(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.bin), os.environ.get("PATH", os.defpath)])
        return {"PATH": path, "HOME": str(self.home), "TMPDIR": str(self.tmp), "LANG": "C.UTF-8"}

    def install(self, program: Program) -> None:
        """Put a version on the path, in place of what is there."""
        new = self.bin / "new"
        new.symlink_to(program.installed())
        new.replace(self.bin / "serena")

    def choose(self, *lines: str, mode: str = "mcp") -> None:
        """Recall's settings; lines: further options of the source."""
        text = "\n".join(["[providers.serena]", f'mode = "{mode}"', *lines])
        write(self.home / ".config/recall/config.toml", text)

    def start(self) -> Engine:
        return Engine.start(self.root, home=self.home, env=self.env)

    def stores(self) -> dict[str, Any]:
        """All that is not recall's: the repository, Serena's home."""
        return snapshot(self.root, self.home / ".serena")

    def serenas(self) -> list[int]:
        """The processes below this one (and below a server of ours) that are a Serena's, keepers among them."""
        found = sorted(pid for pid in descendants(os.getpid()) if str(self.tmp) in environment_of(pid))
        self.started += [pid for pid in found if pid not in self.started]
        return found

    def private_homes(self) -> list[Path]:
        return list(self.tmp.glob(f"{KIND}*"))


def descendants(top: int) -> list[int]:
    """The processes that a process started, and those that these started."""
    parents: dict[int, int] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            fields = Path("/proc", name, "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parents[int(name)] = int(fields[1])
    found = [top]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def environment_of(pid: int) -> str:
    """A process's SERENA_HOME; "" if it has none or is gone."""
    try:
        whole = Path(f"/proc/{pid}/environ").read_text("utf-8", "replace")
    except OSError:
        return ""
    return next((line for line in whole.split("\0") if line.startswith("SERENA_HOME=")), "")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    made = Shop(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(made.tmp))
    made.choose()
    yield made
    made.serenas()
    assert all(map(is_gone, made.started))
    assert made.private_homes() == []


@pytest.fixture
def engines(shop: Shop) -> Iterator[Callable[[], Engine]]:
    """Starts engines, and closes them before the shop looks whether anything is left."""
    made: list[Engine] = []

    def start() -> Engine:
        made.append(shop.start())
        return made[-1]

    yield start
    for engine in made:
        engine.close()


def ask(engine: Engine, question: str, seconds: float = LONG) -> tuple[Answer, Outcome]:
    answer = engine.recall(question, providers=["serena"], deadline=seconds)
    return answer, answer.outcomes[0]


def uris(answer: Answer) -> list[str]:
    return [hit.ranked.row.uri for hit in answer.hits]


def doctor(engine: Engine) -> Any:
    (row,) = health.examine(engine, ["serena"], LONG)
    return row


each_version = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.version)


@each_version
def test_it_is_found_healthy_and_queried_and_changes_nothing(
    shop: Shop, engines: Callable[[], Engine], program: Program, measured: Callable[[str], None]
) -> None:
    shop.install(program)
    status = shop.repo.git("status", "--porcelain", "--ignored")  # which may write git's index
    before = shop.stores()
    engine = engines()
    began = time.monotonic()
    row = doctor(engine)
    measured(f"serena {program.version}: doctor, with its start, {time.monotonic() - began:.2f} s")
    assert (row.state, row.items, row.reason) == (State.READY, 4, "")
    assert row.facts[0].startswith(f"Serena {program.version}, protocol 20")
    assert row.asked == row.came_back == 4
    processes = shop.serenas()
    answer, outcome = ask(engine, "결제 재시도는 몇 번 하나")
    assert outcome.state is State.READY
    assert uris(answer)[0] == "recall://serena/payments/retry_policy"
    assert uris(ask(engine, "롤백 절차")[0])[0] == "recall://serena/배포/롤백_절차"
    assert uris(ask(engine, "style of reviews")[0])[0] == "recall://serena/global/style"
    assert shop.serenas() == processes != []
    engine.close()
    assert all(map(is_gone, processes))
    assert shop.stores() == before
    assert shop.repo.git("status", "--porcelain", "--ignored") == status


@each_version
def test_it_gives_what_the_files_give(shop: Shop, engines: Callable[[], Engine], program: Program) -> None:
    shop.install(program)
    found = []
    for mode in ("mcp", "files"):
        shop.choose(mode=mode)
        engine = engines()
        ask(engine, "tea")
        rows = engine.index.sample("serena", 100)
        found.append(
            {row.uri: (row.title, row.text, row.path, row.line, row.updated, row.kind) for row in rows}
        )
    assert len(found[0]) == 4
    assert found[0] == found[1]


@each_version
def test_code_is_found_by_its_own_search_and_changes_nothing(
    shop: Shop, engines: Callable[[], Engine], program: Program
) -> None:
    shop.install(program)
    ty = program.installed().with_name("ty")
    config = shop.home / ".serena/serena_config.yml"
    config.write_text(config.read_text() + f"ls_specific_settings:\n  python_ty:\n    ls_path: {ty}\n")
    shop.choose("code = true", 'language_servers = ["python_ty"]')
    before = shop.stores()
    engine = engines()
    answer, outcome = ask(engine, "what does charge_card do")
    assert (outcome.state, outcome.notes) == (State.READY, ())
    rows = {hit.ranked.row.uri: hit.ranked.row for hit in answer.hits}
    definition = rows["recall://serena/code/app/pay.py:charge_card"]
    assert (definition.authority, definition.kind, definition.line) == ("code", "code", 6)
    assert definition.text.startswith("def charge_card(order):\n")
    assert engine.index.get("recall://serena/code/app/shop.py@charge_card") is not None
    assert engine.index.get("recall://serena/code/app/pay.py@charge_card") is None  # the definition holds it
    processes = shop.serenas()
    assert any("ty" in Path(f"/proc/{pid}/cmdline").read_text() for pid in processes)
    engine.close()
    assert all(map(is_gone, processes))
    assert shop.stores() == before


@each_version
@pytest.mark.parametrize("end", ["end of input", "terminated", "killed"])
def test_recall_serve_keeps_one_serena_and_takes_it_with_it(
    shop: Shop, program: Program, end: str, measured: Callable[[str], None]
) -> None:
    shop.install(program)
    with served(shop.home, shop.root, shop.env) as server:
        server.greet()
        first = answered(server, "who sells tea", "recall://serena/core")
        processes = shop.serenas()
        assert len({os.getpgid(pid) for pid in processes}) == 1
        # What it gives now it must have asked for.
        write(shop.root / ".serena/memories/refunds.md", "# Refunds\n\nRefunds are paid on Fridays.\n")
        second = answered(server, "when are refunds paid", "recall://serena/refunds")
        assert shop.serenas() == processes == shop.started
        measured(
            f"serena {program.version}: deep recall {first:.2f} s with its start, the second {second:.2f} s"
        )
        if end == "end of input":
            server.end_of_input()
        else:
            server.process.send_signal(signal.SIGTERM if end == "terminated" else signal.SIGKILL)
        assert all(map(is_gone, processes))


def answered(server: Served, question: str, uri: str) -> float:
    """Ask until an answer holds a memory; the seconds since the first try."""
    began = time.monotonic()
    while uri not in server.call("deep_recall", query=question, deadline=20)["content"][0]["text"]:
        assert time.monotonic() - began < LONG
    return time.monotonic() - began


@each_version
def test_one_that_hangs_and_is_killed_costs_an_answer_no_time_and_is_started_anew(
    shop: Shop, engines: Callable[[], Engine], program: Program
) -> None:
    shop.install(program)
    engine = engines()
    assert ask(engine, "who sells tea")[1].state is State.READY
    processes = shop.serenas()
    servers = [pid for pid in processes if os.getpgid(pid) != pid]  # all but the keeper
    for pid in servers:
        os.kill(pid, signal.SIGSTOP)
    answer, outcome = ask(engine, "who sells tea", 1.5)
    assert (outcome.state, outcome.late or outcome.retryable) == (State.BUSY, True)
    assert uris(answer) == ["recall://serena/core"]  # of the index, meanwhile
    for pid in servers:
        os.kill(pid, signal.SIGKILL)
    assert all(map(is_gone, processes))
    write(shop.root / ".serena/memories/new.md", "# Coffee\n\nCoffee is sold since June.\n")
    answer, outcome = ask(engine, "since when coffee")
    assert outcome.state is State.READY
    assert uris(answer) == ["recall://serena/new"]
    assert not set(shop.serenas()) & set(processes)


def test_one_that_is_not_there_is_found_once_it_is_and_an_upgrade_is_used(
    shop: Shop, engines: Callable[[], Engine]
) -> None:
    SERENA_1.installed(), SERENA_2.installed()
    engine = engines()
    _answer, outcome = ask(engine, "who sells tea")
    assert (outcome.state, outcome.reason) == (State.ABSENT, "there is no program 'serena'")
    seen: list[Sequence[int]] = []
    for program in (SERENA_1, SERENA_2):
        shop.install(program)
        answer, outcome = ask(engine, "who sells tea")
        assert (outcome.state, uris(answer)) == (State.READY, ["recall://serena/core"])
        seen.append(shop.serenas())
        assert doctor(engine).facts[0].startswith(f"Serena {program.version}, ")
    assert all(map(is_gone, seen[0]))
    assert not set(seen[0]) & set(seen[1])


def test_settings_that_it_dies_of_are_told_by_its_last_words(
    shop: Shop, engines: Callable[[], Engine]
) -> None:
    shop.choose(f'command = ["{SERENA_2.installed()}", "--no-such-option"]')
    _answer, outcome = ask(engines(), "who sells tea")
    assert outcome.state is State.BROKEN
    assert "ended before it greeted (exit code 2)" in outcome.reason
    assert "No such option" in outcome.reason
