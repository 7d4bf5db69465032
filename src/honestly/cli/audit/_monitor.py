"""The monitor's part of `honestly audit`: its options, and the estimate before."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._options import gathered, plain, print_json, say

if TYPE_CHECKING:
    from honestly.audit.monitor import Monitor
    from honestly.models import Prices
    from honestly.studies import Study

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

    def go_on(self, study: Study, monitor: Monitor, *, as_json: bool) -> bool:
        """Says what it would cost; whether it is wanted all the same."""
        if self.estimate or not as_json:
            expected = study.monitor_estimate(monitor)
            say(str(expected).rstrip())
            if self.estimate and as_json:
                print_json({"study": str(study.path), "estimate": expected.to_plain()})
            elif not self.estimate and expected.trials and monitor.budget is None and sys.stdin.isatty():
                click.confirm("Go on?", default=True, abort=True, err=True)
        return not self.estimate


monitor_options = gathered(Wanted, "wanted", _OPTIONS)
"""Adds them to the command, which gets them as one argument, `wanted`."""


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
