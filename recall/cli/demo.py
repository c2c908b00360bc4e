"""`recall demo`: the product on a sample home, in one command."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import click

from recall.cli import context
from recall.cli.output import Output
from recall.wording import visible


@click.command(name="demo")
@click.option("--keep", is_flag=True, help="Keep the sample and say where it is.")
def command(keep: bool) -> int:
    """See it work on a small sample home, without any memory of your own.

    Nothing of yours is read or written: the sample lives in a temporary folder that is removed afterwards.
    """
    output = context.data_stream()
    folder = Path(tempfile.mkdtemp(prefix="recall-demo-"))
    try:
        _run(output, folder)
        if keep:
            output.write(f"\nThe sample is kept in {visible(str(folder))}; remove it when you are done.\n")
    finally:
        output.flush()
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


def _run(output: Output, folder: Path) -> None:
    import time

    from recall import health
    from recall.demo import sample
    from recall.engine import Engine
    from recall.render import plain

    built = sample.build(folder, time.time())
    env = {
        "RECALL_CACHE_DIR": str(folder / "cache"),
        "RECALL_STATE_DIR": str(folder / "state"),
    }
    engine = Engine.start(built.project, home=built.home, env=env)
    try:
        output.write("$ recall doctor\n\n")
        output.write_text(plain.checkups(health.examine(engine), "shop-api"))
        output.write(f'\n$ recall query "{sample.QUESTION}"\n\n')
        output.write_text(plain.answer(engine.recall(sample.QUESTION)))
    finally:
        engine.close()
    output.write("\nThis was a sample. In one of your own projects: recall doctor\n")
