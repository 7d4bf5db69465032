"""Small web sites for tasks: real servers on the loopback, created from a seed, in memory.

`open_site` opens one by name; each has pages that work without JavaScript, and an HTTP interface over the same state.
`App` is what the built-in ones are made of. They are described in docs/web-tasks.md.
"""

from typing import TYPE_CHECKING

from honestly._late import lazy_exports

if TYPE_CHECKING:
    from honestly.sites._app import App as App
    from honestly.sites._asked import SiteRequest as SiteRequest
    from honestly.sites._folder import (
        FolderSite as FolderSite,
        asgi_answers as asgi_answers,
        wsgi_answers as wsgi_answers,
    )
    from honestly.sites._locked import changed_parts as changed_parts, without_change as without_change
    from honestly.sites._play import CALLS as CALLS, PLAY as PLAY, site_calls as site_calls
    from honestly.sites._record import SiteAnswer as SiteAnswer, SiteApp as SiteApp
    from honestly.sites._site import SITES as SITES, OpenSite as OpenSite, open_site as open_site


__getattr__, __dir__ = lazy_exports(__name__)
