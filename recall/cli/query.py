"""`recall query`: ask every memory one question."""

from __future__ import annotations

from pathlib import Path

import click

from recall.cli import context

_STDIN_LIMIT = 1 << 20
_STDIN_PATIENCE = 2.0  # seconds, as for an answer: whoever starts recall may never close its input


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
@click.option(
    "--stdin",
    "from_stdin",
    is_flag=True,
    help="Read the question from standard input, at most until the deadline.",
)
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
    text = _from_stdin(deadline or _STDIN_PATIENCE) if from_stdin else " ".join(question)
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


def _from_stdin(seconds: float) -> str:
    """What comes on standard input until it is closed, or the time is over; a person may type as long as they like."""
    import os
    import sys
    import threading

    came: list[bytes] = []
    number = sys.stdin.fileno()

    def body() -> None:
        left = _STDIN_LIMIT
        while left > 0 and (chunk := os.read(number, left)):
            came.append(chunk)
            left -= len(chunk)

    thread = threading.Thread(target=body, name="recall-stdin", daemon=True)
    thread.start()
    thread.join(None if sys.stdin.isatty() else seconds)
    if thread.is_alive():
        if not came:
            raise click.UsageError(f"no question came on standard input within {seconds:g} s")
        from recall.cli.output import note

        note(
            f"recall: standard input was still open after {seconds:g} s; the question is what came until then"
        )
    return b"".join(came).decode("utf-8", "replace")
