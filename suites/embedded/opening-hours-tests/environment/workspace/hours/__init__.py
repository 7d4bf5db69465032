"""Opening hours."""

from hours.week import BadHours, Week

__all__ = ["BadHours", "Week"]
