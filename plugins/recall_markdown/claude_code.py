"""Where Claude Code keeps memory, and whose it is.

Several projects may share one folder (`recall.claude_names`). What tells them apart is the working folder recorded in
the session transcripts beside `memory/`.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, NamedTuple

from recall import files
from recall.api import Problem, Scope
from recall.claude_names import SLUG_LENGTH, forced, slug
from recall.errors import StoreBroken

SKIPPED = frozenset({"logs", "sessions", "proposals"})  # top folders of memory/ that its own scan leaves out
_SESSION = r"[A-Za-z0-9_-]{1,80}"
_CWD = rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*")'
_HEAD = 65_536  # bytes of a transcript: its first messages, which name the folder it ran in
_TRANSCRIPTS = 20


class ProjectFolder(NamedTuple):
    """One `projects/<name>` folder."""

    name: str
    memory: str  # where its memories are
    transcripts: str  # where its sessions are recorded
    prefix: str  # of the ids of its memories
    mine: bool  # whether the scope's project has this name


def redirected(scope: Scope, root: str) -> dict[str, str]:
    """Memory folders that stand in for the per-project ones, by id prefix.

    Only the user's settings are asked: a project's own come with a clone from strangers.
    """
    chosen = {
        "claude-override": scope.env.get("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", ""),
        "claude-custom": _memory_setting(root),
    }
    return {prefix: os.fspath(scope.expand(path)) for prefix, path in chosen.items() if path}


def settings_trouble(root: str) -> str:
    """Why the user's settings cannot be read, with their place, or ""."""
    try:
        _settings(root)
    except StoreBroken as error:
        return f"{files.display_path(_settings_file(root))}: {error}"
    return ""


def _memory_setting(root: str) -> str:
    try:
        settings = _settings(root)
    except StoreBroken:
        return ""  # told by `settings_trouble`
    path = settings.get("autoMemoryDirectory") if isinstance(settings, dict) else None
    if not isinstance(path, str) or "\0" in path:
        return ""
    return path if path.startswith("~/") or os.path.isabs(path) else ""


def _settings(root: str) -> Any:
    """The user's settings, None without a file; raises StoreBroken."""
    path = _settings_file(root)
    if not os.path.lexists(path):
        return None
    from recall.frontmatter import load_json  # only who has settings needs it

    return load_json(files.read_text(path).text)


def _settings_file(root: str) -> str:
    return os.path.join(root, "settings.json")


def project_folders(scope: Scope, root: str) -> Iterator[ProjectFolder]:
    """The folders of the scope's project, or of every project, whether or not they are there."""
    names = project_names(scope)
    for base, word in _bases(scope, root).items():
        for name in _listed(os.path.join(base, "projects"), names, scope.all_projects):
            shown = files.display_path(name)
            plain = word if name == names[0] else f"{word}@{shown}"
            yield ProjectFolder(
                name=name,
                memory=os.path.join(base, "projects", name, "memory"),
                transcripts=os.path.join(root, "projects", name),
                prefix=f"{word}/{shown}" if scope.all_projects else plain,
                mine=any(_matches(name, own) for own in names),
            )


def _bases(scope: Scope, root: str) -> dict[str, str]:
    """Folders that hold `projects/`, with the first word of their ids; the one in force first."""
    moved = scope.env.get("CLAUDE_CODE_REMOTE_MEMORY_DIR", "")
    if not moved:
        return {root: "claude"}
    return {os.fspath(scope.expand(moved)): "claude", root: "claude-default"}


def _listed(projects: str, names: list[str], every: bool) -> list[str]:
    long = [name for name in names if len(name) > SLUG_LENGTH]
    if not every and not long:
        return names
    try:
        present = sorted(os.listdir(projects))
    except OSError:
        return names
    if every:
        return present
    return [name for name in names if name not in long] + [
        name for name in present if any(_matches(name, own) for own in long)
    ]


def _matches(name: str, own: str) -> bool:
    if len(own) <= SLUG_LENGTH:
        return name == own
    return name.startswith(own[:SLUG_LENGTH] + "-")


def project_names(scope: Scope) -> list[str]:
    """The names the scope's project may have, the likeliest first.

    Today's rule goes by the main checkout; older releases gave each worktree a name of its own.
    """
    names = list(forced(scope))
    for path in own_paths(scope):
        names += (slug(unicodedata.normalize(form, path)) for form in ("NFC", "NFD"))
    return list(dict.fromkeys(names))


def own_paths(scope: Scope) -> tuple[str, ...]:
    """The scope's folders, as given and as they really are."""
    given = [os.fspath(path) for path in (scope.main_root, scope.root, scope.cwd)]
    return tuple(dict.fromkeys(form for path in given for form in (path, os.path.realpath(path))))


def collision(folder: ProjectFolder, own: tuple[str, ...]) -> Problem | None:
    """A note that a folder is shared with other projects, or may well be."""
    here = next((path for path in own if _matches(folder.name, slug(path))), own[0])
    cwds = recorded_folders(folder.transcripts)
    others = {owner(cwd, folder.name) for cwd in cwds if not files.lies_in(cwd, own)}
    others = {other for other in others if not files.lies_in(os.path.realpath(other), own)}
    if others:
        shown = ", ".join([files.display_path(here), *sorted(others)])
        reason = f"collision: this memory folder is shared by {shown}"
    elif not cwds and not here.isascii():
        reason = "this folder's name is ambiguous: other projects with names of the same length share it"
    else:
        return None
    return Problem(files.display_path(folder.memory), reason, harmless=True)


def recorded_folders(transcripts: str, limit: int = _TRANSCRIPTS) -> list[str]:
    """The working folders that sessions recorded, from the first `limit` transcripts by name."""
    try:
        names = sorted(name for name in os.listdir(transcripts) if name.endswith(".jsonl"))
    except OSError:
        return []
    found = (_recorded_folder(os.path.join(transcripts, name)) for name in names[:limit])
    return list(dict.fromkeys(folder for folder in found if folder))


def session_folder(transcripts: str, session: str) -> str:
    """The working folder of one session, or "" if its transcript is gone."""
    if not re.fullmatch(_SESSION, session):
        return ""
    return _recorded_folder(os.path.join(transcripts, f"{session}.jsonl"))


def _recorded_folder(transcript: str) -> str:
    try:
        match = re.search(_CWD, files.read_bytes(transcript, _HEAD))
        folder = str(json.loads(match[1])) if match else ""
    except (StoreBroken, ValueError):
        return ""
    return folder if folder.isprintable() else ""


def owner(cwd: str, name: str) -> str:
    """The project a working folder lies in: the folder at or above it that has this name, else itself."""
    ends = [match.start() for match in re.finditer(r"[/\\]", cwd) if match.start()]
    return next((cwd[:end] for end in [*ends, len(cwd)] if _matches(name, slug(cwd[:end]))), cwd)


def base_name(path: str) -> str:
    """The last part of a path, possibly of another system."""
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]
