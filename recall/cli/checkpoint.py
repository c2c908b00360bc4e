"""`recall checkpoint`: write down what was decided when it is decided, and read it again."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recall.checkpoints import KINDS
from recall.cli import context

if TYPE_CHECKING:
    from recall.api import Scope

_LOOKING = 1.0  # seconds that Git may take to say what differs; without it, the entry is saved all the same
_STDIN_LIMIT = 1 << 20  # bytes; what may be saved is far less, and is said then
_HELP = {
    "approved": "A direction the user approved.",
    "rejected": "An idea the user turned down.",
    "decision": "A decision, and why.",
    "abandoned": "An approach that was given up.",
    "constraint": "Something that has to be kept to.",
    "blocker": "Something that stands in the way.",
    "milestone": "Something that works now.",
    "verification": "What a test or a check showed.",
    "handoff": "Where the work stands, for whoever goes on; its next steps replace all earlier ones.",
}


class Kinds(click.Group):
    """A group in which each kind of checkpoint is a command."""

    def list_commands(self, context: click.Context) -> list[str]:
        """The kinds, then what reads the journal."""
        return [*KINDS, *super().list_commands(context)]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """A kind's command is made when it is asked for."""
        return _saving(name) if name in KINDS else super().get_command(context, name)

    def resolve_command(self, context: click.Context, arguments: list[str]) -> Any:
        """Resolve a command; a misspelled one gets the nearest name."""
        name = arguments[0] if arguments else ""
        if name and not name.startswith("-") and self.get_command(context, name) is None:
            from recall.wording import nearest

            meant = nearest(name, self.list_commands(context))
            hint = f', did you mean "{meant}"?' if meant else f": {', '.join(self.list_commands(context))}"
            raise click.UsageError(f"{name!r} is no kind of checkpoint{hint}", context)
        return super().resolve_command(context, arguments)


@click.group(name="checkpoint", cls=Kinds)
def command() -> None:
    """Save a checkpoint of the project in .context, or read them.

    recall checkpoint decision "Retry four times" --why "the bank asks for it"
    """


def _saving(kind: str) -> click.Command:
    several = {"multiple": True}
    return click.Command(
        kind,
        callback=partial(_save, kind),
        help=f"{_HELP[kind]} TEXT - is read from stdin.",
        params=[
            click.Argument(["text"]),
            click.Option(["--why"], default="", metavar="TEXT", help="The reason."),
            click.Option(
                ["--path", "paths"], metavar="PATH", help="A file it is about; may be repeated.", **several
            ),
            click.Option(["--evidence"], metavar="TEXT", help="What shows it; may be repeated.", **several),
            click.Option(
                ["--next", "steps"], metavar="TEXT", help="A next step; may be repeated.", **several
            ),
            click.Option(
                ["--closes"],
                metavar="ID",
                help="An entry (12) or next step (12.1) that this one ends; may be repeated.",
                **several,
            ),
            click.Option(
                ["--base"], metavar="REVISION", help="Save only if the journal has not moved on from there."
            ),
            *_shared(),
        ],
    )


def _shared() -> list[click.Parameter]:
    folder = click.Path(path_type=Path)
    return [
        click.Option(["--project"], type=folder, metavar="FOLDER", help="The project; default: here."),
        click.Option(["--json", "as_json"], is_flag=True, help="One JSON document on stdout."),
    ]


def _save(
    kind: str,
    text: str,
    why: str,
    paths: tuple[str, ...],
    evidence: tuple[str, ...],
    steps: tuple[str, ...],
    closes: tuple[str, ...],
    base: str | None,
    project: Path | None,
    as_json: bool,
) -> int:
    from recall.api import Deadline
    from recall.cli.run import FOUND, NOTHING
    from recall.context import worktree
    from recall.context.entry import Entry
    from recall.context.saving import save
    from recall.context.where import stands
    from recall.places import Places

    output = context.data_stream()
    scope = _scope(project)
    entry = Entry(
        kind=kind,
        text=_given(text),
        why=why,
        paths=tuple(_below(scope, path) for path in paths),
        evidence=evidence,
        next=steps,
        closes=closes,
    )
    cache = Places.find(scope.env, scope.home).cache
    where = stands(scope, worktree.look(scope, cache, Deadline.after(_LOOKING))[1])
    result = save(scope.main_root, entry, base, where=where, project=_name(scope))
    from recall.render import checkpoints

    if as_json:
        output.write_document(checkpoints.saved(result))
    else:
        output.write(checkpoints.saved_text(result))
    output.flush()
    return FOUND if result.saved else NOTHING


def _given(text: str) -> str:
    """The text, or what stdin holds where it is a dash."""
    if text != "-":
        return text
    import sys

    from recall import files

    return files.decode(sys.stdin.buffer.read(_STDIN_LIMIT)).text


def _below(scope: Scope, path: str) -> str:
    """A path as the project knows it: below the work tree, from wherever the user stands."""
    import os

    whole = os.path.normpath(os.path.join(scope.cwd, os.path.expanduser(path)))
    root = os.fspath(scope.root)
    return os.path.relpath(whole, root) if whole.startswith(root + os.sep) else whole


def _scope(project: Path | None) -> Scope:
    from recall.project import find_scope

    return find_scope(project or context.here(), home=context.home(), env=context.environment())


def _name(scope: Scope) -> str:
    return scope.names[0] if scope.names else ""


@command.command(name="list")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only this kind; may be repeated."
)
@click.option("--all", "everything", is_flag=True, help="Closed entries, too, and all of them.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="The newest so many.")
@context.project_option
@context.json_option
def listing(kinds: tuple[str, ...], everything: bool, limit: int, project: Path | None, as_json: bool) -> int:
    """The entries that stand, oldest first, and what is next."""
    from recall.checkpoints import standing
    from recall.cli.run import FOUND, NOTHING
    from recall.context import journal
    from recall.render import checkpoints

    output = context.data_stream()
    found = journal.read(_scope(project).main_root)
    now = standing(found.contents.records)
    chosen = found.contents.records if everything else now.entries
    chosen = tuple(record for record in chosen if not kinds or record.kind in kinds)
    shown = chosen if everything else chosen[-limit:]
    if as_json:
        output.write_document(checkpoints.listed(found, now, shown, len(chosen) - len(shown)))
    else:
        output.write(checkpoints.listed_text(found, now, shown, len(chosen) - len(shown)))
    output.flush()
    return FOUND if shown else NOTHING


@command.command(name="show")
@click.argument("name", metavar="ID")
@context.project_option
@context.json_option
def show(name: str, project: Path | None, as_json: bool) -> int:
    """One entry in full, by its number (12) or id (12-7f3a)."""
    from recall.checkpoints import standing
    from recall.cli.run import FOUND
    from recall.context import journal
    from recall.context.references import entry_named
    from recall.render import checkpoints

    output = context.data_stream()
    found = journal.read(_scope(project).main_root)
    record = entry_named(name, found.contents.records)
    now = standing(found.contents.records)
    if as_json:
        output.write_document(checkpoints.one(found, now, record))
    else:
        output.write(checkpoints.one_text(now, record))
    output.flush()
    return FOUND


@command.command(name="verify")
@context.project_option
@context.json_option
def verify(project: Path | None, as_json: bool) -> int:
    """Check every record and view by its checksum; changes nothing."""
    from recall.cli.run import FOUND, NOTHING
    from recall.context import journal
    from recall.context.viewfiles import states
    from recall.render import checkpoints

    output = context.data_stream()
    found = journal.read(_scope(project).main_root)
    views = states(found.path.parent, found.contents.revision) if found.is_there else {}
    if as_json:
        output.write_document(checkpoints.verified(found, views))
    else:
        output.write(checkpoints.verified_text(found, views))
    output.flush()
    return FOUND if found.is_there and not found.contents.damages else NOTHING


@command.command(name="repair")
@context.project_option
@context.json_option
def mend(project: Path | None, as_json: bool) -> int:
    """Keep a damaged journal aside, make a whole one of its records, and the views anew."""
    from recall.cli.run import FOUND
    from recall.context.repair import repair
    from recall.render import checkpoints

    output = context.data_stream()
    scope = _scope(project)
    result = repair(scope.main_root, project=_name(scope))
    if as_json:
        output.write_document(checkpoints.repaired(result))
    else:
        output.write(checkpoints.repaired_text(result))
    output.flush()
    return FOUND
