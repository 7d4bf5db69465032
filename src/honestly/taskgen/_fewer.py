"""Fewer tests of a commit, where all of them do not fit its limits: those that it changes, and those that name what it
changes.

Of files that are no tests, a test counts as changed where it names what they declare at the changed lines. What a
change declares is told from its lines, in any language; what a test reaches without naming it is not found.
"""

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from honestly.records import Tree
from honestly.taskgen._languages import Language
from honestly.taskgen._split import is_source, language_of
from honestly.tasks import text_in

_DECLARED = re.compile(
    r"\b(?:def|class|func|function|type|interface|struct|enum)\*?\s+(?:\([^)]*\)\s*)?(\w{3,})|"
    r"^(?:export\s+)?(?:const|let|var)\s+(\w{3,})|"  # not one of a function's own
    r"^(\w{3,})\s*(?::[^=\n]*)?=[^=]|"  # a name of a module
    r"^(?:\w[\w\s*]*?[\s*])(\w{3,})\s*\([^;\n]*$|"  # a function of C
    r"^\s+(?:async\s+|static\s+|get\s+|set\s+|public\s+|private\s+|\*)*(\w{3,})\s*\([^)\n]*\)[^;\n]*\{\s*$"  # a method
)
_WORD = re.compile(r"\w{3,}")
_NO_NAMES = frozenset(("for", "while", "switch", "catch", "return", "else", "with", "self", "this", "not", "new"))
_MOST_SHARE = 0.5
"""Of all tests, above which those that name what is changed are too many to be worth a try."""


def fewer_tests(
    before: Tree,
    after: Tree,
    touched: Collection[str],
    paths: Collection[str],
    language: Language | None,
    slow: Collection[str] = (),
) -> Iterator[dict[str, list[str]]]:
    """Choices of tests, the most first, by file: all but slow ones; what the commit changes with what names it; what it
    changes.

    Args:
        before: the files before the commit.
        after: the files after it.
        touched: the tests that it touches, and what belongs to them.
        paths: files of tests, of which to choose.
        language: of the tests; None for Python.
        slow: ids of tests to leave out, unless the commit changes them.
    """
    new, old = ({path: tests_in(path, tree, language) for path in paths} for tree in (after, before))
    words = _source_names(before, after, touched)
    own = {
        path: _changed_names(*(_less(text_in(tree, path), tests_in(path, tree, language)) for tree in (before, after)))
        for path in touched
        if language_of(path)
    }
    shared = {word for path, some in own.items() if path not in paths for word in some}
    changed, naming = dict[str, list[str]](), dict[str, list[str]]()
    for path, tests in new.items():
        tables = own.get(path, set()) | shared
        changed[path] = [n for n, text in tests.items() if text != old[path].get(n) or _names_any(text, tables)]
        naming[path] = [n for n, text in tests.items() if n in changed[path] or _names_any(text, words)]
    every, tried = sum(map(len, new.values())), list[dict[str, list[str]]]()
    quick = {
        path: [n for n in names if n in changed[path] or not any(is_test_of(each, path, n, language) for each in slow)]
        for path, names in new.items()
    }
    for some in (quick, naming, changed):
        kept = {path: names for path, names in some.items() if names}
        most = _MOST_SHARE * every if some is naming else every - 1
        if kept and kept not in tried and sum(map(len, kept.values())) <= most:
            tried.append(kept)
            yield kept


def is_test_of(test: str, path: str, name: str, language: Language | None) -> bool:
    """Whether an id, such as `folder::TestA/case` and `a.test.ts::suite > title`, is that of a test of a file by its
    name there; in Python, with whatever parameters.
    """
    place, _, title = test.partition("::")
    if place not in (path, path.rpartition("/")[0] or "."):
        return False
    if language is None:
        return title.partition("[")[0] == name
    return re.search(rf"(?:^|[\s>]){name}(?:$|/)", title) is not None


def nearest_files(before: Tree, after: Tree, touched: Collection[str], paths: Sequence[str]) -> list[str]:
    """Files of tests, those first that name most of what a commit changes; of two alike the smaller."""
    words = _source_names(before, after, touched)
    named = {path: len(words.intersection(_WORD.findall(text_in(before, path)))) for path in paths}
    return sorted(paths, key=lambda path: (-named[path], len(before.files[path].data), path))


def _source_names(before: Tree, after: Tree, touched: Collection[str]) -> set[str]:
    paths = (path for path in before.files.keys() | after.files.keys() if is_source(path) and path not in touched)
    return {name for path in paths for name in _changed_names(text_in(before, path), text_in(after, path))}


def tests_in(path: str, tree: Tree, language: Language | None) -> Mapping[str, str]:
    """The tests of a file by name, each with its text; of Python `Class::function`."""
    text = text_in(tree, path)
    return language.tests(text) if language is not None else _python_tests(text)


def _python_tests(text: str) -> dict[str, str]:
    try:
        parsed = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    lines, found = text.splitlines(), dict[str, str]()
    open_classes: list[tuple[str, ast.Module | ast.ClassDef]] = [("", parsed)]
    while open_classes:
        outer, body = open_classes.pop()
        for node in body.body:
            if isinstance(node, ast.ClassDef):
                open_classes.append((f"{outer}{node.name}::", node))
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
                start = min([node.lineno, *(each.lineno for each in node.decorator_list)]) - 1
                found[outer + node.name] = "\n".join(lines[start : node.end_lineno])
    return found


def _names_any(text: str, words: Collection[str]) -> bool:
    return bool(words) and not set(_WORD.findall(text)).isdisjoint(words)


def _less(text: str, tests: Mapping[str, str]) -> str:
    """A file without its tests: what is left is theirs in common."""
    for each in tests.values():
        text = text.replace(each, "")
    return text


def _changed_names(before: str, after: str) -> set[str]:
    """The names that a file declares at lines that changed, or just above them."""
    if before == after:
        return set()
    old, new, found = before.splitlines(), after.splitlines(), set[str]()
    for tag, start, end, to, until in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            found.update(_declared_at(old, start, end), _declared_at(new, to, until))
    return found


def _declared_at(lines: Sequence[str], first: int, last: int) -> Iterator[str]:
    for line in lines[first:last]:
        yield from _declared_names(line)
    if first < last and not _declared_names(lines[first]):
        yield from next(filter(None, map(_declared_names, reversed(lines[:first]))), ())


def _declared_names(line: str) -> list[str]:
    names = (next(filter(None, found.groups())) for found in _DECLARED.finditer(line))
    return [name for name in names if name not in _NO_NAMES]
