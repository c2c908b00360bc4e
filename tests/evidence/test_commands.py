"""Commands that can be run from anywhere."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from evidence.repository import Repository
from recall.evidence.commands import Commands


def test_the_home_folder_is_told_short(tmp_path: Path) -> None:
    assert Commands.of(tmp_path / "my shop", tmp_path).git == "git -C ~/'my shop'"
    assert Commands.of(tmp_path, tmp_path).git == "git -C ~"
    assert Commands.of(tmp_path / "a", tmp_path / "b").git == f"git -C {tmp_path}/a"


@pytest.mark.parametrize("folder", ["shop", "my shop", "it's; echo x", "$(touch x)"])
def test_a_command_works_from_any_folder(tmp_path: Path, folder: str) -> None:
    repo = Repository(tmp_path / "home" / folder)
    repo.commit(0, {"src/a.py": "charge = 1\n"})
    repo.write({"src/new.py": "draft_total = 1\n", ".serena/memories/a.md": "draft_total, charge\n"})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    show = Commands.of(repo.top, tmp_path / "home", [".serena"])

    def out(command: str) -> str:
        env = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(
            ["sh", "-c", command], cwd=elsewhere, env=env, check=True, capture_output=True, text=True
        )
        return done.stdout

    assert out(show.grep(["draft_total"])) == "src/new.py:1:draft_total = 1\n"
    assert out(show.grep(["charge"], "src/a.py")) == "src/a.py:1:charge = 1\n"
    assert out(show.files("src/new.py")) == "src/new.py\n"
    assert "src/new.py" in out(show.status("src/new.py"))
    assert len(out(show.log("src/a.py")).splitlines()) == 1
    assert "1 file changed" in out(show.show("HEAD", stat=True))
    assert out(show.diff("src/a.py")) == ""


def test_names_are_quoted() -> None:
    assert shlex.split(Commands().grep(["a b"], "c'd"))[-3:] == ["a b", "--", "c'd"]
