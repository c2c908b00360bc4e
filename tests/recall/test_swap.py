"""Two programs change a file at the same moment: the later one wins, and nothing of either is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from recall.errors import Overtaken, UsageError
from recall.files import swap
from recall.setup.apply import set_up
from recall.setup.clients import CLIENTS
from support.worlds import NOW

CLAUDE = CLIENTS["claude-code"]
LINE = ["/opt/recall/bin/recall", "serve"]
REAL_EXCHANGE = swap.exchange


@pytest.fixture(params=["in one step", "in several steps"])
def file(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A client's file, on a system that exchanges two files and on one that cannot."""
    if request.param == "in several steps":
        monkeypatch.setattr(swap, "_renamed", lambda *_files, **_flag: False)
    path = tmp_path / ".claude.json"
    path.write_text('{"n": 0}')
    return path


class Client:
    """Another program that replaces its file as a whole, at the moment it is told to."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.written = 0

    def write(self) -> None:
        self.written += 1
        new = self._file.with_name("client.tmp")
        new.write_text(json.dumps({"n": self.written}))
        os.replace(new, self._file)


def before_exchange(
    monkeypatch: pytest.MonkeyPatch, act: Callable[[], None], *numbers: int, after: bool = False
) -> None:
    """Let somebody act right before, or after, the exchanges with these numbers, from 1 on."""
    count = 0

    def exchange(new: Path, path: Path) -> None:
        nonlocal count
        count += 1
        if count in numbers and not after:
            act()
        REAL_EXCHANGE(new, path)
        if count in numbers and after:
            act()

    monkeypatch.setattr(swap, "exchange", exchange)


def contents(folder: Path) -> dict[str, object]:
    return {path.name: json.loads(path.read_bytes()) for path in folder.iterdir()}


def test_two_files_change_places(file: Path) -> None:
    new = file.with_name("new")
    new.write_text("new")
    inodes = file.stat().st_ino, new.stat().st_ino
    swap.exchange(new, file)
    assert (new.stat().st_ino, file.stat().st_ino) == inodes
    assert len(list(file.parent.iterdir())) == 2


def test_a_file_is_placed_only_where_nothing_is(file: Path) -> None:
    new = file.with_name("new")
    new.write_text("new")
    with pytest.raises(FileExistsError):
        swap.place(new, file)
    assert (new.read_text(), file.read_text()) == ("new", '{"n": 0}')
    swap.place(new, file.with_name("other"))
    assert sorted(path.name for path in file.parent.iterdir()) == [".claude.json", "other"]


def test_the_kernel_s_exchange_is_used_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_files: Path) -> None:
        pytest.fail("the file was missing for a moment")

    if swap._system_call() is None:
        pytest.skip("this system has no call that exchanges two files")
    monkeypatch.setattr(swap, "_exchanged_in_steps", fail)
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    swap.exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a").read_text() == "b"


def test_a_change_right_before_the_exchange_is_in_the_result_and_in_the_backup(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(file)
    before_exchange(monkeypatch, client.write, 1)
    done = set_up(CLAUDE, file, LINE, NOW)
    assert done.backup is not None
    found = contents(file.parent)
    assert found.pop(done.backup.name) == {"n": 1}
    assert found == {".claude.json": {"n": 1, "mcpServers": {"recall": CLAUDE.entry(LINE)}}}


def test_a_change_in_place_right_before_the_exchange_is_not_lost(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_exchange(monkeypatch, lambda: _write_in_place(file, '{"n": 7}'), 1)
    set_up(CLAUDE, file, LINE, NOW)
    assert json.loads(file.read_text())["n"] == 7


def _write_in_place(file: Path, text: str) -> None:
    """As many bytes, and the time of the change set back: only the content tells."""
    before = file.stat()
    file.write_text(text)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_client_that_always_is_quicker_is_left_alone_with_what_it_wrote(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(file)
    before_exchange(monkeypatch, client.write, *range(1, 1_000, 2))
    with pytest.raises(Overtaken, match="somebody changed it meanwhile; nothing was changed"):
        set_up(CLAUDE, file, LINE, NOW)
    assert contents(file.parent) == {".claude.json": {"n": client.written}}


def test_a_change_while_another_one_is_put_back_stays_and_the_other_is_in_the_backup(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(file)
    before_exchange(monkeypatch, client.write, 1, 2)
    with pytest.raises(UsageError, match=r"what was there is in .*\.claude\.json\.bak-") as caught:
        set_up(CLAUDE, file, LINE, NOW)
    backup = file.with_name(Path(str(caught.value).rpartition(" is in ")[2]).name)
    assert contents(file.parent) == {".claude.json": {"n": 2}, backup.name: {"n": 1}}


def test_a_client_that_still_writes_into_the_file_that_was_there_writes_into_the_backup(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with file.open("r+") as open_before:
        done = set_up(CLAUDE, file, LINE, NOW)
        open_before.write('{"n": 5}')
    assert done.backup is not None
    assert json.loads(done.backup.read_text()) == {"n": 5}


def test_a_file_that_vanishes_right_before_the_exchange_is_made_anew(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before_exchange(monkeypatch, file.unlink, 1)
    assert set_up(CLAUDE, file, LINE, NOW).backup is None
    assert contents(file.parent) == {".claude.json": {"mcpServers": {"recall": CLAUDE.entry(LINE)}}}


def test_a_file_that_appears_while_one_is_made_is_kept_and_changed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(file)
    file.unlink()
    place = swap.place

    def placed(new: Path, path: Path) -> None:
        if not client.written:
            client.write()
        place(new, path)

    monkeypatch.setattr(swap, "place", placed)
    done = set_up(CLAUDE, file, LINE, NOW)
    assert json.loads(file.read_text())["n"] == 1
    assert done.backup is not None
    assert json.loads(done.backup.read_text()) == {"n": 1}


def test_a_file_that_appears_between_the_steps_stays_and_the_old_one_is_in_the_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / ".claude.json"
    file.write_text('{"n": 0}')
    client = Client(file)
    rename = os.rename

    def renamed(old: Path, new: Path) -> None:
        rename(old, new)
        if not client.written:
            client.write()

    monkeypatch.setattr(swap, "_renamed", lambda *_files, **_flag: False)
    monkeypatch.setattr("recall.files.swap.os.rename", renamed)
    with pytest.raises(UsageError, match=r"what was there is in .*\.bak-"):
        set_up(CLAUDE, file, LINE, NOW)
    found = contents(tmp_path)
    assert found.pop(".claude.json") == {"n": 1}
    assert list(found.values()) == [{"n": 0}]


def test_a_user_s_interruption_right_after_the_exchange_leaves_the_backup(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    before_exchange(monkeypatch, interrupt, 1, after=True)
    with pytest.raises(KeyboardInterrupt):
        set_up(CLAUDE, file, LINE, NOW)
    found = contents(file.parent)
    assert "mcpServers" in str(found.pop(".claude.json"))
    assert list(found.values()) == [{"n": 0}]
