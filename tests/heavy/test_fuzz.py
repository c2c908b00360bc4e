"""Ten thousand damaged files of each source: no crash, no file that takes long, no memory without bound."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.fuzz import direct
from support.fuzz.kinds import KINDS
from support.repositories import needs_git
from support.worlds import REPOSITORY, process_env

pytestmark = pytest.mark.heavy

FILES = int(os.environ.get("FUZZ_FILES", "10000"))  # of each kind
SEED = int(os.environ.get("FUZZ_SEED", "20260528"))
SECONDS = 2.0  # of the processor for one file
MEGABYTES = 300.0


def kinds() -> list[object]:
    marked = [
        pytest.param(name, marks=needs_git) if name.startswith("git") else name for name in direct.KINDS
    ]
    return [*KINDS, *marked]


@pytest.mark.parametrize("kind", kinds())
def test_damaged_files_are_read_or_named_and_nothing_breaks(
    kind: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "support.fuzz.run", kind, str(FILES), str(SEED), os.fspath(tmp_path)],
        env=process_env(
            tmp_path, {"PYTHONPATH": os.fspath(REPOSITORY / "tests"), "TMPDIR": os.fspath(tmp_path)}
        ),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=7_200,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4_000:]
    found = json.loads(done.stdout)
    record_property(
        "figures",
        f"{kind}, seed {SEED}: {found['files']:,} files, {found['memories']:,} memories, "
        f"{found['problems']:,} problems, "
        f"{len(found['crashes'])} crashes, slowest {found['slowest']:.2f} s, peak {found['peak']:.0f} MB",
    )
    assert found["crashes"] == []
    assert found["files"] == FILES
    assert found["memories"] > 0
    assert found["slowest"] < SECONDS, found["slowest_of"]
    assert found["peak"] < MEGABYTES
