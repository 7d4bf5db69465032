"""Which results of a study are of another version of a task or an agent than is planned now, and what has changed.

A trial's id is made of the hashes of its task and its agent, so an edited task is another task: its old results say
nothing of it. A study holds one version of each, so that no report can mix two. A run that would need a second one is
refused, with all that is needed to choose: begin another study, or set the old results aside (`honestly run --redo
stale`, `honestly.studies`).
"""

from collections import Counter
from collections.abc import Iterable
from itertools import islice

from msgspec.structs import replace

from honestly.errors import StoreError
from honestly.records import Agent, Checks, Stale, Task, Tree
from honestly.runner._plan import Plan
from honestly.store import Store

_MOST = 10
_WORDS = {
    "timeout_s": "time limit", "requires": "required programs", "site": "web site", "site_seed": "web site",
    "environment": "image", "preparation": "dependencies or setup", "tags": "tags", "version": "version number",
    "instruction": "instruction",
}  # fmt: skip


def stale_results(plan: Plan, study: Store) -> tuple[Stale, ...]:
    """The tasks and agents of which the study has another version."""
    tasks = {task.id: task for task in plan.suite.tasks}
    agents = {actor.record.name: actor.record for actor in plan.actors}
    found = [
        Stale(kind="task", name=task.id, changed=changed_parts(task, tasks[task.id]))
        for task in study.tasks()
        if task.id in tasks and tasks[task.id].hash != task.hash
    ]
    found += [
        Stale(kind="agent", name=agent.name, changed=changed_settings(agent, agents[agent.name]))
        for agent in study.agents()
        if agent.name in agents and agents[agent.name].hash != agent.hash
    ]
    if not found:
        return ()
    trials = Counter[tuple[str, str]]()
    for cell in study.cells():
        trials.update((("task", cell.task), ("agent", cell.agent)))
    return tuple(replace(each, trials=trials[each.kind, each.name]) for each in found)


def refuse_stale(stale: Iterable[Stale]) -> None:
    """Says what has changed and what can be done about it.

    Raises:
        StoreError: something has.
    """
    if stale := tuple(stale):
        lines = [f"  {each}" for each in islice(stale, _MOST)]
        lines += [f"  and {len(stale) - _MOST} more"] if len(stale) > _MOST else []
        raise StoreError(
            "these have changed since the study was started, and results of two versions are never mixed:\n"
            + "\n".join(lines)
            + "\n--redo stale moves their results into another study next to this one, and reruns their trials; all "
            "others still count. Or undo the change, give a changed agent another name (name=..., "
            "or NAME=cli:...), or give the run a new file with --out"
        )


def changed_parts(before: Task, after: Task) -> tuple[str, ...]:
    """The differences between two versions of a task, in words."""
    found = [word for name, word in _WORDS.items() if getattr(before, name) != getattr(after, name)]
    found += _changed_files("workspace", before.workspace, after.workspace)
    found += _changed_checks("visible checks", before.visible, after.visible)
    one, other = before.hidden, after.hidden
    if one is None or other is None:
        found += ["hidden part"] if one is not other else []
    else:
        found += _changed_checks("hidden checks", one.checks, other.checks)
        if (one.reference, one.solution) != (other.reference, other.solution):
            found.append("reference solution")
        if (one.wrong, one.equivalent) != (other.wrong, other.equivalent):
            found.append("wrong solutions")
    return tuple(dict.fromkeys(found)) or ("something else",)


def changed_settings(before: Agent, after: Agent) -> tuple[str, ...]:
    """The differences between two agents of one name."""
    fields = [name for name in ("program", "version", "model") if getattr(before, name) != getattr(after, name)]
    keys = sorted({*before.settings, *after.settings})
    return (*fields, *(f"setting {key}" for key in keys if before.settings.get(key) != after.settings.get(key)))


def _changed_checks(what: str, before: Checks | None, after: Checks | None) -> list[str]:
    if before is None or after is None:
        return (
            [] if before is after else [f"{what} (there were none)" if before is None else f"{what} (there are none)"]
        )
    found = _changed_files(what, before.files, after.files)
    return found or ([f"settings of the {what}"] if before != after else [])


def _changed_files(what: str, before: Tree, after: Tree) -> list[str]:
    paths = sorted({*before.files, *after.files})
    other = [path for path in paths if before.files.get(path) != after.files.get(path)]
    return (
        [f"{what} ({', '.join(other[:2])}{f' and {len(other) - 2} more files' if other[2:] else ''})"] if other else []
    )
