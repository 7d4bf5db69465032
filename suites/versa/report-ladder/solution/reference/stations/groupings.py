"""Groupings: which readings come together."""


class _Day:
    """By days."""

    name, prefix, counts_days = "day", "", False

    def label(self, time):
        """The day."""
        return time.strftime("%Y-%m-%d")


class _Week:
    """By weeks of ISO 8601."""

    name, prefix, counts_days = "week", "week ", True

    def label(self, time):
        """The week."""
        year, week, _day = time.isocalendar()
        return f"{year}-W{week:02d}"


GROUPINGS = {"day": _Day(), "week": _Week()}
