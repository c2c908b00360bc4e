"""Serena over MCP: what it lists and reads, in the shapes of its versions, and what becomes of a Serena that fails."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime
from typing import Any

import pytest

from recall.api import Entry, State
from recall.errors import DeadlineExceeded, ProviderError, StoreAbsent, StoreBroken, StoreBusy
from recall_serena.provider import SerenaOptions, SerenaProvider
from recall_serena.served import ServedSerena
from support.serena_world import VERSIONS, Serving, is_gone, memories, problems, soon
from support.worlds import snapshot

RETRY = "# 재시도 정책\n\n결제 재시도는 세 번까지만 한다.\n"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_gives_the_memories_that_the_files_give(serving: Serving, version: str) -> None:
    path = serving.note("payments/재시도", RETRY)
    os.utime(path, (1_780_000_000, 1_780_000_000))
    serving.note("core", "---\ntitle: The core\n---\nA shop.\r\nWith payments.\n")
    serving.shared_note("style", "Short sentences.\n")
    found = serving.read(serving.provider(version))
    files = SerenaProvider(SerenaOptions())
    entries = [entry for entry in files.entries(serving.scope, soon()) if isinstance(entry, Entry)]
    assert problems(found) == []
    assert memories(found) == {
        memory.id: memory
        for entry in entries
        for memory in memories(list(files.load(entry, serving.scope))).values()
    }
    memory = memories(found)["payments/재시도"]
    assert (memory.title, memory.path) == ("재시도 정책", str(path))
    assert memory.updated == datetime.fromtimestamp(1_780_000_000, UTC)


@pytest.mark.parametrize("version", VERSIONS)
def test_nothing_of_the_project_or_of_the_users_serena_changes(serving: Serving, version: str) -> None:
    serving.note("core", RETRY)
    serving.shared_note("style", "Short sentences.\n")
    (serving.scope.home / ".serena/serena_config.yml").write_text("agent_interface: REPL\nprojects: []\n")
    (serving.scope.root / ".serena/project.yml").write_text("language: python\nread_only: false\n")
    before = snapshot(serving.scope.home, serving.scope.root)
    provider = serving.provider(version)
    assert len(memories(serving.read(provider))) == 2
    assert serving.health(provider).state is State.READY
    assert snapshot(serving.scope.home, serving.scope.root) == before


def test_it_has_a_home_of_its_own_which_goes_with_it(serving: Serving) -> None:
    serving.note("core", RETRY)
    provider = serving.provider()
    serving.listed(provider)
    (folder,) = serving.private_homes()
    assert serving.env()["SERENA_HOME"] == str(folder / "home")
    assert serving.env()["SERENA_USAGE_REPORTING"] == "false"
    assert serving.env()["PATH"] == serving.scope.env["PATH"]
    settings = (folder / "home/serena_config.yml").read_text("utf-8")
    for line in (
        'agent_interface: "tools"',
        'language_backend: "JetBrains"',
        "web_dashboard: false",
        "projects: []",
    ):
        assert line in settings.splitlines()
    assert "language_servers: []" in (folder / "project/project.yml").read_text("utf-8").splitlines()
    assert folder.stat().st_mode & 0o777 == 0o700
    (server,) = serving.started()
    keeper = os.getpgid(server)
    provider.close()
    assert is_gone(server)
    assert is_gone(keeper)
    assert serving.private_homes() == []


def test_one_serena_serves_doctor_and_every_question(serving: Serving) -> None:
    serving.note("core", RETRY)
    provider = serving.provider(code=True)
    serving.health(provider)
    for _ in range(3):
        serving.read(provider)
        serving.search(provider, "where is charge_card?")
    assert len(serving.started()) == 1


def test_a_text_is_asked_for_again_only_when_its_file_has_changed(serving: Serving) -> None:
    for number in range(30):
        serving.note(f"note{number}", f"{RETRY} {number}")
    provider = serving.provider()
    first = serving.listed(provider)
    assert [entry.stamp for entry in first if isinstance(entry, Entry)] == [
        entry.stamp for entry in serving.listed(provider) if isinstance(entry, Entry)
    ]
    assert serving.listed(provider) is not first
    assert provider.entries(serving.scope, soon()) is provider.entries(serving.scope, soon())
    for entry in first:
        assert isinstance(entry, Entry)
        list(provider.load(entry, serving.scope))
    asked = [given["memory_name"] for name, given in serving.calls() if name == "read_memory"]
    assert sorted(asked) == sorted(f"note{number}" for number in range(30))
    serving.note("note7", "Changed.")
    changed = {
        entry.key: entry
        for entry in serving.listed(provider)
        if isinstance(entry, Entry) and entry not in first
    }
    assert list(changed) == ["note7"]
    (memory,) = provider.load(changed["note7"], serving.scope)
    assert memory.text == "Changed."
    asked = [given["memory_name"] for name, given in serving.calls() if name == "read_memory"]
    assert asked[30:] == ["note7"]


def test_what_is_read_again_as_a_whole_is_read_side_by_side_again(serving: Serving) -> None:
    for number in range(5):
        serving.note(f"note{number}", f"{RETRY} {number}")
    provider = serving.provider()
    for _ in range(2):
        assert len(memories(serving.read(provider))) == 5
    assert len([name for name, _given in serving.calls() if name == "read_memory"]) == 10


def test_ignored_memories_are_neither_listed_nor_asked_for(serving: Serving) -> None:
    serving.note("core", RETRY)
    serving.note("drafts/one", RETRY)
    (serving.scope.root / ".serena/project.yml").write_text("ignored_memory_patterns: ['drafts/.*', '(']\n")
    found = serving.read(serving.provider())
    assert list(memories(found)) == ["core"]
    assert any("not a regular expression" in problem.reason for problem in problems(found))
    assert "drafts/one" not in json.dumps(serving.calls())


def test_serena_is_not_started_where_there_is_nothing_to_list(serving: Serving) -> None:
    provider = serving.provider()
    with pytest.raises(StoreAbsent, match="no Serena memories for this project"):
        serving.listed(provider)
    assert serving.health(provider).state is State.ABSENT
    (serving.scope.root / ".serena").mkdir()
    assert serving.listed(provider) == []
    assert serving.health(provider).state is State.EMPTY
    assert serving.started() == []


def test_other_trees_are_named_and_not_asked_for(serving: Serving) -> None:
    serving.note("core", RETRY)
    main = serving.scope.root.parent / "main"
    (main / ".serena/memories").mkdir(parents=True)
    serving.change(main_root=main)
    (problem,) = problems(serving.listed(serving.provider()))
    assert problem.where == str(main / ".serena/memories")
    assert problem.harmless
    assert problem.reason.startswith("not asked for: one Serena serves one project")


def test_a_memory_that_is_too_large_is_named_and_not_asked_for(serving: Serving) -> None:
    serving.note("core", RETRY)
    serving.note("huge", "x" * 5_000)
    provider = serving.provider(max_file_bytes=1_024)
    found = serving.read(provider)
    assert list(memories(found)) == ["core"]
    (problem,) = problems(found)
    assert problem.reason == "5,000 bytes, more than max_file_bytes: not asked for"
    assert serving.health(provider).state is State.DEGRADED
    assert "huge" not in json.dumps([call for call in serving.calls() if call[0] == "read_memory"])


def test_a_reading_whose_time_is_over_says_so_and_ends_nothing(serving: Serving) -> None:
    for number in range(9):
        serving.note(f"note{number}", f"{RETRY} {number}")
    provider = serving.provider("2.1.0", "hangs in read_memory", code=True)
    serving.search(provider, "where is charge_card?")  # it has started
    entries = [entry for entry in serving.listed(provider, 1.0) if isinstance(entry, Entry)]
    with pytest.raises(DeadlineExceeded):
        list(provider.load(entries[0], serving.scope))
    assert len(serving.started()) == 1


# -- health ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_doctor_says_which_serena_answers_and_what_it_lists(serving: Serving, version: str) -> None:
    serving.note("core", RETRY)
    serving.note("blank", "")
    health = serving.health(serving.provider(version))
    assert (health.state, health.items) == (State.READY, 1)
    assert health.facts[0].startswith(f"Serena {version}, protocol 2025-11-25, lists 2 (program: ")
    assert "1 memory of this project, 0 for all projects" in health.facts
    assert len(serving.started()) == 1


def test_a_lone_stock_note_or_blank_files_are_an_empty_corpus(serving: Serving) -> None:
    serving.note("blank", "\n\n")
    health = serving.health(serving.provider())
    assert (health.state, health.items) == (State.EMPTY, 0)


def test_memories_that_serena_does_not_list_are_no_healthy_corpus(serving: Serving) -> None:
    serving.note("core", RETRY)
    health = serving.health(serving.provider("2.1.0", "lists none"))
    assert health.state is State.BROKEN
    assert "Serena does not list it" in health.reason


# -- failures -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_a_failure_to_read_is_known_whether_it_calls_itself_an_error_or_not(
    serving: Serving, version: str
) -> None:
    serving.note("core", RETRY)
    serving.note("korean", "결제".encode("cp949"))
    found = serving.read(serving.provider(version))
    assert list(memories(found)) == ["core"]
    (problem,) = problems(found)
    assert problem.where.endswith("korean.md")
    assert "UnicodeDecodeError" in problem.reason


@pytest.mark.parametrize("version", VERSIONS)
def test_a_memory_that_went_between_listing_and_reading_is_a_problem_of_its_own(
    serving: Serving, version: str
) -> None:
    serving.note("core", RETRY)
    health = serving.health(serving.provider(version, "forgets"))
    assert health.state is State.BROKEN
    assert "not found" in health.reason


@pytest.mark.parametrize("version", ["1.0.0", "2.1.0"])
def test_a_memory_that_reads_like_a_failure_is_a_memory(serving: Serving, version: str) -> None:
    serving.note("log", "Error executing tool: what to do when this is shown.\n")
    found = serving.read(serving.provider(version))
    assert memories(found)["log"].text.startswith("Error executing tool")


@pytest.mark.parametrize(
    ("behaviour", "error", "reason"),
    [
        ("dies", StoreBroken, r"ended before it greeted \(exit code 1\): KeyError: 'languages'"),
        ("inactive", StoreBroken, "list_memories: Error: Tool 'list_memories' is not active"),
        ("no memories", StoreBroken, "Serena 2.1.0 has no tool list_memories"),
        (
            "dies in list_memories",
            StoreBusy,
            r"ended while list_memories was asked \(exit code -9\): MemoryError",
        ),
    ],
)
def test_what_is_wrong_with_a_serena_is_told(
    serving: Serving, behaviour: str, error: type[ProviderError], reason: str
) -> None:
    serving.note("core", RETRY)
    with pytest.raises(error, match=reason):
        serving.listed(serving.provider("2.1.0", behaviour))
    with pytest.raises(error, match=reason):
        serving.health(serving.made[0])


def test_a_serena_that_is_killed_while_it_is_read_is_started_again_for_the_next_question(
    serving: Serving,
) -> None:
    for number in range(9):
        serving.note(f"note{number}", f"{RETRY} {number}")
    provider = serving.provider("2.1.0", "dies once in read_memory")
    with pytest.raises(StoreBusy, match=r"ended while read_memory was asked \(exit code -9\): MemoryError"):
        serving.read(provider)
    assert len(memories(serving.read(provider))) == 9
    assert len(serving.started()) == 2


def test_a_serena_that_is_not_there_is_found_once_it_is(serving: Serving) -> None:
    serving.note("core", RETRY)
    program = serving.folder.parent / "bin/serena"
    provider = serving.provider(command=("serena", "2.1.0"))
    serving.change(env={"PATH": str(program.parent)})
    with pytest.raises(StoreAbsent, match="there is no program 'serena'"):
        serving.listed(provider)
    install(serving, program, "2.1.0")
    assert len(serving.listed(provider)) == 1


def test_a_serena_that_was_upgraded_is_started_anew(serving: Serving) -> None:
    serving.note("core", RETRY)
    program = serving.folder.parent / "bin/serena"
    install(serving, program, "1.7.0")
    provider = serving.provider(command=(str(program),))
    assert serving.health(provider).facts[0].startswith("Serena 1.7.0, ")
    (old,) = serving.started()
    install(serving, program, "2.1.0")
    assert serving.health(provider).facts[0].startswith("Serena 2.1.0, ")
    assert is_gone(old)
    assert len(serving.started()) == 2


def install(serving: Serving, program: Any, version: str) -> None:
    """A program `serena` of that version, in place of what is there."""
    new = program.with_suffix(".new")
    new.parent.mkdir(exist_ok=True)
    command = " ".join(f"'{part}'" for part in serving.command(version))
    new.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    new.chmod(0o755)
    shutil.move(new, program)


def test_a_slow_start_is_busy_and_goes_on_for_the_next_question(serving: Serving) -> None:
    serving.note("core", RETRY)
    provider = serving.provider(code=True)
    (problem,) = problems(serving.search(provider, "where is charge_card?", 0))
    assert problem.reason == "the server is still starting"
    assert len(serving.listed(provider)) == 1
    assert len(serving.started()) == 1


def test_a_serena_that_hangs_holds_nobody_and_is_started_anew_after_two_late_answers(
    serving: Serving,
) -> None:
    serving.note("core", RETRY)
    provider = serving.provider("2.1.0", "hangs in list_memories", code=True)
    serving.search(provider, "where is charge_card?")  # it has started
    for _ in range(2):
        with pytest.raises(StoreBusy, match="list_memories did not answer in time"):
            serving.listed(provider, 0.5)
    (server,) = serving.started()
    assert is_gone(server)


def test_an_idle_serena_is_ended(serving: Serving) -> None:
    serving.note("core", RETRY)
    provider = serving.provider(idle_seconds=1.0)
    serving.listed(provider)
    (server,) = serving.started()
    assert is_gone(server)
    assert len(serving.listed(provider)) == 1
    assert len(serving.started()) == 2


def test_a_program_in_the_project_is_not_run(serving: Serving) -> None:
    serving.note("core", RETRY)
    install(serving, serving.scope.root / "bin/serena", "2.1.0")
    serving.change(env={"PATH": str(serving.scope.root / "bin")})
    with pytest.raises(StoreAbsent, match="there is no program"):
        serving.listed(serving.provider(command=("serena",)))


def test_the_mode_chooses_the_class_and_wrong_settings_are_told() -> None:
    assert type(SerenaProvider(SerenaOptions())) is SerenaProvider
    assert type(SerenaProvider()) is SerenaProvider
    served = SerenaProvider(SerenaOptions(mode="mcp"))
    assert type(served) is ServedSerena
    assert not hasattr(served, "search")
    assert hasattr(SerenaProvider(SerenaOptions(mode="mcp", code=True)), "search")
    with pytest.raises(ValueError, match='mode: it is "files" or "mcp"'):
        SerenaOptions(mode="mpc")
    with pytest.raises(ValueError, match="command: it begins with a program"):
        SerenaOptions(command=())
