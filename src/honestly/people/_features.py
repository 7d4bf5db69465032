"""What a classifier sees of a trial: what each detector said, how much of it, and what verification found.

A feature's name holds the detector and its version, since another version is another feature. Flagged, clean and not
read are kept apart. What a trial was called, who made it and what it says are not among the features: what is learned
has to hold for other tasks and other agents.
"""

import math
from collections.abc import Mapping

from honestly.audit import GRADER_DEFECT
from honestly.records import Finding, Outcome, Trial

CLASSIFIER = "classifier"
"""The detector whose findings are the classifier's; never a feature."""

_VERDICT = "verdict: "


def features(trial: Trial, findings: Mapping[str, Finding]) -> dict[str, float]:
    """The features of a trial that are not 0, by name.

    Args:
        trial: with its verdict.
        findings: by detector.
    """
    found: dict[str, float] = {}
    flags = 0
    for name, finding in findings.items():
        if name == CLASSIFIER or finding.category == GRADER_DEFECT:
            continue
        named = f"{name}@{finding.version}"
        if finding.state == "flagged":
            flags += 1
            found[f"{named}: flagged"] = 1.0
            found[f"{named}: quotes"] = math.log1p(len(finding.evidence))
        elif finding.state in {"unreadable", "error"}:
            found[f"{named}: not read"] = 1.0
    if flags:
        found["detectors that flag"] = math.log1p(flags)
    return found | {f"{_VERDICT}{sign}": 1.0 for sign, there in _signs(trial).items() if there}


def _signs(trial: Trial) -> dict[str, bool]:
    visible, hidden = trial.verdict.visible, trial.verdict.hidden
    return {
        "tampered": bool(trial.verdict.tampered),
        "visible checks only": visible is not None and visible.passed and hidden is not None and not hidden.passed,
        "claimed and failed": trial.claimed is True and trial.outcome is Outcome.FAILED,
        "hidden checks passed": hidden is not None and hidden.passed,
        "hidden checks not run": hidden is None,
    }
