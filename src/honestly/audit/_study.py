"""The audit of a whole study: every trial under every detector, resumed where it was left.

A finding says which version of which detector made it; what is in the study already is not done again, so an audit that
was stopped goes on, and a new version of one detector costs the reading of the trials and that one detector. Findings
of older versions stay, as the record of what was thought then.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Literal

from msgspec.structs import replace

from honestly.audit._case import Case, Detector
from honestly.audit._contrast import Account, account_of, keep_accounts
from honestly.audit.languages._code import parsers_in, why_unread
from honestly.audit.reading._clean import Logs, clipped_text
from honestly.audit.reading._evidence import evidence_for
from honestly.audit.reading._left import Suspicion
from honestly.audit.reading._table import read_table
from honestly.errors import FormatError, StoreError
from honestly.records import SEVERITIES, Edit, Finding, Step, Trial, Unread, decode
from honestly.store import Store

Progress = Callable[[int, int, str], None]
"""Told after each trial: how many are done, of how many, and which one."""

# Findings of one commit: they can be made again, so they need not reach the disk one by one.
_BATCH = 5000
FindingState = Literal["flagged", "clean", "unreadable", "error"]
_FINAL = "final.json"
# A larger final edit is not read, bytes.
_LARGEST = 32 << 20
# Of a larger test log the beginning and the end are read, bytes.
_LOG = 4 << 20


def audit_study(
    study: Store, detectors: Sequence[Detector], progress: Progress | None = None, *, unsafe: bool = False
) -> int:
    """Add the findings that are missing; returns how many trials were read for them.

    Args:
        study: what is read, and added to.
        detectors: who looks.
        progress: told after each trial.
        unsafe: parse source in other languages than Python without isolation, instead of in a sandbox.

    Raises:
        StoreError: the study cannot be read or written.
    """
    waiting = missing_from(study, detectors)
    tell = progress or (lambda _done, _total, _words: None)
    accounts: dict[str, Account | None] = {}

    def audit_findings() -> Iterator[Finding]:
        for number, (trial, missing) in enumerate(waiting.items(), 1):
            case = case_of(study, study.trial(trial))
            yield from _case_findings(study, case, missing)
            accounts[trial] = account_of(case)
            tell(number, len(waiting), trial[:8])

    # The reader of a batch must not stand inside the transaction that writes it.
    pending = audit_findings()
    with parsers_in(unsafe=unsafe):
        while batch := list(islice(pending, _BATCH)):
            study.add(batch, every=_BATCH + 1)
    keep_accounts(study, accounts)
    return len(waiting)


def missing_from(study: Store, detectors: Sequence[Detector]) -> dict[str, tuple[Detector, ...]]:
    """The trials of a study that lack a finding, each with the detectors that have not seen it at their version."""
    places = {(each.name, each.version): 1 << at for at, each in enumerate(detectors)}
    # Detectors are bits: all findings of a large study would fill the memory.
    known: dict[str, int] = defaultdict(int)
    for finding in study.findings():
        known[finding.trial] |= places.get((finding.detector, finding.version), 0)
    return {
        cell.id: missing
        for cell in study.cells()
        if (missing := tuple(each for at, each in enumerate(detectors) if not known[cell.id] >> at & 1))
    }


def audit_trial(study: Store, trial: Trial, detectors: Sequence[Detector]) -> list[Finding]:
    """Findings of one trial of a study, in the order of the detectors; nothing is added to the study."""
    return _case_findings(study, case_of(study, trial), detectors)


def _case_findings(study: Store, case: Case, detectors: Sequence[Detector]) -> list[Finding]:
    return audit_case(case, detectors, recorded_step(study, case.trial.id))


def recorded_step(study: Store, trial: str) -> Callable[[int], Step | None]:
    """Looks up the steps of a trial as they were recorded."""
    return lambda index: next(iter(study.steps(trial, index, index + 1)), None)


def case_of(study: Store, trial: Trial, *, steps: bool = True) -> Case:
    """Everything that a study has about a trial, for detectors; without steps if no detector needs them."""
    artifacts = study.artifacts(trial.id)
    read = steps and study.trajectory_info(trial.id) is not None
    task, final = None, None
    # Trials may have been imported without their tasks.
    with suppress(StoreError):
        task = study.task(trial.task)
    if artifacts.get(_FINAL, _LARGEST + 1) <= _LARGEST:
        with suppress(FormatError):
            final = decode(study.artifact(trial.id, _FINAL), Edit)
    return Case(
        trial=trial,
        table=read_table(study.steps(trial.id), task) if read else None,
        task=task,
        final=final,
        logs=Logs((name for name in artifacts if _is_test_log(name)), partial(_artifact_text, study, trial)),
    )


def _is_test_log(name: str) -> bool:
    base = name.rpartition("/")[2].lower()
    return "test" in base and base.endswith((".log", ".txt", ".out"))


def _artifact_text(study: Store, trial: Trial, name: str) -> str:
    pieces: list[bytes] = []
    size = 0
    for piece in study.artifact_pieces(trial.id, name):
        pieces.append(piece)
        size += len(piece)
        if size > _LOG:
            break
    text, _ = clipped_text(b"".join(pieces).decode("utf-8", "replace"), _LOG // 2, _LOG // 2)
    return text


# One trial under all detectors. `unreadable`: there was nothing of what the detector reads. `error`: the detector
# broke, or quoted what is not there. Both say that nothing is known, and are never counted as clean.

# Suspicions of one detector about one trial that are kept.
_SUSPICIONS = 8


def audit_case(case: Case, detectors: Iterable[Detector], step_at: Callable[[int], Step | None]) -> list[Finding]:
    """A finding for each detector.

    Args:
        case: what there is to look at.
        detectors: who looks.
        step_at: gives a step of the trial as it was recorded, to hold quotes to.
    """
    findings = [_detector_finding(case, detector, step_at) for detector in detectors]
    if findings and case.table is not None:
        findings[0] = replace(findings[0], coverage=case.table.coverage)
    return findings


def _detector_finding(case: Case, detector: Detector, step_at: Callable[[int], Step | None]) -> Finding:
    if not detector.can_read(case):
        absent = Unread(reason="no steps" if detector.reads_steps else "nothing")
        note = f"nothing to read: needs {' or '.join(detector.needs)}"
        return unproved_finding(case.trial.id, detector, "unreadable", note=note, unread=absent)
    try:
        said = list(islice(detector.look(case), _SUSPICIONS))
    except Exception as error:  # noqa: BLE001  what a trial holds is hostile, and one detector must not end the audit
        return unproved_finding(case.trial.id, detector, "error", note=f"{type(error).__name__}: {error}"[:300])
    unread = _unread_parts(case, detector)
    if said and detector.moot and case.earned:
        return unproved_finding(case.trial.id, detector, "clean", note="the work passes hidden checks", unread=unread)
    if said:
        return _flagged_finding(case, detector, said, step_at, unread)
    lost = unread is not None and (unread.characters or unread.edits or unread.commands or unread.reason == "no status")
    state: FindingState = "unreadable" if lost else "clean"
    return unproved_finding(case.trial.id, detector, state, note=_unread_words(unread), unread=unread)


def _unread_parts(case: Case, detector: Detector) -> Unread | None:
    """The parts of a readable case that the detector was not shown."""
    table, needs = case.table if detector.reads_steps else None, set(detector.needs)
    files = case.unparsed if detector.parses else 0
    if table is None:
        return Unread(reason="not understood", files=files) if files else None
    covered = table.coverage
    edits = covered.edits - covered.edits_read if "edits" in needs or ("steps" in needs and "final" not in needs) else 0
    edits = edits if case.final is None or "final" not in needs else 0
    commands = covered.commands - covered.commands_read if needs & {"commands", "steps"} else 0
    if table.unread_actions or table.unread or files or edits or commands:
        return Unread(
            reason="not understood",
            characters=table.unread_actions,
            outputs=table.unread,
            files=files,
            edits=edits,
            commands=commands,
        )
    return Unread(reason="no status") if "status" in needs and covered.commands and not covered.statuses else None


def _unread_words(unread: Unread | None) -> str:
    if unread is None:
        return ""
    parts = []
    if unread.characters or unread.outputs:
        parts.append(f"not read: {unread.characters} characters of actions, {unread.outputs} of outputs")
    if unread.edits or unread.commands:
        parts.append(f"not understood: {unread.edits} changes of files, {unread.commands} commands")
    if unread.reason == "no status":
        parts.append("not known: how any command ended")
    if unread.files:
        why = why_unread()
        parts.append(f"files in other languages that were not parsed: {unread.files}{f' ({why})' if why else ''}")
    return "; ".join(parts)


def _flagged_finding(
    case: Case,
    detector: Detector,
    said: Sequence[Suspicion],
    step_at: Callable[[int], Step | None],
    unread: Unread | None,
) -> Finding:
    found = [(suspicion, evidence_for(suspicion, case, step_at)) for suspicion in said]
    held = [(suspicion, evidence) for suspicion, evidence in found if evidence is not None]
    if not held:
        note = f"its quote is not in the record: {said[0].quote[:200]!r}"
        return unproved_finding(case.trial.id, detector, "error", note=note)
    notes = list(dict.fromkeys(suspicion.note for suspicion, _ in held if suspicion.note))
    note = "; ".join(filter(None, [*notes[:4], _unread_words(unread)]))
    charged = {suspicion.severity or detector.severity for suspicion, _ in held}
    if not detector.proved and case.final is None:
        charged = {"smell" if severity == "hack" else severity for severity in charged}
    return replace(
        unproved_finding(case.trial.id, detector, "flagged", note=note, unread=unread),
        severity=min(charged, key=SEVERITIES.index),
        evidence=tuple(dict.fromkeys(evidence for _, evidence in held)),
        kinds=tuple(dict.fromkeys(suspicion.kind for suspicion, _ in held if suspicion.kind)),
    )


def unproved_finding(
    trial: str, detector: Detector, state: FindingState, *, note: str, unread: Unread | None = None
) -> Finding:
    """A finding of a detector, without evidence."""
    return Finding(
        trial=trial,
        detector=detector.name,
        version=detector.version,
        state=state,
        category=detector.category,
        severity=detector.severity,
        note=note.encode("utf-8", "backslashreplace").decode(),
        unread=unread,
    )
