"""What the start of a session costs: a bootstrap in a running engine, and each hook as a whole process.

    python benchmarks/bootstrap.py [REPOSITORY ...] [--runs 30]

Without repositories three are made: 50 files and 20 commits, 1,000 and 500, 10,000 and 1,000. Each has a journal of 40
checkpoints and a hand-over. In-process figures are wall time; whole-process figures are CPU (user + system) with git's,
as multiples of `python -c pass`, interleaved with it. Prints figures and never fails.
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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from recall.api import Deadline
from recall.context.bootstrap import bootstrap
from recall.context.entry import Entry
from recall.context.saving import save
from recall.context.where import stands
from recall.context.worktree import look
from recall.engine import Engine

_MADE = {"small": (50, 20), "middle": (1_000, 500), "large": (10_000, 1_000)}  # files, commits
_CHECKPOINTS = 40
_EVENTS = ("session-start", "prompt", "pre-tool", "stop", "pre-compact")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", nargs="*", type=Path, help="clones to measure in; they are copied")
    parser.add_argument("--runs", type=int, default=30)
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
        print(f"{'repository':<24} {'bootstrap p50':>14} {'p95':>8} {'checkpoint p50':>16} {'p95':>8}   ms")
        made = []
        for name, project in _repositories(chosen.repositories, folder):
            _in_process(name, project, folder / "home", env, chosen.runs)
            made.append((name, project))
        for name, project in made:
            _processes(name, project, env, chosen.runs)


def _repositories(given: Sequence[Path], folder: Path) -> Iterator[tuple[str, Path]]:
    for path in given:
        project = folder / path.resolve().name
        _git(folder, "clone", "-q", str(path.resolve()), str(project))
        yield project.name, project
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


def _in_process(name: str, project: Path, home: Path, env: Mapping[str, str], runs: int) -> None:
    engine = Engine.start(project, home=home, env=env)
    engine.refresh(engine.sources, Deadline.after(60), 60)
    saves = [_timed(lambda: _checkpoint(engine)) for _run in range(_CHECKPOINTS)]
    bootstrap(engine)
    seconds = [_timed(lambda: bootstrap(engine)) for _run in range(runs)]
    engine.close()
    print(
        f"{name:<24} {_middle(seconds):>14.1f} {_high(seconds):>8.1f} {_middle(saves):>16.1f} {_high(saves):>8.1f}"
    )


def _checkpoint(engine: Engine) -> None:
    scope = engine.scope
    mark = look(scope, engine.places.cache, Deadline.after(5))[1]
    entry = Entry(
        "decision", "네 번 재시도한다, as the bank asks", why="it was measured", next=("write the docs",)
    )
    save(scope.main_root, entry, where=stands(scope, mark), project="bench")


def _timed(work: object) -> float:
    began = time.perf_counter()
    work()  # type: ignore[operator]
    return (time.perf_counter() - began) * 1_000


def _middle(values: list[float]) -> float:
    return statistics.median(values)


def _high(values: list[float]) -> float:
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
        print(f"{title:<44} {middle * 1000:>8.1f} {middle / yardstick:>8.2f}")


def _cpu(command: Sequence[str], env: Mapping[str, str], folder: Path, told: bytes) -> float:
    """CPU time of one run and of what it started, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=dict(env), input=told, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


if __name__ == "__main__":
    main()
