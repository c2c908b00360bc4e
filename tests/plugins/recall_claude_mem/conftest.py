"""A home folder with a claude-mem database, in the shape of any release."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from recall.api import Problem
from recall_claude_mem.provider import ClaudeMemOptions, ClaudeMemProvider
from support.looking import Looking, made_scope

EPOCH = 1_780_000_000_000  # milliseconds: 2026-05-28
DAY = 86_400_000

# Columns by the schema version that brought them, as `PRAGMA table_info` of real databases shows them.
OBSERVATIONS = {
    9: "project text type title subtitle facts narrative concepts files_read files_modified prompt_number",
    22: "content_hash",
    26: "merged_into_project generated_by_model",
    41: "origin_device_id sync_rev",
}
SUMMARIES = {
    9: "project request investigated learned completed next_steps files_read files_edited notes prompt_number",
    26: "merged_into_project",
}


@dataclass
class Store:
    """A database that can be filled."""

    path: Path
    schema: int
    connection: sqlite3.Connection

    @classmethod
    def create(cls, path: Path, schema: int, *, wal: bool = False) -> Store:
        """Empty tables of a schema version: 9, 10, 23, 52 or any between."""
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
        store = cls(path, schema, connection)
        store._table("observations", OBSERVATIONS, store.session)
        store._table("session_summaries", SUMMARIES, store.session)
        store._table("sdk_sessions", {9: f"project {store.client} user_prompt"}, store.session)
        if schema >= 10:
            joins = {10: f"{store.client} prompt_number prompt_text", 34: "session_db_id"}
            store._table("user_prompts", joins, "")
        if schema >= 51:
            store._table("tool_uses", {51: "project tool_name tool_input tool_response"}, "")
        return store

    @property
    def session(self) -> str:
        return "memory_session_id" if self.schema >= 20 else "sdk_session_id"

    @property
    def client(self) -> str:
        return "content_session_id" if self.schema >= 20 else "claude_session_id"

    def _table(self, name: str, columns: dict[int, str], session: str) -> None:
        present = " ".join(names for version, names in columns.items() if version <= self.schema).split()
        declared = [f"{column} TEXT" for column in (*present, *session.split())]
        self.connection.execute(
            f"CREATE TABLE {name} (id INTEGER PRIMARY KEY AUTOINCREMENT, {', '.join(declared)},"
            " created_at TEXT, created_at_epoch INTEGER)"
        )

    def add(self, table: str, **values: Any) -> int:
        """A row; columns that are not named are NULL."""
        values = {"created_at_epoch": EPOCH, "created_at": "2026-05-28T20:26:40.000Z", **values}
        marks = ", ".join("?" * len(values))
        cursor = self.connection.execute(
            f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values())
        )
        return int(cursor.lastrowid or 0)

    def observation(self, title: str | None = "결제 재시도", project: str = "shop-api", **values: Any) -> int:
        return self.add("observations", title=title, project=project, **{"type": "discovery", **values})

    def summary(
        self, request: str | None = "환불 흐름 정리", project: str = "shop-api", **values: Any
    ) -> int:
        return self.add("session_summaries", request=request, project=project, **values)

    def prompt(self, text: str, project: str = "shop-api", **values: Any) -> int:
        """A prompt and the session that knows its project."""
        name = f"session-{text[:8]}"
        session = self.add("sdk_sessions", project=project, **{self.client: name})
        if self.schema >= 34:
            values["session_db_id"] = session
        return self.add("user_prompts", prompt_text=text, **{self.client: name}, **values)

    def run(self, sql: str, *parameters: Any) -> None:
        self.connection.execute(sql, parameters)

    def close(self) -> None:
        self.connection.close()


@dataclass
class World(Looking):
    """One home, one project, and what the provider makes of them."""

    provider_class = ClaudeMemProvider

    stores: list[Store] = field(default_factory=list)

    @property
    def data(self) -> Path:
        return self.scope.home / ".claude-mem"

    @property
    def database(self) -> Path:
        return self.data / "claude-mem.db"

    def store(self, schema: int = 52, *, wal: bool = False, data: Path | None = None) -> Store:
        """The database, to be filled; every statement is committed at once."""
        store = Store.create((data or self.data) / "claude-mem.db", schema, wal=wal)
        self.stores.append(store)
        return store

    def problems(self) -> list[Problem]:
        return [item for item in self.loaded() if isinstance(item, Problem)]


@pytest.fixture
def world(tmp_path: Path) -> Iterable[World]:
    world = World(made_scope(tmp_path), ClaudeMemOptions())
    yield world
    for store in world.stores:
        store.close()


@pytest.fixture
def new_store() -> type[Store]:
    """The class of databases, for tests that make them elsewhere."""
    return Store
