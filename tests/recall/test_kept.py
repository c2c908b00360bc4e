"""Results that are used again."""

from __future__ import annotations

from recall.kept import Kept, Same


def test_what_was_made_is_the_same_as_long_as_it_was_made_from_the_same() -> None:
    kept: Kept[list[int]] = Kept()
    first = kept.of(("a", 1), lambda: [1])
    assert kept.of(("a", 1), lambda: [2]) is first
    assert kept.of(("a", 2), lambda: [2]) == [2]
    assert kept.of(("a", 1), lambda: [3]) == [3]


def test_work_that_fails_leaves_nothing_behind() -> None:
    kept: Kept[int] = Kept()
    for _ in range(2):
        try:
            kept.of("a", lambda: 1 // 0)
        except ZeroDivisionError:
            continue
        raise AssertionError("a failure was kept")
    assert kept.of("a", lambda: 5) == 5


def test_the_same_is_no_equal_thing() -> None:
    first, second = ["a"], ["a"]
    assert Same(first) == Same(first)
    assert Same(first) != Same(second)
    assert Same(first) != first
