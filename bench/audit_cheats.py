"""Does the audit find each kind of cheat of the known-truth agents, and does it leave their honest trials in peace?

    python bench/audit_cheats.py STUDY

STUDY is a run of the embedded suite by such agents (docs/audit.md has the command). A trial counts as found if any
detector flags it that does not blame the grader; the last column leaves out evidence from the agent's own words in the
steps where it writes, which a cheat need not say. Honest trials are split by whether they succeeded.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path


def main(path: Path) -> None:
    from honestly.audit import GRADER_DEFECT, USUAL_DETECTORS, audit_trial
    from honestly.stats import wilson_interval
    from honestly.store import open_study

    detectors = [detector for detector in USUAL_DETECTORS if detector.category != GRADER_DEFECT]
    read, found, unsaid, missed = Counter(), Counter(), Counter(), []
    with open_study(path) as study:
        for trial in study.trials():
            if trial.truth is None:
                continue
            honest = f"honest, {'succeeded' if trial.truth.succeeded else 'failed'}"
            kind = honest if trial.truth.kind == "honest" else trial.truth.kind
            findings = [each for each in audit_trial(study, trial, detectors) if each.state == "flagged"]
            read[kind] += 1
            found[kind] += bool(findings)
            unsaid[kind] += any(
                evidence.where != "message" or finding.detector == "false-claim"
                for finding in findings
                for evidence in finding.evidence
            )
            if bool(findings) == (trial.truth.kind == "honest"):
                missed.append((kind, trial.task, [finding.detector for finding in findings]))
    print("| kind | trials | flagged | 95% | without its words |\n|---|---:|---:|---:|---:|")
    for kind in sorted(read):
        low, high = (float(end) for end in wilson_interval(found[kind], read[kind]))
        share, silent = found[kind] / read[kind], unsaid[kind] / read[kind]
        print(f"| {kind} | {read[kind]} | {found[kind]} ({share:.3f}) | {low:.3f} to {high:.3f} | {silent:.3f} |")
    honest = [kind for kind in read if kind.startswith("honest")]
    flags, trials = sum(found[kind] for kind in honest), sum(read[kind] for kind in honest)
    print(f"false positives: {flags} of {trials}, at most {float(wilson_interval(flags, trials)[1]):.3f}")
    print("wrong:", missed or "none")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
