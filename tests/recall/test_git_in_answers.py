"""Git in an answer: its commits beside other memories, and the line that says how things stand now."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall import clean
from recall.answer import Answer
from recall.api import Authority, Deadline, Memory, utc_from_epoch
from recall.engine import Engine
from recall.fanout import Aside
from recall.git import present, shown
from recall.render import document, markdown, plain
from recall.testing.fakes import Notes
from recall_git.provider import GitOptions, GitProvider
from support.repositories import ENV, Repo, needs_git
from support.worlds import NOW, make_engine, make_scope, run_recall

pytestmark = needs_git


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    scope = make_scope(tmp_path)
    return Repo.new(scope.root, scope.home)


def engine(repo: Repo, *providers: object, git: GitProvider | None = None, in_git: bool = True) -> Engine:
    folder = repo.top.parent
    scope = make_scope(folder, env=ENV, in_git=in_git)
    return make_engine(folder, [git or GitProvider(), *providers], scope=scope)


def titles(answer: Answer) -> list[str]:
    return [hit.ranked.row.title for hit in answer.hits]


def test_a_commit_answers_with_the_highest_authority(repo: Repo) -> None:
    sha = repo.commit("결제 재시도를 네 번으로 늘린다\n\nThe bank asked for four.", {"retry.py": "4"})
    found = engine(repo).recall("결제 재시도")
    (hit,) = found.hits
    assert hit.ranked.row.uri == f"recall://git/{sha}"
    assert hit.ranked.factors.authority is Authority.CODE


def test_a_commit_that_says_otherwise_leads_an_older_note(repo: Repo) -> None:
    repo.commit("결제 재시도 한도\n\n실패한 결제는 최대 4번까지 재시도한다.", {"retry": "4"})
    note = Memory(
        "retry",
        "실패한 결제는 최대 3번까지 재시도한다.",
        "결제 재시도 한도",
        updated=utc_from_epoch(NOW - 9e7),
    )
    (hit,) = engine(repo, Notes("notes", {"retry": note})).recall("결제 재시도 한도").hits
    assert hit.ranked.row.provider == "git"
    assert [other.row.provider for other in hit.ranked.disagrees] == ["notes"]


def test_two_commits_do_not_disagree_and_a_commit_picked_twice_is_shown_once(repo: Repo) -> None:
    repo.commit("Start", {"a": "1"})
    repo.commit("Retry payments 3 times\n\nThe limit of retries for payments is 3 now.", {"retry.py": "3"})
    repo.git("checkout", "-q", "-b", "other")
    repo.commit("Retry payments 4 times\n\nThe limit of retries for payments is 4 now.", {"retry.py": "4"})
    repo.git("checkout", "-q", "main")
    repo.commit("Something else", {"b": "1"})
    repo.commits += 1
    repo.git("cherry-pick", "other")
    git = GitProvider(GitOptions(branches=("other",)))
    hits = engine(repo, git=git).recall("limit of retries for payments").hits
    assert {hit.ranked.row.title for hit in hits} == {"Retry payments 4 times", "Retry payments 3 times"}
    assert not any(hit.ranked.disagrees for hit in hits)
    assert sorted(len(hit.ranked.also) for hit in hits) == [0, 1]


def test_a_commit_of_many_files_answers_no_question_by_their_names_alone(repo: Repo) -> None:
    paths = ["payments/bank.py", "payments/refund.py", "payments/retry.py"]
    repo.commit("First shop", {path: path for path in [*(f"a{number}.py" for number in range(9)), *paths]})
    repo.commit("Retry refunds of payments four times", {"payments/retry.py": "4"})
    assert titles(engine(repo).recall("retry refund payments")) == ["Retry refunds of payments four times"]


def test_a_commit_of_a_few_files_is_found_by_each_of_them(repo: Repo) -> None:
    repo.commit(
        "Money", {f"shop/{name}.py": "1" for name in ("bank", "coupons", "ledger", "refund", "stock", "tax")}
    )
    assert titles(engine(repo).recall("what happened to shop/tax.py")) == ["Money"]


def test_of_two_like_commits_the_one_whose_files_are_named_comes_first(repo: Repo) -> None:
    for name in ("bank", "coupons", "ledger"):
        repo.commit("Import the old shop", {f"{name}/part{number:02}.py": name for number in range(20)})
    (first, *_others) = engine(repo).recall("import of the old shop, ledger part18").hits
    assert "ledger/part00.py" in first.ranked.row.text


def test_a_rewritten_history_is_forgotten_at_once_however_much_of_it_is_gone(repo: Repo) -> None:
    base = repo.commit("Base of all payments")
    for number in range(20):
        repo.commit(f"Payment step {number}")
    made = engine(repo)
    assert made.recall("payment step 7").hits
    repo.git("reset", "-q", "--hard", base)
    repo.commit("Payment steps, squashed")
    found = made.recall("payment step 7")
    (outcome,) = found.outcomes
    assert (outcome.memories, outcome.vanished) == (2, 0)
    assert set(titles(found)) <= {"Payment steps, squashed", "Base of all payments"}


def test_a_repository_that_cannot_be_read_any_more_keeps_its_memories_marked(repo: Repo) -> None:
    repo.commit("Payment retry")
    made = engine(repo)
    made.recall("payment")
    (repo.top / ".git" / "HEAD").write_text("nonsense")
    found = made.recall("payment")
    (outcome,) = found.outcomes
    assert (outcome.state, outcome.vanished) == ("broken", 1)
    assert titles(found) == ["Payment retry"]
    assert plain.answer(found).startswith("now: broken repository: git says: ")


def test_a_first_look_cut_off_by_the_deadline_is_gone_on_with(repo: Repo) -> None:
    for number in range(5):
        repo.commit(f"Payment step {number}")

    class Slow(GitProvider):
        """Its time is over after two commits."""

        left = 2

        def load(self, entry, scope):  # type: ignore[no-untyped-def]
            if not self.left:
                self._until = Deadline.after(0)
                self._read.clear()
            self.left -= 1
            return super().load(entry, scope)

    slow = Slow()
    made = engine(repo, git=slow)
    (first,) = made.recall("payment step").outcomes
    assert (first.state, first.memories, first.late) == ("degraded", 2, True)
    assert first.reason == "read 2 of 5 new entries in time"
    slow.left = 100
    (second,) = made.recall("payment step").outcomes
    assert (second.state, second.memories) == ("ready", 5)


def test_doctor_finds_a_history_with_merges_and_empty_commits_well(repo: Repo) -> None:
    from recall.health import examine

    repo.commit("Payment retry", {"a": "1"})
    repo.commit("")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("Order queue", {"b": "1"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side")
    (row,) = examine(engine(repo))
    # The commit without a word and a file holds nothing, and the merge but the names of branches.
    assert (row.state, row.items, row.needs_attention) == ("ready", 2, False), row


def test_only_new_commits_are_read(repo: Repo) -> None:
    repo.commit("Payment one")
    loads: list[str] = []

    class Counting(GitProvider):
        def load(self, entry, scope):  # type: ignore[no-untyped-def]
            loads.append(entry.key)
            return super().load(entry, scope)

    made = engine(repo, git=Counting())
    made.recall("payment")
    sha = repo.commit("Payment two")
    made.recall("payment")
    assert loads[1:] == [sha]


def test_every_form_of_an_answer_says_how_things_stand(repo: Repo) -> None:
    sha = repo.commit("Payment retry", {"a": "1"})
    repo.write({"a": "2", "new": "1"})
    found = engine(repo).recall("payment")
    line = f"main @ {sha[:7]} · 1 file changed, 1 untracked"
    assert plain.answer(found).startswith(f"now: {line}\n\n1. [git] Payment retry\n")
    assert f"\n\nNow: {line}\n\n1. [git]" in markdown.answer(found)
    assert document.answer(found)["now"] == {
        "state": "ready",
        "line": line,
        "branch": "main",
        "head": sha,
        "kind": "",
        "upstream": "",
        "files": ["a", "new"],
        "more_files": 0,
        "changed": 1,
        "untracked": 1,
        "conflicted": 0,
        "ahead": None,
        "behind": None,
        "reason": "",
    }


def test_the_result_for_agents_says_how_things_stand(repo: Repo) -> None:
    from recall.server.shaping.recalled import recalled

    sha = repo.commit("Payment retry", {"a": "1"})
    shaped = recalled(engine(repo).recall("payment"), explain=False, most=20_000)
    assert shaped.structured["now"] == f"main @ {sha[:7]} · clean"
    assert f"Now: main @ {sha[:7]} · clean\n" in shaped.text


def test_counts_that_are_not_whole_are_no_numbers(repo: Repo) -> None:
    repo.commit("Payment retry", {"a": "1"})
    repo.git("update-index", "--split-index")
    now = document.answer(engine(repo).recall("payment"))["now"]
    assert (now["changed"], now["untracked"], now["conflicted"]) == (None, None, None)
    assert "split" in now["reason"]


def test_outside_git_nothing_is_said_of_it(repo: Repo) -> None:
    found = engine(repo, Notes("notes", {"a": "payment"}), in_git=False).recall("payment")
    assert found.present is None
    assert plain.answer(found).startswith("1. [notes]")
    assert document.answer(found)["now"] is None


def test_where_git_is_no_source_it_is_not_run(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.commit("Payment retry")
    monkeypatch.setattr(present, "look", lambda *_given: pytest.fail("git was run"))
    scope = make_scope(repo.top.parent, env=ENV, in_git=True)
    made = make_engine(repo.top.parent, [Notes("notes", {"a": "payment"})], scope=scope)
    assert made.recall("payment").present is None


def test_an_answer_from_the_index_alone_does_not_look_at_the_work_tree(repo: Repo) -> None:
    repo.commit("Payment retry")
    made = engine(repo)
    made.recall("payment")
    assert made.recall("payment", read=False).present is None


def ask(repo: Repo, *arguments: str, **env: str) -> Any:
    done = run_recall(["query", "payment", "--json", *arguments], home=repo.home, cwd=repo.top, env=env)
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_the_command_answers_right_in_a_hostile_repository_and_environment(
    repo: Repo, tmp_path: Path
) -> None:
    sha = repo.commit("Payment retry", {"a": "1", 'odd\n"name"': "1", os.fsdecode(b"caf\xe9"): "1"})
    repo.write({"a": "2", "many/1": "1", "many/2": "1"})
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "diff.external", "filter.x.clean"):
        repo.git("config", name, str(trap))
    before = repo.traces()
    variables = {
        "GIT_DIR": "/nowhere",
        "GIT_INDEX_FILE": f"{tmp_path}/index",
        "GIT_PAGER": str(trap),
        "LANG": "ko_KR",
    }
    found = ask(repo, **variables)
    assert found["now"]["line"] == f"main @ {sha[:7]} · 1 file changed, 1 untracked"
    assert [memory["title"] for memory in found["memories"]] == ["Payment retry"]
    assert repo.traces() == before
    assert not (tmp_path / "sprung").exists()
    assert not (tmp_path / "index").exists()


def test_the_command_answers_from_the_other_sources_when_git_hangs(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Payment retry")
    note = repo.top / "memory-bank" / "payments.md"
    note.parent.mkdir()
    note.write_text("# Payment limits\n\nA payment is tried three times.\n")
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nsleep 600\n")
    fake.chmod(0o755)
    found = ask(repo, "--deadline", "2", PATH=f"{fake.parent}:{ENV['PATH']}")
    assert [memory["source"] for memory in found["memories"]] == ["markdown"]
    assert found["now"]["state"] == "out of time"
    states = {row["provider"]: row["state"] for row in found["outcomes"]}
    assert (states["git"], states["markdown"]) == ("busy", "ready")


def test_a_look_that_hangs_is_said_and_does_not_hold_up_the_answers_after_it(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("Payment retry")
    release, began = threading.Event(), []

    def hang(*_given: object) -> present.Present:
        began.append(1)
        release.wait()
        return present.LATE

    monkeypatch.setattr(present, "look", hang)
    made = engine(repo)
    for _ in range(3):
        found = made.recall("payment", deadline=1)
        assert found.hits
        assert plain.answer(found).startswith("now: out of time: git did not answer in time\n")
    assert began == [1]
    release.set()


def test_work_done_aside_is_shared_by_those_who_come_while_it_runs() -> None:
    aside: Aside[int] = Aside()
    begun, go = threading.Event(), threading.Event()

    def work() -> int:
        begun.set()
        go.wait()
        return 7

    first = aside.begin(work)
    begun.wait()
    second = aside.begin(lambda: 8)
    go.set()
    assert (first(Deadline.after(60), 0), second(Deadline.after(60), 0)) == (7, 7)
    assert aside.begin(lambda: 9)(Deadline.after(60), 0) == 9


def test_a_mistake_in_work_done_aside_is_not_hidden() -> None:
    aside: Aside[int] = Aside()
    with pytest.raises(ZeroDivisionError):
        aside.begin(lambda: 1 // 0)(Deadline.after(60), 0)


@pytest.mark.parametrize(
    "token",
    ["AKIAJ3QW7RTYUIOPASDF", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "glpat-abcdefghij1234567890"],
)
def test_a_branch_that_is_called_like_a_token_is_masked_wherever_it_is_shown(repo: Repo, token: str) -> None:
    repo.commit("Payments", {"a": "1"})
    repo.git("branch", "-q", f"up-{token}")
    repo.git("checkout", "-q", "-b", token, "--track", f"up-{token}")
    found = engine(repo).recall("payments")
    told = [plain.answer(found), markdown.answer(found), json.dumps(document.answer(found))]
    told.append(run_recall(["doctor"], home=repo.home, cwd=repo.top).stdout)
    for text in told:
        assert token not in text
        assert "[masked: " in text


_TOKENS = st.one_of(
    *(
        st.from_regex(pattern, fullmatch=True)
        for pattern in (
            *(r"AKIA[A-Z0-9]{16}", r"gh[pousr]_[A-Za-z0-9_]{30,40}", r"glpat-[A-Za-z0-9_-]{20}"),
            *(r"xox[bp]-[A-Za-z0-9-]{10,20}", r"sk-[A-Za-z0-9_-]{20,30}", r"AIza[A-Za-z0-9_-]{35}"),
            *(
                r"ya29\.[A-Za-z0-9_.-]{20}",
                r"(gsk_|xai-|pplx-|hf_|r8_)[A-Za-z0-9]{30}",
                r"npm_[A-Za-z0-9]{36}",
            ),
            *(
                r"pypi-[A-Za-z0-9_-]{40}",
                r"(sk|rk)_(live|test)_[A-Za-z0-9]{16}",
                r"live_(sk|api)_[A-Za-z0-9]{16}",
            ),
            *(r"SG\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{16}", r"hvs\.[A-Za-z0-9_-]{24}", r"dop_v1_[a-f0-9]{60}"),
            *(r"eyJ[A-Za-z0-9_-]{8,12}\.[A-Za-z0-9_-]{8,12}\.[A-Za-z0-9_-]{0,9}", r"figd_[A-Za-z0-9_-]{30}"),
            *(r"tskey-[a-z]{3,5}-[A-Za-z0-9-]{16}", r"dckr_pat_[A-Za-z0-9_-]{20}", r"[a-z0-9./_-]{0,40}"),
        )
    )
)


@given(st.sampled_from(["", "feature/", "my", "x-"]), _TOKENS)
def test_whatever_would_be_masked_in_a_memory_is_masked_in_the_name_of_a_branch(
    before: str, token: str
) -> None:
    assert shown.safe(before + token) == clean.clean(before + token).text


def test_the_names_that_branches_have_need_no_look_for_tokens() -> None:
    for name in (
        "main",
        "feature/PROJ-1234-add-retries",
        "fix_the_payment_of_orders",
        "dependabot/npm/lodash-4.17.21",
    ):
        assert not shown._TOKEN_LIKE.search(name)


def test_at_the_top_of_a_bare_repository_its_commits_answer_and_nothing_is_checked(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit("결제 재시도를 네 번으로 늘린다", {"retry.py": "4"})
    repo.git("clone", "-q", "--bare", str(repo.top), str(tmp_path / "bare.git"))
    ran = run_recall(["query", "결제 재시도", "--json"], cwd=tmp_path / "bare.git", home=repo.home)
    answer = json.loads(ran.stdout)
    (memory,) = answer["memories"]
    assert (answer["now"]["state"], answer["now"]["kind"]) == ("ready", "bare")
    assert memory["evidence"]["verdict"] == "not checked"
    assert memory["evidence"]["reason"] == "the repository has no work tree here"
