"""A process of its own that saves checkpoints: `python -m support.saver FOLDER NAME COUNT [BYTES]`.

Prints each entry's id once its save has returned, so that who reads it knows what was acknowledged. Saves without
end where COUNT is 0. BYTES: no file of this process may grow beyond them.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from itertools import count
from pathlib import Path

from recall.context.entry import Entry
from recall.context.saving import save
from recall.errors import RecallError
from support.worlds import REPOSITORY


def main(folder: str, name: str, number: str, limit: str = "") -> None:
    if limit:
        sys.dont_write_bytecode = (
            True  # a module compiled under the limit would stay cut short for all others
        )
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    print("ready", flush=True)
    for turn in range(1, int(number) + 1) if int(number) else count(1):
        try:
            result = save(Path(folder), Entry("milestone", f"{name} {turn} 결제"), patience=120.0)
        except RecallError as error:
            print(f"refused {error}", flush=True)
            continue
        print(result.revision, flush=True)


def started(folder: Path, name: str, number: int, limit: int | None = None) -> subprocess.Popen[str]:
    """Such a process, with its stdout to be read."""
    arguments = [str(folder), name, str(number), *([] if limit is None else [str(limit)])]
    return subprocess.Popen(
        [sys.executable, "-m", "support.saver", *arguments],
        env={
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": f"{REPOSITORY / 'tests'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
            "LANG": "C.UTF-8",
        },
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def acknowledged(saver: subprocess.Popen[str]) -> list[str]:
    """What it printed until its end."""
    assert saver.stdout is not None
    lines = saver.stdout.read().split("\n")
    saver.wait()
    return [line for line in lines[:-1] if line != "ready"]  # the last one may be half written


if __name__ == "__main__":
    main(*sys.argv[1:])
