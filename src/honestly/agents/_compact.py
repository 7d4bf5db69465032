"""Context compaction: when a conversation nears what the model can read, its middle gives way to a summary.

What stays word for word: the system prompt, the task, and the last turns. The model itself writes the summary of what
was between them, in a request of its own: the plan, what was found out, what was changed, what is left. If it writes
nothing, a list of what was done stands in. A turn is never cut in two, since a call without its answer is refused by
servers.
"""

from collections.abc import Sequence
from dataclasses import replace

from honestly.agents._limits import estimated_tokens
from honestly.models import Message

SUMMARISE = (
    "Above is the first part of your own work on the task, which you are about to forget. Write down for yourself what "
    "you need in order to go on: the plan and where you are in it; what you found out (paths, names, commands that "
    "work, errors and their causes); what you changed, file by file; what is left to do. Be exact and brief. Write "
    "only that."
)

_HEAD = 2
_TAIL_SHARE = 0.25
_EXCERPT = 2_000
_FORGOTTEN = "\n\n---\nThe first part of your work has been left out to save room. Your own summary of it:\n\n"


def summary_request(history: Sequence[Message], room: int) -> tuple[list[Message], int]:
    """What to ask the model, and how many messages from the start the summary will stand for (0: nothing to gain).

    Args:
        history: system prompt, task, and the turns.
        room: tokens that a conversation may have.
    """
    cut = _cut(history, int(room * _TAIL_SHARE))
    if cut <= _HEAD:
        return [], 0
    parts = [line for message in history[_HEAD:cut] for line in _lines(message)]
    most = int(room * 0.7) * 3
    text = "\n".join(parts)
    if len(text) > most:
        text = f"{text[: most // 2]}\n[... {len(text) - most:,} characters left out ...]\n{text[-most // 2 :]}"
    task = history[1].text
    return [history[0], Message(role="user", text=f"{task}\n\n---\n{text}\n---\n{SUMMARISE}")], cut


def compacted(history: Sequence[Message], cut: int, summary: str, task: str) -> list[Message]:
    """The conversation with a summary instead of everything between the task and message number `cut`."""
    return [history[0], replace(history[1], text=task + _FORGOTTEN + summary), *history[cut:]]


def deeds(history: Sequence[Message], cut: int) -> str:
    """What was done, as a list: for when nobody has written a summary."""
    calls = [call for message in history[_HEAD:cut] for call in message.calls]
    lines = [f"- {call.name} {call.arguments[:150]}" for call in calls[-60:]]
    return "\n".join(["(No summary was written. These calls were made:)", *lines])


def _cut(history: Sequence[Message], tail: int) -> int:
    """Where the turns begin that stay: as many of the last as have room, and at least one."""
    starts = [at for at, message in enumerate(history) if at >= _HEAD and message.role == "assistant"]
    cut = starts[-1] if starts else 0
    for at in reversed(starts):
        if estimated_tokens(history[at:]) > tail:
            break
        cut = at
    return cut


def _lines(message: Message) -> list[str]:
    text = message.text
    if len(text) > _EXCERPT:
        text = f"{text[: _EXCERPT // 2]}\n[...]\n{text[-_EXCERPT // 2 :]}"
    calls = [f"YOU CALLED {call.name} {call.arguments[:_EXCERPT]}" for call in message.calls]
    return ([f"{_SPEAKER[message.role]}: {text}"] if text.strip() else []) + calls


_SPEAKER = {"system": "SYSTEM", "user": "USER", "assistant": "YOU", "tool": "RESULT"}
