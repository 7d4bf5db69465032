"""Whether a Python program keeps to a style, by its tokens and its syntax tree: the styles of ManyIH's coding samples.

Standard library only, since it also runs beside hidden checks. Where a sample's words leave it open: "variable names"
are names that are assigned, arguments are not; a docstring is no string literal; a style that speaks of what a program
has not is kept.
"""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator


class Source:
    """A program as the styles see it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.tree = ast.parse(text)
        self.tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        self.nodes = list(ast.walk(self.tree))
        self.functions = [node for node in self.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        self.starts = [0]
        for line in text.encode().split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    @property
    def docstrings(self) -> dict[int, str]:
        """By line, what a module, a class or a function begins with, as it is written."""
        found = {}
        for node in [self.tree, *self.functions, *(node for node in self.nodes if isinstance(node, ast.ClassDef))]:
            first = node.body[0] if node.body else None
            value = first.value if isinstance(first, ast.Expr) else None
            if first is not None and isinstance(value, ast.Constant) and isinstance(value.value, str):
                found[first.lineno] = ast.get_source_segment(self.text, first) or ""
        return found

    @property
    def variables(self) -> set[str]:
        """Names that are assigned."""
        return {node.id for node in self.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)} - {
            "_"
        }

    @property
    def arguments(self) -> list[ast.arg]:
        """Of all functions, without `self` and `cls`."""
        given = [arg for node in self.functions for arg in ast.walk(node.args) if isinstance(arg, ast.arg)]
        return [arg for arg in given if arg.arg not in {"self", "cls"}]

    def indents(self) -> Iterator[str]:
        """What each block adds to the indentation of the one around it; an empty text where that changes."""
        held = [""]
        for token in self.tokens:
            if token.type == tokenize.INDENT:
                yield token.string[len(held[-1]) :] if token.string.startswith(held[-1]) else ""
                held.append(token.string)
            elif token.type == tokenize.DEDENT:
                held.pop()

    def blanks(self) -> list[int]:
        """Blank lines in each function that stands in no other; those in strings do not count."""
        inside = {
            line
            for token in self.tokens
            if token.type == tokenize.STRING
            for line in range(token.start[0], token.end[0])
        }
        nested = {id(each) for node in self.functions for each in ast.walk(node) if each is not node}
        return [
            sum(
                not self.lines[n - 1].strip() and n not in inside
                for n in range(node.lineno, (node.end_lineno or 0) + 1)
            )
            for node in self.functions
            if id(node) not in nested
        ]

    def operators(self) -> Iterator[tuple[str, bool, bool]]:
        """Each operator that is a sign: `arithmetic`, `comparison` or `assignment`; blanks on both sides, on any."""
        raw = self.text.encode()
        for kind, left, right in self._operands():
            between = raw[self._at(left, end=True) : self._at(right)].decode()
            if found := re.search(r"\*\*=?|//=?|<<=?|>>=?|[<>=!]=|:=|[-+*/%@&|^]=?|[<>=]", between):
                sides = [between[: found.start()][-1:].isspace(), between[found.end() :][:1].isspace()]
                yield kind, all(sides), any(sides)

    def _operands(self) -> Iterator[tuple[str, ast.expr, ast.expr]]:
        for node in self.nodes:
            if isinstance(node, ast.BinOp):
                yield "arithmetic", node.left, node.right
            elif isinstance(node, ast.Compare):
                for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
                    yield "comparison", left, right
            elif isinstance(node, ast.Assign):
                for left, right in zip(node.targets, [*node.targets[1:], node.value], strict=True):
                    yield "assignment", left, right
            elif isinstance(node, ast.AugAssign):
                yield "assignment", node.target, node.value
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                yield "assignment", node.annotation, node.value

    def _at(self, node: ast.expr, *, end: bool = False) -> int:
        line, column = (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)
        return self.starts[(line or 1) - 1] + (column or 0)

    def strings(self) -> Iterator[str]:
        """The quote of each string literal that is no docstring."""
        kinds = {tokenize.STRING, getattr(tokenize, "FSTRING_START", -1)}
        for token in self.tokens:
            if token.type in kinds and token.start[0] not in self.docstrings:
                yield token.string.lstrip("rRbBuUfF")[:1]

    def singletons(self) -> Iterator[tuple[bool, bool]]:
        """Of each comparison with True, False or None: whether by identity, and whether that stands first."""
        for node in self.nodes:
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                for left, operator, right in zip(sides, node.ops, node.comparators, strict=False):
                    first, last = (
                        isinstance(side, ast.Constant) and (side.value is None or isinstance(side.value, bool))
                        for side in (left, right)
                    )
                    if first or last:
                        yield isinstance(operator, ast.Is | ast.IsNot), first

    def returns(self, *, direct: bool) -> bool:
        """Whether results are returned as they are computed; or, if not `direct`, each is stored first."""
        for function in self.functions:
            names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
            for node in ast.walk(function):
                if not isinstance(node, ast.Return) or node.value is None:
                    continue
                if not direct and not isinstance(node.value, ast.Name | ast.Constant):
                    return False
                if direct and isinstance(node.value, ast.Name):
                    used = [each for each in names if each.id == getattr(node.value, "id", "")]
                    stored = [each for each in used if isinstance(each.ctx, ast.Store)]
                    if len(used) == 2 and len(stored) == 1:
                        return False
        return True


def _never_falls_through(body: list[ast.stmt]) -> bool:
    """Whether a block never runs past its end."""
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _never_falls_through(last.body) and _never_falls_through(last.orelse)
    if isinstance(last, ast.With):
        return _never_falls_through(last.body)
    if isinstance(last, ast.Try):
        return _never_falls_through(last.orelse or last.body) and all(
            _never_falls_through(each.body) for each in last.handlers
        )
    endless = isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and bool(last.test.value)
    return isinstance(last, ast.Return | ast.Raise) or endless


def _named_so(shape: str, *, arguments: bool) -> Callable[[Source], bool]:
    fits = re.compile(shape).fullmatch
    return lambda s: all(fits(name) for name in [*s.variables, *([a.arg for a in s.arguments] if arguments else [])])


def _spaced(**wanted: bool) -> Callable[[Source], bool]:
    return lambda s: all((both if wanted[kind] else not any_) for kind, both, any_ in s.operators() if kind in wanted)


def _license(s: Source) -> str:
    words = [token.string for token in s.tokens if token.type == tokenize.COMMENT] + list(s.docstrings.values())
    text = " ".join(words).lower()
    return (
        "apache" if "apache" in text else "mit" if re.search(r"\bmit\b", text) else "other" if "licen" in text else ""
    )


def _hinted(s: Source) -> bool:
    return all(arg.annotation is not None for arg in s.arguments)


STYLES: dict[str, Callable[[Source], bool]] = {
    "doc_none": lambda s: not any(ast.get_docstring(node) for node in s.functions),
    "doc_oneline": lambda s: all("\n" not in text for text in s.docstrings.values()),
    "doc_required": lambda s: all(ast.get_docstring(node) for node in s.functions),
    "indent_2": lambda s: all(each == "  " for each in s.indents()),
    "indent_4": lambda s: all(each == "    " for each in s.indents()),
    "indent_spaces": lambda s: all(each and not each.strip(" ") for each in s.indents()),
    "indent_tab": lambda s: all(each and not each.strip("\t") for each in s.indents()),
    "blank_internal_none": lambda s: not any(s.blanks()),
    "blank_internal_one": lambda s: all(count == 1 for count in s.blanks()),
    "blank_internal_required": lambda s: all(s.blanks()),
    "license_apache": lambda s: _license(s) == "apache",
    "license_mit": lambda s: _license(s) == "mit",
    "license_none": lambda s: not _license(s),
    "line_120": lambda s: max(map(len, s.lines)) <= 120,
    "line_79": lambda s: max(map(len, s.lines)) <= 79,
    "line_unlimited": lambda _: True,
    "naming_camel": _named_so(r"_*[a-z][a-zA-Z0-9]*", arguments=True),
    "naming_consonant_start": _named_so(r"(?i)[bcdfghj-np-tv-z]\w*", arguments=False),
    "naming_snake": _named_so(r"[a-z0-9_]+", arguments=True),
    "op_space_arithmetic": _spaced(arithmetic=True, comparison=True),
    "op_space_around": _spaced(arithmetic=True, comparison=True, assignment=True),
    "op_space_minimal": _spaced(arithmetic=False, assignment=True),
    "op_space_none": _spaced(arithmetic=False, comparison=False, assignment=False),
    "quotes_docstring_triple_double": lambda s: all(re.match(r'[rRuU]?"""', t) for t in s.docstrings.values()),
    "quotes_double": lambda s: all(mark == '"' for mark in s.strings()),
    "quotes_single": lambda s: all(mark == "'" for mark in s.strings()),
    "return_direct": lambda s: s.returns(direct=True),
    "return_variable": lambda s: s.returns(direct=False),
    "return_explicit_none": lambda s: (
        all(_never_falls_through(node.body) for node in s.functions)
        and not any(isinstance(node, ast.Return) and node.value is None for node in s.nodes)
    ),
    "singleton_eq": lambda s: not any(by_identity for by_identity, _ in s.singletons()),
    "singleton_is": lambda s: all(by_identity for by_identity, _ in s.singletons()),
    "singleton_variable_first": lambda s: not any(first for _, first in s.singletons()),
    "singleton_yoda": lambda s: all(first for _, first in s.singletons()),
    "types_args_only": lambda s: _hinted(s) and all(node.returns is None for node in s.functions),
    "types_args_required": _hinted,
    "types_full": lambda s: _hinted(s) and all(node.returns is not None for node in s.functions),
    "types_none": lambda s: (
        not any(arg.annotation for arg in s.arguments)
        and not any(node.returns for node in s.functions)
        and not any(isinstance(node, ast.AnnAssign) for node in s.nodes)
    ),
    "var_max2": _named_so(r".{1,2}", arguments=False),
    "var_min3": _named_so(r".{3,}", arguments=False),
    "var_min5": _named_so(r".{5,}", arguments=False),
    "var_single": _named_so(r".", arguments=False),
}
"""By the name that ManyIH gives it; see `metadata.expected_styles` of a sample."""


def broken_styles(text: str, wanted: list[str]) -> list[str]:
    """Which of these styles a program does not keep; all, where it is no Python."""
    try:
        source = Source(text)
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError):
        return list(wanted)
    return [name for name in wanted if not STYLES[name](source)]
