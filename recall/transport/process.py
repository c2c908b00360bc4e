"""Running a foreign program: an explicit environment, one deadline, bounded output, and nothing left behind.

The program is the leader of a process group of its own. Once its time is over, its output too long or its reader
gone, the whole group is killed at once: whoever is asked through here holds no lock and writes nothing. What a
program that ended by itself left running in its group is killed as well.

Nothing is raised for what a program does: a `Result` says what became of it. POSIX systems only; elsewhere the
result is "failed" with that reason.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from recall.api import Deadline
from recall.wording import why

OUT_LIMIT = 64 << 20  # bytes of stdout that one run may bring into memory
ERR_LIMIT = 4_096  # bytes kept of the end of stderr
RECORD_LIMIT = 1 << 20  # bytes of one separated record
_CHUNK = 1 << 16
_ENDING = 1.0  # seconds that a program which closed its output has to end, at most
_REAPING = 0.25  # seconds that a killed program has to be gone


class Result(NamedTuple):
    """What became of one run."""

    code: int | None  # exit code, negative for a signal; None if it never started or was ended from here
    out: bytes = b""
    err: str = ""  # the end of stderr
    failed: str = ""  # why it could not be started
    missing: bool = False  # there is no such program
    late: bool = False  # the deadline came first, and it was killed
    cut: bool = False  # it wrote more than was allowed, and was killed

    @property
    def ok(self) -> bool:
        """Whether it ran to its end and reported success."""
        return self.code == 0

    @property
    def last_line(self) -> str:
        """The last line of stderr that says something."""
        lines = [line.strip() for line in self.err.splitlines() if line.strip()]
        return lines[-1] if lines else ""


def find_program(
    name: str, env: Mapping[str, str], outside: Iterable[str | os.PathLike[str]] = ()
) -> str | None:
    """A program's absolute path by the PATH of `env`; None if there is none.

    Relative and empty parts of PATH are passed over: they would run what lies in the folder that is looked at.

    outside: folders that hold no program to be run, by whatever way PATH or a link leads into them.
    """
    if os.path.isabs(name):
        return name if _executable(name) else None
    parts = env.get("PATH", os.defpath).split(os.pathsep)
    paths = (os.path.join(part, name) for part in parts if os.path.isabs(part))
    return next(leading_elsewhere(filter(_executable, paths), outside), None)


def leading_elsewhere(paths: Iterable[str], folders: Iterable[str | os.PathLike[str]]) -> Iterator[str]:
    """Those of some paths that pass through none of some folders, as they are written and with links followed.

    Folders are compared by what they are, not by their names. The root of the file system is never one of them:
    everything lies in it.
    """
    barred = {_identity(folder) for folder in folders} - {_identity(os.sep), None}
    known: dict[str, bool] = {}

    def inside(path: str) -> bool:
        if path not in known:
            above = os.path.dirname(path)
            known[path] = _identity(path) in barred or (above != path and inside(above))
        return known[path]

    for path in paths:
        if not barred or not (inside(os.path.abspath(path)) or inside(os.path.realpath(path))):
            yield path


class Process:
    """A running program, as a context manager: leaving the block ends it and all it started."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: str | os.PathLike[str],
        env: Mapping[str, str],
        deadline: Deadline,
        stdin: bytes | Iterable[bytes] = b"",
        limit: int = OUT_LIMIT,
    ) -> None:
        """env: the whole environment, nothing is added; stdin: what it reads; limit: bytes of stdout."""
        self._argv = list(argv)
        self._cwd = cwd
        self._env = dict(env)
        self._deadline = deadline
        self._input = iter((stdin,) if isinstance(stdin, bytes) else stdin)
        self._pending = memoryview(b"")
        self._left = limit
        self._err = bytearray()
        self._popen: Any = None
        self._selector: Any = None
        self._result: Result | None = None

    def __enter__(self) -> Process:
        if self._deadline.expired():
            self._result = Result(None, late=True)
        elif os.name != "posix":
            self._result = Result(None, failed="programs are run on POSIX systems only")
        else:
            self._start()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._result is None:
            self._end(Result(None))
        self._close()

    def chunks(self) -> Iterator[bytes]:
        """What it writes to stdout, as it comes; ends with the program, the deadline or the limit."""
        while self._result is None:
            chunk = self._step()
            if chunk:
                yield chunk

    def records(
        self, separator: bytes = b"\0", limit: int = RECORD_LIMIT, *, shorten: bool = False
    ) -> Iterator[bytes]:
        """Stdout in pieces that end with `separator`, one byte; a last piece without it was torn and is not yielded.

        limit: bytes of one record; a longer one ends the program, and the result says `cut`.
        shorten: of a longer one its first `limit` bytes are yielded instead, and the rest is passed over.
        """
        held: list[bytes] = []
        size = 0  # of the record so far; no more of it is held than `limit` and a chunk
        for chunk in self.chunks():
            *ends, rest = chunk.split(separator)
            for end in ends:
                if size + len(end) > limit and not shorten:
                    break
                yield b"".join((*held, end))[:limit] if size else end[:limit]
                held, size = [], 0
            else:
                if size <= limit:
                    held.append(rest)
                size += len(rest)
                if size <= limit or shorten:
                    continue
            self._end(Result(None, cut=True))
            return

    def result(self) -> Result:
        """What became of it, without its stdout; waits for its end, and reads on to it if need be."""
        for _chunk in self.chunks():
            pass
        assert self._result is not None
        return self._result

    def _start(self) -> None:
        import selectors
        import subprocess

        try:
            self._selector = selectors.DefaultSelector()
            self._popen = subprocess.Popen(
                self._argv,
                cwd=self._cwd,
                env=self._env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # a group of its own, without a terminal to ask on
            )
        except (OSError, ValueError) as error:
            self._result = _not_started(error, self._argv[0])
            return
        for stream, event in (
            (self._popen.stdin, selectors.EVENT_WRITE),
            (self._popen.stdout, selectors.EVENT_READ),
            (self._popen.stderr, selectors.EVENT_READ),
        ):
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, event)

    def _step(self) -> bytes:
        """Wait for the next thing to happen; a piece of stdout if that was it."""
        popen, selector = self._popen, self._selector
        outputs = {popen.stdout, popen.stderr} & {key.fileobj for key in selector.get_map().values()}
        if not outputs:
            self._wait()
            return b""
        ready = selector.select(self._deadline.remaining())
        if self._deadline.expired():
            self._end(Result(None, late=True))
            return b""
        found = b""
        for key, _events in ready:
            if key.fileobj is popen.stdin:
                self._write()
            elif key.fileobj is popen.stderr:
                self._err += self._read(popen.stderr)
                del self._err[:-ERR_LIMIT]
            else:
                found = self._read(popen.stdout)
        self._left -= len(found)
        if self._left < 0:
            found = found[: self._left]
            self._end(Result(None, cut=True))
        return found

    def _read(self, stream: Any) -> bytes:
        try:
            data = os.read(stream.fileno(), _CHUNK)
        except BlockingIOError:
            return b""
        if not data:
            self._drop(stream)
        return data

    def _write(self) -> None:
        stream = self._popen.stdin
        try:
            while not self._pending:
                self._pending = memoryview(next(self._input))
            written = os.write(stream.fileno(), self._pending[:_CHUNK])
            self._pending = self._pending[written:]
        except BlockingIOError:
            pass
        except (StopIteration, OSError):  # all is written, or nobody reads it any more
            self._drop(stream)

    def _drop(self, stream: Any) -> None:
        self._selector.unregister(stream)
        stream.close()

    def _wait(self) -> None:
        """It closed its output: it has ended, or is about to."""
        import subprocess

        try:
            code = self._popen.wait(min(self._deadline.remaining(), _ENDING))
        except subprocess.TimeoutExpired:
            self._end(Result(None, late=True))
        else:
            self._end(Result(code))

    def _end(self, result: Result) -> None:
        """Leave nothing of it running, and keep what became of it."""
        if self._result is not None:
            return
        import subprocess

        self._result = result._replace(err=self._err.decode("utf-8", "replace"))
        try:
            os.killpg(self._popen.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass  # nobody is left in the group
        try:
            self._popen.wait(_REAPING)
        except subprocess.TimeoutExpired:
            pass  # it hangs in the system (a dead network folder): not even a kill ends that

    def _close(self) -> None:
        if self._selector is not None:
            self._selector.close()
        if self._popen is None:
            return
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            stream.close()


def _not_started(error: OSError | ValueError, program: str) -> Result:
    missing = isinstance(error, FileNotFoundError) and error.filename == program
    where = getattr(error, "filename", None) or program
    return Result(None, failed=f"{os.fspath(where)}: {why(error)}", missing=missing)


def _identity(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """What tells a file or folder from every other; None if it cannot be looked at."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
