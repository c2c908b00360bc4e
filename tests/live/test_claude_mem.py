"""The source `claude-mem` in mode "worker" with the real worker: 13.25.3, and 13.4.0 for what it left behind.

What holds for every fault is in tests/plugins/recall_claude_mem, with a worker of our own. Here: that the real one is
as that one says, that asking changes nothing in its store, and that it is never started.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from live.claude_mem_programs import NEW, OLD, ClaudeMem
from recall import health
from recall.answer import Answer, Outcome
from recall.api import Deadline, Health, Query, State
from recall.engine import Engine
from recall.transport.http import Client
from support.looking import write

LONG = 120.0  # seconds: for what waits for a worker on a busy machine
SHORT = 2.0  # seconds of a question that must not be held up
SAVED = {
    "Webhook retries": "Webhook retries are capped at three because the bank charges twice.",
    "정산 날짜": "정산 날짜는 매월 5일이고, 휴일이면 다음 영업일이다.",
}
URIS = {"recall://claude-mem/observation/1", "recall://claude-mem/observation/2"}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


class Worker:
    """A running worker of one home folder."""

    def __init__(self, program: ClaudeMem, home: Path) -> None:
        script = program.installed()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.data = home / ".claude-mem"
        env = {"HOME": str(home), "PATH": os.defpath, "CLAUDE_MEM_WORKER_PORT": str(self.port)}
        self._process = subprocess.Popen(
            [str(program.bun), str(script), "--daemon"],
            env={**env, "CLAUDE_MEM_CHROMA_ENABLED": "false", "CLAUDE_MEM_TELEMETRY_ENABLED": "false"},
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._client = Client({})

    def save(self, title: str, text: str) -> None:
        """As its user's agent would."""
        value = {"title": title, "text": text, "project": "shop-api"}
        assert self._client.post(f"{self.url}/api/memory/save", value, Deadline.after(LONG)).ok

    def signal(self, number: int) -> None:
        os.kill(self._process.pid, number)

    def kill(self) -> None:
        """With all it started; its `worker.pid` stays behind."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait(LONG)
        self._client.close()

    def wait(self) -> None:
        """Until it is ready."""
        deadline, pause = Deadline.after(LONG), threading.Event()
        # A request that comes before it listens for good may never be answered.
        while not self._client.get(f"{self.url}/api/readiness", Deadline.after(2), attempts=1).ok:
            assert not deadline.expired(), "the worker was not ready in time"
            assert self._process.poll() is None, "the worker ended"
            pause.wait(0.2)


class Shop:
    """A user's home and project; recall set to ask the worker."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "shop-api"
        self.root.mkdir()
        write(self.home / ".config/recall/config.toml", '[providers.claude-mem]\nmode = "worker"\n')
        # What its user's settings would say; the port comes from the environment, and so only from worker.pid.
        write(self.home / ".claude-mem/settings.json", '{"CLAUDE_MEM_CHROMA_ENABLED": "false"}')
        self.engine = Engine.start(self.root, home=self.home, env={"PATH": os.defpath})
        self.workers: list[Worker] = []

    @property
    def data(self) -> Path:
        return self.home / ".claude-mem"

    def worker(self, program: ClaudeMem = NEW, home: Path | None = None) -> Worker:
        started = Worker(program, home or self.home)
        self.workers.append(started)
        started.wait()
        return started

    def ask(self, question: str, seconds: float = LONG) -> tuple[Answer, Outcome]:
        answer = self.engine.recall(question, providers=["claude-mem"], deadline=seconds)
        (outcome,) = answer.outcomes
        return answer, outcome

    def uris(self, question: str, seconds: float = LONG) -> set[str]:
        hits = self.ask(question, seconds)[0].hits
        return {member.row.uri for hit in hits for member in hit.ranked.members()}

    def asked(self, *terms: str) -> str:
        """What the worker itself answers, through the source."""
        provider = self.engine.sources["claude-mem"].provider
        query = Query(" ".join(terms), terms)
        return str(provider.try_out(query, self.engine.scope, Deadline.after(LONG)).raw)

    def checkup(self) -> Health:
        provider = self.engine.sources["claude-mem"].provider
        found = provider.health(self.engine.scope, Deadline.after(LONG))
        assert isinstance(found, Health)
        return found

    def tables(self) -> set[str]:
        connection = sqlite3.connect(f"{(self.data / 'claude-mem.db').as_uri()}?mode=ro", uri=True)
        try:
            return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        finally:
            connection.close()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    NEW.installed()
    made = Shop(tmp_path)
    yield made
    made.engine.close()
    for worker in made.workers:
        worker.kill()


@pytest.fixture
def filled(shop: Shop) -> Worker:
    worker = shop.worker()
    for title, text in SAVED.items():
        worker.save(title, text)
    return worker


def test_it_is_found_by_its_own_note_verified_healthy_and_queried(shop: Shop, filled: Worker) -> None:
    found = shop.checkup()
    assert (found.state, found.items) == (State.READY, 2)
    assert f"worker 13.25.3 at port {filled.port} (worker.pid): ready" in found.facts
    assert "its search by meaning: disabled" in found.facts
    assert any(fact.startswith("its queue: 0 waiting") for fact in found.facts)
    assert SAVED["Webhook retries"] in shop.asked("webhook")
    assert SAVED["정산 날짜"] in shop.asked("정산")
    assert shop.uris("why are webhook retries capped") == {"recall://claude-mem/observation/1"}
    assert shop.uris("정산 날짜") == {"recall://claude-mem/observation/2"}


def test_a_sentence_finds_nothing_there_and_its_key_terms_do(shop: Shop, filled: Worker) -> None:
    assert SAVED["Webhook retries"] not in shop.asked("retries of a webhook")
    assert SAVED["Webhook retries"] in shop.asked("retries", "webhook")


def test_what_file_and_worker_both_have_is_one_memory(shop: Shop, filled: Worker) -> None:
    for _ in range(2):
        assert shop.uris("webhook retries 정산 날짜") == URIS
    assert shop.ask("webhook")[1].memories == 2


def test_asking_and_doctor_leave_its_tables_as_they_are(shop: Shop, filled: Worker) -> None:
    before = shop.tables()
    shop.ask("webhook")
    health.examine(shop.engine, ["claude-mem"], deadline=LONG)
    assert shop.tables() == before
    assert "memory_items" not in before  # what a refused request below /v1 creates


def test_a_worker_of_another_home_is_told_and_not_asked(shop: Shop, filled: Worker, tmp_path: Path) -> None:
    neighbour = shop.worker(
        home=tmp_path / "neighbour" if (tmp_path / "neighbour").mkdir() is None else tmp_path
    )
    neighbour.save("Secret", "The neighbour's webhook password is in the drawer.")
    write(shop.data / "worker.pid", json.dumps({"pid": 1, "port": neighbour.port}))
    answer, outcome = shop.ask("webhook")
    assert outcome.state is State.DEGRADED
    assert f"the worker at port {neighbour.port} (worker.pid) is another's" in outcome.reason
    assert "drawer" not in str(answer)
    assert shop.uris("webhook retries") == {"recall://claude-mem/observation/1"}


def test_stopped_and_killed_in_the_middle_the_files_answer_is_there_in_time(
    shop: Shop, filled: Worker, measured: Callable[[str], None]
) -> None:
    shop.ask("webhook")
    filled.signal(signal.SIGSTOP)  # it accepts, and says nothing
    answer, outcome = shop.ask("webhook retries", SHORT)
    assert answer.hits
    assert answer.seconds < SHORT
    assert (outcome.state, "says nothing in time" in outcome.reason) == (State.DEGRADED, True)
    measured(f"claude-mem, worker stopped: answer after {answer.seconds:.2f} s of {SHORT} s")
    killer = threading.Timer(0.5, filled.kill)
    killer.start()
    answer, _outcome = shop.ask("webhook retries", SHORT)
    killer.join()
    assert answer.hits
    assert answer.seconds < SHORT
    answer, outcome = shop.ask("webhook retries")
    assert answer.hits
    assert outcome.state is State.READY  # the file is all there; that nobody was asked is a note
    assert any("nobody listens" in note for note in outcome.notes)
    assert (shop.data / "worker.pid").exists()
    measured(f"claude-mem, worker killed: answer after {answer.seconds:.2f} s")


def test_started_while_down_it_is_asked_by_the_next_question_and_recall_starts_none(shop: Shop) -> None:
    first = shop.worker()
    first.save("Webhook retries", SAVED["Webhook retries"])
    first.kill()
    _answer, outcome = shop.ask("webhook")
    assert any("nobody listens" in note for note in outcome.notes)
    noted = (shop.data / "worker.pid").read_bytes()
    shop.checkup()
    assert (shop.data / "worker.pid").read_bytes() == noted
    second = shop.worker()
    assert second.port != first.port
    _answer, outcome = shop.ask("webhook")
    assert (outcome.state, outcome.notes) == (State.READY, ())
    assert f"worker 13.25.3 at port {second.port} (worker.pid): ready" in shop.checkup().facts


def test_a_store_of_an_older_release_is_read_before_and_after_the_new_one_has_upgraded_it(shop: Shop) -> None:
    old = shop.worker(OLD)
    for title, text in SAVED.items():
        old.save(title, text)
    assert any(fact.startswith("worker 13.4.0 ") for fact in shop.checkup().facts)
    assert shop.uris("webhook retries 정산 날짜") == URIS
    assert SAVED["Webhook retries"] in shop.asked("webhook")
    assert "tool_uses" not in shop.tables()
    old.kill()
    shop.worker(NEW).save("Refunds", "Refunds are paid within three days.")
    assert "tool_uses" in shop.tables()
    assert shop.uris("webhook retries 정산 날짜") == URIS
    assert shop.uris("refunds") == {"recall://claude-mem/observation/3"}
    assert shop.checkup().items == 3
    assert any(fact.startswith("worker 13.25.3 ") for fact in shop.checkup().facts)


def test_a_question_to_the_worker_is_soon_answered(
    shop: Shop, filled: Worker, measured: Callable[[str], None]
) -> None:
    shop.ask("webhook")
    answer, _outcome = shop.ask("webhook retries")
    measured(f"claude-mem, file and worker, second question: {answer.seconds:.3f} s")
    assert answer.seconds < LONG
