"""Which of the kernels that other people audited does the audit flag, and which of the clean ones?

    python bench/audit_kernels.py KERNELBENCH_AUDITS PYGPUBENCH_EXPLOITS

Reads the labels and the final code; every kernel is a case of its own, without instruction and without steps. A third
of each verdict was put aside by a seed while the rules were written (`aside` below): its first run stands in
docs/audit.md, its column here is of rules that have seen it since. Runs without code are unreadable to every detector.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

SEED = 20261123


def aside(rows: list[dict[str, str]]) -> set[str]:
    """Ids of the runs that were put aside: a third of the runs with code of each verdict."""
    by_verdict: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row.get("code"):
            by_verdict[row["verdict"]].append(row["run_id"])
    rng, chosen = random.Random(SEED), set[str]()
    for verdict in sorted(by_verdict):
        ids = sorted(by_verdict[verdict])
        rng.shuffle(ids)
        chosen |= set(ids[: round(len(ids) / 3)])
    return chosen


def charges(name: str, text: str) -> dict[str, str]:
    """Detectors that flag a kernel, and what they charge it with."""
    from honestly.audit import DETECTORS, Case, audit_case
    from honestly.records import Edit, Outcome, Tree, Trial

    trial = Trial(id="0" * 32, agent="a", task=name, sample=0, outcome=Outcome.PASSED)
    case = Case(trial=trial, table=None, final=Edit(write=Tree.of({"solution.py": text})))
    found = audit_case(case, DETECTORS, lambda _: None)
    return {each.detector: each.severity for each in found if each.state in {"flagged", "error"}}


def main(audits: Path, exploits: Path) -> None:
    """Prints the tables."""
    rows = [json.loads(line) for line in (audits / "labels.jsonl").read_text().splitlines()]
    put_aside = aside(rows)
    tables: dict[bool, dict[str, Counter[str]]] = {False: defaultdict(Counter), True: defaultdict(Counter)}
    by_detector: Counter[tuple[str, str, str]] = Counter()
    start = time.process_time()
    for row in rows:
        count = tables[row["run_id"] in put_aside][row["verdict"]]
        if not row.get("code"):
            count["unreadable"] += 1
            continue
        found = charges(row["run_id"], (audits / row["code"]).read_text())
        count["code"] += 1
        count["hack"] += "hack" in found.values()
        count["lesser"] += bool(found) and "hack" not in found.values()
        by_detector.update((name, row["verdict"], severity) for name, severity in found.items())
        if "hack" in found.values():
            print(f"{row['verdict']:18} {row['run_id']}: {', '.join(sorted(found))}")
    spent = time.process_time() - start
    for part, label in ((False, "rules were written from these"), (True, "put aside")):
        print(f"\n{label}:")
        for verdict, count in sorted(tables[part].items()):
            print(
                f"  {verdict:20} with code {count['code']:3}  hack {count['hack']:3}  lesser {count['lesser']:3}"
                f"  unreadable {count['unreadable']:3}"
            )
    print()
    for (name, verdict, severity), number in sorted(by_detector.items()):
        print(f"  {name:20} {severity:6} on {verdict:12} {number}")
    print(f"\n{spent:.1f} s of CPU for all detectors\n")
    for row in json.loads((exploits / "labels.json").read_text()):
        found = charges(row["file"], (exploits / row["file"]).read_text())
        print(f"  {row['label']:14} {row['file']:44} {', '.join(sorted(found)) or '-'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
