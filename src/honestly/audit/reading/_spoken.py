"""Calls that a model wrote into its message: scaffolds without an interface for tools take them from the text.

Read are functions in XML (`<function=name>`, `<invoke name="...">`), JSON between tags, tags that are named like a
tool (`<write_to_file><path>...`), and blocks of SEARCH and REPLACE below the name of their file. Prose that only speaks
of tools has none of these forms.
"""

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

from honestly.audit.reading._parts import Write
from honestly.audit.reading._patches import block_writes, headed_sections
from honestly.audit.reading._tools import is_named_tool
from honestly.records import ToolCall

_FUNCTION = re.compile(r"<function=([\w.-]{1,80})>([\s\S]*?)(?:</function>|\Z)")
_PARAMETER = re.compile(r"<parameter=([\w.-]{1,80})>\n?([\s\S]*?)\n?</parameter>")
_INVOKE = re.compile(r"<(?:\w+:)?invoke name=\"([\w.-]{1,80})\">([\s\S]*?)(?:</(?:\w+:)?invoke>|\Z)")
_GIVEN = re.compile(r"<(?:\w+:)?parameter name=\"([\w.-]{1,80})\"[^>]{0,40}>\n?([\s\S]*?)\n?</(?:\w+:)?parameter>")
_JSON = re.compile(r"<tool_call>\s*(\{[\s\S]*?\})\s*</tool_call>")
_TAG = re.compile(r"^[ \t]*<([a-z]\w{2,40})>\s*$([\s\S]*?)^[ \t]*</\1>", re.MULTILINE)
_PROGRAM = re.compile(r"<execute_(bash|ipython)>\n?([\s\S]*?)\n?</execute_\1>")
_FIELD = re.compile(r"<([a-z]\w{1,40})>\n?([\s\S]*?)\n?</\1>")
_AIDER = re.compile(
    r"^(?P<path>[\w./\\-]{1,200}\.\w{1,8}|[\w./-]{0,100}(?:Makefile|Dockerfile))[ \t]*\n(?:```[^\n]*\n)?"
    r"(?=<{5,9} SEARCH)",
    re.MULTILINE,
)
_AIDER_INNER = re.compile(r"^```[^\n]*\n(?P<path>[\w./\\-]{1,200}\.\w{1,8})[ \t]*\n(?=<{5,9} SEARCH)", re.MULTILINE)
# Calls of one form in one message that are read.
_MOST = 100
_MARKS = ("<function=", "invoke name=", "<tool_call>", "<execute_", "</", "SEARCH")


def spoken_calls(message: str) -> Iterator[ToolCall]:
    """The calls in a message, in order of their forms."""
    if not any(mark in message for mark in _MARKS):
        return
    for pattern, inner in ((_FUNCTION, _PARAMETER), (_INVOKE, _GIVEN)):
        for match in islice(pattern.finditer(message), _MOST):
            yield ToolCall.of("", match[1], **dict(inner.findall(match[2])))
    for match in islice(_JSON.finditer(message), _MOST):
        try:
            found = msgspec.json.decode(match[1])
        except msgspec.DecodeError:
            continue
        given = found.get("arguments", found.get("parameters"))
        if isinstance(found.get("name"), str) and isinstance(given, dict):
            yield ToolCall.of("", found["name"], **given)
    for match in islice(_PROGRAM.finditer(message), _MOST):
        yield ToolCall.of("", f"execute_{match[1]}", **{"command" if match[1] == "bash" else "code": match[2]})
    for match in islice(_TAG.finditer(message), _MOST):
        if is_named_tool(match[1]) and (given := dict(_FIELD.findall(match[2]))):
            yield ToolCall.of("", match[1], **given)


def spoken_writes(message: str) -> Iterator[Write]:
    """The blocks of SEARCH and REPLACE in a message, each below the name of its file."""
    if " SEARCH" not in message:
        return
    heads = sorted([*_AIDER.finditer(message), *_AIDER_INNER.finditer(message)], key=lambda match: match.end())
    for head, body in headed_sections(message, heads):
        yield from block_writes(body, head["path"])
