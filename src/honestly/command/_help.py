"""Help of commands: the usual options first, the others under headings with `--help-all`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])

HELP_ALL = f"{__name__}.all"
"""Key in a context that says that help shows all options."""
WORDS = f"{__name__}.words"
"""Key in a context for the words of the command line."""
SETTINGS_FILE = f"{__name__}.settings"
"""Key in a context for the file from which settings were read."""
_NARROW = 58
"""Characters of a line up to which a name stands above its help."""
_WIDE = 40
"""Characters of an option and its choices that fit beside its help."""
_FEW = 12
"""Options of a command all of which help shows at once."""


class _Formatter(click.HelpFormatter):
    """Help for a narrow terminal, too: there a name stands above its help, since columns beside it would be too few."""

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Writes names with their help."""
        if self.width > _NARROW:
            super().write_dl(rows, col_max, col_spacing)
            return
        for name, text in rows:
            for line, margin in ((name, self.current_indent), (text, self.current_indent + 2)):
                self.write(f"{click.wrap_text(line, self.width, ' ' * margin, ' ' * (margin + 2 * (line is name)))}\n")


class Context(click.Context):
    """A `click.Context` with honestly's help."""

    formatter_class = _Formatter


class Name(click.types.StringParamType):
    """A text that a shell completes: a name known to the package, or a file."""

    def __init__(self, *places: str) -> None:
        """Each of `places` is `room:attribute`: a seam, a collection of names, one name, or a function of one."""
        self._places = places

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """The names that begin so."""
        from click.shell_completion import CompletionItem

        names: list[str] = []
        for module, _, attribute in (place.partition(":") for place in self._places):
            found = getattr(import_module(f"honestly.{module}"), attribute)
            found = getattr(found, "known_names", found)
            names += [found] if isinstance(found, str) else found() if callable(found) else found
        items = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return items or [CompletionItem(incomplete, type="file")]


class TaskName(click.types.StringParamType):
    """The id of a task, which a shell completes from the suite that the command line names."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """The ids that begin so; none while the suite cannot be loaded."""
        from click.shell_completion import CompletionItem

        from honestly.errors import HonestlyError
        from honestly.tasks import load_suite

        try:
            tasks = load_suite(str(ctx.params.get("suite") or "")).tasks
        except HonestlyError:
            return []
        return [CompletionItem(task.id) for task in tasks if task.id.startswith(incomplete)]


class Option(click.Option):
    """An option that is usual, or stands under a heading in `--help-all` only."""

    def __init__(self, *args: Any, heading: str = "", **settings: Any) -> None:  # noqa: ANN401 - click's
        super().__init__(*args, **settings)
        self.heading = heading


def headed_option(heading: str, *names: str, **settings: Any) -> Callable[[F], F]:  # noqa: ANN401 - click's
    """An option under a heading, else as `click.option` makes it."""
    return click.option(*names, cls=Option, heading=heading, **settings)


def help_all_param(*, hidden: bool = False) -> click.Option:
    """`--help-all`: help with all options."""
    return click.Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_all,
        hidden=hidden,
        help="Show help with all options, and exit.",
    )


def _show_all(ctx: click.Context, _param: click.Parameter, value: object) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[HELP_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _help_record(option: click.Option, ctx: click.Context) -> tuple[str, str] | None:
    """The name and the help of an option; many choices are told in the help, where lines are broken."""
    record = option.get_help_record(ctx)
    if record is None or not isinstance(option.type, click.Choice) or len(record[0]) <= _WIDE:
        return record
    names = record[0].partition("[")[0].rstrip()
    return f"{names} NAME", f"{record[1]}  [one of: {', '.join(map(str, option.type.choices))}]"


class Verb(click.Command):
    """A command whose help shows its usual options, and with `--help-all` the others under their headings."""

    context_class = Context

    @classmethod
    def of(cls, command: click.Command, name: str, epilog: str) -> Verb:
        """A command as it is, under a name of the tree."""
        for param in command.params:
            if isinstance(param, click.Argument) and type(param.type) is click.types.StringParamType:
                param.type = Name(*(("tasks:EMBEDDED", "tasks:BESIDE") if param.name == "suite" else ()))
        made = cls(name, callback=command.callback, params=list(command.params), help=command.help, epilog=epilog)
        made.context_settings = command.context_settings
        made.params.append(help_all_param(hidden=not any(getattr(param, "heading", "") for param in made.params)))
        return made

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the command line; an option that was given an empty text, as of an unset variable, is refused."""
        ctx.meta[WORDS] = tuple(args)
        taking = {name for param in self.params if not getattr(param, "is_flag", True) for name in param.opts}
        if ctx.resilient_parsing and args and args[-1] in taking:
            args = args[:-1]  # a shell completes its value, for which other arguments count
        for before, word, value in zip(["", *args], args, [*args, None][1:], strict=False):
            if word == "--":
                break
            if word == "" and before not in taking and not ctx.resilient_parsing:
                raise click.UsageError(
                    "An argument is empty, as an unset variable is; give a value or leave it out.", ctx
                )
            name = word.removesuffix("=")
            if name in taking and (value == "" if name == word else word.startswith("--")):
                raise click.BadOptionUsage(
                    name, f"{name} is empty, as an unset variable is; give a value or leave it out.", ctx
                )
        try:
            rest = super().parse_args(ctx, args)
            if not ctx.resilient_parsing:
                self._refuse_alone(ctx)
            return rest
        except click.UsageError as error:
            from honestly.command._refusals import explain_refusal

            explain_refusal(error, ctx)
            raise

    def _refuse_alone(self, ctx: click.Context) -> None:
        """Refuses an option that was given without the one that its help begins with: `With --other: ...`."""
        named = {name: param for param in self.params for name in param.opts}
        for param in self.params:
            need = re.match(r"With (--[\w-]+):", getattr(param, "help", None) or "")
            given = ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE
            if need and given and not ctx.params.get(str(named[need[1]].name)):
                name = param.opts[0]
                raise click.UsageError(f"{name} has no effect without {need[1]}. Give it, too, or leave {name} out.")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            record = _help_record(param, ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(param, "heading", "") or "Options", []).append(record)
        whole = ctx.meta.get(HELP_ALL) or sum(map(len, sections.values())) <= _FEW
        for title, records in sections.items():
            if title == "Options" or whole:
                with formatter.section(title):
                    formatter.write_dl(records)
        more = {title: len(records) for title, records in sections.items() if title != "Options"}
        if more and not whole:
            formatter.write_paragraph()
            formatter.write_text(f"{sum(more.values())} more options with --help-all: {', '.join(more)}.")
