"""Inputs, and formulas over them."""


class Cycle(ValueError):
    """Raised for a formula that would depend on itself."""


class Sheet:
    """Named values."""

    def __init__(self):
        self._inputs = {}
        self._formulas = {}

    def set(self, name, value):
        """Sets an input; a formula of this name becomes an input."""
        self._formulas.pop(name, None)
        self._inputs[name] = value

    def define(self, name, arguments, function):
        """Makes a name a formula: `function` of the values of the names in `arguments`. An input or formula of this name is replaced.

        Names may be defined later than they are used as arguments.

        Raises:
            Cycle: the formula would depend on itself, over any number of others. Nothing changes then.
        """
        stack, seen = list(arguments), set()
        while stack:
            other = stack.pop()
            if other == name:
                raise Cycle(name)
            if other not in seen:
                seen.add(other)
                stack.extend(self._formulas.get(other, ((), None))[0])
        self._inputs.pop(name, None)
        self._formulas[name] = tuple(arguments), function

    def get(self, name):
        """The value of a name.

        Raises:
            KeyError: it, or a name that it needs, is neither an input nor a formula; the argument is that name.
        """
        if name in self._inputs:
            return self._inputs[name]
        arguments, function = self._formulas[name]
        return function(*[self.get(other) for other in arguments])
