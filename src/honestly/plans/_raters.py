"""How many raters, in how many domains, a claim about two agents' mean ratings needs.

A rater's difference between the agents is the gap, what the domain adds, the rater's own taste, and the noise of single
ratings. The standard deviations are declared, or estimated from pilot ratings (moments of a nested one-way layout);
panels of raters are then simulated, with the test that would be used on them.

Not covered: preferences, raters who rate in several domains (each counts once in every one of them).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.errors import StatisticsError
from honestly.formats import table_rows
from honestly.show import (
    Shown,
    all_of,
    dim_line,
    number_text,
    numbers_table,
    percent_text,
    plural_text,
    printable_text_line,
)
from honestly.stats import Demands, DesignVariance, Estimand, holm_adjusted, questions_needed, t_quantile, t_two_sided

Floats = NDArray[np.float64]
Design = Literal["both", "one"]
SIZES = (5, 10, 20, 50, 100, 200, 500, 1000)
_PANELS, _RESAMPLES, _MOST = 4000, 400, 10**6
_LEAST, _FEW, _HALF = 5, 20, 0.5
"""Raters of a pilot, at least, and below which it says little; share who rated both agents that makes it paired."""
_COLUMNS = {
    "rater": ("rater", "user", "person"),
    "agent": ("agent", "arm", "model"),
    "rating": ("rating", "stars", "score"),
    "domain": ("domain", "category", "topic"),
}


class Rated(NamedTuple):
    """One rating of a pilot."""

    rater: str
    agent: str
    domain: str
    rating: float


@dataclass(frozen=True, slots=True)
class RatingSpread:
    """Standard deviations of the components of ratings, in points of the scale."""

    level: float = 0.0
    """Between raters, of how they rate everything."""
    taste: float = 0.0
    """Between raters, of the difference that they see between the two agents."""
    domain: float = 0.0
    """Between domains, of that difference."""
    noise: float = 0.0
    """Between ratings of one agent by one rater."""

    def of_pair(self, each: int, design: Design) -> float:
        """Variance of the difference that a rater sees, or a pair of raters of whom each rates one agent."""
        noise = 2 * self.noise**2 / each
        return noise + (self.taste**2 if design == "both" else self.taste**2 / 2 + 2 * self.level**2)


@dataclass(frozen=True, slots=True)
class Panel:
    """What comes of studies with so many raters, of the true gap that was asked for."""

    raters: int
    spread: float
    """Half of the width that holds 95% of the differences that such studies find."""
    wrong: float
    """Share of the studies that find the other agent ahead."""
    shown: float
    """Share that shows the gap, for the domains that were rated."""
    shown_anywhere: float | None
    """Share that shows it for domains in general; None without domains."""


@dataclass(frozen=True, slots=True)
class DomainNeed:
    """One domain of the pilot."""

    domain: str
    raters: int
    difference: float
    interval: tuple[float, float]
    p_value: float
    """Of a difference as far from the middle domain's, adjusted for all (Holm)."""


@dataclass(frozen=True, slots=True, repr=False)
class RatersPlan(Shown):
    """Everything that `honestly stats plan --raters` says."""

    main_table: ClassVar[str] = "panels"

    sentence: str
    basis: str
    """`pilot` or `declared`."""
    agents: tuple[str, ...]
    design: Design
    """Whether each rater rates both agents, or one."""
    gap: float
    power: float
    alpha: float
    each: int
    """Ratings of an agent by a rater."""
    spread: RatingSpread
    needed: int | None
    """Raters for the domains that are rated; None where it is more than a million."""
    needed_interval: tuple[int, int] | None
    """Where it may lie by the pilot's raters, 95%; None without a pilot."""
    needed_one: int | None
    """Raters if each rates one agent; None where it is not known."""
    domains: int
    domains_needed: int | None
    """Domains for a claim beyond those that are rated, however many raters; None where domains do not differ."""
    panels: tuple[Panel, ...]
    by_domain: tuple[DomainNeed, ...]
    notes: tuple[str, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(printable_text_line(self.sentence), style="bold")
        anywhere = self.domains_needed is not None
        widths = {"raters": 6, "found within": 12, "wrong agent ahead": 17, "gap shown": 9}
        yield numbers_table(
            f"Simulated studies, true gap {number_text(self.gap, 2)}",
            widths | ({"in any domain": 13} if anywhere else {}),
            [_panel_row(panel, anywhere=anywhere) for panel in self.panels],
            options.max_width,
        )
        if self.by_domain:
            yield numbers_table(
                "Difference by domain",
                {"domain": 8, "raters": 6, "difference": 10, "95% interval": 16, "p, apart": 8},
                [
                    (
                        each.domain,
                        str(each.raters),
                        number_text(each.difference, 2, sign=True),
                        "[" + ", ".join(number_text(end, 2, sign=True) for end in each.interval) + "]",
                        number_text(each.p_value, 3),
                    )
                    for each in self.by_domain
                ],
                options.max_width,
            )
        parts = [f"{each.name} {number_text(getattr(self.spread, each.name), 2)}" for each in fields(self.spread)]
        yield dim_line(
            f"Standard deviations, {self.basis}: {', '.join(parts)}; each rates an agent "
            f"{'once' if self.each == 1 else plural_text(self.each, 'time')}."
        )
        yield from (dim_line(f"{note[:1].upper()}{note[1:]}.") for note in self.notes)


def _panel_row(panel: Panel, *, anywhere: bool) -> tuple[str, ...]:
    shares = [panel.wrong, panel.shown, *([panel.shown_anywhere] if anywhere else [])]
    texts = ["–" if share is None else f"{percent_text(share)}%" for share in shares]
    return f"{panel.raters:,}", f"±{number_text(panel.spread, 2)}", *texts


def read_rated(path: Path) -> list[Rated]:
    """The ratings of a table with `rater`, `agent` and `rating`, and `domain` where known; unrated rows are skipped.

    Raises:
        StatisticsError: a column is missing, or a rating is not a number.
        FormatError: it is no table.
    """
    found = []
    for where, row in table_rows(path):
        by_name = {str(name).strip().lower(): value for name, value in row.items()}
        given = {
            key: next((by_name[name] for name in names if name in by_name), None) for key, names in _COLUMNS.items()
        }
        if given["rating"] in (None, ""):
            continue
        missing = [key for key in ("rater", "agent") if given[key] in (None, "")]
        if missing:
            raise StatisticsError(f"{where}: no {missing[0]}; expected rater, agent and rating, and domain if known")
        try:
            value = float(str(given["rating"]))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise StatisticsError(f"{where}: the rating is {str(given['rating'])[:40]!r}; expected a number")
        found.append(Rated(str(given["rater"]), str(given["agent"]), str(given["domain"] or ""), value))
    return found


def declared_spread(text: str) -> RatingSpread:
    """Standard deviations from `taste=0.8,noise=0.9`.

    Raises:
        StatisticsError: a name is unknown, or a value is no such number.
    """
    known = [each.name for each in fields(RatingSpread)]
    values: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        try:
            values[name] = float(value)
        except ValueError:
            values[name] = math.nan
        if name not in known or not 0 <= values[name] < math.inf:
            raise StatisticsError(
                f"{part.strip()!r}: expected a file of ratings, or standard deviations of {all_of(known)}, as in "
                "'taste=0.8,noise=0.9'"
            )
    return RatingSpread(**values)


def declared_plan(
    spread: RatingSpread, *, gap: float, each: int = 1, domains: int = 1, demands: Demands | None = None, seed: int = 0
) -> RatersPlan:
    """Plan with declared standard deviations; each rater rates both agents.

    Args:
        spread: of what ratings are made of.
        gap: difference of the mean ratings to see, points of the scale.
        each: ratings of an agent by a rater.
        domains: over which raters are spread evenly.
        demands: level and power.
        seed: of the simulation.

    Raises:
        StatisticsError: there is no variance, or an argument is out of its range.
    """
    wanted = replace(demands or Demands(), method="t")
    if not gap > 0 or each < 1 or domains < 1:
        raise StatisticsError(f"expected a positive gap, ratings and domains; found {gap}, {each} and {domains}")
    if not spread.of_pair(each, "both") > 0:
        raise StatisticsError("ratings without taste and noise need one rater; declare at least one of the two")
    needed = _needed(spread.of_pair(each, "both"), gap, wanted)
    apart = _needed(spread.of_pair(each, "one"), gap, wanted)
    plan = RatersPlan(
        sentence="",
        basis="declared",
        agents=(),
        design="both",
        gap=gap,
        power=wanted.power,
        alpha=wanted.alpha_each,
        each=each,
        spread=spread,
        needed=needed,
        needed_interval=None,
        needed_one=None if apart is None else 2 * apart,
        domains=domains,
        domains_needed=_needed(spread.domain**2, gap, wanted) if spread.domain else None,
        panels=_panels(spread, gap, each, domains, "both", wanted.alpha_each, seed),
        by_domain=(),
        notes=(),
    )
    return replace(plan, sentence=_raters_sentence(plan))


def pilot_plan(
    rated: Sequence[Rated],
    agents: tuple[str, str],
    *,
    gap: float,
    each: int | None = None,
    domains: int | None = None,
    demands: Demands | None = None,
    seed: int = 0,
) -> RatersPlan:
    """Plan with the standard deviations of pilot ratings.

    Args:
        rated: the pilot's.
        agents: two of them.
        gap: difference of the mean ratings to see, points of the scale.
        each: ratings of an agent by a rater; as in the pilot, if nobody says.
        domains: over which raters are spread evenly; the pilot's, if nobody says.
        demands: level and power.
        seed: of the simulation.

    Raises:
        StatisticsError: fewer than five raters rated them, or all ratings are equal.
    """
    cells = _rating_cells(rated, agents)
    design: Design = "both" if cells.both.mean() >= _HALF else "one"
    used = cells.some_rows(cells.both) if design == "both" else cells
    raters = np.unique(used.rater).size
    if raters < _LEAST:
        raise StatisticsError(f"{raters} raters rated {all_of(agents)}; a pilot needs at least {_LEAST}")
    spread, notes = _estimated(used, design)
    each = each or max(1, round(float(used.counts[used.counts > 0].mean())))
    if not spread.of_pair(each, design) > 0:
        raise StatisticsError("all ratings of the pilot agree: it has no variance to plan with")
    by_domain = _by_domain(used) if design == "both" else ()
    count = domains or np.unique(used.domain).size
    plan = declared_plan(
        spread if design == "both" else replace(spread, noise=spread.noise or 1e-9),
        gap=gap, each=each, domains=count, demands=demands, seed=seed,
    )  # fmt: skip
    wanted = replace(demands or Demands(), method="t")
    if raters < _FEW:
        notes.append(f"a pilot of {raters} raters says little about how much raters differ")
    if design == "one":
        notes.append("each rater of the pilot rated one agent, so that taste is not known: it counts as level")
        panels = _panels(spread, gap, each, count, "one", wanted.alpha_each, seed)
        plan = replace(plan, needed=plan.needed_one, panels=panels)
    plan = replace(
        plan,
        basis="pilot",
        agents=tuple(agents),
        design=design,
        spread=spread,
        needed_interval=_resampled_needs(used, design, gap, each, wanted, seed),
        by_domain=by_domain,
        notes=tuple(notes),
    )
    return replace(plan, sentence=_raters_sentence(plan))


@dataclass(frozen=True, slots=True)
class _Cells:
    """The ratings of one rater in one domain, a row each; of both agents how many, their mean and squares."""

    rater: NDArray[np.int64]
    domain: NDArray[np.int64]
    domains: tuple[str, ...]
    counts: Floats
    """Shape (cells, 2), as are the next two."""
    means: Floats
    squares: Floats

    @property
    def both(self) -> NDArray[np.bool_]:
        return np.asarray(self.counts.min(axis=1) > 0)

    @property
    def differences(self) -> Floats:
        return np.asarray(self.means[:, 0] - self.means[:, 1])

    def some_rows(self, which: NDArray[np.generic]) -> "_Cells":
        """Some of them, by a mask or by their places."""
        return replace(
            self,
            rater=self.rater[which],
            domain=self.domain[which],
            counts=self.counts[which],
            means=self.means[which],
            squares=self.squares[which],
        )


def _rating_cells(rated: Sequence[Rated], agents: tuple[str, str]) -> _Cells:
    found: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for one in rated:
        if one.agent in agents:
            found.setdefault((one.rater, one.domain), ([], []))[agents.index(one.agent)].append(one.rating)
    for at, agent in enumerate(agents):
        if not any(sides[at] for sides in found.values()):
            known = all_of(sorted({one.agent for one in rated})) or "nobody"
            raise StatisticsError(f"no rating is of {agent!r}; the file rates {known}")
    raters, domains = (np.unique([key[at] for key in found], return_inverse=True) for at in (0, 1))
    sides = [[np.array(side) for side in both] for both in found.values()]
    means = np.array([[side.mean() if side.size else math.nan for side in both] for both in sides])
    squares = [[float(((side - side.mean()) ** 2).sum()) if side.size else 0.0 for side in both] for both in sides]
    counts = np.array([[side.size for side in both] for both in sides], dtype=np.float64)
    return _Cells(raters[1], domains[1], tuple(map(str, domains[0])), counts, means, np.array(squares))


def _estimated(cells: _Cells, design: Design) -> tuple[RatingSpread, list[str]]:
    """Standard deviations by moments, and what they leave out."""
    notes = []
    repeats = float(np.maximum(cells.counts - 1, 0).sum())
    noise = math.sqrt(float(cells.squares.sum()) / repeats) if repeats else 0.0
    if not repeats:
        notes.append("nobody rated an agent twice, so that noise is not known: it counts as taste or level")
    if design == "one":
        known = cells.counts > 0
        groups = np.unique((2 * cells.domain[:, None] + np.arange(2))[known], return_inverse=True)[1]
        within, _ = _layers(cells.means[known], groups)
        own = within - noise**2 * float((1 / cells.counts[known]).mean())
        return RatingSpread(level=math.sqrt(max(own, 0.0)), noise=noise), notes
    groups = np.unique(cells.domain, return_inverse=True)[1]
    taste, between = _layers(cells.differences, groups)
    level, _ = _layers(cells.means.mean(axis=1), groups)
    noisy = noise**2 * float((1 / cells.counts).sum(axis=1).mean())
    found = RatingSpread(
        level=math.sqrt(max(level - noisy / 4, 0.0)),
        taste=math.sqrt(max(taste - noisy, 0.0)),
        domain=math.sqrt(between),
        noise=noise,
    )
    return found, notes


def _layers(values: Floats, groups: NDArray[np.int64]) -> tuple[float, float]:
    """Variance within groups and between them, by moments of a one-way layout; at least 0."""
    sizes = np.bincount(groups).astype(np.float64)
    means = np.bincount(groups, values) / sizes
    freedom = values.size - sizes.size
    within = float(((values - means[groups]) ** 2).sum() / freedom) if freedom > 0 else math.nan
    if sizes.size < 2 or math.isnan(within):
        return within, 0.0
    mean_square = float((sizes * (means - values.mean()) ** 2).sum() / (sizes.size - 1))
    typical = (values.size - float((sizes**2).sum()) / values.size) / (sizes.size - 1)
    return within, max((mean_square - within) / typical, 0.0)


def _needed(variance: float, gap: float, demands: Demands) -> int | None:
    """Pairs of ratings of this variance that show the gap, by the t-test's own power; None above a million."""
    if demands.alpha_each <= 0 or variance / gap**2 > _MOST / 10:
        return None
    design = DesignVariance(variance, (0.0, 0.0), Estimand.NEW_QUESTIONS)
    return max(2, math.ceil(questions_needed(design, gap=gap, samples=(1, 1), demands=demands).questions))


def _resampled_needs(
    cells: _Cells, design: Design, gap: float, each: int, demands: Demands, seed: int
) -> tuple[int, int] | None:
    """95% interval of the raters that it takes, by resampling the pilot's raters."""
    rng, found = np.random.default_rng(seed), []
    order = np.argsort(cells.rater, kind="stable")
    _, starts, counts = np.unique(cells.rater[order], return_index=True, return_counts=True)
    z = replace(demands, method="normal").detectable_effect(math.inf)
    for _ in range(_RESAMPLES):
        drawn = rng.integers(starts.size, size=starts.size)
        places = np.repeat(starts[drawn], counts[drawn])
        steps = np.arange(places.size) - np.repeat(np.cumsum(counts[drawn]) - counts[drawn], counts[drawn])
        variance = _estimated(cells.some_rows(order[places + steps]), design)[0].of_pair(each, design)
        if math.isfinite(variance):
            found.append(variance * (z / gap) ** 2 * (2 if design == "one" else 1))
    if len(found) < _RESAMPLES / 2:
        return None
    low, high = np.quantile(found, [0.025, 0.975])
    return max(2, math.floor(low)), math.ceil(high)


def _panels(
    spread: RatingSpread, gap: float, each: int, domains: int, design: Design, alpha: float, seed: int
) -> tuple[Panel, ...]:
    rng = np.random.default_rng(seed)
    variance = spread.of_pair(each, design)
    return tuple(_panel(rng, size, variance, spread.domain, gap, domains, design, alpha) for size in SIZES)


def _panel(
    rng: np.random.Generator, raters: int, variance: float, domain: float, gap: float, domains: int, design: Design,
    alpha: float,
) -> Panel:  # fmt: skip
    """Studies with so many raters: means and variances of each domain are drawn, which is all that the tests use."""
    pairs = raters // 2 if design == "one" else raters
    among = min(domains, max(1, pairs // 2))
    sizes = np.full(among, pairs // among) + (np.arange(among) < pairs % among)
    own = rng.normal(0, 1, (_PANELS, among)) * np.sqrt(variance / sizes)
    squares = rng.chisquare(pairs - among, _PANELS) * variance / (pairs - among)
    here = gap + own.mean(axis=1)
    t = here / np.sqrt(squares * float((1 / sizes).sum()) / among**2)
    shown = t >= t_quantile(1 - alpha, pairs - among)
    anywhere, found = None, here
    if domain:
        means = gap + own + rng.normal(0, domain, (_PANELS, among))
        found = means.mean(axis=1)
        if among > 1:
            t = found / (means.std(axis=1, ddof=1) / math.sqrt(among))
            anywhere = float((t >= t_quantile(1 - alpha, among - 1)).mean())
        else:
            anywhere = 0.0
    low, high = np.quantile(found, [0.025, 0.975])
    return Panel(raters, float(high - low) / 2, float((found < 0).mean()), float(shown.mean()), anywhere)


def _by_domain(cells: _Cells) -> tuple[DomainNeed, ...]:
    places = np.unique(cells.domain)
    if places.size < 2:
        return ()
    differences = {cells.domains[at]: cells.differences[cells.domain == at] for at in places}
    middle = float(np.median([mine.mean() for mine in differences.values()]))
    found, ps = [], []
    for name, mine in differences.items():
        rest = np.concatenate([other for key, other in differences.items() if key != name])
        mean = float(mine.mean())
        if mine.size < 2:
            found.append(DomainNeed(name, mine.size, mean, (math.nan, math.nan), math.nan))
            ps.append(1.0)
            continue
        se, other = (float(part.std(ddof=1)) / math.sqrt(part.size) if part.size > 1 else 0.0 for part in (mine, rest))
        half, both = t_quantile(0.95, mine.size - 1) * se, math.hypot(se, other)
        ps.append(float(t_two_sided((mean - middle) / both, mine.size - 1)) if both else 1.0)
        found.append(DomainNeed(name, mine.size, mean, (mean - half, mean + half), ps[-1]))
    adjusted = holm_adjusted(np.array(ps))
    return tuple(replace(each, p_value=float(p)) for each, p in zip(found, adjusted, strict=True))


def _raters_sentence(plan: RatersPlan) -> str:
    gap, power = number_text(plan.gap, 2), f"{percent_text(plan.power, 0)}% power"
    how = "who rate both agents" if plan.design == "both" else "of whom each rates one agent"
    if plan.needed is None:
        return f"A gap of {gap} takes more than a million raters."
    text = f"To see a gap of {gap} with {power} you need {plural_text(plan.needed, 'rater')} {how}"
    if plan.needed_interval and plan.needed_interval[0] < plan.needed_interval[1]:
        low, high = plan.needed_interval
        text += f" (by the pilot's raters {low:,} to {high:,})"
    if plan.design == "both" and plan.needed_one is not None and plan.spread.level:
        text += f", or {plan.needed_one:,} of whom each rates one"
    text += "."
    if plan.domains_needed is not None:
        text += (
            f" That holds for the {plural_text(plan.domains, 'domain')} rated; to speak of others it takes raters in "
            f"at least {plural_text(plan.domains_needed, 'domain')}."
        )
    apart = [each.domain for each in plan.by_domain if each.p_value <= plan.alpha]
    if apart:
        text += (
            f" {all_of(apart)} {'differs' if len(apart) == 1 else 'differ'} from the rest: say nothing of all without."
        )
    return text
