"""Trajectories of SWE-agent, `.traj` files: thought, action and observation of each step, before them the history.

Where a summary of SWE-bench's harness lies beside the folders of a run, it says what became of each; else nobody judged
them: void. The submission is kept as `patch.diff`; the exit status is how the trajectory ended. The model
and its settings stand in the configuration of a replay, where there is one; an older file names no model.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from honestly._loose import count_of, nested_dict, objects_of, word_of
from honestly.errors import FormatError
from honestly.formats._agent_names import renamed, runs_apart
from honestly.formats._chat import Draft, chat_steps, reasoning_of, text_of, tool_call
from honestly.formats._files import parse_json
from honestly.formats._heads import Head
from honestly.formats._imported import number_of, storable_text
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    patch_file,
    per_file,
    recorded_place,
    refused_defect,
    stem_of,
    unjudged_session,
)
from honestly.formats._swe_bench import by_run_folder, with_summary
from honestly.records import Agent, Step, Task, Trajectory, Usage

_INSTANCE = re.compile(r"[A-Za-z0-9.-]+__[A-Za-z0-9.-]+-\d+")
_PROGRAM = "swe-agent"


def recognises(head: Head) -> bool:
    """Whether it has a trajectory of actions and observations, or a history of an agent's messages."""
    if head.has_keys("trajectory") and (
        head.has_keys("environment") or head.has_keys("history") or b'"exit_status"' in head.last_bytes
    ):
        return b'"trajectory_format"' not in head.start
    return head.has_keys("history") and b'"message_type"' in head.start


def read(source: Source) -> Iterator[Item]:
    """The trials of files, judged where a summary of SWE-bench's harness lies beside the folders of a run."""
    runs = by_run_folder(source.heads)
    instances = {home: {stem_of(head) for head in heads} for home, heads in runs.items()}
    called = {home: _agent_name(heads[0]) if len(runs) > 1 else _PROGRAM for home, heads in runs.items()}
    names, odd = runs_apart(called, instances.__getitem__, unnamed=_PROGRAM)
    for home, heads in runs.items():
        found = per_file(_read_one)(replace(source, heads=tuple(heads)))
        yield from with_summary(source, home, renamed(found, called[home], names[home], odd))


def _agent_name(head: Head) -> str:
    """The name of who a file is of; the program's where it cannot be read."""
    found = next(per_file(_read_one)(Source(head.root, (head,), ())), None)
    return found.agent.name if isinstance(found, FoundTrial) else _PROGRAM


def _read_one(head: Head) -> Iterator[Item]:
    """The trial of a file.

    Raises:
        FormatError: It cannot be read.
    """
    found = nested_dict(head.json())
    history, info = objects_of(found.get("history")), nested_dict(found, "info")
    steps = _history_steps(found, history)
    if not steps:
        yield refused_defect(recorded_place(head), "no results", "neither a trajectory nor a history in it")
        return
    stats, status = nested_dict(info, "model_stats"), info.get("exit_status")
    text = found.get("replay_config")
    try:
        config = (
            nested_dict(parse_json(text.encode("utf-8", "replace"))) if isinstance(text, str) else nested_dict(text)
        )
    except FormatError:
        config = {}
    model = nested_dict(config, "agent", "model").get("name") or nested_dict(config, "model").get("model_name") or ""
    name = f"{_PROGRAM} {storable_text(model)}".strip()
    agent = Agent(name=name, program=_PROGRAM, model=storable_text(model))
    named = _INSTANCE.findall(stem_of(head))
    instance = named[-1] if named else stem_of(head).removesuffix(".traj")
    spent = Usage(
        input_tokens=count_of(stats.get("tokens_sent")) or None,
        output_tokens=count_of(stats.get("tokens_received")) or None,
        usd=number_of(stats.get("instance_cost")),
    )
    trajectory = Trajectory(steps=steps, stop=storable_text(status or ""))
    made = unjudged_session(head, agent, trajectory, usage=spent)
    task = Task(id=instance, instruction=made.task.instruction)
    yield made._replace(task=task, artifacts=patch_file(info.get("submission")))


def _history_steps(found: Mapping[str, object], history: list[dict[str, object]]) -> tuple[Step, ...]:
    done = objects_of(found.get("trajectory"))
    if not done:
        return chat_steps(history)
    draft = Draft()
    for message in history:
        if word_of(message.get("role")) not in {"system", "user"}:
            break
        draft.add_prompt(str(message["role"]), text_of(message.get("content")))
    for number, each in enumerate(done, 1):
        thought, action = each.get("thought") or each.get("response"), each.get("action")
        calls = (
            [tool_call(f"step-{number}", "bash", {"command": action})]
            if isinstance(action, str) and action.strip()
            else []
        )
        draft.add_answer(
            text_of(thought), calls, reasoning=reasoning_of(each), seconds=number_of(each.get("execution_time"))
        )
        draft.add_observation(text_of(each.get("observation")), f"step-{number}" if calls else "")
    return draft.steps()


READER = FileReader("swe-agent", recognises, read, patches="left")
