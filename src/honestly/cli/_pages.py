"""`honestly help`: the pages of the documentation, which the wheel carries and a checkout has beside it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

_PLACES = (Path(__file__).parents[1] / "pages", Path(__file__).parents[3] / "docs")
"""In a wheel, and in a checkout."""
_MOST = 5


def pages_folder() -> Path:
    """The folder that holds the pages.

    Raises:
        click.ClickException: this installation has none.
    """
    for place in _PLACES:
        if (place / "run.md").is_file():
            return place
    raise click.ClickException("this installation has no pages; install honestly from its wheel, or from a checkout")


@click.command()
@click.argument("page", nargs=-1)
def help_(page: tuple[str, ...]) -> None:
    """Show PAGE of the documentation, such as run or docs/run.md. Without PAGE, list all pages."""
    folder = pages_folder()
    names = sorted(str(each.relative_to(folder).with_suffix("")) for each in folder.rglob("*.md"))
    if not page:
        for name in names:
            click.echo(f"{name:28} {_title(folder / f'{name}.md')}")
        return
    wanted = "-".join(page).removeprefix("docs/").partition("#")[0].removesuffix(".md")
    found = [name for name in names if name == wanted or name.rpartition("/")[2] == wanted]
    if not found:
        from honestly.seams import did_you_mean

        speaking = _pages_with(page, folder, [name for name in names if name != "api"])
        near = [f"  {name:28} {_title(folder / f'{name}.md')}" for name in speaking]
        raise click.UsageError(
            f"There is no page {wanted!r}{did_you_mean(wanted, names)}; honestly help lists all."
            + ("\nThese pages speak of it:\n" + "\n".join(near) if near else "")
        )
    text = (folder / f"{found[0]}.md").read_text("utf-8")
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.pager(styles=True):
        console.print(Markdown(text))


def _pages_with(words: Iterable[str], folder: Path, names: Iterable[str]) -> list[str]:
    """The pages, at most five, whose title or text has the words: the most words, in the title, most often."""
    stems = [word.lower().removesuffix("s") for word in " ".join(words).replace("-", " ").split()]
    found = []
    for name in names:
        path = folder / f"{name}.md"
        title, text = f"{name} {_title(path)}".lower(), path.read_text("utf-8").lower()
        counts = [text.count(stem) for stem in stems if stem in text]
        if counts:
            found.append((-len(counts), -sum(stem in title for stem in stems), -sum(counts), name))
    return [name for *_, name in sorted(found)[:_MOST]]


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as lines:
        return next((line.removeprefix("# ").strip() for line in lines if line.startswith("# ")), "")
