"""Hidden tests that ask for what nobody can know: words and numbers that only the solution's texts and data have.

A word counts if the commit is the first to write it, in a text of its source or in a file that is no code, and the
instruction does not say it. Tests are read one by one, as far as their language lets them be told apart. What a test
computes, or takes from another file, is not found.
"""

import re
from collections.abc import Collection, Iterable

from honestly.records import Edit, Tree
from honestly.taskgen._asked import texts_in, words_in_code
from honestly.taskgen._documented import is_page
from honestly.taskgen._fewer import is_test_of, tests_in
from honestly.taskgen._languages import Language
from honestly.taskgen._split import is_source
from honestly.tasks import text_in

_WORD = re.compile(r"[^\W\d_]{4,}|(?<![\w.])\d{3,}(?:\.\d+)?(?![\w.])|(?<![\w.])\d+\.\d+(?![\w.])")
_NUMBER = re.compile(r"(?<!\w)\d[\d.]*")
_TITLE = re.compile(r"\(\s*(['\"`]).*?\1")
_SAID = re.compile(r"\bt\.(?:Error|Fatal|Log|Skip)f?\(.*")
"""What a test of Go's says where it fails."""


def untold_tests(
    names: Collection[str], instruction: str, before: Tree, reference: Edit, tests: Tree, language: Language | None
) -> dict[str, str]:
    """Those of some tests that ask for what nobody can know, each with a word of it.

    Args:
        names: ids of tests.
        instruction: what is said.
        before: the files before the commit.
        reference: what it changes, but for its tests.
        tests: its tests.
        language: of the tests; None for Python.
    """
    known = [text_in(before, path) for path in before.files if not path.startswith(".git/")]
    secret = set(_words(_new_texts(before, reference.write))) - set(_words([instruction, *known]))
    found: dict[str, str] = {}
    for path in tests.files if secret else ():
        for name, text in tests_in(path, tests, language).items():
            code = text if language is None else _SAID.sub("", _TITLE.sub("(", text, count=1))
            asked = secret & set(_words([*texts_in(code), *_NUMBER.findall(code)]))
            own = [each for each in names if asked and is_test_of(each, path, name, language)]
            rows = [each for each in own if asked & set(_words([each.partition("[")[2]]))]  # of a test with parameters
            found |= dict.fromkeys(rows or own, min(asked, default=""))
    return found


def _new_texts(before: Tree, write: Tree) -> Iterable[str]:
    """The new texts and numbers of source, and the new lines of files that are no code."""
    for path in (path for path in write.files if not is_page(path)):
        old, new = text_in(before, path), text_in(write, path)
        yield from (
            words_in_code(path, old, new)[1] if is_source(path) else set(new.splitlines()) - set(old.splitlines())
        )


def _words(texts: Iterable[str]) -> Iterable[str]:
    return (word.lower() for text in texts for word in _WORD.findall(text))
