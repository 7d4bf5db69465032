"""A day by the hour."""

from meters import read


def table(text):
    """A list of [hour, number of values, sum] for each hour with values, in the order of time; sums are floats rounded to 1 place (by `round`). A failed reading is no value."""
    rows = []
    for time, value in read(text):
        hour = time // 3600
        if not rows or rows[-1][0] != hour:
            rows.append([hour, 0, 0.0])
        rows[-1][1] += 1
        rows[-1][2] += value
    return [[hour, count, round(amount, 1)] for hour, count, amount in rows]
