"""Codes of ticket numbers: six symbols and a check symbol, such as `222-229-L`."""


def encode(number: int) -> str:
    """The code of a number; ValueError if it is out of range, TypeError if it is not an int."""
    raise NotImplementedError


def decode(code: str) -> int:
    """The number that a code stands for, however it is typed; BadCode if it is not right."""
    raise NotImplementedError


def is_valid(code: str) -> bool:
    """Whether a text is a code."""
    raise NotImplementedError


def repair(code: str) -> str:
    """The whole code for one in which `?` stands for one symbol; BadCode if that cannot be told."""
    raise NotImplementedError
