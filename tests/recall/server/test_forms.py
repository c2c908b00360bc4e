"""A client shows its model the structured part or the text: each says what the other one says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recall.api import Authority, Memory
from recall.errors import StoreBroken, StoreBusy
from recall.testing.fakes import Broken, Notes
from support.serving import called, document, server_over, text

RETRY = "실패한 결제는 세 번까지 재시도한다. 간격은 1초, {}초이다. RetryWorker가 한다"
# Said in other words, or by where it stands: `answer` by its sentence, `rank` by its number, `trust` by the label.
WORDED = {"trust", "answer", "rank", "whole", "left_out", "found", "memories", "page", "pages", "healthy"}


def memory(seconds: int, **more: Any) -> Memory:
    return Memory("retry", RETRY.format(seconds), title="재시도", path="/shop/retry.md", line=7, **more)


def providers() -> list[Any]:
    """Sources of which one stands, some disagree, and the others have something to say of themselves."""
    long = Memory("long", "결제 설명이 길다.\n" * 900, title="긴 글", project="shop", path="/shop/long.md")
    return [
        Notes("serena", {"retry": memory(4, project="shop-api"), "long": long}),
        Notes("adr", {"old": memory(9, withdrawn="superseded by 0012")}, Authority.DECISION),
        Notes("empty"),
        Broken("torn", StoreBroken("not a database", "restore it from a backup")),
        Broken("locked", StoreBusy("locked by another process", "close the other program")),
    ]


def facts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a structured result, with the name of its field."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in WORDED or isinstance(inner, list):
                yield from facts(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from facts(inner, name)
    else:
        yield name, str(value)


def unquoted(shown: str) -> str:
    """The text without the marks of its quotes, on one line."""
    lines = (line.strip() for line in shown.splitlines())
    return " ".join(" ".join(line.removeprefix(">").strip() for line in lines).split())


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("deep_recall", {"query": "결제 재시도", "deadline": 30.0}),
        ("deep_recall", {"query": "결제", "budget": 200, "deadline": 30.0}),
        ("deep_recall", {"query": "kubernetes", "deadline": 30.0}),
        ("read_memory", {"uri": "recall://serena/retry"}),
        ("read_memory", {"uri": "recall://adr/retry"}),
        ("memory_health", {}),
    ],
)
def test_every_fact_of_the_structured_part_is_in_the_text(
    tmp_path: Path, tool: str, asked: dict[str, Any]
) -> None:
    result = called(server_over(tmp_path, providers()), tool, **asked)
    shown = unquoted(text(result))
    missing = [(name, fact) for name, fact in facts(document(result)) if " ".join(fact.split()) not in shown]
    assert missing == []


def test_an_excerpt_is_called_one_in_both_forms(tmp_path: Path) -> None:
    result = called(server_over(tmp_path, providers()), "deep_recall", query="설명", deadline=30.0)
    (shown,) = document(result)["memories"]
    assert shown["whole"] is False
    assert "- /shop/long.md, project shop, an excerpt" in text(result)


def records(value: Any) -> Iterator[dict[str, Any]]:
    """Every record of a structured result that holds a remembered text."""
    if isinstance(value, dict):
        if "trust" in value:
            yield value
        for inner in value.values():
            yield from records(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from records(inner)


def test_the_label_stands_before_all_that_a_source_said(tmp_path: Path) -> None:
    server = server_over(tmp_path, providers())
    recalled = document(called(server, "deep_recall", query="결제 재시도", deadline=30.0))
    assert len(found := list(records(recalled))) >= 2
    assert {next(iter(record)) for record in found} == {"trust"}
    page = document(called(server, "read_memory", uri="recall://adr/retry"))
    assert list(page)[:2] == ["label", "trust"]


def test_a_fetched_document_holds_no_empty_field(tmp_path: Path) -> None:
    server = server_over(tmp_path, [Notes("serena", {"bare": Memory("bare", RETRY)})])
    metadata = document(called(server, "fetch", id="recall://serena/bare"))["metadata"]
    assert list(metadata) == ["label", "trust", "source", "authority"]
