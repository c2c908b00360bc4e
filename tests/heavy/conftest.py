"""Collected only when asked for: `tests/heavy/run`, or `pytest tests/heavy`."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.asked import is_asked_for

_HERE = Path(__file__).resolve().parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if is_asked_for(config, _HERE) else True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What was measured, a line each."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    figures = [text for report in reports for name, text in report.user_properties if name == "figures"]
    if figures:
        terminalreporter.section("figures")
        for line in figures:
            terminalreporter.write_line(str(line))
