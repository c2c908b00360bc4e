"""What `deep_recall` costs inside a running MCP server, with four corpora and nothing changed.

    python benchmarks/server.py [--memories 1000] [--calls 100]
    python benchmarks/server.py --soak [--memories 1000] [--calls 1000]

Serena, Claude Code, Antigravity and claude-mem hold as many memories each. Wall time of tool calls in the
server; the same with the protocol and an in-process client, which checks every result against its schema; then where
it goes: looking at each source alone, answering from the index alone, shaping the
result. On a busy machine the CPU column is the one to compare. Target: p50 of a call at most 40 ms with 1,000
memories each. Then what it takes `recall serve` to end once its input has ended, while a source hangs for ever in
a call. Target: at most 0.5 s. The targets are meant for two free cores: cores and load are
printed before and after. Prints figures and never fails.

With --soak it is `recall serve` itself, a process of its own, that is asked over stdio: that many calls in a row,
then fifty at a time twenty times, and what it holds before and after: threads, file handles, memory. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from latency import _QUESTIONS as QUESTIONS
from latency import _vocabulary as vocabulary
from latency import write_notes
from recall.api import Deadline
from recall.engine import Engine
from recall.server import app
from recall.server.sessions import Sessions
from recall.server.shaping.recalled import recalled
from recall.settings import ServerSettings

_EPOCH = 1_780_000_000
_SETTLING = 4.0  # seconds after which folders just written are taken to be at rest, and not listed again
_ENDINGS = 5  # processes that are started and ended
_HANGS = """
import threading
from dataclasses import dataclass
from recall.api import Authority, hookimpl

@dataclass(frozen=True)
class Options:
    pass

class Provider:
    name = "hangs"
    authority = Authority.CURATED
    Options = Options
    def __init__(self, options): pass
    def health(self, scope, deadline): threading.Event().wait()
    def entries(self, scope, deadline): threading.Event().wait()
    def load(self, entry, scope): return []

@hookimpl
def recall_provider(): return Provider
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--memories", type=int, default=1_000, help="of each of the four sources")
    parser.add_argument("--calls", type=int)
    parser.add_argument("--soak", action="store_true", help="a process under load, and what it holds")
    chosen = parser.parse_args(arguments)
    print(machine())
    with tempfile.TemporaryDirectory(prefix="recall-server-") as temporary:
        folder = Path(temporary)
        env = write_world(folder, chosen.memories)
        if chosen.soak:
            anyio.run(soak, folder, env, chosen.calls or 1_000)
        else:
            anyio.run(measure, folder, env, chosen.calls or 100)
            report("ending, a source hangs", [ending(folder, env) for _ in range(_ENDINGS)], 500)
    print(machine())


def machine() -> str:
    """What the figures depend on: cores, and how many programs want one, on average of the last minute."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return f"{os.cpu_count()} cores, load {load}"


async def measure(folder: Path, env: dict[str, str], calls: int) -> None:
    """Warm up, then time calls and their parts."""
    home, project = folder / "home", folder / "project"
    sessions = Sessions(lambda path: Engine.start(path, home=home, env=env), project, home)
    server = app.build(sessions, ServerSettings())
    in_server = _timed_calls(server)
    async with Client(server) as client:
        first = await client.call_tool("deep_recall", {"query": QUESTIONS[0], "deadline": 60})
        sources = (first.structured_content or {})["outcomes"]
        print(", ".join(f"{one['provider']} {one['state']} {one['memories']:,}" for one in sources))
        time.sleep(_SETTLING)
        in_server.clear()
        seconds = []
        for number in range(calls):
            began = now()
            await client.call_tool("deep_recall", {"query": QUESTIONS[number % len(QUESTIONS)]})
            seconds.append(since(began))
        report("deep_recall, in the server", in_server, 40)
        report("  and with its client", seconds)
        with sessions.engine(project.resolve(), 60) as engine:
            parts(engine, calls)


def _timed_calls(server: app.MCPServer[None]) -> list[Moment]:
    """What each of the server's tool calls takes, from now on."""
    taken: list[Moment] = []
    call = server.call_tool

    async def timed_call(*arguments: Any, **named: Any) -> Any:
        began = now()
        result = await call(*arguments, **named)
        taken.append(since(began))
        return result

    server.call_tool = timed_call  # type: ignore[method-assign]
    return taken


def parts(engine: Engine, calls: int) -> None:
    """Time what a call is made of."""
    report("  engine, all sources", timed(lambda text: engine.recall(text), calls))
    report("  engine, index alone", timed(lambda text: engine.recall(text, read=False), calls))
    for name in engine.sources:
        only = engine.chosen([name])
        look = timed(lambda _text, only=only: engine.refresh(only, _later(), 60.0), calls)  # type: ignore[misc]
        report(f"  looking at {name}", look)
    answer, most = engine.recall(QUESTIONS[0]), engine.settings.server.max_result_chars
    report(
        "  shaping the result",
        timed(lambda _text: recalled(answer, explain=False, most=most), calls),
    )


def ending(folder: Path, env: dict[str, str]) -> Moment:
    """From the end of a server process's input to its own end, while a call waits for a source that hangs."""
    plugins = _hanging_plugin(folder / "plugins")
    path = os.pathsep.join([_path(), str(plugins)])
    command = [sys.executable, "-m", "recall", "serve"]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
    call = {"name": "deep_recall", "arguments": {"query": QUESTIONS[0], "deadline": 60}}
    with subprocess.Popen(
        command,
        cwd=folder / "project",
        env={**env, "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def ask(number: int, method: str, params: Mapping[str, Any]) -> None:
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(message).encode() + b"\n")  # type: ignore[union-attr]
            server.stdin.flush()  # type: ignore[union-attr]

        ask(1, "initialize", hello)
        server.stdout.readline()
        ask(2, "tools/call", call)  # which is not answered any more
        ask(3, "ping", {})
        server.stdout.readline()
        began = now()
        server.stdin.close()
        server.wait()
        return since(began)


def _hanging_plugin(folder: Path) -> Path:
    info = folder / "recall_hangs-1.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: recall-hangs\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text("[recall.providers]\nhangs = recall_hangs\n", encoding="utf-8")
    (folder / "recall_hangs.py").write_text(_HANGS, encoding="utf-8")
    return folder


def _path() -> str:
    """Where a server process finds this recall."""
    return os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))


async def soak(folder: Path, env: dict[str, str], calls: int) -> None:
    """Ask a server process many times, and print what it holds before and after."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "recall", "serve"],
        cwd=folder / "project",
        env={**env, "PYTHONPATH": _path()},
    )
    errors = 0
    async with Client(command) as client:

        async def ask(number: int) -> None:
            nonlocal errors
            question = QUESTIONS[number % len(QUESTIONS)]
            result = await client.call_tool("deep_recall", {"query": question, "deadline": 30})
            errors += bool(result.is_error)

        async def at_once() -> None:
            async with anyio.create_task_group() as group:
                for number in range(50):
                    group.start_soon(ask, number)

        for number in range(100):
            await ask(number)
        await at_once()
        print("before:", held())
        began = now()
        for number in range(calls):
            await ask(number)
        print(f"{calls:,} calls in a row: {since(began)[0]:.1f} s")
        began = now()
        for _ in range(20):
            await at_once()
        print(f"1,000 calls, 50 at a time: {since(began)[0]:.1f} s; errors: {errors}")
        print("after: ", held())


def held() -> str:
    """What the server process, this one's only child, holds."""
    own = os.getpid()
    children = Path(f"/proc/{own}/task/{own}/children").read_text(encoding="ascii").split()
    status = Path(f"/proc/{children[0]}/status").read_text(encoding="ascii")
    facts = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    handles = len(os.listdir(f"/proc/{children[0]}/fd"))
    return f"{facts['Threads'].strip()} threads, {handles} handles, {int(facts['VmRSS'].split()[0]) / 1024:.1f} MB"


Moment = tuple[float, float]  # seconds of wall time, of this process's CPU


def now() -> Moment:
    """The moment."""
    return time.perf_counter(), time.process_time()


def since(began: Moment) -> Moment:
    """Seconds since a moment."""
    wall, cpu = now()
    return wall - began[0], cpu - began[1]


def timed(work: Callable[[str], object], calls: int) -> list[Moment]:
    """Seconds of each call."""
    seconds = []
    for number in range(calls):
        began = now()
        work(QUESTIONS[number % len(QUESTIONS)])
        seconds.append(since(began))
    return seconds


def report(label: str, seconds: list[Moment], asked: int = 0) -> None:
    """One line in milliseconds: median and 95th percentile of the wall time, median of the CPU time.

    asked: the most that the median may be.
    """
    wall = sorted(one[0] for one in seconds)
    middle, high = statistics.median(wall), wall[int(len(wall) * 0.95)]
    cpu = statistics.median(one[1] for one in seconds)
    limit = f"   asked: p50 at most {asked}" if asked else ""
    print(f"{label:<28} p50 {middle * 1000:7.1f}   p95 {high * 1000:7.1f}   CPU {cpu * 1000:7.1f} ms{limit}")


def write_world(folder: Path, count: int) -> dict[str, str]:
    """A home and a project with `count` memories in each of four sources; returns the environment."""
    env = write_notes(folder, count)  # Claude Code
    chance = random.Random(count)
    words, weights = vocabulary(chance)

    def text(length: int) -> str:
        return " ".join(chance.choices(words, weights, k=length))

    memories = folder / "project" / ".serena" / "memories"
    knowledge = folder / "home" / ".gemini" / "antigravity" / "knowledge"
    for number in range(count):
        note = memories / f"part{number % 20:02}" / f"note_{number:06}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"# {text(3)}\n\n{text(60)}\n", encoding="utf-8")
        artifacts = knowledge / f"item_{number // 4:06}" / "artifacts"
        artifacts.mkdir(parents=True, exist_ok=True)
        about = {"title": text(3), "summary": text(10), "references": []}
        (artifacts.parent / "metadata.json").write_text(
            json.dumps(about, ensure_ascii=False), encoding="utf-8"
        )
        (artifacts / f"part_{number % 4}.md").write_text(f"# {text(3)}\n\n{text(60)}\n", encoding="utf-8")
    _write_claude_mem(folder, [(text(4), text(60)) for _ in range(count)])
    return env


def _write_claude_mem(folder: Path, observations: Sequence[tuple[str, str]]) -> None:
    place = folder / "home" / ".claude-mem"
    place.mkdir()
    connection = sqlite3.connect(place / "claude-mem.db")
    connection.execute(
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, "
        "type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, "
        "files_modified TEXT, prompt_number INTEGER, created_at TEXT, created_at_epoch INTEGER)"
    )
    connection.executemany(
        "INSERT INTO observations (memory_session_id, project, type, title, narrative, created_at_epoch) "
        "VALUES ('session', 'project', 'discovery', ?, ?, ?)",
        [(title, text, (_EPOCH + number) * 1000) for number, (title, text) in enumerate(observations)],
    )
    connection.commit()
    connection.close()


def _later() -> Deadline:
    return Deadline.after(60)


if __name__ == "__main__":
    main()
