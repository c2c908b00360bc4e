"""How Hypothesis works in all tests, and the table of faults that the contract's tests catch."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no mistake: nothing is judged by the clock. Folders of a test are shared by its examples, and
# the tests that use them reckon with it.
settings.register_profile(
    "recall",
    settings(),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("recall")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What each wrong provider does, and the test that caught it (tests/recall/testing/test_wrong_providers.py)."""
    reports = [one for kind in ("passed", "failed") for one in terminalreporter.stats.get(kind, [])]
    faults = [found for one in reports for name, found in one.user_properties if name == "fault"]
    if faults:
        terminalreporter.section("faults that the contract catches")
        for words, test, others in sorted(faults):
            terminalreporter.line(f"{words:<58} {test} (and {others} more)")
