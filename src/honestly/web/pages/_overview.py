"""The first page of the server, and the first page of a study."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from honestly.store import live_trials
from honestly.web._pages import Pages


def routes(pages: Pages) -> list[BaseRoute]:
    """The addresses of these pages."""

    def home(request: Request) -> Response:
        studies = list(pages.library)
        if len(studies) == 1:
            return RedirectResponse(pages.url.study(studies[0]))
        return pages.page("studies.html", request, studies=studies)

    def overview(request: Request) -> Response:
        study = pages.study(request)
        return pages.page(
            "overview.html", request, study=study, total=study.listing().count(), live_now=len(live_trials(study.path))
        )

    return [Route("/", home), Route("/s/{key}/", overview)]
