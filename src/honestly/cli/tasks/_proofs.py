"""What came of proving a suite's tasks, for people: kept from the command so that help loads none of it."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

import anyio
from rich.console import Console
from rich.markup import escape

from honestly.cli._options import Line, plain
from honestly.records import Suite, Task
from honestly.runner import default_jobs
from honestly.sandbox import open_sandbox
from honestly.verify import OpenBox, Proof, Slots

T = TypeVar("T")


def for_each_task(
    suite: Suite, line: Line, work: Callable[[Task, OpenBox], Awaitable[T]], *, jobs: int | None, unsafe: bool
) -> list[T]:
    """Do one piece of work for each task, several at a time; results in the tasks' order."""
    done: dict[str, T] = {}

    async def every() -> None:
        limiter = anyio.CapacityLimiter(jobs or default_jobs())

        async def one(task: Task) -> None:
            async with limiter:
                done[task.id] = await work(task, slots)
            line(len(done), len(suite.tasks), task.id)

        async with Slots(partial(open_sandbox, unsafe=unsafe)) as slots, anyio.create_task_group() as group:
            for task in suite.tasks:
                group.start_soon(one, task)

    anyio.run(every)
    return [done[task.id] for task in suite.tasks]


def show_proofs(suite: Suite, proofs: Sequence[Proof]) -> None:
    """Prints what held and what did not."""
    console = Console()
    for proof in proofs:
        mark = "[green]holds[/]" if proof.holds else "[red]FAILS[/]"
        console.print(
            f"{mark}  {escape(plain(proof.task))}  "
            f"[dim]{len(proof.claims)} claims, hidden checks {proof.seconds:.2f} s[/]"
        )
        for claim in proof.claims:
            if not claim.holds:
                console.print(
                    f"       not so: {escape(plain(claim.text))}. [dim]{escape(plain(claim.detail))}[/]", soft_wrap=True
                )
    held = sum(proof.holds for proof in proofs)
    claims = sum(len(proof.claims) for proof in proofs)
    console.print(f"{held} of {len(proofs)} tasks of {escape(plain(suite.name))} hold, {claims} claims run.")
