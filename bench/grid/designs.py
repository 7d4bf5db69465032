"""Generators of evaluations whose truth is known: what `python bench/coverage.py` tries the procedures on.

A design draws any number of studies at once: passes and samples of shape (studies, agents, questions), or, for graded
scores, the question means themselves. Laws say how the chance of passing varies over questions.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from honestly.stats import Graded, Policy, ResolvedScores, Scores

REPOSITORIES = np.array([231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1])  # SWE-bench Verified
UNEQUAL = np.arange(12, 0, -1)


@dataclass(frozen=True)
class Law:
    """How chances vary over questions, with the moments that the truths need."""

    draw: Callable  # (rng, shape) -> chances
    mean: float
    square: float  # mean of the squared chance


def beta(mean, spread=2.0):
    """Many questions near 0 and 1 where `spread` is small."""
    a, b = spread * mean, spread * (1 - mean)
    return Law(lambda rng, shape: rng.beta(a, b, shape), mean, mean * (a + 1) / (spread + 1))


def alike(mean):
    return Law(lambda _rng, shape: np.full(shape, mean), mean, mean**2)


def scaled(law, factor):
    """Leaves room above."""
    return Law(lambda rng, shape: factor * law.draw(rng, shape), factor * law.mean, factor**2 * law.square)


def rare(share, chance=0.9, usual=0.0):
    """A share of the questions is passed with another chance than the rest."""
    return Law(
        lambda rng, shape: np.where(rng.random(shape) < share, chance, usual),
        share * chance + (1 - share) * usual,
        share * chance**2 + (1 - share) * usual**2,
    )


@dataclass(frozen=True)
class Studies:
    """What was drawn; `mean` stands for graded scores, which have no counts."""

    passed: np.ndarray | None
    n: np.ndarray | None
    codes: np.ndarray | None = None
    mean: np.ndarray | None = None
    void: np.ndarray | None = None
    policy: Policy | None = None
    last: np.ndarray | None = None
    """Whether the first agent's last sample of a question passed."""
    graded: tuple | None = None
    """Of samples with grades: their counts, sums and sums of squares, and whether the last is above all others, 1."""

    def resolved(self):
        """One `ResolvedScores` for each study."""
        shape = (self.mean if self.passed is None else self.passed).shape
        names = tuple(f"a{i}" for i in range(shape[1])), tuple(f"q{i}" for i in range(shape[2]))
        clusters = None if self.codes is None else tuple(f"c{code}" for code in self.codes)
        for at in range(shape[0]):
            if self.policy is not None:
                yield self.scores(at).resolve(self.policy)
            elif self.passed is None:
                mean, two = self.mean[at], np.full(shape[1:], 2)
                yield ResolvedScores.from_sums(names, (two, 2 * mean, 2 * mean**2), binary=False, clusters=clusters)
            else:
                total = self.passed[at].astype(float)
                yield ResolvedScores.from_sums(names, (self.n[at], total, total), binary=True, clusters=clusters)

    def scores(self, at):
        if self.graded is not None:
            count, *sums, extreme = (each[at] for each in self.graded)
            names = [f"a{i}" for i in range(len(count))], [f"q{i}" for i in range(count.shape[1])]
            found = Scores.from_counts(*names, 0, 0, graded=Graded(count, *sums))
            return replace(found, last_extreme=extreme)
        shape = self.passed.shape
        void = 0 if self.void is None else self.void[at]
        names = [f"a{i}" for i in range(shape[1])], [f"q{i}" for i in range(shape[2])]
        passed = self.passed[at]
        found = Scores.from_counts(*names, passed, self.n[at] - passed, void=void, planned=self.n[at] + void)
        unknown = np.full((shape[1] - 1, shape[2]), -1)
        return found if self.last is None else replace(found, last_passed=np.vstack([self.last[at], unknown]))

    @property
    def means(self):
        if self.mean is not None:
            return self.mean
        return np.divide(self.passed, self.n, out=np.full(self.passed.shape, np.nan), where=self.n > 0)


@dataclass(frozen=True)
class Design:
    """A way to draw chances of shape (studies, agents, questions), and the samples taken of them."""

    chances: Callable
    questions: int
    samples: int | str | tuple
    truth: tuple = ()
    """True scores of the agents."""
    laws: tuple = ()
    sizes: np.ndarray | None = None
    """Sizes of the families."""
    declared: bool = True
    taken: str = "planned"
    """`planned`; `retried` until it passes, `once` more after a failure, or `ended` by a failure, the first agent;
    `lost`: failures of the first agent become void."""
    groups: tuple = ()
    """Sizes of the groups of a macro mean."""
    policy: Policy | None = None

    def draw(self, rng, studies):
        chances = self.chances(rng, studies)
        if self.samples == "exact":
            return Studies(None, None, self.codes, chances)
        n = np.broadcast_to(self._samples(chances.shape), chances.shape)
        passed = rng.binomial(n, chances)
        found = Studies(passed, n, self.codes)
        if self.taken in {"retried", "once", "ended"}:
            most = 2 if self.taken == "once" else n.max()
            stop = rng.random((*chances[:, 0].shape, most)) < chances[:, 0, :, None]
            stop = ~stop if self.taken == "ended" else stop
            tries = np.where(stop.any(axis=-1), stop.argmax(axis=-1) + 1, most)
            last = stop.any(axis=-1) == (self.taken != "ended")
            n, passed = n.copy(), passed.copy()
            n[:, 0], passed[:, 0] = tries, np.where(self.taken == "ended", tries - 1 + last, last)
            return replace(found, passed=passed, n=n, policy=Policy(), last=last.astype(int))
        if self.taken.startswith("lost"):
            lost = rng.binomial(n - passed, 0.4)
            if self.taken == "lost, one agent":
                lost[:, 1:] = 0
            return replace(found, n=n - lost, void=lost, policy=self.policy)
        return found

    def _samples(self, shape):
        if self.samples == "2/5":
            return np.where(np.arange(shape[-1]) % 2, 5, 2)
        if isinstance(self.samples, tuple):
            return np.array(self.samples)[:, None]
        return self.samples

    @property
    def codes(self):
        if self.sizes is None or not self.declared:
            return None
        return np.repeat(np.arange(self.sizes.size), self.sizes)


def masses(share, odd, low, high):
    """Grades between two values, and a rare one elsewhere."""
    draw = lambda rng, shape: np.where(rng.random(shape) < share, odd, rng.uniform(low, high, shape))  # noqa: E731
    return Law(draw, share * odd + (1 - share) * (low + high) / 2, math.nan)


def grouped(law, sizes, samples):
    """One agent over groups of questions of these sizes."""

    def chances(rng, studies):
        return law.draw(rng, (studies, 1, sum(sizes)))

    return Design(chances, sum(sizes), samples, (law.mean,), (law,), groups=tuple(sizes))


def one(law, questions, samples, **more):
    """A single agent."""
    return Design(lambda rng, s: law.draw(rng, (s, 1, questions)), questions, samples, (law.mean,), (law,), **more)


def equal(law, questions, samples, agents=2, **more):
    """Agents that pass every question with the same chance."""

    def chances(rng, studies):
        return np.broadcast_to(law.draw(rng, (studies, 1, questions)), (studies, agents, questions))

    return Design(chances, questions, samples, (law.mean,) * agents, (law,), **more)


def opposed(questions, samples, agree=0.0):
    """Two agents of which one alone passes a question, each as often, but for a share on which they agree."""

    def chances(rng, studies):
        first = rng.random((studies, 1, questions)) < 0.5
        return np.concatenate([first, first == (rng.random(first.shape) < agree)], axis=1).astype(float)

    return Design(chances, questions, samples, (0.5, 0.5))


@dataclass(frozen=True)
class GoodEnough(Design):
    """Two agents with the same grades, of which the first is sampled until a grade is good enough."""

    def draw(self, rng, studies):
        shape = (studies, 2, self.questions, self.samples)
        grades = np.clip(rng.normal(self.chances(rng, studies)[..., None], 0.2, shape), 1e-6, 1 - 1e-6)
        good = grades[:, 0] >= 0.7
        tries = np.where(good.any(axis=-1), good.argmax(axis=-1) + 1, self.samples)
        taken = np.ones(shape, dtype=bool)
        taken[:, 0] = np.arange(self.samples) < tries[..., None]
        count, total, squares = taken.sum(axis=-1), (grades * taken).sum(axis=-1), (grades**2 * taken).sum(axis=-1)
        last = np.take_along_axis(grades, count[..., None] - 1, axis=-1)
        others = taken & (np.arange(self.samples) < count[..., None] - 1)
        above, below = ((sign * last > np.where(others, sign * grades, -9)).all(axis=-1) for sign in (1, -1))
        extreme = np.where(above, 1, np.where(below, 0, -1))
        return Studies(None, None, mean=total / count, policy=Policy(), graded=(count, total, squares, extreme))


def good_enough(law, questions, samples):
    return GoodEnough(lambda rng, s: law.draw(rng, (s, 1, questions)), questions, samples, (law.mean,) * 2, (law,))


def own(law, questions, samples, agents=2, **more):
    """Agents that are as good as one another and pass other questions."""
    truth = (law.mean,) * agents
    return Design(lambda r, s: law.draw(r, (s, agents, questions)), questions, samples, truth, (law, law), **more)


def skewed(share, gap, questions, samples, shift=0.0, quiet=False, agents=2):
    """The first agent is a little better on most questions, and worse by `gap` on a `share`: equal on average.

    `shift` makes it better by so much everywhere; `quiet` puts both at the edge, where samples add no noise.
    """
    small = gap * share / (1 - share)
    high, low = (small, gap) if quiet else (0.5 + small / 2, 0.5 + gap / 2)
    usual = np.array([high + shift] + [high - small] * (agents - 1))
    odd = np.array([low - gap + shift] + [low] * (agents - 1))

    def chances(rng, studies):
        is_rare = rng.random((studies, 1, questions)) < share
        return np.clip(np.where(is_rare, odd[:, None], usual[:, None]), 0, 1)

    truth = tuple(share * np.clip(odd, 0, 1) + (1 - share) * np.clip(usual, 0, 1))
    return Design(chances, questions, samples, truth)


def families(law, sizes, samples, *, declared=True, copies=1.0, agents=2):
    """Questions of a family share their chances, each with probability `copies`; the agents' are their own."""
    sizes = np.asarray(sizes)
    codes, questions = np.repeat(np.arange(sizes.size), sizes), int(sizes.sum())

    def chances(rng, studies):
        common = law.draw(rng, (studies, agents, sizes.size))[:, :, codes]
        return np.where(rng.random((studies, 1, questions)) < copies, common, law.draw(rng, common.shape))

    return Design(chances, questions, samples, (law.mean,) * agents, sizes=sizes, declared=declared)


def shifted_families(deviation, sizes, samples, *, declared=True):
    """Two agents whose difference varies over families with this standard deviation."""
    sizes = np.asarray(sizes)
    codes, questions = np.repeat(np.arange(sizes.size), sizes), int(sizes.sum())

    def chances(rng, studies):
        base = 0.2 + 0.6 * rng.random((studies, 1, questions))
        gap = rng.normal(0, deviation, (studies, 1, sizes.size))[:, :, codes]
        return np.clip(base + np.array([0.5, -0.5])[:, None] * gap, 0, 1)

    return Design(chances, questions, samples, (0.5, 0.5), sizes=sizes, declared=declared)


def ladder(step, questions, samples, agents):
    """Agents each better by `step` than the next."""
    ability = 0.5 + step * (np.arange(agents) - (agents - 1) / 2)

    def chances(rng, studies):
        return np.clip(ability[:, None] + rng.uniform(-0.3, 0.3, (studies, 1, questions)), 0, 1)

    return Design(chances, questions, samples, tuple(ability))


def gains(law, gain, average, questions, samples):
    """The first agent is better by what `gain` draws of a generator and a shape, `average` on average."""

    def chances(rng, studies):
        base = law.draw(rng, (studies, 1, questions))
        return np.concatenate([np.clip(base + gain(rng, base.shape), 0, 1), base], axis=1)

    return Design(chances, questions, samples, (law.mean + average, law.mean))


@dataclass(frozen=True)
class Pilot(Design):
    """A pilot of a study that is planned by it."""

    of: Callable = None
    """Makes the design with so many questions instead."""


def pilot(of, questions):
    return Pilot(**vars(of(questions)), of=of)


# --- real leaderboards ------------------------------------------------------------------------------------------------

EVALS = ("lcb_codegeneration", "lcb_selfrepair", "swebench_bash_only_4models", "interactive_swe")
PICTURES = ("mmbench", "oodcv")
TABLES = (*EVALS, *PICTURES, "terminal-bench", "swebench-pro")


@cache
def table(folder: Path, name: str):
    """Passes and samples of shape (agents, questions), on the questions that all agents have."""
    cells = {}
    if name in EVALS:
        for line in (folder / "evals" / f"{name}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            agent = f"{row['model']} {row.get('condition') or ''}"
            cells[agent, row["example_id"]] = (row["correct"], row["count"])
    elif name == "terminal-bench":
        for line in (folder / name / "trials.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            passed, n = cells.get((row["submission"], row["task_id"]), (0, 0))
            cells[row["submission"], row["task_id"]] = (passed + bool(row["is_resolved"]), n + 1)
    elif name == "swebench-pro":
        for path in sorted((folder / "formats/swebench/swebench_pro").glob("*.json")):
            for question, passed in json.loads(path.read_text("utf-8")).items():
                cells[path.stem, question] = (int(passed), 1)
    else:
        for path in sorted((folder / "uncertainty/vlm_uncertainty").glob("*.npz")):
            with np.load(path) as held:
                right = held[f"{name}__logits"][:, :4].argmax(axis=1) == held[f"{name}__label"]
                for question, passed in zip(held[f"{name}__id"].tolist(), right.tolist(), strict=True):
                    cells[path.stem, question] = (int(passed), 1)
    agents = sorted({agent for agent, _ in cells})
    has = [{question for agent, question in cells if agent == one} for one in agents]
    most = max(map(len, has))
    kept = [agent for agent, held in zip(agents, has, strict=True) if len(held) > most / 2]
    questions = sorted(set.intersection(*(held for held in has if len(held) > most / 2)))
    found = np.array([[cells[agent, question] for question in questions] for agent in kept], dtype=int)
    found = found[(found[..., 1] > 0).all(axis=1)]
    return found[..., 0], found[..., 1]


def pair_of(means, which):
    """The pair that is closest, furthest apart, or has the most skewed differences."""
    rows, columns = np.triu_indices(len(means), 1)
    d = means[rows] - means[columns]
    mean, deviation = d.mean(axis=1), np.maximum(d.std(axis=1), 1e-9)
    skew = np.abs(((d - mean[:, None]) ** 3).mean(axis=1)) / deviation**3
    far = deviation > 0.02
    measure = {"closest": -np.abs(mean), "widest": np.abs(mean), "skewed": skew}[which]
    at = int(np.where(far, measure, -np.inf).argmax())
    return rows[at], columns[at]


def recentred(folder, name, which, questions):
    """A real pair made equal, its questions redrawn. Graded: differences less their mean. Yes/no: tilted chances of
    drawing a question, so that wins and losses are equally likely.
    """
    passed, n = table(folder, name)
    a, b = pair_of(passed / n, which)
    d = (passed / n)[a] - (passed / n)[b]
    if (n == 1).all():
        chance = np.where(d > 0, (d < 0).sum(), np.where(d < 0, (d > 0).sum(), np.sqrt((d > 0).sum() * (d < 0).sum())))
        chance = chance / chance.sum()

        def draw(rng, studies):
            at = rng.choice(d.size, (studies, questions), p=chance)
            return passed[[a, b]][:, at].transpose(1, 0, 2).astype(float)

        truth = (float(chance @ passed[a]),) * 2
        return Design(draw, questions, 1, truth)
    d = (d - d.mean()) / (1 + np.abs(d.mean()))

    def graded(rng, studies):
        at = rng.integers(0, d.size, (studies, questions))
        return 0.5 + np.stack([d[at], -d[at]], axis=1) / 2

    return Design(graded, questions, "exact", (0.5, 0.5))


def recentred_agents(folder, name, questions, most=12):
    """As many agents of a table, each less its mean: a leaderboard of equals with real dependence."""
    passed, n = table(folder, name)
    chosen = np.random.default_rng(15).permutation(len(passed))[:most]
    means = (passed / n)[chosen]
    means = 0.5 + (means - means.mean(axis=1, keepdims=True)) / 2

    def graded(rng, studies):
        return means[:, rng.integers(0, means.shape[1], (studies, questions))].transpose(1, 0, 2)

    return Design(graded, questions, "exact", (0.5,) * len(means))


def redrawn(folder, name, place, questions):
    """One agent of a table (0 the worst, 1 the best), its questions redrawn with their samples."""
    passed, n = table(folder, name)
    row = np.argsort((passed / n).mean(axis=1), kind="stable")[round(place * (len(passed) - 1))]

    class Redrawn(Design):
        def draw(self, rng, studies):
            at = rng.integers(0, passed.shape[1], (studies, questions))
            return Studies(passed[row, at][:, None], n[row, at][:, None])

    return Redrawn(None, questions, 1, (float((passed / n)[row].mean()),))
