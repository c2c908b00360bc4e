"""Where words stand in the work tree now. A word that was found is looked for again only when its file changes."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from recall import files
from recall.api import Deadline
from recall.errors import ProviderError
from recall.evidence import words
from recall.evidence.edits import Edits
from recall.evidence.proof import Witness
from recall.evidence.search import INDEXED, ON_DISK, TRACKED, Looked, Place, Search, Word, storable
from recall.evidence.store import Store, hashed
from recall.git import grep
from recall.git.command import Git
from recall.transport.process import Result

_READ_LIMIT = 1 << 20  # bytes of a file that a memory names
_FLOOD = 2_000  # lines after which the search goes on with what is still missing
_UNKNOWN_SECONDS = 0.15  # for files that git does not know
_BELIEVED = 60.0  # seconds that the absence of what may come back is believed while nothing is seen to change
_MOST_ATTRIBUTES = 50  # files of attributes that are looked into
_MARKS = re.compile(r"(?<!\S)(?:-diff|binary)(?!\S)")  # what hides a file of text from a patch and a search


class Present:
    """The work tree below `top`."""

    def __init__(self, top: Path, git: Git, store: Store, now: Callable[[], float]) -> None:
        self._top = top
        self._real = os.path.realpath(top)
        self._git = git
        self._store = store
        self._now = now
        self.witness = Witness()  # of what is looked at; a new one for each question
        self._kept_out: tuple[str, Sequence[str]] | None = None  # under which state, and what
        self._too_many = ""  # under which state files that git does not know took too long

    def stat(self, path: str | bytes) -> os.stat_result | None:
        """A path's own status; None if nothing is there."""
        whole = os.path.join(os.fsencode(self._top), os.fsencode(path))
        try:
            found = os.lstat(whole)
        except (OSError, ValueError):
            found = None
        self.witness.note(whole, found)
        return found

    def is_hollow(self, path: str) -> bool:
        """Whether a folder holds nothing but what a program leaves behind."""
        try:
            return set(os.listdir(self._top / path)) <= {"__pycache__", ".DS_Store"}
        except OSError:
            return False

    def text(self, path: str) -> str:
        """A file's text; "" if it cannot be read."""
        if self.stat(path) is None or not self.inside(path):
            return ""
        try:
            return files.read_text(self._top / path, _READ_LIMIT).text
        except (ProviderError, ValueError):
            return ""

    def inside(self, path: str) -> bool:
        """Whether a path leads to something in the work tree, links followed."""
        return files.is_inside(os.path.join(self._top, path), (self._real,))

    def holds(self, path: str) -> bool:
        """Whether a path lies in the work tree by itself; if it is a link, that may lead anywhere."""
        return self.inside(os.path.dirname(path.rstrip("/")))

    def is_link(self, path: str) -> bool:
        """Whether a path is a link."""
        found = self.stat(path)
        return found is not None and stat.S_ISLNK(found.st_mode)

    def look(
        self,
        wanted: Iterable[Word],
        state: str,
        own: Collection[str],
        changed: Callable[[], Edits],
        deadline: Deadline,
    ) -> Looked:
        """Look for words.

        state: something that changes with HEAD, the index, and the files that differ.
        own: files that the memories are in: that they hold the words proves nothing.
        changed: paths that differ from the last commit, those that git does not know among them.
        """
        search = Search({word.text: word for word in wanted}, own)
        self._remembered(search, state, changed)
        self._near(search)
        if search.open:
            self._grep(search, deadline)
        if (sought := search.gone) and (marked := self._marked(sought, deadline)):
            self._grep(search, deadline, paths=marked, text=True)
        if search.open - search.unread:
            self._among_kept_out(search, state, deadline)
        if search.open - search.unread and (edits := changed()) != Edits():
            # Without the whole list git has to find the files by itself.
            paths = sorted(edits.paths) if edits.lists_untracked else []
            self._among_unknown_files(search, state, paths, deadline)
        self._keep(search, state)
        return search.result()

    def at(
        self, commit: str, paths: Sequence[str], wanted: Collection[Word], deadline: Deadline
    ) -> tuple[frozenset[str], bool]:
        """Those of some words that stand in the code of some files at a commit, and whether all was read.

        What is a link by now is passed by: what it leads to may hold them still.
        paths: empty for all files.
        """
        found: set[str] = set()
        names = sorted({word.pattern for word in wanted})
        whole = True
        for part in _parts(paths):
            with grep.lines_with(self._git, names, deadline, commit=commit, paths=part) as lines:
                for line in lines:
                    path = line.path.removeprefix(f"{commit}:")
                    if not self.is_link(path):
                        found.update(words.named(words.code_of(line.text, path)))
                whole = whole and lines.result.code in (0, 1)
        return frozenset(found & {word.text for word in wanted}), whole

    def untracked(self, deadline: Deadline) -> tuple[list[str], bool]:
        """Files that git does not know, and whether that is all of them: there may be any number."""
        return grep.untracked(self._git, Deadline.after(min(_UNKNOWN_SECONDS, deadline.remaining())))

    def stamp(self, path: str) -> str:
        """What changes when a file does; "" if it is not there."""
        found = self.stat(path)
        return f"{found.st_mtime_ns}:{found.st_size}" if found is not None else ""

    def _keep(self, search: Search, state: str) -> None:
        found = [
            (hashed(text), place.path, place.line, place.option, self.stamp(place.path))
            for text, place in search.fresh.items()
            if storable(place.path)
        ]
        absent = [
            (
                hashed(text),
                hashed(search.wanted[text].pattern),
                state,
                self._now(),
                " ".join(search.others(text)),
                *(search.elsewhere(text) or (None, None, ON_DISK)),
                text in search.in_tests,
            )
            for text in search.open - search.unread
        ]
        if found or absent:
            with self._store:
                self._store.many("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?)", found)
                self._store.many("INSERT OR REPLACE INTO absent VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", absent)

    def _remembered(self, search: Search, state: str, changed: Callable[[], Edits]) -> None:
        """What was found before and still stands, and what was not there when it was looked for."""
        for text in list(search.open):
            rows = self._store.rows(
                "SELECT path, line, option, stamp FROM seen WHERE word = ?", (hashed(text),)
            )
            if rows and rows[0][0] not in search.own:
                path, line, option, stamp = rows[0]
                if stamp == self.stamp(path) != "":
                    search.find(text, Place(path, line, option=option))
                    continue
                search.before[text] = path
            rows = self._store.rows(
                "SELECT at, others, path, line, option, in_tests FROM absent WHERE word = ? AND state = ?",
                (hashed(text), state),
            )
            if not rows:
                continue
            at, others, path, line, option, in_tests = rows[0]
            # Where something differs, an uncommitted removal may be put back in a way that no file's time shows.
            lasting = not search.wanted[text].taken_away and changed() == Edits()
            if lasting or self._now() - at < _BELIEVED:
                place = Place(path, line, bool(in_tests), option) if path is not None else None
                search.settle(text, others.split(), place)

    def _near(self, search: Search) -> None:
        """Look into the files that the memory itself names, and where a word stood before."""
        by_file: dict[str, list[Word]] = {}
        for text in search.open:
            for path in dict.fromkeys((*filter(None, [search.before.get(text)]), *search.wanted[text].near)):
                by_file.setdefault(path, []).append(search.wanted[text])
        for path, sought in by_file.items():
            text = self.text(path)
            if any(word.pattern in text for word in sought):
                patterns = {word.pattern for word in sought}
                for number, line in enumerate(text.split("\n"), 1):
                    if any(pattern in line for pattern in patterns):
                        search.take(path, number, line)

    def _among_unknown_files(
        self, search: Search, state: str, paths: Sequence[str], deadline: Deadline
    ) -> None:
        """A word may stand in a file that git does not know yet; of those there may be any number."""
        left = set(search.open)
        if self._too_many != state:
            self._grep(search, Deadline.after(min(_UNKNOWN_SECONDS, deadline.remaining())), unknown=paths)
        if self._too_many == state or search.unread >= search.open != set():
            self._too_many = state
            # Whatever never was in the history is as unknown as before; of the others nothing can be said.
            search.unread = {text for text in left & search.open if search.wanted[text].taken_away}

    def _among_kept_out(self, search: Search, state: str, deadline: Deadline) -> None:
        """A word may stand in a file that git's search of a work tree leaves out."""
        if self._kept_out is None or self._kept_out[0] != state:
            found, whole = grep.kept_out(self._git, deadline)
            if not whole:
                search.unread |= search.open
                return
            self._kept_out = state, found
        paths = self._kept_out[1]
        there = [path for path in paths if os.path.lexists(self._top / path)]
        for path in there:
            for number, line in enumerate(self.text(path).split("\n"), 1):
                search.take(path, number, line)
        if len(there) < len(paths):
            # All of them in one run: far too many for a command line may be outside of a sparse checkout.
            self._grep_in(search, deadline, (), cached=frozenset(paths) - frozenset(there))

    def _marked(self, sought: Collection[str], deadline: Deadline) -> list[str]:
        """Files that hold one of some names, and that attributes keep out of a search and of a commit's patch."""
        return grep.marked_with(self._git, sorted(sought), deadline) if self._marks() else []

    def _marks(self) -> bool:
        """Whether the repository may mark files of text as none."""
        kept = self._store.rows(
            "SELECT name FROM path WHERE base = '.gitattributes' LIMIT ?", (_MOST_ATTRIBUTES,)
        )
        places = dict.fromkeys((".git/info/attributes", ".gitattributes", *(name for (name,) in kept)))
        return any(_MARKS.search(self.text(place)) for place in places)

    def _grep(
        self,
        search: Search,
        deadline: Deadline,
        *,
        unknown: Sequence[str] | None = None,
        paths: Sequence[str] = (),
        text: bool = False,
    ) -> None:
        """Search the files that git knows, or only `paths` of them; `text`: whatever they are.

        unknown: those that git does not know, too: these, or with an empty list all of them.
        """
        for part in _parts(unknown or paths):
            self._grep_in(search, deadline, part, untracked=unknown is not None, text=text)

    def _grep_in(
        self,
        search: Search,
        deadline: Deadline,
        paths: Sequence[str],
        *,
        untracked: bool = False,
        text: bool = False,
        cached: Collection[str] = (),
    ) -> None:
        """One run; `cached`: look into these files alone, as the index has them."""
        while search.open - search.unread:
            names = sorted({search.wanted[text].pattern for text in search.open})
            option = INDEXED if cached else ON_DISK if untracked else TRACKED
            before, count = len(search.open), 0
            with grep.lines_with(
                self._git,
                names,
                deadline,
                untracked=untracked,
                paths=paths,
                text=text,
                cached=bool(cached),
            ) as lines:
                for line in lines:
                    if not cached or line.path in cached:
                        search.take(line.path, line.number, line.text, option)
                    count += 1
                    if not search.open or (count >= _FLOOD and len(search.open) < before):
                        break
                else:
                    if lines.result.code not in (0, 1):
                        search.unread |= search.open
                        search.trouble = _trouble(lines.result)
                    return


def _parts(paths: Sequence[str]) -> Iterable[Sequence[str]]:
    """Paths in parts that a command line holds; none, for all files, are one part."""
    return grep.parts(paths, grep.MOST_PATHS) if paths else [()]


def _trouble(result: Result) -> str:
    """Why a search failed; "" if it was the time."""
    return (
        ""
        if result.late
        else f"git says: {files.display_path(result.failed or result.last_line or 'too much')}"
    )
