"""The MCP conformance suite against the HTTP server: all that applies passes, the rest has a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.packages import CONFORMANCE
from clients.worlds import REPOSITORY, World, node_program

_HERE = Path(__file__).resolve().parent
BASELINE = _HERE / "baseline.yml"
APPLY = 16  # scenarios of the suite's 32


@pytest.fixture
def url(world: World) -> Iterator[str]:
    """The address of a server with the suite's fixtures."""
    arguments = [_HERE / "fixtures.py", world.home, world.project]
    with world.started(world.python(*arguments), wait_for=r"(http://127\.0\.0\.1:\d+/mcp)") as found:
        yield found


def test_every_line_of_the_baseline_has_a_reason() -> None:
    entries = [line for line in BASELINE.read_text().splitlines() if line.lstrip().startswith("- ")]
    assert entries
    assert not [line for line in entries if not re.fullmatch(r"  - [a-z0-9-]+ # .{8,}", line)]


def test_every_scenario_that_applies_passes(world: World, url: str, tmp_path: Path) -> None:
    suite = [*node_program(CONFORMANCE), "server", "--url", url, "--suite", "all"]
    done = world.run([*suite, "--expected-failures", BASELINE, "-o", tmp_path / "results"], cwd=REPOSITORY)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.findall(r"^✓ ([a-z0-9-]+): \d+ passed, 0 failed", done.stdout, re.MULTILINE)
    assert len(passed) == APPLY, done.stdout
