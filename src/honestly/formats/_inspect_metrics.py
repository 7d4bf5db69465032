"""Inspect's own metrics of a log, taken again: means and standard errors, samples dropped, intervals outside.

Epochs of a task are reduced as the log says. Means are those of the tasks, or of all scored samples, which differ where
epochs were lost. A standard error is that of the tasks. Metrics under a reducer of the log's own, and those
of clusters, are somebody else's.
"""

import math
import re
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from honestly._loose import nested_dict
from honestly.formats._imported import figure_defects, number_of, pass_share, storable_text
from honestly.formats._sources import Item, noted_defect
from honestly.formats._table_cells import finite_number
from honestly.records import Defect

# Metrics that differ by less are the same.
_CLOSE = 1e-6
_MEANS = {"accuracy", "mean"}
_WITH_K = re.compile(r"(at_least|pass_at)_(\d+)")
_REDUCERS: dict[str, Callable[[Sequence[float]], float]] = {
    "": statistics.fmean,
    "mean": statistics.fmean,
    "median": statistics.median,
    "mode": statistics.mode,
    "max": max,
}
_BOUND = re.compile(r"lower|upper|\bci", re.IGNORECASE)

Scored = Sequence[tuple[str, float | None]]
"""Task and value of each sample; None where it has no share of 1."""


def odd_metrics(where: str, score: Mapping[str, object], scored: Scored, everyone: int) -> Iterator[Item]:
    """Defects where a scorer's metrics disagree with its samples."""
    name = storable_text(score.get("name") or "")
    reduced = _reducer_of(score)
    for metric, said in nested_dict(score, "metrics").items():
        claimed, params = nested_dict(said).get("value"), nested_dict(said).get("params")
        if isinstance(claimed, bool) or not isinstance(claimed, int | float) or not math.isfinite(claimed):
            continue
        label = f"{name}/{storable_text(metric)}"
        if _BOUND.search(metric) and not 0 <= claimed <= 1 and all(value is not None for _, value in scored):
            yield noted_defect(where, "interval beyond [0, 1]", f"{label} is {claimed:g}; a share cannot be")
        elif reduced and metric in {*_MEANS, "stderr"} and not nested_dict(params).get("cluster"):
            tasks: dict[str, list[float]] = defaultdict(list)
            for task, value in scored:
                if value is not None:
                    tasks[task].append(value)
            yield from _mean_mismatch(where, label, float(claimed), list(tasks.values()), reduced, everyone)


def is_beyond_shares(score: Mapping[str, object]) -> bool:
    """Whether a scorer's mean says that its numbers are on another scale than 0 to 1: then a 1 is no pass."""
    means = (finite_number(str(nested_dict(score, "metrics", each).get("value"))) for each in _MEANS)
    return any(mean is not None and not 0 <= mean <= 1 for mean in means)


def own_metrics(where: str, name: str, scores: Sequence[Mapping[str, object]], scored: Scored) -> Iterator[Item]:
    """A defect where a scorer has no mean among its metrics, so that what is counted here is not the log's figure."""
    claimed: dict[str, float] = {}
    for score in scores:
        for metric, said in nested_dict(score, "metrics").items() if score.get("name") == name else ():
            value = number_of(nested_dict(said).get("value"))
            if score.get("reducer") in (None, "", "mean") and metric in _MEANS:
                return
            if value is not None and not _BOUND.search(metric) and "std" not in metric:
                claimed[storable_text(metric)] = value
    known = [value for _, value in scored if value is not None]
    mean = statistics.fmean(known) if known else math.nan
    if claimed and not any(abs(value - mean) <= _CLOSE for value in claimed.values()):
        figures = ", ".join(f"{metric} {value:g}" for metric, value in claimed.items())
        detail = f"{storable_text(name)}: {figures[:200]} in the log; here {mean:g}, the mean of {len(known)} samples"
        yield noted_defect(where, "metric of its own", detail)


def _reducer_of(score: Mapping[str, object]) -> Callable[[Sequence[float]], float] | None:
    """How Inspect makes one score of a task's epochs; None for a reducer that is not its own."""
    name = storable_text(score.get("reducer") or "")
    if (with_k := _WITH_K.fullmatch(name)) is None:
        return _REDUCERS.get(name)
    k = int(with_k[2])

    def reduced(values: Sequence[float]) -> float:
        passed, total = sum(value >= 1 for value in values), len(values)
        if with_k[1] == "at_least":
            return float(passed >= k)
        return pass_share(passed, total, k) if k <= total else math.nan

    return reduced


def _mean_mismatch(
    where: str,
    label: str,
    claimed: float,
    tasks: Sequence[Sequence[float]],
    reduced: Callable[[Sequence[float]], float],
    everyone: int,
) -> Iterator[Defect]:
    count = sum(map(len, tasks))
    if not count:
        yield noted_defect(where, "metric not taken again", f"{label} {claimed:g}: no scored sample is in the file")
        return
    each, over = [reduced(values) for values in tasks], f"its {count} scored samples"
    mean = statistics.fmean(each)
    if label.endswith("/stderr"):
        error = statistics.stdev(each) / math.sqrt(len(each)) if len(each) > 1 else 0.0
        differs = list(figure_defects(where, label, claimed, error, over))
        if not differs and claimed == 0 and len(each) > 1:
            yield noted_defect(
                where, "standard error of 0", f"{label}: all {len(each)} tasks ended alike, which is not certainty"
            )
    else:
        total = math.fsum(value for values in tasks for value in values)
        flat = total / count if reduced is statistics.fmean else mean
        differs = list(figure_defects(where, label, claimed, min(mean, flat, key=lambda one: abs(one - claimed)), over))
        if not differs and count != everyone and reduced is statistics.fmean:
            detail = f"{label} {claimed:g} is over {count} of {everyone} samples; over all {total / everyone:g}"
            yield noted_defect(where, "samples dropped by a metric", detail)
    yield from differs
