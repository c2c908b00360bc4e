"""The command group: names and one-line helps here, everything else imported when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

_COMMANDS = {
    "query": "Ask every memory one question.",
    "bootstrap": "Where the project stands: Git, decisions, next steps, where to look.",
    "doctor": "Check each source for a real corpus that can be read and found again.",
    "show": "Print one memory in full.",
    "checkpoint": "Write down what was decided, when it is decided; read it again.",
    "providers": "List the sources and their plugins.",
    "new-provider": "Write the project of a new source, ready to run.",
    "index": "Read all sources into the index; rebuild it; forget what vanished.",
    "config": "Show the settings and where each comes from; trust a project's.",
    "setup": "Connect an agent: print or write its configuration.",
    "guard": "Say whether a session may change something, or must bootstrap first.",
    "hook": "Answer a coding agent's hook: session start, prompt, tool, stop, compaction.",
    "serve": "Serve memories to agents over MCP.",
    "demo": "See it work on a small sample home, without any memory of your own.",
    "completion": "Print the shell completion script.",
}


class ReaderGone(Exception):
    """Nobody reads stdout any more."""


class LazyGroup(click.Group):
    """A group whose help needs none of its commands."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command; click itself would end the process as if something needed attention."""
        try:
            return super().invoke(context)
        except BrokenPipeError:
            raise ReaderGone from None

    def list_commands(self, _context: click.Context) -> list[str]:
        """The commands, in the order a newcomer needs them."""
        return list(_COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """Import a command by name."""
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"recall.cli.{name.replace('-', '_')}").command
        return command

    def resolve_command(self, context: click.Context, arguments: list[str]) -> Any:
        """Resolve a command; a misspelled one gets the nearest name."""
        name = arguments[0] if arguments else ""
        if name and not name.startswith("-") and name not in _COMMANDS:
            from recall.wording import nearest

            meant = nearest(name, _COMMANDS)
            raise click.UsageError(
                f"no command is called {name!r}" + (f', did you mean "{meant}"?' if meant else ""), context
            )
        return super().resolve_command(context, arguments)

    def format_commands(self, _context: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their one-line helps, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


def _version(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from recall.version import version

        click.echo(f"recall {version()}")
        context.exit()


@click.command(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
def recall() -> None:
    """One question to every agent memory on this machine: Serena, claude-mem, Antigravity, Claude Code and more."""
