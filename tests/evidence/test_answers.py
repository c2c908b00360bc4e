"""Evidence in whole answers: of the engine, of the command, of the server."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evidence.repository import Repository, day
from recall.answer import Answer
from recall.api import Authority, Deadline, Memory
from recall.engine import Engine
from recall.evidence.result import Evidence, Verdict
from recall.render import document, markdown, plain
from recall.settings import EvidenceSettings, Settings
from recall.testing.fakes import Notes
from support.serving import called, text
from support.serving import document as shown
from support.worlds import make_engine, make_scope, run_recall

STALE = "Retry of payments: `charge_card()` in src/pay.py retries three times."
FRESH = (
    "`send_hook()` in src/hook.py tells partners about orders; a retry of payments is nothing it knows of."
)


def noted(identity: str, text: str, on: float = 10) -> Memory:
    return Memory(identity, text, updated=datetime.fromtimestamp(day(on), UTC), date_origin="front matter")


def project(folder: Path) -> Repository:
    """A repository in which the function of one note is gone."""
    repo = Repository(folder / "shop-api")
    repo.commit(
        0, {"src/pay.py": "def charge_card():\n    return 1\n", "src/hook.py": "def send_hook():\n    pass\n"}
    )
    repo.commit(20, {"src/pay.py": None}, "Charge elsewhere")
    return repo


def engine(
    folder: Path, settings: Settings | None = None, *, git: bool = True, in_git: bool = True
) -> Engine:
    if in_git:
        project(folder)
    scope = make_scope(folder, in_git=in_git)
    scope = replace(scope, env={"PATH": os.environ.get("PATH", "")})
    notes = Notes("notes", {"stale": noted("stale", STALE), "fresh": noted("fresh", FRESH)})
    commits = Notes("git", {"one": noted("one", "Charge retry payments elsewhere", 20)}, Authority.CODE)
    return make_engine(folder, [notes, *([commits] if git else [])], settings, scope=scope, now=day(100))


def evidence_of(answer: Answer) -> dict[str, Evidence | None]:
    members = (member for hit in answer.hits for member in hit.ranked.members())
    return {member.row.uri.removeprefix("recall://"): member.evidence for member in members}


def verdicts(answer: Answer) -> dict[str, str]:
    return {uri: found.verdict.value for uri, found in evidence_of(answer).items() if found is not None}


def asked(of: Engine, **options: Any) -> Answer:
    return of.recall("retry of payments charge_card", deadline=60, **options)


def test_each_memory_of_an_answer_has_a_verdict(tmp_path: Path) -> None:
    found = evidence_of(asked(engine(tmp_path)))
    assert {uri: one.verdict.value if one else None for uri, one in found.items()} == {
        "notes/stale": "contradicted",
        "notes/fresh": "current",
        "git/one": "unverifiable",
    }


def test_an_index_alone_is_checked_too(tmp_path: Path) -> None:
    of = engine(tmp_path)
    asked(of)
    assert verdicts(asked(of, read=False))["notes/stale"] == "contradicted"


def test_what_is_contradicted_is_left_out_and_counted_on_demand(tmp_path: Path) -> None:
    answer = asked(engine(tmp_path), only_current=True)
    assert "notes/stale" not in evidence_of(answer)
    assert answer.left_out.contradicted == 1
    assert "1 memory that the repository contradicts" in plain.answer(answer)


def test_the_settings_can_ask_for_that_and_a_question_can_differ(tmp_path: Path) -> None:
    of = engine(tmp_path, Settings(evidence=EvidenceSettings(only_current=True)))
    assert asked(of).left_out.contradicted == 1
    assert asked(of, only_current=False).left_out.contradicted == 0


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"in_git": False}, "not in a Git repository"),
        (
            {"settings": Settings(evidence=EvidenceSettings(enabled=False))},
            "switched off by evidence.enabled",
        ),
        ({"git": False}, "the source git is switched off"),
    ],
    ids=["outside", "disabled", "without git"],
)
def test_where_nothing_is_checked_the_reason_is_there_and_the_text_is_quiet(
    tmp_path: Path, options: Mapping[str, Any], reason: str
) -> None:
    of = engine(tmp_path, **options)
    answer = asked(of)
    found = evidence_of(answer)["notes/stale"]
    assert found is not None
    assert (found.verdict, found.reason) == (Verdict.NOT_CHECKED, reason)
    assert of.checks._checker._made is None
    assert "not checked" not in plain.answer(answer)


def test_reasons_and_commands_are_in_every_form_of_an_answer(tmp_path: Path) -> None:
    answer = asked(engine(tmp_path))
    for told in (plain.answer(answer), markdown.answer(answer)):
        assert "contradicted: charge_card is gone from the code since" in told
        assert "src/pay.py is gone since" in told
        assert f"git -C {tmp_path}/shop-api log --oneline --follow -- src/pay.py" in told
    memories = {one["uri"]: one for one in document.answer(answer)["memories"]}
    found = memories["recall://notes/stale"]["evidence"]
    assert found["verdict"] == "contradicted"
    assert {one["claim"] for one in found["findings"]} == {"src/pay.py", "charge_card"}


def test_explain_shows_what_sank_a_memory(tmp_path: Path) -> None:
    assert "× contradicted 0.8" in plain.answer(asked(engine(tmp_path)), explain=True)


def test_explain_shows_the_factors_of_all_that_stands_with_a_memory_in_every_form(tmp_path: Path) -> None:
    notes = {
        f"{number}": noted(
            f"{number}", f"A payment is retried {number} times before the order is given up", number
        )
        for number in (3, 5)
    }
    of = make_engine(tmp_path, [Notes("notes", notes)], scope=make_scope(tmp_path), now=day(100))
    answer = of.recall("how often is a payment retried before the order is given up", deadline=60)
    members = [member for hit in answer.hits for member in hit.ranked.members()]
    assert len(members) > len(answer.hits)
    for told in (plain.answer(answer, explain=True), markdown.answer(answer, explain=True)):
        assert told.count("why: score ") == len(members)
    others = [
        other
        for one in document.answer(answer, explain=True)["memories"]
        for other in (*one["also_in"], *one["disagrees"], *one["similar"])
    ]
    assert others
    assert all(other["explain"]["authority_factor"] for other in others)
    assert "explain" not in json.dumps(document.answer(answer))


def test_a_clone_does_not_make_old_notes_new(tmp_path: Path) -> None:
    repo = project(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    repo.commit(30, {".serena/memories/pay.md": FRESH})
    patient = {"RECALL_EVIDENCE__MAX_SECONDS": "60"}
    asked = ["query", "--explain", "--deadline", "60", "partners retry"]
    run = run_recall(asked, home=home, cwd=repo.top, env=patient)
    assert "2026-01-31" in run.stdout
    assert "by last commit)" in run.stdout
    assert "days old, by last commit" in run.stdout


def test_an_answer_comes_with_a_deadline_that_leaves_no_time(tmp_path: Path) -> None:
    of = engine(tmp_path, Settings(evidence=EvidenceSettings(max_seconds=0.01)))
    asked(of)
    of.settings = replace(of.settings, evidence=replace(of.settings.evidence, max_seconds=1e-9))
    assert set(verdicts(asked(of)).values()) == {"not checked"}


def test_the_command_says_what_is_contradicted(tmp_path: Path) -> None:
    repo = project(tmp_path)
    home = tmp_path / "home"
    memory = repo.top / ".serena/memories/pay.md"
    memory.parent.mkdir(parents=True)
    memory.write_text(STALE, encoding="utf-8")
    os.utime(memory, (day(10), day(10)))
    home.mkdir()
    run = run_recall(["query", "--json", "retry of payments"], home=home, cwd=repo.top)
    (commit,) = json.loads(run.stdout)["memories"]
    assert (commit["source"], commit["title"]) == ("git", "Charge elsewhere")
    (found,) = commit["disagrees"]
    assert found["source"] == "serena"
    assert found["evidence"]["verdict"] == "contradicted", run.stderr
    run = run_recall(["query", "--json", "--only-current", "retry of payments"], home=home, cwd=repo.top)
    told = json.loads(run.stdout)
    assert told["left_out"]["contradicted"] == 1
    assert not [one for one in told["memories"] if one["source"] == "serena"]


def test_a_result_for_agents_has_the_same_fields(tmp_path: Path) -> None:
    from recall.server.shaping.recalled import recalled

    shaped = recalled(asked(engine(tmp_path)), explain=False, most=40_000)
    memories = {one["uri"]: one for one in shaped.structured["memories"]}
    stale = memories["recall://notes/stale"]
    assert stale["verdict"] == "contradicted"
    assert any("src/pay.py is gone since" in reason for reason in stale["reasons"])
    assert f"git -C {tmp_path}/shop-api log --oneline --follow -- src/pay.py" in stale["commands"]
    assert memories["recall://notes/fresh"]["verdict"] == "current"
    assert memories["recall://git/one"]["verdict"] == "unverifiable"
    left_out = recalled(asked(engine(tmp_path / "b"), only_current=True), explain=False, most=40_000)
    assert left_out.structured["left_out"]["contradicted"] == 1
    assert "1 that the repository contradicts" in left_out.text


def served(of: Engine, folder: Path) -> Any:
    from recall.server import app
    from recall.server.sessions import Sessions
    from recall.settings import ServerSettings

    return app.build(Sessions(lambda _folder: of, folder, folder), ServerSettings())


def test_a_page_says_what_the_repository_says_of_the_memory_in_both_forms(tmp_path: Path) -> None:
    result = called(served(engine(tmp_path), tmp_path), "read_memory", uri="recall://notes/stale")
    page = shown(result)
    assert page["verdict"] == "contradicted"
    assert len(page["reasons"]) == 2
    assert f"git -C {tmp_path}/shop-api log --oneline --follow -- src/pay.py" in page["commands"]
    for said in (page["verdict"], *page["reasons"], *page["commands"]):
        assert said in text(result)
    assert len(page["text"].split()) == len(STALE.split())


def test_search_and_fetch_say_the_verdict(tmp_path: Path) -> None:
    server = served(engine(tmp_path), tmp_path)
    found = {one["id"]: one for one in shown(called(server, "search", query="retry of payments"))["results"]}
    assert found["recall://notes/fresh"]["verdict"] == "current"
    fetched = shown(called(server, "fetch", id="recall://notes/stale"))
    assert fetched["metadata"]["verdict"] == "contradicted"
    assert "src/pay.py is gone since" in fetched["metadata"]["reasons"]
    label, now, *rest = fetched["text"].split("\n\n")
    assert label == document.TRUST
    assert now.startswith("In Git now: contradicted. ")
    assert "\n\n".join(rest) == STALE


def test_where_nothing_is_checked_no_tool_says_a_verdict(tmp_path: Path) -> None:
    server = served(engine(tmp_path, in_git=False), tmp_path)
    assert "verdict" not in shown(called(server, "read_memory", uri="recall://notes/stale"))
    assert "verdict" not in shown(called(server, "search", query="retry"))["results"][0]
    assert "verdict" not in shown(called(server, "fetch", id="recall://notes/stale"))["metadata"]


def test_a_check_takes_no_more_than_what_a_call_has_left(tmp_path: Path) -> None:
    of = engine(tmp_path)
    match = of.show("recall://notes/stale")
    assert match is not None
    assert of.checks.of(match.row, 0.0).reason == "out of time"
    assert of.checks.of(match.row, 60.0).contradicted


def test_what_stands_with_a_memory_and_is_contradicted_has_its_reasons_too(tmp_path: Path) -> None:
    from recall.server.shaping.recalled import recalled

    repo, home = project(tmp_path), tmp_path / "home"
    home.mkdir()
    path = repo.top / ".serena/memories/pay.md"
    path.parent.mkdir(parents=True)
    path.write_text(STALE, encoding="utf-8")
    os.utime(path, (day(10), day(10)))
    patient = {"evidence": {"max_seconds": 60.0}}
    of = Engine.start(repo.top, home=home, env={"PATH": os.environ.get("PATH", "")}, flags=patient)
    (memory,) = recalled(of.recall("retry of payments", deadline=60), explain=False, most=40_000).structured[
        "memories"
    ]
    (other,) = memory["disagrees"]
    assert (memory["source"], other["source"], other["verdict"]) == ("git", "serena", "contradicted")
    assert any("src/pay.py is gone since" in reason for reason in other["reasons"])
    assert other["commands"]
    assert {"rank", "why", "whole"}.isdisjoint(other)


def test_reading_everything_reads_the_history_too(tmp_path: Path) -> None:
    of = engine(tmp_path)
    assert of.checks.read_history(Deadline.after(60)) == ""
    assert of.checks._checker._made is not None
    opened = of.checks._checker._made._opened
    assert opened is not None
    assert opened.history.knows_words()
    repo = tmp_path / "shop-api"
    (repo / ".git/HEAD").write_text("nonsense", encoding="utf-8")
    assert "broken repository" in of.checks.read_history(Deadline.after(60))
    assert engine(tmp_path / "b", in_git=False).checks.read_history(Deadline.after(60)) == ""


def test_one_memory_in_full_comes_with_what_the_repository_says_of_it(tmp_path: Path) -> None:
    of = engine(tmp_path)
    match = of.show("recall://notes/stale")
    assert match is not None
    found = of.checks.of(match.row)
    assert found is not None
    assert found.contradicted
    told = (match.row, "curated", day(100), None, found)
    assert "contradicted: " in plain.memory(*told)
    assert document.memory(*told)["evidence"]["verdict"] == "contradicted"
    commit = of.show("recall://git/one")
    assert commit is not None
    assert of.checks.of(commit.row).verdict is Verdict.UNVERIFIABLE


def test_where_all_is_left_out_the_answer_says_that_something_spoke_of_it(tmp_path: Path) -> None:
    of = engine(tmp_path)
    answer = of.recall("charge_card", deadline=60, providers=["notes"], only_current=True)
    assert answer.hits == ()
    assert "Nothing current found: 1 memory speaks of it, and the repository contradicts" in plain.answer(
        answer
    )


@pytest.mark.parametrize(
    ("authored", "committed"),
    [
        ("9999999999999999999", "1700000000"),
        ("1700000000", "9223372036854775808"),
        ("9" * 5_000, "1700000000"),
        ("-5", "253402300800"),
    ],
)
def test_a_commit_with_an_absurd_date_takes_no_answer_with_it(
    tmp_path: Path, authored: str, committed: str
) -> None:
    of = engine(tmp_path)

    def git(*arguments: str, stdin: str = "") -> str:
        ran = subprocess.run(
            ["git", *arguments], cwd=of.scope.root, check=True, capture_output=True, text=True, input=stdin
        )
        return ran.stdout.strip()

    tree, parent = git("rev-parse", "HEAD^{tree}"), git("rev-parse", "HEAD")
    people = f"author A <a@b.example> {authored} +0000\ncommitter A <a@b.example> {committed} +0000"
    text = f"tree {tree}\nparent {parent}\n{people}\n\nA date of its own\n"
    sha = git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=text)
    git("update-ref", "refs/heads/main", sha)
    answer = asked(of)
    assert answer.notices == ()
    found = evidence_of(answer)["notes/stale"]
    assert found is not None
    assert found.verdict is Verdict.CONTRADICTED


def test_a_mistake_in_a_check_is_told_and_takes_no_answer_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(*_arguments: object) -> None:
        raise OverflowError("too large")

    of = engine(tmp_path)
    monkeypatch.setattr("recall.evidence.checker.claims_of", mistaken)
    monkeypatch.setattr("recall.evidence.checker.repository.find", mistaken)
    answer = asked(of)
    found = evidence_of(answer)["notes/stale"]
    assert found is not None
    assert found.verdict is Verdict.NOT_CHECKED
    (notice,) = [line for line in answer.notices if "against the repository" in line]
    assert "OverflowError: too large" in notice
    assert "test_answers.py:" in notice
    assert "OverflowError" in of.checks.read_history(Deadline.after(60))
    (hit,) = [hit for hit in answer.hits if hit.ranked.row.uri == "recall://notes/stale"]
    alone = of.checks.of(hit.ranked.row)
    assert alone is not None
    assert "OverflowError: too large" in alone.reason


def test_a_mistake_in_the_look_at_the_present_is_told_and_takes_no_answer_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(*_arguments: object) -> None:
        raise IndexError("nothing there")

    monkeypatch.setattr("recall.git.present.look", mistaken)
    answer = asked(engine(tmp_path))
    assert answer.hits
    assert answer.present is None
    (notice,) = answer.notices
    assert notice.startswith("how the project stands is not known: ")
    assert "IndexError: nothing there" in notice
