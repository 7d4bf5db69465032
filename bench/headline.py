"""Which answer should be the headline? The rule of `honestly.stats._inference`, tried beside its two ends.

    python bench/headline.py exact      # two-point laws, by enumeration: nothing is drawn
    python bench/headline.py three      # three-point laws, by enumeration
    python bench/headline.py drawn [N [PATTERN]]  # designs whose truth is known, N studies each
    python bench/headline.py words [N]  # true gaps that are found, and how many of them under a condition
    python bench/headline.py real DIR [FILE[:COLUMNS] ...]  # pairs that differ on real leaderboards

DIR holds evaluation data; a FILE is a table that `honestly report` reads, with its `--columns`.

Each prints a table of Markdown. Of the first three: how often the interval of Student's t misses the truth, that of
the guaranteed answer, and that of the headline; in how many studies the headline is the guaranteed one, how wide both
are beside t's, and how wide each interval with two ends at 2.5% must be, in half of the studies, to hold for every law.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import math
import re
import sys
import zlib
from itertools import product
from pathlib import Path

import numpy as np
from grid import designs as d

from honestly import stats, studies
from honestly.scores import DEFAULT_POLICY, study_scores
from honestly.stats._any_law import AnyLaw
from honestly.stats._inference import is_plain, room, shape_of
from honestly.stats._means import FEW_CLUSTERS
from honestly.stats._multiplicity import holm_adjusted
from honestly.stats._special import binomial_pmf, t_ppf, t_quantile

SCORE, PAIR = (0.0, 1.0), (-1.0, 1.0)
_WIDTHS = 120
ZIPF = np.maximum(1, np.round(200 / np.arange(1, 41) / (1 / np.arange(1, 41)).sum())).astype(int)


def with_room(units, share, mean, half, limits):
    """Whether the answer with room is the headline, and its ends, of many studies at once."""
    count = share.sum() ** 2 / (share**2).sum()
    low, high = room(mean, count, 0.95, limits)
    return is_plain(*shape_of(units, share), count), np.minimum(low, mean - half), np.maximum(high, mean + half)


def exact():
    """Values of two kinds: which and how often, all studies that there can be."""
    print("| values | units | t misses | guaranteed misses | headline misses | headline guaranteed |")
    print("|---|---:|---:|---:|---:|---:|")
    for (limits, name), units in product(((SCORE, "score"), (PAIR, "difference")), (10, 20, 30, 50, 80, 120, 200, 500)):
        rows = []
        for rare in (0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5):
            usual, odd = (0.95, 0.0) if limits is SCORE else (0.95 * rare, -0.95 * (1 - rare))
            truth, chance = usual * (1 - rare) + odd * rare, binomial_pmf(np.arange(units + 1), units, rare)
            missed = np.zeros(4)
            for odds in np.flatnonzero(chance > 1e-5).tolist():
                values = np.repeat([usual, odd], [units - odds, odds])
                half = t_quantile(0.95, units - 1) * values.std(ddof=1) / math.sqrt(units)
                by_t = abs(values.mean() - truth) > half + 1e-12
                plain, low, high = with_room(values, np.ones(units), values.mean(), half, limits)
                by_room = not low - 1e-12 <= truth <= high + 1e-12
                law = by_t and 2 * min(AnyLaw(values, limits=limits).tail_probabilities(truth)) <= 0.05
                missed += chance[odds] * np.array([by_t, law, by_room if plain else law, not plain])
            rows.append((missed[2], rare, missed))
        _, rare, missed = max(rows)
        cells = " | ".join(f"{100 * each:.1f}%" for each in missed)
        print(f"| {name}, worst at {100 * rare:g}% rare | {units} | {cells} |", flush=True)


def three():
    """Values of three kinds, exactly: wins, ties and losses, and noise of two values beside a rare third."""
    shares = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
    laws = [(f"wins {a:.0%}, losses {b:.0%}", (1.0, 0.0, -1.0), (a, 1 - a - b, b), PAIR)
            for a in shares for b in shares if a <= b and a + b < 1]  # fmt: skip
    for noise, rare, odd in product((0.02, 0.05, 0.1, 0.2, 0.3), (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3), (1.0, 0.5)):
        usual, chance = -odd * rare / (1 - rare), ((1 - rare) / 2, (1 - rare) / 2, rare)
        laws.append((f"±{noise}, {rare:.0%} at {odd}", (usual - noise, usual + noise, odd), chance, PAIR))
        if odd == 1:
            laws.append((f".7 ± {noise}, {rare:.0%} zero", (0.7 - noise, 0.7 + noise, 0.0), chance, SCORE))
    print("| units | laws | worst for t | guaranteed | headline | where | headline above 5.5% |")
    print("|---:|---:|---:|---:|---:|---|---:|")
    for units in (10, 20, 50):
        first, second = (each.ravel() for each in np.mgrid[: units + 1, : units + 1])
        counts = np.stack([first, second, units - first - second], axis=1)[first + second <= units]
        ways = np.array([math.lgamma(each + 1) for each in range(units + 1)])[counts].sum(axis=1)
        found = []
        for name, kinds, chances, limits in laws:
            values, truth = np.array(kinds), float(np.dot(kinds, chances))
            chance = np.exp(math.lgamma(units + 1) - ways + counts @ np.log(chances))
            some, chance = counts[chance > 1e-5], chance[chance > 1e-5]
            mean = some @ values / units
            half = t_quantile(0.95, units - 1) * np.sqrt(
                ((some * (values - mean[:, None]) ** 2).sum(axis=1)) / (units - 1) / units
            )
            by_t = abs(mean - truth) > half + 1e-12
            law, headline = by_t.copy(), by_t.copy()
            for at in np.flatnonzero(by_t).tolist():
                drawn = np.repeat(values, some[at])
                law[at] = 2 * min(AnyLaw(drawn, limits=limits).tail_probabilities(truth)) <= 0.05
                plain, low, high = with_room(drawn, np.ones(units), mean[at], half[at], limits)
                headline[at] = not low - 1e-12 <= truth <= high + 1e-12 if plain else law[at]
            found.append((chance @ headline, chance @ by_t, chance @ law, name))
        worst, t, law = (max(each[at] for each in found) for at in (0, 1, 2))
        over = sum(each[0] > 0.055 for each in found)
        print(f"| {units} | {len(found)} | {t:.1%} | {law:.1%} | {worst:.1%} | {max(found)[3]} | {over} |", flush=True)


def masses(*law):
    return lambda n: d.one(d.masses(*law), n, "exact")


def gap(points, n, deviation=0.15):
    """Two agents that differ by so many points, on some tasks more than on others."""

    def chances(rng, studies):
        base, own = rng.beta(2, 3, (studies, 1, n)), rng.normal(points, deviation, (studies, 1, n))
        return np.clip(base + np.array([0.5, -0.5])[:, None] * own, 0, 1)

    return d.Design(chances, n, 5, (math.nan, math.nan))


def designs():
    """Name, design and limits of every cell; a truth that is not known is taken for 0, and asked for power alone."""
    for n in (10, 20, 30, 80):
        yield f"grades .88 to .92, 5% zero, N={n}", masses(0.05, 0.0, 0.88, 0.92)(n), SCORE
        yield f"grades 0 to .02, 1% one, N={n}", masses(0.01, 1.0, 0.0, 0.02)(n), SCORE
        yield f".98, but 0 on 2%, K=50, N={n}", d.one(d.rare(0.02, 0.0, 0.98), n, 50), SCORE
        yield f"grades, uniform, N={n}", masses(0.0, 0.0, 0.0, 1.0)(n), SCORE
        for mean in (0.05, 0.5, 0.95):
            yield f"beta {mean}, K=5, N={n}", d.one(d.beta(mean), n, 5), SCORE
        yield f"+.1 on 90%, -.9 on 10%, K=5, N={n}", d.skewed(0.1, 0.9, n, 5), PAIR
        yield f"+.1 on 90%, -.9 on 10%, exact, N={n}", d.skewed(0.1, 0.9, n, "exact"), PAIR
        yield f"-.98 on 2%, K=5, N={n}", d.skewed(0.02, 0.98, n, 5), PAIR
        yield f"equal, K=5, N={n}", d.equal(d.beta(0.4, 5), n, 5), PAIR
        yield f"equal at .05, K=5, N={n}", d.equal(d.beta(0.05), n, 5), PAIR
        yield f"equal, own questions, K=5, N={n}", d.own(d.beta(0.4), n, 5), PAIR
        yield f"gap of 20 points, K=5, N={n}", gap(0.2, n), PAIR
    for mean in (0.05, 0.5, 0.97):
        yield f"40 Zipf clusters, mean {mean}", d.families(d.beta(mean), ZIPF, 1, agents=1), SCORE
        yield f"12 clusters of 10, mean {mean}", d.families(d.beta(mean), [10] * 12, 1, agents=1), SCORE
        yield (
            f"SWE-bench's repositories, mean {mean}",
            d.families(d.beta(mean), d.REPOSITORIES, 1, copies=0.5, agents=1),
            SCORE,
        )
        yield f"8 clusters of 10, mean {mean}", d.families(d.beta(mean), [10] * 8, 1, agents=1), SCORE
    yield "SWE-bench's repositories, sd .15", d.shifted_families(0.15, d.REPOSITORIES, 1), PAIR
    for size, groups in ((8, 3), (4, 5), (8, 10), (4, 30)):
        yield f"{groups} families of {size}, equal, K=5", d.families(d.beta(0.4), [size] * groups, 5), PAIR
    yield "12 unequal families, equal, K=5", d.families(d.beta(0.4), d.UNEQUAL, 5), PAIR


def drawn(studies, only):
    print(
        "| design | t misses | guaranteed misses | headline misses | headline guaranteed | width, of t's: guaranteed "
        "| headline | least |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, design, limits in designs():
        if not re.search(only, name):
            continue
        rng = np.random.default_rng([46, zlib.crc32(name.encode())])
        found = design.draw(rng, studies)
        values = found.means[:, 0] if limits is SCORE else found.means[:, 0] - found.means[:, 1]
        truth = np.nan_to_num(design.truth[0] if limits is SCORE else design.truth[0] - design.truth[1])
        codes = found.codes
        estimate = stats.mean_of_questions(values) if codes is None else stats.clustered_mean(values, codes)
        with np.errstate(invalid="ignore"):
            half = np.nan_to_num(-t_ppf(np.full(studies, 0.025), estimate.df) * estimate.se)
        units, share = values, np.ones(values.shape[1])
        if codes is not None:
            share = np.bincount(codes).astype(float)
            units = np.add.reduceat(values, np.flatnonzero(np.diff(codes, prepend=-1)), axis=1) / share
        plain, bottom, top = with_room(units, share, estimate.mean, half, limits)
        plain &= half > 0
        by_t = ~(np.abs(estimate.mean - truth) <= half + 1e-12)
        count = share.sum() ** 2 / (share**2).sum()
        if codes is not None and count < FEW_CLUSTERS and limits is PAIR:
            plain = np.zeros(half.shape, dtype=bool)
        by_room = (truth < bottom - 1e-12) | (truth > top + 1e-12)
        law = by_t.copy()
        for at in np.flatnonzero(by_t).tolist():
            law[at] = 2 * min(AnyLaw(values[at], None, codes, limits).tail_probabilities(float(truth))) <= 0.05
        widths = [[math.nan] * 3]
        least = 1 - 0.05 ** (1 / count)
        for at in np.flatnonzero(half > 0)[:_WIDTHS].tolist():
            low, high = AnyLaw(values[at], None, codes, limits).bounds(0.025)
            mean, reach = estimate.mean[at], half[at]
            law_width = max(high, mean + reach) - min(low, mean - reach)
            said = min(top[at], limits[1]) - max(bottom[at], limits[0]) if plain[at] else law_width
            widths.append([law_width / (2 * reach), said / (2 * reach), least * (limits[1] - limits[0]) / (2 * reach)])
        rates = [by_t.mean(), law.mean(), np.where(plain, by_room, law).mean(), 1 - plain.mean()]
        cells = [f"{100 * rate:.1f}%" for rate in rates]
        cells += [f"{each:.2f}" for each in np.nanmedian(widths, axis=0)]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def most_power(differences, units, alpha=0.025, draws=20_000, seed=1):
    """The largest chance to find a gap with any test that keeps its level for every law on [-1, 1].

    Such a test keeps it for the law whose density to that of `differences` is `1 / (1 + l d)`, the rest at -1, with the
    `l` in [0, 1] that gives it a mean of at most 0; and against one law no test beats the ratio of likelihoods (Neyman
    and Pearson). So the bound holds also for a test that is told the law of the differences.
    """
    low, high = 0.0, 1.0 - 1e-9
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if (differences / (1 + middle * differences)).mean() > 0 else (low, middle)
    drawn = np.random.default_rng(seed).choice(differences, (draws, units))
    ratio = np.sort(np.log1p(low * drawn).sum(axis=1))[::-1]
    return float((np.cumsum(np.exp(-ratio)) <= alpha * draws).mean())


KINDS = (10, 1, 5), (20, 1, 5), (20, 10, 1), (30, 1, 5), (30, 10, 1), (80, 1, 5)


def words(studies):
    """Clusters of ten tasks with one sample each, or single tasks with five, and two agents that differ."""
    print("| units | gap | found by t | by the headline | under any law | with the condition | at least |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for (units, size, samples), points in product(KINDS, (0.1, 0.2, 0.3)):
        rng = np.random.default_rng([units, size, round(100 * points)])

        def draw(count, rng=rng, shape=(units, size, samples), points=points):
            base, own = rng.beta(2, 3, (count, *shape[:2])), rng.normal(points, 0.15, (count, shape[0], 1))
            passed = (rng.binomial(shape[2], np.clip(base + side * own / 2, 0, 1)) for side in (1, -1))
            return np.subtract(*passed).mean(axis=2) / shape[2]

        found = []
        for differences in draw(studies):
            mean, se = differences.mean(), differences.std(ddof=1) / math.sqrt(units)
            claim = stats.MeanQuestion(mean, se, units - 1, differences).claim(0.95, 0.0)
            found.append([claim.approximate.p_value <= 0.05, claim.verdict == "shown", claim.is_law_free])
        by_t, said, law = np.mean(found, axis=0)
        most = most_power(draw(4_000).ravel(), units)
        kind = f"{units} {'tasks' if size == 1 else 'clusters'}"
        shares = (by_t, said, law, 1 - said / by_t, max(0, 1 - most / by_t))
        print(f"| {kind} | {100 * points:.0f} | {' | '.join(f'{each:.0%}' for each in shares)} |", flush=True)


def real(folder, *files):
    """Leaderboards of a folder of evaluation data; and tables, each as FILE or FILE:COLUMNS, read as `report` does."""
    print("| leaderboard | agents | tasks | pairs | by t or McNemar | by the headline | condition | any law |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    total = np.zeros(5, dtype=int)
    for name in d.TABLES:
        try:
            passed, n = d.table(folder, name)
        except (FileNotFoundError, ValueError):  # it is not there, or none of it
            continue
        labels = [f"a{i}" for i in range(len(passed))], [f"q{i}" for i in range(passed.shape[1])]
        total += found(name, stats.Scores.from_counts(*labels, passed, n - passed).resolve())
    for each in files:
        path, _, columns = str(each).partition(":")
        with studies.open(path, columns=columns).store() as store:
            total += found(Path(path).name, study_scores(store).resolve(DEFAULT_POLICY).ignoring_clusters())
    print(f"| all | | | {' | '.join(map(str, total))} |")


def found(name, resolved):
    """Prints a row, after Holm over its pairs, and returns its counts: pairs, and those that differ by each."""
    pairs = stats.compare_all(resolved)
    strict = []
    for i, j in zip(*np.triu_indices(len(pairs.agents), 1), strict=True):
        one = stats.compare(resolved, pairs.agents[i], pairs.agents[j]).question
        law = 1.0 if one is None else one.claim(0.95, 0.0).guaranteed.p_value
        strict.append(1.0 if math.isnan(law) else law)
    by_t, said = pairs.upper(pairs.p_holm) <= 0.05, pairs.upper(pairs.headline_holm) <= 0.05
    law = holm_adjusted(np.array(strict)) <= 0.05
    counts = [len(strict), *map(int, (by_t.sum(), said.sum(), (by_t & ~said).sum(), law.sum()))]
    print(f"| {name} | {len(pairs.agents)} | {len(resolved.questions)} | {' | '.join(map(str, counts))} |", flush=True)
    return np.array(counts)


if __name__ == "__main__":
    what, *more = sys.argv[1:] or ["exact"]
    if what == "drawn":
        count, only = [*more, "500", "."][:2] if not more else [*more, "."][:2]
        drawn(int(count), only)
    elif what == "three":
        three()
    elif what == "words":
        words(int(more[0]) if more else 1_000)
    elif what == "real":
        real(Path(more[0]), *more[1:])
    else:
        exact()
