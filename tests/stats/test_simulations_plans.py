"""Plans against known truth: a study of the planned size finds the planned gap as often as was asked for."""

import math

import numpy as np
import pytest
import simulated as truth
from simulated import contained, probabilities, sample, scores_of, study, unbiased

from honestly import stats
from honestly.stats import t_two_sided
from honestly.stats._betting import BETS
from honestly.stats._design import cluster_excess
from sampled import sampled

pytestmark = pytest.mark.slow

PREDICTION = (truth.PREDICTION_A, truth.PREDICTION_B)
TRUE_VARIANCE = stats.DesignVariance(truth.DATA_DIFFERENCE + sum(PREDICTION), PREDICTION, stats.Estimand.NEW_QUESTIONS)


@pytest.mark.parametrize("questions", sampled([20, 80, 500]))
@pytest.mark.parametrize("design", ["plain", "missing", "clustered", "dominated"])
def test_variance_from_a_pilot(questions, design):
    """Without bias, also where clusters add to it: C is a quarter of the variance, and P/N questions share it."""
    replicates = 2_000
    a, b, codes = study(questions, 5, design, replicates=replicates)
    size = np.zeros(1) if codes is None else np.bincount(codes).astype(float)
    shared = truth.COPIES**2 * float((size * (size - 1)).sum()) / questions
    both = scores_of(np.concatenate([a.passed[:2], b.passed[:2]]), np.concatenate([a.n[:2], b.n[:2]]), codes)
    resolved = both.resolve(stats.Policy(missing="drop"))
    for values, noise, data, prediction, names in (
        (a.mean - b.mean, (a.within + b.within) * 0.8, truth.DATA_DIFFERENCE, sum(PREDICTION), ("r0", "r2")),
        (a.mean, a.within * 0.8, truth.DATA_A, truth.PREDICTION_A, ("r0",)),
    ):
        totals = np.nanvar(values, axis=1, ddof=1) + np.nanmean(np.where(np.isnan(values), np.nan, noise), axis=1)
        if codes is not None:
            totals += [cluster_excess(row, codes) for row in values]
        assert unbiased(totals, data * (1 + shared) + prediction, "total")
        # The public function gives the same.
        assert stats.pilot_variance(resolved, *names).total == pytest.approx(totals[0])


@pytest.mark.parametrize("samples", sampled([5, 1]))
def test_a_study_of_the_planned_size_has_the_planned_power(samples):
    demands = stats.Demands(method="t")
    gap = abs(truth.DIFFERENCE)
    size = stats.questions_needed(TRUE_VARIANCE, gap=gap, samples=(samples, samples), demands=demands).questions_to_buy
    planned = stats.design_power(
        TRUE_VARIANCE, gap=gap, questions=size, samples=(samples, samples), demands=demands
    ).power
    a, b, _ = study(size, samples, "plain", replicates=2_500)
    found = stats.mean_of_questions(a.mean - b.mean)
    better = (t_two_sided(found.mean / found.se, found.df) <= 0.05) & (found.mean < 0)
    assert contained(better, f"power with {size} questions", low=planned, high=planned)
    assert stats.detectable_gap(
        TRUE_VARIANCE, questions=size, samples=(samples, samples), demands=demands
    ).gap == pytest.approx(gap, rel=0.01)


def test_enough_samples_for_a_gap_have_the_planned_power():
    gap, questions, demands = 0.11, 80, stats.Demands(method="t")
    variance = stats.DesignVariance(0.05 + 0.2 + 0.2, (0.2, 0.2), stats.Estimand.NEW_QUESTIONS)
    needed = stats.samples_needed(variance, gap=gap, questions=questions, demands=demands).samples
    planned = stats.design_power(variance, gap=gap, questions=questions, samples=needed, demands=demands).power
    rng = np.random.default_rng(18)
    draws = rng.normal(gap, math.sqrt(variance.per_question(needed)), (4_000, questions))
    found = stats.mean_of_questions(draws)
    better = (t_two_sided(found.mean / found.se, found.df) <= 0.05) & (found.mean > 0)
    assert planned >= 0.8
    assert contained(better, f"power with {needed} samples", low=planned, high=planned)


def test_a_purchase_has_the_error_that_it_names():
    prices = stats.DesignPrices(2.0, (1.0, 1.0))
    bought = stats.best_purchase(TRUE_VARIANCE, prices, 1_000).bought
    size, samples = int(bought.questions), int(bought.samples[0])
    rng = np.random.default_rng(19)
    a, b = (sample(rng, chance, samples).mean for chance in probabilities(rng, (4_000, size)))
    errors = (a - b).mean(axis=1) - truth.DIFFERENCE
    assert bought.samples[0] == bought.samples[1]
    assert np.std(errors) == pytest.approx(bought.se, rel=3 / math.sqrt(2 * 4_000))


@pytest.mark.parametrize("samples", sampled([5, 1]))
@pytest.mark.parametrize("power", sampled([0.8, 0.9]))
def test_a_run_that_may_stop_early_finds_the_gap_that_its_size_is_for(samples, power):
    """It may find it more often, since it looks before the end, too."""
    gap, demands = 0.15, stats.Demands(power=power)
    variance = stats.DesignVariance(0.25, (0.067, 0.067), stats.Estimand.NEW_QUESTIONS)
    most = int(stats.early_questions(variance, gap, samples, demands))
    assert stats.early_gap(variance, most, samples, demands) <= gap
    assert stats.early_gap(variance, most - 1, samples, demands) > gap
    rng = np.random.default_rng([samples, int(10 * power)])
    runs = 1_500
    disagree = variance.per_question((samples, samples)) + gap**2
    chances = [(disagree + gap) / 2, (disagree - gap) / 2, 1 - disagree]
    draws = rng.choice([1.0, -1.0, 0.0], (runs, most), p=chances)
    if samples == 1:
        table = stats.win_loss_evidence(*np.indices((most + 1, most + 1)))
        wins, losses = (draws > 0).cumsum(1), (draws < 0).cumsum(1)
        crossed = (table[wins, losses] >= math.log(20)) & (wins > losses)
    else:
        crossed = sum(np.exp(np.log1p(f * draws).cumsum(1)) for f in BETS) / len(BETS) >= 40
    assert contained(
        crossed.any(axis=1), f"power within {most} questions", low=power, high=(1 + power) / 2 + 0.03 * (samples > 1)
    )


@pytest.mark.parametrize("solvable", sampled([0.8, 1.0]))
def test_beta_prior_holds_for_simulated_agents(solvable):
    rng = np.random.default_rng(11)
    accuracy, count = 0.3, 400_000
    difficulty = rng.beta(accuracy / solvable, 1 - accuracy / solvable, count) * (rng.random(count) < solvable)
    difference = (rng.random(count) < difficulty).astype(float) - (rng.random(count) < difficulty)
    prior = stats.prior_variance(accuracy, solvable=solvable, data_share=0.0)
    assert unbiased(difference**2, prior.total, "prior")
