"""The target of a request to a proxy, and how it is written anew for the server, so that both read the same.

What leaves room for two readings is refused: here, a target that is not a plain URL and a body without a given length;
all else by `honestly.http`, before it comes here.
"""

import re
from dataclasses import dataclass

from honestly.http import HOP_BY_HOP, Head, Refusal
from honestly.sandbox._egress import normal_host

_URL = re.compile(r"http://([^/?#@]+)(/[^#]*|\?[^#]*)?", re.IGNORECASE)
_NOT_KEPT = HOP_BY_HOP | {"host", "content-length"}


@dataclass(frozen=True, slots=True)
class Onward:
    """Where a request goes on to."""

    method: str
    host: str
    port: int
    head: bytes
    """The head as the server gets it; empty for CONNECT."""


def read_request(head: Head) -> Onward:
    """Read what a request asks for.

    Raises:
        Refusal: It is not a request to a proxy, or ambiguous.
    """
    if head.method == "CONNECT":
        return Onward(head.method, *_parsed_authority(head.target, None), b"")
    if not (url := _URL.fullmatch(head.target)):
        raise Refusal(400, "the target is not an http URL; a proxy needs one, and CONNECT for https")
    if head.header_value("transfer-encoding"):
        raise Refusal(400, "the body comes in chunks; its length must be given in Content-Length")
    path = url[2] or "/"
    host, port = _parsed_authority(url[1], 80)
    length = head.header_value("content-length")
    named = {name.strip().lower() for key, value in head.headers if key == "connection" for name in value.split(",")}
    kept = [(key, value) for key, value in head.headers if key not in _NOT_KEPT and key not in named]
    kept += [("content-length", length or "0")] if length or head.method in {"POST", "PUT", "PATCH"} else []
    authority = f"[{host}]" if ":" in host else host
    lines = [
        f"{head.method} {'/' * path.startswith('?')}{path} HTTP/1.1",
        f"Host: {authority}{f':{port}' if port != 80 else ''}",
        *(f"{key}: {value}" for key, value in kept),
        "Connection: close",
    ]
    return Onward(head.method, host, port, "\r\n".join([*lines, "", ""]).encode("latin-1"))


def _parsed_authority(text: str, default: int | None) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, ""
    if port and not re.fullmatch("[0-9]{1,5}", port):
        raise Refusal(400, "the port is not a number")
    number = int(port) if port else default
    if number is None or not 0 < number < 1 << 16:
        raise Refusal(400, "the target names no port" if number is None else "the port is out of range")
    try:
        return normal_host(host), number
    except ValueError as error:
        raise Refusal(400, str(error)) from error
