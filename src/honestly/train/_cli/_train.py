"""`honestly train rft` and `honestly train verifier`: from a study to a trainer, and to a choice among tries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from honestly.command import headed_option, json_option, opened_study_argument, print_answer, print_json, say_on_stderr
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.studies import Study

_ROWS = "Rows"


@click.command()
@opened_study_argument()
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path), help="The folder to write the rows to.")
@click.option("--model", required=True, help="The model to train, as TRL names it.")
@headed_option(
    _ROWS, "--per-task", default=2, show_default=True, type=click.IntRange(1), help="The most rows per task."
)
@headed_option(
    _ROWS,
    "--held-out",
    default=0.1,
    show_default=True,
    type=click.FloatRange(0, 0.9),
    help="The share of task families to hold out.",
)
@headed_option(
    _ROWS,
    "--apart-from",
    multiple=True,
    metavar="SUITE",
    help="Leave out tasks that share words or ids with this suite. Repeatable.",
)
@headed_option(_ROWS, "--agent", multiple=True, help="Only trials of this agent. Repeatable.")
@headed_option(_ROWS, "--seed", default=0, show_default=True, help="Seed of the draw and of the held-out tasks.")
@json_option
def rft(study: Study, out: Path, model: str, as_json: bool, **rows: Any) -> int:  # noqa: ANN401 - what options hold
    """Write honest passes of STUDY for rejection-sampling fine-tuning, and TRL's configuration next to them.

    Then train, run the same suite with the trained model, and compare both studies in pairs. See docs/export.md.
    """
    from honestly.tasks import load_suite
    from honestly.train import TrainingDataOptions, rft_config_path, write_rft

    how = TrainingDataOptions(
        per_task=rows["per_task"],
        held_out=rows["held_out"],
        seed=rows["seed"],
        apart_from=tuple(map(load_suite, rows["apart_from"])),
        agents=rows["agent"],
    )
    with study.store() as store:
        found = write_rft(store, out, model, how)
    config = rft_config_path(out)
    after = [f"trl sft --config {config}", "honestly run SUITE -a AGENT -o after.honestly",
             f"honestly compare after.honestly {study.path}"]  # fmt: skip
    if as_json:
        print_json({"folder": found.folder, "config": str(config), "rows": found.rows,
                    "left_out": dict(found.left_out), "then": after})  # fmt: skip
        return int(not found.rows)
    for reason, count in found.left_out.most_common():
        say_on_stderr(f"left out: {count}: {reason}")
    if not found.rows:
        say_on_stderr("no row was written, so there is nothing to train on")
        return 1
    say_on_stderr(f"wrote {plural_text(found.rows, 'row')} to {out}; then:")
    for line in after:
        click.echo(line)
    return 0


@click.command()
@opened_study_argument()
@click.option(
    "--predictor", type=click.Choice(["ridge", "forest"]), default="ridge", show_default=True,
    help="The model that scores tries. A forest needs honestly[classifier].",
)  # fmt: skip
@click.option("--seed", default=0, show_default=True, help="Seed of the folds and intervals.")
@json_option
def verifier(study: Study, predictor: Any, seed: int, as_json: bool) -> None:  # noqa: ANN401 - one of two words
    """Measure what choosing among tries of STUDY by a verifier is worth: Best@k next to Pass@k, with intervals.

    The verifier sees trajectories only, never a verdict, and scores only families of tasks that it was not fitted on.
    See docs/export.md.
    """
    from honestly.train import scored_tries, verifier_report

    with study.store() as store:
        tries, left_out = scored_tries(store)
    print_answer(verifier_report(tries, left_out, predictor, seed), as_json=as_json)
