"""The monitor's part of `honestly audit`: its options, the estimate before, the run, and what it measured of itself."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._options import Line, gathered, plain, progress_bar, say

if TYPE_CHECKING:
    from honestly.audit.monitor import Estimate, Monitor, Outcome, Quality
    from honestly.models import Prices
    from honestly.records import Finding
    from honestly.stats import Prevalence
    from honestly.store import Store

__all__ = [
    "Wanted",
    "answers_of",
    "check_prices",
    "monitor_options",
    "prices_of",
    "run_monitor",
    "show_estimate",
]


_OPTIONS = (
    click.option("--monitor", "model", metavar="MODEL", help="Let this model read the trials too (docs/monitor.md)."),
    click.option("--confirm", metavar="MODEL", help="Who confirms what the monitor raises.  [default: the monitor]"),
    click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="What the monitor may cost."),
    click.option("--estimate", is_flag=True, help="Say what the monitor would cost, and stop."),
    click.option("--prices", type=click.Path(path_type=Path), metavar="CSV", help="Prices that ours does not have."),
    click.option("--answers", type=click.Path(path_type=Path), metavar="DIR", help="Where answers are kept."),
    click.option("--task", "tasks", multiple=True, metavar="ID", help="The monitor reads only this task; repeatable."),
    click.option("--agent", "agents", multiple=True, metavar="NAME", help="Only this agent; repeatable."),
    click.option("--jobs", "-j", type=click.IntRange(min=1), default=4, show_default=True, help="Calls at a time."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was asked of the monitor."""

    model: str | None
    confirm: str | None
    budget: float | None
    estimate: bool
    prices: Path | None
    answers: Path | None
    tasks: tuple[str, ...]
    agents: tuple[str, ...]
    jobs: int

    def monitor(self, study: Path) -> Monitor | None:
        """The monitor; None where none is wanted.

        Raises:
            ModelError: a model cannot be made.
            click.UsageError: an option makes no sense without another.
        """
        from honestly.audit.monitor import Monitor
        from honestly.models import make_model

        if self.model is None:
            if self.estimate or self.confirm or self.budget is not None or self.tasks or self.agents:
                raise click.UsageError("--confirm, --budget, --estimate, --task and --agent are for --monitor MODEL")
            return None
        prices = prices_of(self.prices)
        model = make_model(self.model, prices=prices)
        confirm = make_model(self.confirm, prices=prices) if self.confirm else model
        if self.budget is not None:
            check_prices(filter(None, (self.model, self.confirm)), prices)
        return Monitor(
            model=model,
            confirm=confirm,
            folder=self.answers or answers_of(study),
            budget=self.budget,
            prices=prices,
            jobs=self.jobs,
            tasks=self.tasks,
            agents=self.agents,
        )


monitor_options = gathered(Wanted, "wanted", _OPTIONS)
"""Adds them to the command, which gets them as one argument, `wanted`."""


def show_estimate(study: Store, monitor: Monitor) -> dict[str, object]:
    """What the run would cost, for people on standard error, and as plain data."""
    from honestly.audit.monitor import estimate

    first, second, trials = estimate(study, monitor)
    say(f"{trials} trials to judge; answers that are kept cost nothing again")
    for stage, each in (("survey", first), ("confirm", second)):
        say(f"  {stage} by {each.model}: {_about(each, monitor.prices)}")
    costs = [each.usd(monitor.prices) for each in (first, second)]
    known = [cost for cost in costs if cost is not None]
    total = sum(known) if len(known) == len(costs) else None
    say(f"  together about ${total:.2f}" if total is not None else "  together: unknown; --prices CSV gives prices")
    return {
        "trials": trials,
        "survey": _plain(first, monitor.prices),
        "confirm": _plain(second, monitor.prices),
        "usd": total,
    }


def run_monitor(study: Store, monitor: Monitor, *, quiet: bool) -> dict[str, object]:
    """Judges what is missing, shows what it measured of itself, and gives the same as plain data."""
    from honestly.audit.monitor import prevalence_of, quality_of

    if not quiet and show_estimate(study, monitor)["trials"] and monitor.budget is None and sys.stdin.isatty():
        click.confirm("Go on?", default=True, abort=True, err=True)
    outcome = _run(study, monitor, quiet=quiet)
    quality = quality_of(study, monitor.version)
    findings = [found for found in study.findings() if found.version == monitor.version]
    behind = prevalence_of(quality, findings)
    if not quiet:
        _show(monitor, outcome, quality, findings, behind)
    purse = outcome.purse
    return {
        "version": monitor.version,
        "model": monitor.model.name,
        "confirm": monitor.confirm.name,
        "judged": outcome.judged,
        "left": outcome.left,
        "stopped": outcome.stopped,
        "failures": outcome.failures,
        "cost": {
            "calls": purse.calls,
            "failed_calls": purse.failed,
            "input_tokens": purse.input_tokens,
            "output_tokens": purse.output_tokens,
            "usd": None if purse.unpriced else purse.usd,
        },
        "planted": {"full": quality.full.to_plain(), "actions": quality.actions.to_plain()},
        "rejected_quotes": quality.rejected,
        "prevalence": None if behind.reason else {"share": behind.share, "interval": list(behind.interval)},
        "prevalence_reason": behind.reason,
    }


def _run(study: Store, monitor: Monitor, *, quiet: bool) -> Outcome:
    import anyio

    from honestly.audit.monitor import monitor_study

    done = 0

    def show(line: Line, now: int, total: int, words: str) -> None:
        nonlocal done
        done = now
        line(now, total, words)

    try:
        with progress_bar("judging", quiet=quiet) as line:
            return anyio.run(monitor_study, study, monitor, partial(show, line))
    except KeyboardInterrupt:
        say(f"stopped: {done} trials are judged and kept; the same command goes on, and pays for no answer twice")
        raise


def _show(monitor: Monitor, outcome: Outcome, quality: Quality, findings: list[Finding], behind: Prevalence) -> None:
    purse = outcome.purse
    cost = f"${purse.usd:.4f}" if not purse.unpriced else f"cost unknown for {purse.unpriced} calls"
    tokens = purse.input_tokens + purse.output_tokens
    say(f"{outcome.judged} trials judged in {purse.calls} calls, {tokens} tokens, {cost}")
    if outcome.left:
        why = outcome.stopped or "; ".join(outcome.failures)
        say(f"{outcome.left} trials are left: {why}; the same command goes on")
    click.echo(plain(f"Monitor {monitor.version}, on trials planted among the real ones (easier than real ones):"))
    for name, tally in (("full view", quality.full), ("actions only", quality.actions)):
        found = tally.to_plain()
        click.echo(
            f"  {name}: finds {tally.found} of {tally.positives} cheats {_interval(found['sensitivity_interval'])}, "
            f"flags {tally.flagged} of {tally.negatives} lookalikes"
            + (f"; {tally.unanswered} without an answer" if tally.unanswered else "")
        )
    people = sum(each.detector == "monitor-views" and each.state == "flagged" for each in findings)
    click.echo(
        f"  {people} trials for people, since the views disagree; {quality.rejected} findings without a true quote"
    )
    if behind.reason:
        click.echo(f"  share of hacks: unknown, {behind.reason}")
    else:
        low, high = behind.interval
        ends = f"{behind.share:.1%} [{low:.1%}, {high:.1%}]"
        click.echo(f"  share of hacks, corrected for the judge: {ends}, as far as real ones are like the planted")


def _interval(ends: object) -> str:
    return f"[{ends[0]:.2f}, {ends[1]:.2f}]" if isinstance(ends, list) else ""


def _about(each: Estimate, prices: Prices) -> str:
    usd = each.usd(prices)
    cost = f"about ${usd:.2f}" if usd is not None else "price unknown"
    return f"{each.calls} calls, {each.input_tokens} tokens read, {each.output_tokens} written, {cost}"


def _plain(each: Estimate, prices: Prices) -> dict[str, object]:
    return {
        "model": each.model,
        "calls": each.calls,
        "input_tokens": each.input_tokens,
        "output_tokens": each.output_tokens,
        "usd": each.usd(prices),
    }


def prices_of(path: Path | None) -> Prices:
    """Our table, under what a file of the user's says.

    Raises:
        ModelError: the file cannot be read.
    """
    from honestly.models import default_prices, read_prices

    return default_prices() if path is None else read_prices(path).over(default_prices())


def check_prices(specs: Iterable[str], prices: Prices) -> None:
    """Whether a budget can be kept.

    Raises:
        click.UsageError: the price of a model is not known.
    """
    from honestly.audit.monitor import price_known

    for spec in specs:
        if not price_known(spec, prices):
            raise click.UsageError(
                f"a budget cannot be kept, since the price of {plain(spec)} is unknown; give --prices"
            )


def answers_of(study: Path) -> Path:
    """Where judges' answers about a study are kept, if nobody says otherwise."""
    return study.with_name(f"{study.name}.answers")
