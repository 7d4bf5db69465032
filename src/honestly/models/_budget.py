"""The limits of spending: tokens, money, calls and seconds; asked for before each call, and never exceeded by more than
one.

A call is allowed while something of everything is left. Several at once could each be the last one, so each sets aside
the most that it can use (the bytes of what is sent, and `max_tokens`); one that does not fit beside those in flight
waits for them, and then goes alone or not at all. A call whose most is not known, without `max_tokens` or under a limit
in money, goes alone.

What a call used is known from the server. A call that failed counts as a call; what it may have cost is unknown, and
not counted. Where the server does not say what was used, or the price is unknown, a limit on it cannot be kept: the
next call is refused, which says so.
"""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio
import msgspec

from honestly.errors import BudgetError
from honestly.models._api import NO_SETTINGS, Message, Model, Settings, ToolSpec
from honestly.records import Usage
from honestly.work import Budget

_MESSAGE = 64
_IMAGE = 16_384


@dataclass(slots=True)
class Bill:
    """The usage of one call, filled in by whoever made the call."""

    usage: Usage | None = None
    """None: the call failed."""


class Account:
    """A budget, and what was spent of it. May be shared by many models and agents of one event loop."""

    def __init__(self, budget: Budget, *, clock: Callable[[], float] = time.monotonic) -> None:
        """An account that nothing was taken from yet."""
        self.budget = budget
        self.calls = 0
        """Calls so far, those in flight and those that failed included."""
        self.failed = 0
        self.tokens = 0
        self.usd = 0.0
        """Dollars spent, as far as costs are known."""
        self._unknown: set[str] = set()
        self._clock = clock
        self._began: float | None = None
        self._aside: list[float] = []
        self._waiting: list[anyio.Event] = []

    @property
    def seconds(self) -> float:
        """Seconds since the first call."""
        return 0.0 if self._began is None else self._clock() - self._began

    @asynccontextmanager
    async def billed_call(self, most: int | None) -> AsyncIterator[Bill]:
        """Make room for one call, which uses at most this many tokens (None: unknown).

        Raises:
            BudgetError: Something is spent; the call must not be made.
        """
        aside = await self._admit_call(float("inf") if most is None or self.budget.usd is not None else most)
        bill = Bill()
        try:
            yield bill
        finally:
            self._aside.remove(aside)
            usage = bill.usage
            if usage is None:
                self.failed += 1
            else:
                if usage.input_tokens is None or usage.output_tokens is None:
                    self._unknown.add("tokens")
                self.tokens += usage.tokens or 0
                if usage.usd is None:
                    self._unknown.add("usd")
                self.usd += usage.usd or 0.0
            for event in self._waiting:
                event.set()
            self._waiting.clear()

    async def _admit_call(self, most: float) -> float:
        while True:
            self._refuse_call()
            tokens, usd = self.budget.tokens, self.budget.usd
            if not self._aside or (tokens is None and usd is None):
                break
            if usd is None and self.tokens + sum(self._aside) + most <= (tokens or 0):
                break
            event = anyio.Event()
            self._waiting.append(event)
            await event.wait()
        self.calls += 1
        if self._began is None:
            self._began = self._clock()
        self._aside.append(most)
        return most

    def _refuse_call(self) -> None:
        budget, spent = self.budget, []
        if budget.calls is not None and self.calls >= budget.calls:
            spent.append(f"{self.calls} of {budget.calls} calls")
        if budget.tokens is not None and self.tokens >= budget.tokens:
            spent.append(f"{self.tokens} of {budget.tokens} tokens")
        if budget.usd is not None and self.usd >= budget.usd:
            spent.append(f"${self.usd:.4f} of ${budget.usd:.4f}")
        if budget.seconds is not None and self.seconds >= budget.seconds:
            spent.append(f"{self.seconds:.0f} of {budget.seconds:.0f} seconds")
        if spent:
            raise BudgetError(f"the budget is spent: {', '.join(spent)}")
        for name, advice in (("tokens", "limit calls"), ("usd", "give the model's prices (--price), or limit tokens")):
            if getattr(budget, name) is not None and name in self._unknown:
                raise BudgetError(f"a budget in {name} cannot be kept, because the last answer's are unknown; {advice}")


class BudgetModel:
    """A model that refuses calls beyond a budget."""

    def __init__(self, model: Model, budget: Budget | Account) -> None:
        """A model that asks `model`; an account may be shared with others."""
        self.name = model.name
        self.account = budget if isinstance(budget, Account) else Account(budget)
        """What was spent."""
        self._model = model

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The next message.

        Raises:
            BudgetError: The budget does not allow another call.
            ModelError: As the model does.
        """
        most = None if settings.max_tokens is None else most_tokens(messages, tools) + settings.max_tokens
        async with self.account.billed_call(most) as bill:
            answer = await self._model(messages, tools, settings)
            bill.usage = answer.usage
            return answer


def most_tokens(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> int:
    """An upper bound of the tokens that a model reads, about four times what English text really needs.

    A token of text is at least one byte, so bytes bound tokens; what templates add to each message, and what an image
    may cost, is allowed for generously.
    """
    size = 0
    for message in messages:
        size += _MESSAGE + _IMAGE * len(message.images) + _utf8_size(message.text) + len(message.opaque)
        size += sum(_MESSAGE + _utf8_size(call.name) + _utf8_size(call.arguments) for call in message.calls)
    for tool in tools:
        size += _MESSAGE + _utf8_size(tool.name) + _utf8_size(tool.doc) + len(msgspec.json.encode(tool.schema))
    return size


def _utf8_size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
