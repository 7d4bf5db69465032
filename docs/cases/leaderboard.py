"""Nine submissions to Terminal-Bench's leaderboard, recomputed.

    python docs/cases/leaderboard.py terminal-bench

writes `leaderboard.md` and its pictures. Not covered: what agents did; the files hold logs of one of them.
"""

import re
from collections import Counter
from itertools import pairwise
from typing import Any

from page import Desk, Page, count, percent, short, write

TEXT = """
# A terminal leaderboard, recomputed

**First and second place are {gap:.1f} points apart; chance alone gives gaps of up to {chance:.1f}. Of all trials,
{void} never got a verdict. Under {others} of {policies} ways to count them, the second agent comes first.**

Nine submissions, {tasks} tasks, five attempts each: {trials:,} trials.

## Which pairs can be told apart

The {counts[family]} pairs of agents were tested at 5%. Without a correction, {counts[uncorrected]} of them differ;
after Holm's correction for all pairs, {counts[holm]} do. Of the {steps} pairs of neighbours on the leaderboard, {apart}
can be told apart after the correction. The data allow ranks {first_ranks} for {first}, and {second_ranks} for {second}.

![All paired differences](leaderboard-differences.svg)

    honestly study import terminal-bench --out tb.honestly
    honestly report tb.honestly --figures figures
    honestly compare tb.honestly {first} {second}

## Trials without a verdict decide the order

{void} trials have no verdict ({reasons}). The leaderboard counts them as failed. {second} has {second_void} of them,
and {first} has {first_void}. If you leave them out, {second} is ahead with {second_without} against {first_without}.
{widest} has {widest_void}. It scores {low} if they count as failed, and {high} if they count as passed. In {never} of
its trials, the log says that its program was not found.

![Ranks under four policies](leaderboard-policies.svg)

    honestly report tb.honestly --figures figures

## Some passes rest on tests that never ran

When pytest prints a line about skipped tests, the benchmark's parser reads it as a passed test. In {flagged} trials,
all at the task {where}, such lines count as passed tests ({notes}). Of {passes:,} published passes, {lost} rest on
such lines ({who}). {fallen} The audit recognises such lines by the names of the tests.

    honestly audit tb.honestly --detector skipped-as-passed

## What was not known

- How a trial without a verdict would have ended.
- What most agents did. The files hold the logs of only one agent, so the others may have cheated.
- Whether the five attempts ran under equal conditions. The version of the harness varies within {harness} submissions,
  and the name of the model within {models}.

## Data

Nine of the submissions to terminal-bench-core 0.1.1 (www.tbench.ai), made from July to September 2025, as their authors
published them.

    python docs/cases/leaderboard.py terminal-bench
"""
FIGURES = {"leaderboard-differences.svg": "differences.svg", "leaderboard-policies.svg": "policy-ranks.svg"}


def void_reasons(defects: dict[str, int]) -> str:
    """Why trials have no verdict, commonest first."""
    found = {kind.removeprefix("no verdict: "): n for kind, n in defects.items() if kind.startswith("no verdict: ")}
    return ", ".join(f"{n} `{kind}`" for kind, n in sorted(found.items(), key=lambda each: -each[1]))


def on_unrun_tests(audit: dict[str, Any]) -> dict[str, Any]:
    """What the audit says of passes that rest on tests that never ran."""
    standings, flagged = audit["standings"], [f for f in audit["flagged"] if f["state"] == "flagged"]
    said = Counter(re.sub(r" passes .*", "", f["note"]) for f in flagged).most_common()
    lost = {short(s["arm"]): s["published"] - s["ran"] for s in standings}
    before, after = (
        {short(s["arm"]): 1 + sum(t[key] > s[key] for t in standings) for s in standings}
        for key in ("published", "ran")
    )
    fallen = [f"{arm} falls from rank {before[arm]} to {after[arm]}" for arm in before if after[arm] > before[arm]]
    return {
        "flagged": len(flagged),
        "where": " and ".join(sorted({f"`{f['task']}`" for f in flagged})),
        "notes": ", ".join(f"{note} in {n} trials" for note, n in said),
        "lost": sum(lost.values()),
        "passes": sum(s["published"] for s in standings),
        "who": ", ".join(f"{name} {n}" for name, n in sorted(lost.items(), key=lambda each: -each[1]) if n),
        "fallen": f"Without them {', '.join(fallen)}." if fallen else "Without them no rank changes.",
    }


def on_order(found: dict[str, Any], pair: dict[str, Any]) -> dict[str, Any]:
    """What the report says of ranks."""
    agents, variants, counts = found["agents"], found["variants"], found["significance"]
    first, second = agents[:2]
    leaders = [[a["name"] for a, r in zip(agents, v["ranks"], strict=True) if r == 1] for v in variants]
    others = sum(names == [second["name"]] for names in leaders)
    next_to = [{a["name"], b["name"]} for a, b in pairwise(agents)]
    known = [p for p in found["pairs"] if {p["a"], p["b"]} in next_to and p["p_holm"] <= counts["alpha"]]
    widest = max(agents, key=lambda a: a["bounds"][1] - a["bounds"][0])
    low, high = (percent(bound) for bound in widest["bounds"])
    without = dict(zip((a["name"] for a in agents), variants[1]["scores"], strict=True))
    facts = {
        "others": count(others),
        "policies": count(len(variants)),
        "apart": count(len(known)),
        "steps": len(next_to),
    }
    for name, agent in (("first", first), ("second", second), ("widest", widest)):
        facts |= {name: short(agent["name"]), f"{name}_void": agent["void"]}
        facts |= {f"{name}_ranks": "{} to {}".format(*agent["rank_interval"])}
        facts |= {f"{name}_without": percent(without[agent["name"]])}
    return facts | {"low": low, "high": high, "gap": 100 * pair["difference"], "chance": 100 * pair["chance"]}


def make(desk: Desk) -> Page:
    """Import, audit, report, compare."""
    desk.ask("import terminal-bench --out tb.honestly")
    audit = desk.ask("audit tb.honestly --detector skipped-as-passed")
    found = desk.ask("report tb.honestly --figures figures")
    agents, defects = found["agents"], found["defects"]
    pair = desk.ask(f"compare tb.honestly {agents[0]['name']} {agents[1]['name']}")
    facts = {
        "void": sum(a["void"] for a in agents),
        "trials": sum(a["trials"] for a in agents),
        "tasks": agents[0]["n"],
        "counts": found["significance"],
        "reasons": void_reasons(defects),
        "never": defects.get("agent never started", 0),
        "harness": count(defects.get("harness varies", 0)),
        "models": count(defects.get("model varies", 0)),
    }
    drawn = {name: (desk.folder / "figures" / file).read_text("utf-8") for name, file in FIGURES.items()}
    return Page(TEXT, facts | on_order(found, pair) | on_unrun_tests(audit), drawn)


if __name__ == "__main__":
    write("leaderboard", "Nine submissions to Terminal-Bench, read again.", ["terminal-bench"], make)
