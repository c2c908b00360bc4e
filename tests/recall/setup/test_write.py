"""A client's file: replaced as a whole, with a backup, or left exactly as it was."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from recall.errors import UsageError
from recall.setup import write
from recall.setup.apply import set_up
from recall.setup.clients import CLIENTS
from support.worlds import NOW, snapshot

CLAUDE, CODEX = CLIENTS["claude-code"], CLIENTS["codex"]
LINE = ["/opt/recall/bin/recall", "serve"]
BEFORE = '{\n  "numStartups": 7\n}\n'
LIMIT = 1_000  # bytes
STAMP = "20260528202640"  # NOW


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / ".claude.json"
    path.write_text(BEFORE)
    return path


def test_a_changed_file_has_a_backup_beside_it(file: Path) -> None:
    file.chmod(0o640)
    done = set_up(CLAUDE, file, LINE, NOW)
    assert done.backup == file.with_name(f".claude.json.bak-{STAMP}")
    assert done.backup.read_text() == BEFORE
    assert stat.S_IMODE(done.backup.stat().st_mode) == stat.S_IMODE(file.stat().st_mode) == 0o640
    assert sorted(path.name for path in file.parent.iterdir()) == [".claude.json", done.backup.name]


def test_a_backup_is_never_written_over(file: Path) -> None:
    first = set_up(CLAUDE, file, LINE, NOW).backup
    second = set_up(CLAUDE, file, ["/other", "serve"], NOW).backup
    assert first is not None
    assert second == first.with_name(f"{first.name}-2")
    assert first.read_text() == BEFORE


def test_a_second_time_touches_nothing(file: Path) -> None:
    set_up(CLAUDE, file, LINE, NOW)
    before = snapshot(file.parent)
    done = set_up(CLAUDE, file, LINE, NOW + 60)
    assert (done.changed, done.backup) == (False, None)
    assert snapshot(file.parent) == before


@pytest.mark.parametrize(
    "content", [b'{"a": ', b'{"a": 1} // x', b"\xff\xfe{\x00}\x00", b'{"a": "\xb0\xe1"}', b"[1]"]
)
def test_a_file_that_cannot_be_parsed_is_not_touched(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    before = snapshot(file.parent)
    with pytest.raises(UsageError, match=r"\.claude\.json: .*nothing was changed"):
        set_up(CLAUDE, file, LINE, NOW)
    assert snapshot(file.parent) == before


def test_a_link_stays_and_the_real_file_is_changed(file: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    file.rename(real)
    file.symlink_to("dotfiles/claude.json")
    done = set_up(CLAUDE, file, LINE, NOW)
    assert file.is_symlink()
    assert done.path == real
    assert done.backup == real.with_name(f"claude.json.bak-{STAMP}")
    assert '"recall"' in real.read_text()


def test_a_byte_order_mark_stays(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + BEFORE.encode())
    done = set_up(CLAUDE, file, LINE, NOW)
    assert done.backup is not None
    assert done.backup.read_bytes() == b"\xef\xbb\xbf" + BEFORE.encode()
    assert file.read_bytes().startswith(b'\xef\xbb\xbf{\n  "numStartups": 7,\n  "mcpServers"')
    assert set_up(CLAUDE, file, LINE, NOW).changed is False


def test_a_new_file_of_the_user_is_private_and_one_of_a_project_is_not(tmp_path: Path) -> None:
    own, shared = tmp_path / "own.json", tmp_path / "shared.json"
    assert set_up(CLAUDE, own, LINE, NOW).backup is None
    set_up(CLAUDE, shared, LINE, NOW, shared=True)
    assert (stat.S_IMODE(own.stat().st_mode), stat.S_IMODE(shared.stat().st_mode)) == (0o600, 0o644)


def test_an_empty_file_is_filled(file: Path) -> None:
    file.write_bytes(b"")
    assert set_up(CLAUDE, file, LINE, NOW).backup is not None
    assert file.read_text().startswith('{\n  "mcpServers"')


def test_the_client_s_missing_folder_is_made_and_named(tmp_path: Path) -> None:
    file = tmp_path / ".codex" / "config.toml"
    assert set_up(CODEX, file, LINE, NOW).made_folder == file.parent
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert set_up(CODEX, file, ["/other", "serve"], NOW).made_folder is None


def test_a_named_pipe_a_folder_and_a_loop_of_links_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    for name in ("pipe", "folder", "loop"):
        with pytest.raises(UsageError, match=f"{name}: cannot be read"):
            set_up(CLAUDE, tmp_path / name, LINE, NOW)


def test_a_change_by_somebody_else_meanwhile_is_not_undone(file: Path) -> None:
    settings = write.read(file, LIMIT)
    file.write_text('{"numStartups": 8}')
    with pytest.raises(UsageError, match="somebody changed it meanwhile"):
        write.replace(settings, "{}", NOW)
    assert file.read_text() == '{"numStartups": 8}'
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_file_that_appeared_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    settings = write.read(tmp_path / "new.json", LIMIT)
    (tmp_path / "new.json").write_text("{}")
    with pytest.raises(UsageError, match="meanwhile"):
        write.replace(settings, '{"a": 1}', NOW)
    assert (tmp_path / "new.json").read_text() == "{}"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_cannot_be_written_is_one_clear_line(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_rest: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("recall.setup.write.tempfile.mkstemp", refuse)
    with pytest.raises(UsageError, match=r"\.claude\.json: cannot be written: read-only file system"):
        set_up(CLAUDE, file, LINE, NOW)
    assert file.read_text() == BEFORE


def test_a_failing_replacement_leaves_the_file_and_no_leftovers(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("recall.files.swap.exchange", refuse)
    with pytest.raises(UsageError, match="no space left on device"):
        set_up(CLAUDE, file, LINE, NOW)
    assert file.read_text() == BEFORE
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_command_that_is_no_text_cannot_be_written(file: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        set_up(CLAUDE, file, ["/opt/\udcff/recall", "serve"], NOW)
    assert file.read_text() == BEFORE
    assert len(list(file.parent.iterdir())) == 1
