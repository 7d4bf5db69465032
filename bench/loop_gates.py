"""Which rule keeps noise? Loops of 100 attempts without any gain, and single attempts with one, simulated.

python bench/loop_gates.py [--loops 2000]

Evaluations are normal with SD 1 (or t with 3 degrees of freedom, or pass or fail at 1/2); a pair is the candidate
beside the incumbent. Rules: a single run against the best recorded score; mean + k SE over 10 pairs; an e-process at
5% per decision; ours (`stats.KeepRule`). Printed: loops that keep anything, with Wilson's interval, keeps a loop, pairs
an attempt; then the chance that a true gain is kept, and the pairs that it takes.
"""

import argparse
from collections.abc import Callable

import numpy as np

from honestly.stats import KeepRule, wilson_interval

ATTEMPTS = 100
Noise = Callable[[np.random.Generator, int], np.ndarray]


def normal(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=(2, n))


def heavy(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.standard_t(3, size=(2, n)) / np.sqrt(3)


def coin(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.integers(0, 2, size=(2, n)).astype(float)


def attempt(rule: KeepRule, noise: Noise, gain: float, rng: np.random.Generator) -> tuple[bool, int]:
    """Whether the rule keeps a change of this gain, and after how many pairs."""
    test = rule.test(scale=1.4)
    while True:
        old, new = noise(rng, 20)
        for difference in new - old + gain:
            if test.feed(float(difference)) != "continue":
                return test.choice == "keep", test.n


def ours(rule: KeepRule) -> Callable[[Noise, np.random.Generator], tuple[int, float]]:
    def loop(noise: Noise, rng: np.random.Generator) -> tuple[int, float]:
        made = [attempt(rule, noise, 0.0, rng) for _ in range(ATTEMPTS)]
        return sum(kept for kept, _ in made), float(np.mean([pairs for _, pairs in made]))

    return loop


def naive(noise: Noise, rng: np.random.Generator) -> tuple[int, float]:
    (scores, (best, *_)) = noise(rng, ATTEMPTS)
    kept = 0
    for score in scores:
        if score > best:
            best, kept = score, kept + 1
    return kept, 1.0


def gate(k: float) -> Callable[[Noise, np.random.Generator], tuple[int, float]]:
    def loop(noise: Noise, rng: np.random.Generator) -> tuple[int, float]:
        old, new = noise(rng, ATTEMPTS * 10)
        gains = (new - old).reshape(ATTEMPTS, 10)
        errors = gains.std(axis=1, ddof=1) / np.sqrt(10)
        return int((gains.mean(axis=1) > k * errors).sum()), 10.0

    return loop


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loops", type=int, default=2000)
    loops = parser.parse_args().loops
    rule = KeepRule(attempts=ATTEMPTS)
    bounded = KeepRule(attempts=ATTEMPTS, bound=1.0)
    rows = [
        ("one run, <", naive, normal),
        ("mean + 0.2 SE", gate(0.2), normal),
        ("mean + 1 SE", gate(1.0), normal),
        ("e-process per decision", ours(KeepRule(attempts=1)), normal),
        ("ours, normal", ours(rule), normal),
        ("ours, heavy tails", ours(rule), heavy),
        ("ours, pass or fail", ours(bounded), coin),
    ]
    print(f"{loops} loops of {ATTEMPTS} attempts without a gain")
    print(f"{'rule':24} {'loops that keep':>28} {'keeps a loop':>13} {'pairs an attempt':>17}")
    for name, loop, noise in rows:
        rng = np.random.default_rng(7)
        made = [loop(noise, rng) for _ in range(loops)]
        some = sum(kept > 0 for kept, _ in made)
        low, high = wilson_interval(some, loops)
        share = f"{100 * some / loops:.2f}% ({100 * low:.2f} to {100 * high:.2f})"
        mean = np.mean([kept for kept, _ in made])
        print(f"{name:24} {share:>28} {mean:13.2f} {np.mean([pairs for _, pairs in made]):17.1f}", flush=True)
    print(f"\none attempt of {ATTEMPTS} with a true gain, in SD of one evaluation: kept by ours, and pairs")
    print(f"{'gain':5} {'at most 300 pairs':>20} {'at most 60':>20}")
    for gain in (0.25, 0.5, 0.75, 1.0, 2.0):
        parts = []
        for most in (300, 60):
            rng, few = np.random.default_rng(8), KeepRule(attempts=ATTEMPTS, most=most)
            kept, pairs = zip(*[attempt(few, normal, gain, rng) for _ in range(2000)], strict=True)
            parts.append(f"{100 * np.mean(kept):9.1f}% {np.mean(pairs):9.1f}")
        print(f"{gain:5.2f} {' '.join(parts)}", flush=True)


if __name__ == "__main__":
    main()
