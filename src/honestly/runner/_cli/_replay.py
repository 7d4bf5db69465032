"""`honestly agent replay`: the same trial once more, offline, and where it diverged."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import json_option, one_line_name, print_json, say_on_stderr, study_argument

if TYPE_CHECKING:
    from honestly.runner._replay import Original, Replay

_SHOWN = 5
_LONGEST = 300


@click.command()
@study_argument
@click.argument("trial")
@click.option(
    "--path",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder in which the agent's program is installed.",
)
@json_option
def replay(study: Path, trial: str, folder: Path | None, as_json: bool) -> int:
    """Play TRIAL of STUDY again: the recorded answers of its model, in a fresh sandbox, without network.

    TRIAL is an id, the start of one, or AGENT/TASK/SAMPLE. Everything but the model really runs, and is compared with
    the record step by step. Exit code 1: it diverged. See docs/replay.md.
    """
    import anyio

    from honestly.runner._replay import read_original, replay_trial as play
    from honestly.sandbox import open_sandbox
    from honestly.store import open_study
    from honestly.trials import find_trial

    with open_study(study) as opened:
        original = read_original(opened, find_trial(opened, trial))
    found = anyio.run(play, original, partial(open_sandbox), folder.absolute() if folder else None)
    if as_json:
        print_json(
            {
                "trial": original.trial.id,
                "same": found.is_same,
                "outcome": {"recorded": original.trial.outcome, "replayed": found.again.trial.outcome},
                "version": found.version,
                "steps": found.compared.steps,
                "differences": found.compared.differences,
                "noise": found.compared.noise,
                "asked": found.asked,
                "answers_left": found.left,
                "files": found.files,
            }
        )
    else:
        _show_replay(original, found)
    return 0 if found.is_same else 1


def _show_replay(original: Original, found: Replay) -> None:
    trial, compared = original.trial, found.compared
    say_on_stderr(
        f"{one_line_name(trial.agent)} on {one_line_name(trial.task)}, sample {trial.sample}: {compared.steps} "
        "steps were replayed"
    )
    if found.version:
        recorded = one_line_name(original.agent.version or "an unknown one")
        say_on_stderr(f"the program's version is {one_line_name(found.version)}; recorded: {recorded}")
    for difference in compared.differences[:_SHOWN]:
        say_on_stderr(f"step {difference.step}, {difference.what}:")
        say_on_stderr(f"  recorded: {difference.expected[:_LONGEST]!r}")
        say_on_stderr(f"  came:     {difference.came[:_LONGEST]!r}")
    if len(compared.differences) > _SHOWN:
        say_on_stderr(f"and {len(compared.differences) - _SHOWN} more differences: honestly agent replay --json")
    for place in found.asked[:_SHOWN]:
        say_on_stderr(f"asked something else: {one_line_name(place)[: 2 * _LONGEST]}")
    if found.left:
        say_on_stderr(f"{found.left} recorded answers were not asked for")
    if found.files:
        say_on_stderr(f"files that differ at the end: {', '.join(map(one_line_name, found.files[:20]))}")
    if compared.noise:
        steps = sorted({one.step for one in compared.noise})
        say_on_stderr(f"only clocks, durations and made-up names differ in steps {', '.join(map(str, steps[:20]))}")
    say_on_stderr(f"outcome: {found.again.trial.outcome}; recorded: {trial.outcome}")
    say_on_stderr("no difference from the recording" if found.is_same else "it DIVERGED from the recording")
