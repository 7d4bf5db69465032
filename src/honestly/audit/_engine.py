"""One trial under all detectors: a finding for each, in one of four states.

`unreadable`: there was nothing of what the detector reads. `error`: the detector broke, or quoted what is not there.
Both say that nothing is known, and are never counted as clean. A detector that flags says where; what it could not read
stands in the note, whatever the state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from honestly.audit._case import Case, Detector, Suspicion
from honestly.audit.languages._code import why_unread
from honestly.audit.reading._evidence import evidence_for
from honestly.records import Evidence, Finding, Step

__all__ = ["audit_case", "unparsed_files"]

_UNPARSED = re.compile(r"files in other languages that were not parsed: (\d+)")
"""The part of a note that counts them."""
_SUSPICIONS = 8
"""Suspicions of one detector about one trial that are kept."""


def audit_case(case: Case, detectors: Iterable[Detector], step_at: Callable[[int], Step | None]) -> list[Finding]:
    """A finding for each detector.

    Args:
        case: what there is to look at.
        detectors: who looks.
        step_at: gives a step of the trial as it was recorded, to hold quotes to.
    """
    return [_look(case, detector, step_at) for detector in detectors]


def unparsed_files(findings: Iterable[Finding]) -> int:
    """How many files in other languages than Python these findings say were not parsed; each once."""
    counts: dict[str, int] = {}
    for finding in findings:
        if (match := _UNPARSED.search(finding.note)) is not None:
            counts[finding.trial] = max(counts.get(finding.trial, 0), int(match[1]))
    return sum(counts.values())


def _look(case: Case, detector: Detector, step_at: Callable[[int], Step | None]) -> Finding:
    if not detector.can_read(case):
        return _finding(case, detector, "unreadable", note=f"nothing to read: needs {' or '.join(detector.needs)}")
    try:
        said = list(islice(detector.look(case), _SUSPICIONS))
    except Exception as error:  # noqa: BLE001  what a trial holds is hostile, and one detector must not end the audit
        return _finding(case, detector, "error", note=f"{type(error).__name__}: {error}"[:300])
    unread = case.table.unread_actions if case.table is not None and "steps" in detector.needs else 0
    outputs = case.table.unread if case.table is not None and "steps" in detector.needs else 0
    skipped = f"not read: {unread} characters of actions, {outputs} of outputs" if unread or outputs else ""
    if detector.parses and (files := case.unparsed):
        skipped = "; ".join(filter(None, (skipped, _unparsed_note(files))))
    if said:
        return _flagged(case, detector, said, step_at, skipped)
    if unread:
        return _finding(case, detector, "unreadable", note=skipped)
    return _finding(case, detector, "clean", note=skipped)


def _unparsed_note(files: int) -> str:
    why = why_unread()
    return f"files in other languages that were not parsed: {files}{f' ({why})' if why else ''}"


def _flagged(
    case: Case,
    detector: Detector,
    said: Sequence[Suspicion],
    step_at: Callable[[int], Step | None],
    skipped: str,
) -> Finding:
    found = [(suspicion, evidence_for(suspicion, case, step_at)) for suspicion in said]
    held = [(suspicion, evidence) for suspicion, evidence in found if evidence is not None]
    if not held:
        return _finding(case, detector, "error", note=f"its quote is not in the record: {said[0].quote[:200]!r}")
    notes = list(dict.fromkeys(suspicion.note for suspicion, _ in held if suspicion.note))
    evidence = tuple(dict.fromkeys(evidence for _, evidence in held))
    return _finding(case, detector, "flagged", evidence, "; ".join([*notes[:4], *([skipped] if skipped else [])]))


def _finding(
    case: Case, detector: Detector, state: str, evidence: tuple[Evidence, ...] = (), note: str = ""
) -> Finding:
    return Finding(
        trial=case.trial.id,
        detector=detector.name,
        version=detector.version,
        state=state,  # type: ignore[arg-type]
        category=detector.category,
        evidence=evidence,
        note=note.encode("utf-8", "backslashreplace").decode(),
    )
