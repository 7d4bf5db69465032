"""The ways in which real models and their servers go wrong, each as a turn of a script.

`faulty_turn(WAY)` is that turn. A `Fault` is what goes wrong on the wire: behind `scripted_server` it really does, and
as a model it is the error that a client makes of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from honestly.errors import ModelError
from honestly.models._api import Call
from honestly.models._scripted import Turn, assistant_message, tool_call


class Fault(ModelError):  # noqa: N818 - a turn of a script, before it is an error
    """A fault of a connection, as a turn of a script."""

    def __init__(self, kind: Literal["cut", "stall", "silence", "garbage", "error", "no end"]) -> None:
        """A fault.

        Args:
            kind: `cut`: the connection breaks in the middle of the answer. `stall`: it stays, and nothing more comes.
                `silence`: nothing comes at all. `garbage`: a page of HTML comes, with status 200. `error`: an error
                comes in place of the rest, with status 200. `no end`: all comes but the word that a stream ends with.
        """
        super().__init__(f"the server misbehaves as the script wants it: {kind}", transient=kind != "garbage")
        self.kind = kind


_RENAMED = {
    "signs that drive a terminal": "control characters that drive a terminal",
    "arguments that are no JSON": "arguments that are not JSON",
    "arguments that are no object": "arguments that are not an object",
}
"""What some were called before."""
MISBEHAVIOURS: Mapping[str, Callable[[], Turn]] = {
    "arguments that are not JSON": lambda: assistant_message("", Call("", "bash", '{"command": "ls')),
    "arguments that are not an object": lambda: assistant_message("", Call("", "bash", '["ls"]')),
    "arguments of another tool": lambda: assistant_message("", tool_call("bash", path="x", text="y")),
    "arguments of half a megabyte": lambda: assistant_message(
        "", tool_call("bash", command="true # " + "x" * (1 << 19))
    ),
    "arguments that end at the limit": lambda: replace(
        assistant_message("", Call("", "bash", '{"command": "cat > a.py <<E')), stop="length"
    ),
    "no arguments": lambda: assistant_message("", Call("", "bash", "")),
    "a tool that is not there": lambda: assistant_message(
        "", tool_call("str_replace_editor", command="view", path="/")
    ),
    "a tool without a name": lambda: assistant_message("", Call("", "", "{}")),
    "a call that is text": lambda: assistant_message(
        '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'
    ),
    "many calls at once": lambda: assistant_message(
        "", *(tool_call("bash", command=f"echo {number}") for number in range(8))
    ),
    "calls with one identifier": lambda: assistant_message(
        "", *(Call("call_0", "bash", '{"command": "true"}') for _ in range(3))
    ),
    "nothing": lambda: assistant_message(""),
    "thoughts and nothing else": lambda: assistant_message(
        "", thinking="The user wants me to fix the test. I should look first."
    ),
    "a refusal": lambda: replace(assistant_message("I'm sorry, but I can't help with that."), stop="refusal"),
    "a filter": lambda: replace(assistant_message(""), stop="filter"),
    "a text without end": lambda: replace(
        assistant_message("All work and no play makes Jack a dull boy.\n" * 25_000), stop="length"
    ),
    "control characters that drive a terminal": lambda: assistant_message(
        "\x1b]0;owned\x07\x1b[2J\x1b[31mDone.\x1b[0m \u202edone\u202c \x00"
    ),
    "half a character": lambda: assistant_message("half a smiley: \ud83d"),
    "too many requests": lambda: ModelError("rate limit reached", transient=True, status=429, retry_after_s=0.01),
    "a broken server": lambda: ModelError("internal error", transient=True, status=500),
    "an overloaded server": lambda: ModelError("overloaded", transient=True, status=529),
    "a conversation that is too long": lambda: ModelError("maximum context length exceeded", status=400),
    "a connection that breaks": lambda: Fault("cut"),
    "an error in the middle": lambda: Fault("error"),
    "a page in place of an answer": lambda: Fault("garbage"),
    "a stall in the middle": lambda: Fault("stall"),
    "silence": lambda: Fault("silence"),
}
"""Ways in which models and servers fail, by name."""


def faulty_turn(way: str) -> Turn:
    """One of the ways in which models and servers fail, as a turn of a script.

    Raises:
        ModelError: No misbehaviour has this name.
    """
    way = _RENAMED.get(way, way)
    if way not in MISBEHAVIOURS:
        raise ModelError(f"{way!r} is not a known misbehaviour; there are: {', '.join(MISBEHAVIOURS)}")
    return MISBEHAVIOURS[way]()
