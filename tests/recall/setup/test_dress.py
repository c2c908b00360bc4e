"""What a settings file has besides its content: kept, or the file is left alone with a word."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from recall.errors import UsageError
from recall.setup.apply import set_up, take_out
from recall.setup.clients import CLIENTS
from support.worlds import NOW, snapshot

CLAUDE = CLIENTS["claude-code"]
LINE = ["/opt/recall/bin/recall", "serve"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / ".claude.json"
    path.write_text("{}")
    return path


def test_a_file_with_a_second_name_is_refused_in_one_line(file: Path) -> None:
    os.link(file, file.with_name("dotfile.json"))
    before = snapshot(file.parent)
    with pytest.raises(UsageError, match=r"it has 2 names \(hard links\).*; nothing was changed") as caught:
        set_up(CLAUDE, file, LINE, NOW)
    assert caught.value.next_step == "recall setup claude-code prints what to add by hand"
    assert snapshot(file.parent) == before


def test_a_read_only_file_is_refused_in_one_line(file: Path) -> None:
    set_up(CLAUDE, file, LINE, NOW)
    file.chmod(0o444)
    before = snapshot(file.parent)
    with pytest.raises(UsageError, match="it is read-only; nothing was changed"):
        take_out(CLAUDE, file, NOW)
    assert snapshot(file.parent) == before
    assert set_up(CLAUDE, file, LINE, NOW).changed is False, "nothing to change is nothing to refuse"


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="Python knows extended attributes on Linux alone")
def test_extended_attributes_are_kept_by_the_file_and_its_backup(file: Path) -> None:
    try:
        os.setxattr(file, "user.origin", b"dotfiles")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    done = set_up(CLAUDE, file, LINE, NOW)
    assert done.backup is not None
    assert os.getxattr(file, "user.origin") == os.getxattr(done.backup, "user.origin") == b"dotfiles"


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="Python knows extended attributes on Linux alone")
def test_an_attribute_that_cannot_be_kept_is_said_and_one_of_the_kernel_s_own_is_not_missed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("recall.setup.dress.os.listxattr", lambda _path: ["security.ima", "user.origin"])
    monkeypatch.setattr("recall.setup.dress.os.getxattr", lambda _path, name: name.encode())
    monkeypatch.setattr("recall.setup.dress.os.setxattr", refuse)
    with pytest.raises(UsageError, match=r"its attribute user\.origin cannot be kept; nothing was changed"):
        set_up(CLAUDE, file, LINE, NOW)
    assert [path.read_text() for path in file.parent.iterdir()] == ["{}"]
    monkeypatch.setattr("recall.setup.dress.os.listxattr", lambda _path: ["security.ima"])
    assert set_up(CLAUDE, file, LINE, NOW).changed


def test_an_owner_that_cannot_be_kept_is_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    real = os.fstat

    def another_owner(descriptor: int) -> os.stat_result:
        found = real(descriptor)
        return os.stat_result((*found[:4], found.st_uid + 1, *found[5:10]))

    monkeypatch.setattr("recall.setup.dress.os.fstat", another_owner)
    monkeypatch.setattr("recall.setup.dress.os.fchown", refuse)
    with pytest.raises(UsageError, match="its owner or group cannot be kept; nothing was changed"):
        set_up(CLAUDE, file, LINE, NOW)
    assert [path.read_text() for path in file.parent.iterdir()] == ["{}"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_somebody_else_s_file_stays_theirs_with_its_mode(file: Path) -> None:
    os.chown(file, 12_345, 23_456)
    file.chmod(0o664)
    set_up(CLAUDE, file, LINE, NOW)
    found = file.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12_345, 23_456, 0o664)
