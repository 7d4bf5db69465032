"""Secrets taken out of what others say, also where they come back in another dress.

A server can echo a key as it is, or as base64 (at any offset, in either alphabet), in hexadecimal, reversed, with some
or all of its characters escaped (percent signs, JSON, HTML), in another case, or with spaces, colons and line ends in
between. All these are found by one comparison of folded texts: escapes are resolved, what separates is dropped, and
characters that stand for each other are one. A secret of less than eight characters is found as it is only; folded, it
would be found everywhere.

Not covered: the last bits of base64 that comes in pieces; a secret in pieces between which other text stands, such as
the events of a stream, and codes other than these.
"""

import base64
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

_SHORTEST = 8
_CODED = (
    rb"%(?:25)*([0-9a-fA-F]{2})|(?<!\\)\\++(?:[uU]00|x)([0-9a-fA-F]{2})|&#[xX]0*([0-9a-fA-F]{2});|&#0*([0-9]{2,3});"
)
_CODES = re.compile(_CODED)
_ESCAPE = re.compile(_CODED + rb"|(?<!\\)\\++[nrt]?|[\x00-\x20:\x7f]+")
_OPEN = re.compile(rb"(?:%(?:25)*[0-9a-fA-F]?|(?<!\\)\\++(?:[uU]0{0,2}|x)?[0-9a-fA-F]?|&#?[xX]?[0-9a-fA-F]*)\Z")
"""An escape that may go on in the next piece."""
_BETWEEN = bytes(range(33)) + b":\x7f\\"
_LONGEST_ESCAPE = 8
_ALIKE = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ-_", b"abcdefghijklmnopqrstuvwxyz+/")


class Redaction:
    """A filter that takes secrets out of bytes and texts."""

    def __init__(self, secrets: Iterable[str], mark: str, *, ends: bool = True) -> None:
        """Begin.

        Args:
            secrets: What must not be kept; empty ones are passed over.
            mark: What stands in their place.
            ends: Whether base64 that ends with a secret goes to its last bits, too.
        """
        self._plain = [secret.encode() for secret in secrets if secret]
        self._mark = mark.encode()
        forms = (form for secret in self._plain if len(secret) >= _SHORTEST for form in _forms(secret, ends=ends))
        self._folded = sorted({folded for form in forms if len(folded := _fold_escapes(form)) >= _SHORTEST})
        self._window = _LONGEST_ESCAPE * max(map(len, [*self._folded, *self._plain]), default=0)

    def clean(self, data: bytes) -> bytes:
        """`data` without secrets."""
        for secret in self._plain:
            data = data.replace(secret, self._mark)
        if not self._folded:
            return data
        quick = _fold_escapes(data)
        if not any(form in quick for form in self._folded):
            return data
        parts, done, places = [], 0, _Places(data)
        for begin, end in _spans(places.folded, self._folded):
            parts += [data[done : places.start_of(begin)], self._mark]
            done = places.end_of(end)
        return b"".join([*parts, data[done:]])

    def clean_text(self, text: str) -> str:
        """`text` without secrets."""
        return self.clean(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def begun(self, data: bytes) -> int:
        """How many bytes at the end of `data` may be the beginning of a secret."""
        tail = data[-self._window :] if self._window else b""
        kept = max([self._partial_length(tail), *(_partial_escape(tail, secret) for secret in self._plain)], default=0)
        if self._folded and (escape := _OPEN.search(tail)):
            kept = max(kept, len(escape[0]) + self._partial_length(tail[: escape.start()]))
        return kept

    def _partial_length(self, tail: bytes) -> int:
        places = _Places(tail)
        held = max((_partial_escape(places.folded, form) for form in self._folded), default=0)
        return len(tail) - places.start_of(len(places.folded) - held) if held else 0


class Scrubber:
    """A filter that takes a secret out of bytes which come in pieces.

    It holds back only what may be the beginning of the secret.
    """

    def __init__(self, secret: str) -> None:
        self._redaction = Redaction([secret], "[secret]", ends=False)  # what comes next is not known
        self._held = b""

    def feed(self, piece: bytes) -> bytes:
        """The bytes that may go on."""
        data = self._redaction.clean(self._held + piece)
        free = len(data) - self._redaction.begun(data)
        self._held = data[free:]
        return data[:free]

    def held_back(self) -> bytes:
        """The bytes that were held back."""
        return self._held


def _forms(secret: bytes, *, ends: bool) -> Iterator[bytes]:
    for text in (secret, secret[::-1]):
        yield text
        yield text.hex().encode()
        for before in range(3):
            bits = 8 * (before + len(text))
            # Characters that bits of the neighbours are in, too, are no part of it.
            first = -(-8 * before // 6)
            yield base64.b64encode(bytes(before) + text)[first : bits // 6]
            for end in (b"", b"\n") if ends else ():  # as `printf` and `echo` have it: the last bits are known
                yield base64.b64encode(bytes(before) + text + end).rstrip(b"=")[first:]


def _fold_escapes(data: bytes) -> bytes:
    """The text as `_Places` folds it, without the places, ten times as fast."""
    if b"%" in data or b"&#" in data or b"\\" in data:
        data = _CODES.sub(_escape_byte, data)
        for end in (b"\\n", b"\\r", b"\\t"):
            data = data.replace(end, b"")
    return data.translate(_ALIKE, _BETWEEN)


def _escape_byte(escape: re.Match[bytes]) -> bytes:
    hexadecimal = escape[1] or escape[2] or escape[3]
    return bytes([int(hexadecimal, 16)]) if hexadecimal else bytes([int(escape[4]) & 255]) if escape[4] else b""


def _partial_escape(tail: bytes, form: bytes) -> int:
    at = tail.find(form[:1], max(0, len(tail) - len(form) + 1))
    while at >= 0 and not form.startswith(tail[at:]):
        at = tail.find(form[:1], at + 1)
    return len(tail) - at if at >= 0 else 0


def _spans(folded: bytes, forms: Iterable[bytes]) -> list[tuple[int, int]]:
    """Where the forms stand, in order, those that touch as one."""
    found = sorted((m.start(), m.end()) for form in forms for m in re.finditer(re.escape(form), folded))
    spans: list[tuple[int, int]] = []
    for begin, end in found:
        if spans and begin <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((begin, end))
    return spans


class _Places:
    """A folded text, and where its bytes stood before."""

    def __init__(self, data: bytes) -> None:
        self._runs = [(0, 0, 0)]  # place in the folded text, place in the data, length in the data if it is an escape
        parts: list[bytes] = []
        folded = at = 0
        for escape in _ESCAPE.finditer(data):
            parts.append(data[at : escape.start()])
            folded += escape.start() - at
            at = escape.end()
            if meant := _escape_byte(escape).translate(None, _BETWEEN):
                parts.append(meant)
                self._runs.append((folded, escape.start(), at - escape.start()))
                folded += 1
            self._runs.append((folded, at, 0))
        self.folded = b"".join([*parts, data[at:]]).translate(_ALIKE)

    def start_of(self, place: int) -> int:
        """Where a folded byte begins."""
        folded, at, _ = self._run_at(place)
        return at + place - folded

    def end_of(self, place: int) -> int:
        """Where the folded byte before a place ends."""
        folded, at, length = self._run_at(place - 1)
        return at + (length or place - folded)

    def _run_at(self, place: int) -> tuple[int, int, int]:
        return self._runs[bisect_right(self._runs, place, key=lambda run: run[0]) - 1]
