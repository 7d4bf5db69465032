"""`honestly compare`, `honestly stats diff` and `honestly gate`: two agents against each other."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from honestly.command import (
    OpenedStudy,
    details_option,
    headed_option,
    json_option,
    one_line_name,
    opened_study_argument,
    print_answer,
    say_on_stderr,
    settings_options,
    study_and_words,
    table_options,
)
from honestly.studies import CompareSettings, GateSettings, StrictSettings

if TYPE_CHECKING:
    from honestly.studies import Study


_words = click.argument("words", nargs=-1, metavar="[STUDY] [A B | STUDY2]")
_agent_option = click.option(
    "--agent", "-a", "agents", multiple=True, help="With two studies: the agent. Give it twice if its name changed."
)


@click.command()
@_words
@_agent_option
@table_options
@settings_options(CompareSettings, a="", b="")
@details_option
@json_option
def compare(
    words: tuple[str, ...], agents: tuple[str, ...], settings: CompareSettings, details: bool, as_json: bool
) -> None:
    """Test whether the data can tell agents A and B apart, task by task.

    Both are in STUDY, or B is in a second study. Without STUDY, the newest under runs/ is read. Part of a name is
    enough for A and B. If STUDY has two agents, you can leave them out: A is then the better one. With two studies,
    name the agents with --agent, unless each has only one agent, or only one name is in both.
    """
    study, a, b, other = _sides(words, agents, OpenedStudy(counted=True))
    found = study.compare(**replace(settings, a=a, b=b, other=other).given())
    if other is None and (a, b) != words[-2:] and (found.difference or 0) < 0:
        found = study.compare(**replace(settings, a=b, b=a).given())
    print_answer(found, as_json=as_json, details=details)


@click.command()
@_words
@_agent_option
@table_options
@settings_options(StrictSettings)
@json_option
def diff(words: tuple[str, ...], agents: tuple[str, ...], settings: StrictSettings, as_json: bool) -> None:
    """Show which tasks flipped from agent A to agent B, how certain that is, and what went with it.

    STUDY, A and B are as in honestly compare. See docs/diff.md.
    """
    study, before, after, other = _sides(words, agents, OpenedStudy())
    print_answer(study.diff(before, after, other, **settings.given()), as_json=as_json)


def _sides(words: tuple[str, ...], agents: tuple[str, ...], kind: OpenedStudy) -> tuple[Study, str, str, Study | None]:
    """The first study, both agents, and the second study, if there is one."""
    study, others = study_and_words(words, kind)
    if wrong := _misuse(others, agents):
        raise click.UsageError(f"{wrong}; expected [STUDY] [A B], or STUDY STUDY2 [--agent NAME]")
    if len(others) == 1:
        other = kind.convert(others[0], None, click.get_current_context())
        names = _agents(study, other, agents)
        if other.path == study.path and names[0] == names[1]:
            raise click.UsageError(f"{others[0]} is on both sides; name two agents of it, A and B, or another study")
        return study, *names, other
    if not others:
        with study.store() as store:
            others = tuple(agent.name for agent in store.agents())
        if len(others) != 2:
            named = ", ".join(map(one_line_name, others[:9]))
            named += f", … and {len(others) - 9} more" if len(others) > 9 else ""
            raise click.UsageError(f"Name two agents, A and B: the study has {len(others)} ({named})")
    return study, others[0], others[1], None


def _misuse(others: tuple[str, ...], agents: tuple[str, ...]) -> str:
    """The problem with the words after the study; empty where nothing is."""
    from honestly.store import study_path

    if len(others) > 2:
        return f"found {len(others)} words after the study"
    if len(others) == 1 and not study_path(others[0]).exists():
        return f"there is no study {others[0]!r}, and one agent alone cannot be compared"
    if len(others) == 2 and agents:
        return f"--agent is for two studies, and {others[0]!r} and {others[1]!r} name agents already"
    if not others and agents:
        return "--agent is for two studies"
    return f"--agent is there once or twice, not {len(agents)} times" if len(agents) > 2 else ""


def _agents(first: Study, second: Study, agents: tuple[str, ...]) -> tuple[str, str]:
    """The agents of two studies that are compared."""
    if agents:
        return agents[0], agents[-1]
    with first.store() as old, second.store() as new:
        one, other = ([agent.name for agent in store.agents()] for store in (old, new))
    if len(one) == len(other) == 1:
        return one[0], other[0]
    both = sorted(set(one) & set(other))
    if len(both) == 1:
        return both[0], both[0]
    raise click.UsageError(
        f"{'several agents are' if both else 'no agent is'} in both studies; say which with --agent "
        f"{'NAME' if both else 'BEFORE --agent AFTER'}. "
        f"The first has {', '.join(map(one_line_name, one[:9]))}; the second has "
        f"{', '.join(map(one_line_name, other[:9]))}"
    )


_FILE = click.Path(path_type=Path, dir_okay=False, allow_dash=True)


@click.command()
@opened_study_argument()
@table_options
@settings_options(GateSettings, kinds={"baseline": OpenedStudy()})
@headed_option(
    "Packages",
    "--no-package",
    default="",
    metavar="STATUS,...",
    help="Also fail if a trial installs a package with this fault.",
)
@headed_option(
    "Packages",
    "--advisories",
    type=click.Path(path_type=Path, exists=True),
    help="With --no-package: advisories, as for honestly deps.",
)
@headed_option(
    "Packages",
    "--names",
    multiple=True,
    metavar="ECOSYSTEM=FILE",
    help="With --no-package: names that exist, as for honestly deps.",
)
@headed_option(
    "Output",
    "--cannot-tell",
    type=click.Choice(["", "pass", "fail"]),
    default="",
    metavar="pass|fail",
    help="Exit with 0 or 1 if the data cannot tell.  [default: with 4]",
)
@headed_option(
    "Output", "--markdown", type=_FILE, help="Also write the answer for a pull request; - for standard output."
)
@headed_option("Output", "--junit", type=_FILE, help="Also write the answer as JUnit XML, for a build server.")
@headed_option(
    "Output", "--github-summary", is_flag=True, help="Also append the Markdown to the step summary of GitHub Actions."
)
@details_option
@json_option
@click.pass_context
def gate(
    ctx: click.Context,
    settings: GateSettings,
    no_package: str,
    advisories: Path | None,
    names: tuple[str, ...],
    cannot_tell: Literal["", "pass", "fail"],
    markdown: Path | None,
    junit: Path | None,
    github_summary: bool,
    details: bool,
    as_json: bool,
) -> None:
    """Fail a build if the agent of STUDY is worse than that of OTHER by more than a gap, or below a score.

    Exit code 0: not worse, or at least the score. 1: worse, below, or a package of --no-package (a status of honestly
    deps) was installed. 4: the data cannot tell. 2: the comparison would be unfair.
    """
    from honestly.comparisons._gate import gate_junit, gate_markdown
    from honestly.studies import gate as decide

    if github_summary and not os.environ.get("GITHUB_STEP_SUMMARY"):
        raise click.UsageError("--github-summary is for GitHub Actions, which sets GITHUB_STEP_SUMMARY; it is not set")
    barred = _barred(settings.study, no_package, advisories, names) if no_package else ()
    found = replace(decide(**settings.given()), barred=barred)
    text = gate_markdown(found)
    if junit is not None:
        _write(junit, gate_junit(found, cannot_tell))
    if markdown is not None:
        _write(markdown, text)
    if github_summary:
        with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as summary:
            summary.write(text)
    if as_json or str(markdown) != "-":
        print_answer(found, as_json=as_json, details=details)
    ctx.exit(found.exit_code(cannot_tell))


def _barred(study: object, no_package: str, advisories: Path | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """A line for each package of these statuses that a trial of the study installs."""
    from honestly.guard import STATUSES, installed_in, judge_packages, named_files, read_advisories
    from honestly.studies import Study

    wanted = no_package.split(",")
    if unknown := sorted(set(wanted) - set(STATUSES)):
        raise click.UsageError(f"--no-package takes {', '.join(STATUSES)}, joined with commas; found {unknown[0]!r}")
    assert isinstance(study, Study)
    with study.store() as store:
        found, _, notes = installed_in(store)
    known = None if advisories is None else read_advisories(advisories)
    answer = judge_packages(found, advisories=known, names=named_files(names), notes=notes)
    return tuple(
        f"PACKAGE {each.status}: {each.ecosystem} {each.name}{each.version} {each.note} ({each.where[0]})"
        for each in answer.packages
        if each.status in wanted
    )


def _write(place: Path, text: str) -> None:
    from honestly.work import write_file

    if str(place) == "-":
        click.echo(text, nl=False)
    else:
        write_file(place, text)
        say_on_stderr(f"wrote {place}")
