"""Trials a second into a study in PostgreSQL, with the server here and at a distance.

python bench/distance.py [--judged | --flying N] [--rounds 3]

A server of its own (Debian: `apt-get install postgresql`), behind a proxy that delays what it passes on, and trials
that end at once, one at a time, so that nothing but the store is measured; with `--flying`, so many at a time, each of
which sleeps for a second; with `--judged`, trials of an agent of known truth in sandboxes, three at a time. Rounds are
interleaved; what counts is the ratio to the server here, of each round.
"""

import argparse
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from distant import distant
from honestly.agents import make_agent
from honestly.runner import Executor, LocalExecutor, Plan, Redo, run_plan
from honestly.sandbox import open_sandbox
from honestly.store import open_or_create
from honestly.tasks import load_suite
from instant import Flying, Instant, Priced
from postgres_server import running_server

AWAY_MS = (0, 1, 10, 50)


def main() -> None:
    """Print trials a second, round trips a trial and CPU time of ours, for each distance and round."""
    os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judged", action="store_true")
    parser.add_argument("--flying", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    suite = load_suite("embedded", only=["split-bill", "stock-holds", "config-layers"])
    if asked.judged:
        plan = Plan(suite, [make_agent("honest:name=h,easy=0.5,medium=0.5,hard=0.5", suite)], 6)
    else:
        plan = Plan(suite, [Priced()], max(40, 3 * asked.flying))
    with running_server() as server:
        for number in range(asked.rounds):
            for away in AWAY_MS:
                with distant(server.port, away / 1000) as distance:
                    near = server.address(f"round-{number}-{away}")
                    executor: Executor = LocalExecutor(open_sandbox, 3) if asked.judged else Instant()
                    executor = Flying(asked.flying, 1.0) if asked.flying else executor
                    with open_or_create(near.replace(str(server.port), str(distance.port))) as study:
                        began, cpu, trips = time.monotonic(), time.process_time(), distance.trips
                        done = anyio.run(partial(run_plan, plan, study, executor, redo=Redo(waits_s=()))).done
                        took, cpu = time.monotonic() - began, time.process_time() - cpu
                        each = (distance.trips - trips) / done
                print(
                    f"{away:>3} ms: {done / took:5.1f} trials/s, {each:.2f} round trips and {1000 * cpu / done:.1f} ms "
                    f"of CPU a trial (load {os.getloadavg()[0]:.0f})"
                )


if __name__ == "__main__":
    main()
