"""Where Serena keeps memories: its home, the data folders of projects, and how each got there.

Serena takes the configured data folder if that exists, else `.serena` in the project, else it would create
the configured one. An empty configured folder therefore hides full in-tree memories from Serena; here every
folder that exists is a tree of its own, the one that Serena uses first.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recall.api import Problem, Scope
from recall.files import display_path, obstacle, why
from recall_serena.patterns import Patterns, compile_all
from recall_serena.settings import (
    IGNORED,
    LISTING_KEYS,
    LOCATION,
    PROJECTS,
    Settings,
    read_project_settings,
    read_settings,
    why_withheld,
)

_PLACEHOLDER = re.compile(r"\$(\w+)")
_DEFAULT_LOCATION = "$projectDir/.serena"


class Tree(NamedTuple):
    """One folder of memories."""

    folder: str  # the memories folder, whether or not it exists
    prefix: str = ""  # before every name: "global/" for memories of all projects
    origin: str = ""  # how the tree differs from the project's own: "global", "main-checkout", "in-tree", ...
    project: str = ""  # label; "" = all projects
    ignored: Patterns = Patterns()
    apart: str = ""  # before every key: keeps another project's names from meeting this one's
    hidden_by: str = ""  # the configured data folder that keeps Serena from seeing this tree


class Layout(NamedTuple):
    """Everything that is known before the first memory is listed."""

    installed: bool  # Serena has a settings file of its own
    trees: tuple[Tree, ...] = ()  # folders that exist; the one for all projects first
    withheld: str = ""  # why Serena itself would not serve memories
    problems: tuple[Problem, ...] = ()
    places: tuple[str, ...] = ()
    whose: str = "this project"  # memories are looked for

    @property
    def has_project(self) -> bool:
        """Whether a project has a data folder: the one for all projects appears whenever Serena starts."""
        return any(not tree.prefix for tree in self.trees)


def survey(scope: Scope, home_option: str, *, with_global: bool, thorough: bool) -> Layout:
    """Look for Serena's folders; `thorough` reads settings that only a health report needs."""
    return _Survey(scope, home_option, thorough).layout(with_global)


class _Survey:
    """One look: every settings file is read once, every folder is taken once."""

    def __init__(self, scope: Scope, home_option: str, thorough: bool) -> None:
        self._scope = scope
        self._home = serena_home(scope, home_option)
        wanted = LISTING_KEYS | {PROJECTS} if scope.all_projects else LISTING_KEYS
        self._keys = None if thorough else wanted
        self._config = os.path.join(self._home, "serena_config.yml")
        # They say where data folders are: unread, they may hide memories.
        self._settings = read_settings(self._config, self._keys, hides_entries=True)
        self._problems = list(self._settings.problems)
        self._places: list[str] = []
        self._seen: set[str] = set()
        self._withheld = ""

    def layout(self, with_global: bool) -> Layout:
        """All trees; the one for all projects comes before a project's own `global/` folder."""
        scope = self._scope
        label = scope.names[0] if scope.names else scope.root.name
        own = [tree for root, origin in self._own_roots() for tree in self._trees(root, origin, label)]
        withheld = self._withheld  # by this project's settings, not another's
        others = list(self._other_projects()) if scope.all_projects else []
        # Patterns of the project in hand decide for memories of all projects too, as in Serena.
        patterns = own[0].ignored if own else self._patterns(Settings(), self._home)
        shared = self._global_tree(patterns) if with_global else []
        return Layout(
            installed=os.path.lexists(self._config),
            trees=(*shared, *own, *others),
            withheld=withheld,
            problems=tuple(self._problems),
            places=tuple(self._places),
            whose=self._scope.whose,
        )

    def _own_roots(self) -> Iterator[tuple[str, str]]:
        """Folders that are projects to Serena: sub-folders with a `.serena`, the root, the main checkout."""
        scope = self._scope
        if scope.cwd.is_relative_to(scope.root):
            for folder in (scope.cwd, *scope.cwd.parents):
                if folder == scope.root:
                    break
                if os.path.lexists(folder / ".serena"):
                    yield str(folder), folder.relative_to(scope.root).as_posix()
        yield str(scope.root), "" if scope.main_root == scope.root else "worktree"
        if scope.main_root != scope.root:
            yield str(scope.main_root), "main-checkout"

    def _other_projects(self) -> Iterator[Tree]:
        """Projects that Serena knows on this machine; stale entries are normal and skipped."""
        used: dict[str, int] = {}
        for path in self._settings.texts(PROJECTS):
            root = str(self._scope.expand(path))
            if _kind(root) != "folder":
                continue
            label = display_path(os.path.basename(root.rstrip("/\\")) or root)
            for tree in self._trees(root, label, label):
                number = used.setdefault(label, 1)
                yield tree._replace(apart=f"{label}~{number}//" if number > 1 else f"{label}//")
            if label in used:
                used[label] += 1

    def _trees(self, root: str, origin: str, label: str) -> Iterator[Tree]:
        configured = self._configured(root)
        in_tree = os.path.join(root, ".serena")
        self._look_at(configured)
        hidden_by = ""
        if self._take(configured):
            yield self._tree(configured, origin, label)
            hidden_by = configured
        if configured != in_tree:
            self._look_at(in_tree)
            if self._take(in_tree):
                yield self._tree(in_tree, origin or ("in-tree" if hidden_by else ""), label, hidden_by)

    def _tree(self, data: str, origin: str, label: str, hidden_by: str = "") -> Tree:
        settings = read_project_settings(data, self._keys)
        self._problems.extend(settings.problems)
        self._withheld = self._withheld or why_withheld(self._settings, settings)
        memories = os.path.join(data, "memories")
        patterns = self._patterns(settings, data)
        return Tree(memories, "", origin, label, patterns, hidden_by=hidden_by)

    def _patterns(self, project: Settings, place: str) -> Patterns:
        patterns = compile_all((*self._settings.texts(IGNORED), *project.texts(IGNORED)))
        for reason in patterns.refused:
            self._report(Problem(display_path(place), reason))
        return patterns

    def _global_tree(self, patterns: Patterns) -> list[Tree]:
        folder = os.path.join(self._home, "memories", "global")
        self._look_at(folder)
        kind = self._kind_of(folder)
        return [Tree(folder, "global/", "global", ignored=patterns)] if kind == "folder" else []

    def _configured(self, root: str) -> str:
        """The data folder as the settings say; an unknown placeholder keeps Serena itself from starting."""
        template = self._settings.text(LOCATION) or _DEFAULT_LOCATION
        known = {"projectDir": root, "projectFolderName": os.path.basename(root)}
        unknown = sorted({name for name in _PLACEHOLDER.findall(template) if name not in known})
        if unknown:
            reason = f"unknown placeholder ${unknown[0]} in {LOCATION}: Serena does not start with it"
            self._report(Problem(display_path(self._config), reason, hides_entries=True))
            return os.path.join(root, ".serena")
        path = _PLACEHOLDER.sub(lambda match: known[match.group(1)], template)
        if path.startswith(("~/", "~\\")):
            path = str(self._scope.home / path[2:])
        return os.path.normpath(os.path.join(root, path))

    def _take(self, data: str) -> bool:
        """Whether a data folder is there and not taken yet."""
        kind = self._kind_of(data)
        real = os.path.realpath(data)
        if kind != "folder" or real in self._seen or self._is_serena_itself(data, real):
            return False
        self._seen.add(real)
        return True

    def _is_serena_itself(self, data: str, real: str) -> bool:
        """Serena's home is no project, unless somebody opened the home folder as one."""
        return real == os.path.realpath(self._home) and not os.path.lexists(os.path.join(data, "project.yml"))

    def _kind_of(self, path: str) -> str:
        """As `_kind`; what is there and cannot be used is reported."""
        kind = _kind(path)
        if kind not in ("folder", ""):
            self._report(Problem(display_path(path), kind, hides_entries=True))
        return kind

    def _look_at(self, folder: str) -> None:
        if display_path(folder) not in self._places:
            self._places.append(display_path(folder))

    def _report(self, problem: Problem) -> None:
        if problem not in self._problems:
            self._problems.append(problem)


def serena_home(scope: Scope, option: str) -> str:
    """Serena's home folder: the option, else the environment's, else the usual one."""
    configured = option.strip() or scope.env.get("SERENA_HOME", "").strip()
    return str(scope.expand(configured) if configured else Path(scope.home) / ".serena")


def _kind(path: str) -> str:
    """ "folder", "" when nothing is there, else why it is no folder that can be used."""
    if reason := obstacle(path):
        return reason
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError) as error:
        return why(error)
    return "folder" if stat.S_ISDIR(mode) else "not a folder"
