"""Shared parts of commands: options, output, and how a run shows its progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import Field, fields
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click
from click.core import ParameterSource

from honestly._settings import Setting, Settings, settings_of, tell_nobody
from honestly.command._help import F, Name, Option

if TYPE_CHECKING:
    from honestly.show import Shown

S = TypeVar("S", bound=Settings)
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
_NO_KINDS: Mapping[str, click.ParamType[Any]] = MappingProxyType({})


def json_option(command: F) -> F:
    """`--json`: one object on standard output and nothing else."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")(command)


def unsafe_option(command: F) -> F:
    """`--unsafe-no-sandbox`: the explicit way to run without isolation."""
    return click.option(
        "--unsafe-no-sandbox",
        "unsafe",
        cls=Option,
        heading="Sandbox",
        is_flag=True,
        help="Run untrusted code without isolation. Recorded in the study, and shown in its reports.",
    )(command)


old_folder_argument = click.argument("folder", required=False, default="", metavar="")
"""The old argument for the place to write to: `--out` takes it now, and `place_to_write` says so."""


def place_to_write(out: str, folder: str) -> str:
    """Where `--out` says, or an older argument.

    Raises:
        click.UsageError: neither says where, or both do.
    """
    if bool(out) == bool(folder):
        raise click.UsageError(
            "Expected --out PLACE, the file or folder to write" + (f", without {folder!r}." if folder else ".")
        )
    if folder:
        say_on_stderr(f"note: the place to write is an option now: --out {folder}")
    return out or folder


def visible_tests_option(command: F) -> F:
    """`--visible-tests`: agents see the tests of exercises."""
    return click.option(
        "--visible-tests",
        is_flag=True,
        help="Take exercises with their tests shown to agents (docs/suites.md); otherwise they are hidden.",
    )(command)


def task_option(command: F) -> F:
    """`--task`: which tasks of a suite."""
    return click.option("--task", "only", multiple=True, metavar="ID", help="Only this task. Repeatable.")(command)


def jobs_option(command: F) -> F:
    """`--jobs`: how many trials at a time."""
    return click.option(
        "--jobs",
        "-j",
        type=click.IntRange(1, 1000),
        help="How many trials run at once.  [default: by cores and memory]",
    )(command)


def settings_options(
    record: type[S], *, only: Sequence[str] = (), kinds: Mapping[str, click.ParamType[Any]] = _NO_KINDS, **fixed: object
) -> Decorator:
    """A decorator that gives a command the options of a record of settings, and the command the record as `settings`.

    Args:
        record: the settings, as `honestly._settings` has them.
        only: the fields that are options here; all, if nobody says.
        kinds: types of options that are more than their field's.
        fixed: values of fields that are no option.
    """
    known = [(each, said) for each, said in settings_of(record) if not only or each.name in only]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def together(**given: Any) -> Any:  # noqa: ANN401 - whatever the command returns
            mine = {each.name: given.pop(each.name) for each, _ in known}
            for each, said in known:
                _say_small_points(said.option_names(each.name)[0], mine[each.name] if said.points else ())
            arguments = {each.name: given.pop(each.name) for each in fields(record) if each.name in given}
            return command(**given, settings=record(**mine, **arguments, **fixed))

        decorated: Callable[..., Any] = together
        for each, said in reversed(known):
            decorated = setting_option(each, said, kinds.get(each.name))(decorated)
        return decorated

    return decorate


def _say_small_points(option: str, given: float | Sequence[float] | None) -> None:
    """A line for what is given in points, and may be meant as a share."""
    for value in given if isinstance(given, Sequence) else () if given is None else (given,):
        if 0 < value < 1:
            more = f"{100 * value:g}"
            say_on_stderr(f"{option} {value:g} is {value:g} points of 100; for {more} points say {option} {more}")


def setting_option(
    each: Field[Any],
    said: Setting,
    kind: click.ParamType[Any] | None = None,
    **more: Any,  # noqa: ANN401 - click's
) -> Decorator:
    """The option of a setting; `more` is what `click.option` takes beside."""
    names = said.option_names(each.name)
    if each.type is bool and each.default is True:
        names = [f"{names[0]}/--no-{names[0][2:]}"]
    if each.type is bool:
        flag: dict[str, Any] = {"is_flag": True, "default": each.default, "help": said.help, **more}
        return click.option(*names, each.name, cls=Option, heading=said.heading, **flag)
    plain = next((part for part in (int, float, Path) if part in (each.type, *get_args(each.type))), str)
    ends: dict[str, Any] = {"min": said.least, "max": said.most, "min_open": said.open, "max_open": said.open}
    if kind is not None:
        pass
    elif said.choices:
        kind = click.Choice(said.choices)
    elif plain is Path:
        kind = click.Path(path_type=Path, dir_okay=False)
    elif plain is not str and (said.least is not None or said.most is not None):
        kind = (click.IntRange if plain is int else click.FloatRange)(**ends)
    return click.option(
        *names,
        each.name,
        cls=Option,
        heading=said.heading,
        type=kind or plain,
        required=said.required,
        default=None if said.required else each.default,
        show_default=bool(each.default) or each.default == 0,
        multiple=said.many,
        metavar=said.metavar,
        help=said.help,
        **({"is_flag": False, "flag_value": said.alone} if said.alone is not None else {}),
        **more,
    )


TRIED = ("agents", "models", "budget_usd", "prices", "budget_tokens", "match", "samples", "seed", "arms", "checkpoint",
         "rate", "jobs", "unsafe")  # fmt: skip
"""Settings of a run that say who is tried, how often and under what."""


def tried_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options in `TRIED`, for commands that choose their tasks themselves; the command gets `settings`."""
    from honestly.studies import RunSettings

    return settings_options(RunSettings, only=TRIED, kinds={"agents": Name("agents:AGENTS")}, suite="")(command)


def gathered_options(record: type, argument: str, options: Sequence[Decorator]) -> Decorator:
    """A decorator for options that reach the command as one record, since a command has few arguments of its own.

    Args:
        record: what holds their values: a data class with slots, one for each option.
        argument: the name under which the command gets it.
        options: in the order in which help shows them.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        """Add these options to a command, which gets them as one argument."""

        @wraps(command)
        def together(**given: Any) -> Any:  # noqa: ANN401 - whatever the command returns
            mine = {name: given.pop(name) for name in record.__slots__}  # type: ignore[attr-defined]
            return command(**given, **{argument: record(**mine)})

        decorated: Callable[..., Any] = together
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def refuse_idle(names: Iterable[str], why: str) -> None:
    """Refuses an option that was given and has no effect.

    Args:
        names: the parameters of the command that are in question.
        why: what they would need.

    Raises:
        click.UsageError: one of them was given.
    """
    ctx, idle = click.get_current_context(), {*names}
    for param in ctx.command.params:
        if param.name in idle and ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{param.opts[0]} has no effect: {why}. Leave {param.opts[0]} out.")


def figures_option(command: F) -> F:
    """`--figures`: where the figures of a result are written."""
    folder = click.Path(path_type=Path, file_okay=False)
    return click.option("--figures", type=folder, help="Also write every figure into this folder.")(command)


def details_option(command: F) -> F:
    """`--details`: everything that there is to say, not the answer alone."""
    return click.option("--details", is_flag=True, help="Show everything, not only the answer.")(command)


def print_answer(found: Shown, *, as_json: bool, figures: Path | None = None, details: bool = True) -> None:
    """Prints a result as JSON or text, and writes its figures into a folder if one is given."""
    if figures is not None:
        from honestly.show import write_figures

        say_on_stderr(f"wrote {len(write_figures(found.figures.values(), figures))} files to {figures}")
    if as_json:
        print_json(found.to_plain())
    else:
        show(found if details else found.brief())


def show(*results: object, wrap: bool = True) -> None:
    """Prints results for people on standard output."""
    from rich.console import Console

    Console(emoji=False, markup=False).print(*results, soft_wrap=not wrap, crop=False)


def print_json(value: object) -> None:
    """Writes one JSON object to standard output.

    A dict is written member by member. A member may be an iterator of names and values, each made when it is written:
    what would take much memory as a whole becomes an object all the same.
    """
    if isinstance(value, dict):
        _print_members(iter(value.items()), "")
    else:
        sys.stdout.write(_indented_json(value, ""))
    sys.stdout.write("\n")


def _print_members(members: Iterator[tuple[str, object]], margin: str) -> None:
    before = f"{{\n{margin}  "
    for name, value in members:
        sys.stdout.write(f"{before}{_indented_json(name, '')}: ")
        if isinstance(value, Iterator):
            _print_members(value, margin + "  ")
        else:
            sys.stdout.write(_indented_json(value, margin + "  "))
        before = f",\n{margin}  "
    sys.stdout.write("{}" if before[0] == "{" else f"\n{margin}}}")


def _indented_json(value: object, margin: str) -> str:
    import msgspec

    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    if (
        not text.isascii() and (sys.stdout.encoding or "utf8").lower().replace("-", "") != "utf8"
    ):  # beyond ASCII are texts only
        text = "".join(char if char.isascii() else json.dumps(char)[1:-1] for char in text)
    return text.replace("\n", "\n" + margin)  # what is between the lines: within a text, they are escaped


def without_controls(text: str) -> str:
    """`text` without control characters, which a terminal would obey."""
    return "".join(char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text)


def one_line_name(name: str) -> str:
    r"""A foreign name on one line; control characters and hidden characters are written as `\x1b`."""
    from honestly.show import printable_text_line

    return printable_text_line(name)


def line_of(text: str) -> str:
    """A line of a foreign file, made printable; tabs become spaces, and it can be empty."""
    from honestly.show import printable_line

    return printable_line(text)


def say_on_stderr(message: str) -> None:
    """Writes a line for people to standard error.

    It goes where `sys.stderr` leads now: while a table is live, above it. `err=True` would look past that.
    """
    click.echo(without_controls(message), file=sys.stderr)


Line = Callable[[int, int, str], None]
"""Shows progress: how many are done, of how many (0: not known), and a few words."""

_PLAIN_STEP = 1000


@contextmanager
def progress_bar(label: str, *, quiet: bool = False) -> Iterator[Line]:
    """A live bar on a terminal; elsewhere a plain line at every tenth of the way."""
    if quiet:
        yield tell_nobody
    elif sys.stderr.isatty():
        with _live_bar(label) as line:
            yield line
    else:
        yield _plain_progress(label)


@contextmanager
def stage_bars(*, quiet: bool = False) -> Iterator[Callable[[str, int, int, str], None]]:
    """A progress bar for each stage of a long computation."""
    with ExitStack() as bars:
        shown = ""
        line: Line = tell_nobody

        def tell(stage: str, done: int, total: int, words: str) -> None:
            nonlocal shown, line
            if stage != shown:
                bars.close()
                shown, line = stage, bars.enter_context(progress_bar(stage, quiet=quiet))
            line(done, total, words)

        yield tell


@contextmanager
def _live_bar(label: str) -> Iterator[Line]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[words]}", markup=False),
    )
    with Progress(*columns, console=Console(emoji=False, markup=False, stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None, words="")
        yield lambda done, total, words: bar.update(
            task, completed=done, total=total or None, words=one_line_name(words)[:40] if words else ""
        )


def _plain_progress(label: str) -> Line:
    shown = -1

    def line(done: int, total: int, words: str) -> None:
        nonlocal shown
        step = 10 * done // total if total else done // _PLAIN_STEP
        if step > shown:
            shown = step
            say_on_stderr(
                f"{label}: {done}{f' of {total}' if total else ''}{f', {one_line_name(words)}' if words else ''}"
            )

    return line
