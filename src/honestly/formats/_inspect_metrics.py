"""Inspect's own metrics of a log, taken again: means and standard errors, samples dropped, intervals outside.

Means are those of the scored samples, or of the tasks' means, which differ where epochs were lost. A standard error is
that of the means of the tasks. Metrics under another reducer than the mean, and those of clusters, are somebody else's.
"""

import math
import re
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from honestly._loose import nested_dict
from honestly.formats._imported import number_of, storable_text
from honestly.formats._sources import Item, noted_defect
from honestly.records import Defect

# Metrics that differ by less are the same.
_CLOSE = 1e-6
_MEANS = {"accuracy", "mean"}
_BOUND = re.compile(r"lower|upper|\bci", re.IGNORECASE)

Scored = Sequence[tuple[str, float | None]]
"""Task and value of each sample; None where it has no share of 1."""


def odd_metrics(where: str, score: Mapping[str, object], scored: Scored, everyone: int) -> Iterator[Item]:
    """Defects where a scorer's metrics disagree with its samples."""
    name = storable_text(score.get("name") or "")
    ours = _has_our_reducer(score)
    for metric, said in nested_dict(score, "metrics").items():
        claimed, params = nested_dict(said).get("value"), nested_dict(said).get("params")
        if isinstance(claimed, bool) or not isinstance(claimed, int | float) or not math.isfinite(claimed):
            continue
        label = f"{name}/{storable_text(metric)}"
        if _BOUND.search(metric) and not 0 <= claimed <= 1 and all(value is not None for _, value in scored):
            yield noted_defect(where, "interval beyond [0, 1]", f"{label} is {claimed:g}; a share cannot be")
        elif ours and metric in {*_MEANS, "stderr"} and not nested_dict(params).get("cluster"):
            yield from _mean_mismatch(where, label, metric, float(claimed), scored, everyone)


def own_metrics(where: str, name: str, scores: Sequence[Mapping[str, object]], scored: Scored) -> Iterator[Item]:
    """A defect where a scorer has no mean among its metrics, so that what is counted here is not the log's figure."""
    claimed: dict[str, float] = {}
    for score in scores:
        for metric, said in nested_dict(score, "metrics").items() if score.get("name") == name else ():
            value = number_of(nested_dict(said).get("value"))
            if _has_our_reducer(score) and metric in _MEANS:
                return
            if value is not None and not _BOUND.search(metric) and "std" not in metric:
                claimed[storable_text(metric)] = value
    known = [value for _, value in scored if value is not None]
    mean = statistics.fmean(known) if known else math.nan
    if claimed and not any(abs(value - mean) <= _CLOSE for value in claimed.values()):
        figures = ", ".join(f"{metric} {value:g}" for metric, value in claimed.items())
        detail = f"{storable_text(name)}: {figures[:200]} in the log; here {mean:g}, the mean of {len(known)} samples"
        yield noted_defect(where, "metric of its own", detail)


def _has_our_reducer(score: Mapping[str, object]) -> bool:
    return score.get("reducer") in (None, "", "mean")


def _mean_mismatch(
    where: str, label: str, metric: str, claimed: float, scored: Scored, everyone: int
) -> Iterator[Defect]:
    tasks: dict[str, list[float]] = defaultdict(list)
    for task, value in scored:
        if value is not None:
            tasks[task].append(value)
    count = sum(map(len, tasks.values()))
    if not count:
        yield noted_defect(where, "metric not taken again", f"{label} {claimed:g}: no scored sample is in the file")
        return
    means = [statistics.fmean(values) for values in tasks.values()]
    if metric == "stderr":
        found = statistics.stdev(means) / math.sqrt(len(means)) if len(means) > 1 else 0.0
        if abs(found - claimed) > _CLOSE:
            yield noted_defect(
                where, "metric differs", f"{label} is {claimed:g} in the log, {found:g} over its samples"
            )
        elif claimed == 0 and len(means) > 1:
            yield noted_defect(
                where, "standard error of 0", f"{label}: all {len(means)} tasks ended alike, which is not certainty"
            )
        return
    total = math.fsum(value for values in tasks.values() for value in values)
    if min(abs(total / count - claimed), abs(statistics.fmean(means) - claimed)) > _CLOSE:
        detail = f"{label} is {claimed:g} in the log, {total / count:g} over its {count} scored samples"
        yield noted_defect(where, "metric differs", detail)
    elif count != everyone:
        detail = f"{label} {claimed:g} is over {count} of {everyone} samples; over all {total / everyone:g}"
        yield noted_defect(where, "samples dropped by a metric", detail)
