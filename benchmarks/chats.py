"""What a context is worth: questions about long conversations, through the transcripts provider and Engine.recall.

    python benchmarks/chats.py FOLDER

FOLDER holds conversations in the format of LoCoMo (https://github.com/snap-research/locomo), a JSON file each:
`speaker_a`, `session_<n>` (turns with `speaker`, `dia_id`, `text`), `session_<n>_date_time`, `qa` (`question`,
`evidence`: the turns that answer it). Each becomes sessions of Claude Code: speaker_a asks, the other one answers.
Prints R@1 and R@10 of the evidence, with each memory's context and without. Prints figures; without conversations it
says so in one line, with exit code 1.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recall import sources
from recall.api import Entry, Memory, Problem, Scope
from recall.engine import Engine
from recall.intake import memory_uri
from recall.places import Places
from recall.plugins import Plugin
from recall.settings import Settings
from recall_transcripts.provider import TranscriptsOptions, TranscriptsProvider

_FIRST = 10
_ADVERSARIAL = 5  # LoCoMo's category of questions without an answer
_UNLIMITED = 1_000_000  # tokens: the budget must not decide here


class _WithoutContext(TranscriptsProvider):
    """The same memories, found by their own words only."""

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        for item in super().load(entry, scope):
            yield replace(item, context="") if isinstance(item, Memory) else item


def main(arguments: list[str]) -> None:
    """Measure every conversation in the folder, both ways."""
    paths = sorted(Path(arguments[0]).glob("*.json")) if arguments else []
    if not paths:
        place = f"{arguments[0]} holds none" if arguments else "give the folder that holds them"
        sys.exit(f"chats.py: no conversations (*.json): {place}")
    print(f"{'context':<8} {'questions':>9} {'R@1':>6} {'R@10':>6} {'empty':>6}")
    for name, cls in (("without", _WithoutContext), ("with", TranscriptsProvider)):
        found = [figures for path in paths for figures in _measured(json.loads(path.read_text("utf-8")), cls)]
        count = max(1, len(found))
        first, ten, empty = (sum(column) for column in zip(*found, strict=True)) if found else (0, 0, 0)
        print(f"{name:<8} {len(found):>9} {first / count:>6.3f} {ten / count:>6.3f} {empty:>6}")


def _measured(
    conversation: dict[str, Any], cls: type[TranscriptsProvider]
) -> Iterator[tuple[float, float, bool]]:
    """Of each question: the share of its evidence in the first answer and in the first ten; whether there is none."""
    with tempfile.TemporaryDirectory(prefix="recall-chats-") as temporary:
        home, root = Path(temporary, "home"), Path(temporary, "project")
        root.mkdir()
        memory_of = _written(conversation, home, root)
        engine = _engine(Path(temporary), home, root, cls)
        engine.recall("the first question reads everything", deadline=600)
        for line in conversation["qa"]:
            turns = re.findall(r"D\d+:\d+", " ".join(map(str, line.get("evidence", ()))))
            wanted = [memory_of[turn] for turn in turns if turn in memory_of]
            if not wanted or line.get("category") == _ADVERSARIAL:
                continue
            answer = engine.recall(line["question"], limit=_FIRST, budget=_UNLIMITED, deadline=60, read=False)
            members = [member.row.uri for hit in answer.hits for member in hit.ranked.members()][:_FIRST]
            yield _share(wanted, members[:1]), _share(wanted, members), not members
        engine.close()


def _share(wanted: list[str], found: Iterable[str]) -> float:
    found = set(found)
    return sum(one in found for one in wanted) / len(wanted)


def _written(conversation: dict[str, Any], home: Path, root: Path) -> dict[str, str]:
    """The conversation as sessions on disk; the uri of the memory that each turn is part of."""
    folder = home / ".claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root))
    folder.mkdir(parents=True)
    memory_of: dict[str, str] = {}
    for name, turns in conversation.items():
        if not re.fullmatch(r"session_\d+", name):
            continue
        when = datetime.strptime(conversation[f"{name}_date_time"].strip(), "%I:%M %p on %d %B, %Y")
        first, lines = "", []
        for turn in turns:
            asks = turn["speaker"] == conversation["speaker_a"]
            first = turn["dia_id"] if asks or not first else first
            memory_of[turn["dia_id"]] = memory_uri("transcripts", f"claude/{first}")
            text = f"{turn['speaker']}: {turn.get('text') or turn.get('clean_text') or ''}"
            record = {
                "type": "user" if asks else "assistant",
                "uuid": turn["dia_id"],
                "cwd": str(root),
                "timestamp": when.replace(tzinfo=UTC).isoformat(),
                "message": {"content": f"{text} {turn.get('blip_caption') or ''}"},
            }
            lines.append(json.dumps(record) + "\n")
        (folder / f"{name}.jsonl").write_text("".join(lines), "utf-8")
    return memory_of


def _engine(folder: Path, home: Path, root: Path, cls: type[TranscriptsProvider]) -> Engine:
    provider = cls(TranscriptsOptions())
    plugin = Plugin(provider.name, "benchmark", "", provider, TranscriptsOptions())
    source = sources.Source(provider.name, provider, provider.authority, plugin)
    loaded = sources.Loaded(Settings(), (plugin,), {provider.name: source}, {})
    scope = Scope(home, root, root, root, ("project",))
    return Engine(scope, loaded, Places(folder / "config", folder / "cache", folder / "state"))


if __name__ == "__main__":
    main(sys.argv[1:])
