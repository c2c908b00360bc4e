"""A repository for a test of evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence.repository import Repository


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """An empty one, beside which `checker_for` has its home and cache."""
    return Repository(tmp_path / "project")
