"""What is wrong with a text."""

from meters import ParseError, parse


def first_problem(text):
    """Number of the first malformed line, counted from 1, or None if there is none."""
    try:
        parse(text, unit="Wh")
    except ParseError as error:
        return error.line + 1
    return None
