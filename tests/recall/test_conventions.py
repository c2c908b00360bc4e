"""Where projects keep decisions and state: every file has one owner, and comes once."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import conventions
from recall.api import Deadline, Problem
from recall.errors import DeadlineExceeded
from recall.project_files import Look
from support.worlds import make_scope


def put(path: Path, text: str = "text") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("DECISIONS.md", "decisions"),
        ("docs/adr/0001-a.md", "decisions"),
        ("Docs/ADR/0001-A.md", "decisions"),
        ("packages/api/docs/decisions/a.md", "decisions"),
        ("web/doc/architecture/decisions/a.md", "decisions"),
        ("HANDOFF.md", "state"),
        ("docs/handoffs/2026/a.md", "state"),
        (".context/SNAPSHOT.json", "state"),
        ("src/decisions/a.md", ""),
        ("vendor/docs/adr/a.md", ""),
        ("packages/node_modules/docs/adr/a.md", ""),
        ("docs/guide.md", ""),
        ("adr", ""),
        ("", ""),
    ],
)
def test_a_file_belongs_to_the_source_that_reads_it(path: str, expected: str) -> None:
    assert conventions.owner(path) == expected


@given(st.text(alphabet="ab./-\u1100\u1161가", max_size=30))
def test_no_path_breaks_the_question_who_owns_it(path: str) -> None:
    assert conventions.owner(path) in ("", "decisions", "state")


def test_two_names_that_look_alike_are_two_files(tmp_path: Path) -> None:
    scope = make_scope(tmp_path)
    for form in ("NFC", "NFD"):
        put(scope.root / "docs/adr" / unicodedata.normalize(form, "주문.md"), form)
    look = Look(scope, Deadline.after(60))
    folder = str(scope.root / "docs/adr")
    found = [
        item for item in look.folder(folder, "docs/adr", lambda _: True) if not isinstance(item, Problem)
    ]
    assert [item.key for item in found] == ["docs/adr/주문.md", "docs/adr/주문~2.md"]
    assert list(look.folder(folder, "docs/adr", lambda _: True)) == []


def test_the_main_checkout_adds_what_the_worktree_lacks(tmp_path: Path) -> None:
    scope = make_scope(tmp_path)
    main = tmp_path / "main"
    put(main / "docs/adr/0001-a.md")
    put(main / "docs/adr/0002-b.md")
    put(scope.root / "docs/adr/0001-a.md")
    look = Look(replace(scope, main_root=main), Deadline.after(60))
    keys = [
        item.key
        for root in look.roots()
        for item in look.folder(f"{root}/docs/adr", "docs/adr", lambda _: True)
        if not isinstance(item, Problem)
    ]
    assert keys == ["docs/adr/0001-a.md", "docs/adr/0002-b.md"]


def test_a_look_ends_when_time_is_up(tmp_path: Path) -> None:
    scope = make_scope(tmp_path)
    put(scope.root / "docs/adr/0001-a.md")
    look = Look(scope, Deadline(0.0, lambda: 1.0))
    with pytest.raises(DeadlineExceeded):
        list(look.folder(str(scope.root / "docs/adr"), "docs/adr", lambda _: True))
