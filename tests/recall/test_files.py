"""Reading files that are not ours: whatever lies in a folder, the rest of it is still read."""

from __future__ import annotations

import errno
import os
import socket
import threading
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import files
from recall.api import Deadline, Problem
from recall.errors import DeadlineExceeded, StoreBroken
from recall.files import Found, Text
from support.worlds import snapshot


def soon() -> Deadline:
    return Deadline.after(30)


def listed(root: Path, **how: Any) -> list[str]:
    """What a walk finds, by relative name; problems as "name: reason"."""
    return [
        found.relative if isinstance(found, Found) else f"{found.where}: {found.reason}"
        for found in files.walk(root, soon(), **how)
    ]


def problems(root: Path, **how: Any) -> list[Problem]:
    return [found for found in files.walk(root, soon(), **how) if isinstance(found, Problem)]


def note(path: Path, text: str = "결제는 세 번까지 다시 시도한다.\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# --- what is opened ---


@pytest.fixture(params=["pipe", "socket", "device", "folder", "dangling link", "loop", "missing", "nul"])
def unreadable(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A path that is no readable file, and a word of the reason."""
    path = tmp_path / "note.md"
    kind = request.param
    server = None
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        server = socket.socket(socket.AF_UNIX)
        here = os.getcwd()
        os.chdir(tmp_path)  # a socket's address is at most a hundred bytes long
        server.bind("note.md")
        os.chdir(here)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "dangling link":
        path.symlink_to("gone.md")
    elif kind == "loop":
        path.symlink_to("note.md")
    reasons = {
        "pipe": "named pipe",
        "dangling link": "no such file",
        "loop": "symbolic links",
        "missing": "no such",
    }
    yield str(path) + ("\0" if kind == "nul" else ""), reasons.get(kind, "null" if kind == "nul" else kind)
    if server is not None:
        server.close()


def test_what_is_no_regular_file_is_refused_at_once_with_its_kind(unreadable: tuple[str, str]) -> None:
    path, reason = unreadable
    with pytest.raises(StoreBroken, match=reason):
        files.read_text(path)


def test_looking_at_a_pipe_does_not_wake_its_writer(tmp_path: Path) -> None:
    pipe = tmp_path / "notes.md"
    os.mkfifo(pipe)
    opened = threading.Event()

    def write() -> None:
        descriptor = os.open(pipe, os.O_WRONLY)  # waits for a reader
        opened.set()
        os.close(descriptor)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    with pytest.raises(StoreBroken):
        files.read_text(pipe)
    assert listed(tmp_path) == ["notes.md: not a regular file but a named pipe; skipped"]
    assert not opened.is_set()
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # lets the writer go
    writer.join(10)
    os.close(reader)
    assert opened.is_set()


def test_a_pipe_is_refused_before_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "notes.md")
    monkeypatch.setattr("os.open", lambda *_arguments: pytest.fail("it was opened"))
    with pytest.raises(StoreBroken, match="named pipe"):
        files.read_text(tmp_path / "notes.md")


def test_a_file_that_becomes_a_pipe_before_it_is_opened_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = note(tmp_path / "note.md")
    regular = os.stat(path)
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr("os.stat", lambda _path: regular)
    with pytest.raises(StoreBroken, match="named pipe"):
        files.read_bytes(path)


def test_an_error_of_the_disk_while_reading_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = note(tmp_path / "note.md")

    def fail(_descriptor: int, _size: int) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("os.read", fail)
    with pytest.raises(StoreBroken, match=r"^input/output error$"):
        files.read_bytes(path)


def test_only_the_limit_is_read_of_a_huge_file(tmp_path: Path) -> None:
    path = tmp_path / "huge.md"
    path.write_bytes("첫 줄\n".encode())
    os.truncate(path, 8 << 30)  # sparse
    assert len(files.read_bytes(path, 1000)) == 1000


def test_the_end_of_a_file_can_be_read_instead(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"first\nlast")
    assert files.read_bytes(path, 4, tail=True) == b"last"
    assert files.read_bytes(path, 100, tail=True) == b"first\nlast"


# --- how it is decoded ---


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("환불 규칙".encode(), Text("환불 규칙", "utf-8")),
        ("환불 규칙".encode("utf-8-sig"), Text("환불 규칙", "utf-8")),
        (b"a\r\nb\rc\n", Text("a\nb\nc\n", "utf-8")),
        ("환불\r\n규칙".encode("utf-16"), Text("환불\n규칙", "utf-16")),
        ("환불".encode("utf-16-be").join([b"\xfe\xff", b""]), Text("환불", "utf-16")),
        (
            "정산 담당은 매달 바뀐다 — ★".encode("cp949", "ignore"),
            Text("정산 담당은 매달 바뀐다  ★", "cp949"),
        ),
        (b"", Text("", "utf-8")),
    ],
)
def test_each_encoding_in_use_is_read(data: bytes, expected: Text) -> None:
    assert files.decode(data) == expected


@pytest.mark.parametrize("data", [b"a\0b", b"\x89PNG\r\n\x1a\n\0\0", "표".encode("utf-32")])
def test_binary_content_is_refused(data: bytes) -> None:
    with pytest.raises(StoreBroken, match="binary"):
        files.decode(data)


def test_korean_text_with_a_tail_in_another_code_page_keeps_its_korean(tmp_path: Path) -> None:
    path = tmp_path / "mixed.md"
    path.write_bytes("환불은 승인 뒤에만 한다. ".encode() + "конец".encode("cp1251"))
    found = files.read_text(path)
    assert found.text.startswith("환불은 승인 뒤에만 한다. ")
    assert (found.encoding, found.problem) == ("utf-8", "not valid UTF-8 at byte 35")


@pytest.mark.parametrize("text", ["25°C", "25°C, naïve café", "é"])
def test_a_western_character_is_not_taken_for_korean(text: str) -> None:
    found = files.decode(text.encode("cp1252"))
    assert found.encoding == "utf-8"
    assert found.problem
    assert not any("가" <= character <= "힣" for character in found.text)


def test_russian_is_not_taken_for_korean() -> None:
    assert files.decode("Это старая заметка о возвратах".encode("cp1251")).encoding == "utf-8"


@pytest.mark.parametrize("encoding", ["utf-8", "cp949", "utf-16-le"])
def test_a_limit_inside_a_character_costs_that_character_only(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "long.md"
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    path.write_bytes(mark + ("a" + "정산" * 100).encode(encoding))
    for limit in range(50, 60):
        found = files.read_text(path, limit)
        assert found.text == ("a" + "정산" * 100)[: len(found.text)]
        assert len(found.text) >= 15
        assert found.problem == f"cut after {limit} bytes"


def test_an_emoji_cut_in_utf_16_leaves_no_half(tmp_path: Path) -> None:
    path = tmp_path / "emoji.md"
    path.write_bytes(b"\xff\xfe" + "🟦🟦🟦".encode("utf-16-le"))
    assert files.read_text(path, 8).text == "🟦"


def test_damage_inside_utf_16_is_told() -> None:
    assert files.decode(b"\xff\xfe" + b"\x00\xd8" + "환불".encode("utf-16-le")).problem == "not valid UTF-16"


@given(st.binary(max_size=200), st.booleans())
def test_decoding_gives_text_or_says_that_it_is_none(data: bytes, cut: bool) -> None:
    try:
        found = files.decode(data, cut=cut)
    except StoreBroken:
        return
    assert "\0" not in found.text
    assert "\r" not in found.text
    found.text.encode("utf-8")


@given(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0\r\ufeff"), max_size=80))
def test_what_was_written_as_utf_8_is_read_as_it_was(text: str) -> None:
    assert files.decode(text.encode("utf-8")) == Text(text, "utf-8")


# --- what a walk finds ---


def test_a_walk_is_sorted_and_takes_the_wanted_suffix_only(tmp_path: Path) -> None:
    for name in ("b.md", "a.md", "z.txt", "sub/c.md", "sub/deep/d.md", "other/e.md"):
        note(tmp_path / name)
    assert listed(tmp_path) == ["a.md", "b.md", "other/e.md", "sub/c.md", "sub/deep/d.md"]
    assert listed(tmp_path, suffixes=(".txt",)) == ["z.txt"]


def test_a_stamp_changes_with_the_content(tmp_path: Path) -> None:
    path = note(tmp_path / "a.md")
    (before,) = files.walk(tmp_path, soon())
    path.write_text("바뀐 글", encoding="utf-8")
    (after,) = files.walk(tmp_path, soon())
    assert isinstance(before, Found)
    assert isinstance(after, Found)
    assert before.stamp != after.stamp
    assert before.identity == after.identity


def test_a_walk_leaves_no_trace(tmp_path: Path) -> None:
    note(tmp_path / "sub" / "a.md")
    os.mkfifo(tmp_path / "pipe.md")
    before = snapshot(tmp_path)
    for found in files.walk(tmp_path, soon()):
        if isinstance(found, Found):
            files.read_text(found.path)
    assert snapshot(tmp_path) == before


def test_odd_entries_are_named_and_hide_nobody(tmp_path: Path) -> None:
    note(tmp_path / "good.md")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "zero.md").symlink_to("/dev/zero")
    (tmp_path / "gone.md").symlink_to("nowhere.md")
    (tmp_path / "self.md").symlink_to("self.md")
    note(tmp_path / "folder.md" / "inside.md")
    assert listed(tmp_path) == [
        "gone.md: broken link or no such file or directory",
        "good.md",
        "pipe.md: not a regular file but a named pipe; skipped",
        "self.md: broken link or too many levels of symbolic links",
        "zero.md: not a regular file but a device; skipped",
        "folder.md/inside.md",
    ]


def test_link_loops_end_and_each_folder_comes_once(tmp_path: Path) -> None:
    root = tmp_path / "memories"
    note(root / "core.md")
    note(root / "sub" / "x.md")
    (root / "self").symlink_to("self")
    (root / "up").symlink_to("..")
    (root / "here").symlink_to(".")
    (root / "sub" / "back").symlink_to("..")
    (root / "again").symlink_to("sub")
    assert listed(root) == [
        "core.md",
        "up: link to a folder around the store; not followed",
        "sub/x.md",
    ]


def test_a_file_reached_twice_keeps_its_own_name(tmp_path: Path) -> None:
    note(tmp_path / "z" / "real.md")
    (tmp_path / "a-link.md").symlink_to("z/real.md")
    (tmp_path / "a-folder").symlink_to("z")
    os.link(tmp_path / "z" / "real.md", tmp_path / "z" / "twin.md")
    assert listed(tmp_path) == ["z/real.md"]


def test_a_shared_folder_outside_is_followed_once(tmp_path: Path) -> None:
    note(tmp_path / "team" / "billing.md")
    root = tmp_path / "memories"
    note(root / "core.md")
    (root / "shared").symlink_to(tmp_path / "team")
    (root / "shared-too").symlink_to(tmp_path / "team")
    told = f"link out of the store, to {tmp_path / 'team'}"
    assert listed(root) == ["core.md", f"shared: {told}", f"shared-too: {told}", "shared/billing.md"]


def test_a_link_to_the_whole_disk_is_never_followed(tmp_path: Path) -> None:
    root = tmp_path / "memories"
    note(root / "core.md")
    (root / "aaa").symlink_to("/")
    (root / "home").symlink_to(tmp_path)
    told = "link to a folder around the store; not followed"
    assert listed(root) == [f"aaa: {told}", "core.md", f"home: {told}"]


def test_links_that_leave_the_store_are_refused_where_that_is_asked(tmp_path: Path) -> None:
    note(tmp_path / "team" / "billing.md")
    note(tmp_path / "memories-old" / "old.md")
    root = tmp_path / "memories"
    note(root / "sub" / "core.md")
    (root / "inside").symlink_to("sub")
    (root / "out").symlink_to(tmp_path / "team")
    (root / "out.md").symlink_to(tmp_path / "team" / "billing.md")
    (root / "sibling").symlink_to(tmp_path / "memories-old")  # begins with the store's own name
    refused = [f"{name}: link that leaves the store" for name in ("out", "out.md", "sibling")]
    assert listed(root, leave_root=False) == [*refused, "sub/core.md"]
    allowed = listed(root, leave_root=False, allowed=(os.path.realpath(tmp_path / "team"),))
    assert allowed == [refused[2], "sub/core.md", "out/billing.md"]


def test_a_store_that_is_itself_a_link_is_walked(tmp_path: Path) -> None:
    note(tmp_path / "real" / "a.md")
    (tmp_path / "memories").symlink_to("real")
    assert listed(tmp_path / "memories", leave_root=False) == ["a.md"]


def test_folders_are_entered_as_the_caller_decides(tmp_path: Path) -> None:
    for name in ("keep/a.md", "skip/b.md", "keep/skip/c.md"):
        note(tmp_path / name)
    assert listed(tmp_path, enter=lambda name: name != "skip") == ["keep/a.md", "keep/skip/c.md"]


def test_names_are_shown_composed_and_opened_as_they_are(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "환불정책")
    note(tmp_path / decomposed / f"{decomposed}.md")
    (found,) = files.walk(tmp_path, soon())
    assert isinstance(found, Found)
    assert found.relative == "환불정책/환불정책.md"
    assert files.read_text(found.path).text


def test_a_name_of_raw_bytes_can_be_shown_and_opened(tmp_path: Path) -> None:
    raw = os.path.join(os.fsencode(tmp_path), "정산".encode("cp949") + b".md")
    with open(raw, "wb") as file:
        file.write("본문\n".encode())
    (found,) = files.walk(tmp_path, soon())
    assert isinstance(found, Found)
    assert found.relative == "%C1%A4%BB%EA.md"
    assert files.read_text(found.path).text == "본문\n"


@pytest.mark.parametrize("name", ["missing", "missing/below", "file.md/below"])
def test_a_missing_folder_holds_nothing(tmp_path: Path, name: str) -> None:
    note(tmp_path / "file.md")
    assert [found.reason for found in problems(tmp_path / name)] in ([], ["not a directory"])


def test_a_store_behind_a_broken_link_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "memories").symlink_to(tmp_path / "unmounted")
    (problem,) = problems(tmp_path / "memories")
    assert (problem.reason, problem.hides_entries) == ("broken link", True)


def test_a_linked_folder_that_is_away_may_hide_entries(tmp_path: Path) -> None:
    (tmp_path / "shared").symlink_to(tmp_path / "unmounted")
    (tmp_path / "editor.lock").symlink_to("somebody@host")
    (problem,) = problems(tmp_path)
    assert (problem.where, problem.hides_entries, problem.harmless) == ("shared", True, True)


def test_a_folder_that_cannot_be_listed_may_hide_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(tmp_path / "a.md")
    note(tmp_path / "closed" / "b.md")
    really = os.scandir

    def scandir(folder: str) -> Any:
        if folder.endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return really(folder)

    monkeypatch.setattr("os.scandir", scandir)
    assert listed(tmp_path)[0] == "a.md"
    (problem,) = problems(tmp_path)
    assert problem.where.endswith("/closed")
    assert (problem.reason, problem.hides_entries) == ("permission denied", True)


def test_a_path_with_a_nul_is_a_problem_not_an_error() -> None:
    (problem,) = files.walk("/nowhere\0", soon())
    assert isinstance(problem, Problem)
    assert problem.hides_entries
    assert not files.is_file("/nowhere\0")
    assert not files.is_folder("/nowhere\0")
    assert files.look("/nowhere\0")


def test_looking_tells_nothing_there_from_cannot_look(tmp_path: Path) -> None:
    note(tmp_path / "file.md")
    (tmp_path / "away").symlink_to("gone")
    assert files.look(tmp_path) == ""
    assert files.look(tmp_path / "missing") is None
    assert files.look(tmp_path / "file.md") == "not a folder"
    assert files.look(tmp_path / "away") == "broken link"


def test_a_walk_stops_at_its_limit_and_says_so(tmp_path: Path) -> None:
    for number in range(5):
        note(tmp_path / f"{number}.md")
    *found, problem = files.walk(tmp_path, soon(), limit=3)
    assert len(found) == 3
    assert isinstance(problem, Problem)
    assert problem.hides_entries
    assert "more than 3 entries" in problem.reason


def test_a_walk_ends_at_its_deadline(tmp_path: Path) -> None:
    note(tmp_path / "a.md")
    with pytest.raises(DeadlineExceeded):
        list(files.walk(tmp_path, Deadline.after(-1)))


def test_a_path_lies_in_a_folder_whatever_its_spelling() -> None:
    assert files.lies_in(unicodedata.normalize("NFD", "/home/나/저장소/src"), ["/home/나/저장소"])
    assert not files.lies_in("/home/나/저장소-2", ["/home/나/저장소"])


def test_a_taken_key_gets_a_number() -> None:
    taken: set[str] = set()
    assert [files.unique("배포", taken) for _ in range(3)] == ["배포", "배포~2", "배포~3"]


NAMES = st.binary(min_size=1, max_size=30).filter(lambda name: not {0, 47} & set(name)).map(os.fsdecode)


@given(NAMES)
def test_a_name_of_any_bytes_is_shown_visible_composed_and_always_the_same(name: str) -> None:
    shown = files.display_path(name)
    assert shown.isprintable()
    assert shown.encode("utf-8")
    assert unicodedata.is_normalized("NFC", shown)
    assert files.display_path(shown) == shown


@given(st.lists(NAMES, min_size=1, max_size=4), st.lists(NAMES, max_size=3), NAMES)
def test_a_path_lies_below_its_own_parents_and_below_no_longer_name(
    above: list[str], below: list[str], more: str
) -> None:
    folder = "/" + "/".join(above)
    assert files.lies_in("/".join((folder, *below)), [folder])
    longer = unicodedata.normalize("NFC", folder + more) != unicodedata.normalize("NFC", folder)
    beside = f"{folder}{more}"
    assert not (longer and "\\" not in beside and files.lies_in(folder, [beside]))


@given(st.lists(st.sampled_from(["a", "b", "a~2", "가"]) | NAMES, max_size=12))
def test_every_key_is_taken_once(keys: list[str]) -> None:
    taken: set[str] = set()
    given_out = [files.unique(key, taken) for key in keys]
    assert len(set(given_out)) == len(keys)
    assert all(new == key or new.startswith(f"{key}~") for key, new in zip(keys, given_out, strict=True))


def test_one_key_asked_for_very_often_gets_rising_numbers_in_few_looks() -> None:
    looks = 0

    class Counting(set[str]):
        def __contains__(self, key: object) -> bool:
            nonlocal looks
            looks += 1
            return super().__contains__(key)

    taken = Counting()
    assert [files.unique("a", taken) for _ in range(2_000)] == [
        "a",
        *(f"a~{number}" for number in range(2, 2_001)),
    ]
    assert looks < 2_000 * 25
