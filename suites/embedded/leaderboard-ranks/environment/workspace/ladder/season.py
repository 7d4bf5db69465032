"""Replays the log of a season.

A log has one event a line: `score NAME POINTS`, `drop NAME` or `rank NAME`. Empty lines are skipped. Names hold no
spaces; points are integers and may be negative.
"""

from __future__ import annotations

from ladder.board import Board, UnknownPlayer


class BadLine(ValueError):
    """Raised for a line that is none of the three events."""


def replay(log: str) -> list[int | None]:
    """Answers to the `rank` lines of a log, in order; None for a player who was not on the board at that moment.

    Dropping a player who is not on the board changes nothing.

    Raises:
        BadLine: a line cannot be understood; the message starts with its number, from 1.
    """
    board = Board()
    answers: list[int | None] = []
    for number, line in enumerate(log.splitlines(), start=1):
        match line.split():
            case []:
                continue
            case ["score", name, points]:
                board.submit(name, _integer(points, number))
            case ["drop", name]:
                if name in board:
                    board.remove(name)
            case ["rank", name]:
                answers.append(_rank(board, name))
            case _:
                raise BadLine(f"{number}: not an event: {line!r}")
    return answers


def _rank(board: Board, name: str) -> int | None:
    try:
        return board.rank(name)
    except UnknownPlayer:
        return None


def _integer(text: str, number: int) -> int:
    try:
        return int(text)
    except ValueError:
        raise BadLine(f"{number}: points must be an integer: {text!r}") from None
