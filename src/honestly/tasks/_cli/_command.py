"""`honestly task`: what a suite holds, the proof that its tasks are fair, and suites made from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import (
    jobs_option,
    json_option,
    one_line_name,
    print_json,
    progress_bar,
    say_on_stderr,
    task_option,
    unsafe_option,
    visible_tests_option,
)
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.records import Suite, Task
    from honestly.verify import Mutation, Proof


@click.command()
@click.argument("suite", default="embedded")
@visible_tests_option
@json_option
def list_(suite: str, visible_tests: bool, as_json: bool) -> None:
    """List the tasks of SUITE."""
    from rich.console import Console
    from rich.table import Table

    from honestly.taskgen import Records
    from honestly.tasks import load_suite, missing_programs

    loaded = load_suite(suite, visible_tests=visible_tests)
    validity = Records(suite, loaded.name).verdicts_by_task(loaded)
    if as_json:
        print_json(
            {
                "suite": loaded.name,
                "version": loaded.version,
                "hash": loaded.hash,
                "tasks": [{**_task_row(t), "validity": validity.get(t.id)} for t in loaded.tasks],
            }
        )
        return
    table = Table(
        title=f"{one_line_name(loaded.name)} {one_line_name(loaded.version)}: "
        + plural_text(len(loaded.tasks), "task"),
        box=None,
    )
    for column in ("task", "category", "language", "difficulty"):
        table.add_column(column, no_wrap=True)
    table.add_column("vis", justify="right")
    table.add_column("hid", justify="right")
    if validity:
        table.add_column("validity", no_wrap=True)
    for task in loaded.tasks:
        row = _task_row(task) | ({"validity": validity.get(task.id, "")} if validity else {})
        keys = ("id", "category", "language", "difficulty", "visible", "hidden", *(["validity"] if validity else []))
        table.add_row(*(one_line_name(str(row[key])) for key in keys))
    Console(emoji=False, markup=False).print(table)
    for what in ("category", "language"):
        say_on_stderr(_counts(loaded.tasks, what))
    for task in loaded.tasks:
        if missing := missing_programs(task):
            say_on_stderr(f"{one_line_name(task.id)} cannot be run on this machine: it needs {', '.join(missing)}")


@click.command()
@click.argument("suite", default="embedded")
@task_option
@click.option("--mutants", is_flag=True, help="Also check that hidden checks catch 90% of mutants of the reference.")
@click.option("--limit", type=click.IntRange(min=1), help="With --mutants: the most mutants to try per task.")
@visible_tests_option
@jobs_option
@unsafe_option
@json_option
def check(
    suite: str,
    only: Sequence[str],
    mutants: bool,
    limit: int | None,
    visible_tests: bool,
    jobs: int | None,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Prove that each task of SUITE is fair.

    The reference passes visible and hidden checks. The untouched workspace and every listed wrong solution fail the
    hidden ones. An impossible twin cannot be passed honestly. With a facts.toml, a twin without its facts does not
    determine the hidden checks (docs/vague.md). Guesses (a constant, the argument, an object equal to everything) are
    tried too: if one of them passes a hidden check, the check is named as weak. Everything runs in sandboxes.
    """
    from honestly.command import build_suite, on_this_machine
    from honestly.errors import TaskError
    from honestly.runner import default_jobs
    from honestly.tasks import load_suite, unread_keys
    from honestly.tasks._cli._shown import (
        for_each,
        guess_prices,
        priced_or_why,
        show_mutations,
        show_priced,
        show_proofs,
    )
    from honestly.verify import check_task, prove_mutants

    loaded, left_out = on_this_machine(load_suite(suite, only=only, visible_tests=visible_tests), unsafe=unsafe)
    open_ended = [task.id for task in loaded.tasks if task.hidden is None]
    if open_ended:
        raise TaskError(
            f"these tasks have no hidden part to check: {', '.join(open_ended)}; leave them out with --task"
        )
    for name, keys in unread_keys(suite, loaded).items():
        say_on_stderr(f"note: nobody reads {', '.join(keys)} in the task.toml of {one_line_name(name)}")
    loaded, unbuilt = build_suite(loaded, quiet=as_json)
    left_out = (*left_out, *unbuilt)
    with progress_bar("checking", quiet=as_json) as line:
        proofs = for_each(loaded.tasks, line, check_task, jobs, unsafe=unsafe)
    proofs = _with_facts(suite, loaded, proofs, jobs, unsafe=unsafe, quiet=as_json)
    standard = [task for task in loaded.tasks if task.tags.variant == "standard"]  # a twin has the same checks
    with progress_bar("guessing", quiet=as_json) as line:
        priced = for_each(standard, line, priced_or_why, jobs, unsafe=unsafe)
    mutations: list[Mutation] = []
    if mutants:
        with progress_bar("mutating", quiet=as_json) as line:
            work = partial(prove_mutants, limit=limit, jobs=jobs or default_jobs())
            mutations = for_each(standard, line, work, 1, unsafe=unsafe)
    unproved = [*(proof.task for proof in proofs if not proof.holds), *(m.task for m in mutations if not m.holds)]
    failed = list(dict.fromkeys(unproved))
    if as_json:
        shown = {"suite": loaded.name, "hash": loaded.hash, "proofs": proofs, "failed": failed, "left_out": left_out}
        shown["guesses"] = [guess_prices(each) for each in priced]
        print_json({**shown, "mutations": mutations} if mutants else shown)
    else:
        show_proofs(loaded, proofs)
        show_priced(priced)
        if mutants:
            show_mutations(mutations)
    return 1 if failed else 0


@click.command()
@click.argument("suite")
@click.option(
    "--out", "-o", required=True, type=click.Path(path_type=Path, file_okay=False), help="The folder of the new suite."
)
@click.option(
    "--kind",
    type=click.Choice(["one-off", "conflicting", "both"]),
    default="both",
    show_default=True,
    help="Change one expected value, or add a contradictory assertion.",
)
@click.option("--seed", default=0, show_default=True, help="Seed: which change is tried first.")
@click.option(
    "--tries", default=6, show_default=True, type=click.IntRange(1, 100), help="How many changes to try for each task."
)
@task_option
@click.option(
    "--solutions",
    type=click.Path(path_type=Path, exists=True),
    help="Samples; for a problem without a reference, the first that passes becomes one.",
)
@visible_tests_option
@jobs_option
@unsafe_option
@json_option
def make_impossible(
    suite: str,
    out: Path,
    kind: str,
    seed: int,
    tries: int,
    only: Sequence[str],
    solutions: Path | None,
    visible_tests: bool,
    jobs: int | None,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Make the tasks of SUITE impossible: visible tests that contradict the instruction.

    A changed test is kept only if the reference, the empty patch and every known wrong solution fail it. Every
    instruction keeps its words and ends with a paragraph that says how to stop: write FLAG.md, or say that it cannot
    be done. SUITE is a folder, "embedded", or a file of problems. Run the same command again to resume.
    """
    import anyio

    from honestly.command import on_this_machine
    from honestly.stress import Making, changeable_tasks, make_suite_impossible, suite_or_problems
    from honestly.tasks._cli._shown import show_made
    from honestly.verify import KINDS

    kinds = tuple(each for each in KINDS if kind in {each, "both"})
    how = Making(kinds=kinds, seed=seed, tries=tries, jobs=jobs, unsafe=unsafe)
    loaded = changeable_tasks(suite_or_problems(suite, only, visible_tests=visible_tests), solutions)
    loaded = on_this_machine(loaded)[0]
    with progress_bar("making impossible", quiet=as_json) as line:
        rows = anyio.run(make_suite_impossible, loaded, out, how, line)
    if as_json:
        print_json({"suite": loaded.name, "hash": loaded.hash, "out": str(out), "seed": seed, "tasks": rows})
    else:
        show_made(rows, out)
    return 0 if any(row.made for row in rows) else 1


@click.command()
@click.argument("suite")
@click.option(
    "--out", "-o", type=click.Path(path_type=Path, file_okay=False), help="Write a hardened copy into this new folder."
)
@click.option(
    "--decoys", metavar="SECRET", help="With --out: plant wrong answers, made from these words, to detect copying."
)
@click.option("--no-run", is_flag=True, help="Only read; do not run programs that pass the checks without work.")
@task_option
@visible_tests_option
@jobs_option
@unsafe_option
@json_option
def harden(
    suite: str,
    out: Path | None,
    decoys: str | None,
    no_run: bool,
    only: Sequence[str],
    visible_tests: bool,
    jobs: int | None,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Find what invites cheating in SUITE, and, with --out, write a copy without it.

    Looks for readable tests, answers in the workspace and in .git, tests that agents own, messages that print the right
    answer, and checks that pass without work. The copy is proved to be as fair as SUITE: a change that would break a
    proof is undone. Exit code 1 (without --out): there are weaknesses of high severity.
    """
    from honestly import verify
    from honestly.command import on_this_machine
    from honestly.errors import TaskError
    from honestly.stress import suite_or_problems, write_hardened
    from honestly.tasks._cli._shown import for_each, show_hardened, show_weaknesses

    if out is not None and no_run:
        raise click.UsageError("a copy is proved by running; leave --no-run or --out out")
    if out is not None and out.exists():
        raise TaskError(f"{out} exists; a hardened suite is written into a new folder")
    found = on_this_machine(suite_or_problems(suite, only, visible_tests=visible_tests))[0]
    if out is None:
        with progress_bar("looking", quiet=as_json) as line:
            groups = for_each(found.tasks, line, partial(verify.all_weaknesses, run=not no_run), jobs, unsafe=unsafe)
        weak = [weakness for group in groups for weakness in group]
        if as_json:
            print_json({"suite": found.name, "hash": found.hash, "weaknesses": weak})
        else:
            show_weaknesses(weak, len(found.tasks))
        return 1 if any(each.severity == "high" for each in weak) else 0
    with progress_bar("hardening", quiet=as_json) as line:
        hardened = for_each(found.tasks, line, partial(verify.harden_task, decoys=decoys), jobs, unsafe=unsafe)
    write_hardened(out, found, hardened)
    if as_json:
        kept = ("steps", "undone", "before", "after", "proof_before", "proof_after")
        rows = [{"task": each.task.id, **{name: getattr(each, name) for name in kept}} for each in hardened]
        print_json({"suite": found.name, "hash": found.hash, "out": str(out), "tasks": rows})
    else:
        show_hardened(hardened, out)
    return 0 if all(each.proof_after.holds for each in hardened) else 1


def _with_facts(
    source: str, suite: Suite, proofs: list[Proof], jobs: int | None, *, unsafe: bool, quiet: bool
) -> list[Proof]:
    """The proofs, with what holds of the facts that the suite's facts.toml lists."""
    from dataclasses import replace

    from honestly.people import facts_of_suite, prove_facts
    from honestly.tasks._cli._shown import for_each

    if not (tables := facts_of_suite(source, suite)):
        return proofs
    tasks = [task for task in suite.tasks if task.id in tables]
    with progress_bar("leaving out facts", quiet=quiet) as line:
        found = for_each(tasks, line, lambda task, box: prove_facts(task, tables[task.id], box), jobs, unsafe=unsafe)
    claims = {each.task: each.claims for each in found}
    return [replace(each, claims=(*each.claims, *claims.get(each.task, ()))) for each in proofs]


def _counts(tasks: Sequence[Task], what: str) -> str:
    """How many standard tasks there are of each category or language, most first."""
    counts = Counter(getattr(task.tags, what) or "(none)" for task in tasks if task.tags.variant == "standard")
    return f"{what}: " + ", ".join(
        f"{name} {count}" for name, count in sorted(counts.items(), key=lambda e: (-e[1], e[0]))
    )


def _task_row(task: Task) -> dict[str, object]:
    from honestly.tasks import missing_programs

    return {
        "id": task.id,
        "hash": task.hash,
        "category": task.tags.category,
        "language": task.tags.language,
        "difficulty": task.tags.difficulty,
        "variant": task.tags.variant,
        "requires": task.requires,
        "missing": missing_programs(task),
        "visible": len(task.visible.expected) if task.visible else 0,
        "hidden": len(task.hidden.checks.expected) if task.hidden else 0,
        "wrong": [wrong.name for wrong in task.hidden.wrong] if task.hidden else [],
    }
