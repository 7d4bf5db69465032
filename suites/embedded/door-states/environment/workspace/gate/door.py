"""Controls a door by flags."""


class Door:
    """A door that is opened by cars and closed by a timer."""

    EVENTS = ("car", "opened", "timer", "closed", "block", "free", "reset")

    def __init__(self) -> None:
        self.moving = False
        self.open = False
        self.blocked = False
        self.alarm = False
        self.waiting = False

    def handle(self, event: str) -> str:
        """Takes note of an event; returns what is to be done."""
        if event not in self.EVENTS:
            raise ValueError(f"unknown event: {event!r}")
        if self.alarm:
            if event == "reset" and not self.blocked:
                self.alarm = False
                self.moving = True
                self.open = False
                self.waiting = False
                return "close"
            if event == "free" and self.blocked:
                self.blocked = False
                return "none"
            if event == "block" and not self.blocked:
                self.blocked = True
                return "none"
            return "ignored"
        if event == "car":
            if self.moving and not self.open:
                self.open = True
                return "reverse"
            if self.moving:
                if self.waiting:
                    return "ignored"
                self.waiting = True
                return "none"
            if self.open:
                return "restart timer"
            self.moving = True
            self.open = True
            return "open"
        if event == "opened" and self.moving and self.open:
            self.moving = False
            if self.waiting:
                self.waiting = False
                return "start long timer"
            return "start timer"
        if event == "timer" and self.open and not self.moving:
            if self.blocked:
                self.alarm = True
                return "sound alarm"
            self.moving = True
            self.open = False
            return "close"
        if event == "closed" and self.moving and not self.open:
            self.moving = False
            return "none"
        if event == "block" and self.open and not self.blocked:
            self.blocked = True
            return "none"
        if event == "block" and self.moving and not self.open:
            self.open = True
            self.blocked = True
            return "reverse"
        if event == "free" and self.blocked:
            self.blocked = False
            return "none"
        return "ignored"

    def describe(self) -> str:
        """The door in a few words, for the log."""
        words = []
        if self.alarm:
            words.append("ALARM")
        if self.moving:
            words.append("opening" if self.open else "closing")
        else:
            words.append("open" if self.open else "closed")
        if self.blocked:
            words.append("blocked")
        if self.waiting:
            words.append("car waiting")
        return ", ".join(words)
