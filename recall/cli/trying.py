"""`recall providers --try NAME QUESTION`: a source that is asked, its raw answer beside what was understood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from recall.errors import UsageError

if TYPE_CHECKING:
    from recall.api import Memory
    from recall.cli.output import Output
    from recall.engine import Engine
    from recall.transport.tried import Tried

PATIENCE = 60.0  # seconds: a server that is tried for the first time may have to be installed first
_MOST_RAW = 8_000  # characters of the raw answer that are shown as text
_MOST_TEXT = 300  # characters of a memory's text


def option(command: Any) -> Any:
    """`--try NAME QUESTION`."""
    help = "Ask one search source: its raw answer, and what was understood of it."
    return click.option(
        "--try", "tried", nargs=2, type=str, metavar="NAME QUESTION", default=None, help=help
    )(command)


def run(engine: Engine, name: str, question: str, as_json: bool, output: Output) -> int:
    """Ask, and show. Exit code 0 when memories were understood, else 1; raises UsageError."""
    from recall.cli.run import FOUND, NOTHING

    tried, said = _ask(engine, name, question)
    if as_json:
        output.write_document(_document(name, tried, said))
    elif tried is None:
        output.write("".join(f"{line}\n" for line in said))
    else:
        _show(tried, output)
    output.flush()
    return FOUND if tried is not None and _memories(tried) else NOTHING


def _ask(engine: Engine, name: str, question: str) -> tuple[Tried | None, list[str]]:
    """What came, or why nothing did, line by line."""
    from recall import outcomes
    from recall.api import Deadline, Query
    from recall.fanout import Ended, Handed
    from recall.question import words

    source = engine.chosen([name]).get(name)
    if source is None:
        row = next(row for row in engine.plugins if row.name == name)
        return None, [f"{name} is not read: {row.reason}", *_step(row.next_step)]
    ask = getattr(source.provider, "try_out", None)
    if ask is None:
        raise UsageError(
            f"{name} is read and indexed, not asked", f"`recall query --provider {name}` asks it"
        )
    terms = tuple(word.text for word in words(question, engine.tokenizer))
    query, deadline = Query(question, terms), Deadline.after(PATIENCE)
    said = [f"{name}: no answer within {PATIENCE:.0f} s"]
    tried = None
    tasks = {name: lambda emit: emit(ask(query, engine.scope, deadline))}
    for event in engine.fan_out(tasks, deadline):
        if isinstance(event, Handed):
            tried = event.payload
        elif isinstance(event, Ended) and event.error is not None:
            state, reason, step, _kind, _again = outcomes.failed(name, event.error)
            said = [f"{name}: {state}: {reason}", *_step(step)]
    return tried, said


def _step(step: str) -> list[str]:
    return [f"next: {step}"] if step else []


def _memories(tried: Tried) -> list[Memory]:
    from recall.api import Memory

    return [item for item in tried.understood if isinstance(item, Memory)]


def _show(tried: Tried, output: Output) -> None:
    from recall.wording import counted

    raw = _shown(tried.raw)
    output.write(f"asked: {_shown(tried.sent)}\n\nraw answer ({counted(len(tried.raw), 'character')}):\n")
    output.write("".join(f"  {line}\n" for line in raw[:_MOST_RAW].splitlines()))
    if len(raw) > _MOST_RAW:
        output.write(f"  … {len(raw) - _MOST_RAW:,} more characters (--json shows all)\n")
    if tried.trouble:
        output.write(f"\nnot understood: {_shown(tried.trouble)}\n")
        return
    memories = _memories(tried)
    output.write(f"\nunderstood: {counted(len(memories), 'memory', 'memories')}\n")
    for number, memory in enumerate(memories, 1):
        output.write(f"{number:>3}. {_shown(memory.title) or '(no title)'}\n")
        for word, value in _fields(memory):
            output.write(f"     {word}: {_shown(value)}\n")
    for item in tried.understood:
        if item not in memories:
            output.write(f"problem: {_shown(item.reason)}\n")  # type: ignore[union-attr]


def _fields(memory: Memory) -> list[tuple[str, str]]:
    text = " ".join(memory.text.split())
    cut = f"{text[:_MOST_TEXT]} … {len(text) - _MOST_TEXT:,} more characters"
    date = memory.updated.isoformat() if memory.updated is not None else ""
    told = [("id", memory.id), ("path", memory.path), ("project", memory.project), ("date", date)]
    return [(word, value) for word, value in told if value] + [
        ("text", text if len(text) <= _MOST_TEXT else cut)
    ]


def _shown(text: str) -> str:
    """What a server said, as it can be shown: without control characters, and without secrets."""
    from recall import secrets
    from recall.wording import plain_lines

    return plain_lines(secrets.mask(text)[0])


def _document(name: str, tried: Tried | None, said: list[str]) -> dict[str, Any]:
    from recall.render.document import SCHEMA_VERSION

    if tried is None:
        return {
            "schema_version": SCHEMA_VERSION,
            "provider": name,
            "asked": None,
            "raw": None,
            "understood": [],
            "problems": said,
        }
    memories = _memories(tried)
    problems = [item.reason for item in tried.understood if item not in memories]  # type: ignore[union-attr]
    return {
        "schema_version": SCHEMA_VERSION,
        "provider": name,
        "asked": _shown(tried.sent),
        "raw": _shown(tried.raw),
        "understood": [
            {"title": _shown(memory.title), **{word: _shown(value) for word, value in _fields(memory)}}
            | {"text": _shown(memory.text)}
            for memory in memories
        ],
        "problems": [*filter(None, [tried.trouble]), *problems],
    }
