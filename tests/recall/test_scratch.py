"""Scratch folders: private, and swept once whoever made them is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from recall import scratch

KIND = "recall-test-"


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def ended() -> int:
    """The number of a process that is gone."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    return process.pid


def test_it_is_new_empty_and_for_this_user_only(base: Path) -> None:
    folders = {scratch.new(KIND), scratch.new(KIND)}
    assert len(folders) == 2
    for folder in folders:
        assert os.listdir(folder) == []
        assert os.stat(folder).st_mode & 0o777 == 0o700
        assert Path(folder).name.startswith(f"{KIND}{os.getpid()}-")


def test_what_a_killed_process_left_is_swept_and_nothing_else(base: Path) -> None:
    outside = base / "outside"
    outside.mkdir()
    left = base / f"{KIND}{ended()}-left"
    (left / "deep").mkdir(parents=True)
    (left / "link").symlink_to(outside)
    others = [
        base / f"{KIND}notanumber-x",
        base / f"recall-other-{ended()}-x",
        base / f"{KIND}{os.getpid()}-x",
    ]
    for other in others:
        other.mkdir()
    scratch.new(KIND)
    assert not left.exists()
    assert outside.exists()
    assert all(other.exists() for other in others)


def test_a_folder_that_is_not_there_is_nothing_to_remove(base: Path) -> None:
    scratch.remove(str(base / "none"))
    scratch.sweep(str(base / "none"), KIND)
