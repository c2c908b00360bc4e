"""`recall query`: ask every memory one question."""

from __future__ import annotations

from pathlib import Path

import click

from recall.cli import context

_STDIN_LIMIT = 1 << 20


@click.command(name="query")
@click.argument("question", nargs=-1)
@click.option("--limit", "-n", type=click.IntRange(1, 100), help="Most memories.")
@click.option("--budget", type=click.IntRange(50, 1_000_000), help="Most tokens, approximately.")
@click.option("--deadline", type=click.FloatRange(0.01, 600), metavar="SECONDS", help="Answer by then.")
@click.option("--explain", is_flag=True, help="Every factor of every score.")
@click.option("--markdown", is_flag=True, help="Markdown, as an agent reads it.")
@click.option("--cached", is_flag=True, help="Answer from the index without looking at the sources.")
@click.option(
    "--only-current",
    is_flag=True,
    default=None,
    help="Leave out, and count, what the repository contradicts.",
)
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the question from standard input.")
@context.provider_option
@context.shared
@context.json_option
def command(
    question: tuple[str, ...],
    limit: int | None,
    budget: int | None,
    deadline: float | None,
    explain: bool,
    markdown: bool,
    cached: bool,
    only_current: bool | None,
    from_stdin: bool,
    providers: tuple[str, ...],
    project: Path | None,
    all_projects: bool,
    as_json: bool,
) -> int:
    """Ask every memory one question.

    \b
    recall query "결제 재시도 정책"
    recall query why do we retry three times --explain
    """
    from recall.cli.run import exit_code

    if as_json and markdown:
        raise click.UsageError("--json and --markdown exclude each other")
    text = _from_stdin() if from_stdin else " ".join(question)
    output = context.data_stream()
    with context.engine_for(project, all_projects) as engine:
        answer = engine.recall(
            text,
            providers=providers,
            limit=limit,
            budget=budget,
            deadline=deadline,
            read=not cached,
            only_current=only_current,
        )
        if as_json:
            from recall.render import document

            output.write_document(document.answer(answer, explain=explain))
        elif markdown:
            from recall.render import markdown as rendered

            output.write(rendered.answer(answer, explain=explain))
        else:
            from recall.render import plain

            output.write_text(plain.answer(answer, explain=explain))
        output.flush()
    return exit_code(bool(answer.hits), answer.looked)


def _from_stdin() -> str:
    import sys

    return sys.stdin.buffer.read(_STDIN_LIMIT).decode("utf-8", "replace")
