"""`honestly agent`: an agent at work for a person, in a sandbox over a copy of their own checkout."""

from __future__ import annotations

import select
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from honestly.command import line_of, one_line_name, say_on_stderr
from honestly.show import plural_text

if TYPE_CHECKING:
    from rich.console import Console

    from honestly.agents import Copy
    from honestly.agents._autonomy import Autonomy
    from honestly.agents._honest import Honest
    from honestly.agents._run import Run
    from honestly.records import Edit
    from honestly.sandbox import Layout

_MOST_LINES = 300


@click.command()
@click.argument("task")
@click.option(
    "--in",
    "folder",
    default=".",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="The checkout to work on. The agent gets a copy without what git ignores.",
)
@click.option("--model", "-m", required=True, envvar="HONESTLY_MODEL", help="The model to ask (docs/models.md).")
@click.option("--with", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the agent. Repeatable.")
@click.option("--budget-usd", type=click.FloatRange(min=0), help="The most that the work may cost, in US dollars.")
@click.option("--budget-tokens", type=click.IntRange(min=1), help="The most tokens that the agent may read and write.")
@click.option("--package", "packages", multiple=True, help="An installed Python package to give the agent. Repeatable.")
@click.option(
    "--show",
    "shown",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="A folder to give the agent, read-only. Repeatable.",
)
@click.option(
    "--guard",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Put this policy between the agent and its tools (docs/guard.md).",
)
@click.option(
    "--autonomy",
    type=click.Choice(["plan", "ask", "edit", "full"]),
    default="full",
    show_default=True,
    help="What the agent may do without asking; /plan to /full change it while it works.",
)
@click.option("--yes", "-y", is_flag=True, help="Apply the changes without asking, if the agent says that it is done.")
@click.option(
    "--stars/--no-stars", default=True, help="Ask you for 1 to 5 stars at the end. They stay on this machine."
)
@click.option("--save", type=click.Path(path_type=Path, dir_okay=False), help="Write the trajectory to this file.")
def agent(
    task: str,
    folder: Path,
    model: str,
    settings: Sequence[str],
    budget_usd: float | None,
    budget_tokens: int | None,
    packages: Sequence[str],
    shown: Sequence[Path],
    guard: Path | None,
    autonomy: Autonomy,
    yes: bool,
    stars: bool,
    save: Path | None,
) -> int:
    """Let an agent do TASK in your checkout: it works in a sandbox on a copy, and you approve the changes.

    While it works, type a line to steer it, or /take to work in its sandbox until /back. Ctrl-C stops it at the next
    safe point and shows the changes so far; a second Ctrl-C leaves at once. Your files change only after you say yes.
    """
    import anyio
    from rich.console import Console
    from rich.text import Text

    from honestly.agents import copy_of
    from honestly.agents._cli._screen import Screen, agent_session
    from honestly.permissions import read_policy
    from honestly.records import Task, encode
    from honestly.work import write_file

    root = folder.resolve()
    worker = _worker(model, settings, budget_usd, budget_tokens)
    if guard is not None:
        worker = worker.guarded(read_policy(guard))
    layout = _sandbox_layout(worker, packages, shown)
    copy = copy_of(root)
    console = Console(emoji=False, markup=False, highlight=False)
    _greet(console, root, copy, worker)
    work = Task(id="checkout", instruction=_instruction(task, shown), workspace=copy.tree)
    screen = Screen(console, interactive=sys.stdin.isatty() and console.is_terminal, autonomy=autonomy)
    came = anyio.run(agent_session, worker, work, screen, layout)
    if came is None:
        say_on_stderr("left at once; nothing was changed")
        return 130
    run, edit = came
    if save is not None:
        write_file(save, encode(run.trajectory()))
    _hand_back(console, run)
    if screen.there:
        console.print(Text(_summary_line(screen.summary), style="dim"))
    applied = _offer_changes(console, root, copy, edit, yes=yes and run.claimed is True)
    if stars and screen.there and run.stop in _RATED:
        _ask_for_stars(worker.model.name, root, task)
    return 0 if run.claimed and applied else 1


def _summary_line(found: Mapping[str, Any]) -> str:
    """What the person did, where they did anything; when there was something to see, and how much."""
    done = [f"{value} {name.replace('_', '-')}" for name, value in found.items() if value and name not in _SHOWN]
    first = found["first_output_s"]
    return "; ".join(
        [
            f"you: {', '.join(done) or 'no intervention'}",
            f"first output after {first} s" if first is not None else "no output",
            f"{found['words_shown']} words to read",
        ]
    )


_SHOWN = ("words_shown", "first_output_s", "interventions")


def _worker(model: str, settings: Sequence[str], usd: float | None, tokens: int | None) -> Honest:
    from honestly.agents._limits import AgentLimits
    from honestly.agents._spec import honest_agent
    from honestly.models import RetryModel, make_model

    given = {}
    for each in settings:
        key, equals, value = each.partition("=")
        if not equals:
            raise click.UsageError(f"--with takes KEY=VALUE, not {each!r}")
        given[key] = value
    return honest_agent(RetryModel(make_model(model)), "honest", given, AgentLimits(usd=usd, tokens=tokens))


def _sandbox_layout(worker: Honest, packages: Sequence[str], shown: Sequence[Path]) -> Layout:
    """The sandbox's layout: what the tools need, the packages asked for (or pytest, where it is), and the folders."""
    from dataclasses import replace

    from honestly.errors import SandboxUnavailableError
    from honestly.sandbox import packages_layout

    try:
        layout = packages_layout(packages or ("pytest",))
    except SandboxUnavailableError:
        if packages:
            raise
        layout = packages_layout(())
    needed = worker.needs.layout.packages
    places = {str(path.resolve()): path.resolve() for path in shown}
    try:
        return replace(layout, packages={**needed, **layout.packages}, shown=places)
    except ValueError as error:
        raise click.UsageError(f"--show: {error}") from error


def _instruction(task: str, shown: Sequence[Path]) -> str:
    places = ", ".join(str(path.resolve()) for path in shown)
    return f"{task}\n\n(Read-only folders of this machine that you may use: {places})" if places else task


def _greet(console: Console, root: Path, copy: Copy, worker: Honest) -> None:
    from rich.text import Text

    from honestly.agents._cli._screen import printable_text

    name = printable_text(worker.model.name)
    line = f"{name} works on a copy of {one_line_name(str(root))}: {plural_text(len(copy.tree.files), 'file')}"
    console.print(Text(line, style="bold"))
    if copy.left_out:
        more = f" and {len(copy.left_out) - 5} more" if len(copy.left_out) > 5 else ""
        console.print(Text(f"not copied: {', '.join(map(one_line_name, copy.left_out[:5]))}{more}", style="dim"))


def _hand_back(console: Console, run: Run) -> None:
    """Print what the agent says at its end, and what is not done."""
    from rich.text import Text

    from honestly.agents._cli._screen import printable_text

    last = next((step for step in reversed(run.steps) if step.source == "agent" and not step.thread), None)
    end = next((call for call in last.calls if call.name == "finish"), None) if last else None
    ended = run.stop in {"done", "cannot", "asks"}
    summary = str(end.argument("summary")) if end and ended else last.message if last and ended else ""
    left = str(end.argument("not_done") or "") if end and ended else ""
    word, style = {
        "done": ("Done, it says.", "bold green"),
        "cannot": ("It cannot do it.", "bold red"),
        "asks": ("It has to ask first.", "bold yellow"),
        "stopped by the person": ("Stopped.", "bold yellow"),
    }.get(run.stop, (f"It ended, and did not say how: {printable_text(run.stop)}.", "bold yellow"))
    console.print()
    console.print(Text(word, style=style))
    if summary:
        console.print(Text(printable_text(summary)))
    if left:
        console.print(Text(f"Not done: {printable_text(left)}", style="yellow"))


def _offer_changes(console: Console, root: Path, copy: Copy, edit: Edit, *, yes: bool) -> bool:
    """Shows the changes, and makes them if the person wants them; whether the checkout is now as the agent left it."""
    from rich.table import Table
    from rich.text import Text

    from honestly.agents import without_clutter, write_back, write_objections
    from honestly.trials import diff_lines, stat_lines

    edit, clutter = without_clutter(root, copy.tree, edit)
    if clutter:
        console.print(Text(f"Left aside: {clutter} files that are caches, or that git ignores.", style="dim"))
    if not edit.write.files and not edit.delete:
        console.print(Text("It changed no file.", style="yellow"))
        return True
    lines = diff_lines(copy.tree, edit)
    console.print()
    _show_changes(console, lines if len(lines) <= _MOST_LINES else lines[:_MOST_LINES])
    if len(lines) > _MOST_LINES:
        console.print(Text(f"… {len(lines) - _MOST_LINES} lines more", style="dim"))
    console.print()
    names = Table.grid(padding=(0, 1))  # what does not fit goes on below itself: no part of a name begins a line
    for line in stat_lines(copy.tree, edit):
        names.add_row(Text(line[:8]), Text(line[9:], overflow="fold"))
    console.print(names)
    if not yes and not _approved(console, root, lines):
        console.print("Nothing was changed.")
        return False
    if found := write_objections(root, copy.tree, edit):
        for line in found:
            console.print(Text(one_line_name(line), style="red"))
        console.print(Text(f"Nothing was changed. The patch is in {_kept(lines)}"))
        return False
    write_back(root, edit)
    console.print(Text("Applied.", style="bold green"))
    return True


def _approved(console: Console, root: Path, lines: Sequence[str]) -> bool:
    if not sys.stdin.isatty():
        say_on_stderr("there is no terminal to ask at; --yes applies the changes of an agent that says that it is done")
        return False
    while True:
        # A Ctrl-C in the moment before a read that blocks would be noticed with the next key only.
        click.echo(f"Apply to {one_line_name(str(root))}? [y]es, [n]o, [d]iff: ", nl=False)
        while not select.select([sys.stdin], [], [], 0.1)[0]:
            pass
        answer = sys.stdin.readline().strip().lower()
        if answer in {"d", "diff"}:
            _show_changes(console, lines)
        else:
            return answer in {"y", "yes"}


_RATED = {"done", "cannot", "asks", "stopped by the person"}
"""How work may end for which stars are asked for: not by a failure of the model."""


def _ask_for_stars(model: str, root: Path, task: str) -> None:
    """Asks for one key, and keeps it with who pressed it, when, and on what; any other key keeps nothing."""
    import os

    from honestly.command import quiet_keys
    from honestly.people import keep_stars, stars_for

    with quiet_keys():  # before the question: no key that answers it is taken for a line
        click.echo("How good was that? 1 to 5 stars, any other key skips: ", nl=False)
        while not select.select([sys.stdin], [], [], 0.1)[0]:
            pass
        key = os.read(sys.stdin.fileno(), 64).decode("utf-8", "replace")
    if key not in {"1", "2", "3", "4", "5"}:
        click.echo("skipped")
        return
    click.echo("\u2605" * int(key))
    keep_stars(stars_for(int(key), arm=model, folder=root, on=task))


def _show_changes(console: Console, lines: Sequence[str]) -> None:
    from rich.text import Text

    for line in lines:
        style = "bold" if line.startswith(("diff ", "+++ ", "--- ")) else _COLOURS.get(line[:1], "")
        console.print(Text(line_of(line), style=style))


def _kept(lines: Sequence[str]) -> Path:
    from tempfile import mkdtemp

    path = Path(mkdtemp(prefix="honestly-")) / "agent.patch"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="backslashreplace")
    return path


_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
