"""Databases of the real program: every state, every generation, and not a byte changed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall.api import State
from recall.errors import StoreBroken
from support.worlds import snapshot

if TYPE_CHECKING:
    from conftest import World

CORPORA = Path(__file__).resolve().parents[3] / "../shared/corpora/claude-mem"

pytestmark = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="the shared corpora are not beside the repository"
)

# folder, state, observations and summaries, those of shop-api, what reason or facts say
FOLDERS = [
    ("empty-13.25.3", State.EMPTY, 0, 0, "no observations, summaries or prompts"),
    ("empty-13.25.3-live-wal", State.EMPTY, 0, 0, "no observations, summaries or prompts"),
    ("capture-only-13.25.3", State.EMPTY, 0, 0, "captures prompts, stores no observations"),
    ("populated-13.25.3", State.READY, 48, 16, "42 observations, 6 summaries, 12 prompts"),
    ("populated-13.25.3-live-wal", State.READY, 51, 20, "45 observations, 6 summaries, 11 prompts"),
    ("populated-13.25.3-no-obs-fts", State.READY, 44, 15, "full-text index is missing"),
    ("old-v4.0.2-schema9", State.READY, 44, 15, "38 observations, 6 summaries"),
    ("old-v5.4.0-schema10", State.READY, 44, 15, "38 observations, 6 summaries, 8 prompts"),
    ("old-v8.0.0-schema16", State.READY, 44, 15, "38 observations, 6 summaries, 8 prompts"),
    ("old-v9.1.1-schema21", State.READY, 44, 15, "38 observations, 6 summaries, 8 prompts"),
    ("old-v10.6.3-schema23", State.READY, 44, 15, "38 observations, 6 summaries, 8 prompts"),
    ("old-v13.4.0-schema32", State.READY, 44, 15, "38 observations, 6 summaries, 8 prompts"),
    ("odd/zero-byte", State.EMPTY, 0, 0, "never captured"),
    ("odd/no-data-dir-db", State.EMPTY, 0, None, "never captured"),
    ("odd/not-a-db", State.BROKEN, None, None, "not a SQLite database"),
    ("odd/truncated", State.BROKEN, None, None, "damaged"),
    ("odd/fts-stale", State.READY, 49, 17, "full-text index holds 42 observations"),
]


def test_the_table_names_every_folder_of_the_corpus() -> None:
    present = {path.name for path in CORPORA.iterdir() if path.is_dir() and path.name != "odd"}
    present |= {f"odd/{path.name}" for path in (CORPORA / "odd").iterdir()}
    assert {folder for folder, *_ in FOLDERS} == present


@pytest.mark.parametrize(("folder", "state", "items", "in_scope", "said"), FOLDERS)
def test_every_folder_has_its_true_state_and_stays_as_it_was(
    world: World,
    folder: str,
    state: State,
    items: int | None,
    in_scope: int | None,
    said: str,
) -> None:
    shutil.copytree(CORPORA / folder, world.data, copy_function=shutil.copyfile)
    before = snapshot(world.scope.home)
    health = world.health()
    assert (health.state, health.items, health.in_scope) == (state, items, in_scope)
    assert any(said in text for text in (health.reason, *health.facts))
    assert bool(health.next_step) == (state is not State.READY)
    if state is State.BROKEN:
        with pytest.raises(StoreBroken):
            world.listed()
    else:
        assert len(world.memories()) == (in_scope or 0)
    assert snapshot(world.scope.home) == before


def test_rows_of_every_project_are_read_in_full(world: World) -> None:
    shutil.copytree(CORPORA / "populated-13.25.3", world.data, copy_function=shutil.copyfile)
    world.change(all_projects=True)
    memories = world.memories()
    assert len(memories) == 48
    assert all(memory.title and memory.text and memory.created for memory in memories.values())
    assert {memory.project for memory in memories.values()} == {
        "shop-api",
        "shop-api/feat-pay",
        "recall-hub",
        "한글-블로그",
        "legacy-proj",
        "claude-mem",
    }
    assert memories["observation/42"].title == "Imported row without content hash"


def test_the_same_rows_read_the_same_in_every_generation(world: World) -> None:
    world.change(all_projects=True)
    texts = []
    for folder in ("old-v4.0.2-schema9", "old-v9.1.1-schema21", "old-v13.4.0-schema32"):
        world.choose(data_dir=str(shutil.copytree(CORPORA / folder, world.scope.home / folder)))
        texts.append({key: memory.text for key, memory in world.memories().items()})
    assert texts[0] == texts[1] == texts[2]
    assert len(texts[0]) == 44
