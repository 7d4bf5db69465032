"""Kept work judged again by corrected hidden checks, without an agent or a model.

Only what the agent never saw may differ: hidden checks, the reference, tags. Trials of a task that is as it was keep
their verdict; where the work was not kept, there is no verdict. The new study's trials have the ids that a run of the
new suite would give them, so that `honestly run SUITE -o NEW` continues it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice

from msgspec.structs import replace
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from honestly.errors import HonestlyError, StoreError, TaskError
from honestly.records import Edit, Outcome, Suite, Task, Trial, Verdict, decode, digest, trial_id
from honestly.runner._stale import changed_parts
from honestly.runner._storable import storable_record
from honestly.show import FittingTable, Shown, plural_text, printable_text_line
from honestly.store import Store
from honestly.verify import OpenBox, Slots, Submission, verdict_outcome, verify_each

_FINAL = "final.json"
_UNSEEN = ("hidden ", "settings of the hidden ", "reference solution", "wrong solutions", "tags", "version number")
"""What may differ, by the beginning of `changed_parts`."""
_BATCH, _SHOWN = 64, 20


@dataclass(frozen=True, slots=True)
class ChangedOutcome:
    """A trial that ended otherwise under the new checks."""

    trial: str
    agent: str
    task: str
    sample: int
    was: Outcome
    now: Outcome


@dataclass(frozen=True, slots=True, repr=False)
class RegradeReport(Shown):
    """The result of judging a study's kept work again."""

    study: str
    """The new study."""
    judged: int
    """Trials with a new verdict."""
    unchanged_tasks: int
    """Trials that keep their verdict, because their task is as it was."""
    left: dict[str, int]
    """Trials without a verdict, by the reason."""
    changed: list[ChangedOutcome]

    main_table = "changed"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The counts, and a table of the outcomes that changed."""
        kept = f", {self.unchanged_tasks} kept (their tasks are unchanged)" if self.unchanged_tasks else ""
        yield f"{plural_text(self.judged, 'trial')} judged again{kept}; {len(self.changed)} of them ended differently."
        for why, count in self.left.items():
            yield Text(f"! {plural_text(count, 'trial')} without a verdict: {printable_text_line(why)}")
        if self.changed:
            table = FittingTable("agent", "task", "sample", "was", "now", box=None)
            for each in self.changed[:_SHOWN]:
                names = (printable_text_line(each.agent), printable_text_line(each.task))
                table.add_row(*map(Text, (*names, str(each.sample), each.was, each.now)))
            yield table
            if len(self.changed) > _SHOWN:
                yield f"and {len(self.changed) - _SHOWN} more; see --json."


def regraded_tasks(study: Store, suite: Suite) -> dict[str, Task]:
    """The tasks whose checks have changed, in their new version, by id.

    Raises:
        StoreError: The study has promised a stopping rule or is pre-registered.
        TaskError: None has changed, or an agent saw another version of a task.
    """
    facts, tasks = study.facts(), {task.id: task for task in suite.tasks}
    if facts.registration or facts.stopping_rule:
        raise StoreError(
            "a study with a pre-registration or a stopping rule is not judged again: that was not promised"
        )
    changed: dict[str, Task] = {}
    for task in study.tasks():
        new = tasks.get(task.id)
        if new is None or new.hash == task.hash:
            continue
        if seen := [part for part in changed_parts(task, new) if not part.startswith(_UNSEEN)]:
            raise TaskError(
                f"{task.id}: {', '.join(seen)} changed, so the agents worked on another task; run its trials again: "
                "honestly run --redo stale"
            )
        changed[task.id] = new
    if not changed:
        raise TaskError("no task of the study has other hidden checks in this suite; nothing is to be judged again")
    return changed


def new_facts(study: Store, suite: Suite, changed: dict[str, Task]) -> dict[str, object]:
    """What a study that is judged again says of itself otherwise than the old one."""
    day = datetime.now(UTC).date().isoformat()
    said = f"{day}: judged again with other hidden checks of {plural_text(len(changed), 'task')}: {', '.join(changed)}"
    return {"suite_hash": suite.hash, "errata": (*study.facts().errata, said)}


async def regrade_study(
    study: Store,
    new: Store,
    changed: dict[str, Task],
    open_box: OpenBox,
    progress: Callable[[int, int, str], None] = lambda _done, _total, _words: None,
) -> RegradeReport:
    """Fills a new study with the trials of another one, judged by the new hidden checks of some tasks.

    What the new study holds already is not judged again. Reviews are taken along; an audit has to be made anew.

    Args:
        study: The old one.
        new: The new one, open for writing; see `new_facts`.
        changed: The tasks that are judged anew; see `regraded_tasks`.
        open_box: Opens sandboxes.
        progress: Told how many trials are done, of how many, and which one was the latest.

    Raises:
        SandboxUnavailableError: This machine does not let us build a sandbox.
        StoreError: A study cannot be read or written.
    """
    agents, seed = {agent.name: agent for agent in study.agents()}, study.facts().seed or 0
    new.add([*agents.values(), *(changed.get(task.id, task) for task in study.tasks())])
    held, total = new.trial_ids(), len(study.trial_ids())
    done = 0

    def add_trial(old: Trial, now: Trial) -> None:
        nonlocal done
        artifacts = {name: study.artifact(old.id, name) for name in study.artifacts(old.id)}
        new.add_trial(now, study.trajectory(old.id), artifacts)
        new.add([replace(review, trial=now.id) for review in study.reviews(old.id)])
        done += 1
        progress(done, total, f"{now.agent} on {now.task}: {now.outcome}")

    def work() -> Iterator[tuple[Trial, Trial, Edit]]:
        """The trials whose work is judged again, with what they become; all others are added at once."""
        nonlocal done
        for old in study.trials():
            task = changed.get(old.task)
            name = old.id if task is None else trial_id(task.hash, agents[old.agent].hash, old.sample, seed)
            if name in held:
                done += 1
            elif task is None or old.outcome is Outcome.VOID:
                add_trial(old, replace(old, id=name))
            elif _FINAL not in study.artifacts(old.id):
                add_trial(old, _void_trial(replace(old, id=name), "its final workspace was not kept"))
            else:
                yield old, replace(old, id=name), decode(study.artifact(old.id, _FINAL), Edit)

    def note(some: Sequence[tuple[Trial, Trial, Edit]], at: int, verdict: Verdict | HonestlyError) -> None:
        old, now, _ = some[at]
        if isinstance(verdict, HonestlyError):
            add_trial(old, _void_trial(now, str(verdict)))
            return
        ran_out = old.outcome is Outcome.LIMIT or (old.outcome is Outcome.PASSED and bool(old.reason))
        outcome = verdict_outcome(verdict, ran_out=ran_out)
        failed = verdict.hidden if outcome is Outcome.FAILED and not verdict.tampered else None
        score = failed.reward if failed is not None else None
        add_trial(old, storable_record(replace(now, verdict=verdict, outcome=outcome, score=score)))

    waiting = work()
    async with Slots(open_box) as slots:
        while some := list(islice(waiting, _BATCH)):
            cases = [
                Submission(task, edit.apply(task.workspace), int(digest(old.id, "checks"), 16))
                for old, _, edit in some
                for task in [changed[old.task]]
            ]
            await verify_each(cases, slots, partial(note, some))
    return _report(study, new, changed)


def _void_trial(trial: Trial, why: str) -> Trial:
    """The trial without a verdict."""
    return storable_record(
        replace(trial, outcome=Outcome.VOID, verdict=Verdict(), score=None, reason=f"not judged again: {why}"[:500])
    )


def _report(study: Store, new: Store, changed: dict[str, Task]) -> RegradeReport:
    was = {(cell.agent, cell.task, cell.sample): cell for cell in study.cells()}
    left, found, unchanged, judged = Counter[str](), list[ChangedOutcome](), 0, 0
    for cell in new.cells():
        old = was[cell.agent, cell.task, cell.sample]
        if cell.task not in changed:
            unchanged += 1
        elif cell.outcome is Outcome.VOID:
            left[cell.reason or "void"] += 1
        else:
            judged += 1
            if cell.outcome is not old.outcome:
                found.append(ChangedOutcome(cell.id, cell.agent, cell.task, cell.sample, old.outcome, cell.outcome))
    return RegradeReport(str(new.path), judged, unchanged, dict(left), found)
