"""What is a comment depends on the language of the file; where it is in doubt, a line is code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.evidence.comments import without_comments


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "  # note"),
        ("Dockerfile", "# note"),
        ("deploy/Makefile", "# note"),
        ("a.ts", "  // note"),
        ("a.c", "/* note"),
        ("a.c", "/* note */"),
        ("a.c", " */"),
        ("a.js", " * Calls charge_card when it must."),
        ("a.js", " * @param {string} card_number"),
        ("a.css", "/* note */"),
        ("a.sql", "-- note"),
        ("a.html", "<!-- note -->"),
        ("main.tf", "# note"),
        ("main.tf", "// note"),
        ("unknown", "# note"),
        ("a.zzz", "// note"),
    ],
)
def test_a_comment_leaves_nothing(path: str, line: str) -> None:
    assert without_comments(line, path) == ""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "n = 10 // page_size_limit()"),
        ("a.py", "    // page_size_limit()"),
        ("a.py", "    * page_size_limit()"),
        ("a.py", "    *page_sizes,"),
        ("a.c", "* old_count_var = 3;"),
        ("a.c", "    *cursor = next_token(cursor);"),
        ("a.go", "\t* page_size_limit()"),
        ("a.c", "#define LIMIT 3"),
        ("a.rs", "#[derive(Parser)]"),
        ("a.css", "#main-panel-left { color: red }"),
        ("a.js", "  #secret_count = 3;"),
        ("a.c", "-- count_left;"),
        ("a.js", "fetch('https://example.org/name')"),
        ("a.py", 'title = "issue # charge_card"'),
        ("a.js", 'title = "either // charge_card"'),
        ("a.zzz", "x = 10 // charge_card()"),
        ("a.zzz", "x # charge_card()"),
    ],
)
def test_what_another_language_takes_for_a_comment_is_code(path: str, line: str) -> None:
    assert without_comments(line, path) == line


@pytest.mark.parametrize(
    ("path", "line", "left"),
    [
        ("a.py", "x = new_name  # was old_name", "x = new_name"),
        ("a.ts", "x = new_name // was old_name", "x = new_name"),
        ("a.go", "x = new_name\t// was old_name", "x = new_name"),
        ("a.sql", "select new_name -- was old_name", "select new_name"),
        ("a.c", "/* was old_name */ new_name();", "new_name();"),
        ("a.py", 'x = "#" # was old_name', 'x = "#"'),
    ],
)
def test_a_comment_beside_code_is_cut_off(path: str, line: str, left: str) -> None:
    assert without_comments(line, path) == left


@given(st.text(max_size=200), st.sampled_from(["a.py", "a.c", "a.sql", "a.html", "a.vue", "a.zzz", ""]))
def test_what_is_left_was_there(line: str, path: str) -> None:
    assert without_comments(line, path) in line
