"""Which claims of a recipe hold: an interval over seeds for each, all of them counted (Holm).

A claim's error is that of its values over seeds, paired by seed, with Student's t. The intervals are Holm's: the
smallest p-value's has level `1 - 0.05 / m` for m claims, the next one's `1 - 0.05 / (m - 1)`, and from the first that
includes zero on all have that one's level. So an interval excludes zero exactly where Holm's adjusted p-value is at
most 5%.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.recipes._recipe import ArmResult, Recipe, RecipeClaim
from honestly.show import Shown, dim_line, numbers_table, printable_text_line
from honestly.stats import clopper_pearson_interval, holm_adjusted, t_interval, t_quantile, t_two_sided

Floats = NDArray[np.float64]
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class ArmValue:
    """The mean of a measure over an arm's seeds, with its 95% interval."""

    name: str
    """Of the arm."""
    seeds: int
    """How many gave a value."""
    value: float
    """The mean over seeds."""
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ArmMeasure:
    """A measure of an arm."""

    arm: str
    measure: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim, and whether the seeds support it."""

    text: str
    holds: bool
    value: float
    """The mean difference over seeds."""
    low: float
    high: float
    level: float
    """Of the interval, all claims counted."""
    p_holm: float
    why: str
    """Why it does not hold; empty where it does."""


@dataclass(frozen=True, slots=True, repr=False)
class RecipeReport(Shown):
    """What a recipe found."""

    main_table: ClassVar[str] = "arms"

    recipe: str
    """Its name."""
    title: str
    source: str
    """The published result that it repeats."""
    metric: str
    """What arms are compared by."""
    command: str
    """What makes this report again."""
    quick: bool
    """Whether it ran in the small."""
    seeds: tuple[int, ...]
    arms: tuple[ArmValue, ...]
    claims: tuple[CheckedClaim, ...]
    measures: tuple[ArmMeasure, ...]
    unsaid: tuple[str, ...]

    def measure_rows(self) -> list[tuple[str, list[str]]]:
        """Measures as lines of a table: the name of each, and what each arm has, "" where it has none."""
        names = dict.fromkeys(each.measure for each in self.measures)
        found = {(each.measure, each.arm): number_and_interval(each) for each in self.measures}
        return [(name, [found.get((name, arm.name), "") for arm in self.arms]) for name in names]

    @property
    def sentence(self) -> str:
        """The answer in a line."""
        held = sum(claim.holds for claim in self.claims)
        return f"{self.recipe}: {held} of {len(self.claims)} claims hold over {len(self.seeds)} seeds."

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(printable_text_line(self.sentence), style="bold")
        yield numbers_table(
            f"{self.metric} (mean over seeds, 95%)",
            {"arm": 20, "seeds": 5, "value": 6, "interval": 14},
            [
                (
                    arm.name,
                    f"{arm.seeds}",
                    f"{arm.value:.3f}",
                    "–" if math.isnan(arm.low) else f"[{arm.low:.3f}, {arm.high:.3f}]",
                )
                for arm in self.arms
            ],
            options.max_width,
        )
        for claim in self.claims:
            yield Text(f"{'holds    ' if claim.holds else 'not shown'}  {claim.text}")
            yield dim_line(f"           {claim_figures(claim)}")
        if self.quick:
            yield dim_line("--quick is for tests of the program; nothing may be claimed from it.")
        yield Text("Cannot be said at this size:", style="bold")
        for line in self.unsaid:
            yield Text(f"- {line}")


def claim_figures(claim: CheckedClaim) -> str:
    """A claim's figures in a line."""
    if math.isnan(claim.low):
        return f"{claim.value:+.3f}; {claim.why}"
    said = (
        f"{claim.value:+.3f} [{claim.low:+.3f}, {claim.high:+.3f}] ({claim.level:.1%}), p = {claim.p_holm:.2g} (Holm)"
    )
    return f"{said}; {claim.why}" if claim.why else said


def number_and_interval(each: ArmMeasure) -> str:
    """A measure of an arm as text."""
    return f"{each.value:.3g}" + ("" if math.isnan(each.low) else f" [{each.low:.3g}, {each.high:.3g}]")


def recipe_report(recipe: Recipe, results: Sequence[ArmResult], command: str = "") -> RecipeReport:
    """Which claims of a recipe its results support.

    Args:
        recipe: which.
        results: of all of its arms, with the same seeds.
        command: what made them, for its page.
    """
    by_arm = {arm: {row.seed: row for row in results if row.arm == arm} for arm in recipe.arms}
    seeds = tuple(sorted({row.seed for row in results}))
    arms, measures = [], []
    for arm, rows in by_arm.items():
        own = [rows[seed] for seed in seeds]
        value, low, high = _mean_interval([row.value("") for row in own], 0.0, 1.0)
        if low == high:  # no seed differs: the error is that of the counted problems
            count = sum(len(row.scores) for row in own)
            low, high = map(float, clopper_pearson_interval(round(value * count), count))
        arms.append(ArmValue(arm, len(own), value, low, high))
        for name in dict.fromkeys(name for row in own for name in row.measures):
            values = [row.measures.get(name, math.nan) for row in own]
            value, low, high = _mean_interval(values, -math.inf, math.inf)
            measures.append(ArmMeasure(arm, name, value, *((low, high) if low < high else (math.nan, math.nan))))
    claims = _checked_claims(recipe.claims, by_arm, seeds)
    if quick := any(row.quick for row in results):
        claims = tuple(replace(claim, holds=False, why=claim.why or "made with --quick") for claim in claims)
    return RecipeReport(
        recipe=recipe.name,
        title=recipe.title,
        source=recipe.source,
        metric=recipe.metric,
        command=command,
        quick=quick,
        seeds=seeds,
        arms=tuple(arms),
        claims=claims,
        measures=tuple(measures),
        unsaid=recipe.unsaid,
    )


def _mean_interval(values: Sequence[float], lowest: float, highest: float) -> tuple[float, float, float]:
    x = np.asarray(values)
    mean, se, df = float(x.mean()), float(x.std(ddof=1) / math.sqrt(x.size)) if x.size > 1 else math.nan, x.size - 1
    if math.isnan(se):
        return mean, math.nan, math.nan
    if (lowest, highest) == (0.0, 1.0):
        low, high = t_interval(mean, se, df, 0.95, 0.0)
        return mean, float(low), float(high)
    half = t_quantile(0.95, df) * se
    return mean, mean - half, mean + half


def _checked_claims(
    claims: Sequence[RecipeClaim], by_arm: dict[str, dict[int, ArmResult]], seeds: Sequence[int]
) -> tuple[CheckedClaim, ...]:
    gaps = [_gaps(claim, by_arm, seeds) for claim in claims]
    mean = np.array([gap.mean() for gap, _ in gaps])
    df = len(seeds) - 1
    if df < 1:
        why = "one seed has no interval"
        return tuple(
            CheckedClaim(claim.text, False, float(value), math.nan, math.nan, math.nan, math.nan, why)
            for claim, value in zip(claims, mean, strict=True)
        )
    se = np.array([max(float(gap.std(ddof=1)) / math.sqrt(gap.size), floor) for gap, floor in gaps])
    within = np.array([claim.within for claim in claims])
    # How far the mean lies from what its claim has to exclude: from 0, or inside of the margin.
    away = np.where(within > 0, np.maximum(within - np.abs(mean), 0.0), np.abs(mean))
    p = t_two_sided(np.divide(away, se, out=np.full_like(away, np.nan), where=se > 0), df)
    adjusted = holm_adjusted(p)
    levels = _step_levels(p)
    found = []
    for at, claim in enumerate(claims):
        half = t_quantile(float(levels[at]), df) * se[at]
        low, high = float(mean[at] - half), float(mean[at] + half)
        holds = bool(adjusted[at] <= ALPHA and (claim.within > 0 or mean[at] > 0))
        why = "" if holds else _why_not(claim, low, high)
        found.append(
            CheckedClaim(claim.text, holds, float(mean[at]), low, high, float(levels[at]), float(adjusted[at]), why)
        )
    return tuple(found)


def _why_not(claim: RecipeClaim, low: float, high: float) -> str:
    if claim.within:
        return f"the interval is not inside ±{claim.within}"
    if math.isnan(low):
        return "not measured with every seed"
    if high < 0:
        return "the opposite is seen"
    return "no effect is seen: the interval includes zero" if low <= 0 <= high else "nothing varied over seeds"


def _gaps(claim: RecipeClaim, by_arm: dict[str, dict[int, ArmResult]], seeds: Sequence[int]) -> tuple[Floats, float]:
    """The difference of each seed, and its least error: where no seed differs, counts of cases still have one."""
    arms = [claim.arm, claim.than] if isinstance(claim.than, str) else [claim.arm]
    rows = [[by_arm[arm][seed] for seed in seeds] for arm in arms]
    names = (claim.measure, claim.than_measure or claim.measure)
    values = [np.array([row.value(name) for row in each]) for each, name in zip(rows, names, strict=False)]
    gap = values[0] - (values[1] if len(values) > 1 else claim.than)
    if gap.std() > 1e-12 or (claim.measure and not claim.counted):
        return gap, 0.0
    variance = 0.0
    for own, shares in zip(rows, values, strict=True):
        cases = np.array([row.measures[claim.counted] if claim.counted else len(row.scores) for row in own])
        n = cases.sum() + 4
        share = ((shares * cases).sum() + 2) / n
        variance += share * (1 - share) / n
    return gap, math.sqrt(variance)


def _step_levels(p: Floats) -> Floats:
    """The level of each claim's interval, so that it excludes zero exactly where Holm rejects."""
    order = np.argsort(np.where(np.isnan(p), 2.0, p), kind="stable")
    alphas, stopped = np.empty(p.size), math.nan
    for step, at in enumerate(order):
        alpha = ALPHA / (p.size - step)
        if math.isnan(stopped) and not p[at] <= alpha:
            stopped = alpha
        alphas[at] = alpha if math.isnan(stopped) else stopped
    return np.asarray(1 - alphas)
