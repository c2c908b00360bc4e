"""Which files are memories, what they are called, and what is read from them."""

from __future__ import annotations

import os
import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from recall.api import Authority, State

if TYPE_CHECKING:
    from conftest import World

RETRY = "# 재시도 정책\n\n결제 재시도는 세 번까지만 한다.\n"


def test_a_memory_carries_its_name_title_place_and_date(world: World) -> None:
    path = world.note("payments/retry_policy", RETRY)
    os.utime(path, (1_780_000_000, 1_780_000_000))
    memory = world.memories()["payments/retry_policy"]
    assert memory.title == "재시도 정책"
    assert memory.text == RETRY.strip()
    assert (memory.path, memory.line) == (str(path), 1)
    assert (memory.project, memory.kind, memory.date_origin) == ("shop-api", "memory", "file time")
    assert memory.updated == datetime.fromtimestamp(1_780_000_000, UTC)
    assert world.provider.authority is Authority.CURATED


def test_only_names_that_end_in_exactly_md_are_memories(world: World) -> None:
    for name in ("core.md", ".hidden.md", "v1.2.md", "a/.b/c.md"):
        world.note(name.removesuffix(".md"), RETRY + name)
    for name in ("UPPER.MD", "notes.txt", "picture.png", "md"):
        (world.root / ".serena/memories" / name).write_text(RETRY)
    assert sorted(world.memories()) == [".hidden", "a/.b/c", "core", "v1.2"]


def test_a_note_without_a_heading_is_titled_by_its_name(world: World) -> None:
    name = unicodedata.normalize("NFD", "회의록-환불정책")
    path = world.note(name, "승인권자는 둘이다.\n")
    memory = world.memories()[unicodedata.normalize("NFC", name)]
    assert memory.title == "회의록-환불정책"
    assert memory.path == str(path)
    assert os.path.exists(memory.path)


def test_names_that_differ_in_unicode_form_only_get_keys_of_their_own(world: World) -> None:
    composed, decomposed = (unicodedata.normalize(form, "배포") for form in ("NFC", "NFD"))
    for number, name in enumerate((composed, decomposed, decomposed[:2] + composed[1:])):
        world.note(name, f"# 배포\n\n{number}\n")
    assert sorted(world.stamps()) == ["project//배포", "project//배포~", "배포"]


def test_front_matter_is_tolerated_and_kept_beside_the_text(world: World) -> None:
    world.note("queue", "---\nid: queue\nstatus: superseded\n---\n\n# Queue\n\nRedis streams\n")
    memory = world.memories()["queue"]
    assert memory.text == "# Queue\n\nRedis streams"
    assert memory.line == 6
    assert memory.extra == {"id": "queue", "status": "superseded"}
    assert world.health().state is State.READY


def test_broken_front_matter_costs_no_memory_and_no_state(world: World) -> None:
    world.note("incident", "---\ntitle: a: b\n\t- x\n---\n큐가 멈추면 워커를 다시 띄운다.\n")
    assert "큐가 멈추면" in world.memories()["incident"].text
    health = world.health()
    assert health.state is State.READY
    assert [problem.harmless for problem in health.problems] == [True]


def test_ignored_patterns_of_both_files_hide_memories(world: World) -> None:
    world.config('ignored_memory_patterns: ["global/secret.*"]\n')
    world.project_config('ignored_memory_patterns: ["_archive/.*"]\n')
    world.note("_archive/2025", RETRY + "1")
    world.note("core", RETRY)
    world.shared_note("secret-plan", RETRY + "2")
    world.shared_note("style", RETRY + "3")
    assert sorted(world.memories()) == ["core", "global/style"]
    assert "2 hidden by ignored_memory_patterns" in world.health().facts


def test_the_local_file_lifts_what_the_shared_one_ignores(world: World) -> None:
    world.project_config('ignored_memory_patterns: ["_archive/.*"]\n')
    world.note("_archive/2025", RETRY)
    assert world.memories() == {}
    world.project_config("ignored_memory_patterns: []\n", "project.local.yml")
    assert list(world.memories()) == ["_archive/2025"]


def test_a_decomposed_name_is_ignored_by_a_composed_pattern(world: World) -> None:
    world.project_config("ignored_memory_patterns: ['임시/.*']\n")
    world.note(unicodedata.normalize("NFD", "임시/메모"), RETRY)
    assert world.memories() == {}


def test_an_invalid_pattern_is_a_problem_and_hides_nothing(world: World) -> None:
    world.project_config('ignored_memory_patterns: ["(", "old/.*"]\n')
    world.note("core", RETRY)
    world.note("old/core", RETRY + "1")
    assert list(world.memories()) == ["core"]
    health = world.health()
    assert health.state is State.DEGRADED
    assert "not a regular expression" in health.reason


def test_the_project_s_patterns_hide_memories_of_all_projects_too(world: World) -> None:
    world.project_config("ignored_memory_patterns: ['global/.*']\n")
    world.note("core", RETRY)
    world.shared_note("style", RETRY + "1")
    assert list(world.memories()) == ["core"]


def test_a_pattern_that_is_too_costly_for_a_name_hides_nothing_and_is_told(world: World) -> None:
    world.project_config(f"ignored_memory_patterns: ['{'.*' * 20}x']\n")
    world.note("a" * 40, RETRY)
    assert list(world.memories()) == ["a" * 40]
    assert [problem.reason for problem in world.problems()] == [
        "an ignore pattern is too costly for this name"
    ]


def test_linked_folders_are_read_once_and_loops_end(world: World) -> None:
    shared = world.scope.home / "team-notes"
    shared.mkdir()
    (shared / "billing.md").write_text("# 청구\n\n송장 번호는 법인별로 매긴다.\n")
    memories = world.note("core", RETRY).parent
    (memories / "shared").symlink_to(shared)
    (memories / "again").symlink_to(shared)
    (memories / "up").symlink_to("..")
    (memories / "self").symlink_to("self")
    assert sorted(world.memories()) == ["again/billing", "core"]


def test_what_cannot_be_read_is_named_and_the_rest_is_served(world: World) -> None:
    memories = world.note("core", RETRY).parent
    os.mkfifo(memories / "runbook.md")
    (memories / "dangling.md").symlink_to("gone")
    (memories / "folder.md").mkdir()
    world.note("dump", b"\x00\x01\x02")
    assert list(world.memories()) == ["core"]
    reasons = {os.path.basename(problem.where): problem.reason for problem in world.problems()}
    assert "named pipe" in reasons["runbook.md"]
    assert "broken link" in reasons["dangling.md"]
    assert "binary" in reasons["dump.md"]
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 1)
    assert str(memories) in health.reason


def test_an_overlong_file_is_cut_and_said_to_be(world: World) -> None:
    world.note("log", "기록 " * 100)
    world.choose(max_file_bytes=100)
    assert 0 < len(world.memories()["log"].text.encode()) <= 100
    assert [problem.reason for problem in world.problems()] == ["cut after 100 bytes"]
    assert world.health().state is State.DEGRADED


def test_legacy_korean_text_is_read_with_a_remark(world: World) -> None:
    world.note("정산", "# 정산\n\n정산은 매달 말일에 마감한다.\n".encode("cp949"))
    assert world.memories()["정산"].text.endswith("마감한다.")
    health = world.health()
    assert health.state is State.READY
    assert "Serena itself cannot read" in health.problems[0].reason


def test_line_ends_and_byte_order_marks_do_not_reach_the_text(world: World) -> None:
    world.note("core", "\ufeff# Core\r\n\r\n규칙\r\n")
    memory = world.memories()["core"]
    assert memory.text == "# Core\n\n규칙"
    assert memory.title == "Core"


def test_the_project_s_own_global_folder_is_served_apart(world: World) -> None:
    world.shared_note("style", "# 말투\n\n존댓말\n")
    world.note("global/style", "# 말투\n\n반말\n")
    memories = world.memories()
    assert memories["global/style"].text.endswith("존댓말")
    assert memories["project//global/style"].text.endswith("반말")
    health = world.health()
    assert health.state is State.READY
    assert [problem.reason for problem in health.problems if "cannot reach" in problem.reason]


def test_a_copy_of_a_global_memory_in_the_project_counts_once(world: World) -> None:
    world.shared_note("style", RETRY)
    world.note("global/style", RETRY)
    assert list(world.memories()) == ["global/style"]


@pytest.mark.parametrize("text", ["", "\n \n", "<!-- 나중에 -->\n", "# \n---\n"])
def test_a_blank_file_is_an_entry_without_a_memory(world: World, text: str) -> None:
    world.note("blank", text)
    assert list(world.stamps()) == ["blank"]
    assert world.memories() == {}
