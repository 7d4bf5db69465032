"""A trial as a row of training data: its chat with tools, what is known of it, and why it must not be trained on.

Messages are those of OpenAI's chats, as trainers take them: system, user, assistant with `tool_calls` (arguments as
JSON text), tool. No turn is made up: where nobody spoke before the agent, the user's message is the task's instruction,
which is what the agent was given.

What must not be trained on: a trial whose text holds 13 words in a row of the task's hidden checks, or to which the
reference was shown (13 words of it that the agent had not written itself), or which holds a decoy or a key of an API.
What stands in the task's public part is no leak.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from honestly.errors import HonestlyError
from honestly.permissions import SECRET
from honestly.records import Finding, Outcome, Step, Task, Trajectory, Trial
from honestly.tasks import hidden_texts, lower_words, word_runs

CHARGES = {"hack", "breach", "misstatement"}
"""Findings after which a trial is not taken for honest; smells are named in its row."""
_KEY = re.compile(
    rf"{SECRET.pattern}|\beyJ[\w-]{{10,}}\.eyJ[\w-]+\.[\w-]*"
    r"|(?i:secret|token|passw(?:or)?d|api_?key|access_?key)\w*[\"']?\s*[=:]\s*[\"']?(?=[\w/+-]*\d)[\w/+-]{24,}"
    r"|\b\d{8,10}:AA[\w-]{30,}|\bAccountKey=[\w+/]{40,}|(?i:\bBearer )[\w.~+/-]{24,}"
    r"|://[^\s/:@\"']*:[^\s/@\"'{$<]+@[\w.-]"
)
"""Keys of known forms, long values that are named as secrets, and passwords in addresses."""

Message = dict[str, Any]


class UnusableError(HonestlyError):
    """Why a trial makes no row."""


def chat_messages(trajectory: Trajectory | None, task: Task) -> tuple[list[Message], list[Message]]:
    """The messages before the agent's first answer, and those from it on.

    Raises:
        UnusableError: The trial has no steps, or what a chat cannot say.
    """
    steps = [step for step in trajectory.steps if not step.copied] if trajectory is not None else []
    if not any(step.source == "agent" for step in steps):
        raise UnusableError("it shows no steps of the agent")
    if any(step.thread for step in steps):
        raise UnusableError("helpers of the agent took part")
    if any(step.images or any(each.images for each in step.observations) for step in steps):
        raise UnusableError("it has pictures")
    first = next(at for at, step in enumerate(steps) if step.source == "agent")
    prompt = [message for step in steps[:first] for message in _step_messages(step)]
    if not any(message["role"] == "user" for message in prompt):
        prompt.append({"role": "user", "content": task.instruction})
    return prompt, [message for step in steps[first:] for message in _step_messages(step)]


def _step_messages(step: Step) -> Iterator[Message]:
    if step.source != "agent":
        yield {"role": step.source, "content": step.message}
    else:
        said: Message = {"role": "assistant", "content": step.message}
        if step.reasoning:
            said["reasoning_content"] = step.reasoning
        if step.calls:
            said["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": msgspec.json.encode(call.arguments).decode()},
                }
                for call in step.calls
            ]
        yield said
    for each in step.observations:
        if each.call_id is None:
            yield {"role": "user", "content": each.text}
        else:
            yield {"role": "tool", "tool_call_id": each.call_id, "content": each.text}


def tools_text(trajectory: Trajectory | None) -> str:
    """The tools that the model was told of, as JSON text: a list of functions with their schemas."""
    tools = trajectory.tools if trajectory is not None else ()
    listed = [
        {"type": "function", "function": {"name": each.name, "description": each.doc, "parameters": each.schema}}
        for each in tools
    ]
    return msgspec.json.encode(listed).decode()


def trial_standing(findings: Iterable[Finding]) -> tuple[str, list[str]]:
    """`clean`, `flagged`, `unread` or `not audited`; and the detectors that flag the trial, with what they charge."""
    last = {finding.detector: finding for finding in findings}
    flagged = [each for each in last.values() if each.state == "flagged"]
    names = sorted(f"{each.severity}: {each.detector}" for each in flagged)
    if any(each.severity in CHARGES for each in flagged):
        return "flagged", names
    if not last:
        return "not audited", names
    return ("clean" if any(each.state in {"clean", "flagged"} for each in last.values()) else "unread"), names


def known_of(
    trial: Trial, task: Task, flagged: Sequence[str], *, split: str, licence: str, study: str
) -> dict[str, Any]:
    """What a row says of its trial: counts of checks, never their names or messages."""
    verdict = trial.verdict
    return {
        "study": study,
        "trial": trial.id,
        "agent": trial.agent,
        "task": task.id,
        "task_hash": task.hash,
        "family": family_of(task),
        "sample": trial.sample,
        "outcome": str(trial.outcome),
        "visible": verdict.visible.passed if verdict.visible is not None else None,
        "hidden": verdict.honest,
        "hidden_checks": len(verdict.hidden.checks) if verdict.hidden is not None else None,
        "hidden_passed": verdict.hidden.n_passed if verdict.hidden is not None else None,
        "tampered": bool(verdict.tampered),
        "findings": list(flagged),
        "split": split,
        "licence": licence or "unknown",
    }


def family_of(task: Task) -> str:
    """The tasks that succeed and fail together: its cluster, or the task that it is a twin of, or itself."""
    return task.tags.cluster or task.tags.twin or task.id


def is_honest_pass(trial: Trial, state: str) -> bool:
    """Whether it passed its hidden checks for certain, and nothing is charged to it."""
    return trial.outcome is Outcome.PASSED and trial.verdict.proved is True and state == "clean"


def is_failure(trial: Trial, state: str) -> bool:
    """Whether it is known to be wrong: the hidden checks say so, or it reached for its judge, or it is flagged."""
    return trial.outcome is not Outcome.VOID and (trial.verdict.honest is False or state == "flagged")


def leak_in(messages: Iterable[Message], secret: "SecretWords") -> str:
    """Why these messages must not be trained on; empty where nothing speaks against it."""
    own: set[tuple[str, ...]] = set()
    for message in messages:
        calls = "\n".join(each["function"]["arguments"] for each in message.get("tool_calls", ()))
        text = "\n".join((message["content"], message.get("reasoning_content", ""), calls))
        if _KEY.search(text):
            return "it holds a key of an API"
        if any(token in text for token in secret.decoys):
            return "it holds a decoy"
        if not secret.checks and not secret.reference:
            continue
        runs = set(word_runs(lower_words(text)))
        if calls:  # a line of a program stands in JSON as one text with \n
            runs |= set(word_runs(lower_words(text.replace("\\n", "\n"))))
        if runs & secret.checks:
            return "it holds a part of the hidden checks"
        if message["role"] == "assistant":
            own |= runs & secret.reference
        elif (runs & secret.reference) - own:
            return "it was shown a part of the reference"
    return ""


@dataclass(frozen=True, slots=True)
class SecretWords:
    """The words of a task that no row may hold: 13 in a row, of what its public part does not say."""

    checks: frozenset[tuple[str, ...]] = frozenset()
    reference: frozenset[tuple[str, ...]] = frozenset()
    decoys: tuple[str, ...] = ()

    @classmethod
    def of(cls, task: Task) -> "SecretWords":
        """Those of a task; none where its hidden part is not known."""
        if task.hidden is None:
            return cls()
        public = {run for text in _public_texts(task) for run in word_runs(lower_words(text))}
        files = task.hidden.checks.files.files.values()
        checks = {run for file in files for run in word_runs(lower_words(file.data.decode("utf-8", "replace")))}
        every = {run for text in hidden_texts(task) for run in word_runs(lower_words(text))}
        decoys = tuple(decoy.token for decoy in task.hidden.decoys)
        return cls(frozenset(checks - public), frozenset(every - checks - public), decoys)


def _public_texts(task: Task) -> Iterator[str]:
    yield task.instruction
    trees = [task.workspace, *([task.visible.files] if task.visible is not None else [])]
    for tree in trees:
        for file in tree.files.values():
            yield file.data.decode("utf-8", "replace")
