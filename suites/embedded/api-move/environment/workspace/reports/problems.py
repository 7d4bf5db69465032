"""What is wrong with a text."""

from meters import ParseError, read


def first_problem(text):
    """Number of the first malformed line, counted from 1, or None if there is none."""
    try:
        read(text)
    except ParseError as error:
        return error.line
    return None
