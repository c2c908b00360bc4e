"""From what a client wrote to the document it gets: in time, and whatever happens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from recall.clienthooks import Client, Event
from recall.errors import RecallError
from recall.hooks import contract, payload
from recall.hooks.contract import Call, Reply, Surroundings
from recall.piece import Piece
from recall.wording import one_line, why

_STDIN = 0


class Answered(NamedTuple):
    """What a hook answers: a document for the client, lines for its log."""

    document: Mapping[str, Any]
    troubles: tuple[str, ...] = ()


def answered(event: str, client: str | None, around: Surroundings, descriptor: int = _STDIN) -> Answered:
    """Read the call from a descriptor and answer it; never raises.

    client: whose contract is spoken, None to tell it from the call.
    """
    moment = Event(event)
    try:
        told = payload.read(descriptor)
    except ValueError as error:  # which tool it is about cannot be known, so nothing is denied
        return Answered({}, (f"hook {event}: {error}; it is answered with nothing",))
    spoken = Client(client) if client else contract.client_of(told, around.env)
    reply, trouble = _in_time(moment, contract.call(told), around)
    if moment is Event.PRE_TOOL and not told:
        trouble = (
            trouble or "nothing came on standard input, so which tool it is about is not known; it passes"
        )
    troubles = (one_line(f"hook {event}: {trouble}"),) if trouble else ()
    return Answered(contract.document(reply, moment, spoken), troubles)


def _in_time(event: Event, call: Call, around: Surroundings) -> tuple[Reply, str]:
    """The reply and what went wrong; work that takes too long is abandoned."""
    from recall.hooks import moments

    attempt = moments.Attempt()
    work = Piece(lambda: moments.respond(event, call, around, attempt), "hook")
    seconds = moments.seconds_for(event)
    if work.wait(seconds) and work.found:
        return work.found[0], ""
    trouble = _words(work.error) if work.error is not None else f"not done within {seconds:g} s"
    return moments.refused(trouble, around) if attempt.guarding else Reply(), trouble


def _words(error: BaseException) -> str:
    """What went wrong, in one line; a plugin's sys.exit and a bug too, for the session goes on."""
    if isinstance(error, RecallError):
        return f"{error}; next: {error.next_step}" if error.next_step else str(error)
    return why(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
