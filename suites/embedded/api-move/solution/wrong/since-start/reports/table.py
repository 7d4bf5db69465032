"""A day by the hour."""

from reports.day import _series


def table(text):
    """A list of [hour, number of values, sum] for each hour with values, in the order of time; sums are floats rounded to 1 place (by `round`). A failed reading is no value."""
    rows = []
    series = _series(text)
    for time, value in series.oldest_first():
        if value is None:
            continue
        hour = time // 3600 + series.start // 3600
        if not rows or rows[-1][0] != hour:
            rows.append([hour, 0, 0.0])
        rows[-1][1] += 1
        rows[-1][2] += float(value)
    return [[hour, count, round(amount, 1)] for hour, count, amount in rows]
