"""Serena's own files: every state, the program's own answers, and not a byte changed."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall.api import Scope, State
from recall_serena.texts import is_stock

if TYPE_CHECKING:
    from conftest import World

CORPORA = Path(__file__).resolve().parents[3] / "../shared/corpora/serena"

pytestmark = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="the shared corpora are not beside the repository"
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A copy of the corpus as Serena left it."""
    top = tmp_path / "corpus"
    shutil.copytree(CORPORA, top, copy_function=shutil.copyfile)
    for path in top.rglob("*"):
        if path.name == ".keep":
            path.unlink()
        elif path.suffix in (".yml", ".json"):
            path.write_text(path.read_text("utf-8").replace("__ROOT__", str(top / "serena-1.7.0")), "utf-8")
    return top


def settle(world: World, corpus: Path, project: str, home: str = "") -> None:
    """Point the world at one project of the corpus, with or without its home folder."""
    root = corpus / project
    env = {"SERENA_HOME": str(corpus / home)} if home else {}
    world.scope = Scope(world.scope.home, root, root, root, (root.name,), env)


@pytest.mark.parametrize(
    ("project", "state", "items", "reason"),
    [
        ("serena-1.7.0/created_only", State.EMPTY, 0, "no memories folder"),
        ("serena-1.7.0/empty", State.EMPTY, 0, "nothing was written"),
        ("serena-1.7.0/seeded_only", State.EMPTY, 0, "memory_maintenance"),
        ("serena-1.7.0/rich", State.READY, 7, ""),
        ("serena-1.7.0/central_code", State.ABSENT, 0, "no Serena data folder"),
        ("serena-0.1.4/flat", State.READY, 3, ""),
    ],
)
def test_every_project_has_its_true_state(
    world: World, corpus: Path, project: str, state: State, items: int, reason: str
) -> None:
    settle(world, corpus, project)
    health = world.health()
    assert (health.state, health.items) == (state, items)
    assert reason in health.reason
    assert bool(health.next_step) == (state is not State.READY)


def test_the_central_data_folder_is_found(world: World, corpus: Path) -> None:
    home = corpus / "central-home"
    home.mkdir()
    shutil.copy(corpus / "serena-1.7.0/home/serena_config.central.yml", home / "serena_config.yml")
    settle(world, corpus, "serena-1.7.0/central_code", "central-home")
    assert list(world.memories()) == ["core"]
    assert world.health().state is State.READY
    # Real memories in the tree, an empty folder where they would be in the centre.
    settle(world, corpus, "serena-1.7.0/rich", "central-home")
    (corpus / "serena-1.7.0/central/rich/.serena/memories").mkdir(parents=True)
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 7)


@pytest.mark.parametrize("project", ["rich", "empty", "seeded_only"])
def test_names_are_those_that_serena_lists_but_for_its_stock_note(
    world: World, corpus: Path, project: str
) -> None:
    expected = json.loads((corpus / "serena-1.7.0/expected.json").read_text("utf-8"))
    answer = json.loads(expected["variants"][project]["list_memories"][0]["text"])
    names = {name for group in answer.values() for name in group}
    settle(world, corpus, f"serena-1.7.0/{project}", "serena-1.7.0/home")
    assert world.stamps().keys() == names
    assert world.memories().keys() == names - {"memory_maintenance"}
    assert world.health().items == len(names - {"memory_maintenance"})


def test_the_stock_note_is_known_by_its_text_whatever_the_line_ends(world: World, corpus: Path) -> None:
    settle(world, corpus, "serena-1.7.0/seeded_only")
    path = world.root / ".serena/memories/memory_maintenance.md"
    stock = path.read_bytes()
    path.write_bytes(stock.replace(b"\n", b"\r\n"))
    assert world.health().state is State.EMPTY
    path.rename(path.with_name("upkeep.md"))
    assert world.health().state is State.EMPTY
    assert not is_stock(stock.decode() + "\n- 우리 규칙\n")


def test_all_projects_of_the_machine_are_listed(world: World, corpus: Path) -> None:
    settle(world, corpus, "serena-1.7.0/rich", "serena-1.7.0/home")
    world.scope = replace(world.scope, all_projects=True)
    assert {memory.project for memory in world.memories().values()} == {"rich", ""}
    assert "seeded_only//memory_maintenance" in world.stamps()
