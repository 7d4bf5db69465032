"""What makes a comparison of two agents unfair: they were not measured by the same means.

A difference of two agents is one of the agents only where the tasks, the limits on them and the harness were the same.
Where they differ, the comparison is refused until somebody says that it is meant. What is an agent's own, its model,
prompt and numbers of turns, is what is compared, and no reason.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from honestly.errors import UnfairComparisonError
from honestly.records import Agent
from honestly.report._text import plural, printable

UnfairKind = Literal["tasks", "limits", "harness"]
UNFAIR_KINDS: tuple[UnfairKind, ...] = ("tasks", "limits", "harness")

_LIMITS = ("timeout_multiplier", "time_limit", "working_limit", "message_limit", "token_limit", "cost_limit")
"""Settings that other harnesses give to their tasks, as imported agents hold them."""
_HARNESSES = ("inspect", "lm-eval")
"""Programs whose version is that of the harness, not of an agent."""
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Unfair:
    """One reason."""

    kind: UnfairKind
    detail: str


def unfair(agents: Sequence[Agent], changed: Collection[str] = ()) -> tuple[Unfair, ...]:
    """What was not the same for two agents.

    Args:
        agents: the two.
        changed: ids of tasks that both did, with other content.
    """
    found = []
    if changed:
        names = ", ".join(map(printable, sorted(changed)[:_MOST_NAMED])) + (" …" if len(changed) > _MOST_NAMED else "")
        one, many = "has other content", "have other content"
        found.append(Unfair("tasks", f"{plural(len(changed), 'task')} {one if len(changed) == 1 else many}: {names}"))
    for name in _LIMITS:
        first, second = (agent.settings.get(name) for agent in agents)
        if first != second:
            found.append(Unfair("limits", f"{name} is {_said(first)} for one and {_said(second)} for the other"))
    programs, versions = ({getattr(agent, name) for agent in agents} for name in ("program", "version"))
    if len(programs) == 1 and programs <= set(_HARNESSES) and len(versions) > 1:
        found.append(Unfair("harness", f"{programs.pop()} was {' and '.join(sorted(map(_said, versions)))}"))
    return tuple(found)


def demand_fair(found: Sequence[Unfair], despite: Collection[str] = ()) -> None:
    """Refuse what is unfair for another reason than those in `despite`.

    Raises:
        UnfairComparisonError: there is such a reason; the message names each.
    """
    left = [each for each in found if each.kind not in despite]
    if left:
        kinds = " ".join(f"--despite {kind}" for kind in dict.fromkeys(each.kind for each in left))
        reasons = "; ".join(each.detail for each in left)
        raise UnfairComparisonError(
            f"the two were not measured alike: {reasons}. To compare them all the same: {kinds}"
        )


def _said(value: object) -> str:
    return "not known" if value in {None, ""} else printable(str(value))
