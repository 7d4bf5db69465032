"""A site that refuses whatever would change one part of its state: what is asked there cannot be done by any way."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from honestly.errors import SiteError
from honestly.sites._app import App
from honestly.sites._asked import SiteRequest, is_page
from honestly.sites._endpoints import Quality
from honestly.sites._mcp import DocumentsApi
from honestly.sites._record import SiteAnswer, SiteApi, SiteApp

_NAMES = ("id", "key", "sku", "number", "slug", "handle", "name", "path")
"""By the first of these that it has, a row is known."""
_SAYS = "this is locked: it can be read, and nobody can change it"


class LockedSite:
    """The site, in which a request that changes the part is taken back and answered with 403."""

    def __init__(self, app: SiteApp, part: str) -> None:
        """The site with one part locked.

        Args:
            app: What is served; it is copied before each request that may change something.
            part: `tickets`, or of its rows the one with this id, key or name: `tickets/301`; `/` in a name is `~1`.

        Raises:
            SiteError: There is no such part.
        """
        self._app, self._part = app, part
        if state_part(app.state(), part) is None:
            raise SiteError(f"there is no {part!r} in the state of this site; it has {', '.join(app.state())}")

    def answer(self, asked: SiteRequest) -> SiteAnswer:
        """The answer to a request."""
        if asked.method in ("GET", "HEAD") and isinstance(self._app, App):  # which reading does not change
            return self._app.answer(asked)
        before = deepcopy(self._app)
        answer = self._app.answer(asked)
        if state_part(self._app.state(), self._part) == state_part(before.state(), self._part):
            return answer
        self._app = before
        if is_page(asked.target):
            return SiteAnswer(403, f"<!doctype html><title>Locked</title><p>{_SAYS}".encode(), "text/html")
        return SiteAnswer(403, f'{{"error": "{_SAYS}"}}'.encode(), "application/json")

    def state(self) -> dict[str, Any]:
        """All that the site holds."""
        return self._app.state()

    def api(self, quality: Quality) -> SiteApi:
        """The interface and its documentation, which say nothing of the lock."""
        return self._app.api(quality)

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document of the interface; one without operations where the site has none."""
        return self._app.openapi() if isinstance(self._app, DocumentsApi) else {"paths": {}}


def state_part(state: object, part: str) -> object:
    """A part of a site's state; None where there is none."""
    for key in part.split("/"):
        name = key.replace("~1", "/").replace("~0", "~")
        if isinstance(state, dict):
            state = state.get(name)
        elif isinstance(state, list):
            state = next((row for row in state if _row_name(row) == name), None)
        else:
            return None
    return state


def changed_parts(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """The parts of a state in which two differ: rows that changed, else the table."""
    for key, rows in before.items():
        now = after.get(key)
        if now == rows:
            continue
        names = [_row_name(row) for row in rows] if isinstance(rows, list | dict) else []
        parts = [f"{_escaped_name(key)}/{_escaped_name(name)}" for name in names]
        yield from (part for part in parts if state_part(before, part) != state_part(after, part))
        if not names or not isinstance(now, list | dict) or len(now) != len(rows):
            yield _escaped_name(key)


def without_change(before: dict[str, Any], after: dict[str, Any], part: str) -> dict[str, Any]:
    """The state `after` with one of its `changed_parts` as it was before."""
    key, _, row = part.partition("/")
    kept, old = dict(after), state_part(before, part)
    if not row:
        kept[key] = old
    elif isinstance(after[key], dict):
        kept[key] = {**after[key], row.replace("~1", "/").replace("~0", "~"): old}
    else:
        kept[key] = [old if _row_name(each) == _row_name(old) else each for each in after[key]]
    return kept


def _row_name(row: object) -> str:
    return str(next((row[key] for key in _NAMES if key in row), "")) if isinstance(row, dict) else str(row)


def _escaped_name(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
