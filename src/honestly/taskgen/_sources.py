"""The sources of a suite's growth: sources, of which some are held out for good, and the tasks that are proposed of the
others.

Of a repository the sources are its functions, or its commits where each task is of one; of a suite, its clusters. The
held-out ones are drawn once and written down; no task is proposed of them, and what is proposed is looked at again:
which functions its reference touches. A child is a task of an earlier one: one more fault, planted where that one's
reference has put things right; by a program, or by an agent that is asked for it.
"""

import platform
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace as replace_dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from honestly._version import program_version
from honestly.agents import Actor
from honestly.errors import SandboxError, SandboxUnavailableError, TaskError, VerifierError
from honestly.records import Edit, Suite, Task, Tree, digest
from honestly.runner import Planned, run_attempt
from honestly.taskgen._from_commit import MadeFrom, MakingTerms, TaskMade, made_before, unproved_reason, write_made
from honestly.taskgen._from_mutants import bugs_in, from_mutants
from honestly.taskgen._from_repo import Filter, from_repo, mining_plan
from honestly.taskgen._from_tests import from_tests, traced_calls
from honestly.taskgen._journal import MinedTask, MiningJournal, Progress, WantedTasks, until_enough
from honestly.taskgen._repository import Commit, Repository
from honestly.taskgen._split import is_a_test, refused_by_diff
from honestly.taskgen._tested import TestedTree, function_at, touched_functions
from honestly.taskgen._told import Told
from honestly.tasks import Mutant, clusters_of, prepare_task
from honestly.verify import OpenBox

KIND = "grow"
_MOST_COMMITS = 100_000
_TRIES = 3
"""How often an agent is asked for a fault in one task, in a round."""
_BROKEN = (
    "What follows was asked for, and has been done; but a fault was put into it since. Find and repair it: all of this "
    "must hold again. Tests, which are not shown, will check it.\n\n---\n\n"
)
_MORE = "\nThere is more than one fault; repair all of them.\n"
_ASKED = (
    "Plant one fault into this project, as somebody might make it by mistake: small, hard to find, and noticed by good "
    "tests of what it is for. Change only its source: no tests, no new files, no comment that says so. It is for "
    "this:\n\n"
)


class Origin(Protocol):
    """The source of a suite's growth."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def revision(self) -> str:
        """Which version of it."""

    @property
    def sources(self) -> frozenset[str]:
        """The sources that tasks can be made of."""

    async def fresh_tasks(
        self, without: frozenset[str], into: Path, wanted: WantedTasks, open_box: OpenBox, how: MakingTerms,
        progress: Progress,
    ) -> list[MinedTask]:  # fmt: skip
        """Makes tasks of sources, until there are enough in all."""


@dataclass(frozen=True, slots=True)
class Functions:
    """The functions of a repository whose tests pass; tasks are bugs, or steps."""

    found: TestedTree
    sources: frozenset[str]
    steps: bool

    @classmethod
    async def of(cls, found: TestedTree, open_box: OpenBox, *, steps: bool) -> "Functions":
        """The functions that tests call, or in which bugs can be planted."""
        if steps:
            calls = await traced_calls(found, open_box)
            places = {f"{path}::{name}" for called in calls.values() for path, name in called}
        else:
            places = {place_of(found.tree, bug) for bug in bugs_in(found.source, 0)}
        return cls(found, frozenset(places), steps)

    @property
    def name(self) -> str:
        """The repository's."""
        return self.found.repository.name

    @property
    def revision(self) -> str:
        """The commit."""
        return self.found.commit.sha

    async def fresh_tasks(
        self, without: frozenset[str], into: Path, wanted: WantedTasks, open_box: OpenBox, how: MakingTerms,
        progress: Progress,
    ) -> list[MinedTask]:  # fmt: skip
        """Bugs, or steps."""
        make = from_tests if self.steps else from_mutants
        return await make(self.found, into, replace_dataclass(wanted, without=without), open_box, how, progress)


@dataclass(frozen=True, slots=True)
class Commits:
    """The commits of a repository, as far as their diffs say that they may become tasks."""

    repository: Repository
    commits: tuple[Commit, ...]

    @classmethod
    def of(cls, repository: Repository, rev: str) -> "Commits":
        """The commits that lead to a revision."""
        able = (each for each in repository.commits_from(rev, _MOST_COMMITS) if not refused_by_diff(each))
        return cls(repository, tuple(able))

    @property
    def name(self) -> str:
        """The repository's."""
        return self.repository.name

    @property
    def revision(self) -> str:
        """The newest commit."""
        return self.commits[0].sha if self.commits else ""

    @property
    def sources(self) -> frozenset[str]:
        """Names of the commits."""
        return frozenset(commit.sha for commit in self.commits)

    async def fresh_tasks(
        self, without: frozenset[str], into: Path, wanted: WantedTasks, open_box: OpenBox, how: MakingTerms,
        progress: Progress,
    ) -> list[MinedTask]:  # fmt: skip
        """Commits, newest first."""
        free = [commit for commit in self.commits if commit.sha not in without]
        rows: list[MinedTask] = []
        for limit in range(wanted.count, len(free) + wanted.count, wanted.count):
            chosen = mining_plan(self.repository, free, into, Filter(limit=limit))
            rows = await from_repo(self.repository, chosen, into, open_box, how, progress)
            if sum(row.task is not None for row in rows) >= wanted.count:
                break
        return rows


@dataclass(frozen=True, slots=True)
class Clusters:
    """The clusters of a suite, whose tasks are planted faults."""

    suite: Suite
    clusters: dict[str, str]

    @classmethod
    def of(cls, suite: Suite) -> "Clusters":
        """The clusters of the tasks of a suite that can be done, and whose reference is known."""
        able = tuple(
            task for task in suite.tasks if task.tags.variant == "standard" and repaired_task(task) is not None
        )
        if not able:
            raise TaskError(f"suite {suite.name!r} has no task with a reference to plant faults in")
        known = clusters_of({task.id: task.tags for task in able})[0]
        return cls(replace(suite, tasks=able), known or {task.id: task.id for task in able})

    @property
    def name(self) -> str:
        """The suite's."""
        return self.suite.name

    @property
    def revision(self) -> str:
        """The suite's hash."""
        return self.suite.hash

    @property
    def sources(self) -> frozenset[str]:
        """The clusters."""
        return frozenset(self.clusters.values())

    async def fresh_tasks(
        self, without: frozenset[str], into: Path, wanted: WantedTasks, open_box: OpenBox, how: MakingTerms,
        progress: Progress,
    ) -> list[MinedTask]:  # fmt: skip
        """Faults in what the references do."""
        parents = [
            Parent(task, frozenset([self.clusters[task.id]]), self.revision)
            for task in self.suite.tasks
            if self.clusters[task.id] not in without
        ]
        line = Offspring(self, without, into, open_box, how)
        return await line.make_children(parents, wanted, "fresh", progress)


@dataclass(frozen=True, slots=True)
class Parent:
    """A task that others are made of."""

    task: Task
    sources: frozenset[str]
    revision: str


@dataclass(frozen=True, slots=True)
class Offspring:
    """Makes tasks of earlier ones."""

    origin: Origin
    without: frozenset[str]
    """Sources that none may touch."""
    into: Path
    open_box: OpenBox
    how: MakingTerms
    proposer: Callable[[Suite], Sequence[Actor]] | None = None
    """Agents that plant the faults; a program does, where there is none."""

    async def make_children(
        self, parents: Sequence[Parent], wanted: WantedTasks, name: str, progress: Progress
    ) -> list[MinedTask]:
        """One more fault in each of some tasks, in turns, until there are enough tasks."""
        lines = [list(self._possible_faults(parent, wanted.seed)) for parent in parents]
        items = [line[at] for at in range(max(map(len, lines), default=0)) for line in lines if at < len(line)]
        commit = Commit(sha=self.origin.revision, parents=(), day="", message="", changed={})
        journal = MiningJournal(self.into, f"{self.origin.name}.{name}", KIND)
        return await until_enough(items, lambda make: make(), commit, journal, wanted.count, progress)

    def _possible_faults(self, parent: Parent, seed: int) -> Iterator[tuple[str, Callable[[], Awaitable[TaskMade]]]]:
        pair = repaired_task(parent.task)
        if pair is None or parent.task.hidden is None:
            return
        base, solved = pair
        if self.proposer is not None:
            suite = Suite(name=parent.task.id, version="", tasks=(_wish(parent.task, base),))
            for actor in self.proposer(suite):
                for turn in range(_TRIES):
                    key = f"{parent.task.id}:{actor.record.name}:{turn}"
                    planned = Planned(digest(key, parent.task.hash), suite.tasks[0], actor, turn)
                    yield key, partial(self._ask_planter, parent, planned, solved, key)
            return
        files = base.only(path for path in parent.task.hidden.reference.write.files if path in base.files)
        for bug in bugs_in(files, seed):
            if place_of(base, bug) not in self.without:
                key, broken = f"{parent.task.id}:{bug.key}", bug.put_in(base)
                yield key, partial(self._child_task, parent, broken, solved, key)

    async def _ask_planter(self, parent: Parent, planned: Planned, solved: Tree, key: str) -> TaskMade:
        """A fault that an agent plants."""
        ready = await prepare_task(planned.task, unsafe=self.how.unsafe)
        done = await run_attempt(replace_dataclass(planned, task=ready), self.open_box)
        before = planned.task.workspace
        files = [*done.final.write.files, *done.final.delete]
        if not files:
            return TaskMade(key, refused="it changed nothing")
        if wrong := [path for path in files if path not in done.final.write.files or not _may(before, path)]:
            return TaskMade(key, refused=f"it changed what it may not: {wrong[0]}")
        return await self._child_task(parent, done.final.apply(before), solved, key, planned.actor.record.name)

    async def _child_task(self, parent: Parent, broken: Tree, solved: Tree, key: str, by: str = KIND) -> TaskMade:
        name = f"{parent.task.id.partition('-g.')[0]}-g.{digest(key, parent.task.hash)[:8]}"
        if made := made_before(self.into / name):
            return made
        hidden = parent.task.hidden
        assert hidden is not None
        edit, changed = Edit.between(broken, solved), touched_functions(broken, solved)
        sources = parent.sources | (changed & self.origin.sources)
        if held := (changed | sources) & self.without:
            return TaskMade(key, refused=f"it touches what is held out: {min(held)}")
        text = parent.task.instruction + _MORE if _is_planted(parent.task) else _BROKEN + parent.task.instruction
        task = replace(
            parent.task, id=name, instruction=text.replace(_MORE * 2, _MORE), workspace=broken, version="1",
            hidden=replace(hidden, reference=edit, wrong=(), equivalent=(), decoys=()),
            tags=replace(
                parent.task.tags, category="debug", difficulty="", made=KIND, twin="",
                cluster=parent.task.tags.cluster or parent.task.id,
            ),
        )  # fmt: skip
        record = MadeFrom(
            kind=KIND, repository=self.origin.name, revision=parent.revision, parent=parent.task.id, fail_to_pass=(),
            pass_to_pass=(), flaky=(), runs=1, tests=(), source=tuple(edit.write.files), other=(), history="none",
            instruction=Told(text=text), read=(), installed=(),
            versions={"honestly": program_version(), "python": platform.python_version(), "proposer": by},
            sources=tuple(sorted(sources)),
            notes=(f"planted: {key}",),
        )  # fmt: skip
        try:
            if why := await unproved_reason(task, self.open_box, unsafe=self.how.unsafe):
                return TaskMade(key, refused=why)
        except SandboxUnavailableError:
            raise
        except (SandboxError, VerifierError) as error:
            return TaskMade(key, refused=f"its tests cannot be run here: {str(error)[:400]}")
        write_made(self.into / name, task, record)
        return TaskMade(key, name)


def repaired_task(task: Task) -> tuple[Tree, Tree] | None:
    """Where faults of a task are planted, and its solved workspace; None where only a program makes that."""
    if task.hidden is None or task.hidden.solution.files or task.environment is not None:
        return None
    solved = task.hidden.reference.apply(task.workspace)
    return (task.workspace if _is_planted(task) else solved), solved


def place_of(tree: Tree, mutant: Mutant) -> str:
    """The source that a fault is planted in."""
    return function_at(mutant.path, tree.files[mutant.path].data, mutant.line)


def _may(before: Tree, path: str) -> bool:
    """Whether whoever plants a fault may change a file."""
    return path in before.files and not is_a_test(path) and not path.startswith(".git/")


def _is_planted(task: Task) -> bool:
    return task.tags.made in ("from-mutants", KIND)


def sources_of(task: Task, record: MadeFrom) -> frozenset[str]:
    """The source of a proposed task: a commit, what its record says, or else the functions that it touches."""
    if record.kind == "from-commit":
        return frozenset([record.revision])
    assert task.hidden is not None
    return frozenset(record.sources) or touched_functions(task.workspace, task.hidden.reference.apply(task.workspace))


def _wish(task: Task, base: Tree) -> Task:
    """The request to an agent, over the work that it is to break, and nothing of what is hidden."""
    return Task(
        id=f"{task.id}-wish", instruction=_ASKED + task.instruction, workspace=base, preparation=task.preparation,
        timeout_s=task.timeout_s,
    )  # fmt: skip
