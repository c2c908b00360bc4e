"""One fault each. Every class says in one line what is wrong with it; `CAUGHT_BY` names the test that must see it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import Any

from recall.api import Deadline, Entry, Health, Memory, Problem, Query, Scope, State, option
from support.wrong.right import NotesOptions, RightNotes
from support.wrong.right_search import RightSearch


class Boasting(RightNotes):
    """counts one memory more than can be read"""

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        said = super().health(scope, deadline)
        return replace(said, items=said.items + 1) if said.items else said


class ReadyWhenEmpty(RightNotes):
    """is ready with nothing in it"""

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        said = super().health(scope, deadline)
        return Health(State.READY, 1) if said.state is State.EMPTY else said


class BlankIsContent(RightNotes):
    """takes an empty file for a memory"""

    def says_something(self, text: str) -> bool:
        return not text.strip() or super().says_something(text)


class TemplateIsContent(RightNotes):
    """takes an unfilled template for a memory"""

    def says_something(self, text: str) -> bool:
        return bool(text.strip())


class RaisingWhenAbsent(RightNotes):
    """raises FileNotFoundError where there is no store"""

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        os.listdir(self.folder(scope))
        return super().health(scope, deadline)


class Exiting(RightNotes):
    """ends the process where there is no store"""

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        return super().health(scope, deadline) if self.folder(scope).is_dir() else sys.exit("no notes")


class Mute(RightNotes):
    """is absent without a reason and a next step"""

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        return replace(super().health(scope, deadline), reason="", next_step="")


class RandomIds(RightNotes):
    """numbers its memories anew at every look"""

    numbers = count()

    def memory(self, entry: Entry, text: str) -> Memory:
        return replace(super().memory(entry, text), id=f"note-{next(self.numbers)}")


class SameIds(RightNotes):
    """gives two memories one id"""

    def memory(self, entry: Entry, text: str) -> Memory:
        return replace(super().memory(entry, text), id=entry.key[:1])


class SizeStamps(RightNotes):
    """makes a stamp of the size alone"""

    def stamp(self, path: Path) -> str:
        return str(path.stat().st_size)


class RestlessStamps(RightNotes):
    """gives another stamp at every look"""

    looks = count()

    def stamp(self, path: Path) -> str:
        return str(next(self.looks))


class SharedStamps(RightNotes):
    """makes every stamp of the whole folder"""

    def stamp(self, path: Path) -> str:
        return str(max(other.stat().st_mtime_ns for other in path.parent.iterdir()))


class Forgetless(RightNotes):
    """never lists again what it has listed once"""

    def __init__(self, options: NotesOptions) -> None:
        super().__init__(options)
        self.kept: dict[str, Memory] = {}

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        listed = {entry.key: entry for entry in super().entries(scope, deadline) if isinstance(entry, Entry)}
        yield from listed.values()
        yield from (Entry(key, "kept") for key in self.kept if key not in listed)

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        if entry.stamp == "kept":
            yield self.kept[entry.key]
            return
        for item in super().load(entry, scope):
            if isinstance(item, Memory):
                self.kept[entry.key] = item
            yield item


class Clinging(RightNotes):
    """gives the text of an entry that is gone from what it kept"""

    def __init__(self, options: NotesOptions) -> None:
        super().__init__(options)
        self.kept: dict[tuple[str, str], list[Memory | Problem]] = {}

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        key = entry.key, entry.stamp
        if key not in self.kept:
            self.kept[key] = list(super().load(entry, scope))
        yield from self.kept[key]


class LocalDates(RightNotes):
    """gives dates of another time zone"""

    def memory(self, entry: Entry, text: str) -> Memory:
        seoul = timezone(timedelta(hours=9))
        moment = datetime.fromtimestamp(entry.locator.stat().st_mtime, seoul)
        return replace(super().memory(entry, text), updated=moment)


class DatesFromNowhere(RightNotes):
    """does not say where a date comes from"""

    def memory(self, entry: Entry, text: str) -> Memory:
        return replace(super().memory(entry, text), date_origin="")


class Touching(RightNotes):
    """writes a lock beside the notes"""

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        folder = self.folder(scope)
        if folder.is_dir():
            (folder / ".lock").touch()
        return super().entries(scope, deadline)


class MakingFolders(RightNotes):
    """makes the folder that is not there"""

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        said = super().health(scope, deadline)
        self.folder(scope).mkdir(parents=True, exist_ok=True)
        return said


class Sharing(RightNotes):
    """keeps its memories in the class"""

    listed: dict[str, Entry] = {}  # noqa: RUF012  # the fault

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        if self.folder(scope).is_dir():
            self.listed.clear()
            found = super().entries(scope, deadline)
            self.listed.update({entry.key: entry for entry in found if isinstance(entry, Entry)})
        yield from self.listed.values()


class OfThisMachine(RightNotes):
    """looks in the home of the process as well"""

    def folder(self, scope: Scope) -> Path:
        own = super().folder(scope)
        return own if own.is_dir() else Path.home() / "notes"


class Printing(RightNotes):
    """prints what it does"""

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        print("reading", entry.key)
        return super().load(entry, scope)


class LeavingThread(RightNotes):
    """leaves a thread that never ends"""

    over = threading.Event()  # of the one left last: one at a time is enough

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        self.over.set()
        type(self).over = threading.Event()
        threading.Thread(target=self.over.wait, daemon=True).start()
        return super().load(entry, scope)


class LeavingChild(RightNotes):
    """leaves a child process"""

    children: list[subprocess.Popen[bytes]] = []  # noqa: RUF012  # the one left last: one at a time is enough

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        while self.children:
            self.children.pop().communicate()
        # It ends with its parent, whose end closes its input.
        self.children.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
        return super().entries(scope, deadline)


class Leaking(RightNotes):
    """leaves a thread when its listing is broken off"""

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        over = threading.Event()
        threading.Thread(target=over.wait, daemon=True).start()
        yield from super().entries(scope, deadline)
        over.set()  # not reached by who takes the first entry only


class Hanging(RightNotes):
    """never ends its health"""

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        if self.folder(scope).is_dir():
            threading.Event().wait()
        return super().health(scope, deadline)


class Timeless(RightNotes):
    """lists on when its deadline has passed"""

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        return super().entries(scope, Deadline.after(60))


class AllOrNothing(RightNotes):
    """lists nothing when one file cannot be read"""

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        found = list(super().entries(scope, deadline))
        try:
            for entry in found:
                assert isinstance(entry, Entry)
                entry.locator.read_text("utf-8")
        except UnicodeDecodeError as error:
            return iter([Problem("notes", str(error), hides_entries=True)])
        return iter(found)


class Skipping(RightNotes):
    """skips what cannot be read in silence"""

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        try:
            return iter(list(super().load(entry, scope)))
        except Exception:
            return iter(())


class Cutting(RightNotes):
    """cuts a long text in silence"""

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        return (item for item in super().load(entry, scope) if isinstance(item, Memory))


class Quoting(RightNotes):
    """quotes a memory in a fact of its health"""

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        said = super().health(scope, deadline)
        if not said.state.usable:
            return said
        newest = max(self.folder(scope).glob("*.md"), key=lambda path: path.stat().st_mtime_ns)
        text = newest.read_bytes().decode("utf-8", "replace")
        return replace(said, facts=(f"the newest says: {text}",))


class Ascii(RightNotes):
    """drops every letter that is not ASCII"""

    def memory(self, entry: Entry, text: str) -> Memory:
        return super().memory(entry, text.encode("ascii", "ignore").decode() or "?")


class ShortKorean(RightNotes):
    """drops what is spelled in parts, as macOS spells Korean"""

    def memory(self, entry: Entry, text: str) -> Memory:
        return super().memory(
            entry, "".join(sign for sign in text if not "\u1100" <= sign <= "\u11ff") or "?"
        )


class LyingIds(RightNotes):
    """gives an id that leads nowhere"""

    def memory(self, entry: Entry, text: str) -> Memory:
        return replace(super().memory(entry, text), id=" ")


@dataclass
class LooseOptions:
    """Options that can be changed, one without help."""

    folder: str = option("~/notes", "The folder with the notes.")
    max_file_bytes: int = 100_000


class Loose(RightNotes):
    """has options that can be changed and do not say what they are"""

    Options = LooseOptions


class Misnamed(RightNotes):
    """has a name that is no key"""

    name = "My Notes!"


class Renamed(RightNotes):
    """is called otherwise than its entry point"""

    name = "other-notes"


class Greedy(RightSearch):
    """gives more than was asked for"""

    def search(self, query: Query, scope: Scope, deadline: Deadline) -> Iterator[Memory | Problem]:
        return super().search(replace(query, limit=50), scope, deadline)


class TimelessSearch(RightSearch):
    """searches on when its deadline has passed"""

    def search(self, query: Query, scope: Scope, deadline: Deadline) -> Iterator[Memory | Problem]:
        return super().search(query, scope, Deadline(time.monotonic() + 60))


# Of each, the test whose name tells the fault; others may see it too.
CAUGHT_BY: dict[type[Any], str] = {
    Boasting: "test_health_counts_what_can_be_read",
    ReadyWhenEmpty: "test_an_empty_store_is_not_ready",
    BlankIsContent: "test_blank_text_is_not_content",
    TemplateIsContent: "test_template_text_is_not_content",
    RaisingWhenAbsent: "test_an_absent_store_is_absent_and_no_exception",
    Exiting: "test_an_absent_store_is_absent_and_no_exception",
    Mute: "test_an_absent_store_is_absent_and_no_exception",
    RandomIds: "test_ids_are_unique_and_the_same_over_two_runs",
    SameIds: "test_ids_are_unique_and_the_same_over_two_runs",
    LyingIds: "test_every_uri_shows_its_memory",
    SizeStamps: "test_a_stamp_changes_when_its_content_does",
    RestlessStamps: "test_stamps_stay_while_nothing_changes",
    SharedStamps: "test_a_stamp_changes_only_when_its_content_does",
    Forgetless: "test_a_deleted_memory_is_gone",
    Clinging: "test_an_entry_that_is_gone_loads_nothing",
    LocalDates: "test_dates_are_utc_and_say_where_they_come_from",
    DatesFromNowhere: "test_dates_are_utc_and_say_where_they_come_from",
    Touching: "test_reading_changes_nothing_of_the_source",
    MakingFolders: "test_looking_for_an_absent_store_makes_nothing",
    Sharing: "test_two_instances_share_nothing",
    OfThisMachine: "test_it_looks_only_where_the_scope_says",
    Printing: "test_it_prints_nothing",
    LeavingThread: "test_reading_leaves_no_thread_and_no_child_process",
    LeavingChild: "test_reading_leaves_no_thread_and_no_child_process",
    Leaking: "test_a_listing_that_is_broken_off_leaves_no_thread_and_no_child_process",
    Hanging: "test_health_ends_within_its_deadline",
    Timeless: "test_a_listing_ends_at_once_when_its_deadline_has_passed",
    AllOrNothing: "test_an_unreadable_item_does_not_hide_the_others",
    Skipping: "test_an_unreadable_item_is_counted",
    Cutting: "test_too_long_a_text_is_cut_and_the_cut_is_told",
    Quoting: "test_secrets_do_not_get_through",
    Ascii: "test_korean_is_found",
    ShortKorean: "test_decomposed_korean_is_found",
    Loose: "test_its_options_are_frozen_and_each_has_a_line_of_help",
    Misnamed: "test_its_name_is_well_formed",
    Renamed: "test_its_entry_point_has_its_name",
    Greedy: "test_no_more_than_the_limit_is_given",
    TimelessSearch: "test_a_search_ends_at_once_when_its_deadline_has_passed",
}
# The same of modules that go wrong while they are imported.
IMPORT_CAUGHT_BY: dict[str, str] = {
    "heavy_import": "test_importing_it_is_light",
    "busy_import": "test_importing_it_is_light",
    "loud_import": "test_importing_it_prints_writes_and_starts_nothing",
}
