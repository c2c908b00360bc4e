"""What the start of a session costs: a bootstrap and a checkpoint in a running engine, each hook as a whole process.

    python benchmarks/bootstrap.py [REPOSITORY ...] [--runs 30]

REPOSITORY is a clone with its work tree; it is cloned again into a temporary folder, which is measured. Without any,
three are made: 50 files and 20 commits, 1,000 and 500, 10,000 and 1,000. Each gets a journal of 40 checkpoints.

In a running engine: wall time, and CPU of recall and of the git it starts; beside them one `git status` of the same
work tree, taken in turn with them, for on a busy machine only what was taken at the same time can be compared. "As
cloned": before anybody ran `git status` there, which leaves in Git's index what it learned. Whole processes: CPU
(user + system) with git's, as multiples of `python -c pass`. Prints figures beside what was asked for, and never fails.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from recall.api import Deadline
from recall.context.bootstrap import bootstrap
from recall.context.entry import Entry
from recall.context.saving import save
from recall.context.where import stands
from recall.context.worktree import look
from recall.engine import Engine

_BOOTSTRAP, _CHECKPOINT, _START = 40.0, 30.0, 12.0  # asked for: ms, ms, times `python -c pass`
_MADE = {"small": (50, 20), "middle": (1_000, 500), "large": (10_000, 1_000)}  # files, commits
_CHECKPOINTS = 40
_EVENTS = ("session-start", "prompt", "pre-tool", "stop", "pre-compact")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", nargs="*", type=Path, help="clones to measure; they are cloned again")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--in-engine-only", action="store_true", help="leave out whole processes")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="recall-bootstrap-") as temporary:
        folder = Path(temporary)
        env = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(folder / "home"),
            "RECALL_CACHE_DIR": str(folder / "cache"),
            "RECALL_STATE_DIR": str(folder / "state"),
            "LANG": "C.UTF-8",
        }
        (folder / "home").mkdir()
        print(_HEAD)
        made = []
        for name, project in _repositories(chosen.repositories, folder):
            _in_process(f"{name}, as cloned", project, folder / "home", env, chosen.runs)
            time.sleep(1.1)  # Git takes for changed what is of the same second as its index
            _git(project, "status")
            _in_process(name, project, folder / "home", env, chosen.runs)
            made.append((name, project))
        for name, project in () if chosen.in_engine_only else made:
            _processes(name, project, env, chosen.runs)


def _repositories(given: Sequence[Path], folder: Path) -> Iterator[tuple[str, Path]]:
    for path in given:
        project = folder / path.resolve().name
        _git(folder, "clone", "-q", str(path.resolve()), str(project))
        yield f"{project.name}: {len(_git(project, 'ls-files', '-z').split(bytes(1))) - 1:,} files", project
    for name, (files, commits) in {} if given else _MADE.items():
        project = folder / name
        _make(project, files, commits)
        yield f"{name}: {files:,} files", project


def _make(project: Path, files: int, commits: int) -> None:
    project.mkdir()
    _git(project, "init", "-q", "-b", "main")
    for number in range(files):
        path = project / f"part{number % 50}" / f"module_{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"VALUE = {number}\n")
    stream = [b"reset refs/heads/main\n"]
    for number in range(commits):
        text = f"Change {number}: the retry of payments\n".encode()
        when = 1_700_000_000 + number * 3_600
        stream.append(b"commit refs/heads/main\ncommitter Dev <dev@example.com> %d +0000\n" % when)
        stream.append(b"data %d\n%s" % (len(text), text))
        stream.append(b"M 100644 inline notes.txt\ndata %d\n%s\n" % (len(text), text))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=project, input=b"".join(stream), check=True)
    _git(project, "add", "-A")
    _git(project, "-c", "user.name=Dev", "-c", "user.email=dev@example.com", "commit", "-q", "-m", "Files")
    (project / "HANDOFF.md").write_text("# Hand-over\n\n" + "- 남은 일: what is left to do\n" * 40)


_HEAD = (
    f"{'in a running engine, ms':<34} {'':<10} {'p50':>7} {'p95':>7} {'CPU':>6} {'git':>6} {'× status':>8}"
)


def _in_process(name: str, project: Path, home: Path, env: Mapping[str, str], runs: int) -> None:
    engine = Engine.start(project, home=home, env=env)
    engine.refresh(engine.sources, Deadline.after(60), 60)
    status = ["git", "--no-optional-locks", "status", "--porcelain"]
    works: dict[str, Callable[[], object]] = {
        "git status": lambda: subprocess.run(status, cwd=project, stdout=subprocess.DEVNULL, check=True),
        "checkpoint": lambda: _checkpoint(engine),
        "bootstrap": lambda: bootstrap(engine),
    }
    for _save in range(_CHECKPOINTS):
        _checkpoint(engine)
    bootstrap(engine)
    taken: dict[str, list[Taken]] = {what: [] for what in works}
    for _run in range(runs):
        for what, work in works.items():
            taken[what].append(_taken(work))
    engine.close()
    yardstick = _middle([one.wall for one in taken["git status"]])
    for what, asked in (("git status", None), ("bootstrap", _BOOTSTRAP), ("checkpoint", _CHECKPOINT)):
        walls, own, started = zip(*taken[what], strict=True)
        middle = _middle(walls)
        print(
            f"{name:<34} {what:<10} {middle:>7.1f} {_high(walls):>7.1f} {_middle(own):>6.1f} {_middle(started):>6.1f}"
            f" {middle / yardstick:>8.2f}  {_verdict(middle, asked)}"
        )


def _verdict(measured: float, asked: float | None, unit: str = "ms") -> str:
    return "" if asked is None else f"{asked:g} {unit}: {'met' if measured <= asked else 'MISSED'}"


def _checkpoint(engine: Engine) -> None:
    scope = engine.scope
    mark = look(scope, engine.places.cache, Deadline.after(5))[1]
    entry = Entry(
        "decision", "네 번 재시도한다, as the bank asks", why="it was measured", next=("write the docs",)
    )
    save(scope.main_root, entry, where=stands(scope, mark), project="bench")


class Taken(NamedTuple):
    """What one run took, in ms."""

    wall: float
    own: float  # CPU of this process
    started: float  # CPU of what it started


def _taken(work: Callable[[], object]) -> Taken:
    own, started, began = time.process_time(), _children(), time.perf_counter()
    work()
    wall = time.perf_counter() - began
    return Taken(1e3 * wall, 1e3 * (time.process_time() - own), 1e3 * (_children() - started))


def _children() -> float:
    """CPU time of the processes that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _middle(values: Sequence[float]) -> float:
    return statistics.median(values)


def _high(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def _processes(name: str, project: Path, env: Mapping[str, str], runs: int) -> None:
    call = {"session_id": "bench", "cwd": str(project), "tool_name": "Write", "prompt": "why four retries"}
    told = json.dumps(call).encode()
    recall = [sys.executable, "-m", "recall"]
    commands = {"python -c pass": [sys.executable, "-c", "pass"]}
    commands |= {f"recall hook {event}": [*recall, "hook", event] for event in _EVENTS}
    commands |= {"recall bootstrap": [*recall, "bootstrap"], "recall guard": [*recall, "guard"]}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _run in range(runs + 1):  # the first one writes the caches
        for title, command in commands.items():
            times[title].append(_cpu(command, env, project, told))
    yardstick = statistics.median(times["python -c pass"][1:])
    print(f"\n{f'whole process, CPU, {name}':<44} {'ms':>8} {'× pass':>8}")
    for title, measured in times.items():
        middle = statistics.median(measured[1:])
        asked = _START if title.endswith("session-start") else None
        times_pass = middle / yardstick
        print(f"{title:<44} {middle * 1000:>8.1f} {times_pass:>8.2f}  {_verdict(times_pass, asked, 'times')}")


def _cpu(command: Sequence[str], env: Mapping[str, str], folder: Path, told: bytes) -> float:
    """CPU time of one run and of what it started, user and system."""
    before = _children()
    subprocess.run(command, cwd=folder, env=dict(env), input=told, capture_output=True, check=False)
    return _children() - before


def _git(folder: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True).stdout


if __name__ == "__main__":
    main()
