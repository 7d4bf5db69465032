"""A verifier: which of several tries is best, learned from trajectories alone, and what choosing by it is worth.

What it sees of a trial: how long it was, what was done and with what result, the words of the last message, hashed.
Never a verdict, a visible test as we judged it, or a finding. It is fitted on half of the families of tasks, and
measured on the others alone: with folds in turn, errors would not be independent. Best@k is the share of tasks solved
if the best-scored of k tries is taken, Pass@k if any of k passes; both are exact means over all subsets of k tries,
tries with equal scores being drawn from alike. Intervals take families as clusters.

Not covered: trajectories whose steps are not kept (they are counted), and choice between agents.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderableType

from honestly.errors import StatisticsError
from honestly.records import Outcome, Step
from honestly.show import Shown, dim_line, interval_text, numbers_table, percent_text
from honestly.stats import clustered_mean, ridge_fit, t_interval
from honestly.store import Store
from honestly.train._training_rows import family_of

Floats = NDArray[np.float64]
TryPredictor = Literal["ridge", "forest"]
_WORDS = 64


@dataclass(frozen=True, slots=True)
class ScoredTry:
    """One trial: agent, task, family, hidden verdict and features."""

    agent: str
    task: str
    family: str
    passed: bool
    """Its hidden checks."""
    features: Sequence[float]
    """What a verifier may see, as numbers; as many for each try."""


@dataclass(frozen=True, slots=True)
class BestOfK:
    """The gain from choosing the best of k tries."""

    k: int
    best: float
    """Best@k: the one that the verifier scores highest."""
    best_interval: tuple[float, float]
    any: float
    """Pass@k: what a perfect verifier would reach."""
    any_interval: tuple[float, float]
    gain: float
    """Best@k minus a try drawn at random (Pass@1), of the same tasks."""
    gain_interval: tuple[float, float]
    cells: int
    """Tasks with at least k tries of one agent."""


@dataclass(frozen=True, slots=True, repr=False)
class VerifierReport(Shown):
    """How good a verifier is on families that it did not see."""

    predictor: TryPredictor
    tries: int
    families: int
    """On which it is measured."""
    fitted_on: int
    """Tries of the other half of the families."""
    auroc: float
    """Chance that it ranks a pass above a failure of the same task; NaN where no task has both."""
    curve: tuple[BestOfK, ...]
    left_out: Mapping[str, int]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        widths = {"k": 3, "Best@k": 6, "95%": 13, "Pass@k": 6, "95% ": 13, "over Pass@1": 15, "tasks": 5}
        rows = [
            (str(each.k), percent_text(each.best), interval_text(*each.best_interval), percent_text(each.any),
             interval_text(*each.any_interval), interval_text(*each.gain_interval, signed=True), str(each.cells))
            for each in self.curve
        ]  # fmt: skip
        yield numbers_table("One of k tries, chosen by the verifier", widths, rows, options.max_width)
        of = f"{self.tries} tries of {self.families} families, fitted on {self.fitted_on} of others"
        yield f"AUROC within tasks {self.auroc:.2f}; {of}."
        for reason, count in self.left_out.items():
            yield dim_line(f"left out: {count}: {reason}")


def scored_tries(study: Store) -> tuple[list[ScoredTry], Counter[str]]:
    """The trials of a study that a verifier can learn from, and why others are left out."""
    found, left_out = [], Counter[str]()
    for task in study.tasks():
        for trial in study.trials(task=task.id):
            steps = list(study.steps(trial.id))
            if trial.outcome is Outcome.VOID:
                left_out["it is void"] += 1
            elif trial.verdict.honest is None:
                left_out["its hidden checks are not known"] += 1
            elif not any(step.source == "agent" for step in steps):
                left_out["it shows no steps of the agent"] += 1
            else:
                passed = trial.outcome is Outcome.PASSED
                found.append(ScoredTry(trial.agent, task.id, family_of(task), passed, trajectory_features(steps)))
    return found, left_out


def trajectory_features(steps: Iterable[Step]) -> list[float]:
    """Lengths, calls, failures and repeats of a trajectory, and hashed words of its last message and calls."""
    own = [step for step in steps if step.source == "agent" and not step.copied]
    calls = [call for step in own for call in step.calls]
    said = ["\0".join(map(str, (call.name, sorted(call.arguments.items())))) for call in calls]
    shown = [seen.text for step in own for seen in step.observations]
    bad = sum(any(word in text for word in ("Traceback", "Error", "FAILED", "exit code 1")) for text in shown)
    good = sum(any(word in text for word in ("passed", "OK")) for text in shown)
    numbers = [len(own), len(calls), sum(map(len, said)), sum(map(len, shown)), bad, good, len(said) - len(set(said))]
    numbers += [len(own[-1].message), sum(len(step.reasoning) for step in own)] if own else [0, 0]
    last = shown[-1] if shown else ""
    words = np.zeros(_WORDS)
    for word in f"{own[-1].message if own else ''} {last[-2000:]} {said[-1][:2000] if said else ''}".lower().split():
        digest = blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
        words[int.from_bytes(digest) % _WORDS] += 1
    return [*map(math.log1p, numbers), *np.log1p(words).tolist()]


def verifier_report(
    tries: Sequence[ScoredTry],
    left_out: Mapping[str, int] | None = None,
    predictor: TryPredictor = "ridge",
    seed: int = 0,
) -> VerifierReport:
    """How good a verifier is on the half of the families that it was not fitted on.

    Raises:
        StatisticsError: fewer than ten families, tries that are all alike, or scikit-learn is not there.
    """
    y = np.array([each.passed for each in tries], dtype=np.float64)
    families = sorted({each.family for each in tries}, key=lambda name: blake2b(f"{seed}\0{name}".encode()).digest())
    fitted = set(families[: len(families) // 2])
    own = np.array([each.family in fitted for each in tries])
    if len(families) < 10 or not 0 < y[own].mean() < 1:
        raise StatisticsError(
            f"{len(tries)} tries of {len(families)} families, {int(y.sum())} passed; a verifier needs ten families, "
            "and both passes and failures in each half of them"
        )
    x = np.array([each.features for each in tries])
    scores = _fitter(predictor, seed)(x[own], y[own])(x)
    cells: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at in np.flatnonzero(~own).tolist():
        cells[tries[at].agent, tries[at].task].append(at)
    of_family = {name: at for at, name in enumerate(families[len(fitted) :])}
    where = np.array([of_family[tries[members[0]].family] for members in cells.values()])
    largest = max(map(len, cells.values()))
    better, pairs = (sum(each) for each in zip(*(_ranked_pairs(scores[m], y[m]) for m in cells.values()), strict=True))
    return VerifierReport(
        predictor=predictor,
        tries=int((~own).sum()),
        families=len(of_family),
        fitted_on=int(own.sum()),
        auroc=better / pairs if pairs else math.nan,
        curve=tuple(
            _best_of(k, [(scores[m], y[m]) for m in cells.values()], where)
            for k in (1, 2, 4, 8, 16, 32, 64)
            if k <= largest
        ),
        left_out=dict(left_out or {}),
    )


def _fitter(predictor: TryPredictor, seed: int) -> Callable[[NDArray[Any], Floats], Callable[[NDArray[Any]], Floats]]:
    if predictor == "ridge":
        return ridge_fit
    try:
        from sklearn.ensemble import RandomForestRegressor  # type: ignore[import-untyped]
    except ImportError as error:
        raise StatisticsError("a forest needs scikit-learn: pip install 'honestly[classifier]'") from error

    def fit(x: NDArray[Any], y: Floats) -> Callable[[NDArray[Any]], Floats]:
        model = RandomForestRegressor(200, min_samples_leaf=5, max_features="sqrt", random_state=seed).fit(x, y)
        return lambda fresh: np.asarray(model.predict(fresh) if len(fresh) else np.empty(0), dtype=np.float64)

    return fit


def _ranked_pairs(scores: Floats, passed: Floats) -> tuple[float, float]:
    good, bad = scores[passed == 1], scores[passed == 0]
    gap = good[:, None] - bad[None, :]
    return float((gap > 0).sum() + 0.5 * (gap == 0).sum()), float(gap.size)


def best_at_k(scores: Floats, passed: Floats, k: int) -> float:
    """Chance that the highest-scored of k tries, drawn without replacement, passed; ties are drawn from alike."""
    n, total = len(scores), math.comb(len(scores), k)
    found, above = 0.0, 0
    for value in np.unique(scores)[::-1]:
        tied = scores == value
        chance = (math.comb(n - above, k) - math.comb(n - above - int(tied.sum()), k)) / total
        found += chance * float(passed[tied].mean())
        above += int(tied.sum())
    return found


def _best_of(k: int, cells: Sequence[tuple[Floats, Floats]], families: NDArray[np.int64]) -> BestOfK:
    values = np.full((3, len(cells)), np.nan)
    for at, (scores, passed) in enumerate(cells):
        n, wrong = len(scores), int((passed == 0).sum())
        if n >= k:
            best, some = best_at_k(scores, passed, k), 1 - math.comb(wrong, k) / math.comb(n, k)
            values[:, at] = best, some, best - passed.mean()
    found = clustered_mean(values, families)
    means, errors, freedom = (each.tolist() for each in (found.mean, found.se, found.df))
    lowest = (0.0, 0.0, -1.0)
    spans = [
        t_interval(mean, se, df, 0.95, low) for mean, se, df, low in zip(means, errors, freedom, lowest, strict=True)
    ]
    best, some, gain = means
    return BestOfK(k, best, spans[0], some, spans[1], gain, spans[2], int((~np.isnan(values[0])).sum()))
