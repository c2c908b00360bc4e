"""A repository to look at, and a home that has no settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.repositories import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo.new(tmp_path / "shop-api", tmp_path / "home")
