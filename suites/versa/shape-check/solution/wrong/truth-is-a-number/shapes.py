"""Shapes of data: what a document must look like, and where it does not."""

import re

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN = re.compile(r" *(?:(-?[0-9]+)|'([^']*)'|([A-Za-z_][A-Za-z0-9_]*)|(\.\.|[][{}()|,:?*]))")
_KINDS = {"int": int, "text": str, "bool": bool, "null": type(None)}


class ShapeError(ValueError):
    """A text that is no shape."""


class _Parser:
    def __init__(self, text):
        self.tokens, at, text = [], 0, text.rstrip(" ")
        while at < len(text):
            found = _TOKEN.match(text, at)
            if not found:
                raise ShapeError(f"unreadable from {text[at:]!r}")
            kind = found.lastindex
            self.tokens.append((kind, int(found[1]) if kind == 1 else found[kind]))
            at = found.end()
        self.tokens.append((0, None))

    def take(self, kind, value=None):
        """The next token, if it is of a kind and has a value; None otherwise."""
        found = self.tokens[0]
        if found[0] != kind or value not in (None, found[1]):
            return None
        return self.tokens.pop(0)

    def need(self, kind, value=None):
        """The next token, which must be of a kind and have a value."""
        found = self.take(kind, value)
        if not found:
            raise ShapeError(f"{value or 'something else'} expected before {self.tokens[0][1]!r}")
        return found[1]

    def shape(self):
        shapes = [self.one()]
        while self.take(4, "|"):
            shapes.append(self.one())
        return ("either", shapes) if len(shapes) > 1 else shapes[0]

    def one(self):
        if self.take(4, "("):
            shape = self.shape()
            self.need(4, ")")
            return shape
        if self.take(4, "["):
            shape = self.shape()
            self.need(4, "]")
            return "list", shape, self.bounds()
        if self.take(4, "{"):
            return self.record()
        for kind in (1, 2):
            found = self.take(kind)
            if found:
                return "same", found[1]
        name = self.need(3)
        if name in ("int", "text"):
            return name, self.bounds()
        return ("kind", name) if name in ("bool", "null", "any") else ("named", name)

    def bounds(self):
        """Least and greatest, each None if open."""
        if not self.take(4, "("):
            return None, None
        low = self.take(1)
        if self.take(4, ".."):
            high = self.take(1)
        else:
            high = low
        self.need(4, ")")
        low, high = low and low[1], high and high[1]
        if low is None and high is None or None not in (low, high) and low > high:
            raise ShapeError("bounds that hold nothing, or everything")
        return low, high

    def record(self):
        fields, others = {}, None
        while not self.take(4, "}"):
            if fields or others:
                self.need(4, ",")
            if others:
                raise ShapeError("something after *")
            if self.take(4, "*"):
                self.need(4, ":")
                others = self.shape()
                continue
            key = self.take(2) or (3, self.need(3))
            optional = self.take(4, "?") is not None
            self.need(4, ":")
            if key[1] in fields:
                raise ShapeError(f"twice {key[1]!r}")
            fields[key[1]] = (optional, self.shape())
        return "record", fields, others


class Shapes:
    """Named shapes."""

    def __init__(self, texts):
        self._shapes = {}
        for name, text in texts.items():
            if not _NAME.fullmatch(name) or name in ("any", *_KINDS):
                raise ShapeError(f"no name: {name!r}")
            parser = _Parser(text)
            self._shapes[name] = parser.shape()
            parser.need(0)
        for name, shape in self._shapes.items():
            self._look(shape)
            self._first(name, (name,))

    def _look(self, shape):
        """All names in a shape must be known."""
        if shape[0] == "named" and shape[1] not in self._shapes:
            raise ShapeError(f"unknown: {shape[1]}")
        for part in self._parts(shape):
            self._look(part)

    def _parts(self, shape):
        if shape[0] == "either":
            return shape[1]
        if shape[0] == "list":
            return [shape[1]]
        if shape[0] == "record":
            return [part for _, part in shape[1].values()] + ([shape[2]] if shape[2] else [])
        return []

    def _first(self, name, path):
        """A name must not stand for itself without a list or record between."""
        todo = [self._shapes[name]]
        while todo:
            shape = todo.pop()
            if shape[0] == "either":
                todo += shape[1]
            elif shape[0] == "named":
                if shape[1] in path:
                    raise ShapeError(f"{shape[1]} stands for itself")
                self._first(shape[1], (*path, shape[1]))

    def faults(self, name, value):
        """Where a value is not what a named shape says: (path, reason), in order."""
        return list(self._faults(self._shapes[name], value, ""))

    def fits(self, name, value):
        """Whether a value has a named shape."""
        return not self.faults(name, value)

    def _faults(self, shape, value, path):
        kind = shape[0]
        if kind == "named":
            yield from self._faults(self._shapes[shape[1]], value, path)
        elif kind == "either":
            tries = [list(self._faults(part, value, path)) for part in shape[1]]
            if all(tries):
                deeper = [faults for faults in tries if faults[0] != (path, "kind")]
                yield from deeper[0] if len(deeper) == 1 else [(path, "none")]
        elif kind == "same":
            if type(value) is not type(shape[1]):
                yield path, "kind"
            elif value != shape[1]:
                yield path, "value"
        elif kind == "kind":
            if shape[1] != "any" and type(value) is not _KINDS[shape[1]]:
                yield path, "kind"
        elif not isinstance(value, {"list": list, "record": dict, **_KINDS}[kind]):
            yield path, "kind"
        elif kind == "record":
            yield from self._record(shape, value, path)
        else:
            low, high = shape[-1]
            size = value if kind == "int" else len(value)
            if (low is not None and size < low) or (high is not None and size > high):
                yield path, "bounds"
            if kind == "list":
                for at, item in enumerate(value):
                    yield from self._faults(shape[1], item, f"{path}[{at}]")

    def _record(self, shape, value, path):
        def inside(key):
            return f"{path}.{key}" if _NAME.fullmatch(key) else f"{path}['{key}']"

        for key, (optional, part) in shape[1].items():
            if key in value:
                yield from self._faults(part, value[key], inside(key))
            elif not optional:
                yield inside(key), "missing"
        for key in sorted(value.keys() - shape[1].keys()):
            if shape[2]:
                yield from self._faults(shape[2], value[key], inside(key))
            else:
                yield inside(key), "unknown"
