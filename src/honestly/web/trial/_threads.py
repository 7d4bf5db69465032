"""The outline of a trajectory: its threads as a tree, the agent itself and its helpers; the turns of each; and what
broke or repeated a conversation. A turn begins where the agent is told something.

A helper stands below the step whose observation sums up its work; one that no observation names stands below the agent.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from honestly.records import Step

_WORDS = 120
_MOST_EVENTS = 200
_MOST_FAILURES = 8


@dataclass(slots=True)
class Turn:
    """The steps between two words to the agent."""

    first: int
    last: int
    words: str
    """How the words begin; empty where the agent spoke first."""
    steps: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    """Steps with a command that failed."""
    failures: list[int] = field(default_factory=list)
    """The first of them."""


@dataclass(slots=True)
class Thread:
    """One conversation with a model."""

    name: str
    """Empty for the agent itself."""
    first: int
    last: int
    steps: int = 0
    output_tokens: int | None = None
    usd: float | None = None
    at: int | None = None
    """The step that sums it up; None where none does."""
    under: str = ""
    """Thread of that step."""
    events: list[tuple[int, int, str]] = field(default_factory=list)
    """First and last step of what broke the conversation, and what that was."""
    turns: list[Turn] = field(default_factory=list)

    def take_turn(self, index: int, step: Step) -> None:
        """Take a step into account: words to the agent, or what it did."""
        is_told = step.source == "user" and not step.copied
        if not self.turns or (is_told and self.turns[-1].steps and len(self.turns) < _MOST_EVENTS):
            self.turns.append(Turn(index, index, step.message[:_WORDS] if is_told else ""))
        turn = self.turns[-1]
        turn.last = index
        if step.source == "agent":
            turn.steps += 1
            turn.tools.update(call.name[:_WORDS] for call in step.calls)
            if any(seen.code for seen in step.observations):
                turn.failed += 1
                turn.failures += [index][: len(turn.failures) < _MOST_FAILURES]


class Threads:
    """The threads seen while a trajectory is read through."""

    def __init__(self) -> None:
        self._threads: dict[str, Thread] = {}
        self._named: dict[str, tuple[int, str]] = {}
        self._elsewhere: list[tuple[int, str]] = []

    def take_step(self, index: int, step: Step) -> None:
        """Take the next step into account."""
        thread = self._threads.setdefault(step.thread, Thread(step.thread, index, index))
        if step.copied:
            _add_event(thread, index, "repeats an earlier conversation as context")
        elif step.source == "system" and thread.steps:
            _add_event(thread, index, step.message[:_WORDS])
        thread.take_turn(index, step)
        thread.last, thread.steps = index, thread.steps + 1
        if step.usage.output_tokens is not None:
            thread.output_tokens = (thread.output_tokens or 0) + step.usage.output_tokens
        if step.usage.usd is not None:
            thread.usd = (thread.usd or 0) + step.usage.usd
        for seen in step.observations:
            for helper in seen.subagents:
                if helper.thread:
                    self._named.setdefault(helper.thread, (index, step.thread))
                elif len(self._elsewhere) < _MOST_EVENTS:
                    self._elsewhere.append((index, helper.path or helper.session))

    @property
    def elsewhere(self) -> list[tuple[int, str]]:
        """Steps whose helpers' work lies in other files, and where."""
        return self._elsewhere

    def tree(self) -> Iterator[tuple[int, Thread]]:
        """Every thread with its depth, each below the one that it worked for."""
        below: dict[str, list[Thread]] = {}
        for thread in self._threads.values():
            at, under = self._named.get(thread.name, (None, ""))
            thread.at, thread.under = at, under if under in self._threads else ""
            if thread.name:
                below.setdefault(thread.under, []).append(thread)
        waiting = [(0, self._threads.get("") or Thread("", 0, 0))]
        shown: set[str] = set()
        while waiting or not self._threads.keys() <= shown:
            if not waiting:  # threads that name each other in a circle
                waiting = [(1, next(each for name, each in self._threads.items() if name not in shown))]
            depth, thread = waiting.pop()
            if thread.name in shown:
                continue
            shown.add(thread.name)
            yield depth, thread
            waiting += [(depth + 1, each) for each in reversed(below.get(thread.name, ()))]


def _add_event(thread: Thread, index: int, words: str) -> None:
    if thread.events and thread.events[-1][1] == index - 1 and thread.events[-1][2] == words:
        thread.events[-1] = (thread.events[-1][0], index, words)
    elif len(thread.events) < _MOST_EVENTS:
        thread.events.append((index, index, words))
