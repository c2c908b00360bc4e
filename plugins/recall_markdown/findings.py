"""What a look at the stores finds beside the notes: drifted indexes, empty files, memory out of scope."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from recall import claude_names, documents, files
from recall.api import Deadline, Problem, Scope
from recall.documents import Survey
from recall.errors import StoreBroken
from recall_markdown import claude_code, memory_index
from recall_markdown.memory_index import Rest
from recall_markdown.stores import MarkdownOptions, Store, listing


@dataclass(frozen=True, slots=True)
class Index:
    """One MEMORY.md."""

    place: str
    rest: Rest  # what it says itself
    overflow: str  # what a session does not see of it


def indexes(looked_at: Iterable[Store], limit: int, deadline: Deadline) -> list[Index]:
    """Every index that can be read."""
    there = [store for store in looked_at if store.indexed and files.look(store.folder) is not None]
    found: list[Index] = []
    for store in there:
        for item in listing(store, files.Walker(), deadline):
            if isinstance(item, Problem) or not store.is_index(item):
                continue
            try:
                body = documents.read_document(item, limit).body
            except StoreBroken:
                continue  # told when it is read as a note
            rest = memory_index.rest(body, os.path.dirname(item.path))
            found.append(Index(f"{store.prefix}/{item.relative}", rest, memory_index.overflow(body)))
    return found


def drift(indexes: Iterable[Index]) -> Iterator[str]:
    """Links to lost files, and lines that a session never sees."""
    for index in indexes:
        if index.rest.dead:
            yield f"dead links in {index.place}: {len(index.rest.dead)}, the first to {index.rest.dead[0]}"
        if index.overflow:
            yield f"{index.place}: {index.overflow}; all of it is read here"


def doubted(survey: Survey, indexes: Iterable[Index]) -> Survey:
    """The survey, with a problem if all there is are pointers to lost files."""
    hollow = [index.place for index in indexes if index.rest.only_dead]
    if not survey.items or survey.items > len(hollow):
        return survey
    problem = Problem(hollow[0], "nothing but links to files that are gone")
    return replace(survey, problems=(*survey.problems, problem))


def silent(survey: Survey) -> list[str]:
    """Files that hold nothing to remember, except indexes, which need not."""
    return [key for key in survey.silent if not key.endswith("/MEMORY.md")]


def counts(survey: Survey, looked_at: Iterable[Store]) -> Iterator[str]:
    """Memories of each kind of store that is there, and empty files."""
    there = [store.prefix for store in looked_at if files.look(store.folder) is not None]
    for part in dict.fromkeys(prefix.split("/", 1)[0] for prefix in there):
        yield f"memories in {part}: {survey.parts.get(part, 0)}"
    empty = silent(survey)
    if empty:
        yield f"empty files or unfilled templates: {len(empty)}, as {empty[0]}"


def beyond(options: MarkdownOptions, scope: Scope) -> Iterator[str]:
    """Memory of the same Claude Code that this scope leaves out, or may miss."""
    if not options.auto_memory:
        return
    root = claude_names.config_root(scope, options.claude_home)
    trouble = claude_code.settings_trouble(root)
    if trouble:
        yield f"{trouble}: a memory folder named there is not known"
    if scope.all_projects:
        return
    everyone = claude_code.project_folders(replace(scope, all_projects=True), root)
    others = [folder for folder in everyone if not folder.mine and files.is_folder(folder.memory)]
    if others:
        yield f"other projects with memory of their own, outside this scope: {len(others)}"
    own = claude_code.own_paths(scope)
    for folder in others:
        recorded = claude_code.recorded_folders(folder.transcripts, 1)
        if recorded and files.lies_in(recorded[0], own):
            place = files.display_path(folder.memory)
            yield f"{place} was written from {recorded[0]}: to read it, list it under `folders`"
