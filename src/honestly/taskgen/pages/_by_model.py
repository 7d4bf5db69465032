"""Proposals by a model: it is shown a page of each shape, and names what to ask, or which form to fill in with what.

It gives the words and points at a place; the answer is what the page says there, never what the model says. Words that
don't name the row and the column, or that give the answer away, are not taken. Whether words that do are good ones,
nobody judges here.
"""

import json
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from honestly.errors import TaskError
from honestly.models import Message, Model
from honestly.taskgen.pages._explore import Proposer
from honestly.taskgen.pages._propose import Fill, Proposal, Where, page_name, read_value
from honestly.taskgen.pages._read import Form, Read
from honestly.taskgen.pages._values import is_fillable
from honestly.taskgen.pages._walk import Place, SiteWalk, path_shape

_MOST_SHOWN = 20
_MOST_ROWS = 5
_MOST_IDEAS = 40
_ASK = """\
Below are pages of a web site, as JSON. Propose tasks for somebody who uses it: what people really do there. Reply with
a JSON list of at most {count} objects of these two kinds, and nothing else:

{{"page": PATH, "question": TEXT, "key": KEY, "column": COLUMN}} asks for a value: KEY is the first cell of a row and
COLUMN the name of its column, or KEY is the name of a fact and COLUMN is "". The question must name both as they
stand there, and not hold the answer.
{{"page": PATH, "form": BUTTON, "values": {{LABEL: VALUE}}}} fills in a form, with values that make sense together.

{pages}
"""


class _Idea(msgspec.Struct, frozen=True):
    page: str
    question: str = ""
    key: str = ""
    column: str = ""
    form: str = ""
    values: dict[str, str] = {}


async def model_proposals(model: Model, count: int, walked: SiteWalk, _: Sequence[Proposal]) -> list[Proposal]:
    """The model's proposals; what makes no sense is left out.

    Raises:
        TaskError: It answers with something else than a list.
        ModelError: It does not answer.
    """
    shown: dict[str, Place] = {}
    for place in walked.places.values():
        shown.setdefault(path_shape(place.path), place)
    pages = [_place_outline(place) for place in list(shown.values())[:_MOST_SHOWN]]
    asked = _ASK.format(count=min(count, _MOST_IDEAS), pages="\n".join(json.dumps(page) for page in pages))
    answer = await model([Message(role="user", text=asked)])
    text = answer.text[answer.text.find("[") : answer.text.rfind("]") + 1]
    try:
        ideas = [each for each in json.loads(text) if isinstance(each, dict)]
    except (ValueError, RecursionError, TypeError) as error:
        raise TaskError(f"{model.name} proposes nothing: expected a JSON list, found {answer.text[:100]!r}") from error
    made = partial(_form_proposals, walked=walked, by=model.name)
    return [proposal for idea in ideas[:_MOST_IDEAS] for proposal in made(idea)]


def model_proposer(model: Model, count: int) -> Proposer:
    """The proposer of a `PageTerms`: a model that is asked for so many."""
    return partial(model_proposals, model, count)


def _place_outline(place: Place) -> dict[str, object]:
    page = place.page
    return {
        "page": place.path,
        "title": page.title,
        "facts": {name: value.text for name, value in page.facts},
        "tables": [
            {"columns": table.columns, "rows": [[cell.text for cell in row] for row in table.rows[:_MOST_ROWS]]}
            for table in page.tables
        ],
        "forms": [
            {form.button: {f.label: [s for _, s in f.options] or f.type for f in form.fields if f.type != "hidden"}}
            for form in page.forms
        ],
    }


def _form_proposals(found: dict[str, object], walked: SiteWalk, by: str) -> Iterator[Proposal]:
    try:
        idea = msgspec.convert(found, _Idea)
    except msgspec.ValidationError:
        return
    place = walked.places.get(idea.page)
    if place is None:
        return
    name = page_name(place, walked.title_counts())
    if not idea.form:
        yield from _question_proposals(idea, place, name, by)
        return
    for form in place.page.forms:
        if form.button == idea.form and form.method == "post" and is_fillable(form) and (values := _values(idea, form)):
            fill = Fill(way=place.way.steps, path=place.path, title=name, form=form, values=values)
            yield Proposal(kind="form", words="", path=place.path, fills=(fill,), by=by)
            return


def _values(idea: _Idea, form: Form) -> dict[str, str] | None:
    """The values that the form is filled in with; None where a label or a choice is none of its own."""
    values = {field.name: field.value for field in form.fields}
    names = {field.label: field for field in form.fields if field.type != "hidden"}
    for label, value in idea.values.items():
        field = names.get(label)
        choices = {shown: given for given, shown in field.options} if field else {}
        if field is None or (choices and value not in choices):
            return None
        values[field.name] = choices.get(value, value)
    return values


def _question_proposals(idea: _Idea, place: Place, name: str, by: str) -> Iterator[Proposal]:
    said = " ".join(idea.question.split())[:300]
    for where in _idea_places(idea, place.page):
        answer = read_value(place.page, where)
        named = all(word.casefold() in said.casefold() for word in (idea.key, idea.column))
        if not answer or not named or answer.casefold() in said.casefold():
            continue
        near = [cell.text for table in place.page.tables for row in table.rows for cell in row]
        near += [value.text for _, value in place.page.facts]
        others = tuple(dict.fromkeys(other for other in near if other and other != answer))[:5]
        words = f"On the page {name}: {said}"
        yield Proposal(
            kind="cell",
            words=words,
            way=place.way.steps,
            path=place.path,
            where=where,
            answer=answer,
            others=others,
            by=by,
        )
        return


def _idea_places(idea: _Idea, page: Read) -> Iterator[Where]:
    for table in page.tables:
        if idea.column in table.columns[1:]:
            yield Where(kind="cell", columns=table.columns, key=idea.key, column=idea.column)
    if not idea.column:
        yield Where(kind="fact", key=idea.key)
