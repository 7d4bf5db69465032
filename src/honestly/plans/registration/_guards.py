"""The health metrics of a study's two agents, and whether they keep within the registered bounds.

Values are as measured, without error bars: a bound is a tripwire that makes somebody look, not a test.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from honestly.plans.registration._document import guard_words
from honestly.plans.registration._registration import Guard, Metric, Registration
from honestly.scores import StudyCounts
from honestly.show import printable_text_line
from honestly.stats import Policy

Status = Literal["kept", "broken", "undecided", "not yet", "not measurable"]
"""`undecided` is for the claim alone: the study is complete, and the data do not tell."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A promise held against a study."""

    topic: str
    """What it is about: `claim`, `size`, `policy`, a health metric, ..."""
    status: Status
    """For the claim, `kept` means shown and `broken` refuted."""
    promised: str
    """In words."""
    found: str
    """What happened, in words."""

    @property
    def outcome(self) -> str:
        """The status as it is shown."""
        claim = {"kept": "shown", "broken": "refuted"}
        return claim.get(self.status, self.status) if self.topic == "claim" else self.status


def check_guards(evaluation: StudyCounts, registration: Registration) -> list[Checked]:
    """One result for each bound."""
    return [_checked_guard(evaluation, registration, guard) for guard in registration.guards]


def _checked_guard(evaluation: StudyCounts, registration: Registration, guard: Guard) -> Checked:
    metric, names = guard.metric, (registration.first, registration.other_agent)
    promised = guard_words(guard, registration)
    values, texts = [], []
    for name in names:
        value, counts = health_value(evaluation, metric, name, registration.policy)
        values.append(value)
        texts.append(f"{printable_text_line(name)} {'not measured' if value is None else metric.show(value)}{counts}")
    found = ", ".join(texts)
    first, second = values
    status: Status
    if first is None or second is None:
        status = "not measurable"
    else:
        within = guard.at_most is None or max(first, second) <= guard.at_most + _SLACK
        no_worse = guard.worse_by_at_most is None or first - second <= guard.worse_by_at_most + _SLACK
        status = "kept" if within and no_worse else "broken"
    return Checked(metric.value, status, promised, found)


_SLACK = 1e-12


def health_value(evaluation: StudyCounts, metric: Metric, agent: str, policy: Policy) -> tuple[float | None, str]:
    """A metric of an agent, and the counts behind it in words; None where it was not measured.

    Args:
        evaluation: the study, counted.
        metric: which.
        agent: name of the agent; it may be absent from the study.
        policy: what trials without a plain pass or fail count as, for the scores.
    """
    names = [known.name for known in evaluation.agents]
    scores = evaluation.scores
    if agent not in names or scores is None:
        return None, ""
    row = names.index(agent)
    if metric in {Metric.VOID, Metric.LIMIT}:
        kinds = (scores.passed, scores.failed, scores.limit, scores.void)
        trials = sum(int(kind[row].sum()) for kind in kinds)
        counted = scores.void if metric is Metric.VOID else scores.limit
        return _share_and_counts(int(counted[row].sum()), trials)
    if metric is Metric.HACKS:
        return _share_and_counts(int(evaluation.hacks[row].sum()), int(evaluation.passers[row].sum()))
    if metric is Metric.USD:
        priced = int(evaluation.priced[row])
        return (float(evaluation.usd[row]) / priced, f" over {priced} trials") if priced else (None, "")
    # Visible minus honest score over the questions that have both.
    if evaluation.scores is None or evaluation.visible is None:
        return None, ""
    visible, honest = evaluation.visible.resolve(policy), evaluation.scores.resolve(policy)
    if not np.any(evaluation.visible.passed[row] + evaluation.visible.failed[row] > 0):
        return None, ""
    place = {question: j for j, question in enumerate(honest.questions)}
    both = honest.mean[row, [place[question] for question in visible.questions]]
    known = ~np.isnan(both) & ~np.isnan(visible.mean[row])
    weights = np.ones(known.size) if visible.weights is None else visible.weights
    gap = float(np.average((visible.mean[row] - both)[known], weights=weights[known])) if known.any() else math.nan
    return (None, "") if math.isnan(gap) else (gap, f" over {int(known.sum())} questions")


def _share_and_counts(part: int, whole: int) -> tuple[float | None, str]:
    return (part / whole, f" ({part} of {whole})") if whole else (None, "")
