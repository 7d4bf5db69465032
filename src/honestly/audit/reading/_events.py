"""The events of a trial: each call of a tool as the act that it is, each message, and each output, as recorded.

Texts are the record's own, so that a quote of an event is a quote of the trial.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, get_args

from honestly.audit.reading._parts import Kind
from honestly.audit.reading._tools import read_tool
from honestly.records import Step, call_texts

EventKind = Literal[Kind, "output", "unknown"]
EVENT_KINDS: tuple[str, ...] = (*get_args(Kind), "output", "unknown")
"""The kinds of events: nine actions, their outputs, and calls that are not understood."""


class TrialEvent(NamedTuple):
    """One action, message or output of a trial."""

    step: int
    kind: EventKind
    source: str
    """Who: agent, user, system."""
    tool: str
    """Of a call, its name."""
    text: str


def events_of(steps: Iterable[Step]) -> Iterator[TrialEvent]:
    """The events of a trajectory, in order."""
    for at, step in enumerate(steps):
        said = "\n".join(filter(None, (step.reasoning, step.message)))
        if said:
            yield TrialEvent(at, "say", step.source, "", said)
        for call in step.calls:
            kind = read_tool(call)[0] or "unknown"
            yield TrialEvent(at, kind, step.source, call.name, "\n".join(call_texts(call).values()))
        for seen in step.observations:
            if seen.text:
                yield TrialEvent(at, "output", step.source, "", seen.text)
