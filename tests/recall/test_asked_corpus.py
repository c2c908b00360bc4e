"""Sources that are read and asked too: what they give for a question stands beside what they list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from recall.answer import Answer
from recall.api import Deadline, Memory, Problem, Query, Scope, State
from recall.engine import Engine
from recall.testing.fakes import Notes
from support.worlds import NOW, make_engine


class AskedNotes(Notes):
    """Notes, and an answer of one memory for each question."""

    def __init__(self, notes: dict[str, str]) -> None:
        super().__init__("notes", notes)
        self.questions: list[str] = []
        self.silent = False

    def search(self, query: Query, scope: Scope, deadline: Deadline) -> Iterable[Memory | Problem]:
        self.questions.append(query.text)
        if not self.silent:
            yield Memory(f"code/{query.terms[0]}", f"def {query.terms[0]}(): ...", kind="code")


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


class Asking:
    """An engine over such notes."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.notes = AskedNotes({"retry": "We retry charge_card three times.", "other": "Something else."})
        self.engine: Engine = make_engine(folder, [self.notes])
        self.engine.now = self.clock

    def __call__(self, question: str) -> Answer:
        return self.engine.recall(question, deadline=30)

    def uris(self, question: str) -> list[str]:
        return [hit.ranked.row.uri for hit in self(question).hits]

    def held(self) -> int:
        return self.engine.index.counts()["notes"].memories


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Asking]:
    made = Asking(tmp_path)
    yield made
    made.engine.close()


def test_what_it_gives_for_a_question_stands_beside_what_it_lists(asking: Asking) -> None:
    assert set(asking.uris("charge_card")) == {"recall://notes/retry", "recall://notes/code/charge_card"}
    assert asking.engine.sources["notes"].is_asked
    assert not asking.engine.sources["notes"].searches
    assert asking.notes.questions == ["charge_card"]


def test_doctor_and_show_ask_it_no_question(asking: Asking) -> None:
    asking("charge_card")
    assert asking.engine.show("recall://notes/code/charge_card") is not None
    assert asking.engine.show("recall://notes/retry") is not None
    assert asking.notes.questions == ["charge_card"]


def test_what_it_gave_for_a_question_stays_for_the_next_ones_and_is_forgotten_when_it_is_old(
    asking: Asking,
) -> None:
    asking("charge_card")
    asking.notes.silent = True
    asking.clock.now += 500
    assert "recall://notes/code/charge_card" in asking.uris("charge_card")
    asking.clock.now += 500
    assert asking.uris("charge_card") == ["recall://notes/retry"]
    assert asking.held() == 2


def test_a_listing_takes_nothing_else_for_vanished_or_new(asking: Asking) -> None:
    asking("charge_card")
    read = list(asking.notes.loads)
    del asking.notes.notes["other"]
    (outcome,) = asking("charge_card").outcomes
    assert (outcome.state, outcome.vanished) == (State.READY, 0)
    assert asking.notes.loads == read
    assert asking.held() == 2  # the note that is left, and the candidate


def test_a_candidate_under_the_key_of_an_entry_is_read_again_as_that_entry(asking: Asking) -> None:
    asking.notes.notes["code/charge_card"] = "The note about charge_card itself."
    asking("charge_card")
    asking.notes.silent = True
    for _ in range(2):
        hits = {hit.ranked.row.uri: hit.ranked.row for hit in asking("charge_card").hits}
        assert hits["recall://notes/code/charge_card"].text == "The note about charge_card itself."
    assert asking.notes.loads.count("code/charge_card") == 2
    asking.clock.now += 5_000
    assert "recall://notes/code/charge_card" in asking.uris("charge_card")
