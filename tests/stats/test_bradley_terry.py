"""Strengths from preferences: closed forms, a logistic regression by statsmodels, and truths that were put in."""

import itertools

import numpy as np
import pytest

from honestly.errors import StatisticsError
from honestly.stats import Preference, bradley_terry


def preferences(strength, answers, seed, questions=0, spread=0.0, raters=0):
    """Answers about random pairs; each question favours agents by its own normal amounts."""
    rng = np.random.default_rng(seed)
    favour = spread * rng.standard_normal((max(questions, 1), len(strength)))
    found = []
    for _ in range(answers):
        i, j = rng.choice(len(strength), 2, replace=False)
        question, rater = rng.integers(max(questions, 1)), rng.integers(max(raters, 1))
        gap = strength[i] - strength[j] + favour[question, i] - favour[question, j]
        share = float(rng.random() < 1 / (1 + np.exp(-gap)))
        found.append(
            Preference(f"agent {i}", f"agent {j}", share, f"q{question}" * bool(questions), f"r{rater}" * bool(raters))
        )
    return found


def test_two_agents_have_the_log_odds_of_their_wins():
    found = bradley_terry([Preference("a", "b", 1.0)] * 30 + [Preference("b", "a", 1.0)] * 10)
    assert found.strength[0] - found.strength[1] == pytest.approx(np.log(3), abs=1e-9)
    assert found.wins[0, 1] == pytest.approx(0.75)
    # Of a difference d = 2 s the variance is 1 / (n p q), and n / (n - 1) for answers as clusters of one.
    assert 2 * found.se[0] == pytest.approx(np.sqrt(40 / 39 / (40 * 0.75 * 0.25)), rel=1e-6)
    assert found.rank.tolist() == [1, 2]


def test_a_tie_is_half_a_win_and_the_order_of_a_pair_does_not_matter():
    ties = bradley_terry([Preference("a", "b", 0.5)] * 8 + [Preference("a", "b", 1.0)] * 4)
    assert ties.strength[0] - ties.strength[1] == pytest.approx(np.log(8 / 4))
    some = preferences([0, 1, 0.5], 60, 1, 12)
    turned = [Preference(each.b, each.a, 1 - each.share, each.question) for each in some]
    one, other = bradley_terry(some), bradley_terry(turned)
    np.testing.assert_allclose(one.strength, other.strength, atol=1e-9)
    np.testing.assert_allclose(one.se, other.se, atol=1e-9)


def test_strengths_and_errors_are_those_of_a_clustered_logistic_regression():
    found = preferences([0.5, 0.0, -0.3, 0.2], 300, 2, 40, 0.8)
    fit = bradley_terry(found)
    sides = np.zeros((len(found), 4))
    for row, each in enumerate(found):
        sides[row, fit.agents.index(each.a)], sides[row, fit.agents.index(each.b)] = 1, -1
    groups = np.unique([each.question for each in found], return_inverse=True)[1]
    import statsmodels.api as sm  # two seconds

    model = sm.GLM([each.share for each in found], sides[:, 1:], family=sm.families.Binomial())
    other = model.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    factor = np.sqrt(len(set(groups)) / (len(set(groups)) - 1))
    np.testing.assert_allclose(fit.strength[1:] - fit.strength[0], other.params, atol=1e-6)
    pinned = np.vstack([np.zeros(3), np.eye(3)]) - np.ones((4, 1)) @ np.ones((1, 3)) / 4  # to strengths of mean 0
    covariance = pinned @ other.cov_params() @ pinned.T
    np.testing.assert_allclose(fit.se, factor * np.sqrt(np.diag(covariance)), rtol=1e-5)
    assert fit.clusters == {"questions": 40}


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0])
def test_intervals_cover_where_answers_about_a_question_go_together(seed):
    strength = np.array([0.6, 0.2, -0.2, -0.6])
    # What the model estimates when questions have favours of their own: the strengths that many answers give.
    truth = bradley_terry(preferences(strength, 6_000, 999, 6_000, 1.0)).strength
    covered, plain = [], []
    for study in range(80):
        found = preferences(strength, 160, 1000 * seed + study, 30, 1.0)
        fit = bradley_terry(found)
        covered.append((fit.low <= truth) & (truth <= fit.high))
        alone = bradley_terry([Preference(each.a, each.b, each.share) for each in found])
        plain.append((alone.low <= truth) & (truth <= alone.high))
    print(f"coverage {np.mean(covered):.3f}, without clusters {np.mean(plain):.3f}")
    assert 0.93 <= np.mean(covered) <= 0.975
    assert np.mean(plain) < np.mean(covered)


@pytest.mark.slow
def test_equal_agents_are_not_ranked_apart():
    apart = 0
    for study in range(300):
        fit = bradley_terry(preferences(np.zeros(6), 300, study, 60, 0.5))
        apart += bool((fit.rank_low > 1).any() or (fit.rank_high < 6).any())
    print(f"any false order among six equal agents: {apart / 300:.3f}")
    assert apart / 300 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)


def test_raters_and_questions_count_both():
    found = preferences([0, 0.5, 1.0], 400, 4, 30, 1.0, raters=12)
    both = bradley_terry(found)
    assert both.clusters == {"questions": 30, "raters": 12}
    only = bradley_terry([Preference(each.a, each.b, each.share, "", each.rater) for each in found])
    assert only.clusters == {"raters": 12}
    assert both.se.mean() > only.se.mean()


def test_who_never_lost_is_held_by_a_prior_and_said():
    beaten = [Preference("a", "b", 1.0)] * 5 + [Preference("b", "c", 1.0), Preference("c", "b", 1.0)]
    found = bradley_terry(beaten)
    assert np.isfinite(found.strength).all()
    assert "set no limit to their distance" in found.notes[0]
    apart = [Preference("a", "b", s) for s in (0, 1)] + [Preference("c", "d", s) for s in (0, 1)]
    assert "set no limit" in bradley_terry(apart).notes[0]
    assert bradley_terry([Preference(x, y, 1.0) for x, y in itertools.permutations("abc", 2)]).notes == ()


def test_few_clusters_are_said_and_nonsense_is_refused():
    assert any("4 questions are few" in note for note in bradley_terry(preferences([0, 1], 40, 0, 4)).notes)
    with pytest.raises(StatisticsError, match="no preferences"):
        bradley_terry([])
    with pytest.raises(StatisticsError, match="two agents and a share"):
        bradley_terry([Preference("a", "a", 1.0)])
    with pytest.raises(StatisticsError, match="two agents and a share"):
        bradley_terry([Preference("a", "b", 1.5)])


def test_effects_of_features_are_those_of_a_clustered_logistic_regression():
    rng, answers = np.random.default_rng(5), []
    for each in preferences([0.5, 0.0, -0.3], 400, 6, 50, 0.5):
        length = rng.normal(), rng.normal()
        share = each.share if rng.random() < 0.5 else float(length[0] > 0)
        answers.append(Preference(each.a, each.b, share, each.question, "", length))
    fit = bradley_terry(answers)
    sides = np.zeros((400, 3))
    for row, each in enumerate(answers):
        sides[row, fit.agents.index(each.a)], sides[row, fit.agents.index(each.b)] = 1, -1
    groups = np.unique([each.question for each in answers], return_inverse=True)[1]
    import statsmodels.api as sm  # two seconds

    design = np.column_stack([sides[:, 1:], [each.features for each in answers]])
    model = sm.GLM([each.share for each in answers], design, family=sm.families.Binomial())
    other = model.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    np.testing.assert_allclose(fit.effects, other.params[2:], atol=1e-6)
    np.testing.assert_allclose(fit.effects_se, np.sqrt(50 / 49) * other.bse[2:], rtol=1e-5)
    np.testing.assert_allclose(fit.strength[1:] - fit.strength[0], other.params[:2], atol=1e-6)


def test_a_feature_that_decides_everything_is_held_by_a_prior_and_numbers_must_agree():
    told = [Preference("a", "b", float(at % 2), "", "", (1.0 if at % 2 else -1.0,)) for at in range(40)]
    fit = bradley_terry(told)
    assert 2 < fit.effects[0] < 10
    assert "a feature decides" in fit.notes[0]
    with pytest.raises(StatisticsError, match="more features"):
        bradley_terry([Preference("a", "b", 1.0), Preference("b", "a", 1.0, features=(1.0,))])
