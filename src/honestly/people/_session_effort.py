"""What a recorded session cost its user: read from its messages and times, where no simulated user kept count."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from honestly.people._messages import message_kind
from honestly.records import Agent, Outcome, Step, Trial

_TAKES_BACK = re.compile(r"\bgit\s+(?:-\S+\s+)*(?:revert|restore|stash|reset\s+--hard|checkout\s+(?:\S+\s+)?--\s)")


@dataclass(frozen=True, slots=True)
class SessionEffort:
    """One session."""

    messages: int
    """Of the user, after the first."""
    corrections: int
    nudges: int
    questions: int
    """That the user asked."""
    interruptions: int
    take_backs: int
    """Commands that undo work (git revert, restore, stash, reset --hard, checkout --)."""
    waiting: float | None
    """Seconds from each message of the user to the last that the agent did before the next; None without times."""
    words_read: int
    words_typed: int


def is_session(trial: Trial, agent: Agent, steps: Sequence[Step]) -> bool:
    """Whether this is a session of a person with an agent: not judged, or with two messages of the person."""
    if agent.program == "person":
        return False
    judged = trial.outcome is not Outcome.VOID
    return trial.reason == "not judged" or (judged and sum(map(_is_said, steps)) > 1)


def session_effort(steps: Iterable[Step]) -> SessionEffort:
    """What a session cost its user."""
    counts = dict.fromkeys(("correction", "nudge", "question", "request", "interruption", "machine"), 0)
    read = typed = take_backs = 0
    waits: list[float] = []
    asked: float | None = None
    worked: float | None = None
    first = True
    for step in steps:
        if step.thread or step.copied:
            continue
        if not _is_said(step):
            if step.source == "agent":
                worked = _seconds(step) or worked
                read += len(step.message.split())
                take_backs += sum(bool(_TAKES_BACK.search(_command(call))) for call in step.calls)
            continue
        kind = message_kind(step.message)
        if kind != "machine":
            if asked is not None and worked is not None:
                waits.append(max(0.0, worked - asked))
            asked, worked = _seconds(step), None
            typed += len(step.message.split())
        if not first:
            counts[kind] += 1
        first = first and kind == "machine"
    if asked is not None and worked is not None:
        waits.append(max(0.0, worked - asked))
    words = ("correction", "nudge", "question", "request")
    return SessionEffort(
        messages=sum(counts[word] for word in words),
        corrections=counts["correction"],
        nudges=counts["nudge"],
        questions=counts["question"],
        interruptions=counts["interruption"],
        take_backs=take_backs,
        waiting=sum(waits) if waits else None,
        words_read=read,
        words_typed=typed,
    )


def _is_said(step: Step) -> bool:
    return step.source == "user" and not step.thread and not step.copied and bool(step.message.strip())


def _seconds(step: Step) -> float | None:
    try:
        return datetime.fromisoformat(step.at or "").timestamp() + (step.seconds or 0.0)
    except ValueError:
        return None


def _command(call: object) -> str:
    return " ".join(bytes(raw).decode("utf-8", "replace") for raw in getattr(call, "arguments", {}).values())
