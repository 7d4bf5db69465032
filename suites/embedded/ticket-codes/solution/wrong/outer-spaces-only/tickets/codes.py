"""Codes of ticket numbers: six symbols and a check symbol, such as `222-229-L`."""

from tickets.alphabet import ALPHABET
from tickets.errors import BadCode

_BASE = len(ALPHABET)
_DIGITS = 6
_VALUES = {symbol: value for value, symbol in enumerate(ALPHABET)}
_VALUES |= {symbol.lower(): value for symbol, value in _VALUES.items()}


def encode(number: int) -> str:
    """The code of a number; ValueError if it is out of range, TypeError if it is not an int."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"the number of a ticket is an int, not {number!r}")
    if not 0 <= number < _BASE**_DIGITS:
        raise ValueError(f"no ticket has the number {number}")
    values = [number // _BASE**power % _BASE for power in reversed(range(_DIGITS))]
    return _written([*values, _check(values)])


def decode(code: str) -> int:
    """The number that a code stands for, however it is typed; BadCode if it is not right."""
    symbols = _symbols(code)
    if any(symbol not in _VALUES for symbol in symbols):
        raise BadCode(f"{code!r} holds something that is no symbol of a code")
    *values, check = [_VALUES[symbol] for symbol in symbols]
    if _check(values) != check:
        raise BadCode(f"the check symbol of {code!r} is wrong")
    number = 0
    for value in values:
        number = number * _BASE + value
    return number


def is_valid(code: str) -> bool:
    """Whether a text is a code."""
    try:
        decode(code)
    except BadCode:
        return False
    return True


def repair(code: str) -> str:
    """The whole code for one in which `?` stands for one symbol; BadCode if that cannot be told."""
    symbols = _symbols(code)
    if symbols.count("?") != 1:
        raise BadCode(f"{code!r} has {symbols.count('?')} unreadable symbols instead of one")
    whole = ("".join(symbols).replace("?", symbol) for symbol in ALPHABET)
    for candidate in whole:
        if is_valid(candidate):
            return _written([_VALUES[symbol] for symbol in candidate])
    raise BadCode(f"{code!r} holds something that is no symbol of a code")


def _symbols(code: str) -> list[str]:
    symbols = list(code.strip().replace("-", ""))
    if len(symbols) != _DIGITS + 1:
        raise BadCode(f"a code has {_DIGITS + 1} symbols, {code!r} has {len(symbols)}")
    return symbols


def _check(values: list[int]) -> int:
    return sum(weight * value for weight, value in enumerate(values, start=2)) % _BASE


def _written(values: list[int]) -> str:
    text = "".join(ALPHABET[value] for value in values)
    return f"{text[:3]}-{text[3:6]}-{text[6:]}"
