"""What is answered at each moment of a session."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from recall.api import Deadline
from recall.checkpoints import FOLDER, JOURNAL, Contents, parse
from recall.clienthooks import Event
from recall.context import journal
from recall.context.entry import Entry
from recall.context.handle import Bound, Continuity
from recall.context.saving import save
from recall.context.where import stands
from recall.context.worktree import look
from recall.hooks import moments, run
from recall.hooks.contract import CONTEXT_BYTES, Call, Reply, Surroundings
from recall.hooks.moments import Attempt
from recall.project import find_scope
from support.repositories import ENV, Repo, needs_git
from support.worlds import NOW

pytestmark = needs_git


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo.new(tmp_path / "shop-api", tmp_path / "home")
    made.commit("Start", {"retry.py": "4"})
    return made


def around(repo: Repo, settings: str = "", now: float = NOW) -> Surroundings:
    folder = repo.home / ".config" / "recall"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(settings, "utf-8")
    return Surroundings(repo.home, ENV, lambda: repo.top, lambda: now)


def respond(event: Event, call: Call, where: Surroundings) -> Reply:
    return moments.respond(event, call, where, Attempt())


def continuity(repo: Repo) -> Continuity:
    return Continuity(repo.home / ".local" / "state" / "recall", Path(os.path.realpath(repo.top)))


def bootstrapped(repo: Repo, now: float = NOW) -> None:
    bound = Bound(repo.top, repo.git("rev-parse", "HEAD"), repo.git("branch", "--show-current"))
    continuity(repo).issue(bound, now)


def keep(repo: Repo, text: str, now: float = NOW - 7_200) -> None:
    scope = find_scope(repo.top, home=repo.home, env=ENV)
    mark = look(scope, scope.home / ".cache", Deadline.after(60))[1]
    save(scope.main_root, Entry("milestone", text), where=stands(scope, mark), clock=lambda: now)


# -- the start ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_a_session_starts_with_how_the_project_stands(repo: Repo, source: str) -> None:
    keep(repo, "네 번 재시도한다")
    reply = respond(Event.SESSION_START, Call("s", os.fspath(repo.top), source), around(repo))
    assert "main @" in reply.context
    assert "네 번 재시도한다" in reply.context
    assert reply == Reply(context=reply.context)


def test_the_start_fits_what_the_smallest_client_keeps(repo: Repo) -> None:
    for number in range(40):
        keep(repo, f"한 일 {number}: " + "은행과 합의한 대로 한다 " * 30)
    repo.write({"HANDOFF.md": "# 인수인계\n\n" + "남은 일이 많다\n" * 2_000})
    reply = respond(
        Event.SESSION_START, Call("s", os.fspath(repo.top)), around(repo, "[context]\nbudget = 50000\n")
    )
    assert len(reply.context.encode()) <= CONTEXT_BYTES


def test_the_start_gives_out_no_handle_so_the_tool_must_be_called(repo: Repo) -> None:
    where = around(repo)
    respond(Event.SESSION_START, Call("s", os.fspath(repo.top), "startup"), where)
    write = Call("s", os.fspath(repo.top), tool="Write")
    denied = respond(Event.PRE_TOOL, write, where).deny
    assert "no bootstrap in this session" in denied
    assert str(repo.top) in denied  # which project it is about


def test_outside_the_mapped_folders_nothing_is_added_or_denied(repo: Repo, tmp_path: Path) -> None:
    settings = f'[[context.workspaces]]\nname = "other"\nfolders = [{json.dumps(str(tmp_path / "other"))}]\n'
    for event in Event:
        call = Call("s", os.fspath(repo.top), tool="Write", prompt="retry")
        assert respond(event, call, around(repo, settings)) == Reply()


def test_a_mapped_folder_is_called_by_its_workspaces_name(repo: Repo) -> None:
    settings = (
        f'[[context.workspaces]]\nname = "결제"\nfolders = [{json.dumps(str(repo.top))}]\naliases = ["pay"]\n'
    )
    reply = respond(Event.SESSION_START, Call("s", os.fspath(repo.top)), around(repo, settings))
    assert "Project: 결제" in reply.context


# -- tools ----------------------------------------------------------------------------------------------------


def test_a_tool_that_changes_something_waits_for_a_bootstrap(repo: Repo) -> None:
    where = around(repo)
    call = Call("s", os.fspath(repo.top), tool="Edit")
    assert respond(Event.PRE_TOOL, call, where).deny
    bootstrapped(repo)
    assert respond(Event.PRE_TOOL, call, where) == Reply()


def test_a_commit_by_the_agent_makes_it_ask_again(repo: Repo) -> None:
    bootstrapped(repo)
    repo.commit("More", {"b": "1"})
    reply = respond(Event.PRE_TOOL, Call("s", os.fspath(repo.top), tool="Edit"), around(repo))
    assert "HEAD moved" in reply.deny


@pytest.mark.parametrize("tool", ["Read", "Grep", "mcp__recall__deep_recall", "TodoWrite", ""])
def test_a_tool_that_only_reads_may_always_be_used(repo: Repo, tool: str) -> None:
    assert respond(Event.PRE_TOOL, Call("s", os.fspath(repo.top), tool=tool), around(repo)) == Reply()


@pytest.mark.parametrize(
    ("command", "denied"),
    [
        ("recall bootstrap", False),
        ("recall bootstrap --project /x/y", False),
        ("recall bootstrap; rm -rf /", True),
        ("recall bootstrap && make", True),
        ("recall bootstrap `make`", True),
        ("recall bootstrap\nmake", True),
        ("recall bootstrap > x", True),
        ("recall bootstrap $(make)", True),
        ("make", True),
    ],
)
def test_only_the_bootstrap_command_itself_needs_none(repo: Repo, command: str, denied: bool) -> None:
    call = Call("s", os.fspath(repo.top), tool="Bash", command=command)
    assert bool(respond(Event.PRE_TOOL, call, around(repo)).deny) is denied


def test_the_guard_can_be_switched_off_and_told_which_tools(repo: Repo) -> None:
    write = Call("s", os.fspath(repo.top), tool="Write")
    assert respond(Event.PRE_TOOL, write, around(repo, "[context]\nguard = false\n")) == Reply()
    settings = '[context]\nguarded_tools = ["mcp__db__*"]\n'
    assert respond(Event.PRE_TOOL, write, around(repo, settings)) == Reply()
    assert respond(Event.PRE_TOOL, write._replace(tool="mcp__db__drop"), around(repo, settings)).deny


# -- prompts, stops, compaction -------------------------------------------------------------------------------


def test_a_prompt_gets_names_of_memories_and_no_memory(repo: Repo) -> None:
    folder = repo.top / ".serena" / "memories"
    folder.mkdir(parents=True)
    (folder / "retry.md").write_text(
        "# Payment retries\n\nFailed payments are retried four times by night.\n", "utf-8"
    )
    where = around(repo)
    call = Call("s", os.fspath(repo.top), prompt="how often are failed payments retried?")
    assert respond(Event.PROMPT, call, where) == Reply()  # nothing is read for it
    from recall.engine import Engine

    engine = Engine.start(repo.top, home=repo.home, env=ENV)
    engine.refresh(engine.sources, Deadline.after(60), 60)
    engine.close()
    context = respond(Event.PROMPT, call, where).context
    assert "recall://serena/retry" in context
    assert "by night" not in context


def test_a_prompt_about_nothing_that_is_known_gets_nothing(repo: Repo) -> None:
    assert respond(Event.PROMPT, Call("s", os.fspath(repo.top), prompt="hello"), around(repo)) == Reply()
    assert respond(Event.PROMPT, Call("s", os.fspath(repo.top), prompt="  "), around(repo)) == Reply()


def test_changes_since_the_last_checkpoint_are_said_once(repo: Repo) -> None:
    keep(repo, "done so far")
    call = Call("s", os.fspath(repo.top))
    where = around(repo)
    assert respond(Event.STOP, call, where) == Reply()
    repo.write({"retry.py": "5"})
    assert "since the last checkpoint (2 hours ago)" in respond(Event.STOP, call, where).say
    assert respond(Event.STOP, call, where) == Reply()
    assert respond(Event.STOP, call, around(repo, now=NOW + 3_600)).say


def test_a_project_without_checkpoints_is_not_reminded_of_them(repo: Repo) -> None:
    repo.write({"retry.py": "5"})
    assert respond(Event.STOP, Call("s", os.fspath(repo.top)), around(repo)) == Reply()


def test_an_agent_is_asked_to_write_it_down_only_where_the_user_wants_it_and_only_once(repo: Repo) -> None:
    keep(repo, "done so far")
    repo.write({"retry.py": "5"})
    where = around(repo, '[context]\nreminder = "ask"\n')
    assert respond(Event.STOP, Call("s", os.fspath(repo.top), again=True), where) == Reply()
    assert respond(Event.STOP, Call("s", os.fspath(repo.top)), where).ask
    assert respond(Event.PRE_COMPACT, Call("t", os.fspath(repo.top)), where).say


# -- whatever goes wrong --------------------------------------------------------------------------------------


def answered(event: str, payload: Mapping[str, Any] | bytes, where: Surroundings) -> run.Answered:
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    out, into = os.pipe()
    os.write(into, data)
    os.close(into)
    try:
        return run.answered(event, None, where, out)
    finally:
        os.close(out)


@pytest.mark.parametrize("event", list(Event))
@pytest.mark.parametrize(
    "data", [b"", b"garbage", b"[]", b'{"cwd": 7}', b'{"cwd": "/no/such/folder", "prompt": "x"}']
)
def test_garbage_leaves_the_session_usable(repo: Repo, event: Event, data: bytes) -> None:
    found = answered(event, data, around(repo))
    assert "deny" not in json.dumps(found.document)
    assert all("\n" not in line for line in found.troubles)


@pytest.mark.parametrize("event", list(Event))
def test_broken_settings_leave_the_session_usable(repo: Repo, event: Event) -> None:
    call = {"cwd": os.fspath(repo.top), "tool_name": "Write", "prompt": "x"}
    found = answered(event, call, around(repo, "[context\n"))
    assert found.document == {}
    assert "config.toml" in found.troubles[0]


def test_a_guard_that_cannot_check_says_no_by_itself(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object, **_rest: object) -> object:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("recall.context.guard.judged", broken)
    call = {"cwd": os.fspath(repo.top), "tool_name": "Write"}
    found = answered("pre-tool", call, around(repo))
    assert "cannot be checked: input/output error" in json.dumps(found.document)
    assert found.troubles
    assert answered("pre-tool", {**call, "tool_name": "Read"}, around(repo)).document == {}


def test_an_exit_inside_a_hook_is_one_line_for_the_log(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaving(*_arguments: object, **_rest: object) -> object:
        raise SystemExit(3)

    monkeypatch.setattr("recall.engine.Engine.start", leaving)
    found = answered("session-start", {"cwd": os.fspath(repo.top)}, around(repo))
    assert found.document == {}
    assert found.troubles == ("hook session-start: SystemExit: 3",)


def test_a_state_that_cannot_be_written_costs_no_context(repo: Repo) -> None:
    where = around(repo)
    (repo.home / ".local").mkdir()
    (repo.home / ".local" / "state").write_text("a file", "utf-8")
    assert "main @" in respond(Event.SESSION_START, Call("s", os.fspath(repo.top), "startup"), where).context
    denied = respond(Event.PRE_TOOL, Call("s", os.fspath(repo.top), tool="Write"), where).deny
    assert "is not a folder; the user has to mend that" in denied


def test_the_bootstrap_may_be_run_by_the_path_that_the_hooks_have_and_the_denial_names_it(repo: Repo) -> None:
    where = around(repo)._replace(program="/opt/recall/bin/recall")

    def denied(command: str, tool: str = "Bash") -> str:
        return respond(Event.PRE_TOOL, Call("s", os.fspath(repo.top), tool=tool, command=command), where).deny

    assert not denied("/opt/recall/bin/recall bootstrap --json\n")
    assert "Where `recall` is not found: `/opt/recall/bin/recall bootstrap`." in denied("ls")
    assert denied("/tmp/recall bootstrap")
    assert denied("/opt/recall/bin/recall bootstrap; ls")


def test_a_tool_that_is_no_shell_is_not_let_through_by_a_command_beside_its_content(repo: Repo) -> None:
    call = Call("s", os.fspath(repo.top), tool="Write", command="recall bootstrap")
    assert respond(Event.PRE_TOOL, call, around(repo)).deny


def test_at_the_end_of_a_turn_only_the_end_of_a_journal_is_read(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        keep(repo, f"milestone {number}")
    file = repo.top / FOLDER / JOURNAL
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([lines[0]] * 2_000 + lines))
    parsed: list[int] = []

    def counting(data: bytes, *rest: Any) -> Contents:
        parsed.append(len(data))
        return parse(data, *rest)

    monkeypatch.setattr(journal, "parse", counting)
    last = journal.last(repo.top)
    assert last is not None
    assert last.text == "milestone 2"
    assert sum(parsed) < file.stat().st_size / 2


def test_behind_a_long_damage_the_last_record_is_found_all_the_same(repo: Repo) -> None:
    keep(repo, "네 번 재시도한다")
    with (repo.top / FOLDER / JOURNAL).open("ab") as file:
        file.write(b"\0" * 300_000)
    last = journal.last(repo.top)
    assert last is not None
    assert last.text == "네 번 재시도한다"
