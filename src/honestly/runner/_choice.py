"""Which tasks of a suite are run, and what comes first: `--tag category=debug`, `--first agent=NAME`."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from honestly.errors import AgentError, TaskError
from honestly.records import Suite, Tags, digest
from honestly.seams import did_you_mean

First = tuple[str, str]
"""`agent` or `task`, and its name."""


def with_tags(suite: Suite, wanted: Iterable[str]) -> Suite:
    """The suite with only the tasks that have these tags.

    Args:
        suite: all tasks.
        wanted: as somebody typed them, `category=debug`; of two for one tag either will do, of two tags both must fit.

    Raises:
        TaskError: there is no such tag, or no task has it.
    """
    by_tag: dict[str, set[str]] = defaultdict(set)
    for text in wanted:
        tag, _, value = text.partition("=")
        if tag not in Tags.__struct_fields__ or not value:
            found = f"there is no tag {tag!r}" if value else "expected TAG=VALUE, such as category=debug"
            known = ", ".join(Tags.__struct_fields__)
            raise TaskError(f"--tag {text!r}: {found}{did_you_mean(tag, Tags.__struct_fields__)}; tags are {known}")
        by_tag[tag].add(value)
    kept = suite.tasks
    for tag, values in by_tag.items():
        there = sorted({str(getattr(task.tags, tag)) for task in kept} - {""})
        kept = tuple(task for task in kept if str(getattr(task.tags, tag)) in values)
        if not kept:
            others = f"there are {', '.join(there[:20])}" if there else "none of them has this tag"
            raise TaskError(f"no task of {suite.name} has {tag} {' or '.join(sorted(values))}: {others}")
    return replace(suite, tasks=kept)


def drawn_suite(suite: Suite, count: int, seed: int) -> Suite:
    """The suite with that many of its tasks, drawn by a seed, and their impossible twins; a larger count adds tasks."""
    drawn = sorted((task for task in suite.tasks if not task.tags.twin), key=lambda task: digest("draw", seed, task.id))
    kept = {task.id for task in drawn[:count]}
    return replace(suite, tasks=tuple(task for task in suite.tasks if (task.tags.twin or task.id) in kept))


def read_first(given: Iterable[str], agents: Sequence[str], tasks: Sequence[str]) -> tuple[First, ...]:
    """The choices in `--first`, in its order.

    Raises:
        AgentError: something else was typed, or the run has no such agent or task.
    """
    return tuple(read_one(f"--first {text!r}", text, "agent=NAME or task=ID", agents, tasks) for text in given)


def read_one(said: str, text: str, expected: str, agents: Sequence[str], tasks: Sequence[str]) -> First:
    """The agent or task that `agent=NAME` or `task=ID` names; errors begin with what was `said`.

    Raises:
        AgentError: something else was typed, or the run has no such agent or task.
    """
    kind, _, name = text.partition("=")
    known = {"agent": agents, "task": tasks}.get(kind)
    if known is None or not name:
        raise AgentError(f"{said}: expected {expected}")
    if name not in known:
        raise AgentError(f"{said}: this run has no such {kind}{did_you_mean(name, known)}")
    return kind, name
