"""What an exchange of a proxy's record says: which conversation came, and which message was the answer."""

from dataclasses import dataclass

from honestly.errors import FormatError, ModelError
from honestly.models._api import Message
from honestly.models.chat._http import loads, printable
from honestly.models.dialects._dialect import Asked
from honestly.models.proxy._notes import message_of
from honestly.models.proxy._record import Exchange
from honestly.models.proxy._routes import DIALECTS

_SHOWN = 300


@dataclass(frozen=True, slots=True)
class ProxyTurn:
    """One exchange, understood as far as that goes."""

    asked: Asked | None
    """None where the request asks no model for an answer, or is not understood."""
    message: Message | None
    """None where there was no answer, or none that is understood."""
    why: str = ""
    """What went wrong."""


def proxy_turn(exchange: Exchange) -> ProxyTurn:
    """What an exchange says."""
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
        return ProxyTurn(asked, None, reply.error or f"status {reply.status}: {printable(data.decode(), _SHOWN)}")
    events = "event-stream" in reply.type
    try:
        return ProxyTurn(asked, message_of(dialect, data, events=events), reply.error)
    except ModelError as error:
        return ProxyTurn(asked, None, reply.error or str(error))
