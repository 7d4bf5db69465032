"""Writes bookings in several formats."""

import json
import struct
from collections.abc import Iterable, Sequence

from ledger.booking import Booking


class UnknownFormat(LookupError):
    """Raised for a format, or an ending of a file's name, that there is not."""


def formats() -> list[str]:
    """Names of all formats, sorted."""
    return ["csv", "json", "packed", "table", "xml"]


def extension(name: str) -> str:
    """What a file's name ends with in a format.

    Raises:
        UnknownFormat: there is no such format.
    """
    if name == "csv":
        return ".csv"
    if name == "json":
        return ".json"
    if name == "packed":
        return ".pbk"
    if name == "table":
        return ".txt"
    if name == "xml":
        return ".xml"
    raise UnknownFormat(name)


def mime(name: str) -> str:
    """The type of a format's files; that of a text has its coding.

    Raises:
        UnknownFormat: there is no such format.
    """
    if name == "csv":
        return "text/csv; charset=utf-8"
    if name == "json":
        return "application/json"
    if name == "packed":
        return "application/x-packed-bookings"
    if name == "table":
        return "text/plain; charset=utf-8"
    if name == "xml":
        return "application/xml"
    raise UnknownFormat(name)


def export(name: str, bookings: Iterable[Booking]) -> bytes:
    """Bookings, by day (those of one day in the order in which they come), in a format; texts are in UTF-8.

    Raises:
        UnknownFormat: there is no such format.
    """
    entries = sorted(bookings, key=lambda booking: booking.day)
    if name == "csv":
        return _csv(entries).encode()
    if name == "json":
        return _json(entries).encode()
    if name == "packed":
        return _packed(entries)
    if name == "table":
        return _table(entries).encode()
    if name == "xml":
        return _xml(entries).encode()
    raise UnknownFormat(name)


def by_file(path: str) -> str:
    """The format of a file by how its name ends; small and capital letters are the same.

    Raises:
        UnknownFormat: it ends in another way.
    """
    low = path.lower()
    for name in formats():
        if low.endswith(extension(name)):
            return name
    raise UnknownFormat(path)


def guess(head: bytes) -> str | None:
    """The format of a file by its first bytes, or None."""
    if head.startswith(b"day,account,"):
        return "csv"
    if head.lstrip()[:1] == b"[":
        return "json"
    if head[:4] == b"PBK1":
        return "packed"
    if head.startswith(b"day  "):
        return "table"
    if head.lstrip().startswith(b"<"):
        return "xml"
    return None


def _amount(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def _csv(entries: Sequence[Booking]) -> str:
    lines = ["day,account,amount,note"]
    for entry in entries:
        cells = [str(entry.day), entry.account, _amount(entry.cents), entry.note]
        quoted = ['"' + cell.replace('"', '""') + '"' if set(cell) & set(',"\n') else cell for cell in cells]
        lines.append(",".join(quoted))
    return "\n".join(lines) + "\n"


def _json(entries: Sequence[Booking]) -> str:
    rows = [{"day": str(entry.day), "account": entry.account, "cents": entry.cents, "note": entry.note} for entry in entries]
    return json.dumps(rows, ensure_ascii=False)


def _packed(entries: Sequence[Booking]) -> bytes:
    parts = [b"PBK1", struct.pack(">I", len(entries))]
    for entry in entries:
        texts = [text.encode() for text in (entry.account, entry.note)]
        parts.append(struct.pack(">iqHH", entry.day.toordinal(), entry.cents, *map(len, texts)) + b"".join(texts))
    return b"".join(parts)


def _table(entries: Sequence[Booking]) -> str:
    lines = ["day         account     amount  note"]
    for entry in entries:
        cells = [str(entry.day), entry.account, _amount(entry.cents), entry.note]
        lines.append(f"{cells[0]}  {cells[1]:<10}{cells[2]:>8}  {cells[3]}".rstrip())
    return "\n".join(lines) + "\n"


def _xml(entries: Sequence[Booking]) -> str:
    lines = ["<bookings>"]
    for entry in entries:
        cells = [str(entry.day), entry.account, _amount(entry.cents), entry.note]
        safe = [cell.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;") for cell in cells]
        lines.append('  <booking day="{}" account="{}" amount="{}" note="{}"/>'.format(*safe))
    return "\n".join(lines) + "\n</bookings>\n"
