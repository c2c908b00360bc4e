"""Nothing of a store changes by being read; and the sample trees come out as they should."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall.api import State
from recall_markdown.stores import Folder
from support.worlds import snapshot

if TYPE_CHECKING:
    from conftest import World

CORPUS = Path(__file__).resolve().parents[3] / "../shared/corpora/agents"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="the sample trees are not beside this checkout")


def look_at_everything(world: World) -> None:
    world.health()
    for every in (False, True):
        world.change(all_projects=every)
        world.memories()


def test_reading_changes_nothing(world: World, tmp_path: Path) -> None:
    world.note("a.md", "---\nname: [broken\n---\n하나.")
    world.note("MEMORY.md", "- [a](a.md) — 하나\n- [b](gone.md) — 둘\n")
    world.note("dump.md", b"\x00\x01")
    world.transcript(world.root, "0001")
    for folder in ("memory-bank", ".claude/agent-memory/reviewer", "docs/adr"):
        (world.root / folder).mkdir(parents=True)
        (world.root / folder / "note.md").write_text("메모.")
    world.choose(folders=(Folder("docs/adr"),))
    before = snapshot(tmp_path)
    look_at_everything(world)
    assert snapshot(tmp_path) == before


@needs_corpus
def test_reading_the_sample_tree_changes_nothing(world: World, tmp_path: Path) -> None:
    shutil.copytree(CORPUS, tmp_path / "sample", symlinks=True)
    world.change(home=tmp_path / "sample/home", root=tmp_path / "sample/repo")
    before = snapshot(tmp_path)
    look_at_everything(world)
    assert snapshot(tmp_path) == before


@needs_corpus
def test_the_sample_home_is_read_as_it_should(world: World, tmp_path: Path) -> None:
    shutil.copytree(CORPUS, tmp_path / "sample", symlinks=True)
    root = Path("/Users/dev/code/shop-api")
    world.change(home=tmp_path / "sample/home", root=root, main_root=root, cwd=root)
    memories = world.memories()
    assert memories["claude/project_retry-policy"].kind == "project"
    assert memories["claude/odd-type"].kind == "infra"
    assert memories["claude/team/review-rule"].text.endswith("Shared by the team.")
    assert memories["claude/crlf"].text == "Body."
    assert "this link is dead" in memories["claude/MEMORY"].text
    assert memories["claude-custom/custom"].project == ""
    assert "claude/logs/2026/09/2026-09-08" not in memories
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, len(memories))
    assert [os.path.basename(problem.where) for problem in health.problems] == [
        "feedback_pass-means-merge.md"
    ]


@needs_corpus
def test_the_sample_collision_is_told_and_its_notes_are_labelled(world: World, tmp_path: Path) -> None:
    shutil.copytree(CORPUS, tmp_path / "sample", symlinks=True)
    root = Path("/Users/dev/code/정산")
    world.change(home=tmp_path / "sample/home", root=root, main_root=root, cwd=root, names=("정산",))
    memories = world.memories()
    assert (memories["claude/settlement"].project, memories["claude/tax"].project) == ("정산", "회계")
    (problem,) = world.problems().values()
    assert "shared by /Users/dev/code/정산, /Users/dev/code/회계" in problem.reason


@needs_corpus
def test_the_sample_repository_has_sub_agents_and_an_unfilled_bank(world: World, tmp_path: Path) -> None:
    shutil.copytree(CORPUS, tmp_path / "sample", symlinks=True)
    root = tmp_path / "sample/repo"
    world.change(root=root, main_root=root, cwd=root)
    assert set(world.memories()) == {"project-agents/test-writer/MEMORY", "local-agents/test-writer/MEMORY"}
