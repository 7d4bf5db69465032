"""The recording proxy: agents speak to it in their vendor's dialect, and it answers, counts and writes everything down.

Behind it stands a model (any `Model`, translated), a provider (`Upstream`, relayed), or an earlier record (`Recorded`).
An agent in a sandbox is given a door to it (`DoorSandbox.listen`) and the trial's token; the provider's key stays here.
What a client sends is hostile: sizes, connections and times are bounded, and whatever goes wrong with one request is
its own affair. docs/proxy.md shows it at work.
"""

import datetime
import fnmatch
import hmac
import math
import re
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, aclosing, closing, suppress
from functools import partial
from pathlib import Path
from types import TracebackType

import anyio
import h11

from honestly.errors import BudgetError, HonestlyError, ModelError
from honestly.http import Connection, Head, Refusal, Reply, connection_requests, serve
from honestly.models._api import Model
from honestly.models._budget import Account
from honestly.models._prices import Prices, default_prices
from honestly.models.dialects._dialect import ReplyIdentity, json_bytes
from honestly.models.proxy._model import EVENTS, ModelAnswers
from honestly.models.proxy._notes import Outcome, call_usage, relayed_message, reply_note, request_note, status_of
from honestly.models.proxy._question import (
    Answers,
    Held,
    ProxyLimits,
    Question,
    decompressed_body,
    request_route,
    token_of,
)
from honestly.models.proxy._record import Exchange, Recorder
from honestly.models.proxy._upstream import Upstream, UpstreamAnswers
from honestly.records import digest
from honestly.work import Budget

_NO_BUDGET = Budget()
_NO_LIMITS = ProxyLimits()
_TOKEN = re.compile(r"[A-Za-z0-9_.-]{16,}")
_MOST_ERRORS = 100
_HUNG_UP = "the client hung up"
_CLOSED = "the proxy was closed"


class Proxy:
    """A running proxy: `async with Proxy(model, token=token) as proxy: url = proxy.serve(listener)`."""

    def __init__(
        self,
        behind: Model | Upstream | Answers,
        *,
        token: str,
        record: Path | None = None,
        budget: Budget | Account = _NO_BUDGET,
        allow: Sequence[str] = (),
        prices: Prices | None = None,
        limits: ProxyLimits = _NO_LIMITS,
        secrets: Sequence[str] = (),
    ) -> None:
        """A proxy; it begins with `async with`.

        Args:
            behind: Who answers.
            token: What a client must show, in any of the dialects' ways; at least 16 letters, digits, `-`, `_`, `.`.
            record: Where to write everything down; None keeps it in memory.
            budget: What may be spent; an account may be shared with others.
            allow: Names of the models that may be asked for, or patterns (`claude-*`); any, if empty.
            prices: What models cost, where a reply does not say it; None for the table that comes with the package.
            limits: What is taken from those who connect.
            secrets: What else must not be written down, beside the token and a provider's key.

        Raises:
            ValueError: The token is too short, or has characters that no token has.
        """
        if not _TOKEN.fullmatch(token):
            raise ValueError("a proxy's token has at least 16 letters, digits, '-', '_' or '.'")
        self._behind = behind
        self._token = token.encode()
        self._allow = tuple(allow)
        self._limits = limits
        self.account = budget if isinstance(budget, Account) else Account(budget)
        """What was spent: calls that went on to who answers, tokens (estimated where nobody counted them), dollars."""
        self.errors: list[Exception] = []
        """What went wrong in the proxy itself, and is not an exchange on record: faults to be reported."""
        self.heard: Callable[[Exchange], object] = lambda _: None
        """Told of each request when it has come, and again with its reply; both are on record already."""
        self._prices = prices
        self._path = record
        self._secrets = tuple(secrets)
        self._stack = AsyncExitStack()
        self._held = Held(limits.bodies_bytes)
        self._count = 0

    async def __aenter__(self) -> "Proxy":
        secrets = [
            self._token.decode(),
            *self._secrets,
            *([self._behind.key] if isinstance(self._behind, Upstream) else []),
        ]
        async with AsyncExitStack() as stack:
            self._recorder = stack.enter_context(closing(Recorder(self._path, secrets, self._limits.record_bytes)))
            self._answers = await self._begin_answers(stack)
            self._room = anyio.Semaphore(self._limits.connections)
            self._group = await stack.enter_async_context(anyio.create_task_group())
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._group.cancel_scope.cancel()
        await self._stack.aclose()  # the error is the caller's; the task group would wrap it

    async def _begin_answers(self, stack: AsyncExitStack) -> Answers:
        behind = self._behind
        if isinstance(behind, Upstream):
            limits = self._limits
            relay = UpstreamAnswers(behind, limits.answer_s, server_tools=limits.server_tools)
            return await stack.enter_async_context(aclosing(relay))
        if isinstance(behind, Answers):
            return behind
        names = [name for name in self._allow if not set(name) & set("*?[")] or [behind.name]
        return ModelAnswers(behind, names, self._limits)

    def serve(self, listener: socket.socket) -> str:
        """Answer on a listening socket, which the proxy takes over; return its address as clients write it."""
        host, port = listener.getsockname()[:2]
        self._group.start_soon(partial(serve, listener, self._limits, self._serve_connection, room=self._room))
        return f"http://{host}:{port}"

    @property
    def exchanges(self) -> list[Exchange]:
        """Everything that went through the proxy, in the order of the requests."""
        return self._recorder.exchanges()

    async def _serve_connection(self, connection: Connection) -> None:
        try:
            async for head in connection_requests(connection):
                await self._serve_exchange(connection, head)
        except (OSError, h11.LocalProtocolError):
            raise  # the client is gone
        except Exception as error:  # noqa: BLE001 - hostile code writes the requests: its own affair, and kept
            self.errors = [*self.errors, error][-_MOST_ERRORS:]

    async def _serve_exchange(self, connection: Connection, head: Head) -> None:
        began, at = time.monotonic(), datetime.datetime.now(datetime.UTC)
        number, self._count = self._count, self._count + 1
        made = ReplyIdentity(id=digest("proxy", self._token.decode(), number)[:24], at=int(at.timestamp()), model="")
        question = Question(head=head, route=request_route(head), made=made)
        reply = Reply(connection, self._limits.reply_bytes)
        outcome, request = Outcome(_CLOSED), None
        try:
            refusal = None
            try:
                question = await self._read_question(question, connection)
            except Refusal as error:
                refusal = error
            request = request_note(question, number, at, self._recorder.clean)
            self._recorder.add(request)
            self._tell_listener(Exchange(request=request))
            if refusal:
                outcome.error = str(refusal)
                await _refuse_question(question, reply, refusal)
            else:
                await self._attend_question(question, connection, reply, outcome)
        finally:
            self._held.taken -= len(question.raw)
            ended = reply_note(number, reply, outcome, began, self._recorder.clean)
            self._recorder.add(ended)
            if request is not None:
                self._tell_listener(Exchange(request=request, reply=ended))

    def _tell_listener(self, exchange: Exchange) -> None:
        try:
            self.heard(exchange)
        except Exception as error:  # noqa: BLE001 - who listens must not keep a client from its answer
            self.errors = [*self.errors, error][-_MOST_ERRORS:]

    async def _read_question(self, question: Question, connection: Connection) -> Question:
        """The request with its body.

        Raises:
            Refusal: It is from nobody that we know, or not to be read.
        """
        head = question.head
        if not any(hmac.compare_digest(shown.encode("utf-8", "replace"), self._token) for shown in token_of(head)):
            raise Refusal(401, "this is not the token of this trial; send the one that the agent was given as its key")
        if self._recorder.full:
            raise Refusal(403, "the record of this trial is full; nothing more is answered")
        encoding = head.header_value("content-encoding").strip().lower()
        raw = await self._held.read(connection)
        try:
            return question.read(raw, decompressed_body(raw, encoding, self._limits.body_bytes))
        except BaseException:
            self._held.taken -= len(raw)
            raise

    async def _attend_question(
        self, question: Question, connection: Connection, reply: Reply, outcome: Outcome
    ) -> None:
        async def watch() -> None:
            await connection.peer.hung_up()
            if outcome.error == _CLOSED:  # a client that has just read why it is refused may go before we are done
                outcome.error = _HUNG_UP
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            try:
                await self._answer_billed(question, reply, outcome)
                outcome.error = ""
            except (Refusal, ModelError, BudgetError) as error:
                outcome.error = str(error)
                await _refuse_question(question, reply, error)
            except OSError as error:
                outcome.error = f"the client is gone: {error}"
            except Exception as error:  # noqa: BLE001 - hostile code writes the requests: its own affair, and on record
                outcome.error = f"{type(error).__name__}: {error}"
                await _refuse_question(question, reply, Refusal(500, "an error in the proxy; its record says which"))
            group.cancel_scope.cancel()
        if outcome.error == _HUNG_UP and outcome.whole:  # some clients go when they have heard the last word
            outcome.error = ""

    async def _answer_billed(self, question: Question, reply: Reply, outcome: Outcome) -> None:
        operation, model = question.route.operation, question.model
        if operation == "other":
            raise Refusal(404, f"{question.head.method} {question.route.path[:200]} is not served here")
        if operation != "models" and not question.found:
            raise Refusal(400, question.why)
        if operation != "models" and self._allow and not any(fnmatch.fnmatchcase(model, name) for name in self._allow):
            raise Refusal(404, f"the model {model[:200]!r} may not be used in this trial; use {', '.join(self._allow)}")
        if operation != "answer":
            await self._answers.answer(question, reply)
            return
        most = question.asked.settings.max_tokens if question.asked else None
        async with self.account.billed_call(None if most is None else len(question.body) + most) as bill:
            try:
                outcome.message = await self._answers.answer(question, reply)
                outcome.whole = True
            finally:
                if outcome.message is None:
                    outcome.message = relayed_message(question, reply, outcome)
                    outcome.whole = outcome.whole or bool(outcome.message and outcome.message.stop)
                bill.usage = call_usage(question, reply, outcome.message, self._prices or default_prices())
                outcome.usd = bill.usage.usd if bill.usage else None


async def _refuse_question(question: Question, reply: Reply, error: HonestlyError) -> None:
    """Say in the dialect why there is no answer, or no more of it."""
    dialect = question.route.dialect
    status = status_of(error, dialect.name)
    with suppress(OSError, h11.LocalProtocolError):
        if not reply.status:
            wait = getattr(error, "retry_after_s", None)
            headers = [] if wait is None else [("retry-after", str(math.ceil(wait)))]
            await reply.send_whole(status, json_bytes(dialect.error(status, f"honestly: {error}")), headers)
        elif reply.kind.startswith(EVENTS):
            await reply.send_note(dialect.broken(status, f"honestly: {error}", question.made))
            await reply.end_body()
