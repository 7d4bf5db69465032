"""Inputs, and formulas over them, which are called only with new arguments."""


class Cycle(ValueError):
    """Raised for a formula that would depend on itself."""


class _Formula:
    """A function, and what it last returned for which arguments."""

    def __init__(self, arguments, function):
        self.arguments, self.function = tuple(arguments), function
        self.last, self.value = None, None

    def update(self, values):
        """Calls the function if these values are not those of the last call."""
        if values != self.last:
            value = self.function(*values)
            self.last, self.value = values, value
        return self.value


class Sheet:
    """Named values."""

    def __init__(self):
        self._inputs = {}
        self._formulas = {}

    def set(self, name, value):
        """Sets an input; a formula of this name becomes an input."""
        self._formulas.pop(name, None)
        if self._inputs.get(name) != value:
            for formula in self._formulas.values():
                formula.last = None
        self._inputs[name] = value

    def define(self, name, arguments, function):
        """Makes a name a formula: `function` of the values of the names in `arguments`. An input or formula of this name is replaced.

        Names may be defined later than they are used as arguments.

        Raises:
            Cycle: the formula would depend on itself, over any number of others. Nothing changes then.
        """
        formula = _Formula(arguments, function)
        stack, seen = list(formula.arguments), set()
        while stack:
            other = stack.pop()
            if other == name:
                raise Cycle(name)
            if other not in seen:
                seen.add(other)
                stack.extend(self._formulas[other].arguments if other in self._formulas else ())
        self._inputs.pop(name, None)
        self._formulas[name] = formula

    def get(self, name):
        """The value of a name.

        Raises:
            KeyError: it, or a name that it needs, is neither an input nor a formula; the argument is that name.
        """
        values, stack = {}, [name]
        while stack:
            current = stack[-1]
            if current in values:
                stack.pop()
            elif current in self._inputs:
                values[current] = self._inputs[current]
            else:
                formula = self._formulas[current]
                missing = [other for other in formula.arguments if other not in values]
                if missing:
                    stack.extend(reversed(missing))
                else:
                    values[current] = formula.update([values[other] for other in formula.arguments])
        return values[name]
