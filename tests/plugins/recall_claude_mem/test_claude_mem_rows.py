"""Rows as memories, in the shapes of every release."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.api import Authority, Memory
from recall_claude_mem.rows import listed, to_memory

if TYPE_CHECKING:
    from conftest import World

SCHEMAS = (9, 10, 23, 35, 52)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_an_observation_of_any_schema_is_read_in_full(world: World, schema: int) -> None:
    store = world.store(schema)
    store.observation(
        "결제 취소 API는 멱등하지 않다",
        subtitle="두 번째 호출이 500",
        narrative="재시도 전에 상태 조회가 필요하다.",
        facts='["응답 코드 4023", "재시도 큐에서 중복"]',
        concepts='["gotcha"]',
        files_read='["src/pg/query.ts"]',
        files_modified='["src/pg/cancel.ts"]',
        type="bugfix",
    )
    memory = world.memories()["observation/1"]
    assert memory.title == "결제 취소 API는 멱등하지 않다"
    assert memory.text == (
        "두 번째 호출이 500\n\n재시도 전에 상태 조회가 필요하다.\n\n- 응답 코드 4023\n- 재시도 큐에서 중복\n\n"
        "Concepts: gotcha\n\nFiles: src/pg/cancel.ts, src/pg/query.ts"
    )
    assert (memory.kind, memory.project, memory.date_origin) == ("bugfix", "shop-api", "database")
    assert memory.created == datetime(2026, 5, 28, 20, 26, 40, tzinfo=UTC)
    assert memory.path == str(world.database)
    assert memory.extra == {"files_modified": "src/pg/cancel.ts", "files_read": "src/pg/query.ts"}
    assert world.provider.authority is Authority.CAPTURED


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_summary_of_any_schema_is_read_with_its_parts(world: World, schema: int) -> None:
    world.store(schema).summary(
        "정산 날짜가 밀린다",
        learned="배치는 UTC 기준이었다",
        next_steps="과거 데이터 보정",
        files_edited='["a.ts"]',
    )
    memory = world.memories()["summary/1"]
    assert (memory.title, memory.kind) == ("정산 날짜가 밀린다", "summary")
    assert memory.text == (
        "Request: 정산 날짜가 밀린다\n\nLearned: 배치는 UTC 기준이었다\n\nNext steps: 과거 데이터 보정\n\nFiles: a.ts"
    )


@pytest.mark.parametrize("schema", [10, 23, 52])
def test_prompts_are_served_only_when_switched_on(world: World, schema: int) -> None:
    store = world.store(schema)
    store.prompt("환불은 언제 정산되나?")
    store.prompt("다른 프로젝트의 질문", project="blog")
    store.prompt("You are a Claude-Mem, a specialized observer")
    assert world.memories() == {}
    world.choose(prompts=True)
    memory = world.memories()["prompt/1"]
    assert (memory.text, memory.kind, memory.project) == ("환불은 언제 정산되나?", "prompt", "shop-api")
    assert len(world.memories()) == 1


def test_tool_uses_are_never_served(world: World) -> None:
    store = world.store(52)
    store.observation()
    store.add(
        "tool_uses", project="shop-api", tool_name="Bash", tool_input="export TOKEN=t0ken", tool_response=""
    )
    world.choose(prompts=True)
    world.change(all_projects=True)
    assert "t0ken" not in repr(list(world.loaded())) + repr(world.health())


@pytest.mark.parametrize("column", ["narrative", "merged_into_project", "created_at_epoch", "type", "facts"])
def test_a_missing_column_costs_only_what_it_held(world: World, column: str) -> None:
    store = world.store(52)
    store.observation("남는 제목", narrative="본문", facts='["사실"]')
    store.run(f"ALTER TABLE observations DROP COLUMN {column}")
    memory = world.memories()["observation/1"]
    assert memory.title == "남는 제목"
    assert memory.created == datetime(2026, 5, 28, 20, 26, 40, tzinfo=UTC)  # the text date stands in
    assert world.health().items == 1


def test_columns_nobody_knows_are_no_trouble(world: World) -> None:
    store = world.store(52)
    store.run("ALTER TABLE observations ADD COLUMN from_the_future TEXT")
    store.observation("그대로", from_the_future="x")
    assert list(world.memories()) == ["observation/1"]


def test_a_table_without_a_project_column_is_read_only_for_all_projects(world: World) -> None:
    store = world.store(9)
    store.observation("누구 것인지 모름")
    store.run("ALTER TABLE observations DROP COLUMN project")
    assert world.memories() == {}
    world.change(all_projects=True)
    assert [memory.project for memory in world.memories().values()] == [""]


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ('["a", "b"]', ("a", "b")),
        ("[]", ()),
        ("", ()),
        (None, ()),
        ("null", ()),
        ("a | b|c", ("a", "b", "c")),
        ("plain text", ("plain text",)),
        ('["a", null, 3, {"k": "값"}]', ("a", "3", '{"k": "값"}')),
        ('"one"', ("one",)),
        ("[broken", ("[broken",)),
        (7, ()),
    ],
)
def test_lists_are_read_in_every_form_they_were_written(value: object, items: tuple[str, ...]) -> None:
    assert listed(value) == items


ANYTHING = st.none() | st.text(max_size=20) | st.integers() | st.floats() | st.binary(max_size=8)


@given(
    st.dictionaries(
        st.sampled_from(["title", "narrative", "facts", "type", "project", "created_at_epoch"]), ANYTHING
    )
)
def test_a_row_of_any_types_becomes_text_or_nothing(row: dict[str, object]) -> None:
    for item in to_memory("observations", "observation/1", row, "db", 50):
        assert isinstance(item, Memory)
        assert item.text
        assert item.kind


@pytest.mark.parametrize(
    ("epoch", "text", "expected"),
    [
        (1_780_000_000_000, "", datetime(2026, 5, 28, 20, 26, 40, tzinfo=UTC)),
        (1_780_000_000, "2026-05-28T20:26:40Z", datetime(2026, 5, 28, 20, 26, 40, tzinfo=UTC)),
        (0, "2026-05-01T00:00:00.000Z", datetime(2026, 5, 1, tzinfo=UTC)),
        (None, "2026-05-01T00:00:00Z", datetime(2026, 5, 1, tzinfo=UTC)),
        ("soon", "yesterday", None),
    ],
)
def test_dates_come_from_the_epoch_else_from_the_text(
    world: World, epoch: object, text: str, expected: datetime | None
) -> None:
    world.store().observation(created_at_epoch=epoch, created_at=text)
    assert world.memories()["observation/1"].created == expected
    assert world.health().newest == expected


def test_a_long_row_is_cut_and_said_to_be(world: World) -> None:
    world.store().observation("긴 기록", narrative="가" * 500)
    world.choose(max_chars=100)
    assert len(world.memories()["observation/1"].text) == 100
    assert [problem.reason for problem in world.problems()] == ["cut after 100 of 500 characters"]


def test_a_text_that_the_narrative_repeats_is_not_told_twice(world: World) -> None:
    world.store().observation("제목", narrative="재시도는 세 번까지 한다.", text="재시도는 세 번까지 한다.")
    assert world.memories()["observation/1"].text == "재시도는 세 번까지 한다."


def test_a_title_alone_is_a_memory_and_a_text_alone_finds_its_title(world: World) -> None:
    store = world.store()
    store.observation("제목뿐", facts="[]", narrative="")
    store.observation(None, text="옛 릴리스는 본문만 남겼다.")
    first, second = world.memories().values()
    assert first.text == first.title == "제목뿐"
    assert second.title == "옛 릴리스는 본문만 남겼다."


def test_bytes_that_are_not_utf_8_cost_no_row(world: World) -> None:
    store = world.store()
    store.observation("제목", narrative="본문")
    store.run("UPDATE observations SET title = CAST(x'ff41' AS TEXT)")
    assert world.memories()["observation/1"].title.endswith("A")
