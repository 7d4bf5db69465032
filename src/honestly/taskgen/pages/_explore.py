"""Exploring a site: walk, propose, try, keep; and from what a form brought about, walk again to what is new there.

Each proposal gets a line in `from-pages.jsonl`, beside the tasks, so that the same command goes on where it was
stopped. A page that only a form leads to (a cart with something in it) is reached from the first page again, with the
form sent before: what is new there is proposed, too, as a task of several steps.
"""

import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, TypeAlias

import msgspec
from msgspec.structs import replace

from honestly.errors import TaskError
from honestly.records import Record, digest
from honestly.sites import open_site
from honestly.taskgen.pages._propose import Proposal, Where, form_proposal, page_name, proposed_questions
from honestly.taskgen.pages._solve import Ground, Site, Trial, examine_proposal, send_forms
from honestly.taskgen.pages._values import Vocabulary, column_vocabulary, is_fillable
from honestly.taskgen.pages._visit import Account, checked_origin, path_of
from honestly.taskgen.pages._walk import SiteWalk, form_shape, path_shape, walk_site
from honestly.taskgen.pages._write import (
    PageMade,
    answer_check,
    answer_file,
    least_of,
    play_file,
    state_changes,
    state_check,
    write_page_task,
    wrong_ways,
)
from honestly.work import Journal

JOURNAL = "from-pages.jsonl"
_MOST_STEPS = 3
_BEYOND_PAGES = 60
_MOST_ACTING = 20
_FEWEST_WRONG = 3

Proposer: TypeAlias = Callable[[SiteWalk, Sequence[Proposal]], Awaitable[Sequence[Proposal]]]
"""Proposes more, given the pages and what the rules propose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTerms:
    """How a site is explored."""

    pages: int = 200
    """The most pages to read."""
    tasks: int = 30
    """The most tasks to make."""
    seconds: float = 1800.0
    """No proposal is begun after so many."""
    seed: int = 0
    proposer: Proposer | None = None
    tell: Callable[[str], None] = lambda _: None


class PageRow(Record, frozen=True, kw_only=True):
    """The result of a proposal."""

    target: str
    kind: str
    page: str
    form: str = ""
    """The shape of its last form."""
    by: str = "rules"
    works: bool = False
    tries: int = 0
    task: str = ""
    refused: str = ""
    """Why there is no task."""
    effect: str = ""
    """What tells what it does from what others do: two that do the same are one."""
    beyond: tuple[Proposal, ...] = ()
    """What is proposed for pages that are only there after it."""
    new_pages: tuple[str, ...] = ()
    new_forms: tuple[str, ...] = ()


_LINE = msgspec.json.Decoder(str | PageRow)
"""The first line says which site and seed."""


class Coverage(Record, frozen=True, kw_only=True):
    """How much of a site was seen and tried; forms and pages are counted by shape, too."""

    pages_read: int
    pages_known: int
    """On the site, by links that were seen."""
    page_shapes: int
    page_shapes_with_task: int
    forms_known: int
    """By shape, wherever they stand."""
    forms_tried: int
    forms_work: int
    """Those that have an effect, or find something."""
    forms_with_task: int
    untried: tuple[str, ...] = ()
    """Shapes of forms that were not tried."""
    left: dict[str, int] = {}
    """Links that were not followed, and pages that were not read, by reason."""
    beyond: int = 0
    """Pages that were only there after a form was sent."""


class ExploredSite(Record, frozen=True, kw_only=True):
    """The result of exploring a site."""

    site: str
    coverage: Coverage
    rows: tuple[PageRow, ...]

    @property
    def tasks(self) -> list[str]:
        """The ids of the tasks that were made."""
        return [row.task for row in self.rows if row.task]


def site_of(name: str, seed: int = 0, login: tuple[str, str] | None = None, allow: Collection[str] = ()) -> Site:
    """The site that somebody names: `site:NAME` is opened afresh for each try, an address is visited as it stands.

    Raises:
        TaskError: It is neither, or not on this machine.
        SiteError: There is no site of that name.
    """
    kind, _, rest = name.partition(":")
    if kind != "site":
        origin = checked_origin(name, allow)

        @asynccontextmanager
        async def visit() -> AsyncIterator[Ground]:
            yield Ground(origin)

        return Site(name=origin, open=visit, account=Account(*login) if login else None, start=path_of(name))
    from honestly.sites import SITES

    app: Any = SITES.make_object(rest, {"seed": seed}, factory=True)
    user, password = getattr(app, "user", ""), getattr(app, "password", "")

    @asynccontextmanager
    async def fresh() -> AsyncIterator[Ground]:
        async with open_site(rest, seed) as site:
            yield Ground(site.url, site.state)

    account = Account(*login) if login else Account(user, password) if password else None
    return Site(name=name, open=fresh, account=account, is_reset=True)


async def from_pages(site: Site, into: Path, terms: PageTerms) -> ExploredSite:
    """Make tasks of a site's pages; what was tried before, with the same site and seed, is not tried again.

    Raises:
        TaskError: The folder was begun with another site or seed, or cannot be written; the first page cannot be read.
    """
    with _Journal(into, f"{site.name} seed={terms.seed}") as journal:
        return await _Work(site, into, terms, journal).explore_site()


def impossible_folder(into: Path) -> Path:
    """Where tasks go that no agent could do."""
    return into.with_name(f"{into.name}-unsolved")


@dataclass
class _Journal:
    """The results of proposals, a line each, below a line that says of what."""

    into: Path
    begun: str
    rows: dict[str, PageRow] = field(default_factory=dict)
    file: Journal = field(init=False)

    def __enter__(self) -> Self:
        self.file = Journal(self.into / JOURNAL, error=TaskError)
        try:
            lines = list(self.file.rows(_LINE.decode, "what became of a page"))
            if not lines:
                self.file.append(msgspec.json.encode(self.begun))
            elif lines[0] != self.begun:
                raise TaskError(f"{self.into} was started with {lines[0]}; continue with that, or give another folder")
            for row in lines[1:]:
                if isinstance(row, str):
                    raise TaskError(
                        f"{self.file.path} contains {row!r} where a result belongs; remove it to start over"
                    )
                if not row.task or any(
                    (folder / row.task).is_dir() for folder in (self.into, impossible_folder(self.into))
                ):
                    self.rows[row.target] = row
        except BaseException:
            self.file.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def keep(self, row: PageRow) -> None:
        self.rows[row.target] = row
        self.file.append(msgspec.json.encode(row))


@dataclass
class _Work:
    site: Site
    into: Path
    terms: PageTerms
    journal: _Journal
    done: list[PageRow] = field(default_factory=list)
    forms: set[str] = field(default_factory=set)
    walked: SiteWalk = field(default_factory=SiteWalk)
    known: Vocabulary = field(default_factory=dict)
    avoid: set[str] = field(default_factory=set)
    """Paths whose reading changes the site."""

    async def explore_site(self) -> ExploredSite:
        until = time.monotonic() + self.terms.seconds
        while True:
            async with self.site.open() as ground, self.site.new_visitor(ground) as visitor:
                self.walked = await walk_site(
                    visitor,
                    pages=self.terms.pages,
                    until=until,
                    tell=self.terms.tell,
                    state=ground.state,
                    avoid=self.avoid,
                )
            if not self.walked.acting:
                break
            self.avoid.add(self.walked.acting)
            if len(self.avoid) > _MOST_ACTING:
                raise TaskError(
                    f"more than {_MOST_ACTING} pages of {self.site.name} change its state when they are read, "
                    f"{self.walked.acting} for one; leave what only counts reading out of its state()"
                )
        if not self.walked.places:
            raise TaskError(f"the first page of {self.site.name} cannot be read: {', '.join(self.walked.left)}")
        self.known = column_vocabulary(place.page for place in self.walked.places.values())
        self.forms = set(self.walked.forms)
        waiting = deque(proposed_questions(self.walked, self.terms.seed))
        if self.terms.proposer:
            waiting.extendleft(reversed(await self.terms.proposer(self.walked, tuple(waiting))))
        while waiting and sum(bool(row.task) for row in self.done) < self.terms.tasks:
            proposal = waiting.popleft()
            row = self.journal.rows.get(proposal.target)
            if row is None:
                if time.monotonic() > until:
                    break
                row = await self._try_proposal(proposal)
                self.journal.keep(row)
            self.done.append(row)
            self.forms |= set(row.new_forms)
            waiting.extendleft(reversed(row.beyond))
            self.terms.tell(_visit_line(row, sum(bool(each.task) for each in self.done), self.terms.tasks))
        return ExploredSite(site=self.site.name, coverage=self._site_coverage(), rows=tuple(self.done))

    async def _try_proposal(self, proposal: Proposal) -> PageRow:
        trial, state = await examine_proposal(self.site, proposal, self.terms.seed, self.known)
        last = form_shape(proposal.fills[-1].form) if proposal.fills else ""
        row = PageRow(
            target=proposal.target, kind=proposal.kind, page=proposal.path, form=last, by=proposal.by,
            works=trial.works, tries=trial.tries, refused="" if trial.works else trial.why,
        )  # fmt: skip
        if not trial.works:
            return row
        row = replace(row, effect=_effect(trial, state))
        if trial.proposal.kind == "form" and len(proposal.fills) < _MOST_STEPS:
            row = await self._newly_reached(row, trial)
        if any(each.effect == row.effect and each.task for each in self.done):
            return replace(row, refused="another task has the same effect")
        name, why = await self._write(trial, state)
        return replace(row, task=name, refused=why)

    async def _write(self, trial: Trial, state: dict[str, Any] | None) -> tuple[str, str]:
        """The id of the task that was written, or why there is none."""
        proposal = trial.proposal
        solutions: dict[str, dict[str, str]] = {}
        if proposal.kind == "form":
            async with self.site.open() as ground:
                before = ground.state() if ground.state else {}
            wrong = await wrong_ways(self.site, trial, state or {}, self.walked, self.known)
            solutions |= {f"wrong/{name}": play_file(sent) for name, sent in wrong.items()}
            found = state_changes(before, state)
            if any(not place for place, _ in found):
                return "", "what it does cannot be told from the rest of the state"
            least = await least_of(self.site, trial.sent, state or {})
            checked, solutions["reference"] = state_check(found), play_file(least)
        else:
            names = ("other-1" if self.site.is_reset else "special-case", "other-2", "other-3")
            wrong_answers = zip(names, proposal.others, strict=False)
            solutions |= {f"wrong/{name}": answer_file(other) for name, other in wrong_answers}
            checked, solutions["reference"] = answer_check(self.site, proposal.answer), answer_file(proposal.answer)
        if len(solutions) <= _FEWEST_WRONG:
            return "", f"fewer than {_FEWEST_WRONG} wrong solutions were found"
        made = PageMade(
            site=self.site.name, seed=self.terms.seed, kind=proposal.kind, by=proposal.by, solved_by="rules",
            tries=trial.tries, path=proposal.path, steps=len(proposal.fills), effect=trial.effect,
        )  # fmt: skip
        return write_page_task(self.into, self.site, trial, made, checked, solutions), ""

    async def _newly_reached(self, row: PageRow, trial: Trial) -> PageRow:
        """The pages and forms that are there only after a form was sent: pages, and forms of a shape
        that was not seen before.
        """
        async with self.site.open() as ground, self.site.new_visitor(ground) as visitor:
            await visitor.enter_site()
            await send_forms(visitor, trial.proposal.fills, 1)
            after = await walk_site(visitor, pages=_BEYOND_PAGES, per_shape=4, state=ground.state, avoid=self.avoid)
        titles, found = after.title_counts(), []
        new = {kind: at for kind, (_, at) in after.forms.items() if kind not in self.forms}
        for kind, path in new.items():
            place, form = after.places[path], after.forms[kind][0]
            if form.method == "post" and is_fillable(form):
                found.append(form_proposal(place, form, page_name(place, titles), trial.proposal.fills))
        pages = tuple(path for path in after.places if path not in self.walked.known)
        return replace(row, beyond=tuple(found), new_pages=pages, new_forms=tuple(new))

    def _site_coverage(self) -> Coverage:
        forms = Counter({row.form for row in self.done if row.form})
        made = [row for row in self.done if row.task]
        return Coverage(
            pages_read=len(self.walked.places), pages_known=len(self.walked.known),
            page_shapes=len({path_shape(path) for path in self.walked.places}),
            page_shapes_with_task=len({path_shape(row.page) for row in made}),
            forms_known=len(self.forms), forms_tried=len(forms),
            forms_work=len({row.form for row in self.done if row.form and row.works}),
            forms_with_task=len({row.form for row in made if row.form}),
            untried=tuple(sorted(self.forms - set(forms))), left=dict(self.walked.left.most_common()),
            beyond=len({path for row in self.done for path in row.new_pages}),
        )  # fmt: skip


def _effect(trial: Trial, state: dict[str, Any] | None) -> str:
    """The effect of a trial, as a key: the state it leaves, or what is answered about what."""
    if state is not None:
        return digest(state)
    proposal = trial.proposal
    where, filled = proposal.where or Where(kind="fact"), [fill.labelled_fills() for fill in proposal.fills]
    page = "" if proposal.kind == "cell" else proposal.path
    return digest(page, [where.kind, where.key, where.column, where.value], proposal.answer, filled)


def _visit_line(row: PageRow, made: int, wanted: int) -> str:
    fate = f"{row.task} ({row.tries} tries)" if row.task else f"none: {row.refused}"
    return f"{made} of {wanted} tasks  {row.kind:6} {row.page}  {fate}"
