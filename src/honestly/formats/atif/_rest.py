"""What ATIF cannot say of a record, and putting it back.

A record is written in the format's own words and read back from them at once. The fields that differ after that are the
rest: they are written beside, under `extra.honestly`, in our own words, and win when the file is read. So a round trip
is exact by construction, whatever the format lacks, and nothing stands in a file twice.
"""

from typing import TypeVar

import msgspec

from honestly.errors import FormatError
from honestly.records import Record, decode, encode

KEY = "honestly"

R = TypeVar("R", bound=Record)

Extra = dict[str, msgspec.Raw] | None


def with_rest(record: R, again: R) -> Extra:
    """`extra` for a record that is read back as `again` without it; None where that is the same."""
    differing = {
        name: msgspec.Raw(encode(getattr(record, name)))
        for name in record.__struct_fields__
        if getattr(record, name) != getattr(again, name)
    }
    return {KEY: msgspec.Raw(encode(differing))} if differing else None


def restored(record: R, extra: Extra) -> R:
    """`record`, as read in the format's words, with what stands beside them.

    Raises:
        FormatError: what `extra` holds does not fit the record.
    """
    if not extra or KEY not in extra:
        return record
    try:
        fields = msgspec.json.decode(encode(record), type=dict[str, msgspec.Raw])
        return decode(encode(fields | msgspec.json.decode(extra[KEY], type=dict[str, msgspec.Raw])), type(record))
    except (msgspec.DecodeError, RecursionError) as error:
        raise FormatError(f"extra.{KEY} is not fields of a {type(record).__name__}: {error}") from error
