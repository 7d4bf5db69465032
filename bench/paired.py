"""Is this checkout slower than another one? A bench of both, in turn, each once the first and once the last.

CPU time is of the bench's process and of all that it has waited for, start-up included, which is what a busy machine
disturbs least. The ratio of this checkout to the other is the geometric mean over the rounds, with its 95% interval by
Student's t on the logarithms. Each checkout runs its own copy of the bench, in its own environment (`.venv`).

    python bench/paired.py ../OLD [--rounds 6] BENCH [ARGUMENT ...]
    python bench/paired.py ../OLD stats_pairs
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
from pathlib import Path
from statistics import fmean, stdev

from honestly.stats._special import t_quantile

HERE = Path(__file__).parents[1]


def cpu_s(checkout: Path, bench: str, arguments: list[str]) -> float:
    """Seconds of processor time that a bench of a checkout takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(checkout / ".venv/bin/python"), str(checkout / "bench" / f"{bench}.py"), *arguments]
    subprocess.run(command, cwd=checkout, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ratio(values: list[float]) -> str:
    """The geometric mean of ratios, and its interval, taking rounds for independent; empty if one was not measured."""
    logs = [math.log(value) for value in values]
    if not all(map(math.isfinite, logs)):
        return ""
    half = t_quantile(0.95, len(logs) - 1) * stdev(logs) / math.sqrt(len(logs)) if len(logs) > 1 else math.nan
    low, mid, high = (math.exp(fmean(logs) + sign * half) for sign in (-1, 0, 1))
    return f"{mid:.3f} [{low:.3f}, {high:.3f}]"


def main() -> None:
    """Prints the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("bench")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    here, other = HERE, asked.other.resolve()
    for checkout in (here, other):
        cpu_s(checkout, asked.bench, asked.arguments)  # byte code and caches
    ratios = []
    for at in range(asked.rounds):
        order = (here, other) if at % 2 else (other, here)
        taken = {checkout: cpu_s(checkout, asked.bench, asked.arguments) for checkout in order}
        ratios.append(taken[here] / taken[other])
        print(f"{taken[here]:.2f} s here, {taken[other]:.2f} s there", flush=True)
    print(f"{asked.bench}: CPU time x{ratio(ratios)} in {asked.rounds} rounds")


if __name__ == "__main__":
    main()
