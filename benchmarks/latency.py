"""What a question costs: whole processes as multiples of `python -c pass`, warm queries in milliseconds.

    python benchmarks/latency.py [--sizes 1000,10000,100000] [--runs 15]

Whole-process figures are CPU time (user + system) of the child as the operating system accounts it, the median
of the runs, interleaved with the yardstick so that both meet the same machine. Warm figures are wall time of
`Engine.recall` without looking at the sources, and with. Prints figures and never fails.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from recall.engine import Engine

_WORDS = (
    "결제 재시도 정책 정산 배치 환불 쿠폰 배포 롤백 세션 만료 캐시 인덱스 교착 상태 커넥션 풀 웹훅 주문 재고 로그 알림 "
    "payment retry policy settlement batch refund deploy rollback session cache index deadlock pool webhook order "
    "queue worker timeout token schema migration latency gateway replica snapshot budget handler"
).split()
_QUESTIONS = (
    "결제 재시도 정책",
    "why is the cache stale after deploy",
    "세션 만료",
    "webhook timeout",
    "정산 배치 롤백",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1000,10000", help="memories of the warm measurements")
    parser.add_argument("--runs", type=int, default=15, help="runs of each whole process")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="recall-latency-") as temporary:
        whole_processes(Path(temporary), chosen.runs)
    for size in (int(part) for part in chosen.sizes.split(",")):
        with tempfile.TemporaryDirectory(prefix="recall-latency-") as temporary:
            warm(Path(temporary), size)


def whole_processes(folder: Path, runs: int) -> None:
    """CPU of the command over 1,000 indexed memories, as multiples of an empty interpreter."""
    env = write_notes(folder, 1_000)
    python = sys.executable
    commands = {
        "python -c pass": [python, "-c", "pass"],
        "recall --help": [python, "-m", "recall", "--help"],
        "recall providers": [python, "-m", "recall", "providers"],
        "recall query (1,000 memories)": [python, "-m", "recall", "query", "결제 재시도 정책"],
        "recall query --cached": [python, "-m", "recall", "query", "--cached", "결제 재시도 정책"],
        "recall doctor": [python, "-m", "recall", "doctor"],
    }
    for command in commands.values():
        cpu_seconds(command, env, folder / "project")  # the first run reads all notes and writes the caches
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _run in range(runs):
        for name, command in commands.items():
            times[name].append(cpu_seconds(command, env, folder / "project"))
    yardstick = statistics.median(times["python -c pass"])
    print(f"{'whole process, CPU':<32} {'ms':>8} {'× pass':>8}")
    for name, measured in times.items():
        middle = statistics.median(measured)
        print(f"{name:<32} {middle * 1000:>8.1f} {middle / yardstick:>8.2f}")


def warm(folder: Path, size: int) -> None:
    """Wall time of questions inside one process."""
    env = write_notes(folder, size)
    engine = Engine.start(folder / "project", home=folder / "home", env=env)
    began = time.process_time()
    engine.recall(_QUESTIONS[0], deadline=3_600)
    print(f"\n{size:,} memories: first reading {time.process_time() - began:.2f} s CPU")
    for label, read in (("from the index", False), ("looking at the sources", True)):
        seconds = []
        for number in range(60):
            started = time.perf_counter()
            engine.recall(_QUESTIONS[number % len(_QUESTIONS)], read=read, deadline=3_600)
            seconds.append(time.perf_counter() - started)
        seconds.sort()
        middle, high = statistics.median(seconds), seconds[int(len(seconds) * 0.95)]
        print(f"  warm question, {label:<24} p50 {middle * 1000:7.1f} ms   p95 {high * 1000:7.1f} ms")
    engine.close()


def write_notes(folder: Path, count: int) -> dict[str, str]:
    """A home with `count` notes of about 60 words in Claude Code's memory; returns the environment."""
    home, project = folder / "home", folder / "project"
    project.mkdir(parents=True)
    slug = "".join(
        letter if letter.isascii() and letter.isalnum() else "-" for letter in str(project.resolve())
    )
    memory = home / ".claude" / "projects" / slug / "memory"
    memory.mkdir(parents=True)
    chance = random.Random(count)
    vocabulary, weights = _vocabulary(chance)
    for number in range(count):
        body = " ".join(chance.choices(vocabulary, weights, k=60))
        title = " ".join(chance.choices(vocabulary, weights, k=3))
        text = f"---\nname: {title} {number}\ndescription: {title}\ntype: project\n---\n\n{body}\n"
        (memory / f"note_{number:06}.md").write_text(text, encoding="utf-8")
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(home),
        "RECALL_CACHE_DIR": str(folder / "cache"),
        "RECALL_STATE_DIR": str(folder / "state"),
        "LANG": "C.UTF-8",
    }


def _vocabulary(chance: random.Random) -> tuple[list[str], list[float]]:
    """Words by Zipf's law: the commonest are nobody's question, a question's words stand in some notes of a hundred."""
    syllables = "가나다라마바사아자차카타파하고노도로모보소오조초코토포호"
    filler = ["".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(8_000)]
    words = [*filler[:150], *_WORDS, *filler[150:]]
    return words, [1 / (place + 1) for place in range(len(words))]


def cpu_seconds(command: Sequence[str], env: dict[str, str], cwd: Path) -> float:
    """CPU time of one run of a command, user and system, its output thrown away."""
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.chdir(cwd)
        os.execve(command[0], list(command), env)
    _child, _status, usage = os.wait4(child, 0)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
