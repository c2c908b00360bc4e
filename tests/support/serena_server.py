"""A Serena for tests: `python serena_server.py VERSION BEHAVIOUR FOLDER start-mcp-server --project ROOT`.

It takes folders and settings as the real one does (SERENA_HOME, its data folder), and writes there as that does.
VERSION chooses arguments, shapes and failures: 0.1.4, 1.0.0, 1.7.0, 2.1.0. FOLDER gets `started-PID`, `env`, and
`calls` with a line a call.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MISSING = "Memory file {name} not found, consider creating it with the `write_memory` tool if you need it."


class Serena:
    """One run of it."""

    def __init__(self, version: str, behaviour: str, folder: Path, root: Path) -> None:
        self.version = tuple(int(part) for part in version.split("."))
        self.told = version if self.version >= (2,) else "1.28.1"
        self.behaviour = behaviour
        self.folder = folder
        self.root = root
        self.home = Path(os.environ.get("SERENA_HOME") or Path.home() / ".serena")
        settings = self.home / "serena_config.yml"
        self.settings = _settings(settings) if settings.exists() else {}
        placed = str(self.settings.get("project_serena_folder_location", "$projectDir/.serena"))
        self.data = Path(placed.replace("$projectDir", str(root)))
        self.project = _settings(self.data / "project.yml") if (self.data / "project.yml").exists() else {}

    def start(self) -> None:
        """What it does at its start: traces everywhere."""
        (self.folder / f"started-{os.getpid()}").touch()
        (self.folder / "env").write_text(json.dumps(dict(os.environ)))
        if self.behaviour == "dies":
            print("Traceback ...\nKeyError: 'languages'", file=sys.stderr, flush=True)
            sys.exit(1)
        (self.home / "logs").mkdir(parents=True, exist_ok=True)
        (self.home / "logs/mcp.txt").write_text("started\n")
        self.data.mkdir(parents=True, exist_ok=True)
        (self.data / ".gitignore").write_text("/cache\n")
        (self.data / "memories").mkdir(exist_ok=True)

    def tools(self) -> list[dict[str, Any]]:
        name = "memory_file_name" if self.version < (1,) else "memory_name"
        path = "name_path" if self.version < (1,) else "name_path_pattern"
        found = [_tool("read_memory", name, required=name)]
        if self.behaviour != "no memories":
            found.append(_tool("list_memories", *(() if self.version < (1,) else ("topic",))))
        pattern = ("substring_pattern", "context_lines_before", "context_lines_after", "max_answer_chars")
        found.append(_tool("search_for_pattern", *pattern, required="substring_pattern"))
        if self.project.get("language_servers"):
            found.append(_tool("find_symbol", path, "include_body", "max_answer_chars", required=path))
        return found

    def call(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        with (self.folder / "calls").open("a") as file:
            file.write(json.dumps([name, given], ensure_ascii=False) + "\n")
        if self.behaviour == f"hangs in {name}":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(10_000)
        dies_once = self.behaviour == f"dies once in {name}" and len([*self.folder.glob("started-*")]) == 1
        if dies_once or self.behaviour == f"dies in {name}":
            print("MemoryError", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            return _answer(getattr(self, name)(given))
        except (OSError, ValueError, KeyError) as error:
            return self.failure(name, error)

    def failure(self, name: str, error: Exception) -> dict[str, Any]:
        """A tool's failure: before 1.6 an ordinary text."""
        if self.version >= (1, 6):
            return {
                **_answer(f"Error executing tool {name}: {type(error).__name__}: {error}"),
                "isError": True,
            }
        return _answer(f"Error executing tool: {type(error).__name__} - {error}")

    def names(self) -> Iterator[str]:
        ignored = self.project.get("ignored_memory_patterns", [])
        for folder, prefix in ((self.data / "memories", ""), (self.home / "memories/global", "global/")):
            for path in sorted(folder.rglob("*.md")):
                name = prefix + path.relative_to(folder).as_posix().removesuffix(".md")
                if not any(re.fullmatch(pattern, name) for pattern in ignored):
                    yield name

    def list_memories(self, _given: dict[str, Any]) -> str:
        if self.behaviour == "inactive":
            return "Error: Tool 'list_memories' is not active. Active tools: []"
        names = [] if self.behaviour == "lists none" else list(self.names())
        if self.version < (1,):
            return json.dumps(names, ensure_ascii=False)
        groups = {"memories": [name for name in names if not name.startswith("global/")]}
        groups["read_only_memories"] = [name for name in names if name.startswith("global/")]
        return json.dumps({group: held for group, held in groups.items() if held}, ensure_ascii=False)

    def read_memory(self, given: dict[str, Any]) -> str:
        name = given["memory_file_name" if self.version < (1,) else "memory_name"]
        inside = name.removeprefix("global/")
        base = self.data / "memories" if inside == name else self.home / "memories/global"
        path = base / f"{inside}.md"
        if self.behaviour == "forgets" or not path.exists():
            if self.version < (1, 6):
                return MISSING.format(name=name)
            raise FileNotFoundError(f"Memory named '{name}' not found")
        return path.read_text("utf-8")

    def search_for_pattern(self, given: dict[str, Any]) -> str:
        found: dict[str, list[str]] = {}
        for path in sorted(self.root.rglob("*")):
            lines = path.read_text("utf-8").splitlines() if path.is_file() else []
            for number, line in enumerate(lines):
                if re.search(given["substring_pattern"], line):
                    told = number + (self.version < (1, 1))  # the first line's number was 1
                    before = [f"...  {told - 1:>2}:{lines[number - 1]}"] if number else []
                    block = "\n".join([*before, f"  >  {told:>2}:{line}"])
                    found.setdefault(path.relative_to(self.root).as_posix(), []).append(block)
        text = json.dumps(found, ensure_ascii=False)
        if len(text) > given.get("max_answer_chars", 150_000) or self.behaviour == "too long":
            return f"The answer is too long ({len(text)} characters). You can adjust your query."
        return text

    def find_symbol(self, given: dict[str, Any]) -> str:
        pattern = given.get("name_path_pattern", given.get("name_path"))
        found = []
        for path in sorted(self.root.rglob("*.py")):
            for number, line in enumerate(path.read_text("utf-8").splitlines()):
                if line.startswith(f"def {pattern}("):
                    place = {"relative_path": path.relative_to(self.root).as_posix()}
                    body = {"body_location": {"start_line": number, "end_line": number}, "body": line}
                    found.append({"name_path": pattern, "kind": "Function", **place, **body})
        return json.dumps(found)


def _settings(path: Path) -> dict[str, Any]:
    import yaml

    return dict(yaml.safe_load(path.read_text("utf-8")) or {})


def _tool(name: str, *arguments: str, required: str = "") -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {argument: {} for argument in arguments},
        "required": [required] if required else [],
    }
    return {"name": name, "description": name, "inputSchema": schema}


def _answer(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "structuredContent": {"result": text}}


def main(version: str, behaviour: str, folder: Path, arguments: list[str]) -> None:
    if arguments == ["--version"]:
        Path(os.environ["SERENA_HOME"], "made-by-looking").touch()
        print(f"Serena {version}")
        return
    serena = Serena(version, behaviour, folder, Path(arguments[arguments.index("--project") + 1]))
    serena.start()
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if method == "initialize":
            if behaviour == "hangs in the handshake":
                time.sleep(10_000)
            result: Any = {
                "protocolVersion": request["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "Serena", "version": serena.told},
            }
        elif method == "tools/list":
            result = {"tools": serena.tools()}
        elif method == "tools/call":
            result = serena.call(request["params"]["name"], request["params"].get("arguments") or {})
        else:
            continue
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
