"""Collected only when asked for: `tests/clients/run`, or `pytest tests/clients`."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.asked import is_asked_for
from clients.worlds import World, make_world

_HERE = Path(__file__).resolve().parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return None if is_asked_for(config, _HERE) else True


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A home and a project with memories of four kinds, and a `recall` to start."""
    return make_world(tmp_path)
