"""A document with undo, kept as what each step replaced.

A change is noted as the value that a name had before. A transaction holds the first such note for each name; a step holds, for each of its names, the values
before and after.
"""

from collections import deque

_ABSENT = object()


class NoTransaction(RuntimeError):
    """Raised for the end of a transaction that was not begun."""


class InTransaction(RuntimeError):
    """Raised for undo and redo while a transaction is open."""


def _same(one, two):
    return one is two or (type(one) is type(two) and one == two)


class Journal:
    """A document of named values."""

    def __init__(self, limit=100):
        if limit < 0:
            raise ValueError(f"the limit must not be negative: {limit}")
        self._now = {}
        self._open = []
        self._done = deque(maxlen=limit)
        self._undone = []

    def set(self, name, value):
        """Gives a name a value."""
        self._change(name, value)

    def delete(self, name):
        """Removes a name."""
        if name not in self._now:
            raise KeyError(name)
        self._change(name, _ABSENT)

    def get(self, name):
        """The value of a name."""
        return self._now[name]

    def names(self):
        """All names, sorted."""
        return sorted(self._now)

    def depth(self):
        """How many transactions are open."""
        return len(self._open)

    def begin(self):
        """Starts a transaction."""
        self._open.append({})

    def commit(self):
        """Ends the innermost transaction and keeps its changes."""
        before = self._end()
        if self._open:
            for name, value in before.items():
                self._open[-1].setdefault(name, value)
        else:
            self._step(before)

    def rollback(self):
        """Ends the innermost transaction and takes back its changes."""
        for name, value in self._end().items():
            self._put(name, value)

    def undo(self):
        """Takes back the latest step; gives the names that changed."""
        return self._travel(self._done, self._undone, 0)

    def redo(self):
        """Does the latest undone step again."""
        return self._travel(self._undone, self._done, 1)

    def _change(self, name, value):
        before = self._now.get(name, _ABSENT)
        if _same(before, value):
            return
        self._put(name, value)
        if self._open:
            self._open[-1].setdefault(name, before)
        else:
            self._step({name: before})

    def _put(self, name, value):
        if value is _ABSENT:
            self._now.pop(name, None)
        else:
            self._now[name] = value

    def _end(self):
        if not self._open:
            raise NoTransaction("no transaction is open")
        return self._open.pop()

    def _step(self, before):
        changes = {}
        for name, old in before.items():
            new = self._now.get(name, _ABSENT)
            if not _same(old, new):
                changes[name] = old, new
        if changes:
            self._done.append(changes)
            self._undone.clear()

    def _travel(self, source, target, which):
        if self._open:
            raise InTransaction("a transaction is open")
        if not source:
            return None
        changes = source.pop()
        for name, values in changes.items():
            self._put(name, values[which])
        target.append(changes)
        return sorted(changes)
