"""`honestly guard hierarchy` and `honestly guard places`: whom agents obey where places disagree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import json_option, opened_study_argument, print_answer, print_json, say_on_stderr, table_options
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.studies import Study


@click.command()
@click.option(
    "--out", "-o", required=True, type=click.Path(path_type=Path, file_okay=False), help="The folder to write."
)
@click.option("--count", default=90, show_default=True, type=click.IntRange(1, 5000), help="How many tasks to write.")
@click.option("--seed", default=0, show_default=True, help="Seed of the draw.")
@click.option(
    "--manyih", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="JSONL",
    help="Use these coding samples of ManyIH instead.",
)  # fmt: skip
@json_option
def hierarchy(out: Path, count: int, seed: int, manyih: Path | None, as_json: bool) -> None:
    """Write a suite in which two sources of instructions disagree, such as the user and a web page.

    The files that an agent leaves show whom it obeyed (`honestly guard places`). Run it with `--arm OUT/system.toml`,
    the highest source. See docs/guard.md.
    """
    from honestly.errors import TaskError
    from honestly.guard import SYSTEM_ARM, hierarchy_suite, manyih_suite
    from honestly.tasks import write_task
    from honestly.work import write_file

    if out.exists():
        raise TaskError(f"{out} exists; the suite is written into a new folder")
    suite = hierarchy_suite(count, seed) if manyih is None else manyih_suite(manyih)
    for task in suite.tasks:
        write_task(out / task.id, task)
    write_file(out / "suite.toml", f'name = "{suite.name}"\nversion = "{suite.version}"\n'.encode())
    if manyih is None:
        write_file(out / "system.toml", SYSTEM_ARM.encode())
    if as_json:
        print_json({"suite": suite.name, "hash": suite.hash, "out": str(out), "tasks": len(suite.tasks)})
    say_on_stderr(f"{out} is a suite of {plural_text(len(suite.tasks), 'task')}")


@click.command()
@opened_study_argument()
@click.option("--judge", metavar="SPEC", help="Also ask this model whom to obey, once per task. Costs money.")
@json_option
@table_options
def places(study: Study, judge: str | None, as_json: bool) -> None:
    """Show whom the agents of STUDY obeyed where two sources disagreed, and why not the higher one.

    STUDY was run on a suite of `honestly guard hierarchy`. With --judge, a model is asked whom to obey, too.
    """
    import anyio

    from honestly.guard import judged_and_done, obeyed_places
    from honestly.models import make_model

    with study.store() as store:
        found = obeyed_places(store, str(study.path))
        if judge is not None:
            model = make_model(judge)
            rows = anyio.run(judged_and_done, store, str(study.path), model, say_on_stderr)
            found = replace(found, judged=rows)
    print_answer(found, as_json=as_json)
