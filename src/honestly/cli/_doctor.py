"""`honestly doctor`: which layers of the sandbox this machine gives, and what to do about the others."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from honestly.cli._options import json_option, print_json

if TYPE_CHECKING:
    from honestly.sandbox import Layers


@click.command()
@json_option
def doctor(as_json: bool) -> int:
    """Say which layers of the sandbox this machine gives.

    Exit code 3 says that it cannot build one.
    """
    from honestly.sandbox import layers

    found = layers()
    if as_json:
        print_json({"python": sys.version.split()[0], "platform": sys.platform, **asdict(found)})
    else:
        _show(found)
    return 0 if found.usable else 3


def _show(found: Layers) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("layer", "", "what was found, and what to do"):
        table.add_column(column, overflow="fold")
    for layer in found.layers:
        mark = "[green]yes[/]" if layer.present else "[yellow]no[/]"
        table.add_row(escape(layer.name), mark, escape(" ".join(filter(None, (layer.detail, layer.advice)))))
    Console().print(found.kernel, markup=False)
    Console().print(table)
    Console().print("A sandbox can be built here." if found.usable else "[red]No sandbox can be built here.[/]")
