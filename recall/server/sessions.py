"""Warm engines, one for each project folder that is asked for; the least recently used are closed."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

from recall import files
from recall.engine import Engine
from recall.errors import DeadlineExceeded, UsageError
from recall.project import is_system_folder

Start = Callable[[Path], Engine]

_KEPT = 8  # engines: each holds an index file open


class _Session:
    """An engine that is started or starting, and how many calls use it."""

    def __init__(self) -> None:
        self.started: Future[Engine] = Future()
        self.users = 0
        self.retired = False

    @property
    def outdated(self) -> bool:
        """Whether it failed to start, or was started with settings that have changed."""
        if not self.started.done():
            return False
        return self.started.exception() is not None or self.started.result().outdated()


class Sessions:
    """Engines by project folder. Safe to use from several threads."""

    def __init__(self, start: Start, folder: Path, home: Path) -> None:
        """start: makes an engine for a folder; folder: the project that is meant when none is named."""
        self.folder = Path(os.path.realpath(folder))
        self._start = start
        self._home = home
        self._lock = threading.Lock()
        self._sessions: OrderedDict[Path, _Session] = OrderedDict()

    def warm(self) -> None:
        """Begin to start the engine of the default project."""
        self._leave(self._enter(self.folder))

    @contextmanager
    def engine(self, folder: Path, patience: float) -> Iterator[Engine]:
        """A folder's engine, which is not closed meanwhile.

        patience: seconds to wait for it to start.
        Raises DeadlineExceeded, and whatever keeps it from starting.
        """
        session = self._enter(folder)
        try:
            yield _started(session, patience)
        finally:
            self._leave(session)

    def folder_of(self, project: str | None) -> Path:
        """The folder that a call means: an absolute path, ~ or a file:// uri; raises UsageError if it is none."""
        if not project:
            return self.folder
        given = _path_of(project)
        shown = f"{files.display_path(project[:200])!r}"
        hint = (
            "give the absolute path of a project's folder, "
            f"or leave it out for {files.display_path(self.folder)}"
        )
        folder = self._home / given[2:] if given.partition("/")[0] == "~" else Path(given)
        if not folder.is_absolute():  # an agent means its own folder, which is not known here
            raise UsageError(f"project: {shown} is not an absolute path", hint)
        if not files.is_folder(folder):
            raise UsageError(f"project: {shown} is no folder on this machine", hint)
        real = Path(os.path.realpath(folder))
        if is_system_folder(real):
            raise UsageError(f"project: {shown} is a folder of the system and no project", hint)
        return real

    def close(self) -> None:
        """Close every engine that nobody uses."""
        with self._lock:
            sessions = list(self._sessions.values())
            self._sessions.clear()
            for session in sessions:
                session.retired = True
        for session in sessions:
            _close_unused(session)

    def _enter(self, folder: Path) -> _Session:
        with self._lock:
            session = self._sessions.get(folder)
            closing: list[_Session] = []
            if session is not None and session.outdated:
                closing.append(self._sessions.pop(folder))
                session = None
            if session is None:
                session = self._sessions[folder] = _Session()
                self._start_in_thread(session, folder)
            session.users += 1
            self._sessions.move_to_end(folder)
            while len(self._sessions) > _KEPT:
                closing.append(self._sessions.popitem(last=False)[1])
            for one in closing:
                one.retired = True
        for one in closing:
            _close_unused(one)
        return session

    def _leave(self, session: _Session) -> None:
        with self._lock:
            session.users -= 1
        _close_unused(session)

    def _start_in_thread(self, session: _Session, folder: Path) -> None:
        """Loading plugins may take seconds: whoever waits for them waits no longer than its call may."""

        def body() -> None:
            try:
                engine = self._start(folder)
                engine.index  # noqa: B018 - opens it
                session.started.set_result(engine)
            except Exception as error:
                session.started.set_exception(error)
            except BaseException as error:  # a plugin's sys.exit
                session.started.set_exception(
                    RuntimeError(f"{type(error).__name__} while the engine started")
                )

            _close_unused(session)

        threading.Thread(target=body, name="recall-start", daemon=True).start()


def _path_of(project: str) -> str:
    """The path that a project is given by; a file:// uri may name this machine."""
    scheme, _, rest = project.partition("://")
    if scheme != "file":
        return project
    host, slash, path = rest.partition("/")
    return unquote(slash + path if host in ("", "localhost") else rest)


def _started(session: _Session, patience: float) -> Engine:
    try:
        return session.started.result(patience)
    except TimeoutError:
        if session.started.done():
            raise
    raise DeadlineExceeded(
        "the sources are still being loaded", "ask again in a few seconds, or with a longer deadline"
    )


def _close_unused(session: _Session) -> None:
    if session.retired and not session.users and session.started.done() and not session.started.exception():
        session.started.result().close()
