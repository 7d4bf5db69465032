"""What the trials that are still to run will cost, as far as earlier ones of the same agents tell.

A trial is expected to cost what the study's trials of the same agent at the same task cost on average; where there are
none, what those of the agent at other tasks did. Of an agent without any trial nothing is known, and nothing is said:
another agent's cost tells nothing of it. Void trials are left out.

The range holds the sum with about 90%: `m` more trials after `n` with variance `s²` have a variance of `s² (m + m²/n)`,
the trials' own and that of the mean; `s²` is that within cells, or, for tasks that are new, over all of an agent's.
It is approximate (Student's t with Satterthwaite's degrees of freedom, while costs are skewed), and there is none where
nothing was tried twice.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from honestly.stats import t_quantile

_LEVEL = 0.9

Amounts = Mapping[tuple[str, str], Sequence[float]]
"""What was spent by each trial of a cell: agent and task."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """A sum that is not known yet."""

    total: float | None
    """Expected, for the trials of which something is known; None where nothing is known of any."""
    low: float | None
    high: float | None
    """Of a range that holds it with about 90%; None where the trials do not show how much they vary."""
    unknown: int
    """Trials of which nothing is known, which are not in it."""


def forecast(spent: Amounts, todo: Iterable[tuple[str, str]]) -> Forecast:
    """The sum over further trials.

    Args:
        spent: what earlier trials spent.
        todo: agent and task of each further trial.
    """
    more: dict[tuple[str, str], int] = defaultdict(int)
    whole: dict[str, list[float]] = defaultdict(list)
    for (agent, _), amounts in spent.items():
        whole[agent] += amounts
    unknown = 0
    for cell in todo:
        if spent.get(cell):
            more[cell] += 1
        elif whole.get(cell[0]):
            more[cell[0], ""] += 1
        else:
            unknown += 1
    if not more:
        return Forecast(None, None, None, unknown)
    total, within, certain = 0.0, _within(spent), True
    variances: dict[tuple[str, bool], tuple[float, int]] = {}
    for (agent, task), m in more.items():
        known = spent[agent, task] if task else whole[agent]
        n = len(known)
        total += m * sum(known) / n
        squared, degrees = within.get(agent, (0.0, 0)) if task else (_variance(known), n - 1)
        certain = certain and degrees > 0
        before, _ = variances.get((agent, bool(task)), (0.0, 0))
        variances[agent, bool(task)] = before + squared * (m + m * m / n), degrees
    half = _half(list(variances.values())) if certain else None
    return Forecast(
        total, None if half is None else max(0.0, total - half), None if half is None else total + half, unknown
    )


def _half(variances: Sequence[tuple[float, int]]) -> float:
    """Half the width of the range, from variances that add up, each with its degrees of freedom."""
    variance = sum(each for each, _ in variances)
    if not variance:
        return 0.0
    degrees = variance**2 / sum(each**2 / of for each, of in variances)
    return t_quantile(_LEVEL, degrees) * sqrt(variance)


def _within(spent: Amounts) -> dict[str, tuple[float, int]]:
    """The variance within cells and its degrees of freedom, by agent; absent where no cell was tried twice."""
    squares, degrees = defaultdict[str, float](float), defaultdict[str, int](int)
    for (agent, _), amounts in spent.items():
        if len(amounts) > 1:
            squares[agent] += (len(amounts) - 1) * _variance(amounts)
            degrees[agent] += len(amounts) - 1
    return {agent: (squares[agent] / degrees[agent], degrees[agent]) for agent in degrees}


def _variance(amounts: Sequence[float]) -> float:
    """Of a sample; 0 where there is one only."""
    mean = sum(amounts) / len(amounts)
    return sum((each - mean) ** 2 for each in amounts) / max(1, len(amounts) - 1)
