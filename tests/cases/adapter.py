"""Renames the program's JSON to the words of the hard cases' runner; filters, sorts and repairs nothing."""

from __future__ import annotations

import json
import sys
from typing import Any

_STATES = {"ready": "ok", "absent": "missing", "off": "missing"}


class Adapter:
    """Health, query, checkpoint and bootstrap, on the command line and as a hook."""

    def own_paths(self, world: Any) -> list[Any]:
        """The folders the program may write."""
        return [world.home / ".cache" / "recall", world.home / ".local" / "state" / "recall"]

    def command(self, step: dict[str, Any], _world: Any) -> dict[str, Any]:
        """The command line of a step."""
        recall = [sys.executable, "-m", "recall"]
        if step["action"] == "query":
            return {"argv": [*recall, "query", "--json", "--", (step.get("query") or "").replace("\0", "")]}
        if step.get("surface") == "hook":
            return {"argv": [*recall, "hook", "session-start"]}
        if step["action"] == "bootstrap":
            return {"argv": [*recall, "bootstrap", "--json"]}
        if step["action"] == "health":
            return {"argv": [*recall, "doctor", "--json"]}
        if step["action"] == "checkpoint":
            return {"argv": [*recall, "checkpoint", *_checkpoint(step)]}
        return {"argv": [*recall, step["action"]]}

    def parse(self, step: dict[str, Any], _world: Any, code: int, out: str, err: str) -> dict[str, Any]:
        """What the step said, renamed."""
        if step.get("surface") == "hook":
            return {}
        document = json.loads(out)
        if step["action"] == "bootstrap":
            return {"notes": [*document["notices"], *err.splitlines()], "facts": {"git": _git(document)}}
        if step["action"] == "checkpoint":
            return {"notes": [*document.get("notes", []), *err.splitlines()], "facts": _facts(document, code)}
        rows = document.get("outcomes") or document.get("providers") or []
        return {
            "providers": {
                row["provider"]: {"state": _STATES.get(row["state"], row["state"]), "notes": _notes(row)}
                for row in rows
            },
            "hits": [hit for memory in document.get("memories", []) for hit in _hits(memory)],
            "notes": [*document.get("notices", []), *err.splitlines()],
            "facts": {},
        }


def _checkpoint(step: dict[str, Any]) -> list[str]:
    if step["op"] == "restore":
        return ["list", "--all", "--json"]
    base = ["--base", step["base"]] if step.get("base") else []
    return ["milestone", "--json", *base, "--", step["text"]]


def _facts(document: dict[str, Any], code: int) -> dict[str, Any]:
    if "entries" in document:
        latest = document["latest"] or {}
        return {"entries": [one["text"] for one in document["entries"]], "latest": latest.get("text")}
    error = document.get("error") or {}
    return {
        "saved": document.get("saved", False),
        "refused": code != 0,
        "token": document.get("revision"),
        "reason": document.get("reason") or error.get("message"),
    }


def _git(document: dict[str, Any]) -> dict[str, Any]:
    now = document["now"]
    if now is None:
        return {"state": "none"}
    return {
        "state": "repo" if now["state"] in ("ready", "unborn branch") else now["state"],
        "head": now["head"] or None,
        "branch": now["branch"] or None,
        "detached": now["detached"],
        "dirty": now["dirty"],
        "files": now["files"],
        "fingerprint": document["fingerprint"],
    }


def _notes(row: dict[str, Any]) -> list[str]:
    problems = [f"{problem['where']}: {problem['reason']}" for problem in row["problems"]]
    return [row["reason"], row["next_command"], *row.get("notes", []), *row.get("facts", []), *problems]


def _hits(memory: dict[str, Any]) -> list[dict[str, Any]]:
    related = [*memory["disagrees"], *memory["similar"]]
    return [
        {
            "provider": one["source"],
            "source": one["uri"],
            "title": one["title"],
            "description": "",
            "text": one["text"],
            "project": one["project"],
            "flags": one["flags"],
        }
        for one in (memory, *related)
    ]
