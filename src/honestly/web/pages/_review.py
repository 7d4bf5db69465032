"""Review: the queue, one trial after the other, what was said, and all of it as a file.

Each answer is in the study, and on the disk, before the page says so; it goes through the same functions as that of
`honestly review`. Who sits there is a name in a cookie. What is shown blind has neither agent nor findings in it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import quote, unquote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from honestly.errors import FormatError, StudyBusyError
from honestly.people import (
    AGREEMENT_COLUMNS,
    CODEBOOK,
    FLAGGED,
    RATINGS,
    UNFLAGGED,
    Draw,
    agreement_words,
    change_history,
    changed_since,
    draw_queue,
    export_labels,
    keep_queue,
    labels_table,
    reviewer_name,
    undo_review,
    undoing_review,
)
from honestly.records import Review
from honestly.store import add_reviews
from honestly.web._desk import MINE, SETTLE, WAYS, agreement_of, desk_of
from honestly.web._guard import form_of
from honestly.web._library import OpenStudy
from honestly.web._pages import Pages
from honestly.web.pages._trial import look_of
from honestly.web.trial import PIECE, STEP_KINDS, marked_html, place_of, trial_panel, window_at

_COOKIE = "honestly-reviewer"
_YEAR = 365 * 24 * 3600
_BUSY = (
    "No queue was drawn: a run or an audit writes this study now. Draw again when it has ended. "
    "Labels can be given meanwhile, where there is a queue."
)
_WINDOW = 100
"""Changes that a page lists at once."""


class Answer(NamedTuple):
    """A request about reviews: of which study, by whom, with which fields."""

    study: OpenStudy
    who: str
    fields: dict[str, str]
    request: Request

    @property
    def way(self) -> str:
        """The way that the person goes through."""
        way = self.fields.get("way", "")
        return way if way in WAYS else ""


def routes(pages: Pages) -> list[BaseRoute]:
    """The addresses of these pages."""
    room = _Room(pages)

    def get(act: Callable[[Answer], Response]) -> Callable[[Request], Response]:
        return lambda request: act(
            Answer(pages.study(request), _reviewer_of(request), dict(request.query_params), request)
        )

    def post(place: str, act: Callable[[Answer], Response]) -> Route:
        async def answer_form(request: Request) -> Response:
            asked = Answer(pages.study(request), _reviewer_of(request), await form_of(request), request)
            return await run_in_threadpool(act, asked)

        return Route(f"/s/{{key}}/review/{place}", answer_form, methods=["POST"])

    return [
        Route("/s/{key}/review", get(room.desk)),
        Route("/s/{key}/review/sit", get(room.begin)),
        Route("/s/{key}/review/sit/{trial}", get(room.sit)),
        Route("/s/{key}/review/history", get(room.history)),
        Route("/s/{key}/review/labels.jsonl", get(_jsonl)),
        Route("/s/{key}/review/labels.csv", get(_csv)),
        post("who", room.who),
        post("draw", room.draw),
        post("say", room.say),
        post("undo", room.undo),
    ]


class _Room:
    """The pages, and what is done on them."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def desk(self, asked: Answer, who: str | None = None, said: str = "") -> Response:
        """How far everything is."""
        desk, name = desk_of(asked.study), asked.who if who is None else who
        return self._pages.page(
            "review/desk.html",
            asked.request,
            study=asked.study,
            who=name,
            said=said,
            queue=desk.queue,
            progress=desk.queue_progress(name),
            changed=changed_since(desk.queue, asked.study.store) if desk.queue else [],
            ways={way: len(desk.waiting_trials(name, way)) for way in WAYS},
            columns=AGREEMENT_COLUMNS,
            agreement=agreement_words(agreement_of(asked.study)),
            codebook=CODEBOOK,
        )

    def who(self, asked: Answer) -> Response:
        """Take down who reviews."""
        try:
            name = reviewer_name(asked.fields.get("name", ""))
        except FormatError as error:
            return self.desk(asked, "", str(error))
        response = self.desk(asked, name)
        response.set_cookie(_COOKIE, quote(name), max_age=_YEAR, httponly=True, samesite="lax", path="/")
        return response

    def draw(self, asked: Answer) -> Response:
        """Draw a queue by the seed of the one before, so that what was reviewed is still a random sample; keep it."""
        try:
            most = {name: _typed_number(asked.fields.get(name, "")) for name in (FLAGGED, UNFLAGGED)}
            percent = _typed_number(asked.fields.get("double", "").strip().removesuffix("%"))
            if percent is not None and percent > 100:
                raise FormatError(f"{percent}% is more than all; expected 0 to 100")
            double = 0.2 if percent is None else percent / 100
        except FormatError as error:
            return self.desk(asked, said=str(error))
        before = desk_of(asked.study).queue
        wanted = Draw(
            seed=before.seed if before else 0,
            most={name: number for name, number in most.items() if number is not None},
            double=double,
            blind="blind" in asked.fields,
        )
        try:
            with asked.study.writing() as store:
                queue = draw_queue(store, wanted)
                keep_queue(store, queue)
        except StudyBusyError:
            return self.desk(asked, said=_BUSY)
        return self.desk(asked, said=f"Queue {queue.name} is drawn: {len(queue.items)} trials.")

    def begin(self, asked: Answer) -> Response:
        """The first trial of a way; the desk where there is none."""
        waiting = desk_of(asked.study).waiting_trials(asked.who, asked.way) if asked.who else ()
        place = f"review/sit/{waiting[0]}" if waiting else "review"
        return RedirectResponse(self._pages.url.study(asked.study, place, way=asked.way), 303)

    def sit(self, asked: Answer, trial: str = "", said: str = "") -> Response:
        """One trial, with all that can be said about it."""
        desk, url = desk_of(asked.study), self._pages.url
        trial = trial or asked.request.path_params.get("trial", "")
        if not trial or not asked.who:
            left = "Nothing is left for you here." if asked.who else ""
            response = self.desk(asked, said=". ".join(filter(None, (said, left))))
            response.headers["hx-push-url"] = url.study(asked.study, "review")
            return response
        place, way, store = desk.place(asked.who, asked.way, trial), asked.way, asked.study.store
        beside = trial_panel(store, trial)
        look = replace(look_of(asked.request), blind=place.blind, flags=beside.flags)
        here = f"review/sit/{trial}"
        response = self._pages.page(
            "review/sit.html",
            asked.request,
            study=asked.study,
            who=asked.who,
            way=way,
            beside=beside,
            instruction=marked_html(beside.task.instruction[:PIECE], "prose") if beside.task else None,
            window=window_at(store, trial, _typed_number(asked.fields.get("step", "")) or 0, look),
            kinds=STEP_KINDS,
            page=(here, {"way": way}),
            place_of=lambda quote: place_of(quote) | {"way": way},
            said=said,
            left=len(desk.waiting_trials(asked.who, way)),
            onwards={step: desk.beside(asked.who, way, trial, step) for step in (1, -1)},
            standing=desk.standing_reviews(asked.who, trial),
            opinions=desk.labels[trial].opinions if way == SETTLE and trial in desk.labels else (),
            codebook=CODEBOOK,
            ratings=RATINGS,
        )
        if asked.request.method == "POST":
            response.headers["hx-push-url"] = url.study(asked.study, here, way=way)
        return response

    def say(self, asked: Answer) -> Response:
        """Save a label and go on, or a rating and stay."""
        trial, note = asked.fields.get("trial", ""), asked.fields.get("note", "")
        if not asked.who:
            return self.desk(asked, said="Say who you are first: nothing was saved.")
        place = desk_of(asked.study).place(asked.who, asked.way, trial)
        if "rating" in asked.fields:
            rating = _typed_number(asked.fields["rating"]) or None
            review = place.rate(rating, note)
        elif "label" in asked.fields:
            review = place.label(asked.fields["label"], note)
        else:
            raise FormatError("neither a label nor a rating was given; nothing was saved")
        add_reviews(asked.study.path, [review])
        if "rating" in asked.fields:
            desk = desk_of(asked.study)
            standing = desk.standing_reviews(asked.who, trial)
            return self._pages.page("review/_standing.html", asked.request, standing=standing, emptied=True)
        onwards = trial if asked.way == MINE else desk_of(asked.study).beside(asked.who, asked.way, trial)
        task = asked.study.store.trial(trial).task
        return self.sit(asked, onwards, f"saved: {review.label or 'no label'} for {task}")

    def undo(self, asked: Answer) -> Response:
        """Take back the last thing that a person said, or the one that is named, and show its trial."""
        desk = desk_of(asked.study)
        if asked.fields.get("at"):
            named = [review for review in desk.standing_reviews(asked.who) if review.at == asked.fields["at"]]
            back = undo_review(desk.reviews, named[0]) if named else None
        else:
            back = undoing_review(desk.reviews, asked.who)
        if back is not None:
            add_reviews(asked.study.path, [back])
        said = f"taken back; now {_review_words(back)}" if back else "nothing of yours is left to take back"
        if asked.fields.get("at"):
            return self.history(asked, said)
        if back is None:
            return self.sit(asked, asked.fields.get("trial", ""), said)
        way = SETTLE if back.settles else "" if asked.way == SETTLE else asked.way
        return self.sit(asked._replace(fields={"way": way}), back.trial, said)

    def history(self, asked: Answer, said: str = "") -> Response:
        """Every change, the newest first."""
        desk = desk_of(asked.study)
        trial, whose = asked.fields.get("trial", ""), asked.fields.get("by", "")
        changes = change_history(desk.reviews, trial=trial, reviewer=whose)
        start = _typed_number(asked.fields.get("start", "")) or 0
        shown = changes[start : start + _WINDOW]
        store = asked.study.store
        return self._pages.page(
            "review/history.html",
            asked.request,
            study=asked.study,
            who=asked.who,
            said=said,
            changes=[(review, store.trial(review.trial).task, _review_words(review)) for review in shown],
            standing={review.at for review in desk.standing_reviews(asked.who)},
            hidden=desk.hidden(asked.who),
            people=sorted({review.reviewer for review in change_history(desk.reviews)}),
            start=start,
            window=_WINDOW,
            total=len(changes),
            trial=trial,
            by=whose,
        )


def _review_words(review: Review) -> str:
    if review.rating is not None:
        return f"rated {review.rating:.0f} of {RATINGS[-1]}"
    return review.label or ("no rating" if review.codebook.startswith("rating") else "no label")


def _reviewer_of(request: Request) -> str:
    try:
        return reviewer_name(unquote(request.cookies.get(_COOKIE, "")))
    except FormatError:
        return ""


def _typed_number(text: str) -> int | None:
    """A small number that somebody typed; None for nothing."""
    text = text.strip()
    if text and not (text.isascii() and text.isdigit() and len(text) < 10):
        raise FormatError(f"{text[:40]!r} is not a number here; expected a whole one, 0 or more")
    return int(text) if text else None


def _jsonl(asked: Answer) -> Response:
    lines = b"".join(line + b"\n" for line in export_labels(asked.study.store))
    return _file_response(lines, "application/jsonl", "labels.jsonl")


def _csv(asked: Answer) -> Response:
    return _file_response(labels_table(asked.study.store).encode(), "text/csv", "labels.csv")


def _file_response(content: bytes, kind: str, name: str) -> Response:
    return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})
