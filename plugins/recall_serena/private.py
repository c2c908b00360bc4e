"""A Serena of our own: with a home that is ours, so that nothing of the user's is written, whatever it does.

Serena rewrites settings, registers projects, makes folders in them, and logs what it reads. So it is given a home
folder and a data folder in a scratch folder; in them are links to the memories, which it is only asked to list and
read. What starts with Serena by itself (language servers, an IDE, the dashboard, a window, usage reports) is off.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from recall import scratch
from recall.api import Scope
from recall.errors import StoreAbsent, StoreBroken
from recall.files import is_folder, why
from recall.transport.mcp import Stdio
from recall.transport.process import find_program
from recall_serena.layout import Layout, serena_home
from recall_serena.settings import read_settings

KIND = "recall-serena-"  # what scratch folders begin with
_LANGUAGE_SETTINGS = "ls_specific_settings"


class Opening(NamedTuple):
    """All that decides what a Serena serves: for another one, another process is started."""

    argv: tuple[str, ...]
    program: str  # stamp of the program's file: an upgrade is another one
    root: str
    memories: str  # the project's folder of memories, "" = none
    shared: str  # the one for all projects, "" = none
    ignored: tuple[str, ...]
    language_servers: tuple[str, ...]
    language_settings: str  # the user's own, as JSON


def opening(
    scope: Scope, layout: Layout, command: tuple[str, ...], language_servers: tuple[str, ...], home: str
) -> Opening:
    """What is to be opened for a project; raises StoreAbsent if there is no such program."""
    folders = {tree.prefix: tree.folder for tree in reversed(layout.trees) if is_folder(tree.folder)}
    own = next((tree for tree in layout.trees if not tree.prefix), None)
    patterns = own.ignored if own else layout.trees[0].ignored
    program = _program(scope, command)
    return Opening(
        argv=(program, *command[1:], "start-mcp-server", "--project", str(scope.root)),
        program=_stamp(program),
        root=str(scope.root),
        memories=folders.get("", ""),
        shared=folders.get("global/", ""),
        ignored=tuple(pattern.pattern for pattern, _choices in patterns.compiled),
        language_servers=language_servers,
        language_settings=_language_settings(scope, home) if language_servers else "",
    )


def server(opened: Opening, env: Mapping[str, str]) -> Stdio:
    """The server to be started, with its private home made; raises StoreBroken if that cannot be written."""
    try:
        folder = scratch.new(KIND)
        _make_home(os.path.join(folder, "home"), os.path.join(folder, "project"), opened)
    except OSError as error:
        raise StoreBroken(f"no private home for Serena can be made: {why(error)}") from None
    return Stdio(opened.argv, environment(env, os.path.join(folder, "home")), folder, folder)


def environment(env: Mapping[str, str], home: str) -> dict[str, str]:
    """The whole environment, with a home of Serena's own, and no usage reports."""
    return {**env, "SERENA_HOME": home, "SERENA_USAGE_REPORTING": "false"}


def _program(scope: Scope, command: tuple[str, ...]) -> str:
    name = command[0]
    path = str(scope.expand(name)) if name.startswith("~") else name
    program = find_program(path, scope.env, scope.roots)
    if program is None:
        raise StoreAbsent(
            f"there is no program {name!r}", 'install Serena, correct `command`, or set mode = "files"'
        )
    return program


def _stamp(program: str) -> str:
    try:
        found = os.stat(program)
    except OSError:
        return ""  # starting it will say why
    return f"{os.path.realpath(program)} {found.st_mtime_ns}:{found.st_size}:{found.st_ino}"


def _language_settings(scope: Scope, home: str) -> str:
    config = os.path.join(serena_home(scope, home), "serena_config.yml")
    try:
        return json.dumps(read_settings(config, {_LANGUAGE_SETTINGS}).values.get(_LANGUAGE_SETTINGS) or {})
    except (TypeError, ValueError):
        return "{}"


def _make_home(home: str, project: str, opened: Opening) -> None:
    os.makedirs(os.path.join(home, "memories"))
    os.mkdir(project)
    backend = "LSP" if opened.language_servers else "JetBrains"
    _write(
        os.path.join(home, "serena_config.yml"),
        {
            "project_serena_folder_location": project,
            "projects": [],
            "agent_interface": "tools",  # 2.x; without, new installations offer Python code only
            "language_backend": backend,  # JetBrains: no language server is started, and no IDE either
            _LANGUAGE_SETTINGS: json.loads(opened.language_settings or "{}"),
            "gui_log_window": False,
            "web_dashboard": False,
            "web_dashboard_open_on_launch": False,
            "record_tool_usage_stats": False,
            "log_level": 30,  # at 20, memories' texts are logged
        },
    )
    _write(
        os.path.join(project, "project.yml"),
        {
            "project_name": "recall",
            "read_only": True,
            "language_servers": opened.language_servers,
            "languages": opened.language_servers,  # its name before 1.7
            "ignored_memory_patterns": opened.ignored,
        },
    )
    if opened.memories:
        os.symlink(opened.memories, os.path.join(project, "memories"))
    if opened.shared:
        os.symlink(opened.shared, os.path.join(home, "memories", "global"))


def _write(path: str, values: Mapping[str, Any]) -> None:
    """A settings file, a key a line; a value in JSON is one in YAML."""
    with open(path, "x", encoding="utf-8") as file:
        file.writelines(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in values.items())
