"""The answer in an OpenAI chat completion, whole or in the pieces of a stream, as a `Message`.

A stream's pieces are put together into what the whole reply would have been, and read as that: one reading for both.
Servers differ, so nothing is taken for granted: calls without an index, or all with the same one; identifiers that are
missing or used twice; arguments that are an object where text is due; a character of two halves in two pieces.
"""

import json
from typing import Any

from honestly._loose import count_of, items_of, nested_dict
from honestly.errors import ModelError
from honestly.models._api import Call, Message, Sent
from honestly.models.chat._http import error_text, printable_line
from honestly.records import Usage

_STOPS = {
    "stop": "end",
    "eos": "end",
    "tool_calls": "calls",
    "function_call": "calls",
    "length": "length",
    "content_filter": "filter",
    "refusal": "refusal",
}
_MOST_CALLS = 512
_THOUGHTS = ("reasoning_content", "reasoning")
_MOST_TOKENS = 1 << 50


def read_reply(reply: object, sent: Sent, where: str) -> Message:
    """The message of a whole reply.

    Raises:
        ModelError: The reply holds none, or an error in its place.
    """
    _raise_error(reply, where)
    choice = _first_item(_get(reply, "choices"))
    message = _get(choice, "message")
    if not isinstance(message, dict):
        raise ModelError(
            f"{where} answered without a message; expected a chat completion, found {_json_excerpt(reply)}"
        )
    # Each call with what the server wants back with it; no identifier twice.
    calls: list[tuple[Call, object]] = []
    used: set[str] = set()
    for number, call in enumerate(items_of(message.get("tool_calls"))[:_MOST_CALLS]):
        function = _get(call, "function")
        given = _reply_text(_get(call, "id")) or f"call-{number}"
        own = given
        while own in used:
            own = f"{own}-{number}"
        used.add(own)
        name, arguments = (
            _reply_text(_get(function, "name")),
            _joined_surrogates(_call_arguments(_get(function, "arguments"))),
        )
        calls.append((Call(own, name, arguments), _get(call, "extra_content")))
    refusal = _reply_text(message.get("refusal"))
    stop = _STOPS.get(_reply_text(_get(choice, "finish_reason")), "")
    if refusal:
        stop = "refusal"
    elif calls and stop in {"end", ""}:
        stop = "calls"
    tokens, logprobs = _token_logprobs(choice)
    kept = {key: message[key] for key in (*_THOUGHTS, "reasoning_details") if message.get(key)}
    if signed := {call.id: extra for call, extra in calls if extra}:
        kept["calls"] = signed
    return Message(
        role="assistant",
        text=_reply_text(message.get("content")) or refusal,
        calls=tuple(call for call, _ in calls),
        thinking=next((text for key in _THOUGHTS if (text := _reply_text(message.get(key)))), ""),
        usage=read_usage(_get(reply, "usage")),
        model=_reply_text(_get(reply, "model"))[:500],
        stop=stop,
        logprobs=logprobs,
        top_logprobs=_top_logprobs(choice) if logprobs else (),
        token_ids=tokens,
        sent=sent,
        opaque=(json.dumps({"chat": kept}).encode() if kept else b""),
    )


def read_usage(found: object) -> Usage:
    """The tokens and the cost of a reply, where the server gives them."""
    usd = _get(found, "cost")
    read, written = count_of(_get(found, "prompt_tokens")), count_of(_get(found, "completion_tokens"))
    if not read and not written:  # no request is of 0 tokens: the server does not know
        read = written = None
    return Usage(
        input_tokens=read,
        output_tokens=written,
        cached_tokens=count_of(_get(_get(found, "prompt_tokens_details"), "cached_tokens")) if read else None,
        usd=float(usd) if isinstance(usd, int | float) and not isinstance(usd, bool) and 0 <= usd < 1e9 else None,
    )


class Deltas:
    """The pieces of a stream, put together."""

    def __init__(self, where: str) -> None:
        self.ended = False
        """Whether the server gave a reason for the end of the answer."""
        self._where = where
        self._parts: dict[str, list[str]] = {}
        self._details: list[object] = []
        self._calls: list[dict[str, Any]] = []
        self._by_index: dict[int, dict[str, Any]] = {}
        self._by_id: dict[str, dict[str, Any]] = {}
        self._logprobs: list[object] = []
        self._token_ids: list[object] = []
        self._reply: dict[str, Any] = {}
        self._finish: object = None

    def take_chunk(self, chunk: object) -> str:
        """Take one piece of the stream; return the text in it.

        Raises:
            ModelError: It is an error.
        """
        _raise_error(chunk, self._where)
        if not isinstance(chunk, dict):
            raise ModelError(f"{self._where} sent {_json_excerpt(chunk)} in its stream; expected an object")
        self._reply |= {key: chunk[key] for key in ("model", "usage") if chunk.get(key)}
        choice = _first_item(chunk.get("choices"))
        if not isinstance(choice, dict):
            return ""
        delta = nested_dict(choice, "delta")
        for key in ("content", "refusal", *_THOUGHTS):
            if text := _raw_text(delta.get(key)):
                self._parts.setdefault(key, []).append(text)
        self._details += items_of(delta.get("reasoning_details"))
        for call in items_of(delta.get("tool_calls")):
            self._merge_call(call)
        self._logprobs += items_of(_get(choice.get("logprobs"), "content"))
        self._token_ids += items_of(choice.get("token_ids"))
        if choice.get("finish_reason"):
            self._finish = choice["finish_reason"]
            self.ended = True
        return _reply_text(delta.get("content"))

    def reply(self) -> dict[str, Any]:
        """The whole reply that the pieces add up to."""
        message: dict[str, Any] = {key: "".join(parts) for key, parts in self._parts.items()}
        message["tool_calls"] = [
            {**call, "function": {"name": call["name"], "arguments": "".join(call["arguments"])}}
            for call in self._calls
        ]
        if self._details:
            message["reasoning_details"] = self._details
        choice = {
            "message": message,
            "finish_reason": self._finish,
            "logprobs": {"content": self._logprobs},
            "token_ids": self._token_ids,
        }
        return self._reply | {"choices": [choice]}

    def _merge_call(self, delta: object) -> None:
        index, given, function = _get(delta, "index"), _reply_text(_get(delta, "id")), _get(delta, "function")
        name = _reply_text(_get(function, "name"))
        call = self._continued_call(index, given, name)
        if call is None:
            if len(self._calls) >= _MOST_CALLS:
                raise ModelError(f"{self._where} asks for more than {_MOST_CALLS} tools at once; it is not read")
            call = {"id": given, "name": name, "arguments": []}
            self._calls.append(call)
            if isinstance(index, int):
                self._by_index[index] = call
        if given:
            self._by_id.setdefault(given, call)
        call["id"] = call["id"] or given
        call["name"] = call["name"] or name
        call["arguments"].append(_call_arguments(_get(function, "arguments")))
        if extra := _get(delta, "extra_content"):
            call["extra_content"] = extra

    def _continued_call(self, index: object, given: str, name: str) -> dict[str, Any] | None:
        """The call that a piece goes on with; None where it begins one."""
        if not isinstance(index, int):
            if given:
                return self._by_id.get(given)
            return self._calls[-1] if self._calls and not name else None
        same = self._by_index.get(index)
        # Some servers give every call the index 0; a new name with a new identifier is a new call.
        if same and given and name and same["id"] not in {"", given}:
            return None
        return same


def _raise_error(reply: object, where: str) -> None:
    error = _get(reply, "error")
    if not error and _get(reply, "object") == "error":
        error = reply
    if error:
        code = _get(error, "code")
        status = code if isinstance(code, int) and 400 <= code < 600 else None
        text = printable_line(error_text(json.dumps({"error": error}).encode()))
        # Nobody says what an error in place of an answer means; overloaded engines give most of them.
        transient = status is None or status in {408, 409, 425, 429} or status >= 500
        raise ModelError(f"{where} gave an error in place of an answer: {text}", transient=transient, status=status)


def _call_arguments(found: object) -> str:
    return json.dumps(found) if isinstance(found, dict | list) else _raw_text(found)


def _token_logprobs(choice: object) -> tuple[tuple[int, ...], tuple[tuple[str, float], ...]]:
    """Numbers and logarithms of probability of the answer's tokens, where all of them are given."""
    entries = items_of(_get(_get(choice, "logprobs"), "content"))
    pairs = [(_get(entry, "token"), _get(entry, "logprob")) for entry in entries]
    logprobs = tuple(
        (_joined_surrogates(token), float(value))
        for token, value in pairs
        if isinstance(token, str) and isinstance(value, int | float) and -1e300 < value < 1e300
    )
    ids = items_of(_get(choice, "token_ids")) or [_get(entry, "id") for entry in entries]
    numbers = tuple(number for number in ids if isinstance(number, int) and 0 <= number < _MOST_TOKENS)
    return (numbers if len(numbers) == len(ids) else ()), (logprobs if len(logprobs) == len(pairs) else ())


def _top_logprobs(choice: object) -> tuple[tuple[tuple[str, float], ...], ...]:
    """The likeliest tokens at each place, where any are named."""
    entries = items_of(_get(_get(choice, "logprobs"), "content"))
    found = tuple(
        tuple(
            (_joined_surrogates(token), float(value))
            for each in items_of(_get(entry, "top_logprobs"))
            if isinstance(token := _get(each, "token"), str)
            and isinstance(value := _get(each, "logprob"), int | float)
            and -1e300 < value < 1e300
        )
        for entry in entries
    )
    return found if any(found) else ()


def _reply_text(found: object) -> str:
    return _joined_surrogates(_raw_text(found))


def _raw_text(found: object) -> str:
    """Text as it came, also where it comes in parts."""
    if isinstance(found, list):
        found = "".join(part for part in (_get(item, "text") for item in found) if isinstance(part, str))
    return found if isinstance(found, str) else ""


def _joined_surrogates(text: str) -> str:
    """Text in which the halves of a character have found each other; a lone half is replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _first_item(found: object) -> object:
    return found[0] if isinstance(found, list) and found else None


def _get(found: object, key: str) -> Any:  # noqa: ANN401 - somebody else's JSON
    return found.get(key) if isinstance(found, dict) else None


def _json_excerpt(found: object) -> str:
    return printable_line(json.dumps(found), 200)
