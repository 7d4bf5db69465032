"""Whether a text holds answers of a task: what only its hidden checks or its reference have.

Looked for are literals (texts of three characters and more, numbers of two digits and more), names that only the
reference has and that look like names, whole lines of the reference, and rows of three constants and more. Of the texts
in a program also what they say when put together, turned round, or decoded (base64, hex, rot13).

A literal that can be put together only by running the program is not found here: `learning` runs it.
"""

import ast
import base64
import binascii
import codecs
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from honestly.memory._abstract import TOOLS
from honestly.records import Task, Tree
from honestly.tasks import WORD, added_lines, added_words, text_in

_LEAST_TEXT, _LEAST_LINE, _LEAST_ROW = 3, 12, 3
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_QUOTED = re.compile(r"'([^'\n\\]{3,200})'|\"([^\"\n\\]{3,200})\"")
_USUAL = TOOLS | frozenset(
    ("utf-8", "__main__", "10", "100", "1000", "-1", "0.0", "1.0", "0.5", "name", "value", "text", "file", "work")
)
"""What every workflow and every skill may say."""
_LIKE_A_NAME = re.compile(r"\w*[a-z]_[a-z]\w*|[a-z]+[A-Z]\w*|\w*[A-Za-z]\d\w*|_\w+")
_TRIED = (ast.Constant, ast.UnaryOp)


def _parsed_python(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def program_constants(tree: ast.AST) -> Iterator[str]:
    """The texts and numbers of a program, as texts; of numbers with their sign."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes | int | float):
            if isinstance(node.value, bool):
                continue
            value = node.value.decode("latin-1") if isinstance(node.value, bytes) else str(node.value)
            yield value


def constant_rows(tree: ast.AST) -> Iterator[tuple[str, ...]]:
    """The lists, tuples, sets and the values of tables in a program that are constants all through."""
    for node in ast.walk(tree):
        items = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else ()
        items = node.values if isinstance(node, ast.Dict) else items
        if len(items) >= _LEAST_ROW and all(isinstance(each, _TRIED) for each in items):
            yield tuple(ast.unparse(each) for each in items)


def decoded_texts(tree: ast.AST) -> Iterator[str]:
    """The decoded texts of a program: each, all of them put together, and both turned round or decoded."""
    texts = [each for each in program_constants(tree) if len(each) > 0]
    for text in (*texts, "".join(texts), "".join(reversed(texts))):
        yield from (text, text[::-1], codecs.encode(text, "rot13"))
        squeezed = "".join(text.split())
        for decode in (base64.b64decode, base64.b32decode, bytes.fromhex, _from_codes):
            try:
                yield decode(squeezed).decode()
            except (ValueError, binascii.Error):
                continue
    yield from (_as_text(row) for row in constant_rows(tree))


def turned_texts(text: str) -> str:
    """The hidden messages of prose: turned round or decoded, as a whole and in each of its words."""
    return "\n".join(decoded_texts(ast.parse(repr((text, *text.split())))))


def _from_codes(text: str) -> bytes:
    return bytes(int(each) for each in re.split(r"[,;.\- ]", text))


def _as_text(row: tuple[str, ...]) -> str:
    """A row of the codes of characters as the text that it is."""
    codes = [int(each) for each in row if each.isdigit() and int(each) < 0x110000]
    return "".join(map(chr, codes)) if len(codes) == len(row) else ""


@dataclass(frozen=True)
class Answers:
    """The parts of a task that must not be learned."""

    task: Task

    @cached_property
    def _public_text(self) -> str:
        parts = [self.task.instruction, *(text_in(self.task.workspace, path) for path in self.task.workspace.files)]
        shown = self.task.visible.files if self.task.visible else Tree()
        parts += [text_in(shown, path) for path in shown.files]
        return "\n".join((*parts, *self.task.workspace.files))

    @cached_property
    def _hidden_texts(self) -> tuple[str, ...]:
        """The texts of what is hidden: checks, solutions that are scripts."""
        hidden = self.task.hidden
        trees = (hidden.checks.files, hidden.solution) if hidden else ()
        return tuple(text for tree in trees for path in tree.files if (text := text_in(tree, path)))

    @cached_property
    def hidden_literals(self) -> frozenset[str]:
        """Texts and numbers that only the hidden part has."""
        found = set[str]()
        reference = self.task.hidden.reference.write if self.task.hidden else Tree()
        texts = [text_in(reference, path) for path in reference.files]
        for text in (*self._hidden_texts, *texts):
            tree = _parsed_python(text)
            found |= set(program_constants(tree)) if tree else {a or b for a, b in _QUOTED.findall(text)}
            found |= set(_NUMBER.findall(text)) if not tree else set()
        long = (each.strip() for each in found if "\n" not in each)
        return frozenset(
            each for each in long
            if each not in _USUAL and len(each) >= (2 if _NUMBER.fullmatch(each) else _LEAST_TEXT)
            and not _stands_alone(each, self._public_text)
        )  # fmt: skip

    @cached_property
    def reference_names(self) -> frozenset[str]:
        """Names of the reference's own that are no everyday words."""
        if self.task.hidden is None:
            return frozenset()
        known = set(WORD.findall(self._public_text))
        return frozenset(each for each in added_words(self.task)[0] - known if _LIKE_A_NAME.fullmatch(each))

    @cached_property
    def reference_lines(self) -> frozenset[str]:
        """Lines of the reference without their blanks, where they are long enough to be its own."""
        if self.task.hidden is None:
            return frozenset()
        public = "".join(self._public_text.split())
        added = {line for line in added_lines(self.task) if not line.startswith(("import ", "#"))}
        added |= {re.split(r"\breturn\b|(?<![=!<>])=(?!=)", line, maxsplit=1)[-1] for line in added}
        squeezed = {"".join(line.split()) for line in added}
        return frozenset(line for line in squeezed if len(line) >= _LEAST_LINE and line not in public)

    @cached_property
    def constant_rows(self) -> frozenset[tuple[str, ...]]:
        """Rows of constants that only the hidden part has."""
        found = set[tuple[str, ...]]()
        for text in self._hidden_texts:
            if tree := _parsed_python(text):
                found |= set(constant_rows(tree))
        known = _parsed_python(self._public_text)
        public = "".join(self._public_text.split())
        return frozenset(
            row for row in found - (set(constant_rows(known)) if known else set()) if ",".join(row) not in public
        )

    def in_text(self, text: str) -> tuple[str, ...]:
        """The answers that a text says."""
        squeezed = "".join(text.split())
        said = [each for each in (*self.hidden_literals, *self.reference_names) if _stands_alone(each, text)]
        said += [line for line in self.reference_lines if line in squeezed]
        return tuple(sorted(said))

    def in_program(self, code: str) -> tuple[str, ...]:
        """The answers that a program holds, plainly or put together or decoded."""
        if (tree := _parsed_python(code)) is None:
            return self.in_text(code)
        # A program's own text without the comments, which are not kept.
        try:
            tokens = tokenize.generate_tokens(io.StringIO(code).readline)
            without_prose = " ".join(token.string for token in tokens if token.type != tokenize.COMMENT)
        except (tokenize.TokenError, SyntaxError):
            without_prose = code
        found = set(self.in_text(without_prose))
        for text in decoded_texts(tree):
            found |= set(self.in_text(text))
        for row in constant_rows(tree):
            found |= {", ".join(known) for known in self.constant_rows if row == known or set(known) <= set(row)}
        return tuple(sorted(found))


def _stands_alone(literal: str, text: str) -> bool:
    before = r"(?<![\w.])" if literal[:1].isalnum() else ""
    after = r"(?![\w])" if literal[-1:].isalnum() else ""
    return literal in text and re.search(before + re.escape(literal) + after, text) is not None
