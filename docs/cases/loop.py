"""What the published run of an improvement loop shows, and what it does not.

    python docs/cases/loop.py loops

writes `loop.md` and its picture. Not covered: running the loop, or anything, again.
"""

import csv
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from page import Desk, Page, count, percent, points, tick, write

# isort: split
from chart import Axis, Bar, interval_rows

from honestly.show.drawing._layout import Key

RUN = "cap-evolve/tau2_airline_run_full"
FRESH = "fresh"
SEED, RUNS = 17, 4000
Floats = NDArray[np.float64]
TEXT = """
# An improvement loop's published gain

**A loop reports a gain of {claimed:.1f} points; on fresh attempts, {fresh:.1f} points remain. Of its {steps} kept
steps, {found} by itself can be told from noise. The loop was tuned on {same} of the {final} tasks of its "sealed" test,
so its gain on any other task is unknown.**

cap-evolve tried {candidates} changes to an agent on {final} airline tasks of tau2-bench, ten attempts each. It kept
{steps} of them: those that raised the mean by more than 0.2 standard errors.

![Steps, their sum, and a fresh test](loop.svg)

    python docs/cases/loop.py loops --desk .    # leaves loop.csv, the published scores as a table
    honestly study import loop.csv --from table --out loop.honestly
    honestly compare loop.honestly {step}    # and so on for each row of the picture

- **Does the gain survive selection?** Yes. The winner scores {chosen} on the attempts by which it was chosen, and
  {again} on fresh ones. So selection inflated its score by {luck} points ({luck_low} to {luck_high}). On fresh
  attempts, the gain over the seed (the unchanged agent) is {gain} ({gain_low} to {gain_high}).
- **Was each step an improvement?** This is not shown: the p-values of the single steps are {p_values}. We simulated
  {runs:,} loops in which all ten candidates are as good as the seed. On average, the same rule keeps {kept:.1f} of
  them. One loop in twenty reports a gain of {tail} points or more.
- **What would ten independent changes have found?** This is not known: each change was made after seeing earlier
  results. If ten such changes had no effect, the best would by luck look {best} points better than the seed.

## What was not known

- What the winner scores on tasks that the loop never saw. There are none in these files.
- What the seed scores on fresh attempts. Its one evaluation was not used for selection, so it is a fair baseline; the
  intervals include its noise.
- Whether attempts of different candidates shared random seeds.

## Data

`tau2_airline_run_full` of cap-evolve (github.com/skillberry-ai/cap-evolve, commit d94fb336207c), 2026, as its authors
published it. The simulation of noise uses the seed's pass rates and the random seed {seed}.

    python docs/cases/loop.py loops
"""


def read(desk: Desk) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Candidates in their order, and the final test's tasks; writes both as a table for `honestly study import`."""
    folder = desk.path("loops") / RUN
    nodes = json.loads((folder / "graph.json").read_text("utf-8"))["graph"]["nodes"]
    final = json.loads((folder / "final.json").read_text("utf-8"))["test"]["per_task"]
    rows = [(node["id"], task, 10, value) for node in nodes for task, value in node["per_task"].items()]
    rows += [(FRESH, task["task_id"], task["n"], task["reward"]) for task in final]
    with desk.path("loop.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("agent", "task", "count", "pass1"), *rows])
    return nodes, final


def of_noise(nodes: list[dict[str, Any]]) -> tuple[float, Floats, Floats]:
    """The loop's own rule where every candidate equals the seed: steps kept, gains reported; and gains of best-of-N.

    Ten attempts at each task, each passing with the seed's own rate there; a candidate is kept where its mean
    difference to the best so far is above 0.2 of its standard error, as in the published run. Best-of-N takes the best
    mean.
    """
    rates, rng = np.array(list(nodes[0]["per_task"].values())), np.random.default_rng(SEED)
    gains, luck, kept = np.zeros(RUNS), np.zeros(RUNS), np.zeros(RUNS)
    for run in range(RUNS):
        tried = rng.binomial(10, rates, (len(nodes), len(rates))) / 10
        best = 0
        for i in range(1, len(nodes)):
            gap = tried[i] - tried[best]
            if gap.mean() > 0.2 * gap.std(ddof=1) / math.sqrt(len(gap)):
                best, kept[run] = i, kept[run] + 1
        gains[run], luck[run] = tried[best].mean() - tried[0].mean(), tried[1:].mean(axis=1).max() - tried[0].mean()
    return float(kept.mean()), gains, luck


def picture(rows: list[tuple[str, dict[str, Any], str]], noise: Floats) -> str:
    """Kept steps, all of them together, the fresh test, and what noise alone would have reported."""
    bars = [Bar(name, each["interval"][0], each["difference"], each["interval"][1], hue) for name, each, hue in rows]
    low, high = np.quantile(noise, [0.05, 0.95])
    bars.append(Bar("ten candidates equal to the seed", float(low), float(noise.mean()), float(high), "third"))
    keys = [
        Key("on the attempts that chose, 95% interval", "visible"),
        Key("on fresh attempts, 95% interval", "honest"),
        Key("noise alone, nine loops of ten", "third"),
    ]
    title = "Five kept steps, what they add up to, and a fresh test"
    axis = Axis("gain in percentage points", -0.1, 0.3, tick)
    return interval_rows(title, "No step excludes zero; the sum and the fresh test do", axis, bars, keys, mark=0.0)


def make(desk: Desk) -> Page:
    """Import the candidates, compare each kept one with its parent, the winner with the seed, and with itself."""
    nodes, final = read(desk)
    desk.ask("import loop.csv --from table --out loop.honestly")
    kept = [node for node in nodes if node["status"] == "accepted"]
    seed, winner = nodes[0]["id"], kept[-1]["id"]
    steps = {f"{n['id']} {n['parent']}": desk.ask(f"compare loop.honestly {n['id']} {n['parent']}") for n in kept}
    claimed, fresh, chosen = (
        desk.ask(f"compare loop.honestly {pair}")
        for pair in (f"{winner} {seed}", f"{FRESH} {seed}", f"{winner} {FRESH}")
    )
    taken, gains, luck = of_noise(nodes)
    facts = {
        "claimed": 100 * claimed["difference"],
        "fresh": 100 * fresh["difference"],
        "found": count(sum(step["p_value"] <= 0.05 for step in steps.values())),
        "steps": count(len(steps)),
        "same": len({task["task_id"] for task in final} & set(nodes[0]["per_task"])),
        "final": len(final),
        "candidates": count(len(nodes) - 1),
        "step": next(iter(steps)),
        "chosen": percent(chosen["score_a"]),
        "again": percent(chosen["score_b"]),
        "p_values": ", ".join(f"{step['p_value']:.2f}" for step in steps.values()),
        "kept": taken,
        "tail": points(float(np.quantile(gains, 0.95))),
        "best": points(float(luck.mean())),
        "runs": RUNS,
        "seed": SEED,
    }
    for name, found in (("gain", fresh), ("luck", chosen)):
        low, high = map(points, found["interval"])
        facts |= {name: points(found["difference"]), f"{name}_low": low, f"{name}_high": high}
    rows = [(" − ".join(pair.split()), step, "visible") for pair, step in steps.items()]
    rows += [(f"{winner} − {seed}", claimed, "visible"), (f"{winner} tested afresh − {seed}", fresh, "honest")]
    return Page(TEXT, facts, {"loop.svg": picture(rows, gains)})


if __name__ == "__main__":
    write("loop", "What the published run of an improvement loop shows.", ["loops"], make)
