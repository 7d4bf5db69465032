"""Forms: how groups and rows are written."""


def _cells(row, grouping):
    """A row's numbers as texts."""
    numbers = [f"{value:.1f}" for value in (row.low, row.high, row.mean)]
    return [str(row.count), *numbers, *[str(row.days)] * grouping.counts_days]


class _Text:
    """Lines to be read."""

    def head(self, grouping):
        """Nothing."""
        return []

    def group(self, label, grouping):
        """The label."""
        return [f"{grouping.prefix}{label}"]

    def row(self, label, row, grouping):
        """One line."""
        count, low, high, mean, *days = _cells(row, grouping)
        line = f"  {row.station}: {count}x, {low} to {high}, mean {mean}" + f" {row.unit}" * bool(row.unit)
        return line + "".join(f" (days: {number})" for number in days)

    def between(self):
        """Nothing."""
        return []


class _Markdown:
    """A table for each group."""

    def head(self, grouping):
        """Nothing."""
        return []

    def group(self, label, grouping):
        """A heading, and the head of a table."""
        names = ["station", "count", "low", "high", "mean"] + ["days"] * grouping.counts_days
        return [f"## {label}", "", f"| {' | '.join(names)} |", "|" + "---|" * len(names)]

    def row(self, label, row, grouping):
        """A row of the table."""
        name = row.station.replace("|", "\\|") + f" ({row.unit})" * bool(row.unit)
        return f"| {' | '.join([name, *_cells(row, grouping)])} |"

    def between(self):
        """An empty line."""
        return [""]


class _Csv:
    """One table."""

    def head(self, grouping):
        """Names of the columns."""
        return [f"{grouping.name},station,unit,count,low,high,mean" + ",days" * grouping.counts_days]

    def group(self, label, grouping):
        """Nothing."""
        return []

    def row(self, label, row, grouping):
        """A row of the table."""
        cells = [str(label), row.station, row.unit, *_cells(row, grouping)]
        return ",".join('"' + cell.replace('"', '""') + '"' if set(cell) & set(',"') else cell for cell in cells)

    def between(self):
        """Nothing."""
        return []


FORMS = {"text": _Text(), "markdown": _Markdown(), "csv": _Csv()}
