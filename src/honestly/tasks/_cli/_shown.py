"""The results of proving, changing and hardening suites, for people: loaded by a command that runs, not by its help."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import anyio
from rich.console import Console
from rich.markup import escape

from honestly.command import Line, line_of, one_line_name, without_controls
from honestly.errors import SandboxBusyError, TaskError, VerifierError
from honestly.records import Suite, Task
from honestly.runner import default_jobs
from honestly.sandbox import open_sandbox
from honestly.show import plural_text
from honestly.stress import MadeTask
from honestly.tasks import Weakness
from honestly.verify import Claim, GuessPrices, HardenedTask, Mutation, OpenBox, Proof, each_task, price_guesses

T = TypeVar("T")
_COLOURS = {"high": "red", "medium": "yellow", "low": "dim"}
_SHOWN = 8


def for_each(
    tasks: Sequence[Task], line: Line, work: Callable[[Task, OpenBox], Awaitable[T]], jobs: int | None, *, unsafe: bool
) -> list[T]:
    """Does one piece of work for each task, with progress shown."""
    boxes = partial(open_sandbox, unsafe=unsafe)
    return anyio.run(partial(each_task, tasks, work, boxes, jobs=jobs or default_jobs(), progress=line))


def show_proofs(suite: Suite, proofs: Sequence[Proof]) -> None:
    """Prints what held and what did not."""
    console = Console(emoji=False)
    for proof in proofs:
        mark = "[green]holds[/]" if proof.holds else "[red]FAILS[/]"
        took = f", reference judged in {proof.seconds:.2f} s" if proof.seconds else ""
        console.print(
            f"{mark}  {escape(one_line_name(proof.task))}  [dim]{plural_text(len(proof.claims), 'claim')}{took}[/]"
        )
        _show_against(console, proof.claims)
    held = sum(proof.holds for proof in proofs)
    claims = sum(len(proof.claims) for proof in proofs)
    console.print(
        f"Tasks of {escape(one_line_name(suite.name))} that hold: {held} of {len(proofs)}; {claims} claims run."
    )


async def priced_or_why(task: Task, open_box: OpenBox) -> GuessPrices:
    """The results of guesses at a task, or why they were not tried."""
    assert task.hidden is not None
    try:
        return await price_guesses(task, open_box)
    except (TaskError, VerifierError, SandboxBusyError) as error:
        return GuessPrices(task=task.id, passed={}, checks=task.hidden.checks.expected, note=str(error))


def guess_prices(priced: GuessPrices) -> dict[str, object]:
    """The results of guesses at a task, as plain data."""
    passed = {guess: len(checks) for guess, checks in priced.passed.items()}
    facts: dict[str, object] = {"task": priced.task, "checks": len(priced.checks), "passed": passed}
    return facts | {"weak": priced.weak, "passing": priced.passing, "not_priced": priced.note}


def show_priced(found: Sequence[GuessPrices]) -> None:
    """Prints the checks that a guess passes, by name, and the tasks at which none was tried."""
    console = Console(emoji=False)
    for priced in found:
        for check, guesses in priced.weak.items():
            shown = ", ".join(guesses[:3]) + (", ..." if len(guesses) > 3 else "")
            words = f"{priced.task}  {check}: passed by {shown}"
            console.print(f"[yellow]weak[/]   {escape(without_controls(words))}", soft_wrap=True)
        if priced.passing:
            words = f"{priced.task}  all hidden checks are passed by {', '.join(priced.passing)}"
            console.print(f"[red]WEAK[/]   {escape(without_controls(words))}", soft_wrap=True)
    tried = [priced for priced in found if not priced.note]
    checks, weak = sum(len(priced.checks) for priced in tried), sum(len(priced.weak) for priced in tried)
    passed = sum(bool(priced.passing) for priced in tried)
    console.print(
        f"Guesses pass {passed} of {plural_text(len(tried), 'task')}, "
        f"and {weak} of {plural_text(checks, 'hidden check')}."
    )
    if others := [priced.task for priced in found if priced.note]:
        console.print(f"[dim]Not priced: {escape(without_controls(', '.join(others)))}[/]", soft_wrap=True)


def show_mutations(mutations: Sequence[Mutation]) -> None:
    """Prints how many mutants were killed, and each survivor with the line that it changed."""
    console = Console(emoji=False)
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
            f"{mark}  {escape(one_line_name(mutation.task))}  {mutation.killed} of {counted} mutants killed"
            f"{f' [dim]({others})[/]' if others else ''}",
            soft_wrap=True,
        )
        for survivor in mutation.survivors:
            console.print(f"       [dim]{escape(one_line_name(survivor.key))}, line {survivor.line}[/]", soft_wrap=True)
            console.print(f"         - {escape(line_of(survivor.before))}", soft_wrap=True, highlight=False)
            console.print(f"         + {escape(line_of(survivor.after))}", soft_wrap=True, highlight=False)
        _show_against(console, mutation.claims)
    killed, counted = sum(m.killed for m in mutations), sum(m.killed + len(m.survivors) for m in mutations)
    console.print(f"{killed} of {counted} mutants killed, over {plural_text(len(mutations), 'task')}.")


def _show_against(console: Console, claims: Sequence[Claim]) -> None:
    for claim in claims:
        if not claim.holds:
            console.print(
                f"       not so: {escape(without_controls(claim.text))}. "
                f"[dim]{escape(without_controls(claim.detail))}[/]",
                soft_wrap=True,
            )


def show_made(rows: Sequence[MadeTask], out: Path) -> None:
    """Prints what was made, how much was discarded, and why."""
    console = Console(emoji=False)
    for kind in dict.fromkeys(row.kind for row in rows):
        own = [row for row in rows if row.kind == kind]
        made, tried = sum(row.made is not None for row in own), sum(row.tried for row in own)
        console.print(
            f"{kind}: {made} of {plural_text(len(own), 'task')} made impossible; "
            f"{plural_text(tried, 'change')} run, {tried - made} discarded"
        )
    reasons = Counter(reason for row in rows for reason in row.reasons or row.discarded)
    for reason, count in reasons.most_common(_SHOWN):
        console.print(f"  [dim]discarded {count}:[/] {escape(without_controls(reason[:160]))}", soft_wrap=True)
    console.print(
        f"[dim]{escape(one_line_name(str(out)))} is a suite: honestly run {escape(one_line_name(str(out)))} "
        "--agent ...[/]",
        soft_wrap=True,
    )


def show_weaknesses(found: Sequence[Weakness], tasks: int) -> None:
    """Prints each weakness with its place, its quote and what to do, and how many there are."""
    console = Console(emoji=False)
    for weakness in found:
        place = f"{weakness.path}:{weakness.line}" if weakness.line is not None else weakness.path
        colour = _COLOURS[weakness.severity]
        console.print(
            f"[{colour}]{weakness.severity}[/]  {weakness.rule}  {escape(one_line_name(f'{weakness.task}  {place}'))}",
            soft_wrap=True,
        )
        if weakness.quote:
            console.print(f"      | {escape(line_of(weakness.quote))}", soft_wrap=True, highlight=False)
        person = "" if weakness.fixed else " [dim](takes a person)[/]"
        console.print(
            f"      {escape(without_controls(weakness.why))}: {escape(without_controls(weakness.do))}{person}",
            soft_wrap=True,
        )
    console.print(f"{severity_counts(found)} in {plural_text(tasks, 'task')}")


def show_hardened(hardened: Sequence[HardenedTask], out: Path) -> None:
    """Prints what was done to each task, and what the copy still has."""
    console = Console(emoji=False)
    for each in hardened:
        if each.steps or each.undone:
            console.print(f"{escape(one_line_name(each.task.id))}", soft_wrap=True)
        for step in each.steps:
            console.print(f"  [green]+[/] {escape(without_controls(step))}", soft_wrap=True)
        for step in each.undone:
            console.print(
                f"  [red]-[/] not: {escape(without_controls(step))}; the task would not have been fair any more",
                soft_wrap=True,
            )
    before = [weakness for each in hardened for weakness in each.before]
    after = [weakness for each in hardened for weakness in each.after]
    held = [sum(each.proof_before.holds for each in hardened), sum(each.proof_after.holds for each in hardened)]
    show_weaknesses(after, len(hardened))
    console.print(f"before: {severity_counts(before)}; {held[0]} of {plural_text(len(hardened), 'task')} proved fair")
    console.print(f"after:  {severity_counts(after)}; {held[1]} of {plural_text(len(hardened), 'task')} proved fair")
    console.print(f"[dim]{escape(one_line_name(str(out)))} is a suite[/]", soft_wrap=True)


def severity_counts(found: Sequence[Weakness]) -> str:
    """How many weaknesses there are, by severity."""
    counts = Counter(weakness.severity for weakness in found)
    counted = plural_text(len(found), "weakness", "weaknesses")
    return f"{counted} ({counts['high']} high, {counts['medium']} medium, {counts['low']} low)"
