"""MCP servers: what becomes of a handshake and a call, and that nothing is left of a server."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from recall.api import Deadline
from recall.transport.mcp import Kind, Remote, Session, Stdio
from recall.transport.server_process import ServerProcess
from support import mcp_server
from support.ending import is_gone
from support.web_server import reply, serving

SERVER = str(Path(mcp_server.__file__))


def soon() -> Deadline:
    return Deadline.after(120)


class Opened:
    """Sessions with scripted servers, ended after the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sessions: list[Session] = []

    def __call__(self, behaviour: str, env: dict[str, str] | None = None, **limits: Any) -> Session:
        argv = (sys.executable, SERVER, behaviour, str(self.folder))
        session = Session(Stdio(argv, env or {}), **limits)
        self.sessions.append(session)
        return session

    def started(self) -> list[int]:
        return [int(path.name.removeprefix("started-")) for path in self.folder.glob("started-*")]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    made = Opened(tmp_path)
    yield made
    for session in made.sessions:
        session.close()
    assert all(map(is_gone, made.started()))


def group_of(pid: int) -> list[int]:
    """The processes in the group of a process, itself among them."""
    group = os.getpgid(pid)
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdecimal() and os.getpgid(int(name)) == group:
                found.append(int(name))
        except ProcessLookupError:
            continue
    return found


def test_a_tool_is_called_and_its_answer_comes_back(opened: Opened) -> None:
    session = opened("answers")
    greeting = session.ready(soon()).value
    assert greeting.server == "scripted 1.2"
    (tool,) = greeting.tools
    assert (tool.name, tool.arguments, tool.required) == ("search_notes", ("query", "page_size"), ("query",))
    outcome = session.call("search_notes", {"query": "결제"}, soon())
    assert outcome.ok
    assert outcome.value.structured["total"] == 2
    assert "결제 재시도" in json.loads(outcome.value.texts[0])["results"][0]["title"]


def test_the_whole_environment_is_passed_and_nothing_of_ours(opened: Opened) -> None:
    env = {"SERENA_HOME": "/somewhere", "한글": "값"}
    told = json.loads(opened("echoes", env).call("search_notes", {}, soon()).value.texts[0])
    told["env"].pop("LC_CTYPE", None)  # Python's own, where there is no locale
    assert told["env"] == env
    assert told["cwd"] == "/"


def test_one_session_serves_many_calls_side_by_side(opened: Opened) -> None:
    session = opened("answers")
    outcomes = session.calls([("search_notes", {"query": str(number)}) for number in range(20)], soon())
    assert [outcome.kind for outcome in outcomes] == [Kind.ANSWERED] * 20
    assert len(opened.started()) == 1


def test_a_banner_on_stdout_is_passed_over(opened: Opened) -> None:
    assert opened("banner").call("search_notes", {"query": "x"}, soon()).ok


def test_an_error_of_a_tool_is_told_by_its_first_line(opened: Opened) -> None:
    outcome = opened("refuses").call("search_notes", {"query": "x"}, soon())
    assert (outcome.kind, outcome.reason) == (Kind.REFUSED, "search_notes: Error: no index")


def test_a_server_that_dies_before_the_handshake_is_told_by_its_last_line(opened: Opened) -> None:
    session = opened("dies")
    outcome = session.ready(soon())
    assert outcome.kind is Kind.ENDED
    assert outcome.reason == "the server ended before it greeted (exit code 3): ConfigError: no home"
    assert session.call("search_notes", {}, soon()) == outcome


def test_a_program_that_is_not_there_is_not_started() -> None:
    outcome = Session(Stdio(("/no/such/program",), {})).ready(soon())
    assert not outcome.ok
    assert "/no/such/program: No such file or directory" in outcome.reason


def test_a_folder_that_is_not_there_is_told() -> None:
    outcome = Session(Stdio((sys.executable,), {}, "/no/such/folder")).ready(soon())
    assert outcome.kind is Kind.NOT_STARTED


def test_a_server_that_hangs_in_the_handshake_is_given_up(opened: Opened) -> None:
    session = opened("hangs in the handshake", handshake=1.0)
    outcome = session.ready(soon())
    assert (outcome.kind, outcome.reason) == (Kind.SILENT, "no greeting within 1 s")
    assert session.over


def test_a_session_that_is_closed_in_the_handshake_ends_at_once(opened: Opened) -> None:
    os.mkfifo(opened.folder / "begun")
    session = opened("hangs in the handshake", handshake=600.0)
    assert session.ready(Deadline.after(0)).kind is Kind.STARTING
    (opened.folder / "begun").open().read()
    session.close()
    assert session.ready(soon()).reason == "the session was closed"
    assert all(map(is_gone, opened.started()))


def test_junk_instead_of_a_greeting_is_shown(opened: Opened) -> None:
    outcome = opened("junk", handshake=1.0).ready(soon())
    assert outcome.kind is Kind.JUNK
    assert outcome.reason.endswith("no message: 'Welcome to the notes server!'")


def test_a_flood_without_an_end_is_left(opened: Opened) -> None:
    outcome = opened("floods", limit=1_000_000).ready(soon())
    assert (outcome.kind, outcome.reason) == (Kind.TOO_LARGE, "writes a message of more than 1,000,000 bytes")


def test_too_large_an_answer_is_left(opened: Opened) -> None:
    outcome = opened("large", limit=1_000_000).call("search_notes", {"query": "x"}, soon())
    assert outcome.kind is Kind.TOO_LARGE


def test_a_caller_without_time_leaves_the_handshake_to_go_on(opened: Opened) -> None:
    session = opened("answers")
    assert session.ready(Deadline.after(0)).kind is Kind.STARTING
    assert session.ready(soon()).ok
    assert len(opened.started()) == 1


def test_a_server_that_hangs_in_a_call_is_late_and_gone_after_the_end(opened: Opened) -> None:
    session = opened("hangs in a call")
    assert session.ready(soon()).ok
    outcome = session.call("search_notes", {"query": "x"}, Deadline.after(0.3))
    assert outcome.kind is Kind.LATE
    assert (opened.folder / "called").exists()


def test_calls_that_nobody_waits_for_any_more_hold_up_no_later_one(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(ServerProcess, "code", lambda process, patience: waits.append(patience))
    session = opened("waits")
    assert session.ready(soon()).ok
    asked = [("search_notes", {"query": str(number)}) for number in range(64)]
    assert {outcome.kind for outcome in session.calls(asked, Deadline.after(0.3))} == {Kind.LATE}
    (opened.folder / "go").touch()
    assert session.call("search_notes", {"query": "x"}, soon()).ok
    assert waits == []  # for an exit code, on the thread of all calls
    assert capfd.readouterr().err == ""


def test_a_server_that_dies_in_a_call_is_told_by_its_last_line(opened: Opened) -> None:
    session = opened("dies in a call")
    outcome = session.call("search_notes", {"query": "x"}, soon())
    assert outcome.kind is Kind.ENDED
    assert outcome.reason == (
        "the server ended while search_notes was asked (exit code -9): "
        "sqlite3.OperationalError: disk I/O error"
    )
    assert not session.call("search_notes", {"query": "x"}, soon()).ok


@pytest.mark.parametrize("behaviour", ["hangs in the end", "children"])
def test_nothing_is_left_after_the_end(opened: Opened, behaviour: str) -> None:
    session = opened(behaviour)
    assert session.ready(soon()).ok
    (server,) = opened.started()
    members = group_of(server)
    assert len(members) == (3 if behaviour == "children" else 2)  # its keeper and what it started
    session.close()
    assert all(map(is_gone, members))


@pytest.mark.parametrize("victim", ["host", "keeper", "server"])
def test_nothing_is_left_when_one_of_them_is_killed(tmp_path: Path, victim: str) -> None:
    code = f"""
import sys
from recall.api import Deadline
from recall.transport.mcp import Session, Stdio
session = Session(Stdio({(sys.executable, SERVER, "children", str(tmp_path))!r}, {{}}))
assert session.ready(Deadline.after(120)).ok
print("ready", flush=True)
sys.stdin.read()
"""
    host = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ)
    )
    with host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        (path,) = tmp_path.glob("started-*")
        server = int(path.name.removeprefix("started-"))
        keeper = os.getpgid(server)
        members = group_of(server)
        assert len(members) == 3
        os.kill({"host": host.pid, "keeper": keeper, "server": server}[victim], signal.SIGKILL)
        assert all(map(is_gone, members))
        host.kill()


def test_nobody_listening_at_a_url_is_told() -> None:
    with serving(reply("")) as server:
        pass
    url = server.url.replace("://", "://name:secret@")
    outcome = Session(Remote(f"{url}/mcp?key=secret")).ready(soon())
    assert outcome.kind is Kind.UNREACHABLE
    assert outcome.reason == f"nobody can be reached at {server.url}/mcp"


def test_a_url_that_is_no_mcp_server_is_told() -> None:
    with serving(reply("<html>", "404 Not Found")) as server:
        outcome = Session(Remote(f"{server.url}/mcp")).ready(soon())
    assert not outcome.ok
    assert outcome.reason


@contextmanager
def notes_over_http() -> Iterator[str]:
    """The SDK's own server over streamable HTTP, on a free port of this machine."""
    import uvicorn
    from mcp.server import MCPServer

    server = MCPServer("notes", version="9")

    @server.tool()
    def search_notes(query: str, size: int = 1) -> str:
        return f"found {query}" * size

    listener = socket.create_server(("127.0.0.1", 0))
    application = server.streamable_http_app(host="127.0.0.1")
    serving = uvicorn.Server(uvicorn.Config(application, log_level="critical", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        serving.should_exit = True
        thread.join(60)
        listener.close()


def test_a_server_over_http_is_asked_in_one_session() -> None:
    with notes_over_http() as url:
        session = Session(Remote(url, env={"http_proxy": "http://127.0.0.1:9"}), limit=100_000)
        greeting = session.ready(soon()).value
        assert greeting.server == "notes 9"
        assert session.call("search_notes", {"query": "결제"}, soon()).value.texts == ("found 결제",)
        refused = session.call("search_notes", {}, soon())
        assert refused.kind is Kind.REFUSED
        large = session.call("search_notes", {"query": "xxxx", "size": 50_000}, Deadline.after(5))
        assert not large.ok
        assert session.call("search_notes", {"query": "again"}, soon()).ok
        session.close()


@pytest.mark.parametrize("end", ["closed", "killed", "keeper killed"])
def test_a_folder_of_its_own_goes_with_a_server(opened: Opened, tmp_path: Path, end: str) -> None:
    folder = tmp_path / "scratch"
    (folder / "deep").mkdir(parents=True)
    kept = tmp_path / "kept"
    kept.mkdir()
    (folder / "link").symlink_to(kept)
    argv = (sys.executable, SERVER, "answers", str(tmp_path))
    session = Session(Stdio(argv, {}, str(folder), str(folder)))
    opened.sessions.append(session)
    assert session.ready(soon()).ok
    (server,) = opened.started()
    keeper = os.getpgid(server)
    assert folder.exists()
    if end == "closed":
        session.close()
    else:
        os.kill(server if end == "killed" else keeper, signal.SIGKILL)
    assert is_gone(server)
    assert is_gone(keeper)
    assert kept.exists()
    assert folder.exists() == (end == "keeper killed")  # what is left then is swept, see test_scratch


def test_a_folder_of_its_own_goes_with_the_host(tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    code = f"""
import sys
from recall.api import Deadline
from recall.transport.mcp import Session, Stdio
argv = {(sys.executable, SERVER, "hangs in the end", str(tmp_path))!r}
session = Session(Stdio(argv, {{}}, "/", {str(folder)!r}))
assert session.ready(Deadline.after(120)).ok
print("ready", flush=True)
sys.stdin.read()
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == b"ready\n"
        (path,) = tmp_path.glob("started-*")
        keeper = os.getpgid(int(path.name.removeprefix("started-")))
        host.kill()
    assert is_gone(keeper)
    assert not folder.exists()


def test_a_folder_of_its_own_goes_if_its_server_cannot_be_started(tmp_path: Path) -> None:
    for number, argv in enumerate([("/no/such/program",), (sys.executable, "nul\0")]):
        folder = tmp_path / str(number)
        folder.mkdir()
        outcome = Session(Stdio(argv, {}, "/", str(folder))).ready(soon())
        assert not outcome.ok
        assert gone_in_a_while(folder)


def gone_in_a_while(folder: Path) -> bool:
    """Whether a folder goes; its keeper may still be at it when its stderr has ended."""
    import time

    return any(not folder.exists() or time.sleep(0.05) for _ in range(1_000))


@pytest.mark.parametrize("behaviour", ["notifies in the handshake", "notifies without an end"])
def test_a_server_that_notifies_without_an_end_is_left(opened: Opened, behaviour: str) -> None:
    outcome = opened(behaviour).call("search_notes", {"query": "a"}, soon())
    assert outcome.kind is Kind.TOO_LARGE
    assert outcome.reason.startswith("writes message after message that answers nothing")


def test_a_server_that_writes_empty_lines_without_an_end_is_left(opened: Opened) -> None:
    outcome = opened("empty lines").ready(soon())
    assert outcome.kind is Kind.TOO_LARGE
    assert outcome.reason.endswith("the first: 'an empty line'")


def test_an_answer_that_is_no_message_is_shown_when_the_call_is_late(opened: Opened) -> None:
    session = opened("prints its answer")
    assert session.ready(soon()).ok
    outcome = session.call("search_notes", {"query": "a"}, Deadline.after(0.5))
    assert outcome.kind is Kind.LATE
    assert outcome.reason.endswith("its stdout holds what is no message: 'DEBUG: two notes found'")


def test_half_a_character_in_an_answer_costs_that_character_only(opened: Opened) -> None:
    outcome = opened("halves").call("search_notes", {"query": "a"}, soon())
    assert outcome.value.texts == ("결제 \ufffd",)


def test_a_greeting_of_another_form_is_told_by_what_it_lacks(opened: Opened) -> None:
    outcome = opened("greets otherwise").ready(soon())
    assert outcome.kind is Kind.FAILED
    assert "otherwise than the protocol says" in outcome.reason
    assert "Field required" in outcome.reason


def test_an_answer_over_http_that_is_packed_is_not_unpacked() -> None:
    bomb = gzip.compress(b"0" * 1_000_000)
    packed = reply(bomb, Content_Encoding="gzip", Content_Type="application/json")
    with serving(packed) as server:
        outcome = Session(Remote(f"{server.url}/mcp")).ready(soon())
        assert "accept-encoding: identity" in server.requests[0].lower()
    assert outcome.kind is Kind.FAILED
    assert outcome.reason.endswith("answers packed as gzip, which was not asked for")
