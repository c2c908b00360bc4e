"""What the markdown provider makes of notes."""

from __future__ import annotations

import os
import tempfile
import unicodedata
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall.api import Authority, Deadline, Entry, Memory, Scope, State
from recall.claude_names import slug
from recall.errors import StoreAbsent
from recall_markdown.provider import MarkdownProvider
from recall_markdown.stores import Folder, MarkdownOptions

if TYPE_CHECKING:
    from conftest import World

RETRY = """---
name: retry-policy
description: 결제는 세 번까지만 다시 시도한다
metadata:\x20
  node_type: memory
  type: project
  originSessionId: 1f0e6a52-3333-4444-8555-666677778888
  modified: 2026-09-08T19:29:56.864Z
---

1초, 4초, 16초 간격.

**Why:** 네 번째 시도에서 41건이 두 번 결제되었다.
"""


def test_every_option_of_a_folder_has_a_line_of_help() -> None:
    for field in fields(Folder):
        assert len(field.metadata["help"]) > 20, field.name


def test_a_note_of_the_later_generation_is_read_whole(world: World) -> None:
    path = world.note("project_retry.md", RETRY)
    memory = world.memories()["claude/project_retry"]
    assert memory.title == "결제는 세 번까지만 다시 시도한다"
    assert memory.text.startswith("1초, 4초, 16초 간격.")
    assert memory.text.endswith("두 번 결제되었다.")
    assert (memory.kind, memory.project, memory.path) == ("project", "shop-api", str(path))
    assert memory.updated == datetime(2026, 9, 8, 19, 29, 56, 864000, UTC)
    assert memory.date_origin == "front matter"
    assert memory.extra["name"] == "retry-policy"


def test_a_note_of_the_first_generation_keeps_its_written_name_as_title(world: World) -> None:
    world.note(
        "f.md", "---\nname: 휴일 정산 규칙\ndescription: 다음 영업일로\ntype: feedback\n---\n휴일에는 쉰다.\n"
    )
    memory = world.memories()["claude/f"]
    assert (memory.title, memory.kind) == ("휴일 정산 규칙", "feedback")
    assert memory.text == "다음 영업일로\n\n휴일에는 쉰다."


def test_the_line_of_a_memory_is_where_its_text_stands_in_the_file(world: World) -> None:
    path = world.note("f.md", "---\nname: 정산\ndescription: 설명\n---\n\n\n본문 첫 줄\n본문 둘째 줄\n")
    memory = world.memories()["claude/f"]
    assert memory.line is not None
    last = memory.text.split("\n")[-1]
    assert path.read_text().split("\n")[memory.line - 1 + memory.text.count("\n")] == last


def test_a_note_without_front_matter_takes_its_heading_and_the_file_time(world: World) -> None:
    path = world.note("plain.md", "# 배포 순서\n\n마이그레이션이 먼저다.\n")
    os.utime(path, ns=(0, 1_780_000_000_000_000_000))
    memory = world.memories()["claude/plain"]
    assert memory.title == "배포 순서"
    assert (memory.updated, memory.date_origin) == (datetime.fromtimestamp(1_780_000_000, UTC), "file time")


def test_broken_front_matter_is_a_problem_and_hides_nothing(world: World) -> None:
    world.note("incident.md", "---\ntitle: Postmortem: queue stall\ntype: project\n---\n\n큐가 가득 찼다.\n")
    memory = world.memories()["claude/incident"]
    assert (memory.text, memory.title, memory.kind) == (
        "큐가 가득 찼다.",
        "Postmortem: queue stall",
        "project",
    )
    assert "not valid YAML" in world.problems()["claude/incident.md"].reason
    assert world.health().state is State.DEGRADED


def test_a_byte_order_mark_and_windows_line_ends_do_not_hide_the_front_matter(world: World) -> None:
    world.note("crlf.md", b"\xef\xbb\xbf---\r\nname: x\r\ntitle: Refunds\r\n---\r\n\r\nThree per order.\r\n")
    memory = world.memories()["claude/crlf"]
    assert (memory.title, memory.text) == ("Refunds", "Three per order.")


def test_korean_in_a_legacy_encoding_is_read(world: World) -> None:
    world.note("old.md", "정산 배치는 새벽 두 시에 시작한다.".encode("cp949"))
    assert world.memories()["claude/old"].text == "정산 배치는 새벽 두 시에 시작한다."
    assert world.health().state is State.READY


def test_one_binary_file_is_named_and_does_not_hide_the_others(world: World) -> None:
    world.note("dump.md", b"\x00\x01\x02" * 100)
    world.note("good.md", "담당은 매달 바뀐다.")
    assert list(world.memories()) == ["claude/good"]
    assert "binary" in world.problems()["claude/dump.md"].reason
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 1)
    assert "claude/dump.md" in health.reason


def test_a_named_pipe_is_named_and_never_opened(world: World) -> None:
    world.note("good.md", "담당은 매달 바뀐다.")
    os.mkfifo(world.store() / "pipe.md")
    assert "named pipe" in world.problems()["claude/pipe.md"].reason
    assert list(world.memories()) == ["claude/good"]


def test_a_dangling_link_is_named(world: World) -> None:
    world.note("good.md", "담당은 매달 바뀐다.")
    (world.store() / "lost.md").symlink_to("nowhere.md")
    assert "broken link" in world.problems()["claude/lost.md"].reason


def test_a_long_file_is_cut_and_the_cut_is_told(world: World) -> None:
    world.choose(max_file_bytes=2048)
    world.note("long.md", "가나다라 " * 2000)
    assert len(world.memories()["claude/long"].text) > 500
    assert "cut after 2,048 bytes" in world.problems()["claude/long.md"].reason


def test_nested_team_and_linked_folders_are_read(world: World, tmp_path: Path) -> None:
    world.note("team/review.md", "리뷰에는 테스트가 필요하다.")
    world.note("a/b/deep.md", "깊은 곳의 메모.")
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "common.md").write_text("공유 폴더의 메모.")
    (world.store() / "linked").symlink_to(tmp_path / "shared")
    (world.store() / "a" / "loop").symlink_to(world.store())
    assert set(world.memories()) == {"claude/team/review", "claude/a/b/deep", "claude/linked/common"}


def test_logs_and_hidden_files_are_left_out_until_asked_for(world: World) -> None:
    world.note("logs/2026-09-08.md", "하루 기록.")
    world.note("nested/logs/kept.md", "로그라는 이름의 아래 폴더.")
    world.note(".trash/old.md", "지운 메모.")
    world.note("._mac.md", b"\x00\x05\x16\x07")
    assert set(world.memories()) == {"claude/nested/logs/kept"}
    world.choose(logs=True)
    assert set(world.memories()) == {"claude/nested/logs/kept", "claude/logs/2026-09-08"}


def test_an_empty_note_is_no_memory(world: World) -> None:
    world.note("blank.md", "---\nname: blank\n---\n\n<!-- nothing yet -->\n\n---\n")
    assert not world.memories()
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert "claude/blank" in health.reason


def test_a_description_alone_is_a_memory(world: World) -> None:
    world.note("short.md", "---\nname: short\ndescription: 스테이징은 매주 월요일에 초기화된다\n---\n")
    assert world.memories()["claude/short"].text == "스테이징은 매주 월요일에 초기화된다"


def test_nothing_anywhere_is_absent_and_says_where_it_looked(world: World) -> None:
    with pytest.raises(StoreAbsent):
        world.listed()
    health = world.health()
    assert (health.state, health.items) == (State.ABSENT, 0)
    assert str(world.store()) in health.places
    assert str(world.root / "memory-bank") in health.places
    assert health.reason
    assert health.next_step


def test_a_folder_without_notes_is_empty(world: World) -> None:
    world.note(".keep", "")
    health = world.health()
    assert (health.state, health.reason) == (State.EMPTY, "folders without a note")


def test_a_memory_folder_that_cannot_be_looked_at_is_broken_and_keeps_what_was_known(world: World) -> None:
    world.store().parent.mkdir(parents=True)
    world.store().symlink_to(world.store())
    health = world.health()
    assert health.state is State.BROKEN
    assert [problem.hides_entries for problem in health.problems] == [True]


def test_a_memory_folder_linked_to_a_lost_place_is_broken(world: World, tmp_path: Path) -> None:
    world.store().parent.mkdir(parents=True)
    world.store().symlink_to(tmp_path / "unmounted")
    health = world.health()
    assert (health.state, health.problems[0].reason) == (State.BROKEN, "broken link")


def test_health_counts_what_can_be_read_and_names_the_newest(world: World) -> None:
    world.note("a.md", RETRY)
    old = world.note("b.md", "오래된 메모.")
    os.utime(old, ns=(0, 1_600_000_000_000_000_000))
    health = world.health()
    assert (health.state, health.items, health.reason) == (State.READY, 2, "")
    assert health.newest == datetime(2026, 9, 8, 19, 29, 56, 864000, UTC)
    assert "memories in claude: 2" in health.facts


PARTS = st.sampled_from(["a", "A", "~2", "é", "e\u0301", "가", "\u1100\u1161", " ", "-", "\udc80", "%80"])
NAMES = st.lists(PARTS, min_size=1, max_size=2).map("".join)
PATHS = st.lists(NAMES, min_size=1, max_size=2).map("/".join)


@given(st.sets(PATHS, min_size=1, max_size=12))
@settings(max_examples=60)
def test_ids_never_collide_whatever_the_files_are_called(paths: set[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        scope = Scope(top / "home", top / "app", top / "app", top / "app", ("app",))
        memory = top / "home/.claude/projects" / slug(str(top / "app")) / "memory"
        for path in paths:
            for file in (memory / f"{path}.md", memory / f"{path}.md~2.md", memory / f"{path}.txt"):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("내용")
        for pattern in ("**/*.md", "**"):
            listed = Folder(str(memory), name="notes", pattern=pattern)
            provider = MarkdownProvider(MarkdownOptions(folders=(listed,)))
            listing = provider.entries(scope, Deadline.after(60))
            entries = [item for item in listing if isinstance(item, Entry)]
            loaded = [item for entry in entries for item in provider.load(entry, scope)]
            ids = [item.id for item in loaded if isinstance(item, Memory)]
            assert len({entry.key for entry in entries}) == len(set(ids)) == len(ids) == len(entries)
            ending = ".md" if pattern.endswith(".md") else ""
            assert len(entries) == sum(file.is_file() for file in memory.rglob(f"*{ending}"))
            assert all(unicodedata.is_normalized("NFC", identity) for identity in ids)


def test_a_decision_that_was_overtaken_is_withdrawn(world: World) -> None:
    adr = world.root / "docs/choices"
    adr.mkdir(parents=True)
    (adr / "0001-db.md").write_text(
        "# 데이터베이스\n\n## Status\n\nSuperseded by ADR-0002\n\nMySQL을 쓴다.\n"
    )
    (adr / "0002-db.md").write_text(
        "---\nstatus: accepted\ndate: 2026-03-01\n---\n# 데이터베이스\n\nPostgres를 쓴다.\n"
    )
    (adr / "0003-cache.md").write_text("# 캐시\n\n* 상태: 폐기\n\nRedis를 쓴다.\n")
    (adr / "README.md").write_text("# 결정 기록을 쓰는 법\n\n번호를 붙인다.\n")
    world.choose(folders=(Folder("docs/choices", name="adr", authority=Authority.DECISION),))
    memories = world.memories()
    assert {key: (memory.authority, memory.withdrawn) for key, memory in memories.items()} == {
        "adr/0001-db": (Authority.DECISION, "superseded by adr-0002"),
        "adr/0002-db": (Authority.DECISION, ""),
        "adr/0003-cache": (Authority.DECISION, "폐기"),
        "adr/README": (None, ""),
    }
    assert memories["adr/0001-db"].extra["status"] == "superseded by adr-0002"
    assert memories["adr/0002-db"].updated == datetime(2026, 3, 1, tzinfo=UTC)
