"""`honestly view`: studies in the browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import OpenedStudy, newest_study, progress_bar, say_on_stderr, table_options
from honestly.errors import ViewError

if TYPE_CHECKING:
    from honestly.studies import Study


@click.command("view")
@click.argument("paths", nargs=-1, type=OpenedStudy(), metavar="[PATH]...")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port to listen on.  [default: a free one]")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on. Any other than the default needs a password.",
)
@click.option(
    "--password-file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A file with the password that other machines need.",
)
@click.option("--browser/--no-browser", default=None, help="Open the browser.  [default: where there is a screen]")
@click.option(
    "--export",
    "target",
    type=click.Path(path_type=Path),
    help="Write pages that need no server instead: into a new folder, or, with --compare, FILE.html.",
)
@click.option(
    "--compare", "pair", nargs=2, metavar="A B", help="The two agents or trials that --export FILE.html compares."
)
@table_options
def view(
    paths: tuple[Study, ...],
    port: int,
    host: str,
    password_file: Path | None,
    browser: bool | None,
    target: Path | None,
    pair: tuple[str, str] | None,
) -> None:
    """Read studies in the browser: each PATH is a study, or another tool's results.

    Prints an address that works once; press Enter for another one, Ctrl-C to end. With --export, writes pages that need
    no server: all into a folder, or a comparison of two agents into one file. See docs/view.md.
    """
    if pair and not (target and target.suffix == ".html"):
        raise click.UsageError(
            "--compare goes with --export FILE.html, which then contains the comparison of two agents; "
            "give --export, too"
        )
    if target and not pair and target.suffix == ".html":
        raise click.UsageError(
            "one file contains one comparison: name two agents with --compare A B, or export a folder"
        )
    if target and len(paths) > 1:
        raise click.UsageError("--export writes one study; export each into a folder of its own")
    try:
        from honestly.web._serve import Listening, serve_viewer
    except ImportError as error:
        raise ViewError(
            f"honestly view needs the extra `view` ({error.name} is missing): install honestly[view]"
        ) from error
    shown = [study.path for study in paths] or [OpenedStudy().convert(newest_study(), None, None).path]
    if target:
        _export(shown[0], target, pair)
        return
    password = password_file.read_text("utf-8").strip() if password_file else ""
    tty = sys.stdin.isatty() and sys.stderr.isatty()
    say_on_stderr("Enter prints another address, Ctrl-C ends it" if tty else "ends when it is interrupted")
    serve_viewer(
        shown, Listening(host=host, port=port, password=password), click.echo, browser=_wanted(browser), keys=tty
    )


def _export(study: Path, target: Path, pair: tuple[str, str] | None) -> None:
    from honestly.web._export import export_comparison, export_pages

    if pair:
        done = export_comparison(study, target, *pair)
    else:
        with progress_bar("writing pages") as bar:
            done = export_pages(study, target, bar)
    first = target if pair else target / "index.html"
    click.echo(f"{done.pages:,} pages, {done.size / 1e6:,.1f} MB; open {first}")


def _wanted(browser: bool | None) -> bool:
    """Whether to open a browser: as asked, else where there is a screen to open one on."""
    import os

    screen = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return sys.stdout.isatty() and screen if browser is None else browser
