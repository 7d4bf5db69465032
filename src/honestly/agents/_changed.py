"""Warnings about changed agents: told before a study gets trials of it, since a name alone would not say so."""

from collections.abc import Iterable

from honestly.errors import AgentError
from honestly.records import Agent

_PARTS = {"prompt": "prompt", "tool_sources": "tools", "scaffold_source": "scaffold"}


def changed_agent_warnings(records: Iterable[Agent], held: Iterable[Agent]) -> list[str]:
    """A line for each agent whose prompt, tools or loop differ from those of an agent in the study.

    Args:
        records: Who is to be tried.
        held: Who is in the study.

    Raises:
        AgentError: An agent of the study has the name, and is another one.
    """
    there = {agent.name: agent for agent in held}
    lines = []
    for record in records:
        if record.name in there:
            if there[record.name].hash != record.hash:
                raise AgentError(_taken(record, there[record.name]))
            continue
        same = [(len(found), found, one) for one in there.values() if (found := _parts(record, one))]
        if same:
            _, found, one = min(same, key=lambda each: each[0])
            parts = " and ".join(found)
            lines.append(f"{record.name} is another agent than {one.name}, which the study has: another {parts}")
    return lines


def _taken(record: Agent, one: Agent) -> str:
    what = dict.fromkeys(_PARTS.get(key, key) for key in _changed_settings(record, one))
    return (
        f"the study has an agent {record.name!r} already, with another {', '.join(what)}: a changed agent is another "
        "one. Give it a name of its own (name=...), or leave name out, so that its name tells them apart; or begin a "
        "new study"
    )


def _parts(record: Agent, one: Agent) -> list[str]:
    """The parts of somebody's own by which two agents differ, if they differ in nothing else."""
    if (record.program, record.model) != (one.program, one.model):
        return []
    other = _changed_settings(record, one)
    known = {*_PARTS, "scaffold", "tools"}
    return [_PARTS[key] for key in other if key in _PARTS] if set(other) <= known else []


def _changed_settings(record: Agent, one: Agent) -> list[str]:
    keys = sorted({*record.settings, *one.settings})
    fields = [name for name in ("program", "version", "model") if getattr(record, name) != getattr(one, name)]
    return [*fields, *(key for key in keys if record.settings.get(key) != one.settings.get(key))]
