"""The languages that can be read beside Python: their files, their parsers, and what their grammars call things.

Grammars agree on many names and none means two things, so the names of all of them stand in one set each.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Parser

__all__ = [
    "ARRAYS",
    "CALLS",
    "COMMENTS",
    "CONDITIONS",
    "FUNCTIONS",
    "HANDLERS",
    "INSTALL",
    "NUMBERS",
    "RETURNS",
    "STRINGS",
    "installed",
    "language_of",
    "parser_of",
]

INSTALL = "pip install 'honestly[languages]'"
"""What gives the parsers."""

_SUFFIXES = {
    "sh": "bash", "bash": "bash", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp",
    "hh": "cpp", "go": "go", "java": "java", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
    "jsx": "javascript",
    "rb": "ruby", "rs": "rust", "ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx",
}  # fmt: skip

FUNCTIONS = frozenset(
    {"function_declaration", "function_expression", "arrow_function", "method_definition", "function_definition",
     "generator_function_declaration", "method_declaration", "constructor_declaration", "function_item", "method",
     "singleton_method", "func_literal", "lambda_expression", "closure_expression"}
)  # fmt: skip
RETURNS = frozenset({"return_statement", "return_expression", "return"})
HANDLERS = frozenset({"catch_clause", "rescue", "if_statement", "if_expression", "match_arm"})
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
    {
        "array",
        "composite_literal",
        "initializer_list",
        "array_initializer",
        "array_expression",
        "token_tree",
        "slice_pattern",
        "array_creation_expression",
    }
)
CONDITIONS = frozenset(
    {"binary_expression", "binary", "switch_case", "expression_case", "switch_label", "case_statement", "when",
     "match_arm", "case_item", "pair", "keyed_element"}
)  # fmt: skip
"""Where a constant is something that a value is compared with."""


def language_of(path: str) -> str:
    """The language of a file by its name; empty for Python, and for what cannot be read."""
    return _SUFFIXES.get(path.rpartition(".")[2].lower(), "") if "." in path else ""


@lru_cache(maxsize=16)
def installed(language: str) -> bool:
    """Whether the parser of a language is installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("tree_sitter", _module(language)))


@lru_cache(maxsize=16)
def parser_of(language: str) -> Parser:
    """The parser of a language, which has to be installed."""
    from tree_sitter import Language, Parser

    module = importlib.import_module(_module(language))
    made = getattr(module, f"language_{language}" if language in {"typescript", "tsx"} else "language")
    return Parser(Language(made()))


def _module(language: str) -> str:
    return f"tree_sitter_{'typescript' if language == 'tsx' else language}"
