"""The notes on one exchange."""

import datetime
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec.structs import replace

from honestly.errors import BudgetError, FormatError, HonestlyError, ModelError
from honestly.http import Refusal, Reply
from honestly.models._api import NO_SETTINGS, Message
from honestly.models._prices import Prices
from honestly.models._sent import read_sent
from honestly.models.chat._http import loads, printable_line
from honestly.models.chat._sse import EventReader
from honestly.models.dialects._dialect import Dialect, ParsedRequest, json_bytes
from honestly.models.proxy._question import DIALECTS, Question
from honestly.models.proxy._record import Exchange, ProxyReply, ProxyRequest, json_or_text, safe_headers
from honestly.records import Usage

_MOST_REASON = 2000
_BYTES_PER_TOKEN = 3
Clean = Callable[[bytes], bytes]
_SHOWN = 300


@dataclass(slots=True)
class Outcome:
    """How an exchange ended."""

    error: str
    """Why there is no answer, or no more of it."""
    message: Message | None = None
    """What was answered, as far as it is understood."""
    whole: bool = False
    """Whether all of the answer was written."""
    unread: str = ""
    """Why what was relayed is not understood."""
    usd: float | None = None
    """What it cost, where that is known and all was counted."""


def estimated_tokens(data: bytes | bytearray) -> int:
    """Tokens that bytes amount to, where nobody counts: three bytes to one, so more than most texts have."""
    return -(-len(data) // _BYTES_PER_TOKEN)


def request_note(question: Question, number: int, at: datetime.datetime, clean: Clean) -> ProxyRequest:
    """A request, as the record keeps it."""
    body, text = json_or_text(clean(question.body)) if question.body else (msgspec.Raw(b"null"), "")
    head, route, asked = question.head, question.route, question.asked
    settings = read_sent(question.body, NO_SETTINGS, "").settings if route.operation == "answer" else {}
    headers = {name: clean(value.encode()).decode() for name, value in safe_headers(head.headers).items()}
    return ProxyRequest(
        n=number,
        at=at.isoformat(timespec="milliseconds"),
        method=head.method,
        path=clean(route.path.encode("utf-8", "replace")).decode(),
        dialect=route.dialect.name,
        operation=route.operation,
        headers=headers,
        body=body,
        text=text,
        model=clean(question.model.encode("utf-8", "replace")).decode(),
        stream=question.stream,
        settings=_plain_settings(settings, clean),
        unexpressed=asked.unexpressed if asked else (),
    )


def reply_note(number: int, reply: Reply, outcome: Outcome, began: float, clean: Clean) -> ProxyReply:
    """A reply, as the record keeps it."""
    copy = clean(bytes(reply.copy))
    body, text = json_or_text(copy) if copy and "json" in reply.kind else (msgspec.Raw(b"null"), _printable_text(copy))
    message = outcome.message or Message(role="assistant")
    sent = message.sent
    return ProxyReply(
        n=number,
        status=reply.status,
        type=reply.kind,
        body=body,
        text=text,
        error=clean((outcome.error or outcome.unread)[:_MOST_REASON].encode("utf-8", "replace")).decode(),
        seconds=round(time.monotonic() - began, 6),
        first_s=round(reply.began - began, 6) if reply.status else None,
        model=_printable_text(message.model.encode("utf-8", "replace")),
        stop=message.stop,
        usage=message.usage if outcome.usd is None else replace(message.usage, usd=outcome.usd),
        sent=_plain_settings(sent.settings, clean) if sent else {},
        dropped=sent.dropped if sent else (),
    )


def relayed_message(question: Question, reply: Reply, outcome: Outcome) -> Message | None:
    """The message in what was relayed; None if it holds none."""
    if reply.status != 200:
        return None
    try:
        return message_of(question.route.dialect, bytes(reply.copy), events="event-stream" in reply.kind)
    except ModelError as error:
        outcome.unread = f"the reply is not understood: {error}"
        return None


def message_of(dialect: Dialect, reply: bytes, *, events: bool) -> Message:
    """The message in a reply.

    Raises:
        ModelError: The reply holds none.
    """
    if events:
        reader = EventReader(1 << 40)  # the reply is bounded already
        return dialect.read(dialect.gather([*reader.feed(reply), *reader.final_events()]))
    try:
        found = loads(reply)
    except ValueError as error:
        raise ModelError(f"the reply is not JSON: {error}") from error
    if isinstance(found, list):  # one of Gemini's streams
        reader = EventReader(1 << 40)
        return dialect.read(dialect.gather(reader.feed(b"data: " + json_bytes(found) + b"\n\n")))
    if not isinstance(found, dict):
        raise ModelError("the reply is not a JSON object")
    return dialect.read(found)


def call_usage(question: Question, reply: Reply, message: Message | None, prices: Prices) -> Usage | None:
    """The usage of a call; estimated where nobody says it, None where nothing was answered."""
    if message is None and reply.status != 200:
        return None
    usage = message.usage if message else Usage()
    usage = replace(
        usage,
        input_tokens=estimated_tokens(question.body) if usage.input_tokens is None else usage.input_tokens,
        output_tokens=estimated_tokens(reply.copy) if usage.output_tokens is None else usage.output_tokens,
    )
    if usage.usd is not None:
        return usage
    names = [message.model if message else "", question.model]
    return replace(usage, usd=prices.first_cost(names, usage))


def status_of(error: HonestlyError, dialect: str) -> int:
    """The HTTP status for an error: one after which clients ask again only where that may help."""
    status = 500
    if isinstance(error, Refusal):
        status = error.status
    elif isinstance(error, BudgetError):
        status = 403
    elif isinstance(error, ModelError):
        known = error.status and 400 <= error.status < 600
        status = error.status or 0 if known else 503 if error.transient else 400
    return 400 if status == 403 and dialect == "responses" else status  # Codex asks again after 403


def _plain_settings(settings: Mapping[str, Any], clean: Clean) -> dict[str, msgspec.Raw]:
    found = {name: json_or_text(clean(json_bytes(value))) for name, value in settings.items()}
    return {_printable_text(name.encode("utf-8", "replace")): raw for name, (raw, text) in found.items() if not text}


def _printable_text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class ProxyTurn:
    """One exchange of a proxy, as messages."""

    asked: ParsedRequest | None
    """None where the request asks no model for an answer, or is not understood."""
    message: Message | None
    """None where there was no answer, or none that is understood."""
    why: str = ""
    """What went wrong."""


def proxy_turn(exchange: Exchange) -> ProxyTurn:
    """Read the conversation and the answer in one exchange of a proxy."""
    request, reply = exchange.request, exchange.reply
    dialect = DIALECTS.get(request.dialect)
    if request.operation != "answer" or dialect is None:
        return ProxyTurn(None, None, reply.error if reply else "")
    try:
        found = loads(bytes(request.body))
        if not isinstance(found, dict):
            raise FormatError("the request is not a JSON object")
        asked = dialect.parse({**found, "model": found.get("model") or request.model, "stream": request.stream})
    except (FormatError, ValueError) as error:
        return ProxyTurn(None, None, f"the request is not understood: {error}")
    if reply is None:
        return ProxyTurn(asked, None, "there was no reply before the end")
    data = reply.text.encode() if reply.text else bytes(reply.body)
    if reply.status != 200:
        return ProxyTurn(asked, None, reply.error or f"status {reply.status}: {printable_line(data.decode(), _SHOWN)}")
    events = "event-stream" in reply.type
    try:
        return ProxyTurn(asked, message_of(dialect, data, events=events), reply.error)
    except ModelError as error:
        return ProxyTurn(asked, None, reply.error or str(error))
