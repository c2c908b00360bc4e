"""A transcript's turns as memories: what was asked together with what was answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from recall import documents
from recall.api import Memory, Problem
from recall.jsonl import Record
from recall_transcripts.clients import About, Client, Turn

_AROUND = 1_000  # characters of the exchange before that help to find this one
_DAYS = "월화수목금토일"
_KINDS = {"user": "exchange", "assistant": "reply", "summary": "summary"}


@dataclass(slots=True)
class Exchange:
    """A request and the answers to it, or a summary, or answers whose request lies in the part before."""

    place: str  # the record it begins with, stable
    first: Turn
    about: About
    limit: int  # characters that are kept
    said: dict[str, str] = field(default_factory=dict)  # what is kept, by the turn's identity, in order
    lengths: dict[str, int] = field(default_factory=dict)  # of all that was said

    def add(self, identity: str, text: str) -> None:
        """Take a turn in, in the place of its older version; the earliest answers make room for the last."""
        self.said[identity] = text[: self.limit if self.first.role == "summary" else self.limit // 2]
        self.lengths[identity] = len(text)
        while sum(map(len, self.said.values())) > self.limit:
            _opening, oldest, *_later = self.said
            del self.said[oldest]

    def text(self) -> str:
        """Everything that was said, as it is shown."""
        opening, *answers = self.said.values()
        if self.first.role == "user":
            parts = [f"Q: {opening}", *([f"A: {answers[0]}", *answers[1:]] if answers else [])]
        else:
            parts = [opening, *answers]
        cut = sum(self.lengths.values()) - sum(map(len, self.said.values()))
        more = [f"[{cut:,} more characters in the transcript]"] if cut else []
        return "\n\n".join([*parts, *more])


def exchanges(
    records: Iterable[tuple[int, Record]],
    client: Client,
    about: About,
    name: str,
    limit: int,
) -> Iterator[Exchange]:
    """A transcript's exchanges, one after the other; what is recorded twice comes once.

    name: of the file, in place of the session's id where it has none. limit: characters of one exchange.
    """
    seen: set[str] = set()
    current: Exchange | None = None
    for offset, record in records:
        client.learn(record, about)
        turn = client.turn(record, about)
        if turn is None or not turn.text:
            continue
        place = turn.identity or f"{about.session or name}/{offset}"
        if current is not None and place in current.said:
            current.add(place, turn.text)
        elif place not in seen:
            seen.add(place)
            if turn.role != "assistant" or current is None or current.first.role == "summary":
                if current is not None:
                    yield current
                current = Exchange(place, turn, replace(about), limit)
            current.add(place, turn.text)
    if current is not None:
        yield current


def answered_at_last(found: Iterable[Exchange]) -> Iterator[Exchange]:
    """Without a last request that has no answer yet: it is likely the one for which memories are looked for."""
    before: Exchange | None = None
    for exchange in found:
        if before is not None:
            yield before
        before = exchange
    if before is not None and (len(before.said) > 1 or before.first.role != "user"):
        yield before


def memories(
    found: Iterable[Exchange], client: str, path: str, label_of: Callable[[str], str | None], most: int
) -> Iterator[Memory | Problem]:
    """The memories of this project's exchanges, at most `most`; each is also found by what went before.

    label_of: a working folder's project, None if it is another one's.
    """
    before, count = "", 0
    for exchange in found:
        label = label_of(exchange.about.cwd)
        if label is None:
            continue
        count += 1
        if count <= most:
            text = exchange.text()
            yield _memory(exchange, text, client, path, label, before)
            before = text
    if count > most:
        reason = f"{count - most:,} exchanges of one part not read (option max_memories)"
        yield Problem(path, reason, harmless=True)


def _memory(exchange: Exchange, text: str, client: str, path: str, label: str, before: str) -> Memory:
    first, about = exchange.first, exchange.about
    opening = next(iter(exchange.said.values()))
    told = {"session": about.session, "branch": about.branch}
    return Memory(
        id=f"{client}/{exchange.place}",
        text=text,
        title=documents.shorten(documents.one_line(opening.strip().split("\n", 1)[0])),
        path=path,
        project=label,
        created=first.when,
        updated=first.when,
        date_origin="transcript" if first.when else "",
        kind=_KINDS[first.role],
        extra={key: value for key, value in told.items() if value},
        context="\n".join(filter(None, (_shortened(before), _in_words(first)))),
    )


def _shortened(text: str) -> str:
    """Both ends of a text: a question is at its beginning, a conclusion at its end."""
    half = _AROUND // 2
    return text if len(text) <= _AROUND else f"{text[:half]} … {text[-half:]}"


def _in_words(turn: Turn) -> str:
    """The day as people write it, in English and in Korean."""
    when = turn.when
    if when is None:
        return ""
    korean = f"{when.year}년 {when.month}월 {when.day}일 {_DAYS[when.weekday()]}요일"
    return f"{when.day} {when:%B %Y %A} {korean}"
