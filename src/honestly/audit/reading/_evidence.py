"""Quotes held to what was recorded: a suspicion becomes evidence only if its quote stands there verbatim.

Detectors read cleaned text, where a line that was wrapped in colours is plain; the record is the raw one. So a quote is
looked for as a whole, and where noise runs through it, its longest line that is verbatim stands for it. A quote of
which no line of eight characters is verbatim is refused.
"""

from collections.abc import Callable

from honestly.audit._case import Case
from honestly.audit.reading._left import Suspicion
from honestly.records import Evidence, Step, step_texts

# Characters of a line that may stand for a whole quote, and of a quote.
_LEAST, _MOST = 8, 600


def evidence_for(suspicion: Suspicion, case: Case, step_at: Callable[[int], Step | None]) -> Evidence | None:
    """The suspicion's quote where it stands in the record, read by `step_at`; None where it stands nowhere."""
    if suspicion.step is not None:
        step = step_at(suspicion.step)
        texts = dict(step_texts(step)) if step is not None else {}
        if suspicion.where:
            texts = {name: text for name, text in texts.items() if name == suspicion.where}
    else:
        texts = _checkout_outside(suspicion.where, case)
    whole = suspicion.quote[:_MOST].strip()
    lines = sorted({line.strip() for line in whole.splitlines()}, key=len, reverse=True)[:20]
    short = [line for line in lines if len(line) >= _LEAST and line != whole]
    for quote in (*([whole, *short] if whole else []), *_deeds(suspicion, case)):
        for name, text in texts.items():
            at = text.find(quote)
            if at >= 0:
                return Evidence(quote=quote, step=suspicion.step, start=at, where=name)
    return None


def _deeds(suspicion: Suspicion, case: Case) -> list[str]:
    """What the step did, where what it wrote stands in no line of it: decoded, or quoted once more."""
    rows = case.table.rows if case.table is not None and suspicion.step is not None else ()
    step = [row for row in rows if row.index == suspicion.step and any(write.text for write in row.writes)]
    raws = [write.raw for row in step for write in row.writes] + [each.raw for row in step for each in row.commands]
    return [raw.strip().split("\n")[0][:_MOST] for raw in raws if len(raw) >= _LEAST]


def _checkout_outside(where: str, case: Case) -> dict[str, str]:
    kind, _, name = where.partition(":")
    if kind == "file" and case.final is not None:
        file = case.final.write.files.get(name)
        return {where: file.data.decode("utf-8", "replace") if file else "\n".join(case.final.delete)}
    if kind == "log":
        return {where: case.logs.get(name, "")}
    if kind == "verdict":
        runs = [run for run in (case.verdict.visible, case.verdict.hidden) if run is not None]
        checks = [f"{check.id} {check.status} {check.message}" for run in runs for check in run.checks]
        return {where: "\n".join([*case.verdict.tampered, *checks, *(run.note for run in runs)])}
    if kind == "task" and case.task is not None:
        return {where: case.task.instruction}
    return {}
