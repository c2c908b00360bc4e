"""SECURITY.md: every promise names the tests that hold it, and each of them is there."""

from __future__ import annotations

import re

import pytest

from support.worlds import REPOSITORY

PAGE = (REPOSITORY / "SECURITY.md").read_text("utf-8")
PROMISES = {
    promise.split("**")[1]: held
    for promise, held in re.findall(r"^\| (\*\*.+) \| (`.+) \|$", PAGE, re.MULTILINE)
}


def test_the_table_is_read_whole() -> None:
    table = PAGE.split("## What is promised", 1)[1].split("\n## ", 1)[0]
    assert len(PROMISES) == len(re.findall(r"^\| ", table, re.MULTILINE)) - 1 > 20


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_names_tests_that_are_there(promise: str) -> None:
    named = re.findall(r"`(tests/[^`]+)`", PROMISES[promise])
    assert named
    for test in named:
        path, _, name = test.partition("::")
        place = REPOSITORY / path
        assert place.exists(), test
        assert not name or re.search(rf"^(?:async )?def {name}\(", place.read_text("utf-8"), re.MULTILINE), (
            test
        )
