"""Which memories there are: the documents of knowledge items and of conversations, before any is read."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from recall.files import Found

DOCUMENTS = (".md", ".markdown", ".txt")
KNOWLEDGE_SUFFIXES = (*DOCUMENTS, "metadata.json", "timestamps.json")
BRAIN_SUFFIXES = (".md", ".metadata.json")


class Artifact(NamedTuple):
    """One memory to be: a document, or the summary of an item without one."""

    place: str  # what a person would look for: root and path
    found: Found
    item: str  # the item's folder below knowledge/, "" for a note outside any
    metadata: Found | None
    timestamps: Found | None
    leads: bool  # carries the item's summary

    @property
    def stamp(self) -> str:
        """Changes when the document or what is said about it may have changed."""
        beside = (found.stamp for found in (self.metadata, self.timestamps) if found is not None)
        return "/".join((self.found.stamp, *beside, "lead" if self.leads else ""))


class Page(NamedTuple):
    """One document of a conversation."""

    place: str  # what a person would look for: root and path
    found: Found
    metadata: Found | None
    conversation: tuple[Found, ...]  # all its documents, this one too: together they tell the project

    @property
    def stamp(self) -> str:
        """Changes when the document, its metadata or the conversation may have changed."""
        beside = "".join(other.stamp for other in self.conversation)
        metadata = self.metadata.stamp if self.metadata else ""
        return f"{self.found.stamp}/{metadata}/{zlib.crc32(beside.encode()):08x}"


def artifacts(found: Iterable[Found], place: str) -> Iterator[Artifact]:
    """The memories among the files of a knowledge folder, which a person knows as `place`."""
    metadata: dict[str, Found] = {}
    timestamps: dict[str, Found] = {}
    pages: list[Found] = []
    for item in found:
        folder, _, name = item.relative.rpartition("/")
        if name.startswith(".") or ".resolved" in name:
            continue
        if name in ("metadata.json", "timestamps.json"):
            (metadata if name == "metadata.json" else timestamps)[folder] = item
        elif name.endswith(DOCUMENTS):
            pages.append(item)
    metadata.pop("", None)
    items: dict[str, list[Found]] = {folder: [] for folder in metadata}
    for page in pages:
        items.setdefault(_item_of(page.relative, metadata), []).append(page)
    for folder, members in items.items():
        about = metadata.get(folder), timestamps.get(folder)
        lead = _leader(members)
        for page in members or [metadata[folder]]:
            leads = bool(folder) and page in (lead, metadata.get(folder))
            yield Artifact(f"{place}/{page.relative}", page, folder, *about, leads)


def _item_of(relative: str, metadata: Mapping[str, Found]) -> str:
    """The item a document belongs to: the nearest folder described, else the one above `artifacts`."""
    parents = relative.split("/")[:-1]
    for length in range(len(parents), 0, -1):
        if (folder := "/".join(parents[:length])) in metadata:
            return folder
    if "artifacts" in parents[1:]:
        return "/".join(parents[: parents.index("artifacts", 1)])
    return parents[0] if parents else ""


def _leader(pages: list[Found]) -> Found | None:
    """An item's main page: the overview highest up, else the first."""
    overviews = [page for page in pages if page.relative.lower().endswith("/overview.md")]
    return min(overviews, key=lambda page: page.relative.count("/")) if overviews else next(iter(pages), None)


def pages(found: Iterable[Found], place: str) -> Iterator[Page]:
    """The documents among the files of a brain folder, without the `.resolved` copies of older states."""
    metadata: dict[str, Found] = {}
    conversations: dict[str, list[Found]] = {}
    for item in found:
        folder, _, name = item.relative.rpartition("/")
        if name.startswith(".") or ".resolved" in name:
            continue
        if name.endswith(".metadata.json"):
            metadata[item.relative.removesuffix(".metadata.json")] = item
        else:
            conversations.setdefault(folder or item.relative, []).append(item)
    for members in conversations.values():
        together = tuple(members)
        for page in together:
            yield Page(f"{place}/{page.relative}", page, metadata.get(page.relative), together)
