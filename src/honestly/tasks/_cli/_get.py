"""`honestly task get`: a benchmark by its name."""

import os
from pathlib import Path

import click

from honestly.command import Name, headed_option, json_option, print_json, say_on_stderr

MIRROR = "HONESTLY_MIRROR"
"""Variable with the address of a mirror."""


@click.command()
@click.argument("name", required=False, type=Name("tasks:BENCHMARKS"))
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The folder to write.  [default: NAME]")
@headed_option("Where from", "--mirror", metavar="URL", help=f"Fetch from this address.  [default: ${MIRROR}]")
@headed_option("Where from", "--expect", metavar="HASH", help="Refuse content with another hash.")
@json_option
def get(name: str | None, out: Path | None, mirror: str | None, expect: str | None, as_json: bool) -> None:
    """Fetch the benchmark NAME: its suite, or its file of problems. Without NAME, list the benchmarks.

    Shows its source, licence and hash, and refuses content that is not NAME. Runs none of it. See docs/suites.md.
    """
    from dataclasses import asdict

    from honestly.tasks import BENCHMARKS, get_benchmark

    if name is None:
        if as_json:
            print_json({"benchmarks": [asdict(each) for each in BENCHMARKS.values()]})
            return
        for each in BENCHMARKS.values():
            seen = f"tried as {each.tried}" if each.tried else "never reached by us: no hash is known"
            click.echo(f"{each.name:<20} {each.what} ({each.licence})\n{'':<20} {each.url}\n{'':<20} {seen}")
        return
    address = os.environ.get(MIRROR, "") if mirror is None else mirror
    found = get_benchmark(name, out or Path(name), mirror=address, expected=expect or "")
    if as_json:
        print_json(asdict(found))
        return
    tried = BENCHMARKS[name].tried
    other = f" (not the version that was tried, {tried})" if tried not in {"", found.hash} else ""
    click.echo(f"from     {found.url}\nhash     {found.hash}{other}\nlicence  {found.licence}")
    if found.licence_text:
        click.echo(f"         its LICENSE begins: {found.licence_text}")
    click.echo(f"is in    {found.path}")
    path, use = found.path, BENCHMARKS[name].use
    if use == "run":
        say_on_stderr(f"honestly task check {path}; honestly run {path} -a AGENT")
    elif use == "samples":
        say_on_stderr(f"honestly bench samples judges what a model wrote for {path} (docs/verify.md)")
    else:
        say_on_stderr("rows name commits of repositories; docs/suites.md says how to add the checkouts")
