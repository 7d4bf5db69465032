"""The messages of mini-swe-agent as steps: an answer of the model, with all that came back before the next one.

Of a reply in text the command is read as the program reads it, and of an observation in text the exit status that the
program prints. Messages of its later versions name both.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from honestly._loose import count_of, items_of, nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats._files import Tally, parse_json
from honestly.formats._imported import exit_status_of, number_of, storable_text, time_of_seconds
from honestly.records import Observation, Step, ToolCall, Trajectory, Usage

_CODE = re.compile(r"\s*<returncode>(-?\d{1,9})</returncode>\n")
_ELIDED = re.compile(r"<elided_chars>\n(\d{1,15}) characters elided\n</elided_chars>\n<output_tail>")
_OPEN = re.compile(r"```(?:bash|mswea_bash_command)[^\S\n]*\n")


def calls_in(message: str) -> tuple[ToolCall, ...]:
    """The call that a reply makes: exactly one block is run, and any other number is answered with a complaint."""
    # As the program's own pattern finds blocks, but in linear time.
    blocks: list[str] = []
    opened = _OPEN.search(message)
    while opened:
        end = message.find("\n```", opened.end())
        if end < 0:
            break
        blocks.append(message[opened.end() : end].strip())
        opened = _OPEN.search(message, end + 4)
    return (ToolCall.of("1", "bash", command=blocks[0]),) if len(blocks) == 1 else ()


def program_observation(text: str, call_id: str | None) -> Observation:
    """The program's output, with the exit status and the number of elided characters that stand in it."""
    code = _CODE.match(text)
    elided = _ELIDED.search(text) if code else None
    return Observation(
        text=text, call_id=call_id, code=int(code[1]) if code else None, dropped=int(elided[1]) if elided else 0
    )


def read_messages(found: Mapping[str, object], where: str, tally: Tally) -> Trajectory:
    """The messages of a file; what does not belong together in it is counted."""
    info = nested_dict(found, "info")
    steps: list[Step] = []
    answers: list[tuple[Mapping[str, object], list[Mapping[str, object]]]] = []
    for message in map(nested_dict, items_of(found.get("messages"))):
        role = _role(message)
        if role == "assistant":
            answers.append((message, []))
        elif role and answers:
            answers[-1][1].append(message)
        elif role in {"system", "user"}:
            steps.append(Step(source=role, message=_message_text(message)))  # type: ignore[arg-type]
        else:
            tally.add("unreadable message", where, f"role {storable_text(role)[:50]!r}; left out")
    steps += [_action_step(message, came_back) for message, came_back in answers]
    said = count_of(nested_dict(info, "model_stats").get("api_calls"))
    if said is not None and said != len(answers):
        tally.add("answers do not add up", where, f"{said} calls of the model and {len(answers)} answers")
    return Trajectory(steps=tuple(steps), stop=storable_text(info.get("exit_status") or ""))


def _role(message: Mapping[str, object]) -> str:
    # It is of the API of that name, whose outputs have no role.
    if message.get("object") == "response":
        return "assistant"
    role = message.get("role") or ("tool" if message.get("type") == "function_call_output" else "")
    return role if isinstance(role, str) else ""


def _message_text(message: Mapping[str, object]) -> str:
    """The text of a message, which may come in parts."""
    found = message.get("content", message.get("output"))
    if isinstance(found, str):
        return storable_text(found)
    parts = [part for item in objects_of(found) for part in (item, *objects_of(item.get("content")))]
    return storable_text("\n".join(part["text"] for part in parts if isinstance(part.get("text"), str)))


def _action_step(message: Mapping[str, object], came_back: Iterable[Mapping[str, object]]) -> Step:
    extra = nested_dict(message, "extra")
    response = nested_dict(extra, "response")
    usage = nested_dict(response, "usage")
    choices = objects_of(response.get("choices"))
    raw = nested_dict(choices[0], "message") if choices else {}
    reasoning = raw.get("reasoning") or raw.get("reasoning_content") or message.get("reasoning_content")
    text = _message_text(message)
    calls = _run_calls(message, extra, text)
    return Step(
        source="agent",
        message=text,
        reasoning=storable_text(reasoning) if isinstance(reasoning, str) else "",
        calls=calls,
        observations=tuple(_observations(calls, came_back)),
        model=storable_text(response.get("model") or ""),
        usage=Usage(
            input_tokens=count_of(usage.get("prompt_tokens", usage.get("input_tokens"))),
            output_tokens=count_of(usage.get("completion_tokens", usage.get("output_tokens"))),
            cached_tokens=count_of(nested_dict(usage, "prompt_tokens_details").get("cached_tokens")),
            usd=number_of(extra.get("cost", usage.get("cost"))),
        ),
        at=time_of_seconds(extra.get("timestamp", response.get("created"))),
    )


def _run_calls(message: Mapping[str, object], extra: Mapping[str, object], text: str) -> tuple[ToolCall, ...]:
    """The calls that were run: the actions that the file names, or the tools that the answer calls, or its block."""
    if isinstance(extra.get("actions"), list):
        calls = [
            ToolCall.of(
                storable_text(action.get("tool_call_id") or number),
                "bash",
                command=storable_text(action.get("command", action.get("action", ""))),
            )
            for number, action in enumerate(objects_of(extra["actions"]), 1)
        ]
    elif asked := objects_of(message.get("tool_calls")):
        calls = [_tool_call(call, number) for number, call in enumerate(asked, 1)]
    else:
        return calls_in(text)
    return tuple({call.id: call for call in calls}.values())


def _tool_call(call: Mapping[str, object], number: int) -> ToolCall:
    function = nested_dict(call, "function")
    text = storable_text(function.get("arguments", ""))
    try:
        command = nested_dict(parse_json(text.encode())).get("command")
    except FormatError:
        command = None
    name, call_id = storable_text(function.get("name") or "bash"), storable_text(call.get("id") or number)
    if isinstance(command, str):
        return ToolCall.of(call_id, name, command=storable_text(command))
    return ToolCall.of(call_id, name, arguments=text)


def _observations(calls: Iterable[ToolCall], came_back: Iterable[Mapping[str, object]]) -> Iterator[Observation]:
    """The results that came back: each of the call that it names, or of the next one."""
    waiting = dict.fromkeys((call.id for call in calls), True)
    for message in came_back:
        named = message.get("tool_call_id", message.get("call_id"))
        found = named if isinstance(named, str) else next(iter(waiting), "")
        call_id = found if waiting.pop(found, False) else None
        code = exit_status_of(nested_dict(message, "extra").get("returncode"))
        seen = program_observation(_message_text(message), call_id)
        yield replace(seen, code=code) if code is not None else seen
