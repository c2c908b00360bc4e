"""No pattern of the project needs time that grows with the square of a text of one repeated mark.

A memory is somebody else's text, and a regular expression cannot be stopped by a deadline. Every pattern that the
packages compile, hold as a string or hand to `re` is run over marks that its own parts are made of, repeated. A look at
short texts finds what is worth a second one; that one is bounded by the time that the processor spends on it, so that a
busy machine makes no pattern slow.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from support.worlds import REPOSITORY, process_env

# Patterns that meet no long text, and the characters that it has at most; one is asked at one place of a file only.
BOUNDED = {"recall_decisions.status.": 500, "recall.setup.jsonc._REST_OF_LINE": 500}


def test_every_pattern_reads_repeated_marks_in_linear_time(tmp_path: Path) -> None:
    env = {
        **process_env(tmp_path),
        "PYTHONPATH": os.pathsep.join(map(str, (REPOSITORY / "tests", REPOSITORY / "plugins"))),
    }
    child = [
        sys.executable,
        "-m",
        "support.patterns",
        json.dumps(BOUNDED),
        str(REPOSITORY / "recall"),
        str(REPOSITORY / "plugins"),
    ]
    ran = subprocess.run(child, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    looked = json.loads(ran.stdout)
    assert looked["patterns"] > 300  # as many as there are, or they are not found any more
    assert not looked["slow"], "\n".join(f"{name}: {text}" for name, text in looked["slow"].items())
