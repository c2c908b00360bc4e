"""What a provider hands over, checked and made ready for the index: cleaned, masked, tokenised."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import datetime
from urllib.parse import quote

from recall.api import Authority, Memory, Problem
from recall.errors import ProviderError
from recall.index import Loaded, Row
from recall.tokens import Tokenizer

_URI_SAFE = "/:@!$&'()*+,;=~"


class Garbage(ProviderError):
    """A provider returned something that the contract does not allow."""

    kind = "contract"


def memory_uri(provider: str, identity: str) -> str:
    """`recall://<provider>/<id>`: letters of every script stay readable, the rest is percent-encoded."""
    path = "".join(
        character if character.isalnum() or character in "-._" else quote(character, safe=_URI_SAFE)
        for character in unicodedata.normalize("NFC", identity)
    )
    return f"recall://{provider}/{path}"


def prepare(provider: str, key: str, stamp: str, items: Iterable[object], tokenizer: Tokenizer) -> Loaded:
    """An entry's memories as rows, and its problems as one line. Raises Garbage for anything else."""
    rows: list[Row] = []
    problems: list[str] = []
    for item in items:
        if isinstance(item, Problem):
            problems.append(item.reason)
        elif isinstance(item, Memory):
            rows.append(_row(provider, _checked(item), tokenizer))
        else:
            raise Garbage(f"load returned {type(item).__name__} where a Memory or a Problem is expected")
    return Loaded(key, stamp, tuple(rows), "; ".join(problems), failed=bool(problems) and not rows)


def _checked(memory: Memory) -> Memory:
    for name in ("id", "text", "title", "path", "project", "date_origin", "kind"):
        if not isinstance(getattr(memory, name), str):
            raise Garbage(f"a memory's {name} is {type(getattr(memory, name)).__name__}, not text")
    if not memory.id:
        raise Garbage("a memory has no id")
    for name in ("created", "updated"):
        value = getattr(memory, name)
        if value is not None and (not isinstance(value, datetime) or value.tzinfo is None):
            raise Garbage(f"a memory's {name} is not a moment with a time zone")
    if memory.authority is not None and not isinstance(memory.authority, Authority):
        raise Garbage(f"a memory's authority is {memory.authority!r}")
    if not isinstance(memory.extra, Mapping):
        raise Garbage("a memory's extra is not a mapping")
    return memory


def _row(provider: str, memory: Memory, tokenizer: Tokenizer) -> Row:
    from recall import clean  # its patterns cost as much as a whole query, and most queries read nothing new

    text = clean.clean(memory.text)
    title = clean.clean(" ".join(memory.title.split()))
    path = clean.clean(memory.path).text
    flags = []
    if text.instruction_like or title.instruction_like:
        flags.append("instruction-like")
    if text.masked + title.masked:
        flags.append(f"masked:{text.masked + title.masked}")
    # The id is often the only place that names the topic: 배포/롤백_절차.
    title_tokens = tokenizer.tokens(f"{title.text}\n{_topic(memory.id, title.text)}")
    return Row(
        provider=provider,
        uri=memory_uri(provider, memory.id),
        title=title.text,
        text=text.text,
        path=path,
        line=memory.line,
        project=clean.clean(memory.project).text,
        created=memory.created.timestamp() if memory.created else None,
        updated=memory.updated.timestamp() if memory.updated else None,
        date_origin=memory.date_origin,
        kind=clean.clean(memory.kind).text,
        authority=str(memory.authority or ""),
        extra=json.dumps(
            {str(key): clean.clean(str(value)).text for key, value in memory.extra.items()},
            ensure_ascii=False,
        ),
        flags=" ".join(flags),
        title_tokens=" ".join(title_tokens),
        body_tokens=" ".join(tokenizer.tokens(text.text)),
    )


def _topic(identity: str, title: str) -> str:
    """The id as search text, without what the title says already and without bare numbers."""
    parts = [part for part in identity.replace("_", " ").split("/") if not part.isdigit()]
    return " ".join(part for part in parts if part.casefold() not in title.casefold())
