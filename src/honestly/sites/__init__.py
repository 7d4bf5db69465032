"""Small web sites for tasks: real servers on the loopback, created from a seed, in memory.

`open_site` opens one by name; each has pages that work without JavaScript, and an HTTP interface over the same state.
`App` is what the built-in ones are made of. They are described in docs/web-tasks.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.sites._app import App
    from honestly.sites._asked import SiteRequest
    from honestly.sites._folder import FolderSite, asgi_answers, wsgi_answers
    from honestly.sites._locked import changed_parts, without_change
    from honestly.sites._play import CALLS, PLAY, site_calls
    from honestly.sites._record import SiteAnswer, SiteApp
    from honestly.sites._site import SITES, OpenSite, open_site

__all__ = [
    "CALLS",
    "PLAY",
    "SITES",
    "App",
    "FolderSite",
    "OpenSite",
    "SiteAnswer",
    "SiteApp",
    "SiteRequest",
    "asgi_answers",
    "changed_parts",
    "open_site",
    "site_calls",
    "without_change",
    "wsgi_answers",
]

__getattr__, __dir__ = lazy_exports(__name__)
