"""Loops in which no change gains anything, under nine laws of noise: how often is a gain claimed?

python bench/loop_laws.py [--loops 1000] [--attempts 20] [--keep race] [--law NAME ...]

Whole runs, with journal, seeds and decisions as in `honestly improve run` and `prove`; only sandboxes and the
evaluator are replaced by a law in this process. No control, so that the claim is about the unchanged project alone.
Printed of each law: loops that keep anything, and those whose proof says `better`, with and without its condition, with
Wilson's intervals. The last rows have a gain in every change, in SD of the noise: there a claim is true.
"""

import argparse
import hashlib
import math
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import anyio
from loop_overhead import held

from honestly.errors import TaskError
from honestly.improve import (
    BASELINE,
    Evaluation,
    LoopTerms,
    begin_run,
    loop_proof,
    open_run,
    prove_run,
    read_loop_budget,
    read_target,
    work_until_spent,
)
from honestly.stats import wilson_interval

TOML = """change = ["knob.py"]
produce = "true"
evaluate = "true"
metric = "gain"
direction = "higher"
{more}
[proof]
control = false
"""


class Law:
    """One loop's evaluations, whose value may depend on the candidate, the seed, and what was measured before."""

    def __init__(self, name: str, seed: int) -> None:
        self.rng, self.at, self.state = random.Random(f"{name} {seed}"), 0, 0.0
        self.value = LAWS[name][0]

    async def __call__(self, target, edit, seed) -> Evaluation:
        own = random.Random(hashlib.blake2b(target.workspace(edit).files["knob.py"].data + b"%d" % seed).digest())
        value = self.value(self, own, bool(edit.write.files))
        self.at += 1
        return Evaluation("unmeasured" if value is None else "ok", value, {"machine": float(self.at % 4)}, "", 0.0)


def autocorrelated(law: Law, own: random.Random, _changed: bool) -> float:  # noqa: ARG001
    law.state = 0.95 * law.state + law.rng.gauss(0, 1)
    return law.state


def rare_loss(_law: Law, own: random.Random, changed: bool) -> float:
    noise = own.gauss(0, 0.1)
    return noise + ((-100.0 if own.random() < 0.02 else 1.0) if changed else 0.0)


def judge_fails(_law: Law, own: random.Random, changed: bool) -> float | None:
    value = own.gauss(0, 1)
    return None if changed and value < -1 else value


ALIKE = "rare_losses = false"
LAWS: dict[str, tuple[Callable, str]] = {
    "Gaussian": (lambda _law, own, _changed: own.gauss(0, 1), ALIKE),
    "heavy tail": (lambda _law, own, _changed: own.gauss(0, 1) / math.sqrt(own.gammavariate(0.75, 1) / 0.75), ALIKE),
    "discrete": (lambda _law, own, _changed: float(own.random() < 0.1), "bound = 1.0"),
    "drift": (lambda law, own, _changed: own.gauss(0, 1) + 0.05 * law.at, ALIKE),
    "machines in turn": (lambda law, own, _changed: own.gauss(0, 1) + 3.0 * (law.at % 4 == 0), ALIKE),
    "autocorrelated": (autocorrelated, ALIKE),
    "rare loss": (rare_loss, "bound = 110.0"),
    "rare loss, no bound": (rare_loss, ""),
    "almost deterministic": (lambda law, _own, _changed: 5.0 + (law.rng.random() < 0.1), "deterministic = true"),
    "judge fails": (judge_fails, ALIKE),
    "gain 0.5 SD": (lambda _law, own, changed: own.gauss(0.5 * changed, 1), ALIKE),
    "gain 1 SD": (lambda _law, own, changed: own.gauss(1.0 * changed, 1), ALIKE),
}


def ran(folder: Path, name: str, n: int, attempts: int, keep: str) -> tuple[bool, str]:
    """Whether a loop keeps anything, and what its proof says."""
    folder.mkdir()
    (folder / "improve.toml").write_text(TOML.format(more=LAWS[name][1]))
    (folder / "knob.py").write_text("LEVEL = 1.5\n")
    run, law = folder / ".improve", Law(name, n)
    terms = LoopTerms(agent="gambler", budget=read_loop_budget(f"{attempts} attempts"), seed=n, keep=keep)
    begin_run(run, read_target(folder), terms, "bench")
    with open_run(run, held, law) as opened:
        try:
            anyio.run(work_until_spent, opened)
        except TaskError as error:  # the unchanged project is not as deterministic as was declared
            if "deterministic" not in str(error):
                raise
            return False, "refused"
        kept = opened.state.best != BASELINE
        return kept, loop_proof(anyio.run(prove_run, opened)).verdict if kept else "nothing was kept"


def share(found: int, of: int) -> str:
    low, high = wilson_interval(found, of)
    return f"{found / of:6.1%} ({low:.1%} to {high:.1%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loops", type=int, default=1000)
    parser.add_argument("--attempts", type=int, default=20)
    parser.add_argument("--keep", default="race")
    parser.add_argument("--law", action="append", choices=list(LAWS))
    asked = parser.parse_args()
    print(f"{asked.loops} loops of {asked.attempts} attempts, --keep {asked.keep}")
    print(f"{'law':22} {'loops that keep':>24} {'better':>24} {'better, if ...':>24} {'CPU':>6}")
    for name in asked.law or LAWS:
        clock, found = time.process_time(), []
        for n in range(asked.loops):
            folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)) / "p"
            found.append(ran(folder, name, n, asked.attempts, asked.keep))
            shutil.rmtree(folder.parent)
        verdicts = [verdict for _, verdict in found]
        counts = (
            sum(kept for kept, _ in found),
            verdicts.count("better"),
            sum(v.startswith("better,") for v in verdicts),
        )
        cells = " ".join(f"{share(count, len(found)):>24}" for count in counts)
        print(f"{name:22} {cells} {time.process_time() - clock:5.0f}s", flush=True)


if __name__ == "__main__":
    main()
