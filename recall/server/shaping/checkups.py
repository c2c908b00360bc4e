"""The result of `memory_health`."""

from __future__ import annotations

from collections.abc import Sequence

from recall import health
from recall.render.document import day
from recall.server import results
from recall.server.shaping.shaped import DETAILS, Detail, Shaped, few, safe
from recall.wording import counted


def checkups(found: Sequence[health.Checkup], project: str, notices: Sequence[str], most: int) -> Shaped:
    """What a checkup says of each source, in at most `most` characters in either form.

    Less is said of each first; then whole sources are left out, those that need nothing before the others.
    """

    def shaped(rows: Sequence[health.Checkup], detail: Detail) -> Shaped:
        given = results.Health(
            project=safe(project),
            healthy=health.healthy(found),
            providers=[_row(row, detail) for row in rows],
            left_out={"providers": len(found) - len(rows)} if len(rows) < len(found) else {},
            notices=list(few(notices, detail)),
        )
        return Shaped(_text(given), given.plain())

    for detail in DETAILS:
        made = shaped(found, detail)
        if made.size <= most:
            return made
    rows = list(found)
    while (made := shaped(rows, DETAILS[-1])).size > most and rows:
        rows.remove(next((row for row in reversed(rows) if not row.needs_attention), rows[-1]))
    return made


def _row(row: health.Checkup, detail: Detail) -> results.SourceHealth:
    return results.SourceHealth(
        provider=row.provider,
        state=row.state.value,
        memories=row.items,
        read_back=f"{row.came_back} of {row.asked}" if row.asked else "",
        newest=day(row.newest),
        trend=safe(("ALARM: " if row.trend.alarm else "") + row.trend.text, detail.length),
        reason=safe(row.reason, detail.length),
        next_step=safe(row.next_step, detail.length),
        problems=list(few([f"{where}: {reason}" for where, reason in row.problems], detail)),
        facts=list(few(row.facts, detail)),
    )


def _text(given: results.Health) -> str:
    lines = [f"Memory of {given.project}: {'healthy' if given.healthy else 'needs attention'}", ""]
    for row in given.providers:
        lines.append(f"- {row.provider}: {row.state}{_counted(row)}")
        said = (row.reason, row.trend, *row.facts, *row.problems)
        lines += [f"  - {line}" for line in said if line]
        if row.next_step:
            lines.append(f"  - next: {row.next_step}")
    lines += [f"Left out: {count:,} {what}." for what, count in given.left_out.items()]
    lines += [f"Note: {notice}" for notice in given.notices]
    return "\n".join(lines) + "\n"


def _counted(row: results.SourceHealth) -> str:
    count = "" if row.memories is None else f", {counted(row.memories, 'memory', 'memories')}"
    newest = f", newest {row.newest}" if row.newest else ""
    return count + (f", read back {row.read_back}" if row.read_back else "") + newest
