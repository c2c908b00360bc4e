"""The wheel: one distribution with all import packages, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support.worlds import REPOSITORY


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--wheel-dir",
            str(folder),
            str(REPOSITORY),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if done.returncode:
        pytest.skip(f"the build back end cannot be had here: {done.stderr.strip().splitlines()[-1:]}")
    (wheel,) = folder.glob("recall_orchestrator-*.whl")
    return zipfile.ZipFile(wheel).namelist()


def test_the_wheel_holds_the_core_and_every_provider(names: list[str]) -> None:
    tops = {name.split("/")[0] for name in names}
    packages = {top for top in tops if not top.endswith(".dist-info")}
    assert packages == {
        "recall",
        *(path.name for path in (REPOSITORY / "plugins").iterdir() if path.is_dir()),
    }


def test_the_wheel_holds_the_data_the_types_and_the_licence(names: list[str]) -> None:
    assert "recall/py.typed" in names
    assert "recall/data/ko_en_glossary.toml" in names
    templates = {f"recall/scaffold/templates/{path.name}" for path in (REPOSITORY / "recall").rglob("*.txt")}
    assert templates
    assert templates <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_every_source_file_is_in_the_wheel(names: list[str]) -> None:
    for folder in ("recall", "plugins"):
        for path in (REPOSITORY / folder).rglob("*.py"):
            relative = path.relative_to(REPOSITORY).as_posix().removeprefix("plugins/")
            assert relative in names


def test_entry_points_name_the_providers(names: list[str]) -> None:
    declared = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    for path in Path(REPOSITORY / "plugins").iterdir():
        if path.is_dir():
            assert re.search(rf'= "{path.name}(\.\w+)?"', declared)
