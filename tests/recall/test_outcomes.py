"""One honest line per provider: what happened, why, and what to do next."""

from __future__ import annotations

import re

import pytest

from recall.answer import Outcome
from recall.api import Health, Problem, State
from recall.errors import (
    DeadlineExceeded,
    IndexUnavailable,
    NotConfigured,
    ProviderError,
    StoreAbsent,
    StoreBroken,
    StoreBusy,
)
from recall.fanout import Ended, Late
from recall.index import CorpusCounts
from recall.intake import Garbage
from recall.outcomes import NOTHING_HELD, judge, not_asked, unread
from recall.plugins import Plugin
from recall.refresh import Listed, Progress

NOW = 1_780_000_000.0
DONE = Ended("notes", 0.25)
HELD = CorpusCounts(12, 0, None, NOW - 7_200, ())


def listed(count: int, *, whole: bool = True) -> Listed:
    return Listed(frozenset(f"note{number}" for number in range(count)), frozenset(), (), count, whole)


def outcome(end: Ended | Late = DONE, progress: Progress | None = None, held: CorpusCounts = HELD) -> Outcome:
    return judge("notes", end, progress or Progress(), held, allowed=2.0, now=NOW)


def raised(error: BaseException, held: CorpusCounts = HELD) -> Outcome:
    return outcome(Ended("notes", 0.25, error), held=held)


def test_a_provider_that_was_read_to_its_end_is_ready() -> None:
    found = outcome()
    assert (found.state, found.reason, found.kind, found.late) == (State.READY, "", "", False)
    assert (found.memories, found.seconds) == (12, 0.25)


# -- failures -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "state", "kind", "retryable", "reason"),
    [
        (StoreAbsent("no store"), State.ABSENT, "absent", False, "no store"),
        (StoreBusy("locked"), State.BUSY, "busy", True, "locked"),
        (StoreBroken("damaged"), State.BROKEN, "broken", False, "damaged"),
        (NotConfigured("needs a url"), State.OFF, "not-configured", False, "needs a url"),
        (ProviderError("cannot"), State.BROKEN, "provider", False, "cannot"),
        (Garbage("load returned int"), State.BROKEN, "contract", False, "broke the contract: load returned"),
        (ValueError("oops"), State.BROKEN, "crashed", False, "raised ValueError: oops"),
        (ValueError(), State.BROKEN, "crashed", False, "raised ValueError"),
        (SystemExit(3), State.BROKEN, "crashed", False, "called sys.exit"),
        (KeyboardInterrupt(), State.BROKEN, "crashed", False, "raised KeyboardInterrupt"),
        (IndexUnavailable("no room"), State.BROKEN, "index", False, "no room"),
    ],
)
def test_every_failure_has_its_state_kind_and_reason(
    error: BaseException, state: State, kind: str, retryable: bool, reason: str
) -> None:
    found = raised(error, NOTHING_HELD)
    assert (found.state, found.kind, found.retryable) == (state, kind, retryable)
    assert found.reason.startswith(reason)


def test_a_long_message_of_many_lines_is_one_line() -> None:
    found = raised(ValueError("one\ntwo\n" + "x" * 1_000), NOTHING_HELD)
    assert "\n" not in found.reason
    assert "one two" in found.reason
    assert len(found.reason) < 200


def test_the_failures_own_next_step_is_kept() -> None:
    assert raised(StoreBusy("locked", "try again in a moment")).next_step == "try again in a moment"
    assert raised(StoreBroken("damaged", "restore it")).next_step == "restore it"


def test_a_crash_has_a_next_step_too() -> None:
    assert "recall doctor --provider notes" in raised(ValueError("oops")).next_step


@pytest.mark.parametrize("error", [StoreAbsent("x"), StoreBusy("x"), StoreBroken("x"), ValueError("x")])
def test_a_failure_says_what_answers_in_its_place(error: BaseException) -> None:
    assert raised(error).reason.endswith("; 12 memories read 2 hours ago answer in its place")
    assert "in its place" not in raised(error, NOTHING_HELD).reason


def test_a_source_that_is_off_does_not_claim_to_answer() -> None:
    assert raised(NotConfigured("needs a url")).reason == "needs a url"


# -- too late -------------------------------------------------------------------------------------------------


LATE = Late("notes", 2.0)


@pytest.mark.parametrize("end", [LATE, Ended("notes", 2.0, DeadlineExceeded("out of time"))])
def test_no_answer_in_time_is_busy_and_can_be_tried_again(end: Ended | Late) -> None:
    found = outcome(end, held=NOTHING_HELD)
    assert (found.state, found.late, found.kind, found.retryable) == (State.BUSY, True, "late", True)
    assert found.reason == "no answer within 2.0 s"
    assert found.next_step == "ask again with a longer deadline"


def test_a_request_that_still_hangs_says_for_how_long() -> None:
    found = outcome(Late("notes", 61.2, earlier=True))
    assert found.reason.startswith("an earlier request to it still hangs, for 61 s now; 12 memories")


@pytest.mark.parametrize(("held", "state"), [(HELD, State.DEGRADED), (NOTHING_HELD, State.BUSY)])
def test_a_provider_that_was_read_in_part_says_how_far(held: CorpusCounts, state: State) -> None:
    found = outcome(LATE, Progress(listed=listed(1_000), read=64), held)
    assert (found.state, found.reason) == (state, "read 64 of 1,000 new entries in time")
    assert found.next_step == "run `recall index` to read the rest"
    assert found.late


def test_one_that_had_nothing_left_to_read_did_not_answer() -> None:
    assert outcome(LATE, Progress(listed=listed(3), read=3)).reason.startswith("no answer within")


def test_candidates_of_a_search_are_not_counted_as_entries() -> None:
    found = outcome(LATE, Progress(listed=listed(50, whole=False), read=0))
    assert found.reason.startswith("no answer within")


# -- damage and loss ------------------------------------------------------------------------------------------


def test_problems_of_this_look_and_of_earlier_ones_degrade() -> None:
    progress = Progress(problems=[Problem("a.md", "not valid UTF-8")])
    found = outcome(progress=progress, held=HELD._replace(problems=(Problem("b.md", "cut after 100 bytes"),)))
    assert (found.state, len(found.problems)) == (State.DEGRADED, 2)
    assert found.reason == "2 problems: a.md: not valid UTF-8"
    assert "recall doctor --provider notes" in found.next_step


def test_a_harmless_problem_is_a_note() -> None:
    found = outcome(progress=Progress(problems=[Problem("memory", "shared", harmless=True)]))
    assert (found.state, found.notes) == (State.READY, ("memory: shared",))


def test_what_vanished_just_now_degrades_and_what_vanished_earlier_is_a_note() -> None:
    now = outcome(progress=Progress(listed=listed(2), vanished_now=10), held=HELD._replace(vanished=10))
    assert (now.state, now.vanished) == (State.DEGRADED, 10)
    assert now.reason == "10 memory entries vanished since the last look"
    earlier = outcome(progress=Progress(listed=listed(2)), held=HELD._replace(vanished=10))
    assert (earlier.state, earlier.vanished) == (State.READY, 10)
    for found in (now, earlier):
        assert re.search(r"10 memories vanished .* `recall index --forget notes`", " ".join(found.notes))


def test_a_locked_store_is_not_told_to_be_forgotten() -> None:
    assert raised(StoreBusy("locked"), HELD._replace(vanished=10)).notes == ()


# -- a source without a memory --------------------------------------------------------------------------------


def test_an_empty_source_is_as_it_says_itself() -> None:
    health = Health(State.EMPTY, 0, reason="captures prompts, stores no observations", next_step="log in")
    found = outcome(progress=Progress(listed=listed(0), health=health), held=NOTHING_HELD)
    assert (found.state, found.reason, found.next_step) == (State.EMPTY, health.reason, "log in")
    assert (found.kind, found.looked) == ("empty", True)


def test_a_store_of_other_projects_is_ready_and_says_so() -> None:
    health = Health(State.READY, 48, in_scope=0, facts=("no rows for this project",))
    found = outcome(progress=Progress(listed=listed(0), health=health), held=NOTHING_HELD)
    assert (found.state, found.notes, found.looked) == (State.READY, ("no rows for this project",), True)


@pytest.mark.parametrize(
    ("health", "said"),
    [
        (Health(State.READY, 5), "says it holds 5 memories and gives none to read"),
        (Health(State.DEGRADED, 9, in_scope=1, reason="x"), "says it holds 1 memory and gives none to read"),
        (Health(State.READY, None), "says it holds memories and gives none to read"),
    ],
)
def test_a_count_without_a_memory_is_broken(health: Health, said: str) -> None:
    found = outcome(progress=Progress(listed=listed(0), health=health), held=NOTHING_HELD)
    assert (found.state, found.kind, found.reason) == (State.BROKEN, "contract", said)
    assert not found.looked
    assert found.next_step


def test_a_count_without_a_memory_names_what_could_not_be_read() -> None:
    progress = Progress(
        listed=listed(1), health=Health(State.READY, 1), problems=[Problem("a.md", "not readable")]
    )
    assert outcome(progress=progress, held=NOTHING_HELD).reason.endswith(": a.md: not readable")


# -- not looked at --------------------------------------------------------------------------------------------


def test_a_broken_plugin_is_broken_and_a_disabled_one_is_off() -> None:
    torn = not_asked(Plugin("torn", "d", "1", reason="SyntaxError", next_step="report it"))
    assert (torn.state, torn.kind, torn.reason, torn.next_step) == (
        State.BROKEN,
        "plugin",
        "SyntaxError",
        "report it",
    )
    off = not_asked(Plugin("off", "d", "1", reason="disabled in the settings", enabled=False))
    assert (off.state, off.kind, off.reason) == (State.OFF, "", "disabled in the settings")
    assert not torn.looked
    assert not off.looked


def test_an_answer_from_the_index_alone_says_how_old_it_is() -> None:
    found = unread("notes", HELD, NOW)
    assert (found.state, found.memories) == (State.READY, 12)
    assert found.notes == ("not looked at, last read 2 hours ago",)


@pytest.mark.parametrize("held", [None, NOTHING_HELD])
def test_nothing_in_the_index_is_said_when_nobody_looked(held: CorpusCounts | None) -> None:
    found = unread("notes", held, NOW)
    assert (found.state, found.memories, found.looked) == (State.OFF, 0, False)
    assert "not looked at" in found.reason


@pytest.mark.parametrize("state", list(State))
def test_nothing_found_may_be_said_only_of_what_was_looked_at(state: State) -> None:
    usable = state in (State.READY, State.DEGRADED, State.EMPTY)
    assert Outcome("notes", state).looked is usable
    assert Outcome("notes", state, memories=1).looked is True
