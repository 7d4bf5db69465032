"""`honestly task vague`: under-specified twins of the tasks of a suite, each proved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

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
)
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.people._facts import FactTable
    from honestly.records import Suite


@click.command()
@click.argument("suite")
@click.option(
    "--out", "-o", required=True, type=click.Path(path_type=Path, file_okay=False), help="The folder for the twins."
)
@click.option(
    "--by", type=click.Choice(["declared", "rule", "model"]), default="declared", show_default=True,
    help="What decides which fact to leave out: facts.toml, a rule, or a model.",
)  # fmt: skip
@click.option("--model", "-m", help="With --by model: the model to ask.")
@task_option
@jobs_option
@unsafe_option
@json_option
def vague(
    suite: str,
    out: Path,
    by: Literal["declared", "rule", "model"],
    model: str | None,
    only: Sequence[str],
    jobs: int | None,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Write under-specified twins of the tasks of SUITE, which no longer say what the hidden checks need.

    Each omission is proved by running: a wrong solution that does all that the twin asks for passes the visible
    checks and fails hidden ones. If an omission cannot be proved, the text stays in. The omitted facts are in
    facts.toml, for simulated users and `honestly task check`. See docs/vague.md.
    """
    from honestly.command import on_this_machine
    from honestly.errors import TaskError
    from honestly.people._facts import FACTS_FILE, facts_toml
    from honestly.people._vague import FactProof, prove_facts, vague_suite
    from honestly.tasks import load_suite, write_task
    from honestly.tasks._cli._shown import for_each
    from honestly.work import write_file

    if (by == "model") != (model is not None):
        raise click.UsageError("--by model needs --model SPEC")
    if out.exists():
        raise TaskError(f"{out} exists; twins are written into a new folder")
    loaded = on_this_machine(load_suite(suite, only=only), unsafe=unsafe)[0]
    tables = _tables(suite, loaded, model, by)
    tasks = [task for task in loaded.tasks if task.id in tables]

    async def prove_task(task: object, open_box: object) -> FactProof:
        return await prove_facts(task, tables[task.id], open_box)  # type: ignore[attr-defined, arg-type]

    with progress_bar("proving", quiet=as_json) as line:
        proofs = for_each(tasks, line, prove_task, jobs, unsafe=unsafe)
    twins = vague_suite(loaded, proofs)
    for twin in twins.tasks:
        write_task(out / twin.id, twin)
    write_file(out / "suite.toml", f'name = "{twins.name}"\nversion = "{twins.version}"\n'.encode())
    kept = [proof.table for proof in proofs if proof.table.requirements]
    write_file(out / FACTS_FILE, facts_toml(kept, twins=True).encode())
    rows = [
        {
            "task": proof.task,
            "facts": [
                {"name": each.fact.name, "says": each.fact.says, "rival": each.rival, "checks": each.checks}
                for each in proof.table.requirements
            ],
            "against": [claim.text for claim in proof.claims if not claim.holds],
        }
        for proof in proofs
    ]
    if as_json:
        print_json({"suite": loaded.name, "hash": loaded.hash, "out": str(out), "by": by, "tasks": rows})
        return 0
    for proof in proofs:
        names = ", ".join(fact.name for fact in proof.table.facts) or "nothing"
        click.echo(f"{one_line_name(proof.task)}: without {one_line_name(names)}")
        for claim in proof.claims:
            if not claim.holds:
                click.echo(f"    not so: {one_line_name(claim.text)} {one_line_name(claim.detail)}".rstrip())
    facts = sum(len(table.facts) for table in kept)
    say_on_stderr(
        f"wrote {out}, a suite of {plural_text(len(kept), 'twin')} with {plural_text(facts, 'fact')} left out"
    )
    return 0


def _tables(source: str, suite: Suite, model: str | None, by: str) -> dict[str, FactTable]:
    """The facts of each task, by whoever says them."""
    import anyio

    from honestly.errors import TaskError
    from honestly.models import RetryModel, make_model
    from honestly.people._facts import facts_of_suite
    from honestly.people._vague import facts_by_model, facts_by_rule

    if by == "declared":
        if not (found := facts_of_suite(source, suite)):
            raise TaskError(f"{suite.name} has no facts.toml; write one (docs/vague.md), or give --by rule")
        return found
    tasks = [task for task in suite.tasks if task.hidden and task.hidden.wrong and task.tags.variant == "standard"]
    if model is None:
        return {task.id: facts_by_rule(task) for task in tasks}
    asked = RetryModel(make_model(model))
    return {task.id: anyio.run(facts_by_model, task, asked) for task in tasks}
