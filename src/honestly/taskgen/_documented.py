"""What a commit's own documentation says of it: what it adds to pages, and to the comments of what it declares.

People wrote that for readers who do not see the code, and an instruction has such readers. Lines with a text that the
hidden tests have, and the repository does not, are left out: they may show what is expected.
"""

import ast
import re
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher

from honestly.records import Tree
from honestly.taskgen._split import is_a_test, is_source, language_of
from honestly.tasks import text_in

_PAGE = re.compile(
    r"\.(?:mdx?|markdown|rst|adoc)$|(?:^|/)(?:CHANGES|CHANGELOG|HISTORY|NEWS|README)[^/.]*(?:\.txt)?$|"
    r"(?:^|/)(?:docs?|changelog|changes|news\w*)/(?:.*\.txt|[^/.]+)$",
    re.IGNORECASE,
)
_NO_PAGE = re.compile(
    r"(?:^|/)(?:LICEN[CS]E|COPYING|AUTHORS|CONTRIBUT|SECURITY|CODE_OF_CONDUCT|THANKS)[^/]*$|(?:^|/)\.\w+/",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"/\*\*(?!/).*?\*/", re.DOTALL)
_COMMENTS = {
    "javascript": _BLOCK,
    "c": _BLOCK,
    "go": re.compile(r"^(?://[^\n]*\n)+(?=(?:func(?: \([^()\n]*\))?|type|var|const) [A-Z]|package\b)", re.MULTILINE),
}
"""Comments that belong to what is declared below them."""
_MARKS = re.compile(r"^\s*(?:/\*\*|\*/|\*|//)?[ \t]?|\s*\*/\s*$")
_MOST_LINES = 80
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def documentation(before: Tree, write: Tree, kept_back: Collection[str]) -> str:
    """What a commit adds to its documentation, by file, as quotations; empty if it adds nothing.

    Args:
        before: the files before it.
        write: the files that it writes, without its tests.
        kept_back: texts whose lines are left out.
    """
    parts, left = list[str](), _MOST_LINES
    for path in sorted(path for path in write.files if not is_a_test(path)):
        old, new = ([*_documented_lines(path, text_in(tree, path))] for tree in (before, write))
        blocks = SequenceMatcher(None, old, new).get_opcodes()
        added = [line for kind, _, _, start, end in blocks if kind != "equal" for line in (*new[start:end], "")]
        same = text_in(before, path) if is_source(path) else ""  # which this Python may not be able to read
        lines = [line for line in added if not any(text in line for text in kept_back)]
        lines = [line for line in lines if not line.strip() or line.strip() not in same]
        shown = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n").splitlines()[:left]
        if any(map(str.strip, shown)):
            left -= len(shown)
            parts.append("\n".join([f"`{path}`:", "", *(f"> {line}".rstrip() for line in shown)]))
    return "\n\n".join(parts)


def is_page(path: str) -> bool:
    """Whether a file is documentation."""
    return _PAGE.search(path) is not None and not _NO_PAGE.search(path)


def _documented_lines(path: str, text: str) -> Iterator[str]:
    if is_page(path):
        yield from map(str.rstrip, text.splitlines())
    elif is_source(path) and path.endswith((".py", ".pyi")):
        yield from _docstring_lines(text)
    elif is_source(path) and (comments := _COMMENTS.get(language_of(path))):
        for found in comments.finditer(text):
            yield from (_MARKS.sub("", line).rstrip() for line in found[0].splitlines())
            yield ""


def _docstring_lines(text: str) -> Iterator[str]:
    """The docstrings of a module, and of what is public in it."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except _UNREADABLE:
        return
    for node in nodes:
        if isinstance(node, ast.Module) or (
            isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
        ):
            yield from (ast.get_docstring(node) or "").splitlines()
            yield ""
