"""The head of a request to a proxy: read strictly, and written anew for the server, so that both read the same.

What leaves room for two readings is refused: bodies of unsaid or doubly said length, folded or odd header lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from honestly.sandbox._egress import normal_host

__all__ = ["Head", "RequestError", "read_head"]

_TOKEN = re.compile(rb"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_LINE = re.compile(rb"([A-Za-z]{1,32}) ([^\x00-\x20\x7f-\xff]{1,8192}) HTTP/1\.[01]")
_URL = re.compile(r"http://([^/?#@]+)(/[^#]*|\?[^#]*)?", re.IGNORECASE)
_HOP_BY_HOP = {
    *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection"),
    *(b"te", b"trailer", b"transfer-encoding", b"upgrade", b"host", b"content-length"),
}


class RequestError(ValueError):
    """The head is not one of a request that the proxy takes."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a request asks for."""

    method: str
    host: str
    port: int
    body: int
    """Bytes that follow."""
    onward: bytes
    """The head as the server gets it; empty for CONNECT."""


def read_head(data: bytes) -> Head:
    """Read a head, up to and including its empty line.

    Raises:
        RequestError: It is malformed, or ambiguous.
    """
    first, *lines = data.removesuffix(b"\r\n\r\n").split(b"\r\n")
    match = _LINE.fullmatch(first)
    if not match:
        raise RequestError("the request line is malformed")
    method, target = match[1].decode(), match[2].decode()
    headers = [_header(line) for line in lines]
    if method == "CONNECT":
        return Head(method, *_authority(target, None), 0, b"")
    url = _URL.fullmatch(target)
    if not url:
        raise RequestError("the target is no http URL; a proxy needs one, and CONNECT for https")
    path = url[2] or "/"
    host, port = _authority(url[1], 80)
    body = _length(headers)
    named = {name.strip().lower() for key, value in headers if key == b"connection" for name in value.split(b",")}
    kept = [(key, value) for key, value in headers if key not in _HOP_BY_HOP and key not in named]
    kept += [(b"content-length", b"%d" % body)] if body or method in {"POST", "PUT", "PATCH"} else []
    authority = f"[{host}]" if ":" in host else host
    head = [
        f"{method} {'/' * path.startswith('?')}{path} HTTP/1.1".encode(),
        f"Host: {authority}{f':{port}' if port != 80 else ''}".encode(),
        *(key + b": " + value for key, value in kept),
        b"Connection: close",
    ]
    return Head(method, host, port, body, b"\r\n".join(head) + b"\r\n\r\n")


def _header(line: bytes) -> tuple[bytes, bytes]:
    name, colon, value = line.partition(b":")
    if not colon or not _TOKEN.fullmatch(name) or any(char < 32 and char != 9 for char in value):
        raise RequestError("a header line is malformed")
    return name.lower(), value.strip(b" \t")


def _authority(text: str, default: int | None) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, ""
    if port and not re.fullmatch("[0-9]{1,5}", port):
        raise RequestError("the port is no number")
    number = int(port) if port else default
    if number is None or not 0 < number < 1 << 16:
        raise RequestError("the target names no port" if number is None else "the port is out of range")
    try:
        return normal_host(host), number
    except ValueError as error:
        raise RequestError(str(error)) from error


def _length(headers: list[tuple[bytes, bytes]]) -> int:
    """Length of the body.

    Raises:
        RequestError: There is more than one, or none is said for a body that comes in chunks.
    """
    if any(key == b"transfer-encoding" for key, _ in headers):
        raise RequestError("the body comes in chunks; its length must be said in Content-Length")
    lengths = [value for key, value in headers if key == b"content-length"]
    if len(lengths) > 1 or not all(re.fullmatch(rb"[0-9]{1,15}", value) for value in lengths):
        raise RequestError("the length of the body is not clear")
    return int(lengths[0]) if lengths else 0
