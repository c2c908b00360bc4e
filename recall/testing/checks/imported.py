"""What importing a plugin costs and does, seen from a fresh process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from recall.testing.finding import Finding

# Each costs more at import than a whole question; imported inside a method, only who asks pays.
HEAVY = frozenset(
    "aiohttp asyncio boto3 chromadb fastapi google.genai grpc httpx httpx2 langchain lxml mcp mcp_types networkx"
    " numpy openai pandas PIL pydantic pydantic_settings requests rich scipy sentence_transformers sklearn"
    " sqlalchemy tenacity tiktoken tokenizers torch transformers urllib3".split()
)
# Times the processor time that `import recall.api` takes in the same process: a share of it, not of the clock.
MOST = 5.0
_REPEATS = 2
_MARK = "recall-testing:"
_CHILD = """
import importlib, importlib.util, json, os, sys, threading, time
name, file, mark = sys.argv[1:4]
began = time.process_time()
import recall.api
yardstick = time.process_time() - began
before = set(sys.modules)
listing = lambda: sorted(os.listdir("."))
files = listing()
began = time.process_time()
try:
    known = importlib.util.find_spec(name)
except (ImportError, ValueError):
    known = None
if known is not None:
    module = importlib.import_module(name)
else:
    sys.dont_write_bytecode = True  # beside a single file nothing is left
    spec = importlib.util.spec_from_file_location(name, file)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
hook = getattr(module, "recall_provider", None)
if callable(hook):
    hook()
cost = time.process_time() - began
print(mark + json.dumps({
    "ratio": cost / yardstick,
    "modules": sorted(set(sys.modules) - before),
    "threads": [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()],
    "files": [found for found in listing() if found not in files],
}), flush=True)
os._exit(0)  # a thread that the module started is told, not waited for
"""


class Imported(NamedTuple):
    """What importing a plugin's module, and asking its hook, did."""

    ratio: float = 0.0  # processor time, as a multiple of that of `import recall.api`
    modules: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # written into the folder it was started in, which is also its home
    printed: str = ""
    failed: str = ""  # the last line of why it could not be imported


def imported(plugin: ModuleType | str, folder: Path, seconds: float = 60.0) -> Imported:
    """Import a plugin in a child process whose home and working folder is `folder`, which is empty.

    plugin: its module, or what its entry point names. seconds: real ones, after which it is given up.
    """
    if isinstance(plugin, str):
        return imported_from(plugin.partition(":")[0], "", folder, seconds)
    return imported_from(plugin.__name__, plugin.__file__ or "", folder, seconds)


def imported_from(module: str, file: str, folder: Path, seconds: float = 60.0) -> Imported:
    """The same of a module by its name or, where no module is called so, by its file.

    What costs too much is measured again, and the least of it counts: the first import compiles, and a busy
    machine makes every one dearer.
    """
    seen = _imported(module, file, folder, seconds)
    ratio = seen.ratio
    for _again in range(_REPEATS):
        if ratio <= MOST or seen.failed:
            break
        ratio = min(ratio, _imported(module, file, folder, seconds).ratio)
    return seen._replace(ratio=ratio)


def _imported(module: str, file: str, folder: Path, seconds: float) -> Imported:
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.fspath(folder),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "LANG": "C.UTF-8",
    }
    try:
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, module, file, _MARK],
            cwd=folder,
            env=env,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Imported(failed=f"not imported within {seconds:g} s")
    printed, mark, told = done.stdout.rpartition(_MARK)
    if not mark:
        last = (done.stderr.strip() or "it ended the process").splitlines()[-1]
        return Imported(printed=done.stdout, failed=last)
    found = json.loads(told)
    return Imported(
        found["ratio"], tuple(found["modules"]), tuple(found["threads"]), tuple(found["files"]), printed
    )


def light(found: Imported) -> Iterator[Finding]:
    """It loads no heavy module, and costs little."""
    if found.failed:
        yield Finding("import", f"it cannot be imported in a fresh process: {found.failed}")
    heavy = sorted(name for name in found.modules if name in HEAVY)
    if heavy:
        yield Finding(
            "import", f"importing it loads {', '.join(heavy)}: import them inside the method that needs them"
        )
    elif found.ratio > MOST:
        yield Finding(
            "import",
            f"importing it takes {found.ratio:.0f} times the processor time of recall.api, at most {MOST:g} are "
            "meant: do no work at import, and import inside the method that needs it",
        )


def harmless(found: Imported) -> Iterator[Finding]:
    """It prints nothing, starts no thread and writes no file."""
    what = {
        "prints": repr(found.printed[:80]) if found.printed else "",
        "starts a thread,": ", ".join(found.threads),
        "writes": ", ".join(found.files),
    }
    for verb, names in what.items():
        if names:
            yield Finding("import", f"importing it {verb} {names}: a module only defines names")
