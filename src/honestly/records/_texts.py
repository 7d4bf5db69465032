"""The texts of a step, by the names under which evidence and whoever searches cite them.

`Evidence.where` is one of these names, and `Evidence.start` counts characters in the text that stands here under it.
"""

from collections.abc import Iterator

import msgspec

from honestly.records._trajectory import Step, ToolCall


def step_texts(step: Step) -> Iterator[tuple[str, str]]:
    """Each text of a step with its name: `call:<id>`, `observation:<id>`, `message`, `reasoning`.

    An observation that answers no call goes by its place in the step.
    """
    for call in step.calls:
        yield f"call:{call.id}", call_text(call)
    for number, seen in enumerate(step.observations):
        yield f"observation:{seen.call_id or number}", seen.text
    yield "message", step.message
    if step.reasoning:
        yield "reasoning", step.reasoning


def call_text(call: ToolCall) -> str:
    """All arguments of a call as text, one after the other, with a line end between them."""
    return "\n".join(call_texts(call).values())


def call_texts(call: ToolCall) -> dict[str, str]:
    """Arguments of a call as text, by name: words of a list as a line of them, other data as the JSON that was sent."""
    given: dict[str, str] = {}
    for key, raw in call.arguments.items():
        try:
            value = msgspec.json.decode(raw)
        except msgspec.DecodeError:
            value = bytes(raw).decode("utf-8", "replace")
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            value = value[2] if len(value) == 3 and value[1] in {"-c", "-lc"} else " ".join(value)
        given[key] = value if isinstance(value, str) else bytes(raw).decode("utf-8", "replace")
    return given
