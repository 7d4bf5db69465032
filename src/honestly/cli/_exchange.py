"""`honestly import` and `honestly export`: somebody else's results as a study, and trajectories in other formats."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.cli._options import json_option, plain, print_json, progress_bar, say, study_argument

if TYPE_CHECKING:
    from honestly.formats import Exported, Exporter
    from honestly.records import Defect
    from honestly.store import Store


@click.command("import")
@click.argument("sources", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="SOURCE...")
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The study to make.")
@click.option(
    "--from",
    "kind",
    metavar="FORMAT",
    help="What SOURCE holds, or MODULE:OBJECT of your own; docs/import.md lists them. Without it, its content says.",
)
@click.option(
    "--columns",
    metavar="WHAT=NAME,…",
    help="What the columns of a table are: agent=llm,task=qid,outcome=acc; agent=* or task=*: each other one is one.",
)
@json_option
def import_(sources: tuple[Path, ...], out: Path, kind: str | None, columns: str | None, as_json: bool) -> None:
    """Read the results at each SOURCE into one new study: a benchmark's directories, logs, trajectories, or a table.

    The format is seen from the content; a directory may hold several. Several sources are merged (docs/merge.md).

    Whatever was found is kept or refused, with the reason; nothing is dropped or guessed in silence. An import that is
    stopped leaves no study behind.
    """
    from msgspec.structs import asdict

    from honestly.formats import recognised
    from honestly.store import open_study
    from honestly.studies import count_files, import_all

    settings = _columns(columns) if columns else {}
    if kind is None and settings:
        kind = "table"
    kinds = [kind or recognised(source) for source in sources]
    for source, read_as in zip(sources, kinds, strict=True):
        if kind is None:
            say(f"{source} is read as {read_as}")
    with progress_bar("importing", quiet=as_json) as line:
        defects = import_all(sources, out, kind, lambda where, trials: line(trials, 0, where), settings)
    with open_study(out) as study:
        counts = Counter(str(cell.outcome) for cell in study.cells())
        agents = [agent.name for agent in study.agents()]
        files = count_files(study)
    refused, repaired = sum(each.refused for each in files), sum(each.repaired for each in files)
    if as_json:
        print_json(
            {
                "study": str(out),
                "format": ", ".join(dict.fromkeys(kinds)),
                "files": [each._asdict() for each in files],
                "found": counts.total() + refused,
                "kept": counts.total(),
                "refused": refused,
                "repaired": repaired,
                "trials": counts.total(),
                "agents": agents,
                "outcomes": counts,
                "defects": [asdict(defect) for defect in defects],  # a count of one, too
            }
        )
        return
    _show(defects)
    say(f"found {counts.total() + refused}: kept {counts.total()}, refused {refused}; repaired {repaired}")
    say(f"{counts.total()} trials of {len(agents)} agents are in {out}. Next: honestly report {out}")


def _columns(text: str) -> dict[str, str]:
    from honestly.formats import COLUMNS

    said = dict(part.partition("=")[::2] for part in text.split(","))
    if wrong := [what for what, name in said.items() if what not in COLUMNS or not name]:
        raise click.BadParameter(f"{wrong[0]!r} is not WHAT=NAME; what a column can be: {', '.join(COLUMNS)}")
    return said


def _show(defects: Sequence[Defect]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    if not defects:
        say("no defects were met")
        return
    table = Table(title="What was odd about the source", box=None, title_justify="left", pad_edge=False)
    table.add_column("count", justify="right")
    table.add_column("", overflow="fold")
    table.add_column("defect", overflow="fold")
    table.add_column("what was done, for example", overflow="fold", style="dim")
    for kind, group in _by_kind(defects).items():
        table.add_row(
            str(sum(defect.count for defect in group)),
            group[0].effect,
            escape(plain(kind)),
            escape(plain(group[0].detail[:200])),
        )
    Console(stderr=True).print(table)
    say("Where each defect was met: honestly import --json")


def _by_kind(defects: Iterable[Defect]) -> dict[str, list[Defect]]:
    groups: dict[str, list[Defect]] = defaultdict(list)
    for defect in defects:
        groups[defect.kind].append(defect)
    return dict(groups)


@click.command()
@click.argument("studies", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="STUDY...")
@click.option("--out", "-o", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The study to make.")
@click.option("--rename", is_flag=True, help="Keep tasks that share an id and differ, the later ones as STUDY.ID.")
@json_option
def merge(studies: tuple[Path, ...], out: Path, rename: bool, as_json: bool) -> None:
    """Make one study of several, or of results that `honestly import` reads; what is in several is there once.

    A task id that stands for different tasks stops the merge, unless --rename. See docs/merge.md.
    """
    from honestly.studies import merge_studies, study_of

    quiet = (lambda _: None) if as_json else say
    paths = [study_of(each, quiet) for each in studies]
    with progress_bar("merging", quiet=as_json) as line:
        found = merge_studies(paths, out, rename=rename, progress=lambda name, done, total: line(done, total, name))
    if as_json:
        print_json({"study": str(out), **found._asdict()})
        return
    for old, new in (found.agents | found.tasks).items():
        say(f"{plain(old)} is now {plain(new)}")
    again = f"; {found.same} that were there twice are there once" if found.same else ""
    say(f"{found.trials} trials of {len(paths)} studies are in {out}{again}. Next: honestly report {out}")


@click.command()
@study_argument
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--to", "kind", metavar="FORMAT", required=True, help="atif, otel, adp, table, junit, or MODULE:OBJECT of your own."
)
@click.option("--agent", "-a", help="Only this agent.")
@click.option("--task", help="Only this task.")
@json_option
def export(study: Path, folder: Path, kind: str, agent: str | None, task: str | None, as_json: bool) -> None:
    """Write the trials of STUDY into the new directory FOLDER: steps in ATIF, OpenTelemetry or ADP; a table; JUnit.

    ATIF comes back exactly (honestly import --from atif). ADP carries the real verdict, and no turn that was not there.
    What cannot be said in a format is left out, counted and named. See docs/export.md.
    """
    from honestly.errors import StoreError
    from honestly.formats import EXPORTERS
    from honestly.report import find_agent
    from honestly.store import open_study

    if folder.exists() and any(folder.iterdir()):
        raise StoreError(f"{folder} is not empty; an export makes a new directory, so give another name")
    write: Exporter = EXPORTERS.make(kind)
    left: Counter[str] = Counter()
    done = 0
    with open_study(study) as opened, progress_bar("exporting", quiet=as_json) as line:
        cells = opened.cells()
        total = len(cells)
        agent = agent and find_agent(sorted({cell.agent for cell in cells}), agent)
        task = task and find_agent(sorted({cell.task for cell in cells}), task, "task")
        for reason in write(_trials(opened, agent, task), folder):
            done += not reason
            left[reason] += bool(reason)
            line(done, total, "")
    reasons = {reason: count for reason, count in left.items() if reason}
    if as_json:
        print_json({"folder": str(folder) if folder.exists() else None, "written": done, "left_out": reasons})
        return
    for reason, count in reasons.items():
        say(f"left out: {count} trials: {reason}")
    say(f"{done} trials are in {folder}" if folder.exists() else f"nothing was written: {folder} was not made")


def _trials(study: Store, agent: str | None, task: str | None) -> Iterator[Exported]:
    from honestly.formats import Exported

    agents = {record.name: record for record in study.agents()}
    task_of = lru_cache(8)(study.task)
    for trial in study.trials(agent, task):
        yield Exported(trial, agents[trial.agent], task_of(trial.task), study.trajectory(trial.id))
