"""`honestly tasks`: what a suite holds, and the proof that its tasks are fair."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import anyio
import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from honestly.cli._options import jobs_option, json_option, print_json, progress_bar, unsafe_option
from honestly.errors import TaskError
from honestly.records import Suite, Task
from honestly.runner import default_jobs
from honestly.sandbox import open_sandbox
from honestly.tasks import EMBEDDED, load_suite
from honestly.verify import OpenBox, Proof, prove

__all__ = ["tasks"]


@click.group()
def tasks() -> None:
    """List the tasks of a suite, or prove that they are fair."""


@tasks.command("list")
@click.argument("suite", default=EMBEDDED)
@json_option
def list_(suite: str, as_json: bool) -> None:
    """List the tasks of SUITE."""
    loaded = load_suite(suite)
    if as_json:
        print_json(
            {
                "suite": loaded.name,
                "version": loaded.version,
                "hash": loaded.hash,
                "tasks": [_row(t) for t in loaded.tasks],
            }
        )
        return
    table = Table(title=f"{escape(loaded.name)} {escape(loaded.version)}: {len(loaded.tasks)} tasks", box=None)
    for column in ("task", "category", "difficulty", "variant"):
        table.add_column(column, no_wrap=True)
    table.add_column("vis", justify="right")
    table.add_column("hid", justify="right")
    for task in loaded.tasks:
        row = _row(task)
        table.add_row(
            *(escape(str(row[key])) for key in ("id", "category", "difficulty", "variant", "visible", "hidden"))
        )
    Console().print(table)


@tasks.command()
@click.argument("suite", default=EMBEDDED)
@click.option("--task", "only", multiple=True, help="Only this task; repeat for more.")
@jobs_option
@unsafe_option
@json_option
def check(suite: str, only: Sequence[str], jobs: int | None, unsafe: bool, as_json: bool) -> int:
    """Prove of each task of SUITE that it is fair.

    The reference passes visible and hidden checks; the untouched workspace and every listed wrong solution fail the
    hidden ones; an impossible twin cannot be passed honestly. Everything runs in sandboxes.
    """
    loaded = load_suite(suite, only=only)
    open_ended = [task.id for task in loaded.tasks if task.hidden is None]
    if open_ended:
        raise TaskError(f"these tasks have no hidden part to check: {', '.join(open_ended)}")
    with progress_bar("checking", quiet=as_json) as line:
        proofs = anyio.run(
            _prove_all,
            loaded,
            partial(open_sandbox, unsafe=unsafe),
            jobs or default_jobs(),
            lambda n, of: line(n, of, ""),
        )
    failed = [proof.task for proof in proofs if not proof.holds]
    if as_json:
        print_json({"suite": loaded.name, "hash": loaded.hash, "proofs": proofs, "failed": failed})
    else:
        _show(loaded, proofs)
    return 1 if failed else 0


async def _prove_all(suite: Suite, open_box: OpenBox, jobs: int, progress: object) -> list[Proof]:
    proofs: dict[str, Proof] = {}
    limiter = anyio.CapacityLimiter(jobs)

    async def one(task: Task) -> None:
        async with limiter:
            proofs[task.id] = await prove(task, open_box)
        progress(len(proofs), len(suite.tasks))  # type: ignore[operator]

    async with anyio.create_task_group() as group:
        for task in suite.tasks:
            group.start_soon(one, task)
    return [proofs[task.id] for task in suite.tasks]


def _show(suite: Suite, proofs: Sequence[Proof]) -> None:
    console = Console()
    for proof in proofs:
        mark = "[green]holds[/]" if proof.holds else "[red]FAILS[/]"
        console.print(
            f"{mark}  {escape(proof.task)}  [dim]{len(proof.claims)} claims, hidden checks {proof.seconds:.2f} s[/]"
        )
        for claim in proof.claims:
            if not claim.holds:
                console.print(f"       not so: {escape(claim.text)}. [dim]{escape(claim.detail)}[/]", soft_wrap=True)
    held = sum(proof.holds for proof in proofs)
    claims = sum(len(proof.claims) for proof in proofs)
    console.print(f"{held} of {len(proofs)} tasks of {escape(suite.name)} hold, {claims} claims run.")


def _row(task: Task) -> dict[str, object]:
    return {
        "id": task.id,
        "hash": task.hash,
        "category": task.tags.category,
        "language": task.tags.language,
        "difficulty": task.tags.difficulty,
        "variant": task.tags.variant,
        "visible": len(task.visible.expected) if task.visible else 0,
        "hidden": len(task.hidden.checks.expected) if task.hidden else 0,
        "wrong": [wrong.name for wrong in task.hidden.wrong] if task.hidden else [],
    }
