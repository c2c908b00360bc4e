"""A project whose checkpoints a test saves, and a clock that goes on by a minute with each of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from recall.checkpoints import FOLDER, JOURNAL, Contents
from recall.context import journal
from recall.context.entry import Entry
from recall.context.saving import Saved, save
from support.worlds import NOW


class Project:
    """A project's folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / FOLDER
        self.journal = self.folder / JOURNAL
        self._minutes: Iterator[int] = count()

    def save(
        self, kind: str = "decision", text: str = "Postgres", base: str | None = None, **more: Any
    ) -> Saved:
        rest = {key: more.pop(key) for key in ("memo", "patience", "where", "project") if key in more}
        return save(self.root, Entry(kind, text, **more), base, clock=self.clock, **rest)

    def clock(self) -> float:
        return NOW + 60 * next(self._minutes)

    def contents(self) -> Contents:
        return journal.read(self.root).contents

    def texts(self) -> list[str]:
        return [record.text for record in self.contents().records]

    def view(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def names(self) -> set[str]:
        return {path.name for path in self.folder.iterdir()}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    root = tmp_path / "shop-api"
    root.mkdir()
    return Project(root)
