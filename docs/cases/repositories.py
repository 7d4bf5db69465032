"""Four models on SWE-bench Verified, with and without its twelve repositories as clusters.

    python docs/cases/repositories.py swebench_bash_only_4models.jsonl

writes `repositories.md` and its picture. Not covered: other programs around the models than the one that was published.
"""

import json
import textwrap
from collections import Counter
from typing import Any

from page import Desk, Page, count, percent, points, tick, write

# isort: split
from chart import Axis, Bar, interval_rows

from honestly.show.drawing._layout import Key

DATA = "swebench_bash_only_4models.jsonl"
TEXT = """
# Four models on SWE-bench: 500 tasks are twelve repositories

**If you treat {tasks} tasks as independent, {before} of {pairs} gaps between four models are more than chance after
Holm's correction. If you treat their {clusters} repositories as clusters, {after} are.**

The scores are {scores}. Each model had one attempt per task, in the same small program with only bash as a tool. The
tasks come from {clusters} repositories: {most} from {biggest}, {least} from {smallest}. Tasks of one repository share
code and tests, so a model tends to pass or fail them together. So {tasks} tasks are not {tasks} pieces of evidence.
Repositories of such unequal sizes count as {effective:.1f} equal ones (*effective clusters*). For gpt-5 − gpt-5-mini,
the standard error rises from {se_apart:.1f} to {se:.1f} points. With fewer than ten effective clusters, honestly uses
[wide bounds](../methods/headline.md) that hold for any distribution.

![Six differences with and without clusters](repositories.svg)

{table}

    honestly study import swebench_bash_only_4models.jsonl --from table --out swe.honestly
    honestly report swe.honestly
    honestly report swe.honestly --cluster none

With clusters, {alone} of the {pairs} pairs differ at 5%, even without Holm's correction. If you could be sure that
the sample missed no rare repositories with large differences ([the condition](../methods/headline.md)), {conditional}
would. The published order may be right, but the data do not show that it is. For one pair, the command says:

{sentence}

    honestly compare swe.honestly gpt-5 gpt-5-mini

## What was not known

- Whether you want to know about other repositories. The clustered interval is about new repositories like these. For
  new tasks from exactly these {clusters}, the intervals that treat {tasks} tasks as independent fit better.
- Whether another method gives narrower intervals. {effective:.1f} effective clusters are few for any method.
- What a second attempt would give. With one attempt per task, luck and ability cannot be told apart.

## Data

Results by task of four models on SWE-bench Verified, "bash only" (mini-SWE-agent; www.swebench.com), in the form of
eval-arena (github.com/all-the-noises/eval-arena), 2025.

    python docs/cases/repositories.py swebench_bash_only_4models.jsonl
"""


def picture(pairs: list[dict[str, Any]]) -> str:
    """Every pair twice: with clusters, and as if tasks were independent."""
    bars = []
    for pair in pairs:
        low, high = pair["interval"]
        bars.append(Bar(f"{pair['a']} − {pair['b']}", low, pair["difference"], high, "honest"))
        low, high = pair["independent"]["interval"]
        bars.append(Bar("as 500 tasks", low, pair["difference"], high, "visible"))
    keys = [Key("repositories as clusters", "honest"), Key("500 independent tasks", "visible")]
    axis = Axis("difference in percentage points, 95% interval of each pair alone", -0.1, 0.2, tick)
    wider = sum(_width(p["interval"]) > _width(p["independent"]["interval"]) for p in pairs)
    title = "Six differences of four models on the same 500 tasks"
    return interval_rows(
        title, f"{wider} of {len(pairs)} intervals are wider with clusters", axis, bars, keys, mark=0.0
    )


def _width(interval: list[float]) -> float:
    return interval[1] - interval[0]


def table(pairs: list[dict[str, Any]], apart: list[dict[str, Any]]) -> str:
    """All pairs, with both kinds of p-values."""
    other = {(p["a"], p["b"]): p for p in apart}
    lines = [
        "| pair | points | p, 500 tasks | after Holm | p, clusters | after Holm |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for p in pairs:
        q = other[p["a"], p["b"]]
        numbers = " | ".join(f"{n:.2g}" for n in (q["p_value"], q["p_holm"], p["p_value"], p["p_holm"]))
        lines.append(f"| {p['a']} − {p['b']} | {points(p['difference'])} | {numbers} |")
    return "\n".join(lines)


def make(desk: Desk) -> Page:
    """Import, report twice, compare the pair whose verdict changes most."""
    desk.ask(f"import {DATA} --from table --out swe.honestly")
    found, apart = desk.ask("report swe.honestly"), desk.ask("report swe.honestly --cluster none")
    pair = desk.ask("compare swe.honestly gpt-5 gpt-5-mini")
    rows = [json.loads(line) for line in desk.path(DATA).read_text("utf-8").splitlines()]
    sizes = Counter({row["example_id"]: row["cluster"] for row in rows}.values()).most_common()
    (biggest, most), (smallest, least) = sizes[0], sizes[-1]
    facts = {
        "tasks": sum(size for _, size in sizes),
        "pairs": count(found["significance"]["family"]),
        "before": count(apart["significance"]["holm"]),
        "after": count(found["significance"]["holm"]),
        "alone": count(found["significance"]["uncorrected"]),
        "conditional": count(sum("excluded" in p["verdict"] for p in found["pairs"])),
        "clusters": count(found["clusters"]["count"]),
        "se": 100 * pair["se"],
        "se_apart": 100 * pair["independent"]["se"],
        "effective": found["clusters"]["effective"],
        "scores": ", ".join(f"{a['name']} {percent(a['honest'])}" for a in found["agents"]),
        "most": most,
        "least": least,
        "biggest": biggest.replace("__", "/"),
        "smallest": smallest.replace("__", "/"),
        "table": table(found["pairs"], apart["pairs"]),
        "sentence": textwrap.indent(textwrap.fill(pair["sentence"], 100), "    "),
    }
    return Page(TEXT, facts, {"repositories.svg": picture(found["pairs"])})


if __name__ == "__main__":
    write("repositories", "Four models on SWE-bench, with repositories as clusters.", [DATA], make)
