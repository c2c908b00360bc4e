"""A repair: nothing but the records is left, the damaged journal is kept aside to the last byte."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import checkpoints
from recall.checkpoints import Wrong
from recall.context.repair import _mended, repair
from recall.errors import ContextUnavailable, NotFound
from support.worlds import snapshot

if TYPE_CHECKING:
    from conftest import Project


def damaged(project: Project) -> bytes:
    """Three entries with damage of every kind between them."""
    for text in ("one", "two", "three"):
        project.save(text=text)
    one, two, three = project.journal.read_bytes().splitlines(keepends=True)
    glued = one.rstrip(b"\n") + two + b"\0" * 30 + b"\n" + two[:40] + b"\n<<<<<<< ours\n" + one + three
    project.journal.write_bytes(glued)
    return glued


def test_a_damaged_journal_is_kept_aside_and_a_whole_one_takes_its_place(project: Project) -> None:
    before = damaged(project)
    done = repair(project.root)
    assert done.before.damage_words() == "1 torn record, 1 foreign line, 1 NUL block, 1 repeated record"
    assert done.kept_aside == ("CONVERSATION.damaged-1.jsonl",)
    assert (project.folder / "CONVERSATION.damaged-1.jsonl").read_bytes() == before
    assert project.texts() == ["one", "two", "three"]
    assert (project.contents(), project.contents().damages) == (done.after, ())
    assert stat.S_IMODE(project.journal.stat().st_mode) == 0o600
    saved = project.save(text="four", base=done.after.revision)
    assert (saved.saved, project.texts()[-1]) == (True, "four")


def test_a_second_repair_keeps_the_first_ones_journal_too(project: Project) -> None:
    damaged(project)
    repair(project.root)
    project.journal.write_bytes(project.journal.read_bytes() + b"foreign\n")
    assert repair(project.root).kept_aside == ("CONVERSATION.damaged-2.jsonl",)
    assert {"CONVERSATION.damaged-1.jsonl", "CONVERSATION.damaged-2.jsonl"} < project.names()


def test_a_whole_journal_is_left_as_it_is(project: Project) -> None:
    project.save()
    before = project.journal.stat()
    assert repair(project.root).kept_aside == ()
    assert (project.journal.stat().st_ino, project.journal.stat().st_mtime_ns) == (
        before.st_ino,
        before.st_mtime_ns,
    )


def test_another_programs_journal_is_moved_aside_when_a_repair_is_asked_for(project: Project) -> None:
    project.folder.mkdir()
    project.journal.write_text("of another program\n")
    assert repair(project.root).kept_aside == ("CONVERSATION.damaged-1.jsonl",)
    assert project.view("CONVERSATION.damaged-1.jsonl") == "of another program\n"
    assert project.save().saved


def test_without_a_journal_there_is_nothing_to_repair_and_nothing_is_made(project: Project) -> None:
    with pytest.raises(NotFound):
        repair(project.root)
    assert not project.folder.exists()


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_repair_that_fails_leaves_the_journal_as_it_was(
    project: Project, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    before = damaged(project)

    def full(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if call == "write":
        monkeypatch.setattr(os, "fdopen", full)
    else:
        monkeypatch.setattr(os, call, full)
    with pytest.raises(
        ContextUnavailable, match="cannot be repaired: no space left on device; it is as it was"
    ):
        repair(project.root)
    monkeypatch.undo()
    assert project.journal.read_bytes() == before
    views = snapshot(project.folder)
    assert not [name for name in views if name.endswith(".part")] or call == "replace"
    assert project.texts() == ["one", "two", "three"]


def test_records_of_a_newer_version_are_kept_in_the_journal(project: Project) -> None:
    import zlib

    project.save(text="one")
    body = b'{"checkpoint":2,"new":"field"'
    newer = body + b',"sum":"%08x"}\n' % zlib.crc32(body)
    project.journal.write_bytes(b"foreign\n" + project.journal.read_bytes() + newer)
    repair(project.root)
    assert project.journal.read_bytes().endswith(newer)
    assert [damage.what for damage in project.contents().damages] == [Wrong.NEWER]


@given(st.lists(st.one_of(st.binary(max_size=30), st.integers(1, 5)), max_size=8))
def test_whatever_is_between_records_a_repair_leaves_the_same_records_and_nothing_else(
    parts: list[bytes | int],
) -> None:
    at = "2026-05-28T20:26:40Z"
    data = b"".join(
        part
        if isinstance(part, bytes)
        else checkpoints.encode(checkpoints.Record(part, f"{part}-0000", at, "decision", "x"))
        for part in parts
    )
    before = checkpoints.parse(data)
    after = checkpoints.parse(_mended(data, before))
    assert [one._replace(line=0) for one in after.records] == [one._replace(line=0) for one in before.records]
    assert (after.damages, after.lines) == ((), len(after.records))
