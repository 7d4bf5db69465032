"""How much does it say that a program holds an example's input and its answer?

In bits, of the constant that the input is compared with and of the answer; what the instruction says in words weighs
nothing, for any program must know it.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

# Bits: the most that a constant or an answer weighs, and one character.
_CAP = 40.0
_CHARACTER = 4.0
# What is left of an answer that the instruction names.
_SAID = 0.1
# Bits: 0, 1, the empty text: the cases at which any program begins.
_TRIVIAL = 1.5


def same_answer(one: object, other: object) -> bool:
    """Whether an answer is what is expected; an expected text may be how a value is printed."""
    if isinstance(other, str) and not isinstance(one, str):
        return str(one) == other.strip()
    if isinstance(one, str) and isinstance(other, str):
        return one.strip() == other.strip()
    if isinstance(one, float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return list(one) == list(other)
    return type(one) is type(other) and one == other


def weight_of(keys: Iterable[object], wanted: object, prose: str) -> float:
    """Bits of an answer with the constants that it is chosen by; none where these are in any program, or are said."""
    chosen = sum(0.0 if named_in_prose(key, prose) else bits_of(key) for key in keys)
    if chosen < _TRIVIAL:
        return 0.0
    return min(chosen, _CAP) + bits_of(wanted) * (_SAID if named_in_prose(wanted, prose) else 1.0)


def key_spellings(given: Sequence[object]) -> Iterator[str]:
    """How an input may be spelt as a key."""
    for value in [*given, tuple(given)]:
        yield repr(value)
        yield repr(str(value))
        yield repr(repr(value))
        if isinstance(value, list):
            yield repr(tuple(tuple(each) if isinstance(each, list) else each for each in value))
            yield repr(",".join(map(str, value)))
            yield repr(" ".join(map(str, value)))
            try:
                yield repr(sorted(value))
                yield repr(tuple(sorted(value)))
            except TypeError:
                pass
        if isinstance(value, str):
            yield from map(repr, (value.strip(), value.lower(), value.upper(), value.encode()))
            if value.strip().isdigit():
                yield value.strip()


def bits_of(value: object) -> float:
    """About how many bits it takes to say a constant; next to nothing for what is in every program."""
    if value is None or value == "":
        return 0.0
    if isinstance(value, bool):
        return 1.0
    if isinstance(value, int):
        return math.log2(1 + abs(value)) + (value < 0) if abs(value) > 1 else 0.5
    if isinstance(value, float):
        return 3.3 * len(f"{abs(value):.10g}".replace(".", "").strip("0"))
    if isinstance(value, str | bytes):
        return min(_CAP, _CHARACTER * len(value)) if len(value) > 1 else 1.0
    if isinstance(value, Mapping):
        return min(_CAP, sum(1 + bits_of(key) + bits_of(each) for key, each in value.items()))
    if isinstance(value, list | tuple | set | frozenset):
        return min(_CAP, sum(1 + bits_of(each) for each in value))
    return 0.0


def named_in_prose(value: object, prose: str) -> bool:
    """Whether the instruction says a constant in words; short numbers are in any text."""
    text = value if isinstance(value, str) else repr(value)
    if (
        not text.strip()
        or (isinstance(value, str) and text != text.strip())
        or (isinstance(value, int) and abs(value) < 10)
    ):
        return False
    return re.search(rf"(?<![\w.]){re.escape(text.strip())}(?!\w|\.\d)", prose, re.IGNORECASE) is not None
