"""Tasks proposed for a page by rules: read a value, follow a link to a detail, count, compare, search, fill in a form.

An answer is a value that the page shows, word for word, or a count or an extreme over a table of it. What could be
meant in two ways is not asked: keys that occur twice, ties, values that stand in the question. A form's effect is not
known before somebody tries it (`_solve.py`).
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from random import Random
from typing import Literal

from honestly.records import Record
from honestly.taskgen.pages._read import Cell, Form, Read, Table
from honestly.taskgen.pages._values import is_fillable
from honestly.taskgen.pages._visit import path_of
from honestly.taskgen.pages._walk import Place, SiteWalk, form_shape, path_shape

Kind = Literal["cell", "detail", "count", "most", "search", "form"]
_SOUGHT = frozenset({"q", "query", "search"})
_MOST_WORDS = 6
_NUMBER = re.compile(r"(-?\d[\d,]*(?:\.\d+)?)(\s?[^\d\s].{0,10})?")


class Where(Record, frozen=True, kw_only=True):
    """Where an answer stands on a page, or how it is made of a table."""

    kind: Literal["fact", "cell", "count", "most", "rows"]
    columns: tuple[str, ...] = ()
    """Of the table."""
    key: str = ""
    """The first cell of the row; of a fact, its name."""
    column: str = ""
    value: str = ""
    """What is counted; of an extreme, `highest` or `lowest`."""


class Fill(Record, frozen=True, kw_only=True):
    """A form that is filled in."""

    way: tuple[Cell, ...]
    """The links to its page, from the first page on: texts and paths."""
    path: str
    title: str
    """Of its page."""
    form: Form
    values: dict[str, str] = {}

    def labelled_fills(self) -> list[tuple[str, str]]:
        """The labels of the fields that are changed, and what is shown for their values."""
        values = [(field, self.values.get(field.name, field.value)) for field in self.form.fields]
        changed = [(field, value) for field, value in values if field.type != "hidden" and value != field.value]
        return [(field.label, dict(field.options).get(value, value)) for field, value in changed]


class Proposal(Record, frozen=True, kw_only=True):
    """A task that somebody proposed."""

    kind: Kind
    words: str
    """What is asked, but for the form."""
    way: tuple[Cell, ...] = ()
    """The links to the page of the answer."""
    path: str = ""
    fills: tuple[Fill, ...] = ()
    where: Where | None = None
    answer: str = ""
    others: tuple[str, ...] = ()
    """Wrong answers that stand nearby."""
    by: str = "rules"

    @property
    def target(self) -> str:
        """The key of a proposal: two with the same target ask for the same."""
        if self.kind == "form":
            forms = " > ".join(f"{form_shape(fill.form)} {path_of(fill.form.action)}" for fill in self.fills)
            return forms if self.by == "rules" else f"{forms} {sorted(self.fills[-1].values.items())}"
        where = self.where or Where(kind="fact")
        return (
            f"{self.path} {where.kind} {where.key or where.value} {where.column} {[fill.values for fill in self.fills]}"
        )


def read_value(page: Read, where: Where) -> str | None:
    """The text of a page at a place; None where it says nothing that can be meant."""
    if where.kind == "fact":
        found = [value.text for name, value in page.facts if name == where.key]
        return found[0] if len(found) == 1 else None
    table = page.table(where.columns)
    if table is None:
        return None
    if where.kind == "rows":
        return str(len(table.rows))
    at = table.columns.index(where.column)
    if where.kind == "count":
        return str(sum(row[at].text == where.value for row in table.rows))
    if where.kind == "most":
        return _extreme(table, at, where.value)
    found = [row[at].text for row in table.rows if row[0].text == where.key]
    return found[0] if len(found) == 1 else None


def proposed_questions(walked: SiteWalk, seed: int, per_shape: int = 2) -> list[Proposal]:
    """Proposed questions about the pages of a walk, the kinds and shapes in turn."""
    chance = Random(f"pages {seed}")  # noqa: S311 - a draw, not a secret
    titles = walked.title_counts()
    groups: dict[tuple[str, str], list[Proposal]] = defaultdict(list)
    told: set[tuple[str, ...]] = set()
    for place in walked.places.values():
        lines = tuple(place.page.shown_lines())
        if lines in told:  # the same page by another address
            continue
        told.add(lines)
        name = page_name(place, titles)
        for found in (
            *_cell_proposals(place, name),
            *_detail_questions(place, name, walked),
            *_fact_questions(place, name, walked),
            *_table_questions(place, name),
            *_search_questions(place, name, walked),
        ):
            groups[found.kind, path_shape(place.path)].append(found)
        for form in (form for form in place.page.forms if form.method == "post" and is_fillable(form)):
            groups["form", form_shape(form)].append(form_proposal(place, form, name))
    drawn = [chance.sample(group, min(per_shape, len(group))) for group in groups.values()]
    seen: set[str] = set()
    rows = [each for row in zip_longest(*drawn) for each in row if each is not None]
    return [each for each in rows if not (each.target in seen or seen.add(each.target))]  # type: ignore[func-returns-value]


def form_proposal(place: Place, form: Form, name: str, before: Sequence[Fill] = ()) -> Proposal:
    """A form to be filled in, after others; what to fill in is chosen by whoever tries it."""
    fill = Fill(way=place.way.steps, path=place.path, title=name, form=form)
    return Proposal(kind="form", words="", path=place.path, fills=(*before, fill))


def page_name(place: Place, titles: Counter[str]) -> str:
    """The name of a page: by its title, and its address where several have that."""
    title = place.page.title or "without a title"
    return f"“{title}”" if titles[place.page.title] == 1 else f"“{title}” ({place.path})"


def _answered_proposal(
    place: Place, kind: Kind, words: str, where: Where, others: Sequence[str], page: Read | None = None
) -> Iterator[Proposal]:
    """The proposal, if its answer stands on the page, and not in the question."""
    answer = read_value(page or place.page, where)
    wrong = tuple(dict.fromkeys(other for other in others if other and other != answer))[:5]
    if answer and re.search(r"\w", answer) and f"“{answer}”" not in words and len(wrong) >= 3:
        yield Proposal(
            kind=kind, words=words, way=place.way.steps, path=place.path, where=where, answer=answer, others=wrong
        )


def _cell_proposals(place: Place, name: str) -> Iterator[Proposal]:
    for table in _told_apart(place.page):
        for row in table.rows:
            for at, column in list(enumerate(table.columns))[1:]:
                where = Where(kind="cell", columns=table.columns, key=row[0].text, column=column)
                others = [other[at].text for other in table.rows] + [cell.text for cell in row]
                words = f"On the page {name}, what is “{column}” of “{row[0].text}”?"
                if row[0].text and row[at].text:
                    yield from _answered_proposal(place, "cell", words, where, others)


def _detail_questions(place: Place, name: str, walked: SiteWalk) -> Iterator[Proposal]:
    for table in place.page.tables:
        for row in table.rows:
            there = walked.places.get(path_of(row[0].href)) if row[0].href else None
            if there is None or there.path == place.path:
                continue
            shown = {cell.text for cell in row}
            for key, value in there.page.facts:
                if value.text and value.text not in shown:
                    words = f"Follow “{row[0].text}” on the page {name}. What is “{key}” on the page that it leads to?"
                    link = Cell(row[0].text, there.path)
                    others = [text for _, cell in there.page.facts for text in [cell.text]] + [
                        cell.text for cell in row
                    ]
                    others += [
                        near.text for other in walked.places.values() for k, near in other.page.facts if k == key
                    ]
                    spot = Place(there.page, place.way._replace(steps=(*place.way.steps, link)))
                    yield from _answered_proposal(spot, "detail", words, Where(kind="fact", key=key), others)


def _fact_questions(place: Place, name: str, walked: SiteWalk) -> Iterator[Proposal]:
    """Facts of a page that no table leads to."""
    rows = {
        path_of(row[0].href)
        for each in walked.places.values()
        for t in each.page.tables
        for row in t.rows
        if row[0].href
    }
    for key, value in place.page.facts if place.path not in rows else ():
        others = [cell.text for _, cell in place.page.facts]
        elsewhere = [(k, near.text) for other in walked.places.values() for k, near in other.page.facts]
        others += [text for k, text in sorted(elsewhere, key=lambda fact: fact[0] != key)]
        words = f"On the page {name}, what is “{key}”?"
        if value.text:
            yield from _answered_proposal(place, "detail", words, Where(kind="fact", key=key), others)


def _table_questions(place: Place, name: str) -> Iterator[Proposal]:
    for table in (table for table in _told_apart(place.page) if len(table.rows) >= 3):
        which = "the table" if len(place.page.tables) == 1 else f"the table “{table.caption}”"
        for at, column in list(enumerate(table.columns))[1:]:
            counts = Counter(row[at].text for row in table.rows)
            for value, count in counts.items():
                if value and 1 < count < len(table.rows) and str(count) not in table.caption.split():
                    words = f"In {which} of the page {name}, how many rows have “{value}” in the column “{column}”?"
                    where = Where(kind="count", columns=table.columns, column=column, value=value)
                    others = [str(count + 1), str(count - 1), str(len(table.rows)), str(count + 2)]
                    yield from _answered_proposal(place, "count", words, where, others)
            for end in ("highest", "lowest"):
                words = f"In {which} of the page {name}, which row (its “{table.columns[0]}”) has the {end} “{column}”?"
                where = Where(kind="most", columns=table.columns, column=column, value=end)
                yield from _answered_proposal(place, "most", words, where, [row[0].text for row in table.rows])


def _told_apart(page: Read) -> list[Table]:
    """The tables that can be meant: the only one, or those with a caption and columns of their own."""
    alike = Counter(table.columns for table in page.tables)
    return [t for t in page.tables if alike[t.columns] == 1 and (t.caption or len(page.tables) == 1)]


def _extreme(table: Table, at: int, end: str) -> str | None:
    """The first cell of the row with the highest or lowest number; None where there is no such one."""
    found = [_NUMBER.fullmatch(row[at].text) for row in table.rows]
    if not all(found) or len({each[2] for each in found if each}) != 1:
        return None
    numbers = [float(each[1].replace(",", "")) for each in found if each]
    best = max(numbers) if end == "highest" else min(numbers)
    keys = [row[0].text for row in table.rows]
    return keys[numbers.index(best)] if numbers.count(best) == 1 and len(set(keys)) == len(keys) else None


def _search_questions(place: Place, name: str, walked: SiteWalk) -> Iterator[Proposal]:
    """Forms that ask a question: each choice alone, and how many rows come of it. The answer comes when it is tried."""
    for form in (form for form in place.page.forms if form.method == "get" and is_fillable(form)):
        start = {field.name: field.value for field in form.fields}
        for field in form.fields:
            is_word = field.type in {"text", "search"} and field.name in _SOUGHT
            here = _last_words([place.page]) or _last_words(each.page for each in walked.places.values())
            words_of = here[:: max(1, len(here) // _MOST_WORDS)] * is_word
            for value, _ in [*field.options, *((word, word) for word in words_of)]:
                if value and value != field.value:
                    fill = Fill(
                        way=place.way.steps, path=place.path, title=name, form=form, values={**start, field.name: value}
                    )
                    words = "How many rows are in the table that is shown then?"
                    yield Proposal(
                        kind="search",
                        words=words,
                        way=place.way.steps,
                        path=place.path,
                        fills=(fill,),
                        where=Where(kind="rows"),
                    )


def _last_words(pages: Iterable[Read]) -> list[str]:
    """The last words of first cells that have several: what people look for."""
    cells = [row[0].text.split() for page in pages for table in page.tables for row in table.rows]
    return sorted({words[-1].lower() for words in cells if len(words) > 1 and words[-1].isalpha()})
