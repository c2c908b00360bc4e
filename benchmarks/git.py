"""What Git costs: each look at a repository, a first reading, warm questions with and without, crowds of files.

    python benchmarks/git.py [--commits 10000] [--files 5000] [--crowd 200000] [--runs 15]

Wall time, the median of the runs. Makes its repositories in a temporary folder. Prints figures and never fails.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from recall.api import Deadline
from recall.engine import Engine
from recall.git import commits, present, repository, worktree

_WORDS = (
    "결제 재시도 정책 정산 배치 환불 쿠폰 배포 롤백 세션 만료 캐시 retry payment order queue cache token login search "
    "index worker deadline budget session upload invoice refund parser router schema"
).split()
_QUESTION = "결제 재시도 정책"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--commits", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument(
        "--crowd", type=int, default=200_000, help="untracked files, in a folder and at the top"
    )
    parser.add_argument("--runs", type=int, default=15)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="recall-git-") as temporary:
        folder = Path(temporary)
        top, home, env = folder / "project", folder / "home", {"PATH": os.environ.get("PATH", os.defpath)}
        home.mkdir()
        build(top, chosen.commits, chosen.files)
        looks(top, home, env, chosen.runs)
        questions(top, home, env, chosen.runs)
        crowd(top, home, env, chosen.crowd, chosen.runs)


def looks(top: Path, home: Path, env: dict[str, str], runs: int) -> None:
    """Each look by itself."""
    found = repository.find(top, home, env, soon())
    shas = commits.rev_list(found.git, [found.head], soon(), most=5_000).shas
    show("find the repository", runs, lambda: repository.find(top, home, env, soon()))
    show("compare the work tree", runs, lambda: worktree.look(found, soon()))
    show("the now line", runs, lambda: present.look(top, home, env, soon()))
    show("list 5,000 commits", runs, lambda: commits.rev_list(found.git, [found.head], soon(), most=5_000))
    show("read 1 commit", runs, lambda: list(commits.read(found, shas[:1], soon())))
    show(f"read {min(256, len(shas))} commits", runs, lambda: list(commits.read(found, shas[:256], soon())))


def questions(top: Path, home: Path, env: dict[str, str], runs: int) -> None:
    """Warm questions of one engine, with Git and without."""
    places = {
        **env,
        "RECALL_CACHE_DIR": os.fspath(home / "cache"),
        "RECALL_STATE_DIR": os.fspath(home / "state"),
    }
    off = {"providers": {"git": {"enabled": False}}}
    for name, flags in (("with git", {}), ("without git", off)):
        engine = Engine.start(top, home=home, env=places, flags=flags)
        began = time.perf_counter()
        answer = engine.recall(_QUESTION, deadline=60)
        memories = sum(outcome.memories for outcome in answer.outcomes)
        print(f"{f'first question {name}, {memories:,} memories':<46} {time.perf_counter() - began:>9.2f} s")
        show(f"warm question {name}", runs, partial(engine.recall, _QUESTION))
        show("the same from the index alone", runs, partial(engine.recall, _QUESTION, read=False))
        engine.close()


def crowd(top: Path, home: Path, env: dict[str, str], size: int, runs: int) -> None:
    """The now line with very many untracked files: in one folder, ignored, at the top."""
    (top / "many").mkdir()
    for number in range(size):
        (top / "many" / f"{number}.tmp").touch()
    line(f"{size:,} untracked in a folder", top, home, env, runs)
    (top / ".gitignore").write_text("*.tmp\n")
    line(f"{size:,} ignored in a folder", top, home, env, runs)
    (top / ".gitignore").unlink()
    for path in (top / "many").iterdir():
        path.rename(top / path.name)
    line(f"{size:,} untracked at the top", top, home, env, runs)


def line(name: str, top: Path, home: Path, env: dict[str, str], runs: int) -> None:
    """The now line within half a second, as a question of two seconds allows it."""
    show(name, min(runs, 5), lambda: present.look(top, home, env, Deadline.after(0.5)))
    print(f"    {present.look(top, home, env, Deadline.after(0.5)).words()}")


def show(name: str, runs: int, work: Callable[[], object]) -> None:
    times = []
    for _run in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    print(f"{name:<46} {statistics.median(times) * 1000:>9.1f} ms   most {max(times) * 1000:.1f}")


def soon() -> Deadline:
    return Deadline.after(60)


def build(top: Path, count: int, files: int) -> None:
    """A history of `count` commits over `files` files, three of them changed by each."""
    chance = random.Random(4)
    subprocess.run(["git", "init", "-q", "-b", "main", top], check=True)
    stream = bytearray()
    for number in range(count):
        subject = " ".join(chance.choices(_WORDS, k=5))
        message = (
            f"{subject} {number}\n\n{' '.join(chance.choices(_WORDS, k=30))}\n\nRefs: #{number}\n".encode()
        )
        when = 1_600_000_000 + number * 3_600
        stream += b"commit refs/heads/main\ncommitter Kim <kim@example.com> %d +0900\n" % when
        stream += b"data %d\n%s\n" % (len(message), message)
        touched = range(files) if number == 0 else chance.choices(range(files), k=3)
        for file in touched:
            text = b"value = %d\n" % number
            stream += b"M 100644 inline src/part%d/module%d.py\ndata %d\n%s\n" % (
                file // 50,
                file,
                len(text),
                text,
            )
    subprocess.run(["git", "-C", top, "fast-import", "--quiet"], input=bytes(stream), check=True)
    subprocess.run(["git", "-C", top, "reset", "-q", "--hard"], check=True)


if __name__ == "__main__":
    main()
