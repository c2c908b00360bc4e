"""`recall serve` as a client starts it: bare pipes, foreign plugins, and every way to end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recall.demo import sample
from support.distributions import install
from support.serving import HELLO, Served, plugin_path, served
from support.worlds import process_env, run_recall, snapshot

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and descriptors as on POSIX")

_PLUGIN = """
import os, subprocess, sys, threading
from dataclasses import dataclass
from recall.api import Authority, Entry, Health, Memory, State, hookimpl

{at_import}

@dataclass(frozen=True)
class Options:
    pass

class Provider:
    name = "{name}"
    authority = Authority.CURATED
    Options = Options
    def __init__(self, options): pass
    def health(self, scope, deadline): return Health(State.READY, 1)
    def entries(self, scope, deadline):
        {when_asked}
        return [Entry("one", "1")]
    def load(self, entry, scope): return [Memory("one", "결제는 세 번 재시도한다")]

@hookimpl
def recall_provider(): return Provider
"""
_CHATTER = """
print("printed"); sys.stdout.write("written, not flushed"); os.write(1, b"to the descriptor\\n")
sys.__stdout__.write("to the original\\n")
subprocess.run([sys.executable, "-c", "print('by a child')"])
"""


@pytest.fixture
def world(tmp_path: Path) -> sample.Sample:
    return sample.build(tmp_path, 1_780_000_000.0)


def plugin(folder: Path, name: str, *, at_import: str = "", when_asked: str = "") -> dict[str, str]:
    """The environment in which a plugin is installed."""
    asked = "; ".join(line for line in when_asked.strip().splitlines())
    source = _PLUGIN.format(name=name, at_import=at_import, when_asked=asked or "pass")
    install(folder / "plugins", f"recall-{name}", {name: f"recall_{name}"}, {f"recall_{name}": source})
    return plugin_path(folder / "plugins")


def states(result: Any) -> dict[str, str]:
    return {one["provider"]: one["state"] for one in result["structuredContent"]["outcomes"]}


def kinds(server: Served) -> list[str]:
    """What each line of stdout is; fails for a line that is no message of the protocol."""
    found = []
    for line in server.lines:
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        found.append(message.get("method") or f"answer {message['id']}")
    return found


def test_a_session_from_the_handshake_to_the_end_of_input(world: sample.Sample) -> None:
    before = snapshot(
        world.home / ".gemini", world.home / ".claude", world.home / ".claude-mem", world.project
    )
    with served(world.home, world.project) as server:
        hello = server.greet()
        assert hello["serverInfo"]["name"] == "recall"
        assert len(hello["instructions"]) <= 247
        found = server.call("deep_recall", query=sample.QUESTION)
        memory = found["structuredContent"]["memories"][0]
        assert (memory["source"], memory["trust"]) == ("serena", "untrusted")
        assert server.call("read_memory", uri=memory["uri"])["structuredContent"]["pages"] == 1
        assert server.call("deep_recall", query="결제", limt=1)["isError"] is True
        server.end_of_input()
        assert server.ended() == 0
        assert len(kinds(server)) == 4
        assert server.said() == ""
    assert before == snapshot(
        world.home / ".gemini", world.home / ".claude", world.home / ".claude-mem", world.project
    )


def test_every_line_on_stdout_is_the_protocols_whatever_a_plugin_prints(
    world: sample.Sample, tmp_path: Path
) -> None:
    env = plugin(tmp_path, "chatty", at_import=_CHATTER, when_asked=_CHATTER)
    with served(world.home, world.project, env) as server:
        server.greet()
        for _ in range(2):
            assert states(server.call("deep_recall", query="결제", deadline=20))["chatty"] == "ready"
        server.call("memory_health", probe=True)
        server.end_of_input()
        assert server.ended() == 0
        assert kinds(server) == [f"answer {number}" for number in (1, 2, 3, 4)]
        for words in ("printed", "to the descriptor", "by a child"):
            assert words in server.said()


_NO_MESSAGES = {
    b"\n": -32700,
    b"junk\n": -32700,
    b"\xff\xfe\xfd\n": -32700,
    b"{\n": -32700,
    b"\0\n": -32700,
    b"[" * 200_000 + b"\n": -32700,
    b"[1]\n": -32600,
    b'{"jsonrpc":"2.0"}\n': -32600,
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n': -32600,
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n': -32600,
}
_OWED_NOTHING = (
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}\n',
    b'{"jsonrpc":"2.0","id":70,"result":{}}\n',
    b'{"jsonrpc":"2.0","id":71,"result":1}\n',
    b'{"jsonrpc":"1.0","id":72,"error":{}}\n',
    b'{"jsonrpc":"2.0","id":73,"error":{}}\n',
)


@pytest.mark.parametrize("greeted", [True, False], ids=["greeted", "first thing"])
def test_a_line_that_is_no_message_has_one_answer_and_costs_nothing_else(
    world: sample.Sample, greeted: bool
) -> None:
    with served(world.home, world.project) as server:
        if greeted:
            server.greet()
        for junk in (*_NO_MESSAGES, *_OWED_NOTHING):
            server.send_bytes(junk)
        server.send_bytes(b'{"jsonrpc":"2.0","id":80,"method":"ping","params":[]}\n')
        assert server.answer_to(80)["error"]["code"] == -32600
        if not greeted:
            server.greet()
        server.end_of_input()
        assert server.ended() == 0
        answers = [json.loads(line) for line in server.lines]
        unknown = [answer["error"]["code"] for answer in answers if answer["id"] is None]
        assert unknown == list(_NO_MESSAGES.values())
        assert sorted(answer["id"] for answer in answers if answer["id"] is not None) == [1, 80]
        assert server.said() == ""


def test_questions_are_answered_whatever_the_client_did_to_their_characters(world: sample.Sample) -> None:
    with served(world.home, world.project) as server:
        server.greet()
        call = (
            b'{"jsonrpc":"2.0","id":%d,"method":"tools/call",'
            b'"params":{"name":"deep_recall","arguments":{"query":"%s"}}}\n'
        )
        server.send_bytes(call % (90, b"\xea\xb2\xb0\xff\xfe"))  # half a letter, and bytes that are none
        assert "result" in server.answer_to(90)
        server.send_bytes(call % (91, rb"\ud83d \uacb0\uc81c"))  # half an emoji
        assert server.answer_to(91)["result"]["structuredContent"]["memories"]
        server.send_bytes(call % (92, b"x" * (1 << 20)))
        assert "at most 100000 characters" in server.answer_to(92)["result"]["content"][0]["text"]
        server.end_of_input()
        assert server.ended() == 0
        assert "Traceback" not in server.said()


_CALL = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"deep_recall","arguments":{"query":"결제"}}}\n'
_CANCEL = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}\n'


def test_requests_whose_ids_differ_in_type_alone_are_answered_and_cancelled_apart(
    world: sample.Sample,
) -> None:
    with served(world.home, world.project) as server:
        server.greet()
        lines = (_CALL % 57, _CALL % '"57"', _CANCEL % '"57"', _CALL % '"58"', _CANCEL % 58)
        server.send_bytes("".join(lines).encode())
        answers = server.answers_to(57, "58")
        assert all("result" in answer for answer in answers)
        server.end_of_input()
        assert server.ended() == 0


_WIDE = b'{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"a":[' + b"[]," * (1 << 20) + b"1]}}\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (_WIDE % 90, "at most 20,000 values"),
        (b'{"jsonrpc":"2.0","id":90,"method":"' + b"x" * (9 << 20) + b'"}\n', "at most 4,194,304 bytes"),
        (b'{"method":"' + b"x" * (9 << 20) + b'","jsonrpc":"2.0","id":90}\n', "at most 4,194,304 bytes"),
        (b'{"method":"' + b"x" * (4 << 20) + b'","jsonrpc":"2.0","id":90}\n', "at most 4,194,304 bytes"),
    ],
    ids=["wide", "long", "long, id last", "a little too long"],
)
def test_a_line_of_more_than_a_message_may_hold_is_refused_and_the_next_one_is_read(
    world: sample.Sample, line: bytes, reason: str
) -> None:
    with served(world.home, world.project) as server:
        server.greet()
        server.send_bytes(line + b'{"jsonrpc":"2.0","id":91,"method":"ping"}\n')
        refused = server.answer_to(90)["error"]
        assert (refused["code"], refused["message"]) == (-32600, f"invalid request: a message has {reason}")
        assert "result" in server.answer_to(91)
        server.end_of_input()
        assert server.ended() == 0
        assert len(server.lines) == 3


def test_a_project_whose_name_is_no_text_is_served(world: sample.Sample) -> None:
    project = Path(os.fsdecode(os.fsencode(world.project.parent) + b"/od\xffd\x1b[31m"))
    (project / ".serena" / "memories").mkdir(parents=True)
    for name in (b"a\xfe.md", b"b.md"):
        Path(os.fsdecode(os.fsencode(project / ".serena" / "memories") + b"/" + name)).write_text("# 결제\n")
    with served(world.home, project) as server:
        server.greet()
        memory = server.call("deep_recall", query="결제")["structuredContent"]["memories"][0]
        assert "결제" in server.call("read_memory", uri=memory["uri"])["structuredContent"]["text"]
        assert server.call("memory_health")["structuredContent"]["project"] == "od\ufffdd"
        for tool, arguments in (
            ("read_memory", {"uri": "recall://serena/none"}),
            ("deep_recall", {"query": "결제", "project": "x"}),
        ):
            said = server.call(tool, **arguments)["content"][0]["text"]
            assert "od" in said
            assert "\x1b" not in said
        number = server.request("resources/read", {"uri": "recall://serena/none"})
        assert server.answer_to(number)["error"]["code"] == -32002
        server.end_of_input()
        assert server.ended() == 0
        assert server.said() == ""


def test_a_server_that_fails_ends_and_says_so(world: sample.Sample) -> None:
    code = (
        "import sys\nfrom recall.cli.run import run\nfrom recall.server.wire import Wire\n"
        "async def write(self, text): raise RuntimeError('no more ink')\n"
        "Wire.write = write\nrun(['serve'])"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=world.project, env=process_env(world.home), stdin=pipe, stderr=pipe
    ) as server:
        assert server.stdin is not None
        assert server.stderr is not None
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()  # and the input stays open
        assert server.wait(30) == 1
        assert b"recall: the server failed" in server.stderr.read()


def test_answers_on_their_way_are_given_when_the_input_ends(world: sample.Sample) -> None:
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "recall", "serve"],
        input="".join(json.dumps(message) + "\n" for message in messages),
        cwd=world.project,
        env=process_env(world.home),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]


# -- ending ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_it_at_once(world: sample.Sample, number: signal.Signals, code: int) -> None:
    with served(world.home, world.project) as server:
        server.greet()
        server.process.send_signal(number)
        assert server.ended() == code
        assert server.said() == ""


_HANGS = "threading.Event().wait()"
_EXITS = "sys.exit(3)"


@pytest.mark.parametrize("how", ["asked", "imported"])
def test_it_ends_with_its_input_while_a_provider_hangs_for_ever(
    world: sample.Sample, tmp_path: Path, how: str
) -> None:
    hangs = {"at_import": _HANGS} if how == "imported" else {"when_asked": _HANGS}
    with served(world.home, world.project, plugin(tmp_path, "stuck", **hangs)) as server:
        server.greet()
        if how == "asked":
            found = server.call("deep_recall", query=sample.QUESTION)
            assert states(found)["stuck"] == "busy"
            assert found["structuredContent"]["memories"]
        else:
            said = server.call("deep_recall", query=sample.QUESTION, deadline=0.2)
            assert said["isError"] is True
            assert "still being loaded" in said["content"][0]["text"]
        server.request("tools/call", {"name": "deep_recall", "arguments": {"query": "정산", "deadline": 60}})
        server.end_of_input()
        assert server.ended() == 0


def test_a_signal_ends_it_while_a_provider_hangs_for_ever(world: sample.Sample, tmp_path: Path) -> None:
    with served(world.home, world.project, plugin(tmp_path, "stuck", when_asked=_HANGS)) as server:
        server.greet()
        server.request("tools/call", {"name": "deep_recall", "arguments": {"query": "정산", "deadline": 60}})
        server.process.terminate()
        assert server.ended() == 143


def test_a_plugin_that_exits_is_broken_and_the_server_stays(world: sample.Sample, tmp_path: Path) -> None:
    env = plugin(tmp_path, "leaving", when_asked=_EXITS)
    env |= {
        "PYTHONPATH": plugin(tmp_path / "b", "gone", at_import=_EXITS)["PYTHONPATH"]
        + os.pathsep
        + env["PYTHONPATH"]
    }
    with served(world.home, world.project, env) as server:
        server.greet()
        for _ in range(2):
            found = states(server.call("deep_recall", query=sample.QUESTION, deadline=20))
            assert (found["leaving"], found["gone"], found["serena"]) == ("broken", "broken", "ready")
        server.end_of_input()
        assert server.ended() == 0


def test_a_client_that_stops_reading_does_not_keep_it(world: sample.Sample) -> None:
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "recall", "serve"]
    env = process_env(world.home)
    with subprocess.Popen(
        command, cwd=world.project, env=env, stdin=pipe, stdout=pipe, stderr=pipe
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.stdout.close()
        server.stdin.write(json.dumps({**request, "id": 2, "method": "ping", "params": {}}).encode() + b"\n")
        server.stdin.flush()  # the input stays open: it is the answer that nobody reads
        assert server.wait(30) == 0
        assert server.stderr.read() == b""


def test_without_input_it_ends_at_once(world: sample.Sample) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$0" -m recall serve <&-', sys.executable],
        cwd=world.project,
        env=process_env(world.home),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "Traceback" not in done.stderr


# -- the command line -----------------------------------------------------------------------------------------


def test_help_imports_nothing_of_the_protocol(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom recall.cli.run import run\nassert run(['serve', '--help']) == 0\n"
        "bad = {'mcp', 'mcp_types', 'pydantic', 'anyio', 'asyncio', 'recall.engine', 'recall.server'}\n"
        "sys.stderr.write(' '.join(sorted(bad & set(sys.modules))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=process_env(tmp_path), capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "--show-token" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--port", "80"], "go with --http"),
        (["--host", "0.0.0.0"], "go with --http"),
        (["--http", "--host", "0.0.0.0", "--port", "0"], "add --allow-remote"),
        (["--http", "--host", "not an address", "--port", "0", "--allow-remote"], "cannot listen on"),
        (["--http", "--port", "99999"], "--port"),
        (["--project", "/nowhere/at/all"], "no such folder"),
    ],
)
def test_a_wrong_command_line_is_one_clear_line(tmp_path: Path, arguments: list[str], line: str) -> None:
    done = run_recall(["serve", *arguments], home=tmp_path, cwd=tmp_path)
    assert done.returncode == 2
    assert line in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr


def test_settings_that_cannot_be_used_are_said_before_anything_is_served(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[server]\nprot = 1\n", encoding="utf-8")
    done = run_recall(["serve"], home=tmp_path, cwd=tmp_path, env={"RECALL_CONFIG": str(config)})
    assert done.returncode == 2
    assert 'config.toml:2: server.prot: unknown key (did you mean "port"?)' in done.stderr


def test_the_token_is_printed_alone(tmp_path: Path) -> None:
    first = run_recall(["serve", "--show-token"], home=tmp_path, cwd=tmp_path)
    assert len(first.stdout.strip()) == 43
    assert run_recall(["serve", "--show-token"], home=tmp_path, cwd=tmp_path).stdout == first.stdout
    (path,) = tmp_path.rglob("server-token")
    assert path.stat().st_mode & 0o777 == 0o600
