"""From what happened in the fan-out to one honest line per provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recall.answer import Outcome
from recall.api import Health, Problem, State
from recall.errors import DeadlineExceeded, NotConfigured, RecallError, StoreAbsent, StoreBusy
from recall.fanout import Ended, Late
from recall.files import display_path
from recall.index import CorpusCounts
from recall.intake import Garbage
from recall.plugins import Plugin
from recall.refresh import Progress
from recall.told import told
from recall.wording import ago, counted

if TYPE_CHECKING:
    from recall.suspension import Suspended

_LONGER = "ask again with a longer deadline"
_UNREAD = "run `recall index` to read the rest"
NOTHING_HELD = CorpusCounts(0, 0, None, None, ())


def judge(
    name: str, end: Ended | Late, progress: Progress, held: CorpusCounts, *, allowed: float, now: float
) -> Outcome:
    """What one provider did.

    held: what the index holds of it after this recall.
    allowed: seconds it had.
    """
    problems = tuple(dict.fromkeys((*progress.problems, *held.problems)))
    state, reason, next_step, kind, retryable = _state(name, end, progress, held, problems, allowed, now)
    notes = _notes(name, progress, held, state, problems)
    return Outcome(
        provider=name,
        state=state,
        memories=held.memories,
        seconds=end.seconds,
        reason=told(reason),
        next_step=told(next_step),
        notes=tuple(map(told, notes)),
        problems=problems,
        vanished=held.vanished,
        late=isinstance(end, Late) or isinstance(end.error, DeadlineExceeded),
        kind=kind,
        retryable=retryable,
    )


def not_asked(plugin: Plugin) -> Outcome:
    """The outcome of a provider that took no part: switched off, or its plugin is broken."""
    state = State.BROKEN if plugin.broken else State.OFF
    kind = "plugin" if plugin.broken else ""
    return Outcome(
        plugin.name, state, reason=told(plugin.reason), next_step=told(plugin.next_step), kind=kind
    )


def unread(name: str, held: CorpusCounts | None, now: float) -> Outcome:
    """The outcome of a provider that was not looked at, because the caller wanted the index alone."""
    if held is None or not held.memories:
        return Outcome(
            name,
            State.OFF,
            reason="not looked at, and nothing of it is in the index",
            next_step="`recall index`",
        )
    since = f", last read {ago(now - held.read_at)}" if held.read_at else ""
    return Outcome(name, State.READY, held.memories, notes=(f"not looked at{since}",), vanished=held.vanished)


def suspended(name: str, given: Suspended, held: CorpusCounts, now: float) -> Outcome:
    """The outcome of a provider that was not asked, for it failed again and again."""
    step = f"`recall doctor --provider {name}` asks it at once"
    return Outcome(
        name,
        State(given.failure.state),
        held.memories,
        reason=told(given.words(now) + in_its_place(held, now)),
        next_step=step,
        problems=held.problems,
        vanished=held.vanished,
        kind="suspended",
        retryable=True,
    )


def _state(
    name: str,
    end: Ended | Late,
    progress: Progress,
    held: CorpusCounts,
    problems: tuple[Problem, ...],
    allowed: float,
    now: float,
) -> tuple[State, str, str, str, bool]:
    if isinstance(end, Late) or isinstance(end.error, DeadlineExceeded):
        return _late(name, end, progress, held, allowed, now)
    if end.error is not None:
        return failed(name, end.error, held, now)
    real = [problem for problem in problems if not problem.harmless]
    health = progress.health
    if health is not None and health.state.usable and health.claimed != 0:
        return _empty_claim(name, health, real)
    if health is not None:
        kind = "" if health.state.usable else health.state
        return health.state, health.reason, health.next_step, kind, False
    if real:
        reason = f"{counted(len(real), 'problem')}: {real[0].where}: {real[0].reason}"
        return State.DEGRADED, reason, f"run `recall doctor --provider {name}` for all of them", "", False
    if progress.vanished_now:
        reason = (
            f"{counted(progress.vanished_now, 'memory entry', 'memory entries')} vanished since the last look"
        )
        return State.DEGRADED, reason, f"run `recall doctor --provider {name}`", "", False
    return State.READY, "", "", "", False


def _empty_claim(name: str, health: Health, real: list[Problem]) -> tuple[State, str, str, str, bool]:
    """A corpus that calls itself usable, and out of which not one memory came."""
    claim = "memories" if health.claimed is None else counted(health.claimed, "memory", "memories")
    reason = f"says it holds {claim} and gives none to read"
    if real:
        reason += f": {real[0].where}: {real[0].reason}"
    step = f"report it to the plugin's author, or set providers.{name}.enabled = false"
    return State.BROKEN, reason, step, Garbage.kind, False


def _late(
    name: str, end: Ended | Late, progress: Progress, held: CorpusCounts, allowed: float, now: float
) -> tuple[State, str, str, str, bool]:
    listed = progress.listed
    if listed is not None and listed.whole and progress.read < listed.to_read:
        state = State.DEGRADED if held.memories else State.BUSY
        return (
            state,
            f"read {progress.read:,} of {listed.to_read:,} new entries in time",
            _UNREAD,
            "late",
            True,
        )
    reason, next_step = late(name, end, f"no answer within {allowed:.1f} s")
    return State.BUSY, reason + in_its_place(held, now), next_step, "late", True


def late(name: str, end: Ended | Late, otherwise: str) -> tuple[str, str]:
    """Why a provider did not answer in time, and what to do: more time helps unless an earlier call holds it up."""
    if isinstance(end, Late) and end.earlier:
        reason = f"an earlier request to it still hangs{_place(end)}, for {end.seconds:.0f} s now"
        return (
            reason,
            f"ask again later; if it stays so, start recall anew or set providers.{name}.enabled = false",
        )
    return otherwise + _place(end), _LONGER


def _place(end: Ended | Late) -> str:
    """Where a provider hangs, if that can be told."""
    return f" at {display_path(end.at)}" if isinstance(end, Late) and end.at else ""


def failed(
    name: str, error: BaseException, held: CorpusCounts = NOTHING_HELD, now: float = 0.0
) -> tuple[State, str, str, str, bool]:
    """State, reason, next step, kind and whether to try again, of a provider that raised."""
    next_step = error.next_step if isinstance(error, RecallError) else ""
    if isinstance(error, NotConfigured):
        return State.OFF, str(error), next_step, error.kind, False
    if isinstance(error, StoreAbsent):
        return State.ABSENT, str(error) + in_its_place(held, now), next_step, error.kind, False
    if isinstance(error, StoreBusy):
        return State.BUSY, str(error) + in_its_place(held, now), next_step, error.kind, True
    if isinstance(error, Garbage):
        reason, kind = f"broke the contract: {error}", error.kind
    elif isinstance(error, RecallError):
        reason, kind = str(error), error.kind
    elif isinstance(error, SystemExit):
        reason, kind = "called sys.exit", "crashed"
    else:
        from recall.failures import said

        text = said(error)
        reason, kind = f"raised {type(error).__name__}{': ' + text if text else ''}", "crashed"
    step = next_step or f"run `recall doctor --provider {name}`, or set providers.{name}.enabled = false"
    return State.BROKEN, reason + in_its_place(held, now), step, kind, False


def in_its_place(held: CorpusCounts, now: float) -> str:
    """What the index answers with instead of a source that was not read; "" if it holds nothing of it."""
    if not held.memories:
        return ""
    since = f" read {ago(now - held.read_at)}" if held.read_at else ""
    return f"; {counted(held.memories, 'memory', 'memories')}{since} answer in its place"


def _notes(
    name: str, progress: Progress, held: CorpusCounts, state: State, problems: tuple[Problem, ...]
) -> list[str]:
    notes = [f"{problem.where}: {problem.reason}" for problem in problems if problem.harmless]
    if held.vanished and state is not State.BUSY:
        notes.append(
            f"{counted(held.vanished, 'memory', 'memories')} vanished from the source, kept and marked; "
            f"`recall index --forget {name}` forgets them"
        )
    if progress.health is not None and progress.health.state.usable:
        notes += progress.health.facts
    return notes
