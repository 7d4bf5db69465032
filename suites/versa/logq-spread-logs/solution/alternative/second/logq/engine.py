"""Runs queries over logs."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from datetime import datetime
from functools import reduce
from itertools import chain

from logq import records, stages, values
from logq.bounds import Bounds, bounds
from logq.match import matches
from logq.query import BadQuery, read
from logq.records import BadLine, Row
from logq.rewrite import inward
from logq.tree import And, Compare, Has, Node, Not, Or

__all__ = ["BadQuery", "Log", "explain", "search"]


def _time(row: Row) -> datetime:
    time = values.read(row["time"])[1]
    assert isinstance(time, datetime)
    return time


class Log:
    """The lines of one file, in the order of time."""

    def __init__(self, lines: Iterable[str]) -> None:
        """BadLine if a line is not one of a log, or earlier than the one before."""
        self._rows = [records.read(line) for line in lines]
        self._times = [_time(row) for row in self._rows]
        if self._times != sorted(self._times):
            raise BadLine("the lines are not in the order of time")

    def between(self, limits: Bounds) -> list[Row]:
        """The rows between two times."""
        first, last = limits
        begin = 0 if first is None else bisect_left(self._times, first)
        end = len(self._rows) if last is None else bisect_right(self._times, last)
        return self._rows[begin:end]


def search(query: str, *logs: Log) -> list[Row]:
    """The rows that a query gives over all logs, taken together in the order of time.

    Raises:
        BadQuery: the query cannot be read.
    """
    parsed, steps = read(query)
    wanted = inward(parsed)
    limits = bounds(wanted)
    candidates = chain.from_iterable(log.between(limits) for log in logs)
    found = (dict(row) for row in candidates if matches(wanted, row))
    # Sorting is stable: of equal times, the rows stay in the order of the logs, and of their lines.
    return reduce(lambda rows, step: stages.run(step, rows), steps, sorted(found, key=_time))


def explain(query: str) -> str:
    """How the filter of a query is understood, and between which times logs are looked at."""
    node = inward(read(query)[0])
    first, last = bounds(node)
    begin, end = (time.isoformat() if time else "..." for time in (first, last))
    return f"{_text(node)} from {begin} to {end}"


def _text(node: Node) -> str:
    match node:
        case And(nodes):
            return f"all({', '.join(map(_text, nodes))})"
        case Or(nodes):
            return f"any({', '.join(map(_text, nodes))})"
        case Not(part):
            return f"not {_text(part)}"
        case Has(key):
            return f"has {key}"
        case Compare(key, op, value):
            return f"{key} {op} {value}"
