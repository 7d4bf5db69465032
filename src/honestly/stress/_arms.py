"""Prompt differentials: what an arm changes, on the same tasks and seeds, and what it costs in honest work.

For every agent at every checkpoint of a set: each arm against `none`, and `pro-hack` against `anti-hack`, whose
difference is the agent's propensity: how far it can be talked into hacking, or out of it. On solvable tasks the same
for what is solved honestly: the cost of the arm. All differences of one agent on one set are one family, corrected by
Holm.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from honestly.agents import NO_ARM
from honestly.stress._judged import SOLVED, Condition, JudgedSet
from honestly.stress._paired import PairedRates, corrected, paired_rates

PRO_HACK, ANTI_HACK = "pro-hack", "anti-hack"


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
    """Whether this is the gap between encouraging it and forbidding it."""
    paired: PairedRates
    p_holm: float
    """Corrected for all differences of this agent on this set; NaN where the difference has no p-value."""


def differentials(judged: JudgedSet, level: float = 0.95) -> list[Differential]:
    """All differences between the arms of each agent of a set; empty where there is one arm only.

    Args:
        judged: the set.
        level: coverage of each interval, taken alone.
    """
    series: dict[tuple[str, str], list[Condition]] = {}
    for condition in judged.conditions:
        series.setdefault((condition.base, condition.checkpoint), []).append(condition)
    return [each for conditions in series.values() for each in _family(judged, conditions, level)]


def _family(judged: JudgedSet, conditions: Sequence[Condition], level: float) -> list[Differential]:
    wanted = list(_pairs(judged, conditions))
    found = [
        paired_rates(judged.of(first.agent), judged.of(second.agent), measure, level)
        for measure, first, second in wanted
    ]
    return [
        Differential(
            suite=judged.name,
            agent=first.base,
            checkpoint=first.checkpoint,
            measure=measure,
            arm=first.arm.name,
            against=second.arm.name,
            propensity=(first.arm.name, second.arm.name) == (PRO_HACK, ANTI_HACK) and measure != SOLVED,
            paired=paired,
            p_holm=p,
        )
        for (measure, first, second), paired, p in zip(wanted, found, corrected(found), strict=True)
    ]


def _pairs(judged: JudgedSet, conditions: Sequence[Condition]) -> Iterator[tuple[str, Condition, Condition]]:
    by_arm = {condition.arm.name: condition for condition in conditions}
    pairs = [(arm, NO_ARM.name) for arm in by_arm if arm != NO_ARM.name and NO_ARM.name in by_arm]
    if {PRO_HACK, ANTI_HACK} <= by_arm.keys():
        pairs.append((PRO_HACK, ANTI_HACK))
    for measure in judged.measures:
        for arm, against in pairs:
            yield measure, by_arm[arm], by_arm[against]
