"""A proposal that works as a task on disk: instruction, hidden checks, reference, wrong solutions, how it was made.

An answer is written into `answer.json`, and judged word for word; a form by the site's state at the end: what should
have changed has, and nothing else. Wrong solutions are other values of the same page, and other things done on the
site, each of which was tried and leaves another state.
"""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from importlib.resources import files as package_files
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from honestly.errors import TaskError
from honestly.records import Record, digest
from honestly.taskgen._from_commit import MADE
from honestly.taskgen.pages._propose import Fill, Proposal, Where
from honestly.taskgen.pages._solve import Sent, Site, Trial, state_after
from honestly.taskgen.pages._values import Vocabulary, form_values, is_fillable
from honestly.taskgen.pages._visit import path_of
from honestly.taskgen.pages._walk import SiteWalk, form_shape

ANSWER = "answer.json"
_SEEN = "test_answer.py"
"""What is visible where there is no site to judge."""
_WRONG = 3
_UNCHANGED = """

def test_nothing_on_the_site_has_changed(ws):
    found = json.loads(ws.read("site-state.json"))
    assert found["after"] == found["before"]
"""


class PageMade(Record, frozen=True, kw_only=True):
    """How a task was made of a page."""

    site: str
    seed: int
    kind: str
    by: str
    """Who proposed it: `rules`, or a model."""
    solved_by: str
    tries: int
    """How many tries of the solver's it took, of three."""
    path: str
    steps: int
    """Forms that are sent."""
    effect: tuple[str, ...] = ()
    """What a fresh page shows afterwards, and did not before (`+`), or the other way round (`-`)."""
    agents: dict[str, tuple[int, int]] = {}
    """Agents that tried it, where some did: passes and trials of each."""


def task_name(site: Site, proposal: Proposal) -> str:
    """The id of the task that a proposal becomes."""
    where = proposal.where or Where(kind="fact")
    last = proposal.fills[-1].form.button if proposal.fills else where.column or where.key
    begin = site.name.rpartition(":")[2] if site.is_reset else "web"
    name = re.sub(r"[^a-z0-9]+", "-", f"{begin} {proposal.kind} {last}".lower()).strip("-")
    return f"{name[:48].strip('-')}-{digest(proposal.target)[:6]}"


async def wrong_ways(
    site: Site, trial: Trial, expected: Mapping[str, Any], walked: SiteWalk, known: Vocabulary
) -> dict[str, Sent]:
    """Other things to do on the site, by name, each of which works and leaves another state than the one expected."""
    found: dict[str, Sent] = {}
    states: list[Mapping[str, Any]] = [expected]
    for name, sent in _candidate_forms(trial, walked, known):
        if len(found) == _WRONG:
            break
        state = await state_after(site, sent) if name not in found else None
        if state is not None and state not in states:
            states.append(state)
            found[name] = sent
    return found


async def least_of(site: Site, sent: Sent, expected: Mapping[str, Any]) -> Sent:
    """The sent values that make a difference."""
    for at, (path, values) in enumerate(sent):
        for name in values:
            less = {key: value for key, value in sent[at][1].items() if key != name}
            shorter = (*sent[:at], (path, less), *sent[at + 1 :])
            if await state_after(site, shorter) == expected:
                sent = shorter
    return sent


def _candidate_forms(trial: Trial, walked: SiteWalk, known: Vocabulary) -> Iterator[tuple[str, Sent]]:
    chance = Random(trial.proposal.target)  # noqa: S311 - a draw, not a secret
    fill, (path, values), before = trial.proposal.fills[-1], trial.sent[-1], trial.sent[:-1]
    for number in range(2):
        other = form_values(fill.form, chance, number, known)
        yield f"other-values-{number + 1}", (*before, (path, values | {k: v for k, v in other.items() if k in values}))
    for field in fill.form.fields:
        if field.type != "hidden" and values.get(field.name) != field.value:
            yield "one-field-as-it-was", (*before, (path, values | {field.name: field.value}))
    yield "sent-twice", (*trial.sent, trial.sent[-1])
    forms = [
        (form, place.path) for place in walked.places.values() for form in place.page.forms if form.method == "post"
    ]
    elsewhere = [
        form for form, at in forms if form_shape(form) == form_shape(fill.form) and path_of(form.action) != path
    ]
    for number, form in enumerate(chance.sample(elsewhere, min(2, len(elsewhere))), 1):
        own = {field.name: field.value for field in form.fields}
        yield (
            f"another-page-{number}",
            (
                *before,
                (path_of(form.action), own | {k: v for k, v in values.items() if k in own and not _hidden(fill, k)}),
            ),
        )
    others = [form for form, _ in forms if form_shape(form) != form_shape(fill.form) and is_fillable(form)]
    for number, form in enumerate(chance.sample(others, min(12, len(others))), 1):
        yield f"and-more-{number}", (*trial.sent, (path_of(form.action), form_values(form, chance, 0, known)))


def _hidden(fill: Fill, name: str) -> bool:
    return any(field.name == name and field.type == "hidden" for field in fill.form.fields)


def state_changes(
    before: object, after: object, place: tuple[str | int, ...] = ()
) -> list[tuple[tuple[str | int, ...], Any]]:
    """The places at which two states differ, as deep as they can be told, and what stands there in the second."""
    if before == after:
        return []
    pairs: list[tuple[str | int, object, object]] = []
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        pairs = [(key, before[key], after[key]) for key in before]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = [(at, *both) for at, both in enumerate(zip(before, after, strict=True))]
    if not pairs:
        return [(place, after)]
    return [each for key, old, new in pairs for each in state_changes(old, new, (*place, key))]


def page_instruction(site: Site, proposal: Proposal) -> str:
    """The agent's instruction."""
    where = "{site}" if site.is_reset else site.name
    lines = [f"There is a web site at {where}."]
    if site.account:
        lines[0] += (
            f" Where it asks for a login, you are `{site.account.user}` with the password `{site.account.password}`."
        )
    forms = [_fill_text(fill) for fill in proposal.fills]
    if proposal.kind == "form":
        many = len(forms) > 1
        lines += ["", "Do this there, and change nothing else on it:", ""]
        lines += [f"{number}. {words}" if many else words for number, words in enumerate(forms, 1)]
    else:
        lines += ["", *(f"{words}" for words in forms), proposal.words, ""]
        lines += [
            f'Write the answer to `{ANSWER}`, as `{{"answer": "..."}}`: a text, word for word as the page shows it.'
        ]
        lines += ["Change nothing on the site."] * site.is_reset
    return "\n".join(lines) + "\n"


def _fill_text(fill: Fill) -> str:
    told = "; ".join(
        f"“{label}” is “{value}”" if value else f"“{label}” is empty" for label, value in fill.labelled_fills()
    )
    how = f"filled in so: {told}. Leave all other fields as they are." if told else "as it stands."
    return f"On the page {fill.title}, send the form with the button “{fill.form.button}”, {how}"


def write_page_task(
    into: Path, site: Site, trial: Trial, made: PageMade, checked: str, solutions: Mapping[str, Mapping[str, str]]
) -> str:
    """Write a task into a folder of its own; its id. The folder is there whole, or not at all.

    Raises:
        TaskError: It cannot be written.
    """
    proposal = trial.proposal
    name = task_name(site, proposal)
    hard = {"cell": "easy", "count": "easy", "most": "easy"}.get(proposal.kind, "medium")
    own = f'visible = ["{_SEEN}"]'
    if site.is_reset:
        own = f"site = {json.dumps(site.name.partition(':')[2])}\nsite_seed = {made.seed}"
    files = {
        "task.toml": _written_text("task.toml").format(
            name=json.dumps(f"from-pages/{name}"), cluster=json.dumps(proposal.path or "/", ensure_ascii=False),
            difficulty="hard" if len(proposal.fills) > 1 else hard, honestly=own,
        ),
        "instruction.md": page_instruction(site, proposal),
        "environment/workspace/README.md": "What the work needs lies on the web site.\n",
        f"tests/check_{re.sub(r'[^a-z0-9]+', '_', name)}.py": checked,
        MADE: msgspec.json.format(msgspec.json.encode(made), indent=2).decode() + "\n",
    }  # fmt: skip
    if not site.is_reset:
        files[f"environment/workspace/{_SEEN}"] = _written_text("test_answer.py")
    files |= {f"solution/{where}/{path}": text for where, each in solutions.items() for path, text in each.items()}
    part = into / f".{name}"
    try:
        shutil.rmtree(part, ignore_errors=True)
        for path, text in files.items():
            (part / path).parent.mkdir(parents=True, exist_ok=True)
            (part / path).write_text(text, "utf-8")
        if (into / name).exists():
            shutil.rmtree(into / name)
        part.rename(into / name)
    except OSError as error:
        raise TaskError(f"cannot write {into / name}: {error.strerror or error}") from error
    return name


def answer_check(site: Site, answer: str) -> str:
    """The hidden checks of an answer."""
    told = ", and the site is as it was" if site.is_reset else ""
    return _written_text("check_answer.py").format(answer=repr(answer), unchanged=told) + _UNCHANGED * site.is_reset


def state_check(found: list[tuple[tuple[str | int, ...], Any]]) -> str:
    """The hidden checks of a state."""
    return _written_text("check_state.py").format(changes=repr(json.dumps(found)))


def answer_file(answer: str) -> dict[str, str]:
    """The files of somebody who answers."""
    return {ANSWER: json.dumps({"answer": answer}, ensure_ascii=False) + "\n"}


def play_file(sent: Sent) -> dict[str, str]:
    """The files of somebody who does these things on the site."""
    lines = [f"send({path!r}, **{values!r})" if values else f"send({path!r})" for path, values in sent]
    return {"play.py": "from site_calls import send\n\n" + "\n".join(lines) + "\n"}


def _written_text(name: str) -> str:
    """A file as it lies in `projects/pages`, with places for what differs from task to task."""
    return package_files("honestly.taskgen").joinpath("projects", "pages", name).read_text("utf-8")
