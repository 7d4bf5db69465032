"""`honestly audit`: who cheated, in which step, and how much of the study could be read at all."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    gathered_options,
    headed_option,
    json_option,
    opened_study_argument,
    print_answer,
    print_json,
    say_on_stderr,
    settings_options,
    show,
    stage_bars,
    table_options,
    without_controls,
)
from honestly.errors import SettingsError
from honestly.show import plural_text
from honestly.studies import AuditSettings

if TYPE_CHECKING:
    from honestly.audit._ask import AskReport
    from honestly.audit._rubric import RubricReport
    from honestly.audit.monitor._cost import Estimate
    from honestly.audit.monitor._run import Monitor
    from honestly.audit.report import AuditReport
    from honestly.studies import Study
    from honestly.studies._ask_settings import Tell


_OPTIONS = (
    headed_option(
        "How many hacks there are",
        "--prevalence",
        is_flag=True,
        help="Estimate from people's reviews how many hacks there are.",
    ),
    headed_option(
        "How many hacks there are",
        "--known",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="STUDY",
        help="With --prevalence: an audited study of known truth, to measure the detectors.",
    ),
    headed_option(
        "How many hacks there are",
        "--width",
        type=click.FloatRange(0.001, 1),
        default=0.02,
        show_default=True,
        help="With --prevalence: the interval width for which to compute how many reviews you need.",
    ),
    headed_option(
        "How many hacks there are",
        "--gold",
        is_flag=True,
        help="Compare agents' steps with the reference solutions and with each other instead.",
    ),
    headed_option(
        "A model that reads along",
        "--ask",
        "question",
        default="",
        metavar="QUESTION",
        help="Put this question about each trial to --monitor MODEL instead.",
    ),
    headed_option(
        "A model that reads along",
        "--rubric",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        metavar="FILE",
        help="Have --monitor MODEL score each trial by the criteria of this TOML file instead.",
    ),
    headed_option(
        "A model that reads along",
        "--readings",
        type=click.IntRange(1, 9),
        default=2,
        show_default=True,
        help="With --rubric: how often to read each trial.",
    ),
)


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """The further looks, or those instead."""

    prevalence: bool
    known: Path | None
    width: float
    gold: bool
    question: str
    rubric: Path | None
    readings: int


@click.command("audit")
@opened_study_argument()
@table_options
@settings_options(AuditSettings)
@click.option("--list", "listing", is_flag=True, help="Show the flagged trials with their evidence, not only rates.")
@click.option("--detectors", "catalogue", is_flag=True, help="List the detectors and exit.")
@json_option
@gathered_options(AuditOptions, "looks", _OPTIONS)
@headed_option(
    "A model that reads along", "--estimate", is_flag=True, help="Say what the monitor would cost, and exit."
)
def audit(
    study: Study,
    settings: AuditSettings,
    listing: bool,
    catalogue: bool,
    as_json: bool,
    looks: AuditOptions,
    estimate: bool,
) -> None:
    """Look for cheating in the trials of STUDY, and for claims that its own logs contradict.

    Findings are stored in the study; a detector of the same version does not audit a trial twice. Trials that could not
    be read never count as clean: their share is shown next to every rate. Exit code 1: none could be read, or the
    monitor did not finish.
    """
    from honestly import studies

    if catalogue:
        _show_detectors(settings.detectors)  # type: ignore[arg-type]
        return
    study = study.strictly() if settings.strict else study
    if looks.prevalence:
        print_answer(study.prevalence(studies.open(looks.known) if looks.known else None, looks.width), as_json=as_json)
        if not as_json:
            say_on_stderr(f"to continue: honestly review {study.path} --as NAME")
        return
    if looks.gold:
        with stage_bars(quiet=as_json) as tell:
            gold = study.gold(tell)
        print_answer(gold, as_json=as_json)
        return
    if looks.rubric is not None:
        _score(study, looks.rubric, looks.readings, settings, estimate=estimate, as_json=as_json)
        return
    if looks.question:
        _ask(study, looks.question, settings, estimate=estimate, as_json=as_json)
        return
    if estimate and settings.monitor is None:
        raise SettingsError("--confirm, --budget, --estimate, --task and --agent need --monitor MODEL")
    monitor = study.monitor_for(settings)
    if monitor is not None and not _go_on(study, monitor, estimate=estimate, as_json=as_json):
        return
    found = _audited(study, settings, monitor, quiet=as_json)
    print_answer(found, as_json=as_json)
    if not as_json:
        _show_more(found, study, listing=listing, rejudged=settings.rejudge)
    _say_failures(study, found)
    unread = not any(rate.n for rate in found.rates)
    if unread:
        acted = any(rate.coverage.acts for rate in found.rates)
        why = (
            "each has edits or commands that are not understood"
            if acted
            else "the study has no steps and no files to look at"
        )
        say_on_stderr(f"no trial could be read: {why}")
    if unread or (found.monitor is not None and found.monitor.run.left):
        click.get_current_context().exit(1)


def _ask(study: Study, question: str, settings: AuditSettings, *, estimate: bool, as_json: bool) -> None:
    asker = _model_asked(study, settings, "--ask")
    if _is_wanted(
        study, asker, study.ask_estimate(question, asker), {"question": question}, estimate=estimate, as_json=as_json
    ):
        _put_to_model(lambda tell: study.ask(question, asker, tell), as_json=as_json)


def _score(study: Study, path: Path, readings: int, settings: AuditSettings, *, estimate: bool, as_json: bool) -> None:
    from honestly.audit._rubric import read_rubric

    rubric = read_rubric(path)
    judge = _model_asked(study, settings, "--rubric")
    expected = study.rubric_estimate(rubric, judge, readings)
    if _is_wanted(study, judge, expected, {"rubric": rubric.name}, estimate=estimate, as_json=as_json):
        _put_to_model(lambda tell: study.rubric(rubric, judge, readings, tell), as_json=as_json)


def _put_to_model(put: Callable[[Tell], AskReport | RubricReport], *, as_json: bool) -> None:
    """Puts questions to a model, and shows the answers; exit code 1 where some are left."""
    with stage_bars(quiet=as_json) as tell:
        found = put(tell)
    print_answer(found, as_json=as_json)
    if found.left:
        click.get_current_context().exit(1)


def _model_asked(study: Study, settings: AuditSettings, option: str) -> Monitor:
    """The model that an option needs.

    Raises:
        SettingsError: None was given.
    """
    found = study.monitor_for(settings)
    if found is None:
        raise SettingsError(
            f"{option} needs a model: give --monitor MODEL. Without one, search what was done and said: "
            f"honestly show {study.path} --grep REGEX [--kind run|edit|say|...]"
        )
    return found


def _is_wanted(
    study: Study, asker: Monitor, expected: Estimate, about: dict[str, str], *, estimate: bool, as_json: bool
) -> bool:
    """Says what questions to a model would cost; whether they are wanted all the same."""
    usd = expected.usd(asker.prices)
    price = f"about ${usd:.2f}" if usd is not None else "price unknown; --prices CSV gives prices"
    say_on_stderr(f"{expected.calls} questions to {asker.model.name}, {expected.input_tokens} tokens to read, {price}")
    if estimate and as_json:
        print_json({"study": str(study.path), **about, "estimate": expected, "usd": usd})
    elif not estimate and not as_json and asker.budget is None and sys.stdin.isatty():
        click.confirm("Go on?", default=True, abort=True, err=True)
    return not estimate


def _go_on(study: Study, monitor: Monitor, *, estimate: bool, as_json: bool) -> bool:
    """Says what a monitor would cost; whether it is wanted all the same."""
    if estimate or not as_json:
        expected = study.monitor_estimate(monitor)
        say_on_stderr(str(expected).rstrip())
        if estimate and as_json:
            print_json({"study": str(study.path), "estimate": expected.to_plain()})
        elif not estimate and expected.trials and monitor.budget is None and sys.stdin.isatty():
            click.confirm("Go on?", default=True, abort=True, err=True)
    return not estimate


def _audited(study: Study, settings: AuditSettings, monitor: Monitor | None, *, quiet: bool) -> AuditReport:
    if settings.rejudge and not quiet:
        cost = study.rejudge_cost(settings.detectors)
        say_on_stderr(
            f"running {plural_text(cost.trials, 'trial')} again: {plural_text(cost.works, 'different work')} "
            f"with passed visible checks, {plural_text(cost.tasks, 'task')}, "
            f"about {plural_text(cost.runs, 'run')} in sandboxes"
        )
    judged = 0

    def note(stage: str, done: int, total: int, words: str) -> None:
        nonlocal judged
        judged = done
        tell(stage, done, total, words)

    try:
        with stage_bars(quiet=quiet) as tell:
            return study.audit(**replace(settings, monitor=monitor, tell=note).given())
    except KeyboardInterrupt:
        say_on_stderr(
            f"stopped; kept the results of {plural_text(judged, 'trial')}; run the same command again to continue; "
            "no answer is paid for twice"
        )
        raise


def _show_more(found: AuditReport, study: Study, *, listing: bool, rejudged: bool) -> None:
    if listing:
        show(found.evidence, wrap=False)
    elif found.flagged_words:
        say_on_stderr(f"{found.flagged_words}; honestly audit {study.path} --list shows why")
    if not rejudged and (cost := study.rejudge_cost()).works:
        say_on_stderr(
            f"not run again: {plural_text(cost.works, 'work')} with passed visible checks; "
            "--rejudge runs with other inputs, "
            f"orders, constants and without single changes, in about {cost.runs} sandboxes"
        )
    if found.unparsed:
        say_on_stderr(
            f"{found.unparsed} files in other languages than Python were not parsed; docs/audit.md says what that takes"
        )


def _say_failures(study: Study, found: AuditReport) -> None:
    """A line for each detector that could not look at a trial, with the first reason."""
    versions = {(rate.detector, rate.version) for rate in found.rates if rate.error}
    reasons = defaultdict[str, list[str]](list)
    if versions:
        with study.store() as store:
            for each in store.findings(state="error"):
                if (each.detector, each.version) in versions:
                    reasons[each.detector].append(each.note)
    for detector, notes in reasons.items():
        say_on_stderr(f"{detector} failed on {plural_text(len(notes), 'trial')}: {without_controls(notes[0])}")


def _show_detectors(names: tuple[str, ...]) -> None:
    from honestly.audit._case import GRADER_DEFECT
    from honestly.audit.detectors import DETECTORS
    from honestly.studies import detectors_named

    reading, again = detectors_named(names)
    for detector in (*(reading if names else DETECTORS), *again):
        kind = detector.category if detector.category == GRADER_DEFECT else f"{detector.severity}, {detector.category}"
        off = "" if detector.usual else "; off unless named"
        click.echo(f"{detector.name} {detector.version}  [{kind}{off}]  {detector.summary}")
