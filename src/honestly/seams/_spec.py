"""The one grammar of everything that is named on a command line.

    NAME[:KEY=VALUE,...]            a known name, and its settings
    NAME:TEXT                       of a name that takes a text: `cli:my-agent --flag`, `openai:gpt-5`
    MODULE:OBJECT[,KEY=VALUE,...]   an object of a module of one's own, where MODULE is not a known name

A value runs to the next comma; in single quotes it may hold anything, a single quote doubled. Several things in one
value are joined with `+`, and one of them that holds a `+` is quoted. So a nested spec is a quoted value:
`ralph:agent='claude-code:model=x'`.

Settings are then read as the types that they have, which are those of msgspec: numbers with bounds, literals, texts.
Other types are read by a function that the caller gives (a nested agent, a file).
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

from honestly._toml import expected_text
from honestly.errors import HonestlyError

_QUOTED = r"'(?P<quoted>(?:[^']|'')*)'"
_SETTING = re.compile(rf"\s*(?P<key>[^=,]*[^=,\s])\s*=\s*(?:{_QUOTED}|(?P<bare>[^',\s][^,]*))\s*(?:,|$)")
_ITEM = re.compile(rf"(?:{_QUOTED}|(?P<bare>(?!')[^+]*))(?P<end>\+|$)")
_OBJECT = re.compile(r"(?P<object>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?:,(?P<rest>.*))?", re.DOTALL)
_OWN_NAME = re.compile(r"[\w.-]+")
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True)
class Spec:
    """The parts of a typed spec."""

    name: str
    """A known name, or `module:object`."""
    settings: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    """What stands after the colon, of a name that takes a text; `NAME=` before it is its setting `name`."""

    @property
    def is_own(self) -> bool:
        """Whether it names an object of a module instead of something known."""
        return ":" in self.name


def parse_spec(text: str, known: Collection[str], texts: Collection[str] = ()) -> Spec | None:
    """The spec in `text`; None if it begins with no known name and is no `module:object`.

    Args:
        text: What a person typed.
        known: The names that are known.
        texts: Those of them that take a text instead of settings.

    Raises:
        HonestlyError: Something that is not a setting stands where one is expected.
    """
    name, colon, rest = text.partition(":")
    own_name, named, of_text = name.rpartition("=")
    if of_text in texts and (not named or _OWN_NAME.fullmatch(own_name)):
        return Spec(of_text, {"name": own_name} if named else {}, rest)
    if name in known:
        return Spec(name, _parsed_settings(rest, text))
    own = _OBJECT.fullmatch(rest)
    if colon and own and _MODULE.fullmatch(name):
        return Spec(f"{name}:{own['object']}", _parsed_settings(own["rest"] or "", text))
    return None


def format_spec(spec: Spec) -> str:
    """The shortest text that `parse_spec` reads as this."""
    if spec.text:
        own_name = f"{spec.settings['name']}=" if "name" in spec.settings else ""
        return f"{own_name}{spec.name}:{spec.text}"
    mark = "," if spec.is_own else ":"
    written = [f"{key}={_quoted_value(value, ',=')}" for key, value in spec.settings.items()]
    return spec.name + mark * bool(written) + ",".join(written)


def parse_list(text: str) -> tuple[str, ...]:
    """The things in a value that are joined with `+`.

    Raises:
        HonestlyError: A quote is not closed.
    """
    items: list[str] = []
    place, more = 0, True
    while more:
        if (found := _ITEM.match(text, place)) is None:
            raise HonestlyError(f"in {text!r}: expected things joined with +, found {text[place:]!r}; close its quote")
        items.append(_unquoted_value(found))
        place, more = found.end(), found["end"] == "+"
    return tuple(items)


def format_list(items: Iterable[str]) -> str:
    """The shortest text that `parse_list` reads as these."""
    return "+".join(_quoted_value(item, "+") if item else "" for item in items)


def did_you_mean(word: str, known: Iterable[str], *, parts: bool = False) -> str:
    """A suggestion such as `(did you mean 'nop'?)`; empty if no known name is similar.

    With `parts`, where no whole name is near, it is the one with the nearest part between its punctuation.
    """
    near = _close(word, list(known), parts=parts)
    return f" (did you mean {near!r}?)" if near else ""


def _close(word: str, known: Sequence[str], *, parts: bool) -> str:
    low = {name.casefold(): name for name in reversed(known)}
    if near := get_close_matches(word.casefold(), low, n=1, cutoff=0.65):
        return low[near[0]]
    pieces = {piece: name for name in reversed(known) for piece in _BETWEEN.split(name.casefold()) if len(piece) > 2}
    found = get_close_matches(word.casefold(), pieces if parts else (), n=1, cutoff=0.7)
    return pieces[found[0]] if found else ""


_BETWEEN = re.compile(r"[^0-9a-z]+")


def _parsed_settings(text: str, whole: str) -> dict[str, str]:
    found: dict[str, str] = {}
    place = 0
    while place < len(text):
        if text[place] in ", ":  # settings may be left empty
            place += 1
            continue
        match = _SETTING.match(text, place)
        if match is None:
            part = text[place:].partition(",")[0]
            raise HonestlyError(f"in {whole!r}: expected settings like key=value after the colon, found {part!r}")
        found[match["key"]] = _unquoted_value(match)
        place = match.end()
    return found


def _unquoted_value(match: re.Match[str]) -> str:
    return match["bare"].strip() if match["quoted"] is None else match["quoted"].replace("''", "'")


def _quoted_value(value: str, marks: str) -> str:
    """The value, in quotes where it would be read otherwise without them."""
    if value and value == value.strip() and value[0] != "'" and not set(marks) & set(value):
        return value
    return "'" + value.replace("'", "''") + "'"


_FINITE = 1e300
UnitShare = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A number from 0 to 1."""
NotNegative = Annotated[float, msgspec.Meta(ge=0, lt=_FINITE)]
Positive = Annotated[float, msgspec.Meta(gt=0, lt=_FINITE)]

Readers = Mapping[type, Callable[[str], object]]
"""How texts become values of types that msgspec does not know."""


def read_settings(
    given: Mapping[str, str], types: Mapping[str, Any], who: str, readers: Readers | None = None
) -> dict[str, Any]:
    """The values of settings.

    Args:
        given: Their texts, by name.
        types: What there are, and of which type each of them is.
        who: Whose settings they are, for messages.
        readers: How types are read that msgspec does not know; `Path` is known.

    Raises:
        HonestlyError: A setting is unknown, or its value makes no sense.
    """
    found: dict[str, Any] = {}
    for key, text in given.items():
        if key not in types:
            there = f"it has: {', '.join(types)}" if types else "it has none"
            raise HonestlyError(f"{who} has no setting {key!r}{did_you_mean(key, types)}; {there}")
        found[key] = _setting_value(f"setting {key!r} of {who}", text, types[key], {Path: _path, **(readers or {})})
    return found


def _setting_value(what: str, text: str, kind: Any, readers: Readers) -> object:  # noqa: ANN401 - any type
    if kind in readers:
        return readers[kind](text)
    trouble: Exception | None = None
    for value in (text, *_number_in(text)):
        try:
            return msgspec.convert(value, kind, strict=False, dec_hook=lambda kind, value: readers[kind](value))
        except msgspec.ValidationError as error:
            trouble = trouble or error
        except (KeyError, TypeError) as error:
            raise HonestlyError(f"{what} is of a type that no text can say: {error}") from error
    allowed = f"; expected one of {', '.join(map(str, get_args(kind)))}" if get_origin(kind) is Literal else ""
    expected = expected_text(str(trouble))
    said = f"; expected {expected}" if expected and not allowed else f": {trouble}{allowed}"
    raise HonestlyError(f"{what} is {text!r}{said}") from trouble


def _number_in(text: str) -> Iterator[int | float]:
    """The number that Python reads in a text, which may be one that JSON has not: `.5`, `+1`."""
    for kind in (int, float):
        try:
            yield kind(text)
        except ValueError:
            continue


def _path(text: str) -> Path:
    return Path(text).expanduser()
