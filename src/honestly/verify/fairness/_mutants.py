"""How much the hidden checks of a task see: the share of the reference's mutants that they kill.

Each mutant of the reference is judged by the hidden checks until the first that does not pass. A check that runs out of
time, here a multiple of what the reference takes, kills as one that fails does. Checks that have killed most go first,
which changes the cost and never the result. A task may declare mutants equivalent, with a reason; a declaration that
names no mutant, or one that is killed after all, speaks against the task.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import anyio
import msgspec

from honestly.records import CheckRun, Task, Tree
from honestly.tasks import Mutant, sampled_mutants, task_mutants
from honestly.verify._open import OpenBox
from honestly.verify._site import played_workspace
from honestly.verify._verify import verify
from honestly.verify.fairness._prove import Claim

KILLED = 0.9
"""Share of the mutants that are not equivalent which a task's hidden checks must kill."""

_SYNTAX = {
    "sh": ("sh", "-n"),
    "bash": ("bash", "-n"),
    "js": ("node", "--check"),
    "mjs": ("node", "--check"),
    "c": ("gcc", "-fsyntax-only", "-w"),
    "pl": ("perl", "-c"),
}
"""Commands that say whether a file of a language can be read at all, by its ending."""
_SYNTAX_S = 20.0
_SPARE_S, _PATIENCE = 3.0, 10.0
"""Seconds that a check may take over a mutant: some, and a multiple of what it takes over the reference."""
_CLAIM = f"at least {KILLED:.0%} of the reference's non-equivalent mutants are killed"


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that every hidden check let pass."""

    key: str
    line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Mutation:
    """The results of a task's mutants."""

    task: str
    mutants: int
    """How many mutants there are."""
    claims: tuple[Claim, ...]
    tried: int = 0
    """Mutants that were run: all, or a sample of them."""
    killed: int = 0
    timeouts: int = 0
    """Mutants that were killed because they ran out of time."""
    broken: int = 0
    """Mutants that the language refuses, which were neither run nor counted."""
    equivalent: int = 0
    """Mutants that the task declares equivalent; they were run, and survived."""
    survivors: tuple[Survivor, ...] = ()
    """Mutants that passed every check and are not declared equivalent."""

    @property
    def holds(self) -> bool:
        """Whether every claim held."""
        return all(claim.holds for claim in self.claims)


async def prove_mutants(
    task: Task,
    open_box: OpenBox,
    *,
    seed: int = 0,
    limit: int | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Mutation:
    """Runs the hidden checks over every mutant of a task's reference.

    Args:
        task: a task with a hidden part.
        open_box: opens sandboxes.
        seed: of the checks' random inputs.
        limit: how many mutants are run at most, drawn by the task's id; None for all.
        jobs: how many at a time.
        progress: told how many are done, and of how many.

    Raises:
        VerifierError: a check could not be run for a reason that is not the mutant's.
    """
    assert task.hidden is not None
    found = task_mutants(task)
    chosen = sampled_mutants(found, limit, task.id)
    trial = _Trial(task, open_box, seed)
    if chosen and not await trial.reference_stands():
        return Mutation(
            task=task.id, mutants=len(found), claims=(Claim(_CLAIM, False, "the reference fails", "mutants"),)
        )
    fates: dict[str, str] = {}
    limiter = anyio.CapacityLimiter(jobs)

    async def one(mutant: Mutant) -> None:
        async with limiter:
            fates[mutant.key] = await trial.mutant_fate(mutant)
        progress(len(fates), len(chosen))

    async with anyio.create_task_group() as group:
        for mutant in chosen:
            group.start_soon(one, mutant)
    return _mutation_result(task, found, chosen, fates)


class _Trial:
    """Judges mutants, and remembers which checks killed."""

    def __init__(self, task: Task, open_box: OpenBox, seed: int) -> None:
        assert task.hidden is not None
        final = task.hidden.reference.apply(task.workspace)
        self._final = task.visible.files.over(final) if task.visible is not None else final
        self._task, self._open_box, self._seed = task, open_box, seed
        # The task once for each hidden check that can be run alone, so that the first to fail is the last to run.
        assert task.hidden is not None
        checks = task.hidden.checks
        groups = [(name,) for name in checks.expected] if checks.runner == "grader" else [checks.expected]
        self._parts = [
            msgspec.structs.replace(
                task,
                id=" ".join(group)[:200],
                visible=None,
                hidden=msgspec.structs.replace(task.hidden, checks=msgspec.structs.replace(checks, expected=group)),
            )
            for group in groups
        ]
        self._limits: dict[str, float] = {}
        self._kills: Counter[str] = Counter()
        self._readable: dict[str, bool] = {}

    async def reference_stands(self) -> bool:
        """Whether the reference passes; notes how long each part of the checks takes it."""
        final = await played_workspace(self._task, self._final, self._open_box)
        for part in self._parts:
            started = anyio.current_time()
            if not (await self._judged_run(part, final)).passed:
                return False
            self._limits[part.id] = _SPARE_S + _PATIENCE * (anyio.current_time() - started)
        return True

    async def mutant_fate(self, mutant: Mutant) -> str:
        """`survived`, `killed`, `timeout` or `broken`."""
        final = mutant.put_in(self._final)
        if not await self._can_be_read(mutant.path, final):
            return "broken"
        final = await played_workspace(self._task, final, self._open_box)
        for part in sorted(self._parts, key=lambda part: -self._kills[part.id]):
            with anyio.move_on_after(self._limits[part.id]) as scope:
                run = await self._judged_run(part, final)
            if scope.cancelled_caught or not run.passed:
                self._kills[part.id] += 1
                late = scope.cancelled_caught or any(check.status == "timeout" for check in run.checks)
                return "timeout" if late else "killed"
        return "survived"

    async def _judged_run(self, part: Task, final: Tree) -> CheckRun:
        verdict = await verify(part, final, seed=self._seed, open_box=self._open_box, trusted=True)
        assert verdict.hidden is not None
        return verdict.hidden

    async def _can_be_read(self, path: str, final: Tree) -> bool:
        """Whether the language takes the file; True where nobody here can tell, which means where it refuses all."""
        if (command := _SYNTAX.get(path.rpartition(".")[2])) is None:
            return True
        if path not in self._readable:
            self._readable[path] = await self._accepts_syntax(command, path, self._final)
        return not self._readable[path] or await self._accepts_syntax(command, path, final)

    async def _accepts_syntax(self, command: Sequence[str], path: str, final: Tree) -> bool:
        async with self._open_box(final) as box:
            return (await box.exec([*command, path], timeout=_SYNTAX_S)).code == 0


def _mutation_result(task: Task, found: Sequence[Mutant], chosen: Sequence[Mutant], fates: dict[str, str]) -> Mutation:
    assert task.hidden is not None
    count = Counter(fates.values())
    declared = {equivalent.mutant for equivalent in task.hidden.equivalent}
    survived = [mutant for mutant in chosen if fates[mutant.key] == "survived"]
    survivors = tuple(
        Survivor(mutant.key, mutant.line, mutant.before, mutant.after)
        for mutant in survived
        if mutant.key not in declared
    )
    killed = count["killed"] + count["timeout"]
    refuted = sorted(key for key in declared & fates.keys() if fates[key] != "survived")
    unknown = sorted(declared - {mutant.key for mutant in found})
    claims = [
        Claim(
            _CLAIM,
            killed >= KILLED * (killed + len(survivors)) and (killed > 0 or not found),
            f"{killed} of {killed + len(survivors)}; of the others: {', '.join(s.key for s in survivors) or 'none'}",
            "mutants",
        )
    ]
    if declared:
        claims.append(
            Claim(
                "the mutants declared equivalent exist and survive",
                not refuted and not unknown,
                "; ".join([*(f"killed: {key}" for key in refuted), *(f"not a mutant: {key}" for key in unknown)]),
                "mutants",
            )
        )
    return Mutation(
        task=task.id,
        mutants=len(found),
        tried=len(chosen),
        killed=killed,
        timeouts=count["timeout"],
        broken=count["broken"],
        equivalent=len(survived) - len(survivors),
        survivors=survivors,
        claims=tuple(claims),
    )
