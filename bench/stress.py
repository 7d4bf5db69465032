"""How soon the change alarm hears a rise, and how often intervals of prompt differences cover: simulated, truth known.

    python bench/stress.py alarm
    python bench/stress.py arms

Tasks are unlike: a few hold nearly all hacks. The first table gives, for a jump of the rate after one and after eleven
checkpoints, the share of runs whose alarm sounds at once, within three checkpoints, and within ten; and before it any
alarm in 50 checkpoints without a rise, which must be 5% at most. The second gives the coverage of 95% intervals.
"""

import sys

import numpy as np
from numpy.typing import NDArray

from honestly.stats import alarm_evidence, share_difference_interval, tolerated_rates

RUNS = 2000
Floats = NDArray[np.float64]


def unlike(rng: np.random.Generator, mean: float, tasks: int) -> Floats:
    """Rates of the tasks of each run, with this mean."""
    raw = rng.beta(0.1, 0.4, size=(RUNS, tasks))
    return np.clip(raw * (mean / raw.mean(axis=1, keepdims=True)), 0, 1)


def hits(rng: np.random.Generator, rates: Floats, samples: int, checkpoints: int) -> Floats:
    """What each run counts at each checkpoint."""
    return np.stack([rng.binomial(samples, rates).sum(axis=1) for _ in range(checkpoints)], axis=1).astype(np.float64)


def sounded(found: Floats, trials: int) -> NDArray[np.int64]:
    """First checkpoint at which each run's alarm sounds, or their number."""
    of = np.full(found.shape, float(trials))
    over = np.concatenate(
        [
            alarm_evidence(part, whole, tolerated_rates(part, whole)) >= 25
            for part, whole in zip(np.array_split(found, 10), np.array_split(of, 10), strict=True)
        ]
    )
    return np.where(over.any(axis=1), over.argmax(axis=1), found.shape[1])


def alarm() -> None:
    for tasks, samples in ((50, 2), (100, 2), (100, 5)):
        rng, trials = np.random.default_rng(7), tasks * samples
        quiet = hits(rng, unlike(rng, 0.02, tasks), samples, 51)
        print(f"{tasks} x {samples}: false alarms {(sounded(quiet, trials) < 51).mean():.1%}")
        for rate in (0.10, 0.05):
            for before in (1, 11):
                old = hits(rng, unlike(rng, 0.02, tasks), samples, before)
                new = hits(rng, unlike(rng, rate, tasks), samples, 10)
                first = sounded(np.concatenate([old, new], axis=1), trials)
                late = [f"{((first >= before) & (first < before + n)).mean():.1%}" for n in (1, 3, 10)]
                print(f"    2% to {rate:.0%} after {before}: {', '.join(late)}")


def arms() -> None:
    for tasks in (20, 30, 50, 100):
        for samples in (1, 3, 5):
            told = []
            for first, second in ((0.4, 0.1), (0.9, 0.1), (0.05, 0.01)):
                rng = np.random.default_rng(tasks + samples)
                rates = rng.beta(2 * first, 2 * (1 - first), size=(RUNS, tasks))
                a, b = rng.binomial(samples, rates) / samples, rng.binomial(samples, rates * second / first) / samples
                ends = np.array([share_difference_interval(*pair) for pair in zip(a, b, strict=True)])
                inside = (ends[:, 0] <= first - second) & (first - second <= ends[:, 1])
                told.append(f"{first:.0%} v {second:.0%}: {inside.mean():.1%}")
            print(f"{tasks} x {samples}: {', '.join(told)}")


if __name__ == "__main__":
    {"alarm": alarm, "arms": arms}[sys.argv[1]]()
