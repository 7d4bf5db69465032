"""Two agents task by task, and their trials at one task side by side."""

from itertools import combinations, pairwise
from typing import NamedTuple

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from honestly.records import Edit
from honestly.trials import between_changes, final_change
from honestly.web._figures import PAIR, figure_pieces
from honestly.web._library import OpenStudy
from honestly.web._listing import GridCell, Listing, is_one_of
from honestly.web._pages import Pages, number_of, part_response
from honestly.web.pages._trial import shown_change
from honestly.web.trial import STEP_KINDS, Panel, Showing, Window, trial_panel, window_at

_PAIRS = 45
"""Of an exported study of more pairs only those with the best agent and of neighbours have a page."""


class ComparedTask(NamedTuple):
    """A task that both agents tried."""

    task: str
    a: GridCell
    b: GridCell

    @property
    def difference(self) -> float:
        """Share of A's trials that passed, less that of B's."""
        return self.a.passed / self.a.trials - self.b.passed / self.b.trials


class Group(NamedTuple):
    """Tasks at which the two did alike."""

    name: str
    title: str
    tasks: list[ComparedTask]


class Side(NamedTuple):
    """One of two trials."""

    letter: str
    beside: Panel
    window: Window
    samples: list[int]


def routes(pages: Pages) -> list[BaseRoute]:
    """The addresses of these pages."""
    room = _Compare(pages)
    base = "/s/{key}/compare"
    return [
        Route(base, room.page),
        Route(f"{base}/pair", room.pair),
        Route(f"{base}/groups", room.groups),
        Route(f"{base}/task", room.task),
        Route(f"{base}/change", room.change),
    ]


def grouped_tasks(listing: Listing, a: str, b: str) -> tuple[list[Group], list[str]]:
    """The tasks in four groups, those that differ most first; and those that only one of the two tried."""
    cells, tasks = listing.grid(agents=(a, b)), listing.ranked("task")
    both = [
        ComparedTask(task, cells[task, a], cells[task, b])
        for task in tasks
        if (task, a) in cells and (task, b) in cells
    ]
    ahead = sorted((each for each in both if each.difference > 0), key=lambda each: -each.difference)
    behind = sorted((each for each in both if each.difference < 0), key=lambda each: each.difference)
    even = [each for each in both if each.difference == 0]
    groups = [
        Group("a", "Only A, or A more often", ahead),
        Group("b", "Only B, or B more often", behind),
        Group("both", "Both, as often", [each for each in even if each.a.passed]),
        Group("neither", "Neither", [each for each in even if not each.a.passed]),
    ]
    return groups, [task for task in tasks if ((task, a) in cells) != ((task, b) in cells)]


class _Compare:
    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    def page(self, request: Request) -> Response:
        """The choice of two agents, and places for what is said of them."""
        study = self._pages.study(request)
        agents = sorted(agent.name for agent in study.store.agents())
        pairs = list(combinations(agents, 2))
        if not self._pages.live and len(pairs) > _PAIRS:
            best = study.listing().ranked("agent")
            pairs = [*((best[0], other) for other in best[1:]), *pairwise(best[1:])]
        a, b = (request.query_params.get(name, "") for name in "ab")
        chosen = a in agents and b in agents and a != b
        parts = (
            [self._pair_markup(study, a, b), self._groups_markup(study, a, b)]
            if chosen and not self._pages.live
            else []
        )
        return self._pages.page(
            "compare.html", request, study=study, agents=agents, a=a, b=b, chosen=chosen, parts=parts, pairs=pairs
        )

    def pair(self, request: Request) -> Response:
        """Whether the two differ, in the words of `honestly compare`; nothing while that is being made."""
        return part_response(self._pair_markup(*self._asked_pair(request)))

    def _pair_markup(self, study: OpenStudy, a: str, b: str) -> Markup | None:
        if (found := figure_pieces(self._pages, study, PAIR, a, b)) is None:
            return None
        text = Markup(found.get("pair", ""))  # noqa: S704 - reports escape what they show
        return self._pages.filled("compare/_pair.html", error=found.get("error", ""), text=text)

    def groups(self, request: Request) -> Response:
        """The tasks in four groups."""
        return part_response(self._groups_markup(*self._asked_pair(request)))

    def _groups_markup(self, study: OpenStudy, a: str, b: str) -> Markup | None:
        if (listing := study.listing_soon()) is None:
            return None
        groups, alone = grouped_tasks(listing, a, b)
        return self._pages.filled("compare/_groups.html", study=study, a=a, b=b, groups=groups, alone=alone)

    def task(self, request: Request) -> Response:
        """Both trials at a task, side by side."""
        study, a, b = self._asked_pair(request)
        task, listing = request.query_params.get("task", ""), study.listing()
        hidden = frozenset(request.query_params.getlist("hide")) & frozenset(STEP_KINDS)
        sides = [
            _compared_side(study, listing, letter, name, task, request, hidden) for letter, name in (("A", a), ("B", b))
        ]
        groups, _ = grouped_tasks(listing, a, b)
        group = next((each for each in groups if any(one.task == task for one in each.tasks)), None)
        tasks = [one.task for one in group.tasks] if group else [task]
        at = tasks.index(task)
        return self._pages.page(
            "compare/task.html",
            request,
            study=study,
            a=a,
            b=b,
            task=task,
            sides=sides,
            kinds=STEP_KINDS,
            group=group,
            number=at,
            near={"ArrowLeft": tasks[at - 1] if at else "", "ArrowRight": tasks[at + 1] if at + 1 < len(tasks) else ""},
        )

    def change(self, request: Request) -> Response:
        """The difference between the final changes of two trials."""
        study = self._pages.study(request)
        found = [final_change(study.store, study.store.trial(request.query_params.get(name, ""))) for name in "ab"]
        given = next((each[0] for each in found if each is not None), None)
        if given is None:
            return HTMLResponse(shown_change(self._pages, None, None))
        edits = [each[1] if each is not None else Edit() for each in found]
        return HTMLResponse(shown_change(self._pages, *between_changes(given, edits[0], edits[1])))

    def _asked_pair(self, request: Request) -> tuple[OpenStudy, str, str]:
        study = self._pages.study(request)
        known = {agent.name for agent in study.store.agents()}
        a, b = (request.query_params.get(name, "") for name in "ab")
        if a not in known or b not in known or a == b:
            raise HTTPException(404, "Two agents of this study are compared; these are not.")
        return study, a, b


def _compared_side(
    study: OpenStudy, listing: Listing, letter: str, agent: str, task: str, request: Request, hidden: frozenset[str]
) -> Side:
    where = [is_one_of("agent", [agent]), is_one_of("task", [task])]
    rows = {int(str(row["sample"])): str(row["id"]) for row in listing.rows(where, "sample", 0, 1000)}
    if not rows:
        raise HTTPException(404, "There is no trial of this agent at this task.")
    given = number_of(request, f"sample_{letter.lower()}")
    sample = given if given in rows else min(rows)
    beside = trial_panel(study.store, rows[sample])
    look = Showing(hidden=hidden, flags=beside.flags)
    return Side(letter, beside, window_at(study.store, rows[sample], 0, look), sorted(rows))
