"""Paths into JSON."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_asked.jsonpath import find, first, parse

DOCUMENT: Any = {"data": {"items": [{"body": "a"}, {"body": "b"}, {}]}, "a.b": 1, "한글": [0, None]}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("data.items[*].body", ["a", "b"]),
        ("$.data.items[1].body", ["b"]),
        ("data.items[9].body", []),
        ("data[*]", []),
        ("['a.b']", [1]),
        ("한글[*]", [0, None]),
        ("", [DOCUMENT]),
        ("$", [DOCUMENT]),
        ("nowhere.at.all", []),
    ],
)
def test_a_path_leads_to_every_value_it_names(path: str, found: list[Any]) -> None:
    assert list(find(DOCUMENT, parse(path))) == found
    assert first(DOCUMENT, parse(path)) == (found[0] if found else None)


@pytest.mark.parametrize("path", ["a..b", "a[", "a[-1]", "a[x]", "a b", "[", "a.", "..a"])
def test_what_is_no_path_is_told(path: str) -> None:
    with pytest.raises(ValueError, match="is no path"):
        parse(path)


@given(st.text(max_size=30), st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=5))
def test_no_path_and_no_document_fails_otherwise(path: str, document: Any) -> None:
    try:
        steps = parse(path)
    except ValueError:
        return
    list(find(document, steps))
