"""The same question again costs nothing, as long as nothing changed; and every change is seen."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evidence.repository import Repository
from evidence.rows import row
from recall.api import Deadline, Scope
from recall.evidence.checker import Checker
from recall.evidence.gather import Gatherer
from recall.evidence.result import Evidence, Verdict
from recall.git import repository, worktree
from recall.git.worktree import WorkTree

LONG = Deadline.after(600)
TEXT = "`charge_card()` in src/pay.py is called by bill(); LIMIT is 3, see data/made.txt."
LATER = 3_600.0  # seconds after the files were written, so that none is young


class Clock:
    """Epoch seconds as a test has them."""

    def __init__(self) -> None:
        self.now = time.time() + LATER

    def __call__(self) -> float:
        return self.now


class World:
    """A repository, a checker of it, and how often it looked."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo = Repository(folder / "project")
        self.repo.commit(
            0,
            {
                "src/pay.py": "def charge_card():\n    return bill()\n",
                "src/limits.py": "LIMIT = 3\n",
                ".gitignore": "data/\n",
            },
        )
        for name in ("home", "cache"):
            (folder / name).mkdir()
        self.clock = Clock()
        top, env = self.repo.top, {"PATH": os.environ.get("PATH", "")}
        self.scope = Scope(folder / "home", top, top, top, ("shop",), env, in_git=True)
        self.checker = Checker(self.scope, lambda: folder / "cache", now=self.clock)
        self.looks = 0
        plain = Gatherer.facts

        def counted(*given: object) -> object:
            self.looks += 1
            return plain(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(Gatherer, "facts", counted)

    def tree(self) -> WorkTree:
        found = repository.find(self.scope.root, self.scope.home, self.scope.env, LONG)
        return worktree.look(found, LONG)

    def ask(self, text: str = TEXT, tree: WorkTree | None = None) -> Evidence:
        """As a question does, which looks at the work tree anyway."""
        memory = row("one", text, 10)
        return self.checker.check([memory], LONG, tree or self.tree())[memory.uri]

    def again(self, text: str = TEXT) -> bool:
        """Whether asking again looks again; the answer is that of a checker that never was asked."""
        before = self.looks
        found = self.ask(text)
        looked = self.looks > before
        fresh = Checker(self.scope, lambda: self.scope.home, now=self.clock)
        memory = row("one", text, 10)
        assert found == fresh.check([memory], LONG, self.tree())[memory.uri]
        return looked


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path, monkeypatch)
    made.ask()
    return made


def test_the_same_question_again_looks_at_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    first, tree = world.ask(), world.tree()
    monkeypatch.setattr("recall.git.command.Git.start", lambda *_given, **_more: pytest.fail("git was run"))
    monkeypatch.setattr("recall.evidence.store.Store.rows", lambda *_given: pytest.fail("the store was read"))
    assert world.ask(tree=tree) == first


@pytest.mark.parametrize(
    "change",
    [
        lambda repo: repo.write({"src/pay.py": "def charge_cart():\n    return bill()\n"}),  # of the same size
        lambda repo: repo.write({"src/pay.py": None}),
        lambda repo: repo.write({"src/limits.py": "LIMIT = 4\n"}),
        lambda repo: repo.write({"src/other.py": "bill = 2\n"}),
        lambda repo: repo.write({"data/made.txt": "made"}),  # ignored, and named by the memory
        lambda repo: repo.commit(20, {"src/more.py": "x = 1\n"}),
        lambda repo: repo.git("mv", "src/pay.py", "src/money.py"),
        lambda repo: repo.git("checkout", "-q", "--detach"),
        lambda repo: repo.git("update-index", "--chmod=+x", "src/pay.py"),
        lambda repo: repo.git("config", "core.attributesFile", "elsewhere"),
        lambda repo: (repo.top / ".claude").mkdir(),
    ],
    ids=[
        "edited", "deleted", "another file edited", "untracked", "ignored", "committed", "moved", "detached", "index",
        "settings", "a folder of agents",
    ],
)  # fmt: skip
def test_every_change_is_seen(world: World, change: Callable[[Repository], object]) -> None:
    assert not world.again()
    change(world.repo)
    assert world.again()


def test_a_file_that_was_edited_before_is_looked_at_again_when_it_is_edited_again(world: World) -> None:
    world.repo.write({"src/limits.py": "LIMIT = 4\n"})
    world.ask()
    assert not world.again()
    world.repo.write({"src/limits.py": "LIMIT = 5\n"})
    assert world.again()


def test_what_a_link_leads_to_is_part_of_what_is_proved(world: World) -> None:
    world.repo.write({"data/real.py": "def refund():\n    pass\n"})
    (world.repo.top / "src/link.py").symlink_to("../data/real.py")
    world.repo.git("add", "-A")
    text = "`refund()` in src/link.py, LIMIT is 3 in src/link.py."
    world.ask(text)
    assert not world.again(text)
    world.repo.write({"data/real.py": "LIMIT = 4\n"})
    assert world.again(text)


def test_what_lies_in_a_folder_that_git_does_not_know_is_looked_for_each_time(world: World) -> None:
    world.repo.write({"new/one.py": "x = 1\n"})
    world.ask()
    assert world.again()


def test_a_file_that_may_carry_the_time_of_two_changes_is_not_trusted(world: World) -> None:
    world.clock.now = time.time()
    world.repo.write({"src/pay.py": "def charge_card():\n    return bill()\n\n"})
    os.utime(world.repo.top / "src/pay.py", (world.clock.now, world.clock.now))
    world.ask()
    assert world.again()


def test_nothing_is_trusted_for_longer_than_a_minute(world: World) -> None:
    assert not world.again()
    world.clock.now += 61
    assert world.again()


def test_without_a_look_at_the_work_tree_git_is_asked(world: World) -> None:
    before = world.looks
    memory = row("one", TEXT, 10)
    world.checker.check([memory], LONG)
    assert world.looks == before + 1


def test_another_text_under_the_same_uri_is_another_question(world: World) -> None:
    assert {one.claim for one in world.ask().findings} > {"src/pay.py", "charge_card"}
    assert {one.claim for one in world.ask("See src/pay.py.").findings} == {"src/pay.py"}


def test_what_was_not_read_in_time_is_not_kept(world: World) -> None:
    before = world.looks
    memory = row("two", "In src/pay.py: `never_seen_before`", 10)
    late = world.checker.check([memory], Deadline.after(0), world.tree())[memory.uri]
    assert late.verdict is Verdict.NOT_CHECKED
    assert world.checker.check([memory], LONG, world.tree())[memory.uri].verdict is Verdict.CURRENT
    assert world.looks == before + 1


def test_a_question_that_is_never_asked_again_takes_no_room_for_ever(world: World) -> None:
    for number in range(50):
        world.ask(f"src/pay.py and word_{number}")
    assert len(world.checker._verdicts._kept) == 32
