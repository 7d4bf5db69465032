"""Code review as a suite: changes of which it is known whether they are right, and what a reviewer says of each.

The changes are made of a suite's tasks in Python, whose hidden checks know what is right. Harmless: the reference with
the visible tests (a feature), and the reference without comments and with other names of variables (a refactoring).
With a planted defect: the suite's wrong solutions as features, and mutants of the reference as features and as
refactorings. Each is proved by the hidden checks; of the defects of a task one is hard (its visible tests pass) and one
easy, as far as there are both. Of each task there are as many harmless changes as defects, so that to say the same of
all is right in half.

A reviewer leaves `review.json`, and only that is judged. Two stand here to compare others with: the verdict of `check`,
and that of the tests alone.
"""

import ast
import json
import random
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from honestly.agents import Hands, Run
from honestly.check._change import Change
from honestly.check._check import CheckTerms, check_change
from honestly.check._kept import KeptParts
from honestly.check._mutants import mutants_of
from honestly.check._suite import ProjectSuite
from honestly.check._verdict import CheckResult
from honestly.formats import write_patch
from honestly.records import Edit, File, Preparation, Tags, Task, Tree
from honestly.sandbox import Sandbox, open_sandbox
from honestly.tasks import make_task, pythonpath_of
from honestly.verify import OpenBox, verify
from honestly.work import Journal

HARMLESS, DEFECT = "harmless change", "planted defect"
"""Categories of the tasks: a pass of the first is no false alarm, one of the second a defect found."""
_MOST_MUTANTS, _EACH = 6, 2
_ANSWER = "review.json"
_CHECK = """import json


def test_verdict(ws):
    assert json.loads(ws.read("review.json"))["verdict"] == "{right}"
"""
_TEXT = """# Review a change

`before/` and `after/` contain a project before and after a change, and `change.patch` the difference. Its author says:

> {said}

The author was asked for this:

{asked}

Is the change right? Reject it if the code does something wrong; style does not count. Write your answer into
`review.json`: `{{"verdict": "accept"}}` or `{{"verdict": "reject", "why": "..."}}`.
"""


async def review_tasks(task: Task, seed: int, open_box: OpenBox) -> list[Task]:
    """Reviews of changes that are made of one task: as many of harmless ones as of defects.

    Args:
        task: with a reference in Python, visible and hidden checks.
        seed: of the draw.
        open_box: opens sandboxes, in which the hidden checks prove each change.
    """
    harmless, noticed, hidden = list[Change](), list[Change](), list[Change]()
    for right, change in _changes(task, seed):
        if right or not (noticed and hidden):
            verdict = await verify(task, change.after, seed=1, open_box=open_box)
            seen, honest = (run is not None and run.passed for run in (verdict.visible, verdict.hidden))
            if honest == right and (seen or not right):
                (harmless if right else hidden if seen else noticed).append(change)
    defects = [*hidden[:1], *noticed[:1], *hidden[1:], *noticed[1:]]
    count = min(_EACH, len(harmless), len(defects))
    chosen = [*harmless[:count], *defects[:count]]
    order = random.Random(f"{seed} {task.id}").sample(range(len(chosen)), len(chosen))  # noqa: S311 - a draw, no secret
    return [
        _review_task(f"{task.id}-review-{number}", task, chosen[at], right=at < count, noticed=chosen[at] in noticed)
        for number, at in enumerate(order, 1)
    ]


def _changes(task: Task, seed: int) -> list[tuple[bool, Change]]:
    """Changes that should be harmless, and that should not: these in an order that is drawn."""
    if task.visible is None or task.hidden is None or task.tags.variant != "standard":
        return []
    tests, reference = task.visible.files, task.hidden.reference
    if not any(path.endswith(".py") and path not in tests.files for path in reference.write.files):
        return []
    bare = task.workspace.without(tests.files)
    said = task.instruction.partition("\n")[0].strip("# ")
    feature = Change("", "0" * 40, "", bare, tests.over(reference.apply(task.workspace)), (f"{said}, with tests",))
    clean = Change("", "0" * 40, "", feature.after, refactored(feature.after, feature.sources),
                   ("Refactor, no functional change",))  # fmt: skip
    defects = [replace(feature, after=tests.over(wrong.edit.apply(task.workspace))) for wrong in task.hidden.wrong]
    for change in (feature, clean):
        mutants = mutants_of(change)
        random.Random(f"{seed} {task.id}").shuffle(mutants)  # noqa: S311 - a draw, no secret
        defects += [replace(change, after=mutant.put_in(change.after)) for mutant in mutants[:_MOST_MUTANTS]]
    random.Random(f"{seed} {task.id}").shuffle(defects)  # noqa: S311 - a draw, no secret
    return [(True, feature), (True, clean), *((False, each) for each in defects)]


def refactored(tree: Tree, paths: Iterable[str]) -> Tree:
    """The same code without comments, its local variables named otherwise."""
    files = dict(tree.files)
    for path in paths:
        if not path.endswith(".py"):
            continue
        parsed = ast.parse(files[path].data)
        for node in ast.walk(parsed):
            inner = [each for each in ast.walk(node) if each is not node]
            if isinstance(node, ast.FunctionDef) and not any(
                isinstance(each, ast.Global | ast.Nonlocal | ast.FunctionDef | ast.Lambda | ast.ClassDef)
                for each in inner
            ):
                names = [each for each in inner if isinstance(each, ast.Name)]
                given = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
                own = {each.id for each in names if isinstance(each.ctx, ast.Store)} - given
                for each in names:
                    each.id += "_value" if each.id in own else ""
        files[path] = File(data=(ast.unparse(parsed) + "\n").encode())
    return Tree(files=files)


def _review_task(name: str, task: Task, change: Change, *, right: bool, noticed: bool) -> Task:
    """The review of one change."""
    files: dict[str, str | bytes] = {
        "change.patch": write_patch(change.before, Edit.between(change.before, change.after))
    }
    for side, tree in (("before", change.before), ("after", change.after)):
        files |= {f"{side}/{path}": file.data for path, file in tree.files.items() if file.mode != "link"}
    asked = "\n".join(f"> {line}".rstrip() for line in task.instruction.strip().splitlines())
    words = ("accept", "reject") if right else ("reject", "accept")
    answers = [{_ANSWER: json.dumps({"verdict": word})} for word in words]
    made = make_task(
        name, _TEXT.format(said=change.messages[0], asked=asked), files,
        hidden={"check_verdict.py": _CHECK.format(right=words[0])},
        reference=answers[0], wrong={"opposite": answers[1]},
    )  # fmt: skip
    tags = Tags(
        category=HARMLESS if right else DEFECT, language="python", cluster=task.id, made="review",
        difficulty="" if right else "easy" if noticed else "hard",
    )  # fmt: skip
    return msgspec.structs.replace(made, tags=tags)


async def check_reviewer(run: Run, box: Sandbox) -> None:
    """The verdict of a check as a reviewer: it rejects what something speaks against."""
    found = await _checked(run, box)
    bad = [row.text for row in found.rows if row.weight == "against"]
    await _answer(run, box, bad)


async def tests_reviewer(run: Run, box: Sandbox) -> None:
    """The project's own tests as a reviewer: it rejects what they fail on."""
    found = await _checked(run, box)
    await _answer(run, box, [*found.tests.broken, *found.tests.failing])


async def _answer(run: Run, box: Sandbox, against: list[str]) -> None:
    hands = Hands(run, box)
    said = {"verdict": "reject" if against else "accept", "why": "; ".join(against)[:2000]}
    await hands.write(_ANSWER, json.dumps(said) + "\n")
    hands.finish(said["verdict"], claimed=True)


async def _checked(run: Run, box: Sandbox) -> CheckResult:
    """A check of the change in a workspace, run outside of the reviewer's sandbox in sandboxes of its own."""
    files = (await box.snapshot()).files
    before, after = (
        Tree(files={path.removeprefix(side): file for path, file in files.items() if path.startswith(side)})
        for side in ("before/", "after/")
    )
    said = run.task.instruction.partition("\n> ")[2].partition("\n")[0]
    change = Change("", "0" * 40, "", before, after, (said,), asked=run.task.instruction)
    suite = ProjectSuite("python", partial(open_sandbox), Preparation(pythonpath=pythonpath_of(after)))
    terms = CheckTerms(mutants=8, seconds=60, jobs=1, contradictions=False)
    with TemporaryDirectory() as folder, Journal(Path(folder, "check.jsonl"), kind="check") as journal:
        return await check_change(change, suite, terms, KeptParts(journal), lambda _words: None)
