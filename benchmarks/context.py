"""What a checkpoint costs inside a server, and as a command of its own.

    python benchmarks/context.py [REPOSITORY ...] [--in FOLDER] [--entries 100,1000,10000] [--saves 50]

For each journal size and each repository (default: this one): saves with branch and commit read anew and all views
made, as a server does it that keeps what it read. Target: 30 ms. The journals lie in a temporary folder, below
FOLDER where one is given; nothing is written into a repository. Prints figures and never fails.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from recall.api import Scope
from recall.checkpoints import FOLDER, JOURNAL, KINDS, Record, encode, name
from recall.context import journal
from recall.context.entry import Entry
from recall.context.journal import Memo
from recall.context.saving import save
from recall.context.where import stands
from recall.project import find_scope

TARGET = 30.0  # ms, in a server
_AT = "2026-05-28T20:26:40Z"
_TEXT = "결제 재시도는 네 번까지 한다, the bank answers late on Mondays and the queue grows meanwhile"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repositories", nargs="*", type=Path, default=[Path(__file__).resolve().parents[1]])
    parser.add_argument(
        "--in", dest="place", type=Path, help="where the journals lie; default: the system's temporary folder"
    )
    parser.add_argument("--entries", default="100,1000,10000", help="sizes of the journals")
    parser.add_argument("--saves", type=int, default=50)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="recall-context-", dir=chosen.place) as temporary:
        folder = Path(temporary)
        disk(folder)
        for number, repository in enumerate(chosen.repositories):
            scope = find_scope(repository, home=folder, env={})
            for entries in map(int, chosen.entries.split(",")):
                server(folder / f"{number}-{entries}", scope, entries, chosen.saves)
        commands(folder / "command")


def server(root: Path, scope: Scope, entries: int, saves: int) -> None:
    """Saves and readings by a process that keeps what it read."""
    fill(root, entries)
    memo = Memo()
    journal.read(root, memo)
    entry = Entry("decision", _TEXT, why=_TEXT, paths=("a.py",), next=("deploy",))
    label = f"{scope.root.name}, {entries:,} entries"

    def one_save() -> None:
        save(root, entry, where=stands(scope), project=scope.root.name, memo=memo)

    show(f"save: {label}", saves, one_save, TARGET)
    show(f"read anew: {label}", 10, lambda: journal.read(root))
    show(f"read again: {label}", 10, lambda: journal.read(root, memo))


def fill(root: Path, entries: int) -> None:
    """A journal of so many entries; every third one is closed by the next."""
    (root / FOLDER).mkdir(parents=True)
    lines: list[bytes] = []
    last = ""
    for seq in range(1, entries + 1):
        kind = KINDS[seq % len(KINDS)]
        record = Record(
            seq, name(seq, _AT, kind, _TEXT), _AT, kind, _TEXT, why=_TEXT, next=("a step",) * (seq % 2)
        )
        lines.append(encode(record._replace(closes=(last,) if seq % 3 == 0 else ())))
        last = record.id
    (root / FOLDER / JOURNAL).write_bytes(b"".join(lines))


def disk(folder: Path) -> None:
    """What the disk alone takes: one short line made durable."""
    with (folder / "probe").open("ab", buffering=0) as file:

        def probe() -> None:
            file.write(b"x" * 300)
            os.fsync(file.fileno())

        show("the disk: 300 bytes written and synced", 50, probe)


def commands(root: Path) -> None:
    """The CPU time of whole processes, beside that of Python alone."""
    root.mkdir()
    recall = [sys.executable, "-m", "recall", "checkpoint"]
    bare = cpu([sys.executable, "-c", "pass"], root)
    print(f"{'python -c pass':<54} {bare:>8.0f} ms CPU")
    for label, command in (
        ("recall checkpoint decision", [*recall, "decision", _TEXT]),
        ("recall checkpoint list", [*recall, "list"]),
    ):
        took = cpu(command, root)
        print(f"{label:<54} {took:>8.0f} ms CPU  ({took / bare:.1f} times)")


def cpu(command: Sequence[str], folder: Path, runs: int = 7) -> float:
    """The least CPU time of some runs, in ms."""
    least = float("inf")
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least * 1_000


def show(label: str, runs: int, work: Callable[[], object], target: float | None = None) -> None:
    """Wall time of some runs: median, least, 95th percentile; and the CPU time of one, whatever else runs."""
    work()
    times: list[float] = []
    busy = time.process_time()
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1_000)
    busy = (time.process_time() - busy) * 1_000 / runs
    median = statistics.median(times)
    most = statistics.quantiles(times, n=20)[-1]
    verdict = "" if target is None else f"  target {target:.0f} ms: {'met' if median <= target else 'MISSED'}"
    print(
        f"{label:<54} {median:>8.2f} ms  least {min(times):>7.2f} ms  p95 {most:>7.2f} ms  CPU {busy:>6.2f} ms{verdict}"
    )


if __name__ == "__main__":
    main()
