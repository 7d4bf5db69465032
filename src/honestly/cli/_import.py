"""`honestly import`: somebody else's results as a study, with everything odd about them counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._options import json_option, plain, print_json, progress_bar, say

if TYPE_CHECKING:
    from honestly.formats import Importer
    from honestly.records import Defect


@click.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The study to make.")
@click.option(
    "--from",
    "kind",
    metavar="FORMAT",
    default="terminal-bench",
    show_default=True,
    help="What SOURCE holds: terminal-bench, atif, or MODULE:OBJECT of your own.",
)
@json_option
def import_(source: Path, out: Path, kind: str, as_json: bool) -> None:
    """Read the results of Terminal-Bench below SOURCE, in its own directory layout, into a new study; or trajectories.

    Every defect met is counted and shown; nothing is dropped or guessed in silence. An import that is stopped leaves no
    study behind.
    """
    from honestly.errors import StoreError
    from honestly.formats import IMPORTERS
    from honestly.records import StudyFacts
    from honestly.store import create_study

    read: Importer = IMPORTERS.make(kind)
    if out.exists():
        raise StoreError(f"{out} exists already; an import makes a new study, so give another name or remove it")
    part = out.with_name(out.name + ".part")
    for stale in part.parent.glob(part.name + "*"):
        stale.unlink()
    try:
        with (
            progress_bar("importing", quiet=as_json) as line,
            create_study(part, StudyFacts(imported_from=source.name)) as study,
        ):
            study.add(read(source, lambda where, trials: line(trials, 0, where)))
            defects = list(study.defects())
            counts = Counter(str(cell.outcome) for cell in study.cells())
            agents = [agent.name for agent in study.agents()]
        part.rename(out)
    finally:
        for left in part.parent.glob(part.name + "*"):
            left.unlink()
    if as_json:
        print_json(
            {"study": str(out), "trials": counts.total(), "agents": agents, "outcomes": counts, "defects": defects}
        )
    else:
        _show(defects)
        say(f"{counts.total()} trials of {len(agents)} agents are in {out}. Next: honestly report {out}")


def _show(defects: Sequence[Defect]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    if not defects:
        say("no defects were met")
        return
    table = Table(title="What was odd about the source", box=None, title_justify="left", pad_edge=False)
    table.add_column("count", justify="right")
    table.add_column("defect", overflow="fold")
    table.add_column("what was done, for example", overflow="fold", style="dim")
    for kind, group in _by_kind(defects).items():
        table.add_row(
            str(sum(defect.count for defect in group)), escape(plain(kind)), escape(plain(group[0].detail[:200]))
        )
    Console(stderr=True).print(table)
    say("Where each defect was met: honestly import --json")


def _by_kind(defects: Iterable[Defect]) -> dict[str, list[Defect]]:
    groups: dict[str, list[Defect]] = defaultdict(list)
    for defect in defects:
        groups[defect.kind].append(defect)
    return dict(groups)
