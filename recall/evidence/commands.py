"""Commands that show a finding, from wherever they are run; every name is quoted for a shell. Pure."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from recall import files


class Commands(NamedTuple):
    """The commands for one memory."""

    git: str = "git"  # with the folder it is to work in
    left_out: tuple[str, ...] = ()  # paths that prove nothing: the memory itself, folders of agents

    @classmethod
    def of(cls, top: Path, home: Path, left_out: Iterable[str] = ()) -> Commands:
        """Commands for the work tree at `top`, told from `home` (`~`) where it lies below."""
        return cls(f"git -C {_folder(top, Path(os.path.realpath(home)))}", tuple(left_out))

    def log(self, path: str, since: str = "", after: str = "") -> str:
        """The commits that touched a path; `since`: ISO 8601; `after`: a commit."""
        how = f"{after}.." if after else f"--since={since}" if since else "--follow"
        return f"{self.git} log --oneline {how} -- {shlex.quote(path)}"

    def diff(self, path: str) -> str:
        """What of a file is not committed."""
        return f"{self.git} diff HEAD -- {shlex.quote(path)}"

    def status(self, path: str) -> str:
        """Whether git knows a file."""
        return f"{self.git} status --short -- {shlex.quote(path)}"

    def files(self, path: str) -> str:
        """That a path is there, whether git knows it or not."""
        return f"{self.git} ls-files -co -- {shlex.quote(path)}"

    def show(self, sha: str, *, stat: bool = False) -> str:
        """A commit."""
        return f"{self.git} show {'--stat ' if stat else ''}{sha}"

    def grep(
        self, names: Iterable[str], path: str = "", *, word: bool = True, option: str = "--untracked"
    ) -> str:
        """Where names stand: in a file, else in all but what proves nothing; `option`: which finds them there."""
        wanted = " ".join(f"-e {shlex.quote(name)}" for name in names)
        paths = [path] if path else [f":!{one}" for one in self.left_out]
        where = f" -- {' '.join(map(shlex.quote, paths))}" if paths else ""
        how = f"{option} " if option else ""
        return f"{self.git} grep {how}-n{'w' if word else 'i'}F {wanted}{where}"


def _folder(top: Path, home: Path) -> str:
    if top == home:
        return "~"
    if top.is_relative_to(home):
        return "~/" + shlex.quote(files.display_path(top.relative_to(home)))
    return shlex.quote(files.display_path(top))
