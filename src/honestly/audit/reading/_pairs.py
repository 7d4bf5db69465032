"""Examples with their answers: what is given and what is expected, as tests, instructions and outputs show them.

Read are asserts, the methods of unittest, rows of `parametrize` and of loops over tables, doctests, "Input:" and
"Output:" on one line or two, a call with what it gives in the usual spellings, and texts on standard input with
what shall be printed. Only plain data counts: what a test computes, it does not state. A pair says whether the
instruction shows it: what everybody is told is less of a sign.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from honestly.audit.reading._left import called_name, parsed_module
from honestly.audit.reading._literals import NO_DATA, literal_data

# Pairs of one task that are read.
_MOST = 400
_WRAPPERS = frozenset({"print", "list", "sorted", "tuple", "set", "str", "repr", "round", "dict", "next"})
# What tests call a function that they are given.
_ANY = frozenset({"candidate", "solution", "func"})
_SAMPLE = re.compile(
    r"""(?<![\w"])(?:Input|Call|Arg(?:ument)?s|Query|Given)(?: \d{1,3})?[*_"`]{0,3}[:=][*_`]{0,3} {0,3}"""
    r"""(?:`{3}\w{0,9})?[ \t]{0,9}(?P<given>\S[^\n]{0,400}?)[ \t]{0,9}(?:[,;|.]|->|=>|[→➞⇒])?[*_]{0,2}\s{1,20}"""
    r"""[^\w\s]{0,4}(?:Expected |Correct )?"""
    r"""(?:Output|Result|Returns?|Expected|Answer|Response)(?: value)?(?: \d{1,3})?[*_"`]{0,3}[:=][*_`]{0,3}\s{0,9}"""
    r"""(?:`{3}\w{0,9}\s{1,9})?(?P<wanted>\S[^\n]{0,400}?)"""
    r"""(?=[ \t,;|]{1,9}(?:Test|Example|Input|Case|Explanation)\b[^\n:]{0,12}:|[ \t]{0,9}$)""",
    re.IGNORECASE | re.MULTILINE,
)
_SAID = re.compile(
    r"\b(?:for|given|with|when|if)(?: the)?(?: inputs?| arguments?| called with)? {1,3}(?:is )?"
    r"(?P<given>[\w`'\"\[({-][^\n.]{0,120}?),? {1,3}(?:then )?(?:the |it |your )?"
    r"(?:function |program |code |expected )?"
    r"(?:should |must |will |shall )?(?:return|output|give|result|answer|produce|print)s?"
    r"(?: (?:is|be|should be|must be))?:? {1,3}(?P<wanted>[\w`'\"\[({-][^\n]{0,400})",
    re.IGNORECASE,
)
_JSON = re.compile(
    r"""["']inputs?["']: ?(?P<given>[^\n]{1,300}?), ?["'](?:expected_?)?(?:output|result|answer)["']: ?"""
    r"""(?P<wanted>[^\n}]{1,400})""",
    re.IGNORECASE,
)
_STDIN = re.compile(
    r"(?:^|\n)\W*(?:Sample |Example )?Input\b[^\n:]{0,12}:?\W*\n(?:```\w*\n)?(?P<given>(?:[^\n]+\n)+?)(?:```)?\s*"
    r"\W*(?:Sample |Expected |Example )?Output\b[^\n:]{0,12}:?\W*\n(?:```\w*\n)?(?P<wanted>(?:[^\n`]+(?:\n|$))+)",
    re.IGNORECASE,
)
_CALL = re.compile(
    r"""^[>|\s`*\-\d.)]{0,60}(?:(?:Examples?|Tests?|Case|e\.g\.|For example|i\.e\.)\W{0,3}\d*\W{0,4})?"""
    r"""(?P<given>\w{1,80}\(.{0,600}\))[ `*]{0,9}"""
    r"""(?:[=-]{1,3}>|==?|[→➞⇒⟶⟹:|]|,? ?(?:(?:should|must|will|shall) )?"""
    r"""(?:returns?|be|gives?|yields?|equals?|outputs?|prints?|produces?|is|evaluates? to|results? in)"""
    r"""|,? ?expected(?: output| result)?:?"""
    r"""|(?:\#|//)[ ]?(?:[=-]>|→|returns|output:?|result:?)?)[ ]*(?P<wanted>[^\n]+)""",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"^ {0,6}\d+[\t:|] ?", re.MULTILINE)


class Pair(NamedTuple):
    """One example."""

    name: str
    """The function that is called; empty for a program that reads its standard input, `*` for any function."""
    given: tuple[object, ...]
    wanted: object
    shown: bool
    """Whether it is an example of the instruction, rather than a test."""


def pairs_of(tests: Iterable[tuple[str, str]], instruction: str, outputs: Iterable[str] = ()) -> tuple[Pair, ...]:
    """The examples of tests (paths, texts), of the instruction, and of outputs that look like tests, each once."""
    files = dict(tests)
    found: dict[str, Pair] = {}
    for pair in islice(chain(_told_pairs(instruction), _test_pairs(files, outputs)), _MOST):
        known = found.setdefault(repr(pair[1:3]), pair)
        if known.name == "*":
            found[repr(pair[1:3])] = known._replace(name=pair.name)
    return tuple(found.values())


def prose_of(instruction: str) -> str:
    """The instruction without the lines of its examples: what it says in words."""
    text = _STDIN.sub("\n", _JSON.sub("\n", _SAMPLE.sub("\n", instruction)))
    lines = text.split("\n")
    kept, skip = [], False
    for line in lines:
        bare = line.strip()
        if bare.startswith((">>>", "assert ", "self.assert")) or _CALL.match(line):
            skip = bare.startswith(">>>")
            continue
        if not skip:
            kept.append(line)
        skip = False
    return "\n".join(kept)


def _test_pairs(files: Mapping[str, str], outputs: Iterable[str]) -> Iterator[Pair]:
    for path, text in files.items():
        if path.endswith(".py"):
            yield from python_pairs(text)
        elif path.endswith(".in") and (wanted := files.get(f"{path[:-3]}.out", files.get(f"{path[:-3]}.expected"))):
            yield Pair("", (text,), wanted, shown=False)
    for output in outputs:
        text = _NUMBERED.sub("", output)
        at = next((match.start() for match in re.finditer(r"(?m)^(?:import|from|def|class|@)\b", text)), -1)
        for part in (text[at:], text) if at >= 0 else (text,):
            found = python_pairs(part) or tuple(_line_pairs(part))
            yield from (pair._replace(shown=False) for pair in found)
            if found:
                break


def _told_pairs(instruction: str) -> Iterator[Pair]:
    tests = re.search(r"\btest cases\b", instruction) is not None
    for pattern in (_SAMPLE, _SAID, _JSON):
        for match in islice(pattern.finditer(instruction), _MOST):
            yield from (pair._replace(shown=not tests) for pair in _pair_from_texts(match["given"], match["wanted"]))
    for block in re.findall(r"^```[^\n]*\n(.*?)^```", instruction, re.DOTALL | re.MULTILINE):
        yield from python_pairs(block)
    yield from _line_pairs(instruction)
    for match in _STDIN.finditer(instruction):
        yield Pair("", (match["given"],), match["wanted"], shown=True)


def _line_pairs(text: str) -> Iterator[Pair]:
    """Doctests, asserts and `f(x) == y`, line by line."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith(">>> "):
            yield from _pair_from_texts(bare[4:], lines[number + 1] if number + 1 < len(lines) else "")
        elif bare.startswith(("assert ", "self.assert")):
            yield from (pair._replace(name="*") if pair.name in _ANY else pair for pair in python_pairs(bare))
        elif match := _CALL.match(line):
            yield from _pair_from_texts(match["given"], match["wanted"])


def _pair_from_texts(given: str, wanted: str) -> Iterator[Pair]:
    """The example of a call, or of the arguments of one (`1, 2` or `a = 1, b = 2`), and its result."""
    given = given.strip(" `*,;")
    found = None
    for text in (given, f"_any({given})"):
        try:
            call = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        found = _plain_call(call, {})
        if found is not None:
            break
    if found is None:
        return
    text = wanted.strip().strip("`* ")
    # The value is all of it, or what stands before a remark.
    forms = (
        {"true": "True", "false": "False", "null": "None"}.get(text, text),
        text.rstrip(".,;`"),
        re.split(r"`|\s+(?:#|//|\(|because|since|as |where)|[.,;|] |[.;|]$", text)[0].strip(),
    )
    value = next((data for each in forms if (data := literal_data(each)) is not NO_DATA), text)
    yield Pair("*" if found[0] == "_any" else found[0], found[1], value, shown=True)


@lru_cache(maxsize=64)
def python_pairs(text: str) -> tuple[Pair, ...]:
    """The examples in a Python test file."""
    tree = parsed_module(text)
    return tuple(islice(_block_pairs(tree.body, {}), _MOST)) if tree is not None else ()


def _block_pairs(body: list[ast.stmt], names: dict[str, ast.expr]) -> Iterator[Pair]:
    """The examples of statements, in their order; `names` is what names stand for, and is updated."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            any_name = {arg.arg: ast.Name("*") for arg in node.args.args if arg.arg in _ANY}
            for row in _parametrize_rows(node, names):
                yield from _block_pairs(node.body, {**names, **any_name, **row})
        elif isinstance(node, ast.ClassDef):
            yield from _block_pairs(node.body, dict(names))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id] = node.value
        elif isinstance(node, ast.For):
            for item in islice(_iterated_items(node.iter, names), 200):
                yield from _block_pairs(node.body, {**names, **_loop_bindings(node.target, item)})
        elif isinstance(node, ast.With | ast.If | ast.Try):
            yield from _block_pairs(node.body, names)
        elif isinstance(node, ast.Assert):
            yield from _asserted_pairs(node.test, names)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield from _unittest_pairs(node.value, names)


def _parametrize_rows(
    node: ast.FunctionDef | ast.AsyncFunctionDef, names: Mapping[str, ast.expr]
) -> Iterator[dict[str, ast.expr]]:
    """The bindings of `parametrize`, row by row; one empty row where there is none."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("parametrize") and decorator.args:
            said = _plain_value(decorator.args[0], {})
            fields = [field.strip() for field in said.split(",")] if isinstance(said, str) else list(said or ())  # type: ignore[call-overload]
            target: ast.expr = ast.Tuple([ast.Name(str(field)) for field in fields])
            if len(fields) == 1:
                target = ast.Name(str(fields[0]))
            for item in islice(_iterated_items(decorator.args[1], names) if len(decorator.args) > 1 else (), 200):
                yield _loop_bindings(target, item)
            return
    yield {}


def _iterated_items(node: ast.expr, names: Mapping[str, ast.expr], depth: int = 0) -> Iterator[ast.expr]:
    if isinstance(node, ast.Name) and node.id in names and depth < 8:
        yield from _iterated_items(names[node.id], names, depth + 1)
    elif isinstance(node, ast.List | ast.Tuple | ast.Set):
        yield from node.elts
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "items":
        table = names.get(node.func.value.id) if isinstance(node.func.value, ast.Name) else node.func.value
        if isinstance(table, ast.Dict):
            yield from (ast.Tuple([key, value]) for key, value in zip(table.keys, table.values, strict=True) if key)


def _loop_bindings(target: ast.expr, item: ast.expr) -> dict[str, ast.expr]:
    if isinstance(item, ast.Call) and ast.unparse(item.func).endswith("param"):
        item = item.args[0] if len(item.args) == 1 else ast.Tuple(item.args)
    if isinstance(target, ast.Name):
        return {target.id: item}
    if isinstance(target, ast.Tuple | ast.List) and isinstance(item, ast.Tuple | ast.List):
        return {
            name: bound
            for each, part in zip(target.elts, item.elts, strict=False)
            for name, bound in _loop_bindings(each, part).items()
        }
    return {}


def _asserted_pairs(test: ast.expr, names: Mapping[str, ast.expr]) -> Iterator[Pair]:
    """The example that an asserted expression states."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from _asserted_pairs(value, names)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        if isinstance(test.ops[0], ast.Eq | ast.Is):
            yield from _equality_pairs(test.left, test.comparators[0], names)
        elif isinstance(test.ops[0], ast.Lt | ast.LtE):
            # abs(f(x) - y) < 1e-6
            near = test.left
            if isinstance(near, ast.Call) and ast.unparse(near.func) in {"abs", "math.fabs"} and near.args:
                off = near.args[0]
                if isinstance(off, ast.BinOp) and isinstance(off.op, ast.Sub):
                    yield from _equality_pairs(off.left, off.right, names)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _equality_pairs(test.operand, ast.Constant(False), names)
    elif isinstance(test, ast.Call) and ast.unparse(test.func).endswith("isclose") and len(test.args) > 1:
        yield from _equality_pairs(test.args[0], test.args[1], names)
    else:
        yield from _equality_pairs(test, ast.Constant(True), names)


def _unittest_pairs(call: ast.Call, names: Mapping[str, ast.expr]) -> Iterator[Pair]:
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if not method.startswith("assert"):
        return
    if method in {"assertTrue", "assertFalse", "assertIsNone"} and call.args:
        value = {"assertTrue": True, "assertFalse": False}.get(method)
        if value is True:
            yield from _asserted_pairs(call.args[0], names)
        else:
            yield from _equality_pairs(call.args[0], ast.Constant(value), names)
    elif len(call.args) > 1 and not method.startswith(("assertNot", "assertRaises", "assertGreater", "assertLess")):
        yield from _equality_pairs(call.args[0], call.args[1], names)


def _equality_pairs(one: ast.expr, other: ast.expr, names: Mapping[str, ast.expr]) -> Iterator[Pair]:
    for side, expected in ((one, other), (other, one)):
        found = _plain_call(_resolved_name(side, names), names)
        if found is not None:
            wanted = _plain_value(expected, names)
            if wanted is not None or _is_none(_resolved_name(expected, names)):
                yield Pair(*found, wanted, shown=False)
                return


def _plain_call(node: ast.expr, names: Mapping[str, ast.expr]) -> tuple[str, tuple[object, ...]] | None:
    """The name of a call of a function, and what it is given, where that is plain data."""
    if not isinstance(node, ast.Call):
        return None
    name = called_name(node)
    if name in _WRAPPERS and isinstance(node.func, ast.Name):
        return _plain_call(_resolved_name(node.args[0], names), names) if node.args else None
    bound = names.get(name)
    if isinstance(bound, ast.Name):
        name = bound.id
    given = []
    for part in [*node.args, *(keyword.value for keyword in node.keywords)]:
        value = _plain_value(part, names)
        if value is None and not _is_none(_resolved_name(part, names)):
            return None
        given.append(value)
    return (name, tuple(given)) if name and given else None


def _resolved_name(node: ast.expr, names: Mapping[str, ast.expr]) -> ast.expr:
    for _ in range(8):
        if not (isinstance(node, ast.Name) and node.id in names):
            break
        node = names[node.id]
    return node


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _plain_value(node: ast.expr, names: Mapping[str, ast.expr]) -> object:
    """Plain data; None where it is none."""
    node = _resolved_name(node, names)
    if (value := literal_data(node)) is not NO_DATA:
        return value
    # approx(0.5), dedent("...")
    if isinstance(node, ast.Call) and len(node.args) == 1:
        return _plain_value(node.args[0], names)
    if isinstance(node, ast.List | ast.Tuple):
        parts = [_plain_value(each, names) for each in node.elts]
        if all(part is not None for part in parts):
            return tuple(parts) if isinstance(node, ast.Tuple) else parts
    return None
