"""`honestly study import`, `merge` and `honestly export`: other tools' results as a study, and the way back."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from honestly.command import (
    Name,
    StudyPlace,
    headed_option,
    json_option,
    old_folder_argument,
    place_to_write,
    print_json,
    progress_bar,
    said_of_results,
    say_on_stderr,
    settings_options,
    study_argument,
    table_options,
    with_columns_asked,
    without_controls,
)
from honestly.show import plural_text
from honestly.studies import StrictSettings

if TYPE_CHECKING:
    from honestly.formats import Exported, Exporter
    from honestly.records import Defect
    from honestly.store import Store
    from honestly.studies import StudyExporter

_TRAINING = "For training"
_NO_TRAINING = {
    "per_task": None, "held_out": 0.0, "seed": 0, "apart_from": (), "licence": "", "dialect": None, "rubric": None,
}  # fmt: skip


@click.command("import")
@click.argument("sources", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="SOURCE...")
@click.option("--out", "-o", required=True, type=StudyPlace(), help="The study to write.")
@table_options
@json_option
def import_(sources: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Read the results at each SOURCE into one new study: a benchmark's directories, logs, trajectories, or a table.

    The format is detected from the content; a directory can hold several. Several sources are merged (docs/merge.md).

    Everything found is kept or refused with a reason; nothing is dropped or guessed silently. An import that is stopped
    leaves no study behind.
    """
    from msgspec.structs import asdict

    from honestly.errors import NoResultsError
    from honestly.formats import importers_for
    from honestly.store import open_study
    from honestly.studies import OpenSettings, count_files, import_all, table_rules, unread_sentence

    said = OpenSettings(sources, **said_of_results())
    rules = table_rules(said)
    settings = rules.columns
    kind = said.kind or ("table" if settings else None)
    kinds: list[str] = []
    for source in sources:
        try:
            read_as = kind or with_columns_asked(source, importers_for)
        except NoResultsError:
            if len(sources) == 1:
                raise
            continue  # the import says why
        kinds.append(read_as)
        if kind is None:
            say_on_stderr(f"{source} is read as {read_as}")
    with progress_bar("importing", quiet=as_json) as line:
        defects = import_all(sources, out, kind, lambda where, trials: line(trials, 0, where), rules)
    if settings:
        _keep_columns(sources, settings)
    with open_study(out) as study:
        counts = Counter(str(cell.outcome) for cell in study.cells())
        agents = [agent.name for agent in study.agents()]
        files = count_files(study)
    refused, repaired = sum(each.refused for each in files), sum(each.repaired for each in files)
    unread = "" if rules.go_on else unread_sentence(counts.total(), defects)
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
    else:
        _show_defects(defects)
        say_on_stderr(
            f"found {counts.total() + refused}: kept {counts.total()}, refused {refused}; repaired {repaired}"
        )
        held = f"{plural_text(counts.total(), 'trial')} of {plural_text(len(agents), 'agent')}"
        say_on_stderr(f"{out} has {held}. Next: honestly report {out}")
    if unread:
        say_on_stderr(f"{unread}. The rest is in {out}; if that is enough: --allow-refused")
        click.get_current_context().exit(2)


def _keep_columns(sources: Iterable[Path], settings: Mapping[str, str]) -> None:
    """Keeps what the user said of columns for the next table that has them, where their names alone do not say it."""
    from honestly.errors import FormatError
    from honestly.formats import sample_rows, save_columns

    try:
        for rows in filter(None, map(sample_rows, sources)):
            say_on_stderr(f"which column is what is kept in {save_columns(list(rows[0]), settings)}")
    except FormatError as error:
        say_on_stderr(f"which column is what is not kept: {error}")


def _show_defects(defects: Sequence[Defect]) -> None:
    from rich.console import Console
    from rich.table import Table

    if not defects:
        say_on_stderr("no defects were met")
        return
    table = Table(title="What was odd about the source", box=None, title_justify="left", pad_edge=False)
    table.add_column("count", justify="right")
    table.add_column("", overflow="fold")
    table.add_column("defect", overflow="fold")
    table.add_column("what was done, for example", overflow="fold", style="dim")
    groups: dict[str, list[Defect]] = defaultdict(list)
    for defect in defects:
        groups[defect.kind].append(defect)
    for kind, group in groups.items():
        table.add_row(
            str(sum(defect.count for defect in group)),
            group[0].effect,
            without_controls(kind),
            without_controls(group[0].detail[:200]),
        )
    Console(emoji=False, markup=False, stderr=True).print(table)
    say_on_stderr("Where each defect was met: honestly study import --json")


@click.command()
@click.argument("studies", type=StudyPlace(folder=True), nargs=-1, required=True, metavar="STUDY...")
@click.option("--out", "-o", required=True, type=StudyPlace(), help="The study to write.")
@click.option("--rename", is_flag=True, help="Keep tasks that share an id but differ: rename later ones to STUDY.ID.")
@json_option
def merge(studies: tuple[Path, ...], out: Path, rename: bool, as_json: bool) -> None:
    """Merge several studies, or results that `honestly study import` reads, into one; duplicates are kept once.

    A task id with different tasks stops the merge, unless you give --rename. See docs/merge.md.
    """
    from honestly import studies as known
    from honestly.studies import merge_studies

    quiet = (lambda _: None) if as_json else say_on_stderr
    paths = [known.open(each, tell=quiet).kept().path for each in studies]
    with progress_bar("merging", quiet=as_json) as line:
        found = merge_studies(paths, out, rename=rename, progress=lambda name, done, total: line(done, total, name))
    if as_json:
        print_json({"study": str(out), **found._asdict()})
        return
    for old, new in (found.agents | found.tasks).items():
        say_on_stderr(f"{without_controls(old)} is now {without_controls(new)}")
    again = f"; merged {plural_text(found.same, 'duplicate')}" if found.same else ""
    say_on_stderr(
        f"wrote {plural_text(found.trials, 'trial')} of {plural_text(len(paths), 'study', 'studies')} to {out}{again}. "
        f"Next: honestly report {out}"
    )


@click.command()
@study_argument
@old_folder_argument
@click.option("--out", "-o", "place", default="", metavar="PLACE", help="Where to write: a new folder, or a file.")
@click.option(
    "--to",
    "kind",
    type=Name("formats:EXPORTERS", "studies:STUDY_EXPORTERS", "train:TRAINING_DATA"),
    metavar="FORMAT",
    required=True,
    help="atif, otel, adp, inspect, scout, harbor, table, junit, swe-bench, samples, evalplus, or MODULE:OBJECT "
    "of your own; of the whole study: bundle, markdown, model-index, parquet, duckdb, mlflow, wandb; for training: "
    "sft, preference, reward-model, rl.",
)
@click.option("--agent", "-a", help="Only this agent.")
@click.option("--task", help="Only this task.")
@headed_option(_TRAINING, "--per-task", type=click.IntRange(1), help="The most rows per task, drawn by --seed.")
@headed_option(
    _TRAINING,
    "--held-out",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0, 1, max_open=True),
    help="The share of task families that go to test.jsonl.",
)
@headed_option(_TRAINING, "--seed", default=0, show_default=True, help="Seed of the draw and of the held-out tasks.")
@headed_option(
    _TRAINING,
    "--apart-from",
    multiple=True,
    metavar="SUITE",
    help="Leave out tasks that share words or ids with this suite. Repeatable.",
)
@headed_option(_TRAINING, "--licence", default="", help="The licence of the tasks, written into each row.")
@headed_option(
    _TRAINING,
    "--as",
    "dialect",
    type=click.Choice(["openhands", "swe-agent", "agentlab"]),
    help="For sft: write tool calls as text, as this agent is trained.",
)
@headed_option(
    _TRAINING,
    "--rubric",
    type=click.Path(path_type=Path, dir_okay=False),
    help="For preference and reward-model: the rubric with which honestly audit scored the trials.",
)
@settings_options(StrictSettings, only=("strict",))
@json_option
def export(
    study: Path,
    folder: str,
    place: str,
    kind: str,
    agent: str | None,
    task: str | None,
    settings: StrictSettings,
    as_json: bool,
    **training: Any,  # noqa: ANN401 - what the options hold
) -> int:
    """Write the trials of STUDY, or what is known of it, to PLACE in other formats.

    ATIF is exact: honestly study import --from atif reads it back without loss. ADP has only real verdicts and turns.
    What a format cannot express is left out, counted and named. Exit code 1: nothing was written. See docs/export.md.
    """
    from honestly.errors import FormatError
    from honestly.formats import EXPORTERS
    from honestly.studies import STUDY_EXPORTERS
    from honestly.train import TRAINING_DATA

    name = kind.partition(":")[0]
    if kind not in TRAINING_DATA and name not in STUDY_EXPORTERS.each_name():
        try:
            write: Exporter = EXPORTERS.make_object(kind)
        except FormatError as error:
            raise FormatError(
                f"{error}; of whole studies: {', '.join(STUDY_EXPORTERS.each_name())}; "
                f"for training: {', '.join(TRAINING_DATA)}"
            ) from error
    place = place_to_write(place, folder)
    if kind in TRAINING_DATA:
        return _export_for_training(
            study, Path(place), kind, (agent, task), training, strict=settings.strict, as_json=as_json
        )
    if training != _NO_TRAINING:
        raise click.UsageError(f"--to {kind} takes no options for training; they are for {', '.join(TRAINING_DATA)}")
    if name in STUDY_EXPORTERS.each_name():
        if agent or task:
            raise click.UsageError(f"--to {name} writes a whole study; leave --agent and --task out")
        _print_folder(study, place, kind, strict=settings.strict, as_json=as_json)
        return 0
    told = _export_each(study, Path(place), write, (agent, task), strict=settings.strict, quiet=as_json)
    if as_json:
        print_json(told)
        return int(not told["written"])
    for words in ("left_out", "remarks"):
        for reason, count in told.get(words, {}).items():
            say_on_stderr(f"{'left out' if words == 'left_out' else 'note'}: {plural_text(count, 'trial')}: {reason}")
    done = told["written"]
    say_on_stderr(
        f"wrote {plural_text(done, 'trial')} to {place}"
        if told["folder"]
        else f"nothing was written: {place} was not made"
    )
    return int(not done)


def _export_for_training(
    study: Path,
    folder: Path,
    kind: str,
    only: tuple[str | None, str | None],
    training: Mapping[str, Any],
    *,
    strict: bool,
    as_json: bool,
) -> int:
    from honestly.audit import kappa_text, read_rubric
    from honestly.scores import find_agent
    from honestly.show import as_json as plain_json
    from honestly.store import open_study
    from honestly.tasks import load_suite
    from honestly.train import TrainingDataOptions, export_training_data

    with open_study(study) as opened, progress_bar("exporting", quiet=as_json) as line:
        opened.strict = strict
        agents = [each.name for each in opened.agents()]
        how = TrainingDataOptions(
            per_task=training["per_task"],
            held_out=training["held_out"],
            seed=training["seed"],
            apart_from=tuple(map(load_suite, training["apart_from"])),
            agents=(find_agent(agents, only[0]),) if only[0] else (),
            task=only[1] or "",
            licence=training["licence"],
            dialect=training["dialect"] or "",
            rubric=read_rubric(training["rubric"]) if training["rubric"] else None,
        )
        found = export_training_data(opened, kind, folder, how, lambda rows: line(rows, 0, ""))
    if as_json:
        told = {"folder": found.folder, "written": found.rows, "rows": found.rows, "left_out": dict(found.left_out)}
        print_json(told | ({"agreement": plain_json(found.agreement)} if training["rubric"] else {}))
        return int(not found.rows)
    for reason, count in found.left_out.most_common():
        say_on_stderr(f"left out: {count}: {reason}")
    for name, kappa in found.agreement.items():
        say_on_stderr(f"{name} agrees with hidden checks (kappa): {kappa_text(kappa)}")
    say_on_stderr(f"wrote {plural_text(found.rows, 'row')} to {folder}")
    return int(not found.rows)


def _export_each(
    study: Path, folder: Path, write: Exporter, only: tuple[str | None, str | None], *, strict: bool, quiet: bool
) -> dict[str, Any]:
    """Writes trials one after the other; what became of them, as `--json` says it."""
    from honestly.formats import Remark
    from honestly.scores import find_agent
    from honestly.store import open_study
    from honestly.work import new_folder

    left, remarks = Counter[str](), Counter[str]()
    done = 0
    with open_study(study) as opened, new_folder(folder) as part, progress_bar("exporting", quiet=quiet) as line:
        opened.strict = strict
        cells = opened.cells()
        agent = only[0] and find_agent(sorted({cell.agent for cell in cells}), only[0])
        task = only[1] and find_agent(sorted({cell.task for cell in cells}), only[1], "task")
        for reason in write(_trials(opened, agent, task), part):
            written = not reason or isinstance(reason, Remark)
            done += written
            if reason:
                (remarks if written else left)[str(reason)] += 1
            line(done, len(cells), "")
    told = {"folder": str(folder) if folder.exists() else None, "written": done, "left_out": dict(left)}
    return told | ({"remarks": dict(remarks)} if remarks else {})


def _print_folder(study: Path, place: str, kind: str, *, strict: bool, as_json: bool) -> None:
    from honestly.store import open_study
    from honestly.studies import STUDY_EXPORTERS

    write: StudyExporter = STUDY_EXPORTERS.make_object(kind)
    made = []
    with open_study(study) as opened:
        opened.strict = strict
        for told in write(opened, place):
            made.append(told)
            if not as_json:
                say_on_stderr(told)
    if as_json:
        print_json({"folder": place, "made": made})
    else:
        say_on_stderr(f"{study} is in {place}")


def _trials(study: Store, agent: str | None, task: str | None) -> Iterator[Exported]:
    from honestly.formats import Exported

    agents = {record.name: record for record in study.agents()}
    task_of = lru_cache(8)(study.task)
    strict = study.facts().strict
    for trial in (each.counted_trial(strict=strict) for each in study.trials(agent, task)):
        trajectory = study.trajectory(trial.id)
        yield Exported(trial, agents[trial.agent], task_of(trial.task), trajectory, _Artifacts(study, trial.id))


class _Artifacts(Mapping[str, bytes]):
    """The artifacts kept of a trial, each read when it is asked for."""

    def __init__(self, study: Store, trial: str) -> None:
        self._study, self._trial = study, trial

    @cached_property
    def _artifact_sizes(self) -> dict[str, int]:
        return self._study.artifacts(self._trial)

    def __getitem__(self, name: str) -> bytes:
        if name not in self._artifact_sizes:
            raise KeyError(name)
        return self._study.artifact(self._trial, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._artifact_sizes)

    def __len__(self) -> int:
        return len(self._artifact_sizes)
