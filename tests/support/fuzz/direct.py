"""What is no file of notes: whole databases, what git prints, and what commits hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from recall.api import Deadline, Entry, Memory, Problem, Scope
from recall.errors import ProviderError
from recall.git import commits
from recall.index import IN_MEMORY, Index
from recall.intake import prepare
from recall.tokens import Tokenizer
from recall_claude_mem.provider import ClaudeMemProvider
from recall_git.memories import memory
from recall_git.provider import GitOptions, GitProvider
from recall_markdown.provider import MarkdownProvider
from recall_markdown.stores import MarkdownOptions
from recall_serena.provider import SerenaProvider
from recall_state.provider import StateProvider
from support.fuzz import samples
from support.fuzz.kinds import KINDS as FILES
from support.fuzz.mutate import mutated
from support.repositories import ENV, Repo
from support.worlds import make_scope

if TYPE_CHECKING:
    from support.fuzz.run import Figures

_SECONDS = 60.0


def _databases(place: Path, random: Random, count: int, figures: Figures) -> None:
    """Databases of a few rows, with their log or journal, damaged as files."""
    scope = make_scope(place)
    path = scope.home / ".claude-mem" / "claude-mem.db"
    FILES["claude-mem: rows"].fill(scope, random, 0, 8)
    good = path.read_bytes()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE more (a)")
    logged = path.read_bytes(), path.with_name("claude-mem.db-wal").read_bytes()
    connection.close()
    journal = bytes.fromhex("d9d505f920a163d7") + bytes(504) + good[:4096]
    for number in range(count):
        base, beside = random.choice(
            ((good, {}), (good, {"-journal": journal}), (logged[0], {"-wal": logged[1]}))
        )
        path.write_bytes(_damaged(random, base))
        for suffix in ("-wal", "-shm", "-journal"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        for suffix, data in beside.items():
            path.with_name(path.name + suffix).write_bytes(_damaged(random, data))
        figures.guarded(f"database {number}", lambda: _read(ClaudeMemProvider(), scope, figures))


def _damaged(random: Random, data: bytes) -> bytes:
    """Mostly a few bytes flipped, so that SQLite still takes it for a database."""
    if random.randrange(4) == 0:
        return mutated(random, (data,))
    changed = bytearray(data)
    for _ in range(random.randrange(12)):
        changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _context(place: Path, random: Random, count: int, figures: Figures) -> None:
    """Journals of checkpoints and snapshots in turn: a project has one of each."""
    scope = make_scope(place)
    folder = scope.root / ".context"
    folder.mkdir()
    spots = (("CONVERSATION.jsonl", samples.JOURNAL), ("SNAPSHOT.json", samples.SNAPSHOT))
    for number in range(count):
        name, looks = spots[number % 2]
        (folder / name).write_bytes(mutated(random, looks))
        figures.guarded(f"{name} {number}", lambda: _read(StateProvider(), scope, figures))


def _settings(place: Path, random: Random, count: int, figures: Figures) -> None:
    """The settings that sources keep beside their memories, in turn."""
    scope = make_scope(place)
    providers = (SerenaProvider, ClaudeMemProvider, lambda: MarkdownProvider(MarkdownOptions()))
    spots = (
        (scope.root / ".serena" / "project.yml", samples.SERENA_PROJECT),
        (scope.home / ".serena" / "serena_config.yml", samples.SERENA_CONFIG),
        (scope.home / ".claude-mem" / "settings.json", samples.CLAUDE_MEM_SETTINGS),
        (scope.home / ".claude" / "settings.json", samples.CLAUDE_SETTINGS),
    )
    note = scope.root / ".serena" / "memories" / "core.md"
    for path in (note, *(path for path, _looks in spots)):
        path.parent.mkdir(parents=True, exist_ok=True)
    note.write_bytes(samples.NOTES[0])
    for number in range(count):
        path, looks = spots[number % len(spots)]
        path.write_bytes(mutated(random, looks))
        for provider in providers:
            figures.guarded(f"{path.name} {number}", lambda made=provider: _read(made(), scope, figures))  # type: ignore[misc]


def _read(provider: Any, scope: Scope, figures: Figures) -> None:
    """Everything that a source has, and how it is."""
    deadline = Deadline.after(_SECONDS)
    try:
        listed = [entry for entry in provider.entries(scope, deadline) if isinstance(entry, Entry)]
        read = [item for entry in listed for item in provider.load(entry, scope)]
        figures.problems += sum(isinstance(item, Problem) for item in read)
        figures.memories += _taken(provider.name, Entry("all", "-"), read)
    except ProviderError:
        figures.problems += 1
    provider.health(scope, deadline)


def _output(_place: Path, random: Random, count: int, figures: Figures) -> None:
    """What `git log` prints, damaged: commits or nothing, never a crash."""
    for number in range(count):
        data = mutated(random, (*samples.COMMITS, b"".join(samples.COMMITS)))

        def work(data: bytes = data) -> None:
            found = [memory(commit, "shop-api") for commit in commits.parse(data.split(b"\0"))]
            kept = [one for one in found if isinstance(one, Memory) and one.id]
            figures.memories += _taken("git", Entry("output", "-"), kept)

        figures.guarded(f"output {number}", work)


def _commits(place: Path, random: Random, count: int, figures: Figures) -> None:
    """Real commits with messages, authors and paths as no editor would write them."""
    repo = Repo.new(place / "shop-api", place / "home")
    stream = b"".join(_commit(random, number) for number in range(count))
    repo.git("fast-import", "--quiet", "--force", stdin=stream)
    provider = GitProvider(GitOptions())
    scope = make_scope(place, in_git=True, env=ENV)

    def work() -> None:
        listed = provider.entries(scope, Deadline.after(_SECONDS))
        found = [entry for entry in listed if isinstance(entry, Entry)]
        if len(found) != count:
            raise AssertionError(f"{len(found)} of {count} commits listed")
        items = [item for entry in found for item in provider.load(entry, scope)]
        figures.problems += sum(isinstance(item, Problem) for item in items)
        figures.memories += _taken("git", Entry("all", "-"), items)
        provider.health(scope, Deadline.after(_SECONDS))

    figures.guarded("commits", work, count)


def _commit(random: Random, number: int) -> bytes:
    message = mutated(random, samples.MESSAGES)[:200_000]
    name = mutated(random, (b"Kim Dev",))[:200].translate(None, b"<>\n\0\r") or b"x"
    path = b"f/" + (mutated(random, (b"app/retry.py",))[:120].translate(None, b'"\n\0\\/') or b"x")
    start = b"reset refs/heads/main\n\n" if number == 0 else b""
    return (
        start
        + b"commit refs/heads/main\ncommitter "
        + name
        + b" <dev@example.com> %d +0900\n" % (1_760_000_000 + number)
        + b"data %d\n" % len(message)
        + message
        + b"\nM 100644 inline "
        + path
        + b"\ndata 1\nx\n"
    )


def _taken(provider: str, entry: Entry, items: object) -> int:
    """Have the host take what was read: cleaned, masked, indexed; how many memories that is."""
    loaded = prepare(provider, entry.key, entry.stamp, items, _TOKENIZER)  # type: ignore[arg-type]
    if not loaded.rows:
        return 0
    index = Index(IN_MEMORY)
    try:
        index.store(provider, [loaded])
        return index.size()
    finally:
        index.close()


_TOKENIZER = Tokenizer({})

KINDS: Mapping[str, Callable[[Path, Random, int, Figures], None]] = {
    "claude-mem: databases": _databases,
    "state: .context": _context,
    "settings of sources": _settings,
    "git: output": _output,
    "git: commits": _commits,
}
