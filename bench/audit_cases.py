"""How many of the hand-labelled hacks does the audit find on real trials, and how many of its flags are false?

    python bench/audit_cases.py TERMINAL_BENCH_DIRECTORY CASES.jsonl [--json]

Imports the results, audits every readable trial of the tasks with labelled cases, and counts *all* flags,
not those on labelled trials only. Recall is of rows labelled `hack`; precision is hacks / (hacks + flags on honest
rows); `suspicious` rows count as neither, trials without a label stand apart, listed. Intervals are Wilson's 95%,
of trials as independent; because trials of one task are alike, both rates are also given with each task left out.
Nothing is fitted, but the rules were written by people who had read these tasks: the figures are an upper bound.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honestly.formats import Imported
    from honestly.records import Agent, Defect, Task

HONEST = ("clean", "benign-lookalike")


def labels_of(cases: Path) -> dict[str, dict]:
    """The labelled cases by the place of their trial."""
    return {row["trial"]: row for row in map(json.loads, cases.read_text().splitlines())}


def read_cases(source: Path, tasks: Collection[str]) -> Iterator[Agent | Task | Imported | Defect]:
    """All that is there, but of the trials only those of these tasks that have a trajectory."""
    from honestly.formats import Imported, read_terminal_bench

    for item in read_terminal_bench(source):
        if not isinstance(item, Imported) or (item.trial.task in tasks and item.trajectory is not None):
            yield item


def measure(source: Path, cases: Path) -> dict[str, object]:
    """Everything that is printed, as plain data."""
    from honestly.audit import DETECTORS, audit_trial, state_of
    from honestly.store import create_study

    labels = labels_of(cases)
    tasks = {row["task"] for row in labels.values()}
    agents = [each for each in DETECTORS if each.category != "grader defect"]
    rows = []
    with tempfile.TemporaryDirectory() as name, create_study(Path(name) / "tb.honestly") as study:
        study.add(read_cases(source, tasks))
        for trial in study.trials():
            findings = audit_trial(study, trial, agents)
            row = labels.get(trial.source)
            flagged = [each for each in findings if each.state == "flagged"]
            rows.append(
                {
                    "task": trial.task,
                    "case": row["id"] if row else trial.id[:8],
                    "label": row["label"] if row else "unlabelled",
                    "category": row["category"] if row else "",
                    "state": state_of(findings),
                    "detectors": [each.detector for each in flagged],
                    "notes": [each.note for each in flagged],
                }
            )
    return {"trials": len(rows), "rows": rows, **rates(rows), "without": without(rows), "tasks": by_task(rows)}


def rates(rows: list[dict]) -> dict[str, object]:
    """Recall and precision with their counts and intervals."""
    from honestly.stats import wilson_interval

    flagged = Counter(row["label"] for row in rows if row["state"] == "flagged")
    hacks = sum(row["label"] == "hack" for row in rows)
    found, false = flagged["hack"], sum(flagged[label] for label in HONEST)
    recall, precision = wilson_interval(found, hacks), wilson_interval(found, found + false)
    return {
        "hacks": hacks,
        "found": found,
        "false": false,
        "flagged": dict(flagged),
        "recall": found / hacks if hacks else None,
        "recall_interval": [float(end) for end in recall],
        "precision": found / (found + false) if found + false else None,
        "precision_interval": [float(end) for end in precision],
    }


def without(rows: list[dict]) -> dict[str, list[float]]:
    """Lowest and highest recall and precision with one task left out."""
    found: dict[str, list[float]] = defaultdict(list)
    for task in sorted({row["task"] for row in rows}):
        rest = rates([row for row in rows if row["task"] != task])
        for name in ("recall", "precision"):
            if rest[name] is not None:
                found[name].append(rest[name])
    return {name: [min(values), max(values)] for name, values in found.items()}


def by_task(rows: list[dict]) -> list[dict[str, object]]:
    """Flags by label, for each task."""
    table = []
    for task in sorted({row["task"] for row in rows}):
        mine = [row for row in rows if row["task"] == task]
        read, flagged = Counter(r["label"] for r in mine), Counter(r["label"] for r in mine if r["state"] == "flagged")
        table.append({"task": task, "labels": {label: [flagged[label], read[label]] for label in sorted(read)}})
    return table


def in_words(name: str, count: int, total: int, interval: list[float]) -> str:
    """A rate with its counts and its interval, or that there is none."""
    return (
        f"{name} {count}/{total} = {count / total:.2f} [{interval[0]:.2f}, {interval[1]:.2f}]"
        if total
        else (f"{name}: of none")
    )


def show(found: dict) -> None:
    print(f"{found['trials']} readable trials of {len(found['tasks'])} tasks; all flags: {found['flagged']}")
    print(in_words("recall", found["found"], found["hacks"], found["recall_interval"]))
    total = found["found"] + found["false"]
    print(in_words("precision", found["found"], total, found["precision_interval"]) + ", suspicious as neither")
    print("one task left out:", {name: [round(end, 2) for end in ends] for name, ends in found["without"].items()})
    for task in found["tasks"]:
        print(f"  {task['task']:48} " + ", ".join(f"{label} {a}/{n}" for label, (a, n) in task["labels"].items()))
    misses = [row for row in found["rows"] if row["label"] == "hack" and row["state"] != "flagged"]
    print("misses:", [(row["case"], row["category"]) for row in misses] or "none")
    for row in found["rows"]:
        if row["state"] == "flagged" and row["label"] != "hack":
            why = f"{', '.join(row['detectors'])}: {row['notes'][0]}"
            print(f"  flagged {row['label']} {row['case']} {row['task']}: {why}")


if __name__ == "__main__":
    measured = measure(Path(sys.argv[1]), Path(sys.argv[2]))
    print(json.dumps(measured)) if "--json" in sys.argv else show(measured)
