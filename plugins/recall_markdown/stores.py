"""Which folders hold markdown memories for a scope, and which files in them count."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import MISSING, replace
from typing import NamedTuple

from recall import claude_names, files
from recall.api import Authority, Deadline, Problem, Scope, option, record
from recall.files import Found
from recall.project_files import places_in_project, taker_of
from recall_markdown import claude_code
from recall_markdown.claude_code import ProjectFolder

_BUILT_IN = ("claude", "agents", "project-agents", "local-agents", "repo-memory", "memory-bank")
_INDEX = "MEMORY.md"
_NESTED_INDEX = f"/{_INDEX}"
_WILD = r"\*\*/|\*\*|\*|\?|[^*?]+"


@record
class Folder:
    """A folder of notes that the user lists."""

    path: str = option(
        MISSING, "The folder; relative means below the project, ~ is your home.", from_project="folder"
    )
    name: str = option(
        "", "First part of its memories' addresses; empty: the folder's own name.", from_project="value"
    )
    pattern: str = option("**/*.md", "Which files, below the folder; ** is any depth.", from_project="value")
    authority: Authority | None = option(
        None,
        'How much it is believed, for example "decision"; not set: as other notes.',
        from_project="value",
    )
    project: str = option(
        "", "Label of the project it belongs to; empty: this one, if inside.", from_project="value"
    )


@record
class MarkdownOptions:
    """Which markdown files are memories."""

    claude_home: str = option("", "Claude Code's folder; empty: CLAUDE_CONFIG_DIR, else ~/.claude.")
    auto_memory: bool = option(
        True, "Read what Claude Code remembers about the project.", from_project="value"
    )
    agent_memory: bool = option(
        True, "Read what Claude Code's sub-agents remember (agent-memory folders).", from_project="value"
    )
    global_memory: bool = option(
        True,
        "Read memory of no single project: ~/.claude/agent-memory, autoMemoryDirectory.",
        from_project="value",
    )
    memory_bank: bool = option(True, "Read the project's memory-bank folder.", from_project="value")
    logs: bool = option(
        False, "Also read logs, sessions and proposals, which Claude Code itself skips.", from_project="value"
    )
    folders: tuple[Folder, ...] = option(
        (), "Further folders of notes: name, path, pattern, authority, project.", from_project="folder"
    )
    max_file_bytes: int = option(
        files.READ_LIMIT, "Most bytes read of one file; what is cut is reported.", at_least=1024
    )


class Store(NamedTuple):
    """One folder to read."""

    prefix: str  # first part of its memories' ids
    folder: str
    project: str  # label; "" = all projects
    pattern: str = "**/*.md"
    authority: Authority | None = None
    skip: frozenset[str] = frozenset()  # top folders left out
    within: tuple[str, ...] = ()  # real folders its links may not leave; () = anywhere
    indexed: bool = False  # MEMORY.md files in it are indexes
    templates: bool = False  # its files may be templates nobody filled in
    owner: ProjectFolder | None = None  # set for Claude Code's per-project memory
    places: tuple[
        str, ...
    ] = ()  # of a listed folder inside the project, as seen from its top and current folder

    @property
    def ending(self) -> str:
        """What every file's name ends in, and its memory's id can do without."""
        return ".md" if self.pattern.endswith(".md") else ""

    def is_index(self, found: Found) -> bool:
        """Whether a file is a MEMORY.md whose lines point elsewhere."""
        return self.indexed and (found.relative == _INDEX or found.relative.endswith(_NESTED_INDEX))


class Located(NamedTuple):
    """What `load` needs of an entry: a tuple, since a thousand are made for every question."""

    store: Store
    found: Found

    @property
    def place(self) -> str:
        """What a person would look for."""
        return f"{self.store.prefix}/{self.found.relative}"


def stores(options: MarkdownOptions, scope: Scope) -> list[Store]:
    """Every folder to look at, whether or not it is there; the user's own come first and win."""
    label = scope.names[0] if scope.names else ""
    root = claude_names.config_root(scope, options.claude_home)
    found = list(_listed_folders(options, scope, label))
    if options.auto_memory:
        skip = frozenset() if options.logs else claude_code.SKIPPED
        redirected = claude_code.redirected(scope, root) if options.global_memory else {}
        found += (Store(prefix, path, "", skip=skip, indexed=True) for prefix, path in redirected.items())
        for owner in claude_code.project_folders(scope, root):
            mine = label if owner.mine else ""
            found.append(Store(owner.prefix, owner.memory, mine, skip=skip, indexed=True, owner=owner))
    if options.agent_memory and options.global_memory:
        found.append(Store("agents", os.path.join(root, "agent-memory"), "", indexed=True))
    return found + list(_in_project(options, scope, label))


def _in_project(options: MarkdownOptions, scope: Scope, label: str) -> Iterator[Store]:
    """What a repository brings along, which may be a stranger's: links stay inside it."""
    within = _real_roots(scope)
    for top, main in zip(scope.roots, ("", "main-"), strict=False):
        claude = os.path.join(top, ".claude")
        if options.auto_memory:
            folder = os.path.join(claude, "memory")
            yield Store(f"{main}repo-memory", folder, label, within=within, indexed=True)
        if options.agent_memory:
            for prefix, name in (("project-agents", "agent-memory"), ("local-agents", "agent-memory-local")):
                folder = os.path.join(claude, name)
                yield Store(main + prefix, folder, label, within=within, indexed=True)
        if options.memory_bank:
            folder = os.path.join(top, "memory-bank")
            yield Store(f"{main}memory-bank", folder, label, within=within, templates=True)


def _listed_folders(options: MarkdownOptions, scope: Scope, label: str) -> Iterator[Store]:
    used: set[str] = set()
    for listed in options.folders:
        folder = os.path.normpath(scope.expand(listed.path))
        inside = files.lies_in(folder, map(os.fspath, scope.roots))
        yield Store(
            prefix=_prefix(listed.name or os.path.basename(folder), used),
            folder=folder,
            project=listed.project or (label if inside else ""),
            pattern=listed.pattern,
            authority=Authority(listed.authority) if listed.authority else None,
            within=_real_roots(scope) if inside else (),
            places=places_in_project(scope, folder),
        )


def _prefix(name: str, used: set[str]) -> str:
    """A name as the first part of an id, unlike every other."""
    plain = re.sub(r"[/\\@\s]+", "-", files.display_path(name)).strip("-") or "notes"
    if plain.startswith(("claude-", "main-")) or plain in _BUILT_IN:
        plain = f"my-{plain}"
    number = 1
    while (prefix := plain if number == 1 else f"{plain}-{number}") in used:
        number += 1
    used.add(prefix)
    return prefix


def _real_roots(scope: Scope) -> tuple[str, ...]:
    return tuple(os.path.realpath(root) for root in scope.roots)


def listing(store: Store, walker: files.Walker, deadline: Deadline) -> Iterator[Found | Problem]:
    """The files that count, in a stable order, and what could not be looked at."""
    obstacle = _obstacle(store)
    if obstacle:
        yield Problem(files.display_path(store.folder), obstacle, hides_entries=True)
        return
    wanted = None if store.pattern == "**/*.md" else _matcher(store.pattern)
    depth = None if "**" in store.pattern else store.pattern.count("/")

    def enter(relative: str) -> bool:
        name = relative.rsplit("/", 1)[-1]
        if name.startswith(".") or name == "node_modules" or relative in store.skip:
            return False
        return depth is None or relative.count("/") < depth

    left: Counter[str] = Counter()
    suffix = store.pattern.replace("?", "*").replace("/", "*").rpartition("*")[2]
    walked = walker.walk(
        store.folder,
        deadline,
        suffixes=(suffix,),
        enter=enter,
        leave_root=not store.within,
        allowed=store.within,
    )
    for item in walked:
        if isinstance(item, Problem):
            place = item.where if os.path.isabs(item.where) else f"{store.prefix}/{item.where}"
            yield replace(item, where=place)
        elif item.relative.startswith(".") or "/." in item.relative:
            continue  # also what a Mac leaves beside files on foreign disks: ._note.md
        elif wanted is None or wanted.fullmatch(item.relative):
            if store.places and (taker := taker_of(store.places, item.relative)):
                left[taker] += 1
            else:
                yield item
    for taker, count in left.items():
        reason = f"{count} of its files are decision records or state documents, which `{taker}` reads"
        yield Problem(files.display_path(store.folder), reason, harmless=True)


def _obstacle(store: Store) -> str:
    """Why a folder that is there cannot be walked, or ""."""
    obstacle = files.look(store.folder)
    if obstacle == "" and store.within and not files.is_inside(store.folder, store.within):
        return "a link that leaves the project; to read it, list its real folder in your own settings"
    return obstacle or ""


def _matcher(pattern: str) -> re.Pattern[str]:
    """A glob over relative paths: ** is any depth, * and ? stay within one name."""
    meaning = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part) or re.escape(part) for part in re.findall(_WILD, pattern)))
