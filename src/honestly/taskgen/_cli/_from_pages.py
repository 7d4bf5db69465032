"""`honestly task from pages`: tasks made by walking a web site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from honestly._settings import tell_nobody
from honestly.command import (
    jobs_option,
    json_option,
    one_line_name,
    print_json,
    say_on_stderr,
    unsafe_option,
    without_controls,
)
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.taskgen.pages import ExploredSite


@click.command()
@click.argument("url")
@click.option(
    "--out",
    "-o",
    "into",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="The folder for the tasks.",
)
@click.option("--pages", type=click.IntRange(1, 5000), default=200, show_default=True, help="The most pages to read.")
@click.option("--tasks", type=click.IntRange(1), default=30, show_default=True, help="The most tasks to make.")
@click.option(
    "--seconds",
    type=click.FloatRange(1),
    default=1800.0,
    show_default=True,
    help="Start nothing new after this many seconds.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the site and the draw.")
@click.option("--login", metavar="USER:PASSWORD", help="Log in with this account if the site asks.")
@click.option(
    "--allow", multiple=True, metavar="HOST", help="A host other than this machine that may be visited. Repeatable."
)
@click.option(
    "--model", "-m", metavar="MODEL", help="Also let this model propose tasks; its proposals are tested first."
)
@click.option(
    "--agent",
    "-a",
    "agents",
    multiple=True,
    help="An agent that tries each task three times; tasks that none passes are set aside. Repeatable.",
)
@jobs_option
@unsafe_option
@json_option
def from_pages(
    url: str, into: Path, seed: int, login: str | None, allow: tuple[str, ...], model: str | None, as_json: bool,
    agents: tuple[str, ...], jobs: int | None, unsafe: bool, **bounds: Any,  # noqa: ANN401 - see PageTerms
) -> int:  # fmt: skip
    """Read the web site at URL, propose tasks for its pages, try each up to three times, and write those that work.

    URL is an address on this machine, of which pages are only read; or site:NAME, a built-in site (shop, forum,
    tracker, company) or your own MODULE:OBJECT. Such a site starts anew for each try, so that forms are sent, too. Run
    the same command again to resume. Exit code 1: no task was made.
    """
    from functools import partial

    import anyio

    from honestly.models import RetryModel, make_model
    from honestly.studies import RunSettings, actors_of
    from honestly.taskgen._cli._grow import carry_out
    from honestly.taskgen.pages import PageTerms, from_pages, model_proposer, site_of, tried_by_agents

    if agents and not url.startswith("site:"):
        raise click.UsageError(
            "agents try tasks on a site that is opened for each trial; give site:NAME, or leave --agent"
        )
    proposer = model_proposer(RetryModel(make_model(model)), bounds["tasks"]) if model else None
    terms = PageTerms(**bounds, seed=seed, proposer=proposer, tell=tell_nobody if as_json else _tell_words)
    if login is None:
        account = None
    else:
        user, colon, password = login.partition(":")
        if not colon:
            raise click.BadParameter(f"{login!r} is not USER:PASSWORD", param_hint="--login")
        account = user, password
    found = anyio.run(from_pages, site_of(url, seed, account, allow), into, terms)
    if not as_json:
        _show_found(found, into)
    solved: dict[str, dict[str, tuple[int, int]]] = {}
    if agents and found.tasks:
        tried = RunSettings("", agents, samples=3, seed=seed, jobs=jobs, unsafe=unsafe)
        run = partial(carry_out, tried, quiet=as_json)
        solved = anyio.run(tried_by_agents, found.tasks, into, seed, partial(actors_of, tried), run)
    if as_json:
        print_json({"site": found.site, "into": str(into), "tasks": found.tasks, "coverage": found.coverage,
                    "tried": found.rows, "agents": solved})  # fmt: skip
    else:
        _show_agents(solved, into)
    return 0 if found.tasks else 1


def _show_found(found: ExploredSite, into: Path) -> None:
    seen = found.coverage
    say_on_stderr(f"pages: {seen.pages_read} read of {seen.pages_known} known, of {seen.page_shapes} shapes")
    say_on_stderr(
        f"  {seen.page_shapes_with_task} shapes have a task; {seen.beyond} more pages are only there after a form"
    )
    say_on_stderr(f"forms: {seen.forms_known} shapes known, {seen.forms_tried} tried, {seen.forms_work} work")
    say_on_stderr(f"  {seen.forms_with_task} shapes have a task")
    for shape in seen.untried:
        say_on_stderr(f"  not tried: {one_line_name(shape)}")
    for reason, count in seen.left.items():
        say_on_stderr(f"  left {count:5}: {without_controls(reason)}")
    say_on_stderr(
        f"wrote {plural_text(len(found.tasks), 'task')} to {into}, from {plural_text(len(found.rows), 'proposal')}"
    )


def _show_agents(solved: dict[str, dict[str, tuple[int, int]]], into: Path) -> None:
    lost = [task for task, counts in solved.items() if counts and not any(passed for passed, _ in counts.values())]
    if solved:
        from honestly.taskgen.pages import impossible_folder

        say_on_stderr(
            f"agents solved {len(solved) - len(lost)} of {len(solved)}; {len(lost)} are in {impossible_folder(into)}"
        )


def _tell_words(words: str) -> None:
    say_on_stderr(f"  {without_controls(words)}")
