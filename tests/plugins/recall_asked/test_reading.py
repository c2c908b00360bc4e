"""From answers to memories."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.api import Memory, Problem
from recall.errors import StoreBroken
from recall_asked.reading import ReadingOptions, document, memories


def read(answer: Any, limit: int = 50, **options: Any) -> list[Memory | Problem]:
    return list(memories(answer, ReadingOptions(**options), limit))


def texts(answer: Any, **options: Any) -> list[str]:
    return [item.text for item in read(answer, **options) if isinstance(item, Memory)]


def test_every_field_is_read_by_its_path() -> None:
    result = {
        "permalink": "notes/retry",
        "title": "재시도",
        "matched_chunk": "",
        "content": "두 번만",
        "meta": {"file": "notes/retry.md", "at": 1_780_000_000, "project": "api"},
    }
    (memory,) = read(
        {"results": [result]},
        results="results[*]",
        text=("matched_chunk", "content"),
        id="permalink",
        path="meta.file",
        updated="meta.at",
        label="meta.project",
    )
    assert memory == Memory(
        id="notes/retry",
        text="두 번만",
        title="재시도",
        path="notes/retry.md",
        project="api",
        updated=datetime.fromtimestamp(1_780_000_000, UTC),
        date_origin="the server",
        kind="result",
    )


def test_a_list_is_read_with_or_without_each() -> None:
    answer = {"hits": [{"text": "a"}, {"text": "b"}]}
    assert texts(answer, results="hits[*]") == texts(answer, results="hits") == ["a", "b"]
    assert texts(answer["hits"]) == ["a", "b"]
    assert texts({"text": "only"}) == ["only"]


def test_an_empty_list_is_no_result_and_a_wrong_path_a_mistake() -> None:
    assert read({"results": []}, results="results[*]") == []
    assert read({"results": []}, results="results") == []
    with pytest.raises(
        StoreBroken, match=r"nothing is at results = 'result\[\*\]'; the answer holds results, total"
    ):
        read({"results": [], "total": 0}, results="result[*]")


def test_a_text_is_split() -> None:
    first, second = read("# 결제\nTwice.\n---\nRoll back.\n", split="\n---\n")
    assert isinstance(first, Memory)
    assert isinstance(second, Memory)
    assert (first.title, first.text) == ("결제", "# 결제\nTwice.")
    assert second.title == "Roll back."
    assert first.id != second.id
    assert texts({"result": "a|b"}, results="result", split="|") == ["a", "b"]


def test_a_text_where_json_was_expected_is_told_unless_it_says_nothing_was_found() -> None:
    with pytest.raises(StoreBroken, match="the answer is text, and not JSON: # Nothing found") as told:
        read("# Nothing found\nfor x", results="results[*]")
    assert "`nothing`" in told.value.next_step
    assert read("# Nothing found\nfor x", results="results[*]", nothing="Nothing found") == []
    assert read("", results="results[*]") == []


def test_a_failure_that_calls_itself_an_answer_is_a_failure() -> None:
    with pytest.raises(StoreBroken, match="it says: palace not initialised"):
        read({"error": "palace not initialised"}, results="results[*]")
    assert texts({"error": None, "results": [{"text": "a"}]}, results="results") == ["a"]


def test_what_is_not_used_is_counted() -> None:
    answer = [{"text": "a"}, {"text": "b"}, {"text": "c"}, {"text": ""}, {"body": "d"}, {"text": "a"}]
    first, second, empty, beyond = read(answer, limit=2)
    assert isinstance(first, Memory)
    assert isinstance(second, Memory)
    assert empty == Problem(
        "answer", "2 of the results without text: nothing at text = ['text', 'content']", harmless=True
    )
    assert beyond == Problem("answer", "1 more results than were asked for, not used", harmless=True)
    (only,) = read([{"body": "d"}])
    assert isinstance(only, Problem)
    assert not only.harmless


@pytest.mark.parametrize(
    ("texts", "structured", "found"),
    [
        (["x"], {"results": [1]}, {"results": [1]}),
        (["x"], {"result": '{"a": 1}'}, {"a": 1}),
        (["x"], {"result": "plain"}, "plain"),
        (["x"], {"result": [1]}, [1]),
        (['{"a": 1}', '{"a": 2}'], None, [{"a": 1}, {"a": 2}]),
        (["one", "two"], None, "one\ntwo"),
        (["[1]"], None, [1]),
        ([], None, ""),
    ],
)
def test_the_document_of_an_answer(texts: list[str], structured: Any, found: Any) -> None:
    assert document(texts, structured) == found


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["results", "text", "id", "error"]), inner)
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from(["", "results", "results[*]"]), st.sampled_from(["", "-"]))
def test_no_answer_does_anything_but_give_memories_or_say_why_not(
    answer: Any, results: str, split: str
) -> None:
    try:
        found = read(answer, results=results, split=split)
    except StoreBroken:
        return
    named = [item.id for item in found if isinstance(item, Memory)]
    assert len(named) == len(set(named))
    assert all(item.text.strip() for item in found if isinstance(item, Memory))
    json.dumps(named)


@pytest.mark.parametrize(
    ("error", "told"),
    [({"code": 429, "message": "quota used up"}, "quota used up"), ({"code": 7}, '"code": 7')],
)
def test_an_error_that_is_an_object_is_told_too(error: Any, told: str) -> None:
    with pytest.raises(StoreBroken, match=told):
        read({"error": error}, results="hits[*]")


@pytest.mark.parametrize("error", [None, False, "", {}])
def test_an_error_that_says_nothing_is_none(error: Any) -> None:
    assert texts({"error": error, "hits": [{"text": "a"}]}, results="hits[*]") == ["a"]


def test_of_an_endless_list_the_rest_is_counted_and_not_looked_at() -> None:
    found = read([{"text": str(number)} for number in range(20_000)], limit=2)
    assert [item.text for item in found if isinstance(item, Memory)] == ["0", "1"]
    assert found[-1] == Problem("answer", "15000 further results, not looked at", harmless=True)


def test_what_stands_beside_a_text_is_bounded() -> None:
    long = "가" * 100_000
    (memory,) = read([{"id": long, "text": "a", "title": long, "path": long, "project": long}])
    assert isinstance(memory, Memory)
    assert len(memory.id) == 16
    assert memory.title == memory.project == "가" * 299 + "…"
    assert memory.path == ""
    (again,) = read([{"id": long, "text": "b"}])
    assert isinstance(again, Memory)
    assert again.id == memory.id
