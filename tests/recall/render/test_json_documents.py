"""The JSON documents, pinned: every value in golden files, every key and type in this file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recall import policies
from recall.answer import Answer
from recall.api import Deadline, State
from recall.engine import Engine
from recall.errors import RecallError, SettingsError, UsageError
from recall.health import examine
from recall.render import document, listing
from recall.settings import Settings
from recall.settings.describe import describe
from recall.settings.model import Origin, ProviderSettings, QuerySettings
from support.golden import QUESTION, SHOWN, answered, compare_document, world
from support.worlds import NOW

GOLDEN = Path(__file__).parent / "golden"
Document = dict[str, Any]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = world(tmp_path)
    yield made
    made.close()


def asked(engine: Engine) -> Answer:
    return answered(engine)


def answer(engine: Engine) -> Document:
    return document.answer(asked(engine))


def explained(engine: Engine) -> Document:
    return document.answer(asked(engine), explain=True)


def doctor(engine: Engine) -> Document:
    rules = [policies.Checkup("policy", State.READY, 1, titles=("AGENTS.md",))]
    return document.checkups(examine(engine), "shop-api", rules)


def providers(engine: Engine) -> Document:
    return listing.document(listing.of(engine))


def show(engine: Engine) -> Document:
    match = engine.show(SHOWN)
    assert match is not None
    return document.memory(match.row, engine.authority_of(match.row).value, NOW, match.vanished_at)


def index(engine: Engine) -> Document:
    forgotten = {"history": engine.forget_vanished("history")}
    reading = engine.refresh(engine.chosen(()), Deadline.after(30), 30)
    return document.indexed(reading, forgotten)


def usage_error(engine: Engine) -> Document:
    with pytest.raises(UsageError) as raised:
        engine.recall(QUESTION, providers=["serana"])
    return document.error(raised.value)


def settings_error(engine: Engine) -> Document:
    problems = [
        'config.toml:2: query.limti: no such key, did you mean "limit"?',
        "config.toml:3: query.floor: 7 is more than 1",
    ]
    return document.error(SettingsError(problems, "every key is explained in config.example.toml"))


def config(engine: Engine) -> Document:
    origins = {
        "query.limit": Origin("env", "RECALL_QUERY__LIMIT"),
        "providers.serena.enabled": Origin("user", "config.toml:4"),
    }
    settings = Settings(
        query=QuerySettings(limit=3),
        providers={"serena": replace(ProviderSettings(), enabled=False, options={"home": "~/serena"})},
        origins=origins,
    )
    notices = [".recall.toml is not trusted: 1 key is not used; see `recall config trust`"]
    return document.configured(describe(settings), notices)


DOCUMENTS: dict[str, Callable[[Engine], Document]] = {
    "query": answer,
    "query_explain": explained,
    "doctor": doctor,
    "providers": providers,
    "show": show,
    "index": index,
    "error_usage": usage_error,
    "error_settings": settings_error,
    "config_show": config,
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_document_is_the_pinned_one(engine: Engine, name: str) -> None:
    compare_document(GOLDEN / f"{name}.json", DOCUMENTS[name](engine))


def test_every_golden_document_is_compared() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(DOCUMENTS)


# -- the schema -----------------------------------------------------------------------------------------------


def mismatches(value: Any, schema: Any, place: str = "$") -> Iterator[str]:
    """Where a document is not what its schema says: a key more or less, another type."""
    if isinstance(schema, dict) and isinstance(value, dict):
        if value.keys() != schema.keys():
            yield f"{place}: {sorted(value.keys() ^ schema.keys())}"
        for key in value.keys() & schema.keys():
            yield from mismatches(value[key], schema[key], f"{place}.{key}")
    elif isinstance(schema, list) and isinstance(value, list):
        for item in value:
            yield from mismatches(item, schema[0], f"{place}[]")
    elif not isinstance(schema, str) or kind_of(value) not in schema.split("|"):
        yield f"{place}: {kind_of(value)}"


def kind_of(value: Any) -> str:
    return "null" if value is None else type(value).__name__


MEMORY = {
    "source": "str",
    "uri": "str",
    "title": "str",
    "authority": "str",
    "kind": "str",
    "project": "str",
    "path": "str",
    "line": "int|null",
    "created": "null|str",
    "updated": "null|str",
    "date_origin": "str",
    "age_days": "float|null",
    "flags": ["str"],
    "vanished": "null|str",
    "withdrawn": "str",
}
EVIDENCE = {
    "verdict": "str",
    "reason": "str",
    "findings": [{"claim": "str", "status": "str", "reason": "str", "command": "str"}],
    "unchecked": "int",
}
RANKED = {**MEMORY, "score": "float", "evidence": EVIDENCE}
RELATED = {**RANKED, "text": "str"}
HIT = {
    "rank": "int",
    **RANKED,
    "text": "str",
    "whole": "bool",
    "tokens": "int",
    "full_tokens": "int",
    "also_in": [RANKED],
    "disagrees": [RELATED],
    "similar": [RELATED],
}
EXPLAIN = {
    "bm25": "float",
    "relative": "float",
    "coverage": "float",
    "coverage_factor": "float",
    "authority": "str",
    "authority_weight": "float",
    "authority_factor": "float",
    "age_days": "float|null",
    "age_factor": "float",
    "vanished_factor": "float",
    "withdrawn_factor": "float",
    "score": "float",
    "evidence_factor": "float",
    "date_origin": "str",
}
EXPLAINED = {
    **HIT,
    "explain": EXPLAIN,
    "also_in": [{**RANKED, "explain": EXPLAIN}],
    "disagrees": [{**RELATED, "explain": EXPLAIN}],
    "similar": [{**RELATED, "explain": EXPLAIN}],
}
PROBLEM = {"where": "str", "reason": "str"}
OUTCOME = {
    "provider": "str",
    "state": "str",
    "memories": "int",
    "found": "int",
    "seconds": "float",
    "late": "bool",
    "reason": "str",
    "kind": "str",
    "retryable": "bool",
    "next_command": "str",
    "next_step": "str",
    "notes": ["str"],
    "problem_count": "int",
    "problems": [PROBLEM],
    "vanished": "int",
}
ANSWER = {
    "schema_version": "int",
    "question": "str",
    "project": "str",
    "now": {
        "state": "str",
        "line": "str",
        "branch": "str",
        "head": "str",
        "kind": "str",
        "upstream": "str",
        "files": ["str"],
        "more_files": "int",
        "changed": "int",
        "untracked": "int",
        "conflicted": "int",
        "ahead": "int",
        "behind": "int",
        "reason": "str",
    },
    "trust": "str",
    "memories": [HIT],
    "outcomes": [OUTCOME],
    "left_out": {
        "below_floor": "int",
        "contradicted": "int",
        "beyond_limit": "int",
        "beyond_budget": "int",
        "shortened": "int",
        "related": "int",
        "unranked": "int",
        "question_terms": "int",
    },
    "notices": ["str"],
    "seconds": "float",
}
POLICY = {
    "provider": "str",
    "state": "str",
    "items": "int|null",
    "reason": "str",
    "next_step": "str",
    "titles": ["str"],
}
CHECKUP = {
    "provider": "str",
    "state": "str",
    "authority": "str",
    "items": "int|null",
    "in_scope": "int|null",
    "indexed": "int",
    "newest": "null|str",
    "read_back": {"asked": "int", "came_back": "int"},
    "reason": "str",
    "next_command": "str",
    "next_step": "str",
    "facts": ["str"],
    "problem_count": "int",
    "problems": [PROBLEM],
    "places": ["str"],
    "trend": "str",
    "alarm": "bool",
    "vanished": "int",
    "needs_attention": "bool",
    "seconds": "float",
}
ERROR = {
    "schema_version": "int",
    "error": {
        "kind": "str",
        "message": "str",
        "retryable": "bool",
        "next_command": "str",
        "next_step": "str",
        "problems": ["str"],
    },
}
SCHEMAS: dict[str, Document] = {
    "query": ANSWER,
    "query_explain": {**ANSWER, "memories": [EXPLAINED]},
    "doctor": {
        "schema_version": "int",
        "project": "str",
        "healthy": "bool",
        "providers": [CHECKUP],
        "policies": [POLICY],
    },
    "providers": {
        "schema_version": "int",
        "providers": [
            {
                "name": "str",
                "distribution": "str",
                "version": "str",
                "file": "str",
                "state": "str",
                "kind": "str",
                "authority": "str",
                "options": [{"key": "str", "value": "str", "origin": "str", "place": "str"}],
                "reason": "str",
                "next_command": "str",
                "next_step": "str",
            }
        ],
    },
    "show": {
        "schema_version": "int",
        "trust": "str",
        **MEMORY,
        "evidence": "str|null",
        "text": "str",
        "extra": {},
    },
    "index": {
        "schema_version": "int",
        "outcomes": [{**OUTCOME, "entries_read": "int"}],
        "forgotten": {"history": "int"},
        "notices": ["str"],
    },
    "error_usage": ERROR,
    "error_settings": ERROR,
    "config_show": {
        "schema_version": "int",
        "settings": [{"key": "str", "value": "str", "origin": "str"}],
        "notices": ["str"],
    },
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_keys_and_types_are_those_that_readers_were_promised(engine: Engine, name: str) -> None:
    found = json.loads(json.dumps(DOCUMENTS[name](engine)))
    assert list(mismatches(found, SCHEMAS[name])) == []


def test_the_pinned_answer_has_something_in_every_list(engine: Engine) -> None:
    found = answer(engine)
    for name in ("also_in", "disagrees", "similar", "flags"):
        assert any(memory[name] for memory in found["memories"]), name
    assert any(memory["vanished"] for memory in found["memories"])
    assert any(not memory["whole"] for memory in found["memories"])
    for name in ("notes", "problems", "retryable", "vanished"):
        assert any(outcome[name] for outcome in found["outcomes"]), name
    states = {row["state"] for row in (*found["outcomes"], *doctor(engine)["providers"])}
    assert states == {"ready", "degraded", "empty", "busy", "broken", "off"}


def test_a_notice_reaches_the_document(engine: Engine) -> None:
    engine.settings = replace(engine.settings, notices=("one key is not used",))
    assert answer(engine)["notices"] == ["one key is not used"]


def test_an_older_reader_is_told_of_a_change() -> None:
    assert document.SCHEMA_VERSION == 1


# kind -> whether trying again may help: programs branch on these words
KINDS = {
    "error": False,
    "usage": False,
    "not-found": False,
    "settings": False,
    "provider": False,
    "not-configured": False,
    "absent": False,
    "busy": True,
    "broken": False,
    "contract": False,
    "deadline": True,
    "index": False,
    "context": False,
}


def all_errors() -> Iterator[type[RecallError]]:
    pending = [RecallError]
    while pending:
        kind = pending.pop()
        if kind.__module__ in ("recall.errors", "recall.intake"):
            yield kind
        pending += kind.__subclasses__()


def test_the_kinds_of_errors_are_stable() -> None:
    assert {kind.kind: kind.retryable for kind in all_errors()} == KINDS


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_json_and_holds_no_secret(engine: Engine, name: str) -> None:
    text = json.dumps(DOCUMENTS[name](engine), allow_nan=False)
    assert "ghp_" not in text


def test_no_more_than_twenty_problems_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    from recall.api import Problem
    from recall.testing.fakes import Notes
    from support.worlds import make_engine

    notes = Notes("notes", {"one": "결제 재시도"})
    notes.problems = [Problem(f"{number}.md", "not valid UTF-8") for number in range(45)]
    engine = make_engine(tmp_path, [notes])
    for row in (answer(engine)["outcomes"][0], doctor(engine)["providers"][0]):
        assert (row["problem_count"], len(row["problems"])) == (45, 20)
