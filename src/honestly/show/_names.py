"""Names where there is little room: shortened by what tells them apart, so that two that differ never look alike.

A name that is too long loses its middle. Where several would then look alike, their words are cut instead, or what
they have in common at both ends gives way, and the part that differs stays. What even that cannot tell apart is
numbered.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from rich.cells import cell_len

from honestly.show._text import printable_text_line, shorten_middle

K = TypeVar("K")
Width = Callable[[str], float]

_DIFFERING = 3
"""So many letters more are left of a word that tells names apart."""
_LONGEST = 200
"""Names with more characters are texts, whose words nobody cuts letter by letter."""


def short_names(names: Iterable[str], room: float, width: Width = cell_len) -> dict[str, str]:
    """Short printable forms of names, at most `room` wide if possible, all different.

    Args:
        names: all that stand together; the same name may come twice.
        room: what there is for one of them, in the unit of `width`.
        width: of a text; cells of a terminal, if nobody says.
    """
    whole = {name: printable_text_line(name) for name in names}
    found = dict(zip(whole, _shortened_apart(list(whole.values()), room, width), strict=True))
    taken = set(found.values())
    for alike in list(_alike_groups(found)):
        for number, name in enumerate(sorted(alike)[1:], 2):
            found[name] = _numbered(whole[name], number, room, width, taken)
            taken.add(found[name])
    return found


def _shortened_apart(texts: Sequence[str], room: float, width: Width) -> list[str]:
    """The texts, shortened; those that would look alike by what differs in them."""
    found = [shorten_middle(text, room, width) for text in texts]
    for alike in list(_alike_groups(dict(enumerate(found)))):
        group = [texts[index] for index in alike]
        if len(set(group)) == len(group):
            for index, text in zip(alike, _by_words(group, room, width) or _by_core(group, room, width), strict=True):
                found[index] = text
    return found


def _by_words(texts: Sequence[str], room: float, width: Width) -> list[str]:
    """The texts with their longest words cut, first those that all have: `cl-op-4-8-xhi-ef`.

    Nothing where those would look alike, a name is a whole text, or a single letter of each word is too wide.
    """
    if max(map(len, texts)) > _LONGEST:
        return []
    split = [re.split(r"([\W_]+)", text) for text in texts]
    shared = set.intersection(*map(set, split))
    found = []
    for words in split:
        kept = [0 if word in shared else _DIFFERING for word in words]
        while width("".join(words)) > room:
            _, at = max((len(word) - kept[at] if len(word) > 1 else -_DIFFERING, at) for at, word in enumerate(words))
            if len(words[at]) <= 1:
                return []
            words[at] = words[at][:-1]
        found.append("".join(words))
    return found if len(set(found)) == len(found) else []


def _by_core(texts: Sequence[str], room: float, width: Width) -> list[str]:
    """The differing parts of the texts, and as much of what they share at both ends as there is room for."""
    head = _shared_length(texts)
    most = min(map(len, texts)) - head
    tail = min(most, _shared_length([text[::-1] for text in texts]))
    if most == tail:  # of one of them nothing would be left
        head, tail = (head - 1, tail) if head else (head, max(0, tail - 1))
    first, last = texts[0][:head], texts[0][len(texts[0]) - tail :]
    inner = room - sum(width("…") for end in (first, last) if end)
    if inner < width("…") or not (head or tail):
        return list(texts)
    cores = _shortened_apart([text[head : len(text) - tail] for text in texts], inner, width)
    left = room - max(map(width, cores))
    after = shorten_middle(last, max(left / 2, left - width(first)), width)
    before = shorten_middle(first, left - width(after), width)
    return [f"{before}{core}{after}" for core in cores]


def _shared_length(texts: Sequence[str]) -> int:
    """How many characters all of them begin with."""
    first, last = min(texts), max(texts)
    return next((place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))


def _alike_groups(texts: Mapping[K, str]) -> Iterator[list[K]]:
    groups = defaultdict(list)
    for key, text in texts.items():
        groups[text].append(key)
    return (group for group in groups.values() if len(group) > 1)


def _numbered(text: str, number: int, room: float, width: Width, taken: set[str]) -> str:
    while True:
        mark = f"~{number}"
        named = shorten_middle(text, max(room - width(mark), 0), width) + mark
        if named not in taken:
            return named
        number += 1
