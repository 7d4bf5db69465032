"""How sure may one be of an answer? Split conformal prediction sets for multiple choice.

A model gives a probability to each option. On held-out questions with known answers the scores of the right options are
collected; a new question's set holds every option whose score is no larger than the k-th smallest of them,
`k = ceil((n + 1)(1 - alpha))`. If the new question is exchangeable with the held-out ones, the set contains the right
option with probability at least `1 - alpha`, however bad the probabilities are. Bad probabilities show in large sets.

Variants, by name, because programs that say "APS" mean different things:

- `lac`: score `1 - p_y`; the smallest sets on average (Sadinle, Lei & Wasserman 2019, JASA 114:223).
- `aps`: score `sum of p_j with p_j >= p_y`; adapts to the question, deterministic, may be empty.
- `raps`: `aps` and 0.1 for each more likely option (`RAPS_PENALTY`), so that long tails end; deterministic
  (Angelopoulos et al. 2021, ICLR, with `k_reg = 1`).
- `aps-randomised`: the same minus `U p_y` with U uniform, one per question (Romano, Sesia & Candès 2020, NeurIPS);
  coverage is exact, sets depend on the draw and may be empty.
- `aps-include-last`: calibrated like `aps-randomised`, but the option that crosses the threshold is always included, so
  that no set is empty and coverage is above the target; MAPIE's default.

Not covered: regression, free text, and questions that drift away from the held-out ones.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from honestly.errors import StatisticsError
from honestly.stats._special import beta_ppf, lgamma, log_beta

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
ConformalVariant = Literal["lac", "aps", "raps", "aps-randomised", "aps-include-last"]
RAPS_PENALTY = 0.1
"""What `raps` adds to the score for each option that is more likely."""

_EVERYWHERE = ""
# A sum of probabilities that should equal the threshold may exceed it by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where the sets of one domain end."""

    value: float
    """Largest score that is included; infinite where there are too few held-out questions, so that every option is."""

    n: int
    """Held-out questions."""

    k: int
    """Rank of the threshold among their scores, `ceil((n + 1)(1 - alpha))`."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Thresholds, one for each domain."""

    variant: ConformalVariant
    alpha: float
    """Allowed share of sets without the right option."""

    options: int
    """Options of a question."""

    thresholds: dict[str, Threshold]
    """Threshold of each domain; a single one under the empty name where no domains were given."""

    notes: tuple[str, ...]


def option_scores(
    probabilities: ArrayLike,
    variant: ConformalVariant,
    uniforms: ArrayLike | None = None,
    *,
    ties: Literal["full", "order"] = "full",
) -> Floats:
    """Score of every option of every question, shape (questions, options); small means likely.

    Args:
        probabilities: shape (questions, options), rows summing to 1.
        variant: which score; for `aps-include-last` the scores that calibrate it, which are the randomised ones.
        uniforms: one number in [0, 1] per question, for the variants that need it.
        ties: whether equally likely options all count in full, or the later one comes first, as in
            LLM-Uncertainty-Bench. Logits of half precision tie often, and counted in full they enlarge sets.

    Raises:
        StatisticsError: on malformed probabilities, an unknown variant, or missing uniforms.
    """
    p = _checked_probabilities(probabilities)
    if variant == "lac":
        return 1.0 - p
    if variant not in get_args(ConformalVariant):
        raise StatisticsError(f"unknown variant {variant!r}; choose one of {', '.join(get_args(ConformalVariant))}")
    mass, before = _mass_down_to(p, ties)
    if variant == "aps":
        return mass
    if variant == "raps":
        return np.asarray(mass + RAPS_PENALTY * before)
    if uniforms is None:
        raise StatisticsError(f"variant {variant!r} is randomised: give a seed")
    return np.asarray(mass - np.asarray(uniforms, dtype=np.float64)[:, None] * p)


def _mass_down_to(p: Floats, ties: str) -> tuple[Floats, Integers]:
    """For each option, the total probability of all options at least as likely, and how many come before it."""
    order = np.argsort(p, axis=1, kind="stable")[:, ::-1]
    ranked = np.take_along_axis(p, order, axis=1)
    total = np.cumsum(ranked, axis=1)
    before = np.empty_like(order)
    np.put_along_axis(before, order, np.arange(p.shape[1])[None, :], axis=1)
    # Ties count in full for each of the tied: walk back from the last of them.
    for column in range(p.shape[1] - 2, -1, -1) if ties == "full" else ():
        tied = ranked[:, column] == ranked[:, column + 1]
        total[:, column] = np.where(tied, total[:, column + 1], total[:, column])
    mass = np.empty_like(p)
    np.put_along_axis(mass, order, total, axis=1)
    if ties == "full":
        before = (p[:, None, :] > p[:, :, None]).sum(axis=2)
    return mass, before


def conformal_threshold(scores: ArrayLike, alpha: float) -> Threshold:
    """The k-th smallest score, `k = ceil((n + 1)(1 - alpha))`; infinite for k > n.

    Raises:
        StatisticsError: if a score is missing or alpha is not a probability.
    """
    values = np.asarray(scores, dtype=np.float64)
    if not 0 < alpha < 1:
        raise StatisticsError(f"alpha must lie between 0 and 1, not {alpha}")
    if values.ndim != 1 or not np.isfinite(values).all():
        raise StatisticsError("calibration scores must be a flat list of numbers without gaps")
    # (n + 1)(1 - alpha) may be a whole number that floating point lifts above itself.
    k = math.ceil((values.size + 1) * (1 - alpha) - 1e-9)
    value = float(np.partition(values, k - 1)[k - 1]) if k <= values.size else math.inf
    return Threshold(value, values.size, k)


def calibrated_thresholds(
    probabilities: ArrayLike,
    labels: ArrayLike,
    *,
    alpha: float = 0.1,
    variant: ConformalVariant = "lac",
    domains: Sequence[str] | None = None,
    seed: int | None = None,
) -> Calibration:
    """Find the thresholds on held-out questions.

    Args:
        probabilities: shape (questions, options), rows summing to 1. The model must not have seen these answers.
        labels: index of the right option, shape (questions,).
        alpha: allowed share of sets without the right option.
        variant: see the head of this file.
        domains: name of each question's domain; each gets its own threshold and so its own coverage ("Mondrian").
        seed: needed by the randomised variants.

    Raises:
        StatisticsError: on malformed input, or a randomised variant without a seed.
    """
    p, right = _checked_probabilities(probabilities), _checked_labels(labels, probabilities)
    scores = option_scores(p, variant, _random_uniforms(variant, p.shape[0], seed))[np.arange(right.size), right]
    names = _checked_domains(domains, right.size)
    thresholds = {str(name): conformal_threshold(scores[names == name], alpha) for name in np.unique(names)}
    notes = tuple(
        f"{f'domain {name!r}' if name else 'the calibration'} has {threshold.n} questions, too few for "
        f"{1 - alpha:.0%}: its sets hold every option"
        for name, threshold in thresholds.items()
        if math.isinf(threshold.value)
    )
    return Calibration(variant, alpha, p.shape[1], thresholds, notes)


def prediction_sets(
    calibration: Calibration, probabilities: ArrayLike, *, domains: Sequence[str] | None = None, seed: int | None = None
) -> NDArray[np.bool_]:
    """Which options are in each question's set, shape (questions, options).

    Args:
        calibration: from `calibrated_thresholds`.
        probabilities: shape (questions, options).
        domains: name of each question's domain, if the calibration has domains.
        seed: for `aps-randomised`; not the one of the calibration.

    Raises:
        StatisticsError: on malformed input, a domain without a threshold, or a missing seed.
    """
    p = _checked_probabilities(probabilities)
    if p.shape[1] != calibration.options:
        raise StatisticsError(f"{p.shape[1]} options, but the calibration had {calibration.options}")
    names = _checked_domains(domains, p.shape[0])
    if unknown := sorted(set(names.tolist()) - set(calibration.thresholds)):
        raise StatisticsError(f"no threshold for domains {unknown}; calibrated are {sorted(calibration.thresholds)}")
    limit = np.array([calibration.thresholds[str(name)].value for name in names])[:, None]
    if calibration.variant == "aps-include-last":
        # Included if the threshold was not yet reached before this option, which is U = 1 in the score.
        before = option_scores(p, calibration.variant, np.ones(p.shape[0]))
        return np.asarray((before < limit - _ROUNDING) | (p == p.max(axis=1, keepdims=True)), dtype=np.bool_)
    scores = option_scores(p, calibration.variant, _random_uniforms(calibration.variant, p.shape[0], seed))
    return np.asarray(scores <= limit + _ROUNDING, dtype=np.bool_)


def coverage_interval(
    threshold: Threshold, *, questions: int | None = None, level: float = 0.95
) -> tuple[float, float]:
    """Central interval of the coverage that a valid threshold gives.

    The held-out questions are a sample, so the coverage over all further questions is itself random,
    `Beta(k, n + 1 - k)` (Vovk 2012, ACML); over a finite number of further questions it is beta-binomial. 90% sets have
    88 to 92% coverage after 500 held-out questions, but 83 to 96% after 50 (5% and 95% quantiles).

    Args:
        threshold: from a calibration.
        questions: how many questions the coverage is measured on; None for endlessly many.
        level: probability of the interval.
    """
    a, b = threshold.k, threshold.n + 1 - threshold.k
    if b <= 0:
        return 1.0, 1.0
    tails = (1 - level) / 2, (1 + level) / 2
    if questions is None:
        low, high = (float(beta_ppf(tail, a, b)) for tail in tails)
        return low, high
    hit = np.arange(questions + 1.0)
    log_mass = lgamma(questions + 1.0) - lgamma(hit + 1) - lgamma(questions - hit + 1)
    log_mass = log_mass + log_beta(hit + a, questions - hit + b) - log_beta(a, b)
    total = np.cumsum(np.exp(log_mass))
    low, high = (float(np.searchsorted(total, tail * total[-1])) / questions for tail in tails)
    return low, high


@dataclass(frozen=True, slots=True)
class ConformalReport:
    """The worth of the sets of a number of questions."""

    domain: str
    """Empty for all questions together."""

    questions: int
    coverage: float
    """Share of sets that contain the right option."""

    expected: tuple[float, float]
    """95% interval of that share if the questions are exchangeable with the held-out ones; NaN over several domains."""

    mean_size: float
    """Options per set; small sets are worth something only with the coverage that was promised."""

    empty: float
    """Share of sets without any option."""

    singleton: float
    """Share of sets with one option."""

    accuracy: float
    """Share of questions whose likeliest option is right."""

    overconfident: bool
    """Coverage is below the interval: the sets are too small for these questions."""

    parts: tuple["ConformalReport", ...]
    """A report like this one for each domain, if there are domains."""

    notes: tuple[str, ...]


def conformal_report(
    calibration: Calibration,
    probabilities: ArrayLike,
    labels: ArrayLike,
    *,
    domains: Sequence[str] | None = None,
    seed: int | None = None,
) -> ConformalReport:
    """Measure the sets of questions with known answers that were not used for calibration.

    Raises:
        StatisticsError: on malformed input, as for `prediction_sets`.
    """
    p, right = _checked_probabilities(probabilities), _checked_labels(labels, probabilities)
    sets = prediction_sets(calibration, p, domains=domains, seed=seed)
    names = _checked_domains(domains, right.size)
    present = [str(name) for name in np.unique(names)]
    parts = tuple(_measure(calibration, name, (sets, p, right), names == name) for name in present)
    if len(parts) == 1:
        return parts[0]
    return _measure(calibration, None, (sets, p, right), np.ones(right.size, dtype=bool), parts)


def _measure(
    calibration: Calibration,
    domain: str | None,
    data: tuple[NDArray[np.bool_], Floats, Integers],
    chosen: NDArray[np.bool_],
    parts: tuple[ConformalReport, ...] = (),
) -> ConformalReport:
    sets, p, right = (array[chosen] for array in data)
    rows, size = np.arange(right.size), sets.sum(axis=1)
    covered = float(sets[rows, right].mean())
    expected = (math.nan, math.nan)
    if domain is not None:
        expected = coverage_interval(calibration.thresholds[domain], questions=right.size)
    return ConformalReport(
        domain=domain or _EVERYWHERE,
        questions=int(right.size),
        coverage=covered,
        expected=expected,
        mean_size=float(size.mean()),
        empty=float((size == 0).mean()),
        singleton=float((size == 1).mean()),
        accuracy=float((p.argmax(axis=1) == right).mean()),
        overconfident=covered < expected[0] or any(part.overconfident for part in parts),
        parts=parts,
        notes=(f"{calibration.variant} at {1 - calibration.alpha:.0%}", *calibration.notes),
    )


def _checked_probabilities(probabilities: ArrayLike) -> Floats:
    p = np.asarray(probabilities, dtype=np.float64)
    if p.ndim != 2 or p.shape[0] < 1 or p.shape[1] < 2:
        raise StatisticsError(f"probabilities must have shape (questions, options), not {p.shape}")
    if not ((p >= 0).all() and np.allclose(p.sum(axis=1), 1.0, atol=1e-6)):
        raise StatisticsError("every row of probabilities must be non-negative and sum to 1")
    return p


def _checked_labels(labels: ArrayLike, probabilities: ArrayLike) -> Integers:
    right, shape = np.asarray(labels), np.shape(probabilities)
    if right.shape != shape[:1] or right.dtype.kind not in "iu" or (right < 0).any() or (right >= shape[1]).any():
        raise StatisticsError(f"labels must be option numbers 0..{shape[1] - 1}, one for each of {shape[0]} questions")
    return right.astype(np.int64)


def _checked_domains(domains: Sequence[str] | None, questions: int) -> NDArray[np.str_]:
    names = np.array([_EVERYWHERE] * questions if domains is None else list(domains), dtype=np.str_)
    if names.shape != (questions,):
        raise StatisticsError(f"{names.size} domains for {questions} questions; give one for each")
    return names


def _random_uniforms(variant: ConformalVariant, questions: int, seed: int | None) -> Floats | None:
    if seed is None or variant in ("lac", "aps", "raps"):
        return None
    return np.random.default_rng(seed).random(questions)
