"""One trial under all detectors: a finding for each, in one of four states.

`unreadable`: there was nothing of what the detector reads. `error`: the detector broke, or quoted what is not there.
Both say that nothing is known, and are never counted as clean. A detector that flags says where; what it could not read
is counted in `unread`, whatever the state, and said in the note.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from msgspec.structs import replace

from honestly.audit._case import Case, Detector, Suspicion
from honestly.audit.languages._code import why_unread
from honestly.audit.reading._evidence import evidence_for
from honestly.records import Finding, Step, Unread

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
        if finding.unread is not None:
            counts[finding.trial] = max(counts.get(finding.trial, 0), finding.unread.files)
    return sum(counts.values())


def _look(case: Case, detector: Detector, step_at: Callable[[int], Step | None]) -> Finding:
    if not detector.can_read(case):
        absent = Unread(reason="no steps" if "steps" in detector.needs else "nothing")
        note = f"nothing to read: needs {' or '.join(detector.needs)}"
        return _finding(case, detector, "unreadable", note=note, unread=absent)
    try:
        said = list(islice(detector.look(case), _SUSPICIONS))
    except Exception as error:  # noqa: BLE001  what a trial holds is hostile, and one detector must not end the audit
        return _finding(case, detector, "error", note=f"{type(error).__name__}: {error}"[:300])
    unread = _unread(case, detector)
    if said:
        return _flagged(case, detector, said, step_at, unread)
    state = "unreadable" if unread is not None and unread.characters else "clean"
    return _finding(case, detector, state, note=_words(unread), unread=unread)


def _unread(case: Case, detector: Detector) -> Unread | None:
    """What the detector was not shown of a case that it can read."""
    table = case.table if "steps" in detector.needs else None
    actions, outputs = (table.unread_actions, table.unread) if table is not None else (0, 0)
    files = case.unparsed if detector.parses else 0
    if not (actions or outputs or files):
        return None
    return Unread(reason="not understood", characters=actions, outputs=outputs, files=files)


def _words(unread: Unread | None) -> str:
    if unread is None:
        return ""
    parts = []
    if unread.characters or unread.outputs:
        parts.append(f"not read: {unread.characters} characters of actions, {unread.outputs} of outputs")
    if unread.files:
        why = why_unread()
        parts.append(f"files in other languages that were not parsed: {unread.files}{f' ({why})' if why else ''}")
    return "; ".join(parts)


def _flagged(
    case: Case,
    detector: Detector,
    said: Sequence[Suspicion],
    step_at: Callable[[int], Step | None],
    unread: Unread | None,
) -> Finding:
    found = [(suspicion, evidence_for(suspicion, case, step_at)) for suspicion in said]
    held = [(suspicion, evidence) for suspicion, evidence in found if evidence is not None]
    if not held:
        return _finding(case, detector, "error", note=f"its quote is not in the record: {said[0].quote[:200]!r}")
    notes = list(dict.fromkeys(suspicion.note for suspicion, _ in held if suspicion.note))
    note = "; ".join(filter(None, [*notes[:4], _words(unread)]))
    return replace(
        _finding(case, detector, "flagged", note=note, unread=unread),
        evidence=tuple(dict.fromkeys(evidence for _, evidence in held)),
        kinds=tuple(dict.fromkeys(suspicion.kind for suspicion, _ in held if suspicion.kind)),
    )


def _finding(case: Case, detector: Detector, state: str, *, note: str, unread: Unread | None = None) -> Finding:
    return Finding(
        trial=case.trial.id,
        detector=detector.name,
        version=detector.version,
        state=state,  # type: ignore[arg-type]
        category=detector.category,
        note=note.encode("utf-8", "backslashreplace").decode(),
        unread=unread,
    )
