"""Linting and hardening a suite, and showing what came of it: kept from `_tasks.py` so that help loads none of it."""

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from rich.console import Console
from rich.markup import escape

from honestly.cli._options import Line, plain
from honestly.cli._study import on_this_machine
from honestly.cli.tasks._proofs import for_each_task
from honestly.errors import TaskError
from honestly.formats import read_problems
from honestly.records import Suite
from honestly.tasks import Weakness, load_suite, write_task
from honestly.verify import Hardened, harden, weaknesses

_COLOURS = {"high": "red", "medium": "yellow", "low": "dim"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the command line said."""

    suite: str
    out: Path | None = None
    decoys: str | None = None
    """What decoys are drawn from; None for none."""
    run: bool = True
    only: tuple[str, ...] = ()
    visible_tests: bool = False
    jobs: int | None = None
    unsafe: bool = False


def loaded(request: Request) -> Suite:
    """The suite, less what cannot be run here.

    Raises:
        HonestlyError: there is no such suite; or the folder for the copy exists.
    """
    if request.out is not None and request.out.exists():
        raise TaskError(f"{request.out} exists; a hardened suite is written into a new folder")
    path = Path(request.suite)
    if path.is_file():
        suite = read_problems(path)
        kept = tuple(suite.task(name) for name in request.only) or suite.tasks
        return replace(suite, tasks=kept)
    suite = load_suite(request.suite, only=request.only, visible_tests=request.visible_tests)
    return on_this_machine(suite)[0]


def lint_all(request: Request, suite: Suite, line: Line) -> list[Weakness]:
    """The weaknesses of all tasks, in their order."""
    work = partial(weaknesses, run=request.run)
    found = for_each_task(suite, line, work, jobs=request.jobs, unsafe=request.unsafe)
    return [weakness for each in found for weakness in each]


def harden_all(request: Request, suite: Suite, line: Line) -> list[Hardened]:
    """Hardened copies of all tasks, in their order."""
    work = partial(harden, decoys=request.decoys)
    return for_each_task(suite, line, work, jobs=request.jobs, unsafe=request.unsafe)


def write_suite(out: Path, suite: Suite, hardened: Sequence[Hardened]) -> None:
    """Writes the hardened suite, whole or not at all.

    Raises:
        TaskError: it cannot be written.
    """
    unfinished = out.with_name(f".{out.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        for each in hardened:
            write_task(unfinished / each.task.id, each.task)
        name = plain(f"{suite.name}-hardened").replace("\\", "_").replace('"', "_").replace("\n", " ")
        version = plain(suite.version).replace("\\", "_").replace('"', "_").replace("\n", " ")
        (unfinished / "suite.toml").write_text(f'name = "{name}"\nversion = "{version}"\n', "utf-8")
        unfinished.rename(out)
    except OSError as error:
        raise TaskError(f"cannot write {out}: {error}") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def show_weaknesses(found: Sequence[Weakness], tasks: int) -> None:
    """Prints each weakness with its place, its quote and what to do, and how many there are."""
    console = Console()
    for weakness in found:
        place = f"{weakness.path}:{weakness.line}" if weakness.line is not None else weakness.path
        colour = _COLOURS[weakness.severity]
        console.print(
            f"[{colour}]{weakness.severity}[/]  {weakness.rule}  {escape(plain(f'{weakness.task}  {place}'))}",
            soft_wrap=True,
        )
        if weakness.quote:
            console.print(f"      | {escape(plain(weakness.quote))}", soft_wrap=True, highlight=False)
        person = "" if weakness.fixed else " [dim](takes a person)[/]"
        console.print(f"      {escape(plain(weakness.why))}: {escape(plain(weakness.do))}{person}", soft_wrap=True)
    console.print(f"{counted(found)} in {tasks} tasks")


def show_hardened(hardened: Sequence[Hardened], out: Path) -> None:
    """Prints what was done to each task, and what the copy still has."""
    console = Console()
    for each in hardened:
        if each.steps or each.undone:
            console.print(f"{escape(plain(each.task.id))}", soft_wrap=True)
        for step in each.steps:
            console.print(f"  [green]+[/] {step}", soft_wrap=True)
        for step in each.undone:
            console.print(f"  [red]-[/] not: {step}; the task would not have been fair any more", soft_wrap=True)
    before = [weakness for each in hardened for weakness in each.before]
    after = [weakness for each in hardened for weakness in each.after]
    held = [sum(each.proof_before.holds for each in hardened), sum(each.proof_after.holds for each in hardened)]
    show_weaknesses(after, len(hardened))
    console.print(f"before: {counted(before)}; {held[0]} of {len(hardened)} tasks proved fair")
    console.print(f"after:  {counted(after)}; {held[1]} of {len(hardened)} tasks proved fair")
    console.print(f"[dim]{escape(plain(str(out)))} is a suite[/]", soft_wrap=True)


def counted(found: Sequence[Weakness]) -> str:
    """How many weaknesses there are, by severity."""
    counts = Counter(weakness.severity for weakness in found)
    return f"{len(found)} weaknesses ({counts['high']} high, {counts['medium']} medium, {counts['low']} low)"
