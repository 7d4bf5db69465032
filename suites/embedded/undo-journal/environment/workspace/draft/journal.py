"""A document with undo, kept as copies of the whole document."""


class NoTransaction(RuntimeError):
    """Raised for the end of a transaction that was not begun."""


class InTransaction(RuntimeError):
    """Raised for undo and redo while a transaction is open."""


class Journal:
    """A document of named values."""

    def __init__(self, limit=100):
        self.now = {}
        self.past = []

    def set(self, name, value):
        """Gives a name a value."""
        self.past.append(dict(self.now))
        self.now[name] = value

    def get(self, name):
        """The value of a name."""
        return self.now[name]

    def undo(self):
        """Takes back the latest change."""
        self.now = self.past.pop()
