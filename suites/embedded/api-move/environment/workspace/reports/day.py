"""What a day's text says; values in the texts are Wh."""

from meters import clip, read, total


def consumption(text):
    """Sum of the day's values in Wh, as a float; 0.0 if there are none. ValueError if the text is malformed."""
    return float(total(read(text)))


def window(text, first, last):
    """The same for the readings from `first` to `last`, both included; hours and minutes, as "HH:MM"."""
    return float(total(clip(read(text), _seconds(first), _seconds(last))))


def peak(text):
    """The reading with the greatest value as ("HH:MM", float); the earliest of equal ones; None if there is none."""
    best = None
    for time, value in read(text):
        if best is None or value > best[1]:
            best = time, value
    return best and (f"{best[0] // 3600:02d}:{best[0] // 60 % 60:02d}", best[1])


def _seconds(clock):
    hours, minutes = clock.split(":")
    return 3600 * int(hours) + 60 * int(minutes)
