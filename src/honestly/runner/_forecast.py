"""The cost of the trials that are still to run, as far as earlier ones of the same agents tell.

A trial is expected to cost what the study's trials of the same agent at the same task cost on average; where there are
none, the mean over the tasks that the agent was tried at. Of an agent without any trial nothing is known, and nothing
is said: another agent's cost tells nothing of it. Void trials are left out.

The range is meant to hold the sum with 90%. `m` more trials of a cell after `n` with variance `s²` have a variance of
`s² (m + m²/n)`, the trials' own and that of the mean, `s²` being that within all cells of the agent. `m` trials at a
new task cost `m` times that task's own mean, so they have `b (m² + m²/T)` where the means of `T` tasks vary by `b`, and
all new tasks share the second part. Student's t, with Satterthwaite's degrees of freedom. There is no range where
nothing was tried twice. Costs are skewed, so that it holds somewhat less than that (`tests/runner/test_forecast.py`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, variance

from honestly.stats import t_quantile

_LEVEL = 0.9

Amounts = Mapping[tuple[str, str], Sequence[float]]
"""What was spent by each trial of a cell: agent and task."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """A forecast with its range."""

    total: float | None
    """Expected, for the trials of which something is known; None where nothing is known of any."""
    low: float | None
    high: float | None
    """Of a range that holds it with about 90%; None where the trials do not show how much they vary."""
    unknown: int
    """Trials of which nothing is known, which are not in it."""


def cost_forecast(spent: Amounts, todo: Iterable[tuple[str, str]]) -> Forecast:
    """The forecast cost of further trials.

    Args:
        spent: what earlier trials spent.
        todo: agent and task of each further trial.
    """
    more, new = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    means: dict[str, list[float]] = defaultdict(list)
    for (agent, _), amounts in spent.items():
        if amounts:
            means[agent].append(fmean(amounts))
    unknown = 0
    for cell in todo:
        if spent.get(cell):
            more[cell] += 1
        elif cell[0] in means:
            new[cell] += 1
        else:
            unknown += 1
    if not more and not new:
        return Forecast(None, None, None, unknown)
    total = sum(m * fmean(spent[cell]) for cell, m in more.items())
    total += sum(m * fmean(means[agent]) for (agent, _), m in new.items())
    variances = [*_of_cells(spent, more), *_of_new(means, new)]
    if any(degrees < 1 for _, degrees in variances):
        return Forecast(total, None, None, unknown)
    # Half the width of the range, from variances that add up, each with its degrees of freedom.
    whole = sum(each for each, _ in variances)
    if not whole:
        half = 0.0
    else:
        degrees = whole**2 / sum(each**2 / of for each, of in variances)
        half = t_quantile(_LEVEL, degrees) * sqrt(whole)
    return Forecast(total, max(0.0, total - half), total + half, unknown)


def _of_cells(spent: Amounts, more: Mapping[tuple[str, str], int]) -> Iterator[tuple[float, int]]:
    """The variance of the sum over further trials of known cells, and its degrees of freedom, for each agent."""
    for agent in {agent for agent, _ in more}:
        within = [amounts for (name, _), amounts in spent.items() if name == agent and len(amounts) > 1]
        degrees = sum(len(amounts) - 1 for amounts in within)
        squared = sum((len(amounts) - 1) * variance(amounts) for amounts in within) / max(1, degrees)
        scale = sum(m + m * m / len(spent[cell]) for cell, m in more.items() if cell[0] == agent)
        yield squared * scale, degrees


def _of_new(means: Mapping[str, Sequence[float]], new: Mapping[tuple[str, str], int]) -> Iterator[tuple[float, int]]:
    """The same over trials at tasks that the agent was not tried at."""
    for agent in {agent for agent, _ in new}:
        each, trials = means[agent], [m for cell, m in new.items() if cell[0] == agent]
        between = variance(each) if len(each) > 1 else 0.0
        yield between * (sum(m * m for m in trials) + sum(trials) ** 2 / len(each)), len(each) - 1
