"""Gemini CLI: context files, what they import, and each project's folder of notes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from recall.api import Deadline, Entry, Health, Memory, Problem, Scope, State
from recall.errors import StoreAbsent
from recall_gemini.provider import GeminiOptions, GeminiProvider
from support.worlds import make_scope

ADDED = """# 규칙

모든 글은 한국어로 쓴다.

## Gemini Added Memories

- 결제 서버의 포트는 8080이다
- 배포는 화요일에 한다,
  공휴일이면 수요일에
* 담당자는 정산 팀이다

## 뒤의 절

뒤에 있는 글이다.
"""


class World:
    """A home with Gemini CLI's folder and a project, and what the provider makes of it."""

    def __init__(self, folder: Path) -> None:
        self.scope = make_scope(folder)
        self.home = self.scope.home / ".gemini"
        self.provider = GeminiProvider(GeminiOptions())

    def put(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def note(
        self, folder: str, owner: object, text: str = "재시도는 세 번이다.", name: str = "MEMORY.md"
    ) -> None:
        self.put(self.home / "tmp" / folder / "memory" / name, text)
        if owner:
            self.put(self.home / "tmp" / folder / ".project_root", str(owner))

    def items(self, scope: Scope | None = None) -> Iterable[Memory | Problem]:
        scope = scope or self.scope
        for item in self.provider.entries(scope, Deadline.after(60)):
            yield from self.provider.load(item, scope) if isinstance(item, Entry) else [item]

    def memories(self, scope: Scope | None = None) -> dict[str, Memory]:
        found = [item for item in self.items(scope) if isinstance(item, Memory)]
        assert len({memory.id for memory in found}) == len(found)
        return {memory.id: memory for memory in found}

    def health(self) -> Health:
        return self.provider.health(self.scope, Deadline.after(60))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_each_added_memory_is_one_and_the_rest_stays_together(world: World) -> None:
    world.put(world.home / "GEMINI.md", ADDED)
    found = world.memories()
    assert {memory.kind for memory in found.values()} == {"memory", "context"}
    assert found["global/GEMINI/added/배포는-화요일에-한다-공휴일이면-수요일에"].text == (
        "배포는 화요일에 한다,\n  공휴일이면 수요일에"
    )
    rest = found["global/GEMINI"]
    assert "8080" not in rest.text
    assert "뒤에 있는 글" in rest.text
    assert len(found) == 4


def test_every_memory_begins_at_its_line(world: World) -> None:
    path = world.put(world.home / "GEMINI.md", "\n\n" + ADDED)
    lines = path.read_text("utf-8").split("\n")
    for memory in world.memories().values():
        assert memory.line is not None
        assert memory.text.split("\n")[0] in lines[memory.line - 1]


def test_the_project_s_files_are_found_from_its_top_to_the_current_folder(world: World) -> None:
    world.put(world.scope.root / "GEMINI.md", "# 위\n\n맨 위의 규칙이다.\n")
    world.put(world.scope.root / "app/GEMINI.md", "# 아래\n\n앱의 규칙이다.\n")
    world.put(world.scope.root / "other/GEMINI.md", "# 옆\n\n다른 폴더의 규칙이다.\n")
    found = world.memories(replace(world.scope, cwd=world.scope.root / "app"))
    assert {key: memory.project for key, memory in found.items()} == {
        "project/GEMINI": "shop-api",
        "project/app/GEMINI": "shop-api",
    }


def test_the_user_s_settings_name_the_context_file(world: World) -> None:
    world.put(world.home / "settings.json", json.dumps({"context": {"fileName": ["RULES.md", "../x.md"]}}))
    world.put(world.scope.root / "RULES.md", "규칙은 하나이다.\n")
    world.put(world.scope.root / "GEMINI.md", "이 글은 읽지 않는다.\n")
    assert set(world.memories()) == {"project/RULES"}


@pytest.mark.parametrize("settings", ["{", "[]", '{"context": 3}', '{"contextFileName": "a/b.md"}'])
def test_settings_that_cannot_be_used_leave_the_usual_name(world: World, settings: str) -> None:
    world.put(world.home / "settings.json", settings)
    world.put(world.scope.root / "GEMINI.md", "규칙은 하나이다.\n")
    assert set(world.memories()) == {"project/GEMINI"}


def test_an_imported_file_is_a_memory_of_its_own_and_so_is_what_it_imports(world: World) -> None:
    world.put(world.scope.root / "GEMINI.md", "# 규칙\n\n@./notes/style.md 를 따른다.\n")
    world.put(world.scope.root / "notes/style.md", "# 문체\n\n존댓말을 쓴다.\n\n@deep/more.md\n")
    world.put(world.scope.root / "notes/deep/more.md", "# 더\n\n숫자는 아라비아 숫자로 쓴다.\n")
    assert set(world.memories()) == {
        "project/GEMINI",
        "project/imported/notes/style",
        "project/imported/notes/deep/more",
    }


def test_a_changed_import_gets_another_stamp_and_the_importer_keeps_its_own(world: World) -> None:
    world.put(world.scope.root / "GEMINI.md", "@style.md\n\n규칙이다.\n")
    path = world.put(world.scope.root / "style.md", "존댓말을 쓴다.\n")
    before = _stamps(world)
    path.write_text("반말을 쓰지 않는다.\n", encoding="utf-8")
    after = _stamps(world)
    assert {key for key in after if before[key] != after[key]} == {"project/imported/style.md"}


def test_imports_that_go_round_end(world: World) -> None:
    world.put(world.scope.root / "GEMINI.md", "@a.md\n\n처음이다.\n")
    world.put(world.scope.root / "a.md", "@GEMINI.md @a.md\n\n하나이다.\n")
    assert set(world.memories()) == {"project/GEMINI", "project/imported/a"}


def test_files_that_all_import_each_other_are_read_once_each_and_the_rest_is_told(world: World) -> None:
    every = "\n".join(f"@n{number:03}.md" for number in range(120))
    world.put(world.scope.root / "GEMINI.md", f"{every}\n\n규칙이다.\n")
    for number in range(120):
        world.put(world.scope.root / f"n{number:03}.md", f"{every}\n\n{number}번째 글이다.\n")
    items = list(world.items())
    assert len([item for item in items if isinstance(item, Memory)]) == 101
    assert [item.reason for item in items if isinstance(item, Problem)] == [
        "only the first 100 imported files are read"
    ]


def test_an_imported_state_document_stays_with_its_own_source(world: World) -> None:
    world.put(world.scope.root / "GEMINI.md", "@HANDOFF.md @docs/decisions/0001-x.md\n\n규칙이다.\n")
    world.put(world.scope.root / "HANDOFF.md", "환불이 남았다.\n")
    world.put(world.scope.root / "docs/decisions/0001-x.md", "세 번이다.\n")
    assert set(world.memories()) == {"project/GEMINI"}


@pytest.mark.parametrize("path", ["../secret.md", "~/secret.md", "{home}/secret.md", "link.md"])
def test_an_import_never_leaves_the_project(world: World, path: str) -> None:
    secret = world.put(world.scope.home / "secret.md", "밖에 있는 비밀이다.\n")
    world.put(world.scope.root.parent / "secret.md", "밖에 있는 비밀이다.\n")
    (world.scope.root / "link.md").symlink_to(secret)
    world.put(world.scope.root / "GEMINI.md", f"@{path.format(home=world.scope.home)}\n\n규칙이다.\n")
    assert set(world.memories()) == {"project/GEMINI"}


def test_an_import_in_code_and_an_address_are_none(world: World) -> None:
    world.put(world.scope.root / "style.md", "존댓말을 쓴다.\n")
    world.put(world.scope.root / "GEMINI.md", "```\n@style.md\n```\n`@style.md` me@style.md\n\n규칙이다.\n")
    assert set(world.memories()) == {"project/GEMINI"}


def test_the_memory_folder_of_the_project_is_found_by_its_owner(world: World) -> None:
    world.note("project", "/home/u/다른-일")
    world.note("project-1", world.scope.root, name="retry.md")
    found = world.memories()
    assert {key: memory.project for key, memory in found.items()} == {"memory/project-1/retry": "shop-api"}
    every = world.memories(replace(world.scope, all_projects=True))
    assert {memory.project for memory in every.values()} == {"shop-api", "다른-일"}


def test_the_register_names_an_owner_where_the_folder_does_not(world: World) -> None:
    world.note("shop-api", None)
    assert world.health().state is State.ABSENT
    world.put(world.home / "projects.json", json.dumps({"projects": {str(world.scope.root): "shop-api"}}))
    assert set(world.memories()) == {"memory/shop-api/MEMORY"}


def test_proposals_and_skills_are_no_memories(world: World) -> None:
    world.note("shop-api", world.scope.root)
    world.put(world.home / "tmp/shop-api/memory/.inbox/private/a.md", "아직 승인되지 않았다.\n")
    world.put(world.home / "tmp/shop-api/memory/skills/deploy.md", "기술이다.\n")
    assert set(world.memories()) == {"memory/shop-api/MEMORY"}


def test_nothing_is_absent_and_blank_files_are_empty(world: World) -> None:
    with pytest.raises(StoreAbsent):
        world.memories()
    world.put(world.home / "GEMINI.md", "<!-- 아직 없음 -->\n")
    assert world.health().state is State.EMPTY


def test_the_home_folder_as_a_project_brings_nothing_twice(world: World) -> None:
    world.put(world.home / "GEMINI.md", "# 규칙\n\n한국어로 쓴다.\n")
    scope = replace(world.scope, root=world.home, main_root=world.home, cwd=world.home)
    assert set(world.memories(scope)) == {"global/GEMINI"}


def test_each_part_can_be_switched_off(world: World) -> None:
    world.put(world.scope.root / "GEMINI.md", "규칙이다.\n")
    world.note("shop-api", world.scope.root)
    world.provider = GeminiProvider(GeminiOptions(context_files=False))
    assert set(world.memories()) == {"memory/shop-api/MEMORY"}
    world.provider = GeminiProvider(GeminiOptions(memory=False))
    assert set(world.memories()) == {"project/GEMINI"}


def test_an_unchanged_store_gives_the_very_same_listing(world: World) -> None:
    world.put(world.scope.root / "GEMINI.md", "@style.md\n\n규칙이다.\n")
    world.put(world.scope.root / "style.md", "존댓말을 쓴다.\n")
    first = world.provider.entries(world.scope, Deadline.after(60))
    assert world.provider.entries(world.scope, Deadline.after(60)) is first


def _stamps(world: World) -> dict[str, str]:
    listed = world.provider.entries(world.scope, Deadline.after(60))
    return {item.key: item.stamp for item in listed if isinstance(item, Entry)}
