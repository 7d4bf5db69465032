"""A group of commands that loads only the command that is asked for, so that `--help` needs no numpy."""

from collections.abc import Mapping
from importlib import import_module

import click


class LazyGroup(click.Group):
    """Commands by name, each with where it is defined in `honestly.cli` and the line that help prints."""

    def __init__(self, *, lazy: Mapping[str, tuple[str, str]], **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self._lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Names in the order in which they were given, which is the order of use."""
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported now."""
        if cmd_name not in self._lazy:
            return None
        module, _, attribute = self._lazy[cmd_name][0].partition(":")
        command = getattr(import_module(f"honestly.cli.{module}"), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but a mistyped name is answered with the close ones."""
        if args and not args[0].startswith("-") and args[0] not in self._lazy:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self._lazy)
            hint = f" Did you mean {near[0]!r}?" if near else f" There are: {', '.join(self._lazy)}."
            raise click.UsageError(f"No such command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Writes the list without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._lazy.items()])
