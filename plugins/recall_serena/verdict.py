"""What the readings amount to: a state, its reason, and what the user can do about it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from recall.api import Health, Memory, Problem, State
from recall.files import display_path, is_folder
from recall_serena.layout import Layout, Tree
from recall_serena.notes import STOCK_NAME, Listing, Note

_ONBOARD = "ask your agent to run Serena's onboarding in this project, then look whether files appear in {}"
_CREATE = "open the project in Serena and let it run its onboarding, or type: serena project create"


@dataclass(frozen=True, slots=True)
class Reading:
    """One memory file and what came out of it."""

    note: Note
    results: tuple[Memory | Problem, ...]

    @property
    def memory(self) -> Memory | None:
        """The text, if there was one worth remembering."""
        return next((result for result in self.results if isinstance(result, Memory)), None)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What went wrong with the file."""
        return tuple(result for result in self.results if isinstance(result, Problem))


def verdict(layout: Layout, listing: Listing, readings: Sequence[Reading]) -> Health:
    """The health of the corpus."""
    content = [reading.note for reading in readings if reading.memory is not None]
    dates = [reading.memory.updated for reading in readings if reading.memory and reading.memory.updated]
    problems = (*listing.problems, *(problem for reading in readings for problem in reading.problems))
    state, reason, next_step = _state(layout, listing, readings, content, problems)
    return Health(
        state=state,
        items=None if state is State.BROKEN else len(content),
        reason=reason,
        next_step=next_step,
        newest=max(dates, default=None),
        facts=tuple(_facts(layout, listing, readings, content)),
        problems=problems,
        places=layout.places,
    )


def _state(
    layout: Layout,
    listing: Listing,
    readings: Sequence[Reading],
    content: Sequence[Note],
    problems: Sequence[Problem],
) -> tuple[State, str, str]:
    """State, reason, next step."""
    damage = [problem for problem in problems if not problem.harmless]
    # Settings that could not be used keep nothing from being read, unless they say where to look.
    unread = [problem for problem in damage if problem.hides_entries or problem not in layout.problems]
    if not content and unread:
        return State.BROKEN, _shown(unread), "make it readable, then `recall doctor`"
    if not content and not layout.has_project:
        return State.ABSENT, _why_absent(layout), _CREATE
    if not content:
        folder = display_path(_projects(layout)[0].folder)
        return State.EMPTY, _why_empty(layout, listing, readings), _ONBOARD.format(folder)
    if damage:
        return State.DEGRADED, _shown(damage), "mend what is listed, then `recall doctor`"
    return _doubt(content) or (State.READY, "", "")


def _shown(damage: Sequence[Problem]) -> str:
    first = f"{damage[0].where}: {damage[0].reason}"
    return first if len(damage) == 1 else f"{first} (and {len(damage) - 1} more)"


def _projects(layout: Layout) -> list[Tree]:
    """Trees of the project in hand, else of the others that were asked for."""
    trees = [tree for tree in layout.trees if not tree.prefix]
    return [tree for tree in trees if not tree.apart] or trees


def _why_absent(layout: Layout) -> str:
    if layout.installed:
        return (
            f"Serena is installed, but has no data folder for {layout.whose} and no memories for all projects"
        )
    return f"no Serena data folder for {layout.whose}, and Serena has never run with this home folder"


def _why_empty(layout: Layout, listing: Listing, readings: Sequence[Reading]) -> str:
    """Which of the real ways of being empty this is."""
    if readings:
        if all(reading.note.name == STOCK_NAME for reading in readings):
            return f"only {STOCK_NAME}, the note Serena plants by itself: onboarding ran, nothing was written"
        return f"{_count(len(readings), 'memory file')} without content"
    if listing.ignored:
        return f"ignored_memory_patterns hides all there is ({_count(listing.ignored, 'memory', 'memories')})"
    if not any(is_folder(tree.folder) for tree in _projects(layout)):
        return "the project was created in Serena, which has not written a memory yet (no memories folder)"
    return "the memories folder is there and empty: Serena was started, but nothing was written"


def _doubt(content: Sequence[Note]) -> tuple[State, str, str] | None:
    """What makes readable memories doubtful."""
    if [note.name for note in content] == [STOCK_NAME]:
        reason = f"the only memory is {STOCK_NAME}, a note Serena plants by itself, here with another text"
        return State.DEGRADED, reason, _ONBOARD.format(os.path.dirname(display_path(content[0].found.path)))
    shadowed = {note.tree.hidden_by for note in content if note.tree.hidden_by}
    for data in sorted(shadowed):
        if not any(note.tree.folder == os.path.join(data, "memories") for note in content):
            shown = display_path(data)
            reason = (
                f"Serena shows no memories here: the empty folder {shown} hides the project's own .serena"
            )
            return State.DEGRADED, reason, f"move the memories to {shown}, or remove that folder"
    return None


def _facts(
    layout: Layout, listing: Listing, readings: Sequence[Reading], content: Sequence[Note]
) -> list[str]:
    shared = sum(1 for note in content if note.tree.prefix)
    foreign = sum(1 for note in content if note.tree.apart)
    own = len(content) - shared - foreign
    facts = (
        [f"{_count(own, 'memory', 'memories')} of this project, {shared} for all projects"] if content else []
    )
    known = any(not tree.prefix and not tree.apart for tree in layout.trees)
    if content and not known:
        facts.append("this project has no Serena data folder")
    elif content and not own:
        own_readings = [r for r in readings if not r.note.tree.prefix and not r.note.tree.apart]
        facts.append(f"this project has none: {_why_empty(layout, listing, own_readings)}")
    if foreign:
        facts.append(f"{_count(foreign, 'memory', 'memories')} of other projects")
    facts.extend(_facts_about_trees(content))
    if listing.ignored and content:
        facts.append(f"{listing.ignored} hidden by ignored_memory_patterns")
    if silent := sum(1 for reading in readings if not reading.results):
        facts.append(f"{_count(silent, 'file')} not counted: blank, or Serena's stock note")
    if layout.withheld and content:
        facts.append(f"Serena itself will not serve these: {layout.withheld}")
    return facts


def _facts_about_trees(content: Sequence[Note]) -> list[str]:
    """Where memories came from, if not from the project's own folder."""
    counts = Counter(note.tree for note in content if not note.tree.prefix and not note.tree.apart)
    facts = []
    for tree, number in counts.items():
        folder = display_path(tree.folder)
        if tree.hidden_by:
            facts.append(
                f"{number} from {folder}, which Serena does not see beside {display_path(tree.hidden_by)}"
            )
        elif tree.origin:
            facts.append(f"{number} from the {tree.origin.replace('-', ' ')} ({folder})")
    return facts


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
