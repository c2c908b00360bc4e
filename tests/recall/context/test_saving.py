"""A save: durable, in order, only by who knows the present state, and never into what is somebody else's."""

from __future__ import annotations

import fcntl
import os
import stat
from typing import TYPE_CHECKING

import pytest

from recall import checkpoints
from recall.checkpoints import Wrong
from recall.context import journal
from recall.context.journal import Memo
from recall.context.saving import Where
from recall.errors import ContextBusy, ContextUnavailable, UsageError
from support import saver
from support.worlds import snapshot

if TYPE_CHECKING:
    from conftest import Project

OWN = {".lock", checkpoints.JOURNAL, *checkpoints.VIEWS}


def test_an_entry_is_read_back_as_it_was_saved(project: Project) -> None:
    where = Where("main", "ab" * 20, "f1", "tree")
    first = project.save("constraint", "EU only")
    saved = project.save(
        "decision", "재시도는 네 번\n간격은 늘린다", why="the bank", paths=("a.py",), evidence=("pytest -k retry",),
        next=("deploy",), closes=("1",), where=where,
    )  # fmt: skip
    record = saved.record
    assert record is not None
    assert (record.seq, record.at, record.closes) == (2, "2026-05-28T20:27:40Z", (first.revision,))
    assert (record.text, record.why, record.paths) == ("재시도는 네 번\n간격은 늘린다", "the bank", ("a.py",))
    assert (record.branch, record.head, record.fingerprint, record.worktree) == where
    contents = project.contents()
    assert contents.records[-1] == record._replace(line=2)
    assert (contents.revision, contents.damages, saved.notes) == (saved.revision, (), ())


def test_everything_is_for_this_user_only(project: Project) -> None:
    before = os.umask(0)
    try:
        project.save()
    finally:
        os.umask(before)
    assert project.names() == OWN
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in project.folder.iterdir()}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(project.folder.stat().st_mode) == 0o700


def test_reading_makes_and_changes_nothing(project: Project) -> None:
    assert journal.read(project.root).is_there is False
    assert not project.folder.exists()
    project.save()
    before = snapshot(project.root)
    assert journal.read(project.root).is_there
    assert snapshot(project.root) == before


def test_a_save_based_on_an_older_revision_is_refused_and_gets_the_newer_entries(project: Project) -> None:
    first = project.save(text="one", base=checkpoints.EMPTY)
    assert first.saved
    project.save(text="two", base=first.revision)
    third = project.save(text="three")
    before = snapshot(project.root)
    late = project.save(text="four", base=first.revision)
    assert (late.saved, late.record, late.revision) == (False, None, third.revision)
    assert [record.text for record in late.newer] == ["two", "three"]
    assert late.reason == f"the journal has moved on from {first.revision} to {third.revision}"
    assert snapshot(project.root) == before
    assert [record.text for record in project.save(base=checkpoints.EMPTY).newer] == ["one", "two", "three"]


def test_a_base_that_the_journal_does_not_hold_is_refused(project: Project) -> None:
    project.save(text="one")
    late = project.save(text="two", base="7-abcd")
    assert (late.saved, late.reason) == (False, "revision 7-abcd is not in the journal")
    assert [record.text for record in late.newer] == ["one"]


@pytest.mark.parametrize("tail", [b'{"checkpoint":1,"seq":9,"te', b"\0" * 4096, b"a foreign line", b"{"])
def test_a_damaged_tail_is_kept_counted_and_never_glued_to_the_next_entry(
    project: Project, tail: bytes
) -> None:
    project.save(text="one")
    with project.journal.open("ab") as file:
        file.write(tail)
    saved = project.save(text="two")
    assert project.texts() == ["one", "two"]
    assert tail in project.journal.read_bytes()
    assert any("damaged in the journal, and left where it is: 1 " in note for note in saved.notes)
    assert "Damage in the journal: 1 " in project.view("HANDOFF.md")


def test_a_reference_to_what_is_not_there_or_is_several_saves_nothing(project: Project) -> None:
    project.save(text="one", next=("a",))
    for closes, said in (
        ("2", "closes 2: there is no entry 2"),
        ("1.2", "closes 1.2: there is no next step 1.2"),
        ("first", "'first' names no entry"),
    ):
        with pytest.raises(UsageError, match=said):
            project.save(text="two", closes=(closes,))
    merged = checkpoints.encode(checkpoints.Record(1, "1-ffff", "2026-05-28T20:26:40Z", "decision", "other"))
    with project.journal.open("ab") as file:
        file.write(merged)
    with pytest.raises(UsageError, match=r"1 is the number of several: 1-.{4}, 1-ffff"):
        project.save(text="two", closes=("1",))
    assert project.texts() == ["one", "other"]
    assert project.save(text="two", closes=("1-ffff",)).now.closed[0].record.text == "other"


def test_what_was_closed_already_is_said_and_saved_all_the_same(project: Project) -> None:
    first = project.save(text="one").revision
    second = project.save(text="two", closes=("1",)).revision
    saved = project.save(text="three", closes=("1",))
    assert saved.notes == (f"{first} was closed already, by {second}",)


def test_a_server_that_keeps_what_it_read_sees_what_others_do(project: Project) -> None:
    memo = Memo()
    project.save(text="one", memo=memo)
    project.save(text="two")
    assert [record.text for record in project.save(text="three", memo=memo).contents.records] == [
        "one", "two", "three",
    ]  # fmt: skip
    project.journal.write_bytes(project.journal.read_bytes()[5:])
    assert [one.text for one in journal.read(project.root, memo).contents.records] == ["two", "three"]


# --- others who save ---------------------------------------------------------------------------------------


def test_whoever_holds_the_lock_is_waited_for_until_patience_ends(project: Project) -> None:
    project.save(text="one")
    with (project.folder / ".lock").open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ContextBusy, match=r"others are saving, and did not end in 0 s"):
            project.save(text="two", patience=0)
    assert project.save(text="three").saved  # no lock outlives its holder
    assert project.texts() == ["one", "three"]


def test_of_several_processes_every_entry_is_there_whole_and_in_order(project: Project) -> None:
    savers = [saver.started(project.root, f"p{number}", 6) for number in range(8)]
    told = {name: saver.acknowledged(one) for name, one in zip("01234567", savers, strict=True)}
    contents = project.contents()
    assert contents.damages == ()
    assert [record.seq for record in contents.records] == list(range(1, 49))
    for name, ids in told.items():
        assert ids == [record.id for record in contents.records if record.text.startswith(f"p{name} ")]
        assert len(ids) == 6


# --- what is somebody else's -------------------------------------------------------------------------------


def test_a_linked_context_folder_is_refused(project: Project) -> None:
    elsewhere = project.root.parent / "elsewhere"
    elsewhere.mkdir()
    project.folder.symlink_to(elsewhere)
    with pytest.raises(ContextUnavailable, match=r"\.context: a link, which is not followed"):
        project.save()
    with pytest.raises(ContextUnavailable, match="a link"):
        journal.read(project.root)
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("name", [checkpoints.JOURNAL, ".lock"])
def test_a_linked_file_in_it_is_refused(project: Project, name: str) -> None:
    victim = project.root / "victim.txt"
    victim.write_text("mine")
    project.folder.mkdir()
    (project.folder / name).symlink_to(victim)
    with pytest.raises(ContextUnavailable, match=f"{name}: a link, which is not followed"):
        project.save()
    assert victim.read_text() == "mine"


def test_a_pipe_or_a_file_in_its_place_is_refused_without_waiting(project: Project) -> None:
    project.folder.mkdir()
    os.mkfifo(project.journal)
    with pytest.raises(ContextUnavailable, match=r"not a regular file but a named pipe"):
        project.save()
    with pytest.raises(ContextUnavailable, match=r"not a regular file but a named pipe"):
        journal.read(project.root)
    other = type(project)(project.root / "sub")
    other.root.mkdir()
    other.folder.write_text("")
    with pytest.raises(ContextUnavailable, match=r"\.context: not a folder"):
        other.save()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody")
def test_another_users_folder_is_refused_and_the_project_owners_is_not(project: Project) -> None:
    project.save(text="one")
    os.chown(project.folder, 12345, 12345)
    with pytest.raises(ContextUnavailable, match=r"belongs to another user \(12345\)"):
        project.save()
    os.chown(project.root, 12345, 12345)
    assert project.save(text="two").saved


def test_another_programs_journal_is_neither_read_nor_written(project: Project) -> None:
    project.folder.mkdir()
    project.journal.write_text('{"kind":"decision","text":"of another program"}\n')
    before = snapshot(project.folder)
    for action in (project.save, project.contents):
        with pytest.raises(ContextUnavailable, match="not a journal of recall's, but of another program"):
            action()
    assert snapshot(project.folder) == before


def test_another_programs_page_in_a_views_place_is_left_alone_before_the_first_entry(
    project: Project,
) -> None:
    project.folder.mkdir()
    (project.folder / "DECISIONS.md").write_text("# Of another program\n")
    with pytest.raises(ContextUnavailable, match=r"DECISIONS\.md: not written by recall"):
        project.save()
    assert project.names() == {"DECISIONS.md"}
    assert project.view("DECISIONS.md") == "# Of another program\n"


def test_a_journal_that_is_too_large_is_refused_and_not_cut(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.save(text="one")
    monkeypatch.setattr(journal, "MOST_BYTES", 10)
    with pytest.raises(ContextUnavailable, match="larger than 10 bytes"):
        project.save(text="two")


def test_a_journal_of_nul_bytes_alone_is_one_that_a_crash_left(project: Project) -> None:
    project.folder.mkdir()
    project.journal.write_bytes(b"\0" * 512)
    assert project.save(text="one").saved
    assert project.contents().count(Wrong.NUL) == 1


def test_behind_the_highest_number_entries_are_saved_and_read_all_the_same(project: Project) -> None:
    project.save(text="first")
    last = project.contents().records[0]._replace(seq=checkpoints.LAST, id=f"{checkpoints.LAST}-0000")
    project.journal.write_bytes(checkpoints.encode(last._replace(text="planted")))
    made = project.save(text="second")
    assert project.texts() == ["planted", "second"]
    assert made.revision == project.contents().revision


def test_a_view_too_large_to_be_told_as_recalls_own_is_said_and_not_written(project: Project) -> None:
    project.save(text="first")
    record = project.contents().records[0]
    large = [record._replace(seq=number, id=f"{number}-0000", text="x" * 900_000) for number in range(2, 14)]
    with project.journal.open("ab") as journal:
        journal.writelines(map(checkpoints.encode, large))
    for _ in range(2):
        made = project.save(text="another")
        assert made.saved
        assert not made.kept_aside
        assert any("DECISIONS.md could not be written: file too large" in note for note in made.notes)
    assert "first" in project.view("DECISIONS.md")


def test_a_folder_in_the_place_of_the_lock_is_named_with_what_to_do(project: Project) -> None:
    (project.folder / ".lock").mkdir(parents=True)
    with pytest.raises(ContextUnavailable) as refused:
        project.save()
    assert ".lock" in str(refused.value)
    assert "move it away" in refused.value.next_step
