"""Draw the pictures of the methods pages: `python docs/methods/pictures.py [NAME ...] [--into FOLDER]`.

One function for each page, named like it. Numbers come from closed forms, or from simulations with a seed written in
the function; nothing is read from anywhere. Without names all pictures are drawn.

Not covered: how lines and rows are drawn (`chart.py`), the made-up evaluations (`made_up.py`), and the report's own
figures, which are used where they fit.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from chart import Axis, Bar, Curve, interval_rows, level_line, line_chart, percent
from made_up import binomial, made_up, unscored
from numpy.typing import NDArray

from honestly import stats
from honestly.leaderboards import difference_matrix, heatmap_figure, noise_stack, pass_curves, policy_ranks
from honestly.plans import PlanQuestion, prior_basis, study_plan
from honestly.show.drawing._layout import Key
from honestly.stats._ladder import _expected_maximum
from honestly.stats._means import clustered_mean, mean_of_questions
from honestly.stats._special import normal_cdf, normal_ppf, t_quantile, t_two_sided

Floats = NDArray[np.float64]
HERE = Path(__file__).parent
_SPREAD = 0.16
"""Variance of the difference of two agents at one question, five samples each; the median pair of Terminal-Bench."""


def pairs(x: Floats, y: Floats) -> list[tuple[float, float]]:
    """Points of a curve."""
    return list(zip(x.tolist(), y.tolist(), strict=True))


def scores_and_intervals() -> str:
    """Exact coverage at n = 20, over all true scores."""
    n, truth = 20, np.linspace(0.01, 0.99, 197)
    share = np.arange(n + 1) / n
    half = 1.96 * np.sqrt(share * (1 - share) / n)
    intervals = {
        "Wald": ("visible", (share - half, share + half)),
        "Wilson": ("honest", stats.wilson_interval(np.arange(n + 1), n)),
        "Clopper-Pearson": ("third", stats.clopper_pearson_interval(np.arange(n + 1), n)),
    }
    curves = [level_line(0.95, 0, 1)]
    for name, (colour, (low, high)) in intervals.items():
        inside = (low[:, None] <= truth) & (truth <= high[:, None])
        curves.append(Curve(name, colour, pairs(truth, (binomial(n, truth) * inside).sum(axis=0))))
    title = "How often a 95% interval contains the true score, 20 questions"
    axes = Axis("true score", 0, 1, percent), Axis("coverage", 0.6, 1, percent)
    return line_chart(title, "Wald's interval falls far below 95% near 0 and 1", *axes, curves).canvas.render()


def standard_errors_and_estimands() -> str:
    """Standard errors of one score against samples per question, closed form."""
    k = np.arange(1.0, 21)
    new, these = (
        stats.DesignVariance(total, (0.08,), estimand)
        for total, estimand in ((0.24, stats.Estimand.NEW_QUESTIONS), (0.08, stats.Estimand.THESE_QUESTIONS))
    )
    curves = [
        Curve(name, colour, pairs(k, np.array([np.sqrt(v.per_question((float(n),)) / 80) for n in k])))
        for name, colour, v in (
            ("new questions of this kind", "honest", new),
            ("exactly these questions", "visible", these),
        )
    ]
    axes = Axis("samples per question", 1, 20, at=(1, 5, 10, 15, 20)), Axis("standard error", 0, 0.06, percent)
    title = "Two error bars of one score: 80 questions, data variance 0.16, prediction variance 0.08"
    return line_chart(title, "The first flattens, the second goes to zero", *axes, curves).canvas.render()


def noise_components() -> str:
    """The report's noise stack over five made-up agents."""
    resolved = made_up([1.5, 0.8, 0.2, -0.6, -1.6], 80, 5, 3).resolve()
    found = [stats.noise_components(resolved, agent) for agent in resolved.agents]
    parts = ([getattr(n, part).value for n in found] for part in ("data", "prediction", "total"))
    return noise_stack(resolved.agents, *parts).svg


def paired_comparison() -> str:
    """One data set, the difference with and without pairing."""
    resolved = made_up([0.55, 0.0], 80, 5, 4).resolve()
    a, b = resolved.agents
    paired, welch = stats.compare(resolved, a, b), stats.compare_unpaired(resolved, a, b)
    bars = [
        Bar(f"{name} (p = {found.p_value:.2g})", found.interval[0], found.difference, found.interval[1], colour)
        for name, found, colour in (("paired", paired, "honest"), ("as if unpaired", welch, "visible"))
    ]
    title = "Difference of two agents on the same 80 questions, 95% interval"
    axis = Axis("score of A minus score of B", -0.1, 0.2, percent)
    return interval_rows(title, "The paired interval excludes zero, the unpaired one does not", axis, bars, [], mark=0)


def mcnemar() -> str:
    """Exact size of both tests against the number of questions, when one question in five is answered differently."""
    most = 80
    given = np.zeros((2, most + 1))
    for m in range(1, most + 1):
        wins = np.arange(m + 1)
        mass = binomial(m, np.array([0.5]))[:, 0]
        for row, test in enumerate((stats.mcnemar_exact, stats.mcnemar_mid)):
            given[row, m] = mass[test(wins, m - wins) <= 0.05].sum()
    questions = np.arange(20.0, 201, 4)
    curves = [level_line(0.05, 20, 200)]
    for name, colour, size in (("exact", "visible", given[0]), ("mid-p", "honest", given[1])):
        expected = [float(size[: n + 1] @ binomial(n, np.array([0.2]))[: most + 1, 0]) for n in range(20, 201, 4)]
        curves.append(Curve(name, colour, pairs(questions, np.array(expected))))
    axes = (
        Axis("questions, of which one in five is answered differently", 20, 200),
        Axis("false alarms", 0, 0.06, percent),
    )
    title = "How often McNemar's test at 5% calls two equal agents different"
    return line_chart(title, "mid-p comes close to 5%, the exact test stays below", *axes, curves).canvas.render()


def flips() -> str:
    """Samples of each agent before the flip of one question, from none to all, is certain among so many."""
    questions = np.array([1.0, 2, 5, *range(10, 501, 10)])
    curves = [
        Curve(name, colour, [(count, float(stats.samples_for_certainty(int(count), alpha))) for count in questions])
        for name, colour, alpha in (("at 5%", "honest", 0.05), ("at 1%", "visible", 0.01))
    ]
    axes = Axis("questions that are looked at", 0, 500), Axis("samples of each agent", 0, 12)
    title = "How many samples make the flip of one question certain"
    return line_chart(title, "Fisher's test, after Holm's correction for all questions", *axes, curves).canvas.render()


def equivalence() -> str:
    """How often equal agents are found equivalent, for three margins; normal approximation."""
    questions = np.arange(20.0, 1001, 20)
    curves = []
    for margin, colour in ((0.1, "honest"), (0.05, "visible"), (0.02, "third")):
        error = np.sqrt(_SPREAD / questions)
        found = np.maximum(2 * normal_cdf(margin / error - normal_ppf(0.95)) - 1, 0)
        curves.append(Curve(f"margin {100 * margin:.0f} points", colour, pairs(questions, found)))
    axes = Axis("questions, five samples each", 0, 1000), Axis("found equivalent", 0, 1, percent)
    title = "How often two equal agents are found equivalent"
    return line_chart(title, "a margin of 2 points needs thousands of questions", *axes, curves).canvas.render()


def ladder() -> str:
    """The best score of equal agents, and the lead that a ladder asks for; 200 questions, five samples each."""
    error, count = float(np.sqrt(_SPREAD / 200)), np.arange(2, 101)
    luck = [error / np.sqrt(2) * _expected_maximum(int(each)) for each in count]
    needed = [t_quantile(1 - 12 * 0.05 / (np.pi * each) ** 2, 199) * error for each in count - 1]
    curves = [
        Curve("what the best of them has too much, on average", "visible", pairs(count, np.array(luck))),
        Curve("lead that the ladder asks of the next", "honest", pairs(count, np.array(needed))),
    ]
    axes = Axis("submissions, all equally good", 0, 100), Axis("lead", 0, 0.14, percent)
    title = "What asking often costs: 200 questions, five samples each"
    return line_chart(title, "luck grows with submissions; the ladder asks for more", *axes, curves).canvas.render()


def clusters() -> str:
    """Simulated size of three tests of a mean of zero when questions of a cluster move together."""
    sizes = np.array([46, 15, 9, 7, 6, 5, 4, 3, 2, 1, 1, 1])
    codes, rng = np.repeat(np.arange(12), sizes), np.random.default_rng(6)
    shares = np.linspace(0, 0.5, 6)
    drawn: list[list[float]] = []
    for share in shares:
        own, common, coin = (rng.random(shape) - rng.random(shape) for shape in ((4000, 100), (4000, 12), (4000, 12)))
        copies = rng.random(own.shape) < np.sqrt(share)
        values = np.where(copies, common[:, codes], own)
        tossed = np.where(copies, np.sign(coin)[:, codes], np.sign(own))
        found = (
            mean_of_questions(values),
            clustered_mean(values, codes, kind="CR1"),
            clustered_mean(values, codes),
            clustered_mean(tossed, codes),
        )
        drawn.append([float((t_two_sided(each.mean / each.se, each.df) <= 0.05).mean()) for each in found])
    names = ("questions as independent", "CR1", "CR2 with Bell-McCaffrey", "the same, clusters that win or lose as one")
    curves = [level_line(0.05, 0, 0.5)]
    for name, colour, rates in zip(names, ("visible", "third", "honest", "muted"), np.array(drawn).T, strict=True):
        curves.append(Curve(name, colour, pairs(shares, rates)))
    axes = Axis("correlation of two questions of one cluster", 0, 0.5), Axis("false alarms", 0, 0.7, percent)
    title = "How often equal agents are called different: 100 questions in 12 unequal clusters"
    return line_chart(title, "Only CR2 stays near 5%", *axes, curves).canvas.render()


def multiplicity() -> str:
    """The report's difference matrix over nine made-up agents: dots survive Holm, rings do not."""
    resolved = made_up([1.0, 0.9, 0.7, 0.6, 0.4, 0.2, 0.0, -0.3, -0.7], 60, 5, 7).resolve()
    found = stats.compare_all(resolved)
    tables = (matrix.tolist() for matrix in (found.difference, found.p_value, found.p_holm))
    return difference_matrix(found.agents, *tables).svg


def ranks() -> str:
    """Simultaneous and marginal rank intervals of ten made-up agents."""
    resolved = made_up([1.4, 1.1, 1.0, 0.6, 0.5, 0.3, 0.0, -0.2, -0.8, -0.9], 80, 5, 8).resolve()
    found = stats.rank_intervals(resolved, seed=0)
    order = np.argsort(found.rank, kind="stable")
    bars = [
        Bar(
            f"{found.agents[i]}, P(top) {found.p_top[i]:.0%}",
            float(found.low[i]),
            float(found.rank[i]),
            float(found.high[i]),
            inner=(float(found.marginal_low[i]), float(found.marginal_high[i])),
        )
        for i in order
    ]
    keys = [Key("rank; thin: all ranks together with 95%; thick: one agent chosen beforehand", "honest")]
    return interval_rows(
        "Ranks of ten agents on 80 questions",
        "Most intervals overlap",
        Axis("rank", 1, 10, at=range(1, 11)),
        bars,
        keys,
    )


def pass_at_k() -> str:
    """The report's pass curves of four made-up agents."""
    resolved = made_up([1.2, 0.4, -0.3, -1.2], 60, 8, 9).resolve()
    curves = [
        [[call(resolved, agent, k).value for k in range(1, 9)] for agent in resolved.agents]
        for call in (stats.pass_at_k, stats.pass_all_k)
    ]
    return pass_curves(resolved.agents, *curves).svg


def consistency_and_icc() -> str:
    """Expected value of both estimators against samples per question, closed form, for `P ~ uniform` over questions."""
    chance = np.linspace(0.005, 0.995, 100)
    k = np.arange(2.0, 21)
    truth = float(((2 * chance - 1) ** 2).mean())
    biased = truth + 4 * float((chance * (1 - chance)).mean()) / k
    curves = [
        Curve("mean (2 p̂ - 1)², as published elsewhere", "visible", pairs(k, biased)),
        Curve("1 - 4 mean s²", "honest", pairs(k, np.full(k.size, truth))),
    ]
    axes = Axis("samples per question", 2, 20, at=range(2, 21, 2)), Axis("expected consistency", 0, 0.8)
    title = "What the two estimators of consistency give on average"
    return line_chart(title, "The plug-in falls towards the truth from above", *axes, curves).canvas.render()


def power_and_planning() -> str:
    """The curve of `honestly plan`, from a prior."""
    basis, asked = prior_basis(0.5), PlanQuestion(gaps=(0.05,), samples=(1, 5), questions=80)
    return study_plan(basis, asked).figures["plan"].svg


def budget() -> str:
    """Standard error against samples per question at a fixed budget, for three prices of a question."""
    variance, money = stats.DesignVariance(0.25, (0.075, 0.075), stats.Estimand.NEW_QUESTIONS), 2000.0
    k = np.arange(1.0, 16)
    curves, best = [], []
    for price, colour in ((0.0, "honest"), (10.0, "third"), (40.0, "visible")):
        prices = stats.DesignPrices(price, (1.0, 1.0))
        se = np.array(
            [np.sqrt(variance.per_question((n, n)) * prices.per_question((n, n)) / money) for n in k.tolist()]
        )
        curves.append(Curve(f"a question costs {price:g}", colour, pairs(k, se)))
        best.append(Curve("", colour, [(float(k[se.argmin()]), float(se.min()))], dots=True))
    axes = (
        Axis("samples of each agent per question", 1, 15, at=range(1, 16, 2)),
        Axis("standard error", 0, 0.1, percent),
    )
    title = "What 2000 buys, a sample costs 1: dots are the best choices"
    return line_chart(title, "Dearer questions deserve more samples", *axes, [*curves, *best]).canvas.render()


def sequential() -> str:
    """Simulated runs of two equal agents, looked at after every question: how many were ever called different."""
    rng, questions = np.random.default_rng(13), np.arange(1.0, 501)
    draw = rng.random((3000, questions.size))
    wins, losses = np.cumsum(draw < 0.15, axis=1), np.cumsum(draw > 0.85, axis=1)
    mean = (wins - losses) / questions
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = ((wins + losses) / questions - mean**2) * questions / (questions - 1)
        naive = np.abs(mean) > 1.96 * np.sqrt(variance / questions)
    sequence = np.abs(mean) > stats.sequence_radius(questions, variance, 0.05, 250)
    exact = stats.win_loss_evidence(wins, losses) >= -np.log(0.05)
    late = questions >= 20
    curves = [level_line(0.05, 0, 500)]
    for name, colour, rejected in (
        ("|z| > 1.96 at every question", "visible", naive & late),
        ("confidence sequence", "third", sequence & late),
        ("win-loss e-value", "honest", exact),
    ):
        share = np.maximum.accumulate(rejected, axis=1).mean(axis=0)
        curves.append(Curve(name, colour, pairs(questions[19::4], share[19::4])))
    axes = Axis("questions seen", 0, 500), Axis("runs stopped with a false verdict", 0, 0.4, percent)
    title = "Two equal agents, a look after every question"
    return line_chart(title, "Only the naive test exceeds 5%", *axes, curves).canvas.render()


def policies_and_bounds() -> str:
    """The report's ranks under three policies."""
    scores = unscored()
    policies = {
        "failed": stats.Policy(void="fail"),
        "left out": stats.Policy(void="drop"),
        "passed": stats.Policy(void="pass"),
    }
    rows = [[found.mean for found in stats.score_all(scores.resolve(policy))] for policy in policies.values()]
    names = [f"{name}, first in any case" if name == "agent B" else name for name in scores.agents]
    return policy_ranks(names, list(policies), rows).svg


def benchmark_health() -> str:
    """The report's heatmap of made-up agents, with a question that only weak agents solve."""
    resolved = made_up([2.0, 1.4, 0.9, 0.4, 0.0, -0.5, -1.0, -1.8], 60, 4, 16).resolve()
    means = resolved.mean.copy()
    means[:, 30] = 1 - means[:, 30]
    return heatmap_figure(resolved.agents, resolved.questions, means).svg


def suite_agreement() -> str:
    """Ranks by mean score, before and after suites are rescaled in the worst way found."""
    rng, agents, suites = np.random.default_rng(17), 8, 4
    table = np.linspace(0.7, 0.3, agents)[:, None] + 0.3 * (rng.random((agents, suites)) - 0.5)
    names = tuple(f"agent {chr(65 + i)}" for i in range(agents))
    found = stats.suite_agreement(table, names, ("one", "two", "three", "four"), seed=0)
    orders = [
        (-means).argsort(kind="stable").argsort() + 1 for means in (table.mean(axis=1), table @ found.scale.choice)
    ]
    moved = int(np.abs(orders[0] - orders[1]).argmax())
    curves = [
        Curve(
            "the agent that moves most" if i == moved else "",
            "visible" if i == moved else "honest",
            [(0, 9 - float(orders[0][i])), (1, 9 - float(orders[1][i]))],
        )
        for i in range(agents)
    ]
    words = {0.0: "by mean score", 1.0: "after rescaling the suites"}
    axes = (
        Axis("", -0.1, 1.1, words.__getitem__, at=(0.0, 1.0)),
        Axis("rank", 0.5, 8.5, lambda y: f"{9 - y:g}", at=range(1, 9)),
    )
    title = f"Same scores, other scales: concordance W = {found.concordance:.2f} of four suites"
    chart = line_chart(title, "Lines that cross are agents that change places", *axes, curves)
    for curve in curves:
        chart.draw(Curve("", curve.colour, curve.points, dots=True))
    return chart.canvas.render()


def validity() -> str:
    """Strict, lenient and best possible score of each agent."""
    found = stats.score_validity(unscored())
    bars = [
        Bar(f"{name}, {scorable:.0%} scored", low, value, high)
        for name, scorable, low, value, high in zip(
            found.agents, found.scorable, found.strict, found.lenient, found.upper, strict=True
        )
    ]
    keys = [Key("dot: unscored trials left out; line: from all of them failed to all passed", "honest")]
    axis = Axis("score", 0.2, 1, percent)
    return interval_rows("What the score could be", "Intervals that overlap leave the order open", axis, bars, keys)


def conformal() -> str:
    """Quantiles of the realised coverage of 90% sets against held-out questions."""
    sizes = np.array([20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 650, 800, 1000])
    ranks = np.ceil((sizes + 1) * 0.9 - 1e-9).astype(int)
    ends = [
        stats.coverage_interval(stats.Threshold(0.0, n, k)) for n, k in zip(sizes.tolist(), ranks.tolist(), strict=True)
    ]
    low, high = np.array(ends).T
    curves = [
        level_line(0.9, 0, 1000),
        Curve("95% of calibrations lie between these lines", "honest", pairs(sizes, low)),
        Curve("", "honest", pairs(sizes, high)),
    ]
    axes = Axis("held-out questions", 0, 1000), Axis("coverage of further questions", 0.7, 1, percent)
    title = "How much coverage 90% conformal sets really have"
    return line_chart(title, "The band narrows around 90%", *axes, curves).canvas.render()


def prediction_powered_inference() -> str:
    """One made-up study: 150 human labels, 3000 predictions that are too friendly."""
    rng, truth = np.random.default_rng(20), 0.6
    label = (rng.random(3150) < truth).astype(float)
    predicted = np.clip(0.15 + 0.7 * label + 0.2 * rng.random(label.size), 0, 1)
    known = stats.external_predictions(predicted[:150], predicted[150:], source="made up")
    found = stats.ppi_mean(stats.Labelled(label[:150], known))
    human = stats.mean_interval(found.human_only, found.human_only_se, found.df)
    pooled = np.concatenate([label[:150], predicted[150:]])
    error = 1.96 * float(pooled.std(ddof=1)) / np.sqrt(pooled.size)
    bars = [
        Bar("human labels only", float(human[0]), found.human_only, float(human[1]), "third"),
        Bar("prediction-powered", found.interval[0], found.mean, found.interval[1], "honest"),
        Bar("predictions as if labels", pooled.mean() - error, float(pooled.mean()), pooled.mean() + error, "visible"),
    ]
    axis = Axis("mean label; the vertical line is the truth", 0.5, 0.75, percent)
    title = "150 human labels and 3000 predictions, 95% intervals"
    return interval_rows(title, "Pooled predictions are narrow and wrong", axis, bars, [], mark=truth)


def prevalence() -> str:
    """Shares of missed positives that an audit of random trials leaves possible, out of 10,000."""
    reviewed, curves = range(60, 601, 4), []
    for name, colour, found in (("none found", "honest", 0), ("one", "third", 1), ("three", "visible", 3)):
        bounds = [stats.audit_bound(stats.Counted(found, n), 10_000) / 10_000 for n in reviewed]
        curves.append(Curve(name, colour, pairs(np.array(reviewed, dtype=float), np.array(bounds))))
    axes = Axis("random unflagged trials reviewed", 60, 600), Axis("still possible", 0, 0.15, percent)
    title = "Missed positives that an audit leaves possible, with 95% confidence"
    return line_chart(title, "three hundred clean trials prove one percent", *axes, curves).canvas.render()


def kappa() -> str:
    """Sixty trials that two people labelled, at three shares of hacks: the same raw agreement, other kappas."""
    bars = []
    for share in (0.5, 0.2, 0.05):
        hacks = round(60 * share)
        first = ["hack"] * hacks + ["honest"] * (60 - hacks)
        second = ["honest", "honest", *first[2:58], "hack", "hack"]
        found = stats.cohen_kappa(first, second)
        name = f"{hacks} of 60 hacks, {found.raw:.0%} agreed"
        bars.append(Bar(name, found.interval[0], found.kappa, found.interval[1], "honest"))
    title = "Two people who agree on nearly everything"
    axis = Axis("kappa, 95% intervals", -0.4, 1)
    return interval_rows(title, "The rarer the hacks, the less agreement proves", axis, bars, [], mark=0.0)


def hack_rate() -> str:
    """An honest agent and one that cheats in three of ten trials, at 30 tasks: rates and excess, both denominators."""
    rng, bars = np.random.default_rng(19), []
    slip, caught = rng.beta(1, 3, 30), rng.beta(2, 2, 30)
    tried = rng.binomial(40, 1 - caught)
    faulty = {str(at): stats.HiddenFailures(40, int(v), int(rng.binomial(v, slip[at]))) for at, v in enumerate(tried)}
    for name, cheats, colour in (("honest", 0.0, "honest"), ("cheats in 30%", 0.3, "visible")):
        passed = rng.binomial(4, 0.8, 30)
        failed = rng.binomial(passed, cheats + (1 - cheats) * slip)
        trials = {str(at): stats.HiddenFailures(4, int(passed[at]), int(failed[at])) for at in range(30)}
        for found in stats.hack_rate(trials, faulty):
            bars.append(Bar(f"{name}, of {found.over}", found.interval[0], found.rate, found.interval[1], colour))
            low, high = found.excess_interval
            bars.append(Bar("its excess", low, found.excess, high, "third"))
    title = "Hack rates of hidden tests, and what honest failure does not explain"
    axis = Axis("share of trials, 95% intervals", -0.4, 0.8, percent)
    return interval_rows(title, "The honest agent's excess is not above 0", axis, bars, [], mark=0.0)


def change_alarm() -> str:
    """Simulated agents over 30 checkpoints, 100 tasks twice each: shares whose alarm has sounded, by checkpoint."""
    rng, runs, length, trials = np.random.default_rng(19), 400, 30, 200.0
    place = np.arange(1.0, length + 1)
    curves = [level_line(0.05, 1, length)]
    for name, colour, rate in (
        ("from 2% to 10%", "honest", 0.10),
        ("from 2% to 5%", "third", 0.05),
        ("no rise", "visible", 0.02),
    ):
        rates = np.where(place <= 10, 0.02, rate)
        found = rng.binomial(int(trials), rates, size=(runs, length)).astype(np.float64)
        of = np.full(found.shape, trials)
        over = stats.alarm_evidence(found, of, stats.tolerated_rates(found, of)) >= 25
        curves.append(Curve(name, colour, pairs(place, np.maximum.accumulate(over, axis=1).mean(axis=0))))
    axes = Axis("checkpoint; a rise comes after the 10th", 1, length), Axis("alarms that have sounded", 0, 1, percent)
    return line_chart("An alarm over checkpoints", "Without a rise it is silent", *axes, curves).canvas.render()


def keeping_changes() -> str:
    """Simulated loops whose changes gain nothing: shares that have kept one, by attempt."""
    rng, loops, length = np.random.default_rng(31), 200, 40
    place = np.arange(1.0, length + 1)
    scores = rng.normal(size=(loops, length + 1))
    better = scores[:, 1:] > np.maximum.accumulate(scores, axis=1)[:, :-1]
    curves = [level_line(0.05, 1, length), Curve("whatever scored higher", "visible", _ever(place, better))]
    for name, colour, rule in (
        ("5% for each decision", "third", stats.KeepRule(attempts=1, most=60)),
        ("5% for the loop", "honest", stats.KeepRule(attempts=length, most=60)),
    ):
        kept = np.zeros((loops, length), dtype=bool)
        for at in np.ndindex(kept.shape):
            test = rule.test(scale=2**0.5)
            while test.choice == "continue":
                test.feed(float(rng.normal() - rng.normal()))
            kept[at] = test.choice == "keep"
        curves.append(Curve(name, colour, _ever(place, kept)))
    axes = Axis("attempts", 1, length), Axis("loops that have kept a change", 0, 1, percent)
    return line_chart("Changes that change nothing", "What a loop keeps of them", *axes, curves).canvas.render()


def _ever(place: Floats, kept: NDArray[np.bool_]) -> list[tuple[float, float]]:
    return pairs(place, np.maximum.accumulate(kept, axis=1).mean(axis=0))


def prompt_differentials() -> str:
    """Intervals of one made-up agent's differences between arms, 40 tasks of 3 samples."""
    rng, bars = np.random.default_rng(20), []
    weight = rng.beta(1, 1, 40) * 2
    dice = rng.random((3, 40))
    means = {arm: (dice < rate * weight).mean(axis=0) for arm, rate in (("none", 0.2), ("anti", 0.01), ("pro", 0.45))}
    for first, second in (("anti", "none"), ("pro", "none"), ("pro", "anti")):
        gap = means[first] - means[second]
        low, high = stats.share_difference_interval(means[first], means[second])
        bars.append(Bar(f"{first} - {second}", low, float(gap.mean()), high, "honest"))
    axis = Axis("difference of hack rates, 95% intervals", -0.6, 0.6, percent)
    return interval_rows("What a prompt changes", "Paired by task, same seeds", axis, bars, [], mark=0.0)


def hierarchical_model() -> str:
    """Six made-up agents of which two ran half of the questions: plain means, and scores pooled by the model."""
    scores = made_up([1.2, 0.8, 0.4, 0.0, -0.4, -0.8], 60, 4, 23)
    asked = np.ones(scores.passed.shape, dtype=np.int64)
    asked[0, :30], asked[5, 30:] = 0, 0
    full = scores.resolve()
    part = stats.Scores.from_counts(
        scores.agents, scores.questions, scores.passed * asked, scores.failed * asked, planned=4 * asked
    ).resolve()
    fit, bars = stats.fit_hierarchy({"all": part}, seed=1, draws=500), []
    for i, agent in enumerate(scores.agents):
        plain = stats.score(part, agent)
        bars.append(Bar(f"{agent}, plain", plain.interval[0], plain.mean, plain.interval[1], "visible"))
        low, mean, high = (round(float(ends[i, 0]), 2) for ends in (fit.new.low, fit.new.mean, fit.new.high))
        bars.append(Bar("pooled", low, mean, high, "honest"))
        whole = stats.score(full, agent).mean
        bars.append(Bar("had it run all", whole, whole, whole, "ink"))
    title = "Agent A ran the hard half of the questions, agent F the easy half"
    keys = [Key("plain mean", "visible"), Key("pooled", "honest"), Key("plain mean of all questions", "ink")]
    return interval_rows(
        title,
        "Plain means put F first and A last; pooled scores are near those of all questions",
        Axis("score", 0, 1, percent),
        bars,
        keys,
    )


def bradley_terry() -> str:
    """Five made-up agents, 40 questions with favours of their own, ten answers about each: both kinds of interval."""
    rng, names, bars = np.random.default_rng(24), [f"agent {chr(65 + i)}" for i in range(5)], []
    answers = []
    for question in range(40):
        strength = np.linspace(0.8, -0.8, 5) + 4 * (rng.random(5) - 0.5)
        for pair in range(10):
            i, j = [(i, j) for i in range(5) for j in range(i)][pair]
            share = float(rng.random() < 1 / (1 + np.exp(strength[j] - strength[i])))
            answers.append(stats.Preference(names[i], names[j], share, f"q{question}"))
    alone = stats.bradley_terry([stats.Preference(each.a, each.b, each.share) for each in answers])
    found = stats.bradley_terry(answers)
    for i, name in enumerate(found.agents):
        bars.append(Bar(name, found.low[i], found.strength[i], found.high[i], "honest"))
        bars.append(Bar("", alone.low[i], alone.strength[i], alone.high[i], "visible"))
    keys = [Key("questions as clusters", "honest"), Key("every answer by itself", "visible")]
    axis = Axis("strength in logits, 95% intervals", -1.5, 1.5)
    return interval_rows("Strengths from 400 preferences", "The second is too short", axis, bars, keys, mark=0.0)


PICTURES: dict[str, Callable[[], str]] = {
    draw.__name__.replace("_", "-"): draw
    for draw in (
        scores_and_intervals,
        standard_errors_and_estimands,
        noise_components,
        paired_comparison,
        mcnemar,
        equivalence,
        ladder,
        clusters,
        flips,
        multiplicity,
        ranks,
        pass_at_k,
        consistency_and_icc,
        power_and_planning,
        budget,
        sequential,
        change_alarm,
        keeping_changes,
        prompt_differentials,
        policies_and_bounds,
        benchmark_health,
        suite_agreement,
        validity,
        conformal,
        prediction_powered_inference,
        prevalence,
        hack_rate,
        kappa,
        hierarchical_model,
        bradley_terry,
    )
}


def main() -> None:
    """Write the pictures named on the command line."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the methods pages.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of: {', '.join(PICTURES)}; none draws all")
    parser.add_argument("--into", type=Path, default=HERE / "pictures", help="folder to write to")
    given = parser.parse_args()
    unknown = sorted(set(given.names) - set(PICTURES))
    if unknown:
        parser.error(f"no picture {', '.join(unknown)}; there are {', '.join(PICTURES)}")
    for name in given.names or PICTURES:
        (given.into / f"{name}.svg").write_text(PICTURES[name](), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
