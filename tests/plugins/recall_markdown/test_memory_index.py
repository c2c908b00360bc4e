"""What MEMORY.md says itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.api import State
from recall_markdown import memory_index

if TYPE_CHECKING:
    from conftest import World


def test_an_index_that_only_points_is_no_memory(world: World) -> None:
    world.note("refund.md", "부분 환불은 세 번까지.")
    world.note("MEMORY.md", "# Memory\n\n## 규칙\n- [환불](refund.md) — 부분 환불 한도\n")
    assert set(world.memories()) == {"claude/refund"}
    assert world.health().state is State.READY


@pytest.mark.parametrize(
    "line",
    [
        "- [환불](refund.md) — 한도",
        "* **[환불](./refund.md)**: 한도",
        "1. [환불](refund.md#한도)",
        "- 📌 [환불](<refund.md>)",
        "| [환불](refund.md) | 한도 |",
        "- [여백](two%20words.md)",
        "  - [a](refund.md), [b](two%20words.md)",
    ],
)
def test_a_line_that_points_to_a_file_that_is_there_is_left_out(tmp_path: Path, line: str) -> None:
    (tmp_path / "refund.md").write_text("x")
    (tmp_path / "two words.md").write_text("x")
    assert memory_index.rest(f"{line}\n", str(tmp_path)).text == ""


@pytest.mark.parametrize(
    "line",
    [
        "- 환불은 주문당 세 번까지.",
        "- 환불 규칙은 [여기](refund.md)에 있다.",
        "- [문서](https://example.invalid/a.md) — 바깥 문서",
        "- [코드](src/refund.py) — 메모가 아닌 파일",
        "```\n- [견본](refund.md)\n```",
    ],
)
def test_a_line_that_says_something_itself_stays(tmp_path: Path, line: str) -> None:
    (tmp_path / "refund.md").write_text("x")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/refund.py").write_text("x")
    if "example" in line:
        (tmp_path / "https:").mkdir()
    assert line in memory_index.rest(f"# 머리\n\n{line}\n", str(tmp_path)).text


def test_a_dead_pointer_keeps_its_words(world: World) -> None:
    world.note("refund.md", "부분 환불은 세 번까지.")
    world.note(
        "MEMORY.md", "# Memory\n\n- [환불](refund.md) — 한도\n- [마감](gone.md) — 매달 10일에 마감한다\n"
    )
    memory = world.memories()["claude/MEMORY"]
    assert memory.text == "# Memory\n\n- [마감](gone.md) — 매달 10일에 마감한다"
    assert memory.title == "MEMORY.md"
    health = world.health()
    assert health.state is State.READY
    assert "dead links in claude/MEMORY.md: 1, the first to gone.md" in health.facts


def test_a_store_of_dead_pointers_alone_is_doubtful(world: World) -> None:
    world.note("MEMORY.md", "# Memory\n\n- [마감](gone.md) — 매달 10일에 마감한다\n")
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 1)
    assert "nothing but links" in health.reason


def test_prose_in_an_index_is_a_memory_at_its_own_line(world: World) -> None:
    world.note("refund.md", "부분 환불은 세 번까지.")
    world.note(
        "MEMORY.md", "---\nname: x\n---\n- [환불](refund.md)\n\n# 배포\n\n금요일에는 배포하지 않는다.\n"
    )
    memory = world.memories()["claude/MEMORY"]
    assert (memory.title, memory.line) == ("배포", 6)
    assert memory.text == "# 배포\n\n금요일에는 배포하지 않는다."


def test_the_stamp_of_an_index_changes_when_a_target_goes(world: World) -> None:
    target = world.note("refund.md", "부분 환불은 세 번까지.")
    world.note("MEMORY.md", "- [환불](refund.md) — 부분 환불 한도\n")
    before = world.entries()["claude/MEMORY"].stamp
    target.unlink()
    assert world.entries()["claude/MEMORY"].stamp != before
    assert "환불 한도" in world.memories()["claude/MEMORY"].text


def test_a_file_whose_name_only_ends_alike_is_a_note(world: World) -> None:
    world.note("refund.md", "부분 환불은 세 번까지.")
    world.note("OLD-MEMORY.md", "- [환불](refund.md) — 예전 색인\n")
    assert "claude/OLD-MEMORY" in world.memories()


def test_an_index_longer_than_a_session_loads_is_read_whole_and_said_to_be_long(world: World) -> None:
    world.note("MEMORY.md", "\n".join(f"- {number}번째 사실" for number in range(214)))
    assert "213번째 사실" in world.memories()["claude/MEMORY"].text
    facts = world.health().facts
    assert any("214 lines, of which a session loads 200" in fact for fact in facts)


def test_an_index_is_measured_in_utf_16_units() -> None:
    assert memory_index.overflow("가" * 25_000) == ""
    assert "25,001 characters" in memory_index.overflow("가" * 25_001)
    assert "25,002 characters" in memory_index.overflow("🦊" * 12_501)


@given(st.text(alphabet="가a #-*`~\n|.[]()", max_size=200))
def test_no_line_without_a_link_to_a_note_is_ever_lost(text: str) -> None:
    said = memory_index.rest(text, "/nowhere").text.split("\n")
    for line in text.split("\n"):
        if "가" in line and not line.lstrip().startswith("#"):
            assert line in said


@given(st.text(max_size=200))
def test_any_text_can_be_an_index(text: str) -> None:
    rest = memory_index.rest(text, "/nowhere")
    assert 1 <= rest.line <= text.count("\n") + 1
