"""docs/plugin-authors.md, line by line, in an environment with nothing but recall."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from install.environment import Environment
from support.worlds import REPOSITORY, process_env

PAGE = (REPOSITORY / "docs" / "plugin-authors.md").read_text("utf-8")


class Block(NamedTuple):
    """A listing of the page."""

    language: str
    file: str  # what the paragraph before says is replaced
    text: str


def blocks() -> Iterator[Block]:
    """The listings, in the order of the page."""
    before = ""
    for number, part in enumerate(re.split(r"^```", PAGE, flags=re.MULTILINE)):
        if number % 2 == 0:
            before = part
            continue
        language, _, text = part.partition("\n")
        named = re.findall(r"[Rr]eplace\s+`([\w./]+)`", before)
        yield Block(language, named[-1] if named else "", text)


def squeezed(text: str) -> list[str]:
    """The lines, however their columns are filled up."""
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.fixture
def clean(environment: Environment) -> Iterator[Environment]:
    yield environment
    environment.pip("uninstall", "--yes", "recall-tea", "recall-jam")


def test_every_command_works_and_every_answer_is_the_one_shown(clean: Environment, tmp_path: Path) -> None:
    home, folder, said = tmp_path / "home", tmp_path / "work", ""
    home.mkdir(mode=0o700)
    folder.mkdir()
    env = {**process_env(home), "PYTHONPATH": "", "PATH": f"{Path(clean.python).parent}:/usr/bin:/bin"}
    first, *others = blocks()
    assert "pip install ." in first.text  # the environment is there already, with recall's own wheel
    for block in others:
        if block.language == "python":
            (folder / block.file).write_text(block.text, "utf-8")
        elif block.language == "text":
            shown, answered = squeezed(block.text), squeezed(said)
            for line in shown:
                assert any(re.fullmatch(_pattern(line), other) for other in answered), (line, said)
        else:
            done = subprocess.run(
                ["bash", "-e", "-c", f"{block.text}\npwd > '{tmp_path}/where'"],
                cwd=folder,
                env=env,
                text=True,
                encoding="utf-8",
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=600,
                check=False,
            )
            assert done.returncode == 0, (block.text, done.stdout, done.stderr)
            said = done.stdout
            folder = Path((tmp_path / "where").read_text("utf-8").strip())


def _pattern(line: str) -> str:
    """A line of which the page leaves out what differs."""
    return ".*".join(map(re.escape, line.split("…")))
