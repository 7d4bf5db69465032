"""One walk over a tree of tree-sitter: the facts of a file in any of nine languages.

Trees are made of broken source too, but their nodes then mean less. The number of nodes and the bytes looked at
are bounded, and nothing recurses. What a macro or a template expands to is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .facts import Facts, TooMuchError, spelt_constant

if TYPE_CHECKING:
    from tree_sitter import Node

# Nodes of a tree that are looked at, and how often each byte of the file may be.
_NODES, _LOOKS = 200_000, 40
# Characters of a line that are quoted, and of a call.
_LINE, _HEAD = 400, 200

# What the grammars call things. They agree on many names, and no name means two things, so the names of all of them
# stand in one set each.

FUNCTIONS = frozenset(
    {"function_declaration", "function_expression", "arrow_function", "method_definition", "function_definition",
     "generator_function_declaration", "method_declaration", "constructor_declaration", "function_item", "method",
     "singleton_method", "func_literal", "lambda_expression", "closure_expression"}
)  # fmt: skip
CALLS = frozenset({"call_expression", "method_invocation", "call"})
COMMENTS = frozenset({"comment", "line_comment", "block_comment"})
STRINGS = frozenset(
    {"string", "template_string", "string_literal", "raw_string_literal", "interpreted_string_literal", "raw_string"}
)
NUMBERS = frozenset(
    {"number", "number_literal", "int_literal", "float_literal", "integer", "float", "integer_literal",
     "decimal_integer_literal", "decimal_floating_point_literal"}
)  # fmt: skip
ARRAYS = frozenset(
    {"array", "composite_literal", "initializer_list", "array_initializer", "array_expression", "token_tree",
     "slice_pattern", "array_creation_expression"}
)  # fmt: skip
CONDITIONS = frozenset(
    {"binary_expression", "binary", "switch_case", "expression_case", "switch_label", "case_statement", "when",
     "match_arm", "case_item", "pair", "keyed_element"}
)  # fmt: skip
"""Where a constant is something that a value is compared with."""

_ASSERTS = re.compile(
    r"\b(?:assert\w*|expect|EXPECT_\w+|ASSERT_\w+|CHECK|REQUIRE|require\.\w+|must_\w+|t\.(?:Error|Fatal|Fail)\w*)\b"
)
_TEST_MARK = re.compile(r"@(?:Parameterized)?Test\b|#\[(?:\w+::)?test\b")
_TEST_CALLS = frozenset({"it", "test", "specify"})
_TEST_MACROS = frozenset({"TEST", "TEST_F", "TEST_P", "TEST_CASE"})
_EQUALS = frozenset({"==", "===", "=", "-eq"})
# Comments and attributes before a function that belong to it.
_ABOVE = 20
_HOLDERS = frozenset(
    {"expression_list", "pattern", "match_pattern", "compound_literal_expression", "reference_expression",
     "argument_list", "array_creation_expression", "parenthesized_expression", "literal_element",
     "switch_label", "pair", "keyed_element"}
)  # fmt: skip


def file_facts(language: str, data: bytes, root: Node) -> Facts:
    """The facts of a file in a language, from the root of its tree.

    Raises:
        TooMuchError: the file is beyond the bounds.
    """
    return _Reader(language, data).read(root)


class _Reader:
    def __init__(self, language: str, data: bytes) -> None:
        self.language, self.data, self.code = language, data, bytearray(data)
        self.tested: list[tuple[str, Node]] = []
        self.keys: list[tuple[str, str]] = []
        self.constants: set[str] = set()
        self.looks = _LOOKS * (len(data) + 4096)

    def read(self, root: Node) -> Facts:
        # A node has no cheap way up or sideways, so what lies there is taken along.
        stack: list[tuple[Node, list[Node]]] = [(root, [])]
        for _ in range(_NODES):
            if not stack:
                break
            node, before = stack.pop()
            if node.type in COMMENTS:
                self.code[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)
                continue
            if node.type in FUNCTIONS:
                self.note_test(node, before)
            self.look(node)
            stack += reversed(list(_with_surroundings(node)))
        if stack:
            raise TooMuchError
        return Facts(
            tests=tuple(
                (name, len(_ASSERTS.findall(self.cut(self.code, node.start_byte, node.end_byte))))
                for name, node in self.tested
            ),
            keys=tuple(self.keys),
            constants=frozenset(self.constants),
        )

    def text(self, node: Node | None) -> str:
        return self.cut(self.data, node.start_byte, node.end_byte) if node is not None else ""

    def line(self, node: Node) -> str:
        start = self.data.rfind(b"\n", max(0, node.start_byte - _LINE), node.start_byte) + 1
        start = start or max(0, node.start_byte - _LINE)
        end = self.data.find(b"\n", node.start_byte, node.start_byte + _LINE)
        return self.cut(self.data, start, end if end >= 0 else node.start_byte + _LINE).strip("\ufffd \t\r\n")

    def cut(self, data: bytes | bytearray, start: int, end: int) -> str:
        """A part of the file, as long as it is not looked at too often."""
        self.looks -= end - start
        if self.looks < 0:
            raise TooMuchError
        return data[start:end].decode("utf-8", "replace")

    def note_test(self, node: Node, around: list[Node]) -> None:
        """Notes a function that is a test; `around` are the nodes before it, nearest first, and its holder."""
        name = self.name(node, around[-1] if around else None)
        body = node.child_by_field_name("body")
        end = body.start_byte if body is not None else node.start_byte
        head = self.cut(self.data, node.start_byte, end)
        marks = "".join(self.text(before) for before in around[:-1] if before.type not in COMMENTS)
        if (
            _TEST_MARK.search(marks + head)
            or name in _TEST_MACROS
            or (self.language in {"go", "c", "cpp", "ruby"} and re.match(r"[Tt]est", name))
        ):
            self.tested.append((head.strip() if name in _TEST_MACROS else name, node))

    def name(self, node: Node, holder: Node | None) -> str:
        named = node.child_by_field_name("name")
        if named is None:  # of C, behind its declarators; of a function that is a value, what it is given to
            named = node.child_by_field_name("declarator")
            while named is not None and (inner := named.child_by_field_name("declarator")) is not None:
                named = inner
        if named is None and holder is not None and holder.type in {"variable_declarator", "pair"}:
            named = holder.child_by_field_name("name") or holder.child_by_field_name("key")
        return self.text(named).rpartition("::")[2]

    def look(self, node: Node) -> None:
        """Notes what a node says."""
        kind = node.type
        if kind in CALLS:
            self.note_call(node)
        if kind in CONDITIONS:
            self.keys += [
                (form, self.line(node)) for child in self.compared_nodes(node) for form in self.constant_forms(child)
            ]
        for form in self.constant_forms(node) if kind in STRINGS or kind in NUMBERS or kind in ARRAYS else ():
            self.constants.add(form)

    def compared_nodes(self, node: Node) -> list[Node]:
        """The sides of a comparison, the values of a case, the key of an entry."""
        key = node.child_by_field_name("key")
        if key is not None or node.type in {"pair", "keyed_element"}:
            return [key] if key is not None else node.named_children[:1]
        operator = node.child_by_field_name("operator")
        if node.type in {"binary_expression", "binary"} and self.text(operator) not in _EQUALS:
            return []
        return node.named_children

    def note_call(self, node: Node) -> None:
        given = node.child_by_field_name("arguments")
        if given is None:
            return
        head = self.cut(self.data, node.start_byte, min(given.start_byte, node.start_byte + _HEAD)).strip()
        if head in _TEST_CALLS:
            words = self.cut(self.data, given.start_byte, min(given.end_byte, given.start_byte + _HEAD)).strip("() \n")
            if said := re.match(r"""["'`]([^"'`\n]{1,200})["'`]""", words):
                self.tested.append((said[1], node))

    def constant_forms(self, node: Node) -> Iterator[str]:
        """The one spelling of a constant that tells something; more than one where it may be spelt as text too."""
        if node.type not in STRINGS and node.type not in NUMBERS and node.type not in ARRAYS:
            for child in node.named_children[:4] if node.type in _HOLDERS else ():
                yield from self.constant_forms(child)
            return
        if node.end_byte - node.start_byte > 4000:
            return
        form = spelt_constant(self.text(node))
        if node.type in NUMBERS:
            telling = len(form) >= 4 and form.replace(".", "").isdigit()
        elif form.startswith("["):
            telling = "," in form and any(char.isalnum() for char in form)
        else:
            telling = len(form) >= 6 and (len(form) >= 12 or not form.isalpha())
        if telling:
            yield form
            if form.startswith("["):
                yield form[1:-1]


def _with_surroundings(node: Node) -> Iterator[tuple[Node, list[Node]]]:
    """Children, each with the comments and attributes just before it, nearest first, and with its parent at the end."""
    before: list[Node] = []
    for child in node.named_children:
        yield child, [*reversed(before), node]
        if child.type in COMMENTS or child.type == "attribute_item":
            before = [*before[-_ABOVE:], child]
        else:
            before = []
