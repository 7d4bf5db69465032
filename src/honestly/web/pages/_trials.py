"""The list of trials: filtered, sorted, in windows, kept as named views, taken out as a file."""

import csv
import io
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from msgspec.structs import replace as changed
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from honestly.errors import StoreError
from honestly.people import escape_formula
from honestly.records import encode
from honestly.web._columns import COLUMNS
from honestly.web._guard import form_of
from honestly.web._library import OpenStudy
from honestly.web._listing import NAMES, Listing
from honestly.web._lists import TrialList, View, column_facets, facet_columns, walk_of
from honestly.web._pages import Pages, number_of

_WINDOW, _EXPORTED = 100, 300
"""Rows of a page, and of an exported one."""
_PART = 1000
"""Rows of a file that are read at once."""
_LONGEST = 200
"""Characters of a view's name."""
_VIEW = "view/"


@dataclass(frozen=True, slots=True)
class _Said:
    """The last action, and how it is undone."""

    text: str = ""
    undo: dict[str, str] | None = None
    """The fields of the form that does."""


def routes(pages: Pages) -> list[BaseRoute]:
    """The addresses of these pages."""
    made = _Lists(pages)
    return [
        Route("/s/{key}/trials", made.trials_page),
        Route("/s/{key}/trials/facet", made.facet),
        Route("/s/{key}/trials.csv", lambda request: made.file(request, _csv, "text/csv; charset=utf-8", "csv")),
        Route("/s/{key}/trials.json", lambda request: made.file(request, _json, "application/json", "json")),
        Route("/s/{key}/views", made.change, methods=["POST"]),
        Route("/s/{key}/t/{trial}/walk", made.walk),
    ]


class _Lists:
    """The pages, and what is done on them."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def trials_page(self, request: Request) -> Response:
        """The list; or the next window of it."""
        study, name = self._pages.study(request), request.query_params.get("view", "")
        asked = TrialList.from_pairs(request.query_params.multi_items())
        view = study.store.kept(_VIEW + name, View) if name.isalnum() else None
        if view is not None and not asked.pairs:
            asked = TrialList.read(view.query)
            if asked.pairs:
                return RedirectResponse(self._pages.url.study(study, "trials", view=view.id, **asked.query), 303)
        return self._shown_response(request, study, asked, view.id if view else "")

    def facet(self, request: Request) -> Response:
        """The values of one column, each with how many trials have it."""
        study, asked = self._pages.study(request), TrialList.from_pairs(request.query_params.multi_items())
        column = request.query_params.get("column", "")
        found = column_facets(study.listing(), asked, column)
        return self._pages.page("trials/_facet.html", request, study=study, asked=asked, column=column, found=found)

    def file(
        self, request: Request, write: Callable[[Listing, TrialList], Iterator[str]], kind: str, ending: str
    ) -> Response:
        """The whole list as a file."""
        study, asked = self._pages.study(request), TrialList.from_pairs(request.query_params.multi_items())
        asked.conditions()  # what cannot be understood is said before anything is sent
        headers = {"content-disposition": f'attachment; filename="trials.{ending}"'}
        return StreamingResponse(write(study.listing(), asked), 200, headers, kind)

    def walk(self, request: Request) -> Response:
        """Where a trial stands in its list, for a page that came before the list was made."""
        study, trial = self._pages.study(request), request.path_params["trial"]
        return self._pages.page(
            "trial/_walk.html", request, study=study, trial=trial, walk=walk_of(study, request, trial)
        )

    async def change(self, request: Request) -> Response:
        """Save, rename or delete a view, or bring it back."""
        study, fields = self._pages.study(request), await form_of(request)
        return await run_in_threadpool(self._change_view, request, study, fields)

    def _change_view(self, request: Request, study: OpenStudy, fields: dict[str, str]) -> Response:
        asked, name = TrialList.read(fields.get("list", "")), " ".join(fields.get("name", "").split())[:_LONGEST]
        act, key = fields.get("act", ""), fields.get("view", "")
        if act in {"save", "rename"} and not name:
            raise StoreError("a view needs a name; nothing was saved")
        with study.writing() as store:
            held = store.kept(_VIEW + key, View) if key.isalnum() else None
            if act == "save":
                held = before = View(id=secrets.token_hex(4), name=name, query=asked.text)
            elif held is None:
                raise StoreError("this study has no such view; nothing was changed")
            else:
                before = held
                held = {
                    "rename": changed(held, name=name or held.name),
                    "delete": changed(held, gone=True),
                    "restore": changed(held, gone=False),
                }.get(act, held)
            store.keep(_VIEW + held.id, held)
        said = {
            "save": _Said(f"Saved as {held.name}.", {"act": "delete", "view": held.id}),
            "rename": _Said(f"Renamed to {held.name}.", {"act": "rename", "view": held.id, "name": before.name}),
            "delete": _Said(f"Deleted {held.name}.", {"act": "restore", "view": held.id}),
        }.get(act, _Said(f"{held.name} is back."))
        shown = "" if held.gone else held.id
        response = self._shown_response(request, study, asked, shown, said)
        response.headers["hx-push-url"] = self._pages.url.study(study, "trials", view=shown, **asked.query)
        return response

    def _shown_response(
        self, request: Request, study: OpenStudy, asked: TrialList, view: str, said: _Said | None = None
    ) -> Response:
        start, wrong = number_of(request, "start"), ""
        try:
            conditions = asked.conditions()
        except StoreError as error:
            wrong, asked = str(error), replace(asked, where=())
            conditions = asked.conditions()
        listing = study.first_trials()
        window = _WINDOW if self._pages.live else _EXPORTED
        makes_sense = listing.whole or not (conditions or asked.order)
        views = sorted(study.store.all_kept(View, _VIEW).values(), key=lambda each: each.name.casefold())
        return self._pages.page(
            "trials.html",
            request,
            study=study,
            asked=asked,
            rows=listing.rows(conditions, asked.order, start, window) if makes_sense else [],
            whole=listing.whole,
            total=listing.count(conditions),
            all=listing.count(),
            start=start,
            window=window,
            columns=COLUMNS,
            facets=facet_columns(asked),
            views=[each for each in views if not each.gone],
            view=view,
            wrong=wrong,
            said=said or _Said(),
        )


def _row_windows(listing: Listing, asked: TrialList) -> Iterator[list[dict[str, object]]]:
    start, conditions = 0, asked.conditions()
    while rows := listing.rows(conditions, asked.order, start, _PART):
        yield rows
        start += len(rows)


def _csv(listing: Listing, asked: TrialList) -> Iterator[str]:
    """The columns that are shown, the id, and beside outcomes grades; no cell is a formula to a spreadsheet."""
    names = tuple(dict.fromkeys(("id", *asked.columns, *(("tampered", "score") if "outcome" in asked.columns else ()))))
    yield _csv_lines([names])
    for rows in _row_windows(listing, asked):
        yield _csv_lines([[escape_formula(row[name]) for name in names] for row in rows])


def _csv_lines(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _json(listing: Listing, asked: TrialList) -> Iterator[str]:
    """All columns."""
    mark = "["
    for rows in _row_windows(listing, asked):
        yield mark + "\n" + ",\n".join(encode({name: row[name] for name in NAMES}).decode() for row in rows)
        mark = ","
    yield "\n]\n" if mark == "," else "[]\n"
