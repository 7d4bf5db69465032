"""Trials that run now: which ones, and their steps as they happen.

Pages ask again every second or two. An answer holds only what is new, and where to go on: the server keeps nothing of
a page, so a server that was started anew goes on where the page is.
"""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from honestly.errors import StoreError
from honestly.records import Step
from honestly.show import printable_line
from honestly.store import Running, live_steps, live_trials
from honestly.web._library import OpenStudy
from honestly.web._pages import Pages, number_of
from honestly.web.pages._overview import outcome_counts

_LAST = 200_000
"""Bytes of the steps that a page begins with."""
_SHOWN = 4_000
"""Characters of each end of a text; the trial's own page shows the rest once it has ended."""
_PATIENCE = 10
"""Questions after which a trial that is gone, and not in the study either, is given up."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text of a step."""

    title: str
    text: str


def routes(pages: Pages) -> list[BaseRoute]:
    """The addresses of these pages."""

    def running(request: Request) -> Response:
        study = pages.study(request)
        return pages.page("live/running.html", request, study=study, running=live_trials(study.path))

    def pulse(request: Request) -> Response:
        study = pages.study(request)
        ended = study.tally()
        total, seen = sum(ended.values()), number_of(request, "seen")
        counts = outcome_counts(ended)
        response = pages.page(
            "live/_pulse.html", request, study=study, total=total, ended=counts, live_now=len(live_trials(study.path))
        )
        if total != seen:
            response.headers["hx-trigger"] = "study-grown"
        return response

    def trial(request: Request) -> Response:
        study, running = _found_running(pages, request)
        if running is None:
            return pages.page("live/gone.html", request, study=study, **_ended_fields(study, request, _PATIENCE))
        begun = request.query_params.get("all") == "1"
        part = live_steps(study.path, running, 0 if begun else -_LAST)
        steps = [(n, step_texts(step), step) for n, step in sorted(part.steps.items())]
        return pages.page("live/trial.html", request, study=study, running=running, steps=steps, read=part)

    def more(request: Request) -> Response:
        study, running = _found_running(pages, request)
        offset, known = number_of(request, "offset"), number_of(request, "known")
        if running is None or request.query_params.get("journal", "") not in {"", running.journal}:
            gone = _ended_fields(study, request, number_of(request, "missed"))
            return pages.page("live/_gone.html", request, study=study, offset=offset, known=known, **gone)
        part = live_steps(study.path, running, offset)
        if not part.steps and not part.more:
            return Response(status_code=204)
        steps = [(n, step_texts(step), step) for n, step in sorted(part.steps.items())]
        return pages.page("live/_more.html", request, study=study, running=running, steps=steps, read=part, known=known)

    return [
        Route("/s/{key}/live", running),
        Route("/s/{key}/pulse", pulse),
        Route("/s/{key}/live/{trial}", trial),
        Route("/s/{key}/live/{trial}/more", more),
    ]


def step_texts(step: Step) -> list[Text]:
    """The texts of a step, each cut to its ends."""
    found = [Text("reasoning", step.reasoning)] if step.reasoning else []
    found += [Text("", step.message)] if step.message else []
    for call in step.calls:
        found += [Text(f"{call.name} {name}", str(call.argument(name))) for name in call.arguments]
        found += [] if call.arguments else [Text(call.name, "()")]
    for seen in step.observations:
        found.append(Text("result" if not seen.code else f"exit {seen.code}", seen.text))
    return [Text(text.title, _printable_ends(text.text)) for text in found]


def _printable_ends(text: str) -> str:
    left = len(text) - 2 * _SHOWN
    shown = text if left <= 0 else f"{text[:_SHOWN]}\n[... {left:,} characters ...]\n{text[-_SHOWN:]}"
    return "\n".join(printable_line(line) for line in shown.split("\n"))


def _found_running(pages: Pages, request: Request) -> tuple[OpenStudy, Running | None]:
    study, wanted = pages.study(request), request.path_params["trial"]
    return study, next((each for each in live_trials(study.path) if each.id == wanted), None)


def _ended_fields(study: OpenStudy, request: Request, missed: int) -> dict[str, Any]:
    """The end of a trial that does not run: its outcome, or how often it was looked for in vain."""
    name = request.path_params["trial"]
    try:
        ended = study.store.trial(name)
    except StoreError:
        ended = None
    return {"trial": name, "ended": ended, "missed": missed + 1, "lost": missed >= _PATIENCE}
