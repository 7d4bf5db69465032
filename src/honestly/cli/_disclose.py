"""`honestly disclose`: the rates of studies as a page that leaves nothing out."""

from collections.abc import Sequence
from pathlib import Path

import click

from honestly.cli._options import json_option, print_json, say


@click.command()
@click.argument("studies", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--out", "-o", type=click.Path(path_type=Path, dir_okay=False), help="The page: .html, or .md.")
@click.option("--erratum", metavar="TEXT", help="What is known to be wrong: kept in the studies, and on every page.")
@click.option(
    "--level", type=click.FloatRange(0.5, 0.9999), default=0.95, show_default=True, help="Coverage of the intervals."
)
@json_option
def disclose(studies: Sequence[Path], out: Path | None, erratum: str | None, level: float, as_json: bool) -> None:
    """Tell every rate of STUDIES (or of folders of them) with denominator, arm, interval, judge and unread share.

    A rate that lacks one of them is refused, and with it the page: the error names what is missing.
    """
    from honestly.cli.stress._work import add_erratum, judged_in
    from honestly.report import disclosure, disclosure_markdown, write_disclosure

    if erratum is not None:
        add_erratum(studies, erratum)
    told = disclosure(judged_in(studies, quiet=as_json), level)
    if out is not None:
        write_disclosure(told, out)
        say(f"wrote {out}: {len(told.rates)} rates, {len(told.unmeasured)} not measured")
    if as_json:
        print_json(told.to_plain())
    elif out is None:
        click.echo(disclosure_markdown(told), nl=False)
