"""Doctor: what a provider says of its corpus, what reading it shows, and whether memories come back."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, State
from recall.engine import Engine
from recall.errors import NotConfigured, StoreAbsent, StoreBroken, StoreBusy
from recall.health import Checkup, examine
from recall.history import Trend
from recall.plugins import Plugin
from recall.refresh import Progress
from recall.render import plain
from recall.testing.fakes import Asked, Broken, Empty, Exiting, Lying, Notes, Returning, Slow
from support.worlds import NOW, make_engine

DAY = 86_400.0
TOPICS = ("결제 재시도", "정산 배치", "롤백 절차", "캐시 만료", "세션 토큰", "재고 잠금")


def notes(count: int, name: str = "notes") -> Notes:
    """A corpus of short notes, each with words of its own."""
    return Notes(
        name, {f"note{n}": f"{TOPICS[n % 6]} 기록 {n}번: handler_{n} 함수를 고쳤다" for n in range(count)}
    )


def row_of(rows: Sequence[Checkup], name: str) -> Checkup:
    return next(row for row in rows if row.provider == name)


def checkup(engine: Engine, name: str = "notes", **options: Any) -> Checkup:
    return row_of(examine(engine, **options), name)


class SlowHealth(Notes):
    """Lists and reads at once; its health never comes while `release` is not set."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.release = threading.Event()

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        self.release.wait()
        return super().health(scope, deadline)


class Punctual(Notes):
    """Says nothing of itself once its time is over."""

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        deadline.check()
        return super().health(scope, deadline)


class RaisingHealth(Notes):
    """Lists and reads; raises when it is asked how it is."""

    def __init__(self, error: BaseException) -> None:
        super().__init__("notes", {"one": "결제 재시도는 세 번까지 한다"})
        self.error = error

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        raise self.error


# -- read back ------------------------------------------------------------------------------------------------


def test_a_sample_of_a_large_corpus_is_asked_for_and_comes_back(tmp_path: Path) -> None:
    row = checkup(make_engine(tmp_path, [notes(60)]))
    assert (row.state, row.items, row.indexed) == (State.READY, 60, 60)
    assert (row.asked, row.came_back) == (20, 20)
    assert "60 memories, read back 20 of 20" in plain.summary(row)


def test_every_memory_of_a_small_corpus_is_asked_for(tmp_path: Path) -> None:
    row = checkup(make_engine(tmp_path, [notes(7)]))
    assert (row.asked, row.came_back) == (7, 7)


def test_copies_of_one_note_count_as_coming_back(tmp_path: Path) -> None:
    # Numbers in an id are no search words: nothing tells these sixty apart, and only five can be shown.
    copies = {f"row{n}": Memory(f"observation/{n}", "같은 글을 여러 번 저장했다") for n in range(60)}
    row = checkup(make_engine(tmp_path, [Notes("notes", dict(copies))]))
    assert (row.state, row.indexed, row.asked, row.came_back) == (State.READY, 60, 20, 20)


@pytest.mark.parametrize("text", ["가", "!!!", "그 이 저", "a b c", "１２３", "\x00"])
def test_a_note_with_hardly_a_word_is_no_reason_for_an_error(tmp_path: Path, text: str) -> None:
    row = checkup(make_engine(tmp_path, [Notes("notes", {"one": text, "two": f"{text} {text}"})]))
    assert row.asked == 2


def test_memories_are_found_among_those_of_other_providers_too(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, [notes(30, "notes"), notes(30, "copies")])
    rows = examine(engine)
    assert [(row.asked, row.came_back) for row in rows] == [(20, 20), (20, 20)]


def lose(engine: Engine, *uris: str) -> None:
    """Take memories out of the full-text table only: they are counted, and nobody finds them."""
    with sqlite3.connect(engine.index.path) as other:
        for uri in uris:
            other.execute(
                "INSERT INTO fts (fts, rowid, title, body) "
                "SELECT 'delete', id, title_tokens, body_tokens FROM memory WHERE uri = ?",
                (uri,),
            )
    other.close()


def read_in(engine: Engine) -> None:
    engine.refresh(engine.chosen(()), Deadline.after(30), 30)


@pytest.mark.parametrize(("lost", "state"), [(2, State.READY), (3, State.DEGRADED), (20, State.DEGRADED)])
def test_a_corpus_is_degraded_when_more_than_a_tenth_does_not_come_back(
    tmp_path: Path, lost: int, state: State
) -> None:
    engine = make_engine(tmp_path, [notes(20)])
    read_in(engine)
    lose(engine, *(f"recall://notes/note{number}" for number in range(lost)))
    row = checkup(engine)
    assert (row.state, row.asked, row.came_back) == (state, 20, 20 - lost)
    if state is State.DEGRADED:
        assert row.reason == f"only {20 - lost} of 20 sampled memories came back"
        assert row.needs_attention


def test_a_memory_that_only_its_context_finds_has_not_come_back(tmp_path: Path) -> None:
    talk = {f"n{n}": Memory(f"n{n}", f"own{n} word{n}", context=f"around{n} beside{n}") for n in range(20)}
    engine = make_engine(tmp_path, [Notes("notes", dict(talk))])
    read_in(engine)
    lose(engine, *(f"recall://notes/n{number}" for number in range(20)))
    assert engine.index.document_frequencies(["around3", "own3"]) == {"around3": 1, "own3": 0}
    assert checkup(engine).came_back == 0


def test_the_next_step_for_lost_memories_brings_them_back(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, [notes(20)])
    read_in(engine)
    lose(engine, *(f"recall://notes/note{number}" for number in range(20)))
    assert checkup(engine).next_step == "run `recall index --rebuild --provider notes`"
    engine.read_again(["notes"])
    row = checkup(engine)
    assert (row.state, row.came_back) == (State.READY, 20)


def test_what_cannot_come_back_is_not_hidden_by_a_worse_state(tmp_path: Path) -> None:
    damaged = notes(20)
    damaged.problems = [Problem("old.md", "not valid UTF-8")]
    engine = make_engine(tmp_path, [damaged])
    read_in(engine)
    lose(engine, *(f"recall://notes/note{number}" for number in range(20)))
    row = checkup(engine)
    assert (row.state, row.asked, row.came_back) == (State.DEGRADED, 20, 0)


# -- its own word, and what reading showed --------------------------------------------------------------------


SAID = {
    "ready": Health(State.READY, 1),
    "degraded": Health(State.DEGRADED, 1, reason="one file is damaged", next_step="mend it"),
    "empty": Health(State.EMPTY, 0, reason="nothing was written", next_step="write"),
    "broken": Health(State.BROKEN, reason="not a database", next_step="restore it"),
}


@pytest.mark.parametrize(
    ("said", "error", "state", "reason"),
    [
        ("ready", None, State.READY, ""),
        ("degraded", None, State.DEGRADED, "one file is damaged"),
        ("broken", None, State.BROKEN, "not a database"),
        ("ready", StoreBroken("damaged"), State.BROKEN, "damaged"),
        ("ready", StoreBusy("locked"), State.BUSY, "locked"),
        ("ready", StoreAbsent("no store"), State.ABSENT, "no store"),
        ("degraded", StoreBroken("damaged"), State.BROKEN, "damaged"),
        ("empty", StoreAbsent("no store"), State.EMPTY, "nothing was written"),
        ("broken", StoreAbsent("no store"), State.BROKEN, "not a database"),
    ],
)
def test_the_worse_of_word_and_reading_is_the_state(
    tmp_path: Path, said: str, error: BaseException | None, state: State, reason: str
) -> None:
    provider = Broken("notes", StoreBroken("never raised"), {"one": "결제 재시도는 세 번까지 한다"})
    provider.error, provider._health = error, SAID[said]
    row = checkup(make_engine(tmp_path, [provider]))
    assert (row.state, row.reason) == (state, reason)


def test_a_problem_met_while_reading_degrades_a_corpus_that_calls_itself_ready(tmp_path: Path) -> None:
    doubtful = notes(3)
    doubtful.problems = [Problem("a.md", "not valid UTF-8"), Problem("b.md", "shared", harmless=True)]
    row = checkup(make_engine(tmp_path, [doubtful]))
    assert row.state is State.DEGRADED
    assert row.problems == (("a.md", "not valid UTF-8"),)
    assert "b.md: shared" in row.facts


def test_a_problem_named_twice_is_listed_once(tmp_path: Path) -> None:
    problem = Problem("a.md", "not valid UTF-8")
    health = Health(State.DEGRADED, 1, reason="a.md: not valid UTF-8", problems=(problem,))
    doubtful = Notes("notes", {"one": "결제 재시도는 세 번까지 한다"}, health=health)
    doubtful.problems = [problem]
    assert checkup(make_engine(tmp_path, [doubtful])).problems == (("a.md", "not valid UTF-8"),)


@pytest.mark.parametrize(
    ("error", "state", "reason"),
    [
        (ValueError("oops"), State.BROKEN, "raised ValueError: oops"),
        (SystemExit(3), State.BROKEN, "called sys.exit"),
        (StoreBusy("locked"), State.DEGRADED, "locked"),
        (StoreBroken("damaged"), State.BROKEN, "damaged"),
        (NotConfigured("needs a url"), State.OFF, "needs a url"),
    ],
)
def test_a_health_that_raises_says_what_it_raised(
    tmp_path: Path, error: BaseException, state: State, reason: str
) -> None:
    row = checkup(make_engine(tmp_path, [RaisingHealth(error)]))
    assert row.state is state
    assert reason in row.reason


def test_a_health_that_raises_is_not_hidden_by_a_smaller_trouble(tmp_path: Path) -> None:
    provider = RaisingHealth(ValueError("oops"))
    provider.problems = [Problem("a.md", "not valid UTF-8")]
    row = checkup(make_engine(tmp_path, [provider]))
    assert row.state is State.BROKEN
    assert "oops" in row.reason


@pytest.mark.parametrize("count", [0, 3])
def test_ready_with_nothing_in_it_is_a_lie_and_breaks_the_contract(tmp_path: Path, count: int) -> None:
    liar = notes(count)
    liar._health = Health(State.READY, 0)
    row = checkup(make_engine(tmp_path, [liar]))
    assert row.state is State.BROKEN
    assert row.needs_attention
    assert "health says ready with nothing in it" in row.reason


@pytest.mark.parametrize("claimed", [5, None])
def test_memories_that_are_claimed_and_cannot_be_read_are_no_corpus(
    tmp_path: Path, claimed: int | None
) -> None:
    boaster = Lying("notes", counted=claimed)
    engine = make_engine(tmp_path, [boaster])
    row = checkup(engine)
    assert (row.state, row.indexed) == (State.BROKEN, 0)
    assert row.reason
    answer = engine.recall("결제 재시도", deadline=30)
    assert [(one.state, bool(one.reason)) for one in answer.outcomes] == [(State.BROKEN, True)]
    assert not answer.looked


def test_memories_that_hide_behind_one_id_are_missed(tmp_path: Path) -> None:
    texts = {f"note{n}": Memory("same", f"{topic} 기록") for n, topic in enumerate(TOPICS)}
    row = checkup(make_engine(tmp_path, [Notes("notes", dict(texts))]))
    assert (row.state, row.items, row.indexed) == (State.DEGRADED, 6, 1)
    assert row.reason == "counts 6 memories, gave 1 to read"


def test_a_store_without_memories_of_this_project_is_ready_all_the_same(tmp_path: Path) -> None:
    elsewhere = Notes("notes", {}, health=Health(State.READY, 48, in_scope=0))
    row = checkup(make_engine(tmp_path, [elsewhere]))
    assert (row.state, row.items, row.in_scope, row.indexed) == (State.READY, 48, 0, 0)


@pytest.mark.parametrize("answer", ["fine", 7, ("ready", 3)])
def test_a_health_that_is_none_breaks_the_contract(tmp_path: Path, answer: object) -> None:
    row = checkup(make_engine(tmp_path, [Returning("notes", health=answer)]))
    assert row.state is State.BROKEN
    assert "not Health" in row.reason


def test_what_the_provider_tells_is_told(tmp_path: Path) -> None:
    newest = datetime(2026, 5, 1, tzinfo=UTC)
    health = Health(
        State.READY, 3, in_scope=1, newest=newest, facts=("2 tool uses captured",), places=("store/db",)
    )
    provider = Notes("notes", {"one": "결제 재시도는 세 번까지 한다"}, Authority.DECISION, health)
    row = checkup(make_engine(tmp_path, [provider]))
    assert (row.items, row.in_scope, row.newest) == (3, 1, newest.timestamp())
    assert (row.facts, row.places, row.authority) == (
        ("2 tool uses captured",),
        ("store/db",),
        Authority.DECISION,
    )


def test_the_newest_memory_is_taken_from_the_index_when_the_provider_does_not_tell(tmp_path: Path) -> None:
    day = datetime(2026, 4, 1, tzinfo=UTC)
    provider = Notes("notes", {"one": Memory("one", "결제 재시도는 세 번까지 한다", updated=day)})
    assert checkup(make_engine(tmp_path, [provider])).newest == day.timestamp()


def test_plugins_that_take_no_part_have_a_row(tmp_path: Path) -> None:
    torn = Plugin("torn", "tests", "1", reason="SyntaxError", next_step="report it")
    off = Plugin("off", "tests", "1", reason="disabled in the settings", enabled=False)
    rows = examine(make_engine(tmp_path, [notes(3)], broken=[torn, off]))
    assert [(row.provider, row.state) for row in rows] == [
        ("notes", State.READY),
        ("torn", State.BROKEN),
        ("off", State.OFF),
    ]
    assert row_of(rows, "torn").reason == "SyntaxError"
    assert row_of(rows, "torn").authority is None


def test_only_plugins_asked_for_are_looked_at(tmp_path: Path) -> None:
    other = notes(3, "other")
    torn = Plugin("torn", "tests", "1", reason="SyntaxError")
    engine = make_engine(tmp_path, [notes(3), other], broken=[torn])
    assert [row.provider for row in examine(engine, ["notes"])] == ["notes"]
    assert other.loads == []
    assert [(row.provider, row.state) for row in examine(engine, ["torn"])] == [("torn", State.BROKEN)]


def test_a_provider_that_can_only_be_asked_is_as_it_says_and_is_not_read_back(tmp_path: Path) -> None:
    worker = Asked("worker", lambda query: [Memory("hit", "결제 재시도는 세 번까지 한다")])
    engine = make_engine(tmp_path, [worker])
    engine.recall("결제 재시도", deadline=30)
    worker.queries.clear()
    row = checkup(engine, "worker")
    assert (row.state, row.items, row.asked, row.reason) == (State.READY, None, 0, "")
    assert row.indexed == 1
    assert worker.queries == []


def test_a_provider_that_can_only_be_asked_tells_its_trouble(tmp_path: Path) -> None:
    class Unreachable(Asked):
        def health(self, scope: Scope, deadline: Deadline) -> Health:
            raise StoreBusy("the worker does not answer", "start it")

    row = checkup(make_engine(tmp_path, [Unreachable("worker", lambda query: [])]), "worker")
    assert (row.state, row.reason, row.next_step) == (State.BUSY, "the worker does not answer", "start it")


# -- in time --------------------------------------------------------------------------------------------------


def test_a_health_that_hangs_is_said_and_does_not_hide_what_was_read(tmp_path: Path) -> None:
    slow = SlowHealth("notes", {"one": "결제 재시도는 세 번까지 한다"})
    rows = examine(make_engine(tmp_path, [slow, notes(3, "other")]), deadline=1.0)
    slow.release.set()
    stuck, other = row_of(rows, "notes"), row_of(rows, "other")
    assert (stuck.state, stuck.indexed, stuck.came_back) == (State.DEGRADED, 1, 1)
    assert "health" in stuck.reason
    assert stuck.next_step == "ask again with a longer deadline"
    assert (other.state, other.items) == (State.READY, 3)


def test_a_listing_that_hangs_leaves_the_others_time_to_say_how_they_are(tmp_path: Path) -> None:
    hanging = Slow("stuck", {"one": "결제"})
    other = Punctual("other", notes(3).notes, health=Health(State.READY, 3, facts=("said by itself",)))
    rows = examine(make_engine(tmp_path, [hanging, other]), deadline=1.0)
    hanging.release.set()
    assert row_of(rows, "stuck").state is State.BUSY
    assert row_of(rows, "stuck").reason.startswith("no answer within 1.0 s")
    assert (row_of(rows, "other").state, row_of(rows, "other").facts) == (State.READY, ("said by itself",))


def test_reading_is_watched_step_by_step(tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []

    def watch(name: str, progress: Progress) -> None:
        seen.append((name, progress.read))

    examine(make_engine(tmp_path, [notes(3)]), watch=watch)
    assert seen[0] == ("notes", 0)
    assert seen[-1] == ("notes", 3)


# -- over time ------------------------------------------------------------------------------------------------


def at(folder: Path, provider: Any, days: float) -> Checkup:
    engine = make_engine(folder, [provider], now=NOW + days * DAY)
    row = checkup(engine)
    engine.close()
    return row


def test_a_first_look_has_no_trend(tmp_path: Path) -> None:
    assert at(tmp_path, notes(3), 0).trend == Trend()


def test_a_corpus_that_is_suddenly_empty_raises_an_alarm_with_both_counts(tmp_path: Path) -> None:
    corpus = notes(2_000)
    at(tmp_path, corpus, 0)
    corpus.notes.clear()
    row = at(tmp_path, corpus, 1)
    assert row.trend == Trend("2,000 1 day ago, 0 now", alarm=True)
    assert (row.state, row.indexed, row.vanished) == (State.EMPTY, 0, 2_000)
    assert row.needs_attention
    assert "ALARM: 2,000 1 day ago, 0 now" in "\n".join(plain.checkup(row))


def test_growth_is_a_trend_and_no_alarm(tmp_path: Path) -> None:
    at(tmp_path, notes(10), 0)
    row = at(tmp_path, notes(12), 2)
    assert row.trend == Trend("10 2 days ago, 12 now")
    assert not row.needs_attention


@pytest.mark.parametrize("items", [None, 0])
@pytest.mark.parametrize("error", [StoreBusy("locked"), StoreBroken("damaged")])
def test_a_store_that_cannot_be_counted_is_not_said_to_hold_nothing(
    tmp_path: Path, error: BaseException, items: int | None
) -> None:
    corpus = Broken("notes", error, notes(10).notes)
    corpus.error = None
    at(tmp_path, corpus, 0)
    corpus.error, corpus._health = error, Health(State.BUSY, items, reason="cannot be counted")
    assert at(tmp_path, corpus, 1).trend == Trend()
    corpus.error, corpus._health = None, None
    assert at(tmp_path, corpus, 2).trend == Trend()


def test_a_store_that_went_away_raises_the_alarm(tmp_path: Path) -> None:
    corpus = Broken("notes", StoreAbsent("no store"), notes(10).notes)
    corpus.error = None
    at(tmp_path, corpus, 0)
    corpus.error, corpus._health = StoreAbsent("no store"), Health(State.ABSENT, 0, reason="no store")
    row = at(tmp_path, corpus, 1)
    assert (row.state, row.trend) == (State.ABSENT, Trend("10 1 day ago, 0 now", alarm=True))
    assert row.needs_attention


def test_counts_are_kept_only_of_providers_that_were_asked(tmp_path: Path) -> None:
    first, second = notes(10, "first"), notes(10, "second")
    engine = make_engine(tmp_path, [first, second])
    examine(engine, ["first"])
    engine.close()
    for corpus in (first, second):
        corpus.notes.clear()
    later = make_engine(tmp_path, [first, second], now=NOW + DAY)
    rows = examine(later)
    assert row_of(rows, "first").trend.alarm
    assert row_of(rows, "second").trend == Trend()


def test_counts_outlive_the_cache_folder(tmp_path: Path) -> None:
    import shutil

    corpus = notes(10)
    at(tmp_path, corpus, 0)
    shutil.rmtree(tmp_path / "cache")
    corpus.notes.clear()
    assert at(tmp_path, corpus, 1).trend.alarm


def test_what_vanished_is_counted_apart_from_what_is_there(tmp_path: Path) -> None:
    corpus = notes(30)
    at(tmp_path, corpus, 0)
    for number in range(28):
        del corpus.notes[f"note{number}"]
    row = at(tmp_path, corpus, 1)
    assert (row.items, row.indexed, row.vanished) == (2, 2, 28)
    assert (row.asked, row.came_back) == (2, 2)
    assert row.state is State.DEGRADED
    assert any("28 memories vanished" in fact for fact in row.facts)


# -- what follows ---------------------------------------------------------------------------------------------


def a_row(**changes: Any) -> Checkup:
    fields: dict[str, Any] = {
        "provider": "notes",
        "state": State.READY,
        "authority": Authority.CURATED,
        "items": 1,
        "in_scope": None,
        "indexed": 1,
        "newest": None,
        "asked": 1,
        "came_back": 1,
        "reason": "",
        "next_step": "",
        "facts": (),
        "problems": (),
        "places": (),
        "trend": Trend(),
        "vanished": 0,
        "seconds": 0.0,
    }
    return Checkup(**{**fields, **changes})


@pytest.mark.parametrize(
    ("state", "attention"),
    [
        (State.READY, False),
        (State.ABSENT, False),
        (State.OFF, False),
        (State.DEGRADED, True),
        (State.EMPTY, True),
        (State.BUSY, True),
        (State.BROKEN, True),
    ],
)
def test_states_a_person_should_do_something_about(state: State, attention: bool) -> None:
    assert a_row(state=state).needs_attention is attention


@pytest.mark.parametrize("state", list(State))
def test_an_alarm_always_needs_attention(state: State) -> None:
    assert a_row(state=state, trend=Trend("10 1 day ago, 0 now", alarm=True)).needs_attention


class FlakyEntries(Notes):
    """Fails in the middle of its listing."""

    def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
        yield Entry("one", "1")
        raise OSError(5, "Input/output error")


PROVIDERS: dict[str, Callable[[], Any]] = {
    "empty": lambda: Empty("notes"),
    "gone": lambda: Broken("notes", StoreAbsent("no store", "install it")),
    "broken in the middle": lambda: FlakyEntries("notes", {"one": "결제"}),
    "exits": lambda: Exiting("notes"),
    "garbage": lambda: Returning("notes", entries=[42]),
    "text for memories": lambda: Returning("notes", load="text"),
}


@pytest.mark.parametrize("kind", PROVIDERS)
def test_every_state_but_ready_has_a_reason_and_a_next_step(tmp_path: Path, kind: str) -> None:
    row = checkup(make_engine(tmp_path, [PROVIDERS[kind]()]))
    assert row.state is not State.READY
    assert row.reason
    assert "\n" not in row.reason
    assert row.next_step
