"""How long does a table of ten million rows take to its leaderboard, and how much memory?

    python bench/tables.py                    # 200 agents x 5,000 questions x 10 samples, CSV and Parquet
    python bench/tables.py --questions 500    # a tenth of it

The table is drawn by a seed: an ability for each agent, a difficulty for each question, a coin for each sample. Beside
`honestly report` stands what polars alone needs to read the same file and to take each agent's mean.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl

SEED = 20261124
MEAN = (
    "import polars, sys; frame = polars.{0}(sys.argv[1]).group_by('agent').agg(polars.col('score').mean());"
    "print(frame.collect(engine='streaming').height)"
)


def table(agents: int, questions: int, samples: int) -> pl.DataFrame:
    """Rows of agent, question, sample and score."""
    dice = np.random.default_rng(SEED)
    ability, difficulty = dice.normal(0, 1, agents), dice.normal(0, 1.5, questions)
    who = np.repeat(np.arange(agents), questions * samples)
    what = np.tile(np.repeat(np.arange(questions), samples), agents)
    chance = 1 / (1 + np.exp(difficulty[what] - ability[who]))
    frame = pl.DataFrame(
        {
            "agent": pl.Series(who).cast(pl.String),
            "question": pl.Series(what).cast(pl.String),
            "sample": np.tile(np.arange(samples), agents * questions),
            "score": (dice.random(who.size) < chance).astype(np.int8),
        }
    )
    return frame.with_columns(agent="agent-" + pl.col("agent"), question="q" + pl.col("question"))


def write_table(folder: Path, *sizes: int) -> None:
    """The table as CSV and as Parquet."""
    frame = table(*sizes)
    frame.write_csv(folder / "t.csv")
    frame.write_parquet(folder / "t.parquet")


def measured(words: list[str]) -> tuple[float, float, float]:
    """Wall and CPU seconds of a command, and the most memory that it needed, MB."""
    start = time.perf_counter()
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0, words
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3


def main() -> None:
    """Makes the table and prints a row for each way to read it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--questions", type=int, default=5000)
    parser.add_argument("--samples", type=int, default=10)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        # In a process of its own: the memory of whoever starts a command is counted as that of the command.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            pool.submit(write_table, Path(name), asked.agents, asked.questions, asked.samples).result()
        print(f"{asked.agents * asked.questions * asked.samples:,} rows")
        print("| what | wall s | CPU s | memory, MB |\n|---|---:|---:|---:|")
        for kind, scan in (("csv", "scan_csv"), ("parquet", "scan_parquet")):
            path = str(Path(name, f"t.{kind}"))
            for what, words in (
                (f"polars: means, {kind}", [sys.executable, "-c", MEAN.format(scan), path]),
                (f"honestly report, {kind}", [sys.executable, "-m", "honestly", "report", path, "--json"]),
            ):
                wall, cpu, memory = measured(words)
                print(f"| {what} | {wall:.1f} | {cpu:.1f} | {memory:.0f} |")


if __name__ == "__main__":
    main()
