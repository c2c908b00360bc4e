"""The benchmark of conversations measures something or says that it cannot."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.worlds import REPOSITORY, process_env


@pytest.mark.parametrize("given", [True, False])
def test_without_conversations_it_prints_no_figures(tmp_path: Path, given: bool) -> None:
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "benchmarks/chats.py"), *([str(tmp_path)] if given else [])],
        env=process_env(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("chats.py: no conversations")
    assert done.stderr.count("\n") == 1
