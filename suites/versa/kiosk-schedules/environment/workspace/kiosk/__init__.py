"""A kiosk whose workers share cells and locks, one operation at a time."""

from kiosk.play import Outcome, play

__all__ = ["Outcome", "play"]
