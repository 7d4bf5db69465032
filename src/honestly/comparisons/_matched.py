"""The spending of two agents, pair by pair: what of it was matched, and what was not.

A pair is one trial of each at the same task and sample; void ones are left out. Two trials have spent the same where
they differ by less than the largest call of the model in them, since nobody can stop in the middle of one; under a
budget in seconds, where they differ by less than that call or a second. Tokens are those that the model reported, or
estimates where it reported none, as limits count them. Steps are read of matched agents only.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from honestly.records import Agent, Outcome, Trial
from honestly.show import number_text, plural_text
from honestly.store import Store

_SECOND = 1.0
_UNITS = ("tokens", "usd", "seconds", "turns")


@dataclass(frozen=True, slots=True)
class AverageSpending:
    """The spending of one thing, on average over the pairs; None where it is not known of all."""

    what: str
    """`tokens`, `usd`, `seconds` (of the agent at work) or `turns` (calls of the model)."""
    a: float | None
    b: float | None


@dataclass(frozen=True, slots=True)
class MatchedBudget:
    """The budgets of two agents, of which one at least was to use up its own."""

    what: str
    """What was matched; empty where the two did not have the same budget."""
    budget: float | None
    """Of one trial."""
    pairs: int
    apart: int | None
    """Pairs that differ by one turn or more; None where nothing was matched."""
    short: int | None
    """Trials that ended before they had used it."""
    largest_difference: float | None
    """Of what was matched, in any pair."""
    largest_turn: float | None
    spent: tuple[AverageSpending, ...]

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The matched and unmatched amounts, each with its label."""
        spent = {
            each.what: f"{_amount_text(each.what, each.a)} and {_amount_text(each.what, each.b)}" for each in self.spent
        }
        others = "; ".join(f"{name} {said}" for name, said in spent.items() if name != self.what)
        if not self.what:
            return (("not matched", f"the budgets differ; spent on average: {others}"),)
        if not self.pairs:
            return (("matched", f"{self.what}, {_amount_text(self.what, self.budget)} a trial; there is no pair yet"),)
        even = (
            f"{self.pairs - (self.apart or 0)} of {plural_text(self.pairs, 'pair')} spent the same to less than "
            "one turn"
        )
        most = _amount_text(self.what, self.largest_difference), _amount_text(self.what, self.largest_turn)
        gaps = f"(largest difference {most[0]}, largest turn {most[1]})"
        average = f"{_amount_text(self.what, self.budget)} a trial: {spent[self.what]} on average"
        return (("matched", f"{self.what}, {average}; {even} {gaps}"), ("not matched", others))

    @property
    def caution_text(self) -> str:
        """The caution before the numbers; empty for nothing."""
        if not self.what:
            return "The budgets of the two were not the same: what they cost differs, too."
        if self.apart:
            return (
                f"In {self.apart} of {plural_text(self.pairs, 'pair')} the two did not spend the same to within "
                "one turn."
            )
        if self.short:
            return f"{self.short} of {2 * self.pairs} trials ended before the budget was used."
        return ""


def matched_budgets(study: Store, a: str, b: str) -> MatchedBudget | None:
    """What two agents spent, if at least one had a matched budget; None else."""
    agents = {agent.name: agent for agent in study.agents()}
    budgets = [_budget(agents[name]) for name in (a, b)]
    if not any(budgets):
        return None
    what, budget = budgets[0] if budgets[0] == budgets[1] and budgets[0] else ("", None)
    first, second = (
        {(each.task, each.sample): each for each in study.trials(agent=name) if each.outcome is not Outcome.VOID}
        for name in (a, b)
    )
    bills = [(_Bill(study, first[each]), _Bill(study, second[each])) for each in sorted(first.keys() & second.keys())]
    spent = tuple(
        AverageSpending(unit, *(_mean_or_none(pair[side].spent[unit] for pair in bills) for side in (0, 1)))
        for unit in _UNITS
    )
    if not what or not bills:
        return MatchedBudget(what, budget, len(bills), None, None, None, None, spent)
    short = sum((bill.spent[what] or 0.0) < (budget or 0.0) for pair in bills for bill in pair)
    apart = [abs((one.spent[what] or 0.0) - (other.spent[what] or 0.0)) for one, other in bills]
    turns = [max(one.turn[what], other.turn[what]) for one, other in bills]
    slack = _SECOND if what == "seconds" else 0.0
    odd = sum(gap > 0 and gap >= max(turn, slack) for gap, turn in zip(apart, turns, strict=True))
    return MatchedBudget(what, budget, len(bills), odd, short, max(apart), max(turns), spent)


class _Bill:
    """The spending of one trial, and its largest turn."""

    def __init__(self, study: Store, trial: Trial) -> None:
        from honestly.agents import call_tokens  # late: most comparisons need nothing of it

        calls = [step for step in study.steps(trial.id) if step.model]
        tokens, costs = [float(call_tokens(step)) for step in calls], [step.usage.usd for step in calls]
        self.spent: dict[str, float | None] = {
            "tokens": sum(tokens),
            "usd": trial.usage.usd if None not in costs else None,
            "seconds": trial.agent_seconds,
            "turns": float(len(calls)),
        }
        self.turn = {
            "tokens": max(tokens, default=0.0),
            "usd": max((cost or 0.0 for cost in costs), default=0.0),
            "seconds": max((step.seconds or 0.0 for step in calls), default=0.0),
        }


def _budget(agent: Agent) -> tuple[str, float | None] | None:
    """The amount that an agent was to use up in each trial, and of what."""
    what = agent.settings.get("match")
    budget = agent.settings.get(f"max_{what}")
    return (str(what), float(budget)) if what in _UNITS and isinstance(budget, int | float) else None


def _mean_or_none(values: Iterable[float | None]) -> float | None:
    known = list(values)
    return fmean(value for value in known if value is not None) if known and None not in known else None


def _amount_text(what: str, value: float | None) -> str:
    if value is None:
        return "not known"
    return f"${value:,.4f}" if what == "usd" else number_text(value, 1 if what in {"seconds", "turns"} else 0)
