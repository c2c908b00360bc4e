"""A scripted MCP server over stdio, run as a program: `python mcp_server.py BEHAVIOUR [FOLDER]`.

FOLDER: gets a file `started` with its process id, and one file a call.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SEARCH = {
    "name": "search_notes",
    "description": "Search.",
    "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "page_size": {"type": "integer"}},
        "required": ["query"],
    },
}


def say(message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def notify() -> None:
    say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}})


def hang() -> None:
    """Ends by no signal but the last one, and reads nothing any more."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)


def greeting(request: Any) -> dict[str, Any]:
    return {
        "protocolVersion": request["params"]["protocolVersion"],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "scripted", "version": "1.2"},
    }


def answer(behaviour: str, arguments: dict[str, Any]) -> dict[str, Any]:
    if behaviour == "refuses":
        return {"content": [{"type": "text", "text": "Error: no index\nmore"}], "isError": True}
    if behaviour == "echoes":
        found = {"arguments": arguments, "env": dict(os.environ), "cwd": os.getcwd()}
        return {"content": [{"type": "text", "text": json.dumps(found)}]}
    if behaviour == "images":
        return {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]}
    if behaviour == "halves":  # as a text that was cut within a character
        return {"content": [{"type": "text", "text": "결제 \ud83d"}]}
    notes = [
        {
            "title": "결제 재시도",
            "text": "Retry twice.",
            "file": "notes/retry.md",
            "id": 7,
            "at": "2026-05-01",
        },
        {"title": "Rollback", "text": "Use make rollback.", "file": "notes/rollback.md", "id": 8},
    ]
    if behaviour == "text":
        text = "\n---\n".join(f"# {note['title']}\n{note['text']}" for note in notes)
        return {"content": [{"type": "text", "text": text}]}
    if behaviour == "large":
        notes[0]["text"] = "x" * 2_000_000
    found = {"results": notes, "total": len(notes)}
    return {"content": [{"type": "text", "text": json.dumps(found)}], "structuredContent": found}


def main(behaviour: str, folder: Path | None) -> None:
    if folder is not None:
        (folder / f"started-{os.getpid()}").touch()
        if (folder / "begun").is_fifo():  # whoever reads it knows that it has
            (folder / "begun").open("w").close()
    if behaviour == "dies":
        print("Traceback ...\nConfigError: no home", file=sys.stderr, flush=True)
        sys.exit(3)
    if behaviour == "floods":
        while True:
            print("x" * 65_536, end="", flush=True)
    while behaviour == "empty lines":
        print("\n" * 65_536, end="", flush=True)
    while behaviour == "notifies in the handshake":
        notify()
    if behaviour in ("banner", "junk"):
        print("Welcome to the notes server!", flush=True)
    if behaviour == "children":
        subprocess.Popen([sys.executable, __file__, "hangs at once"], stdin=subprocess.DEVNULL)
    if behaviour in ("hangs in the handshake", "hangs at once", "junk"):
        hang()
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if method == "initialize":
            result: Any = {"version": 1} if behaviour == "greets otherwise" else greeting(request)
        elif method == "tools/list":
            result = {"tools": [] if behaviour == "has no tools" else [SEARCH]}
        elif method == "tools/call":
            if folder is not None:
                (folder / "called").touch()
            if behaviour == "hangs in a call":
                hang()
            while behaviour == "notifies without an end":
                notify()
            if behaviour == "prints its answer":
                print("DEBUG: two notes found", flush=True)
                continue
            while behaviour == "waits" and folder is not None and not (folder / "go").exists():
                time.sleep(0.01)
            if behaviour == "dies in a call":
                print("sqlite3.OperationalError: disk I/O error", file=sys.stderr, flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            result = answer(behaviour, request["params"]["arguments"])
        else:
            continue
        say({"jsonrpc": "2.0", "id": request["id"], "result": result})
    if behaviour == "hangs in the end":
        hang()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]) if sys.argv[2:] else None)
