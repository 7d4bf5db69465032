"""The gates between a success and a library: the gates that everything passes, whoever made it.

Two workflows whose steps are alike become one, which every task that taught either supports. Where there are too many,
or their text is too long, the one with the least support goes first, of equal ones the oldest.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from msgspec.structs import replace

from honestly.errors import TaskError
from honestly.memory._abstract import workflow_lines
from honestly.memory._answers import Answers, turned_texts
from honestly.memory._library import Event, LearntWorkflow, MemoryLibrary, Skill
from honestly.memory._skill import readable_skill
from honestly.memory._told import text_objection
from honestly.records import Step, Task

_MOST, _SIZE, _ALIKE = 8, 4000, 0.8
_PLACE = re.compile(r"\{(?:text|file\.\w+)\}")
_LEAST_STEPS, _SHOWN, _LEAST_ELSEWHERE, _LEAST_TURNED = 2, 300, 12, 5


def by_rules(task: Task, steps: Sequence[Step]) -> LearntWorkflow | None:
    """The workflow of a success as rules make it; None where it has too few steps to be one."""
    lines = workflow_lines(steps, task.public())
    if len(lines) < _LEAST_STEPS:
        return None
    words = list(dict.fromkeys(step.partition(": ")[2].split(" ")[0] for step in lines if ": " in step))
    plain = [word for word in words if word.isalpha()][:3]
    # No model has named it: what kind of task it is of, and with which tools.
    title = " ".join(filter(None, (task.tags.category or "work", f"with {', '.join(plain)}" if plain else "")))
    return LearntWorkflow(title=title, steps=lines, tasks=(task.id,))


def take_workflow(
    library: MemoryLibrary, new: LearntWorkflow, answers: Sequence[Answers], most: int = _MOST, size: int = _SIZE
) -> tuple[MemoryLibrary, list[Event]]:
    """The library with one more workflow, if it is accepted; and what happened.

    Args:
        library: what is known.
        new: the workflow.
        answers: of the tasks of its suite.
        most: workflows that are kept.
        size: characters that they may have together.
    """
    if why := text_objection(new.text) or _held_answer(new, answers):
        return library, [Event(what="refused", key=new.key, why=why, text=new.text[:_SHOWN])]
    return _with_workflow(library, new, most, size)


def _with_workflow(
    library: MemoryLibrary, new: LearntWorkflow, most: int, size: int
) -> tuple[MemoryLibrary, list[Event]]:
    """The library with one workflow more, merged with what is like it, within bounds; and what happened."""
    if new.key in library.revoked:
        return library, [Event(what="refused", key=new.key, why="it was revoked", text=new.title)]
    kept = list(library.workflows)
    for at, old in enumerate(kept):
        if SequenceMatcher(None, old.steps, new.steps, autojunk=False).ratio() >= _ALIKE:
            tasks = tuple(dict.fromkeys((*old.tasks, *new.tasks)))
            kept[at] = replace(min(old, new, key=lambda each: len(each.steps)), tasks=tasks)
            if kept[at].key in library.revoked:
                kept[at] = replace(old, tasks=tasks)
            events = [Event(what="merged", key=kept[at].key, why=f"{len(tasks)} tasks taught it")]
            break
    else:
        kept.append(new)
        events = [Event(what="added", key=new.key)]
    while len(kept) > most or sum(len(each.text) + 2 for each in kept) > size:
        least = min(kept, key=lambda each: len(each.tasks))
        kept.remove(least)
        events.append(Event(what="dropped", key=least.key, why=f"bounds: {most} workflows, {size} characters"))
    return library.next_version(workflows=tuple(kept)), events


def checked_skill(skill: Skill, answers: Sequence[Answers]) -> Skill:
    """The skill as it would be stored, before any of it runs.

    Raises:
        TaskError: something speaks against it; the message says what.
    """
    code, test = readable_skill(skill.name, skill.code), skill.test
    if why := text_objection(f"{skill.name}: {skill.doc}"):
        raise TaskError(why)
    if "\n" in skill.doc.strip() or not skill.doc.strip():
        raise TaskError("its description is not one line")
    if f"import {skill.name}" not in test and f"from {skill.name} " not in test:
        raise TaskError(f"its test does not import it; expected `import {skill.name}`")
    for each in answers:
        prose = f"{skill.name} {skill.doc} {skill.code}"  # with the comments, which are not kept
        held = (*each.in_program(code), *each.in_program(test), *each.in_text(prose))
        if own := _own_answers(held, other=each.task.id not in skill.tasks):
            raise TaskError(f"it contains an answer of {each.task.id}: {own[0]!r}")
    return Skill(name=skill.name, doc=skill.doc.strip(), code=code, test=test, tasks=skill.tasks, by=skill.by)


def answer_in(library: MemoryLibrary, answers: Sequence[Answers]) -> str:
    """Which answer of these tasks a library holds that was learnt elsewhere; empty where it holds none."""
    for workflow in library.workflows:
        if why := _held_answer(workflow, answers):
            return f"workflow {workflow.key}: {why}"
    for skill in library.skills:
        try:
            checked_skill(skill, answers)
        except TaskError as error:
            return f"skill {skill.name}: {error}"
    return ""


def _held_answer(new: LearntWorkflow, answers: Sequence[Answers]) -> str:
    text = _PLACE.sub(" ", new.text)
    hidden = turned_texts(text)
    for each in answers:
        said = (*each.in_text(text), *(found for found in each.in_text(hidden) if len(found) >= _LEAST_TURNED))
        if found := _own_answers(said, other=each.task.id not in new.tasks):
            return f"it contains an answer of {each.task.id}: {found[0]!r}"
    return ""


def _own_answers(found: Sequence[str], *, other: bool) -> list[str]:
    """The answers of a task that count: of another one than taught it, only what nobody says by chance."""
    return [each for each in found if not other or len(each) >= _LEAST_ELSEWHERE]
