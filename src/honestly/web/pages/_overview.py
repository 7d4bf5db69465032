"""The first page of a study."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from honestly.store import live_trials
from honestly.web._pages import Pages


def routes(pages: Pages) -> list[BaseRoute]:
    """The addresses of these pages."""

    def overview(request: Request) -> Response:
        study = pages.study(request)
        return pages.page(
            "overview.html", request, study=study, total=study.listing().count(), live_now=len(live_trials(study.path))
        )

    return [Route("/s/{key}/", overview)]
