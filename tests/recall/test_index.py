"""The persistent index."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall import question
from recall.api import Problem
from recall.errors import IndexUnavailable
from recall.index import Index, Loaded, Match, Row
from recall.index.expression import expression
from recall.supersession import Said
from recall.tokens import Tokenizer

TOKENIZER = Tokenizer()


def row(key: str, text: str, provider: str = "notes", title: str = "", context: str = "") -> Row:
    return Row(
        provider=provider,
        uri=f"recall://{provider}/{key}",
        title=title,
        text=text,
        path="",
        line=None,
        project="",
        created=None,
        updated=1.0,
        date_origin="test",
        kind="note",
        authority="",
        extra="{}",
        flags="",
        title_tokens=" ".join(TOKENIZER.tokens(title)),
        body_tokens=" ".join(TOKENIZER.tokens(text)),
        context_tokens=" ".join(TOKENIZER.tokens(context)),
    )


def loaded(key: str, text: str, stamp: str = "1", provider: str = "notes", context: str = "") -> Loaded:
    return Loaded(key, stamp, (row(key, text, provider, context=context),))


def weighed(text: str, index: Index) -> question.Question:
    return question.weigh(text, question.words(text, TOKENIZER), index)


def uris(index: Index, text: str, providers: tuple[str, ...] = ("notes",)) -> list[str]:
    asked = weighed(text, index)
    return [match.row.uri for match in index.search(asked.passes, asked.frequencies, providers, 20)[0]]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    opened = Index(str(tmp_path / "index.db"))
    yield opened
    opened.close()


def withdrawn(index: Index, key: str) -> str:
    match = index.get(f"recall://notes/{key}")
    assert match is not None
    return match.row.withdrawn


def superseded(old: str, new: str, *, in_part: bool = False) -> Said:
    return Said(f"recall://notes/{old}", f"recall://notes/{new}", f"superseded by {new}", in_part)


def flags(index: Index, key: str) -> str:
    match = index.get(f"recall://notes/{key}")
    assert match is not None
    return match.row.flags


def test_memories_that_supersede_each_other_both_stand_and_it_is_said(index: Index) -> None:
    for old, new in (("a", "b"), ("b", "a")):
        index.store("notes", [loaded(new, "use Kafka")._replace(said=(superseded(old, new),))])
    assert (withdrawn(index, "a"), withdrawn(index, "b")) == ("", "")
    assert (flags(index, "a"), flags(index, "b")) == ("disputed-by:b", "disputed-by:a")
    index.finish("notes", 0.0)
    (problem,) = index.counts()["notes"].problems
    assert (problem.where, problem.harmless) == ("a, b", True)
    assert "in a circle" in problem.reason
    index.store("notes", [loaded("b", "use Kafka", "2")])
    assert (withdrawn(index, "a"), withdrawn(index, "b"), flags(index, "a")) == ("", "superseded by a", "")
    assert index.counts()["notes"].problems == ()


def test_a_memory_that_was_replaced_in_part_stands_and_says_so(index: Index) -> None:
    index.store("notes", [loaded("a", "use RabbitMQ")])
    index.store("notes", [loaded("b", "x")._replace(said=(superseded("a", "b", in_part=True),))])
    assert (withdrawn(index, "a"), flags(index, "a")) == ("", "amended-by:b")
    index.forget("notes", ["b"])
    assert flags(index, "a") == ""


def test_a_memory_is_withdrawn_as_long_as_another_says_so(index: Index) -> None:
    newer = loaded("b", "use Kafka")._replace(said=(superseded("a", "b"),))
    index.store("notes", [newer])
    index.store("notes", [loaded("a", "use RabbitMQ")])  # it may be read before or after the one it withdraws
    assert (withdrawn(index, "a"), withdrawn(index, "b")) == ("superseded by b", "")
    asked = weighed("RabbitMQ", index)
    (match,) = index.search(asked.passes, asked.frequencies, ("notes",), 20)[0]
    assert match.row.withdrawn == "superseded by b"
    index.store("notes", [loaded("b", "use Kafka", "2")])
    assert withdrawn(index, "a") == ""
    index.store("notes", [newer])
    index.forget("notes", ["b"])
    assert withdrawn(index, "a") == ""


def test_what_a_memory_says_of_itself_counts_before_what_others_say(index: Index) -> None:
    own = loaded("a", "use RabbitMQ")
    index.store("notes", [own._replace(rows=(own.rows[0]._replace(withdrawn="rejected"),))])
    index.store("notes", [loaded("b", "x")._replace(said=(superseded("a", "b"),))])
    assert withdrawn(index, "a") == "rejected"


def test_two_that_withdraw_one_memory_give_one_reason(index: Index) -> None:
    for key in ("b", "c"):
        index.store("notes", [loaded(key, "x")._replace(said=(superseded("a", key),))])
    index.store("notes", [loaded("a", "use RabbitMQ")])
    assert withdrawn(index, "a") == "superseded by c"
    index.forget("notes", ["c"])
    assert withdrawn(index, "a") == "superseded by b"


def test_what_was_stored_is_found_by_its_words(index: Index) -> None:
    index.store("notes", [loaded("a", "결제 재시도는 세 번"), loaded("b", "the cache expires")])
    assert uris(index, "재시도") == ["recall://notes/a"]
    assert uris(index, "caches") == ["recall://notes/b"]


def test_a_memory_is_also_found_by_its_context_but_after_one_that_says_it_itself(index: Index) -> None:
    around = row("answer", "three times is enough", context="how often do we retry payments")
    itself = row("itself", "we retry payments often", context="what did we order for lunch")
    index.store(
        "notes", [Loaded("a", "1", (around, itself, *(row(str(n), f"filler {n}") for n in range(9))))]
    )
    assert uris(index, "retry payments") == ["recall://notes/itself", "recall://notes/answer"]


def test_a_context_leaves_the_index_with_its_memory(index: Index) -> None:
    index.store("notes", [Loaded("a", "1", (row("a", "one", context="zebra"),))])
    index.store("notes", [Loaded("a", "2", (row("a", "one", context="quagga"),))])
    assert uris(index, "zebra") == []
    assert index.document_frequencies(["zebra", "quagga"]) == {"zebra": 0, "quagga": 1}
    index.forget("notes", ["a"])
    assert index.document_frequencies(["quagga"]) == {"quagga": 0}


def test_storing_an_entry_again_replaces_its_memories(index: Index) -> None:
    index.store("notes", [loaded("a", "old words")])
    index.store("notes", [loaded("a", "new phrase", stamp="2")])
    assert uris(index, "old words") == []
    assert uris(index, "phrase") == ["recall://notes/a"]
    assert index.stamps("notes") == {"a": "2"}


def test_forgetting_removes_every_trace(index: Index) -> None:
    index.store("notes", [loaded("a", "secret plan")])
    index.forget("notes", ["a"])
    assert uris(index, "plan") == []
    assert index.size() == 0
    assert index.document_frequencies(["plan"]) == {"plan": 0}


def test_a_failed_entry_keeps_what_was_stored_and_is_read_again(index: Index) -> None:
    index.store("notes", [loaded("a", "kept words")])
    index.store("notes", [Loaded("a", "2", (), (Problem("a", "not readable"),), failed=True)])
    assert uris(index, "kept") == ["recall://notes/a"]
    assert index.stamps("notes") == {"a": ""}
    assert index.counts()["notes"].problems == (Problem("a", "not readable"),)


def test_vanished_memories_are_still_found_and_say_since_when(index: Index) -> None:
    index.store("notes", [loaded("a", "lost note")])
    index.mark_vanished("notes", ["a"], 5.0)
    asked = weighed("lost", index)
    ((match,), _others) = index.search(asked.passes, asked.frequencies, ("notes",), 5)
    assert match.vanished_at == 5.0
    assert index.vanished("notes") == {"a": 5.0}


def test_a_second_vanishing_keeps_the_first_date(index: Index) -> None:
    index.store("notes", [loaded("a", "lost note")])
    index.mark_vanished("notes", ["a"], 5.0)
    index.mark_vanished("notes", ["a"], 9.0)
    assert index.vanished("notes") == {"a": 5.0}


def test_only_the_asked_providers_answer(index: Index) -> None:
    for provider in ("notes", "other"):
        index.store(provider, [loaded("a", "shared words", provider=provider)])
        index.finish(provider, 1.0)
    assert uris(index, "shared", ("other",)) == ["recall://other/a"]


def test_a_memory_that_moves_to_another_entry_comes_once(index: Index) -> None:
    index.store("notes", [Loaded("old", "1", (row("same", "one text"),))])
    index.store("notes", [Loaded("new", "1", (row("same", "one text"),))])
    index.forget("notes", ["old"])
    assert uris(index, "text") == ["recall://notes/same"]


@pytest.mark.parametrize("content", [b"not a database at all", b"SQLite format 3\0" + b"\xff" * 4000])
def test_a_damaged_file_is_replaced_by_a_new_index(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "index.db"
    path.write_bytes(content)
    index = Index(str(path))
    assert index.rebuilt == "damaged"
    index.store("notes", [loaded("a", "works again")])
    assert uris(index, "works") == ["recall://notes/a"]


def test_an_index_of_another_version_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    Index(str(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = 'older' WHERE key = 'identity'")
    connection.close()
    assert Index(str(path)).rebuilt == "of another version"


def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    Index(str(path)).close()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_a_folder_in_its_place_is_an_error_with_a_next_step(tmp_path: Path) -> None:
    (tmp_path / "index.db").mkdir()
    with pytest.raises(IndexUnavailable) as raised:
        Index(str(tmp_path / "index.db"))
    assert raised.value.next_step


def test_two_processes_worth_of_connections_see_each_other(tmp_path: Path) -> None:
    first, second = Index(str(tmp_path / "index.db")), Index(str(tmp_path / "index.db"))
    first.store("notes", [loaded("a", "written by one")])
    assert uris(second, "written") == ["recall://notes/a"]


WORDS = ("결제", "재시도", "cache", "expiry", "배포", "rollback", "queue", "정산", "batch", "lock")
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["write", "delete", "vanish"]),
        st.sampled_from([f"note{number}" for number in range(12)]),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=8),
    ),
    min_size=1,
    max_size=200,
)


@given(EDITS)
@settings(max_examples=25)
def test_an_incremental_index_equals_a_rebuilt_one(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str, list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("incremental")
    incremental, rebuilt = Index(str(folder / "a.db")), Index(str(folder / "b.db"))
    world: dict[str, str] = {}
    for number, (action, key, words) in enumerate(edits):
        if action == "write":
            world[key] = " ".join(words)
            incremental.store("notes", [loaded(key, world[key], str(number), context=words[-1])])
        elif action == "delete":
            world.pop(key, None)
            incremental.forget("notes", [key])
        else:
            incremental.mark_vanished("notes", [key], 1.0)
            incremental.unmark_vanished("notes", [key])
    rebuilt.store("notes", [loaded(key, text, context=text.split()[-1]) for key, text in world.items()])
    for word in WORDS:
        assert _scores(incremental, word) == pytest.approx(_scores(rebuilt, word))
    incremental.close()
    rebuilt.close()


def _scores(index: Index, word: str) -> dict[str, float]:
    asked = weighed(word, index)
    found, _others = index.search(asked.passes, asked.frequencies, ("notes",), 50)
    return {match.row.uri: match.score for match in found}


def test_terms_that_most_memories_hold_still_order_them(index: Index) -> None:
    index.store(
        "notes",
        [loaded("once", "결제 서버의 구조"), loaded("twice", "결제 결제 서버"), loaded("none", "배포")],
    )
    index.store("notes", [loaded(f"more{number}", f"결제 기록 {number}") for number in range(3)])
    assert index.document_frequencies(["결제"])["결제"] * 2 > index.size()
    asked = weighed("결제 서버", index)
    found, _others = index.search(asked.passes, asked.frequencies, ("notes",), 10)
    assert [match.row.uri for match in found[:2]] == ["recall://notes/twice", "recall://notes/once"]
    assert all(match.score > 0.1 for match in found)


def test_a_search_reads_one_state_of_an_index_that_another_process_rewrites(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.store("notes", [loaded("a", "payment timeout")])
    index.finish("notes", 1.0)
    asked = weighed("payment timeout", index)
    other = Index(index.path)
    matches = index._matches

    def rewritten_first(scores: Mapping[int, float]) -> list[Match]:
        other.store("notes", [loaded("b", "another note"), loaded("a", "payment timeout", "2")])
        return matches(scores)

    monkeypatch.setattr(index, "_matches", rewritten_first)
    found, _left_out = index.search(asked.passes, asked.frequencies, ("notes",), 20)
    other.close()
    assert [match.row.uri for match in found] == ["recall://notes/a"]
    assert index.stamps("notes") == {"a": "2", "b": "1"}


def test_what_another_process_changes_is_seen_at_the_next_look(index: Index) -> None:
    index.store("notes", [loaded("a", "one")])
    assert index.stamps("notes") == {"a": "1"}
    assert index.counts()["notes"].memories == 1
    other = Index(index.path)
    other.store("notes", [loaded("a", "two", "2"), loaded("b", "three")])
    assert index.stamps("notes") == {"a": "2", "b": "1"}
    assert index.counts()["notes"].memories == 2
    other.mark_vanished("notes", ["b"], 5.0)
    other.close()
    assert index.vanished("notes") == {"b": 5.0}
    assert index.stores("notes").keys() == {"a"}


def test_a_phrase_is_quoted_whatever_its_words_mean_to_the_search() -> None:
    phrases, frequencies = ["near", "a and b"], {"near": 1, "a": 1, "and": 1, "b": 1}
    assert expression(phrases, frequencies, 10, 1_000) == '"near" OR "a and b"'
