"""Takes each guard away, one at a time, in a copy of the tree, and sees whether a test misses it.

Fails if the text of a guard is no longer there, if its tests fail while it is there, or if none fails without it.
"""

from __future__ import annotations

import ctypes
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, os.fspath(Path(__file__).resolve().parent))
from table import REPOSITORY, Guard, guards

_COPIES = int(os.environ.get("COPIES", "2"))  # trees, each with one test run at a time
_SECONDS = 45  # for the tests of one guard: without it, they may hang, and that is missing it
_LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "*.pyc", "__pycache__", ".*_cache", ".hypothesis", "node_modules"
)
_FAILED, _PASSED = 1, 0  # pytest's exit codes
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def main(wanted: Sequence[str]) -> int:
    """Print a line a guard; 0 if every one is held."""
    chosen = [guard for guard in guards() if not wanted or any(part in guard.name for part in wanted)]
    _adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="recall-guards-") as place:
        trees: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for number in range(_COPIES):
            trees.put(
                shutil.copytree(REPOSITORY, Path(place) / f"tree{number}", ignore=_LEFT_OUT, symlinks=True)
            )
        results: list[str] = []
        with ThreadPoolExecutor(_COPIES) as pool:
            tests = sorted({test for guard in chosen for test in guard.tests})
            shares = [tests[start::_COPIES] for start in range(min(_COPIES, len(tests)))]
            whole = list(pool.map(lambda share: _said(_run(trees, share)), shares))
            if set(whole) != {_said(_PASSED)}:
                print(f"the tests do not pass with all guards in place: {', '.join(whole)}")
                return 1
            for guard, trouble in zip(
                chosen, pool.map(lambda guard: _missed(guard, trees), chosen), strict=True
            ):
                results.append(trouble)
                line = (
                    f"{'NOT HELD' if trouble else 'held':<9} {guard.name}{f': {trouble}' if trouble else ''}"
                )
                print(line, flush=True)
    _end_orphans()
    print(f"{results.count('')} of {len(chosen)} guards are held by a test")
    return int(any(results))


def _adopt_orphans() -> None:
    """Become the parent of what a test leaves running without its guard (Linux; elsewhere it ends by itself)."""
    try:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass


def _end_orphans() -> None:
    """End them, and what they leave in turn."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while children.exists() and (found := children.read_text(encoding="ascii").split()):
        for child in map(int, found):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _missed(guard: Guard, trees: queue.SimpleQueue[Path]) -> str:
    """Why it cannot be said that a test misses the guard; "" if one does."""
    if text := guard.moved(REPOSITORY):
        return f"{guard.file} does not hold this text once: {text!r}"
    code = _run(trees, guard.tests, guard)
    return "" if code in (_FAILED, None) else f"without it: {_said(code)}"


def _run(trees: queue.SimpleQueue[Path], tests: Sequence[str], guard: Guard | None = None) -> int | None:
    """pytest's exit code for some tests in a copy without the guard; None if they did not end in time."""
    tree = trees.get()
    path = tree / guard.file if guard is not None else tree
    source = path.read_text(encoding="utf-8") if guard is not None else ""
    try:
        if guard is not None:
            path.write_text(guard.without(source), encoding="utf-8")
        return _pytest(tree, tests, None if guard is None else _SECONDS)
    finally:
        if guard is not None:
            path.write_text(source, encoding="utf-8")
        trees.put(tree)


def _pytest(tree: Path, tests: Sequence[str], seconds: float | None) -> int | None:
    paths = (tree, tree / "plugins", tree / "tests")  # before what is installed
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.fspath, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
    stop = ["-x"] if seconds else []
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", *stop, "-p", "no:cacheprovider", *tests],
        cwd=tree,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    if process.returncode not in (_FAILED, _PASSED) or (seconds is None and process.returncode):
        print(out[-3_000:])
    return process.returncode


def _said(code: int | None) -> str:
    known = {
        _PASSED: "passed",
        _FAILED: "failed",
        None: "no end",
        2: "interrupted or not importable",
        5: "no test",
    }
    return known.get(code, f"pytest ended with {code}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
