"""Where settings are written: the user's file, the project's file, the environment, the command line."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from recall.errors import StoreBroken
from recall.files import display_path, read_bytes
from recall.settings import shape
from recall.settings.layers import Layer, layer_of
from recall.settings.model import FAMILIES, TABLES, canonical
from recall.settings.notation import KeyPath, did_you_mean, problem

PREFIX = "RECALL_"
PROJECT_FILE = ".recall.toml"
TRUST_FILE = "trust.json"  # in the state folder: which project files the user trusts
# Variables that are no settings: where recall keeps its own files, and shell completion.
RESERVED = frozenset(
    {"RECALL_CONFIG", "RECALL_CACHE_DIR", "RECALL_STATE_DIR", "RECALL_COMPLETE"}
    | {"RECALL_BIN"}  # tells the plugin for Claude Code where the program is
)

_SIZE_LIMIT = 1 << 18  # bytes of a settings file
_DEPTH_LIMIT = 20  # tables within tables; the deepest key that means anything has five parts
_TOO_DEEP = "nested too deeply"
_WHOLE_NUMBER_BITS = 63  # TOML 1.0: whole numbers are 64-bit signed


class ConfigFile(NamedTuple):
    """A settings file as read."""

    kind: str  # "user" or "project"
    path: str  # as it is shown
    content: bytes
    real_path: str  # as the file system spells it


def written_in(
    config_dir: Path, root: Path | None, home: Path | None, env: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Kind and path of each settings file, whether it is there or not."""
    named = env.get("RECALL_CONFIG", "")
    if named != os.devnull:
        path = f"{home}{named[1:]}" if home and named.startswith("~/") else named
        yield "user", path or os.path.join(config_dir, "config.toml")
    if root is not None:
        yield "project", os.path.join(root, PROJECT_FILE)


def config_files(
    config_dir: Path, root: Path | None, home: Path | None, env: Mapping[str, str], problems: list[str]
) -> list[ConfigFile]:
    """The settings files that are there, in ascending precedence.

    RECALL_CONFIG names another user file, which then must be there; the null device means none.
    """
    found = []
    for kind, path in written_in(config_dir, root, home, env):
        must_exist = kind == "user" and bool(env.get("RECALL_CONFIG", ""))
        try:
            content = _content(path, must_exist)
        except StoreBroken as error:
            place = "RECALL_CONFIG" if must_exist else ""
            problems.append(problem(place, display_path(path), f"cannot be read: {error}"))
            continue
        if content is not None:
            found.append(ConfigFile(kind, display_path(path), content, path))
    return found


def _content(path: str, must_exist: bool) -> bytes | None:
    try:
        os.lstat(path)
    except ValueError:
        raise StoreBroken("not a path") from None
    except (FileNotFoundError, NotADirectoryError):
        if not must_exist:
            return None
    except OSError:
        pass  # reading tells why
    content = read_bytes(path, _SIZE_LIMIT + 1)
    if len(content) > _SIZE_LIMIT:
        raise StoreBroken(f"larger than {_SIZE_LIMIT:,} bytes")
    return content


def file_layer(file: ConfigFile, problems: list[str]) -> Layer:
    """A settings file's values and the line of each; empty, with a line in `problems`, if it is not TOML."""
    import tomllib

    from recall.settings.lines import deepest_key, key_lines

    try:
        text = file.content.decode("utf-8-sig")
        deep = deepest_key(text) > _DEPTH_LIMIT
        data = {} if deep else tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = file.content.count(b"\n", 0, error.start) + 1
        problems.append(problem(f"{file.path}:{line}", "not valid UTF-8; save it as UTF-8"))
        return Layer(file.kind, {}, {}, file.path)
    except (ValueError, RecursionError) as error:
        problems.append(_syntax_problem(file, error))
        return Layer(file.kind, {}, {}, file.path)
    if reason := _TOO_DEEP if deep else beyond_limits(data):
        problems.append(problem(file.path, reason))
        return Layer(file.kind, {}, {}, file.path)
    places = {path: f"{file.path}:{line}" for path, line in key_lines(text).items()}
    return layer_of(file.kind, data, places, file.path)


def _syntax_problem(file: ConfigFile, error: Exception) -> str:
    """The TOML reader's own words ("Invalid value (at line 3, column 7)"), the line moved to the front."""
    if isinstance(error, RecursionError):
        return problem(file.path, _TOO_DEEP)
    words, _, where = str(error).partition(" (at ")
    line = where.removeprefix("line ").split(",")[0]
    if where.startswith("end of document"):
        line = str(file.content.rstrip().count(b"\n") + 1)
    place = f"{file.path}:{line}" if line.isdecimal() else file.path
    return problem(place, "not valid TOML", words[:1].lower() + words[1:])


def beyond_limits(data: Any) -> str:
    """Why a value is larger than any setting can be, or nothing. Counts by itself: nesting has no end."""
    pending: list[tuple[Any, int]] = [(data, 0)]
    while pending:
        value, depth = pending.pop()
        if depth > _DEPTH_LIMIT:
            return _TOO_DEEP
        if isinstance(value, dict):
            pending.extend((item, depth + 1) for item in value.values())
        elif isinstance(value, list):
            pending.extend((item, depth + 1) for item in value)
        elif isinstance(value, int) and value.bit_length() > _WHOLE_NUMBER_BITS:
            return "holds a whole number of more than 64 bits"
    return ""


def variables(env: Mapping[str, str]) -> dict[str, str]:
    """The environment's settings: every RECALL_ variable that is not reserved."""
    return {name: env[name] for name in sorted(env) if name.startswith(PREFIX) and name not in RESERVED}


def environment_layer(settings: Mapping[str, str], problems: list[str]) -> Layer:
    """`RECALL_QUERY__LIMIT=3` as `query.limit`. Values stay text until the type they must have is known."""
    data: dict[str, Any] = {}
    places: dict[KeyPath, str] = {}
    for name, text in settings.items():
        path = _variable_path(name)
        if path is None:
            problems.append(problem(name, f"unknown setting{did_you_mean(name, _variable_names())}"))
            continue
        table = data
        for part in path[:-1]:
            table = table.setdefault(part, {})
        table[path[-1]] = text
        places[path] = name
    return Layer("env", data, places)


def _variable_path(name: str) -> tuple[str, ...] | None:
    """The key a variable sets, or None if it can be none."""
    parts = name.removeprefix(PREFIX).lower().split("__")
    if name != name.upper() or not all(parts):
        return None
    if len(parts) == 2 and parts[0] in TABLES and parts[1] in shape.keys(TABLES[parts[0]]):
        return tuple(parts)
    if len(parts) == 4 and parts[0] == "providers" and parts[1] in FAMILIES:
        parts = [parts[0], f"{parts[1]}-{parts[2]}", parts[3]]
    if len(parts) == 3 and parts[0] == "providers":
        return ("providers", canonical(parts[1]), parts[2])
    return None


def _variable_names() -> Iterator[str]:
    yield from RESERVED
    for table, cls in TABLES.items():
        yield from (f"{PREFIX}{table}__{key}".upper() for key in shape.keys(cls))


def flag_layer(flags: Mapping[str, Any]) -> Layer:
    """Values from the command line, `{"query": {"limit": 3}}`; None means the flag was not given."""
    data: dict[str, Any] = {}
    places: dict[KeyPath, str] = {}
    pending: list[tuple[KeyPath, Mapping[str, Any], dict[str, Any]]] = [((), flags, data)]
    while pending:
        above, given, table = pending.pop()
        for key, value in given.items():
            path = (*above, key)
            if isinstance(value, Mapping):
                pending.append((path, value, table.setdefault(key, {})))
            elif value is not None:
                table[key] = value
                places[path] = "--" + key.replace("_", "-")
    return layer_of("flag", data, places, "command line")
