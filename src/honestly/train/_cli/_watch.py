"""`honestly watch`: a training log, finished or growing, and what is wrong with the run."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from honestly.command import figures_option, headed_option, json_option, print_answer, say_on_stderr

if TYPE_CHECKING:
    from honestly.train import WatchedRun

_LIVE = "While it runs"


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--series",
    multiple=True,
    metavar="SERIES=NAME",
    help="The log's name for a series, such as loss=lm/ce. Repeatable.",
)
@click.option(
    "--baseline",
    multiple=True,
    metavar="SERIES=MEDIAN[~DEVIATION]|LOG",
    help="The usual values, if RUN does not show them: grad_norm=0.2, or a log of a healthy run.",
)
@click.option(
    "--action",
    "actions",
    multiple=True,
    metavar="STEP:WHAT",
    help="What you did at a step, such as 31220:skip. Repeatable.",
)
@click.option(
    "--far",
    default=6.5,
    show_default=True,
    type=click.FloatRange(3),
    help="The z-score from which a value is an outlier.",
)
@headed_option(_LIVE, "--follow", is_flag=True, help="Follow the log as it grows, until Ctrl-C.")
@headed_option(
    _LIVE, "--every", default=5.0, show_default=True, type=click.FloatRange(0.01), help="Seconds between two readings."
)
@headed_option(_LIVE, "--idle", type=click.FloatRange(0), help="End after this many seconds without a new line.")
@headed_option(
    _LIVE,
    "--on-change",
    metavar="COMMAND",
    help="Run this command when the state changes, with JSON on its standard input.",
)
@headed_option(_LIVE, "--webhook", metavar="URL", help="Post the same JSON to this address.")
@figures_option
@json_option
def watch(run: Path, figures: Path | None, as_json: bool, **how: Any) -> int:  # noqa: ANN401 - what the options hold
    """Watch the training log RUN for spikes, divergence, collapse and hacking. See docs/watch.md.

    RUN is a log (JSON lines, CSV, or the text of Megatron, nanoGPT and others), an event file of TensorBoard, or a
    folder with one of these or with metrics of MLflow. The run itself is never touched. Exit code 1: the run is not
    sound at the end of the log.
    """
    from honestly.train import StabilityWatch, TrainingLog, watch_log

    named = dict(_pair(each, "=", "--series") for each in how["series"])
    log = TrainingLog(run, named, _waiting(how["every"], how["idle"]) if how["follow"] else lambda: False)
    marks = sorted((_step(step), what) for step, what in (_pair(each, ":", "--action") for each in how["actions"]))
    watched = StabilityWatch(_baseline(how["baseline"], named), how["far"], marks)
    last: WatchedRun | None = None
    state = "ok"
    try:
        for last in watch_log(log, watched):
            if last.final != state:
                state = last.final
                _tell_alarm(last, run, how["on_change"], how["webhook"], quiet=as_json)
    except KeyboardInterrupt:
        if last is None:
            raise
    assert last is not None
    print_answer(last, as_json=as_json, figures=figures)
    return int(last.final != "ok")


def _waiting(every: float, idle: float | None) -> Callable[[], bool]:
    """Waits at the end of a log; false once nothing has come for too long."""
    last = [time.monotonic(), time.monotonic()]  # when it was asked last, and when something came last

    def wait() -> bool:
        now = time.monotonic()
        if now - last[0] > 2 * every:  # it was at work meanwhile
            last[1] = now
        if idle is not None and now - last[1] > idle:
            return False
        time.sleep(every)
        last[0] = time.monotonic()
        return True

    return wait


def _pair(text: str, sign: str, option: str) -> tuple[str, str]:
    left, found, right = text.partition(sign)
    if not (left and found and right):
        raise click.UsageError(f"{option} {text!r} has no two sides; write them with {sign!r} between")
    return left, right


def _step(text: str) -> int:
    if not text.isdigit():
        raise click.UsageError(f"--action names the step {text!r}; expected a number")
    return int(text)


def _baseline(said: Sequence[str], named: dict[str, str]) -> dict[str, tuple[float, float]]:
    from honestly.train import LOGGED, StabilityWatch, TrainingLog

    found: dict[str, tuple[float, float]] = {}
    for each in said:
        series, sign, numbers = each.partition("=")
        if not sign:
            quiet = StabilityWatch()
            for reading in TrainingLog(Path(each), named).readings():
                quiet.read(reading)
            found |= quiet.baseline()
            continue
        middle, _, deviation = numbers.partition("~")
        try:
            usual = float(middle)
            found[series] = (usual, float(deviation) if deviation else 0.15 if series in LOGGED else 0.015 * abs(usual))
        except ValueError as error:
            raise click.UsageError(f"--baseline {each!r} is not a number; write loss=2.2, or loss=2.2~0.03") from error
    return found


def _tell_alarm(run: WatchedRun, place: Path, command: str | None, webhook: str | None, *, quiet: bool) -> None:
    plain = run.to_plain()
    message = {"run": str(place), "state": run.final, "steps": run.steps, "event": (plain["events"] or [None])[-1]}
    if not quiet:
        at = f" at step {run.events[-1].step:,}, seen in {run.events[-1].detector}" if run.final != "ok" else ""
        say_on_stderr(f"{run.final}{at}")
    if command:
        done = subprocess.run(
            ["sh", "-c", command], input=json.dumps(message), text=True, stdout=2, start_new_session=True, check=False
        )
        if done.returncode:
            say_on_stderr(f"--on-change ended with {done.returncode}: {command}")
    if webhook:
        import httpx2

        try:
            httpx2.post(webhook, json=message, timeout=10).raise_for_status()
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            say_on_stderr(f"--webhook took nothing: {error}")
