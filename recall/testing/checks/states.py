"""What a provider says of its corpus: the state, the counts, the words."""

from __future__ import annotations

from collections.abc import Iterator

from recall.api import Health, State
from recall.intake import Garbage, checked_health
from recall.testing.finding import Finding
from recall.testing.look import Read


def health(found: object) -> Iterator[Finding]:
    """It is a Health that the host accepts; whatever is not READY says why and what to do."""
    try:
        said = checked_health(found)
    except Garbage as wrong:
        yield Finding("health", f"{wrong}: the host would drop this answer")
        return
    if said.state is State.READY:
        return
    for field, of_one_line in (("reason", True), ("next_step", False)):
        text = getattr(said, field)
        if not text.strip():
            yield Finding("states", f"health is {said.state} without a {field}: say it in one line")
        elif of_one_line and "\n" in text:
            yield Finding("states", f"health's {field} has several lines ({text!r}): say it in one")


def counts(said: Health, read: Read) -> Iterator[Finding]:
    """The count of health is the number of memories that can be read."""
    given = len(set(read.ids))
    if not said.state.usable or read.unread:
        return
    if said.claimed is None:
        if not given:
            yield Finding("counts", f"health is {said.state}, cannot count, and nothing could be read")
    elif said.claimed != given:
        yield Finding(
            "counts",
            f"health counts {said.claimed}, and {given} could be read: "
            "count what load gives, without blank, template and unreadable items",
        )


def agreement(said: Health, read: Read) -> Iterator[Finding]:
    """Health and listing tell the same of the store."""
    if said.state is State.ABSENT and read.entries:
        yield Finding("states", f"health says absent, and {len(read.entries)} entries are listed")
    if said.state is State.EMPTY and read.memories:
        yield Finding("states", f"health says empty, and {len(read.memories)} memories could be read")
    if said.state.usable and read.refused:
        yield Finding("states", f"health says {said.state}, and listing says {read.refused}")


def problems_counted(said: Health, read: Read) -> Iterator[Finding]:
    """What cannot be read shows in the state."""
    damage = [problem for problem in read.problems if not problem.harmless]
    if damage and said.state is State.READY:
        yield Finding(
            "problems",
            f"health is READY although {damage[0].where} is a problem ({damage[0].reason}): "
            "say DEGRADED, with the problems, or mark the problem as harmless",
        )
