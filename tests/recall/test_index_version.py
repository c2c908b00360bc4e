"""What was indexed under older rules must not stay: the rules of cleaning are part of the index's version, the rules
by which a source reads its content are its `reading`."""

from __future__ import annotations

import hashlib
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import recall
from recall import tokens
from recall.index import file
from recall.plugins import Plugin
from recall.sources import Source
from support.worlds import REPOSITORY

ROOM = Path(recall.__file__).parent
CLEANING = ("clean.py", "told.py", "secrets.py", "secret_values.py", "orders.py", "intake.py")
TOKENS = ("tokens.py",)
# When a test below fails: raise the version beside the digest, then put the new digest here.
PINNED = {
    "cleaning": (6, "3d20e1b65d0eaee0"),
    "tokens": ("1", "d20f709125746871"),
}
_DOCUMENTS = ("documents.py", "files/reading.py", "frontmatter.py")
_SECTIONS = (*_DOCUMENTS, "outline.py")
_PAGES = (*_SECTIONS, "pages.py")
# The code that makes a source's memories out of its content: the room's files it uses, then its own.
READING = {
    "antigravity": (_DOCUMENTS, ("brain.py", "json_files.py", "knowledge.py", "links.py")),
    "basic-memory": (_PAGES, ("memories.py", "projects.py")),
    "claude-mem": (("documents.py", "frontmatter.py"), ("dates.py", "projects.py", "rows.py", "tables.py")),
    "codex": (_PAGES, ("memories.py",)),
    "decisions": (_PAGES, ("log.py", "names.py", "records.py", "status.py", "words.py")),
    "gemini": ((*_PAGES, "gemini_names.py"), ("imports.py", "memories.py")),
    "git": (("git/commits.py",), ("memories.py",)),
    "markdown": (_SECTIONS, ("claude_code.py", "memory_index.py", "notes.py")),
    "serena": (_DOCUMENTS, ("notes.py", "texts.py")),
    "state": (
        (*_PAGES, "checkpoints/form.py", "checkpoints/closing.py"),
        ("context.py", "listing.py", "notes.py"),
    ),
    "transcripts": (
        ("gemini_names.py", "jsonl.py"),
        ("claude_code.py", "clients.py", "codex.py", "exchanges.py", "gemini.py"),
    ),
}
# When the test below fails: if the same content could give another memory now, raise `reading` in the source's
# provider.py; then put reading and digest here.
READINGS = {
    "antigravity": ("2", "f44e9da0d186d4ee"),
    "basic-memory": ("2", "26614b619db27776"),
    "claude-mem": ("2", "5e7991968591fcd1"),
    "codex": ("2", "26614b61f7c816a6"),
    "decisions": ("4", "26614b6160ac30e0"),
    "gemini": ("1", "4b741565d7751346"),
    "git": ("2", "6c5ed937e753342e"),
    "markdown": ("2", "b0e2ba515604dd60"),
    "serena": ("2", "f44e9da0f16f91a1"),
    "state": ("4", "378863ef3c405b4f"),
    "transcripts": ("2", "797498e0f0ffeb08"),
}


def digest(names: tuple[str, ...], room: Path = ROOM) -> str:
    text = "".join((room / name).read_text(encoding="utf-8") for name in names)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def providers() -> dict[str, Any]:
    own = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    found = entry_points(group="recall.providers")
    return {
        name: found[name].load().recall_provider()
        for name in own["project"]["entry-points"]["recall.providers"]
    }


def test_a_change_of_the_cleaning_raises_the_version_of_the_index() -> None:
    assert PINNED["cleaning"] == (file.SCHEMA, digest(CLEANING))


def test_a_change_of_the_tokens_raises_their_version() -> None:
    assert PINNED["tokens"] == (tokens.VERSION, digest(TOKENS))


@pytest.mark.parametrize("name", READING)
def test_a_change_of_how_a_source_is_read_raises_its_reading(name: str) -> None:
    shared, own = READING[name]
    folder = REPOSITORY / "plugins" / f"recall_{name.replace('-', '_')}"
    assert READINGS[name] == (providers()[name].reading, f"{digest(shared)[:8]}{digest(own, folder)[:8]}")


def test_every_source_of_the_project_has_a_reading_and_the_index_is_told_it() -> None:
    known = {name: one for name, one in providers().items() if hasattr(one, "entries")}
    assert READING.keys() == known.keys()
    for name, provider in known.items():
        row = Plugin(name, "tests", "1", provider, None)
        assert Source(name, provider, provider.authority, row).reading == provider.reading != ""
