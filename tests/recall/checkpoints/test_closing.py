"""What still stands: superseded entries, finished steps."""

from __future__ import annotations

from recall import checkpoints
from recall.checkpoints import Record, standing


class Book:
    """Records one after the other."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def add(self, kind: str, text: str, *steps: str, closes: tuple[str, ...] = ()) -> str:
        seq = len(self.records) + 1
        at = "2026-05-28T20:26:40Z"
        name = checkpoints.name(seq, at, kind, text)
        self.records.append(Record(seq, name, at, kind, text, next=steps, closes=closes))
        return name

    def next(self) -> list[str]:
        return [step.text for step in standing(self.records).next]

    def entries(self) -> list[str]:
        return [record.text for record in standing(self.records).entries]


def test_a_superseded_decision_no_longer_stands_and_says_by_what() -> None:
    book = Book()
    first = book.add("decision", "MySQL")
    book.add("decision", "Postgres", closes=(first,))
    assert book.entries() == ["Postgres"]
    (closed,) = standing(book.records).closed
    assert (closed.record.text, closed.by.text) == ("MySQL", "Postgres")


def test_a_finished_step_is_not_next_any_more_by_its_id_or_by_its_words() -> None:
    book = Book()
    first = book.add("decision", "Retry four times", "write the test", "change the setting", "배포한다")
    book.add("milestone", "Done", closes=(f"{first}.1",))
    book.add("verification", " 배포한다. ")
    assert book.next() == ["change the setting"]
    assert standing(book.records).done == 2
    book.add("abandoned", "Not now", closes=(first,))
    assert book.next() == []


def test_a_step_that_comes_again_after_it_was_done_is_next_again() -> None:
    book = Book()
    book.add("decision", "Refunds", "run the tests")
    book.add("milestone", "run the tests")
    book.add("blocker", "One fails", "run the tests")
    assert book.next() == ["run the tests"]


def test_the_steps_of_a_handoff_replace_all_earlier_ones_and_one_without_steps_replaces_none() -> None:
    book = Book()
    book.add("decision", "a", "old")
    book.add("handoff", "no steps said")
    assert book.next() == ["old"]
    book.add("handoff", "what is left", "new")
    book.add("constraint", "b", "newer")
    assert book.next() == ["new", "newer"]


def test_of_events_the_last_one_that_stands_counts() -> None:
    book = Book()
    book.add("milestone", "first")
    second = book.add("milestone", "second")
    now = standing(book.records)
    assert (now.last("milestone") or book.records[0]).id == second
    assert now.last("handoff") is None
