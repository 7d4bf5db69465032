"""Validating a suite's hidden checks by mutation, and showing what came of it."""

from collections.abc import Sequence
from functools import partial

import anyio
from rich.console import Console
from rich.markup import escape

from honestly.cli._options import Line, plain
from honestly.records import Suite
from honestly.runner import default_jobs
from honestly.sandbox import open_sandbox
from honestly.verify import Mutation, Slots, prove_mutants


def mutate_all(suite: Suite, line: Line, *, jobs: int | None, limit: int | None, unsafe: bool) -> list[Mutation]:
    """Runs the mutants of each standard task's reference, several at a time; an impossible twin has the same checks."""
    return anyio.run(_mutate_all, suite, line, jobs or default_jobs(), limit, unsafe)


async def _mutate_all(suite: Suite, line: Line, jobs: int, limit: int | None, unsafe: bool) -> list[Mutation]:
    tasks = [task for task in suite.tasks if task.tags.variant == "standard"]
    found = []
    async with Slots(partial(open_sandbox, unsafe=unsafe)) as slots:
        for number, task in enumerate(tasks):
            line(number, len(tasks), task.id)
            found.append(await prove_mutants(task, slots, limit=limit, jobs=jobs))
    line(len(tasks), len(tasks), "")
    return found


def show_mutations(mutations: Sequence[Mutation]) -> None:
    """Prints how many mutants were killed, and each survivor with the line that it changed."""
    console = Console()
    for mutation in mutations:
        mark = "[green]holds[/]" if mutation.holds else "[red]FAILS[/]"
        counted = mutation.killed + len(mutation.survivors)
        others = ", ".join(
            f"{count} {name}"
            for name, count in (
                ("by running out of time", mutation.timeouts),
                ("equivalent", mutation.equivalent),
                ("refused by the language", mutation.broken),
                ("not tried", mutation.mutants - mutation.tried),
            )
            if count
        )
        console.print(
            f"{mark}  {escape(plain(mutation.task))}  {mutation.killed} of {counted} mutants killed"
            f"{f' [dim]({others})[/]' if others else ''}",
            soft_wrap=True,
        )
        for survivor in mutation.survivors:
            console.print(f"       [dim]{escape(plain(survivor.key))}, line {survivor.line}[/]", soft_wrap=True)
            console.print(f"         - {escape(plain(survivor.before))}", soft_wrap=True, highlight=False)
            console.print(f"         + {escape(plain(survivor.after))}", soft_wrap=True, highlight=False)
        for claim in mutation.claims:
            if not claim.holds:
                console.print(
                    f"       not so: {escape(plain(claim.text))}. [dim]{escape(plain(claim.detail))}[/]", soft_wrap=True
                )
    killed, counted = sum(m.killed for m in mutations), sum(m.killed + len(m.survivors) for m in mutations)
    console.print(f"{killed} of {counted} mutants killed, over {len(mutations)} tasks.")
