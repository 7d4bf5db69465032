"""The price of answers: a dated table, and the model that applies it.

Each row has its date and its source; a row of the user's own replaces all rows of that model. Prices are US dollars per
million tokens. Some models cost more when the request is long: then a row says above how many tokens, and the whole
request costs that. A model that is not in the table costs an unknown amount, which is None and never 0.

Not covered: what vendors charge beside tokens (searches, storage), discounts (batches, contracts), and cache writes
that last longer than the cheapest.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace as replace_record

from honestly._loose import read_whole
from honestly.errors import FormatError, ModelError
from honestly.models._api import NO_SETTINGS, Message, Model, Settings, ToolSpec
from honestly.records import Usage

_COLUMNS = ("model", "above_tokens", "input", "cached_input", "cache_write", "output", "date", "source")
_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|\d{3}|latest)$")
_MILLION = 1e6
_Dollars = Annotated[float, msgspec.Meta(ge=0, lt=_MILLION)]
_MOST_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """One row of a price table: US dollars per million tokens."""

    model: str
    above_tokens: int = 0
    """Tokens read in one request above which it holds."""
    input: _Dollars
    cached_input: _Dollars | None = None
    """Of tokens that were read from a cache; as `input` where None."""
    cache_write: _Dollars | None = None
    """Of tokens that were written to a cache; as `input` where None."""
    output: _Dollars
    date: str = ""
    """When it was seen, ISO 8601."""
    source: str = ""


class Prices:
    """A table of what models cost."""

    def __init__(self, rows: Iterable[Price], other: Price | None = None) -> None:
        """A table; `other` is what models cost that are not in it, where that is known."""
        self._other = other
        self._rows: dict[str, list[Price]] = {}
        for row in sorted(rows, key=lambda row: row.above_tokens):
            self._rows.setdefault(row.model, []).append(row)

    def over(self, other: Prices) -> Prices:
        """This table, completed with the models of another one that it lacks."""
        kept = [row for model, rows in other._rows.items() if model not in self._rows for row in rows]
        return Prices([*(row for rows in self._rows.values() for row in rows), *kept])

    def of(self, model: str, tokens: int = 0) -> Price | None:
        """The price of a request with so many tokens; a date at the end of the name does not matter.

        Args:
            model: By any of its names: `claude-opus-4-5`, `claude-opus-4-5-20251101`, `models/gemini-2.5-pro`.
            tokens: Read by the model.
        """
        name = model.rpartition("/")[2]
        rows = self._rows.get(model) or self._rows.get(name) or self._rows.get(_DATED.sub("", name)) or []
        return next((row for row in reversed(rows) if tokens > row.above_tokens or not row.above_tokens), self._other)

    def first_cost(self, models: Iterable[str], usage: Usage) -> float | None:
        """The cost by the first of these names whose price is known."""
        costs = (self.usage_cost(model, usage) for model in models if model)
        return next((cost for cost in costs if cost is not None), None)

    def usage_cost(self, model: str, usage: Usage) -> float | None:
        """The cost of this usage in US dollars; None where the price or the number of tokens is unknown."""
        read, written = usage.input_tokens, usage.output_tokens
        if read is None or written is None or (price := self.of(model, read)) is None:
            return None
        cached, stored = usage.cached_tokens or 0, usage.cache_write_tokens or 0
        parts = (
            (max(0, read - cached - stored), price.input),
            (cached, price.input if price.cached_input is None else price.cached_input),
            (stored, price.input if price.cache_write is None else price.cache_write),
            (written, price.output),
        )
        return math.fsum(tokens * each for tokens, each in parts) / _MILLION


class PricedModel:
    """A model that fills in the cost of each answer, if the server does not report it."""

    def __init__(self, model: Model, prices: Prices) -> None:
        self.name = model.name
        self._model, self._prices = model, prices

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The next message, priced by the name of the model that answered, or else of the one that was asked for."""
        answer = await self._model(messages, tools, settings)
        if answer.usage.usd is not None:
            return answer
        names = [answer.model, answer.sent.model if answer.sent else ""]
        return replace(answer, usage=replace_record(answer.usage, usd=self._prices.first_cost(names, answer.usage)))


def read_price(text: str) -> Price:
    """Read the price that somebody typed: `[MODEL=]IN/OUT[/CACHED]`, in US dollars per million tokens.

    Raises:
        ModelError: It is none.
    """
    model, _, numbers = text.rpartition("=")
    try:
        read, written, *cached = (float(number) for number in numbers.split("/"))
        plain = {"input": read, "output": written, **({"cached_input": cached.pop(0)} if cached else {})}
        if cached:
            raise ValueError
        return msgspec.convert({"model": model, **plain}, Price)
    except ValueError:  # what msgspec says of negative numbers is one
        raise ModelError(
            f"{text!r} is not a price; expected US dollars per million tokens read and written, such as 0.3/2.5, with "
            "those from a cache 0.3/2.5/0.03, and before it the model's name where there are several: NAME=0.3/2.5"
        ) from None


def read_prices(path: Path) -> Prices:
    """Read a table of prices from a CSV file with the columns of ours.

    `above_tokens`, `date` and `source` may be missing.

    Raises:
        FormatError: It cannot be read, or a row of it is not a price.
    """
    data = read_whole(path, _MOST_BYTES, "the table of prices", FormatError)
    try:
        return _read_prices(data.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        raise FormatError(f"the table of prices {str(path)!r} cannot be read: {error}") from None


@cache
def default_prices() -> Prices:
    """The table of prices that comes with the package."""
    return _read_prices((files("honestly.models") / "prices.csv").read_text("utf-8"), "prices.csv")


def _read_prices(text: str, where: str) -> Prices:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    unknown = set(reader.fieldnames or ()) - set(_COLUMNS)
    missing = {"model", "input", "output"} - set(reader.fieldnames or ())
    if unknown or missing:
        found = ", ".join(sorted(map(str, unknown | missing)))
        raise FormatError(f"{where}: unknown or missing columns: {found}; expected {', '.join(_COLUMNS)}")
    try:
        given = ({name: value for name, value in row.items() if name and value} for row in reader)
        return Prices([msgspec.convert(row, Price, strict=False) for row in given])
    except (ValueError, csv.Error) as error:
        raise FormatError(f"{where}, line {reader.line_num}: {error}; expected prices in US dollars") from None
