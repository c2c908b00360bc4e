"""Context handles: the proof that a session has asked how a project stands, and that it still stands so.

A handle is bound to a project, its commit and branch, and to the server that gave it out. It is a check of
continuity, not a sandbox: nothing keeps a process of the user from writing such a file by itself.

    <state folder>/continuity/<project>/<handle>.json    one file a handle; its time is its last use
    <state folder>/continuity/<project>/<session>.began  when a session of a client began
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from recall import files
from recall.context import presence
from recall.errors import ProviderError
from recall.places import write_private

AGAIN = "call context_bootstrap (or run `recall bootstrap`) again"
_NAME = re.compile(r"ctx_[0-9a-f]{16}")
_KEPT = 64  # handles of one project
_KEPT_SECONDS = 7 * 86_400.0
_SMALL = 4_096  # bytes of a handle's file


class Bound(NamedTuple):
    """What a handle is bound to: a project as it stands."""

    root: Path
    head: str  # full commit id; "" without a commit, or outside version control
    branch: str
    fingerprint: str = ""  # of the work tree, as it was told; it may change, for sessions edit files


class Handle(NamedTuple):
    """A handle that was given out; moments are epoch seconds."""

    name: str
    root: str
    head: str
    branch: str
    fingerprint: str
    issued: float
    server: str  # the server that gave it out; "" for the command
    used: float = 0.0


class Finding(StrEnum):
    """Why a call that changes something may go on, or may not."""

    OK = "ok"
    NONE = "no handle"
    PROJECT = "another project"
    HEAD = "HEAD moved"
    BRANCH = "another branch"
    IDLE = "idle too long"
    SERVER = "server restarted"
    UNKNOWN = "not known"


class Verdict(NamedTuple):
    """What the guard says."""

    finding: Finding
    reason: str = ""  # one line; "" if the call may go on
    handle: str = ""  # the handle that it is about, if there is one

    @property
    def allowed(self) -> bool:
        """Whether the call may go on."""
        return self.finding is Finding.OK


class Continuity:
    """The handles of one project, in recall's own state folder."""

    def __init__(self, state: Path, root: Path) -> None:
        key = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:24]
        self._state = state
        self._folder = state / "continuity" / key

    def issue(self, bound: Bound, now: float, server: str = "") -> Handle:
        """Give out a handle; raises OSError where recall's state cannot be written."""
        name = f"ctx_{os.urandom(8).hex()}"
        handle = Handle(name, str(bound.root), bound.head, bound.branch, bound.fingerprint, now, server, now)
        data = {**handle._asdict(), "root": files.display_path(handle.root)}
        del data["used"]
        path = self._folder / f"{name}.json"
        write_private(path, json.dumps({**data, "key": self._folder.name}).encode())
        os.utime(path, (now, now))
        self._forget_old(now)
        return handle

    def begin_session(self, session: str, now: float) -> None:
        """Note that a client's session begins: handles of before count no more for it. Raises OSError."""
        path = self._session(session)
        write_private(path, b"")
        os.utime(path, (now, now))

    def may_tell(self, session: str, now: float, seconds: float) -> bool:
        """Whether a session has not been told the same within some seconds; it counts as told from now on."""
        path = self._session(session).with_suffix(".told")
        try:
            if now - path.stat().st_mtime < seconds:
                return False
        except OSError:
            pass
        with contextlib.suppress(OSError):
            write_private(path, b"")
            os.utime(path, (now, now))
        return True

    def check(self, name: str, bound: Bound, now: float, idle_seconds: float) -> Verdict:
        """Whether one handle still holds; its use is noted if it does."""
        handle = self._read(name)
        if handle is None:
            elsewhere = bool(_NAME.fullmatch(name)) and any(
                path.parent != self._folder for path in (self._state / "continuity").glob(f"*/{name}.json")
            )
            if elsewhere:
                return Verdict(
                    Finding.PROJECT, f"this handle was given out for another project: {AGAIN} here", name
                )
            return Verdict(Finding.NONE, f"no such context handle: {AGAIN}")
        verdict = self._judged(handle, bound, now, idle_seconds)
        if verdict.allowed:
            with contextlib.suppress(OSError):
                os.utime(self._folder / f"{name}.json", (now, now))
        return verdict

    def check_session(self, session: str, bound: Bound, now: float, idle_seconds: float) -> Verdict:
        """Whether any handle holds that was given out since a client's session began; `session` may be ""."""
        began = self._began(session, now)
        handles = sorted(self._handles(), key=lambda one: one.issued, reverse=True)
        verdicts = [
            self._judged(handle, bound, now, idle_seconds) for handle in handles if handle.issued >= began
        ]
        good = next((verdict for verdict in verdicts if verdict.allowed), None)
        if good is not None:
            with contextlib.suppress(OSError):
                os.utime(self._folder / f"{good.handle}.json", (now, now))
            return good
        if verdicts:
            return verdicts[0]
        if obstacle := self._obstacle():
            return Verdict(
                Finding.NONE, f"no context handle can be given out: {obstacle}; the user has to mend that"
            )
        return Verdict(
            Finding.NONE, f"no bootstrap in this session yet: {AGAIN.removesuffix(' again')} first"
        )

    # -- inside -----------------------------------------------------------------------------------------------

    def _judged(self, handle: Handle, bound: Bound, now: float, idle_seconds: float) -> Verdict:
        if handle.branch != bound.branch:
            was, now_on = handle.branch or "no branch", bound.branch or "no branch"
            return Verdict(Finding.BRANCH, f"the branch was {was} and is {now_on}: {AGAIN}", handle.name)
        if handle.head != bound.head:
            was, now_at = handle.head[:7] or "no commit", bound.head[:7] or "no commit"
            return Verdict(Finding.HEAD, f"HEAD moved from {was} to {now_at}: {AGAIN}", handle.name)
        if handle.server and not presence.is_present(self._state, handle.server):
            return Verdict(
                Finding.SERVER, f"the server that gave the handle out has ended: {AGAIN}", handle.name
            )
        if now - handle.used > idle_seconds:
            minutes = int((now - handle.used) // 60)
            return Verdict(Finding.IDLE, f"nothing was done for {minutes:,} minutes: {AGAIN}", handle.name)
        return Verdict(Finding.OK, handle=handle.name)

    def _session(self, session: str) -> Path:
        return self._folder / f"{hashlib.sha256(session.encode('utf-8', 'replace')).hexdigest()[:24]}.began"

    def _began(self, session: str, now: float) -> float:
        """When a session began; 0 if that is not known, or not yet: the clock was set back, and no bootstrap helps."""
        try:
            began = self._session(session).stat().st_mtime if session else 0.0
        except OSError:
            return 0.0
        return began if began <= now else 0.0

    def _obstacle(self) -> str:
        """What keeps recall's state from being written, "" if nothing seems to."""
        place = next(path for path in (self._folder, *self._folder.parents) if os.path.lexists(path))
        if not place.is_dir():
            return f"{files.display_path(place)} is not a folder"
        return "" if os.access(place, os.W_OK | os.X_OK) else f"{files.display_path(place)} cannot be written"

    def _handles(self) -> Iterator[Handle]:
        try:
            names = os.listdir(self._folder)
        except OSError:
            return
        for name in names:
            handle = self._read(name.removesuffix(".json")) if name.endswith(".json") else None
            if handle is not None:
                yield handle

    def _read(self, name: str) -> Handle | None:
        """A handle's file; None if there is none, or it is damaged or not of this project."""
        if not _NAME.fullmatch(name):
            return None
        path = self._folder / f"{name}.json"
        try:
            data = json.loads(files.read_bytes(path, _SMALL))
            used = path.stat().st_mtime
            texts = [data[key] for key in ("name", "root", "head", "branch", "fingerprint")]
            issued, server = float(data["issued"]), data["server"]
        except (OSError, ValueError, KeyError, TypeError, ProviderError, RecursionError):
            return None
        if not all(isinstance(one, str) for one in (*texts, server)) or texts[0] != name:
            return None
        name, root, head, branch, mark = texts
        return Handle(name, root, head, branch, mark, issued, server, used)

    def _forget_old(self, now: float) -> None:
        """Remove what is too old or too much; what is in use stays."""
        aged: list[tuple[float, Path]] = []
        with contextlib.suppress(OSError):
            for path in self._folder.iterdir():
                with contextlib.suppress(OSError):
                    # The clock may have been set back: what is of the future is as old as what is of the past.
                    aged.append((abs(now - path.stat().st_mtime), path))
        aged.sort()
        for number, (age, path) in enumerate(aged):
            if number >= _KEPT or age > _KEPT_SECONDS:
                with contextlib.suppress(OSError):
                    path.unlink()
