"""A solver that follows rules: does it lead anywhere to do as a proposal says? Three tries, each on a site made afresh.

It goes by the texts of links from the first page on, and fills in forms as a person would; on later tries it opens the
page by its address, and fills in something else. An answer counts where it is read again, word for word. A form counts
where somebody else, in a session of their own, sees afterwards what was not there before; where the site says its
state, that must have changed, too. What changes by itself, between two looks, is no effect.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from honestly.errors import TaskError
from honestly.records import Record
from honestly.taskgen.pages._propose import Fill, Proposal, read_value
from honestly.taskgen.pages._read import Cell
from honestly.taskgen.pages._values import Vocabulary, form_values
from honestly.taskgen.pages._visit import Account, VisitedPage, Visitor, path_of
from honestly.taskgen.pages._walk import form_shape

Sent = tuple[tuple[str, dict[str, str]], ...]
"""What was sent: paths and values."""
TRIES = 3
_MOST_EFFECT = 20


class Ground(NamedTuple):
    """A site that is open for one try."""

    origin: str
    state: Callable[[], dict[str, Any]] | None = None
    """What it holds, where it says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A site that can be opened again and again."""

    name: str
    """`site:NAME`, or an address."""
    open: Callable[[], AbstractAsyncContextManager[Ground]]
    account: Account | None = None
    is_reset: bool = False
    """Whether it is made afresh each time it is opened, so that anything may be tried."""
    start: str = "/"
    """Where its first page lies."""

    def new_visitor(self, ground: Ground) -> Visitor:
        """Somebody new on the open site."""
        return Visitor(ground.origin, self.account, self.start)


class Trial(Record, frozen=True, kw_only=True):
    """The result of trying a proposal."""

    works: bool
    tries: int
    why: str = ""
    """Of the last try that did not lead anywhere."""
    proposal: Proposal
    """As it was done: with the values that were filled in, and the answer that was found."""
    effect: tuple[str, ...] = ()
    """What a fresh page shows after a form and did not show before, and the other way round."""
    landed: str = ""
    """Where the form led."""
    sent: Sent = ()
    """Everything that was sent, logging in included: paths and values."""


async def examine_proposal(
    site: Site, proposal: Proposal, seed: int, known: Vocabulary
) -> tuple[Trial, dict[str, Any] | None]:
    """Try a proposal up to three times; what came of it, and the state that the site had at the end."""
    why = ""
    for number in range(TRIES):
        # The proposal with values for its last form; those of earlier forms are known to work.
        if proposal.kind != "form" or proposal.fills[-1].values:
            chosen = proposal
        else:
            last, chance = proposal.fills[-1], Random(f"{seed} {number} {proposal.target}")  # noqa: S311 - a draw, not a secret
            values = form_values(last.form, chance, number, known)
            chosen = replace(proposal, fills=(*proposal.fills[:-1], replace(last, values=values)))
        work = _form_trial if proposal.kind == "form" else _answer_trial
        try:
            found = await work(site, chosen, number)
        except TaskError as error:  # a login that is another now, say
            found = str(error)
        if not isinstance(found, str):
            trial, state = found
            return replace(trial, tries=number + 1, why=why), state
        why = found
    return Trial(works=False, tries=TRIES, why=why, proposal=proposal), None


async def _answer_trial(site: Site, proposal: Proposal, number: int) -> tuple[Trial, None] | str:
    if proposal.kind == "search":
        return await _search(site, proposal, number)
    async with site.open() as ground, site.new_visitor(ground) as visitor:
        await visitor.enter_site()
        seen = await _page_reached(visitor, proposal.way, proposal.path, number)
        if seen.page is None:
            return seen.why
        found = read_value(seen.page, proposal.where) if proposal.where else None
    if found != proposal.answer:
        return "another answer is there than before"
    return Trial(works=True, tries=0, proposal=proposal), None


async def _search(site: Site, proposal: Proposal, number: int) -> tuple[Trial, None] | str:
    """How many rows come of a form that asks: the same twice, some, and another number than with nothing filled in."""
    fill = proposal.fills[-1]
    asks_nothing = replace(fill, values={field.name: field.value for field in fill.form.fields})
    counts = []
    for each in (fill, fill, asks_nothing):
        async with site.open() as ground, site.new_visitor(ground) as visitor:
            await visitor.enter_site()
            seen, _ = await send_forms(visitor, (each,), number)
        if seen.page is None:
            return seen.why
        if len(seen.page.tables) != 1:
            return f"{len(seen.page.tables)} tables are shown then, where one can be meant"
        counts.append(len(seen.page.tables[0].rows))
    first, again, without = counts
    if first != again or not first or first == without:
        return "it finds nothing, or what it finds does not depend on it"
    near = dict.fromkeys((without, first + 1, first - 1, first + 2))
    others = tuple(str(each) for each in near if each != first)
    return Trial(works=True, tries=0, proposal=replace(proposal, answer=str(first), others=others)), None


async def _form_trial(site: Site, proposal: Proposal, number: int) -> tuple[Trial, dict[str, Any]] | str:
    if not site.is_reset:
        return "the site is not made afresh for each try, so no form is sent"
    async with site.open() as ground:
        state = ground.state() if ground.state else None
        async with site.new_visitor(ground) as visitor:
            await visitor.enter_site()
            landed, sent = await send_forms(visitor, proposal.fills, number)
            sent = visitor.entered + sent
        if landed.page is None:
            return landed.why
        paths = [proposal.fills[-1].path, landed.path]
        after = await _lines_at(site, ground, paths)
        now = ground.state() if ground.state else {}
    if state == now:
        return "nothing changed on the site"
    before = [await _lines_before(site, proposal, number, paths) for _ in range(2)]
    stable = before[0] & before[1]
    effect = [f"+ {line}" for line in sorted(after - before[0] - before[1])]
    effect += [f"- {line}" for line in sorted(stable - after)]
    if not effect:
        return "no fresh page shows an effect"
    kept = tuple(effect[:_MOST_EFFECT])
    return Trial(works=True, tries=0, proposal=proposal, effect=kept, landed=landed.path, sent=sent), now


async def _lines_before(site: Site, proposal: Proposal, number: int, paths: Sequence[str]) -> set[str]:
    """The lines of the pages before the last form is sent."""
    async with site.open() as ground:
        async with site.new_visitor(ground) as visitor:
            await visitor.enter_site()
            if proposal.fills[:-1] and (await send_forms(visitor, proposal.fills[:-1], number))[0].page is None:
                raise TaskError(f"{site.name} does something else the second time: {proposal.target}")
        return await _lines_at(site, ground, paths)


async def _lines_at(site: Site, ground: Ground, paths: Sequence[str]) -> set[str]:
    """The lines of the pages at some paths, as somebody new sees them."""
    found: set[str] = set()
    async with site.new_visitor(ground) as visitor:
        await visitor.enter_site()
        for path in paths:
            seen = await visitor.get(path)
            found |= {f"{path}: {line}" for line in seen.page.shown_lines()} if seen.page else {f"{path}: {seen.why}"}
    return found


async def _page_reached(visitor: Visitor, way: Sequence[Cell], path: str, number: int) -> VisitedPage:
    """The page at the end of a way, by the texts of its links; on later tries, by its address."""
    seen = await visitor.get(visitor.start)
    if number:
        return await visitor.get(path)
    for step in way:
        if seen.page is None:
            return seen
        there = {path_of(link.href) for link in seen.page.links if link.text == step.text and visitor.holds(link.href)}
        if len(there) != 1:
            return VisitedPage(None, f"{len(there)} links on {seen.path} are called “{step.text}”")
        seen = await visitor.get(there.pop())
    if seen.page and seen.path != path:
        return VisitedPage(None, f"the links lead to {seen.path}, not to {path}")
    return seen


async def send_forms(visitor: Visitor, fills: Sequence[Fill], number: int) -> tuple[VisitedPage, Sent]:
    """The page that comes after all forms are filled in and sent, and what was sent."""
    seen, sent = VisitedPage(None, "there is no form"), []
    for fill in fills:
        seen = await _page_reached(visitor, fill.way, fill.path, number)
        if seen.page is None:
            break
        wanted = form_shape(fill.form), path_of(fill.form.action)
        same = [form for form in seen.page.forms if (form_shape(form), path_of(form.action)) == wanted]
        if len(same) != 1:
            return VisitedPage(None, f"{len(same)} forms on {seen.path} are called “{fill.form.button}”"), ()
        values = _values(same[0].fields, fill.values)
        sent.append((wanted[1], values))
        seen = await visitor.send(same[0], values)
        if seen.page is None:
            break
    return seen, tuple(sent)


def _values(fields: Sequence[Any], wanted: Mapping[str, str]) -> dict[str, str]:
    """The values that are sent: hidden fields as the page has them now, the others as they are wanted."""
    return {
        field.name: field.value if field.type == "hidden" else wanted.get(field.name, field.value) for field in fields
    }


async def state_after(site: Site, sent: Sent) -> dict[str, Any] | None:
    """The state of a fresh site after all this was sent; None where something of it was refused."""
    async with site.open() as ground, site.new_visitor(ground) as visitor:
        for path, values in sent:
            if (await visitor.post(path, values)).page is None:
                return None
        return ground.state() if ground.state else None
