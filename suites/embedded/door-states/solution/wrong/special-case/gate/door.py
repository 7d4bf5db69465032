"""Controls a door by a table of states and events."""

from enum import Enum


class State(Enum):
    """What the door is doing."""

    CLOSED = "closed"
    OPENING = "opening"
    OPEN = "open"
    CLOSING = "closing"
    OPENING_BLOCKED = "opening, blocked"
    OPEN_BLOCKED = "open, blocked"
    ALARM = "ALARM, open, blocked"


TRANSITIONS = {
    (State.CLOSED, "car"): (State.OPENING, "open"),
    (State.OPENING, "opened"): (State.OPEN, "start timer"),
    (State.OPENING, "block"): (State.OPENING_BLOCKED, "none"),
    (State.OPENING_BLOCKED, "opened"): (State.OPEN_BLOCKED, "start timer"),
    (State.OPEN_BLOCKED, "timer"): (State.ALARM, "sound alarm"),
    (State.OPEN, "timer"): (State.CLOSING, "close"),
    (State.CLOSING, "closed"): (State.CLOSED, "none"),
}


class Door:
    """A door that is opened by cars and closed by a timer."""

    EVENTS = ("car", "opened", "timer", "closed", "block", "free", "reset")

    def __init__(self) -> None:
        self.state = State.CLOSED

    def handle(self, event: str) -> str:
        """Takes note of an event; returns what is to be done."""
        self.state, action = TRANSITIONS.get((self.state, event), (self.state, "ignored"))
        return action

    def describe(self) -> str:
        """The door in a few words, for the log."""
        return self.state.value
