"""Records whose text is text: models do write lone surrogates, which no file of UTF-8 can hold."""

from typing import TypeVar

from msgspec.structs import replace

from honestly.records import Record, encode

R = TypeVar("R", bound=Record)


def storable(record: R) -> R:
    """The record; where it holds what is no text (lone surrogates, which models do write), with that as escapes."""
    try:
        encode(record)
    except UnicodeEncodeError:
        return replace(record, **{name: _escaped(getattr(record, name)) for name in record.__struct_fields__})
    return record


def _escaped(value: object) -> object:
    if type(value) is str:
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, tuple):
        return tuple(map(_escaped, value))
    if isinstance(value, dict):
        return {_escaped(key): _escaped(item) for key, item in value.items()}
    return storable(value) if isinstance(value, Record) else value
