"""Our statistics as metrics of Inspect.

A question is a sample id, its epochs are its samples; so a score is the mean over questions, with an error bar for new
questions of this kind. Metrics see epochs only where they are not reduced (`--no-epochs-reducer`); of reduced scores,
of graded ones and of fewer than k epochs pass@k and pass^k are NaN. `cluster` names the key of the samples' metadata
that says which questions belong together.

Inspect gives a metric only samples that were scored: those with an error are missing here, unless `--score-on-error`
is given. `honestly report LOG` counts them.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, metric, value_to_float

from honestly.errors import StatisticsError
from honestly.stats import PassEstimate, Policy, ResolvedScores, ScoreEstimate, Scores, pass_all_k, pass_at_k, score

_AGENT = "model"


def _resolved_scores(scores: Sequence[SampleScore], cluster: str | None) -> ResolvedScores:
    to_float = value_to_float()
    seen: Counter[str] = Counter()
    rows: list[tuple[object, ...]] = []
    for number, each in enumerate(scores):
        question = f"sample {number}" if each.sample_id is None else str(each.sample_id)
        row = (_AGENT, question, seen[question], to_float(each.score.value))
        seen[question] += 1
        if cluster is not None:
            if (told := (each.sample_metadata or {}).get(cluster)) is None:
                raise StatisticsError(
                    f"sample {question} has no {cluster!r} in its metadata, by which to cluster; "
                    "add it to every sample, or name another key"
                )
            row = (*row, str(told))  # type: ignore[assignment]
        rows.append(row)
    return Scores.from_rows(rows).resolve(Policy(limit="fail", void="fail", missing="drop"))


def _scored_metric(
    cluster: str | None, pick: Callable[[ScoreEstimate], Any], level: float = 0.95, none: object = math.nan
) -> Metric:
    def picked_value(scores: list[SampleScore]) -> Any:  # noqa: ANN401 - a Value; Inspect reads what it is given off the types
        return pick(score(_resolved_scores(scores, cluster), _AGENT, level=level)) if scores else none

    return picked_value


@metric
def honest_mean() -> Metric:
    """Mean over questions of the mean over their epochs; never the pooled samples."""
    return _scored_metric(None, lambda found: found.mean)


@metric
def honest_stderr(cluster: str | None = None) -> Metric:
    """Its standard error, for new questions of this kind; NaN, never 0, where it cannot be estimated.

    Args:
        cluster: The key of the metadata that says which questions belong together (CR2).
    """
    return _scored_metric(cluster, lambda found: found.se)


@metric
def honest_interval(level: float = 0.95, cluster: str | None = None) -> Metric:
    """Its confidence interval, inside [0, 1], as `honest_lower` and `honest_upper`.

    Args:
        level: Coverage.
        cluster: As for `honest_stderr`.
    """
    names = ("honest_lower", "honest_upper")
    none = dict.fromkeys(names, math.nan)
    return _scored_metric(cluster, lambda found: dict(zip(names, found.interval, strict=True)), level, none)


def _pass_metric(estimate: Callable[..., PassEstimate], name: str, k: int, level: float, cluster: str | None) -> Metric:
    def pass_rates(scores: list[SampleScore]) -> dict[str, float]:
        names = (name, f"{name}_lower", f"{name}_upper")
        resolved = _resolved_scores(scores, cluster) if scores else None
        if resolved is None or (resolved.n < k).any() or not resolved.binary:
            return dict.fromkeys(names, math.nan)  # Inspect asks while it runs, too, when epochs are still missing
        passed = estimate(resolved, _AGENT, k, level=level)
        return dict(zip(names, (passed.value, *passed.interval), strict=True))

    return pass_rates


@metric
def honest_pass_at(k: int, level: float = 0.95, cluster: str | None = None) -> Metric:
    """pass@k without bias, with its interval: `pass_at_K`, `pass_at_K_lower`, `pass_at_K_upper`; needs k epochs.

    Args:
        k: Samples of which at least one passes.
        level: Coverage of the interval.
        cluster: As for `honest_stderr`.
    """
    return _pass_metric(pass_at_k, f"pass_at_{k}", k, level, cluster)


@metric
def honest_pass_all(k: int, level: float = 0.95, cluster: str | None = None) -> Metric:
    """pass^k without bias, with its interval: `pass_all_K`, `pass_all_K_lower`, `pass_all_K_upper`; needs k epochs.

    Args:
        k: Samples that all pass.
        level: Coverage of the interval.
        cluster: As for `honest_stderr`.
    """
    return _pass_metric(pass_all_k, f"pass_all_{k}", k, level, cluster)
