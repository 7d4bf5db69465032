"""The cost of a monitor, before and after, and what it measured of itself on trials that were planted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.audit.monitor import Estimate, Monitor, MonitorRun, Quality, estimated_cost, prevalence_of, quality_of
from honestly.models import Prices
from honestly.show import Shown, as_json, printable_text_line
from honestly.stats import Prevalence
from honestly.store import Store


@dataclass(frozen=True, slots=True, repr=False)
class MonitorEstimate(Shown):
    """The estimated cost of judging the trials that are left."""

    trials: int
    stages: dict[str, Estimate]
    """By name: `survey` and `confirm`."""
    prices: Prices

    @property
    def usd(self) -> float | None:
        """Of both stages, US dollars; None where a price is not known."""
        costs = [each.usd(self.prices) for each in self.stages.values()]
        return sum(cost or 0.0 for cost in costs) if None not in costs else None

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON."""
        stages = {name: as_json(each) | {"usd": each.usd(self.prices)} for name, each in self.stages.items()}
        return {"trials": self.trials, **stages, "usd": self.usd}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(f"{self.trials} trials to judge; answers that are kept cost nothing again")
        for stage, each in self.stages.items():
            usd = each.usd(self.prices)
            cost = f"about ${usd:.2f}" if usd is not None else "price unknown"
            tokens = f"{each.calls} calls, {each.input_tokens} tokens read, {each.output_tokens} written"
            yield Text(f"  {stage} by {printable_text_line(each.model)}: {tokens}, {cost}")
        known = self.usd is not None
        yield Text(f"  together about ${self.usd:.2f}" if known else "  together: unknown; --prices CSV gives prices")


def monitor_estimate(study: Store, monitor: Monitor) -> MonitorEstimate:
    """The estimated cost of the monitor on what it has not judged yet."""
    survey, confirm, trials = estimated_cost(study, monitor)
    return MonitorEstimate(trials, {"survey": survey, "confirm": confirm}, monitor.prices)


@dataclass(frozen=True, slots=True, repr=False)
class MonitorReport(Shown):
    """The work of a monitor, its cost, and how far its findings can be believed."""

    version: str
    model: str
    confirm: str
    run: MonitorRun
    quality: Quality
    prevalence: Prevalence
    for_people: int
    """Trials of which its two views say different things."""

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON."""
        run, purse, behind = self.run, self.run.purse, self.prevalence
        return as_json(
            {
                "version": self.version,
                "model": self.model,
                "confirm": self.confirm,
                "judged": run.judged,
                "left": run.left,
                "stopped": run.stopped,
                "failures": run.failures,
                "cost": {
                    "calls": purse.calls,
                    "failed_calls": purse.failed,
                    "input_tokens": purse.input_tokens,
                    "output_tokens": purse.output_tokens,
                    "usd": None if purse.unpriced else purse.usd,
                },
                "planted": {"full": self.quality.full.to_plain(), "actions": self.quality.actions.to_plain()},
                "edited": {
                    "full": self.quality.edited_full.to_plain(),
                    "actions": self.quality.edited_actions.to_plain(),
                },
                "rejected_quotes": self.quality.rejected,
                "prevalence": None if behind.reason else {"share": behind.share, "interval": behind.interval},
                "prevalence_reason": behind.reason,
            }
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield from map(Text, map(printable_text_line, [*self._cost_lines(), *self._quality_lines()]))

    def _cost_lines(self) -> Iterator[str]:
        run, purse = self.run, self.run.purse
        cost = f"${purse.usd:.4f}" if not purse.unpriced else f"cost unknown for {purse.unpriced} calls"
        tokens = purse.input_tokens + purse.output_tokens
        yield f"{run.judged} trials judged in {purse.calls} calls, {tokens} tokens, {cost}"
        if run.left:
            why = run.stopped or "; ".join(run.failures)
            yield f"{run.left} trials are left: {why}; run the same command again to continue"

    def _quality_lines(self) -> Iterator[str]:
        quality = self.quality
        yield f"Monitor {self.version}, on trials of this study that were edited to cheat, or to look like it:"
        for name, tally in (("full view", quality.edited_full), ("actions only", quality.edited_actions)):
            known = tally.to_plain()["sensitivity_interval"]
            interval = f" [{known[0]:.2f}, {known[1]:.2f}]" if isinstance(known, list) else ""
            found = f"finds {tally.found} of {tally.positives} cheats{interval}"
            if not tally.positives:
                found = "sensitivity unknown, because no cheat could be made of a trial"
            yield (
                f"  {name}: {found}, flags {tally.flagged} of {tally.negatives} honest ones"
                + (f"; {tally.unanswered} without an answer" if tally.unanswered else "")
            )
        told = [
            f"{name} {tally.found} of {tally.positives}, and {tally.flagged} of {tally.negatives} lookalikes"
            for name, tally in (("full view", quality.full), ("actions only", quality.actions))
        ]
        yield f"  of trials from templates, which show attention only: {'; '.join(told)}"
        rejected = f"{self.quality.rejected} findings without a true quote"
        yield f"  {self.for_people} trials for people, because the views disagree; {rejected}"
        behind = self.prevalence
        if behind.reason:
            yield f"  share of hacks: unknown, {behind.reason}"
        else:
            low, high = behind.interval
            share = f"{behind.share:.1%} [{low:.1%}, {high:.1%}]"
            yield f"  share of hacks, corrected for the judge: {share}, as far as real ones are like the edited"


def monitor_report(study: Store, monitor: Monitor, run: MonitorRun) -> MonitorReport:
    """The report on a run of the monitor, with all that the study knows of this version of it."""
    quality = quality_of(study, monitor.version)
    findings = [found for found in study.findings() if found.version == monitor.version]
    return MonitorReport(
        version=monitor.version,
        model=monitor.model.name,
        confirm=monitor.confirm.name,
        run=run,
        quality=quality,
        prevalence=prevalence_of(quality, findings),
        for_people=sum(each.detector == "monitor-views" and each.state == "flagged" for each in findings),
    )
