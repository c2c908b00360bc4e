"""Basic Memory: projects by settings, observations, relations, and what only looks like them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.api import Deadline, Entry, Health, Memory, Problem, Scope, State
from recall.errors import StoreAbsent
from recall_basic_memory.memories import _parted
from recall_basic_memory.provider import BasicMemoryOptions, BasicMemoryProvider
from support.worlds import make_scope

NOTE = """---
title: 결제 재시도
type: spec
permalink: shop/retry
tags: [결제, retry]
created: 2026-05-01T09:00:00+09:00
modified: 2026-05-20T09:00:00+09:00
---

# 결제 재시도

실패한 결제를 다시 시도하는 방법이다.

## Observations

- [decision] 최대 세 번까지 시도한다 #정책 (장애 회의)
- [기술] 간격은 지수로 늘린다

## Relations

- implements [[정산 정책]]
- part_of [[Payments]] (2분기)
- [[Refund Flow]]
"""


class World:
    """A home with Basic Memory's folders, and what the provider makes of them."""

    def __init__(self, folder: Path) -> None:
        self.scope = make_scope(folder)
        self.options = BasicMemoryOptions()

    @property
    def home(self) -> Path:
        return self.scope.home

    def put(self, path: Path, text: str | bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def note(self, text: str, name: str = "결제/재시도.md") -> None:
        self.put(self.home / "basic-memory" / name, text)

    def settings(self, **values: object) -> None:
        self.put(self.home / ".basic-memory/config.json", json.dumps(values, default=str))

    def items(self, scope: Scope | None = None) -> Iterable[Memory | Problem]:
        scope, provider = scope or self.scope, BasicMemoryProvider(self.options)
        for item in provider.entries(scope, Deadline.after(60)):
            yield from provider.load(item, scope) if isinstance(item, Entry) else [item]

    def memories(self, scope: Scope | None = None) -> dict[str, Memory]:
        found = [item for item in self.items(scope) if isinstance(item, Memory)]
        assert len({memory.id for memory in found}) == len(found)
        return {memory.id: memory for memory in found}

    def health(self) -> Health:
        return BasicMemoryProvider(self.options).health(self.scope, Deadline.after(60))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_note_s_text_and_each_observation_are_memories(world: World) -> None:
    world.note(NOTE)
    found = world.memories()
    base = "main/결제/재시도"
    assert {key: memory.kind for key, memory in found.items()} == {
        base: "spec",
        f"{base}/decision-최대-세-번까지-시도한다-정책-장애-회의": "decision",
        f"{base}/기술-간격은-지수로-늘린다": "기술",
    }
    assert "지수" not in found[base].text
    assert "[[" not in found[base].text


def test_an_observation_is_found_by_its_note_s_title_tags_and_relations(world: World) -> None:
    world.note(NOTE)
    memory = next(one for one in world.memories().values() if one.kind == "decision")
    assert memory.title == "결제 재시도"
    for word in ("결제", "retry", "정책", "Payments"):
        assert word in memory.context
    assert (
        memory.extra["relations"] == "implements 정산 정책; part of Payments (2분기); relates to Refund Flow"
    )
    assert memory.extra["permalink"] == "shop/retry"


def test_every_memory_begins_at_its_line(world: World) -> None:
    world.note(NOTE)
    lines = NOTE.split("\n")
    for memory in world.memories().values():
        assert memory.line is not None
        assert memory.text.split("\n")[0] in lines[memory.line - 1]


def test_dates_are_those_of_the_front_matter(world: World) -> None:
    world.note(NOTE)
    for memory in world.memories().values():
        assert memory.created == datetime(2026, 5, 1, 0, tzinfo=UTC)
        assert (memory.updated, memory.date_origin) == (datetime(2026, 5, 20, 0, tzinfo=UTC), "front matter")


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] 아직 할 일",
        "- [x] 끝난 일",
        "- [-] 그만둔 일",
        "- [00:11] 회의 첫머리",
        "- [설명](https://example.org) 링크",
        "- [a][b] 참조 링크",
        "- [[다른 노트]] 에 대한 글이 이어진다",
        "[decision] 목록이 아니다",
        "- [decision]",
    ],
)
def test_what_only_looks_like_an_observation_stays_text(line: str) -> None:
    parted = _parted(f"글이다.\n{line}\n")
    assert not parted.observations
    assert line in parted.text or parted.relations


def test_what_stands_in_a_code_fence_is_text() -> None:
    parted = _parted("```\n- [decision] 예이다\n- implements [[X]]\n```\n")
    assert (parted.observations, parted.relations) == ((), ())


@given(st.text())
def test_no_line_of_a_note_is_lost_and_none_moves(body: str) -> None:
    parted = _parted(body)
    assert parted.text.count("\n") == body.count("\n")
    blanked = [
        (old, new) for old, new in zip(body.split("\n"), parted.text.split("\n"), strict=True) if old != new
    ]
    assert len(blanked) == len(parted.observations) + len(parted.relations)


def test_broken_front_matter_loses_no_note(world: World) -> None:
    world.note('---\ntitle: "a" b: c\ntags: [x\n---\n\n글은 남는다.\n')
    (memory,) = world.memories().values()
    assert "글은 남는다" in memory.text
    assert world.health().state is State.DEGRADED


def test_the_default_project_is_for_everybody_and_others_are_by_name_or_place(world: World) -> None:
    for name in ("general", "mine", "named", "other"):
        world.put(world.home / name / "a.md", f"{name} 글이다.\n")
    inside = world.scope.root / "knowledge"
    world.put(inside / "a.md", "안의 글이다.\n")
    world.settings(
        projects={
            "general": str(world.home / "general"),
            "Shop-API": {"path": str(world.home / "mine"), "mode": "local"},
            "extra": str(world.home / "named"),
            "other": str(world.home / "other"),
            "inside": str(inside),
        },
        default_project="general",
    )
    world.options = BasicMemoryOptions(projects=("extra",))
    assert {key: memory.project for key, memory in world.memories().items()} == {
        "general/a": "",
        "Shop-API/a": "shop-api",
        "extra/a": "shop-api",
        "inside/a": "shop-api",
    }
    every = world.memories(replace(world.scope, all_projects=True))
    assert every["other/a"].project == "other"
    world.options = BasicMemoryOptions(default_project=False)
    assert set(world.memories()) == {"Shop-API/a", "inside/a"}


def test_a_project_that_is_this_one_leaves_decisions_and_state_to_their_sources(world: World) -> None:
    world.put(world.scope.root / "docs/decisions/0001-retry.md", "# 재시도\n\n세 번이다.\n")
    world.put(world.scope.root / "HANDOFF.md", "# 넘김\n\n환불이 남았다.\n")
    world.put(world.scope.root / "docs/guide.md", "# 안내\n\n여기부터 읽는다.\n")
    world.settings(projects={"shop": str(world.scope.root)}, default_project="shop")
    assert set(world.memories()) == {"shop/docs/guide"}


def test_hidden_folders_are_left_out(world: World) -> None:
    world.note("글이다.\n", ".obsidian/x.md")
    world.note("글이다.\n", "a.md")
    assert set(world.memories()) == {"main/a"}


def test_settings_that_cannot_be_read_are_told_and_the_usual_folder_is_read(world: World) -> None:
    world.put(world.home / ".basic-memory/config.json", "{")
    health = world.health()
    assert (health.state, "not valid JSON" in health.reason) == (State.BROKEN, True)
    world.note("글이다.\n", "a.md")
    assert set(world.memories()) == {"main/a"}
    assert world.health().state is State.DEGRADED


def test_the_environment_moves_settings_and_main_folder(world: World) -> None:
    world.put(world.home / "notes/a.md", "글이다.\n")
    moved = replace(world.scope, env={"BASIC_MEMORY_HOME": str(world.home / "notes")})
    assert set(world.memories(moved)) == {"main/a"}


def test_nothing_is_absent_and_a_folder_without_text_is_empty(world: World) -> None:
    with pytest.raises(StoreAbsent):
        world.memories()
    world.note("---\ntitle: 빈 노트\n---\n\n# 빈 노트\n\n## Observations\n\n## Relations\n", "a.md")
    assert world.health().state is State.EMPTY


def test_an_unchanged_folder_gives_the_very_same_listing(world: World) -> None:
    world.note(NOTE)
    provider = BasicMemoryProvider(world.options)
    first = provider.entries(world.scope, Deadline.after(60))
    assert provider.entries(world.scope, Deadline.after(60)) is first
