"""What doctor found, as a result of `memory_health`."""

from __future__ import annotations

from collections.abc import Sequence

from recall import health
from recall.render.document import iso
from recall.server import results
from recall.server.shaping import Shaped, few, safe
from recall.wording import counted


def checkups(found: Sequence[health.Checkup], project: str, notices: Sequence[str]) -> Shaped:
    """What a checkup with samples read back says of each source."""
    rows = [
        results.SourceHealth(
            provider=row.provider,
            state=row.state.value,
            memories=row.items,
            read_back=f"{row.came_back} of {row.asked}" if row.asked else "",
            newest=(iso(row.newest) or "")[:10],
            trend=safe(("ALARM: " if row.trend.alarm else "") + row.trend.text),
            reason=safe(row.reason),
            next_step=safe(row.next_step),
            problems=list(few([f"{where}: {reason}" for where, reason in row.problems])),
            facts=list(few(row.facts)),
        )
        for row in found
    ]
    healthy = any(row.state.usable for row in found) and not any(row.needs_attention for row in found)
    return _health(rows, healthy, project, notices)


def _health(rows: list[results.SourceHealth], healthy: bool, project: str, notices: Sequence[str]) -> Shaped:
    given = results.Health(project=safe(project), healthy=healthy, providers=rows, notices=list(few(notices)))
    lines = [f"Memory of {given.project}: {'healthy' if healthy else 'needs attention'}", ""]
    for row in rows:
        lines.append(f"- {row.provider}: {row.state}{_counted(row)}")
        said = (row.reason, row.trend, *row.facts, *row.problems)
        lines += [f"  - {line}" for line in said if line]
        if row.next_step:
            lines.append(f"  - next: {row.next_step}")
    lines += [f"Note: {notice}" for notice in given.notices]
    return Shaped("\n".join(lines) + "\n", given.plain())


def _counted(row: results.SourceHealth) -> str:
    count = "" if row.memories is None else f", {counted(row.memories, 'memory', 'memories')}"
    newest = f", newest {row.newest}" if row.newest else ""
    return count + (f", read back {row.read_back}" if row.read_back else "") + newest
