"""Stopping early, by a rule that was declared before: questions in a fixed random order, looked at one after the other.

Trials of several questions run at once and end in any order, but the test is fed in the declared order only, so that
what it sees does not depend on how long trials take. The question's difference counts once every planned sample of both
agents is there. Feeding is a function of what the study holds: after a restart it gives the same state again.

A void trial that may be done again is not there yet: the test waits for it. Were it counted as failed and then
replaced, the test would have seen two versions of one question, and could stop at either. How many attempts a trial has
is fixed before the first one, like the rule; the last counts whatever it is. Nothing else is done again under a rule.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from honestly.errors import AgentError
from honestly.records import Outcome, StudyFacts

if TYPE_CHECKING:
    from honestly.records import Trial
    from honestly.runner._plan import Plan
    from honestly.stats import Decision, StoppingMethod, StoppingRule
    from honestly.store import Cell, Store


def is_settled(cell: Cell, facts: StudyFacts) -> bool:
    """Whether a trial's outcome is final, so that a stopping rule can use it."""
    return cell.outcome is not Outcome.VOID or cell.attempts >= (facts.attempts or 1)


def rule_for(
    first: str, second: str, questions: int, samples: int, alpha: float, clusters: Sequence[int] = ()
) -> StoppingRule:
    """The rule that `--until` declares: the exact win-loss test for one sample per question, else bets.

    With `clusters`, how many questions of each come one after the other, each of them is one bet.

    Raises:
        StatisticsError: there are fewer than two questions.
    """
    from honestly.stats import StoppingRule  # late: it needs numpy, which most runs have no use for

    method: StoppingMethod = "win-loss" if samples == 1 and not clusters else "betting"
    return StoppingRule(first, second, method, questions, alpha, clusters=tuple(clusters))


def as_declared(rule: StoppingRule, study: Store) -> StoppingRule:
    """The study's stopping rule, if an older version declared it for the same claim.

    Before there were bets that was the difference sequence; before clusters were bets, tasks were independent.
    """
    from honestly.stats import StoppingRule

    stored = study.facts().stopping_rule
    if not stored or rule.method != "betting":
        return rule
    held = StoppingRule.from_plain(stored.to_plain())
    methods: tuple[StoppingMethod, ...] = ("win-loss", "betting") if rule.clusters else ()
    before = [replace(rule, method=method, clusters=()) for method in ("difference-sequence", *methods)]
    return held if held in before else rule


def rule_until(claim: str, plan: Plan, alpha: float) -> StoppingRule:
    """The rule that `--until` declares for a plan.

    Raises:
        AgentError: the claim names an agent that the plan has not.
        StatisticsError: it is no claim (`A>B`), or there are too few questions.
    """
    from honestly.stats import parse_claim

    names = [actor.record.name for actor in plan.actors]
    first, second = parse_claim(claim)
    for name in (first, second):
        if name not in names:
            raise AgentError(f"--until names {name!r}, but the agents of this run are: {', '.join(names)}")
    clusters = plan.clusters or {}
    sizes = [len(list(tasks)) for _, tasks in groupby(clusters.get(task.id, "") for task in plan.question_order)]
    return rule_for(first, second, len(plan.suite.tasks), plan.samples, alpha, sizes if clusters else ())


class Until:
    """The declared rule, fed from trials as they come. Void and limit count as failed, as in the default report."""

    def __init__(self, rule: StoppingRule, order: Sequence[str], samples: int) -> None:
        """Args:
        rule: the declared rule.
        order: ids of the questions, in the declared order.
        samples: samples per cell that make a question complete.
        """
        self._rule, self._order, self._samples = rule, order, samples
        self._test = rule.start()
        self._next = 0
        self._passed: dict[tuple[str, str], dict[int, bool]] = defaultdict(dict)

    @property
    def decision(self) -> Decision:
        """State of the test."""
        return self._test.decision

    def take_cells(self, cells: Iterable[Cell], facts: StudyFacts) -> Decision:
        """Takes in what a study holds, less the void trials that are to be done again."""
        for cell in cells:
            if is_settled(cell, facts):
                self.take_trial(cell)
        return self.decision

    def take_trial(self, trial: Cell | Trial) -> Decision:
        """Takes a trial into account; gives the state of the test after it."""
        if trial.sample < self._samples:
            self._passed[trial.agent, trial.task][trial.sample] = trial.outcome is Outcome.PASSED
        while self._next < len(self._order) and not self._test.decision.stop:
            task = self._order[self._next]
            first, second = self._passed[self._rule.first, task], self._passed[self._rule.second, task]
            if min(len(first), len(second)) < self._samples:
                break
            self._test.update((sum(first.values()) - sum(second.values())) / self._samples)
            self._next += 1
        return self._test.decision
