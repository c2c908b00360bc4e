"""Collected only when asked for: `tests/install/run`, or `pytest tests/install`."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.asked import is_asked_for
from install.environment import CannotInstall, Environment

_HERE = Path(__file__).resolve().parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if is_asked_for(config, _HERE) else True


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """One for all tests; what a test installs it takes away again."""
    try:
        return Environment.new(tmp_path_factory.mktemp("install") / "environment")
    except CannotInstall as reason:
        pytest.skip(f"pip cannot install what recall needs: {reason}")
