"""Other values for a literal, such that nothing in the set of them all says which one the test's author wrote.

Whoever sees the value and its siblings, in any order and any number of times, should know no more than that one of them
is right. So they are made as a set in which the original has a random place. Numbers lie at equal distances, no farther
apart than the comparison needs to notice, with as many digits, and zeros at the end, as the original, which is as
likely the least as any. Texts differ from each other in one character, or are words that the same file expects
elsewhere.
"""

import random
import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

K = TypeVar("K", int, str)
_NUMBER = re.compile(r"(\d[\d_]*)(?:\.(\d+))?([eE][+-]?\d+)?")
_VOWELS = "aeiou"
_CONSONANTS = "".join(letter for letter in string.ascii_lowercase if letter not in _VOWELS)
_ALPHABETS = (
    *(string.digits, _VOWELS, _CONSONANTS, _VOWELS.upper(), _CONSONANTS.upper(), string.punctuation),
    " \t",
)
_TRIES = 4
"""How often the distance of numbers is made tenfold where Python takes neighbours for the same."""


class Margin(NamedTuple):
    """How far a comparison lets two numbers be apart."""

    absolute: float = 0.0
    relative: float = 0.0

    def of(self, value: float) -> float:
        """What another value must be away from one, so that nothing is close to both."""
        return 2.1 * max(self.absolute, self.relative * abs(value))


class Pool:
    """The values that a file expects; what its author writes."""

    def __init__(self, values: Iterable[object] = ()) -> None:
        found = list(values)
        self.words = sorted({value for value in found if isinstance(value, str) and value.isalpha()})
        self.digits = Counter(value for value in found if type(value) is int and 0 <= value <= 9)
        self.letters = Counter("".join(value for value in found if isinstance(value, str)))


def numbers(written: str, count: int, rng: random.Random, margin: Margin, pool: Pool, *, least: int = 0) -> list[str]:
    """Other numbers, written in the same way.

    Args:
        written: a number without a sign.
        count: how many are wanted; fewer come where there are none.
        rng: chooses.
        margin: of the comparison.
        pool: of the file.
        least: 1 where a sign stands before the number.
    """
    found = _NUMBER.fullmatch(written)
    if found is None:
        return _rare(written, count, rng)
    whole, fraction, power = found[1].replace("_", ""), found[2] or "", found[3] or ""
    unit = float("1e" + power[1:] if power else "1") * 10.0 ** -len(fraction)
    mantissa = int(whole + fraction)
    try:
        distance = int(margin.of(float(written)) / unit) + 1 if margin != Margin() else 1
    except (OverflowError, ZeroDivisionError, ValueError):
        return []
    for _ in range(_TRIES):
        near = _near(mantissa, len(fraction), count, distance, rng, pool, 1 if power else least)
        new = [_written(each, len(fraction), "_" in written) + power for each in near]
        read = float if fraction or power else int
        if len({read(each) for each in (written, *new)}) > len(new):
            return new
        distance *= 10
    return []


def _near(
    number: int, decimals: int, count: int, distance: int, rng: random.Random, pool: Pool, least: int
) -> list[int]:
    """Numbers with as many digits, and as many zeros at the end, in steps of at least a distance."""
    zeros = len(str(number)) - len(str(number).rstrip("0")) if number else decimals
    unit = 10**zeros
    lead, step = number // unit, -(-distance // unit)
    single, zero = lead < 10, decimals >= zeros and not least
    if single and step == 1 and lead * unit == number:
        some = [each for each in range(0 if zero else 1, 10) if each != lead]
        weights = {each: 1 / (each + 1) + pool.digits[each] for each in some}
        return [each * unit for each in _drawn(weights, count, rng)]
    step *= rng.choice((1, 1, 2))

    def alike(each: int) -> bool:
        return len(str(each)) == len(str(lead)) and (single or each % 10 > 0) and (each > 0 or zero)

    for fits in (alike, lambda each: each >= (0 if zero else 1)):
        up = [each for each in range(lead + step, lead + step * (2 * count + 2), step) if fits(each)][:count]
        down = [each for each in range(lead - step, lead - step * (2 * count + 2), -step) if fits(each)][:count]
        below = [n for n in range(count + 1) if n <= len(down) and count - n <= len(up)]
        if below:
            n = rng.choice(below)
            chosen = down[:n] + up[: count - n]
            rng.shuffle(chosen)
            return [each * unit for each in chosen]
    return []


def _written(mantissa: int, decimals: int, grouped: bool) -> str:
    if not decimals:
        return f"{mantissa:_}" if grouped else str(mantissa)
    digits = str(mantissa).rjust(decimals + 1, "0")
    return f"{digits[:-decimals]}.{digits[-decimals:]}"


def _rare(written: str, count: int, rng: random.Random) -> list[str]:
    """Numbers in other notations than the decimal one."""
    prefix = written[:2].lower()
    if prefix not in ("0x", "0o", "0b"):
        return []
    value = int(written, 0)
    below = rng.randint(max(0, count - value), count) if value < count else rng.randint(0, count)
    some = [each for each in range(value - count + below, value + below + 1) if each != value and each >= 0]
    return [format(each, f"#0{len(written)}{prefix[1]}") for each in rng.sample(some, min(count, len(some)))]


def texts(value: str, count: int, rng: random.Random, pool: Pool, highest: int = 0x10FFFF) -> list[str]:
    """Other texts: words that the file expects elsewhere, or all with another character at the same place.

    Characters beyond `highest` are in none of them.
    """
    others = [word for word in pool.words if word != value and ord(max(word)) <= highest]
    if value.isalpha() and len(others) >= count:
        return rng.sample(others, count)
    if not value:
        return _drawn(dict.fromkeys(others, 1.0) or dict.fromkeys(_CONSONANTS, 1.0), count, rng)
    places = [at for at, mark in enumerate(value) if _alphabet(mark)]
    figures = [at for at in places if value[at].isdigit()]
    if not places:
        at = rng.randrange(len(value))
        below = rng.randint(0, count)
        codes = [ord(value[at]) + step for step in range(below - count, below + 1) if step]
        marks = [chr(code) for code in codes if 0 < code <= highest and chr(code).isprintable()]
    else:
        at = rng.choice(figures or places)
        weights = {mark: 1.0 + pool.letters[mark] for mark in _alphabet(value[at]) if mark != value[at]}
        marks = _drawn(weights, count, rng)
    return [value[:at] + mark + value[at + 1 :] for mark in marks]


def _alphabet(mark: str) -> str:
    return next((letters for letters in _ALPHABETS if mark in letters), "")


def _drawn(weights: Mapping[K, float], count: int, rng: random.Random) -> list[K]:
    """Some keys, each drawn by its weight and never twice."""
    left, found = dict(weights), list[K]()
    while left and len(found) < count:
        found.append(rng.choices(list(left), list(left.values()))[0])
        del left[found[-1]]
    return found
