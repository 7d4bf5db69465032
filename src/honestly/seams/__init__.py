"""Extension points: how a typed name becomes an object.

`parse_spec` reads what was typed, a `Seam` finds what it names (the built-in, what an installed package offers, or an
object of a module of one's own), `read_settings` reads the settings as the types that they have. docs/extending.md says
which seams there are.
"""

from honestly._fields import document_fields
from honestly.seams._seam import KnownName, Seam, asks_for, imported_object, is_async
from honestly.seams._spec import (
    NotNegative,
    Positive,
    Readers,
    Spec,
    UnitShare,
    did_you_mean,
    format_list,
    format_spec,
    parse_list,
    parse_spec,
    read_settings,
)

__all__ = [
    "KnownName",
    "NotNegative",
    "Positive",
    "Readers",
    "Seam",
    "Spec",
    "UnitShare",
    "asks_for",
    "did_you_mean",
    "format_list",
    "format_spec",
    "imported_object",
    "is_async",
    "parse_list",
    "parse_spec",
    "read_settings",
]

document_fields(list(globals().values()), __name__)
