"""Extension points: how a typed name becomes an object.

`parse_spec` reads what was typed, a `Seam` finds what it names (the built-in, what an installed package offers, or an
object of a module of one's own), `read_settings` reads the settings as the types that they have. docs/extending.md says
which seams there are.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.seams._seam import (
        KnownName as KnownName,
        Seam as Seam,
        asks_for as asks_for,
        imported_object as imported_object,
        is_async as is_async,
    )
    from honestly.seams._spec import (
        NotNegative as NotNegative,
        Positive as Positive,
        Readers as Readers,
        Spec as Spec,
        UnitShare as UnitShare,
        did_you_mean as did_you_mean,
        format_list as format_list,
        format_spec as format_spec,
        parse_list as parse_list,
        parse_spec as parse_spec,
        read_settings as read_settings,
    )

__getattr__, __dir__ = lazy_exports(__name__)
