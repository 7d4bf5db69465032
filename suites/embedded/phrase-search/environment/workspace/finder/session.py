"""Carries out a script of changes and searches.

One command a line: `add NUMBER TEXT`, `drop NUMBER`, `find QUERY`. Empty lines are skipped.
"""

from __future__ import annotations

from finder.index import Index


class ScriptError(ValueError):
    """Raised for a line that is no command; the message starts with the line's number, from 1."""


def run(script: str) -> list[list[int]]:
    """Results of the `find` lines of a script, in order.

    Dropping a document that is not there changes nothing.

    Raises:
        ScriptError: a line is no command.
        QueryError: a query cannot be understood.
    """
    index = Index()
    results: list[list[int]] = []
    for number, line in enumerate(script.splitlines(), start=1):
        command, _, rest = line.strip().partition(" ")
        if command == "find":
            results.append(index.search(rest))
        elif command == "add":
            document, _, text = rest.partition(" ")
            index.add(_document(document, number), text)
        elif command == "drop":
            _drop(index, _document(rest, number))
        elif command:
            raise ScriptError(f"{number}: not a command: {line!r}")
    return results


def _drop(index: Index, document: int) -> None:
    try:
        index.remove(document)
    except KeyError:
        return


def _document(text: str, number: int) -> int:
    try:
        return int(text)
    except ValueError:
        raise ScriptError(f"{number}: not the number of a document: {text!r}") from None
