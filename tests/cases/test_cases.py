"""Every shared hard case of the actions the program has: health, query, checkpoint and bootstrap."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.worlds import REPOSITORY

CASES = REPOSITORY.parent / "shared" / "cases"
ADAPTER = Path(__file__).with_name("adapter.py")
ACTIONS = {"health", "query", "checkpoint", "bootstrap"}
STEPS = {"checkpoint", "parallel", "mutate", "git", "write"}  # that come before, of these actions

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the shared hard cases are not beside this clone")


def _applicable() -> list[str]:
    if not CASES.is_dir():
        return []
    found = []
    for line in (CASES / "cases.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        steps = [case, *(case.get("also") or [])]
        before = {step["do"] for step in case.get("before") or []}
        if {step["action"] for step in steps} <= ACTIONS and before <= STEPS:
            found.append(case["id"])
    return found


@pytest.mark.parametrize("case", _applicable())
def test_a_hard_case_holds(case: str, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    done = subprocess.run(
        [sys.executable, CASES / "run_cases.py", "--adapter", ADAPTER, "--case", case, "--json", result],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "1 of 1 cases pass" in done.stdout, done.stdout
