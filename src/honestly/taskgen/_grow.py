"""A suite that grows: tasks are proposed and proved, tried by agents, and kept where they are solvable and no more.

    FOLDER/held-out.json     which sources are held out, drawn once; FOLDER/held-out/ has tasks of them, tried by nobody
    FOLDER/proposed/         all that was proposed and proved
    FOLDER/studies/          a study for each round
    FOLDER/tasks/            what was kept, each with its lineage in made.json
    FOLDER/training/         the honest passes at what was kept, as `honestly export` writes them
    FOLDER/grow.json         what became of each round

The first round proposes of the sources, later ones of what the last one kept. A task is kept where the agents' honest
pass rate lies in a band: where none passes, it cannot be solved by these agents, and where all do, it teaches nothing.
The rate of a few trials is uncertain, and its interval says so; it is no estimate of how hard the task is for others.
"""

import random
import shutil
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from honestly.agents import Actor
from honestly.audit import audit_study, audit_trial, choose_detectors
from honestly.errors import TaskError
from honestly.formats import EXPORTERS, Exported, Remark
from honestly.records import Outcome, Record, Suite
from honestly.runner import Plan
from honestly.stats import clopper_pearson_interval
from honestly.store import Cell, Store, create_study, open_study
from honestly.taskgen._from_commit import MADE, Lineage, MadeFrom, MakingTerms, write_made
from honestly.taskgen._journal import MinedTask, Progress, WantedTasks
from honestly.taskgen._sources import KIND, Offspring, Origin, Parent, sources_of
from honestly.tasks import load_suite, prepare_suite
from honestly.verify import OpenBox
from honestly.work import write_file

T = TypeVar("T", bound=Record)
FATES = ("kept", "trivial", "unsolved", "outside", "not measured")


class HeldOut(Record, frozen=True, kw_only=True):
    """The sources of a suite's growth, and those it never uses."""

    source: str
    revision: str
    seed: int
    share: float
    held_out: tuple[str, ...]
    grown_from: tuple[str, ...]


class TriedTask(Record, frozen=True, kw_only=True):
    """One proposed task, and what agents made of it."""

    task: str
    fate: str
    """One of `FATES`."""
    lineage: Lineage


class Round(Record, frozen=True, kw_only=True):
    """The result of a round."""

    round: int
    proposed: int
    """All that was tried to make a task of, this round."""
    refused: int
    """Those that became none."""
    tasks: tuple[TriedTask, ...]
    fresh: tuple[int, int] = (0, 0)
    """How often the sources themselves were tried so far, all rounds together, and the tasks that came of it."""

    def tasks_of_fate(self, fate: str) -> list[TriedTask]:
        """The tasks of one fate."""
        return [task for task in self.tasks if task.fate == fate]


class Training(Record, frozen=True, kw_only=True):
    """The files written as training data."""

    written: int = 0
    flagged: int = 0
    """Passes that were left out, since an audit finds something in them: edited tests, too."""
    left_out: int = 0
    """Those that the format cannot say."""


class Growth(Record, frozen=True, kw_only=True):
    """All rounds of a suite that grows."""

    rounds: tuple[Round, ...] = ()
    training: Training = Training()


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowTerms:
    """The terms by which a suite grows."""

    actors: Callable[[Suite], Sequence[Actor]]
    """Who tries the tasks."""
    carry_out: Callable[[Plan, Store, Path], Awaitable[object]]
    """Runs a plan in a study, whose file is told, too."""
    proposer: Callable[[Suite], Sequence[Actor]] | None = None
    """Who plants faults in what was kept; a program, where nobody is named."""
    rounds: int = 2
    count: int = 10
    """Tasks of a round."""
    samples: int = 4
    held_out: float = 0.2
    band: tuple[float, float] = (0.05, 0.95)
    seed: int = 0
    training: str = "adp"
    """The format of the training data."""


async def grow_suite(
    origin: Origin, into: Path, terms: GrowTerms, open_box: OpenBox, how: MakingTerms,
    progress: Progress = lambda _done, _total, _row: None,
) -> Growth:  # fmt: skip
    """Grows a suite by some rounds; resumes an interrupted round.

    Raises:
        TaskError: the folder was begun with something else, or cannot be written; nothing can be held out.
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    held = _hold_out(origin, into, terms)
    line = Offspring(origin, frozenset(held.held_out), into / "proposed", open_box, how, terms.proposer)
    if held.held_out:
        wanted = WantedTasks(count=max(1, round(terms.count * held.share)), seed=terms.seed)
        await origin.fresh_tasks(frozenset(held.grown_from), into / "held-out", wanted, open_box, how, progress)
    place = into / "grow.json"
    growth = _read_as(place, Growth) if place.is_file() else Growth()
    for number in range(len(growth.rounds) + 1, terms.rounds + 1):
        how.tell(f"round {number}: proposing")
        rows, fresh = await _proposed_tasks(line, growth, number, terms, progress)
        names = [row.task for row in rows if row.task]
        how.tell(f"round {number}: {len(names)} tasks are tested")
        tried = await _tried_tasks(line, number, names, terms) if names else ()
        done = Round(round=number, proposed=len(rows), refused=len(rows) - len(names), tasks=tried, fresh=fresh)
        rounds = (*growth.rounds, done)
        growth = Growth(rounds=rounds, training=_train(into, rounds, terms.training))
        _write(place, growth)
    return growth


def _hold_out(origin: Origin, into: Path, terms: GrowTerms) -> HeldOut:
    """Draws what is held out, or reads what was drawn."""
    names = sorted(origin.sources)
    drawn = set(random.Random(terms.seed).sample(names, round(terms.held_out * len(names))))  # noqa: S311 - no secret
    if (terms.held_out and not drawn) or len(drawn) == len(names):
        raise TaskError(
            f"{origin.name} has {len(names)} sources, of which {len(drawn)} would be held out; "
            "expected at least one on each side: give more sources"
        )
    now = HeldOut(
        source=origin.name, revision=origin.revision, seed=terms.seed, share=terms.held_out,
        held_out=tuple(sorted(drawn)), grown_from=tuple(name for name in names if name not in drawn),
    )  # fmt: skip
    place = into / "held-out.json"
    if not place.is_file():
        _write(place, now)
        return now
    if (before := _read_as(place, HeldOut)) != now:
        told = (f"{name} {getattr(before, name)!r}" for name in ("source", "revision", "seed", "share"))
        raise TaskError(
            f"{into} was started with {', '.join(told)}; continue with these, or give another folder with --out"
        )
    return before


async def _proposed_tasks(
    line: Offspring, growth: Growth, number: int, terms: GrowTerms, progress: Progress
) -> tuple[list[MinedTask], tuple[int, int]]:
    """The new tasks of a round: of what was kept, and of the sources where that is not enough."""
    kept = next(
        (
            [each.task for each in done.tasks_of_fate("kept")]
            for done in reversed(growth.rounds)
            if done.tasks_of_fate("kept")
        ),
        [],
    )
    rows: list[MinedTask] = []
    if kept:
        records = {name: _read_as(line.into / name / MADE, MadeFrom) for name in kept}
        parents = [
            Parent(task, sources_of(task, records[task.id]), records[task.id].revision)
            for task in load_suite(line.into, only=kept).tasks
        ]
        rows = await line.make_children(
            parents, WantedTasks(count=terms.count, seed=terms.seed), f"round-{number}", progress
        )
    lacking = terms.count - sum(row.task is not None for row in rows)
    tried, made = growth.rounds[-1].fresh if growth.rounds else (0, 0)
    if lacking > 0:
        wanted = WantedTasks(count=made + lacking, seed=terms.seed)
        fresh = await line.origin.fresh_tasks(line.without, line.into, wanted, line.open_box, line.how, progress)
        rows += fresh[tried:]
        tried, made = len(fresh), sum(row.task is not None for row in fresh)
    return rows, (tried, made)


async def _tried_tasks(line: Offspring, number: int, names: Sequence[str], terms: GrowTerms) -> tuple[TriedTask, ...]:
    """Has agents try what was proposed, and keeps what is worth it."""
    into = line.into.parent
    loaded = load_suite(line.into, only=names)
    loaded = await prepare_suite(replace(loaded, name=f"round-{number}"), unsafe=line.how.unsafe)
    path = _round_study(into, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_study(path, "write") if path.exists() else create_study(path) as store:
        await terms.carry_out(Plan(loaded, terms.actors(loaded), terms.samples, terms.seed), store, path)
        audit_study(store, choose_detectors(()), unsafe=line.how.unsafe)
        hacks = {found.trial for found in store.findings(state="flagged") if found.severity == "hack"}
        cells = store.cells()
    found = []
    for task in load_suite(line.into, only=names).tasks:
        record = _read_as(line.into / task.id / MADE, MadeFrom)
        lineage = _task_lineage(record, number, [cell for cell in cells if cell.task == task.id], hacks)
        if not lineage.trials:
            fate = "not measured"
        elif lineage.passed in (0, lineage.trials):
            fate = "trivial" if lineage.passed else "unsolved"
        else:
            fate = "kept" if terms.band[0] <= lineage.passed / lineage.trials <= terms.band[1] else "outside"
        found.append(TriedTask(task=task.id, fate=fate, lineage=lineage))
        if fate == "kept" and not (into / "tasks" / task.id).exists():
            sources = tuple(sorted(sources_of(task, record)))
            write_made(into / "tasks" / task.id, task, replace(record, lineage=lineage, sources=sources))
    return tuple(found)


def _task_lineage(record: MadeFrom, number: int, cells: Sequence[Cell], hacks: Collection[str]) -> Lineage:
    """Where a task comes from, and what its trials came to; those that are void say nothing."""
    agents: dict[str, tuple[int, int]] = {}
    for cell in cells:
        if cell.outcome is not Outcome.VOID:
            passed, trials = agents.get(cell.agent, (0, 0))
            agents[cell.agent] = (passed + (cell.outcome is Outcome.PASSED and cell.id not in hacks), trials + 1)
    passed, trials = (sum(each[at] for each in agents.values()) for at in (0, 1))
    low, high = (float(each) for each in clopper_pearson_interval(passed, trials)) if trials else (0.0, 1.0)
    return Lineage(
        round=number, parent=record.parent if record.kind == KIND else "",
        proposer=record.versions.get("proposer", record.kind), passed=passed, trials=trials,
        low=round(low, 4), high=round(high, 4), agents=agents,
        hacks=sum(cell.outcome is Outcome.PASSED and cell.id in hacks for cell in cells),
    )  # fmt: skip


def _train(into: Path, rounds: Sequence[Round], kind: str) -> Training:
    """Writes the honest passes at what was kept; the folder is there whole, or as it was."""
    flagged = 0
    strict = [detector._replace(moot=False) for detector in choose_detectors(())]

    def passes() -> Iterator[Exported]:
        nonlocal flagged
        for done in (each for each in rounds if each.tasks_of_fate("kept")):
            with open_study(_round_study(into, done.round)) as store:
                agents = {agent.name: agent for agent in store.agents()}
                for name in sorted(task.task for task in done.tasks_of_fate("kept")):
                    for trial in (each for each in store.trials(None, name) if each.outcome is Outcome.PASSED):
                        if any(found.state == "flagged" for found in audit_trial(store, trial, strict)):
                            flagged += 1
                        else:
                            yield Exported(trial, agents[trial.agent], store.task(name), store.trajectory(trial.id))

    part = into / ".training"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir()
    said = list(EXPORTERS.make_object(kind)(passes(), part))
    written = sum(not why or isinstance(why, Remark) for why in said)
    shutil.rmtree(into / "training", ignore_errors=True)
    part.rename(into / "training")
    return Training(written=written, flagged=flagged, left_out=len(said) - written)


def _round_study(into: Path, number: int) -> Path:
    return into / "studies" / f"round-{number}.honestly"


def _read_as(place: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(place.read_bytes(), type=kind)
    except (OSError, msgspec.DecodeError) as error:
        raise TaskError(f"{place} cannot be read: {error}; remove it, or give another folder with --out") from error


def _write(place: Path, found: Record) -> None:
    write_file(place, msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n", TaskError, folders=True)
