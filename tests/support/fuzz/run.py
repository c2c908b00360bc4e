"""One source fed with fuzzed files, in a process of its own: `python -m support.fuzz.run KIND COUNT SEED FOLDER`.

Everything that an answer does with them is done: listed, read, cleaned, masked, indexed, searched, checked, shown.
Prints one line of JSON. Time is the processor's, so that a busy machine is no fault.
"""

from __future__ import annotations

import json
import resource
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from recall.api import Deadline, Entry, Memory, Problem, Scope, State
from recall.engine import Engine
from recall.errors import ProviderError, StoreBroken
from recall.render import document, markdown, plain
from support.fuzz import direct
from support.fuzz.kinds import KINDS, Kind
from support.worlds import make_engine, make_scope

CHUNK = 250  # files of one project
QUESTION = "결제 재시도 retry three attempts"
_HEALTH = 4  # of so many chunks one is looked at by doctor, which reads all of it again
_END = "(end)"
_SECONDS = 3_000.0  # for a chunk: whatever needs as long hangs


@dataclass
class Figures:
    """What came of it."""

    files: int = 0
    memories: int = 0
    problems: int = 0
    slowest: float = 0.0  # processor seconds of one file
    slowest_of: str = ""
    peak: float = 0.0  # megabytes
    crashes: list[str] = field(default_factory=list)

    def took(self, seconds: float, what: str) -> None:
        if seconds > self.slowest:
            self.slowest, self.slowest_of = seconds, what

    def guarded(self, what: str, work: Callable[[], Any], of: int = 1) -> Any:
        """What the work on so many files returns; None, and noted, if it raises."""
        began = time.thread_time()
        try:
            return work()
        except Exception as error:
            self.crashes.append(f"{what}: {type(error).__name__}: {error}"[:300])
            return None
        finally:
            self.took((time.thread_time() - began) / of, what)


class Watched:
    """A provider that is timed file by file, and whose crashes are noted instead of ending it."""

    def __init__(self, provider: Any, figures: Figures, chunk: str) -> None:
        self.name, self.authority, self.Options = provider.name, provider.authority, type(provider).Options
        self._provider, self._figures, self._chunk = provider, figures, chunk
        self._began, self._key = 0.0, ""

    def health(self, scope: Scope, deadline: Deadline) -> Any:
        return self._provider.health(scope, deadline)

    def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
        try:
            listed = list(self._provider.entries(scope, deadline))
        except ProviderError:
            raise
        except Exception as error:
            self._figures.crashes.append(f"{self._chunk}: listing: {type(error).__name__}: {error}"[:300])
            return []
        self._began = 0.0
        return [*listed, Entry(_END, "-")]  # its load tells how long the last one took

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        """One entry; what the host did with the one before counts as that one's."""
        now = time.thread_time()
        if self._began:
            self._figures.took(now - self._began, f"{self._chunk}: {self._key}")
        self._began, self._key = now, entry.key
        if entry.key == _END:
            return []
        try:
            return list(self._provider.load(entry, scope))
        except StoreBroken:
            raise
        except Exception as error:
            self._figures.crashes.append(f"{self._chunk}: {entry.key}: {type(error).__name__}: {error}"[:300])
            return []


def run(name: str, count: int, seed: int, folder: Path) -> Figures:
    """Fuzz one source."""
    figures = Figures()
    for first in range(0, count, CHUNK):
        size = min(CHUNK, count - first)
        random = Random(f"{seed}:{name}:{first}")
        place = folder / "world"
        if name in KINDS:
            _ask(KINDS[name], make_scope(place), random, first, size, figures, f"files {first}+")
        else:
            direct.KINDS[name](place, random, size, figures)
        figures.files += size
        shutil.rmtree(place, ignore_errors=True)
    figures.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures


def _ask(
    kind: Kind, scope: Scope, random: Random, first: int, count: int, figures: Figures, chunk: str
) -> None:
    kind.fill(scope, random, first, count)
    provider = Watched(kind.provider(), figures, chunk)
    engine = make_engine(scope.home.parent, [provider], scope=scope)
    try:
        _answered(engine, figures, chunk)
        figures.memories += engine.index.size()
    finally:
        engine.close()
    if first // CHUNK % _HEALTH:
        return
    health = figures.guarded(
        f"{chunk}: health", lambda: provider.health(scope, Deadline.after(_SECONDS)), count
    )
    figures.problems += len(health.problems) if health else 0


def _answered(engine: Engine, figures: Figures, chunk: str) -> None:
    answer = engine.recall(QUESTION, limit=20, deadline=_SECONDS)
    (outcome,) = answer.outcomes
    if outcome.late or outcome.kind not in ("", "absent", "broken", *State):
        figures.crashes.append(f"{chunk}: {outcome.state}: {outcome.kind}: {outcome.reason}"[:300])
    shown = (
        plain.answer(answer),
        markdown.answer(answer),
        json.dumps(document.answer(answer), ensure_ascii=False),
    )
    for text in shown:
        text.encode("utf-8")


def main() -> None:
    """Print the figures as one line."""
    name, count, seed, folder = sys.argv[1:]
    print(json.dumps(asdict(run(name, int(count), int(seed), Path(folder)))))


if __name__ == "__main__":
    main()
