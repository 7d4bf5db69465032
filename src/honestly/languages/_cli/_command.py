"""`honestly bench languages`: the same puzzles in many languages, asked of a model or judged from samples."""

from pathlib import Path

import click

from honestly.command import figures_option, gathered_options, jobs_option, json_option, level_option
from honestly.languages._cli._request import Request
from honestly.languages._toolchains import TOOLCHAINS

_OPTIONS = (
    click.option(
        "--language",
        "-l",
        "languages",
        multiple=True,
        metavar="NAME",
        help=f"Only this one of {', '.join(TOOLCHAINS)}. Repeatable.",
    ),
    click.option(
        "--model", "-m", metavar="MODEL", help="Ask this model for the samples that SAMPLES lacks (docs/models.md)."
    ),
    click.option(
        "--samples",
        "-k",
        "count",
        default=1,
        show_default=True,
        type=click.IntRange(1, 10_000),
        help="How many samples to ask for, per puzzle.",
    ),
    click.option(
        "--out",
        "-o",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Keep verdicts here.  [default: SAMPLES_results.jsonl]",
    ),
    click.option("--puzzles", type=click.Path(path_type=Path, exists=True), help="Your own folder of puzzles."),
    click.option(
        "--corpus",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="A CSV file of language and corpus size, to correlate with.",
    ),
    click.option(
        "--cpu", "cpu_s", default=10, show_default=True, type=click.IntRange(1, 3600), help="CPU seconds per answer."
    ),
    level_option,
    click.option(
        "--rate",
        default="",
        metavar='"60 requests, 200k tokens, 8 at-once"',
        help="How fast to ask the model: requests and tokens per minute, requests at once.",
    ),
    click.option("--temperature", type=click.FloatRange(0, 10), help="Sampling temperature of the model."),
    click.option(
        "--seed", type=click.IntRange(0), help="Seed of the first sample of each puzzle; later samples count up."
    ),
    click.option("--max-tokens", type=click.IntRange(1), help="The most tokens per answer."),
    jobs_option,
)


@click.command()
@click.argument("samples", metavar="[SAMPLES|doctor|prompts]", required=False)
@gathered_options(Request, "request", _OPTIONS)
@figures_option
@json_option
def languages(samples: str | None, request: Request, figures: Path | None, as_json: bool) -> int | None:
    """Solve the same twenty puzzles in fifteen languages: pass@k by language, and how programs fail.

    SAMPLES is JSON lines with `language`, `puzzle`, `model`, `sample`, and `text` or `code`; with --model, the model's
    answers are added to it. Programs are compiled and run in a sandbox without network, which no expected answer
    enters. Run the same command again to resume. `doctor` lists the toolchains of this machine, and how to install
    missing ones; `prompts` writes the prompts as JSON lines.
    """
    from honestly.languages._cli._run import doctor, run_languages, write_prompts

    if samples == "doctor":
        return doctor(request, as_json=as_json)
    if samples == "prompts":
        return write_prompts(request)
    if samples is None and request.model is None:
        raise click.UsageError("name a file of SAMPLES, a --model to ask, `doctor` or `prompts`")
    path = Path(samples or "languages.jsonl")
    if request.model is None and not path.is_file():
        raise click.UsageError(f"there is no file {str(path)!r}; expected samples, or a --model to ask for them")
    return run_languages(path, request, figures, as_json=as_json)
