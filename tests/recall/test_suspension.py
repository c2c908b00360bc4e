"""Back-off: who failed again and again is left alone for a while, and everybody is told."""

from __future__ import annotations

import itertools
import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import health
from recall.answer import Outcome
from recall.api import Memory, State
from recall.engine import Engine
from recall.errors import StoreBroken
from recall.settings import Settings, SuspensionSettings
from recall.suspension import Failure, Suspension
from recall.testing.fakes import Asked, Broken, Notes, Slow
from support.serving import called, document, server_over
from support.worlds import NOW, make_engine

RETRY = "실패한 결제는 세 번까지 재시도한다"
RULES = SuspensionSettings(after=3, first_pause=60.0, longest_pause=3_600.0)
BROKEN = Failure("broken", "the disk says no")
HUNG = Failure("busy", "no answer within 2.0 s", given=2.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "index").mkdir()
    return tmp_path / "index" / "scope.db.failures"


def failing(
    path: Path, times: int, failure: Failure = BROKEN, rules: SuspensionSettings = RULES
) -> Suspension:
    """Failures ten seconds apart, the last one now; each noted by a process of its own."""
    for number in range(times):
        Suspension(path, rules).note({"notes": failure}, (), NOW - 10.0 * (times - 1 - number))
    return Suspension(path, rules)


def pause(suspension: Suspension, now: float = NOW, given: float = 2.0) -> float | None:
    """Seconds until it is asked again; None if it is asked now."""
    found = suspension.suspended(suspension.known(), now, given).get("notes")
    return None if found is None else found.until - now


# --- the record -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("times", "expected"),
    [(1, None), (2, None), (3, 60), (4, 120), (5, 240), (9, 3_600), (40, 3_600)],
)
def test_pauses_begin_at_the_third_failure_and_double_up_to_the_longest(
    path: Path, times: int, expected: float | None
) -> None:
    assert pause(failing(path, times)) == expected


def test_a_pause_ends(path: Path) -> None:
    suspension = failing(path, 3)
    assert pause(suspension, NOW + 59.9) is not None
    assert pause(suspension, NOW + 60.0) is None


def test_an_answer_clears_all_that_was_held_against_a_provider(path: Path) -> None:
    failing(path, 5).note({}, ["notes"], NOW)
    assert not path.exists()
    assert pause(failing(path, 2)) is None


def test_the_settings_say_how_often_and_how_long(path: Path) -> None:
    assert pause(failing(path, 1, rules=SuspensionSettings(after=1, first_pause=5.0))) == 5.0
    assert (
        pause(failing(path, 4, rules=SuspensionSettings(after=1, first_pause=5.0, longest_pause=7.0))) == 7.0
    )


def test_nobody_is_suspended_where_the_settings_say_never(path: Path) -> None:
    assert pause(failing(path, 9, rules=SuspensionSettings(after=0))) is None
    assert not path.exists()


@pytest.mark.parametrize("back", [1.0, 3_600.0, 20 * 365 * 86_400.0])
def test_a_clock_that_was_set_back_suspends_nobody(path: Path, back: float) -> None:
    suspension = failing(path, 9)
    assert pause(suspension, NOW - back) is None
    suspension.note({"notes": BROKEN}, (), NOW - back)  # and what it noted in the future counts no more
    assert suspension.known().records["notes"].failures == 1


def test_who_only_hung_is_asked_again_where_there_is_much_more_time(path: Path) -> None:
    suspension = failing(path, 3, HUNG)
    assert pause(suspension, given=4.0) is not None
    assert pause(suspension, given=30.0) is None
    assert pause(failing(path, 1, BROKEN), given=30.0) is not None  # more time mends no broken store


def test_short_looks_are_not_held_against_a_look_with_much_more_time(path: Path) -> None:
    suspension = failing(path, 3, HUNG._replace(given=0.1))
    suspension.note({"notes": HUNG}, (), NOW)
    assert suspension.known().records["notes"].failures == 1


def damaged(**changes: Any) -> bytes:
    """A file of nine failures, all of them sound but for the changes."""
    failure = {**BROKEN._asdict(), **changes.pop("failure", {})}
    record = {"failures": 9, "since": NOW, "last": NOW, "failure": failure}
    return json.dumps({"providers": {"notes": {**record, **changes}}}).encode()


def test_a_file_without_damage_suspends(path: Path) -> None:
    path.write_bytes(damaged())
    assert pause(Suspension(path, RULES)) == 3_600


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0\0\0\0",
        b"{",
        b"[]",
        b"7",
        b'{"providers": {"notes": null}}',
        b'{"providers": {"notes": {"failures": 9}}}',
        damaged(failures="x"),
        damaged(last=float("inf")),
        damaged(since=float("nan"), last=float("nan")),
        damaged(since=NOW + 1),
        damaged(failure={"state": "ready"}),
        damaged(failure={"why": 7}),
        damaged(failure={"given": -1}),
        b'{"providers": [], "silent": 7}',
        b"[" * 100_000,
        b" " * 400_000,
    ],
)
def test_a_damaged_file_suspends_nobody_and_is_written_anew(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert pause(Suspension(path, RULES)) is None
    assert pause(failing(path, 3)) == 60.0


@given(content=st.binary(max_size=200) | st.from_type(dict).map(lambda d: repr(d).encode()))
def test_no_content_of_the_file_is_an_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "failures"
    path.write_bytes(content)
    assert pause(Suspension(path, RULES)) is None


@pytest.mark.parametrize(
    "make", [lambda path: path.mkdir(), lambda path: os.mkfifo(path)], ids=["folder", "pipe"]
)
def test_what_is_no_file_in_its_place_suspends_nobody(path: Path, make: Any) -> None:
    make(path)
    assert pause(Suspension(path, RULES)) is None


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    assert pause(failing(tmp_path / "nowhere" / "failures", 3)) is None


def test_only_its_owner_reads_the_file_and_no_piece_of_another_is_left(path: Path) -> None:
    failing(path, 3)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_secret_in_a_reason_is_masked_before_it_is_written(path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    failing(path, 3, Failure("broken", f"cannot reach https://x:{token}@host"))
    assert token not in path.read_text("ascii")


def test_notes_of_many_at_once_are_all_kept(path: Path) -> None:
    together = threading.Barrier(8)

    def note(number: int) -> None:
        together.wait(30)
        Suspension(path, RULES).note({f"notes{number}": BROKEN}, (), NOW)

    threads = [threading.Thread(target=note, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert set(Suspension(path, RULES).known().records) == {f"notes{number}" for number in range(8)}


def test_a_lock_that_somebody_keeps_is_not_waited_for(path: Path) -> None:
    import fcntl

    descriptor = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        assert pause(failing(path, 3)) == 60.0
    finally:
        os.close(descriptor)


# --- in answers -------------------------------------------------------------------------------------------


def outcome(engine: Engine, name: str = "notes", **asked: Any) -> Outcome:
    """What became of it in one answer of an engine that is closed afterwards, as a process ends."""
    try:
        answer = engine.recall("결제 재시도", **asked)
        return next(one for one in answer.outcomes if one.provider == name)
    finally:
        engine.close()


class Counting(Broken):
    """Counts how often it is listed."""

    listed = 0

    def entries(self, *arguments: Any) -> Any:
        self.listed += 1
        return super().entries(*arguments)


def test_the_fourth_answer_says_since_when_why_until_when_and_what_to_do(tmp_path: Path) -> None:
    broken = Counting("notes", StoreBroken("the disk says no"))
    for _ in range(3):
        assert outcome(make_engine(tmp_path, [broken])).kind == "broken"
    found = outcome(make_engine(tmp_path, [broken], now=NOW + 20))
    assert broken.listed == 3
    assert (found.state, found.kind, found.retryable) == (State.BROKEN, "suspended", True)
    assert found.reason == (
        "suspended until 2026-05-28 20:27:40 UTC (in less than a minute): failed 3 times in a row since "
        "2026-05-28 20:26:40 UTC, last: the disk says no"
    )
    assert found.next_step == "`recall doctor --provider notes` asks it at once"


def test_what_the_index_holds_of_a_suspended_source_answers_with_its_age(tmp_path: Path) -> None:
    make_engine(tmp_path, [Notes("notes", {"retry": RETRY})]).recall("결제 재시도")
    broken = Broken("notes", ValueError("no"), {"retry": RETRY})
    for _ in range(3):
        outcome(make_engine(tmp_path, [broken], now=NOW + 7_200))
    engine = make_engine(tmp_path, [broken], now=NOW + 7_210)
    answer = engine.recall("결제 재시도")
    assert [hit.ranked.row.text for hit in answer.hits] == [RETRY]
    assert answer.outcomes[0].reason.endswith("; 1 memory read 2 hours ago answer in its place")
    assert "answer in its place" not in answer.outcomes[0].reason.partition("last: ")[2].partition(";")[0]


def test_other_sources_are_asked_as_before(tmp_path: Path) -> None:
    broken = Broken("broken", StoreBroken("no"))
    for _ in range(4):
        engine = make_engine(tmp_path, [broken, Notes("notes", {"retry": RETRY})])
        assert outcome(engine).state is State.READY


def test_after_the_pause_it_is_asked_again_and_an_answer_lifts_it(tmp_path: Path) -> None:
    broken = Counting("notes", StoreBroken("no"), {"retry": RETRY})
    for _ in range(3):
        outcome(make_engine(tmp_path, [broken]))
    broken.error = None
    assert outcome(make_engine(tmp_path, [broken], now=NOW + 59)).kind == "suspended"
    assert outcome(make_engine(tmp_path, [broken], now=NOW + 61)).state is State.READY
    assert outcome(make_engine(tmp_path, [broken], now=NOW + 62)).state is State.READY
    assert not list((tmp_path / "cache" / "index").glob("*.failures"))


def test_a_failure_after_the_pause_makes_the_next_one_longer(tmp_path: Path) -> None:
    broken = Counting("notes", StoreBroken("no"))
    for _ in range(3):
        outcome(make_engine(tmp_path, [broken]))
    outcome(make_engine(tmp_path, [broken], now=NOW + 61))
    assert outcome(make_engine(tmp_path, [broken], now=NOW + 61 + 119)).kind == "suspended"
    assert broken.listed == 4


def test_a_source_that_hangs_is_suspended_and_costs_no_time_any_more(tmp_path: Path) -> None:
    hanging = Slow("notes")
    try:
        for _ in range(30):  # a look that could not begin in time, on a busy machine, is none of its failures
            hanging.began.clear()
            found = outcome(make_engine(tmp_path, [hanging]), deadline=0.05)
            if not found.late:
                break
        assert (found.state, found.kind) == (State.BUSY, "suspended")
        assert "no answer within 0.1 s" in found.reason
        assert not hanging.began.is_set()
    finally:
        hanging.release.set()


@pytest.mark.parametrize("error", [StoreBroken("no"), ValueError("no"), SystemExit(3)], ids=repr)
def test_every_kind_of_failure_counts(tmp_path: Path, error: BaseException) -> None:
    for _ in range(3):
        outcome(make_engine(tmp_path, [Broken("notes", error)]))
    assert outcome(make_engine(tmp_path, [Broken("notes", error)])).kind == "suspended"


def test_an_absent_store_is_no_failure(tmp_path: Path) -> None:
    from recall.errors import NotConfigured, StoreAbsent

    for error in (StoreAbsent("nothing there"), NotConfigured("no key")):
        for _ in range(5):
            assert outcome(make_engine(tmp_path, [Broken("notes", error)])).kind == error.kind


def test_a_source_that_was_late_and_has_read_something_goes_on(tmp_path: Path) -> None:
    class Endless(Notes):
        release = threading.Event()

        def load(self, entry: Any, scope: Any) -> Any:
            if len(self.loads) % 65 == 64:
                self.release.wait()
            return super().load(entry, scope)

    notes = {f"note{number}": f"{RETRY} {number}" for number in range(1_000)}
    try:
        for _ in range(4):
            engine = make_engine(tmp_path, [Endless("notes", notes)])
            assert outcome(engine, deadline=1.0).kind == "late"
    finally:
        Endless.release.set()


def test_a_source_that_can_only_be_asked_is_suspended_too_and_doctor_lifts_it(tmp_path: Path) -> None:
    def no(_query: object) -> list[Memory]:
        raise StoreBroken("the server says no")

    for _ in range(3):
        outcome(make_engine(tmp_path, [Asked("notes", no)]))
    assert outcome(make_engine(tmp_path, [Asked("notes", no)])).kind == "suspended"
    engine = make_engine(tmp_path, [Asked("notes", lambda _query: [Memory("one", RETRY)])])
    health.examine(engine)
    assert outcome(engine).state is State.READY


def test_other_settings_ask_anew(tmp_path: Path) -> None:
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Options:
        folder: str = ""

    broken = Broken("notes", StoreBroken("no"))
    broken.Options = Options  # type: ignore[assignment]
    for _ in range(4):
        outcome(make_engine(tmp_path, [broken]))
    broken.Options = lambda: Options("elsewhere")  # type: ignore[assignment,return-value]
    assert outcome(make_engine(tmp_path, [broken])).kind == "broken"


def test_a_cache_that_cannot_be_written_to_suspends_nobody(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    for _ in range(5):
        assert outcome(make_engine(tmp_path, [Broken("notes", StoreBroken("no"))])).kind == "broken"


def test_the_settings_can_switch_it_off(tmp_path: Path) -> None:
    settings = Settings(suspension=SuspensionSettings(after=0))
    for _ in range(5):
        assert outcome(make_engine(tmp_path, [Broken("notes", StoreBroken("no"))], settings)).kind == "broken"


# --- doctor and the server --------------------------------------------------------------------------------


def checked(engine: Engine) -> health.Checkup:
    try:
        return health.examine(engine)[0]
    finally:
        engine.close()


def test_doctor_asks_at_once_and_says_that_questions_do_not(tmp_path: Path) -> None:
    broken = Counting("notes", StoreBroken("the disk says no"), {"retry": RETRY})
    for _ in range(3):
        outcome(make_engine(tmp_path, [broken]))
    row = checked(make_engine(tmp_path, [broken], now=NOW + 5))
    assert broken.listed == 4
    assert row.reason == "the disk says no"
    assert row.facts == (
        "suspended until 2026-05-28 20:28:45 UTC (in 2 minutes): failed 4 times in a row since "
        "2026-05-28 20:26:40 UTC, last: the disk says no; only doctor asks it until then",
    )


def test_doctor_does_not_say_that_it_answers_while_it_fails_however_the_clock_goes_on(tmp_path: Path) -> None:
    clock = itertools.count(int(NOW))
    broken = Broken("notes", StoreBroken("no"))
    for _ in range(3):
        outcome(make_engine(tmp_path, [broken], now=next(clock)))
    engine = make_engine(tmp_path, [broken])
    engine.now = lambda: float(next(clock))
    row = checked(engine)
    assert [fact.partition(" until")[0] for fact in row.facts] == ["suspended"]


def test_doctor_lifts_it_when_it_answers(tmp_path: Path) -> None:
    broken = Counting("notes", StoreBroken("no"), {"retry": RETRY})
    for _ in range(3):
        outcome(make_engine(tmp_path, [broken]))
    broken.error = None
    row = checked(make_engine(tmp_path, [broken], now=NOW + 5))
    assert row.state is State.READY
    assert "failed 3 times in a row until now and answers again: asked as before" in row.facts
    assert outcome(make_engine(tmp_path, [broken], now=NOW + 6)).state is State.READY


def test_the_server_suspends_too_and_its_health_tool_asks_at_once(tmp_path: Path) -> None:
    broken = Counting("notes", StoreBroken("the disk says no"), {"retry": RETRY})
    server = server_over(tmp_path, [broken])
    for _ in range(3):
        called(server, "deep_recall", query="결제 재시도")
    (found,) = document(called(server, "deep_recall", query="결제 재시도"))["outcomes"]
    assert broken.listed == 3
    assert found["reason"].startswith("suspended until ")
    broken.error = None
    called(server, "memory_health")
    (found,) = document(called(server, "deep_recall", query="결제 재시도"))["outcomes"]
    assert found["state"] == "ready"


def test_a_look_that_finds_no_failure_reads_nothing_of_the_module(tmp_path: Path) -> None:
    """The start of `recall query` is at its limit."""
    import subprocess
    import sys

    from support.worlds import process_env

    code = (
        "import sys\nfrom recall.cli.run import run\nrun(['query', 'x'])\n"
        "assert 'recall.suspension' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=process_env(tmp_path), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_command_says_it_in_its_document(tmp_path: Path) -> None:
    from support.worlds import run_recall

    home, project = tmp_path / "home", tmp_path / "shop"
    memories = project / ".serena"
    memories.mkdir(parents=True)
    (home / ".claude-mem").mkdir(parents=True)
    (home / ".claude-mem" / "claude-mem.db").write_bytes(
        b"no database at all, but long enough to be read" * 40
    )
    outcomes = []
    for _ in range(4):
        done = run_recall(["query", "결제", "--json"], home=home, cwd=project)
        outcomes = json.loads(done.stdout)["outcomes"]
    (found,) = [one for one in outcomes if one["provider"] == "claude-mem"]
    assert (found["kind"], found["state"]) == ("suspended", "broken")
    assert found["next_command"] == "recall doctor --provider claude-mem"
