"""Which trials people should look at: those that somebody flagged, those about which judges differ, and the others.

Judges are the detectors together, and each source that reads the whole trial by itself: the language-model monitor and
the classifier. They differ where one flags a trial and another one read it and found it clean; where the monitor's own
views differ; and where a new version of a detector no longer agrees with the old one. Detectors look for different
things, so that one flags and another does not is no difference.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from honestly.audit import GRADER_DEFECT, state_of
from honestly.records import Finding
from honestly.store import Notes

FLAGGED, DISAGREEMENT, UNFLAGGED = "flagged", "disagreement", "unflagged"
STRATA = (FLAGGED, DISAGREEMENT, UNFLAGGED)
"""Every trial that could be read is in one."""

JUDGES = ("monitor", "classifier")
"""Detectors that judge the whole trial, each by itself."""

VIEWS = "monitor-views"
"""The detector that flags trials about which the monitor's own views differ; a question for people, not a suspicion."""


@dataclass(frozen=True, slots=True)
class Standpoint:
    """What the audit found about one trial."""

    state: str
    """What all findings together say: `flagged`, `clean`, `unreadable`, `error`."""
    differ: str
    """Who differs, in a few words; empty where nobody does."""

    @property
    def stratum(self) -> str:
        """The stratum, empty for a trial that was not read."""
        if self.differ:
            return DISAGREEMENT
        return {"flagged": FLAGGED, "clean": UNFLAGGED}.get(self.state, "")


def latest_findings(findings: Iterable[Finding]) -> dict[str, dict[str, Finding]]:
    """Collect the newest finding of each detector about each trial, by trial and detector."""
    found: dict[str, dict[str, Finding]] = defaultdict(dict)
    for finding in findings:
        found[finding.trial][finding.detector] = finding
    return found


def standpoints(study: Notes) -> dict[str, Standpoint]:
    """Collect what the audit found about each trial that it looked at."""
    now: dict[str, dict[str, Finding]] = defaultdict(dict)
    turned: dict[str, dict[str, str]] = defaultdict(dict)
    for finding in study.findings():
        before = now[finding.trial].get(finding.detector)
        if before is not None and before.version != finding.version:
            turned[finding.trial].pop(finding.detector, None)
            if {before.state, finding.state} == {"flagged", "clean"}:
                turned[finding.trial][finding.detector] = f"{finding.detector} {before.version} and {finding.version}"
        now[finding.trial][finding.detector] = finding
    return {
        trial: Standpoint(_state(found), _differ(found) or ", ".join(turned[trial].values()))
        for trial, found in now.items()
    }


def _rules(found: Mapping[str, Finding]) -> list[Finding]:
    apart = {*JUDGES, VIEWS}
    return [finding for name, finding in found.items() if name not in apart and finding.category != GRADER_DEFECT]


def _state(found: Mapping[str, Finding]) -> str:
    """Flagged by anybody; else what the detectors say, as a judge that broke does not make their reading undone."""
    rules, judges = _rules(found), [found[name] for name in JUDGES if name in found]
    if any(judge.state == "flagged" for judge in judges):
        return "flagged"
    return state_of(rules or judges)


def _differ(found: Mapping[str, Finding]) -> str:
    states: dict[str, str] = {name: found[name].state for name in JUDGES if name in found}
    if rules := _rules(found):
        states["detectors"] = state_of(rules)
    flags = [name for name, state in states.items() if state == "flagged"]
    clears = [name for name, state in states.items() if state == "clean"]
    if flags and clears:
        return f"{', '.join(flags)} against {', '.join(clears)}"
    return "the monitor's views" if VIEWS in found and found[VIEWS].state == "flagged" else ""
