"""A new provider's project: what may be called so, where it may be written, and that it passes its tests as it is."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from recall import scaffold
from recall.errors import UsageError
from recall.version import version
from support.lines import code_lines
from support.worlds import process_env, run_recall

KINDS = ("corpus", "search")
MOST_LINES = 40  # of code in a generated module
NAMES = ("tea", "field-notes", "x1", "a" * 40)


@pytest.fixture(params=KINDS)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return scaffold.write(tmp_path, "field-notes", request.param)[0]


def run(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a module of Python in the project."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=project,
        env=process_env(project.parent),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def test_it_passes_its_tests_at_once(project: Path) -> None:
    done = run(project, "pytest", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout
    assert int(done.stdout.rsplit(" passed", 1)[0].split()[-1]) >= 20


def test_a_type_checker_accepts_it_in_strict_mode(project: Path) -> None:
    done = run(project, "mypy", "--strict", "recall_field_notes.py")
    assert done.returncode == 0, done.stdout


def test_it_is_formatted_and_has_no_finding_of_a_linter(project: Path) -> None:
    for command in (
        ["format", "--diff"],
        ["check", "--select", "E,F,W,I,B,UP,SIM,C4,RUF,PT", "--ignore", "RUF001,RUF002"],
    ):
        done = run(project, "ruff", *command, "--isolated", "--no-cache", "--line-length", "110", ".")
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_the_module_is_short_and_the_project_hangs_together(name: str, kind: str) -> None:
    texts = scaffold.rendered(name, kind)
    module = f"recall_{name.replace('-', '_')}"
    assert code_lines(texts[f"{module}.py"]) <= MOST_LINES
    declared = tomllib.loads(texts["pyproject.toml"])
    assert declared["project"]["name"] == f"recall-{name}"
    assert declared["project"]["entry-points"]["recall.providers"] == {name: module}
    assert declared["project"]["dependencies"] == [f"recall-orchestrator>={version()}"]
    assert f"`{module}.py`" in texts["README.md"]
    assert set(texts) == {
        "pyproject.toml", "README.md", ".gitignore", f"{module}.py", f"tests/test_{module}.py",
    }  # fmt: skip
    assert not [path for path, text in texts.items() if "$" in text]


def test_every_template_is_written_by_some_kind() -> None:
    templates = {path.name.removesuffix(".txt") for path in Path(scaffold.__file__).parent.rglob("*.txt")}
    written = {name for kind in KINDS for name in scaffold.sources(kind)}
    assert templates == written


@pytest.mark.parametrize(
    "name",
    ["", "Tea", "tea_notes", "-tea", "tea-", "a--b", "1st", "티", "tea notes", "../tea", "a" * 41, "te.a"],
)
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no name for a provider"):
        scaffold.check_name(name, ["serena"])


@pytest.mark.parametrize("name", ["serena", "claude-mem", "orchestrator"])
def test_a_name_of_recalls_own_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="taken by recall itself"):
        scaffold.check_name(name, ["serena", "claude-mem"])


@pytest.mark.parametrize("name", NAMES)
def test_other_names_are_free(name: str) -> None:
    scaffold.check_name(name, ["serena", "claude-mem"])


def test_nothing_that_is_there_is_written_over(tmp_path: Path) -> None:
    for taken in ("recall-tea", "recall-jam"):
        (tmp_path / taken).mkdir()
    (tmp_path / "recall-jam" / "README.md").write_text("mine")
    (tmp_path / "recall-link").symlink_to(tmp_path / "nowhere")
    for name in ("tea", "jam", "link"):
        with pytest.raises(UsageError, match="is there already"):
            scaffold.write(tmp_path, name, "corpus")
    assert (tmp_path / "recall-jam" / "README.md").read_text() == "mine"
    assert os.listdir(tmp_path / "recall-tea") == []


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = Path.write_text

    def full(path: Path, *arguments: object, **rest: object) -> int:
        if path.name == ".gitignore":
            raise OSError(28, "No space left on device")
        return written(path, *arguments, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UsageError, match="no space left on device"):
        scaffold.write(tmp_path, "tea", "corpus")
    assert os.listdir(tmp_path) == []


def test_the_command_says_what_it_wrote_and_what_comes_next(tmp_path: Path) -> None:
    done = run_recall(["new-provider", "tea", "--search", "--into", "."], home=tmp_path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "recall_tea.py" in done.stdout
    assert "pip install -e '.[test]' && pytest -q" in done.stdout
    assert "def search" in (tmp_path / "recall-tea" / "recall_tea.py").read_text("utf-8")
    again = run_recall(["new-provider", "tea"], home=tmp_path, cwd=tmp_path)
    assert (again.returncode, "is there already" in again.stderr) == (2, True)
    for name in ("serena", "git", "Tea"):
        refused = run_recall(["new-provider", name], home=tmp_path, cwd=tmp_path)
        assert (refused.returncode, refused.stdout) == (2, "")
    assert os.listdir(tmp_path) == ["recall-tea"]
