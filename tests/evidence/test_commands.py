"""Commands that can be run from anywhere."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from evidence.repository import Repository
from evidence.rows import checker_for, one
from recall.evidence.commands import Commands
from recall.evidence.result import Verdict


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


def test_a_name_is_found_by_the_command_that_is_told_wherever_it_was_found(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "shop")
    names = {
        f"src/{name}.py": f"{name}_total = 1\n"
        for name in ("plain", "sparse", "skipped", "assumed", "ignored")
    }
    repo.commit(0, {**names, "keep.py": "x = 1\n"})
    repo.git("update-index", "--skip-worktree", "src/sparse.py", "src/skipped.py")
    repo.git("update-index", "--assume-unchanged", "src/assumed.py")
    repo.write(
        {"src/sparse.py": None, "src/assumed.py": "changed = 1\n", "src/skipped.py": "skipped_total = 2\n"}
    )
    repo.write({"src/untracked.py": "untracked_total = 1\n", ".git/info/exclude": "src/ignored.py\n"})
    checker = checker_for(tmp_path, repo.top)
    for name in ("plain", "sparse", "skipped", "assumed", "ignored", "untracked"):
        for _again in range(2):  # as it is found, and as it is remembered
            found = one(checker, f"`{name}_total` counts.")
            assert found.verdict is Verdict.CURRENT, name
            command = shlex.split(found.findings[0].command.replace("~/", f"{tmp_path}/home/"))
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            assert f"src/{name}.py:1:{name}_total" in done.stdout, command


def test_names_are_quoted() -> None:
    assert shlex.split(Commands().grep(["a b"], "c'd"))[-3:] == ["a b", "--", "c'd"]
