"""What is tried: the headline of each question, judged against the truth of the design, of many studies at once.

Each procedure takes a design and its studies and yields `(rate, wrong)`: whether each study's headline was wrong. The
headline is no narrower than the approximate answer, so that Gaffke's test is asked only where that one is wrong; the
first studies of a cell are asked of the library itself, which must say the same.
"""

import math
from functools import cache

import numpy as np

from honestly import stats
from honestly.stats._any_law import AnyLaw
from honestly.stats._betting import BETS
from honestly.stats._inference import claim_of_passes, is_plain, room, shape_of
from honestly.stats._matched_passes import matched_interval, matched_tails
from honestly.stats._means import FEW_CLUSTERS
from honestly.stats._special import t_ppf, t_two_sided

SMALL = 1e-9
ASKED = 5
SCORE, PAIR = (0.0, 1.0), (-1.0, 1.0)


def outside(low, high, truth):
    """An interval that is not there misses nothing: nothing is said."""
    return (truth < low - SMALL) | (truth > high + SMALL)


def estimated(values, codes):
    return stats.mean_of_questions(values) if codes is None else stats.clustered_mean(values, codes)


def headline_misses(values, codes, limits, truth):
    """Whether the headline's interval misses the truth, of values of shape (studies, questions)."""
    found = estimated(values, codes)
    with np.errstate(invalid="ignore"):
        half = np.nan_to_num(-t_ppf(np.full(len(values), 0.025), found.df) * found.se)
    units, share = values, np.ones(values.shape[1])
    if codes is not None:
        share = np.bincount(codes).astype(float)
        units = np.add.reduceat(values, np.flatnonzero(np.diff(codes, prepend=-1)), axis=1) / share
    count = share.sum() ** 2 / (share**2).sum()
    plain = is_plain(*shape_of(units, share), count) & (half > 0)
    low, high = room(found.mean, count, 0.95, limits)
    wrong = outside(found.mean - half, found.mean + half, truth) | ~(half > 0)
    if codes is not None and count < FEW_CLUSTERS and limits is PAIR:
        plain = np.zeros(len(values), dtype=bool)
    for at in np.flatnonzero(wrong).tolist():
        if plain[at]:
            wrong[at] = outside(
                min(low[at], found.mean[at] - half[at]), max(high[at], found.mean[at] + half[at]), truth
            )
        else:
            wrong[at] = 2 * min(AnyLaw(values[at], None, codes, limits).tail_probabilities(truth)) <= 0.05
    return wrong


def all_or_nothing(studies):
    """Studies whose yes/no samples agree at each question, as single ones do; none with clusters."""
    if studies.passed is None or studies.codes is not None:
        return np.zeros(len(studies.means), dtype=bool)
    return ((studies.passed == 0) | (studies.passed == studies.n)).all(axis=(1, 2))


@cache
def interval_of_passes(passes, n):
    return claim_of_passes(passes, n, 0.95).answer.interval


def score(design, studies):
    values, truth, single = studies.means[:, 0], design.truth[0], all_or_nothing(studies)
    wrong = np.zeros(len(values), dtype=bool)
    passes, n = values[single].sum(axis=1), values.shape[1]
    ends = np.array([interval_of_passes(round(each), n) for each in passes.tolist()]).reshape(-1, 2)
    wrong[single] = outside(ends[:, 0], ends[:, 1], truth)
    wrong[~single] = headline_misses(values[~single], studies.codes, SCORE, truth)
    for at, resolved in zip(range(ASKED), studies.resolved(), strict=False):
        if bool(outside(*stats.score(resolved, "a0").interval, truth)) != bool(wrong[at]):
            raise RuntimeError(f"score says otherwise than its parts, study {at}")
    yield "coverage", wrong


def compare(design, studies):
    values, truth = studies.means[:, 0] - studies.means[:, 1], design.truth[0] - design.truth[1]
    single = all_or_nothing(studies)
    wrong = np.zeros(len(values), dtype=bool)
    wins, losses = ((sign * values[single] > 0).sum(axis=1) for sign in (1, -1))
    wrong[single] = outside(*matched_interval(wins, losses, values.shape[1]), truth)
    wrong[~single] = headline_misses(values[~single], studies.codes, PAIR, truth)
    for at in np.flatnonzero(wrong).tolist() if studies.policy is not None else ():
        # Where an agent's number of samples seems to depend on results, nothing is said.
        wrong[at] = not studies.scores(at).dependent_samples(("a0", "a1"))
    for at, resolved in zip(range(ASKED), studies.resolved(), strict=False):
        found = stats.compare(resolved, "a0", "a1")
        same = bool(outside(*found.interval, truth)) == bool(wrong[at])
        if not same or (abs(truth) < SMALL and (found.p_value <= 0.05) != bool(wrong[at])):
            raise RuntimeError(f"compare says otherwise than its parts, study {at}")
    yield ("size" if abs(truth) < SMALL else "coverage"), wrong


def shown_above(values, codes, single, truth, level):
    """Whether the one-sided decision finds that the mean is above what it is."""
    if single.any():
        counts = [((row > 0).sum(), (row < 0).sum()) for row in values[single]]
        found = {each: matched_tails(*each, values.shape[1], truth)[0] <= level for each in set(counts)}
        above = np.array([found.get(each, False) for each in counts])
        rest = shown_above(values[~single], codes, single[~single], truth, level) if not single.all() else above[:0]
        every = np.zeros(len(values), dtype=bool)
        every[single], every[~single] = above, rest
        return every
    mean = estimated(values, codes)
    with np.errstate(invalid="ignore"):
        t = (mean.mean - truth) / mean.se
        above = (mean.mean > truth) & ~(t_two_sided(t, mean.df) / 2 > level)
    for at in np.flatnonzero(above).tolist():
        above[at] = AnyLaw(values[at], None, codes).tail_probabilities(truth)[0] <= level
    return above


def one_sided(design, studies):
    """What `gate`, `--margin` and `--at-least` ask, at the very margin, from either side."""
    values, truth = studies.means[:, 0] - studies.means[:, 1], design.truth[0] - design.truth[1]
    for name, sign in (("above", 1), ("below", -1)):
        wrong = shown_above(sign * values, studies.codes, all_or_nothing(studies), sign * truth, 0.05)
        for at, resolved in zip(range(ASKED), studies.resolved(), strict=False):
            answer = stats.compare(resolved, "a0", "a1").question.claim(0.9, truth).guaranteed
            if ((answer.p_above if sign > 0 else answer.p_below) <= 0.05) != bool(wrong[at]):
                raise RuntimeError(f"a margin says otherwise than its parts, study {at}")
        yield name, wrong


def ladder(_design, studies):
    """Any of several equal submissions announced as better than the first."""
    wrong = np.zeros(len(studies.means), dtype=bool)
    for number in range(1, studies.means.shape[1]):
        values, level = studies.means[:, number] - studies.means[:, 0], 6 * 0.05 / (math.pi * number) ** 2
        wrong |= shown_above(values, studies.codes, all_or_nothing(studies), 0.0, level)
    for at, resolved in zip(range(ASKED), studies.resolved(), strict=False):
        if any(rung.announced for rung in stats.climb_ladder(resolved).rungs[1:]) != bool(wrong[at]):
            raise RuntimeError(f"the ladder says otherwise than its parts, study {at}")
    yield "announced", wrong


def macro(design, studies):
    """The macro mean over groups of the design's sizes, which is what clusters of it are here."""
    groups = [str(size) for size in np.repeat(np.arange(len(design.groups)), design.groups)]
    found = stats.macro_mean(studies.means[:, 0], groups)
    yield "coverage", outside(*found.interval(0.95), design.truth[0])


def unpaired(_design, studies):
    """Two halves of one agent's questions, as before and after a cutoff: no change."""
    values = studies.means[:, 0] - 0.5
    early = np.arange(values.shape[1]) < values.shape[1] * 4 // 5
    found = stats.macro_mean(np.where(early, 1, -1) * values, [str(int(each)) for each in early], limits=(-0.5, 0.5))
    yield "size", found.p_value <= 0.05


def passes(design, studies):
    law, wrong = design.laws[0], {"pass@2": [], "pass^2": []}
    for resolved in studies.resolved():
        for name, ask, truth in (
            ("pass@2", stats.pass_at_k, 2 * law.mean - law.square),
            ("pass^2", stats.pass_all_k, law.square),
        ):
            wrong[name].append(outside(*ask(resolved, "a0", 2).interval, truth))
    yield from ((name, np.array(each)) for name, each in wrong.items())


def noise(design, studies):
    """Of one agent, or of a pair that passes every question with the same chance (one law) or own ones (two)."""
    law, agents = design.laws[0], len(design.truth)
    within, between = law.mean - law.square, law.square - law.mean**2
    data = between if agents == 1 else 0.0 if len(design.laws) == 1 else 2 * between
    truths = {"prediction": agents * within, "data": data, "total": agents * within + data}
    wrong = {name: [] for name in truths}
    for resolved in studies.resolved():
        found = stats.noise_components(resolved, "a0") if agents == 1 else stats.paired_noise(resolved, "a0", "a1")
        for name, truth in truths.items():
            wrong[name].append(outside(*getattr(found, name).interval, truth))
    yield from ((name, np.array(each)) for name, each in wrong.items())


def family(design, studies):
    """Any pair of agents told apart that is equal, or the other way round: so are ranks, which follow from pairs."""
    truth = np.array(design.truth)
    apart = truth[:, None] - truth
    wrong = []
    for resolved in studies.resolved():
        found = stats.compare_all(resolved)
        with np.errstate(invalid="ignore"):
            false = (apart * np.nan_to_num(found.difference) <= SMALL) & ~np.eye(len(truth), dtype=bool)
            some = bool((found.p_holm[false] <= 0.05).any()) and bool((found.headline_holm[false] <= 0.05).any())
        wrong.append(some)
    for at, resolved in zip(range(2), studies.resolved(), strict=False):
        ranks = stats.rank_intervals(resolved, seed=0, bootstraps=1)
        best, worst = (1 + (side * apart > SMALL).sum(axis=0) for side in (1, -1))
        if bool(((ranks.low > best) | (ranks.high < len(truth) + 1 - worst)).any()) > wrong[at]:
            raise RuntimeError(f"ranks say more than pairs, study {at}")
    yield "apart", np.array(wrong)


def gamblers_capital(differences):
    """Logarithm of what both gamblers have after every question, for many runs at once.

    Args:
        differences: in [-1, 1], in the order of the questions, shape (..., N).

    Returns:
        Shape (2, ..., N), first that of betting on a higher mean. A rule at level alpha stops at `log(2/alpha)`.
    """
    paths = [
        np.logaddexp.reduce([np.log1p(sign * bet * differences).cumsum(axis=-1) for bet in BETS]) for sign in (1, -1)
    ]
    return np.asarray(paths) - np.log(BETS.size)


def until(design, studies):
    """A verdict at any look, of the rule that `run --until` declares."""
    differences = studies.means[:, 0] - studies.means[:, 1]
    if design.samples == 1:
        wins, losses = (np.cumsum(sign * differences > 0, axis=1) for sign in (1, -1))
        ever = (stats.win_loss_evidence(wins, losses) >= np.log(20)).any(axis=1)
    else:
        ever = (gamblers_capital(differences) >= np.log(40)).any(axis=(0, 2))
    method = "win-loss" if design.samples == 1 else "betting"
    for row, stopped in zip(differences[:2], ever[:2], strict=True):
        test = stats.StoppingRule("a", "b", method, row.size).start()
        for value in row.tolist():
            test.update(value)
        if ("better" in str(test.decision.verdict)) != stopped:
            raise RuntimeError("the rule and its whole path differ")
    yield "any look", ever


def looks(design, studies):
    """A verdict at one of three planned looks."""
    differences = np.round(studies.means[:, 0] - studies.means[:, 1], 12)
    third = -(-design.questions // 3)
    rule = stats.StoppingRule("a", "b", "planned-looks", 3 * third, looks=(third, 2 * third, 3 * third))
    verdicts = []
    for row in differences:
        test = rule.start()
        for value in row.tolist():
            if test.update(value).stop:
                break
        verdicts.append("better" in str(test.decision.verdict))
    yield "any look", np.array(verdicts)


def shares(design, studies):
    truth = design.truth[0] - design.truth[1]
    found = [outside(*stats.share_difference_interval(first, second), truth) for first, second in studies.means]
    yield "coverage", np.array(found)


def plan(design, studies):
    """A study of the size that its pilot asks for, at the true gap: whether its headline misses the better agent."""
    rng, gap, missed = np.random.default_rng(int(1e9 * studies.means.mean())), design.truth[0] - design.truth[1], []
    samples = (1, 1) if design.samples == "exact" else (design.samples, design.samples)
    for resolved in studies.resolved():
        variance = stats.pilot_variance(resolved, "a0", "a1")
        needed = stats.headline_questions(variance, gap=gap, samples=samples)
        if math.isnan(needed):
            continue
        found = stats.compare(next(design.of(math.ceil(needed)).draw(rng, 1).resolved()), "a0", "a1")
        missed.append(not (found.p_value <= 0.05 and found.difference > 0))
    yield "power", np.array(missed)


PROCEDURES = {
    "score": score,
    "compare": compare,
    "one-sided": one_sided,
    "ladder": ladder,
    "macro": macro,
    "unpaired": unpaired,
    "family": family,
    "until": until,
    "looks": looks,
    "pass": passes,
    "noise": noise,
    "shares": shares,
    "plan": plan,
}
STUDIES = {"plan": 500, "until": 2_000, "looks": 1_000, "pass": 1_000, "noise": 1_000, "family": 500, "shares": 500}
"""Studies of a cell where it is not the usual number: what a study costs most is the Python around it."""
USUAL = 2_000
