"""`honestly task health`: which tasks of a study are worth running, from its trials and its trajectories."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

import msgspec
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from honestly.records import Outcome
from honestly.scores import DEFAULT_POLICY, UNDECLARED, Declared, count_study
from honestly.show import FittingTable, Shown, percent_text, plural_text, printable_text_line
from honestly.stats import Policy
from honestly.store import Store
from honestly.taskgen._health import TaskJudgement, Traces, judged_tasks

_MOST = 2000
_WIDEST = 26
_CANARY = re.compile(
    r"canary GUID|BENCHMARK DATA SHOULD NEVER APPEAR|canary[ _-]?(?:string|id)?[: ]+[0-9a-f]{8}-[0-9a-f]{4}-",
    re.IGNORECASE,
)
_READS = re.compile(
    r"\b(?:cat|less|more|head|tail|sed|grep|rg|ag|awk|nl|find|ls|tree|diff|xxd|strings|python3?|node|pytest|jq|git)\b"
    r"|read|view|open|search|glob|\blist",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, repr=False)
class TaskHealth(Shown):
    """Which tasks are worth running, and how sure that is."""

    main_table: ClassVar[str] = "tasks"

    tasks: list[TaskJudgement]
    keep: list[str]
    """Tasks that a next study should run."""
    drop: list[str]
    notes: list[str]

    @property
    def sentence(self) -> str:
        """How many tasks there are of each kind."""
        counts = Counter(str(task.judgement) for task in self.tasks)
        return (
            f"{plural_text(len(self.tasks), 'task')}: {', '.join(f'{n} {kind}' for kind, n in counts.most_common())}."
        )

    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> RenderResult:
        yield Text(self.sentence)
        alike = sorted(self.tasks, key=lambda each: (each.keep, str(each.judgement), each.why, each.task))
        width = max([len(printable_text_line(task.task)) for task in self.tasks], default=0)
        for (judgement, why), tasks in groupby(alike, lambda each: (str(each.judgement), each.why)):
            yield ""
            yield Text(f"{judgement}: {printable_text_line(why)}" if why else judgement)
            table = FittingTable(box=None)
            table.add_column("task", width=min(width, _WIDEST), overflow="fold")
            for column, least in (("solved, %", 20), ("trials", 6), ("item-rest", 21)):
                table.add_column(column, no_wrap=True, min_width=least)
            for task in tasks:
                table.add_row(*map(Text, _health_cells(task)))
            yield table
        yield ""
        yield from map(Text, self.notes)


def _health_cells(task: TaskJudgement) -> tuple[str, str, str, str]:
    solved = "–"
    if task.rate is not None and task.interval is not None:
        solved = f"{percent_text(task.rate)} ({percent_text(task.interval[0])} to {percent_text(task.interval[1])})"
    rest = "–" if task.item_rest is None else f"{task.item_rest:.2f}"
    if task.item_rest_interval is not None:
        rest += f" ({task.item_rest_interval[0]:.2f} to {task.item_rest_interval[1]:.2f})"
    return printable_text_line(task.task), solved, str(task.trials), rest


def task_health(
    study: Store, policy: Policy = DEFAULT_POLICY, declared: Declared = UNDECLARED, *, most: int = _MOST
) -> TaskHealth:
    """Judge the tasks of a study.

    Args:
        study: any store of trials.
        policy: what trials at a limit, spoilt by the harness, or missing count as.
        declared: what is known of the tasks beyond their tags and ids.
        most: passing trials whose steps are read, at most.

    Raises:
        StatisticsError: the policy refuses the trials.
        StoreError: the study cannot be read.
    """
    evaluation = count_study(study, declared)
    if evaluation.scores is None:
        return TaskHealth([], [], [], ["This study has no agents, or no tasks that can be passed honestly."])
    resolved = evaluation.scores.resolve(policy)
    traces, looked, passing = _traces_by_task(study, most)
    twins = {task.id: task.tags.twin for task in evaluation.tasks if task.tags.twin and not task.impossible}
    found = judged_tasks(resolved, validity=evaluation.facts.validity, traces=traces, twins=twins)
    agents = plural_text(len(resolved.agents), "agent")
    again = "what is dropped was chosen by these very trials, and measured again will lie nearer to the middle"
    steps = "trials without steps say nothing on contamination"
    notes = [
        f"Intervals are 95%, one task at a time, over {agents}; {again}.",
        f"Read the steps of {looked} of {plural_text(passing, 'passing trial')}; {steps}.",
    ]
    if not twins:
        notes.append("No task has a perturbed twin here, so whether they fall is not measured.")
    keep = [task.task for task in found if task.keep]
    return TaskHealth(found, keep, [task.task for task in found if not task.keep], notes)


def _traces_by_task(study: Store, most: int) -> tuple[Mapping[str, Traces], int, int]:
    """The evidence in the steps of passing trials, by task; how many could be read, and how many there are."""
    passing = [cell for cell in study.cells() if cell.outcome is Outcome.PASSED]
    stride = max(1, -(-len(passing) // most)) if most else 1
    counts: dict[str, Counter[str]] = {}
    looked = 0
    for cell in passing[::stride] if most else []:
        steps = study.trajectory(cell.id)
        acting = [step for step in steps.steps if step.source == "agent" and step.calls] if steps is not None else []
        if steps is None or not steps.steps:
            continue
        looked += 1
        own = counts.setdefault(cell.task, Counter())
        said = (step.message + step.reasoning for step in steps.steps if step.source == "agent")
        own["canaries"] += any(_CANARY.search(text) for text in said)
        if acting:
            calls = [call for step in acting for call in step.calls]
            own["read"] += 1
            own["blind"] += not any(_reads(call.name, call.arguments.values()) for call in calls)
    seen = {name: Traces(**{what: own[what] for what in ("read", "blind", "canaries")}) for name, own in counts.items()}
    return seen, looked, len(passing)


def _reads(name: str, arguments: Iterable[msgspec.Raw]) -> bool:
    text = b" ".join(map(bytes, arguments))
    return _READS.search(name) is not None or _READS.search(text[:100_000].decode("utf-8", "replace")) is not None
