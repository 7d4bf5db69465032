"""The plan of a study with memory: first what teaches, in one order for all agents, then what has taught nothing.

Families of tasks are those that the house takes together elsewhere (declared clusters, or what ids show), or the values
of a tag. Some are held out: by name, or about half of them, drawn by the seed. An agent learns in the order that the
seed says, and what it has learnt at the end is compared on the families that were held out.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from honestly.agents import Actor
from honestly.errors import AgentError, StoreError
from honestly.memory._answers import Answers
from honestly.memory._learn import answer_in
from honestly.memory._library import MemoryLibrary
from honestly.memory.learning._agent import Remembering
from honestly.records import Record, Suite, Task, digest, trial_id
from honestly.runner import Plan, Planned
from honestly.seams import did_you_mean
from honestly.store import Store
from honestly.tasks import clusters_of

DESIGN = "memory/design"


class MemoryDesign(Record, frozen=True, kw_only=True):
    """The design settled before the first trial."""

    suite: str
    """Hash of the suite."""
    families: dict[str, str]
    """The family of each task."""
    held_out: tuple[str, ...]
    """Families that teach nothing."""
    order: tuple[str, ...]
    """The tasks that teach, in the order of the first round."""
    seed: int
    samples: int

    def teaches(self, task: str) -> bool:
        """Whether an agent learns from this task."""
        return self.families[task] not in self.held_out


def design_of(suite: Suite, held_out: Sequence[str], tag: str, seed: int, samples: int) -> MemoryDesign:
    """Which families teach, and in which order their tasks come.

    Args:
        suite: the tasks.
        held_out: names of families; none for about half of them.
        tag: the tag whose values are families; empty for clusters.
        seed: of the order, and of what is held out.
        samples: rounds.

    Raises:
        AgentError: there is no such family, or none is left to learn from, or to be tried on.
        StatisticsError: no task has the tag.
    """
    found, _ = clusters_of({task.id: task.tags for task in suite.tasks}, tag)
    named = {task.id: getattr(task.tags, tag or "cluster") or task.id for task in suite.tasks}
    families = {task: name.removeprefix(f"{tag or 'cluster'} ") for task, name in (found or named).items()}
    names = sorted(set(families.values()))
    for each in held_out:
        if each not in names:
            raise AgentError(f"no family {each!r}{did_you_mean(each, names)}; there are: {', '.join(names[:20])}")
    out = sorted(held_out) or sorted(_seeded_random("held out", seed).sample(names, len(names) // 2))
    if not out or len(out) == len(names):
        raise AgentError(
            f"the tasks form {len(names)} families ({', '.join(names[:5])}), of which {len(out)} are held out; "
            "expected at least one to learn from and one to be tried on: --memory-families TAG, --memory-holdout FAMILY"
        )
    order = [task.id for task in _shuffled_tasks(suite.tasks, 0, seed) if families[task.id] not in out]
    return MemoryDesign(
        suite=suite.hash, families=families, held_out=tuple(out), order=tuple(order), seed=seed, samples=samples
    )


def demand_untaught(begun: MemoryLibrary, design: MemoryDesign, suite: Suite) -> None:
    """Refuses to begin with a library that has seen what is to measure its gain.

    Raises:
        AgentError: families held out have taught it, or it holds answers of a task.
    """
    by = [each.tasks for each in begun.workflows] + [each.tasks for each in begun.skills]
    taught = {task for tasks in by for task in tasks if task in design.families}
    if seen := sorted(task for task in taught if not design.teaches(task)):
        raise AgentError(
            f"the initial library learned from {', '.join(seen[:5])}, held out here to measure its gain; "
            "expected a library that did not: hold out other families (--memory-holdout), or revoke the entries"
        )
    if why := answer_in(begun, [Answers(task) for task in suite.tasks]):
        raise AgentError(
            f"the initial library must not be used here: {why}; revoke those entries (honestly agent memory rm)"
        )


NOT_DESIGNED = MemoryDesign(suite="", families={}, held_out=(), order=(), seed=0, samples=0)
"""Of a plan whose design nobody gave."""


@dataclass(frozen=True)
class MemoryPlan(Plan):
    """Agents with and without memory on the same tasks, in the same order, with the same seeds."""

    design: MemoryDesign = NOT_DESIGNED

    @cached_property
    def trials(self) -> Sequence[Planned]:
        """All trials: rounds of what teaches, then rounds of what is held out; at each task all agents."""
        found: list[Planned] = []
        for teaching in (True, False):
            for sample in range(self.samples):
                for task in _shuffled_tasks(self.suite.tasks, sample, self.seed):
                    if self.design.teaches(task.id) is teaching:
                        found += [self._planned_trial(task, actor, sample) for actor in self.actors]
        return tuple(found)

    def _planned_trial(self, task: Task, actor: Actor, sample: int) -> Planned:
        """A trial; every agent has the dice of the same agent without memory."""
        bare = actor.actor if isinstance(actor, Remembering) else actor
        name, seeds = (trial_id(task.hash, each.record.hash, sample, self.seed) for each in (actor, bare))
        return Planned(name, task, actor, sample, seeds)


def settle_design(design: MemoryDesign, study: Store) -> None:
    """Keeps the design with its study, or checks that it is the one that the study was begun with.

    Raises:
        StoreError: it is another one, or the study was begun without memory.
    """
    before = study.kept(DESIGN, MemoryDesign)
    if before is None and study.trial_ids():
        raise StoreError("this study was started without memory; give the run a new file with --out")
    if before is not None and before != design:
        other = [name for name in design.__struct_fields__ if getattr(before, name) != getattr(design, name)]
        raise StoreError(
            f"this study was started with other {', '.join(other)}; what an agent has learnt depends on them: give the "
            "run a new file with --out"
        )
    study.keep(DESIGN, design)


def design_in(study: Store) -> MemoryDesign:
    """The design of a study.

    Raises:
        StoreError: it has none.
    """
    if (found := study.kept(DESIGN, MemoryDesign)) is None:
        raise StoreError("this study has no agents with memory; run it with --memory")
    return found


def _shuffled_tasks(tasks: Sequence[Task], sample: int, seed: int) -> list[Task]:
    shuffled = list(tasks)
    _seeded_random("lessons", sample, seed).shuffle(shuffled)
    return shuffled


def _seeded_random(*what: object) -> random.Random:
    return random.Random(int(digest("memory", *what), 16))  # noqa: S311
