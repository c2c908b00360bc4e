"""A home, a project and a Serena for tests that is started and asked."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from recall.api import Deadline, Entry, Health, Memory, Problem, Query
from recall_serena.private import KIND
from recall_serena.provider import SerenaOptions, SerenaProvider
from support import serena_server
from support.ending import is_gone
from support.looking import made_scope, write

VERSIONS = ("0.1.4", "1.0.0", "1.7.0", "2.1.0")


def soon() -> Deadline:
    return Deadline.after(120)


class Serving:
    """Providers in mode "mcp" over one home and one project; what the Serena behind them was asked."""

    def __init__(self, folder: Path) -> None:
        self.scope = replace(made_scope(folder), env={"PATH": os.defpath})
        self.folder = folder / "seen"
        self.folder.mkdir()
        self.made: list[SerenaProvider] = []

    def change(self, **changes: Any) -> None:
        """Set fields of the scope."""
        self.scope = replace(self.scope, **changes)

    def note(self, name: str, text: str | bytes) -> Path:
        return write(self.scope.root / ".serena/memories" / f"{name}.md", text)

    def shared_note(self, name: str, text: str) -> Path:
        return write(self.scope.home / ".serena/memories/global" / f"{name}.md", text)

    def command(self, version: str = "2.1.0", behaviour: str = "answers") -> tuple[str, ...]:
        return (sys.executable, str(serena_server.__file__), version, behaviour, str(self.folder))

    def provider(self, version: str = "2.1.0", behaviour: str = "answers", **options: Any) -> Any:
        options.setdefault("command", self.command(version, behaviour))
        self.made.append(SerenaProvider(SerenaOptions(mode="mcp", **options)))
        return self.made[-1]

    def listed(self, provider: Any, seconds: float = 120) -> list[Entry | Problem]:
        return list(provider.entries(self.scope, Deadline.after(seconds)))

    def read(self, provider: Any) -> list[Memory | Problem]:
        """Everything it lists and reads."""
        found: list[Memory | Problem] = []
        for item in self.listed(provider):
            found += provider.load(item, self.scope) if isinstance(item, Entry) else [item]
        return found

    def search(self, provider: Any, question: str, seconds: float = 120) -> list[Memory | Problem]:
        query = Query(question, tuple(question.split()))
        return list(provider.search(query, self.scope, Deadline.after(seconds)))

    def health(self, provider: Any) -> Health:
        found: Health = provider.health(self.scope, soon())
        return found

    def started(self) -> list[int]:
        return [int(path.name.removeprefix("started-")) for path in self.folder.glob("started-*")]

    def calls(self) -> list[Any]:
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def env(self) -> dict[str, str]:
        """Of the last Serena that was started."""
        found: dict[str, str] = json.loads((self.folder / "env").read_text("utf-8"))
        return found

    def private_homes(self) -> list[Path]:
        """Those that are there now."""
        return list(Path(tempfile.gettempdir()).glob(f"{KIND}*"))

    def close(self) -> None:
        """End what was started, and see that nothing is left of it."""
        for provider in self.made:
            if hasattr(provider, "close"):
                provider.close()
        assert all(map(is_gone, self.started()))


def memories(found: list[Memory | Problem]) -> dict[str, Memory]:
    return {item.id: item for item in found if isinstance(item, Memory)}


def problems(found: list[Any]) -> list[Problem]:
    return [item for item in found if isinstance(item, Problem)]
