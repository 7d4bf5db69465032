"""Writes bookings in the formats that `ledger.formats` has: each module there is one."""

from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import ledger.formats
from ledger.booking import Booking

_PARTS = {"NAME", "EXTENSION", "MIME", "BINARY", "write", "sniff"}
_formats: dict[str, ModuleType] = {}
_problems: list[str] = []


class UnknownFormat(LookupError):
    """Raised for a format, or an ending of a file's name, that there is not."""


def formats() -> list[str]:
    """Names of all formats, sorted."""
    return sorted(_formats)


def problems() -> list[str]:
    """File names of the modules that are no formats, sorted."""
    return sorted(_problems)


def extension(name: str) -> str:
    """What a file's name ends with in a format.

    Raises:
        UnknownFormat: there is no such format.
    """
    return _format(name).EXTENSION


def mime(name: str) -> str:
    """The type of a format's files; that of a text has its coding.

    Raises:
        UnknownFormat: there is no such format.
    """
    return _format(name).MIME


def export(name: str, bookings: Iterable[Booking]) -> bytes:
    """Bookings, by day (those of one day in the order in which they come), in a format; texts are in UTF-8.

    Raises:
        UnknownFormat: there is no such format.
    """
    entries = sorted(bookings, key=lambda booking: booking.day)
    written = _format(name).write(entries)
    return written if _format(name).BINARY else written.encode()


def by_file(path: str) -> str:
    """The format of a file by how its name ends; small and capital letters are the same.

    Raises:
        UnknownFormat: it ends in another way.
    """
    for name in formats():
        if path.lower().endswith(extension(name)):
            return name
    raise UnknownFormat(path)


def guess(head: bytes) -> str | None:
    """The format of a file by its first bytes, or None."""
    return next((name for name in formats() if _formats[name].sniff(head)), None)


def _format(name: str) -> ModuleType:
    if name not in _formats:
        raise UnknownFormat(name)
    return _formats[name]


def _is_new(module: ModuleType) -> bool:
    return _PARTS <= set(dir(module)) and not any(
        module.NAME == other.NAME or module.EXTENSION == other.EXTENSION for other in _formats.values()
    )


def _find() -> None:
    for name in ("csv", "json", "packed", "table", "xml"):
        try:
            module = import_module(f"ledger.formats.{name}")
        except Exception:
            module = None
        if module and _is_new(module):
            _formats[module.NAME] = module
        else:
            _problems.append(f"{name}.py")


_find()
