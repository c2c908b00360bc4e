"""What a provider hands over, checked and made ready for the index: cleaned, masked, tokenised."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import MAXYEAR, datetime
from urllib.parse import quote

from recall.api import Authority, Entry, Health, Memory, Problem, State
from recall.errors import ProviderError
from recall.index import Loaded, Row
from recall.supersession import Said
from recall.tokens import Tokenizer
from recall.told import told

_URI_SAFE = "/:@!$&'()*+,;=~"
_NUMBERED = re.compile(r"\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_MOST_LINES = 1 << 31  # of one file: what the index can count


class Garbage(ProviderError):
    """A provider returned something that the contract does not allow."""

    kind = "contract"


def memory_uri(provider: str, identity: str) -> str:
    """`recall://<provider>/<id>`: letters of every script stay readable, the rest is percent-encoded."""
    path = "".join(
        character
        if character.isalnum() or character in "-._"
        else quote(character, safe=_URI_SAFE, errors="surrogatepass")
        for character in unicodedata.normalize("NFC", identity)
    )
    return f"recall://{provider}/{path}"


def prepare(provider: str, key: str, stamp: str, items: Iterable[object], tokenizer: Tokenizer) -> Loaded:
    """An entry's memories as rows, and its problems. Raises Garbage for anything else."""
    rows: list[Row] = []
    problems: list[Problem] = []
    said: list[Said] = []
    for item in items:
        if isinstance(item, Problem):
            problems.append(checked_problem(item))
        elif isinstance(item, Memory):
            rows.append(_row(provider, _checked(item), tokenizer))
            said += _said(provider, item)
        else:
            raise Garbage(f"load returned {type(item).__name__} where a Memory or a Problem is expected")
    damage = [problem for problem in problems if not problem.harmless]
    failed = bool(damage) and not rows
    return Loaded(key, stamp, tuple(rows), tuple(problems), said=tuple(said), failed=failed)


def checked_entry(entry: Entry) -> Entry:
    """The entry; raises Garbage if the index could not keep it."""
    key, stamp, store = (
        entry.key,
        entry.stamp,
        entry.store,
    )  # in plain code: a store lists thousands for every question
    if not (isinstance(key, str) and isinstance(stamp, str) and isinstance(store, str)):
        _require_texts("an entry's", entry, ("key", "stamp", "store"))
    if key != storable(key) or stamp != storable(stamp) or store != storable(store):
        raise Garbage(f"an entry's key or stamp holds half a character: {key!a}, {stamp!a}")
    return entry


def checked_problem(problem: Problem) -> Problem:
    """The problem, safe to be shown and kept; raises Garbage if it does not say what it should."""
    _require_texts("a problem's", problem, ("where", "reason"))
    return replace(problem, where=told(problem.where), reason=told(problem.reason))


def checked_health(health: object) -> Health:
    """The health, held to the contract: nothing counted is never ready. Raises Garbage."""
    if not isinstance(health, Health):
        raise Garbage(f"health returned {type(health).__name__}, not Health")
    if not isinstance(health.state, State):
        raise Garbage(f"health's state is {health.state!r}")
    _require_texts("health's", health, ("reason", "next_step"))
    for name, kind in (("facts", str), ("places", str), ("problems", Problem)):
        items = getattr(health, name)
        if not isinstance(items, tuple | list) or not all(isinstance(item, kind) for item in items):
            raise Garbage(f"health's {name} are not all {kind.__name__}")
    for problem in health.problems:
        checked_problem(problem)
    _require_moment("health's newest", health.newest)
    for count in (health.items, health.in_scope):
        if count is not None and not isinstance(count, int):
            raise Garbage(f"health counts {count!r}")
    if health.state.usable and health.items == 0:
        raise Garbage(f"health says {health.state} with nothing in it")
    return health


def storable(text: str) -> str:
    """The text without halves of characters, which no file takes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _require_texts(whose: str, item: object, names: Iterable[str]) -> None:
    for name in names:
        if not isinstance(getattr(item, name), str):
            raise Garbage(f"{whose} {name} is {type(getattr(item, name)).__name__}, not text")


def _require_moment(what: str, value: object) -> None:
    if value is not None and (not isinstance(value, datetime) or value.tzinfo is None):
        raise Garbage(f"{what} is not a moment with a time zone")


def _checked(memory: Memory) -> Memory:
    _require_texts(
        "a memory's",
        memory,
        (
            "id",
            "text",
            "title",
            "path",
            "project",
            "date_origin",
            "kind",
            "context",
            "withdrawn",
            "successor",
        ),
    )
    if not memory.id:
        raise Garbage("a memory has no id")
    if memory.line is not None and not (isinstance(memory.line, int) and 0 <= memory.line < _MOST_LINES):
        raise Garbage(f"a memory's line is {memory.line!r}")
    _require_moment("a memory's created", memory.created)
    _require_moment("a memory's updated", memory.updated)
    if memory.authority is not None and not isinstance(memory.authority, Authority):
        raise Garbage(f"a memory's authority is {memory.authority!r}")
    if not isinstance(memory.extra, Mapping):
        raise Garbage("a memory's extra is not a mapping")
    withdraws = memory.withdraws
    if not isinstance(withdraws, Mapping) or not all(
        isinstance(text, str) and text for pair in withdraws.items() for text in pair
    ):
        raise Garbage("a memory's withdraws are not texts by id")
    amends = memory.amends
    if not isinstance(amends, tuple | list) or not all(isinstance(old, str) and old for old in amends):
        raise Garbage("a memory's amends are not ids")
    return memory


def _said(provider: str, memory: Memory) -> Iterator[Said]:
    """What a memory says of itself and of others, by their uris."""
    if not (memory.successor or memory.withdraws or memory.amends):
        return  # as nearly always
    own = _uri(provider, memory.id)
    if memory.withdrawn and memory.successor:
        yield Said(own, _uri(provider, memory.successor), _line(memory.withdrawn))
    for old, why in memory.withdraws.items():
        yield Said(_uri(provider, old), own, _line(why))
    for old in memory.amends:
        yield Said(_uri(provider, old), own, "amended", in_part=True)


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
        uri=_uri(provider, memory.id),
        title=title.text,
        text=text.text,
        path=path,
        line=memory.line,
        project=clean.clean(memory.project).text,
        created=_epoch(memory.created),
        updated=_epoch(memory.updated),
        date_origin=_line(memory.date_origin),
        kind=clean.clean(memory.kind).text,
        authority=str(memory.authority or ""),
        extra=json.dumps(
            {clean.clean(str(key)).text: clean.clean(str(value)).text for key, value in memory.extra.items()},
            ensure_ascii=False,
        ),
        flags=" ".join(flags),
        title_tokens=" ".join(title_tokens),
        body_tokens=" ".join(tokenizer.tokens(text.text)),
        context_tokens=" ".join(tokenizer.tokens(clean.clean(memory.context).text)) if memory.context else "",
        # With a successor it is said beside others' words: it may be one of a circle.
        withdrawn="" if memory.successor else _line(memory.withdrawn),
    )


def _uri(provider: str, identity: str) -> str:
    return memory_uri(provider, _kept_id(identity))


def _kept_id(identity: str) -> str:
    """An id as it may be kept: one that holds a secret is told from others by a digest of it."""
    from recall import secrets

    masked, count = secrets.mask(identity)
    if not count:
        return identity
    import hashlib

    return f"{masked}~{hashlib.sha256(identity.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _line(text: str) -> str:
    """A text made safe, on one line."""
    from recall import clean

    return clean.clean(" ".join(text.split())).text if text else ""


def _epoch(moment: datetime | None) -> float | None:
    """The moment in seconds; the last year there is stands for "never"."""
    return moment.timestamp() if moment is not None and moment.year < MAXYEAR else None


def _topic(identity: str, title: str) -> str:
    """The id as search text, without what the title says already, bare numbers and UUIDs, which name nothing."""
    parts = [part for part in identity.replace("_", " ").split("/") if not _NUMBERED.fullmatch(part)]
    return " ".join(part for part in parts if part.casefold() not in title.casefold())
