"""How many tokens a request can have at most, without its tokenizer.

A token of text is at least one byte, so bytes bound tokens; what templates add to each message, and what an image may
cost, is allowed for generously. The bound is about four times what English text really needs.
"""

from collections.abc import Sequence

import msgspec

from honestly.models._api import Message, ToolSpec

_MESSAGE = 64
_IMAGE = 16_384


def most_tokens(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> int:
    """An upper bound of the tokens that a model reads."""
    size = 0
    for message in messages:
        size += _MESSAGE + _IMAGE * len(message.images) + _bytes(message.text) + len(message.opaque)
        size += sum(_MESSAGE + _bytes(call.name) + _bytes(call.arguments) for call in message.calls)
    for tool in tools:
        size += _MESSAGE + _bytes(tool.name) + _bytes(tool.doc) + len(msgspec.json.encode(tool.schema))
    return size


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
