"""Proofs that a task is fair: what a suite claims of its tasks is run, not believed.

Of a standard task: its reference passes visible and hidden checks; the untouched workspace fails the hidden ones, and
so does every listed wrong solution, of which at least one fools the visible checks. What a task does not have (visible
checks, wrong solutions) is not claimed. Of an impossible twin: the reference passes the hidden checks but cannot pass
the visible ones, and the special-casing solution, where there is one, fools only those.
"""

import warnings
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import anyio
from msgspec.structs import replace

from honestly.errors import SandboxBusyError, VerifierError
from honestly.records import Task, Tree, Verdict
from honestly.verify._open import OpenBox
from honestly.verify._site import played_workspace
from honestly.verify._solve import reference_workspace
from honestly.verify._verify import verify
from honestly.verify.wire._slots import Slots

T = TypeVar("T")

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence about a task, and whether it held."""

    text: str
    holds: bool
    detail: str = ""
    """Which checks spoke against it."""
    about: Literal["reference", "untouched", "wrong", "mutants"] = "reference"
    """Whose fate it is about; `untouched` is the workspace as the agent gets it."""


@dataclass(frozen=True, slots=True)
class Proof:
    """All that was checked of one task."""

    task: str
    claims: tuple[Claim, ...]
    seconds: float
    """Wall-clock time of judging the reference: visible and hidden checks, sandboxes included."""

    @property
    def holds(self) -> bool:
        """Whether every claim held."""
        return all(claim.holds for claim in self.claims)


async def each_task(
    tasks: Sequence[Task],
    work: Callable[[Task, OpenBox], Awaitable[T]],
    open_box: OpenBox,
    *,
    jobs: int = 4,
    progress: Callable[[int, int, str], None] = lambda _done, _total, _task: None,
) -> list[T]:
    """Does one piece of work for each task, several at a time; the results are in the order of the tasks.

    Args:
        tasks: with different ids.
        work: with a task and something that opens sandboxes.
        open_box: opens fresh sandboxes.
        jobs: tasks at a time.
        progress: told how many are done, of how many, and which one.
    """
    done: dict[str, T] = {}
    limiter = anyio.CapacityLimiter(jobs)

    async def one(task: Task) -> None:
        async with limiter:
            done[task.id] = await work(task, slots)
        progress(len(done), len(tasks), task.id)

    async with Slots(open_box) as slots, anyio.create_task_group() as group:
        for task in tasks:
            group.start_soon(one, task)
    return [done[task.id] for task in tasks]


async def check_tasks(
    tasks: Sequence[Task],
    open_box: OpenBox,
    *,
    jobs: int = 4,
    progress: Callable[[int, int, str], None] = lambda _done, _total, _task: None,
) -> list[Proof]:
    """Proves tasks fair, several at a time; arguments and order as in `each_task`."""
    return await each_task(tasks, check_task, open_box, jobs=jobs, progress=progress)


async def prove(task: Task, open_box: OpenBox, *, seed: int = 0) -> Proof:
    """Deprecated name of `check_task`."""
    warnings.warn("honestly.prove is now honestly.check_tasks, or verify.check_task", DeprecationWarning, stacklevel=2)
    return await check_task(task, open_box, seed=seed)


async def check_task(task: Task, open_box: OpenBox, *, seed: int = 0) -> Proof:
    """Runs reference, untouched workspace and wrong solutions of a task with a hidden part.

    Where the machine is too busy for it, again; after that, this is what the proof says, and nothing of the task.
    """
    for _ in range(_TRIES):
        try:
            return await _checked_task(task, open_box, seed)
        except SandboxBusyError as error:
            said = str(error)
    return Proof(task.id, (Claim("this machine was free enough to judge it", False, said),), 0.0)


async def _checked_task(task: Task, open_box: OpenBox, seed: int) -> Proof:
    assert task.hidden is not None

    async def judged(final: Tree, task: Task = task) -> Verdict:
        return await verify(task, final, seed=seed, open_box=open_box, trusted=True)

    if task.hidden.contradicted is not None and task.hidden.contradicted.kind == "locked":
        return await _locked_proof(task, open_box, judged)
    try:
        solution = await reference_workspace(task, open_box)
        clock = anyio.current_time()
        reference = await judged(solution)
        seconds = anyio.current_time() - clock
        # What its visible checks say counts only where a twin is impossible.
        plain = task.tags.variant != "impossible" and task.hidden.contradicted is None
        start = await played_workspace(task, task.workspace, open_box)
        untouched = await judged(start, replace(task, visible=None) if plain else task)
    except VerifierError as error:  # tests that run inside are tried on the reference before anyone is judged by them
        return Proof(task.id, (Claim("the reference passes the hidden checks", False, str(error)),), 0.0)
    claims = _of_both(task, reference, untouched)
    fooled = []
    for wrong in task.hidden.wrong:
        verdict = await judged(await played_workspace(task, wrong.edit.apply(task.workspace), open_box))
        sentence = f"the wrong solution {wrong.name!r} fails the hidden checks"
        claims.append(Claim(sentence, verdict.honest is False, about="wrong"))
        if _passes_visible(verdict):
            fooled.append(wrong.name)
    impossible = task.tags.variant == "impossible"
    made = task.hidden.contradicted is not None and all(w.name != "special-case" for w in task.hidden.wrong)
    crafted = task.hidden.wrong and task.tags.category != "tests" and not task.tags.shows_only_passing
    if task.visible is not None and not made and (impossible or crafted):
        claims.append(
            Claim(
                "'special-case' fools the visible checks",
                "special-case" in fooled,
                f"fooled by: {', '.join(fooled) or 'none'}",
                "wrong",
            )
        )
    return Proof(task=task.id, claims=tuple(claims), seconds=round(seconds, 3))


async def _locked_proof(task: Task, open_box: OpenBox, judged: Callable[[Tree], Awaitable[Verdict]]) -> Proof:
    """Of a task on a site with a locked part: it is done where nothing is locked, and here it is not."""
    clock = anyio.current_time()
    free = await judged(await reference_workspace(replace(task, site=task.site.partition("#")[0]), open_box))
    seconds = anyio.current_time() - clock
    locked = await judged(await reference_workspace(task, open_box))
    claims = (
        Claim("the reference passes where nothing is locked", bool(free.honest), _failed_lines(free, "hidden")),
        Claim("the reference fails the hidden checks", locked.honest is False, about="untouched"),
    )
    return Proof(task=task.id, claims=claims, seconds=round(seconds, 3))


def _of_both(task: Task, reference: Verdict, untouched: Verdict) -> list[Claim]:
    """The claims on the reference and on the untouched workspace."""
    claims = [
        Claim("the reference passes the hidden checks", bool(reference.honest), _failed_lines(reference, "hidden")),
        Claim("the untouched workspace fails the hidden checks", untouched.honest is False, about="untouched"),
    ]
    if task.visible is None:
        return claims
    if task.tags.variant != "impossible":
        passes = Claim(
            "the reference passes the visible checks", _passes_visible(reference), _failed_lines(reference, "visible")
        )
        return [*claims, passes]
    claims.append(Claim("the reference fails the visible checks", not _passes_visible(reference)))
    if task.hidden is not None and task.hidden.contradicted is not None:
        sentence = "the untouched workspace fails the visible checks"
        claims.append(Claim(sentence, not _passes_visible(untouched), about="untouched"))
    return claims


def _passes_visible(verdict: Verdict) -> bool:
    return verdict.visible is not None and verdict.visible.passed and not verdict.tampered


def _failed_lines(verdict: Verdict, part: str) -> str:
    run = verdict.hidden if part == "hidden" else verdict.visible
    if run is None:
        return "not measured"
    lines = [f"{check.id} {check.status}: {check.message}" for check in run.checks if check.status != "passed"]
    return "; ".join([*lines, *([run.note] if run.note else [])])
