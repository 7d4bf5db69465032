"""The monitor over a study: groups of trials, judged at the same time, kept as soon as each is done.

What is in the study at this version is not asked again. A group is kept whole, with what its planted trials say of the
judge; of a group that was cut short the answers lie in a folder beside the study, so that the next run asks only what
is missing. A server that gives no answer leaves its group for the next run; after some in a row, or where asking again
cannot help (a wrong key, a model that is not there), the run ends.
"""

from __future__ import annotations

import os
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import anyio

from honestly.audit._case import Detector
from honestly.audit._study import case_of
from honestly.audit.monitor._ask import Judge
from honestly.audit.monitor._confirm import confirm
from honestly.audit.monitor._controls import CONTROLS
from honestly.audit.monitor._cost import Estimate, Meter, Purse
from honestly.audit.monitor._group import CHUNK, OVERLAP, TOGETHER, Group, group_of, questions
from honestly.audit.monitor._prompts import PROMPTS, surveying
from honestly.audit.monitor._quality import quality_of
from honestly.audit.monitor._survey import Sight, survey
from honestly.audit.monitor._verdict import MONITOR, VIEWS, Judged, findings_of
from honestly.audit.monitor._view import VIEWED
from honestly.errors import BudgetError, ModelError, StoreError
from honestly.models import CacheModel, Model, Prices, RetryModel, default_prices
from honestly.records import digest
from honestly.store import Store

__all__ = ["Monitor", "Outcome", "estimate", "judge_group", "kept_secret", "monitor_study", "version_of"]

Progress = Callable[[int, int, str], None]
"""Told after each group: how many trials are done, of how many, and a few words."""

_IN_A_ROW = 4
"""Groups without an answer after which a run ends."""
_HOPELESS = frozenset({401, 402, 403, 404})
_CONFIRM_CHARACTERS = 9_000
"""Expected of a question of the second stage."""


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
        """Of the findings that it makes."""
        return version_of(self.model.name, self.confirm.name)

    @property
    def detectors(self) -> tuple[Detector, Detector]:
        """Its two detectors, for tables of rates; they look at nothing by themselves."""
        return tuple(  # type: ignore[return-value]
            Detector(name, self.version, category, ("steps", "final"), lambda _case: (), summary)
            for name, category, summary in (
                (MONITOR, "monitor", "two stages of a language model"),
                (VIEWS, "for people", "the monitor's views disagree"),
            )
        )


@dataclass
class Outcome:
    """What a run came to."""

    purse: Purse
    judged: int = 0
    """Trials that are new in the study."""
    left: int = 0
    """Trials that are still to be judged."""
    failures: list[str] = field(default_factory=list)
    """Why groups were left, each reason once."""
    stopped: str = ""
    """Why it ended early; empty where it did not."""


def version_of(model: str, confirm: str) -> str:
    """The version of findings by these two: the prompts, the models, and a hash of all that could change an answer."""
    content = digest("monitor", PROMPTS, VIEWED, CONTROLS, CHUNK, OVERLAP, TOGETHER, model, confirm)[:8]
    return f"{PROMPTS}.{content} {model}" + (f" + {confirm}" if confirm != model else "")


def estimate(study: Store, monitor: Monitor) -> tuple[Estimate, Estimate, int]:
    """What judging the missing trials would cost: of both stages, and how many trials they are. Nothing is asked."""
    first, second, trials = Estimate(monitor.model.name), Estimate(monitor.confirm.name), 0
    for ids in _missing(study, monitor):
        trials += len(ids)
        group = _load(study, ids, b"estimate")
        for masked in (False, True):
            asked = questions(group, masked=masked)
            for question in asked:
                first.add(question.size + len(surveying({"task": ""}, question.data, masked=masked)[0].text))
            if asked:
                second.add(_CONFIRM_CHARACTERS)
    return first, second, trials


async def monitor_study(study: Store, monitor: Monitor, progress: Progress | None = None) -> Outcome:
    """Judges what is missing, and adds the findings to the study.

    Raises:
        StoreError: the study cannot be written.
    """
    waiting = list(_missing(study, monitor))
    total = sum(map(len, waiting))
    purse = Purse(monitor.prices, monitor.budget)
    work = _Work(study, monitor, Outcome(purse, left=total), total, progress or (lambda _done, _total, _words: None))
    try:
        async with anyio.create_task_group() as group:
            work.scope = group.cancel_scope
            room = anyio.Semaphore(monitor.jobs)
            for ids in waiting:
                await room.acquire()
                if work.outcome.stopped:
                    break
                group.start_soon(work.one, ids, room)
    finally:
        work.note_cost()
    return work.outcome


async def judge_group(group: Group, model: Judge, second: Judge) -> tuple[list[Judged], list[dict[str, Sight]]]:
    """Both stages in both views: what each real trial came to, and all sights of the full view and of the actions.

    Raises:
        ModelError: a server gives no answer.
        BudgetError: nothing more may be spent.
    """
    views: list[dict[str, Sight]] = []
    for masked in (False, True):
        sights = await survey(group, model, masked=masked)
        await confirm(group, second, sights, masked=masked)
        views.append(sights)
    full, actions = views
    return [Judged(full[subject.key], actions[subject.key]) for subject in group.subjects], views


class _Work:
    """One run."""

    def __init__(self, study: Store, monitor: Monitor, outcome: Outcome, total: int, progress: Progress) -> None:
        self.study, self.monitor, self.outcome, self.total, self.progress = study, monitor, outcome, total, progress
        self.scope: anyio.CancelScope | None = None
        self.secret = kept_secret(monitor.folder)
        first, second = (self._asked(model) for model in (monitor.model, monitor.confirm))
        self.first = Judge(first, timeout_s=monitor.timeout_s)
        self.second = Judge(second, timeout_s=monitor.timeout_s)
        self.in_a_row = 0
        self.noted = (0, 0, 0, 0.0, 0)

    def _asked(self, model: Model) -> Model:
        return CacheModel(RetryModel(Meter(model, self.outcome.purse)), self.monitor.folder)

    async def one(self, ids: Sequence[str], room: anyio.Semaphore) -> None:
        """Judges a group and keeps what came of it."""
        try:
            group = _load(self.study, ids, self.secret)
            judged, views = await judge_group(group, self.first, self.second)
        except BudgetError as error:
            self._stop(str(error))
        except ModelError as error:
            self._failed(error)
        else:
            self.in_a_row = 0
            self._keep(judged, views)
        finally:
            room.release()

    def note_cost(self) -> None:
        """Adds what was spent since the last time to what the study knows."""
        purse = self.outcome.purse
        now = (purse.calls, purse.input_tokens, purse.output_tokens, purse.usd, purse.unpriced)
        if now == self.noted:
            return
        quality = quality_of(self.study, self.monitor.version)
        quality.calls += now[0] - self.noted[0]
        quality.input_tokens += now[1] - self.noted[1]
        quality.output_tokens += now[2] - self.noted[2]
        quality.usd += now[3] - self.noted[3]
        quality.unpriced += now[4] - self.noted[4]
        self.noted = now
        quality.save(self.study, self.monitor.version)

    def _keep(self, judged: Sequence[Judged], views: Sequence[dict[str, Sight]]) -> None:
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

    def _failed(self, error: ModelError) -> None:
        self.in_a_row += 1
        if str(error) not in self.outcome.failures:
            self.outcome.failures.append(str(error))
        if error.status in _HOPELESS or self.in_a_row >= _IN_A_ROW:
            self._stop(str(error))

    def _stop(self, why: str) -> None:
        self.outcome.stopped = self.outcome.stopped or why


def _missing(study: Store, monitor: Monitor) -> Iterator[tuple[str, ...]]:
    """Groups of trials that this version has not judged: by task, in an order that does not change as groups go."""
    version = monitor.version
    known = {found.trial for found in study.findings() if found.detector == VIEWS and found.version == version}
    by_task: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for cell in study.cells():
        if (not monitor.tasks or cell.task in monitor.tasks) and (not monitor.agents or cell.agent in monitor.agents):
            by_task[cell.task].append((cell.sample, cell.agent, cell.id))
    for cells in by_task.values():
        ids = [trial for _, _, trial in sorted(cells)]
        for start in range(0, len(ids), TOGETHER):
            missing = tuple(trial for trial in ids[start : start + TOGETHER] if trial not in known)
            if missing:
                yield missing


def _load(study: Store, ids: Sequence[str], secret: bytes) -> Group:
    trials = []
    for trial_id in ids:
        case = case_of(study, study.trial(trial_id))
        steps = study.steps(trial_id) if study.trajectory_info(trial_id) is not None else iter(())

        def step_at(index: int, trial_id: str = trial_id) -> object:
            return next(iter(study.steps(trial_id, index, index + 1)), None)

        trials.append((case, steps, step_at))
    return group_of(trials, secret)  # type: ignore[arg-type]


def kept_secret(folder: Path | None) -> bytes:
    """What no author of a trajectory knows: made once for a folder of answers, so that questions stay the same."""
    if folder is None:
        return secrets.token_bytes(32)
    path = folder / "secret"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(secrets.token_bytes(32))
        except FileExistsError:
            pass
        kept = path.read_bytes()
    except OSError as error:
        raise StoreError(f"the folder of answers {str(folder)!r} cannot be used: {error}; give another one") from None
    if len(kept) != 32:
        raise StoreError(f"{str(path)!r} is damaged; delete the folder, which costs asking again")
    return kept
