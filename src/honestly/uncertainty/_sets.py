"""Sets of answers and what they are worth: accuracy, set size, coverage and UAcc of each method, with their errors.

The questions of each task are split in two, groups whole, in the order of numpy's `RandomState(seed).permutation`, as
scikit-learn's `train_test_split` does: the first part is tested, the rest calibrates a threshold for that task alone.
A set without any option gets the likeliest, as in LLM-Uncertainty-Bench, so that coverage is a little above its target.
Equally likely options count alike, whatever their order; as published, the later one comes first.

Errors are those of replicates: the split is drawn anew, and both halves are drawn again with replacement, for all
methods alike. With so few calibration questions as there often are, most of the noise is in the threshold.

Source: Ye et al. 2024, arXiv:2401.12794 (procedure, UAcc); Vovk 2012 (coverage, beta-binomial).
Not covered: free text; questions that depend on each other across groups, which no interval here knows of.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from honestly.errors import StatisticsError
from honestly.stats import ConformalVariant, Threshold, conformal_threshold, coverage_interval, option_scores

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

SET_SCORES = ("lac", "aps", "raps")
TEMPERATURES = (0.5, 2.0)
"""Between these, what temperature alone does to the size of sets is looked at."""
REPLICATES = 200
_ROUNDING = 1e-12
_UNKNOWN = (math.nan, math.nan)


@dataclass(frozen=True, slots=True, eq=False)
class AnswerTable:
    """Probabilities that methods give to the options of questions, and which option is right."""

    tasks: Sequence[str]
    """Of each question; each task is calibrated alone."""
    groups: Sequence[str]
    """Of each question; a group is never split between calibration and test."""
    labels: Integers
    """Number of the right option, shape (questions,)."""
    present: Flags
    """Which options a question has, shape (questions, most options)."""
    probabilities: Mapping[str, Floats]
    """By method, shape (questions, most options); rows sum to 1, and are 0 where there is no option."""
    pseudo_labels: Mapping[str, Integers] = field(default_factory=dict)
    """Where the right options are not known: by method, what the other methods together think right."""

    def right(self, method: str) -> Integers:
        """The options that count as right for a method."""
        return self.pseudo_labels.get(method, self.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodResult:
    """The evaluation of one method with one conformal score."""

    name: str
    score: str
    """`lac`, `aps` or `raps`."""
    task: str
    """Empty for all tasks together."""
    n: int
    """Questions that were tested; all of them count in every number."""
    calibration: int
    """Questions that calibrated the thresholds."""
    accuracy: float
    set_size: float
    coverage: float
    """Share of sets that hold the right option."""
    interval: tuple[float, float]
    """95% interval of the coverage before empty sets are filled, if calibration and test are exchangeable."""
    uacc: float
    """Accuracy by set size, times the root of the number of options; larger is better."""
    empty: float
    """Share of sets that held no option, and got the likeliest."""
    coverage_unfilled: float
    accuracy_interval: tuple[float, float] = _UNKNOWN
    """95% interval over replicates, as the two below; not given for single tasks."""
    set_size_interval: tuple[float, float] = _UNKNOWN
    uacc_interval: tuple[float, float] = _UNKNOWN
    rank: int = 0
    """By UAcc among the methods that are not disturbed, of the same score; 0 for the others."""
    rank_interval: tuple[int, int] = (0, 0)
    first: float = math.nan
    """Share of replicates in which it is first."""
    temperature: tuple[float, float] = _UNKNOWN
    """Smallest and largest set size that temperatures from 0.5 to 2 give, at the same accuracy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisturbanceEffect:
    """What a disturbance changes: with it minus without it, on the same questions and replicates."""

    name: str
    base: str
    score: str
    accuracy: float
    accuracy_interval: tuple[float, float]
    set_size: float
    set_size_interval: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPart:
    """A method on tested questions, split by whether the model is right without documents."""

    name: str
    score: str
    known: bool
    n: int
    accuracy: float
    set_size: float


@dataclass(frozen=True, slots=True)
class MethodEvaluation:
    """The evaluation of all methods of a table."""

    methods: tuple[MethodResult, ...]
    tasks: tuple[MethodResult, ...]
    differences: tuple[DisturbanceEffect, ...]
    known: tuple[KnownPart, ...]


@dataclass(frozen=True, slots=True)
class _Split:
    """Numbers of the questions that calibrate and that are tested, by task."""

    parts: tuple[tuple[str, Integers, Integers], ...]

    @property
    def test(self) -> Integers:
        return np.concatenate([test for _, _, test in self.parts])


@dataclass(frozen=True, slots=True)
class _Scored:
    """One method by one score: what is needed of it to make sets."""

    scores: Floats
    right: Integers
    correct: Floats
    """Whether the likeliest option is right; a share where several are equally likely."""
    present: Flags
    above: int
    """How many ranks above the k-th smallest score the threshold is."""

    def sets(self, calibration: Integers, test: Integers, alpha: float) -> tuple[Flags, Threshold]:
        found = np.sort(self.scores[calibration, self.right[calibration]])
        threshold = conformal_threshold(found, alpha)
        if self.above and threshold.k < threshold.n:
            k = threshold.k + self.above
            threshold = Threshold(float(found[k - 1]), threshold.n, k)
        return (self.scores[test] <= threshold.value + _ROUNDING) & self.present[test], threshold


def evaluate_methods(
    table: AnswerTable,
    *,
    alpha: float = 0.1,
    calibration: float = 0.5,
    seed: int = 42,
    as_published: bool = False,
    bases: Mapping[str, str] | None = None,
    replicates: int = REPLICATES,
) -> MethodEvaluation:
    """The evaluation of each method's sets.

    Args:
        table: who said what.
        alpha: allowed share of sets without the right option.
        calibration: share of the questions of each task that calibrate.
        seed: of the split and of the replicates.
        as_published: take the threshold one rank higher, where `numpy.quantile(..., method="higher")` of published
            programs has it.
        bases: for a method with a disturbance, the one without it.
        replicates: how often the questions are drawn again for the errors.

    Raises:
        StatisticsError: a task has too few groups of questions to be split.
    """
    if not 0 < calibration < 1:
        raise StatisticsError(f"{calibration} of the questions cannot calibrate; expected a share between 0 and 1")
    if not table.probabilities:
        raise StatisticsError("no method has given probabilities; name a model, or give scores with the questions")
    blocks = _blocks(table)
    split = _split_blocks(blocks, calibration, seed)
    above = int(as_published)
    scored = {(name, score): _scored(table, name, score, above) for score in SET_SCORES for name in table.probabilities}
    redrawn = _replicates(table, blocks, scored, alpha, calibration, seed, replicates)
    ranked = [name for name in table.probabilities if name not in (bases or {})]
    ranks = _ranks(ranked, redrawn)
    plain = {key: _measured(table, *key, each, split.parts, alpha) for key, each in scored.items()}
    methods, tasks = [], []
    for (name, score), one in plain.items():
        accuracy, size, uacc = redrawn[name, score]
        if (name, score) in ranks:
            rank = ranks[name, score]
            one = replace(
                one,
                rank=1 + sum(plain[other, score].uacc > one.uacc for other in ranked),
                rank_interval=(int(np.quantile(rank, 0.025)), math.ceil(np.quantile(rank, 0.975))),
                first=float((rank == 1).mean()),
            )
        methods.append(
            replace(
                one,
                accuracy_interval=_span(accuracy),
                set_size_interval=_span(size),
                uacc_interval=_span(uacc),
                temperature=_by_temperature(table, scored[name, score], one, split, alpha),
            )
        )
        if len(split.parts) > 1:
            tasks += [_measured(table, name, score, scored[name, score], (part,), alpha) for part in split.parts]
    found = {(each.name, each.score): each for each in methods}
    differences = [
        DisturbanceEffect(
            name=name, base=base, score=score,
            accuracy=found[name, score].accuracy - found[base, score].accuracy,
            accuracy_interval=_span(redrawn[name, score][0] - redrawn[base, score][0]),
            set_size=found[name, score].set_size - found[base, score].set_size,
            set_size_interval=_span(redrawn[name, score][1] - redrawn[base, score][1]),
        )
        for name, base in (bases or {}).items() if name in table.probabilities and base in table.probabilities
        for score in SET_SCORES
    ]  # fmt: skip
    return MethodEvaluation(
        tuple(methods), tuple(tasks), tuple(differences), tuple(_known(table, scored, split, alpha))
    )


def majority_labels(probabilities: Mapping[str, Floats]) -> dict[str, Integers]:
    """For each method the option that all others together find likeliest, so that none votes for itself.

    Raises:
        StatisticsError: there is only one method.
    """
    if len(probabilities) < 2:
        raise StatisticsError(
            "no question says which option is right (looked for fields such as answer, label, gold, target), and one "
            "method alone cannot stand in for that"
        )
    total = np.sum(list(probabilities.values()), axis=0)
    return {name: np.asarray((total - own).argmax(axis=1)) for name, own in probabilities.items()}


def _blocks(table: AnswerTable) -> dict[str, list[Integers]]:
    """The questions of each task, in groups that are never split."""
    found: dict[str, dict[str, list[int]]] = {}
    for number, (task, group) in enumerate(zip(table.tasks, table.groups, strict=True)):
        found.setdefault(task, {}).setdefault(group, []).append(number)
    return {task: [np.array(rows) for rows in groups.values()] for task, groups in found.items()}


def _split_blocks(blocks: Mapping[str, Sequence[Integers]], calibration: float, seed: int) -> _Split:
    """Calibration and test of each task, which is split as if it were alone."""
    parts = []
    for task, groups in blocks.items():
        train = math.floor(calibration * len(groups))
        if not 1 <= train < len(groups):
            what = f"task {task!r}" if task else "the set"
            raise StatisticsError(
                f"{what} has {sum(map(len, groups))} questions in {len(groups)} groups, of which {train} would "
                "calibrate; expected at least one to calibrate and one to test: give more questions, another "
                "--calibration, or --pool"
            )
        order = np.random.RandomState(seed).permutation(len(groups))
        first = len(groups) - train
        held, test = (np.concatenate([groups[each] for each in part]) for part in (order[first:], order[:first]))
        parts.append((task, held, test))
    return _Split(tuple(parts))


def _scored(table: AnswerTable, name: str, score: str, above: int, temperature: float = 1.0) -> _Scored:
    p = table.probabilities[name]
    if temperature != 1.0:
        p = p ** (1.0 / temperature)
        p = p / p.sum(axis=1, keepdims=True)
    right = table.right(name)
    scores = option_scores(p, cast("ConformalVariant", score), ties="order" if above else "full")
    likeliest = p == p.max(axis=1, keepdims=True)
    if above:  # as published programs have it
        likeliest = np.arange(p.shape[1]) == p.argmax(axis=1)[:, None]
    correct = likeliest[np.arange(right.size), right] / likeliest.sum(axis=1)
    return _Scored(scores, right, correct, table.present, above)


def _measured(
    table: AnswerTable,
    name: str,
    score: str,
    each: _Scored,
    parts: Sequence[tuple[str, Integers, Integers]],
    alpha: float,
) -> MethodResult:
    """What comes from the one split."""
    sizes, covered, thresholds = [], [], []
    for _, calibration, test in parts:
        found, threshold = each.sets(calibration, test, alpha)
        sizes.append(found.sum(axis=1))
        covered.append(found[np.arange(test.size), each.right[test]])
        thresholds.append((threshold, test.size))
    test = np.concatenate([part[2] for part in parts])
    size, hit, correct = np.concatenate(sizes), np.concatenate(covered), each.correct[test]
    accuracy, mean_size = float(correct.mean()), float(np.maximum(size, 1).mean())
    return MethodResult(
        name=name,
        score=score,
        task=parts[0][0] if len(parts) == 1 < len(set(table.tasks)) else "",
        n=int(test.size),
        calibration=sum(part[1].size for part in parts),
        accuracy=accuracy,
        set_size=mean_size,
        coverage=float(np.where(size == 0, correct, hit).mean()),
        interval=_coverage_span(thresholds),
        uacc=accuracy / mean_size * math.sqrt(float(table.present[test].sum(axis=1).mean())),
        empty=float((size == 0).mean()),
        coverage_unfilled=float(hit.mean()),
    )


def _coverage_span(thresholds: Sequence[tuple[Threshold, int]]) -> tuple[float, float]:
    """95% interval of the share covered, which is beta-binomial in each task; drawn where there are several."""
    if len(thresholds) == 1:
        return coverage_interval(thresholds[0][0], questions=thresholds[0][1])
    rng, total = np.random.default_rng(0), np.zeros(20_000)
    for threshold, questions in thresholds:
        beyond = threshold.n + 1 - threshold.k
        share = rng.beta(threshold.k, beyond, total.size) if beyond > 0 else np.ones(total.size)
        total += rng.binomial(questions, share)
    low, high = np.quantile(total / sum(n for _, n in thresholds), (0.025, 0.975))
    return float(low), float(high)


def _summary(table: AnswerTable, each: _Scored, split: _Split, alpha: float) -> tuple[float, float, float]:
    """Accuracy, set size and UAcc."""
    sizes = [each.sets(calibration, test, alpha)[0].sum(axis=1) for _, calibration, test in split.parts]
    test = split.test
    accuracy, size = float(each.correct[test].mean()), float(np.maximum(np.concatenate(sizes), 1).mean())
    return accuracy, size, accuracy / size * math.sqrt(float(table.present[test].sum(axis=1).mean()))


def _replicates(
    table: AnswerTable,
    blocks: Mapping[str, Sequence[Integers]],
    scored: Mapping[tuple[str, str], _Scored],
    alpha: float,
    calibration: float,
    seed: int,
    replicates: int,
) -> dict[tuple[str, str], tuple[Floats, Floats, Floats]]:
    """Accuracy, set size and UAcc in each replicate; the same questions for all methods."""
    rng = np.random.default_rng(seed)
    found: dict[tuple[str, str], list[tuple[float, float, float]]] = {key: [] for key in scored}
    single = {
        task: np.concatenate(groups) if all(each.size == 1 for each in groups) else None
        for task, groups in blocks.items()
    }

    def draw(task: str, chosen: Integers) -> Integers:
        chosen, rows = chosen[rng.integers(chosen.size, size=chosen.size)], single[task]
        return np.concatenate([blocks[task][each] for each in chosen]) if rows is None else rows[chosen]

    for _ in range(replicates):
        parts = []
        for task, groups in blocks.items():
            order, first = rng.permutation(len(groups)), len(groups) - math.floor(calibration * len(groups))
            parts.append((task, draw(task, order[first:]), draw(task, order[:first])))
        drawn = _Split(tuple(parts))
        for key, each in scored.items():
            found[key].append(_summary(table, each, drawn, alpha))
    return {key: tuple(np.array(values).T) for key, values in found.items()}


def _ranks(
    names: Sequence[str], redrawn: Mapping[tuple[str, str], tuple[Floats, Floats, Floats]]
) -> dict[tuple[str, str], Integers]:
    found = {}
    for score in SET_SCORES:
        uacc = np.array([redrawn[name, score][2] for name in names])
        for number, name in enumerate(names):
            found[name, score] = 1 + (uacc > uacc[number]).sum(axis=0)
    return found


def _by_temperature(
    table: AnswerTable, scored: _Scored, one: MethodResult, split: _Split, alpha: float
) -> tuple[float, float]:
    others = (_scored(table, one.name, one.score, scored.above, each) for each in TEMPERATURES)
    sizes = [one.set_size, *(_summary(table, each, split, alpha)[1] for each in others)]
    return min(sizes), max(sizes)


def _known(
    table: AnswerTable, scored: Mapping[tuple[str, str], _Scored], split: _Split, alpha: float
) -> list[KnownPart]:
    """Each method on the questions that `none` gets right, and on the others; `none` itself is left out."""
    if "none" not in table.probabilities:
        return []
    test = split.test
    known = scored["none", SET_SCORES[0]].correct[test] > 0.5
    found = []
    for (name, score), each in scored.items():
        if name == "none":
            continue
        parts = [each.sets(calibration, rows, alpha)[0].sum(axis=1) for _, calibration, rows in split.parts]
        size, correct = np.maximum(np.concatenate(parts), 1), each.correct[test]
        for which in (True, False):
            mask = known == which
            found.append(
                KnownPart(
                    name=name, score=score, known=which, n=int(mask.sum()),
                    accuracy=float(correct[mask].mean()) if mask.any() else math.nan,
                    set_size=float(size[mask].mean()) if mask.any() else math.nan,
                )
            )  # fmt: skip
    return found


def _span(values: Floats) -> tuple[float, float]:
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)
