"""What does it cost a trial that others can see its steps while it runs? Beside a whole trial of the shortest task.

python bench/live.py
"""

import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

import anyio

from honestly.agents import make_agents
from honestly.records import Observation, Step
from honestly.runner import Planned, run_attempt
from honestly.runner._written_steps import written_steps
from honestly.sandbox import open_sandbox
from honestly.store import Running
from honestly.tasks import load_suite

STEP = Step(source="agent", message="x" * 500, observations=(Observation(text="y" * 4000),))
STEPS, TRIALS, ROUNDS = 100, 100, 7


def written(folder: Path | None, steps: int) -> float:
    """Seconds that announcing a trial takes, and writing down its steps."""
    begun = time.perf_counter()
    with written_steps(folder, Running(id="a" * 32, agent="a", task="t", sample=0, started_at="")) as kept:
        for _ in range(steps):
            kept.append(STEP)
    return time.perf_counter() - begun


def cost(folder: Path, steps: int) -> float:
    """The median over trials, less what a list in memory takes."""
    return median(written(folder, steps) for _ in range(TRIALS)) - median(written(None, steps) for _ in range(TRIALS))


def main() -> None:
    """Prints the two costs, and their share of a whole trial."""
    suite = load_suite("embedded", only=["split-bill"])
    (agent,) = make_agents(["honest"], suite)
    whole = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "s.unfinished")
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            done = anyio.run(run_attempt, Planned("a" * 32, suite.tasks[0], agent, 0), partial(open_sandbox), folder)
            whole.append(time.perf_counter() - begun)
        trial, step = cost(folder, 0), (cost(folder, STEPS) - cost(folder, 0)) / STEPS
    steps = len(done.trajectory.steps)
    print(f"a trial: {trial * 1e3:.2f} ms, and each step {step * 1e6:.0f} µs")
    print(
        f"of a trial of {median(whole) * 1e3:.0f} ms with {steps} steps: {(trial + steps * step) / median(whole):.2%}"
    )


if __name__ == "__main__":
    main()
