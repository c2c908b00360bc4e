"""Ends in the middle of a save, and disks that are full: what was acknowledged stays, what was not is no harm."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recall.checkpoints import VIEWS, is_sealed
from recall.errors import ContextUnavailable
from recall.files import swap
from support import saver

if TYPE_CHECKING:
    from conftest import Project

# Everything a save does to the disk. `open` and `unlink` among them: both make and remove names.
_CALLS = ("open", "mkdir", "write", "fsync", "ftruncate", "rename", "replace", "unlink", "utime", "close")


class Ended(BaseException):
    """Stands for the end of the process where a test wants to go on."""


@contextmanager
def counted(at: int, end: Callable[[], Any], half: bool) -> Iterator[None]:
    """Call `end` at the so-many-th call that touches the disk: before it, or after the half of a write."""
    seen = 0
    real = {(os, name): getattr(os, name) for name in _CALLS}
    real |= {(swap, name): getattr(swap, name) for name in ("exchange", "place")}

    def wrapped(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def through(*arguments: Any, **more: Any) -> Any:
            nonlocal seen
            seen += 1
            if seen == at:
                if half and name == "write":
                    call(arguments[0], arguments[1][: len(arguments[1]) // 2])
                end()
            return call(*arguments, **more)

        return through

    for (module, name), call in real.items():
        setattr(module, name, wrapped(name, call))
    try:
        yield
    finally:
        for (module, name), call in real.items():
            setattr(module, name, call)


def killed_at(number: int, half: bool, work: Callable[[], Any]) -> bool:
    """Do the work in a process that kills itself at a call; False if it came to its end before."""
    child = os.fork()
    if not child:
        try:
            with counted(number, lambda: os.kill(os.getpid(), signal.SIGKILL), half):
                work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


@pytest.mark.parametrize("half", [False, True], ids=["before a call", "in the middle of a write"])
@pytest.mark.parametrize("first", [True, False], ids=["first save", "later save"])
def test_killed_at_any_call_of_a_save_nothing_acknowledged_is_lost(
    tmp_path: Path, first: bool, half: bool, project: Project
) -> None:
    number = 0
    while True:
        number += 1
        root = tmp_path / f"{number}-{first}-{half}"
        root.mkdir()
        one = type(project)(root)
        kept = [] if first else ["acknowledged"]
        if not first:
            one.save(text="acknowledged")
        if not killed_at(number, half, lambda one=one: one.save(text="unacknowledged")):  # type: ignore[misc]
            break
        assert one.texts() in (kept, [*kept, "unacknowledged"])
        one.save(text="next")
        assert [text for text in one.texts() if text != "unacknowledged"] == [*kept, "next"]
        assert {"HANDOFF.md", "DECISIONS.md"} <= one.names()
        assert not [name for name in one.names() if "edited" in name or name.endswith((".new", ".part"))]
        assert all(is_sealed(name, (one.folder / name).read_bytes()) for name in VIEWS)
    assert number > 20


def test_a_save_that_is_interrupted_while_it_writes_leaves_nothing_of_itself(project: Project) -> None:
    project.save(text="one")
    before = project.journal.read_bytes()
    for half in (False, True):
        interrupted = 0
        for number in range(1, 12):

            def end() -> None:
                raise Ended

            try:
                with counted(number, end, half):
                    project.save(text="two")
            except Ended:
                interrupted += 1
            if project.journal.read_bytes() != before:
                assert (
                    project.texts()[-1] == "two"
                )  # it was durable already, and only the views were not made
                before = project.journal.read_bytes()
        assert interrupted > 5
        assert project.contents().damages == ()


@pytest.mark.parametrize("call", ["write", "fsync"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG])
def test_an_error_of_the_disk_is_a_refusal_and_earlier_entries_are_intact(
    project: Project, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    project.save(text="one")
    before = project.journal.read_bytes()
    real = getattr(os, call)
    turns = 0

    def failing(descriptor: int, *rest: Any) -> Any:
        nonlocal turns
        turns += 1
        if turns > 1:
            return real(descriptor, *rest)
        if call == "write":
            real(descriptor, rest[0][:7])  # a part of it came through
            monkeypatch.setattr(os, "write", failing_rest)
            return 7
        raise OSError(number, os.strerror(number))

    def failing_rest(*_: Any) -> Any:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, call, failing)
    with pytest.raises(
        ContextUnavailable, match=r"cannot be written: .*; nothing was saved, earlier entries"
    ):
        project.save(text="two")
    monkeypatch.undo()
    assert project.journal.read_bytes() == before
    assert project.save(text="three").saved
    assert project.texts() == ["one", "three"]


@pytest.mark.parametrize("turn", [1, 2, 3], ids=["of .context", "of the project", "of the file"])
def test_the_names_are_durable_before_the_first_entry_is(
    project: Project, monkeypatch: pytest.MonkeyPatch, turn: int
) -> None:
    synced: list[int] = []
    real = os.fsync

    def watched(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_ino)
        if len(synced) == turn:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    with pytest.raises(ContextUnavailable, match="nothing was saved"):
        project.save()
    places = (project.folder, project.root, project.journal)
    assert synced[:turn] == [path.stat().st_ino for path in places[:turn]]
    assert project.texts() == []
    monkeypatch.undo()
    assert project.save().saved


def test_what_another_program_wrote_behind_a_failing_write_is_not_cut_off(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.save(text="one")

    def failing(*_: Any) -> Any:
        with project.journal.open("ab") as file:
            file.write(b"of another program\n")
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(ContextUnavailable, match="a torn record may stay"):
        project.save(text="two")
    assert project.journal.read_bytes().endswith(b"of another program\n")


@pytest.mark.parametrize("room", [0, 1, 30, 90])
def test_where_no_file_may_grow_a_save_is_refused_with_the_reason(project: Project, room: int) -> None:
    project.save(text="one")
    before = project.journal.read_bytes()
    (said,) = saver.acknowledged(saver.started(project.root, "p", 1, len(before) + room))
    assert said.startswith("refused ")
    assert "file too large; nothing was saved, earlier entries are intact" in said
    assert project.journal.read_bytes() == before


def test_an_entry_is_saved_where_only_its_views_cannot_be_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.save(text="one")

    def full(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "utime", full)
    saved = project.save(text="two")
    monkeypatch.undo()
    assert (saved.saved, project.texts()) == (True, ["one", "two"])
    assert [note for note in saved.notes if "HANDOFF.md could not be written: no space left" in note]
    assert "two" not in project.view("DECISIONS.md")
    project.save(text="three")
    assert "two" in project.view("DECISIONS.md")
    assert not [name for name in project.names() if name.endswith((".new", ".part"))]
