"""tinyq: small queries over what can be iterated. (Vendored, version 2.1; not ours to change.)"""

import functools

__all__ = ["Field", "Record", "Stream", "cached", "read", "retry", "stream"]

_MISSING = object()


class Stream:
    """Items, and what can be done with them. Nothing changes a stream; everything makes a new one."""

    def __init__(self, items=()):
        self._items = list(items)

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __getitem__(self, index):
        """An item for a number, a stream for a slice."""
        return Stream(self._items[index]) if isinstance(index, slice) else self._items[index]

    def map(self, function):
        return Stream(map(function, self._items))

    def where(self, condition=None):
        """Items for which the condition holds; without one, those that are not None."""
        if condition is None:
            return Stream(item for item in self._items if item is not None)
        return Stream(filter(condition, self._items))

    def zip(self, other):
        """Pairs with the items of anything that can be iterated."""
        return Stream(zip(self._items, other))

    def group(self, key):
        """Lists of items by what a function makes of them."""
        groups = {}
        for item in self._items:
            groups.setdefault(key(item), []).append(item)
        return groups

    def first(self, default=_MISSING):
        """The first item; of an empty stream the default, or an IndexError without one."""
        if self._items or default is _MISSING:
            return self._items[0]
        return default

    def fold(self, function, start):
        """`function(function(start, a), b)`, and so on."""
        return functools.reduce(function, self._items, start)

    def sort(self, *, key, reverse=False):
        return Stream(sorted(self._items, key=key, reverse=reverse))


def stream(*items):
    return Stream(items)


class Field:
    """A descriptor: of the class it is the field itself, of an instance its value."""

    def __init__(self, kind, default):
        self.kind = kind
        self.default = default

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        return self if instance is None else instance.__dict__.get(self.name, self.default)

    def __set__(self, instance, value):
        if not isinstance(value, self.kind):
            raise TypeError(f"{self.name} takes {self.kind.__name__}")
        instance.__dict__[self.name] = value


class Record:
    """What has fields."""

    def replace(self, **values):
        """A copy of the same class with other values."""
        made = type(self)()
        made.__dict__.update(self.__dict__)
        for name, value in values.items():
            setattr(made, name, value)
        return made

    @classmethod
    def many(cls, count):
        return [cls() for _ in range(count)]


def cached(function):
    """The function, which remembers what it gave, and has `forget()` and `hits`."""
    known = {}

    @functools.wraps(function)
    def call(*args, **kwargs):
        key = args, tuple(sorted(kwargs.items()))
        if key in known:
            call.hits += 1
        else:
            known[key] = function(*args, **kwargs)
        return known[key]

    call.hits = 0
    call.forget = known.clear
    return call


def retry(function=None, *, times=3):
    """`@retry` or `@retry(times=5)`: the function, called again as long as it raises OSError."""

    def wrap(inner):
        @functools.wraps(inner)
        def call(*args, **kwargs):
            for _ in range(times - 1):
                try:
                    return inner(*args, **kwargs)
                except OSError:
                    pass
            return inner(*args, **kwargs)

        return call

    return wrap if function is None else wrap(function)


def read(path, mode="text"):
    """A file: `text` gives a str, `bytes` bytes, `lines` a Stream of str."""
    with open(path, "rb") as file:
        data = file.read()
    if mode == "bytes":
        return data
    text = data.decode("utf-8")
    return text if mode == "text" else Stream(text.splitlines())
