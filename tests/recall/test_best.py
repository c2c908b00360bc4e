"""Which of equally good memories are candidates: never a matter of the order in which they were read."""

from __future__ import annotations

import random
from collections.abc import Iterable

from recall.index import IN_MEMORY, Index
from recall.index.rows import Loaded, Row

_BLANK = {**dict.fromkeys(Row._fields, ""), "line": None, "created": None, "extra": "{}"}
_MANY = 700  # more than the candidates of a pass, and the equals behind them that are looked at


def _row(number: int, updated: float | None, body: str) -> Row:
    fields = {**_BLANK, "provider": "notes", "uri": f"recall://notes/{number:04}", "updated": updated}
    return Row(**{**fields, "body_tokens": body})


def _found(rows: Iterable[Row], limit: int) -> list[str]:
    index = Index(IN_MEMORY)
    try:
        index.store("notes", [Loaded(row.uri, "-", (row,), ()) for row in rows])
        index.finish("notes", 0.0)
        matches, _others = index.search(
            [(1.0, ["port"])], index.document_frequencies(["port"]), ["notes"], limit
        )
        return sorted(match.row.uri for match in matches)
    finally:
        index.close()


def _shuffled(rows: list[Row]) -> list[Row]:
    return random.Random(5).sample(rows, len(rows))


def test_of_memories_that_score_the_same_the_newest_are_found_however_they_were_read() -> None:
    rows = [_row(number, 1_000.0 + number, "port free") for number in range(_MANY)]
    newest = [row.uri for row in rows[-3:]]
    assert _found(rows, 3) == newest
    assert _found(_shuffled(rows), 3) == newest


def test_of_those_that_are_as_old_the_first_by_uri_are_found() -> None:
    rows = [_row(number, 1_000.0, "port free") for number in range(_MANY)]
    assert _found(_shuffled(rows), 2) == ["recall://notes/0000", "recall://notes/0001"]


def test_one_without_a_date_comes_after_those_that_have_one() -> None:
    rows = [_row(0, None, "port free"), _row(1, 1_000.0, "port free"), _row(2, None, "port free")]
    assert _found(rows, 1) == ["recall://notes/0001"]


def test_what_scores_better_comes_before_what_is_newer() -> None:
    rows = [_row(number, 1_000.0 + number, "port free of all the others") for number in range(_MANY)]
    assert "recall://notes/9999" in _found([*rows, _row(9999, 1.0, "port")], 2)
