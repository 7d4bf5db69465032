"""The subject of an improvement: a project's folder, its `program.md` (what to try, in words) and its `improve.toml`.

`improve.toml` says which files may change, the command that evaluates, the metric and its direction, a time limit, and
what is hidden from the agent. Two ways to evaluate:

- `produce` and `evaluate`: the candidate's command gets on standard input what `evaluate give` prints, and
  `evaluate score` reads on standard input what the candidate printed. The two run in sandboxes of their own, and only
  bytes cross: the candidate cannot reach the evaluator, its data, its clock or its seed.
- `evaluate` alone: it runs in one sandbox with the candidate, and what it prints is believed. The proof says so.

A table `[agent]` takes the place of both: what may change is given to an agent, which works on the tasks of a suite.

Everything but the files that may change is taken from the project as it was when the loop began.
"""

import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from honestly._toml import refusal_text, toml_table
from honestly.errors import TaskError
from honestly.records import Edit, File, Record, Tree, digest

DECLARATION, PROGRAM = "improve.toml", "program.md"
RUN_FOLDER = ".improve"
"""Folder in the project that holds the run, unless another is named."""

_SKIPPED = (RUN_FOLDER, ".git", ".hg", ".venv", "node_modules", "__pycache__")
_LARGEST = 256 << 20
_LARGEST_CHANGE = 4 << 20
_CACHES = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
_STARTED_BY_PYTHON = frozenset({"sitecustomize.py", "usercustomize.py", "conftest.py"})

Positive = Annotated[float, Meta(gt=0)]
NotNegative = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, lt=1)]


class Keeping(Record, frozen=True, kw_only=True):
    """When a change is kept."""

    alpha: Annotated[float, Meta(gt=0, lt=1)] = 0.05
    """Chance, at most, that the loop keeps any change without a gain."""
    most: Annotated[int, Meta(ge=3)] = 60
    """The most pairs of evaluations for one change."""
    minimum_gain: NotNegative = 0.0
    """What a change must gain more than, in units of the metric."""
    line: NotNegative = 0.0
    """What a line of code is worth, in units of the metric: more code must gain as much more, less code may lose it."""


class Proving(Record, frozen=True, kw_only=True):
    """How the gain is proved when the loop has ended; declared before it begins."""

    pairs: Annotated[int, Meta(ge=2)] = 40
    """Fresh seeds on which the winner, the baseline and the control are measured."""
    share: Share = 0.2
    """Share of time, tokens and money that is kept for it."""
    control: bool = True
    """Whether best-of-N gets as much as the loop had, without feedback."""


class Constraint(Record, frozen=True, kw_only=True):
    """How a metric beside the main one must not get worse."""

    direction: Literal["lower", "higher"]
    margin: NotNegative = 0.0
    """By how much it may be worse than that of the unchanged project, on average."""
    bound: Positive | None = None
    """The largest difference of two of its values; None where there is no bound."""


class Kernel(Record, frozen=True, kw_only=True):
    """The operations and bytes of one evaluation of a kernel, which are held against the roofline of the machine."""

    flops: Positive
    """Operations in single precision."""
    bytes: Positive
    """Bytes that have to be read from memory or written to it, at least."""
    idle: Annotated[str, Meta(min_length=1)]
    """`produce` without the kernel's calls: what start and pipes cost."""
    near: Annotated[float, Meta(gt=0, le=1)] = 0.95
    """The share of the roofline at which the loop stops."""


class TunedAgent(Record, frozen=True, kw_only=True):
    """What an agent is measured on that gets the files that may change. The agent itself is the user's to name."""

    suite: Annotated[str, Meta(min_length=1)]
    """A suite, as `run` takes it."""
    overlay: str = ""
    """Folder of the project that is laid over each workspace."""
    tasks: tuple[str, ...] = ()
    """Only these tasks."""


class Declaration(Record, frozen=True, kw_only=True):
    """The content of `improve.toml`."""

    change: Annotated[tuple[str, ...], Meta(min_length=1)]
    """Files that may change, as patterns."""
    evaluate: str = ""
    """Command that evaluates, run in the project."""
    agent: TunedAgent | None = None
    """What is measured instead of a command: the share of tasks that an agent with these files solves."""
    produce: str = ""
    """Command of the candidate whose output `evaluate` judges; empty where `evaluate` runs the candidate itself."""
    build: str = ""
    """Command run where `produce` will run, before that has any input: a compiler. Its time does not count."""
    metric: Annotated[str, Meta(min_length=1)]
    """Name of the number that counts; `seconds` is the time of `produce`, taken outside."""
    direction: Literal["lower", "higher"]
    """Which values of it are better."""
    seconds: Positive = 60.0
    """Wall-clock limit of each command of an evaluation."""
    agent_seconds: Positive = 1800.0
    """Wall-clock limit of one attempt of the agent."""
    memory_mb: Annotated[int, Meta(ge=16)] = 1024
    output_mb: Annotated[int, Meta(ge=1, le=64)] = 1
    """MiB that a command may print."""
    hidden: tuple[str, ...] = ()
    """Files that the agent never sees, as patterns."""
    private: tuple[str, ...] = ()
    """Metrics that are recorded and never told to the agent."""
    packages: tuple[str, ...] = ()
    """Installed Python packages that the sandboxes show."""
    judge_packages: tuple[str, ...] = ()
    """Those that only the sandbox of `evaluate` shows, beside a `produce`."""
    bound: Positive | None = None
    """The largest difference of two values of the metric; None where there is no bound."""
    rare_losses: bool = True
    """Whether on seeds that are too rare to be drawn a change may lose far more than on others."""
    metrics: dict[str, Literal["lower", "higher"]] = {}
    """Metrics beside the main one whose front `evolve` keeps, with the direction of each."""
    constraints: dict[str, Constraint] = {}
    """Metrics that `evaluate` prints, too, and that a winner must not make worse."""
    deterministic: bool = False
    """Whether the metric is the same on every seed. It is checked."""
    keep: Keeping = Keeping()
    proof: Proving = Proving()
    kernel: Kernel | None = None

    def improvement_over(self, new: float, old: float) -> float:
        """By how much `new` is better than `old`; negative where it is worse."""
        return new - old if self.direction == "higher" else old - new


class Target(Record, frozen=True, kw_only=True, dict=True):
    """A project as it was when the loop started."""

    declaration: Declaration
    program: str
    """What to try, in words."""
    tree: Tree
    """All of its files."""

    @cached_property
    def agent_tree(self) -> Tree:
        """The agent's view."""
        return self.tree.without([path for path in self.tree.files if matches_patterns(path, self.declaration.hidden)])

    def workspace(self, candidate: Edit) -> Tree:
        """A candidate as an agent sees it."""
        return candidate.apply(self.agent_tree)

    def frozen_candidate(self, given: Tree, left: Tree) -> "Frozen":
        """The candidate in an agent's workspace: the files that may change, and nothing else.

        Args:
            given: the workspace when the agent began.
            left: the workspace when it had ended.
        """
        said = self.declaration.change
        allowed = {
            path: file for path, file in left.files.items() if matches_patterns(path, said) and file.mode != "link"
        }
        rest = self.agent_tree.without([path for path in self.agent_tree.files if matches_patterns(path, said)])
        edit = Edit.between(self.agent_tree, Tree(files=allowed).over(rest))
        touched = {
            path for path in given.files.keys() | left.files.keys() if given.files.get(path) != left.files.get(path)
        }
        outside = sorted(
            path for path in touched if not matches_patterns(path, said) or (path in left.files and path not in allowed)
        )
        tampered = tuple(path for path in outside if path in given.files or _acts(path, left.files.get(path)))
        stray = tuple(path for path in outside if path not in tampered and _CACHES.isdisjoint(path.split("/")))
        size = sum(len(file.data) for file in edit.write.files.values())
        return Frozen(edit, tampered, stray, size <= _LARGEST_CHANGE)


@dataclass(frozen=True, slots=True)
class Frozen:
    """A candidate that no longer changes, and what was put back to make it one."""

    edit: Edit
    """The change of the project's own files."""
    tampered: tuple[str, ...]
    """Files that may not change and were changed, or that act by being there; all were put back."""
    stray: tuple[str, ...]
    """Other new files, which were left out."""
    fits: bool
    """Whether it is small enough to be kept."""

    @property
    def id(self) -> str:
        """Identity of the candidate: the hash of its content."""
        return candidate_id(self.edit)


def candidate_id(edit: Edit) -> str:
    """Identity of a candidate: the hash of its content; that of the unchanged project is `baseline`."""
    return digest("candidate", edit)[:16] if edit != Edit() else BASELINE


BASELINE = "baseline"
"""The unchanged project, as a candidate."""


def matches_patterns(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path is one of those that patterns name; `folder/` stands for all below it."""
    pure = PurePosixPath(path)
    return any(
        path.startswith(each) if each.endswith("/") else pure.match(each) and each.count("/") == path.count("/")
        for each in patterns
    )


def read_target(folder: Path) -> Target:
    """The project in a folder.

    Raises:
        TaskError: it has no `improve.toml`, or one that makes no sense; the message says what.
    """
    path = folder / DECLARATION
    if not path.is_file():
        raise TaskError(
            f"{folder} has no {DECLARATION}: expected change, evaluate, metric, direction (docs/improve.md)"
        )
    table: object = None
    try:
        table = toml_table(path.read_bytes())
        declaration = msgspec.convert(table, Declaration)
    except ValueError as error:  # what msgspec refuses is one
        raise TaskError(f"{path}: {refusal_text(error, table)} (docs/improve.md)") from error
    if declaration.agent is not None and (beside := folder / declaration.agent.suite).exists():
        agent = msgspec.structs.replace(declaration.agent, suite=str(beside.resolve()))
        declaration = msgspec.structs.replace(declaration, agent=agent)
    tree = Tree.read(folder, skip=_SKIPPED, largest=_LARGEST)
    program = tree.text(PROGRAM) if PROGRAM in tree.files else ""
    _require_declared_path(path, declaration, tree)
    return Target(declaration=declaration, program=program, tree=tree)


def _require_declared_path(path: Path, said: Declaration, tree: Tree) -> None:
    if not any(matches_patterns(name, said.change) for name in tree.files):
        raise TaskError(
            f"{path}: no file of the project matches {', '.join(said.change)}; name files that are there in `change`"
        )
    if matches_patterns(DECLARATION, said.change):
        raise TaskError(f"{path}: {DECLARATION} itself may not change; name other files in `change`")
    if (said.agent is None) == (not said.evaluate):
        raise TaskError(f"{path}: expected either `evaluate`, a command, or a table [agent] with `suite`")
    if said.agent is not None:
        if (said.metric, said.direction, said.produce) != ("passed", "higher", ""):
            raise TaskError(
                f'{path}: with [agent], expected `metric = "passed"`, `direction = "higher"` and no `produce`'
            )
        if said.agent.overlay and not any(name.startswith(f"{said.agent.overlay}/") for name in tree.files):
            raise TaskError(f"{path}: the project has no folder {said.agent.overlay!r}, which `overlay` names")
    if said.build and not said.produce:
        raise TaskError(f"{path}: `build` is for `produce`, and there is none; build in `evaluate`")
    both = [name for name in tree.files if matches_patterns(name, said.change) and matches_patterns(name, said.hidden)]
    if both:
        raise TaskError(f"{path}: {both[0]} may change and is hidden; an agent cannot change what it does not see")
    try:
        words = [*shlex.split(said.evaluate)] if said.produce else []
        [shlex.split(command) for command in (said.produce, said.build, said.kernel.idle if said.kernel else "")]
    except ValueError as error:
        raise TaskError(f"{path}: a command cannot be read: {error}") from error
    judging = [word for word in words if word in tree.files and matches_patterns(word, said.change)]
    if judging:
        raise TaskError(f"{path}: {judging[0]} evaluates, so it may not change; leave it out of `change`")


def _acts(path: str, file: File | None) -> bool:
    """Whether a new file acts by being there."""
    name = path.rpartition("/")[2]
    return name in _STARTED_BY_PYTHON or name.endswith(".pth") or (file is not None and file.mode == "link")
