"""The first page of a study, and trends over all of them.

The first paint counts trials without reading them. The grid and what was spent come from the list of trials, scores and
figures from a process of their own (`_figures`); each is asked for by the page until it is there.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import msgspec
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from honestly.errors import StoreError
from honestly.records import Outcome
from honestly.store import live_trials
from honestly.web._figures import BOARD, Score, figure_pieces, pieces_generation
from honestly.web._library import OpenStudy
from honestly.web._pages import Pages, number_of, part_response

_PARTS = {
    "top": ("summary",),
    "table": ("table", "axes"),
    "figures": ("figures",),
    "questions": ("questions",),
    "rest": ("reasons", "audit", "details"),
}
"""What is painted first, what comes above the grid after it, and, as `rest`, what is below the grid."""
_CELLS, _TASKS = 1200, 100
"""Of the grid in one window, and its rows."""
_TASKS_OF_A_FOLDER = 10_000
"""Of an exported page, which cannot ask for more."""
_AXES = ("agent", "model", "harness")


def routes(pages: Pages) -> list[BaseRoute]:
    """The addresses of these pages."""
    room = _Overview(pages)
    return [
        Route("/trends", room.trends),
        Route("/s/{key}/", room.page),
        Route("/s/{key}/scores", room.scores),
        Route("/s/{key}/grid", room.grid),
    ]


class _Overview:
    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def page(self, request: Request) -> Response:
        """The overview page, with places for what takes longer."""
        study = self._pages.study(request)
        ended = study.tally()
        live = self._pages.live  # which asks for the rest once the first part is painted
        study.listing_soon(0)
        return self._pages.page(
            "overview.html",
            request,
            study=study,
            parts={half: self._scores_markup(study, half, 0) if half == "top" or not live else None for half in _PARTS},
            grid=None if live else self._grid_markup(study),
            total=sum(ended.values()),
            ended=outcome_counts(ended),
            live_now=len(live_trials(study.path)),
        )

    def scores(self, request: Request) -> Response:
        """The leaderboard and what stands below it; nothing while it is being made."""
        half, study = request.query_params.get("half", ""), self._pages.study(request)
        half = half if half in _PARTS else "top"
        made = self._scores_markup(study, half)
        return part_response(None if _is_seen(request, pieces_generation(study, BOARD)) else made)

    def _scores_markup(self, study: OpenStudy, half: str, wait: float | None = None) -> Markup | None:
        found = figure_pieces(self._pages, study, BOARD, **({} if wait is None else {"wait": wait}))
        if found is None:
            return None
        parts = [Markup(found.get(name, "")) for name in _PARTS[half]]  # noqa: S704 - reports escape what they show
        return self._pages.filled(
            "overview/_scores.html",
            study=study,
            half=half,
            error=found.get("error", ""),
            parts=parts,
            seen=pieces_generation(study, BOARD),
        )

    def grid(self, request: Request) -> Response:
        """Tasks by agents, the easiest first, in windows; and what each agent used."""
        study = self._pages.study(request)
        made = self._grid_markup(study, number_of(request, "start"))
        return part_response(None if _is_seen(request, study.made_generation("listing")) else made)

    def _grid_markup(self, study: OpenStudy, start: int = 0) -> Markup | None:
        if (listing := study.listing_soon()) is None:
            return None
        tasks, agents = listing.ranked("task"), listing.ranked("agent")
        rows = max(5, min(_TASKS, _CELLS // max(len(agents), 1)))
        window = rows if self._pages.live else _TASKS_OF_A_FOLDER
        shown = tasks[start : start + window]
        return self._pages.filled(
            "overview/_grid.html",
            study=study,
            agents=agents,
            tasks=shown,
            cells=listing.grid(tasks=shown),
            planned=listing.most_samples(),
            start=start,
            total=len(tasks),
            window=window,
            spent=listing.spent() if start == 0 else (),
            seen=study.made_generation("listing"),
        )

    def trends(self, request: Request) -> Response:
        """Scores from study to study; nothing while they are being made."""
        from honestly.web._trend import TrendPoint, trend_figure

        axis = request.query_params.get("by", "agent")
        axis = axis if axis in _AXES else "agent"
        # The studies that can be read; the list of studies says what is wrong with the others.
        begun = []
        for study in self._pages.library:
            with suppress(StoreError):
                begun.append((study.store.facts().created, study.name, study.key, study))
        studies = [study for *_, study in sorted(begun, key=lambda each: each[:3])]
        found = [figure_pieces(self._pages, study, BOARD) for study in studies]
        if any(each is None for each in found):
            return Response(status_code=204)
        points = [
            TrendPoint(
                series=getattr(score, axis),
                agent=score.agent,
                study=place,
                score=score.score,
                low=score.low,
                high=score.high,
            )
            for place, each in enumerate(found)
            for score in _score_list(each or {})
        ]
        figure = trend_figure([study.name for study in studies], points)
        return self._pages.page("overview/_trends.html", request, studies=studies, figure=figure, axis=axis, axes=_AXES)


def outcome_counts(ended: Mapping[Outcome, int]) -> dict[str, int]:
    """How many trials ended how, all outcomes in their order."""
    return {outcome.value: ended.get(outcome, 0) for outcome in Outcome}


def _is_seen(request: Request, generation: int) -> bool:
    """Whether a page asks again for what it shows already."""
    return request.query_params.get("seen") == str(generation)


def _score_list(found: Mapping[str, str]) -> Sequence[Score]:
    return msgspec.json.decode(found["scores"], type=list[Score]) if "scores" in found else ()
