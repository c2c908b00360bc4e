"""A file that is one mark a million times, or thousands of tiny memories: read once, bounded, and told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recall.api import Deadline, Entry, Memory, Problem, Scope
from recall.claude_names import slug
from recall.intake import prepare
from recall.pages import MOST
from recall.refresh import _MOST_OF_ENTRY
from recall.tokens import Tokenizer
from recall_basic_memory.provider import BasicMemoryOptions, BasicMemoryProvider
from recall_codex.provider import CodexOptions, CodexProvider
from recall_decisions.provider import DecisionsProvider
from recall_markdown.provider import MarkdownProvider
from recall_markdown.stores import MarkdownOptions
from recall_serena import settings
from recall_state.provider import StateProvider
from support.looking import write
from support.worlds import make_engine, make_scope

_MILLION = 1_000_000


def _index(scope: Scope) -> Path:
    return scope.home / ".claude" / "projects" / slug(os.fspath(scope.root)) / "memory" / "MEMORY.md"


def _codex(scope: Scope) -> Path:
    return scope.home / ".codex" / "memories" / "MEMORY.md"


STORES: dict[str, tuple[Callable[[], Any], Callable[[Scope], Path]]] = {
    "markdown": (lambda: MarkdownProvider(MarkdownOptions()), _index),
    "codex": (lambda: CodexProvider(CodexOptions()), _codex),
    "basic-memory": (
        lambda: BasicMemoryProvider(BasicMemoryOptions()),
        lambda scope: scope.home / "basic-memory" / "n.md",
    ),
    "record": (DecisionsProvider, lambda scope: scope.root / "docs" / "adr" / "0001-a.md"),
    "log": (DecisionsProvider, lambda scope: scope.root / "DECISIONS.md"),
    "state": (StateProvider, lambda scope: scope.root / "HANDOFF.md"),
    "journal": (StateProvider, lambda scope: scope.root / ".context" / "CONVERSATION.jsonl"),
}


def _read(tmp_path: Path, store: str, text: str) -> list[Memory | Problem]:
    """What the one file of a store holds, as its source gives it."""
    scope = make_scope(tmp_path)
    make, place = STORES[store]
    write(place(scope), text)
    provider = make()
    entries = [one for one in provider.entries(scope, Deadline.after(600.0)) if isinstance(one, Entry)]
    return [item for entry in entries for item in provider.load(entry, scope)]


@pytest.mark.parametrize(
    ("store", "text"),
    [
        ("markdown", " " * _MILLION),
        ("markdown", "\u3000" * _MILLION),
        ("markdown", "- [a](b.md)" + "](a" * (_MILLION // 3)),
        ("markdown", "- [a](b.md)" + "](a#" * (_MILLION // 4)),
        ("record", "# 결정\n\n" + "_" * _MILLION),
        ("record", "# " + "(폐기 by" * (_MILLION // 8) + "\n\n결정한다.\n"),
        ("state", "**" * (_MILLION // 2)),
    ],
)
def test_a_megabyte_of_one_mark_is_read_once(tmp_path: Path, store: str, text: str) -> None:
    # Any pattern that went back over what it had read would need hours for this.
    assert len(_read(tmp_path, store, text)) < 10


@pytest.mark.parametrize("around", ["authorization: bearer 11{}a~", "password = '1{}~'", "api_key: v1{}~"])
def test_a_token_of_a_megabyte_is_judged_once(around: str) -> None:
    text = around.format(".1111" * (_MILLION // 5))
    (row,) = prepare("notes", "a", "-", [Memory("a", text)], Tokenizer({})).rows
    assert len(row.text) <= len(text) + 40


def test_a_project_s_settings_with_a_megabyte_of_blanks_are_read_once() -> None:
    text = f"ignored_memory_patterns:{' ' * _MILLION}[]x\n"
    assert settings.may_set(text, settings.LISTING_KEYS)
    assert not settings.may_set("ignored_memory_patterns: []   # none\n", settings.LISTING_KEYS)
    assert settings.may_set("ignored_memory_patterns: [a]   # none\n", settings.LISTING_KEYS)


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [("2024-01-01", "2026-01-01", MOST + 1), ("2026-01-01", "2024-01-01", 0), ("a", "b", MOST + 1)],
)
def test_of_a_log_with_too_many_decisions_the_newest_are_read_and_the_others_counted(
    tmp_path: Path, first: str, then: str, kept: int
) -> None:
    lines = [
        f"## {first if number < MOST else then} step {number}\n\nwhy {number}\n" for number in range(MOST + 2)
    ]
    *memories, problem = _read(tmp_path, "log", "\n".join(lines))
    assert len(memories) == MOST
    assert any(isinstance(one, Memory) and one.text.endswith(f"why {kept}") for one in memories)
    assert isinstance(problem, Problem)
    assert problem.reason == f"only the newest {MOST:,} of {MOST + 2:,} entries are read"


def test_of_a_journal_with_too_many_records_the_newest_are_read_and_the_others_counted(
    tmp_path: Path,
) -> None:
    lines = [json.dumps({"kind": "decision", "text": f"step {number}"}) for number in range(MOST + 2)]
    found = _read(tmp_path, "journal", "\n".join(lines) + "\n")
    memories = [one for one in found if isinstance(one, Memory)]
    assert (len(memories), memories[-1].text) == (MOST, f"Decision: step {MOST + 1}")
    reasons = [one.reason for one in found if isinstance(one, Problem)]
    assert reasons == [f"only the newest {MOST:,} of {MOST + 2:,} records are read"]


@pytest.mark.parametrize(
    ("store", "text"),
    [
        ("codex", "# Task Group: a\n" + "x" * 400_000 + "\n" + "## Task\nb\n" * 3_000),
        ("basic-memory", "- [[목적지]]\n" * 30_000 + "- [사실] 세 번만 다시 시도한다\n" * 3_000),
    ],
)
def test_what_stands_around_is_not_repeated_with_each_of_thousands(
    tmp_path: Path, store: str, text: str
) -> None:
    memories = [one for one in _read(tmp_path, store, text) if isinstance(one, Memory)]
    assert len(memories) >= 3_000
    assert sum(len(one.context) for one in memories) < 3 * len(text.encode()) + 4_000 * 600


def test_of_an_entry_with_more_memories_than_a_question_has_time_for_the_first_are_read_and_it_is_told(
    tmp_path: Path,
) -> None:
    scope = make_scope(tmp_path)
    write(scope.home / "basic-memory" / "n.md", "- [fact] retry\n" * (_MOST_OF_ENTRY + 1))
    engine = make_engine(tmp_path, [STORES["basic-memory"][0]()], scope=scope)
    try:
        (outcome,) = engine.recall("retry", deadline=600.0).outcomes
    finally:
        engine.close()
    assert outcome.memories == _MOST_OF_ENTRY
    assert [one.reason for one in outcome.problems] == [
        f"more than {_MOST_OF_ENTRY:,} memories in it: only the first are read"
    ]


def test_the_host_takes_more_of_an_entry_than_a_page_gives() -> None:
    assert MOST < _MOST_OF_ENTRY
