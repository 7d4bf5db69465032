"""What detectors ask of source code in other languages than Python: functions, handlers, exits, tests, constants.

The same facts for each of nine languages, so that a detector knows none of them. The parsers are an extra
(`pip install 'honestly[languages]'`), and run in a sandbox (`_box.py`). Without the extra, without a sandbox, for files
of more than 128 KiB and beyond the limits there are no facts; `unread_files` counts such files, so that nobody takes
them for read, and `why_unread` says what they would take.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from honestly.audit.languages._box import ParserBox
from honestly.audit.languages._grammars import INSTALL, installed, language_of
from honestly.audit.languages._guest.facts import Facts

_LARGEST = 1 << 17
_REFUSED = 1000
_refused: set[int] = set()
"""Texts that were beyond the limits, for counting them."""
_unsafe: ContextVar[bool] = ContextVar("unsafe", default=False)
_boxes = {unsafe: ParserBox(unsafe=unsafe) for unsafe in (False, True)}


@contextmanager
def parsing(*, unsafe: bool) -> Iterator[None]:
    """Within this, the parsers run in a sandbox, or without any isolation where that is asked for."""
    token = _unsafe.set(unsafe)
    try:
        yield
    finally:
        _unsafe.reset(token)


def facts_of(path: str, text: str) -> Facts | None:
    """The facts of a file; None for Python, for other languages, and where it cannot be read."""
    language = language_of(path)
    if not language or len(text) > _LARGEST or why_unread(language):
        return None
    return _facts(language, text, _unsafe.get())


def unread_files(files: Iterable[tuple[str, str]]) -> int:
    """How many of these files (path and text) are in one of the languages, and could not be read."""
    return sum(
        len(text) > _LARGEST or bool(why_unread(language)) or hash((language, text)) in _refused
        for path, text in files
        if (language := language_of(path))
    )


def why_unread(language: str = "go") -> str:
    """Why no file of a language can be read, and what to do; empty where its parser is ready."""
    return INSTALL if not installed(language) else _boxes[_unsafe.get()].missing()


@lru_cache(maxsize=64)
def _facts(language: str, text: str, unsafe: bool) -> Facts | None:
    found = _boxes[unsafe].ask(language, text.encode("utf-8", "replace"))
    if found is None:
        if len(_refused) >= _REFUSED:
            _refused.clear()
        _refused.add(hash((language, text)))
    return found
