"""Collected only when asked for: `tests/live/run`, or `pytest tests/live`; figures are printed at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clients.asked import is_asked_for

_HERE = Path(__file__).resolve().parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if is_asked_for(config, _HERE) else True


@pytest.fixture
def measured(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Takes a figure, as one line for the end of the run."""
    return lambda line: record_property("measured", line)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the tests measured."""
    reports = [one for kind in ("passed", "failed") for one in terminalreporter.stats.get(kind, [])]
    lines = [
        str(told)
        for one in reports
        for name, told in getattr(one, "user_properties", ())
        if name == "measured"
    ]
    if lines:
        terminalreporter.section("measured with real programs")
        for line in dict.fromkeys(lines):
            terminalreporter.line(line)
