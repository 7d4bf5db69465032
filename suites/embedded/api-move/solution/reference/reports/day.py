"""What a day's text says; values in the texts are Wh."""

from meters import EmptySeries, ParseError, parse


def consumption(text):
    """Sum of the day's values in Wh, as a float; 0.0 if there are none. ValueError if the text is malformed."""
    return _total(_series(text))


def window(text, first, last):
    """The same for the readings from `first` to `last`, both included; hours and minutes, as "HH:MM"."""
    series = _series(text)
    # Times are whole minutes, and the series leaves its end out.
    return _total(series.between(_seconds(first) - series.start, _seconds(last) - series.start + 1))


def peak(text):
    """The reading with the greatest value as ("HH:MM", float); the earliest of equal ones; None if there is none."""
    series = _series(text)
    best = None
    for time, value in series.oldest_first():
        if value is not None and (best is None or value > best[1]):
            best = time + series.start, value
    return best and (f"{best[0] // 3600:02d}:{best[0] // 60 % 60:02d}", float(best[1]))


def _series(text):
    try:
        return parse(text, unit="Wh")
    except ParseError as error:
        raise ValueError(str(error)) from error


def _total(series):
    try:
        return float(series.total())
    except EmptySeries:
        return 0.0


def _seconds(clock):
    hours, minutes = clock.split(":")
    return 3600 * int(hours) + 60 * int(minutes)
