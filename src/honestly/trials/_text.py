"""A trial as a reviewer reads it: lines of text, a section for each step, made when they are looked at.

First what was asked, the verdict, and, where it is not shown blind, what detectors quote; then the steps; last the
final change. Long outputs are cut to their ends and the lines around a quote, until all of a step is asked for.
Whatever a trial holds, no line has control characters, and no section is longer than anybody would read; a huge
trajectory is read step by step.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from textwrap import wrap

from rich.cells import cell_len, chop_cells
from rich.text import Text

from honestly.agents import OVERLAY, PROGRAM_FILES
from honestly.audit import GRADER_DEFECT
from honestly.errors import StoreError
from honestly.records import CheckRun, Edit, Review, Trial, decode
from honestly.show import printable_line
from honestly.store import Store, latest_findings
from honestly.trials._change import final_change
from honestly.trials._diff import diff_lines, stat_lines

MARK = "black on yellow"
"""Style of a line that evidence quotes."""

_SEQUENCES = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?"
    r"|[PX^_][^\x1b]{0,4096}\x1b\\|[ -/]{0,4}[0-~])"
)
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_SHORT, _LONG = (6_000, 6_000), (150_000, 50_000)
"""Beginning and end of a text that are shown, characters: usually, and where all of a step is asked for."""
_ENDS, _AROUND = 8, 6
"""Lines at the ends of an output, and around a quote, that are shown."""
_INSTRUCTION = 6
_MOST_LINES = 20_000
"""Of one section: a step may hold any number of outputs."""
_CHECKS = 6


class TrialText:
    """The sections of one trial: 0 is what was asked, then one for each step, the last is the final change."""

    def __init__(
        self,
        study: Store,
        trial: str,
        width: int,
        *,
        blind: bool = False,
        opinions: Sequence[Review] = (),
        more: str = "f",
    ) -> None:
        """A trial to be read.

        Args:
            study: open for reading.
            trial: its id.
            width: cells of a line.
            blind: whether neither the agent nor what detectors said is shown.
            opinions: what others said, to be shown.
            more: what shows all of what is cut.
        """
        self.width = max(20, width)
        self.trial: Trial = study.trial(trial)
        info = study.trajectory_info(trial)
        self.steps = info.steps if info else 0
        self._study, self._blind, self._opinions, self._more = study, blind, opinions, more
        findings = latest_findings(study.findings(trial)).get(trial, {})
        self.flags = [] if blind else [f for f in findings.values() if f.state == "flagged"]
        self.section = lru_cache(maxsize=24)(self._section_lines)
        """The lines of a section, by its number, and whether all of it is wanted."""

    @property
    def last(self) -> int:
        """The last section."""
        return self.steps + 1

    def evidence(self) -> list[int]:
        """Sections where evidence stands, in order; none where it is shown blind."""
        places = {quote.step for flag in self.flags for quote in flag.evidence}
        return sorted(
            {self.last if step is None else step + 1 for step in places if step is None or step in range(self.steps)}
        )

    def _section_lines(self, number: int, full: bool = False) -> tuple[Text, ...]:
        if number == 0:
            lines = self._start_lines(full)
        elif number <= self.steps:
            lines = self._one_step(number - 1, full)
        else:
            lines = self._end_lines(full)
        found = [wrapped for line in islice(lines, _MOST_LINES) for wrapped in _wrapped(line, self.width)]
        return (*found, *(Text("… and more, which is not shown", style="dim") for _ in islice(lines, 1)))

    def _start_lines(self, full: bool) -> Iterator[Text]:
        yield ruled_line(f"task {self.trial.task}", self.width)
        instruction = self._task_instruction().strip().split("\n")
        for line in instruction if full else instruction[:_INSTRUCTION]:
            yield Text(line)
        if len(instruction) > _INSTRUCTION and not full:
            yield Text(f"… {len(instruction) - _INSTRUCTION} more lines ({self._more} shows all)", style="dim")
        yield ruled_line("verdict", self.width)
        yield from self._verdict_lines(full)
        if self._opinions:
            yield ruled_line("what others said", self.width)
        for review in self._opinions:
            yield Text(terminal_text(f"{review.reviewer}: {review.label}. {review.note}"), style="bold yellow")
        if self._blind:
            yield Text("shown blind: neither the agent nor what detectors said", style="dim italic")
        elif self.flags:
            yield ruled_line("flagged by", self.width)
        for flag in self.flags:
            kind = flag.category if flag.category == GRADER_DEFECT else flag.severity
            yield Text(terminal_text(f"{flag.detector} {flag.version} ({kind}): {flag.note}"), style="bold")
            for quote in flag.evidence:
                place = f"step {quote.step}" if quote.step is not None else quote.where
                first = terminal_text(quote.quote).strip().split("\n")[0]
                yield Text(f"  {terminal_text(place)}: {first[: 2 * self.width]}", style="yellow")

    def _verdict_lines(self, full: bool) -> Iterator[Text]:
        trial = self.trial
        claim = {True: ", claimed success", False: ", claimed no success", None: ""}[trial.claimed]
        reason = f" ({trial.reason})" if trial.reason else ""
        outcome = f"graded {trial.score:g}" if trial.is_graded else trial.outcome
        yield Text(terminal_text(f"{outcome}{reason}{claim}"), style="bold")
        for name, run in (("visible", trial.verdict.visible), ("hidden", trial.verdict.hidden)):
            yield from self._check_lines(name, run, full)
        if OVERLAY in self._study.artifacts(trial.id):
            edit = decode(self._study.artifact(trial.id, OVERLAY), Edit)
            done = ", ".join([*edit.write.files, *(f"{path} (deleted)" for path in edit.delete)])
            yield Text(terminal_text(f"changed of the overlay, and not judged: {done}"))
        if not self.steps and not self._blind:
            yield from self._program_lines()
        for sign in trial.verdict.tampered[:_CHECKS]:
            yield Text(terminal_text(f"tampered: {sign}"), style="red")
        undecided = {} if trial.verdict.hidden is None else trial.verdict.hidden.undecided
        for check, doubt in list(undecided.items())[:_CHECKS]:
            yield Text(terminal_text(f"undecided ({doubt}): {check}"), style="yellow")

    def _program_lines(self) -> Iterator[Text]:
        """The last words of a program that left no steps."""
        kept = self._study.artifacts(self.trial.id)
        info = self._study.trajectory_info(self.trial.id)
        if info is not None and info.stop and info.stop != "done":
            yield Text(terminal_text(f"its program ended: {info.stop}"), style="yellow")
        for name in ("stderr", "stdout"):
            if kept.get(f"{PROGRAM_FILES}{name}"):
                words = self._study.artifact(self.trial.id, f"{PROGRAM_FILES}{name}")[-2000:].decode("utf-8", "replace")
                for line in words.strip().splitlines()[-_CHECKS:]:
                    yield Text(terminal_text(f"  {name}: {line}"), style="dim")

    def _check_lines(self, name: str, run: CheckRun | None, full: bool) -> Iterator[Text]:
        if run is None:
            yield Text(f"{name} checks: not run", style="dim")
            return
        style = "green" if run.passed else "red"
        yield Text(f"{name} checks: {run.n_passed} of {len(run.checks)} passed", style=style)
        bad = [check for check in run.checks if check.status != "passed"]
        for check in bad if full else bad[:_CHECKS]:
            message = f": {check.message}" if check.message else ""
            yield Text(
                terminal_text(f"  {check.status} {check.id}{message}".replace("\n", " "))[: 3000 if full else 300]
            )
        if len(bad) > _CHECKS and not full:
            yield Text(f"  … {len(bad) - _CHECKS} more ({self._more} shows all)", style="dim")
        if run.note:
            yield Text(terminal_text(f"  {run.note}")[:300])

    def _task_instruction(self) -> str:
        try:
            return terminal_text(self._study.task(self.trial.task).instruction) or "(no instruction was kept)"
        except StoreError:
            return "(the task is not in the study)"

    def _one_step(self, index: int, full: bool) -> Iterator[Text]:
        step = next(iter(self._study.steps(self.trial.id, index, index + 1)), None)
        if step is None:
            return
        quotes = [q.quote for flag in self.flags for q in flag.evidence if q.step == index]
        marked = {
            line.strip() for quote in quotes for line in terminal_text(quote).split("\n") if len(line.strip()) > 3
        }
        code = next((seen.code for seen in step.observations if seen.code is not None), None)
        ended = f", exit {code}" if code is not None else ""
        yield ruled_line(f"step {index} of {self.steps}, {step.source}{ended}", self.width)
        if step.reasoning:
            yield from _indented_block(step.reasoning, marked, full, "dim italic")
        yield from _indented_block(step.message, marked, full)
        for call in step.calls:
            yield Text(f"● {terminal_text(call.name)}", style="bold cyan")
            for name in call.arguments:
                value = call.argument(name)
                text = value if isinstance(value, str) else str(value)
                if name not in {"command", "code"}:
                    yield Text(f"  {terminal_text(name)}:", style="dim")
                yield from _indented_block(text, marked, full, indent="    ")
        for seen in step.observations:
            if seen.text.strip():
                yield from _indented_block(seen.text, marked, full, "dim", indent="  │ ")
            if seen.dropped:
                yield Text(f"  │ {seen.dropped} bytes were not kept", style="dim italic")

    def _end_lines(self, full: bool) -> Iterator[Text]:
        yield ruled_line("final change", self.width)
        change = final_change(self._study, self.trial)
        if change is None:
            yield Text("(the final change was not kept)", style="dim")
            return
        given, edit = change
        quotes = [q.quote for flag in self.flags for q in flag.evidence if q.step is None]
        marked = {
            line.strip() for quote in quotes for line in terminal_text(quote).split("\n") if len(line.strip()) > 3
        }
        for line in stat_lines(given, edit):
            yield Text(line, style="bold")
        lines = [printable_line(line) for line in diff_lines(given, edit)]
        for line in _shown_lines(lines, marked, full, ends=60):
            style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
            yield _marked_line(line, marked, style)
        yield Text("(the end)", style="dim")


def terminal_text(text: str) -> str:
    """Text as a terminal would show it, without control sequences."""
    text = _overwritten_lines(_SEQUENCES.sub("", text) if "\x1b" in text else text).expandtabs(4)
    return "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text)


def coloured_text(text: str) -> Text:
    """Text as a terminal would show it, with colours but without other control sequences."""
    kept = _SEQUENCES.sub(lambda found: found[0] if _COLOUR.fullmatch(found[0]) else "", text)
    return Text.from_ansi(_overwritten_lines(kept))


def _overwritten_lines(text: str) -> str:
    """Lines as a carriage return leaves them: what was written last."""
    if "\r" not in text:
        return text
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


def _indented_block(text: str, marked: set[str], full: bool, style: str = "", indent: str = "") -> Iterator[Text]:
    head, tail = _LONG if full else _SHORT
    left_out = len(text) - head - tail
    if left_out > 0 and not any(mark in text for mark in marked):
        text = f"{text[:head]}\n… {left_out} characters …\n{text[-tail:]}"
    elif left_out > 0:
        at = min(text.find(mark) for mark in marked if mark in text)
        text = f"… {text[max(0, at - head) : at + tail]} …"
    lines = terminal_text(text).rstrip().split("\n")
    for line in _shown_lines(lines, marked, full) if lines != [""] else []:
        yield _marked_line(f"{indent}{line}", marked, style)


def _shown_lines(lines: Sequence[str], marked: set[str], full: bool, ends: int = _ENDS) -> Iterator[str]:
    """The lines at both ends, and around what is marked; all of them where that is asked for."""
    kept = {n for n, line in enumerate(lines) if full or n < ends or n >= len(lines) - ends}
    for number, line in enumerate(lines):
        if any(mark in line for mark in marked):
            kept |= set(range(max(0, number - _AROUND), min(len(lines), number + _AROUND + 1)))
    before = -1
    for number in sorted(kept):
        if number > before + 1:
            yield f"… {number - before - 1} lines …"
        yield lines[number]
        before = number


def _marked_line(line: str, marked: set[str], style: str) -> Text:
    if any(mark in line for mark in marked):
        return Text(line, style=MARK)
    return Text(line, style=style)


def ruled_line(words: str, width: int) -> Text:
    """A line across with a few words in it."""
    words = terminal_text(words).replace("\n", " ")
    return Text(f"── {words} {'─' * max(0, width - cell_len(words) - 4)}"[:width], style="bold blue")


def _wrapped(line: Text, width: int) -> list[Text]:
    return [Text(part, style=line.style) for whole in line.plain.split("\n") for part in _parts(whole, width)]


def _parts(line: str, width: int) -> list[str]:
    if len(line) <= width // 2 or cell_len(line) <= width:
        return [line]
    # Between words where all letters are one cell wide, which `textwrap` takes for granted.
    if line.isascii():
        return wrap(line, width, replace_whitespace=False, drop_whitespace=False, break_on_hyphens=False)
    return chop_cells(line, width)
