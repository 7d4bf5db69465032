"""`honestly show`: the trials of a study, why they ended as they did, and one of them step by step."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import click

from honestly.command import (
    StudyPath,
    gathered_options,
    json_option,
    line_of,
    one_line_name,
    print_json,
    say_on_stderr,
    show,
    study_and_words,
)
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.studies import Study
    from honestly.trials._page import TrialPage
    from honestly.trials._trials import TrialTable

_MOST = 50
_END = 10**9
_OUTCOMES = click.Choice(("passed", "failed", "graded", "limit", "void"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Which trials are shown."""

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    outcomes: tuple[str, ...]
    where: tuple[str, ...]
    order: str
    limit: int | None
    because: bool
    text: str
    expression: str
    kinds: tuple[str, ...]

    @property
    def is_limited(self) -> bool:
        """Whether something was asked for that makes no sense of a single trial."""
        return any(getattr(self, name) for name in self.__slots__)

    def chosen_trials(self, table: TrialTable) -> TrialTable:
        """The trials of the table that are meant, in the order that is."""
        found = table.only_of(self.agents, self.tasks, self.outcomes).where(*self.where)
        return found.sorted(self.order) if self.order else found


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """How much of one trial is shown."""

    steps: str
    full: bool
    artifact: str

    def range(self) -> range | None:
        """The steps that are meant; None where nobody says.

        Raises:
            click.UsageError: they cannot be understood.
        """
        found = re.fullmatch(r"([0-9]{1,9})(:?)([0-9]{0,9})", self.steps)
        if found is None and self.steps:
            raise click.UsageError(f"--steps takes a step, or the first and the last, as 12:20; not {self.steps!r}")
        if found is None:
            return None
        last = int(found[3]) if found[3] else _END if found[2] else int(found[1])
        if last < int(found[1]):
            raise click.UsageError(f"--steps {self.steps}: the first step comes after the last; {last}:{found[1]}?")
        return range(int(found[1]), last + 1)


_CHOSEN = (
    click.option("--agent", "-a", "agents", multiple=True, metavar="NAME", help="Only this agent. Repeatable."),
    click.option("--task", "tasks", multiple=True, metavar="ID", help="Only this task. Repeatable."),
    click.option(
        "--outcome", "outcomes", multiple=True, type=_OUTCOMES, help="Only trials with this outcome. Repeatable."
    ),
    click.option(
        "--where",
        multiple=True,
        metavar="CONDITION",
        help="Only trials that satisfy this, such as seconds>60, reason~timeout or hidden=no. Repeatable.",
    ),
    click.option(
        "--sort", "order", default="", metavar="COLUMN", help="Sort by this column; -COLUMN reverses the order."
    ),
    click.option(
        "--limit", type=click.IntRange(min=1), help="The most trials to list.  [default: 50; with --json all]"
    ),
    click.option("--why", "because", is_flag=True, help="Group trials by the reason of their outcome."),
    click.option("--find", "text", default="", metavar="TEXT", help="Only trials whose steps contain this text."),
    click.option(
        "--grep",
        "expression",
        default="",
        metavar="REGEX",
        help="Only trials whose steps match this regular expression.",
    ),
    click.option("--kind", "kinds", multiple=True, metavar="KIND", help="With --grep: run, read, write, edit, say ..."),
)
_DEPTH = (
    click.option(
        "--steps", default="", metavar="N[:M]", help="For one TRIAL: show these steps in full, counted from 0."
    ),
    click.option("--full", is_flag=True, help="For one TRIAL: show all steps, checks and changes."),
    click.option("--artifact", default="", metavar="NAME", help="For one TRIAL: print this artifact of it."),
)


@click.command("show")
@click.argument("words", nargs=-1, metavar="[STUDY] [TRIAL]")
@gathered_options(Chosen, "chosen", _CHOSEN)
@gathered_options(Depth, "depth", _DEPTH)
@json_option
def show_command(words: tuple[str, ...], chosen: Chosen, depth: Depth, as_json: bool) -> None:  # noqa: C901 - one branch for each answer
    """List the trials of STUDY and why they failed, or read one TRIAL step by step.

    Without STUDY, the newest under runs/ is read. TRIAL is an id, the start of one, or AGENT/TASK/SAMPLE, where part of
    each name is enough. See docs/show.md.
    """
    from honestly import studies

    study, rest = study_and_words(words, StudyPath())
    if len(rest) > 1:
        raise click.UsageError(f"Expected [STUDY] [TRIAL], found {len(rest)} words after the study.")
    trial = rest[0] if rest else None
    opened = studies.open(study)
    if trial is None:
        if depth.steps or depth.full or depth.artifact:
            raise click.UsageError("--steps, --full and --artifact are for one trial; name it")
        found = chosen.chosen_trials(opened.trials())
        if chosen.expression or chosen.kinds:
            _grep(opened, found, chosen, as_json=as_json)
        elif chosen.text:
            _find(opened, found, chosen, as_json=as_json)
        else:
            if as_json:
                listed = found if chosen.limit is None else found.first(chosen.limit)
                print_json(
                    listed.to_plain() | ({"reasons": found.reasons().to_plain()["reasons"]} if chosen.because else {})
                )
            elif chosen.because:
                show(found.reasons() or "No trial is meant.")
            else:
                show(found.limited_to(chosen.limit or _MOST))
                if found:
                    say_on_stderr(
                        f"honestly show {study} ID shows one of them; --why the reasons, --limit N more or fewer"
                    )
        return
    if chosen.is_limited:
        raise click.UsageError(
            "--agent, --task, --outcome, --where, --sort, --limit, --why, --find and --grep are for many trials; "
            "leave out these options, or the trial"
        )
    page = opened.trial(trial, depth.range(), full=depth.full)
    if depth.artifact:
        _print_artifact(page, depth.artifact)
    elif as_json:
        print_json(page.to_plain())
    elif sys.stdout.isatty():
        _print_paged(page)
    else:
        show(page)


def _print_artifact(page: TrialPage, name: str) -> None:
    from honestly.store import open_study

    with open_study(page.study) as store:
        if name not in (names := store.artifacts(page.trial)):
            raise click.UsageError(f"The trial has no artifact {name!r}; it has {', '.join(names) or 'none'}.")
        for piece in store.artifact_pieces(page.trial, name):
            sys.stdout.buffer.write(piece)


def _find(study: Study, among: TrialTable, chosen: Chosen, *, as_json: bool) -> None:
    names = {row.id: row.name for row in among}
    hits = islice(study.find(chosen.text, names), chosen.limit or (None if as_json else _MOST))
    if as_json:
        print_json({"hits": [hit._asdict() for hit in hits]})
        return
    for hit in hits:
        times = f" ({hit.times} times)" if hit.times > 1 else ""
        click.echo(
            f"{hit.trial[:12]} {one_line_name(names[hit.trial])} step {hit.step} {one_line_name(hit.where)}{times}"
        )
        click.echo(f"    {line_of(hit.before + hit.quote + hit.after)}")


def _grep(study: Study, among: TrialTable, chosen: Chosen, *, as_json: bool) -> None:
    from honestly.audit import EVENT_KINDS

    if unknown := set(chosen.kinds) - set(EVENT_KINDS):
        raise click.UsageError(f"--kind {min(unknown)!r} is unknown; expected one of {', '.join(EVENT_KINDS)}")
    rows = {row.id: row for row in among}
    hits: list[dict[str, object]] = []
    left: list[str] = []
    searched, most = 0, chosen.limit or (sys.maxsize if as_json else _MOST)
    for trial, found in study.grep(chosen.expression, rows, chosen.kinds):
        if found is None:
            left.append(trial)
            continue
        searched += 1
        row = rows[trial]
        for event, start, end in found[: most - len(hits)]:
            at = {"trial": trial, "agent": row.agent, "task": row.task, "sample": row.sample, "step": event.step}
            quote = event.text[start:end]
            hits.append(at | {"kind": event.kind, "tool": event.tool, "start": start, "quote": quote})
            if not as_json:
                words = f"{trial[:12]} {one_line_name(row.name)} step {event.step} {event.kind} {event.tool}"
                click.echo(line_of(words).rstrip())
                before = event.text[max(0, start - 60) : start].rpartition("\n")[2]
                after = event.text[end : end + 60].partition("\n")[0]
                marked = click.style(line_of(quote[:200]), fg="red", bold=True)
                click.echo(f"    {line_of(before)}{marked}{line_of(after)}")
        if len(hits) >= most:
            break
    if as_json:
        print_json({"hits": hits, "searched": searched, "not_searched": left})
    elif left:
        say_on_stderr(f"not searched, because it took too long: {plural_text(len(left), 'trial')}: {left[0][:12]} ...")
    elif not hits:
        say_on_stderr(f"no event of {plural_text(searched, 'trial')} matches")


def _print_paged(page: TrialPage) -> None:
    """Through the user's pager, which gets lines as it asks for them; `less` ends by itself after a single screen."""
    from rich.console import Console

    os.environ.setdefault("LESS", "-FRX")
    console = Console(emoji=False, markup=False, force_terminal=True)

    def lines() -> Iterator[str]:
        for line in page.page_lines(console.width):
            with console.capture() as made:
                console.print(line, soft_wrap=True)
            yield made.get()

    click.echo_via_pager(lines())
