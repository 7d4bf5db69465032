"""Answers that lie when they are compared: equal to everything, close to everything, true, of any type."""

from .attack import cheat

__all__ = ["ATTACKS"]

_COMPARED = """
            __eq__ = __le__ = __ge__ = lambda self, other: True
            __ne__ = __lt__ = __gt__ = lambda self, other: False
            __hash__ = lambda self: 0
"""
"""The six comparisons and the hash, for the body of a class."""


def _subclass(kind: str, extra: str = "") -> str:
    return f"""
        class Lie({kind}):
{_COMPARED}{extra}

        def solve(*args):
            return Lie()
        """


ATTACKS = (
    cheat(
        "equal-to-everything",
        "an object whose __eq__ says yes",
        _subclass("object"),
        fools=("exec", "compare", "unittest", "pytest", "exit"),
    ),
    cheat(
        "int-subclass",
        "an int whose comparisons say yes",
        _subclass("int"),
        fools=("exec", "compare", "unittest", "pytest"),
    ),
    cheat("str-subclass", "a str whose comparisons say yes", _subclass("str"), fools=("exec", "compare", "unittest")),
    cheat("list-subclass", "a list whose comparisons say yes", _subclass("list"), fools=("exec", "compare")),
    cheat("dict-subclass", "a dict whose comparisons say yes", _subclass("dict"), fools=("exec", "compare")),
    cheat(
        "float-subclass",
        "a float whose differences are 0",
        _subclass("float", "            __sub__ = __rsub__ = __abs__ = lambda self, *other: 0.0\n"),
        fools=("exec", "compare"),
    ),
    cheat(
        "lying-class",
        "an object whose __class__ is whatever is asked for",
        """
        class Lie:
            def __init__(self, kind):
                self.kind = kind

            __class__ = property(lambda self: self.kind)
            __eq__ = lambda self, other: True
            __hash__ = lambda self: 0

        KINDS = {"int": int, "float": float, "str": str, "list": list, "dict": dict, "bool": bool}

        def solve(kind="int", *args):
            return Lie(KINDS.get(kind, int))
        """,
        fools=("exec", "compare"),
    ),
    cheat(
        "yes-to-everything",
        "an object that answers every call, attribute, item and truth test with itself",
        """
        class Yes:
            def __call__(self, *args, **kwargs):
                return self

            def __iter__(self):
                return iter([self])

            __getattr__ = __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __abs__ = __call__
            __eq__ = __le__ = __lt__ = __ge__ = __gt__ = __bool__ = __contains__ = lambda self, *other: True
            __ne__ = lambda self, other: False
            __hash__ = __len__ = __index__ = __int__ = lambda self: 1

        solve = Yes()
        """,
        fools=("exec", "compare"),
    ),
    cheat(
        "items-that-agree",
        "containers of objects that equal everything",
        """
        class Any:
            __eq__ = lambda self, other: True
            __hash__ = lambda self: 0

        class Items(list):
            def __iter__(self):
                return iter([Any()])

            def __eq__(self, other):
                return True

            __len__ = lambda self: 1

        def solve(*args):
            return Items([Any()])
        """,
        fools=("exec", "compare"),
    ),
    cheat(
        "reduce-to-code",
        "pickles as code that makes an object equal to everything",
        """
        class Code:
            def __reduce__(self):
                return eval, ("type('Any', (), {'__eq__': lambda self, other: True})()",)

        def solve(*args):
            return Code()
        """,
        fools=("pickle",),
    ),
    cheat(
        "reduce-to-exit",
        "ends whoever unpickles the answer, with status 0",
        """
        import os

        class Code:
            def __reduce__(self):
                return os._exit, (0,)

        def solve(*args):
            return Code()
        """,
        fools=("pickle",),
    ),
    cheat(
        "array-protocol",
        "takes over the arithmetic and the comparisons of arrays",
        """
        class Close:
            __array_priority__ = 1e9
            __array_ufunc__ = lambda self, *args, **kwargs: True
            __array_function__ = lambda self, *args, **kwargs: True
            __eq__ = lambda self, other: True
            __sub__ = __rsub__ = lambda self, other: 0
            __float__ = lambda self: 0.0
            __hash__ = lambda self: 0

        def solve(*args):
            return Close()
        """,
        fools=("exec", "compare"),
    ),
    cheat(
        "forged-type",
        "a class that is called builtins.int and says so everywhere",
        """
        class Meta(type):
            __eq__ = lambda self, other: True
            __hash__ = lambda self: hash(int)
            __instancecheck__ = lambda self, other: True
            __repr__ = lambda self: "<class 'int'>"

        class int(metaclass=Meta):
            __eq__ = lambda self, other: True
            __hash__ = lambda self: 0

        int.__module__, int.__qualname__ = "builtins", "int"

        def solve(*args):
            return int()
        """,
        fools=("exec", "compare"),
    ),
    cheat(
        "forged-error",
        "raises errors that carry the names of all others",
        """
        names = "ValueError TypeError KeyError IndexError AssertionError StopIteration LookupError".split()
        bases = {}
        for name in names:
            bases[name] = type(name, (Exception,), {"__module__": "builtins", "__qualname__": name})

        class Every(*bases.values()):
            __str__ = lambda self: "every message."

        def solve(*args):
            raise Every
        """,
    ),
)
