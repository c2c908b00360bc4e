"""The whole recall over fake providers: what each does to the others, and what the answer says of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recall.answer import Answer, Outcome
from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Query, Scope, State
from recall.engine import Engine
from recall.errors import NotConfigured, StoreAbsent, StoreBroken, StoreBusy, UsageError
from recall.plugins import Plugin
from recall.settings import ProviderSettings, QuerySettings, Settings
from recall.testing.fakes import Asked, Broken, Empty, Exiting, Notes, Returning, Slow
from support.worlds import NOW, make_engine, make_scope

RETRY = "실패한 결제는 세 번까지 재시도한다"
DAY = 86_400.0


def outcome(answer: Answer, name: str) -> Outcome:
    return next(one for one in answer.outcomes if one.provider == name)


def uris(answer: Answer) -> list[str]:
    return [hit.ranked.row.uri for hit in answer.hits]


def asked(engine: Engine, text: str = "결제 재시도", **options: float) -> Answer:
    return engine.recall(text, deadline=options.pop("deadline", 30.0), **options)  # type: ignore[arg-type]


def test_memories_of_several_sources_come_in_one_ranking(tmp_path: Path) -> None:
    engine = make_engine(
        tmp_path,
        [
            Notes("serena", {"retry": RETRY}),
            Notes("claude-mem", {"one": "결제 서버를 다시 켰다"}, Authority.CAPTURED),
        ],
    )
    assert uris(asked(engine)) == ["recall://serena/retry", "recall://claude-mem/one"]


def test_every_provider_has_one_outcome(tmp_path: Path) -> None:
    engine = make_engine(
        tmp_path,
        [
            Notes("full", {"retry": RETRY}),
            Empty("empty"),
            Broken("gone", StoreAbsent("no store", "install it")),
            Broken("locked", StoreBusy("locked")),
            Broken("damaged", StoreBroken("not a database")),
            Broken("unset", NotConfigured("needs a url", "set it")),
            Broken("buggy", ValueError("oops")),
            Exiting("leaving"),
        ],
        broken=[Plugin("torn", "tests", "1", reason="SyntaxError", next_step="report it")],
    )
    answer = asked(engine)
    assert {one.provider: one.state for one in answer.outcomes} == {
        "full": State.READY,
        "empty": State.EMPTY,
        "gone": State.ABSENT,
        "locked": State.BUSY,
        "damaged": State.BROKEN,
        "unset": State.OFF,
        "buggy": State.BROKEN,
        "leaving": State.BROKEN,
        "torn": State.BROKEN,
    }
    assert all(one.reason for one in answer.outcomes if one.state is not State.READY)
    assert uris(answer) == ["recall://full/retry"]
    assert outcome(answer, "locked").retryable
    assert "sys.exit" in outcome(answer, "leaving").reason


def test_a_provider_that_never_answers_is_named_and_the_others_are_served(tmp_path: Path) -> None:
    hanging = Slow("stuck", {"a": "결제"})
    engine = make_engine(tmp_path, [hanging, Notes("serena", {"retry": RETRY})])
    answer = asked(engine, deadline=0.5)
    assert hanging.began.is_set()
    assert uris(answer) == ["recall://serena/retry"]
    assert (outcome(answer, "stuck").state, outcome(answer, "stuck").late) == (State.BUSY, True)
    assert engine.abandoned() == 1
    hanging.release.set()


def test_what_a_hanging_provider_said_earlier_still_answers(tmp_path: Path) -> None:
    hanging = Slow("stuck", {"retry": RETRY})
    hanging.release.set()
    engine = make_engine(tmp_path, [hanging])
    assert uris(asked(engine)) == ["recall://stuck/retry"]
    hanging.release.clear()
    answer = asked(engine, deadline=0.5)
    assert uris(answer) == ["recall://stuck/retry"]
    assert "answer in its place" in outcome(answer, "stuck").reason
    hanging.release.set()


@pytest.mark.parametrize(
    "provider",
    [
        Returning("odd", entries=[42]),
        Returning("odd", load=["text"]),
        Returning("odd", load=[Memory("", "no id")]),
        Returning("odd", load=[Memory("a", 5)]),  # type: ignore[arg-type]
        Returning("odd", load=[Memory("a", "x", updated=datetime(2026, 1, 1))]),
        Returning("odd", load=[Memory("a", "x", authority="king")]),  # type: ignore[arg-type]
        Returning("odd", entries=[], health="fine"),
        Returning("odd", entries=[], health=Health(State.READY, 0)),
        Returning("odd", entries=7),
    ],
    ids=lambda provider: str(provider._answers),
)
def test_garbage_is_the_providers_own_outcome(tmp_path: Path, provider: Returning) -> None:
    answer = asked(make_engine(tmp_path, [provider, Notes("serena", {"retry": RETRY})]))
    assert outcome(answer, "odd").state is State.BROKEN
    assert uris(answer) == ["recall://serena/retry"]


def test_nothing_found_is_told_from_could_not_look(tmp_path: Path) -> None:
    looked = asked(make_engine(tmp_path / "a", [Notes("serena", {"core": "무관한 글"})]), "kubernetes")
    blind = asked(make_engine(tmp_path / "b", [Broken("serena", StoreBroken("damaged"))]), "kubernetes")
    assert (looked.hits, looked.looked) == ((), True)
    assert (blind.hits, blind.looked) == ((), False)


def test_unreadable_entries_are_counted_and_do_not_hide_the_rest(tmp_path: Path) -> None:
    notes = Notes("serena", {"retry": RETRY})
    notes.problems = [Problem("runbook.md", "not a regular file but a named pipe; skipped")]
    answer = asked(make_engine(tmp_path, [notes]))
    assert outcome(answer, "serena").state is State.DEGRADED
    assert "runbook.md" in outcome(answer, "serena").reason
    assert uris(answer)


def test_a_harmless_problem_is_a_note_and_no_damage(tmp_path: Path) -> None:
    notes = Notes("serena", {"retry": RETRY})
    notes.problems = [Problem("memory", "shared with another project", harmless=True)]
    answer = asked(make_engine(tmp_path, [notes]))
    assert outcome(answer, "serena").state is State.READY
    assert outcome(answer, "serena").notes == ("memory: shared with another project",)


def test_only_changed_entries_are_read_again(tmp_path: Path) -> None:
    notes = Notes("serena", {"retry": RETRY, "core": "상점"})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    notes.loads.clear()
    notes.notes["core"] = "온라인 상점"
    asked(engine)
    assert notes.loads == ["core"]


def test_a_deleted_note_is_forgotten_at_once(tmp_path: Path) -> None:
    notes = Notes("serena", {"retry": RETRY, "core": "결제 상점"})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    del notes.notes["retry"]
    assert uris(asked(engine)) == ["recall://serena/core"]


def test_a_source_that_suddenly_lists_nothing_keeps_its_memories_marked(tmp_path: Path) -> None:
    notes = Notes("serena", {"retry": RETRY})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    notes.notes.clear()
    answer = asked(engine)
    assert uris(answer) == ["recall://serena/retry"]
    assert answer.hits[0].ranked.vanished_at == NOW
    assert outcome(answer, "serena").state is State.EMPTY
    assert outcome(answer, "serena").vanished == 1


def test_a_source_that_lost_most_of_its_notes_keeps_them_marked(tmp_path: Path) -> None:
    notes = Notes("serena", {f"note{number}": f"{RETRY} {number}번 기록" for number in range(30)})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    for number in range(28):
        del notes.notes[f"note{number}"]
    assert outcome(asked(engine), "serena").vanished == 28


class Certain(Notes):
    """A source whose listing is proof."""

    listing_is_proof = True


def test_a_source_whose_listing_is_proof_is_believed_however_much_is_gone(tmp_path: Path) -> None:
    notes = Certain("serena", {f"note{number}": f"{RETRY} {number}번 기록" for number in range(30)})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    for number in range(28):
        del notes.notes[f"note{number}"]
    found = outcome(asked(engine), "serena")
    assert (found.memories, found.vanished) == (2, 0)
    notes.notes.clear()
    found = outcome(asked(engine), "serena")
    assert (found.memories, found.vanished) == (0, 0)


def test_a_proof_with_something_hidden_is_none(tmp_path: Path) -> None:
    notes = Certain("serena", {"retry": RETRY, "other": f"{RETRY} 더"})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    del notes.notes["retry"]
    notes.problems.append(Problem("a folder", "unreadable", hides_entries=True))
    assert outcome(asked(engine), "serena").vanished == 1
    notes.problems.clear()
    assert outcome(asked(engine), "serena").memories == 1


def test_a_source_that_cannot_be_read_any_more_keeps_its_memories_marked(tmp_path: Path) -> None:
    failing = Broken("serena", StoreBroken("damaged"), {"retry": RETRY})
    error, failing.error = failing.error, None
    engine = make_engine(tmp_path, [failing])
    asked(engine)
    failing.error = error
    answer = asked(engine)
    assert answer.hits[0].ranked.vanished_at == NOW
    assert outcome(answer, "serena").state is State.BROKEN


def test_a_locked_source_is_no_reason_to_call_its_memories_vanished(tmp_path: Path) -> None:
    failing = Broken("serena", StoreBusy("locked"), {"retry": RETRY})
    error, failing.error = failing.error, None
    engine = make_engine(tmp_path, [failing])
    asked(engine)
    failing.error = error
    assert asked(engine).hits[0].ranked.vanished_at is None


def test_what_returns_is_no_longer_marked(tmp_path: Path) -> None:
    notes = Notes("serena", {"retry": RETRY})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    kept = dict(notes.notes)
    notes.notes.clear()
    asked(engine)
    notes.notes.update(kept)
    answer = asked(engine)
    assert answer.hits[0].ranked.vanished_at is None
    assert outcome(answer, "serena").vanished == 0


def test_the_user_can_forget_what_vanished(tmp_path: Path) -> None:
    notes = Notes("serena", {"retry": RETRY})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    notes.notes.clear()
    asked(engine)
    assert engine.forget_vanished("serena") == 1
    assert uris(asked(engine)) == []


def test_vanished_memories_go_when_the_source_was_healthy_without_them_for_a_while(tmp_path: Path) -> None:
    notes = Notes("serena", {f"note{number}": f"{RETRY} {number}" for number in range(30)})
    first = make_engine(tmp_path, [notes])
    asked(first)
    notes.notes = {"note0": notes.notes["note0"]}
    asked(first)
    first.close()
    soon = make_engine(tmp_path, [notes], now=NOW + 3 * DAY)
    assert outcome(asked(soon), "serena").vanished == 29
    soon.close()
    later = make_engine(tmp_path, [notes], now=NOW + 15 * DAY)
    assert outcome(asked(later), "serena").vanished == 0


def test_an_incomplete_listing_forgets_nothing(tmp_path: Path) -> None:
    notes = Notes("serena", {"retry": RETRY, "core": "결제 상점"})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    del notes.notes["retry"]
    notes.problems = [Problem("payments", "input/output error", hides_entries=True)]
    assert "recall://serena/retry" in uris(asked(engine))


def test_a_search_only_provider_gets_key_terms_and_is_scored_like_the_rest(tmp_path: Path) -> None:
    worker = Asked("worker", lambda query: [Memory("hit", RETRY), Memory("noise", "무관한 글")])
    engine = make_engine(tmp_path, [worker, Notes("serena", {"core": "결제 모듈의 구조를 정리한 글"})])
    answer = asked(engine)
    assert uris(answer)[0] == "recall://worker/hit"
    assert set(worker.queries[0].terms) == {"결제", "재시도"}


def test_candidates_of_an_earlier_question_are_not_called_vanished(tmp_path: Path) -> None:
    memories = {
        "결제 재시도": Memory("hit", RETRY),
        "배포 절차": Memory("other", "배포 절차는 화요일에만 밟는다"),
    }
    worker = Asked("worker", lambda query: [memories[query.text]])
    engine = make_engine(tmp_path, [worker])
    asked(engine)
    answer = asked(engine, "배포 절차")
    assert uris(answer) == ["recall://worker/other"]
    assert outcome(answer, "worker").vanished == 0


@pytest.mark.parametrize("error", [StoreAbsent("no program"), StoreBroken("it ended")])
def test_what_a_source_gave_before_its_question_failed_is_not_called_vanished(
    tmp_path: Path, error: Exception
) -> None:
    given: list[Memory] = [Memory("hit", RETRY)]

    def answer(_query: Query) -> list[Memory]:
        if not given:
            raise error
        return given

    engine = make_engine(tmp_path, [Asked("worker", answer)])
    assert uris(asked(engine)) == ["recall://worker/hit"]
    given.clear()
    later = asked(engine)
    assert outcome(later, "worker").state in (State.ABSENT, State.BROKEN)
    assert (uris(later), outcome(later, "worker").vanished) == (["recall://worker/hit"], 0)


def test_limit_and_budget_leave_out_and_count(tmp_path: Path) -> None:
    notes = Notes("serena", {f"note{n}": f"{RETRY}. {'가나다라 ' * 40}{n}" * (n + 1) for n in range(6)})
    engine = make_engine(tmp_path, [notes])
    shown = [member for hit in asked(engine, limit=2).hits for member in (hit,)]
    assert len(shown) <= 2
    small = asked(engine, budget=80)
    assert sum(hit.tokens for hit in small.hits) <= 160
    assert small.left_out.shortened + small.left_out.beyond_budget > 0


def test_a_weak_match_is_hidden_and_counted(tmp_path: Path) -> None:
    answer = asked(
        make_engine(tmp_path, [Notes("serena", {"core": "로그 화면의 색을 바꿨다"})]),
        "김치찌개 냄비 화면 끓이는 순서",
    )
    assert answer.hits == ()
    assert answer.left_out.below_floor == 1


@pytest.mark.parametrize("question", ["", "   ", "\0", "-", '""', "?!"])
def test_a_question_without_a_word_is_a_usage_error(tmp_path: Path, question: str) -> None:
    with pytest.raises(UsageError):
        asked(make_engine(tmp_path, [Notes("serena", {"retry": RETRY})]), question)


@pytest.mark.parametrize(
    "question",
    [
        'pre-edit "gate',
        "foo AND (",
        "NEAR/ gate",
        "title:gate*",
        "'; DROP TABLE memory; --",
        "^gate",
        "gate\0way",
    ],
)
def test_a_question_is_never_search_syntax(tmp_path: Path, question: str) -> None:
    engine = make_engine(
        tmp_path, [Notes("serena", {"gate": "the pre-edit gate runs foo before every gate way"})]
    )
    assert uris(asked(engine, question)) in (["recall://serena/gate"], [])
    assert uris(asked(engine, "pre-edit gate")) == ["recall://serena/gate"]


def test_a_question_of_ten_thousand_characters_is_answered(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, [Notes("serena", {"retry": RETRY})])
    answer = asked(engine, ("결제 재시도 정책을 알려 줘 " * 1000)[:10_000])
    assert uris(answer) == ["recall://serena/retry"]


def test_unsearched_terms_of_a_long_question_are_counted(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, [Notes("serena", {"retry": RETRY})])
    answer = asked(engine, "결제 재시도 " + " ".join(f"term{number}x" for number in range(100)))
    assert answer.left_out.question_terms > 0


def test_a_question_longer_than_anybody_would_ask_is_a_usage_error(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, [Notes("serena", {"retry": RETRY})])
    assert asked(engine, "결제 재시도 " * 14_000).hits
    with pytest.raises(UsageError, match="more than 100,000"):
        asked(engine, "결제 재시도 " * 15_000)


def test_an_unknown_provider_gets_the_nearest_name(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, [Notes("serena", {"retry": RETRY})])
    with pytest.raises(UsageError) as raised:
        engine.recall("결제", providers=["serana"])
    assert "serena" in raised.value.next_step


def test_only_the_named_providers_are_asked(tmp_path: Path) -> None:
    other = Notes("other", {"retry": RETRY})
    engine = make_engine(tmp_path, [Notes("serena", {"retry": RETRY}), other])
    answer = engine.recall("결제 재시도", providers=["serena"], deadline=30)
    assert uris(answer) == ["recall://serena/retry"]
    assert [one.provider for one in answer.outcomes] == ["serena"]
    assert other.loads == []


def test_secrets_and_hidden_characters_do_not_reach_the_index(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    engine = make_engine(tmp_path, [Notes("serena", {"retry": f"결제\u200b 재시도 토큰 {token} \x1b[31m끝"})])
    answer = asked(engine)
    engine.close()
    assert token not in answer.hits[0].excerpt
    assert "\x1b" not in answer.hits[0].excerpt
    for path in (tmp_path / "cache").rglob("*"):
        assert not path.is_file() or token.encode() not in path.read_bytes()


def test_settings_override_a_providers_authority(tmp_path: Path) -> None:
    settings = Settings(providers={"serena": ProviderSettings(authority=Authority.CHAT)})
    answer = asked(make_engine(tmp_path, [Notes("serena", {"retry": RETRY})], settings))
    assert answer.hits[0].ranked.factors.authority is Authority.CHAT


def test_a_memory_overrides_its_providers_authority(tmp_path: Path) -> None:
    notes = Notes("docs", {"adr": Memory("adr", RETRY, authority=Authority.DECISION)})
    assert asked(make_engine(tmp_path, [notes])).hits[0].ranked.factors.authority is Authority.DECISION


def test_two_engines_in_one_process_do_not_meet(tmp_path: Path) -> None:
    strict = Settings(query=QuerySettings(limit=1))
    first = make_engine(
        tmp_path / "a", [Notes("serena", {"a": RETRY, "b": "결제 재시도를 화면에 알린다"})], strict
    )
    second = make_engine(tmp_path / "b", [Notes("serena", {"c": "결제 재시도 지표를 본다"})])
    answers = [asked(first), asked(second), asked(first)]
    assert [len(answer.hits) for answer in answers] == [1, 1, 1]
    assert uris(answers[1]) == ["recall://serena/c"]
    assert uris(answers[0]) == uris(answers[2])


def test_two_engines_with_other_options_share_a_cache_folder_and_no_index(tmp_path: Path) -> None:
    first = make_engine(tmp_path, [Notes("serena", {"a": RETRY})])
    named = make_engine(
        tmp_path, [Notes("serena", {"a": RETRY})], scope=make_scope(tmp_path, names=("other",))
    )
    assert first.index.path != named.index.path


def test_an_index_belongs_to_one_set_of_options(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Prompts:
        prompts: bool = True

    class Asking(Notes):
        Options = Prompts  # type: ignore[assignment]

    plain, asking = Notes("serena", {"a": RETRY}), Asking("serena", {"a": RETRY})
    paths = {make_engine(tmp_path, [one]).index.path for one in (plain, asking)}
    assert len(paths) == 2
    assert make_engine(tmp_path, [Notes("serena", {"b": RETRY})]).index.path in paths


def test_a_cached_answer_asks_nobody(tmp_path: Path) -> None:
    notes = Notes("serena", {"retry": RETRY})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    notes.notes.clear()
    assert uris(engine.recall("결제 재시도", read=False)) == ["recall://serena/retry"]


@pytest.fixture
def two_days_later(tmp_path: Path) -> Iterator[Engine]:
    day = datetime.fromtimestamp(NOW - 2 * DAY, UTC)
    notes = Notes("serena", {"retry": Memory("retry", RETRY, updated=day, date_origin="front matter")})
    engine = make_engine(tmp_path, [notes])
    yield engine
    engine.close()


def test_ages_are_counted_from_the_engines_clock(two_days_later: Engine) -> None:
    age = asked(two_days_later).hits[0].ranked.factors.age_days
    assert age == pytest.approx(2.0)


def test_show_finds_a_memory_by_its_uri(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, [Notes("serena", {"배포/롤백_절차": "한 줄\n두 줄"})])
    match = engine.show("recall://serena/배포/롤백_절차")
    assert match is not None
    assert match.row.text == "한 줄\n두 줄"
    assert engine.show("recall://serena/%EB%B0%B0%ED%8F%AC%2F롤백_절차") == match
    assert engine.show("recall://serena/none") is None


def test_a_scope_of_other_names_is_another_index(tmp_path: Path) -> None:
    scope = make_scope(tmp_path)
    engine = make_engine(tmp_path, [Notes("serena", {"a": RETRY})], scope=scope)
    everywhere = make_engine(
        tmp_path, [Notes("serena", {"a": RETRY})], scope=replace(scope, all_projects=True)
    )
    assert engine.index.path != everywhere.index.path


def test_an_index_that_is_damaged_under_a_running_engine_is_made_anew_and_read_again(tmp_path: Path) -> None:
    notes = Notes(
        "serena", {f"note{number}": f"{RETRY} {number} " + "채움말 " * 200 for number in range(200)}
    )
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    with sqlite3.connect(engine.index.path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with open(engine.index.path, "r+b") as file:
        for page in range(1, 400):
            file.seek(page * 4096)
            file.write(b"\xff" * 4096)
    answer = asked(engine)
    assert answer.hits
    assert any("made anew" in notice for notice in answer.notices)
    assert uris(asked(engine))


class Stores(Notes):
    """Notes whose keys begin with the store they are in."""

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        for entry in super().entries(scope, deadline):
            assert isinstance(entry, Entry)
            yield replace(entry, store=entry.key.split("/")[0])


def test_a_whole_store_that_is_gone_has_vanished_however_few_notes_it_held(tmp_path: Path) -> None:
    notes = Stores("serena", {"project/retry": RETRY, "global/core": "결제 상점의 구조"})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    del notes.notes["project/retry"]
    answer = asked(engine)
    (gone,) = [hit for hit in answer.hits if hit.ranked.vanished_at is not None]
    assert gone.ranked.row.uri == "recall://serena/project/retry"
    assert (outcome(answer, "serena").state, outcome(answer, "serena").vanished) == (State.DEGRADED, 1)


def test_a_note_deleted_from_a_store_that_lists_others_is_forgotten(tmp_path: Path) -> None:
    notes = Stores("serena", {"project/retry": RETRY, "project/core": "결제 상점의 구조"})
    engine = make_engine(tmp_path, [notes])
    asked(engine)
    del notes.notes["project/retry"]
    assert uris(asked(engine)) == ["recall://serena/project/core"]


def test_an_answer_from_an_index_that_holds_nothing_is_no_look(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, [Notes("serena", {"retry": RETRY})])
    answer = engine.recall("결제 재시도", read=False)
    assert (answer.hits, answer.looked) == ((), False)
