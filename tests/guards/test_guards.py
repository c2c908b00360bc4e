"""The table of guards fits the code: `tests/guards/run` would try each of them."""

from __future__ import annotations

import re

import pytest

from guards.table import REPOSITORY, Guard, guards

GUARDS = guards()


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.name)
def test_a_guard_stands_where_the_table_says_and_its_tests_are_there(guard: Guard) -> None:
    assert guard.moved(REPOSITORY) == ""
    source = (REPOSITORY / guard.file).read_text(encoding="utf-8")
    assert guard.without(source) != source
    for test in guard.tests:
        path, _, name = test.partition("::")
        code = (REPOSITORY / path).read_text(encoding="utf-8")
        assert not name or re.search(rf"^(?:async )?def {name}\(", code, re.MULTILINE), test


def test_every_guard_has_a_name_of_its_own() -> None:
    assert len({guard.name for guard in GUARDS}) == len(GUARDS)
