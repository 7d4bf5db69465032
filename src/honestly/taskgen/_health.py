"""Which tasks are worth running? Each judged by what agents did on it, with the uncertainty of the judgement.

- `broken`: its validity record says that verdicts on it are wrong.
- `nobody passes`, `saturated`: the whole 95% interval of the pass rate lies below 5%, or above 90%.
- `suspect`: better agents do worse: the interval of the item-rest correlation lies below 0, at a level that is divided
  by the number of tasks (Bonferroni).
- `redundant`: over the agents it goes with another task almost perfectly: the interval of their correlation lies above
  0.9, at a level divided by the number of pairs, where at least four agents are above and below the middle of each. Of
  such a pair the later one is called so.
- `contaminated`: a canary string stands in a trajectory; or a good share of the passing trials never read a file; or a
  perturbed twin is solved less often, by an interval of the difference.
- `worth running`, `usable`: the rate is between 5 and 30%, or another one.
- `cannot tell`: the interval is wider than 50 points, or holds 0 and more than 5%. It is no reason to drop a task.

Correlations are over agents, with Fisher's z: agents are taken for a sample, and for independent, which those with one
model are not. Fewer than eight agents tell nothing about a correlation.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from honestly.stats import ResolvedScores, item_quality, question_difficulty, wilson_interval

Judgement = Literal[
    "worth running",
    "usable",
    "cannot tell",
    "saturated",
    "nobody passes",
    "suspect",
    "redundant",
    "contaminated",
    "broken",
]
DROPPED: tuple[Judgement, ...] = ("broken", "saturated", "nobody passes", "suspect", "redundant", "contaminated")
NEVER, ALWAYS, WIDE, ALIKE = 0.05, 0.9, 0.5, 0.9
_SWEET = (0.05, 0.30)
_FEW_AGENTS, _FEW_TRIALS, _UNREAD = 8, 5, 0.2
_LEVEL = 0.95
_EDGE = 1e-9
Interval = tuple[float, float]
_BROKEN: tuple[Judgement, str] = ("broken", "its validity record says that verdicts on it are wrong")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """The evidence in trajectories of passing trials at a task."""

    read: int = 0
    """Passing trials whose steps could be read."""
    blind: int = 0
    """Of those, the ones in which no step read a file."""
    canaries: int = 0
    """Trials in which a canary string stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskJudgement:
    """One task: worth running or not, and how sure that is."""

    task: str
    judgement: Judgement
    why: str
    rate: float | None
    interval: Interval | None
    """Wilson's, 95%."""
    trials: int
    item_rest: float | None
    item_rest_interval: Interval | None
    """Fisher's, 95%, over agents; None with fewer than eight."""
    traces: Traces = field(default_factory=Traces)

    @property
    def keep(self) -> bool:
        """Whether a study should run it."""
        return self.judgement not in DROPPED


def judged_tasks(
    resolved: ResolvedScores,
    *,
    validity: Mapping[str, str] | None = None,
    traces: Mapping[str, Traces] | None = None,
    twins: Mapping[str, str] | None = None,
) -> list[TaskJudgement]:
    """Judge every task.

    Args:
        resolved: the scores.
        validity: what the validity record of each task says, as far as there are any.
        traces: what was seen in trajectories.
        twins: perturbed twins among the tasks: the id of each, and of the task that it was made from.
    """
    hard = question_difficulty(resolved, level=_LEVEL)
    rest = _item_rest(resolved)
    alike = _redundant_tasks(resolved)
    falls = _contaminated_tasks(hard.questions, hard.rate, resolved, twins or {})
    found = []
    for at, task in enumerate(resolved.questions):
        known = bool(np.isfinite(hard.rate[at]))
        rate = float(hard.rate[at]) if known else None
        ends = (float(hard.low[at]), float(hard.high[at])) if known else None
        seen = (traces or {}).get(task, Traces())
        suspect = rest[at] is not None and _fisher_interval(
            rest[at], _agent_count(resolved, at), _LEVEL, len(resolved.questions)
        )
        hints = _Hints(falls.get(task, ""), seen, bool(suspect and suspect[1] < 0), alike.get(task, ""))
        record = (validity or {}).get(task, "")
        kind, why = _BROKEN if record.startswith("broken") else _task_judgement(rate, ends, hints, record)
        found.append(
            TaskJudgement(
                task=task, judgement=kind, why=why, rate=rate, interval=ends, trials=int(resolved.n[:, at].sum()),
                item_rest=rest[at], item_rest_interval=_fisher_interval(rest[at], _agent_count(resolved, at), _LEVEL,
                1), traces=seen,
            )
        )  # fmt: skip
    return found


@dataclass(frozen=True, slots=True)
class _Hints:
    fall: str
    traces: Traces
    negative: bool
    like: str


def _task_judgement(rate: float | None, ends: Interval | None, hints: _Hints, validity: str) -> tuple[Judgement, str]:
    if rate is None or ends is None:
        return "cannot tell", "no trial counts"
    if hints.traces.canaries:
        return "contaminated", f"a canary string stands in {hints.traces.canaries} trajectories"
    if hints.fall:
        return "contaminated", hints.fall
    seen = hints.traces
    if seen.read >= _FEW_TRIALS and float(wilson_interval(seen.blind, seen.read)[0]) > _UNREAD:
        return "contaminated", f"{seen.blind} of {seen.read} passing trials read no file"
    if ends[1] <= NEVER:
        if validity.startswith("sound"):
            return "nobody passes", "its reference is proved: too hard today"
        return "nobody passes", "its reference is not proved: broken, or too hard (honestly task certify)"
    if ends[0] >= ALWAYS:
        return "saturated", "the lower end of its pass rate is above 90%"
    if hints.negative:
        return "suspect", "better agents do worse on it: a wrong reference or a broken check?"
    if hints.like:
        return "redundant", f"agents do on it as on {hints.like}"
    if ends[1] - ends[0] > WIDE or (rate <= _EDGE and ends[1] > NEVER):
        return "cannot tell", "too few trials"
    if _SWEET[0] - _EDGE <= rate <= _SWEET[1] + _EDGE:
        sure = ends[0] >= _SWEET[0] and ends[1] <= _SWEET[1]
        return "worth running", "between 5 and 30%" + ("" if sure else ", as far as so few trials tell")
    return "usable", "above 30%" if rate > _SWEET[1] else "below 5%"


def _agent_count(resolved: ResolvedScores, at: int) -> int:
    return int((resolved.n[:, at] > 0).sum())


def _item_rest(resolved: ResolvedScores) -> list[float | None]:
    if len(resolved.agents) < 3 or len(resolved.questions) < 2:
        return [None] * len(resolved.questions)
    return [float(value) if np.isfinite(value) else None for value in item_quality(resolved).item_rest]


def _fisher_interval(r: float | None, agents: int, level: float, family: int) -> Interval | None:
    """Fisher's interval (1921) of a correlation over `agents`, at a level that `family` intervals share."""
    if r is None or agents < _FEW_AGENTS:
        return None
    reach = NormalDist().inv_cdf(1 - (1 - level) / (2 * family)) / math.sqrt(agents - 3)
    centre = math.atanh(max(min(r, 1 - 1e-12), -1 + 1e-12))
    return math.tanh(centre - reach), math.tanh(centre + reach)


def _redundant_tasks(resolved: ResolvedScores) -> dict[str, str]:
    """Tasks that go with an earlier one almost perfectly."""
    present = (resolved.n > 0).all(axis=1)
    scores: NDArray[np.float64] = resolved.mean[present]
    count = scores.shape[1]
    if present.sum() < _FEW_AGENTS or count < 2:
        return {}
    spread = scores.std(axis=0)
    centre = scores.mean(axis=0)
    moving = np.minimum((scores > centre).sum(axis=0), (scores < centre).sum(axis=0)) >= _FEW_AGENTS // 2
    scaled = np.where(moving, (scores - scores.mean(axis=0)) / np.where(moving, spread, 1.0), 0.0)
    together = scaled.T @ scaled / len(scores)
    found: dict[str, str] = {}
    for at in range(count):
        for before in range(at):
            ends = _fisher_interval(float(together[before, at]), int(present.sum()), _LEVEL, count * (count - 1) // 2)
            name = resolved.questions[before]
            if moving[at] and moving[before] and ends is not None and ends[0] > ALIKE and name not in found:
                found[resolved.questions[at]] = name
                break
    return found


def _contaminated_tasks(
    names: Sequence[str], rate: NDArray[np.float64], resolved: ResolvedScores, twins: Mapping[str, str]
) -> dict[str, str]:
    """Tasks that are solved more often than their perturbed twin (Newcombe's interval, 1998, for the difference)."""
    place = {name: at for at, name in enumerate(names)}
    found = {}
    for twin, original in twins.items():
        if twin not in place or original not in place:
            continue
        ends = []
        for at in (place[original], place[twin]):
            n = float(resolved.n[:, at].sum())
            low, high = wilson_interval(float(rate[at]) * n, n, _LEVEL)
            ends.append((float(rate[at]), float(low), float(high)))
        (p, low_p, _), (q, _, high_q) = ends
        least = p - q - math.hypot(p - low_p, high_q - q)
        if least > 0:
            found[original] = f"its perturbed twin {twin} is solved {100 * (p - q):.0f} points less often"
    return found
