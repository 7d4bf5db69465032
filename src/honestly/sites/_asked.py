"""The request to a site: a request read strictly, and its values with the types that they must have.

A page's form and a call of the interface are read alike, so that one function of a site serves both. What makes no
sense is refused with a status and a sentence, never with a traceback.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote_to_bytes

from honestly.errors import HonestlyError

_MOST_FIELDS = 200
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_FORM = "application/x-www-form-urlencoded"


class Refused(HonestlyError):  # noqa: N818 - an answer, not a failure
    """A request that a site does not do: the status of the reply, and the reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True, slots=True)
class SiteRequest:
    """A request as it came."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case."""
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class RequestValues:
    """The values of a request: of its address and of its form or JSON body."""

    values: Mapping[str, Any]
    user: str = ""
    """Who asks; empty if nobody is logged in."""

    def text(self, name: str, default: str | None = None, *, most: int = 500) -> str:
        """A text without white space around it, and with something in it unless there is a default.

        Raises:
            Refused: It is missing, too long, or no text.
        """
        if (found := self.values.get(name, default)) is None:
            raise Refused(422, f"{name} is missing")
        if not isinstance(found, str):
            raise Refused(422, f"{name} must be a text")
        found = found.replace("\r\n", "\n").strip()
        if _CONTROL.search(found) or len(found) > most:
            raise Refused(422, f"{name} must be at most {most} characters of plain text")
        if not found and default is None:
            raise Refused(422, f"{name} is empty")
        return found or default or ""

    def whole(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number in a range.

        Raises:
            Refused: It is missing, no whole number, or out of the range.
        """
        found = self.values.get(name, default)
        if found in (None, "") and default is not None:
            found = default
        if isinstance(found, str) and re.fullmatch(r"\s*-?[0-9]{1,9}\s*", found):
            found = int(found)
        if not isinstance(found, int) or isinstance(found, bool) or not low <= found <= high:
            raise Refused(422, f"{name} must be a whole number from {low} to {high}")
        return found

    def choice(self, name: str, among: Collection[str], default: str | None = None) -> str:
        """One of some words.

        Raises:
            Refused: It is none of them.
        """
        found = self.text(name, default)
        if found not in among and found != default:
            raise Refused(422, f"{name} must be one of: {', '.join(among)}")
        return found


def path_of(target: str) -> str:
    """The path of a request's target, decoded.

    Raises:
        Refused: It is no path, or not UTF-8.
    """
    path = _decoded_utf8(unquote_to_bytes(target.partition("?")[0]))
    if not path.startswith("/") or len(path) > 2000 or _CONTROL.search(path):
        raise Refused(400, "the address is not one of a page")
    return path


def is_page(target: str) -> bool:
    """Whether a request's target is none of the interface for programs, however it is spelt."""
    try:
        return path_of(target).split("/")[1] not in ("api", "mcp")
    except Refused:
        return True


def values_of(asked: SiteRequest) -> dict[str, Any]:
    """The values of a request.

    Raises:
        Refused: Its body is of a kind that is not read here, or not what it says it is.
    """
    values: dict[str, Any] = _form_pairs(asked.target.partition("?")[2])
    kind = asked.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not asked.body:
        return values
    if kind == _FORM:
        return values | _form_pairs(_decoded_utf8(asked.body))
    if kind != "application/json":
        raise Refused(415, f"a body must be {_FORM} or application/json")
    try:
        given = json.loads(_decoded_utf8(asked.body))
    except (ValueError, RecursionError):
        raise Refused(400, "the body is not JSON") from None
    if not isinstance(given, dict) or len(given) > _MOST_FIELDS:
        raise Refused(400, "the body must be a JSON object")
    return values | given


def _form_pairs(text: str) -> dict[str, Any]:
    try:
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict"))
    except ValueError:  # of the encoding, too
        raise Refused(400, "the parameters are not encoded as UTF-8, or are too many") from None


def _decoded_utf8(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Refused(400, "this is not UTF-8") from None
