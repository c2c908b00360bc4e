"""What checking memories against the repository costs, on a repository of 5,000 files and 10,000 commits.

    python benchmarks/evidence.py [--files 5000] [--commits 10000] [--notes 1000]

The repository is made with `git fast-import`; the notes name its files and functions, a part of which were renamed or
deleted later. Wall time of `Engine.recall` inside one process. Prints figures and never fails.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from recall.engine import Engine

_BEGINNING = 1_700_000_000  # epoch seconds of the first commit
_STEP = 3_600  # seconds between two commits
_SUBJECTS = "retry refund webhook settlement coupon stock ledger invoice session cache queue worker".split()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--commits", type=int, default=10_000)
    parser.add_argument("--notes", type=int, default=1_000)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="recall-evidence-") as temporary:
        folder = Path(temporary)
        began = time.perf_counter()
        make_repository(folder / "project", chosen.files, chosen.commits)
        env = write_notes(folder, chosen.files, chosen.commits, chosen.notes)
        print(
            f"{chosen.files:,} files, {chosen.commits:,} commits, made in {time.perf_counter() - began:.1f} s"
        )
        measure(folder, env)


def measure(folder: Path, env: dict[str, str]) -> None:
    """Questions with and without evidence, at one HEAD and after one more commit."""
    bare, checked = (started(folder, env, enabled=enabled) for enabled in (False, True))
    bare.recall("retry", deadline=3_600)  # every source is read once
    checked.recall("retry", deadline=3_600)
    count = 0
    while True:
        began = time.perf_counter()
        verdicts = verdicts_of(checked, _SUBJECTS[0])
        seconds = time.perf_counter() - began
        count += 1
        print(f"question {count} while the history is read {seconds * 1000:10.1f} ms   {dict(verdicts)}")
        if not verdicts["not checked"] or count == 60:
            break
    report("first question about a subject", bare, checked)
    report("the same questions again", bare, checked)
    bare.close()
    checked.close()
    bare, checked = (started(folder, env, enabled=enabled) for enabled in (False, True))
    report("the same in a new process", bare, checked)
    commit(folder / "project")
    print("after one more commit:")
    for _time in range(2):
        before, after = asked(bare, _SUBJECTS[0]), asked(checked, _SUBJECTS[0])
        print(
            f"  one question: without {before.wall:.1f} ms, with {after.wall:.1f} ms; "
            f"CPU {before.cpu:.1f} and {after.cpu:.1f} ms"
        )
    report("and the others", bare, checked)


def report(what: str, bare: Engine, checked: Engine) -> None:
    """One line: what checking adds to a question, asked of both engines in turn so that both meet the same machine."""
    pairs = [(asked(bare, subject), asked(checked, subject)) for subject in _SUBJECTS]
    without, with_it = (statistics.median(cost.wall for cost in side) for side in zip(*pairs, strict=True))
    wall = statistics.median(after.wall - before.wall for before, after in pairs)
    cpu = statistics.median(after.cpu - before.cpu for before, after in pairs)
    print(
        f"{what:<34} without {without:6.1f} ms, with {with_it:6.1f} ms; added, median: {wall:+6.1f} ms wall, "
        f"{cpu:+6.1f} ms CPU"
    )


class Cost(NamedTuple):
    """Milliseconds of one question; CPU is this process's and that of the git processes it waited for."""

    wall: float
    cpu: float


def asked(engine: Engine, subject: str) -> Cost:
    """What a question about a subject costs."""
    began, cpu = time.perf_counter(), cpu_seconds()
    engine.recall(f"how does the {subject} work", deadline=30)
    return Cost((time.perf_counter() - began) * 1000, (cpu_seconds() - cpu) * 1000)


def cpu_seconds() -> float:
    """User and system time of this process and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def verdicts_of(engine: Engine, subject: str) -> Counter[str]:
    """How often each verdict is in an answer."""
    answer = engine.recall(f"how does the {subject} work")
    found = (hit.ranked.evidence for hit in answer.hits)
    return Counter(evidence.verdict.value if evidence else "none" for evidence in found)


def started(folder: Path, env: dict[str, str], *, enabled: bool) -> Engine:
    """An engine of its own cache, warm in nothing but what the cache keeps."""
    own = {**env, "RECALL_CACHE_DIR": str(folder / f"cache-{enabled}")}
    return Engine.start(
        folder / "project", home=folder / "home", env=own, flags={"evidence": {"enabled": enabled}}
    )


def make_repository(folder: Path, files: int, commits: int) -> None:
    """A history in which functions are renamed, and now and then a file is moved or deleted."""
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=folder, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        for part in _stream(files, commits):
            process.stdin.write(part)
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=folder, check=True)


def _stream(files: int, commits: int) -> Iterator[bytes]:
    chance = random.Random(files)
    texts = {path_of(number): _text(number) for number in range(files)}
    for number in range(commits):
        subject = f"Work on {_SUBJECTS[number % len(_SUBJECTS)]} {number}".encode()
        yield b"commit refs/heads/main\n"
        yield f"committer Dev <dev@example.org> {_BEGINNING + number * _STEP} +0000\n".encode()
        yield b"data %d\n%b\n" % (len(subject), subject)
        if number == 0:
            for path, text in texts.items():
                yield _put(path, text)
            continue
        for path in chance.sample(list(texts)[: files // 2], 2):
            texts[path] = _renamed(texts[path], number, chance)
            yield _put(path, texts[path])
        if number % 50 == 0:
            path = chance.choice(list(texts)[files // 2 :])
            if number % 100:
                yield f"R {path} moved/{path}\n".encode()
                texts[f"moved/{path}"] = texts[path]
            else:
                yield f"D {path}\n".encode()
            del texts[path]


def path_of(number: int) -> str:
    """A file's path at first."""
    return f"src/module_{number % 97:02}/part_{number % 11}/file_{number:05}.py"


def _text(number: int) -> str:
    return "".join(
        f"def handle_{number}_{step}(request, limit=LIMIT_{number}):\n"
        f"    total = request.amount * {step + 1}\n    return total + {number}\n\n\n"
        for step in range(15)
    )


def _renamed(text: str, number: int, chance: random.Random) -> str:
    """One function gets another name."""
    lines = text.split("\n")
    place = chance.choice([place for place, line in enumerate(lines) if line.startswith("def ")])
    name = lines[place].split("(")[0].split("_v")[0]
    lines[place] = f"{name}_v{number}({lines[place].split('(', 1)[1]}"
    return "\n".join(lines)


def _put(path: str, text: str) -> bytes:
    data = text.encode()
    return b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(data), data)


def commit(folder: Path) -> None:
    """One more commit."""
    path = folder / path_of(0)
    path.write_text(path.read_text(encoding="utf-8") + "# more\n", encoding="utf-8")
    settings = ["-c", "user.name=Dev", "-c", "user.email=dev@example.org"]
    subprocess.run(["git", *settings, "commit", "-qam", "One more"], cwd=folder, check=True)


def write_notes(folder: Path, files: int, commits: int, count: int) -> dict[str, str]:
    """A home with notes that name files and functions, written in the middle of the history; its environment."""
    home, project = folder / "home", folder / "project"
    slug = "".join(
        letter if letter.isascii() and letter.isalnum() else "-" for letter in str(project.resolve())
    )
    memory = home / ".claude" / "projects" / slug / "memory"
    memory.mkdir(parents=True)
    chance = random.Random(count)
    written = _BEGINNING + commits * _STEP // 2
    for number in range(count):
        subject = _SUBJECTS[number % len(_SUBJECTS)]
        file, other = chance.randrange(files), chance.randrange(files)
        text = (
            f"# How the {subject} works, note {number}\n\nThe {subject} begins in `{path_of(file)}` with "
            f"`handle_{file}_{number % 15}()`; limits are `LIMIT_{other}`. See also {path_of(other)} and "
            f"`asyncio.gather`, `HttpClient{number}`.\n"
        )
        path = memory / f"note_{number:05}.md"
        path.write_text(text, encoding="utf-8")
        os.utime(path, (written, written))
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(home),
        "RECALL_STATE_DIR": str(folder / "state"),
        "LANG": "C.UTF-8",
    }


if __name__ == "__main__":
    main()
