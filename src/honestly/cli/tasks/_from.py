"""`honestly tasks from-commit`: tasks made from people's repositories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._options import json_option, named, plain, print_json, say, unsafe_option

if TYPE_CHECKING:
    from honestly.making import Made

_MOST_ISSUE = 1 << 20
_into = click.option(
    *("--into", "-o"),
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("tasks-made"),
    show_default=True,
    help="Folder of tasks; each gets a folder in it.",
)
_runs = click.option(
    "--runs", type=click.IntRange(2, 50), default=5, show_default=True, help="Runs before and after the commit."
)


@click.command("from-commit")
@click.argument("repo", type=click.Path(path_type=Path, exists=True))
@click.argument("rev")
@_into
@_runs
@click.option("--issue", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Text of the issue.")
@unsafe_option
@json_option
def from_commit(repo: Path, rev: str, into: Path, runs: int, issue: Path | None, unsafe: bool, as_json: bool) -> int:
    """Make a task of the commit REV of REPO: a checkout, a bare repository, or a bundle.

    Its tests are run before and after it, several times, in sandboxes without network. Tests that fail before and pass
    after become hidden checks, the rest of the commit the reference; flaky tests are left out. The task is proved
    before it is written, and made.json beside it says how it was made. Exit code 1 says that the commit was refused.
    """
    from functools import partial

    import anyio

    from honestly.making import Making, from_commit, open_repository
    from honestly.sandbox import open_sandbox

    with open_repository(repo) as repository:
        commit = repository.commits(rev, 1)[0]
        words = issue.read_bytes()[:_MOST_ISSUE].decode("utf-8", "replace") if issue else ""
        how = Making(runs=runs, issue=words, unsafe=unsafe, tell=_quiet if as_json else _tell)
        made = anyio.run(partial(from_commit, repository, commit, into, partial(open_sandbox, unsafe=unsafe), how))
    if as_json:
        print_json(made.shown)
    else:
        show(made, into)
    return 1 if made.refused else 0


def show(made: Made, into: Path) -> None:
    """Prints what became of a commit."""
    if made.refused:
        say(f"refused {made.revision[:10]}: {plain(made.refused)}")
    else:
        say(
            f"wrote {into / str(made.task)}: {len(made.fail_to_pass)} tests fail before and pass after, "
            f"{len(made.pass_to_pass)} pass in both"
        )
    for name in made.flaky[:5]:
        say(f"  flaky, left out: {named(name)}")


def _tell(words: str) -> None:
    say(f"  {words} ...")


def _quiet(_words: str) -> None:
    pass
