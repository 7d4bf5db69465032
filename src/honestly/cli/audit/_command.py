"""`honestly audit`: who cheated, in which step, and how much of the study could be read at all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._options import answer, gathered, json_option, say, show, stages, study_argument
from honestly.cli.audit._monitor import Wanted, monitor_options

if TYPE_CHECKING:
    from honestly.audit.monitor import Monitor
    from honestly.report import AuditReport
    from honestly.studies import Study

_OPTIONS = (
    click.option("--prevalence", is_flag=True, help="How many hacks there really are, from people's reviews."),
    click.option(
        "--known",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="STUDY",
        help="With --prevalence: an audited study whose truth is known, to measure the detectors on.",
    ),
    click.option(
        "--width",
        type=click.FloatRange(0.001, 1),
        default=0.02,
        show_default=True,
        help="With --prevalence: the width of interval to say the number of reviews for.",
    ),
    click.option(
        "--gold", is_flag=True, help="Compare with the reference solutions instead, and agents with each other."
    ),
    click.option(
        "--rejudge", is_flag=True, help="Run kept work again: other inputs, other orders, twice over (docs/audit.md)."
    ),
    click.option(
        "--honest-agent",
        default="",
        metavar="NAME",
        help="Whose trials show how often honest work fails hidden checks.",
    ),
    click.option(
        "--unsafe-no-sandbox",
        "unsafe",
        is_flag=True,
        help="Parse source in other languages than Python without isolation; unread where no sandbox can be built.",
    ),
)


@dataclass(frozen=True, slots=True)
class Looks:
    """What else is looked at, or instead."""

    prevalence: bool
    known: Path | None
    width: float
    gold: bool
    rejudge: bool
    honest_agent: str
    unsafe: bool


@click.command("audit")
@study_argument
@click.option("--detector", "-d", "names", multiple=True, metavar="NAME", help="Only this one, or MODULE:OBJECT.")
@click.option("--list", "listing", is_flag=True, help="Show the flagged trials with their evidence, not only rates.")
@click.option("--detectors", "catalogue", is_flag=True, help="List the detectors, and stop.")
@json_option
@gathered(Looks, "looks", _OPTIONS)
@monitor_options
def audit(
    study: Path,
    names: tuple[str, ...],
    listing: bool,
    catalogue: bool,
    as_json: bool,
    looks: Looks,
    wanted: Wanted,
) -> None:
    """Look for cheating in the trials of STUDY, and for claims that its own logs contradict.

    Findings are kept in the study; what was audited by the same version of a detector is not done again. A trial that
    could not be read is never counted as clean: its share is shown beside every rate.
    """
    from honestly import studies

    if catalogue:
        _show_detectors(names)
        return
    opened = studies.open(study)
    if looks.prevalence:
        answer(opened.prevalence(studies.open(looks.known) if looks.known else None, looks.width), as_json=as_json)
        if not as_json:
            say(f"honestly review {study} --as NAME goes on")
        return
    if looks.gold:
        with stages(quiet=as_json) as tell:
            gold = opened.gold(tell)
        answer(gold, as_json=as_json)
        return
    monitor = wanted.monitor(study)
    if monitor is not None and not wanted.go_on(opened, monitor, as_json=as_json):
        return
    found = _audited(opened, names, looks, monitor, quiet=as_json)
    answer(found, as_json=as_json)
    if not as_json:
        _show_more(found, study, listing=listing)
    if found.monitor is not None and found.monitor.run.left:
        click.get_current_context().exit(1)


def _audited(
    study: Study, names: tuple[str, ...], looks: Looks, monitor: Monitor | None, *, quiet: bool
) -> AuditReport:
    if looks.rejudge and not quiet:
        cost = study.rejudge_cost(names)
        say(
            f"a second look at {cost.trials} trials: {cost.works} different works that pass their visible checks, "
            f"{cost.tasks} tasks, about {cost.runs} runs in sandboxes"
        )
    judged = 0

    def note(stage: str, done: int, total: int, words: str) -> None:
        nonlocal judged
        judged = done
        tell(stage, done, total, words)

    try:
        with stages(quiet=quiet) as tell:
            return study.audit(
                names,
                rejudge=looks.rejudge,
                honest_agent=looks.honest_agent,
                monitor=monitor,
                unsafe=looks.unsafe,
                tell=note,
            )
    except KeyboardInterrupt:
        say(f"stopped: {judged} trials are judged and kept; the same command goes on, and pays for no answer twice")
        raise


def _show_more(found: AuditReport, study: Path, *, listing: bool) -> None:
    if listing:
        show(found.evidence, wrap=False)
    elif found.flagged:
        trials = len({finding.trial for finding in found.flagged})
        say(f"{trials} trials are flagged; honestly audit {study} --list shows why")
    if found.unparsed:
        say(
            f"{found.unparsed} files in other languages than Python were not parsed; docs/audit.md says what that takes"
        )


def _show_detectors(names: tuple[str, ...]) -> None:
    from honestly.studies import detectors_named

    for detector in (each for group in detectors_named(names) for each in group):
        click.echo(f"{detector.name} {detector.version}  [{detector.category}]  {detector.summary}")
