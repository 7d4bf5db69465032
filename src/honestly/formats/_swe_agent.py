"""Trajectories of SWE-agent, `.traj` files: thought, action and observation of each step, before them the history.

Nobody judged them: void. The submission is kept as `patch.diff`; the exit status is how the trajectory ended. The model
and its settings stand in the configuration of a replay, where there is one; an older file names no model.
"""

import re
from collections.abc import Iterator, Mapping

from honestly._loose import count_of, inside, objects_of, word_of
from honestly.errors import FormatError
from honestly.formats._chat import Draft, chat_steps, reasoning_of, text_of, tool_call
from honestly.formats._files import parse_json
from honestly.formats._heads import Head
from honestly.formats._imported import number_of, storable
from honestly.formats._sources import FileReader, Item, per_file, place, refused, stem_of, unjudged
from honestly.records import Agent, Step, Task, Trajectory, Usage

_INSTANCE = re.compile(r"[A-Za-z0-9.-]+__[A-Za-z0-9.-]+-\d+")


def recognises(head: Head) -> bool:
    """Whether it has a trajectory of actions and observations, or a history of an agent's messages."""
    if head.has("trajectory") and (head.has("environment") or head.has("history") or b'"exit_status"' in head.end):
        return b'"trajectory_format"' not in head.start
    return head.has("history") and b'"message_type"' in head.start


@per_file
def read(head: Head) -> Iterator[Item]:
    """The trial of a file.

    Raises:
        FormatError: It cannot be read.
    """
    found = inside(head.json())
    history, info = objects_of(found.get("history")), inside(found, "info")
    steps = _steps(found, history)
    if not steps:
        yield refused(place(head), "no results", "neither a trajectory nor a history in it")
        return
    stats, status = inside(info, "model_stats"), info.get("exit_status")
    agent = _agent(found)
    named = _INSTANCE.findall(stem_of(head))
    instance = named[-1] if named else stem_of(head).removesuffix(".traj")
    spent = Usage(
        input_tokens=count_of(stats.get("tokens_sent")) or None,
        output_tokens=count_of(stats.get("tokens_received")) or None,
        usd=number_of(stats.get("instance_cost")),
    )
    trajectory = Trajectory(steps=steps, stop=storable(status or ""))
    made = unjudged(head, agent, trajectory, usage=spent)
    patch = info.get("submission")
    files = {"patch.diff": storable(patch).encode()} if isinstance(patch, str) and patch.strip() else {}
    yield made._replace(task=Task(id=instance, instruction=made.task.instruction), artifacts=files)


def _steps(found: Mapping[str, object], history: list[dict[str, object]]) -> tuple[Step, ...]:
    done = objects_of(found.get("trajectory"))
    if not done:
        return chat_steps(history)
    draft = Draft()
    for message in history:
        if word_of(message.get("role")) not in {"system", "user"}:
            break
        draft.told(str(message["role"]), text_of(message.get("content")))
    for number, each in enumerate(done, 1):
        thought, action = each.get("thought") or each.get("response"), each.get("action")
        calls = (
            [tool_call(f"step-{number}", "bash", {"command": action})]
            if isinstance(action, str) and action.strip()
            else []
        )
        draft.acted(
            text_of(thought), calls, reasoning=reasoning_of(each), seconds=number_of(each.get("execution_time"))
        )
        draft.seen(text_of(each.get("observation")), f"step-{number}" if calls else "")
    return draft.steps()


def _agent(found: Mapping[str, object]) -> Agent:
    text = found.get("replay_config")
    try:
        config = inside(parse_json(text.encode("utf-8", "replace"))) if isinstance(text, str) else inside(text)
    except FormatError:
        config = {}
    model = inside(config, "agent", "model").get("name") or inside(config, "model").get("model_name") or ""
    name = f"swe-agent {storable(model)}".strip()
    return Agent(name=name, program="swe-agent", model=storable(model))


READER = FileReader("swe-agent", recognises, read)
