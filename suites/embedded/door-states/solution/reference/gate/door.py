"""Controls a door by a table of states and events."""

from enum import Enum


class State(Enum):
    """What the door is doing; the value is how the log says it."""

    CLOSED = "closed"
    OPENING = "opening"
    OPENING_BLOCKED = "opening, blocked"
    OPENING_WAITED = "opening, car waiting"
    OPENING_BLOCKED_WAITED = "opening, blocked, car waiting"
    OPEN = "open"
    OPEN_BLOCKED = "open, blocked"
    CLOSING = "closing"
    ALARM = "ALARM, open"
    ALARM_BLOCKED = "ALARM, open, blocked"


TRANSITIONS = {
    (State.CLOSED, "car"): (State.OPENING, "open"),
    (State.OPENING, "car"): (State.OPENING_WAITED, "none"),
    (State.OPENING, "opened"): (State.OPEN, "start timer"),
    (State.OPENING, "block"): (State.OPENING_BLOCKED, "none"),
    (State.OPENING_BLOCKED, "car"): (State.OPENING_BLOCKED_WAITED, "none"),
    (State.OPENING_BLOCKED, "opened"): (State.OPEN_BLOCKED, "start timer"),
    (State.OPENING_BLOCKED, "free"): (State.OPENING, "none"),
    (State.OPENING_WAITED, "opened"): (State.OPEN, "start long timer"),
    (State.OPENING_WAITED, "block"): (State.OPENING_BLOCKED_WAITED, "none"),
    (State.OPENING_BLOCKED_WAITED, "opened"): (State.OPEN_BLOCKED, "start long timer"),
    (State.OPENING_BLOCKED_WAITED, "free"): (State.OPENING_WAITED, "none"),
    (State.OPEN, "car"): (State.OPEN, "restart timer"),
    (State.OPEN, "timer"): (State.CLOSING, "close"),
    (State.OPEN, "block"): (State.OPEN_BLOCKED, "none"),
    (State.OPEN_BLOCKED, "car"): (State.OPEN_BLOCKED, "restart timer"),
    (State.OPEN_BLOCKED, "timer"): (State.ALARM_BLOCKED, "sound alarm"),
    (State.OPEN_BLOCKED, "free"): (State.OPEN, "none"),
    (State.CLOSING, "car"): (State.OPENING, "reverse"),
    (State.CLOSING, "closed"): (State.CLOSED, "none"),
    (State.CLOSING, "block"): (State.OPENING_BLOCKED, "reverse"),
    (State.ALARM_BLOCKED, "free"): (State.ALARM, "none"),
    (State.ALARM, "block"): (State.ALARM_BLOCKED, "none"),
    (State.ALARM, "reset"): (State.CLOSING, "close"),
}


class Door:
    """A door that is opened by cars and closed by a timer."""

    EVENTS = ("car", "opened", "timer", "closed", "block", "free", "reset")

    def __init__(self) -> None:
        self.state = State.CLOSED

    def handle(self, event: str) -> str:
        """Takes note of an event; returns what is to be done."""
        event = self.EVENTS[self.EVENTS.index(event)]
        self.state, action = TRANSITIONS.get((self.state, event), (self.state, "ignored"))
        return action

    def describe(self) -> str:
        """The door in a few words, for the log."""
        return self.state.value
