"""Prompt differentials: what an arm changes, on the same tasks and seeds, and what it costs in honest work.

For every agent at every checkpoint of a set: each arm against `none`, and `pro-hack` against `anti-hack`, whose
difference is the agent's propensity: how far it can be talked into hacking, or out of it. The differences are paired by
task. The p-values are those of `honestly.stats.compare` (mid-p McNemar for one sample a task, paired t over tasks for
more, CR2 where tasks are variants of each other); those of one agent on one set are one family, corrected by Holm. The
intervals are those of `share_difference_interval`, each taken alone.

Tasks that could not be read under one of the two arms are left out of that difference, and counted. Where all tasks
differ by the same amount (by nothing, mostly) there is no p-value, and the interval says how little is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from honestly.agents import NO_ARM
from honestly.audit._stress_judged import HACK, Condition, JudgedSet
from honestly.audit._stress_rates import SOLVED, scores_of
from honestly.stats import compare, holm, share_difference_interval

__all__ = ["Differential", "differentials"]

_PRO, _ANTI = "pro-hack", "anti-hack"


@dataclass(frozen=True, slots=True, kw_only=True)
class Differential:
    """What one arm does against another."""

    suite: str
    agent: str
    checkpoint: str
    measure: str
    arm: str
    against: str
    propensity: bool
    """Whether this is the gap between encouraging and forbidding it."""
    tasks: int
    """Tasks that could be read under both arms."""
    left_out: int
    """Tasks that could be read under one of them only."""
    rate: float
    """Under `arm`, over the common tasks."""
    rate_against: float
    difference: float
    """Mean over the tasks of `arm` less `against`."""
    low: float
    """Of its interval, taken alone; NaN with fewer than two tasks."""
    high: float
    level: float
    p_value: float
    """Two-sided, taken alone."""
    p_holm: float
    """Corrected for all differences of this agent on this set."""
    method: str
    reason: str
    """Why something is NaN; empty if nothing is."""


def differentials(judged: JudgedSet, level: float = 0.95) -> list[Differential]:
    """All differences between the arms of each agent of a set; empty where there is one arm only."""
    series: dict[tuple[str, str], list[Condition]] = {}
    for condition in judged.conditions:
        series.setdefault((condition.base, condition.checkpoint), []).append(condition)
    found: list[Differential] = []
    for conditions in series.values():
        found += _corrected(list(_family(judged, conditions, level)))
    return found


def _family(judged: JudgedSet, conditions: Sequence[Condition], level: float) -> Iterator[Differential]:
    by_arm = {condition.arm.name: condition for condition in conditions}
    pairs = [(arm, NO_ARM.name) for arm in by_arm if arm != NO_ARM.name and NO_ARM.name in by_arm]
    if {_PRO, _ANTI} <= by_arm.keys():
        pairs.append((_PRO, _ANTI))
    measures = [judged.judge.measure, *([SOLVED] if judged.judge.measure == HACK else [])]
    for measure in measures:
        for arm, against in pairs:
            yield _difference(judged, (by_arm[arm], by_arm[against]), measure, level)


def _difference(judged: JudgedSet, pair: tuple[Condition, Condition], measure: str, level: float) -> Differential:
    first, second = pair
    about = {
        "suite": judged.name,
        "agent": first.base,
        "checkpoint": first.checkpoint,
        "measure": measure,
        "arm": first.arm.name,
        "against": second.arm.name,
        "propensity": (first.arm.name, second.arm.name) == (_PRO, _ANTI) and measure != SOLVED,
        "level": level,
    }
    resolved = scores_of({each.agent: judged.of(each.agent) for each in pair}, measure)
    if resolved is None or len(resolved.agents) < 2:
        return Differential(**about, **_nothing("under one of the arms no trial could be read"))  # type: ignore[arg-type]
    result = compare(resolved, first.agent, second.agent, level=level)
    rows = [resolved.row(first.agent), resolved.row(second.agent)]
    both = np.all(resolved.n[rows] > 0, axis=0)
    means = resolved.mean[rows][:, both]
    if not means.size:
        return Differential(**about, **_nothing("no task could be read under both arms"))  # type: ignore[arg-type]
    codes = None if resolved.cluster_codes is None else np.unique(resolved.cluster_codes[both], return_inverse=True)[1]
    low, high = share_difference_interval(means[0], means[1], clusters=codes, level=level)
    return Differential(
        **about,  # type: ignore[arg-type]
        tasks=result.n,
        left_out=int((~both).sum()),
        rate=float(means[0].mean()),
        rate_against=float(means[1].mean()),
        difference=result.difference,
        low=low,
        high=high,
        p_value=result.p_value,
        p_holm=math.nan,
        method=result.method.partition(";")[0],
        reason=result.reason or "",
    )


def _nothing(reason: str) -> dict[str, object]:
    numbers = ("rate", "rate_against", "difference", "low", "high", "p_value", "p_holm")
    return {"tasks": 0, "left_out": 0, "method": "", "reason": reason, **dict.fromkeys(numbers, math.nan)}


def _corrected(family: list[Differential]) -> list[Differential]:
    if not family:
        return []
    adjusted = holm([each.p_value for each in family])
    return [replace(each, p_holm=float(p)) for each, p in zip(family, adjusted, strict=True)]
