"""Writes bookings in several formats, each of which is a module in `ledger/formats/`."""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType

from ledger import formats as _package
from ledger.booking import Booking

_PUBLIC = frozenset({"NAME", "EXTENSION", "MIME", "BINARY", "write", "sniff"})


class UnknownFormat(LookupError):
    """Raised for a format, or an ending of a file's name, that there is not."""


def _files() -> list[str]:
    found = {path.name for folder in _package.__path__ for path in Path(folder).glob("*.py") if path.is_file()}
    return sorted(name for name in found if not name.startswith("_"))


def _load(file: str) -> ModuleType | None:
    try:
        return import_module(f"{_package.__name__}.{file.removesuffix('.py')}")
    except (Exception, SystemExit):
        return None


def _fits(module: ModuleType | None, before: list[ModuleType]) -> bool:
    if module is None or not _PUBLIC <= vars(module).keys():
        return False
    return all(module.NAME != other.NAME and module.EXTENSION != other.EXTENSION for other in before)


def _discover() -> tuple[tuple[ModuleType, ...], tuple[str, ...]]:
    good: list[ModuleType] = []
    bad: list[str] = []
    for file in _files():
        module = _load(file)
        if _fits(module, good):
            good.append(module)
        else:
            bad.append(file)
    return tuple(sorted(good, key=lambda module: module.NAME)), tuple(bad)


_FORMATS, _PROBLEMS = _discover()


def _format(name: str) -> ModuleType:
    for module in _FORMATS:
        if module.NAME == name:
            return module
    raise UnknownFormat(name)


def problems() -> list[str]:
    """Names of the files in `ledger/formats/` that should be formats and are left out, sorted."""
    return list(_PROBLEMS)


def formats() -> list[str]:
    """Names of all formats, sorted."""
    return [module.NAME for module in _FORMATS]


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
    module = _format(name)
    written = module.write(entries)
    return written if module.BINARY else written.encode()


def by_file(path: str) -> str:
    """The format of a file by how its name ends; small and capital letters are the same.

    Raises:
        UnknownFormat: it ends in another way.
    """
    low = path.lower()
    for module in _FORMATS:
        if low.endswith(module.EXTENSION.lower()):
            return module.NAME
    raise UnknownFormat(path)


def guess(head: bytes) -> str | None:
    """The format of a file by its first bytes, or None."""
    return next((module.NAME for module in _FORMATS if module.sniff(head)), None)
