"""Hidden checks of recalc-cutoff: the calls that formulas get, counted on this side of the wire, against a model."""

from grader import raises


class Model:
    """Oracle: the calls that are allowed, by recursion; and the values."""

    def __init__(self):
        self.inputs, self.formulas, self.calls = {}, {}, []

    def depends(self, name, other):
        """Whether a name depends on another one, or is it."""
        return name == other or any(self.depends(argument, other) for argument in self.formulas.get(name, [()])[0])

    def set(self, name, value):
        """Sets an input."""
        self.formulas.pop(name, None)
        self.inputs[name] = value

    def define(self, name, arguments, function):
        """Defines a formula; False if it would be a cycle."""
        if any(self.depends(argument, name) for argument in arguments):
            return False
        self.inputs.pop(name, None)
        self.formulas[name] = [arguments, function, None]
        return True

    def get(self, name, values=None):
        """The value; notes calls. Raises KeyError as documented, or what a formula raises."""
        values = {} if values is None else values
        if name in values:
            return values[name]
        if name in self.inputs:
            return self.inputs[name]
        if name not in self.formulas:
            raise KeyError(name)
        formula = self.formulas[name]
        given = [self.get(argument, values) for argument in formula[0]]
        if formula[2] is None or formula[2][0] != given:
            self.calls.append((name, given))
            formula[2] = given, formula[1](*given)
        values[name] = formula[2][1]
        return values[name]


class Both:
    """A sheet of the solution's beside a model; formulas of both are the same, and are noted apart."""

    def __init__(self, ws):
        self.sheet, self.model, self.calls = ws.load("model").Sheet(), Model(), []

    def set(self, name, value):
        """Sets an input."""
        self.sheet.set(name, value)
        self.model.set(name, value)

    def define(self, name, arguments, function):
        """Defines a formula, or demands that it is refused."""

        def noted(*values):
            self.calls.append((name, list(values)))
            return function(*values)

        if self.model.define(name, arguments, function):
            self.sheet.define(name, arguments, noted)
        else:
            with raises("Cycle"):
                self.sheet.define(name, arguments, noted)

    def get(self, name):
        """Demands the same value or error and the same calls."""
        self.calls.clear()
        self.model.calls.clear()
        try:
            wanted = self.model.get(name)
        except (KeyError, ZeroDivisionError) as error:
            with raises(type(error)) as caught:
                self.sheet.get(name)
            assert str(error) in str(caught.value), (name, str(caught.value))
        else:
            assert self.sheet.get(name) == wanted, name
        assert self.calls == self.model.calls, (name, self.calls, self.model.calls)


FUNCTIONS = (
    lambda *values: sum(values) % 3,
    lambda *values: max(values, default=0),
    lambda *values: 10 // (values[0] if values else 5),
    lambda *values: len(values),
)


def test_random_sheets(ws):
    """Definitions, changes and questions in any order; small values, so that much stays equal."""
    names = [f"n{k}" for k in range(9)]
    for _ in range(8):
        both = Both(ws)
        for _ in range(40):
            kind = ws.rng.choice(("set", "set", "define", "define", "get", "get", "get"))
            name = ws.rng.choice(names)
            if kind == "set":
                both.set(name, ws.rng.randrange(3))
            elif kind == "define":
                both.define(name, ws.rng.choices(names, k=ws.rng.randrange(4)), ws.rng.choice(FUNCTIONS))
            else:
                both.get(name)
        for name in names:
            both.get(name)


def test_cutoff(ws):
    """A change that a formula swallows goes no further; one that comes back costs as much as any other."""
    both = Both(ws)
    both.define("half", ["x"], lambda x: x // 2)
    both.define("square", ["half"], lambda h: h * h)
    both.define("all", ["square", "half", "square", "y"], lambda *values: sum(values))
    for x, y in ((4, 1), (5, 1), (6, 1), (4, 1), (4, 2), (-1, 2), (0, 2)):
        both.set("x", x)
        both.set("y", y)
        both.get("half")
        both.get("all")
        both.get("all")
    both.set("x", 0.0)
    both.get("all")
    both.set("x", True)
    both.get("all")


def test_only_what_is_needed(ws):
    """Formulas that are not asked for are not called, also when they are defined anew."""
    both = Both(ws)
    both.set("a", 1)
    for name, arguments in (("b", ["a"]), ("c", ["a"]), ("d", ["b"]), ("e", ["c", "d"])):
        both.define(name, arguments, lambda *values: sum(values) + 1)
    for name in ("d", "a", "b", "e", "c"):
        both.get(name)
    both.define("b", ["a"], lambda a: 2)
    both.get("c")
    both.get("e")
    both.set("c", 5)
    both.get("e")
    both.define("f", [], lambda: 7)
    both.get("f")
    both.get("f")


def test_errors(ws):
    """What raises is called again, what was computed before stays; missing names are named."""
    both = Both(ws)
    both.set("x", 0)
    both.define("ok", ["x"], lambda x: x + 1)
    both.define("bad", ["ok", "x"], lambda ok, x: ok // x)
    both.define("top", ["bad", "lost"], lambda *values: values)
    for _ in range(2):
        both.get("bad")
        both.get("top")
    both.set("x", 1)
    both.get("top")
    both.get("bad")
    both.set("x", 0)
    both.get("bad")
    both.set("x", 1)
    both.get("bad")
    both.get("nothing")


def test_cycles(ws):
    """Refused over any distance, and the old definition stays; an input can take the place of a formula."""
    both = Both(ws)
    both.define("a", ["b"], lambda b: b)
    both.define("b", ["c", "d"], lambda c, d: c + d)
    both.set("c", 1)
    both.set("d", 2)
    for name, arguments in (("c", ["a"]), ("d", ["c", "b"]), ("a", ["a"]), ("b", ["c", "b"])):
        both.define(name, arguments, lambda *values: 0)
        both.get("a")
    both.set("b", 9)
    both.define("c", ["a"], lambda a: -a)
    both.get("c")


def test_arguments_belong_to_the_caller(ws):
    """Changing the list of arguments later changes nothing."""
    code = (
        "from model import Sheet\ns = Sheet()\ns.set('a', 1); s.set('b', 2)\nnames = ['a']\n"
        "s.define('x', names, lambda *v: v)\nnames.append('b')\nprint(s.get('x'))\n"
        "s.define('y', (n for n in 'ab'), lambda *v: v)\nprint(s.get('y'))\n"
    )
    assert ws.run(["python3", "-c", code]).stdout.split("\n")[0] == "(1,)"


def test_deep_and_wide(ws):
    """20,000 levels without recursion, and a ladder in which every formula is used twice."""
    code = (
        "from model import Sheet\ns = Sheet()\ncalls = [0]\n"
        "def add(*v):\n    calls[0] += 1\n    return sum(v) % 1000 + 1\n"
        "s.set('n0', 1)\n"
        "for k in range(20_000): s._formulas.__class__; s.define(f'n{k + 1}', [f'n{k}'] * 2, add)\n"
    )
    code = code.replace("s._formulas.__class__; ", "")
    code = code.replace("for k in range(20_000)", "for k in reversed(range(20_000))")
    code += "print(s.get('n20000') > 0, calls)\ns.set('n0', 1)\ns.get('n20000')\nprint(calls)\n"
    assert ws.run(["python3", "-c", code], timeout=4).stdout == "True [20000]\n[20000]\n"
