"""Walking the same tree again: what is not looked at again, and that nothing is missed by it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import files
from recall.api import Deadline, Problem
from recall.errors import StoreBroken
from recall.files import Found, folders, walking

LATER = 4_000_000_000.0  # long after every file here was written


def paths(found: Iterator[Found | Problem]) -> list[str]:
    return [item.relative if isinstance(item, Found) else f"!{item.where}" for item in found]


def walked(walker: files.Walker, root: Path) -> tuple[Found | Problem, ...]:
    return tuple(walker.walk(root, Deadline.after(60)))


@pytest.fixture
def listings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that were listed."""
    seen: list[str] = []
    scandir: Callable[[str], os._ScandirIterator[str]] = os.scandir

    def noted(path: str) -> os._ScandirIterator[str]:
        seen.append(os.path.basename(path))
        return scandir(path)

    monkeypatch.setattr(folders.os, "scandir", noted)  # type: ignore[attr-defined]
    return seen


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.md", "sub/b.md", "sub/deeper/c.md"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "tree"


def test_a_folder_that_has_not_changed_is_not_listed_again(tree: Path, listings: list[str]) -> None:
    walker = files.Walker(lambda: LATER)
    first = walked(walker, tree)
    assert listings == ["tree", "sub", "deeper"]
    again = walked(walker, tree)
    assert listings == ["tree", "sub", "deeper"]
    assert len(first) == 3
    assert all(one is other for one, other in zip(first, again, strict=True))


def test_only_the_folder_that_changed_is_listed_again(tree: Path, listings: list[str]) -> None:
    walker = files.Walker(lambda: LATER)
    walked(walker, tree)
    listings.clear()
    (tree / "sub" / "new.md").write_text("새 기억")
    assert paths(walker.walk(tree, Deadline.after(60))) == [
        "a.md",
        "sub/b.md",
        "sub/new.md",
        "sub/deeper/c.md",
    ]
    assert listings == ["sub"]


def test_a_file_written_over_in_its_place_is_seen(tree: Path) -> None:
    walker = files.Walker(lambda: LATER)
    before = {item.relative: item for item in walked(walker, tree) if isinstance(item, Found)}
    (tree / "sub" / "b.md").write_text("longer than before")
    after = {item.relative: item for item in walked(walker, tree) if isinstance(item, Found)}
    assert after["sub/b.md"].stamp != before["sub/b.md"].stamp
    assert after["a.md"] is before["a.md"]


def test_a_folder_that_changed_a_moment_ago_is_listed_again(
    tree: Path, listings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tick = (1_700_000_000 * 10**9,) * 2  # of a file clock that has not ticked since
    monkeypatch.setattr(walking, "times", lambda _found: tick)
    walker = files.Walker(lambda: 1_700_000_001.0)
    walked(walker, tree)
    (tree / "sub" / "new.md").write_text("in the same tick of the file clock")
    listings.clear()
    assert "sub/new.md" in paths(walker.walk(tree, Deadline.after(60)))
    assert "sub" in listings


def test_where_folders_keep_no_time_a_new_file_is_seen_within_a_minute(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walking, "times", lambda _found: (0, 0))
    now = [LATER]
    walker = files.Walker(lambda: now[0])
    walked(walker, tree)
    (tree / "sub" / "new.md").write_text("")
    now[0] += 59
    assert "sub/new.md" not in paths(walker.walk(tree, Deadline.after(60)))
    now[0] += 1
    assert "sub/new.md" in paths(walker.walk(tree, Deadline.after(60)))


def test_a_link_that_took_the_place_of_a_file_unnoticed_does_not_lead_out(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.md").write_text("not of this store")
    monkeypatch.setattr(walking, "times", lambda _found: (0, 0))
    walker = files.Walker(lambda: LATER)
    walked(walker, tree)
    (tree / "a.md").unlink()
    (tree / "a.md").symlink_to(tmp_path / "secret.md")
    found = list(walker.walk(tree, Deadline.after(60), leave_root=False))
    assert not any(isinstance(item, Found) and item.relative == "a.md" for item in found)
    assert any(isinstance(item, Problem) and "leaves the store" in item.reason for item in found)


def test_a_walk_that_was_given_up_spoils_nothing_for_the_next(tree: Path) -> None:
    walker = files.Walker(lambda: LATER)
    everything = walked(walker, tree)
    for item in walker.walk(tree, Deadline.after(60)):
        assert isinstance(item, Found)
        break
    assert walked(walker, tree) == everything


def test_other_endings_are_another_tree(tree: Path) -> None:
    (tree / "plain.txt").write_text("본문")
    walker = files.Walker(lambda: LATER)
    walked(walker, tree)
    assert paths(walker.walk(tree, Deadline.after(60), suffixes=(".txt",))) == ["plain.txt"]
    assert len(walked(walker, tree)) == 3


NAMES = st.sampled_from(["a.md", "b.md", "sub/a.md", "sub/c.md", "sub/deep/d.md", "other/e.md", "f.txt"])
EDITS = st.lists(
    st.tuples(st.sampled_from(["write", "append", "remove", "link", "folder"]), NAMES), max_size=12
)


@given(edits=EDITS)
def test_after_any_edits_it_finds_what_a_first_walk_finds(edits: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        root.mkdir()
        walker = files.Walker(lambda: LATER)
        clock = FolderTimes(root)
        for kind, name in edits:
            edit(root / name, kind, Path(folder))
            clock.spread()
            assert walked(walker, root) == tuple(files.walk(root, Deadline.after(60)))


class FolderTimes:
    """Gives every change of a folder a time of its own, whatever the file clock's tick."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._times: dict[str, int] = {}
        self._next = 1_000_000_000

    def spread(self) -> None:
        for folder, _folders, _files in os.walk(self._root):
            if os.stat(folder).st_mtime_ns != self._times.get(folder):
                self._next += 1
                self._times[folder] = self._next
                os.utime(folder, ns=(self._next, self._next))


def edit(path: Path, kind: str, outside: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind in ("remove", "link"):
        if not path.is_dir() or path.is_symlink():
            path.unlink(missing_ok=True)
        if kind == "link" and not path.exists():
            path.symlink_to(outside)
    elif kind == "folder":
        if not path.exists():
            path.mkdir()
    elif not path.is_dir():
        with path.open("w" if kind == "write" else "a") as file:
            file.write(kind)


def test_a_file_of_the_same_size_and_time_that_took_another_s_place_is_seen(tree: Path) -> None:
    walker = files.Walker(lambda: LATER)
    note = tree / "a.md"
    before = {item.relative: item for item in walked(walker, tree) if isinstance(item, Found)}
    found = note.stat()
    (tree.parent / "new").write_text("b.md")
    os.utime(tree.parent / "new", ns=(found.st_mtime_ns, found.st_mtime_ns))
    (tree.parent / "new").rename(note)
    after = {item.relative: item for item in walked(walker, tree) if isinstance(item, Found)}
    assert note.stat().st_size == found.st_size
    assert after["a.md"].stamp != before["a.md"].stamp


def test_a_new_file_is_seen_although_the_folder_s_time_was_put_back(tree: Path) -> None:
    walker = files.Walker(lambda: LATER)
    changed = (tree / "sub").stat().st_mtime_ns
    walked(walker, tree)
    (tree / "sub" / "new.md").write_text("복사본")
    os.utime(tree / "sub", ns=(changed, changed))
    assert "sub/new.md" in paths(walker.walk(tree, Deadline.after(60)))


def test_a_file_whose_place_another_took_is_not_opened(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("not of this store")
    found = next(item for item in walked(files.Walker(), tree) if isinstance(item, Found))
    assert files.read_text(found).text == "a.md"
    (tree / "a.md").unlink()
    (tree / "a.md").symlink_to(tmp_path / "secret.md")
    with pytest.raises(StoreBroken, match="another file took its place"):
        files.read_bytes(found)
    with pytest.raises(StoreBroken, match="another file took its place"):
        files.open_regular(found)


def test_a_link_is_judged_and_opened_at_one_place(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link that is turned round while it is looked at leads nowhere."""
    (tmp_path / "secret.md").write_text("not of this store")
    (tree / "link.md").symlink_to(tree / "sub" / "b.md")
    real = os.path.realpath

    def turned(path: str) -> str:
        target = real(path)
        if path.endswith("link.md"):
            (tree / "link.md").unlink()
            (tree / "link.md").symlink_to(tmp_path / "secret.md")
        return target

    (tree / "sub" / "b.md").rename(tree / "sub" / "b.txt")
    (tree / "link.md").unlink()
    (tree / "link.md").symlink_to(tree / "sub" / "b.txt")
    monkeypatch.setattr(os.path, "realpath", turned)
    found = [
        item for item in files.walk(tree, Deadline.after(60), leave_root=False) if isinstance(item, Found)
    ]
    texts = []
    for item in found:
        with contextlib.suppress(StoreBroken):
            texts.append(files.read_text(item).text)
    assert "not of this store" not in texts
