"""Conformal sets: MAPIE and crepes row by row, coverage by simulation, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats as oracle
from simulated import contained

from honestly.errors import StatisticsError
from honestly.stats import (
    Calibration,
    ConformalVariant,
    Threshold,
    calibrated_thresholds,
    conformal_report,
    conformal_threshold,
    coverage_interval,
    option_scores,
    prediction_sets,
)
from sampled import sampled

VARIANTS: list[ConformalVariant] = ["lac", "aps", "aps-randomised", "aps-include-last", "raps"]


def questions(rng: np.random.Generator, n: int, options: int = 5, temper: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of a model that is right as often as it says (at temper 1), and the right options."""
    truth = rng.dirichlet(np.full(options, 0.6), n)
    right = (truth.cumsum(1) > rng.random((n, 1))).argmax(1)
    said = truth**temper + 1e-9
    return said / said.sum(1, keepdims=True), right


# --- oracles ----------------------------------------------------------------------------------------------------


def test_finite_coverage_law_is_beta_binomial() -> None:
    threshold = Threshold(0.5, 200, 181)
    low, high = coverage_interval(threshold, questions=150)
    law = oracle.betabinom(150, 181, 20)
    assert (low, high) == pytest.approx((law.ppf(0.025) / 150, law.ppf(0.975) / 150))
    wide = coverage_interval(threshold)
    assert low < wide[0] < wide[1] < high
    assert coverage_interval(Threshold(math.inf, 5, 6)) == (1.0, 1.0)


class _Oracle:
    """A fitted scikit-learn classifier whose features are its probabilities."""

    def __init__(self, options: int) -> None:
        self.classes_ = np.arange(options)
        self.n_features_in_ = options
        self.is_fitted_ = True

    def fit(self, features: np.ndarray, labels: np.ndarray) -> "_Oracle":
        return self

    def predict(self, features: np.ndarray) -> np.ndarray:
        return features.argmax(1)

    def predict_proba(self, features: np.ndarray) -> np.ndarray:
        return features

    def __sklearn_is_fitted__(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("score", "last", "variant"),
    [("lac", None, "lac"), ("aps", True, "aps-include-last"), ("aps", "randomized", "aps-randomised")],
)
def test_sets_equal_mapie_row_by_row(score: str, last: object, variant: ConformalVariant) -> None:
    mapie = pytest.importorskip("mapie.classification")
    base = pytest.importorskip("sklearn.base")
    estimator = type("Fitted", (base.ClassifierMixin, base.BaseEstimator, _Oracle), {"__init__": _Oracle.__init__})(5)
    estimator.options = 5
    rng = np.random.default_rng(0)
    (held_out, known), (fresh, _) = questions(rng, 500), questions(rng, 2000)
    theirs = mapie.SplitConformalClassifier(
        estimator, confidence_level=0.9, conformity_score=score, prefit=True, random_state=3
    )
    theirs.conformalize(held_out, known)
    extra = {} if last is None else {"conformity_score_params": {"include_last_label": last}}
    expected = theirs.predict_set(fresh, **extra)[1][:, :, 0]
    # MAPIE draws the uniforms of both steps afresh from the same seed.
    uniforms = [np.random.RandomState(3).uniform(size=n) for n in (500, 2000)]
    scores = option_scores(held_out, variant, uniforms[0])[np.arange(500), known]
    threshold = conformal_threshold(scores, 0.1)
    if variant == "aps-randomised":
        mine = option_scores(fresh, variant, uniforms[1]) <= threshold.value
    else:
        mine = prediction_sets(Calibration(variant, 0.1, 5, {"": threshold}, ()), fresh)
    assert (mine == expected).all()


def test_sets_equal_crepes_hinge_row_by_row() -> None:
    crepes = pytest.importorskip("crepes")
    extras = pytest.importorskip("crepes.extras")
    rng = np.random.default_rng(1)
    (held_out, known), (fresh, _) = questions(rng, 400), questions(rng, 2000)
    domains = np.array(["maths", "law"])[rng.integers(0, 2, 400)], np.array(["maths", "law"])[rng.integers(0, 2, 2000)]
    theirs = crepes.ConformalClassifier()
    theirs.fit(extras.hinge(held_out, np.arange(5), known), bins=domains[0])
    expected = theirs.predict_set(extras.hinge(fresh), bins=domains[1], confidence=0.9, smoothing=False)
    found = calibrated_thresholds(held_out, known, domains=list(domains[0]))
    assert (prediction_sets(found, fresh, domains=list(domains[1])) == np.asarray(expected, dtype=bool)).all()


# --- known truth --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", sampled(VARIANTS, 2))
@pytest.mark.parametrize("temper", sampled([1.0, 3.0]))
def test_coverage_is_what_was_promised(variant: ConformalVariant, temper: float) -> None:
    rng = np.random.default_rng(5)
    reports = []
    for run in range(150):
        known, fresh = questions(rng, 99, temper=temper), questions(rng, 300, temper=temper)
        found = calibrated_thresholds(*known, alpha=0.1, variant=variant, seed=run)
        reports.append(conformal_report(found, *fresh, seed=run + 1000))
    coverage = np.array([report.coverage for report in reports])
    error = coverage.std(ddof=1) / math.sqrt(len(coverage))
    assert coverage.mean() > 0.9 - 3.5 * error
    if variant in ("lac", "aps-randomised"):
        assert coverage.mean() < 0.9 + 3.5 * error
    if variant == "aps-include-last":
        assert max(report.empty for report in reports) == 0


@pytest.mark.parametrize(("n", "fresh"), [(50, 200), (500, 4_000)])
def test_the_interval_of_a_realised_coverage_holds_it_as_often_as_it_says(n: int, fresh: int) -> None:
    """With continuous scores the number covered follows the beta-binomial law whatever the scores are."""
    rng = np.random.default_rng(n)
    found = [conformal_threshold(row, 0.1) for row in rng.random((4_000, n))]
    low, high = coverage_interval(found[0], questions=fresh)
    realised = rng.binomial(fresh, [threshold.value for threshold in found]) / fresh
    inside = (low <= realised) & (realised <= high)
    assert contained(inside, f"realised coverage, n = {n}")


def test_domains_are_covered_one_by_one_and_overconfidence_is_seen() -> None:
    rng = np.random.default_rng(6)
    (easy, easy_right), (hard, hard_right) = questions(rng, 2000), questions(rng, 2000, temper=0.0)
    names = ["easy"] * 1000 + ["hard"] * 1000
    mixed = np.vstack([easy[:1000], hard[:1000]]), np.concatenate([easy_right[:1000], hard_right[:1000]])
    later = np.vstack([easy[1000:], hard[1000:]]), np.concatenate([easy_right[1000:], hard_right[1000:]])
    apart = conformal_report(
        calibrated_thresholds(*mixed, variant="aps-randomised", domains=names, seed=1), *later, domains=names, seed=2
    )
    assert [part.domain for part in apart.parts] == ["easy", "hard"]
    assert not apart.overconfident
    assert apart.parts[1].mean_size > 1.5 * apart.parts[0].mean_size
    assert apart.coverage == pytest.approx(np.mean([part.coverage for part in apart.parts]))
    same = conformal_report(calibrated_thresholds(easy[:1000], easy_right[:1000]), easy[1000:], easy_right[1000:])
    assert not same.overconfident
    shifted = conformal_report(calibrated_thresholds(easy, easy_right), easy, (easy_right + 1) % 5)
    assert shifted.overconfident


def test_too_few_held_out_questions_give_every_option() -> None:
    p, right = questions(np.random.default_rng(7), 8)
    found = calibrated_thresholds(p, right)
    assert math.isinf(found.thresholds[""].value)
    assert "too few" in found.notes[0]
    assert prediction_sets(found, p).all()
    assert conformal_report(found, p, right).expected == (1.0, 1.0)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4), min_size=1, max_size=6), st.sampled_from(VARIANTS))
def test_sets_hold_the_likelier_options_first(raw: list[list[int]], variant: ConformalVariant) -> None:
    p = np.array(raw, dtype=float) + 0.5
    p /= p.sum(1, keepdims=True)
    calibration = Calibration(variant, 0.1, 4, {"": Threshold(0.6, 50, 46)}, ())
    sets = prediction_sets(calibration, p, seed=1)
    for row, members in zip(p, sets, strict=True):
        if members.any() and not members.all():
            assert row[members].min() >= row[~members].max()
    if variant == "aps":
        mass = (p[:, None, :] * (p[:, None, :] >= p[:, :, None])).sum(2)
        assert option_scores(p, "aps") == pytest.approx(mass)


# --- refusals -----------------------------------------------------------------------------------------------------

GOOD = np.array([[0.5, 0.5], [0.2, 0.8]])


@pytest.mark.parametrize(
    "broken",
    [
        lambda: calibrated_thresholds([[0.5, 0.6]], [0]),
        lambda: calibrated_thresholds([[-0.5, 1.5]], [0]),
        lambda: calibrated_thresholds([[math.nan, 1.0]], [0]),
        lambda: calibrated_thresholds([0.5, 0.5], [0, 1]),
        lambda: calibrated_thresholds(GOOD, [0, 2]),
        lambda: calibrated_thresholds(GOOD, [0]),
        lambda: calibrated_thresholds(GOOD, [0.0, 1.0]),
        lambda: calibrated_thresholds(GOOD, [0, 1], alpha=1.0),
        lambda: calibrated_thresholds(GOOD, [0, 1], variant="aps-randomised"),
        lambda: calibrated_thresholds(GOOD, [0, 1], variant="rasp"),  # type: ignore[arg-type]
        lambda: calibrated_thresholds(GOOD, [0, 1], domains=["x"]),
        lambda: prediction_sets(calibrated_thresholds(GOOD, [0, 1]), [[0.2, 0.3, 0.5]]),
        lambda: prediction_sets(calibrated_thresholds(GOOD, [0, 1], domains=["x", "x"]), GOOD, domains=["x", "y"]),
        lambda: conformal_threshold([0.1, math.nan], 0.1),
    ],
)
def test_malformed_input_is_refused(broken: object) -> None:
    with pytest.raises(StatisticsError):
        broken()  # type: ignore[operator]
