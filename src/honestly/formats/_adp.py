"""Trajectories for training, in the Agent Data Protocol (schema 1.2.0), one way.

A trajectory becomes a flat list: what was said and seen are observations, what the agent did are actions. No turn is
made up, none is left out, and `details` carries the verdict that the hidden checks gave. ADP wants exactly one
observation for each call that has an id. Where a trajectory has none (it was killed while the tool ran), the call
stands without its id, before the others of its step, which ADP allows unless an observation follows; then the
trajectory cannot be said, and `to_adp` refuses it. A second answer to a call stands without the call's id. Both are
said in `details`.

Every image is a file of its own beside.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import msgspec

from honestly.errors import FormatError
from honestly.formats._images import image_path
from honestly.formats._imported import beside_text
from honestly.records import Agent, Picture, Step, Tags, ToolCall, ToolDefinition, Trajectory, Trial, Usage

ADP_VERSION = "1.2.0"

# Tools whose whole argument is a program: by name, the language and the argument.
_CODE = {"bash": ("bash", "command"), "python": ("python", "code")}

Item = dict[str, object]
_NO_TAGS = Tags()


@dataclass(frozen=True, slots=True)
class AdpLine:
    """A trajectory as one line of JSON, and the images that it names."""

    data: bytes
    images: Mapping[str, bytes]


class _Details(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The fields that ADP lacks. `resolved` is there only where hidden checks said so."""

    harness: str
    agent: Agent
    task: str
    sample: int
    outcome: str
    honestly: str = ""
    reason: str = ""
    resolved: bool | None = None
    tampered: tuple[str, ...] = ()
    claimed: bool | None = None
    usage: Usage = Usage()
    stop: str = ""
    tools: tuple[ToolDefinition, ...] = ()
    unanswered_calls: tuple[str, ...] = ()
    """Calls that no observation answers, as the trajectory names them."""
    answered_again: tuple[str, ...] = ()
    """Calls that more than one observation answers."""
    renamed_calls: int = 0
    """Calls whose id was used before in the trajectory, so that it has another one here."""
    subagents: tuple[str, ...] = ()


def to_adp(trajectory: Trajectory, trial: Trial, agent: Agent, tags: Tags = _NO_TAGS) -> AdpLine:
    """Write one trajectory as a line of ADP.

    Args:
        trajectory: its steps, at least one.
        trial: what came of it; goes into `details`.
        agent: who acted; goes into `details`.
        tags: those of the task; go there, too.

    Raises:
        FormatError: it has no step, or an observation follows a call that nothing answers.
    """
    if not trajectory.steps:
        raise FormatError("a trajectory without steps contains nothing to learn from")
    links = _Links(trajectory.steps)
    writer = _Writer(links)
    for number, step in enumerate(trajectory.steps):
        writer.add_step(number, step)
    writer.check()
    languages = sorted({str(item["language"]) for item in writer.content if "language" in item})
    verdict = trial.verdict
    details = _Details(
        harness="honestly",
        agent=agent,
        task=trial.task,
        sample=trial.sample,
        outcome=str(trial.outcome),
        honestly=beside_text(trial, tags),
        reason=trial.reason,
        resolved=verdict.honest,
        tampered=verdict.tampered,
        claimed=trial.claimed,
        usage=trial.usage,
        stop=trajectory.stop,
        tools=trajectory.tools,
        unanswered_calls=tuple(links.unanswered),
        answered_again=tuple(links.again),
        renamed_calls=links.renamed,
        subagents=tuple(dict.fromkeys(step.thread for step in trajectory.steps if step.thread)),
    )
    line: Item = {"schema_version": ADP_VERSION, "id": trial.id, "content": writer.content, "details": details}
    if languages:
        line["available_code_languages"] = languages
    return AdpLine(msgspec.json.encode(line), writer.images)


class _Links:
    """Which observation answers which call, over the whole trajectory: ids are only unique within a step."""

    def __init__(self, steps: Sequence[Step]) -> None:
        # Ids of the answered calls by step and place.
        self.calls: dict[tuple[int, int], str] = {}
        # Ids of the observations that answer one.
        self.seen: dict[tuple[int, int], str] = {}
        self.again: list[str] = []
        self.renamed = 0
        self._used: set[str] = set()
        self._names = {call.id for step in steps for call in step.calls}
        waiting: dict[str, list[tuple[int, int]]] = {}
        for at, step in enumerate(steps):
            for place, call in enumerate(step.calls):
                waiting.setdefault(call.id, []).append((at, place))
            for place, seen in enumerate(step.observations):
                if seen.call_id in waiting:
                    self._link_answer(waiting[seen.call_id], (at, place), seen.call_id)
        left = sorted(key for keys in waiting.values() for key in keys)
        self.unanswered = [steps[at].calls[place].id for at, place in left]

    def _link_answer(self, waiting: list[tuple[int, int]], seen: tuple[int, int], name: str) -> None:
        if not waiting:
            self.again.append(name)
            return
        own = [key for key in waiting if key[0] == seen[0]]
        call = own[0] if own else waiting[-1]
        waiting.remove(call)
        self.calls[call] = self.seen[seen] = self._unique_name(name)

    def _unique_name(self, name: str) -> str:
        if name in self._used or not name:
            self.renamed += 1
            numbers = (f"call_{number:06d}" for number in range(1, len(self._used) + len(self._names) + 2))
            name = next(free for free in numbers if free not in self._used and free not in self._names)
        self._used.add(name)
        return name


@dataclass
class _Writer:
    links: _Links
    content: list[Item] = field(default_factory=list)
    images: dict[str, bytes] = field(default_factory=dict)

    def add_step(self, number: int, step: Step) -> None:
        """Adds what was said, then what was done, then what was seen."""
        if step.source != "agent":
            self._add_message(step)
        elif not step.calls and (step.message or step.reasoning):
            self.content.append({"class_": "message_action", "content": step.message, **_reasoning_field(step)})
        self._add_pictures(step.images, "agent" if step.source == "agent" else "user")
        calls = sorted(enumerate(step.calls), key=lambda item: (number, item[0]) in self.links.calls)
        for nth, (place, call) in enumerate(calls):
            action = _action(call, step.message if nth == 0 and step.source == "agent" else "")
            linked = self.links.calls.get((number, place))
            self.content.append(
                {
                    **action,
                    **(_reasoning_field(step) if nth == 0 else {}),
                    **({"tool_call_id": linked} if linked else {}),
                }
            )
        for place, seen in enumerate(step.observations):
            linked = self.links.seen.get((number, place))
            item: Item = {"class_": "text_observation", "content": seen.text, "name": None, "source": "environment"}
            self.content.append({**item, "tool_call_id": linked} if linked else item)
            self._add_pictures(seen.images, "environment")

    def check(self) -> None:
        """Refuses what the protocol does not allow."""
        for action, after in pairwise(self.content):
            is_call = action["class_"] in ("api_action", "code_action")
            if is_call and "tool_call_id" not in action and str(after["class_"]).endswith("observation"):
                raise FormatError(f"nothing answers the calls {', '.join(self.links.unanswered[:5])}, and more follows")

    def _add_message(self, step: Step) -> None:
        system = step.source == "system"
        item: Item = {"class_": "text_observation", "content": step.message, "name": "system" if system else None}
        if step.message or not (step.images or step.calls or step.observations):
            self.content.append({**item, "source": "environment" if system else "user"})

    def _add_pictures(self, images: Sequence[Picture], source: str) -> None:
        for image in images:
            path = image_path(image, self.images)
            self.content.append({"class_": "image_observation", "content": path, "annotations": None, "source": source})


def _reasoning_field(step: Step) -> Item:
    return {"reasoning_content": step.reasoning} if step.reasoning else {}


def _action(call: ToolCall, message: str) -> Item:
    """A call as code, where its one argument is a program, else as it stands."""
    language, argument = _CODE.get(call.name, ("", ""))
    code = call.argument(argument) if list(call.arguments) == [argument] else None
    if isinstance(code, str):
        return {"class_": "code_action", "language": language, "content": code, "description": message or None}
    kwargs = call.arguments
    return {"class_": "api_action", "function": call.name, "kwargs": kwargs, "description": message or None}
