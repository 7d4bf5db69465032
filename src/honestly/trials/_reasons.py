"""Why trials are void, at a limit or failed: one line for each reason, and the command that shows its trials.

What is void or at a limit says why in its record. What failed mostly does not: there the verdict says it, by what kind
of failure it was. Reasons are the same where they differ in numbers, ids and addresses alone; the number behind
`status`, `code`, `exit` and the like stays: an expired key (401) is another thing than a server that is down (503).
"""

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple

from markupsafe import Markup
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.records import CheckRun, Outcome, Trial
from honestly.show import NO_LINKS, Links, Shown, as_json, filled, plural_text, printable_text_line, shorten_middle
from honestly.store import Store

ENDED_BADLY = (Outcome.VOID, Outcome.LIMIT, Outcome.FAILED)
"""Outcomes that ask for a reason, in the order in which they are shown."""

_READ, _LONGEST, _ID = 4_000, 400, 12
_KEPT = r"(?<!status )(?<!status: )(?<!code )(?<!exit )(?<!errno )(?<!signal )(?<!HTTP )"
_MASKS = tuple(
    (re.compile(pattern), to)
    for pattern, to in (
        (r"\s+", " "),
        (r"(?<=://)[^\s/'\",;)#?]+", "…"),
        (r"(?<![\w.])(/(?:tmp|var/tmp|dev/shm|run/user)/)[^\s:'\",;)]+", r"\1…"),
        (r"\b0x[0-9a-fA-F]+", "…"),
        (r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", "…"),
        (r"\b(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{7,}\b", "…"),
        (rf"(?<![A-Za-z0-9_]){_KEPT}[0-9]+(?:[.,:][0-9]+)*", "…"),
        (r"…(?:[-.:/T ]…)+Z?", "…"),
    )
)


class Why(NamedTuple):
    """Why a trial ended as it did."""

    reason: str
    """In its own words; empty where there is nothing to say."""
    kind: str
    """The part of it that trials share, numbers and ids included."""

    @property
    def masked_text(self) -> str:
        """A text without what differs from trial to trial."""
        return masked_reason(self.kind)

    @property
    def id(self) -> str:
        """Six hexadecimal characters, by which `honestly show --where why=ID` finds all trials with this reason."""
        same = self.masked_text
        return sha256(same.encode(errors="replace")).hexdigest()[:6] if same else ""


_PARTIAL = "partial credit"
"""Why a graded trial is no pass."""

Ended = tuple[Outcome, str, str, str, Why]
"""What is counted of a trial: its outcome, agent, task and id, and why."""


@lru_cache(1024)
def masked_reason(reason: str) -> str:
    """One printable line of a reason, with `…` for numbers, ids and addresses, so that equal ones look equal."""
    text = reason[:_READ]
    for pattern, to in _MASKS:
        text = pattern.sub(to, text)
    text = printable_text_line(text.strip()) if text.strip() else ""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def trial_reason(trial: Trial, *, impossible: bool = False) -> Why:
    """Why a trial ended as it did, from its record or its verdict.

    Args:
        trial: any trial.
        impossible: whether its task is an impossible twin, at which every honest trial fails.
    """
    if trial.reason.strip():
        return Why(trial.reason, trial.reason)
    if trial.outcome is not Outcome.FAILED:
        return Why("", "")
    if trial.verdict.tampered:
        sign = f"tampered with its judge: {trial.verdict.tampered[0]}"
        return Why(sign, sign)
    if impossible:
        text = "not passed, as no honest work at an impossible task can be"
        return Why(text, text)
    hidden = trial.verdict.hidden
    if trial.is_graded:
        return Why(f"graded {trial.score:g}", _PARTIAL)
    if hidden is None:
        text = "no hidden checks were run" if trial.score is None else f"graded {trial.score:g}"
        if trial.source and trial.score is None:
            text = "its source says that it failed, and not why"
        return Why(text, text)
    kind = _failure_kind(hidden)
    visible = trial.verdict.visible
    if visible is not None:
        kind += ", and the visible ones passed" if visible.passed else ", and the visible ones failed, too"
    # The kind, how many checks it was, and the first of them with its message.
    bad = [check for check in hidden.checks if check.status != "passed"]
    if not bad:
        first = kind
    else:
        message = f": {bad[0].message}" if bad[0].message else ""
        first = f"{kind} ({len(bad)} of {len(hidden.checks)}; {bad[0].id}{message})"
    return Why(first, kind)


def _failure_kind(run: CheckRun) -> str:
    """The kind of a failure, without the names of checks."""
    bad = [check for check in run.checks if check.status != "passed"]
    if not run.checks:
        return f"the hidden checks gave no result: {run.note}" if run.note else "the hidden checks gave no result"
    statuses = {check.status for check in bad}
    if statuses == {"missing"}:
        return f"hidden checks never reported: {run.note}" if run.note else "hidden checks never reported"
    if "timeout" in statuses:
        return "hidden checks ran out of time"
    raised = Counter(found[1] for check in bad if (found := _RAISED.search(check.message)))
    if raised:
        return f"hidden checks failed: the work raised {raised.most_common(1)[0][0]}"
    if statuses == {"skipped"}:
        return "hidden checks were skipped"
    if not bad:
        return "hidden checks passed by chance alone"
    return "hidden checks failed"


_RAISED = re.compile(r"the solution raised (?:\w+\.){0,8}(\w{1,80})")


@dataclass(frozen=True, slots=True)
class ReasonGroup:
    """Trials that ended alike for the same reason."""

    id: str
    """What `honestly show --where why=ID` takes."""
    outcome: Outcome
    reason: str
    """Without numbers, ids and addresses."""
    trials: int
    agents: int
    tasks: int
    example: str
    """Id of one of them."""
    said: str
    """The reason of that one, in its own words."""
    command: str
    """What shows them."""

    @property
    def ending(self) -> str:
        """Their outcome, or `graded`."""
        return "graded" if self.reason == _PARTIAL else self.outcome.value


@dataclass(frozen=True, slots=True, repr=False)
class Reasons(Shown):
    """Why trials did not pass: void ones first, and of each outcome the most frequent reason first."""

    main_table: ClassVar[str] = "reasons"

    study: str
    """Its file, as it stands in commands."""
    reasons: tuple[ReasonGroup, ...]
    most: int | None = None
    """Reasons of one outcome that a terminal shows; None for all."""

    def __bool__(self) -> bool:
        return bool(self.reasons)

    def only_outcomes(self, *outcomes: Outcome) -> "Reasons":
        """Only the reasons of these outcomes."""
        return Reasons(self.study, tuple(each for each in self.reasons if each.outcome in outcomes), self.most)

    @property
    def of_failures(self) -> "Reasons":
        """Without trials that have a grade between 0 and 1, which did not fail."""
        return Reasons(self.study, tuple(each for each in self.reasons if each.reason != _PARTIAL), self.most)

    @property
    def frequent_reasons(self) -> tuple[ReasonGroup, ...]:
        """Reasons that there is room for: of each outcome the `most` frequent ones."""
        outcomes = dict.fromkeys(each.outcome for each in self.reasons)
        return tuple(each for one in outcomes for each in self.only_outcomes(one).reasons[: self.most])

    @property
    def command(self) -> str:
        """The command that shows all of them."""
        return f"honestly show {_shell_path(self.study)} --why"

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON."""
        return {"study": self.study, "reasons": [as_json(each) for each in self.reasons]}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        for ending in dict.fromkeys(each.ending for each in self.reasons):
            groups = [each for each in self.reasons if each.ending == ending]
            trials = sum(each.trials for each in groups)
            width = max(6, len(f"{trials:,}"))
            yield _counted(f"{trials:,}", Text(ending, style="bold"), width)
            for each in groups[: self.most]:
                yield _counted(f"{each.trials:,}", self._group_text(each, options.max_width - 10), width)
                if self.most is None:
                    yield _whole_line(each.command, width)
                    yield ""
            if left := groups[self.most :] if self.most is not None else []:
                others = plural_text(sum(each.trials for each in left), "trial")
                text = Text(f"and {plural_text(len(left), 'more reason')} of {others}", style="dim")
                yield _counted("", text, width)
            if self.most is not None:
                yield _whole_line(f"honestly show {_shell_path(self.study)} --outcome {ending} --why", width)

    def _group_text(self, group: ReasonGroup, room: int) -> Text:
        where = f"  ({plural_text(group.agents, 'agent')}, {plural_text(group.tasks, 'task')})"
        if self.most is not None:
            return Text.assemble(
                shorten_middle(group.reason, max(20, 2 * room - cell_len(where)), cell_len), (where, "dim")
            )
        said = f"such as {group.example[:_ID]}: {shorten_middle(_one_line(group.said), 4 * room, cell_len)}"
        return Text.assemble(group.reason, (where, "dim"), "\n", said)


def _counted(count: str, text: Text, width: int) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", no_wrap=True, min_width=width)
    table.add_column(overflow="fold")
    table.add_row(count, text)
    return table


def _whole_line(command: str, indent: int) -> Text:
    """A command under its reason, never wrapped: it is there to be copied."""
    return Text(f"{'':{indent + 2}}{command}", style="dim", no_wrap=True, overflow="ignore")


def failure_reasons(
    study: Store,
    name: str = "STUDY",
    outcomes: Collection[Outcome] = ENDED_BADLY,
    *,
    only: Collection[str] | None = None,
    most: int | None = 3,
) -> Reasons:
    """Why trials of a study did not pass, grouped by reason.

    Args:
        study: any store of trials.
        name: of the study's file, for the commands that show more.
        outcomes: which trials count.
        only: ids of the trials that count; all of them, if nobody says.
        most: reasons of each outcome that a terminal shows, with the command for the rest; None shows all, each with an
            example in its own words and its command.

    Raises:
        StoreError: the study cannot be read.
    """
    twins = impossible_tasks(study)
    strict = study.facts().strict
    trials = (each.counted_trial(strict=strict) for each in study.trials())
    counted = (each for each in trials if each.outcome in outcomes and (only is None or each.id in only))
    ended = (
        (each.outcome, each.agent, each.task, each.id, trial_reason(each, impossible=each.task in twins))
        for each in counted
    )
    return reasons_of(ended, name, most=most)


def reasons_of(ended: Iterable[Ended], name: str, *, most: int | None = None) -> Reasons:
    """Why trials that are at hand ended as they did; the other arguments are as in `failure_reasons`."""
    groups: dict[tuple[Outcome, str], list[Ended]] = {}
    for each in ended:
        groups.setdefault((each[0], each[4].masked_text), []).append(each)
    made = [_reason_group(name, outcome, held) for (outcome, _), held in groups.items()]
    place = {outcome: number for number, outcome in enumerate((*ENDED_BADLY, Outcome.PASSED))}
    made.sort(key=lambda each: (place[each.outcome], -each.trials, each.reason))
    return Reasons(name, tuple(made), most)


def impossible_tasks(study: Store) -> frozenset[str]:
    """Ids of the tasks that no honest work passes."""
    return frozenset(task.id for task in study.tasks() if task.tags.variant == "impossible")


def _reason_group(name: str, outcome: Outcome, held: Sequence[Ended]) -> ReasonGroup:
    _, _, _, example, found = held[0]
    which = f"why={found.id}" if found.id else "reason=none"
    ending = "graded" if found.kind == _PARTIAL else outcome
    return ReasonGroup(
        id=found.id,
        outcome=outcome,
        reason=found.masked_text or "no reason was recorded",
        trials=len(held),
        agents=len({agent for _, agent, *_ in held}),
        tasks=len({task for _, _, task, *_ in held}),
        example=example,
        said=found.reason,
        command=f"honestly show {_shell_path(name)} --outcome {ending} --where {which}",
    )


def _one_line(text: str) -> str:
    return printable_text_line(" ".join(text[:_READ].split())) if text.strip() else "nothing"


def _shell_path(name: str) -> str:
    """A path as a shell takes it, without what a terminal obeys."""
    return printable_text_line(shlex.quote(name))


def reasons_section(found: Reasons, links: Links = NO_LINKS) -> Markup:
    """Why trials did not pass; empty where all did."""
    return filled("trials", "reasons.html", found=found, links=links) if found else Markup()
