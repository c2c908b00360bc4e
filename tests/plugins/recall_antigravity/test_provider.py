"""Which of Antigravity's folders are read, and what is said of them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall.api import State
from recall.errors import StoreAbsent
from support.worlds import snapshot

if TYPE_CHECKING:
    from conftest import World

CORPUS = Path(__file__).resolve().parents[3] / "../shared/corpora/agents"
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="the sample trees are not beside this checkout")


def test_nothing_anywhere_is_absent_and_says_where_it_looked(world: World) -> None:
    with pytest.raises(StoreAbsent):
        world.listed()
    health = world.health()
    assert (health.state, health.items) == (State.ABSENT, 0)
    assert str(world.folder("antigravity-ide") / "knowledge") in health.places
    assert health.reason
    assert health.next_step


def test_a_lock_and_encrypted_chats_are_an_empty_store_with_its_reason(world: World) -> None:
    world.file("knowledge/knowledge.lock", "")
    world.file("conversations/5d2f0c1e.pb", b"\x8f\x02\xff")
    world.file("implicit/6e3f.pb", b"\x8f\x02\xff")
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert "unreadable (encrypted .pb): 2" in health.reason


def test_an_installation_without_any_knowledge_is_empty(world: World) -> None:
    world.file("history.jsonl", '{"display": "안녕"}\n', "antigravity-cli")
    assert world.health().state is State.EMPTY


def test_every_root_is_read_and_an_item_in_two_roots_comes_from_both(world: World) -> None:
    for root in ("antigravity", "antigravity-ide", "antigravity-cli"):
        world.item("shared", {"overview.md": f"{root}에서 읽었다.\n"}, root, title="같은 항목")
    world.item("single", {"overview.md": "하나뿐이다.\n"}, "antigravity-cli", title="다른 항목")
    memories = world.memories()
    assert len(memories) == 4
    assert (
        memories["antigravity-ide/knowledge/shared/artifacts/overview"].text == "antigravity-ide에서 읽었다."
    )
    facts = world.health().facts
    assert "split over 3 roots: shared" in facts
    assert "memories in antigravity-cli: 2" in facts


def test_a_root_that_is_a_link_to_another_does_not_double_its_memories(world: World) -> None:
    world.item("a", {"overview.md": "한 번만.\n"})
    world.folder("antigravity-ide").symlink_to(world.folder())
    assert set(world.memories()) == {"antigravity/knowledge/a/artifacts/overview"}


def test_the_backup_is_read_only_when_asked_for_and_is_mentioned(world: World) -> None:
    world.item("a", {"overview.md": "지금 것.\n"})
    world.item("b", {"overview.md": "옮기기 전의 것.\n"}, "antigravity-backup")
    assert len(world.memories()) == 1
    assert any("antigravity-backup is there and not read" in fact for fact in world.health().facts)
    world.choose(backup=True)
    assert "antigravity-backup/knowledge/b/artifacts/overview" in world.memories()


def test_another_home_and_other_roots_can_be_named(world: World) -> None:
    path = world.scope.home / "옮긴 곳/fork/knowledge/note.md"
    path.parent.mkdir(parents=True)
    path.write_text("메모.")
    world.choose(home="~/옮긴 곳", roots=("fork", "fork"))
    assert set(world.memories()) == {"fork/knowledge/note"}


def test_a_knowledge_folder_that_cannot_be_looked_at_is_broken_and_hides_no_other_root(world: World) -> None:
    world.folder().mkdir(parents=True)
    (world.folder() / "knowledge").symlink_to(world.folder() / "knowledge")
    health = world.health()
    assert health.state is State.BROKEN
    assert [problem.hides_entries for problem in health.problems] == [True]
    world.item("a", {"overview.md": "다른 뿌리.\n"}, "antigravity-ide")
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 1)


def test_credentials_and_chats_are_never_opened(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.item("a", {"overview.md": "내용.\n"})
    for name in ("antigravity-oauth-token", "conversations/a.db", "annotations/a.pbtxt", "history.jsonl"):
        world.file(name, "EXAMPLE-NOT-A-TOKEN")
    opened: list[str] = []
    from recall import files

    real = files.read_bytes

    def spy(path: str, limit: int = files.READ_LIMIT) -> bytes:
        opened.append(str(path))
        return real(path, limit)

    monkeypatch.setattr("recall.files.reading.read_bytes", spy)
    world.health()
    assert opened
    assert all("/knowledge/" in path for path in opened)


def look_at_everything(world: World) -> None:
    world.health()
    for every in (False, True):
        world.change(all_projects=every)
        world.memories()


def test_reading_changes_nothing(world: World, tmp_path: Path) -> None:
    world.item("a", {"overview.md": "내용.\n", "b/c.md": "깊이.\n"}, title="제목", references=["x/y.py"])
    world.file("knowledge/half/metadata.json", "{")
    world.file("knowledge/knowledge.lock", "")
    world.file("brain/chat/task.md", "[a](file:///srv/a/b.py)\n")
    world.file("brain/chat/task.md.metadata.json", {"summary": "할 일."})
    before = snapshot(tmp_path)
    look_at_everything(world)
    assert snapshot(tmp_path) == before


@needs_corpus
def test_the_sample_home_is_read_as_it_should_and_left_as_it_was(world: World, tmp_path: Path) -> None:
    shutil.copytree(CORPUS / "home", tmp_path / "sample", symlinks=True)
    root = Path("/Users/dev/code/shop-api")
    world.change(home=tmp_path / "sample", root=root, main_root=root, cwd=root)
    before = snapshot(tmp_path / "sample")
    memories = world.memories()
    assert len(memories) == 12
    overview = memories["antigravity/knowledge/payment_retry_policy/artifacts/overview"]
    assert overview.text.startswith("How shop-api retries failed card charges")
    task = memories["antigravity-ide/brain/a8e31b77-02d9-4f6a-8a10-91f2c0d7be34/task"]
    assert (task.title, task.project) == ("Task list for the settlement holiday rule.", "shop-api")
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 12)
    assert {problem.where.split("/", 2)[2] for problem in health.problems} == {
        "api_manual/artifacts/02_mixed.md",
        "half_written/metadata.json",
    }
    look_at_everything(world)
    assert snapshot(tmp_path / "sample") == before
