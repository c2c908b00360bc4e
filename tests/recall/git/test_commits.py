"""Commits, listed and read."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.api import Deadline
from recall.git import commits
from recall.git.commits import Commit, Touched, Unread
from recall.git.repository import Repository, find
from recall.transport.process import Result
from support.repositories import ENV, Repo, needs_git

pytestmark = needs_git


def soon() -> Deadline:
    return Deadline.after(60)


def found(repo: Repo) -> Repository:
    return find(repo.top, repo.home, ENV, soon())


def read(repo: Repo, *shas: str) -> list[Commit | Unread]:
    return list(commits.read(found(repo), shas, soon()))


def one(repo: Repo, sha: str) -> Commit:
    (item,) = read(repo, sha)
    assert isinstance(item, Commit)
    return item


def listed(repo: Repo, *revisions: str, most: int = 100, paths: tuple[str, ...] = ()) -> commits.Shas:
    return commits.rev_list(found(repo).git, revisions or ("HEAD",), soon(), most=most, paths=paths)


def test_a_commit_is_read_in_parts(repo: Repo) -> None:
    repo.commit("Start", {"a.py": "1", "b.py": "2" * 100})
    message = "결제 재시도를 네 번으로\n\nThe bank asked for it.\n\nSecond paragraph.\n\nRefs: #12\nReviewed-by: Lee\n"
    repo.git("mv", "b.py", "c.py")
    sha = repo.commit(message, {"a.py": "changed", "new.py": "3"})
    item = one(repo, sha)
    when = datetime.fromtimestamp(1_760_000_000 + 2 * 3_600, UTC)
    assert item == Commit(
        sha=sha,
        parents=(repo.git("rev-parse", "HEAD~"),),
        committed=when,
        author="Kim Dev",
        subject="결제 재시도를 네 번으로",
        body="The bank asked for it.\n\nSecond paragraph.",
        trailers=("Refs: #12", "Reviewed-by: Lee"),
        touched=(Touched("M", "a.py"), Touched("R", "c.py", "b.py"), Touched("A", "new.py")),
    )


def test_the_first_commit_and_deletions_have_their_paths(repo: Repo) -> None:
    first = repo.commit("Start", {"a.py": "1"})
    (repo.top / "a.py").unlink()
    second = repo.commit("Drop it")
    assert one(repo, first).touched == (Touched("A", "a.py"),)
    assert one(repo, second).touched == (Touched("D", "a.py"),)


def test_many_are_read_in_the_order_asked_for(repo: Repo) -> None:
    shas = [repo.commit(f"Change {number}", {"a": str(number)}) for number in range(8)]
    assert [item.sha for item in read(repo, *shas[::-1])] == shas[::-1]


def test_a_merge_shows_what_it_brought_into_its_branch(repo: Repo) -> None:
    base = repo.commit("Base", {"a": "1"})
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("Side", {"side.py": "1"})
    repo.git("checkout", "-q", "main")
    main = repo.commit("Main", {"main.py": "1"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side")
    item = one(repo, repo.git("rev-parse", "HEAD"))
    assert item.parents == (main, side)
    assert item.touched == (Touched("A", "side.py"),)
    assert base not in item.parents


def test_names_with_line_ends_quotes_and_raw_bytes_are_shown_and_whole(repo: Repo) -> None:
    names = [
        "line\nend",
        "quo\"te'",
        "tab\t",
        " leading",
        "-option",
        os.fsdecode(b"caf\xe9"),
        "한글.md",
        "\x02mark",
    ]
    sha = repo.commit("Odd names", dict.fromkeys(names, "x"))
    shown = {touched.path for touched in one(repo, sha).touched}
    assert shown == {
        "line\\x0aend", "quo\"te'", "tab\\x09", " leading", "-option", "caf%E9", "한글.md", "\\x02mark",
    }  # fmt: skip


def test_an_empty_commit_has_neither_words_nor_paths(repo: Repo) -> None:
    repo.commit("Start", {"a": "1"})
    item = one(repo, repo.commit(""))
    assert (item.subject, item.body, item.trailers, item.touched) == ("", "", (), ())


def test_a_message_in_another_encoding_is_read(repo: Repo) -> None:
    repo.git("config", "i18n.commitEncoding", "EUC-KR")
    repo.write({"a": "1"})
    repo.git("add", "-A")
    repo.git("commit", "-q", "-F", "-", stdin="결제 수정".encode("euc-kr"))
    assert one(repo, repo.git("rev-parse", "HEAD")).subject == "결제 수정"


def test_a_message_that_looks_like_gits_own_output_stays_a_message(repo: Repo) -> None:
    message = "Subject\n\n\x02" + "a" * 40 + "\nM\tfake.py\n:100644 100644 M\n"
    item = one(repo, repo.commit(message, {"a": "1"}))
    assert item.body.startswith("\x02" + "a" * 40)
    assert item.touched == (Touched("A", "a"),)


def test_a_damaged_commit_is_told_and_the_others_are_read(repo: Repo) -> None:
    shas = [repo.commit(f"Change {number}", {"a": str(number)}) for number in range(5)]
    stored = repo.top / ".git" / "objects" / shas[2][:2] / shas[2][2:]
    repository = found(repo)
    stored.chmod(0o644)
    stored.write_bytes(b"garbage")
    items = list(commits.read(repository, shas, soon()))
    assert [item.sha for item in items] == shas
    assert [isinstance(item, Unread) for item in items] == [False, False, True, True, False]
    assert "corrupt" in items[2].reason or "unable to unpack" in items[2].reason  # type: ignore[union-attr]


def test_a_commit_that_is_not_there_is_told(repo: Repo) -> None:
    sha = repo.commit()
    items = read(repo, "0" * 39 + "1", sha)
    assert [type(item) for item in items] == [Unread, Commit]


def test_without_time_nothing_is_read(repo: Repo) -> None:
    sha = repo.commit()
    assert list(commits.read(found(repo), [sha], Deadline.after(0))) == []


def test_a_commit_that_is_too_long_is_told_and_the_others_are_read(repo: Repo) -> None:
    shas = [repo.commit(f"Change {number}", {"a": str(number)}) for number in range(3)]
    shas.insert(1, repo.commit("Long\n\n" + "word " * 400_000))
    assert read(repo, *shas)[1] == Unread(shas[1], "it is too long to be read")
    assert [item.sha for item in read(repo, *shas)] == shas
    assert [type(item) for item in read(repo, *shas)].count(Commit) == 3


class Torn:
    """A run of the log that the deadline ended after some records."""

    def __init__(self, records: list[bytes]) -> None:
        self._records = records

    def __enter__(self) -> Torn:
        return self

    def __exit__(self, *_error: object) -> None:
        pass

    def records(self) -> list[bytes]:
        return self._records

    def result(self) -> Result:
        return Result(None, late=True)


def test_a_commit_whose_paths_the_deadline_cut_off_is_not_taken_for_a_whole_one(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    shas = [repo.commit("Change", {"a": "1", "b": "1"}), repo.commit("Another", {"a": "2", "b": "2"})]
    repository = found(repo)
    with commits._log(repository, shas, soon()) as running:
        records = list(running.records())
    for kept in range(len(records)):
        monkeypatch.setattr(commits, "_log", lambda *_given, kept=kept: Torn(records[:kept]))
        for item in commits.read(repository, shas, soon()):
            assert isinstance(item, Commit)
            assert len(item.touched) == 2


def test_the_list_is_newest_first_and_says_when_there_is_more(repo: Repo) -> None:
    shas = [repo.commit(f"Change {number}", {"a": str(number)}) for number in range(5)]
    assert listed(repo)[:2] == (tuple(shas[::-1]), False)
    assert listed(repo, most=5)[:2] == (tuple(shas[::-1]), False)
    assert listed(repo, most=3)[:2] == (tuple(shas[:1:-1]), True)


def test_the_list_can_be_of_some_paths(repo: Repo) -> None:
    one_ = repo.commit("One", {"src/a": "1"})
    repo.commit("Two", {"docs/b": "1"})
    assert listed(repo, paths=("src",)).shas == (one_,)
    assert listed(repo, paths=(":(glob)**",)).shas == ()


def test_a_revision_is_never_an_option(repo: Repo, tmp_path: Path) -> None:
    sha = repo.commit()
    assert listed(repo, "HEAD", f"--output={tmp_path / 'written'}").shas == (sha,)
    assert not (tmp_path / "written").exists()


def test_branches_are_found_by_name_and_missing_ones_are_told(repo: Repo) -> None:
    first = repo.commit("One")
    repo.git("branch", "release/1")
    second = repo.commit("Two")
    repo.git("branch", "dev")
    git = found(repo).git
    assert commits.branches(git, ("release/*", "dev", "gone"), soon()) == ((second, first), ("gone",))
    assert commits.branches(git, (), soon()) == ((), ())


def test_replaced_commits_are_read_as_they_were_made(repo: Repo) -> None:
    old = repo.commit("As it was", {"a": "1"})
    new = repo.commit("As somebody says it was", {"a": "2"})
    repo.git("replace", old, new)
    assert one(repo, old).subject == "As it was"


def test_a_partial_clone_fetches_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Start", {f"{number}.py": f"{number}\n" * 50 for number in range(3)})
    repo.git("mv", "1.py", "other.py")
    sha = repo.commit("Rename and change", {"other.py": "1\n" * 49 + "more"})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = Repo(tmp_path / "clone", repo.home)
    repo.git("clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repo.top}", str(clone.top))
    before = clone.traces()
    assert {one.status for one in _touched(clone, sha)} == {"A", "D"}
    assert clone.traces() == before


def _touched(repo: Repo, sha: str) -> tuple[Touched, ...]:
    return one(repo, sha).touched


@given(st.lists(st.binary(max_size=20).filter(lambda data: b"\0" not in data), max_size=40))
def test_whatever_the_records_are_parsing_ends(records: list[bytes]) -> None:
    for item in commits.parse(records):
        assert isinstance(item, Commit)


@pytest.mark.parametrize("kept", range(12))
def test_a_torn_record_is_no_commit(kept: int) -> None:
    whole = [b"\x02" + b"a" * 40, b"", b"1", b"Kim", b"Subject", b"", b"", b"", b"\nM", b"a.py"]
    found_ = list(commits.parse(whole[:kept]))
    assert [item.sha for item in found_] == (["a" * 40] if kept in (7, 8, 10, 11) else [])


@pytest.mark.parametrize("date", [b"99999999999999999", b"-"])
def test_a_date_that_is_none_is_none(date: bytes) -> None:
    (item,) = commits.parse([b"\x02" + b"a" * 40, b"", date, b"Kim", b"Subject", b"", b""])
    assert item.committed is None
