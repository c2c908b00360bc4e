"""Ranking: bounded factors, folding, conflicts, the floor."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import grouping, merge
from recall.api import Authority
from recall.evidence.result import Evidence, Finding, Status, Verdict
from recall.index import Match, Row
from recall.question import Question
from recall.relevance import subject
from recall.render import plain
from recall.tokens import Tokenizer, Word

TOKENIZER = Tokenizer()
DAY = 86_400.0
NOW = 1_000 * DAY
WEIGHTS = {
    Authority.CODE: 1.0,
    Authority.STATE: 0.9,
    Authority.DECISION: 0.8,
    Authority.CURATED: 0.6,
    Authority.CAPTURED: 0.4,
    Authority.CHAT: 0.2,
}


def match(uri: str, text: str, score: float = 1.0, **changes: Any) -> Match:
    authority = changes.pop("authority", Authority.CURATED)
    age = changes.pop("age", 0.0)
    vanished = changes.pop("vanished_at", None)
    fields: dict[str, Any] = {
        "provider": uri.split("/")[0],
        "uri": f"recall://{uri}",
        "title": "",
        "text": text,
        "path": "",
        "line": None,
        "project": "",
        "created": None,
        "updated": None if age is None else NOW - age * DAY,
        "date_origin": "",
        "kind": "note",
        "authority": authority.value,
        "extra": "{}",
        "flags": "",
        "title_tokens": "",
        "body_tokens": " ".join(TOKENIZER.tokens(text)),
    }
    return Match(Row(**{**fields, **changes}), score, vanished)


def asked(*tokens: str) -> Question:
    words = tuple(Word(token, (token,)) for token in tokens)
    about = subject(words, dict.fromkeys(tokens, 1.0))
    return Question(" ".join(tokens), tuple((word, 1.0) for word in words), {}, about, (), 0)


def rank(
    *matches: Match,
    question: Question | None = None,
    floor: float = 0.0,
    checking: merge.Checking | None = None,
) -> merge.Ranking:
    weights = merge.Weights(WEIGHTS, lambda row: Authority(row.authority), 90.0, floor, NOW)
    return merge.rank(matches, question or asked("x"), weights, checking)


def contradicting(*uris: str, most: int = 24, only_current: bool = False) -> merge.Checking:
    """Evidence that contradicts some memories."""
    wrong = {f"recall://{uri}" for uri in uris}

    def check(rows: Sequence[Row]) -> dict[str, Evidence]:
        return {
            row.uri: Evidence(Verdict.CONTRADICTED if row.uri in wrong else Verdict.CURRENT) for row in rows
        }

    return merge.Checking(most, check, lambda _uri: None, only_current)


def order(ranking: merge.Ranking) -> list[str]:
    return [ranked.row.uri for ranked in ranking.ranked]


def test_the_better_match_leads_when_all_else_is_equal() -> None:
    assert order(rank(match("a/1", "one two", 1.0), match("b/1", "three four", 2.0)))[0] == "recall://b/1"


def test_of_equal_matches_the_more_authoritative_leads() -> None:
    low = match("chat/1", "one two", authority=Authority.CHAT)
    high = match("git/1", "three four", authority=Authority.CODE)
    assert order(rank(low, high)) == ["recall://git/1", "recall://chat/1"]


def test_of_equal_matches_the_newer_leads() -> None:
    assert (
        order(rank(match("a/old", "one two", age=400), match("a/new", "three four", age=1)))[0]
        == "recall://a/new"
    )


def test_authority_and_age_cannot_lift_a_match_half_as_good() -> None:
    strong = match("chat/1", "one two", 2.0, authority=Authority.CHAT, age=2_000)
    weak = match("git/1", "three four", 1.0, authority=Authority.CODE, age=0)
    assert order(rank(strong, weak))[0] == "recall://chat/1"


def test_a_memory_without_a_date_is_neither_new_nor_old() -> None:
    new, none, old = (match(f"a/{name}", f"{name} text", age=age) for name, age in
                      (("new", 0), ("none", None), ("old", 9_000)))  # fmt: skip
    assert order(rank(old, none, new)) == ["recall://a/new", "recall://a/none", "recall://a/old"]


def test_a_vanished_memory_ranks_lower_and_says_so() -> None:
    ranking = rank(match("a/gone", "one two", vanished_at=5.0), match("b/here", "three four"))
    assert order(ranking) == ["recall://b/here", "recall://a/gone"]
    assert ranking.ranked[1].factors.vanished_factor < 1


@given(st.sampled_from(Authority), st.floats(0, 20_000), st.sampled_from(Authority), st.floats(0, 20_000))
def test_of_equal_matches_one_that_stands_comes_before_every_withdrawn_one(
    high: Authority, young: float, low: Authority, old: float
) -> None:
    withdrawn = match("adr/1", "one two", authority=high, age=young, withdrawn="superseded by 0012")
    stands = match("chat/1", "three four", authority=low, age=old)
    ranking = rank(withdrawn, stands)
    assert order(ranking) == ["recall://chat/1", "recall://adr/1"]
    assert ranking.ranked[1].factors.withdrawn_factor == 0.75


def test_a_withdrawn_memory_that_fits_much_better_still_comes_first() -> None:
    withdrawn = match("adr/1", "one two", 2.0, withdrawn="deprecated")
    assert order(rank(withdrawn, match("a/1", "three four", 1.0)))[0] == "recall://adr/1"


@pytest.mark.parametrize("attempts", [3, 5])
def test_a_withdrawn_memory_never_leads_its_group(attempts: int) -> None:
    text = "The payment worker retries a failed charge {} times with exponential back-off."
    withdrawn = match("adr/1", text.format(3), 5.0, authority=Authority.DECISION, withdrawn="rejected")
    stands = match("chat/1", text.format(attempts), 1.0, authority=Authority.CHAT, age=900, vanished_at=5.0)
    (lead,) = rank(withdrawn, stands).ranked
    assert lead.row.uri == "recall://chat/1"
    assert [other.row.withdrawn for other in lead.disagrees] == ["rejected"]


def test_copies_that_are_all_withdrawn_are_copies() -> None:
    text = "The payment worker retries a failed charge three times with exponential back-off."
    one, two = (match(f"{name}/1", text, withdrawn="rejected") for name in ("adr", "notes"))
    (lead,) = rank(one, two).ranked
    assert len(lead.also) == 1


def test_the_same_text_in_two_sources_comes_once_with_both_tags() -> None:
    text = "The payment worker retries a failed charge three times with back-off."
    ranking = rank(match("serena/1", text), match("claude-mem/1", text, authority=Authority.CAPTURED))
    assert order(ranking) == ["recall://serena/1"]
    assert [other.row.uri for other in ranking.ranked[0].also] == ["recall://claude-mem/1"]


def test_memories_alike_only_in_what_stands_around_them_are_two() -> None:
    around = " ".join(
        TOKENIZER.tokens("The payment worker retries a failed charge three times with back-off.")
    )
    first = match("chat/1", "Lunch at noon on the roof with all of the team.", context_tokens=around)
    second = match("chat/2", "The printer in the cellar wants new paper again.", context_tokens=around)
    assert order(rank(first, second)) == ["recall://chat/1", "recall://chat/2"]


def test_what_stands_around_a_memory_is_no_evidence_for_the_floor() -> None:
    question = asked(*TOKENIZER.tokens("kubernetes ingress timeout"))
    around = " ".join(TOKENIZER.tokens("kubernetes ingress timeout"))
    only_around = match("chat/1", "Lunch at noon.", context_tokens=around)
    assert rank(only_around, question=question, floor=0.34) == merge.Ranking((), 1)
    itself = match("chat/2", "The kubernetes ingress has a timeout.")
    assert order(rank(only_around, itself, question=question, floor=0.34)) == ["recall://chat/2"]


def test_a_different_number_is_a_conflict_and_the_higher_authority_leads() -> None:
    old = match("antigravity/1", "결제 게이트웨이의 포트는 8080번을 쓴다. 방화벽도 열어 둔다.", 3.0)
    right = match(
        "docs/1",
        "결제 게이트웨이의 포트는 8443번을 쓴다. 방화벽도 열어 둔다.",
        2.5,
        authority=Authority.DECISION,
    )
    (leading,) = rank(old, right).ranked
    assert leading.row.uri == "recall://docs/1"
    assert [other.row.uri for other in leading.disagrees] == ["recall://antigravity/1"]


def test_a_memory_that_is_still_there_leads_a_vanished_one_of_any_authority() -> None:
    text = "The payment worker retries a failed charge three times with back-off."
    gone = match("docs/1", text, 3.0, authority=Authority.DECISION, vanished_at=5.0)
    here = match("chat/1", text, 1.0, authority=Authority.CHAT, age=900)
    (leading,) = rank(gone, here).ranked
    assert leading.row.uri == "recall://chat/1"
    assert [other.row.uri for other in leading.also] == ["recall://docs/1"]


def test_of_equal_authorities_the_newer_leads_a_conflict() -> None:
    old = match("a/1", "The API listens on port 8080 behind the gateway proxy host.", 3.0, age=100)
    new = match("b/1", "The API listens on port 8443 behind the gateway proxy host.", 2.9, age=1)
    (leading,) = rank(old, new).ranked
    assert leading.row.uri == "recall://b/1"


CHARGES = TOKENIZER.tokens("the number of retries for payment jobs")


def told(uri: str, text: str, score: float, authority: Authority, age: float = 0.0) -> Match:
    return match(uri, text, score, authority=authority, age=age)


def test_brief_answers_to_the_whole_question_with_other_numbers_are_a_conflict_in_any_words() -> None:
    chat = told("chat/1", "what was the number of retries for payment jobs? 5, I think", 3.0, Authority.CHAT)
    code = told("git/1", "payment jobs: number of retries 3", 2.0, Authority.CODE)
    (leading,) = rank(chat, code, question=asked(*CHARGES)).ranked
    assert leading.row.uri == "recall://git/1"
    assert [other.row.uri for other in leading.disagrees] == ["recall://chat/1"]


def test_an_answer_about_a_neighbour_of_the_question_is_no_conflict() -> None:
    mail = told("chat/1", "the number of retries for mail is 5, and nobody minds", 3.0, Authority.CHAT)
    code = told("git/1", "payment jobs: number of retries 3", 2.0, Authority.CODE)
    assert len(rank(mail, code, question=asked(*CHARGES)).ranked) == 2


def test_a_page_that_speaks_of_many_things_is_no_conflict() -> None:
    page = "number of retries for payment jobs is 5. " + " ".join(f"fact{number}" for number in range(80))
    notes = told("a/1", page, 3.0, Authority.CHAT)
    code = told("git/1", "payment jobs: number of retries 3", 2.0, Authority.CODE)
    assert len(rank(notes, code, question=asked(*CHARGES)).ranked) == 2


def test_a_question_of_one_word_is_a_topic_and_makes_no_conflict() -> None:
    one = told("a/1", "retries of mail: 5", 3.0, Authority.CHAT)
    other = told("b/1", "payment retries are 3", 2.0, Authority.CODE)
    assert len(rank(one, other, question=asked(*TOKENIZER.tokens("retries"))).ranked) == 2


def test_of_equal_matches_the_one_that_holds_more_of_the_question_leads() -> None:
    part = match("a/1", "number of retries for mail")
    whole = match("b/1", "number of retries, payment jobs")
    assert order(rank(part, whole, question=asked(*CHARGES)))[0] == "recall://b/1"


def test_two_short_notes_are_not_the_same_for_sharing_their_few_words() -> None:
    assert len(rank(match("a/1", "body"), match("b/1", "body of another and longer note")).ranked) == 2


def test_weak_matches_are_hidden_and_counted() -> None:
    ranking = rank(
        match("a/1", "alpha beta gamma delta epsilon"), match("a/2", "alpha only"),
        question=asked("alpha", "beta", "gamma", "delta", "epsilon"), floor=0.5,
    )  # fmt: skip
    assert order(ranking) == ["recall://a/1"]
    assert ranking.below_floor == 1


@pytest.mark.parametrize(
    ("first", "second", "differ"),
    [
        ("port 8080", "port 8443", True),
        ("retry 3 times", "retry 3 times, then give up", False),
        ("retry 3 times", "retry 3 times, every 10 seconds", False),
        ("retry 3 times, every 10 seconds", "retry 3 times", False),
        ("use session_store", "use token_store", True),
        ("no facts here", "none there", False),
    ],
)
def test_facts_differ_when_each_side_has_its_own(first: str, second: str, differ: bool) -> None:
    assert grouping.facts_differ(first, second) is differ


TEXTS = st.lists(
    st.sampled_from("alpha beta gamma delta epsilon zeta eta theta".split()), min_size=1, max_size=8
)
MATCHES = st.lists(
    st.tuples(TEXTS, st.floats(0.1, 10), st.sampled_from(list(Authority)), st.floats(0, 900)), max_size=12
)


@given(MATCHES, st.randoms())
def test_the_ranking_does_not_depend_on_the_order_of_the_matches(
    described: list[tuple[list[str], float, Authority, float]], shuffle: random.Random
) -> None:
    matches = [
        match(f"p/{number}", " ".join(words), score, authority=authority, age=age)
        for number, (words, score, authority, age) in enumerate(described)
    ]
    shuffled = list(matches)
    shuffle.shuffle(shuffled)
    assert rank(*matches) == rank(*shuffled)


@given(MATCHES)
def test_no_memory_is_lost_or_doubled(described: list[tuple[list[str], float, Authority, float]]) -> None:
    matches = [match(f"p/{n}", " ".join(words), score) for n, (words, score, _a, _g) in enumerate(described)]
    shown = [
        member.row.uri
        for ranked in rank(*matches).ranked
        for member in (ranked, *ranked.also, *ranked.disagrees, *ranked.similar)
    ]
    assert sorted(shown) == sorted(one.row.uri for one in matches)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 5_000))
def test_factors_stay_within_their_bounds_and_rise_with_authority(
    low: float, high: float, age: float
) -> None:
    def factor(weight: float) -> float:
        weights = merge.Weights(dict.fromkeys(Authority, weight), lambda row: Authority.CHAT, 90.0, 0.0, NOW)
        return merge.rank([match("a/1", "one", age=age)], asked("x"), weights).ranked[0].factors.score

    low, high = sorted((low, high))
    assert 0.7 * 0.85 * 0.9 <= factor(low) <= factor(high) <= 1.0


def test_what_is_contradicted_sinks_below_what_answers_nearly_as_well() -> None:
    wrong, right = match("a/1", "one two", 1.0), match("b/1", "three four", 0.85)
    assert order(rank(wrong, right)) == ["recall://a/1", "recall://b/1"]
    assert order(rank(wrong, right, checking=contradicting("a/1"))) == ["recall://b/1", "recall://a/1"]


def test_what_is_contradicted_stays_above_what_answers_much_worse() -> None:
    wrong, weak = match("a/1", "one two", 1.0), match("b/1", "three four", 0.7)
    ranking = rank(wrong, weak, checking=contradicting("a/1"))
    assert order(ranking) == ["recall://a/1", "recall://b/1"]
    assert ranking.ranked[0].factors.evidence_factor == 0.8


def test_what_is_contradicted_leads_no_group_that_has_another_member() -> None:
    text = "the payment service retries a failed charge three times before it gives up"
    decided = match("adr/1", text, authority=Authority.DECISION)
    noted = match("notes/1", text, authority=Authority.CURATED)
    (group,) = rank(decided, noted, checking=contradicting("adr/1")).ranked
    assert group.row.uri == "recall://notes/1"
    assert [other.contradicted for other in group.disagrees] == [True]


def test_the_date_that_the_repository_tells_counts_and_not_the_files_time() -> None:
    old, new = (match(f"a/{name}", f"{name} two", date_origin="file time") for name in ("old", "new"))
    told = Evidence(Verdict.UNVERIFIABLE, dated=NOW - 400 * DAY, date_origin="last commit")
    checking = merge.Checking(24, lambda _rows: {"recall://a/old": told}, lambda _uri: None)
    first, second = rank(old, new, checking=checking).ranked
    assert (first.row.uri, first.row.date_origin) == ("recall://a/new", "file time")
    assert (second.row.dated, second.row.date_origin) == (NOW - 400 * DAY, "last commit")
    assert second.factors.age_days == 400
    assert second.factors.age_factor < first.factors.age_factor
    assert "400 days old, by last commit" in plain.why(second)


def test_only_what_is_current_can_be_asked_for_and_the_rest_is_counted() -> None:
    matches = [match(f"a/{number}", f"word{number} other{number}") for number in range(3)]
    ranking = rank(*matches, checking=contradicting("a/0", "a/2", only_current=True))
    assert (order(ranking), ranking.contradicted) == (["recall://a/1"], 2)


def test_only_the_best_candidates_are_checked() -> None:
    matches = [match(f"a/{number}", f"word{number} other{number}", 9 - number) for number in range(5)]
    ranking = rank(*matches, checking=contradicting(most=2))
    assert [ranked.evidence is not None for ranked in ranking.ranked] == [True, True, False, False, False]


def overtaken(uri: str, commit: str, found: Match | None = None) -> merge.Checking:
    """Evidence that a commit made one memory wrong; `found` is what the index holds of the commit."""

    def check(rows: Sequence[Row]) -> dict[str, Evidence]:
        wrong = Finding("PORT", Status.CONTRADICTED, "PORT is 9090 now", commit=commit)
        return {row.uri: Evidence(Verdict.CONTRADICTED, (wrong,)) for row in rows if row.uri == uri}

    return merge.Checking(24, check, lambda asked: found if asked == f"recall://git/{commit}" else None)


def test_what_is_contradicted_stands_under_the_commit_that_says_otherwise() -> None:
    chat = match("transcripts/1", "the server port is 8080", 9.0, authority=Authority.CHAT)
    other = match("serena/1", "deploys happen on monday", 2.0)
    commit = match(
        "git/abc", "move everything behind the new proxy", 1.0, authority=Authority.CODE, kind="commit"
    )
    checking = overtaken("recall://transcripts/1", "abc")
    first, second = rank(chat, other, commit, checking=checking).ranked
    assert first.row.uri == "recall://git/abc"
    assert [one.row.uri for one in first.disagrees] == ["recall://transcripts/1"]
    assert first.placed_by.row.uri == "recall://transcripts/1"
    assert second.row.uri == "recall://serena/1"


def test_the_commit_is_looked_up_where_the_question_did_not_find_it() -> None:
    chat = match("transcripts/1", "the server port is 8080", 9.0, authority=Authority.CHAT)
    commit = match(
        "git/abc", "move everything behind the new proxy", 0.0, authority=Authority.CODE, kind="commit"
    )
    (only,) = rank(chat, checking=overtaken("recall://transcripts/1", "abc", commit)).ranked
    assert only.row.uri == "recall://git/abc"
    assert [one.contradicted for one in only.disagrees] == [True]


def test_without_the_commit_what_is_contradicted_stands_alone() -> None:
    chat = match("transcripts/1", "the server port is 8080", 9.0, authority=Authority.CHAT)
    (only,) = rank(chat, checking=overtaken("recall://transcripts/1", "abc")).ranked
    assert (only.row.uri, only.contradicted) == ("recall://transcripts/1", True)


def commit(name: str, text: str, score: float = 1.0, **changes: Any) -> Match:
    return match(f"git/{name}", text, score, authority=Authority.CODE, kind="commit", title=text, **changes)


def verdicts(most: int = 24, **found: Verdict | str) -> merge.Checking:
    """Evidence by the last part of a uri: a verdict, or the commit that contradicts it."""

    def evidence(said: Verdict | str) -> Evidence:
        if isinstance(said, Verdict):
            return Evidence(said)
        return Evidence(
            Verdict.CONTRADICTED, (Finding("PORT", Status.CONTRADICTED, "is 9090 now", commit=said),)
        )

    def check(rows: Sequence[Row]) -> dict[str, Evidence]:
        names = {row.uri: row.uri.rsplit("/", 1)[1] for row in rows}
        return {uri: evidence(found[name]) for uri, name in names.items() if name in found}

    known = {
        one.row.uri: one for one in (commit("b", "port behind proxy 2"), commit("c", "port behind proxy 3"))
    }
    return merge.Checking(most, check, known.get)


def test_a_contradicted_commit_stands_under_the_one_that_overtook_it_and_that_under_the_next() -> None:
    found = rank(
        match("serena/n", "the server port is 8080", 9.0),
        match("serena/other", "deploys happen on monday", 2.0),
        checking=verdicts(n="b", b="c", c=Verdict.CURRENT),
    )
    first, second = found.ranked
    assert (first.row.uri, second.row.uri) == ("recall://git/c", "recall://serena/other")
    assert [one.row.uri for one in first.disagrees] == ["recall://git/b", "recall://serena/n"]
    assert all(one.contradicted for one in first.disagrees)


def test_an_old_commit_whose_files_were_changed_leads_nothing_that_the_work_tree_confirms() -> None:
    words = "the payment worker retries a failed charge {} times before it gives up"
    old, note = commit("a", words.format(3), age=700), match("serena/n", words.format(5), age=10)
    state = match("state/s", words.format(4), authority=Authority.STATE, age=30)
    (group,) = rank(old, note, checking=verdicts(a=Verdict.CHANGED, n=Verdict.CURRENT)).ranked
    assert [one.row.uri for one in group.members()] == ["recall://serena/n", "recall://git/a"]
    (group,) = rank(
        old, note, state, checking=verdicts(a=Verdict.CHANGED, n=Verdict.CURRENT, s=Verdict.UNVERIFIABLE)
    ).ranked
    assert group.row.uri == "recall://state/s"


@pytest.mark.parametrize(
    ("commit_is", "note_is"),
    [
        (Verdict.CHANGED, Verdict.UNVERIFIABLE),
        (Verdict.CHANGED, Verdict.CHANGED),
        (Verdict.CURRENT, Verdict.CURRENT),
        (Verdict.UNVERIFIABLE, Verdict.CURRENT),
    ],
)
def test_a_commit_leads_what_the_work_tree_does_not_confirm_any_better(
    commit_is: Verdict, note_is: Verdict
) -> None:
    words = "the payment worker retries a failed charge {} times before it gives up"
    old, note = commit("a", words.format(3), age=700), match("serena/n", words.format(5), age=10)
    (group,) = rank(old, note, checking=verdicts(a=commit_is, n=note_is)).ranked
    assert group.row.uri == "recall://git/a"


def test_a_contradicted_copy_disagrees_with_the_memory_that_stands() -> None:
    text = "the payment service retries a failed charge three times before it gives up"
    right, wrong = match("adr/1", text), match("serena/1", text)
    (group,) = rank(right, wrong, checking=contradicting("serena/1")).ranked
    assert [one.row.uri for one in group.disagrees] == ["recall://serena/1"]
    assert group.also == ()


@pytest.mark.parametrize(
    ("first", "second", "differ"),
    [
        ("port 9090, was 8080", "handed over: port 9090, two of ledger_refund, 2.9.1", False),
        ("retry 3 times every 10 seconds", "retry 5 times every 10 seconds", True),
        ("결제 재시도는 3회, 간격 10초", "결제 재시도를 5회, 간격 10초", True),
        ("결제 재시도는 3회", "결제 재시도가 3회, 이후 담당자 2명에게 알린다", False),
        ("pool_size = 20", "pool_size = 50", True),
        ("timeout: 30s for uploads", "uploads have a timeout of 45s", True),
        ("uses RetryWorker for 3 jobs", "uses RetryQueue for 3 jobs", True),
    ],
)
def test_facts_are_compared_where_they_stand(first: str, second: str, differ: bool) -> None:
    assert grouping.facts_differ(first, second) is differ
    assert grouping.facts_differ(second, first) is differ


@pytest.mark.parametrize("run", ["a", "a/", "aB_", "1.", "a.b-", "Q", "a_", "/", "1"])
def test_a_megabyte_without_a_blank_is_compared_by_its_beginning(run: str) -> None:
    text = "port 8080 " + run * 500_000
    assert grouping.facts_differ(text, "port 8443 " + run * 500_000)
    assert not grouping.facts_differ(text, text)


def test_a_file_is_no_fact_wherever_it_lies() -> None:
    for path in ("app/v2/retry_worker.py", "/srv/app2/retry_worker.py", "./a_b/c.md", "../x1/y_z.toml"):
        assert not grouping.facts_differ(f"see {path} for it", "see port_map")
