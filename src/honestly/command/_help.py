"""Help of commands: the usual options first, the others under headings with `--help-all`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

HELP_ALL = f"{__name__}.all"
"""Where a context says that help shows everything."""
_FEW = 12
"""Options of a command all of which help shows at once."""


class Option(click.Option):
    """An option that is usual, or stands under a heading in `--help-all` only."""

    def __init__(self, *args: Any, heading: str = "", **settings: Any) -> None:  # noqa: ANN401 - click's
        super().__init__(*args, **settings)
        self.heading = heading


def headed_option(heading: str, *names: str, **settings: Any) -> Callable[[F], F]:  # noqa: ANN401 - click's
    """An option under a heading, else as `click.option` makes it."""
    return click.option(*names, cls=Option, heading=heading, **settings)


def help_all_param(*, hidden: bool = False) -> click.Option:
    """`--help-all`: help with everything in it."""
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


class Verb(click.Command):
    """A command whose help shows its usual options, and with `--help-all` the others under their headings."""

    @classmethod
    def of(cls, command: click.Command, name: str, epilog: str) -> Verb:
        """A command as it is, under a name of the tree."""
        made = cls(name, callback=command.callback, params=list(command.params), help=command.help, epilog=epilog)
        made.params.append(help_all_param(hidden=not any(getattr(param, "heading", "") for param in made.params)))
        return made

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the options."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(param, "heading", "") or "Options", []).append(record)
        whole = ctx.meta.get(HELP_ALL) or sum(map(len, sections.values())) <= _FEW
        for title, records in sections.items():
            if title == "Options" or whole:
                with formatter.section(title):
                    formatter.write_dl(records)
        if not whole:
            more = {title: len(records) for title, records in sections.items() if title != "Options"}
            formatter.write_paragraph()
            formatter.write_text(f"{sum(more.values())} more options with --help-all: {', '.join(more)}.")
