"""The one place that runs git.

A repository is somebody else's: its configuration may name programs (filters, hooks, a pager, a monitor of the
file system, a diff tool, a signature checker, an alias, a transport), and none of them is run.

| what could run or write                 | why it does not                                                     |
|-----------------------------------------|---------------------------------------------------------------------|
| aliases                                 | only built-in commands are called                                   |
| hooks, pager, editor, fsmonitor         | switched off on the command line, which outranks every file         |
| diff tools, textconv, signatures        | the same, and again by each command's options                       |
| clean and process filters               | `worktree.Filters` empties each before a file is compared            |
| lazy fetches of a partial clone         | no transport is allowed, and no fetch where git knows that word     |
| the index, its shared part, lock files  | `--no-optional-locks`, or an index of recall's own (`ownindex`); a   |
|                                         | split index is not read (its time changes)                          |
| a git of the project's own              | PATH is passed over where it is relative or leads into the project  |
| variables (GIT_DIR, GIT_TRACE, ...)     | the environment is made anew                                        |
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from recall.api import Deadline
from recall.transport import process
from recall.transport.process import Process, Result

# What git needs of an environment: where programs and the user's own settings are, who the user is.
_KEPT = ("PATH", "XDG_CONFIG_HOME", "TMPDIR", "USER", "LOGNAME", "SUDO_UID")
_SET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",  # since Git 2.44; before it, the next line does the same
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_FLUSH": "0",
    "GIT_PAGER": "cat",
    "GIT_TRACE2": "0",  # the user's own settings may ask for a log of every command
    "GIT_TRACE2_EVENT": "0",
    "GIT_TRACE2_PERF": "0",
}
_NOWHERE = os.path.join(os.sep, "no", "git")  # its start fails, and the result says that it is missing
_SWITCHES = ("--no-pager", "--no-replace-objects", "--literal-pathspecs")
_READ_ONLY = "--no-optional-locks"
# For a run on a copy of the index that is recall's own: there git may keep what it learns, and nowhere else.
_OWN_INDEX = ("core.untrackedCache=true", "core.splitIndex=false")
_SETTINGS = (
    "core.fsmonitor=",  # empty is off in every version; some take the word "false" for a program's name
    f"core.hooksPath={os.devnull}",
    "core.pager=cat",
    "core.editor=true",
    "core.askPass=true",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.quotePath=false",
    "credential.helper=",
    "diff.external=",
    f"diff.orderFile={os.devnull}",
    "diff.ignoreSubmodules=dirty",
    "log.showSignature=false",
    "log.mailmap=false",
    "log.showRoot=true",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "color.ui=false",
    "i18n.logOutputEncoding=UTF-8",
    "protocol.allow=never",
    "advice.graftFileDeprecated=false",
    "submodule.recurse=false",
    "status.submoduleSummary=false",
    "gc.auto=0",
    "maintenance.auto=false",
)


class Git(NamedTuple):
    """How git is run for one folder; `Git.of` makes one."""

    folder: Path
    program: str  # absolute path; "" if there is none
    environment: Mapping[str, str]  # the whole environment of a run
    settings: tuple[str, ...] = ()  # further `name=value` for the command line
    own_index: str = ""  # a copy of the index that is recall's own (`ownindex`), instead of the repository's
    learns: bool = False  # whether git may write into that copy what it learns

    @classmethod
    def of(cls, folder: Path, home: Path, env: Mapping[str, str], *more: Path) -> Git:
        """Git for a folder that is the top of a work tree or a bare repository.

        env: the user's environment; only what git needs is taken from it.
        more: further folders of the same project. What lies in any of them is never run.
        """
        kept = {name: env[name] for name in _KEPT if name in env}
        project = (folder, *more)
        if "PATH" in kept:  # git, too, finds programs by it
            parts = filter(os.path.isabs, kept["PATH"].split(os.pathsep))
            kept["PATH"] = os.pathsep.join(process.leading_elsewhere(parts, project))
        # Git is asked about this very folder: a damaged `.git` must not make it find another above it.
        ceiling = os.path.dirname(os.path.realpath(folder))
        whole = {**kept, **_SET, "HOME": os.fspath(home), "GIT_CEILING_DIRECTORIES": ceiling}
        return cls(folder, process.find_program("git", env, project) or "", whole)

    def run(
        self, *arguments: str, deadline: Deadline, stdin: bytes = b"", limit: int = process.OUT_LIMIT
    ) -> Result:
        """Run a built-in command to its end."""
        with self.start(*arguments, deadline=deadline, stdin=stdin, limit=limit) as running:
            out = b"".join(running.chunks())
            return running.result()._replace(out=out)

    def start(
        self,
        *arguments: str,
        deadline: Deadline,
        stdin: bytes | Iterable[bytes] = b"",
        limit: int = process.OUT_LIMIT,
    ) -> Process:
        """A built-in command, to be read while it runs (a context manager)."""
        wanted = (*_SETTINGS, *(_OWN_INDEX if self.own_index else ()), *self.settings)
        settings = [part for setting in wanted for part in ("-c", setting)]
        own = {"GIT_INDEX_FILE": self.own_index} if self.own_index else {}
        learns = bool(self.own_index) and self.learns
        switches = _SWITCHES if learns else (*_SWITCHES, _READ_ONLY)
        own |= {"GIT_OPTIONAL_LOCKS": "1"} if learns else {}
        return Process(
            [self.program or _NOWHERE, *switches, *settings, *arguments],
            cwd=self.folder,
            env={**self.environment, **own},
            deadline=deadline,
            stdin=stdin,
            limit=limit,
        )
