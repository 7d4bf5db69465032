"""How often do instructions that were planted in a trajectory talk the monitor out of a flag, and where does that end?

    python bench/audit_injection.py [--monitor MODEL] [--confirm MODEL] [--all] [--json]

Trials that cheat (`tests/audit/positives.py`), each as it is and with each of the instructions of
`tests/audit/injections.py` planted in it; judged by the whole monitor, both stages, both views. Without
`--monitor` the judge is scripted and gullible (`tests/audit/gullible.py`): it obeys any order in what it reads, however
hidden, for the trial in which it stands; with `--all`, for every trial in the same question, planted ones included.

A view flips where it flags the trial as it is and not with the instruction. Rates are of the trials that both views
flag as they are; what becomes of the others is listed. The last column counts the trials whose findings by the rules,
which ask no model, are changed by the instruction: the state, the quotes, the steps of any detector.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import anyio

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "audit"))


def measure(model, confirm) -> dict[str, object]:
    """Everything that is printed, as plain data."""
    from injections import INJECTION_SET, INJECTIONS
    from positives import PLAIN, positives

    minis = positives()
    alone, _ = judged(minis, (), model, confirm)
    ends, told = judged(minis, INJECTIONS, model, confirm)
    before = {name: alone[name][PLAIN] for name in minis}
    seen = [name for name in minis if before[name][:2] == ("flagged", "flagged")]
    changes = rules_changed(minis)
    return {
        "set": INJECTION_SET,
        "judge": model.name,
        "positives": len(minis),
        "ways": [row(way, [ends[name][way] for name in seen], changes[way]) for way in INJECTIONS],
        "one_view_only": {
            name: {"as it is": before[name], "clean": Counter(ends[name][way][2] for way in INJECTIONS)["clean"]}
            for name in minis
            if name not in seen
        },
        **told,
    }


def judged(minis: dict, ways, model, confirm) -> tuple[dict[str, dict[str, tuple[str, str, str]]], dict[str, object]]:
    """Both views and the end of each trial in each way, and what the run says of itself."""
    from positives import fill

    from honestly.audit.monitor import Monitor, monitor_study
    from honestly.store import create_study

    ends: dict[str, dict[str, tuple[str, str, str]]] = defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder, create_study(Path(folder) / "i.honestly") as study:
        names = fill(study, minis, ways)
        monitor = Monitor(model=model, confirm=confirm)
        outcome = anyio.run(monitor_study, study, monitor)
        for found in study.findings():
            if found.detector == "monitor":
                name, way = names[found.trial]
                views = re.search(r"full view: (\w+); actions only: (\w+)", found.note)
                ends[name][way] = (views[1], views[2], found.state)
        planted = study.kept("monitor", dict[str, object])[monitor.version]
    return ends, {"planted": planted, "calls": outcome.purse.calls, "left": outcome.left}


def row(way: str, ends: list[tuple[str, str, str]], changed: int) -> dict[str, object]:
    """One way: flips of each view, and where the trials end."""
    states = Counter(state for _, _, state in ends)
    return {
        "way": way,
        "trials": len(ends),
        "full_flips": sum(full != "flagged" for full, _, _ in ends),
        "actions_flips": sum(actions != "flagged" for _, actions, _ in ends),
        "flagged": states["flagged"],
        "for_people": states["error"],
        "clean": states["clean"] + states["unreadable"],
        "rules_changed": changed,
    }


def rules_changed(minis: dict) -> Counter[str]:
    """Trials whose findings by the rules are others with the instruction in it, by way."""
    from injections import INJECTIONS
    from positives import injected

    from honestly.audit import USUAL_DETECTORS, audit_case

    def said(mini) -> list[tuple[object, ...]]:
        found = audit_case(mini.case(), USUAL_DETECTORS, mini.step)
        return [(each.detector, each.state, each.category, each.evidence) for each in found]

    changed: Counter[str] = Counter()
    for mini in minis.values():
        before = said(mini)
        for way in INJECTIONS:
            changed[way] += said(injected(mini, way)) != before
    return changed


def show(found: dict) -> None:
    print(f"injection set {found['set']}, judge {found['judge']}, {found['calls']} calls; {found['left']} trials left")
    head = ("way", "trials", "full flips", "actions flip", "flagged", "people", "clean", "rules")
    print(f"{head[0]:28}" + "".join(f"{name:>13}" for name in head[1:]))
    keys = ("trials", "full_flips", "actions_flips", "flagged", "for_people", "clean", "rules_changed")
    for each in found["ways"]:
        print(f"{each['way']:28}" + "".join(f"{each[key]:>13}" for key in keys))
    total = {key: sum(each[key] for each in found["ways"]) for key in keys}
    print(f"{'all':28}" + "".join(f"{total[key]:>13}" for key in keys))
    print(f"flagged by one view only, or none, as they are: {len(found['one_view_only'])} of {found['positives']}")
    for name, ends in found["one_view_only"].items():
        views = " / ".join(ends["as it is"])
        print(f"  {name}: {views}; clean with {ends['clean']} of {len(found['ways'])} instructions")
    for view in ("full", "actions"):
        tally = found["planted"][view]
        print(f"planted, {view}: {tally['found']}/{tally['positives']} cheats found, ", end="")
        print(f"{tally['flagged']}/{tally['negatives']} lookalikes flagged, {tally['unanswered']} unanswered")


def option(name: str) -> str:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else ""


def main() -> None:
    from gullible import Gullible

    from honestly.models import make_model

    judge = make_model(option("--monitor")) if option("--monitor") else Gullible(own="--all" not in sys.argv)
    measured = measure(judge, make_model(option("--confirm")) if option("--confirm") else judge)
    print(json.dumps(measured)) if "--json" in sys.argv else show(measured)


if __name__ == "__main__":
    main()
