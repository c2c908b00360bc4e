"""A progress bar on a terminal, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from recall.cli.context import is_terminal
from recall.refresh import Progress

Watch = Callable[[str, Progress], None]


@contextmanager
def progress(verb: str) -> Iterator[Watch | None]:
    """A watcher for `Engine.refresh` that draws one bar per source on stderr."""
    if not is_terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn(f"{verb} {{task.description}}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        known: dict[str, object] = {}

        def watch(name: str, step: Progress) -> None:
            if name not in known:
                known[name] = bars.add_task(name, total=None)
            total = step.listed.to_read if step.listed is not None else None
            bars.update(known[name], total=total, completed=step.read)  # type: ignore[arg-type]  # rich's TaskID

        yield watch
