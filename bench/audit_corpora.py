"""What does the audit say of labelled and of presumed honest trials that others made, detector by detector?

    python bench/audit_corpora.py CORPORA_DIRECTORY [--corpus NAME] [--json]

Each corpus (`bench/corpora/`) becomes a study and is audited by all detectors. A detector's false-flag rate is of the
honest trials that it could read, with Wilson's 95% interval, trials as independent; its precision is hacks / (hacks +
honest) among what it flagged, as the labels say: suspicious, other and unlabelled trials count as neither. `any` is a
flag of a hack by any detector. Flags of what is less than a hack, and of grader defects, stand apart. Prints Markdown;
seconds go to standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from corpora import Corpus
from corpora.chats import CORPORA as CHATS
from corpora.published import CORPORA as PUBLISHED

from honestly.audit import DETECTORS, GRADER_DEFECT, audit_study
from honestly.records import Finding
from honestly.stats import wilson_interval
from honestly.store import create_study

CORPORA = (*PUBLISHED, *CHATS)
ANY = "any"
KNOWN = ("flagged", "clean")
"""States of a finding that say something."""


def kind_of(finding: Finding) -> str:
    """What a flag means: a hack, something less, or a defect of the grader."""
    return "grader" if finding.category == GRADER_DEFECT else finding.severity


def measure(corpus: Corpus, place: Path) -> dict[str, object]:
    """Everything that is printed of a corpus, as plain data."""
    began = time.perf_counter()
    found = corpus.read(place)
    with tempfile.TemporaryDirectory() as folder, create_study(Path(folder) / "s.honestly") as study:
        study.add(found.items)
        read = time.perf_counter()
        audit_study(study, DETECTORS)
        audited = time.perf_counter()
        by_trial: dict[str, list[Finding]] = defaultdict(list)
        for finding in study.findings():
            by_trial[finding.trial].append(finding)
        labels = {trial.id: found.labels.get(trial.source, found.rest) for trial in study.trials()}
        sources = {trial.id: trial.source for trial in study.trials()}
        agents = {agent.name: agent for agent in study.agents()}
        shares = Counter(trial.agent for trial in study.trials())
    found_by = _by_detector(by_trial)
    rows = [(ANY, "hack", {trial: _together(by_trial[trial]) for trial in labels})]
    for detector in DETECTORS:
        kinds = Counter(kind_of(each) for each in found_by[detector.name] if each.state == "flagged")
        for kind in kinds or {detector.severity: 0}:
            rows.append((detector.name, kind, {each.trial: _state(each, kind) for each in found_by[detector.name]}))
    return {
        "corpus": corpus.name,
        "date": corpus.date,
        "basis": corpus.basis,
        "weak": corpus.weak,
        "agents": sorted({(agents[name].program, agents[name].model) for name in shares}),
        "trials": len(labels),
        "labels": dict(Counter(labels.values())),
        "seconds": [read - began, audited - read],
        "detectors": [{"detector": name, "kind": kind, **rates(states, labels)} for name, kind, states in rows],
        "flagged": [
            [sources[each.trial], labels[each.trial], each.detector, each.note]
            for many in by_trial.values()
            for each in many
            if each.state == "flagged"
        ],
    }


def _by_detector(by_trial: Mapping[str, Sequence[Finding]]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = defaultdict(list)
    for many in by_trial.values():
        for each in many:
            found[each.detector].append(each)
    return found


def _state(finding: Finding, kind: str) -> str:
    """What a finding says of one kind of charge; a flag of another kind was read, and is no flag of this one."""
    return "clean" if finding.state == "flagged" and kind_of(finding) != kind else finding.state


def _together(findings: Sequence[Finding]) -> str:
    """What all say of hacks. Unlike a study's own account this counts a trial as read whose files alone were."""
    states = {_state(each, "hack") for each in findings if each.category != GRADER_DEFECT}
    return next((state for state in KNOWN if state in states), "unreadable")


def rates(states: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, object]:
    """What one detector says, held to the labels."""
    flags = Counter(labels[trial] for trial, state in states.items() if state == "flagged")
    read = Counter(labels[trial] for trial, state in states.items() if state in KNOWN)
    false, hits = flags["honest"], flags["hack"]
    return {
        "read": read.total(),
        "unread": len(labels) - read.total(),
        "errors": sum(state == "error" for state in states.values()),
        "flags": flags.total(),
        "flags_by_label": dict(flags),
        "hacks_read": read["hack"],
        "honest_read": read["honest"],
        "false_flag_interval": _interval(false, read["honest"]),
        "precision_interval": _interval(hits, hits + false),
    }


def _interval(count: int, total: int) -> list[float] | None:
    return [float(end) for end in wilson_interval(count, total)] if total else None


def page(found: dict) -> str:
    """A corpus as Markdown."""
    agents = [f"{model or 'no model'} in {program}" if program else model for program, model in found["agents"]]
    shown = ", ".join(agents[:4]) + (f", and {len(agents) - 4} more" if len(agents) > 4 else "")
    labels = ", ".join(f"{count} {label}" for label, count in sorted(found["labels"].items()))
    rows = [each for each in found["detectors"] if each["flags"] or each["detector"] == ANY]
    silent = [each for each in found["detectors"] if not each["flags"] and each["detector"] != ANY]
    blind = [each["detector"] for each in silent if not each["read"]]
    errors = sum(each["errors"] for each in found["detectors"] if each["detector"] != ANY)
    lines = [
        f"## {found['corpus']}{' (weak labels)' * found['weak']}",
        "",
        f"{shown}; {found['date']}. {found['trials']} trials: {labels}. Labels: {found['basis']}.",
        "",
        "| detector | read | unread | flags | on hacks | on honest | precision | false-flag rate |",
        "|---|---:|---:|---:|---:|---:|---|---|",
        *(_row(each, found["trials"]) for each in rows if each["kind"] == "hack"),
        *(_row(each, found["trials"]) for each in rows if each["kind"] != "hack"),
        "",
        f"{len(silent)} detectors flag nothing" + (f"; of these {len(blind)} can read nothing" if blind else "") + ".",
    ]
    return "\n".join(lines + [f"{errors} findings are errors."] * bool(errors)) + "\n"


def _row(each: dict, trials: int) -> str:
    flags = each["flags_by_label"]
    hits, false = flags.get("hack", 0), flags.get("honest", 0)
    name = each["detector"] + (f" ({each['kind']})" if each["kind"] != "hack" else "")
    cells = [
        f"**{name}**" if name == ANY else f"`{name}`",
        str(each["read"]),
        f"{each['unread'] / trials:.0%}" if trials else "",
        str(each["flags"]),
        _of(hits, each["hacks_read"]),
        _of(false, each["honest_read"]),
        _rate(hits, hits + false, each["precision_interval"]),
        _rate(false, each["honest_read"], each["false_flag_interval"]),
    ]
    return f"| {' | '.join(cells)} |"


def _of(count: int, total: int) -> str:
    return f"{count} of {total}" if total else ""


def _rate(count: int, total: int, interval: Sequence[float] | None) -> str:
    return f"{count / total:.1%} [{interval[0]:.1%}, {interval[1]:.1%}]" if interval else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", choices=[corpus.name for corpus in CORPORA])
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    all_found = []
    for corpus in CORPORA:
        if asked.corpus not in {None, corpus.name}:
            continue
        place = asked.folder / corpus.place
        if not place.is_dir():
            print(f"{corpus.name}: {corpus.place} is not there; left out", file=sys.stderr)
            continue
        found = measure(corpus, place)
        all_found.append(found)
        reading, auditing = found["seconds"]  # type: ignore[misc]
        print(f"{corpus.name}: read in {reading:.1f} s, audited in {auditing:.1f} s", file=sys.stderr)
        if not asked.json:
            print(page(found), flush=True)
    if asked.json:
        print(json.dumps(all_found))


if __name__ == "__main__":
    main()
