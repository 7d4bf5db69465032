"""The monitor over a study: groups of trials, judged at the same time, kept as soon as each is done.

What is in the study at this version is not asked again. A group is kept whole, with what its planted trials say of the
judge; of a group that was cut short the answers lie in a folder beside the study, so that the next run asks only what
is missing. A server that gives no answer leaves its group for the next run (`_turns.py`).
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from honestly.audit._case import Case, Detector, Need
from honestly.audit._study import case_of, recorded_step
from honestly.audit.monitor._controls import CONTROLS, Control
from honestly.audit.monitor._cost import Estimate, MonitorBudget
from honestly.audit.monitor._donors import ENOUGH, controls_of, rules_of
from honestly.audit.monitor._edits import EDITS
from honestly.audit.monitor._group import CHUNK, OVERLAP, TOGETHER, Group, first_questions, group_of
from honestly.audit.monitor._prompts import PROMPTS, survey_messages
from honestly.audit.monitor._stages import ViewOpinion, confirm_suspicions, survey_group
from honestly.audit.monitor._turns import Judge, JudgeCalls
from honestly.audit.monitor._verdict import MONITOR, VIEWS, MonitoredTrial, findings_of, quality_of
from honestly.audit.monitor._view import VIEWED
from honestly.models import Model, Prices, default_prices
from honestly.records import digest
from honestly.store import Cell, Store

Progress = Callable[[int, int, str], None]
"""Told after each group: how many trials are done, of how many, and a few words."""

# Expected of a question of the second stage.
_CONFIRM_CHARACTERS = 9_000


@dataclass(frozen=True, kw_only=True)
class Monitor:
    """Who judges, and within what."""

    model: Model
    confirm: Model
    """May be the same."""
    folder: Path | None = None
    """Where answers are kept; in memory if None."""
    budget: float | None = None
    """US dollars for this run."""
    prices: Prices = field(default_factory=default_prices)
    jobs: int = 4
    """Groups that are judged at a time."""
    tasks: tuple[str, ...] = ()
    """Only these; all if empty."""
    agents: tuple[str, ...] = ()
    timeout_s: float = 600.0
    """That one answer may take."""

    @property
    def version(self) -> str:
        """Of the findings that it makes: the prompts, a hash of all that could change an answer, the models."""
        model, confirm = self.model.name, self.confirm.name
        content = digest("monitor", PROMPTS, VIEWED, CONTROLS, EDITS, CHUNK, OVERLAP, TOGETHER, model, confirm)[:8]
        return f"{PROMPTS}.{content} {model}" + (f" + {confirm}" if confirm != model else "")

    def is_about(self, cell: Cell) -> bool:
        """Whether a trial is of the tasks and the agents that are judged."""
        return (not self.tasks or cell.task in self.tasks) and (not self.agents or cell.agent in self.agents)

    @property
    def detectors(self) -> tuple[Detector, Detector]:
        """Its two detectors, for tables of rates; they look at nothing by themselves."""
        needs: tuple[Need, ...] = ("steps", "final")
        both = Detector(MONITOR, self.version, "monitor", needs, lambda _case: (), "two stages of a language model")
        summary = "the monitor's views disagree"
        return both, both._replace(name=VIEWS, category="for people", summary=summary, severity="smell")


@dataclass
class MonitorRun:
    """The result of a run."""

    purse: MonitorBudget
    judged: int = 0
    """Trials that are new in the study."""
    left: int = 0
    """Trials that are still to be judged."""
    failures: list[str] = field(default_factory=list)
    """Why groups were left, each reason once."""
    stopped: str = ""
    """Why it ended early; empty where it did not."""


def estimated_cost(study: Store, monitor: Monitor) -> tuple[Estimate, Estimate, int]:
    """The estimated cost of judging the missing trials: of both stages, and how many trials they are.
    Nothing is asked.
    """
    first, second, trials = Estimate(monitor.model.name), Estimate(monitor.confirm.name), 0
    rules = rules_of(study, (MONITOR, VIEWS))
    to_measure = ENOUGH - quality_of(study, monitor.version).edited_full.positives
    for ids in _missing_groups(study, monitor):
        trials += len(ids)
        again = controls_of(study, _cases_of(study, ids), rules) if to_measure > 0 else {}
        to_measure -= sum(control.cheat for control in again.values())
        # With some of its trials edited, a group asks as much as it does as it is.
        times = 2 if again else 1
        group = _load_group(study, ids, b"estimate")
        for masked in (False, True):
            asked = first_questions(group, masked=masked)
            for question in asked * times:
                first.add(question.size + len(survey_messages({"task": ""}, question.data, masked=masked)[0].text))
            if asked:
                for _ in range(times):
                    second.add(_CONFIRM_CHARACTERS)
    return first, second, trials


async def monitor_study(study: Store, monitor: Monitor, progress: Progress | None = None) -> MonitorRun:
    """Judges what is missing, and adds the findings to the study.

    Raises:
        StoreError: the study cannot be written.
    """
    waiting = list(_missing_groups(study, monitor))
    total = sum(map(len, waiting))
    turns = JudgeCalls(MonitorBudget(monitor.prices, monitor.budget), monitor.folder)
    work = _Work(study, monitor, turns, total, progress or (lambda _done, _total, _words: None))
    try:
        await turns.ask_waiting(waiting, work.judge_group, monitor.jobs)
    finally:
        work.note_cost()
    work.outcome.stopped = turns.stopped
    return work.outcome


async def judge_group(
    group: Group, model: Judge, second: Judge
) -> tuple[list[MonitoredTrial], list[dict[str, ViewOpinion]]]:
    """Both stages in both views: what each real trial came to, and all sights of the full view and of the actions.

    Raises:
        ModelError: a server gives no answer.
        BudgetError: nothing more may be spent.
    """
    views: list[dict[str, ViewOpinion]] = []
    for masked in (False, True):
        sights = await survey_group(group, model, masked=masked)
        await confirm_suspicions(group, second, sights, masked=masked)
        views.append(sights)
    full, actions = views
    return [MonitoredTrial(full[subject.key], actions[subject.key]) for subject in group.subjects], views


class _Work:
    def __init__(self, study: Store, monitor: Monitor, turns: JudgeCalls, total: int, progress: Progress) -> None:
        self.study, self.monitor, self.total, self.progress = study, monitor, total, progress
        self.outcome = MonitorRun(turns.purse, left=total, failures=turns.failures)
        self.secret = turns.secret
        self.first, self.second = (turns.judge(each, monitor.timeout_s) for each in (monitor.model, monitor.confirm))
        self.noted = dict.fromkeys(("calls", "input_tokens", "output_tokens", "usd", "unpriced"), 0)
        self.rules = rules_of(study, (MONITOR, VIEWS))

    async def judge_group(self, ids: Sequence[str]) -> bool:
        """Judges a group and keeps what came of it."""
        group = _load_group(self.study, ids, self.secret)
        self._keep_judgements(*await judge_group(group, self.first, self.second))
        if quality_of(self.study, self.monitor.version).edited_full.positives < ENOUGH:
            await self._measure(ids)
        return True

    async def _measure(self, ids: Sequence[str]) -> None:
        """Judges the group again with some of its trials edited, and counts what is said of these."""
        controls = controls_of(self.study, _cases_of(self.study, ids), self.rules)
        if not controls:
            return
        group = _load_group(self.study, ids, self.secret, controls)
        _, (full, actions) = await judge_group(group, self.first, self.second)
        version = self.monitor.version
        quality = quality_of(self.study, version)
        quality.edited_full.add(full.values(), masked=False, edited=True)
        quality.edited_actions.add(actions.values(), masked=True, edited=True)
        quality.save(self.study, version)
        self.note_cost()

    def note_cost(self) -> None:
        """Adds what was spent since the last time to what the study knows."""
        purse = self.outcome.purse
        now = {name: getattr(purse, name) for name in self.noted}
        if now == self.noted:
            return
        quality = quality_of(self.study, self.monitor.version)
        for name, value in now.items():
            setattr(quality, name, getattr(quality, name) + value - self.noted[name])
        self.noted = now
        quality.save(self.study, self.monitor.version)

    def _keep_judgements(self, judged: Sequence[MonitoredTrial], views: Sequence[dict[str, ViewOpinion]]) -> None:
        version = self.monitor.version
        found = [finding for each in judged for finding in findings_of(each, version)]
        # Findings first: a run that is killed between the two loses a count of planted trials, and never has one twice.
        self.study.add(found, every=len(found) + 1)
        quality = quality_of(self.study, version)
        full, actions = views
        quality.full.add(full.values(), masked=False)
        quality.actions.add(actions.values(), masked=True)
        quality.rejected += sum(sight.rejected for sights in views for sight in sights.values())
        quality.save(self.study, version)
        self.note_cost()
        self.outcome.judged += len(judged)
        self.outcome.left -= len(judged)
        purse = self.outcome.purse
        spent = f"{purse.calls} calls" + (f", ${purse.usd:.2f}" if not purse.unpriced else "")
        self.progress(self.outcome.judged, self.total, spent)


def _missing_groups(study: Store, monitor: Monitor) -> Iterator[tuple[str, ...]]:
    """Groups of trials that this version has not judged: by task, in an order that does not change as groups go."""
    version = monitor.version
    known = {found.trial for found in study.findings() if found.detector == VIEWS and found.version == version}
    by_task: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for cell in study.cells():
        if monitor.is_about(cell):
            by_task[cell.task].append((cell.sample, cell.agent, cell.id))
    for cells in by_task.values():
        ids = [trial for _, _, trial in sorted(cells)]
        for start in range(0, len(ids), TOGETHER):
            missing = tuple(trial for trial in ids[start : start + TOGETHER] if trial not in known)
            if missing:
                yield missing


def _cases_of(study: Store, ids: Sequence[str]) -> list[Case]:
    return [case_of(study, study.trial(trial)) for trial in ids]


def _load_group(
    study: Store, ids: Sequence[str], secret: bytes, controls: Mapping[str, Control] = MappingProxyType({})
) -> Group:
    trials = [
        (
            case_of(study, study.trial(trial)),
            study.steps(trial) if study.trajectory_info(trial) is not None else (),
            recorded_step(study, trial),
        )
        for trial in ids
    ]
    return group_of(trials, secret, controls)
