"""The command line in the entry: it must work from any folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from recall.errors import UsageError
from recall.setup.command import chosen, in_use


def script(folder: Path, name: str = "recall") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_script_that_runs_is_named_by_its_own_path(tmp_path: Path) -> None:
    real = script(tmp_path / "venv" / "bin")
    link = tmp_path / "bin" / "recall"
    link.parent.mkdir()
    link.symlink_to(real)
    assert in_use(str(link), "/usr/bin/python3") == [str(link), "serve"]


def test_started_as_a_module_the_script_beside_the_interpreter_is_named(tmp_path: Path) -> None:
    real = script(tmp_path / "bin")
    started = tmp_path / "lib" / "recall" / "__main__.py"
    assert in_use(str(started), str(tmp_path / "bin" / "python")) == [str(real), "serve"]


def test_without_a_script_the_interpreter_is_named(tmp_path: Path) -> None:
    (tmp_path / "recall").write_text("not a program")
    python = str(tmp_path / "python")
    assert in_use(str(tmp_path / "recall"), python) == [python, "-m", "recall", "serve"]


def test_a_relative_start_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / "bin")
    monkeypatch.chdir(tmp_path)
    assert in_use("./bin/recall", "/usr/bin/python3") == [str(tmp_path / "bin" / "recall"), "serve"]


def test_a_chosen_program_may_have_arguments() -> None:
    assert chosen("recall") == ["recall", "serve"]
    assert chosen("uvx --from 'a b' recall") == ["uvx", "--from", "a b", "recall", "serve"]
    assert chosen("/opt/recall") == ["/opt/recall", "serve"]
    assert chosen("recall serve") == ["recall", "serve"]


@pytest.mark.parametrize(
    "text", ["", "  ", "''", "./recall", "bin/recall", "recall '", "-x", "--x y", "a\nb"]
)
def test_a_program_that_cannot_be_started_from_anywhere_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--command"):
        chosen(text)
