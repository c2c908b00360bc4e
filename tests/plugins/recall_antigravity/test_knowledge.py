"""What the Antigravity provider makes of knowledge items."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall.api import Deadline, Entry, Memory, Scope, State
from recall_antigravity.provider import AntigravityOptions, AntigravityProvider

if TYPE_CHECKING:
    from conftest import World

ITEM = "antigravity/knowledge/정산_배치"
TIMES = {
    "created": "2026-05-15T18:11:39.5125311+09:00",
    "modified": "2026-05-18T07:33:43.587555412+09:00",
    "accessed": "2026-07-21T06:21:56.027386+09:00",
}


def test_an_item_is_one_memory_for_each_artifact_at_any_depth(world: World) -> None:
    pages = {
        "overview.md": "# 정산 배치\n\n02:00에 시작한다.\n",
        "implementation/retry/worker.md": "# 재시도 워커\n\n30분 뒤 한 번만 다시 돈다.\n",
    }
    world.item(
        "정산_배치",
        pages,
        title="정산 배치 운영",
        summary="휴일 정산은 다음 영업일로 넘긴다.",
        tags=["정산", "배치"],
    )
    world.file("knowledge/정산_배치/timestamps.json", TIMES)
    memories = world.memories()
    assert set(memories) == {f"{ITEM}/artifacts/overview", f"{ITEM}/artifacts/implementation/retry/worker"}
    overview = memories[f"{ITEM}/artifacts/overview"]
    worker = memories[f"{ITEM}/artifacts/implementation/retry/worker"]
    assert overview.title == "정산 배치 운영"
    assert overview.text == "휴일 정산은 다음 영업일로 넘긴다.\n\n# 정산 배치\n\n02:00에 시작한다."
    assert worker.title == "정산 배치 운영: 재시도 워커"
    assert "영업일" not in worker.text
    assert worker.extra["tags"] == "정산, 배치"
    assert worker.updated == datetime(2026, 5, 17, 22, 33, 43, 587555, UTC)
    assert worker.created == datetime(2026, 5, 15, 9, 11, 39, 512531, UTC)


def test_without_an_overview_the_first_artifact_carries_the_summary(world: World) -> None:
    world.item(
        "manual", {"01_intro.md": "# 소개\n", "02_setup.md": "# 설치\n"}, title="설명서", description="차례."
    )
    memories = world.memories()
    assert memories["antigravity/knowledge/manual/artifacts/01_intro"].text == "차례.\n\n# 소개"
    assert memories["antigravity/knowledge/manual/artifacts/02_setup"].text == "# 설치"


def test_a_summary_that_the_page_says_itself_is_not_repeated(world: World) -> None:
    world.item(
        "port",
        {"overview.md": "API 포트는 8080 으로 보인다. 초기 대화에서 추렸다."},
        title="API 포트",
        summary="API 포트는 8080 으로 보인다",
    )
    memory = world.memories()["antigravity/knowledge/port/artifacts/overview"]
    assert memory.text == "API 포트는 8080 으로 보인다. 초기 대화에서 추렸다."
    assert memory.title == "API 포트"


def test_an_item_without_artifacts_is_its_summary(world: World) -> None:
    path = world.file(
        "knowledge/short/metadata.json", {"title": "짧은 것", "summary": "요약만 있다.", "references": []}
    )
    memory = world.memories()["antigravity/knowledge/short/metadata.json"]
    assert (memory.title, memory.text, memory.kind, memory.path) == (
        "짧은 것",
        "요약만 있다.",
        "summary",
        str(path),
    )


def test_an_item_that_says_nothing_is_no_memory(world: World) -> None:
    world.file("knowledge/bare/metadata.json", {"title": "제목뿐"})
    assert (world.health().state, world.health().items) == (State.EMPTY, 0)


def test_a_half_written_description_does_not_hide_the_artifacts(world: World) -> None:
    world.item("half", {"overview.md": "# 반쪽\n\n읽을 수 있다.\n", "more.md": "# 더\n"})
    world.file("knowledge/half/metadata.json", '{"title": "반쪽", "summary": "쓰다가')
    assert len(world.memories()) == 2
    assert list(world.problems()) == ["antigravity/knowledge/half/metadata.json"]
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 2)


@pytest.mark.parametrize(
    "metadata",
    [
        {"title": 17, "summary": None, "references": {"value": "not a list"}, "updatedAt": 1_757_000_000},
        {"title": ["a"], "tags": {"x": 1}, "references": [None, 3, [], {"type": 1}]},
        {"title": None, "created": "언젠가", "last_updated": {"a": 1}},
        {"references": "https://example.invalid/a", "tags": "하나", "updatedAt": "9999-12-31"},
    ],
)
def test_odd_values_in_a_description_do_not_hide_the_artifact(
    world: World, metadata: dict[str, object]
) -> None:
    world.item("odd", {"notes.md": "핫픽스 브랜치는 태그에서 딴다.\n"})
    world.file("knowledge/odd/metadata.json", metadata)
    memory = world.memories()["antigravity/knowledge/odd/artifacts/notes"]
    assert memory.text == "핫픽스 브랜치는 태그에서 딴다."
    assert world.health().state is State.READY


def test_a_description_that_is_no_object_is_a_problem(world: World) -> None:
    world.item("list", {"a.md": "내용.\n"})
    world.file("knowledge/list/metadata.json", "[1, 2]")
    assert "not a JSON object" in world.problems()["antigravity/knowledge/list/metadata.json"].reason


def test_dates_come_from_the_description_where_there_are_no_timestamps(world: World) -> None:
    world.item("a", {"a.md": "내용.\n"}, created="2026-05-14", last_updated="2026-05-15")
    world.item("b", {"b.md": "내용.\n"}, updatedAt=1_757_000_000)
    path = world.file("knowledge/c/artifacts/c.md", "내용.\n")
    os.utime(path, ns=(0, 1_780_000_000_000_000_000))
    memories = world.memories()
    a, b, c = (memories[f"antigravity/knowledge/{name}/artifacts/{name}"] for name in "abc")
    assert (a.created, a.updated) == (datetime(2026, 5, 14, tzinfo=UTC), datetime(2026, 5, 15, tzinfo=UTC))
    assert b.updated == datetime.fromtimestamp(1_757_000_000, UTC)
    assert (c.updated, c.date_origin) == (datetime.fromtimestamp(1_780_000_000, UTC), "file time")


def test_the_time_of_the_last_access_is_never_a_date(world: World) -> None:
    world.item("a", {"a.md": "내용.\n"})
    world.file("knowledge/a/timestamps.json", {"accessed": "2026-07-21T06:21:56+09:00"})
    assert world.memories()["antigravity/knowledge/a/artifacts/a"].date_origin == "file time"


def test_plain_notes_and_folders_without_description_are_read(world: World) -> None:
    world.file("knowledge/loose.md", "# 느슨한 지침\n\n바로 아래의 메모.\n")
    world.file("knowledge/best_practices/README.md", "# 모범 사례\n\n손으로 넣었다.\n")
    world.file("knowledge/packs/refund/artifacts/overview.md", "# 환불\n\n묶음 아래의 항목.\n")
    world.item("packs/described", {"a/b.md": "# 깊이\n"}, title="묶음 속 항목")
    titles = {
        key.removeprefix("antigravity/knowledge/"): memory.title for key, memory in world.memories().items()
    }
    assert titles == {
        "loose": "느슨한 지침",
        "best_practices/README": "모범 사례",
        "packs/refund/artifacts/overview": "환불",
        "packs/described/artifacts/a/b": "묶음 속 항목: 깊이",
    }
    assert {memory.extra.get("item", "") for memory in world.memories().values()} == {
        "",
        "best_practices",
        "packs/refund",
        "packs/described",
    }
    assert world.health().state is State.READY


def test_files_of_other_kinds_are_counted_and_not_read(world: World) -> None:
    world.file("knowledge/knowledge.lock", "")
    world.file("knowledge/loose.json", {"facts": ["메모가 아니다"]})
    world.file("knowledge/rag.sqlite", b"SQLite format 3\x00")
    world.file("knowledge/code/artifacts/macro.lua", "print(1)")
    world.file("knowledge/loose.md", "메모.\n")
    assert set(world.memories()) == {"antigravity/knowledge/loose"}
    fact = next(fact for fact in world.health().facts if "other kinds" in fact)
    assert "not read: 3, as " in fact


def test_undecodable_text_is_served_and_counted(world: World) -> None:
    good, bad = "терминал ".encode(), "текст".encode("cp1251")
    world.item("mixed", {"bom.md": "\ufeff# 소개\n\n표시가 있는 파일.\n"})
    world.file("knowledge/mixed/artifacts/mixed.md", good + bad)
    world.file("knowledge/mixed/artifacts/dump.md", b"\x00\x01")
    memories = world.memories()
    assert memories["antigravity/knowledge/mixed/artifacts/bom"].text.startswith("# 소개")
    assert "терминал" in memories["antigravity/knowledge/mixed/artifacts/mixed"].text
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 2)
    assert {problem.where.rsplit("/", 1)[-1] for problem in health.problems} == {"mixed.md", "dump.md"}


def test_a_pipe_among_the_artifacts_is_named_and_never_opened(world: World) -> None:
    world.item("a", {"a.md": "내용.\n"})
    os.mkfifo(world.folder() / "knowledge/a/artifacts/pipe.md")
    assert "named pipe" in world.problems()["antigravity/knowledge/a/artifacts/pipe.md"].reason


def test_an_item_is_this_projects_if_its_files_are(world: World) -> None:
    (world.scope.root / "batch").mkdir()
    (world.scope.root / "batch/settlement.py").write_text("")
    (world.scope.root / "README.md").write_text("")
    file = {"type": "file", "value": "batch/settlement.py"}
    lost = {"type": "file", "value": "gone/a.py"}
    inside = f"[코드](file://{world.scope.root}/batch/my%20file.py#L10)"
    world.item(
        "relative", {"a.md": "내용.\n"}, references=[file, lost, {"type": "conversation_id", "value": "a/b"}]
    )
    world.item("absolute", {"a.md": f"{inside}\n"})
    world.item("referred", {"a.md": "내용.\n"}, references=[f"file://{world.scope.root}/x.py"])
    world.item("outside", {"a.md": "[남의 코드](file:///srv/lighthouse/a.py)\n"})
    world.item("common", {"a.md": "내용.\n"}, references=[{"type": "file", "value": "README.md"}])
    world.item(
        "escape",
        {"a.md": "내용.\n"},
        references=[{"type": "file", "value": "batch/../../shop-api/README.md"}],
    )
    world.item(
        "mostly_lost", {"a.md": "내용.\n"}, references=[file, lost, {"type": "file", "value": "gone/b.py"}]
    )
    labels = {memory.extra["item"]: memory.project for memory in world.memories().values()}
    assert labels == {
        "relative": "shop-api",
        "absolute": "shop-api",
        "referred": "shop-api",
        "outside": "",
        "common": "",
        "escape": "",
        "mostly_lost": "",
    }


def test_the_stamp_of_an_artifact_follows_everything_its_memory_is_made_of(world: World) -> None:
    world.item("a", {"x.md": "내용.\n", "y.md": "내용.\n"}, title="제목")
    world.file("knowledge/a/timestamps.json", TIMES)
    x, y = (f"antigravity/knowledge/a/artifacts/{name}" for name in "xy")
    stamps = [world.entries()]
    assert world.entries() == stamps[0]
    world.file("knowledge/a/metadata.json", {"title": "다른 제목"})
    stamps.append(world.entries())
    world.file("knowledge/a/timestamps.json", {"modified": "2026-05-19T00:00:00Z"})
    stamps.append(world.entries())
    world.file("knowledge/a/artifacts/overview.md", "이제 이것이 요약을 싣는다.\n")
    stamps.append(world.entries())
    assert len({listing[x].stamp for listing in stamps}) == 4
    assert stamps[2][y].stamp == stamps[3][y].stamp


NAMES = st.lists(
    st.sampled_from(["a", "é", "e\u0301", "가", "~2", "artifacts", "brain"]), min_size=1, max_size=4
)


@given(st.sets(NAMES.map("/".join), min_size=1, max_size=12))
@settings(max_examples=60)
def test_ids_never_collide_whatever_the_files_are_called(paths: set[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        knowledge = top / ".gemini/antigravity/knowledge"
        for path in paths:
            for file in (knowledge / f"{path}.md", knowledge / path / "metadata.json"):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text('{"summary": "요약"}')
        provider = AntigravityProvider(AntigravityOptions())
        scope = Scope(top, top, top, top, ("x",))
        entries = [item for item in provider.entries(scope, Deadline.after(60)) if isinstance(item, Entry)]
        loaded = [item for entry in entries for item in provider.load(entry, scope)]
        ids = [item.id for item in loaded if isinstance(item, Memory)]
        assert len({entry.key for entry in entries}) == len(set(ids)) == len(ids) == len(entries)
        listed = {entry.locator.found.path for entry in entries}
        assert {str(path) for path in knowledge.rglob("*.md")} <= listed
