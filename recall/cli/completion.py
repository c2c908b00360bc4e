"""`recall completion`: the shell completion script."""

from __future__ import annotations

import click

from recall.cli import context

_PLACES = {
    "bash": "recall completion bash > ~/.local/share/bash-completion/completions/recall",
    "zsh": "recall completion zsh > a folder of your $fpath, as _recall",
    "fish": "recall completion fish > ~/.config/fish/completions/recall.fish",
}


@click.command(name="completion")
@click.argument("shell", type=click.Choice(sorted(_PLACES)))
def command(shell: str) -> int:
    """Print the shell completion script.

    \b
    recall completion bash > ~/.local/share/bash-completion/completions/recall
    recall completion fish > ~/.config/fish/completions/recall.fish
    """
    from click.shell_completion import get_completion_class

    from recall.cli.group import recall

    completion_class = get_completion_class(shell)
    if completion_class is None:
        raise click.UsageError(f"no completion for {shell}")
    source = completion_class(recall, {}, "recall", "_RECALL_COMPLETE").source()
    output = context.data_stream()
    output.write(source.rstrip() + "\n")
    output.flush()
    return 0
