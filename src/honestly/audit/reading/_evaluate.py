"""What a program in Python answers to an example, as far as that can be told without running it.

A small evaluator of plain data with a budget: it reads the syntax, calls nothing but the harmless functions that are named
here, and goes on where it does not understand. For each value it knows whether it stands in the source as it is
(`literal`) and what of the input it tells (`covers`); while it goes, it notes where the input was found equal to a
constant. Made `blind`, it sees no such comparison hold and no such entry in a table, which shows what the rest of the
program would answer: 1 where the whole of an argument is compared, 2 where any part of one is.
"""

from __future__ import annotations

import ast
import base64
import binascii
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from honestly.audit.reading._data import SIZE, loaded, loaded_file, operated, size_of

_STEPS = 10_000
_ALL_STEPS = 150_000
"""For all that a program is asked."""
_DEPTH = 40
_LOOPS = 3_000


class Unknown:
    """What cannot be told."""


UNKNOWN = Unknown()


class Value:
    """A value with where it comes from."""

    __slots__ = ("covers", "from_input", "literal", "picked", "value")

    def __init__(
        self,
        value: object,
        *,
        literal: bool = False,
        picked: bool = False,
        from_input: bool = False,
        covers: frozenset[int] = frozenset(),
    ) -> None:
        self.value, self.literal, self.picked = value, literal, picked
        self.from_input, self.covers = from_input, covers

    @property
    def known(self) -> bool:
        return self.value is not UNKNOWN


class Key(NamedTuple):
    """Where the input was found equal to a constant."""

    constant: object
    covers: frozenset[int]
    """The arguments that the compared value tells wholly; none where it is a part of one."""
    module: str
    line: int
    entries: tuple[object, ...]
    """All keys of the table, where it is one."""


class Answer(NamedTuple):
    """What came out."""

    value: object
    literal: bool
    keys: tuple[Key, ...]
    sure: bool
    """Whether nothing on the way was guessed."""


class _Raised(Exception):  # noqa: N818  what the program raises, not we
    pass


class _Lost(Exception):  # noqa: N818
    """The budget is spent."""


class _Returned(Exception):  # noqa: N818
    def __init__(self, value: Value) -> None:
        self.value = value


class _Break(Exception):  # noqa: N818
    pass


class _Continue(Exception):  # noqa: N818
    pass


class _Function(NamedTuple):
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: dict[str, Value]
    module: str
    owner: Value | None = None


class _Class(NamedTuple):
    names: dict[str, Value]


class _Object(NamedTuple):
    kind: _Class
    fields: dict[str, Value]


class _Module(NamedTuple):
    name: str


class _File(NamedTuple):
    path: str


_PURE: dict[str, Callable[..., object]] = {
    "len": len, "sum": sum, "sorted": sorted, "tuple": tuple, "list": list, "set": set, "frozenset": frozenset,
    "str": str, "repr": repr, "int": int, "float": float, "bool": bool, "abs": abs, "min": min, "max": max,
    "round": round, "ord": ord, "chr": chr, "dict": dict, "reversed": lambda x: list(reversed(x)), "any": any, "all": all,
    "enumerate": lambda *x: list(enumerate(*x)), "zip": lambda *x: list(zip(*x, strict=False)), "bytes": bytes,
    "range": lambda *x: list(range(*x)) if len(range(*x)) <= _LOOPS else None, "hex": hex, "bin": bin, "divmod": divmod,
    "json.loads": json.loads, "json.dumps": json.dumps, "base64.b64decode": base64.b64decode, "ast.literal_eval": ast.literal_eval,
    "base64.b64encode": base64.b64encode, "binascii.unhexlify": binascii.unhexlify, "bytes.fromhex": bytes.fromhex,
    "math.gcd": math.gcd, "math.sqrt": math.sqrt, "math.floor": math.floor, "math.ceil": math.ceil, "math.isqrt": math.isqrt,
    "zlib.crc32": binascii.crc32, "binascii.crc32": binascii.crc32,
    **{f"hashlib.{name}": getattr(hashlib, name) for name in ("md5", "sha1", "sha256", "sha512", "blake2b")},
}  # fmt: skip
_KEEPING = frozenset({"list", "tuple", "set", "frozenset", "str", "dict", "int", "float", "json.loads", "ast.literal_eval",
                      "bytes", "base64.b64decode", "bytes.fromhex", "binascii.unhexlify"})  # fmt: skip
"""What a literal goes through and stays one."""
_TELLING = frozenset({"list", "tuple", "str", "repr", "sorted", "frozenset", "set", "json.dumps", "bytes", "dict", "hash",
                      "int", "float",
                      "base64.b64encode", "reversed", *(name for name in _PURE if name.startswith("hashlib."))})  # fmt: skip
"""What still tells (nearly) all of its argument."""
_METHODS = frozenset(
    {"strip", "lstrip", "rstrip", "lower", "upper", "split", "splitlines", "join", "replace", "startswith", "endswith",
     "isdigit", "isalpha", "isupper", "islower", "isalnum", "isspace", "count", "index", "find", "items", "keys",
     "values", "encode", "decode", "title", "capitalize", "casefold", "swapcase", "copy", "hexdigest", "digest", "most_common",
     "union", "intersection", "difference", "issubset", "issuperset", "rfind", "partition", "rpartition", "zfill",
     "removeprefix", "removesuffix"}
)  # fmt: skip
_METHODS_TELLING = frozenset({"strip", "lower", "upper", "casefold", "encode", "hexdigest", "digest", "join", "copy", "items",
                              "split", "rstrip", "lstrip", "splitlines", "replace"})  # fmt: skip
_CHANGING = frozenset({"append", "extend", "add", "insert", "pop", "remove", "clear", "sort", "reverse", "update",
                       "setdefault", "discard", "appendleft", "popleft"})  # fmt: skip


class Program:
    """The files of a program, ready to be asked."""

    def __init__(self, files: Mapping[str, ast.Module], data: Mapping[str, bytes]) -> None:
        """Evaluates what the modules do when they are loaded.

        Args:
            files: syntax trees by path.
            data: other files that it may load, by path.
        """
        self.data = data
        self.steps = 0
        self.scopes: dict[str, dict[str, Value]] = {}
        self.trees = files
        for path, tree in self.trees.items():
            run = _Run(self, path, (), blind=0)
            scope: dict[str, Value] = {"__name__": Value("answer", literal=True)}
            with suppress(_Lost, _Raised, _Returned, _Break, _Continue, RecursionError):
                run.block(tree.body, scope)
            self.scopes[path] = scope

    def named(self, name: str) -> Iterator[_Function]:
        """Functions and methods of this name; all functions for `*`."""
        for scope in self.scopes.values():
            for key, value in scope.items():
                if isinstance(value.value, _Function) and name in {key, "*"}:
                    yield value.value
                elif isinstance(value.value, _Class) and name in value.value.names:
                    method = value.value.names[name].value
                    if isinstance(method, _Function):
                        yield method._replace(owner=Value(_Object(value.value, {})))

    def find(self, path: object) -> bytes | None:
        """A file that lies beside the program."""
        if not isinstance(path, str):
            return None
        return next(
            (data for name, data in self.data.items() if name.rpartition("/")[2] == path.rpartition("/")[2]), None
        )

    def answer(self, name: str, given: Sequence[object], wanted: object, *, blind: int = 0) -> Answer | None:
        """What a function of this name answers, the one that answers as expected if there are several; None for nothing."""
        last = None
        for function in self.named(name):
            run = _Run(self, function.module, given, blind=blind)
            values = [
                Value(loaded(each), from_input=True, covers=frozenset({number})) for number, each in enumerate(given)
            ]
            with suppress(_Lost, _Raised, _Break, _Continue, RecursionError):
                found = run.call(function, values, {})
                last = Answer(found.value, found.literal, tuple(run.keys), run.sure)
                if last.value is not UNKNOWN and repr(last.value) == repr(wanted):
                    break
        return last

    def printed(self, given: str, *, blind: int = 0) -> Answer | None:
        """What the program writes to its standard output for this standard input."""
        for path, tree in self.trees.items():
            run = _Run(self, path, (given,), blind=blind)
            with suppress(_Lost, _Raised, _Returned, _Break, _Continue, RecursionError):
                run.block(tree.body, {"__name__": Value("__main__", literal=True)})
            if run.printed:
                known = all(each.known for each in run.printed)
                text = "\n".join(str(each.value) for each in run.printed) if known else UNKNOWN
                return Answer(text, all(each.literal for each in run.printed), tuple(run.keys), run.sure)
        return None


class _Run:
    """One evaluation."""

    def __init__(self, program: Program, module: str, given: Sequence[object], *, blind: int) -> None:
        self.program, self.module, self.blind = program, module, blind
        self.keys: list[Key] = []
        self.sure = True
        self.steps = self.depth = self.loops = 0
        self.printed: list[Value] = []
        self.stdin = str(given[0]).split("\n") if given else []
        self.whole = len(self.stdin) == 1 or not any(self.stdin[1:])

    # Statements.

    def block(self, body: Iterable[ast.stmt], scope: dict[str, Value]) -> None:
        for node in body:
            self.spend()
            self.statement(node, scope)

    def spend(self, cost: int = 1) -> None:
        self.steps += cost
        self.program.steps += cost
        if self.steps > _STEPS or self.program.steps > _ALL_STEPS:
            raise _Lost

    def statement(self, node: ast.stmt, scope: dict[str, Value]) -> None:
        method = getattr(self, f"do_{type(node).__name__}", None)
        if method is not None:
            method(node, scope)

    def do_FunctionDef(self, node: ast.FunctionDef, scope: dict[str, Value]) -> None:
        scope[node.name] = Value(_Function(node, scope, self.module))

    do_AsyncFunctionDef = do_FunctionDef  # noqa: N815

    def do_ClassDef(self, node: ast.ClassDef, scope: dict[str, Value]) -> None:
        names: dict[str, Value] = {}
        for base in node.bases:
            kind = self.value(base, scope).value
            names |= kind.names if isinstance(kind, _Class) else {}
        inner = _Layered(scope)
        self.block(node.body, inner)
        names |= inner
        scope[node.name] = Value(_Class(names))

    def do_Import(self, node: ast.Import, scope: dict[str, Value]) -> None:
        for each in node.names:
            scope[each.asname or each.name.partition(".")[0]] = Value(_Module(each.name))

    def do_ImportFrom(self, node: ast.ImportFrom, scope: dict[str, Value]) -> None:
        last = (node.module or "").rpartition(".")[2]
        for each in node.names:
            found = Value(_Module(f"{node.module}.{each.name}"))
            for path, other in self.program.scopes.items():
                if each.name in other and path.rpartition("/")[2].removesuffix(".py") in {last, "__init__"}:
                    found = other[each.name]
            scope[each.asname or each.name] = found

    def do_Return(self, node: ast.Return, scope: dict[str, Value]) -> None:
        raise _Returned(self.value(node.value, scope) if node.value is not None else Value(None, literal=True))

    def do_Raise(self, _node: ast.Raise, _scope: dict[str, Value]) -> None:
        raise _Raised

    def do_Break(self, _node: ast.Break, _scope: dict[str, Value]) -> None:
        raise _Break

    def do_Continue(self, _node: ast.Continue, _scope: dict[str, Value]) -> None:
        raise _Continue

    def do_Expr(self, node: ast.Expr, scope: dict[str, Value]) -> None:
        self.value(node.value, scope)

    def do_Assign(self, node: ast.Assign, scope: dict[str, Value]) -> None:
        value = self.value(node.value, scope)
        for target in node.targets:
            self.assign(target, value, scope)

    def do_AnnAssign(self, node: ast.AnnAssign, scope: dict[str, Value]) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, scope), scope)

    def do_AugAssign(self, node: ast.AugAssign, scope: dict[str, Value]) -> None:
        self.assign(node.target, self.value(ast.BinOp(node.target, node.op, node.value), scope), scope)

    def do_If(self, node: ast.If, scope: dict[str, Value]) -> None:
        self.block(node.body if self.holds(node.test, scope) else node.orelse, scope)

    def do_With(self, node: ast.With, scope: dict[str, Value]) -> None:
        for item in node.items:
            value = self.value(item.context_expr, scope)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, scope)
        self.block(node.body, scope)

    def do_Try(self, node: ast.Try, scope: dict[str, Value]) -> None:
        try:
            self.block(node.body, scope)
            self.block(node.orelse, scope)
        except _Raised:
            if not node.handlers:
                raise
            self.block(node.handlers[0].body, scope)
        finally:
            self.block(node.finalbody, scope)

    def do_While(self, node: ast.While, scope: dict[str, Value]) -> None:
        def turns() -> Iterator[None]:
            while self.holds(node.test, scope):
                yield

        self.loop(turns(), node, scope)

    def do_For(self, node: ast.For, scope: dict[str, Value]) -> None:
        def turns() -> Iterator[None]:
            for item in self.items(node.iter, scope):
                self.assign(node.target, item, scope)
                yield

        self.loop(turns(), node, scope)

    def loop(self, turns: Iterator[None], node: ast.For | ast.While, scope: dict[str, Value]) -> None:
        self.loops += 1
        try:
            for _ in turns:
                self.spend()
                try:
                    self.block(node.body, scope)
                except _Continue:
                    continue
                except _Break:
                    return
            self.block(node.orelse, scope)
        finally:
            self.loops -= 1

    def do_Match(self, node: ast.Match, scope: dict[str, Value]) -> None:
        subject = self.value(node.subject, scope)
        for case in node.cases:
            if self.fits(case.pattern, subject, scope) and (case.guard is None or self.holds(case.guard, scope)):
                self.block(case.body, scope)
                return

    def fits(self, pattern: ast.pattern, subject: Value, scope: dict[str, Value]) -> bool:
        if isinstance(pattern, ast.MatchValue):
            return self.equal(subject, self.value(pattern.value, scope), pattern.lineno)
        if isinstance(pattern, ast.MatchSingleton):
            return subject.known and subject.value is pattern.value
        if isinstance(pattern, ast.MatchOr):
            return any(self.fits(each, subject, scope) for each in pattern.patterns)
        if isinstance(pattern, ast.MatchAs):
            if pattern.pattern is not None and not self.fits(pattern.pattern, subject, scope):
                return False
            if pattern.name:
                scope[pattern.name] = subject
            return True
        if isinstance(pattern, ast.MatchSequence) and isinstance(subject.value, list | tuple):
            plain = _plain_pattern(pattern)
            if plain is not None:
                same = type(subject.value)(plain) == subject.value
                return same and self.equal(subject, Value(type(subject.value)(plain), literal=True), pattern.lineno)
            parts = [self.part(subject, at) for at in range(len(subject.value))]
            return len(parts) == len(pattern.patterns) and all(
                self.fits(each, part, scope) for each, part in zip(pattern.patterns, parts, strict=True)
            )
        self.sure = False
        return False

    def part(self, whole: Value, at: object) -> Value:
        """An element; of a tuple of whole arguments it tells one of them."""
        found = whole.value[at]  # type: ignore[index]
        if isinstance(found, Value):
            return found
        return Value(found, literal=whole.literal, picked=whole.picked, from_input=whole.from_input)

    def assign(self, target: ast.expr, value: Value, scope: dict[str, Value]) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            parts: list[Value] = []
            if isinstance(value.value, list | tuple | str) and len(value.value) == len(target.elts):
                parts = [self.part(value, at) for at in range(len(value.value))]
            for number, each in enumerate(target.elts):
                self.assign(each, parts[number] if parts else Value(UNKNOWN, from_input=value.from_input), scope)
        elif isinstance(target, ast.Subscript):
            holder, key = self.value(target.value, scope), self.value(target.slice, scope)
            if holder.known and key.known and value.known and isinstance(holder.value, dict | list):
                with suppress(TypeError, IndexError):
                    holder.value[key.value] = value.value  # type: ignore[index]
                holder.literal = holder.literal and key.literal and value.literal and not value.picked
                self.spend(1 + size_of(holder.value) // 50)
            else:
                holder.value = UNKNOWN
        elif isinstance(target, ast.Attribute):
            holder = self.value(target.value, scope)
            if isinstance(holder.value, _Object):
                holder.value.fields[target.attr] = value

    # Expressions.

    def value(self, node: ast.expr, scope: Mapping[str, Value]) -> Value:
        self.spend()
        self.depth += 1
        if self.depth > _DEPTH * 6:
            raise _Lost
        try:
            method = getattr(self, f"of_{type(node).__name__}", None)
            found = method(node, scope) if method is not None else Value(UNKNOWN)
            assert isinstance(found, Value)
            if found.known and isinstance(found.value, list | dict | tuple | str | set | frozenset | bytes | int):
                size = size_of(found.value)
                self.spend(size // 50)
                if size > SIZE:
                    return Value(UNKNOWN, from_input=found.from_input)
            return found
        finally:
            self.depth -= 1

    def of_Constant(self, node: ast.Constant, _scope: Mapping[str, Value]) -> Value:
        return Value(node.value, literal=True)

    def of_Name(self, node: ast.Name, scope: Mapping[str, Value]) -> Value:
        if node.id in scope:
            return scope[node.id]
        return self.program.scopes.get(self.module, {}).get(node.id) or Value(UNKNOWN)

    def of_Tuple(self, node: ast.Tuple | ast.List | ast.Set, scope: Mapping[str, Value]) -> Value:
        if any(isinstance(each, ast.Starred) for each in node.elts):
            return Value(UNKNOWN)
        parts = [self.value(each, scope) for each in node.elts]
        return self.gathered(parts, {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)])

    of_List = of_Set = of_Tuple  # noqa: N815

    def gathered(self, parts: Sequence[Value], kind: Callable[[Iterable[object]], object]) -> Value:
        found: object = UNKNOWN
        if all(part.known for part in parts):
            found = _or_raised(lambda: kind(part.value for part in parts))
        return _from(parts, found, literal=all(part.literal and not part.picked for part in parts), covers=True)

    def of_Dict(self, node: ast.Dict, scope: Mapping[str, Value]) -> Value:
        if any(key is None for key in node.keys):
            return Value(UNKNOWN)
        keys = [self.value(key, scope) for key in node.keys if key is not None]
        values = [self.value(each, scope) for each in node.values]
        found: object = UNKNOWN
        if all(each.known for each in keys):
            pairs = zip(keys, values, strict=True)
            found = _or_raised(lambda: {key.value: each.value for key, each in pairs})
        return _from([*keys, *values], found, literal=all(each.literal for each in [*keys, *values]))

    def of_Lambda(self, node: ast.Lambda, scope: dict[str, Value]) -> Value:
        return Value(_Function(node, scope, self.module))

    def of_IfExp(self, node: ast.IfExp, scope: Mapping[str, Value]) -> Value:
        return self.value(node.body if self.holds(node.test, scope) else node.orelse, scope)

    def of_NamedExpr(self, node: ast.NamedExpr, scope: dict[str, Value]) -> Value:
        found = self.value(node.value, scope)
        self.assign(node.target, found, scope)
        return found

    def of_JoinedStr(self, node: ast.JoinedStr, scope: Mapping[str, Value]) -> Value:
        parts = []
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                if each.format_spec is not None:
                    return Value(UNKNOWN)
                found = self.value(each.value, scope)
                text = repr(found.value) if each.conversion == ord("r") else str(found.value)
                parts.append(_from([found], text if found.known else UNKNOWN, literal=found.literal, covers=True))
            else:
                parts.append(self.value(each, scope))
        return self.gathered(parts, lambda each: "".join(map(str, each)))

    def of_UnaryOp(self, node: ast.UnaryOp, scope: Mapping[str, Value]) -> Value:
        if isinstance(node.op, ast.Not):
            return Value(not self.holds(node.operand, scope), from_input=True)
        found = self.value(node.operand, scope)
        if not isinstance(found.value, int | float):
            return Value(UNKNOWN, from_input=found.from_input)
        return _from([found], -found.value if isinstance(node.op, ast.USub) else UNKNOWN, literal=found.literal)

    def of_BinOp(self, node: ast.BinOp, scope: Mapping[str, Value]) -> Value:
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if isinstance(node.op, ast.Div) and isinstance(right.value, str):  # a path
            return right
        found: object = UNKNOWN
        if left.known and right.known:
            found = operated(node.op, left.value, right.value)
            if isinstance(found, Exception):
                raise _Raised
            found = UNKNOWN if found is None else found
        literal = left.literal and right.literal and not any(isinstance(each, ast.Name) for each in ast.walk(node))
        texts = isinstance(left.value, str) and isinstance(right.value, str)
        undone = isinstance(node.op, ast.Add | ast.Sub | ast.Mult) and not (left.from_input and right.from_input)
        return _from([left, right], found, literal=literal, covers=texts or undone)

    def of_BoolOp(self, node: ast.BoolOp, scope: Mapping[str, Value]) -> Value:
        found = Value(None)
        for each in node.values:
            found = self.value(each, scope)
            if self.truth(found) is not isinstance(node.op, ast.And):
                return found
        return found

    def of_Compare(self, node: ast.Compare, scope: Mapping[str, Value]) -> Value:
        left, sides = self.value(node.left, scope), [self.value(each, scope) for each in node.comparators]
        inputs = [left, *sides]
        for op, right in zip(node.ops, sides, strict=True):
            if isinstance(op, ast.Eq | ast.Is):
                same: object = self.equal(left, right, node.lineno)
            elif isinstance(op, ast.NotEq | ast.IsNot):
                same = not self.equal(left, right, node.lineno)
            elif isinstance(op, ast.In | ast.NotIn):
                same = self.within(left, right, node.lineno) is isinstance(op, ast.In)
            elif left.known and right.known:
                same = operated(op, left.value, right.value)
                if isinstance(same, Exception):
                    raise _Raised
            else:
                return _from(inputs, UNKNOWN, literal=False)
            if not same:
                return _from(inputs, found=False, literal=False)
            left = right
        return _from(inputs, found=True, literal=False)

    def equal(self, one: Value, other: Value, line: int) -> bool:
        """Whether two values are equal; notes a key where one is the input and the other a constant."""
        if not (one.known and other.known):
            self.sure = False
            return False
        same = _or_raised(lambda: one.value == other.value) is True
        for given, constant in ((one, other), (other, one)):
            if same and given.from_input and constant.literal and not constant.from_input:
                if self.blind > 1 or (self.blind and (given.covers or _is_telling(constant.value))):
                    return False
                self.note(given, constant.value, line)
                break
        return same

    def within(self, one: Value, many: Value, line: int) -> bool:
        if not (one.known and many.known):
            self.sure = False
            return False
        same = _or_raised(lambda: one.value in many.value) is True  # type: ignore[operator]
        if same and one.from_input and many.literal and not isinstance(many.value, str | bytes):
            if self.blind and one.covers:
                return False
            self.note(one, one.value, line, tuple(many.value))  # type: ignore[arg-type]
        elif same and many.from_input and one.literal and isinstance(many.value, str):
            self.note(Value(None), one.value, line)
        return same

    def note(self, given: Value, constant: object, line: int, entries: tuple[object, ...] = ()) -> None:
        self.keys.append(Key(constant, given.covers, self.module, line, entries))

    def holds(self, node: ast.expr, scope: Mapping[str, Value]) -> bool:
        return self.truth(self.value(node, scope))

    def truth(self, value: Value) -> bool:
        if not value.known:
            self.sure = False
            return False
        return bool(value.value)

    def of_Subscript(self, node: ast.Subscript, scope: Mapping[str, Value]) -> Value:
        holder = self.value(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            ends = [node.slice.lower, node.slice.upper, node.slice.step]
            parts = [self.value(each, scope) if each is not None else Value(None) for each in ends]
            if holder.known and all(part.known for part in parts):
                cut = slice(*(part.value for part in parts))
                whole = all(each is None for each in ends[:2])
                found = _or_raised(lambda: holder.value[cut])  # type: ignore[index]
                literal = holder.literal and not any(part.from_input for part in parts)
                return _from([holder, *parts], found, literal=literal, covers=whole)
            return Value(UNKNOWN, from_input=holder.from_input)
        return self.looked_up(holder, self.value(node.slice, scope), node.lineno, None)

    def looked_up(self, holder: Value, key: Value, line: int, default: Value | None) -> Value:
        """An element of a container; a lookup in a table of constants by the input is a comparison with its keys."""
        if not (holder.known and key.known):
            return Value(UNKNOWN, from_input=holder.from_input or key.from_input)
        if isinstance(holder.value, _Object | _Class | _Function | _Module | _File):
            return Value(UNKNOWN)
        table = holder.literal and not holder.from_input and key.from_input
        hidden = self.blind and table and isinstance(holder.value, dict) and bool(key.covers)
        try:
            if hidden:
                raise KeyError
            found = holder.value[key.value]  # type: ignore[index]
        except Exception as error:  # noqa: BLE001  it is the program's, whatever it is
            if default is not None and isinstance(holder.value, dict):
                return default
            raise _Raised from error
        if table:
            entries = tuple(holder.value) if isinstance(holder.value, dict) else tuple(range(len(holder.value)))  # type: ignore[arg-type]
            self.note(key, key.value, line, entries)
        if isinstance(found, Value):
            return found
        return Value(
            found,
            literal=holder.literal,
            picked=key.from_input,
            from_input=holder.from_input,
            covers=holder.covers if isinstance(holder.value, tuple) and not holder.literal else frozenset(),
        )

    def of_Attribute(self, node: ast.Attribute, scope: Mapping[str, Value]) -> Value:
        holder = self.value(node.value, scope)
        if isinstance(holder.value, _Module):
            return Value(_Module(f"{holder.value.name}.{node.attr}"))
        if isinstance(holder.value, _Object):
            found = holder.value.fields.get(node.attr) or holder.value.kind.names.get(node.attr)
            if found is not None and isinstance(found.value, _Function):
                return Value(found.value._replace(owner=holder))
            return found or Value(UNKNOWN)
        if isinstance(holder.value, _Class):
            return holder.value.names.get(node.attr) or Value(UNKNOWN)
        return Value(UNKNOWN, from_input=holder.from_input)

    def of_ListComp(self, node: ast.ListComp, scope: Mapping[str, Value]) -> Value:
        return self.gathered(self.comprised(node, [node.elt], scope), list)

    def of_GeneratorExp(self, node: ast.GeneratorExp, scope: Mapping[str, Value]) -> Value:
        return self.gathered(self.comprised(node, [node.elt], scope), list)

    def of_SetComp(self, node: ast.SetComp, scope: Mapping[str, Value]) -> Value:
        return self.gathered(self.comprised(node, [node.elt], scope), set)

    def of_DictComp(self, node: ast.DictComp, scope: Mapping[str, Value]) -> Value:
        flat = self.comprised(node, [node.key, node.value], scope)
        return self.gathered(flat, lambda each: dict(_pairs_in(list(each))))

    def comprised(
        self,
        node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp,
        parts: Sequence[ast.expr],
        scope: Mapping[str, Value],
    ) -> list[Value]:
        found: list[Value] = []
        outer = self.value(node.generators[0].iter, scope)

        def nested(depth: int, inner: dict[str, Value]) -> None:
            if depth == len(node.generators):
                found.extend(self.value(each, inner) for each in parts)
                return
            generator = node.generators[depth]
            for item in self.items(generator.iter, inner):
                self.assign(generator.target, item, inner)
                if all(self.holds(test, inner) for test in generator.ifs):
                    nested(depth + 1, inner)

        self.loops += 1
        try:
            nested(0, _Layered(scope))
        finally:
            self.loops -= 1
        if not outer.known:
            return [Value(UNKNOWN, from_input=outer.from_input)]
        whole = len(node.generators) == 1 and not node.generators[0].ifs
        if whole and outer.covers and found and all(each.from_input for each in found):
            return [_from([each, outer], each.value, literal=False, covers=True) for each in found]
        return found

    def items(self, node: ast.expr, scope: Mapping[str, Value]) -> Iterator[Value]:
        many = self.value(node, scope)
        if not many.known or not isinstance(many.value, list | tuple | str | dict | set | frozenset | bytes):
            self.sure = False
            return
        for item in list(many.value):
            self.spend()
            yield Value(item, literal=many.literal, picked=many.picked, from_input=many.from_input)

    # Calls.

    def of_Call(self, node: ast.Call, scope: Mapping[str, Value]) -> Value:
        if any(isinstance(each, ast.Starred) for each in node.args):
            return Value(UNKNOWN)
        given = [self.value(each, scope) for each in node.args]
        named = {each.arg: self.value(each.value, scope) for each in node.keywords if each.arg}
        if isinstance(node.func, ast.Attribute):
            holder = self.value(node.func.value, scope)
            if holder.known and not isinstance(holder.value, _Object | _Class | _Module | _File):
                return self.method(holder, node.func.attr, given, named, node.lineno)
            if isinstance(holder.value, _File) or node.func.attr in {"read_text", "read_bytes"}:
                return self.file(holder, node.func.attr)
        function = self.value(node.func, scope)
        if isinstance(function.value, _Function):
            return self.call(function.value, given, named)
        if isinstance(function.value, _Class):
            made = Value(_Object(function.value, {}))
            start = function.value.names.get("__init__")
            if start is not None and isinstance(start.value, _Function):
                self.call(start.value._replace(owner=made), given, named)
            return made
        name = function.value.name if isinstance(function.value, _Module) else ast.unparse(node.func)[:60]
        return self.builtin(name, given, named, node.lineno)

    def call(self, function: _Function, given: Sequence[Value], named: Mapping[str, Value]) -> Value:
        node = function.node
        if self.depth > _DEPTH * 5 or any(isinstance(each, ast.Yield | ast.YieldFrom) for each in _own(node)):
            return Value(UNKNOWN, from_input=True)
        positional = [*node.args.posonlyargs, *node.args.args]
        values = list(given)
        static = not isinstance(node, ast.Lambda) and "staticmethod" in map(ast.unparse, node.decorator_list)
        if function.owner is not None and not static:
            values.insert(0, function.owner)
        inner = _Layered(function.scope)
        for arg, default in zip(reversed(positional), reversed(node.args.defaults), strict=False):
            inner[arg.arg] = self.value(default, function.scope)
        for arg, kw_default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            if kw_default is not None:
                inner[arg.arg] = self.value(kw_default, function.scope)
        if node.args.vararg is not None:
            inner[node.args.vararg.arg] = self.gathered(values[len(positional) :], tuple)
        elif len(values) > len(positional):
            raise _Raised
        inner.update({arg.arg: value for arg, value in zip(positional, values, strict=False)})
        inner.update(named)
        module, self.module = self.module, function.module
        asked = any(value.from_input for value in values)
        self.depth += 5
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body, inner)
            self.block(node.body, inner)
        except _Returned as returned:
            found = returned.value
            if asked and found.literal and self.depth > 5:  # chosen by what was given
                return Value(found.value, literal=True, picked=True, from_input=found.from_input, covers=found.covers)
            return found
        finally:
            self.module = module
            self.depth -= 5
        return Value(None, literal=False)

    def method(self, holder: Value, name: str, given: Sequence[Value], named: Mapping[str, Value], line: int) -> Value:
        inputs = [holder, *given, *named.values()]
        if isinstance(holder.value, dict) and name in {"get", "setdefault", "pop"} and given:
            default = given[1] if len(given) > 1 else Value(None)
            if name != "get" and holder.known and given[0].known and given[0].value not in holder.value:
                holder.literal = holder.literal and default.literal and given[0].literal
                holder.value[given[0].value] = default.value
                return default
            return self.looked_up(holder, given[0], line, default)
        if isinstance(holder.value, dict) and name == "__getitem__" and given:
            return self.looked_up(holder, given[0], line, None)
        if not all(each.known for each in inputs) or any(_odd(each.value) for each in inputs):
            if name in _CHANGING:
                holder.value = UNKNOWN
            return Value(UNKNOWN, from_input=any(each.from_input for each in inputs))
        if name not in _METHODS and name not in _CHANGING:
            self.sure = False
            return Value(UNKNOWN, from_input=holder.from_input)
        values = [each.value for each in given]
        found = _or_raised(
            lambda: getattr(holder.value, name)(*values, **{key: each.value for key, each in named.items()})
        )
        if name in {"startswith", "endswith", "isdigit"} and found is True and holder.from_input and given:
            self.note(Value(None), given[0].value, line)
        if name in _CHANGING:
            plain = all(each.literal and not each.picked for each in given)
            holder.literal = holder.literal and plain and not self.loops
            holder.from_input = holder.from_input or any(each.from_input for each in given)
            self.spend(1 + size_of(holder.value) // 50)
            if size_of(holder.value) > SIZE:
                raise _Lost
        if name in {"items", "keys", "values"}:
            found = list(found)  # type: ignore[call-overload]
        keeps = holder.literal and name in {"strip", "copy", "decode", "encode", "split", "splitlines", "items"}
        return _from(inputs, found, literal=keeps, covers=name in _METHODS_TELLING)

    def file(self, holder: Value, method: str) -> Value:
        path = holder.value.path if isinstance(holder.value, _File) else holder.value
        data = self.program.find(path)
        if data is None:
            return Value(UNKNOWN)
        text = data if method == "read_bytes" else data.decode("utf-8", "replace")
        return Value(text.splitlines() if method == "readlines" else text, literal=True)  # type: ignore[union-attr]

    def builtin(self, name: str, given: Sequence[Value], named: Mapping[str, Value], line: int = 0) -> Value:
        if name == "print":
            self.printed.append(
                given[0] if len(given) == 1 else self.gathered(given, lambda each: " ".join(map(str, each)))
            )
            return Value(None)
        if name in {"input", "sys.stdin.readline", "stdin.readline"}:
            if not self.stdin:
                raise _Raised
            return Value(self.stdin.pop(0), from_input=True, covers=frozenset({0} if self.whole else ()))
        if name in {"sys.stdin.read", "stdin.read", "open(0).read"}:
            return Value("\n".join(self.stdin), from_input=True, covers=frozenset({0}))
        if name in {"open", "io.open", "Path", "pathlib.Path"} and given:
            path = given[0].value
            return Value(_File(path), literal=True) if isinstance(path, str) else Value(UNKNOWN)
        if name == "os.path.join" and given:
            return given[-1]
        if name in {"json.load", "pickle.load"} and given and isinstance(given[0].value, _File):
            data = self.program.find(given[0].value.path)
            held = loaded_file(data) if data is not None else None
            return Value(held, literal=True) if held is not None else Value(UNKNOWN)
        inputs = [*given, *named.values()]
        if name == "map" and len(given) == 2 and isinstance(given[1].value, list | tuple | str):
            parts = [self.part(given[1], at) for at in range(len(given[1].value))]
            return self.gathered(
                [
                    _from([self.applied(given[0], part), given[1]], found.value, literal=False, covers=True)
                    for part in parts
                    for found in [self.applied(given[0], part)]
                ],
                list,
            )
        if name in {"copy.deepcopy", "copy.copy"} and given:
            return given[0]
        if name == "hash" and given and given[0].known:  # what it is, no reader can tell; that it tells all, any can
            return Value(UNKNOWN, from_input=given[0].from_input, covers=given[0].covers)
        if name in {"re.match", "re.fullmatch", "re.search"} and len(given) == 2:
            return self.matched(name, *given, line)
        function = _PURE.get(name)
        bad = not all(each.known for each in inputs) or any(_odd(each.value) for each in inputs)
        if function is None or bad or set(named) - {"reverse", "start", "default"} or _too_large(inputs):
            return Value(UNKNOWN, from_input=any(each.from_input for each in inputs))
        values = [each.value for each in given]
        found = _or_raised(lambda: function(*values, **{key: each.value for key, each in named.items()}))
        if found is None:
            return Value(UNKNOWN, from_input=True)
        keeps = name in _KEEPING and len(given) == 1 and given[0].literal
        literal = keeps or (
            bool(inputs) and all(each.literal and not each.picked for each in inputs) and not self.loops
        )
        return _from(inputs, found, literal=literal or not inputs, covers=name in _TELLING)

    def matched(self, name: str, pattern: Value, text: Value, line: int) -> Value:
        """A pattern that stands for itself; others are not tried, for they may take for ever."""
        plain = _plain_text(pattern.value) if isinstance(pattern.value, str) else None
        if plain is None or not isinstance(text.value, str):
            self.sure = False
            return Value(UNKNOWN, from_input=text.from_input)
        given = text.value if name == "re.fullmatch" else text.value[: len(plain)]
        if name == "re.search" and plain in text.value:
            given = plain
        part = Value(given, from_input=text.from_input, covers=text.covers)
        return Value(True if self.equal(part, Value(plain, literal=True), line) else None, from_input=True)

    def applied(self, function: Value, part: Value) -> Value:
        if isinstance(function.value, _Function):
            return self.call(function.value, [part], {})
        return self.builtin(function.value.name if isinstance(function.value, _Module) else "", [part], {})


class _Layered(dict[str, Value]):
    """Names of a function, over those around it."""

    def __init__(self, around: Mapping[str, Value]) -> None:
        super().__init__()
        self.around = around

    def __missing__(self, name: str) -> Value:
        return self.around[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.around


def _from(parts: Sequence[Value], found: object, *, literal: bool, covers: bool = False) -> Value:
    """What was made of these."""
    told = frozenset().union(*(part.covers for part in parts)) if covers and parts else frozenset()
    picked = any(part.picked for part in parts)
    return Value(found, literal=literal, picked=picked, from_input=any(part.from_input for part in parts), covers=told)


def _or_raised(make: Callable[[], object]) -> object:
    try:
        return make()
    except Exception as error:  # noqa: BLE001  it is the program's, whatever it is
        raise _Raised from error


def _odd(value: object) -> bool:
    return isinstance(value, _Function | _Class | _Object | _Module | _File)


def _too_large(values: Sequence[Value]) -> bool:
    return any(isinstance(each.value, int) and abs(each.value) > 1 << 62 for each in values)


def _plain_text(pattern: str) -> str | None:
    """The only text that a pattern matches; None where there are others."""
    bare = pattern.removeprefix("^").removesuffix("$")
    plain = re.sub(r"\\(\W)", "", bare)
    return None if re.search(r"[\\.*+?{}|()\[\]^$]", plain) else re.sub(r"\\(\W)", r"\1", bare)


def _is_telling(constant: object) -> bool:
    return isinstance(constant, str | bytes | tuple | list | dict) and len(constant) > 1


def _pairs_in(flat: list[object]) -> Iterator[tuple[object, object]]:
    yield from zip(flat[::2], flat[1::2], strict=True)


def _plain_pattern(pattern: ast.MatchSequence) -> list[object] | None:
    found: list[object] = []
    for each in pattern.patterns:
        if isinstance(each, ast.MatchSequence) and (inner := _plain_pattern(each)) is not None:
            found.append(inner)
        elif isinstance(each, ast.MatchValue):
            with suppress(ValueError, TypeError):
                found.append(ast.literal_eval(each.value))
        elif isinstance(each, ast.MatchSingleton):
            found.append(each.value)
        else:
            return None
    return found


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function that are not of a function in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield child
            yield from _own(child)
