"""Guided self-play over lookup tables: a Solver, a Conjecturer that makes it easier problems, a Guide that judges them.

A problem is a chain of operations; each has a hidden table entry, which the Solver guesses from a softmax of its own. A
rollout is right where the whole trace is. Targets are long chains that fresh guesses rarely solve; what is learned on a
synthetic problem helps with each target that shares its operations. The Conjecturer chooses how long a part of a target
to ask for, or a *convoluted* problem: a coin flip that teaches nothing and pays it half of the most that there is. So
the trap is built in: this tests the mechanism, and is no evidence about language models.

Rewards are those of SGS (arXiv:2604.20209): the Solver learns from correct rollouts of problems that it solves at most
half of the time; a conjecture earns `1 - s` for a solve rate `0 < s <=` the 70th percentile, times the Guide's
`max(0, relevance + (2 - complexity) + (1 - redundancy))`, which is 0 from complexity 3 on, scaled to [0, 1] in a batch.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from honestly.recipes._recipe import Recipe, RecipeClaim

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
OPS, ROLLOUTS = 24, 8
VALUES = (2, 64)
"""Entries of the smallest and of the largest table: operations are unlike hard to guess."""
LENGTHS = (1, 2, 3, 4)
"""Of synthetic problems; behind them stands the convoluted kind."""
CONVOLUTED = len(LENGTHS)
RL, UNCONDITIONED, FROZEN, UNGUIDED, GUIDED = "RL alone", "no conditioning", "frozen", "no guide", "guided"
_RATE, _CONJECTURE_RATE = 0.0012, 0.01


def solve_reward(rates: Floats) -> Floats:
    """What each conjecture earns by its solve rate: the hardest that are solved at all earn most."""
    between = rates[(rates > 0) & (rates < 1)]
    cut = np.percentile(between, 70) if between.size else 0.0
    return np.where((rates > 0) & (rates <= cut), 1 - rates, 0.0)


def guide_reward(relevance: Floats, complexity: Floats, redundancy: Floats) -> Floats:
    """The Guide's points, 0 to 8; none for what is convoluted."""
    points = np.maximum(0.0, relevance + (2 - complexity) + (1 - redundancy))
    return np.where(complexity >= 3, 0.0, points)


@dataclass(slots=True)
class Play:
    """One run: targets, the Solver's and the Conjecturer's logits."""

    arm: str
    rng: np.random.Generator
    targets: Ints
    """Operations of each, shape (n, longest), -1 behind its end."""
    answers: Ints
    logits: Floats
    kinds: Floats = field(default_factory=lambda: np.zeros(len(LENGTHS) + 1))

    def rollouts(self, chains: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """What the Solver says, (n, rollouts, longest), and where the whole trace is right, (n, rollouts)."""
        chances = np.exp(self.logits - self.logits.max(axis=1, keepdims=True))
        ends = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)
        drawn = self.rng.random((*chains.shape[:1], ROLLOUTS, chains.shape[1], 1))
        said = (drawn > ends[chains][:, None, :, :-1]).sum(axis=-1)
        right = (said == self.answers[chains][:, None, :]) | (chains < 0)[:, None, :]
        return said, right.all(axis=-1)

    def learn(self, chains: Ints, said: Ints, right: NDArray[np.bool_]) -> None:
        """Raise the likelihood of correct rollouts of problems that are solved at most half of the time."""
        taken = right & (right.mean(axis=1) <= 0.5)[:, None]
        rows, samples = np.nonzero(taken)
        if not rows.size:
            return
        ops, values = chains[rows].ravel(), said[rows, samples].ravel()
        inside = ops >= 0
        counts = np.zeros_like(self.logits)
        np.add.at(counts, (ops[inside], values[inside]), 1.0)
        chances = np.exp(self.logits - self.logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        self.logits += _RATE * (counts - counts.sum(axis=1, keepdims=True) * chances)

    def kind_chances(self, targets: Ints) -> Floats:
        """The probability of each kind for each of these targets, shape (n, kinds)."""
        chances = np.exp(self.kinds - self.kinds.max())
        return np.tile(chances / chances.sum(), (targets.size, 1))

    def conjectures(self, unsolved: Ints) -> tuple[Ints, Ints]:
        """A kind for each unsolved target, and the operations of the problem; a convoluted one has none."""
        ends = np.cumsum(self.kind_chances(unsolved), axis=1)[:, :-1]
        kinds = (self.rng.random((unsolved.size, 1)) >= ends).sum(axis=1)
        chains = np.full((unsolved.size, max(LENGTHS)), -1)
        for row, (kind, target) in enumerate(zip(kinds, unsolved, strict=True)):
            if kind == CONVOLUTED:
                continue
            own = self.targets[target][self.targets[target] >= 0]
            if self.arm == UNCONDITIONED:
                own = self.rng.integers(0, OPS, own.size)
            length = min(LENGTHS[kind], own.size)
            start = self.rng.integers(0, own.size - length + 1)
            chains[row, :length] = own[start : start + length]
        return kinds, chains

    def reward(self, kinds: Ints, chains: Ints, rates: Floats, unsolved: Ints) -> Floats:
        """What the Conjecturer earns for each problem, in [0, 1]."""
        reward = solve_reward(rates)
        if self.arm != UNGUIDED:
            inside = (chains[:, :, None] == self.targets[unsolved][:, None, :]).any(axis=2)
            size = np.maximum((chains >= 0).sum(axis=1), 1)
            relevance = np.where(kinds == CONVOLUTED, 0.0, 5 * (inside & (chains >= 0)).sum(axis=1) / size)
            complexity = np.where(kinds == CONVOLUTED, 4.0, np.maximum(size - 2.0, 0.0))
            _, first, counts = np.unique(chains, axis=0, return_inverse=True, return_counts=True)
            reward = reward * guide_reward(relevance, complexity, (counts[first.ravel()] > 1).astype(np.float64))
        spread = float(np.ptp(reward))
        return (reward - reward.min()) / spread if spread > 0 else np.zeros_like(reward)

    def teach(self, unsolved: Ints, kinds: Ints, reward: Floats) -> None:
        """REINFORCE with the mean of the batch as baseline."""
        chances = self.kind_chances(unsolved[:1])[0]
        gain = np.bincount(kinds, reward - reward.mean(), self.kinds.size)
        self.kinds += _CONJECTURE_RATE * (gain - gain.sum() * chances)


def run_seed(arm: str, seed: int, quick: bool) -> tuple[dict[str, float], dict[str, float]]:
    """Whether each target was ever solved, and how the Conjecturer ended."""
    return play_game(arm, seed, (40, 40) if quick else (240, 300), Play)


def play_game(
    arm: str, seed: int, size: tuple[int, int], solver: Callable[[str, np.random.Generator, Ints, Ints, Floats], Play]
) -> tuple[dict[str, float], dict[str, float]]:
    """The same with so many targets and iterations, and a Solver of any kind.

    The Solver is made of the arm, chance, targets, answers, and logits that say which entries there may be.
    """
    count, iterations = size
    made = np.random.default_rng([seed, 1])  # the same targets for all arms
    targets = np.full((count, 7), -1)
    popular = 1 / np.arange(1, OPS + 1) ** 0.7
    for row in targets:
        length = made.integers(3, 8)
        row[:length] = made.choice(OPS, size=length, replace=False, p=popular / popular.sum())
    sizes = np.geomspace(*VALUES, OPS).round().astype(np.int64)[np.arange(OPS) * 7 % OPS]  # the same in all seeds
    logits = np.where(np.arange(VALUES[1]) < sizes[:, None], 0.0, -np.inf)
    play = solver(arm, np.random.default_rng([seed, 2]), targets, made.integers(0, sizes), logits)
    solved_at = np.full(count, math.inf)
    useful: list[float] = []
    for step in range(iterations):
        said, right = play.rollouts(targets)
        solved_at[right.any(axis=1) & np.isinf(solved_at)] = step
        play.learn(targets, said, right)
        unsolved = np.flatnonzero(~right.any(axis=1))
        if arm == RL or not unsolved.size:
            useful.append(0.0)
            continue
        kinds, chains = play.conjectures(unsolved)
        said, right = play.rollouts(chains)
        coin = kinds == CONVOLUTED
        right[coin] = play.rng.random((int(coin.sum()), ROLLOUTS)) < 0.5
        rates = right.mean(axis=1)
        useful.append(float(((rates > 0) & (rates <= 0.5) & ~coin).sum()))
        play.learn(chains[~coin], said[~coin], right[~coin])
        if arm != FROZEN:
            play.teach(unsolved, kinds, play.reward(kinds, chains, rates, unsolved))
    scores = {f"target-{at}": float(np.isfinite(value)) for at, value in enumerate(solved_at)}
    return scores, _measures(play, solved_at, useful, made, 2 if iterations < 50 else 20)


def _measures(
    play: Play, solved_at: Floats, useful: list[float], rng: np.random.Generator, draws: int
) -> dict[str, float]:
    iterations = len(useful)
    curve = (solved_at[None, :] <= np.arange(iterations)[:, None]).astype(np.float64)
    drawn = [curve[:, rng.integers(0, solved_at.size, solved_at.size)].mean(axis=1) for _ in range(draws)]
    measures = {
        "plateau A": solve_plateau(curve.mean(axis=1)),
        "its SD by bootstrap over targets": float(np.std([solve_plateau(each) for each in drawn])),
        "A without the last 30%": solve_plateau(curve[: int(0.7 * iterations)].mean(axis=1)),
    }
    if play.arm != RL:
        chances = play.kind_chances(np.arange(solved_at.size))
        measures |= {
            "mass on convoluted problems": float(chances[:, CONVOLUTED].mean()),
            "entropy of the Conjecturer, nats": float(
                -(chances * np.log(np.maximum(chances, 1e-12))).sum(axis=1).mean()
            ),
            "useful problems at first": float(np.mean(useful[: max(1, iterations // 20)])),
            "useful problems at last": float(np.mean(useful[-max(1, iterations // 20) :])),
        }
    return measures


def _entropy(chances: Floats) -> Floats:
    return np.asarray(-(chances * np.log(np.maximum(chances, 1e-12))).sum(axis=1))


def solve_plateau(rates: Floats) -> float:
    """`A` of `R0 + (A - R0) / (1 + (C_mid / C)^B)`, at most 1, by least squares over a grid of C_mid and B."""
    c = np.arange(1, rates.size + 1)
    best, found = math.inf, math.nan
    for mid in np.geomspace(1, 2 * rates.size, 25):
        for slope in (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0):
            rise = 1 / (1 + (mid / c) ** slope)
            design = np.column_stack([1 - rise, rise])
            (start, top), *_ = np.linalg.lstsq(design, rates, rcond=None)
            top = min(float(top), 1.0)
            error = float(((design @ (start, top) - rates) ** 2).sum())
            if error < best:
                best, found = error, top
    return found


SELFPLAY = Recipe(
    name="selfplay",
    title="Guided self-play: does a Guide keep the Conjecturer from collapsing?",
    source="SGS (arXiv:2604.20209), as a table of lookups instead of a 7B prover",
    metric="share of targets ever solved",
    arms=(RL, UNCONDITIONED, FROZEN, UNGUIDED, GUIDED),
    run=run_seed,
    claims=(
        RecipeClaim("Guided self-play solves more targets than RL on targets alone.", GUIDED, RL),
        RecipeClaim("Guided self-play solves more targets than without the Guide.", GUIDED, UNGUIDED),
        RecipeClaim("Guided self-play solves more targets than with a frozen Conjecturer.", GUIDED, FROZEN),
        RecipeClaim("Guided self-play solves more targets than without problem conditioning.", GUIDED, UNCONDITIONED),
        RecipeClaim("Self-play without conditioning solves more targets than RL alone.", UNCONDITIONED, RL),
        RecipeClaim("A trained Conjecturer without Guide solves more targets than a frozen one.", UNGUIDED, FROZEN),
        RecipeClaim(
            "Without the Guide more of the Conjecturer's mass ends on convoluted problems.",
            UNGUIDED,
            GUIDED,
            "mass on convoluted problems",
        ),
    ),
    unsaid=(
        "The paper's values (A of 60.3, 65.5 without Guide, 67.1 guided) are of a 7B prover on Lean; none is tried.",
        "The paper's gain by the Guide, 1.6 points, is near the noise of its own fit (bootstrap SD 1.1).",
        "Convoluted problems are built in: that a language model would find such a trap is not shown.",
        "A Solver that shares what it learns: `selfplay-transformer` has one.",
    ),
)
