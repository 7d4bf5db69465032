"""How reports are written. Forms know groupings and rows by their attributes only."""

from collections.abc import Iterable


class Text:
    """A line for each group, and below it the stations."""

    def head(self, grouping) -> list[str]:
        """Nothing."""
        return []

    def group(self, label, grouping) -> list[str]:
        """The label."""
        return [f"{grouping.prefix}{label}"]

    def row(self, label, row, grouping) -> str:
        """A sentence on a station."""
        parts = [f"  {row.station}: {row.count}x, {row.low:.1f} to {row.high:.1f}, mean {row.mean:.1f}"]
        if row.unit:
            parts.append(row.unit)
        if grouping.counts_days:
            parts.append(f"(days: {row.days})")
        return " ".join(parts)

    def between(self) -> list[str]:
        """Nothing."""
        return []


class Markdown:
    """A heading and a table for each group."""

    def head(self, grouping) -> list[str]:
        """Nothing."""
        return []

    def group(self, label, grouping) -> list[str]:
        """The heading, and what stands above a table's rows."""
        columns = ["station", "count", "low", "high", "mean", *_days("days", grouping)]
        return [f"## {label}", "", _piped(columns), "|" + "---|" * len(columns)]

    def row(self, label, row, grouping) -> str:
        """A row of a table."""
        name = row.station.replace("|", "\\|") + (f" ({row.unit})" if row.unit else "")
        return _piped([name, *_numbers(row), *_days(row.days, grouping)])

    def between(self) -> list[str]:
        """An empty line."""
        return [""]


class Csv:
    """One table with the labels in its first column; commas and quotes are quoted."""

    def head(self, grouping) -> list[str]:
        """The names of the columns."""
        return [_separated([grouping.name, *"station unit count low high mean".split(), *_days("days", grouping)])]

    def group(self, label, grouping) -> list[str]:
        """Nothing."""
        return []

    def row(self, label, row, grouping) -> str:
        """A row of the table."""
        return _separated([str(label), row.station, row.unit, *_numbers(row), *_days(row.days, grouping)])

    def between(self) -> list[str]:
        """Nothing."""
        return []


FORMS = {"text": Text(), "markdown": Markdown(), "csv": Csv()}


def _days(cell, grouping) -> list[str]:
    return [str(cell)] * bool(grouping.counts_days)


def _numbers(row) -> list[str]:
    return [str(row.count), *map("{:.1f}".format, (row.low, row.high, row.mean))]


def _piped(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _separated(cells: Iterable[str]) -> str:
    return ",".join('"' + cell.replace('"', '""') + '"' if {",", '"'} & set(cell) else cell for cell in cells)
