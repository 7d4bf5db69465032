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
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from math import prod
from typing import NamedTuple, TypeVar

K = TypeVar("K", int, str)
_NUMBER = re.compile(r"(\d[\d_]*)(?:\.(\d+))?([eE][+-]?\d+)?")
_VOWELS = "aeiou"
_CONSONANTS = "".join(letter for letter in string.ascii_lowercase if letter not in _VOWELS)
_ALPHABETS = (*(string.digits, _VOWELS, _CONSONANTS, _VOWELS.upper(), _CONSONANTS.upper(), string.punctuation), " \t")
_USUAL = (0.16, 0.24, 0.17, 0.14, 0.09, 0.08, 0.04, 0.04, 0.02, 0.02)
"""How often tests that expect one digit expect which."""
_BESIDE, _BESIDE_DECIMALS = 3.0, 12.0
"""How much oftener, if it stands in the test besides; and with a decimal point."""
_TRIES = 4
"""How often the distance of numbers is made tenfold where Python takes neighbours for the same."""


class Margin(NamedTuple):
    """How far a comparison lets two numbers be apart."""

    absolute: float = 0.0
    relative: float = 0.0

    def margin_around(self, value: float) -> float:
        """The margin that keeps another value away from one, so that nothing is close to both."""
        return 2.1 * max(self.absolute, self.relative * abs(value))


class Pool:
    """The other values in a test and its file, from which an author might have taken a value."""

    def __init__(
        self, expected: Iterable[object] = (), test: Iterable[object] = (), file: Iterable[object] = ()
    ) -> None:
        """Takes the values that the file expects, all that stand in the test, and all that stand in the file."""
        found = [value for value in expected if isinstance(value, str)]
        self._test, self._file = Counter(_plain_values(test)), Counter(_plain_values(file))
        self.words = sorted({value for value in found if value.isalpha()})
        self.letters = Counter("".join([*found, *(value for value in self._test if isinstance(value, str))]))

    def other_values(
        self, values: Iterable[object]
    ) -> tuple[frozenset[int | float | str], frozenset[int | float | str]]:
        """The values in the test, and in the file, besides these."""
        less = Counter(_plain_values(values))
        return frozenset(self._test - less), frozenset(self._file - less)


class NumberContext(NamedTuple):
    """The surroundings that a number's siblings depend on, besides the number."""

    margin: Margin = Margin()
    """Of the comparison."""
    beside: tuple[frozenset[float], ...] = (frozenset(), frozenset())
    """The other numbers of the test, and of the file."""
    signed: bool = False
    """Whether a sign stands before it."""


def other_numbers(written: str, count: int, rng: random.Random, given: NumberContext) -> list[str]:
    """Other numbers, written in the same way; fewer than wanted where there are none.

    Args:
        written: a number without its sign.
        count: how many are wanted.
        rng: chooses.
        given: what they depend on.
    """
    found = _NUMBER.fullmatch(written)
    if found is None:
        # Numbers in other notations than the decimal one.
        prefix = written[:2].lower()
        if prefix not in ("0x", "0o", "0b"):
            return []
        value = int(written, 0)
        below = rng.randint(max(0, count - value), count) if value < count else rng.randint(0, count)
        some = [each for each in range(value - count + below, value + below + 1) if each != value and each >= 0]
        return [format(each, f"#0{len(written)}{prefix[1]}") for each in rng.sample(some, min(count, len(some)))]
    whole, fraction, power = found[1].replace("_", ""), found[2] or "", found[3] or ""
    unit = float("1e" + power[1:] if power else "1") * 10.0 ** -len(fraction)
    mantissa = int(whole + fraction)
    try:
        distance = int(given.margin.margin_around(float(written)) / unit) + 1 if given.margin != Margin() else 1
    except (OverflowError, ZeroDivisionError, ValueError):
        return []
    for _ in range(_TRIES):
        ask = (mantissa, len(fraction), count, distance, rng, given._replace(signed=given.signed or bool(power)))
        near = ([] if power else _numbers_elsewhere(*ask)) or _near_numbers(*ask)
        new = [_written(each, len(fraction), "_" in written) + power for each in near]
        read = float if fraction or power else int
        if len({read(each) for each in (written, *new)}) > len(new):
            return new
        distance *= 10
    return []


def _near_numbers(
    number: int, decimals: int, count: int, distance: int, rng: random.Random, given: NumberContext
) -> list[int]:
    """Numbers with as many digits, and as many zeros at the end, in steps of at least a distance."""
    zeros = len(str(number)) - len(str(number).rstrip("0")) if number else decimals
    unit = 10**zeros
    lead, step = number // unit, -(-distance // unit)
    single, zero = lead < 10, decimals >= zeros and not given.signed
    near = {round(each * 10**decimals / unit, 9) for each in given.beside[0]}

    def positive(each: int) -> bool:
        return each > 0 or (each == 0 and zero)

    def alike(each: int) -> bool:
        return positive(each) and len(str(each)) == len(str(lead)) and (single or each % 10 > 0)

    known = _BESIDE_DECIMALS if decimals else _BESIDE
    if decimals == zeros + 1 and single and step == 1:  # 0.5 and the like
        usual = {each: 0.3 if each == 5 else 0.12 if each < 5 else 0.05 for each in range(1, 10)}
        usual = {each: share * (known if each in near else 1) for each, share in usual.items()}
        return [each * unit for each in _drawn_digits(lead, usual, count, rng)]
    if decimals and 10 < lead < 100 and lead % 10 == 5 and step <= 10:
        usual = {each: _USUAL[each] * (known if each * 10 + 5 in near else 1) for each in range(1, 10)}
        return [(each * 10 + 5) * unit for each in _drawn_digits(lead // 10, usual, count, rng)]
    if single and step == 1:
        usual = {each: _USUAL[each] * (known if each in near else 1) for each in range(10) if positive(each)}
        return [each * unit for each in _drawn_digits(lead, usual, count, rng)]
    step *= rng.choice((1, 1, 2))
    for fits in (alike, positive):
        up = [each for each in range(lead + step, lead + step * (2 * count + 2), step) if fits(each)][:count]
        down = [each for each in range(lead - step, lead - step * (2 * count + 2), -step) if fits(each)][:count]
        below = [n for n in range(count + 1) if n <= len(down) and count - n <= len(up)]
        if below:
            n = rng.choice(below)
            chosen = down[:n] + up[: count - n]
            rng.shuffle(chosen)
            return [each * unit for each in chosen]
    return []


def _numbers_elsewhere(
    number: int, decimals: int, count: int, distance: int, rng: random.Random, given: NumberContext
) -> list[int]:
    """If a number stands in the test besides, or in the file, others that do; those of as many digits, if there are."""
    width = max(len(str(number)), decimals + 1)
    for some in given.beside if number >= 10 or decimals else ():
        known = {round(abs(each) * 10**decimals) for each in some if each * 10**decimals % 1 == 0}
        others = sorted(each for each in known if abs(each - number) >= distance and (each or decimals))
        alike = [each for each in others if max(len(str(each)), decimals + 1) == width]
        if decimals:
            alike = [each for each in alike if (each % 10 == 0) == (number % 10 == 0)]
        chosen = alike if len(alike) > 1 or decimals else others
        if number in known and len(chosen) > 1:
            return rng.sample(chosen, min(count, len(chosen)))
    return []


def _drawn_digits(digit: int, usual: Mapping[int, float], count: int, rng: random.Random) -> list[int]:
    """Digits, drawn so that with the original they make a set in which each is as likely what the author wrote.

    Sets are as likely as the product of their members' odds of being drawn (conditional Poisson sampling: Hajek 1964).
    """
    drawn = {each: min(0.9, (count + 1) * share / sum(usual.values())) for each, share in usual.items()}
    odds = {each: share / (1 - share) for each, share in drawn.items()}
    some = [each for each in usual if each != digit]
    sets = list(combinations(some, min(count, len(some))))
    (chosen,) = rng.choices(sets, [prod(odds[each] for each in some) for some in sets])
    return rng.sample(chosen, len(chosen))


def _plain_values(values: Iterable[object]) -> Iterator[int | float | str]:
    for value in values:
        if isinstance(value, str) or (
            isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15
        ):
            yield value


def _written(mantissa: int, decimals: int, grouped: bool) -> str:
    if not decimals:
        return f"{mantissa:_}" if grouped else str(mantissa)
    digits = str(mantissa).rjust(decimals + 1, "0")
    return f"{digits[:-decimals]}.{digits[-decimals:]}"


def other_texts(
    value: str,
    count: int,
    rng: random.Random,
    pool: Pool,
    beside: Iterable[frozenset[int | float | str]] = (),
    highest: int = 0x10FFFF,
) -> list[str]:
    """Other texts: such as stand in the test as well, words of the file's, or all with another character at one place.

    Characters beyond `highest` are in none of them.
    """
    for some in beside:
        words = (each for each in some if isinstance(each, str) and _text_shape(each) == _text_shape(value))
        near = sorted(each for each in words if each != value and abs(len(each) - len(value)) <= len(value) // 4)
        if value in some and len(near) >= count:
            return rng.sample(near, count)
    others = [word for word in pool.words if word != value and ord(max(word)) <= highest]
    others = [word for word in others if abs(len(word) - len(value)) <= 1 + len(value) // 4]
    if value.isalpha() and len(others) >= count:
        return rng.sample(others, count)
    if not value:
        return _weighted_draw(dict.fromkeys(others, 1.0) or dict.fromkeys(_CONSONANTS, 1.0), count, rng)
    places = [at for at, mark in enumerate(value) if _letters_with(mark)]
    figures = [at for at in places if value[at].isdigit()]
    if not places:
        at = rng.randrange(len(value))
        below = rng.randint(0, count)
        codes = [ord(value[at]) + step for step in range(below - count, below + 1) if step]
        marks = [chr(code) for code in codes if 0 < code <= highest and chr(code).isprintable()]
    else:
        at = rng.choice(figures or places)
        weights = {mark: 1.0 + pool.letters[mark] for mark in _letters_with(value[at]) if mark != value[at]}
        marks = _weighted_draw(weights, count, rng)
    return [value[:at] + mark + value[at + 1 :] for mark in marks]


def _text_shape(text: str) -> tuple[bool, bool, bool]:
    return text.isalpha(), " " in text, not text


def _letters_with(mark: str) -> str:
    return next((letters for letters in _ALPHABETS if mark in letters), "")


def _weighted_draw(weights: Mapping[K, float], count: int, rng: random.Random) -> list[K]:
    """Some keys, each drawn by its weight and never twice."""
    left, found = dict(weights), list[K]()
    while left and len(found) < count:
        found.append(rng.choices(list(left), list(left.values()))[0])
        del left[found[-1]]
    return found
