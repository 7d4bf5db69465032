"""The hierarchical model: calibrated by simulation, right on truths that were put in, equal to plain means where it must be."""

import numpy as np
import pytest
from hierarchical import BINS, SHAPES, calibration, evenness
from scipy.stats import chi2
from shared_data import evaluation, terminal_bench

from honestly.errors import StatisticsError
from honestly.stats import Scores, accuracy_cost_frontier, compare_all, fit_hierarchy, score_all
from honestly.stats.hierarchy._data import join
from honestly.stats.hierarchy._design import Design, draw_prior, pass_logits
from honestly.stats.hierarchy._diagnostics import bulk_ess, rank_r_hat
from honestly.stats.hierarchy._posterior import guarded_scores, rank_draws
from honestly.stats.hierarchy._sampler import Sampler
from sampled import sampled

pytestmark = pytest.mark.slow


def study(passed, trials, suite="q"):
    agents, questions = passed.shape
    planned = np.broadcast_to(trials, passed.shape)
    names = [f"agent {i}" for i in range(agents)], [f"{suite}{i}" for i in range(questions)]
    return Scores.from_counts(*names, passed, planned - passed, planned=planned).resolve()


def drawn(abilities, difficulties, samples, seed, slopes=1.0, interaction=0.0):
    rng = np.random.default_rng(seed)
    eta = slopes * (np.asarray(abilities)[:, None] - difficulties)
    eta = eta + interaction * rng.standard_normal(eta.shape)
    return rng.binomial(samples, 1 / (1 + np.exp(-eta)))


@pytest.fixture(autouse=True)
def short_chains(request, monkeypatch):
    """Tests that are not about convergence stop after one round."""
    if "slow" not in request.keywords:
        monkeypatch.setattr("honestly.stats.hierarchy._fit._WARM_UP", 100)
        monkeypatch.setattr("honestly.stats.hierarchy._fit._THIN", (2,))


QUICK = ("2PL, two suites, covariate, interaction",)


@pytest.mark.parametrize("name", QUICK)
def test_few_simulated_truths_lie_evenly_in_their_posteriors(name):
    ranks, _ = calibration(SHAPES[name], 60, seed=7, warm_up=60, thin=2)
    p_values = {quantity: chi2.sf(evenness(found[:, 0]), BINS - 1) for quantity, found in ranks.items()}
    assert min(p_values.values()) > 0.0005, p_values


@pytest.mark.parametrize("name", SHAPES)
def test_simulation_based_calibration(name):
    ranks, seconds = calibration(SHAPES[name], 1000, seed=2026)
    p_values = {
        (quantity, j): float(chi2.sf(evenness(found[:, j]), BINS - 1))
        for quantity, found in ranks.items()
        for j in range(min(2, found.shape[1]))
    }
    print(name, f"{seconds:.0f} s", {key: round(p, 3) for key, p in p_values.items()})
    assert min(p_values.values()) > 0.001, p_values


def test_a_wrong_density_is_found_by_the_calibration():
    """Data whose log-odds are half as wide as the model's."""
    ranks, _ = calibration(
        SHAPES["Rasch"], 100, seed=7, warm_up=60, thin=2, log_odds=lambda design, at: 0.5 * pass_logits(design, at)
    )
    assert min(chi2.sf(evenness(found[:, 0]), BINS - 1) for found in ranks.values()) < 1e-6


@pytest.mark.parametrize("seed", sampled(range(6)))
def test_rasch_ranks_are_accuracy_ranks_on_complete_data(seed):
    passed = drawn(np.linspace(-1.5, 1.5, 7), np.linspace(-2, 2.5, 40), 2, seed)
    totals = passed.sum(axis=1)
    fit = fit_hierarchy({"s": study(passed, 2)}, seed=seed, interaction=False, draws=120)
    ability = fit.ability.mean
    for i in range(7):
        for j in range(7):
            if totals[i] > totals[j]:
                assert ability[i] > ability[j]


def test_difficulties_and_abilities_are_recovered():
    abilities, difficulties = np.linspace(-2, 2, 20), np.linspace(-3, 3, 40)
    fit = fit_hierarchy({"s": study(drawn(abilities, difficulties, 3, 5), 3)}, seed=1, interaction=False, draws=120)
    assert fit.convergence.r_hat < 1.05
    shift = fit.ability.mean.mean() - abilities.mean()  # only differences of ability and difficulty are identified
    for found, truth in ((fit.ability, abilities), (fit.items.difficulty, difficulties)):
        assert np.corrcoef(found.mean, truth)[0, 1] > 0.97
        inside = (found.low - shift <= truth) & (truth <= found.high - shift)
        assert inside.mean() >= 0.88
    assert fit.items.difficulty_shrinkage.max() < 0.25
    assert [note for note in fit.notes if "difficulties of" in note or "linking" in note] == []


def test_discriminations_are_recovered_from_many_agents():
    rng = np.random.default_rng(3)
    slopes = np.exp(0.5 * rng.standard_normal(40))
    passed = drawn(rng.standard_normal(120) * 1.5, rng.standard_normal(40), 4, 4, slopes)
    fit = fit_hierarchy({"s": study(passed, 4)}, seed=1, two_parameter=True, interaction=False, draws=200)
    found = fit.items.discrimination
    assert fit.convergence.r_hat < 1.03
    assert np.corrcoef(np.log(found.mean), np.log(slopes))[0, 1] > 0.95
    # The scale of abilities is set by discriminations about 1, so that ratios of slopes are what is estimated.
    scale = np.exp((np.log(found.mean) - np.log(slopes)).mean())
    assert ((found.low / scale <= slopes) & (slopes <= found.high / scale)).mean() >= 0.9
    assert fit.items.discrimination_shrinkage.max() < 0.3


def test_discriminations_of_few_agents_are_called_unidentified():
    passed = drawn([-1, 0, 0.5, 1], np.linspace(-2, 2, 30), 2, 1, np.linspace(0.5, 2, 30))
    fit = fit_hierarchy({"s": study(passed, 2)}, seed=1, two_parameter=True, interaction=False, draws=120)
    assert any("discriminations are not identified by 4 agents" in note for note in fit.notes)
    assert np.median(fit.items.discrimination_shrinkage) > 0.6


def agreement(resolved, seed):
    """Largest distances of scores, of their errors, and the median ratio of the errors of differences."""
    fit = fit_hierarchy({"s": resolved}, seed=seed, draws=120)
    plain = score_all(resolved)
    mean, se, fixed = (np.array([getattr(each, name) for each in plain]) for name in ("mean", "se", "se_fixed"))
    pairs = compare_all(resolved)
    upper = np.triu_indices(len(mean), 1)
    differences = (fit.overall_draws[:, :, None] - fit.overall_draws[:, None]).std(axis=0)
    ratios = differences[upper] / pairs.se[upper]
    print(
        f"scores off by at most {np.abs(fit.these.mean[:, 0] - mean).max():.3f}, errors / design-based: new "
        f"{np.round(fit.new.sd[:, 0] / se, 2)}, these {np.round(fit.these.sd[:, 0] / fixed, 2)}, differences "
        f"{np.median(ratios):.2f}"
    )
    assert fit.convergence.r_hat < 1.05
    assert np.abs(fit.these.mean[:, 0] - mean).max() < 0.01
    assert np.abs(fit.new.mean[:, 0] - mean).max() < 0.01
    assert np.all(np.abs(np.log(fit.new.sd[:, 0] / se)) < 0.15)
    assert np.all(np.abs(np.log(fit.these.sd[:, 0] / fixed)) < 0.4)
    assert 0.9 < np.median(ratios) < 1.1


def test_balanced_data_give_the_design_based_scores_and_errors():
    passed = drawn([-1, 0, 0.3, 0.9, 1.5], np.linspace(-4, 3, 80), 5, 2, interaction=1.0)
    agreement(study(passed, 5), 3)


def test_terminal_bench_gives_the_design_based_scores_and_errors():
    _, _, passed, failed, unscored = terminal_bench()
    agreement(study(passed, passed + failed + unscored), 3)


def test_difficulties_that_only_the_prior_knows_are_named():
    found = study(drawn([0.0, 0.5], np.linspace(-1, 1, 30), 1, 3), 1)
    fit = fit_hierarchy({"s": found}, seed=1, draws=100)
    assert any("read none of these singly" in note for note in fit.notes)
    assert np.median(fit.items.difficulty_shrinkage) > 0.5


def test_two_chains_of_one_seed_are_the_same():
    passed = drawn([0, 1], np.linspace(-1, 1, 10), 3, 0)
    one, two = (fit_hierarchy({"s": study(passed, 3)}, seed=4, draws=100) for _ in range(2))
    assert np.array_equal(one.overall_draws, two.overall_draws)


def test_agents_that_ran_other_questions_are_linked_by_the_rest():
    """The better agent ran the hard half: by plain means it looks worse."""
    difficulties = np.linspace(-3, 3, 60)
    abilities = np.array([0.0, 1.5, -0.5, 0.5, 1.0])
    passed = drawn(abilities, difficulties, 5, 6)
    trials = np.full(passed.shape, 5)
    trials[0, 35:], trials[1, :25] = 0, 0
    passed = np.where(trials > 0, passed, 0)
    plain = [each.mean for each in score_all(study(passed, trials))]
    assert plain[0] > plain[1]
    fit = fit_hierarchy({"s": study(passed, trials)}, seed=1, draws=120)
    truth = (1 / (1 + np.exp(difficulties - abilities[:, None]))).mean(axis=1)
    assert np.all((fit.these.low[:, 0] <= truth) & (truth <= fit.these.high[:, 0]))
    assert fit.ranks.probability[1, 0] > 0.9
    assert not any("linking" in note for note in fit.notes)
    assert fit.common[0, 1] == 10


def test_weak_linking_is_said():
    passed = drawn([0, 0.2, 0.4, 0.6], np.linspace(-1, 1, 40), 2, 0)
    trials = np.full(passed.shape, 2)
    trials[:2, 20:], trials[2:, :20] = 0, 0
    joined = join({"s": study(np.where(trials > 0, passed, 0), trials)})
    (note,) = [note for note in joined.notes if "linking is weak" in note]
    assert "agent 0, agent 1; agent 2, agent 3" in note


def test_several_suites_pool_and_have_one_aggregate():
    rng = np.random.default_rng(0)
    abilities = np.linspace(-1, 1, 8)
    suites = {}
    for name, size in (("a", 60), ("b", 30), ("c", 12)):
        found = drawn(abilities + 0.3 * rng.standard_normal(8), rng.normal(0.5, 1.5, size), 2, size)
        suites[name] = study(found, 2, name)
    date = np.concatenate([np.linspace(0, 1, 60), np.linspace(0, 1, 30), np.linspace(0, 1, 12)])
    kind = np.where(np.arange(102) % 3, "common", "rare")
    fit = fit_hierarchy(suites, seed=2, covariates={"date": date, "kind": kind}, draws=100)
    assert fit.new.mean.shape == (8, 3)
    np.testing.assert_allclose(fit.overall.mean, fit.new.mean.mean(axis=1))
    assert np.all(fit.overall.sd < fit.new.sd[:, 2])
    assert set(fit.effects) == {"date", "kind=rare"}
    assert set(fit.scales) == {"agents", "questions", "agents by suite", "agents by questions"}
    assert np.all(fit.ranks.low <= fit.ranks.high)
    np.testing.assert_allclose(fit.ranks.probability.sum(axis=0), 1)


def test_the_effect_of_a_covariate_is_found():
    x = np.linspace(-1.7, 1.7, 80)
    rng = np.random.default_rng(1)
    passed = drawn(np.linspace(-1, 1, 10), 0.5 + 1.0 * x + 0.5 * rng.standard_normal(80), 3, 1)
    fit = fit_hierarchy({"s": study(passed, 3)}, seed=1, covariates={"length": x}, draws=120)
    effect = fit.effects["length"]
    assert effect.low < x.std() < effect.high
    assert effect.sd < 0.15


def test_ranks_by_draws():
    rng = np.random.default_rng(0)
    draws = rng.normal([0.5, 0.49, 0.48, 0.2], 0.03, (4000, 4))
    predicted = rng.normal([[0.5], [0.49], [0.48], [0.2]], 0.15, (4, 51))
    ranks = ranked(draws, predicted)
    np.testing.assert_allclose(ranks.probability.sum(axis=0), 1)
    np.testing.assert_allclose(ranks.probability.sum(axis=1), 1)
    assert ranks.low.tolist() == [1, 1, 1, 4]
    assert ranks.high.tolist() == [3, 3, 3, 4]
    assert ranks.expected[0] < ranks.expected[1] < ranks.expected[2] < ranks.expected[3] == pytest.approx(4, abs=0.01)
    assert ranks.verdict == ("shown",) * 4
    assert ranks.verdicts[3].tolist() == ["shown"] * 3 + ["cannot tell"]
    assert set(ranks.verdicts[0, :3]) == {"cannot tell"}


def test_few_clusters_show_an_order_only_if_rare_large_differences_can_be_excluded():
    rng, count = np.random.default_rng(0), 50
    draws, predicted = rng.normal([0.5, 0.3], 0.03, (4000, 2)), rng.normal([[0.5], [0.3]], 0.15, (2, count))
    weights, clusters = np.full(count, 1 / count), np.arange(count) // 10
    for units, verdict in ((np.arange(count), "shown"), (clusters, "shown if rare large differences can be excluded")):
        ranks = rank_draws(draws, predicted, weights, units, units.max(), 0.9)
        assert ranks.verdict == (verdict,) * 2
        assert ranks.low.tolist() == [1, 2 if verdict == "shown" else 1]


def ranked(draws, predicted):
    """The ranks of one study whose questions are independent and weigh the same."""
    count = predicted.shape[1]
    return rank_draws(draws, predicted, np.full(count, 1 / count), np.arange(count), count - 1, 0.95)


def batch(passed, samples, rng, sweeps=1300):
    """Draws of scores on new questions of many complete studies at once, shape (draws, studies, agents), and what is
    predicted of each question.
    """
    fits, agents, questions = passed.shape
    design = Design(np.zeros(questions, dtype=int), np.zeros((questions, 0)), interaction=True)
    start, trials = draw_prior(design, agents, fits, rng), np.full((1, agents, questions), float(samples))
    sampler = Sampler(design, passed.astype(float), trials, start, rng)
    draws, predicted = [], np.zeros(passed.shape)
    for sweep in range(sweeps):
        sampler.sweep()
        if sweep >= 300 and sweep % 2:
            weights, chance = rng.standard_gamma(1 - 2 / questions, (fits, questions)), sampler.pass_probabilities()
            predicted += chance
            draws.append((chance * weights[:, None]).sum(axis=2) / weights.sum(axis=1, keepdims=True))
    return np.array(draws), predicted / len(draws)


@pytest.mark.parametrize("questions", [15, 30])
def test_equal_agents_are_not_ranked_apart(questions):
    """Ten equal agents of 5 samples, each with questions that suit it: any false order in at most 5% of 300 studies."""
    rng = np.random.default_rng(questions)
    eta = rng.normal(0, 2, (300, 1, questions)) + rng.standard_normal((300, 10, questions))
    draws, predicted = batch(rng.binomial(5, 1 / (1 + np.exp(-eta))), 5, rng, 900)
    apart = [bool((ranked(draws[:, study], predicted[study]).low > 1).any()) for study in range(300)]
    print(f"{questions} questions: any false order {np.mean(apart):.3f}")
    assert np.mean(apart) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)


def test_samples_written_several_times_count_once():
    passed = drawn([0, 1], np.linspace(-1, 1, 20), 4, 0)
    passed[0] = np.where(passed[0] >= 2, 4, 0)
    joined = join({"s": study(passed, 4)})
    assert joined.trials[0].max() == 1
    assert joined.trials[1].min() == 4
    assert "agent 0 never disagree" in joined.notes[0]


def test_effective_draws_and_agreement_of_chains():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((4, 4000, 2))
    chain = noise.copy()
    for t in range(1, 4000):
        chain[:, t, 1] = 0.6 * chain[:, t - 1, 1] + 0.8 * noise[:, t, 1]
    ess = bulk_ess(chain)
    assert ess[0] == pytest.approx(16000, rel=0.1)
    assert ess[1] == pytest.approx(16000 * 0.4 / 1.6, rel=0.15)  # (1 - r) / (1 + r) of a first-order process
    assert rank_r_hat(chain).max() < 1.01
    assert rank_r_hat(chain + np.array([0, 0, 0, 0.5])[:, None, None]).min() > 1.02
    assert rank_r_hat(chain * np.array([1, 1, 1, 2])[:, None, None]).min() > 1.02  # only the tails differ
    short = rng.standard_normal((4, 100, 50))
    rounded = short * (1 + 1e-15 * rng.standard_normal(short.shape))  # as another machine does
    assert rank_r_hat(rounded) == pytest.approx(rank_r_hat(short), abs=1e-9)


def test_chains_that_did_not_converge_are_marked(monkeypatch):
    monkeypatch.setattr("honestly.stats.hierarchy._fit._WARM_UP", 0)
    monkeypatch.setattr("honestly.stats.hierarchy._fit._THIN", (1,))  # what the fixture does, and no warm-up
    fit = fit_hierarchy({"s": study(drawn([0, 1, 2], np.linspace(-1, 1, 30), 5, 0), 5)}, seed=1, draws=100)
    assert not fit.convergence.has_converged
    assert "NOT converged" in fit.notes[0]


def test_what_cannot_be_fitted_is_refused():
    good = study(drawn([0, 1], np.linspace(-1, 1, 10), 2, 0), 2)
    with pytest.raises(StatisticsError, match="no suite"):
        fit_hierarchy({}, seed=0)
    with pytest.raises(StatisticsError, match="2 of the 4 questions"):
        fit_hierarchy({"s": study(np.array([[1, 0], [0, 1]]), 1)}, seed=0)
    with pytest.raises(StatisticsError, match="no sample counts of agent 1"):
        fit_hierarchy({"s": study(np.zeros((2, 5), dtype=int), np.array([[1], [0]]))}, seed=0)
    with pytest.raises(StatisticsError, match="each of 10 questions"):
        fit_hierarchy({"s": good}, seed=0, covariates={"x": [1, 2]})
    with pytest.raises(StatisticsError, match="not finite for 1"):
        fit_hierarchy({"s": good}, seed=0, covariates={"x": [np.nan, *range(9)]})
    with pytest.raises(StatisticsError, match="the same for every"):
        fit_hierarchy({"s": good}, seed=0, covariates={"x": ["a"] * 10})
    with pytest.raises(StatisticsError, match="cannot be checked"):
        fit_hierarchy({"s": good}, seed=0, chains=1)


def test_a_frontier_counts_who_is_beaten():
    draws = np.array([[0.5, 0.6, 0.4], [0.7, 0.6, 0.4]])
    costs = np.array([[1.0, 1.0], [2.0, 2.0], [1.5, np.nan]])
    found = accuracy_cost_frontier(["cheap", "good", "neither"], draws, costs, seed=0)
    np.testing.assert_allclose(found.probability, [1.0, 0.5, 0.0])
    np.testing.assert_allclose(found.cost.mean, [1, 2, 1.5])
    with pytest.raises(StatisticsError, match="no cost is known of neither"):
        accuracy_cost_frontier(["cheap", "good", "neither"], draws, np.array([[1.0], [1.0], [np.nan]]), seed=0)


@pytest.mark.parametrize("tail", ["normal", "two kinds"])
def test_intervals_of_scores_on_new_questions_cover(tail):
    """500 studies at once, of difficulties as the model has them and as it has them not: easy ones and hopeless ones."""
    fits, questions = 500, 40
    rng = np.random.default_rng(11)
    abilities = np.array([-0.5, 0.0, 0.3, 1.0])

    def difficulties(*shape):
        if tail == "normal":
            return rng.normal(0.5, 2.0, shape)
        return np.where(rng.random(shape) < 0.4, 8.0, rng.normal(-1, 1.0, shape))

    wide = difficulties(200_000)
    truth = (1 / (1 + np.exp(wide - abilities[:, None]))).mean(axis=1)
    eta = abilities[:, None] - difficulties(fits, 1, questions)
    passed = rng.binomial(3, 1 / (1 + np.exp(-eta)))
    draws, predicted = batch(passed, 3, rng)
    low, high = guarded_ends(draws, predicted)
    covered = ((low <= truth) & (truth <= high)).mean(axis=0)
    print(tail, "coverage by agent", covered)
    assert np.all(covered > 0.92)


def guarded_ends(draws, predicted):
    """Ends of shape (studies, agents)."""
    questions = predicted.shape[2]
    weights, units = np.full((questions, 1), 1 / questions), np.arange(questions)
    ends = [
        guarded_scores(draws[:, study, :, None], each, weights, units, 0.95) for study, each in enumerate(predicted)
    ]
    return (np.array([getattr(each, end)[:, 0] for each in ends]) for end in ("low", "high"))


@pytest.mark.parametrize(("mean", "questions", "samples"), [(0.03, 30, 5), (0.03, 30, 1), (0.97, 30, 5), (0.03, 80, 5),
                                                            (0.5, 30, 5), (0.03, 15, 5)])  # fmt: skip
def test_intervals_hold_near_the_edges(mean, questions, samples):
    """200 studies of four agents, each with chances of its own; the draws alone hold 90 to 98%, with equal chances 78."""
    rng, fits = np.random.default_rng(30), 200
    chances = rng.beta(2 * mean, 2 * (1 - mean), (fits, 4, questions))
    draws, predicted = batch(rng.binomial(samples, chances), samples, rng, 900)
    low, high = guarded_ends(draws, predicted)
    alone = np.quantile(draws, [0.025, 0.975], axis=0)
    held, held_alone = (((one <= mean) & (mean <= other)).mean() for one, other in ((low, high), alone))
    apart = [bool((ranked(draws[:, study], predicted[study]).low > 1).any()) for study in range(fits)]
    print(
        f"mean {mean}, {questions} questions: {held:.1%}, draws alone {held_alone:.1%}; ranked apart {np.mean(apart):.1%}"
    )
    assert held >= 0.93 - 2 * np.sqrt(0.07 * 0.93 / (4 * fits))
    assert np.mean(apart) <= 0.055 + 2 * np.sqrt(0.05 * 0.95 / fits)


def test_few_cells_of_a_real_evaluation_predict_the_others():
    """SWE-bench, four models: held-out cells are predicted better than by the means of agents and questions."""
    data = evaluation("swebench_bash_only_4models")
    trials = data.count.astype(int)
    out = np.random.default_rng(0).random(trials.shape) < 0.2
    kept, right = np.where(out, 0, trials), np.where(out, 0, data.correct).astype(int)
    fit = fit_hierarchy({"s": study(right, kept)}, seed=1, draws=120)
    question = (right.sum(axis=0) + 0.5) / (kept.sum(axis=0) + 1)
    agent = (right.sum(axis=1) + 0.5) / (kept.sum(axis=1) + 1)
    both = np.clip(question + (agent - right.sum() / kept.sum())[:, None], 0.01, 0.99)
    truth = data.correct[out]

    def log_score(chance):
        p = np.broadcast_to(chance, out.shape)[out]
        return float(np.where(truth > 0, np.log(p), np.log1p(-p)).mean())

    assert log_score(fit.predicted) > max(log_score(agent[:, None]), log_score(question), log_score(both))
