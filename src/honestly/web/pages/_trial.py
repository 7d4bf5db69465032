"""One trial: its steps in windows, what the audit says beside them, and everything of it as a download.

Nothing here reads a whole trajectory into memory: windows come from the chunks that hold them, downloads step by step.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from honestly.records import Edit, Step, Tree, encode, step_texts
from honestly.store import StepPlace
from honestly.trials import diff_lines, final_change, stat_lines
from honestly.web._library import OpenStudy
from honestly.web._lists import walk_of
from honestly.web._pages import Pages, number_of, whole_number
from honestly.web.trial import (
    PIECE,
    STEP_KINDS,
    SUMMED_AT_ONCE,
    Cited,
    Gap,
    KnownSums,
    Panel,
    Showing,
    ShownStep,
    Window,
    diff_markup,
    marked_html,
    one_step,
    place_of,
    quoted_in_files,
    step_sections,
    step_window,
    steps_of_a_folder,
    text_piece,
    trial_panel,
    window_at,
)

_MOST_LINES = 3_000
"""Of a change that a page shows."""
_HITS, _SEARCHED = 50, 64 << 20
"""Hits that are listed at once, and bytes that are searched for them."""
_BUFFER = 256 << 10


def routes(pages: Pages) -> list[BaseRoute]:
    """The addresses of these pages."""
    made = _TrialPages(pages)
    base = "/s/{key}/t/{trial}"
    return [
        Route(base, made.page),
        Route(f"{base}/steps", made.steps),
        Route(f"{base}/sums", made.sums),
        Route(f"{base}/threads", made.threads),
        Route(f"{base}/find", made.find),
        Route(f"{base}/text", made.step_text),
        Route(f"{base}/change", made.change),
        Route(f"{base}/reference", made.reference),
        Route(f"{base}/step.json", made.step),
        Route(f"{base}/trajectory.jsonl", made.trajectory),
        Route(f"{base}/trial.json", made.record),
    ]


class _TrialPages:
    def __init__(self, pages: Pages) -> None:
        self._pages, self._sums = pages, KnownSums()

    def page(self, request: Request) -> Response:
        """All of it, opened at a step."""
        study, trial = self._asked_trial(request)
        beside = trial_panel(study.store, trial)
        look = replace(look_of(request), flags=beside.flags)
        live, at = self._pages.live, number_of(request, "step")
        shown = window_at(study.store, trial, at, look) if live else steps_of_a_folder(study.store, trial, at, look)
        values = self._seen_fields(study, shown)
        instruction = None if beside.task is None else marked_html(beside.task.instruction[:PIECE], "prose")
        return self._pages.page(
            "trial.html",
            request,
            study=study,
            beside=beside,
            instruction=instruction,
            check=study.store.kept(f"check {trial}", dict),
            credit=study.store.kept(f"credit {trial}", dict),
            place_of=place_of,
            walk=walk_of(study, request, trial),
            left={}
            if live
            else {"threads": self._threads_markup(study, trial), "change": self._change_markup(study, beside)},
            **values,
        )

    def steps(self, request: Request) -> Response:
        """A window of steps, for a page that has others; or one step alone."""
        study, trial = self._asked_trial(request)
        look = look_of(request)
        if not look.blind:
            look = replace(look, flags=trial_panel(study.store, trial).flags)
        if "at" in request.query_params:
            found = window_at(study.store, trial, number_of(request, "at"), look)
        else:
            wanted = range(number_of(request, "start"), number_of(request, "stop"))
            found = step_window(study.store, trial, wanted, look, upward=request.query_params.get("up") == "1")
        alone = request.query_params.get("only") == "1" and len(found.steps) == 1
        values = self._seen_fields(study, found)
        if alone:
            return self._pages.page("trial/_step.html", request, study=study, shown=found.steps[0], **values)
        return self._pages.page("trial/_steps.html", request, study=study, **values)

    def sums(self, request: Request) -> Response:
        """The spending up to each step of a window."""
        study, trial = self._asked_trial(request)
        sums = self._sums.of(study, trial)
        start = number_of(request, "start")
        steps = range(start, min(number_of(request, "stop"), len(sums), start + 1000))
        return self._pages.page("trial/_sums.html", request, trial=trial, steps=steps, sums=sums)

    def threads(self, request: Request) -> Response:
        """The outline: turns; helpers, compaction and continuations as a tree."""
        return HTMLResponse(self._threads_markup(*self._asked_trial(request)))

    def _threads_markup(self, study: OpenStudy, trial: str) -> Markup:
        threads = self._sums.of(study, trial).threads
        return self._pages.filled("trial/_threads.html", study=study, trial=trial, threads=threads)

    def find(self, request: Request) -> Response:
        """Where something stands in the steps of this trial, in parts."""
        study, trial = self._asked_trial(request)
        text = request.query_params.get("q", "")[:1000]
        number, _, step = request.query_params.get("after", "").partition(".")
        after = StepPlace(whole_number(number), whole_number(step)) if number else None
        found = study.store.find(text, {trial}, after, _HITS, _SEARCHED) if text.strip() else None
        return self._pages.page(
            "trial/_find.html",
            request,
            study=study,
            trial=trial,
            q=text,
            found=found,
            more=after is not None,
            blind=_is_blind(request),
        )

    def step_text(self, request: Request) -> Response:
        """A text of a step as it was recorded; or a part of it, for a page."""
        study, trial = self._asked_trial(request)
        index, where = number_of(request, "step"), request.query_params.get("where", "")
        step = _known_or_404(one_step(study.store, trial, index))
        if request.query_params.get("part") == "1":
            return self._part_response(request, study, trial, index, step)
        texts = dict(step_texts(step))
        return _stream_response(
            _byte_pieces(_known_or_404(texts.get(where)).encode("utf-8", "replace")), "text/plain; charset=utf-8"
        )

    def _part_response(self, request: Request, study: OpenStudy, trial: str, index: int, step: Step) -> Response:
        where, start = request.query_params.get("where", ""), number_of(request, "start")
        blocks = (block for section in step_sections(step) for block in section.blocks)
        block = next((b for b in blocks if b.where == where and b.base <= start < b.base + len(b.text)), None)
        block = _known_or_404(block)
        end = min(max(number_of(request, "stop"), start), block.base + len(block.text))
        stop = min(end, start + PIECE)
        look = look_of(request)
        text = text_piece(block, start, stop, raw=look.raw)
        one = ShownStep(index, step, (), "", "", ())
        around = Window(trial, 0, (), range(0), range(0), range(0), look)
        return self._pages.page(
            "trial/_part.html",
            request,
            study=study,
            window=around,
            block=block,
            piece=text,
            shown=one,
            gap=Gap(stop, end) if stop < end else None,
        )

    def change(self, request: Request) -> Response:
        """The final change as a diff."""
        study, trial = self._asked_trial(request)
        return HTMLResponse(self._change_markup(study, trial_panel(study.store, trial), blind=_is_blind(request)))

    def _change_markup(self, study: OpenStudy, beside: Panel, *, blind: bool = False) -> Markup:
        found = final_change(study.store, beside.trial)
        cited = [] if blind else quoted_in_files(beside.flags)
        given, edit = found or (None, None)
        return shown_change(self._pages, given, edit, cited)

    def reference(self, request: Request) -> Response:
        """The reference solution: nothing but a click asks for it."""
        study, trial = self._asked_trial(request)
        task = trial_panel(study.store, trial).task
        if task is None or task.hidden is None:
            return HTMLResponse(shown_change(self._pages, None, None))
        if task.hidden.solution.files:
            return HTMLResponse(shown_change(self._pages, Tree(), Edit(write=task.hidden.solution)))
        return HTMLResponse(shown_change(self._pages, task.workspace, task.hidden.reference))

    def step(self, request: Request) -> Response:
        """One step as JSON, to be kept."""
        study, trial = self._asked_trial(request)
        index = number_of(request, "step")
        step = _known_or_404(one_step(study.store, trial, index))
        return _stream_response(_byte_pieces(encode(step)), "application/json", f"{trial[:12]}-{index}.json")

    def record(self, request: Request) -> Response:
        """The trial and what was found in it as JSON, to be kept."""
        study, trial = self._asked_trial(request)
        found = {"trial": study.store.trial(trial), "findings": list(study.store.findings(trial))}
        return _stream_response(_byte_pieces(msgspec.json.encode(found)), "application/json", f"{trial[:12]}.json")

    def trajectory(self, request: Request) -> Response:
        """All steps, one JSON object a line, to be kept."""
        study, trial = self._asked_trial(request)
        study.store.trial(trial)
        lines = (msgspec.json.format(encode(step), indent=-1) + b"\n" for step in study.store.steps(trial))
        return _stream_response(_together(lines), "application/jsonl", f"{trial[:12]}.jsonl")

    def _asked_trial(self, request: Request) -> tuple[OpenStudy, str]:
        return self._pages.study(request), request.path_params["trial"]

    def _seen_fields(self, study: OpenStudy, found: Window) -> dict[str, Any]:
        info = study.store.trajectory_info(found.trial)
        small = not self._pages.live or (info is not None and info.size <= SUMMED_AT_ONCE)
        return {"window": found, "kinds": STEP_KINDS} | ({"sums": self._sums.of(study, found.trial)} if small else {})


def shown_change(pages: Pages, given: Tree | None, edit: Edit | None, cited: Sequence[tuple[int, str]] = ()) -> Markup:
    """A change as a diff, with the quotes of findings marked by their numbers; that there is none, where it is None."""
    if given is None or edit is None:
        return pages.filled("trial/_change.html", files=None)
    lines = diff_lines(given, edit)
    return pages.filled(
        "trial/_change.html",
        files=stat_lines(given, edit),
        diff=diff_markup(lines[:_MOST_LINES], cited),
        left_out=max(0, len(lines) - _MOST_LINES),
    )


def look_of(request: Request) -> Showing:
    """How an address wants a trajectory shown."""
    asked = request.query_params
    start, _, stop = asked.get("span", "").partition("-")
    where, quote = asked.get("where", ""), asked.get("quote", "")[:1000]
    cited = Cited(number_of(request, "step"), where, whole_number(start), whole_number(stop), quote)
    return Showing(
        blind=_is_blind(request),
        raw=asked.get("raw") == "1",
        hidden=frozenset(asked.getlist("hide")) & frozenset(STEP_KINDS),
        cited=cited if cited.stop or cited.quote else None,
    )


def _is_blind(request: Request) -> bool:
    return request.query_params.get("blind") == "1"


def _known_or_404(found: Any) -> Any:  # noqa: ANN401 (whatever was looked for)
    if found is None:
        raise HTTPException(404, "This trial has no such step, or no such text in it.")
    return found


def _byte_pieces(data: bytes) -> Iterator[bytes]:
    return (data[at : at + _BUFFER] for at in range(0, len(data), _BUFFER))


def _together(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in larger pieces, since each piece costs a change of threads."""
    held, size = [], 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= _BUFFER:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


def _stream_response(pieces: Iterable[bytes], kind: str, name: str = "") -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'} if name else {}
    return StreamingResponse(pieces, media_type=kind, headers=headers)
