"""One connection to the scripted server: a request, and the reply to it, right or wrong as the script wants it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

import anyio
import h11
from anyio.abc import ByteStream

from honestly.errors import BudgetError, FormatError, ModelError
from honestly.models._faults import Fault
from honestly.models._scripted import say
from honestly.models._server import Received, ScriptedServer
from honestly.models.chat._http import loads
from honestly.models.dialects._chat import CHAT
from honestly.models.dialects._dialect import Made, Object, frame

__all__ = ["serve_connection"]

_MOST_BODY = 64 << 20
_CHUNK = 1 << 16
_HALF = say("Let me think about this step by step. First, I look at what is there, and th")


async def serve_connection(stream: ByteStream, server: ScriptedServer) -> None:
    """Answers one request; a client that goes away or talks nonsense is no failure of the server's."""
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, h11.RemoteProtocolError):
        async with stream:
            await _Connection(stream, server).serve()


class _Connection:
    """One connection: one request and its reply."""

    def __init__(self, stream: ByteStream, server: ScriptedServer) -> None:
        self._stream, self._server = stream, server
        self._http = h11.Connection(h11.SERVER)

    async def serve(self) -> None:
        request = await self._request()
        if request is None:
            return
        self._server.requests.append(request)
        path = request.path.partition("?")[0]
        if path == "/v1/models":
            await self._json(200, {"object": "list", "data": [{"id": self._server.model.name, "object": "model"}]})
        elif path == "/v1/chat/completions" and request.method == "POST":
            await self._chat(request.body)
        else:
            await self._json(404, CHAT.error(404, f"there is no {path}"))

    async def _chat(self, data: bytes) -> None:
        try:
            body = loads(data)
            asked = CHAT.parse(body if isinstance(body, dict) else {})
        except (ValueError, FormatError) as error:
            await self._json(400, CHAT.error(400, str(error)))
            return
        made = Made(id="script", at=0, model=asked.model)
        try:
            answer = await self._server.model(asked.messages, asked.tools, asked.settings)
        except Fault as fault:
            await self._fault(fault, body, made, stream=asked.stream)
        except BudgetError as error:
            await self._json(402, CHAT.error(402, str(error)))
        except ModelError as error:
            wait = [] if error.retry_after_s is None else [("retry-after", f"{error.retry_after_s:g}")]
            status = error.status or (503 if error.transient else 400)
            await self._json(status, CHAT.error(status, str(error)), wait)
        else:
            made = replace(made, model=answer.model or asked.model)
            if asked.stream:
                await self._stream_events([*CHAT.stream(answer, body, made)])
            else:
                await self._json(200, CHAT.whole(answer, body, made))

    async def _fault(self, fault: Fault, body: Object, made: Made, *, stream: bool) -> None:
        """Goes wrong in the middle of an answer."""
        whole, error = CHAT.whole(_HALF, body, made), {"error": {"message": str(fault), "code": 500}}
        if fault.kind == "silence":
            await self._until_gone()
        elif fault.kind == "garbage":
            await self._send(h11.Response(status_code=200, headers=_headers("text/html")))
            await self._send(h11.Data(data=b"<html><body>502 Bad Gateway</body></html>"), h11.EndOfMessage())
        elif stream:
            begun = [*CHAT.stream(_HALF, body, made)]
            # A stream that ends without a word after its last piece is whole; one that breaks off before is not.
            rest = {"error": [frame(error)], "no end": begun[2:-1]}
            await self._stream_events([*begun[:2], *rest.get(fault.kind, [])], end=fault.kind in rest)
            if fault.kind == "stall":
                await self._until_gone()
        elif fault.kind in {"cut", "stall"}:
            data = json.dumps(whole).encode()
            await self._send(h11.Response(status_code=200, headers=_headers("application/json", len(data))))
            await self._send(h11.Data(data=data[: len(data) // 2]))
            if fault.kind == "stall":
                await self._until_gone()
        else:
            await self._json(200, whole if fault.kind == "no end" else error)

    async def _request(self) -> Received | None:
        head: h11.Request | None = None
        body = bytearray()
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                if self._http.they_are_waiting_for_100_continue:
                    await self._send(h11.InformationalResponse(status_code=100, headers=[]))
                self._http.receive_data(await self._more())
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
                if len(body) > _MOST_BODY:
                    await self._json(413, CHAT.error(413, "the request is too long"))
                    return None
            elif isinstance(event, h11.EndOfMessage) and head:
                headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
                return Received(head.method.decode("latin-1"), head.target.decode("latin-1"), headers, bytes(body))
            else:
                return None

    async def _more(self) -> bytes:
        try:
            return await self._stream.receive(_CHUNK)
        except anyio.EndOfStream:
            return b""

    async def _until_gone(self) -> None:
        while await self._more():
            pass

    async def _json(self, status: int, body: object, headers: Iterable[tuple[str, str]] = ()) -> None:
        data = json.dumps(body).encode()
        head = [*_headers("application/json", len(data)), *headers]
        await self._send(h11.Response(status_code=status, headers=head), h11.Data(data=data), h11.EndOfMessage())

    async def _stream_events(self, events: Sequence[bytes], *, end: bool = True) -> None:
        await self._send(h11.Response(status_code=200, headers=_headers("text/event-stream")))
        size = self._server.piece_bytes
        if size:
            whole = b"".join(events)
            events = [whole[start : start + size] for start in range(0, len(whole), size)]
        for event in events:
            await self._send(h11.Data(data=event))
        if end:
            await self._send(h11.EndOfMessage())

    async def _send(self, *events: h11.Event) -> None:
        for event in events:
            if data := self._http.send(event):
                await self._stream.send(data)


def _headers(kind: str, length: int | None = None) -> list[tuple[str, str]]:
    size = [("transfer-encoding", "chunked")] if length is None else [("content-length", str(length))]
    return [("content-type", kind), ("connection", "close"), *size]
