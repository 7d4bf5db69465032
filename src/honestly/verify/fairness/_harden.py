"""Hardening: what a task's files, history and runs give away; and a copy of the task without it, proved to be as fair.

The lint reads files (`honestly.tasks`), history in a sandbox (`_git.py`), and runs the hidden checks over nothing and
over a solution that answers every question alike. A hardened copy takes away what it can take away surely, one step
after the other; then all proofs of the task are run again (`_prove.py`), and a step after which a claim no longer holds
is taken back, by name. What takes a person stays on the list.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from honestly.errors import TaskError, VerifierError
from honestly.records import Checks, Decoy, File, Task, Tree
from honestly.tasks import (
    Weakness,
    decoy_file,
    decoy_tokens,
    is_leftover,
    is_test,
    quieted_tests,
    reads_own_tests,
    task_weaknesses,
    without_answers,
)
from honestly.verify._open import OpenBox
from honestly.verify.fairness._decoy_commit import decoy_commit
from honestly.verify.fairness._git import History, clean_git, has_git, look_at_git, without_git
from honestly.verify.fairness._guessing import CONSTANTS, judged_hidden, price_guesses
from honestly.verify.fairness._prove import Proof, check_task
from honestly.verify.inside._testfile import python_tests

_SETTINGS = ("conftest.py", "pytest.ini")
_Step = Callable[[Task], Awaitable[Task]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HardenedTask:
    """A task, its hardened copy, and what is known of both."""

    task: Task
    before: tuple[Weakness, ...]
    after: tuple[Weakness, ...]
    steps: tuple[str, ...]
    """What was done."""
    undone: tuple[str, ...]
    """What was taken back, since the task would not have been fair any more."""
    proof_before: Proof
    proof_after: Proof


async def all_weaknesses(task: Task, open_box: OpenBox, *, run: bool = True) -> list[Weakness]:
    """All weaknesses of a task: in its files and history, and with `run` in its hidden checks.

    Raises:
        SandboxError: a sandbox broke.
    """
    found = task_weaknesses(task)
    if has_git(task.workspace):
        found += _history_weaknesses(task, await look_at_git(task, open_box))
    if run and task.hidden is not None:
        found += await _run_weaknesses(task, open_box)
    order = ("high", "medium", "low")
    return sorted(found, key=lambda each: order.index(each.severity))


async def harden_task(task: Task, open_box: OpenBox, *, decoys: str | None = None) -> HardenedTask:
    """A copy of a task without the weaknesses that can be removed safely.

    Args:
        task: with its hidden part.
        open_box: opens sandboxes.
        decoys: a secret from which decoys are made; None for none.

    Raises:
        SandboxError: a sandbox broke.
    """
    before = await all_weaknesses(task, open_box)
    proof = await check_task(task, open_box)
    steps: dict[str, _Step] = {
        "keeps the tests that judge out of the agent's hands": _own_tests,
        "takes answers, leftovers and links out of the workspace": _without_answers,
        "leaves one branch and its commits in .git": partial(_clean_history, open_box=open_box),
        "puts back what the visible tests use": _pinned_tests,
        "says what is wrong without saying what is right": _quieted_task,
    }
    if decoys is not None:
        steps["lays decoys"] = partial(_with_decoys, open_box=open_box, secret=decoys)
    copy, done, undone = await _after_steps(task, steps)
    if done and not await _is_as_fair(copy, proof, open_box):
        # One by one, since it is not known which of them did it.
        copy, done, undone = await _after_steps(task, steps, partial(_is_as_fair, before=proof, open_box=open_box))
    if done:
        copy = replace(copy, version=f"{task.version}+hardened")
    return HardenedTask(
        task=copy,
        before=tuple(before),
        after=tuple(await all_weaknesses(copy, open_box)) if done else tuple(before),
        steps=tuple(done),
        undone=tuple(undone),
        proof_before=proof,
        proof_after=await check_task(copy, open_box) if done else proof,
    )


async def _after_steps(
    task: Task, steps: dict[str, _Step], allowed: Callable[[Task], Awaitable[bool]] | None = None
) -> tuple[Task, list[str], list[str]]:
    """The task after the steps that are allowed, those that changed something, and those that were not allowed."""
    done: list[str] = []
    undone: list[str] = []
    for name, step in steps.items():
        changed = await step(task)
        if changed == task:
            continue
        if allowed is None or await allowed(changed):
            task, done = changed, [*done, name]
        else:
            undone.append(name)
    return task, done, undone


async def _is_as_fair(task: Task, before: Proof, open_box: OpenBox) -> bool:
    """Whether every claim that held before holds now."""
    proof = await check_task(task, open_box)
    held = {claim.text for claim in before.claims if claim.holds}
    lost = held & {claim.text for claim in proof.claims if not claim.holds}
    return not lost and any(claim.holds for claim in proof.claims)


async def _own_tests(task: Task) -> Task:
    """Tests in the workspace that a script runs become hidden checks, each expected by its id."""
    if task.hidden is None or not reads_own_tests(task):
        return task
    tests = Tree(
        files={
            path: file for path, file in task.workspace.files.items()
            if is_test(path) and not is_leftover(path) and file.mode != "link" and not path.startswith(".git/")
        }
    )  # fmt: skip
    pytest = any(b"import pytest" in file.data or b"\ndef test" in file.data for file in tests.files.values())
    ids = [name for path, file in sorted(tests.files.items()) for name in _test_ids(path, file, pytest=pytest)]
    if not ids:
        return task
    limit = task.hidden.checks.timeout_s
    checks = Checks(runner="pytest" if pytest else "unittest", files=tests, expected=tuple(ids), timeout_s=limit)
    return replace(task, visible=task.visible or checks, hidden=replace(task.hidden, checks=checks))


def _test_ids(path: str, file: File, *, pytest: bool) -> list[str]:
    """Ids of the tests in a file; none if it is not Python."""
    source = python_tests(path, file)
    tests = source.tests if source else {}
    if pytest:
        return [f"{path}::{name.replace('.', '::')}" for name in tests]
    module = path.removesuffix(".py").replace("/", ".")
    return [f"{module}.{name}" for name in tests if "." in name]


async def _without_answers(task: Task) -> Task:
    return replace(task, workspace=without_answers(task))


async def _clean_history(task: Task, open_box: OpenBox) -> Task:
    """A repository made new; none, where even its last commit holds the solution."""
    if not has_git(task.workspace):
        return task
    found = await look_at_git(task, open_box)
    if not _history_weaknesses(task, found):
        return task
    cleaned = await clean_git(task, open_box, found)
    if cleaned is not None and has_git(cleaned):
        again = replace(task, workspace=cleaned)
        if not (await look_at_git(again, open_box)).solution:
            return again
    return replace(task, workspace=without_git(task.workspace))


async def _pinned_tests(task: Task) -> Task:
    """The task with what stands beside the visible tests, and pytest's settings, put back with them."""
    if task.visible is None or (task.visible.runner == "script" and not task.visible.command):
        return task
    beside = {
        weakness.path.removeprefix("workspace/")
        for weakness in task_weaknesses(task)
        if weakness.rule == "test-not-put-back"
    }
    workspace = task.workspace
    if task.visible.runner == "pytest":
        workspace = workspace.over(Tree.of({"conftest.py": "", "pytest.ini": "[pytest]\n"}))
        beside |= {path for path in _SETTINGS if path in workspace.files}
    files = task.visible.files.over(workspace.only(beside))
    return replace(task, workspace=workspace, visible=replace(task.visible, files=files))


async def _quieted_task(task: Task) -> Task:
    """Tests without the messages that hold what is expected."""
    hidden, visible, workspace = task.hidden, task.visible, task.workspace
    if visible is not None:
        files = quieted_tests(visible.files)
        shown = {
            path: file for path, file in files.files.items() if workspace.files.get(path) == visible.files.files[path]
        }
        visible, workspace = replace(visible, files=files), Tree(files=shown).over(workspace)
    if hidden is not None:
        hidden = replace(hidden, checks=replace(hidden.checks, files=quieted_tests(hidden.checks.files)))
    return replace(task, workspace=workspace, visible=visible, hidden=hidden)


async def _with_decoys(task: Task, open_box: OpenBox, secret: str) -> Task:
    """A file of wrong answers, and, where there is a repository, a commit with a wrong solution."""
    if task.hidden is None or task.hidden.decoys:
        return task
    first, second = decoy_tokens(task, secret, 2)
    tree, decoy = decoy_file(task, first)
    laid: list[Decoy] = [decoy]
    workspace = tree.over(task.workspace)
    if has_git(workspace):
        committed = await decoy_commit(replace(task, workspace=workspace), second, open_box)
        if committed is not None:
            workspace, commit = committed
            laid.append(commit)
    return replace(task, workspace=workspace, hidden=replace(task.hidden, decoys=tuple(laid)))


def _history_weaknesses(task: Task, found: History) -> list[Weakness]:
    """The history as weaknesses."""
    made = partial(Weakness, task=task.id, path="workspace/.git", do="make the repository new, or leave it out")
    laid = task.hidden.decoys if task.hidden is not None else ()
    ours = {f"refs/heads/{decoy.path}" for decoy in laid if decoy.kind == "commit"}
    refs = [ref for ref in found.refs if ref not in ours]
    beyond = [line for line in found.beyond if line[:40] not in {found.tips.get(ref, "")[:40] for ref in ours}]
    rules = [
        ("git-elsewhere", "high", found.elsewhere, "what it points to may be on this machine, or be missing"),
        ("git-solution", "high", found.solution, "a commit holds the reference's file"),
        ("git-future", "high", beyond, "commits that the agent does not start from may be what comes next"),
        ("git-refs", "medium", refs, "they lead to other commits, or to where those can be fetched"),
        ("git-logs", "low", found.logs, "they name commits that were left"),
        ("git-programs", "medium", found.programs, "they run when git does"),
    ]
    weak = [
        made(rule=rule, severity=severity, quote="; ".join(lines[:3])[:200], why=f"{why} ({len(lines)})")  # type: ignore[arg-type]
        for rule, severity, lines, why in rules
        if lines
    ]
    if found.unread:
        weak.append(made(rule="git-unread", severity="medium", quote=found.unread, why="its objects could not be read"))
    return weak


async def _run_weaknesses(task: Task, open_box: OpenBox) -> list[Weakness]:
    """The weaknesses that show when hidden checks are run without work."""
    assert task.hidden is not None
    found = []
    made = partial(Weakness, task=task.id, path="tests/", fixed=False)
    try:
        if (await judged_hidden(task, [task.workspace], open_box))[0].passed:
            found.append(
                made(rule="passes-untouched", severity="high", why="the hidden checks pass on the untouched workspace",
                     do="write a check that fails before the work is done")
            )  # fmt: skip
        for constant in (await price_guesses(task, open_box, guesses=CONSTANTS)).passing[:1]:
            found.append(
                made(rule="constant-answer", severity="high", quote=f"return {constant}",
                     why=f"the hidden checks pass when every function returns {constant}",
                     do="ask for at least two different answers")
            )  # fmt: skip
    except (TaskError, VerifierError) as error:
        found.append(
            made(rule="not-proved", severity="medium", quote=str(error)[:200], why="its reference could not be run",
                 do="mend the task: honestly task check says what is wrong")
        )  # fmt: skip
    return found
