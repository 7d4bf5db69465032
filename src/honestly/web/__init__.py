"""The viewer: a local web page to look at what agents did, compare, review and share.

It computes nothing: figures, tables and words are those of `report`, queues and labels those of `people`, findings
those of `audit`. Needs the extra `view`.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.web._app import make_app as make_app
    from honestly.web._export import export_comparison as export_comparison
    from honestly.web._guard import Access as Access
    from honestly.web._library import Library as Library
    from honestly.web._serve import Listening as Listening


__getattr__, __dir__ = lazy_exports(__name__)
