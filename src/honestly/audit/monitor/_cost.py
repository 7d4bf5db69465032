"""The cost of judging: an estimate before, a meter during, and a budget that is kept.

The meter lets a call go if what was spent, what the calls in flight are expected to cost, and what this one is expected
to cost fit the budget; so it can be exceeded by no more than the error of the estimates of the calls in flight. What a
call that failed cost is not known, and not counted. A model without a price has no cost: never 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from honestly.errors import BudgetError
from honestly.models import NO_SETTINGS, Message, Model, Prices, Settings, ToolSpec
from honestly.records import Usage

# About, for estimates before anything is asked.
_CHARACTERS_PER_TOKEN = 4
# Tokens of an answer that is expected: a summary and few findings for each of some eight trials.
_ANSWER = 700


@dataclass(slots=True)
class Estimate:
    """The estimated cost of asking one model."""

    model: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, characters: int) -> None:
        """One more call with so much text."""
        self.calls += 1
        self.input_tokens += characters // _CHARACTERS_PER_TOKEN
        self.output_tokens += _ANSWER

    def usd(self, prices: Prices) -> float | None:
        """In US dollars; None where the price is unknown."""
        if not self.calls:
            return 0.0
        each = Usage(input_tokens=self.input_tokens // self.calls, output_tokens=self.output_tokens // self.calls)
        # Priced call by call: long requests cost more with some vendors, and the sum of short ones is not long.
        one = usd_of(self.model, each, prices)
        return None if one is None else one * self.calls


def usd_of(model: str, usage: Usage, prices: Prices) -> float | None:
    """The cost of that with a model, by the name that users give it."""
    name = model.partition("#")[2] if "#" in model else model.partition(":")[2] or model
    return prices.usage_cost(name, usage)


def price_known(model: str, prices: Prices) -> bool:
    """Whether the table has a price for a model, by the name that users give it."""
    return usd_of(model, Usage(input_tokens=0, output_tokens=0), prices) is not None


@dataclass(slots=True)
class MonitorBudget:
    """The budget and its spending; shared by all models of a run."""

    prices: Prices
    budget: float | None = None
    """US dollars; None is no limit."""
    usd: float = 0.0
    """What the calls cost so far, as far as it is known."""
    unpriced: int = 0
    """Calls whose cost is not known."""
    calls: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    in_flight: float = 0.0
    """US dollars that the calls in flight are expected to cost."""

    def admit_call(self, expected: float) -> None:
        """Lets a call go.

        Raises:
            BudgetError: it does not fit, or what the last ones cost is not known.
        """
        if self.budget is None:
            return
        if self.unpriced:
            raise BudgetError("the budget cannot be kept: the last answer's cost is unknown; give --prices")
        if self.usd + self.in_flight + expected > self.budget:
            raise BudgetError(f"the budget is spent: ${self.usd:.4f} of ${self.budget:.4f}")

    def settle(self, usage: Usage, usd: float | None) -> None:
        """Notes what an answer used."""
        self.calls += 1
        self.input_tokens += usage.input_tokens or 0
        self.output_tokens += usage.output_tokens or 0
        if usd is None:
            self.unpriced += 1
        self.usd += usd or 0.0


class Meter:
    """Asks a model and notes what it costs."""

    def __init__(self, model: Model, purse: MonitorBudget) -> None:
        """A model that asks `model`, out of this purse."""
        self.name = model.name
        self._model, self._purse = model, purse

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The next message.

        Raises:
            BudgetError: nothing more may be spent.
            ModelError: as the model does.
        """
        tokens = sum(len(message.text) for message in messages) // _CHARACTERS_PER_TOKEN
        likely = Usage(input_tokens=tokens, output_tokens=_ANSWER)
        expected = usd_of(self.name, likely, self._purse.prices) or 0.0
        self._purse.admit_call(expected)
        self._purse.in_flight += expected
        try:
            answer = await self._model(messages, tools, settings)
        except BaseException:
            self._purse.failed += 1
            raise
        finally:
            self._purse.in_flight -= expected
        usd = answer.usage.usd
        self._purse.settle(
            answer.usage, usd if usd is not None else usd_of(self.name, answer.usage, self._purse.prices)
        )
        return answer
