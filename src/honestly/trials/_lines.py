"""One trial on a page: who and what, why it ended so, the checks that failed, the steps, the final change.

Steps are one line each, and of many only the first and the last, until some are asked for: of a huge trajectory only
the parts that are shown are read. Lines are made one after the other, so that a pager can stop anywhere.
"""

from collections.abc import Iterator
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from honestly.errors import StoreError
from honestly.records import Step, Trial
from honestly.show import as_json, number_text, plural_text, printable_text_line
from honestly.store import Store, latest_findings
from honestly.trials._change import final_change
from honestly.trials._diff import diff_lines
from honestly.trials._members import members_of
from honestly.trials._reasons import impossible_tasks, trial_reason
from honestly.trials._text import TrialText, ruled_line, terminal_text

_ENDS = 15
"""Steps at each end that are listed."""
_WORDS = 400
"""Characters of a step that are read for its line."""
_MOST_MEMBERS = 12


def trial_lines(
    study: Store, trial: str, width: int, *, steps: range | None = None, full: bool = False
) -> Iterator[Text]:
    """The page of a trial, line by line.

    Args:
        study: open for reading, until the last line.
        trial: its id.
        width: cells of a line.
        steps: which steps are shown with what they hold; the others are a line each.
        full: all steps, checks and changes, with all that they hold.

    Raises:
        StoreError: there is no such trial, or the study cannot be read.
    """
    text = TrialText(study, trial, width, more="--full")
    wanted = _wanted_steps(steps, text.steps, full=full)
    yield from _page_head(text)
    yield from _members(study, text.trial)
    yield from text.section(0, full)
    yield ruled_line(f"{plural_text(text.steps, 'step')}", text.width)
    if wanted is not None:
        for index in wanted:
            yield from text.section(index + 1, full)
    else:
        yield from _step_list(study, trial, text)
    yield from text.section(text.last, full)


def trial_plain(study: Store, trial: str, *, steps: range | None = None, full: bool = False) -> dict[str, Any]:
    """A trial as plain data, ready for JSON: steps that are asked for whole, the others a line each."""
    record = study.trial(trial)
    info = study.trajectory_info(trial)
    total = info.steps if info else 0
    findings = latest_findings(study.findings(trial)).get(trial, {}).values()
    wanted = _wanted_steps(steps, total, full=full)
    if wanted is None:
        listed = _end_steps(study, trial, total)
        told = [{"index": index, "source": step.source, "what": step_words(step)} for index, step in listed]
    else:
        told = [{"index": index} | as_json(step) for index, step in _numbered_steps(study, trial, wanted)]
    return {
        **{name: value for name, value in as_json(record).items() if name not in {"type", "earlier"}},
        "reason": trial_reason(record, impossible=record.task in impossible_tasks(study)).reason,
        "attempts": 1 + len(record.earlier),
        "earlier": [as_json(attempt) for attempt in record.earlier],
        "findings": [as_json(found) for found in findings if found.state == "flagged"],
        "members": [as_json(member) for member in members_of(study, trial, record.agent)],
        "steps_total": total,
        "steps": told,
        "change": _change(study, record),
    }


def step_words(step: Step) -> str:
    """The words, calls and results of a step, on one printable line, shortened."""
    parts = [step.message[:_WORDS]]
    for call in step.calls:
        said = " ".join(str(call.argument(name))[:_WORDS] for name in call.arguments)
        parts.append(f"{call.name}: {said}" if said else call.name)
    for seen in step.observations:
        ended = f" (exit {seen.code})" if seen.code else ""
        parts.append(f"→ {seen.text[:_WORDS]}{ended}")
    line = " ".join(terminal_text(" ".join(parts)[: 3 * _WORDS]).split())
    return printable_text_line(line) if line else ""


def _page_head(text: TrialText) -> Iterator[Text]:
    trial = text.trial
    yield Text(terminal_text(f"{trial.agent} at {trial.task}, sample {trial.sample}").replace("\n", " "), style="bold")
    spent = [trial.id]
    if trial.seconds is not None:
        spent.append(f"{number_text(trial.seconds)} s")
    usage = trial.usage
    for count, verb in ((usage.input_tokens, "read"), (usage.output_tokens, "written")):
        if count is not None:
            spent.append(f"{count:,} tokens {verb}")
    if usage.usd is not None:
        spent.append(f"${usage.usd:,.4f}")
    yield Text(" · ".join([*spent, f"sandbox: {trial.isolation.kind}"]), style="dim")
    if trial.earlier:
        yield Text(f"attempt {len(trial.earlier) + 1}; before it:", style="bold")
    for place, attempt in enumerate(trial.earlier, 1):
        when = f", {attempt.started_at}" if attempt.started_at else ""
        said = terminal_text(f"{attempt.reason[:400]}{when}").replace("\n", " ")
        yield Text(f"  {place}. {attempt.outcome}: {said}")


def _members(study: Store, trial: Trial) -> Iterator[Text]:
    """The spending of each member, a line each."""
    members = members_of(study, trial.id, trial.agent)
    for member in members[:_MOST_MEMBERS]:
        yield Text(f"  {member}", style="dim")
    if len(members) > _MOST_MEMBERS:
        yield Text(f"  and {len(members) - _MOST_MEMBERS} more: --json", style="dim")


def _step_list(study: Store, trial: str, text: TrialText) -> Iterator[Text]:
    last = -1
    digits = len(str(text.steps))
    for index, step in _end_steps(study, trial, text.steps):
        if index > last + 1:
            yield Text(f"… steps {last + 1} to {index - 1} (--steps {last + 1}:{index - 1})", style="dim")
        last = index
        who = f"{printable_text_line(step.thread)}: " if step.thread else ""
        line = f"{index:>{digits}} {step.source:<6} {who}{step_words(step)}"
        yield Text(line if cell_len(line) <= text.width else f"{set_cell_size(line, text.width - 1)}…")
    if text.steps:
        yield Text(f"--steps 0:{text.steps - 1} shows what they hold, --full all of it", style="dim")


def _wanted_steps(steps: range | None, total: int, *, full: bool) -> range | None:
    if full or steps is None:
        return range(total) if full else None
    if steps.start >= max(total, 1):
        raise StoreError(f"there is no step {steps.start}; the trial has {plural_text(total, 'step')}, counted from 0")
    return range(steps.start, min(steps.stop, total))


def _end_steps(study: Store, trial: str, total: int) -> Iterator[tuple[int, Step]]:
    first = range(min(total, _ENDS) if total > 2 * _ENDS + 1 else total)
    yield from _numbered_steps(study, trial, first)
    if len(first) < total:
        yield from _numbered_steps(study, trial, range(total - _ENDS, total))


def _numbered_steps(study: Store, trial: str, wanted: range) -> Iterator[tuple[int, Step]]:
    return zip(wanted, study.steps(trial, wanted.start, wanted.stop), strict=False)


def _change(study: Store, trial: Trial) -> list[str] | None:
    """The lines of the final change; None where it was not kept, or is too large to be shown."""
    change = final_change(study, trial)
    return None if change is None else diff_lines(*change)
