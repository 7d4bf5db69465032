"""What we compute for the golden files that hold simulations, within the Monte-Carlo error of both sides.

Where one number decides a share, it is computed exactly and only the reference has an error. How many runs a reference
took is read off its shares: 0.01925 is 77 of 4,000.

Of the paired nulls the set-up is not written down. Three numbers of it were inferred from the thirty shares: agents
disagree on 32% of the questions; the correlation of their scores over questions is 0.33 for one sample, and 0.58 for
five. A common chance of success, Beta with mean 0.4, on 71% of the questions and own ones on the others has all three.
"""

import math
from functools import cache

import numpy as np
import simulated
from reference_evaluations import resolved
from reference_values import Claim, share, together
from shared_data import evaluation

from honestly import stats
from honestly.stats import t_quantile, t_two_sided
from honestly.stats._cluster_law import null_tail
from honestly.stats._means import cluster_summary, cluster_sums
from honestly.stats._special import binomial_pmf, normal_ppf

Z = float(normal_ppf(0.975))
DISAGREE = 0.32
COMMON, ALPHA, BETA = 0.71, 0.4547, 0.6821


# --- intervals of one score -------------------------------------------------------------------------------------------


def coverage(golden):
    for name, row in golden.items():
        words = dict(word.split("=") for word in name.split() if "=" in word)
        if name.startswith("single"):
            yield from _single(name, int(words["n"]), float(words["p"]), row)
        elif name.startswith("paired"):
            yield from _paired_null(name, int(words["N"]), int(words["K"]), row)
        else:
            yield from _clustered_null(name, row)


def _single(name, n, p, row, theirs=20_000):
    successes = np.arange(n + 1)
    mean = successes / n
    error = np.sqrt(mean * (1 - mean) / n)
    half = t_quantile(0.95, n - 1.0) * error * math.sqrt(n / (n - 1))
    intervals = {
        "wald": (mean - Z * error, mean + Z * error),
        "t": (mean - half, mean + half),
        "wilson": stats.wilson_interval(successes, n),
        "jeffreys": stats.jeffreys_interval(successes, n),
        "clopper": stats.clopper_pearson_interval(successes, n),
    }
    for key, (low, high) in intervals.items():
        exact = float(binomial_pmf(successes, n, p)[(low <= p) & (p <= high)].sum())
        yield share((name, key), exact, exact, theirs, errors=4.5)


# --- tests of two equal agents ----------------------------------------------------------------------------------------


def _paired_null(name, n, samples, row, theirs=4_000):
    if samples == 1:
        for key, size in _exact_sizes(n).items():
            yield share((name, key), size, size, theirs)
    runs = 8_000 if n < 100 else 3_000
    rng = np.random.default_rng([n, samples])
    chance, own = rng.beta(ALPHA, BETA, (2, runs, n))
    other = np.where(rng.random((runs, n)) < COMMON, chance, own)
    a, b = (rng.binomial(samples, p) / samples for p in (chance, other))
    found, first, second = (stats.mean_of_questions(values) for values in (a - b, a, b))
    t = found.mean / found.se
    rejected = {
        "t": t_two_sided(t, found.df) <= 0.05,
        "z": np.abs(t) > Z,
        "unpaired_z": np.abs(found.mean) > Z * np.sqrt(first.se**2 + second.se**2),
    }
    for key, flags in rejected.items():
        yield share((name, key), np.mean(flags), row[key], together(runs, theirs), errors=4)


def _exact_sizes(n):
    """Of tests on n yes/no differences, each a disagreement with chance DISAGREE, won by either with equal chance."""
    chances = binomial_pmf(np.arange(n + 1), n, DISAGREE)
    size = dict.fromkeys(("t", "z", "mcnemar_exact", "mcnemar_mid"), 0.0)
    for count in np.flatnonzero(chances > 1e-9).tolist():
        wins = np.arange(count + 1)
        weight = binomial_pmf(wins, count, 0.5) * chances[count]
        mean = (2 * wins - count) / n
        error = np.sqrt((count - n * mean**2) / (n - 1) / n)
        t = np.divide(mean, error, out=np.zeros_like(mean), where=error > 1e-12)
        p_values = {
            "t": t_two_sided(t, n - 1.0),
            "z": t_two_sided(t, np.inf),
            "mcnemar_exact": stats.mcnemar_exact(wins, count - wins),
            "mcnemar_mid": stats.mcnemar_mid(wins, count - wins),
        }
        for key, p_value in p_values.items():
            size[key] += float(weight @ (p_value <= 0.05))
    return size


# --- clusters ---------------------------------------------------------------------------------------------------------


def _families():
    return np.bincount(resolved("terminal_bench_9").cluster_codes)


DESIGNS = {
    "swebench 12 repos": lambda: simulated.REPOSITORIES,
    "balanced 12x40": lambda: np.full(12, 40),
    "5x16": lambda: np.full(5, 16),
    "terminal-bench families": _families,
}
CLUSTERED_NULLS = {
    "clustered null G=5 m=16 icc=.3": (np.full(5, 16), 0.3),
    "clustered null G=12 m=40 icc=.3": (np.full(12, 40), 0.3),
    "clustered null G=30 m=16 icc=.3": (np.full(30, 16), 0.3),
    "clustered null G=92 m=5 icc=.3": (np.full(92, 5), 0.3),
    "clustered null 12 SWE-bench repos icc=.05": (simulated.REPOSITORIES, 0.05),
}


def clustered_sizes(golden):
    for name, row in golden.items():
        design, icc = name.rsplit(" icc=", 1)
        sizes = DESIGNS[design]()
        codes = np.repeat(np.arange(len(sizes)), sizes)
        summary = cluster_summary(codes, np.full(codes.size, True))
        values = _clustered_values(codes, float(icc))
        found = stats.clustered_mean(values, codes)
        yield Claim((name, "G"), summary.clusters)
        yield Claim((name, "N"), codes.size)
        yield Claim((name, "G_eff"), summary.effective)
        yield Claim((name, "df_BM"), found.df[0])
        yield from _sizes(name, values, codes, row, {"CR2": "size_cr2_bm", "CR1": "size_cr1_t", "naive": "size_naive"})
        exact = _exact_size(codes, float(icc), found.df[0])
        yield share((name, "size_cr2_bm"), exact, exact, 4_000)


def _clustered_null(name, row, theirs=6_000):
    sizes, icc = CLUSTERED_NULLS[name]
    codes = np.repeat(np.arange(len(sizes)), sizes)
    values = _clustered_values(codes, icc)
    yield from _sizes(name, values, codes, row, {"CR1": "cr1_t", "naive": "naive"}, theirs)
    crude = stats.clustered_mean(values, codes, kind="CR1")
    groups = len(sizes)
    z = np.abs(crude.mean / crude.se) / np.sqrt((groups - 1) / groups)
    yield share((name, "cr0_z"), np.mean(z > Z), row["cr0_z"], together(len(values), theirs), errors=4.5)


def _clustered_values(codes, icc, runs=3_000):
    rng = np.random.default_rng([len(codes), int(icc * 100)])
    shared = rng.normal(size=(runs, codes.max() + 1))[:, codes]
    return np.sqrt(icc) * shared + np.sqrt(1 - icc) * rng.normal(size=(runs, len(codes)))


def _sizes(name, values, codes, row, keys, theirs=4_000):
    for kind, key in keys.items():
        found = stats.mean_of_questions(values) if kind == "naive" else stats.clustered_mean(values, codes, kind=kind)
        size = np.mean(t_two_sided(found.mean / found.se, found.df) <= 0.05)
        yield share((name, key), size, row[key], together(len(values), theirs), errors=4.5)


def _exact_size(codes, icc, df):
    """Of the Bell-McCaffrey t test, by the law of its statistic."""
    sums = cluster_sums(np.arange(codes.size, dtype=float), codes)
    design = (sums.weight[None], sums.square[None], sums.correction[None])
    return float(null_tail(np.array([t_quantile(0.95, df) ** 2]), np.array([icc]), design)[0])


# --- sequential tests -------------------------------------------------------------------------------------------------

SIZE = 500


@cache
def _evidence_table():
    return stats.win_loss_evidence(*np.indices((SIZE + 1, SIZE + 1)))


def _evidence(differences):
    """Of the win-loss test after every question of every run."""
    return _evidence_table()[(differences > 0).cumsum(1), (differences < 0).cumsum(1)]


def sequential(golden):
    for name, row in golden.items():
        if name.startswith("null"):
            yield from _null_runs(name, float(name.rsplit("_", 1)[1]), row)
        else:
            yield from _real_pair(name, row)


def _null_runs(name, disagree, row, runs=2_000, theirs=4_000):
    rng = np.random.default_rng(int(100 * disagree))
    runs_of = rng.choice([-1.0, 0.0, 1.0], p=[disagree / 2, 1 - disagree, disagree / 2], size=(runs, SIZE))
    t = np.arange(1, SIZE + 1)
    mean, squares = runs_of.cumsum(1) / t, (runs_of**2).cumsum(1)
    variance = (squares - t * mean**2) / np.maximum(t - 1, 1)
    seen = (t >= 20) & (variance > 0)
    spread = np.sqrt(np.maximum(variance, 1e-12) * (t - 1) / t**2)
    last = stats.mean_of_questions(runs_of)
    stopped = {
        "e_mcnemar": (_evidence(runs_of) >= -math.log(0.05)).any(1),
        # How the reference tuned it is not written down; at 100 questions the three shares agree best.
        "asymptotic_cs": ((np.abs(mean) > stats.sequence_radius(t, np.maximum(variance, 0), 0.05, 100)) & seen).any(1),
        "naive_peek": ((np.abs(mean) > Z * spread) & seen).any(1),
        "fixed_n": t_two_sided(last.mean / last.se, last.df) <= 0.05,
    }
    for key, flags in stopped.items():
        yield share((name, key), np.mean(flags), row[key], together(runs, theirs))


def _real_pair(name, row, runs=1_000, theirs=1_000):
    data = evaluation("swebench_bash_only_4models")
    a, b = name.removeprefix("swebench ").split(" vs ")
    pair = data.means[data.agents.index(a)] - data.means[data.agents.index(b)]
    yield Claim((name, "diff"), pair.mean())
    yield Claim((name, "p_fixed"), stats.mcnemar_exact((pair > 0).sum(), (pair < 0).sum()), absolute=0, relative=1e-9)
    orders = np.random.default_rng(2).permuted(np.tile(pair, (runs, 1)), axis=1)
    crossed = _evidence(orders) >= -math.log(0.05)
    stops = np.where(crossed.any(1), crossed.argmax(1) + 1, np.inf)
    yield share((name, "p_stop"), np.isfinite(stops).mean(), row["p_stop"], together(runs, theirs))
    for key, level, scale in (("median_n", 0.5, 1), ("q90", 0.9, 1), ("cost_share_median", 0.5, SIZE)):
        error = 4 * math.sqrt(level * (1 - level) / together(runs, theirs))
        ends = [np.quantile(stops, np.clip(level + sign * error, 0, 1), method="nearest") / scale for sign in (-1, 1)]
        if row[key] is None:
            # Theirs never got there in so many of its runs, and ours need not either.
            yield Claim((name, key), np.nan if np.isinf(ends[1]) else ends[1])
        else:
            middle = (ends[0] + min(ends[1], SIZE / scale)) / 2
            yield Claim((name, key), middle, absolute=middle - ends[0])


# --- prediction-powered inference -------------------------------------------------------------------------------------


BIAS = 0.3


def prediction_powered(golden, runs=1_500, theirs=3_000):
    """Ratings, and a judge whose three numbers are inferred from the three widths; the coverages are what is tested.

    The width of the human interval gives the ratings' variance, its ratio to the powered one the share of it that the
    judge explains (40%), the width after pooling the judge's own variance. The judge's bias, which only pooling
    suffers from, is not known: with any but the smallest the pooled interval covers nothing.
    """
    n, more, widths = golden["n"], golden["N"], golden["mean_width"]
    of_ratings = n * (widths["human_only"] / (2 * Z)) ** 2
    explained = (1 - (widths["ppi"] / widths["human_only"]) ** 2) * (1 + n / more)
    pooled_variance = (n + more) * (widths["impute"] / (2 * Z)) ** 2 - n * more / (n + more) ** 2 * BIAS**2
    of_judge = ((n + more) * pooled_variance - n * of_ratings) / more
    rng = np.random.default_rng(0)
    width, covered = ({key: [] for key in golden["coverage"]} for _ in range(2))
    for _ in range(runs):
        common = rng.normal(0, math.sqrt(of_ratings * explained), n + more)
        y = 3 + common[:n] + rng.normal(0, math.sqrt(of_ratings * (1 - explained)), n)
        judge = 3 + BIAS + common * math.sqrt(of_judge / (of_ratings * explained))
        labelled = stats.Labelled(y, stats.external_predictions(judge[:n], judge[n:], source="fixed beforehand"))
        found = stats.ppi_mean(labelled)
        pooled = np.concatenate([y, judge[n:]])
        halves = {
            "ppi": (found.mean, found.interval[1] - found.mean),
            "human_only": (y.mean(), Z * found.human_only_se),
            "impute_pool": (pooled.mean(), Z * pooled.std(ddof=1) / math.sqrt(pooled.size)),
        }
        for key, (mean, half) in halves.items():
            width[key].append(2 * half)
            covered[key].append(abs(mean - 3) <= half)
    for key, flags in covered.items():
        yield share(("coverage", key), np.mean(flags), golden["coverage"][key], together(runs, theirs))
        at = ("mean_width", {"impute_pool": "impute"}.get(key, key))
        yield Claim(at, np.mean(width[key]), absolute=0, relative=0.01)
