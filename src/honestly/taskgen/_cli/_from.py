"""`honestly task from commit`: tasks made from people's repositories."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from honestly._settings import tell_nobody
from honestly.command import (
    Decorator,
    json_option,
    one_line_name,
    print_json,
    say_on_stderr,
    unsafe_option,
    without_controls,
)
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.taskgen._from_commit import TaskMade
    from honestly.taskgen._journal import MinedTask

_MOST_ISSUE = 1 << 20
_MOST_COMMITS = 100_000


def _day(_ctx: click.Context, _param: click.Parameter, text: str) -> str:
    """The day that was given, which must be one."""
    try:
        if text and date.fromisoformat(text).isoformat() != text:
            raise ValueError(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is not a day (YYYY-MM-DD); expected one such as 2026-01-31") from error
    return text


def _with_options(options: Sequence[Decorator]) -> Decorator:
    return lambda command: reduce(lambda done, option: option(done), reversed(options), command)


_into = click.option(
    *("--out", "-o", "into"),
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("tasks-made"),
    show_default=True,
    help="The folder for the tasks; each gets its own folder.",
)
_root = click.option("--root", default="", metavar="FOLDER", help="The project's folder in REPO, if not the top.")
_runs = click.option(
    "--runs",
    type=click.IntRange(2, 50),
    default=5,
    show_default=True,
    help="How often to run the tests before and after the commit.",
)
_seconds = click.option(
    "--seconds",
    type=click.FloatRange(1),
    default=90.0,
    show_default=True,
    help="CPU seconds per commit, not counting installation.",
)


@click.command()
@click.argument("repo", type=click.Path(path_type=Path, exists=True))
@click.argument("rev")
@_into
@_root
@_runs
@_seconds
@click.option(
    "--issue", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="A file with the issue's text."
)
@unsafe_option
@json_option
def from_commit(
    repo: Path,
    rev: str,
    into: Path,
    root: str,
    runs: int,
    seconds: float,
    issue: Path | None,
    unsafe: bool,
    as_json: bool,
) -> int:
    """Make a task from the commit REV of REPO: a checkout, a bare repository, or a bundle of git.

    The tests run before and after the commit, several times, in sandboxes without network. Tests that fail before and
    pass after become hidden checks. The rest of the commit becomes the reference. Flaky tests are left out. The task
    is proved before it is written, and made.json says how it was made. Tests can be in Python (pytest), JavaScript
    and TypeScript (jest, vitest, mocha, jasmine, node --test), Go or C (ctest, make). Exit code 1: the commit was
    refused.
    """
    from functools import partial

    import anyio

    from honestly.sandbox import open_sandbox
    from honestly.taskgen import MakingTerms, from_commit, open_repository

    with open_repository(repo, root) as repository:
        commit = repository.commits_from(rev, 1)[0]
        words = issue.read_bytes()[:_MOST_ISSUE].decode("utf-8", "replace") if issue else ""
        how = MakingTerms(
            runs=runs, seconds=seconds, issue=words, unsafe=unsafe, tell=tell_nobody if as_json else _say_stage
        )
        made = anyio.run(partial(from_commit, repository, commit, into, partial(open_sandbox, unsafe=unsafe), how))
    if as_json:
        print_json(made.plain_fields)
    else:
        show(made, into)
    return 1 if made.refused else 0


@click.command()
@click.argument("repo", type=click.Path(path_type=Path, exists=True))
@click.option("--rev", default="HEAD", show_default=True, help="Try this revision and its ancestors.")
@_into
@_root
@_runs
@_seconds
@click.option(
    "--since", default="", metavar="DAY", callback=_day, help="Only commits of this day and later: 2026-01-31."
)
@click.option("--grep", default="", metavar="REGEX", help="Only commits whose message matches.")
@click.option("--sample", type=click.IntRange(1), help="Draw this many commits from those that pass the static filter.")
@click.option("--seed", default=0, show_default=True, help="Seed of the draw.")
@click.option("--limit", type=click.IntRange(1), help="The most commits to try, newest first.")
@click.option("--estimate", is_flag=True, help="Say what would run and how long it would take, and exit.")
@click.option(
    "--jobs", "-j", type=click.IntRange(1), help="How many commits are tested at once.  [default: by cores and memory]"
)
@unsafe_option
@json_option
def from_repo(
    repo: Path, rev: str, into: Path, root: str, runs: int, seconds: float, estimate: bool, jobs: int | None,
    unsafe: bool, as_json: bool,
    **wanted: Any,  # noqa: ANN401 - what a Filter has
) -> int:  # fmt: skip
    """Make tasks from the commits of REPO: a checkout, a bare repository, or a bundle of git.

    Merges, and commits without a test or without source, are left out by their diff alone; the others are tried as in
    task from commit. Every commit that becomes no task has a reason. Run the same command again to resume. Exit code 1:
    no commit became a task.
    """
    from functools import partial

    import anyio

    from honestly.runner import trials_at_once
    from honestly.sandbox import open_sandbox
    from honestly.taskgen import MakingTerms, from_repo, open_repository
    from honestly.taskgen._from_repo import Filter, mining_plan

    jobs = jobs or trials_at_once(())
    with open_repository(repo, root) as repository:
        chosen = mining_plan(repository, repository.commits_from(rev, _MOST_COMMITS), into, Filter(**wanted))
        if not as_json:
            for reason, count in chosen.reasons.most_common():
                say_on_stderr(f"  {count:5} left out: {without_controls(reason)}")
            if chosen.done:
                say_on_stderr(f"  {len(chosen.done):5} were run before")
            say_on_stderr(
                f"  {len(chosen.todo):5} to run: about {plural_text(math.ceil(chosen.seconds(jobs) / 60), 'minute')}"
            )
        rows = list(chosen.done.values())
        if not estimate:
            how = MakingTerms(runs=runs, seconds=seconds, unsafe=unsafe, at_once=jobs)
            told = tell_nobody if as_json else tell_mined
            box = partial(open_sandbox, unsafe=unsafe)
            rows = anyio.run(partial(from_repo, repository, chosen, into, box, how, told))
    made = [row for row in rows if row.task]
    if as_json:
        print_json(
            {"repository": repository.name, "into": str(into), "tasks": len(made), "run": len(rows),
             "estimated_s": round(chosen.seconds(jobs)), "commits": [*rows, *chosen.left_out]}
        )  # fmt: skip
    elif not estimate:
        say_on_stderr(f"wrote {plural_text(len(made), 'task')} to {into}, from {plural_text(len(rows), 'commit')}")
        if not made:
            say_on_stderr(
                "Newer commits fit today's tools best: `--limit 20` takes the newest, `--since DAY` no older ones."
            )
    return 0 if made or estimate else 1


_MADE_OF = (
    click.argument("repo", type=click.Path(path_type=Path, exists=True)),
    click.option("--rev", default="HEAD", show_default=True, help="The commit to start from; its tests must pass."),
    _into,
    _root,
    click.option(
        "--runs",
        type=click.IntRange(2, 50),
        default=3,
        show_default=True,
        help="How often to run the tests in each state.",
    ),
    click.option("--count", type=click.IntRange(1), default=30, show_default=True, help="How many tasks to make."),
    click.option("--seed", default=0, show_default=True, help="Seed of the order in which candidates are tested."),
    unsafe_option,
    json_option,
)


@click.command()
@_with_options(_MADE_OF)
def from_mutants(**given: Any) -> int:  # noqa: ANN401 - what _MADE_OF has
    """Plant bugs in REPO; finding and fixing each is a task. The tests must pass at --rev.

    Only bugs that some tests notice in every run become tasks; those tests are hidden and removed from the workspace.
    Each task is proved before it is written. Run the same command again to resume.
    """
    from honestly.taskgen import from_mutants

    return _made_of(from_mutants, **given)


@click.command()
@_with_options(_MADE_OF)
def from_tests(**given: Any) -> int:  # noqa: ANN401 - what _MADE_OF has
    """Take REPO apart, test by test; each step of rebuilding it is a task. The tests must pass at --rev.

    A step is the set of functions that the next tests run and earlier ones do not; the workspace lacks their bodies.
    Each task is proved before it is written. Run the same command again to resume.
    """
    from honestly.taskgen import from_tests

    return _made_of(from_tests, **given)


def _made_of(
    make: Callable[..., Awaitable[list[MinedTask]]], repo: Path, rev: str, into: Path, root: str, runs: int, count: int,
    seed: int, unsafe: bool, as_json: bool,
) -> int:  # fmt: skip
    from functools import partial

    import anyio

    from honestly.sandbox import open_sandbox
    from honestly.taskgen import MakingTerms, WantedTasks, open_repository
    from honestly.taskgen._tested import tested_commit

    box = partial(open_sandbox, unsafe=unsafe)
    how = MakingTerms(runs=runs, unsafe=unsafe, tell=tell_nobody if as_json else _say_stage)

    async def go() -> list[MinedTask]:
        found = await tested_commit(repository, repository.commits_from(rev, 1)[0], box, how)
        return await make(
            found, into, WantedTasks(count=count, seed=seed), box, how, tell_nobody if as_json else tell_mined
        )

    with open_repository(repo, root) as repository:
        rows = anyio.run(go)
    made = [row for row in rows if row.task]
    if as_json:
        print_json({"repository": repository.name, "into": str(into), "tasks": len(made), "tried": rows})
    else:
        say_on_stderr(f"{len(made)} of {len(rows)} that were tried became tasks, in {into}")
    return 0 if made else 1


def tell_mined(done: int, total: int, row: MinedTask) -> None:
    """Prints what became of something that was tried."""
    fate = f"{row.task}: {row.fail_to_pass} fail before, {row.pass_to_pass} pass in both" if row.task else row.refused
    say_on_stderr(
        f"{done} of {total}  {row.revision[:10]} {without_controls(row.subject[:50])}  "
        f"{without_controls(str(fate)[:200])}  ({row.seconds} s)"
    )


def show(made: TaskMade, into: Path) -> None:
    """Prints what became of a commit."""
    if made.refused:
        say_on_stderr(f"refused {made.revision[:10]}: {without_controls(made.refused)}")
    else:
        say_on_stderr(
            f"wrote {into / str(made.task)}: {plural_text(len(made.fail_to_pass), 'test')} failed before "
            f"and passed after, {len(made.pass_to_pass)} passed in both"
        )
    for name in made.flaky[:5]:
        say_on_stderr(f"  flaky, left out: {one_line_name(name)}")
    for note in made.notes:
        say_on_stderr(f"  {without_controls(note)}")


def _say_stage(words: str) -> None:
    say_on_stderr(f"  {words} ...")
