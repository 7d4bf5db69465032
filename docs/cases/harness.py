"""One model under six programs, and one agent under five ways to count: what a harness does to a score.

    python docs/cases/harness.py terminal-bench

writes `harness.md` and its pictures. Not covered: settings that change what an agent sees or may use (tools, prompts,
visible tests), which these results do not vary.
"""

import csv
from collections.abc import Iterable
from typing import Any

from page import Desk, Page, percent, points, short, write

# isort: split
from chart import Axis, Bar, interval_rows

import honestly
from honestly.show.drawing._layout import Key

MODEL, ONE = "claude-4-sonnet", "20250923_droid_claude-4-sonnet"
OTHER = "20250923_droid_claude-4-1-opus"
TEXT = """
# One model, six programs; one agent, five ways to count

**On the same {tasks} tasks, Claude Sonnet 4 scores between {worst} and {best}, depending on the program around it. A
better model, Claude Opus 4.1, adds {opus} points. Droid with Sonnet 4, the best of these agents, scores between
{lowest} and {highest}, depending only on how the harness counts.**

## One model under six programs

Six submissions to a leaderboard name the same model, with five attempts per task. Of their {pairs} pairs, {holm} differ
after Holm's correction. How much does a better model help the same program? Droid with Claude Opus 4.1 is
{opus} points ahead of Droid with Sonnet 4 ({opus_low} to {opus_high}). Orchestrator with Sonnet 4 is {qwen} points
ahead of Orchestrator with Qwen 3 Coder ({qwen_low} to {qwen_high}).

![Scores of one model under six programs](harness-programs.svg)

    python docs/cases/harness.py terminal-bench --desk .    # leaves sonnet.csv and settings.csv, and the studies
    honestly report sonnet.honestly
    honestly compare tb.honestly {ONE_SHORT} droid_claude-4-1-opus
    honestly compare tb.honestly orchestrator_claude orchestrator_qwen

Some of these gaps are not due to the program. For {worst_name}, {void} of {mini_trials} trials have no verdict, and
{never} logs say that the program was not found. Without the trials that have no verdict, it scores {worst_without}.

## One agent under five settings

{ONE_SHORT} has {trials} trials. In {late} of them the agent ran out of time and still passed, because the harness then
tests the files that the agent left. Another {no_verdict} trials have no verdict.

![One agent under five settings](harness-settings.svg)

    honestly study import settings.csv --from table --out settings.honestly
    honestly report settings.honestly

Each bar is one way to count, and none is wrong. Compare a score only with scores that were counted in the same way.

## What was not known

- What else differs between the six: prompts, tools, versions of the harness, dates of the runs. These are
  submissions, not an experiment that varies one thing.
- Whether it was one model. Some submissions name an alias (`claude-sonnet-4-0`), others a dated version.

## Data

Submissions to terminal-bench-core 0.1.1 (www.tbench.ai), made from July to September 2025, as their authors published
them.

    python docs/cases/harness.py terminal-bench
"""


def table(desk: Desk, name: str, rows: Iterable[tuple[str, str, str]]) -> dict[str, Any]:
    """A report on a study of these rows of agent, task and outcome, imported as a table."""
    with desk.path(f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("agent", "task", "outcome"), *rows])
    desk.ask(f"import {name}.csv --from table --out {name}.honestly")
    found: dict[str, Any] = desk.ask(f"report {name}.honestly")
    return found


def settings(trials: list[Any]) -> list[tuple[str, str, str]]:
    """One agent's trials, counted in five ways."""
    rows = []
    outcomes: dict[str, list[str]] = {}
    for trial in trials:
        outcome = trial.outcome.value
        outcomes.setdefault(trial.task, []).append(outcome)
        rows.append(("as published: one attempt", trial.task, outcome))
        late = outcome == "passed" and trial.reason == "agent_timeout"
        rows.append(("a pass after the time is up fails", trial.task, "limit" if late else outcome))
        if outcome != "void":
            rows.append(("no verdict is left out", trial.task, outcome))
    for task, each in outcomes.items():
        rows.append(("five attempts, one must pass", task, "passed" if "passed" in each else "failed"))
        rows.append(("five attempts, all must pass", task, "passed" if set(each) == {"passed"} else "failed"))
    return rows


def picture(title: str, described: str, groups: dict[Key, list[dict[str, Any]]]) -> str:
    """Scores of agents with their intervals, each group in the colour of its key."""
    bars = [
        Bar(f"{short(a['name'])}, {percent(a['honest'])}", *_around(a), key.fill)
        for key, agents in groups.items()
        for a in agents
    ]
    axis = Axis("score, 95% interval for new tasks of this kind", 0, 1, lambda share: f"{100 * share:.0f}%")
    return interval_rows(title, described, axis, bars, list(groups))


def _around(agent: dict[str, Any]) -> tuple[float, float, float]:
    low, high = agent["interval"]
    return low, agent["honest"], high


def _left_out(found: dict[str, Any]) -> dict[str, float]:
    names = (agent["name"] for agent in found["agents"])
    return dict(zip(names, next(v["scores"] for v in found["variants"] if v["name"] == "left out"), strict=True))


def make(desk: Desk) -> Page:
    """Import the leaderboard, and two tables made of it."""
    desk.ask("import terminal-bench --out tb.honestly")
    whole = desk.ask("report tb.honestly")
    defects, other = whole["defects"], next(a for a in whole["agents"] if a["name"] == OTHER)
    trials = list(honestly.open(desk.path("tb.honestly")).trials())
    same = [t for t in trials if t.agent.endswith(MODEL)]
    mine = [t for t in trials if t.agent == ONE]
    six = table(desk, "sonnet", ((t.agent, t.task, t.outcome.value) for t in same))
    five = table(desk, "settings", settings(mine))
    best, worst = six["agents"][0], six["agents"][-1]
    facts = {
        "ONE_SHORT": short(ONE),
        "best": percent(best["honest"]),
        "worst": percent(worst["honest"]),
        "worst_name": short(worst["name"]),
        "worst_without": percent(_left_out(six)[worst["name"]]),
        "tasks": best["n"],
        "pairs": six["significance"]["family"],
        "holm": six["significance"]["holm"],
        "void": worst["void"],
        "mini_trials": worst["trials"],
        "never": defects.get("agent never started", 0),
        "trials": len(mine),
        "late": sum(t.outcome.value == "passed" and t.reason == "agent_timeout" for t in mine),
        "no_verdict": sum(t.outcome.value == "void" for t in mine),
        "lowest": percent(five["agents"][-1]["honest"]),
        "highest": percent(five["agents"][0]["honest"]),
    }
    asked = {"opus": "droid_claude-4-1-opus droid_claude-4-sonnet", "qwen": "orchestrator_claude orchestrator_qwen"}
    for name, pair in asked.items():
        found = desk.ask(f"compare tb.honestly {pair}")
        low, high = map(points, found["interval"])
        facts |= {name: points(found["difference"]).lstrip("+"), f"{name}_low": low, f"{name}_high": high}
    programs = {Key("Claude Sonnet 4", "honest"): six["agents"], Key("Claude Opus 4.1", "third"): [other]}
    counted = {Key("mean over 80 tasks", "visible"): five["agents"]}
    drawn = {
        "harness-programs.svg": picture(
            "One model under six programs", "They differ more than two models do", programs
        ),
        "harness-settings.svg": picture(
            "400 trials of one agent, counted in five ways", "From all of five attempts to one of five", counted
        ),
    }
    return Page(TEXT, facts, drawn)


if __name__ == "__main__":
    write("harness", "What a harness does to a score.", ["terminal-bench"], make)
