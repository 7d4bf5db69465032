"""`honestly bench samples`: judge ready-made samples, as `evaluate_functional_correctness` does."""

from pathlib import Path

import click

from honestly.command import json_option, settings_options
from honestly.studies import VerifySettings


@click.command()
@click.argument("problems", type=click.Path(path_type=Path, exists=True))
@click.argument("samples", type=click.Path(path_type=Path, exists=True))
@settings_options(VerifySettings)
@json_option
def verify(settings: VerifySettings, as_json: bool) -> int:
    """Judge SAMPLES of models on PROBLEMS: pass@k with intervals, and what looks like cheating.

    PROBLEMS is a file of HumanEval, EvalPlus, MBPP or LiveCodeBench; SAMPLES is JSON lines with `task_id` and
    `completion` or `solution`, or output of EvalPlus or LiveCodeBench. Or PROBLEMS is a folder of repository tasks, and
    SAMPLES has `instance_id` and `model_patch`, as in SWE-bench. Samples cannot reach tests and expected answers. Every
    result is stored at once; run the same command again to resume.
    """
    from honestly.samples._cli._verify_run import run_verify

    return run_verify(settings, as_json=as_json)
