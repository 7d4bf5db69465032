"""The list of trials, in windows."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from honestly.web._listing import COLUMNS, NAMES, Condition, is_one_of
from honestly.web._pages import Pages

_WINDOW = 100


def routes(pages: Pages) -> list[BaseRoute]:
    """The addresses of these pages."""

    def trials(request: Request) -> Response:
        study, asked = pages.study(request), request.query_params
        conditions: list[Condition] = [
            is_one_of(name, asked.getlist(name)) for name in ("agent", "task", "outcome") if asked.getlist(name)
        ]
        order = asked.get("sort", "")
        order = order if order.removeprefix("-") in NAMES else ""
        start = int(asked.get("start", "0")) if asked.get("start", "0").isdecimal() else 0
        listing = study.listing()
        return pages.page(
            "trials.html",
            request,
            study=study,
            columns=[column for column in COLUMNS if column.name != "id"],
            rows=listing.rows(conditions, order, min(start, 10**9), _WINDOW),
            total=listing.count(conditions),
            start=start,
            window=_WINDOW,
            query={name: asked.getlist(name) for name in ("agent", "task", "outcome")} | {"sort": order},
        )

    return [Route("/s/{key}/trials", trials)]
