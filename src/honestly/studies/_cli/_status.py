"""`honestly status`: how far a study is, from another terminal, while a run writes it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import json_option, one_line_name, print_json, study_argument

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

    from honestly.store import RunPace
    from honestly.studies._status import StudyStatus

_EVERY_S, _MOST = 2.0, 20


@click.command()
@study_argument
@click.option("--watch", is_flag=True, help="Refresh every two seconds, until Ctrl-C.")
@json_option
def status(study: Path, watch: bool, as_json: bool) -> None:
    """Show the progress of a study: trials by agent, what runs now, cost, the most frequent failure.

    You can ask while the study runs; it is only read.
    """
    from rich.console import Console, Group
    from rich.live import Live

    from honestly.command import FOOT
    from honestly.studies._status import study_status

    if watch and as_json:
        raise click.UsageError("--watch is for people; a script calls --json as often as it likes")
    if as_json:
        print_json(_status_data(study_status(study)))
        return
    console = Console(emoji=False, markup=False)
    if not watch:
        console.print(_status_lines(study_status(study)))
        return
    while not console.is_terminal:  # a pipe, or a file, which gets one below the other
        console.print(_status_lines(study_status(study)))
        time.sleep(_EVERY_S)
    with Live(console=console, auto_refresh=False) as live:
        while True:
            live.update(Group(_status_lines(study_status(study)), FOOT), refresh=True)
            time.sleep(_EVERY_S)


def _status_data(found: StudyStatus) -> dict[str, object]:
    """All of it, also what is 0 or empty, which records leave out where they are written."""
    from msgspec.structs import asdict

    whole = {name: getattr(found, name) for name in found.__slots__}
    runs = [asdict(run) | {"agents": [asdict(agent) for agent in run.agents]} for run in found.runs]
    return whole | {
        "agents": [asdict(agent) for agent in found.agents],
        "stale": [asdict(each) for each in found.stale],
        "runs": runs,
    }


def _status_lines(found: StudyStatus) -> Group:
    from rich.console import Group
    from rich.text import Text

    from honestly.command import agents_table

    void = sum(agent.void for agent in found.agents)
    held = f"{found.trials}{'' if found.planned is None else f' of {found.planned}'} trials"
    lines = [f"{found.study}: {one_line_name(found.suite)}, {held}{f', {void} of them void' if void else ''}"]
    if found.usd is not None:
        lines.append(f"{found.usd:,.2f} usd")
    below = [f"{found.worst_times} void: {one_line_name(found.worst)[:200]}"] if found.worst_times else []
    below += [
        f"stale, set aside in {one_line_name(each.kept_in)}: {one_line_name(str(each))}" for each in found.stale[:_MOST]
    ]
    if found.left_behind > 0:
        below.append(f"{found.left_behind} journals of trials that were killed lie in {found.study}.unfinished")
    return Group(
        *map(Text, lines),
        *(Text(line, style="bold" if found.runs or found.writer else "") for line in _writer(found)),
        agents_table(found.agents),
        *_in_flight(found),
        *map(Text, below),
    )


def _writer(found: StudyStatus) -> list[str]:
    if not found.runs:
        return [f"Process {found.writer} writes it." if found.writer else "No run is writing it."]
    if len(found.runs) == 1:
        return [f"A run is in progress: {', '.join(_run_words(found, found.runs[0]))}."]
    each = (f"  {', '.join(_run_words(found, run))}" for run in found.runs[:_MOST])
    return [f"{len(found.runs)} runs go on: {', '.join(_together(found))}.", *each]


def _run_words(found: StudyStatus, run: RunPace) -> list[str]:
    from honestly.command import missing_trials, pace_words
    from honestly.runner import in_hours

    words = [f"process {run.pid}", f"for {in_hours(run.seconds)}"]
    if run.planned != found.planned:
        words.append(f"{run.planned - missing_trials(run)} of the {run.planned} trials that it is for")
    return words + pace_words(run, alone=len(found.runs) == 1)


def _together(found: StudyStatus) -> list[str]:
    """The sum of several runs, each of which knows its own part."""
    from honestly.runner import in_hours

    flying = sum(agent.in_flight for agent in found.agents)
    rate = sum(agent.per_hour or 0.0 for agent in found.agents)
    left = max(0, (found.planned or 0) - found.trials)
    parts = [f"{flying} in flight"] + ([f"{rate:,.0f} an hour"] if rate else [])
    return parts + ([f"{in_hours(3600 * left / rate)} left"] if rate and left else [])


def _in_flight(found: StudyStatus) -> list[Text]:
    from rich.text import Text

    from honestly.runner import in_hours

    oldest = sorted(found.in_flight, key=lambda each: -each.seconds)
    lines = []
    for each in oldest[:_MOST]:
        what = f"{one_line_name(each.agent)} at {one_line_name(each.task)}, sample {each.sample}"
        style = "red" if each.state == "stuck" else ""
        lines.append(Text(f"  {in_hours(each.seconds):>10}  {each.state:8} {what}", style=style))
    if not lines:
        return []
    stuck = sum(each.state == "stuck" for each in oldest)
    more = f", {len(oldest) - _MOST} more not shown" if oldest[_MOST:] else ""
    return [Text(f"{len(oldest)} in flight{f', {stuck} STUCK' if stuck else ''}{more}:"), *lines]
