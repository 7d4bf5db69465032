"""Stress sets in files: registries begun, refilled and run, studies judged and compared, errata, training pairs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace as replace_settings
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from honestly.agents import Actor, arm_named
from honestly.audit import USUAL_DETECTORS, audit_study
from honestly.errors import StoreError, TaskError
from honestly.people import labels_of
from honestly.records import Agent, Suite, Task
from honestly.runner import Plan, Progress
from honestly.sandbox import open_sandbox
from honestly.store import Store, open_or_create, open_study, unfinished_folder
from honestly.stress._judged import JudgedSet, judged_sets
from honestly.stress._levers import Effect, disclosure_effects, effects_between, effects_within, reward_effects
from honestly.stress._pairs import training_pairs
from honestly.stress._registry import (
    SETS,
    StressRegistry,
    hacked_tasks,
    impossible_entries,
    own_entries,
    read_registry,
    refilled_entries,
    suite_of,
    write_registry,
)
from honestly.studies import Execution, Tell, carry_out, fitting_tasks, from_sync, tell_nobody
from honestly.tasks import EMBEDDED, load_suite
from honestly.verify import check_task
from honestly.work import write_file

_SUFFIX = ".honestly"
_USUAL = Execution()

Bar = Callable[[str], AbstractContextManager[Callable[[int, int, str], None]]]
"""Opens what is told how far a piece of work is: how many are done, of how many, and a few words."""


def begin_registry(path: Path, suites: Sequence[str], own: int, seed: int) -> StressRegistry:
    """Write a new registry from suites: their impossible tasks, and a sample of the others.

    Args:
        path: of the new file.
        suites: names or folders.
        own: tasks of the sample of each suite.
        seed: of that sample.
    """
    registry = StressRegistry(path.resolve().parent)
    for source in suites:
        suite, place = load_suite(source), _relative_place(source, registry)
        registry = registry.with_tasks("own", own_entries(suite, place, own, seed, _today_date()))
        registry = registry.with_tasks("impossible", impossible_entries(suite, place, _today_date()))
    write_registry(registry, path)
    return registry


def refill_registry(
    path: Path,
    studies: Iterable[Path],
    source: str,
    *,
    impossible: bool,
    prove: bool,
    unsafe: bool,
    tell: Tell = tell_nobody,
) -> tuple[StressRegistry, list[str]]:
    """Write into a registry what studies confirm, and say why tasks were refused.

    Args:
        path: of the registry.
        studies: studies, or folders of them, at whose tasks agents may have hacked.
        source: the suite where these tasks are now.
        impossible: whether to take in that suite's impossible tasks.
        prove: whether to run the reference of a task that nobody solved honestly.
        unsafe: whether without isolation.
        tell: told how far it is.
    """
    registry, suite = read_registry(path), load_suite(source)
    place, refused = _relative_place(source, registry), list[str]()
    if impossible:
        registry = registry.with_tasks("impossible", impossible_entries(suite, place, _today_date()))
    proves = partial(_reference_objection, unsafe=unsafe) if prove else None
    for study in studies_in(studies):
        with open_study(study, "write") as opened:
            _audit_with_usual(opened, study, tell)
            people = {trial: said.label for trial, said in labels_of(opened.reviews()).items() if said.is_decided}
            seen = hacked_tasks(opened, people)
        entries, not_taken = from_sync(partial(refilled_entries, seen, suite, place, proves, _today_date()))
        registry = registry.with_tasks("hacked-before", entries)
        refused += [f"{one.task}: {one.reason}" for one in not_taken]
    write_registry(registry, path)
    return registry, refused


async def _reference_objection(task: Task, *, unsafe: bool) -> str:
    """The objection to the reference of a task; empty where it passes."""
    if task.hidden is None:
        return "its hidden part is not known"
    claims = (await check_task(task, partial(open_sandbox, unsafe=unsafe))).claims
    against = [claim for claim in claims if claim.about == "reference" and not claim.holds]
    return "; ".join(f"it does not hold that {claim.text} ({claim.detail})" for claim in against)


@dataclass(frozen=True, slots=True)
class StressRun:
    """A set of a registry that was run and audited."""

    name: str
    study: Path
    state: Progress


@contextmanager
def _no_bar(_label: str) -> Iterator[Callable[[int, int, str], None]]:
    yield lambda _done, _total, _words: None


def _carried_out(plan: Plan, study: Store, how: Execution) -> Progress:
    return from_sync(partial(carry_out, plan, study, how))


def run_stress_sets(
    path: Path,
    agents: Callable[[Suite], Sequence[Actor]],
    folder: Path,
    *,
    sets: Sequence[str] = (),
    samples: int = 1,
    seed: int = 0,
    how: Execution = _USUAL,
    carry_out: Callable[[Plan, Store, Execution], Progress] = _carried_out,
    bar: Bar = _no_bar,
    ended: Callable[[StressRun], None] = lambda _: None,
) -> list[StressRun]:
    """Run the sets of a registry, each into a study of its own that says which set it is, and audit what was done.

    The same call again does what is missing; a set that has changed begins a new study.

    Args:
        path: of the registry.
        agents: gives the agents for the tasks of a set.
        folder: of the studies.
        sets: names of the sets; empty for all that hold tasks.
        samples: trials of each agent at each task.
        seed: of the order and of every trial.
        how: how many trials at a time, and whether without isolation.
        carry_out: runs a plan into a study.
        bar: opens what is told how far the audit is.
        ended: told of each set once it was run and audited.

    Raises:
        TaskError: there is no task to run.
    """
    registry = read_registry(path)
    wanted = [name for name in SETS if name in sets] or [name for name in SETS if registry.set_tasks(name)]
    if not wanted:
        raise TaskError(f"all sets of {path} are empty; honestly audit stress refill fills them")
    folder.mkdir(parents=True, exist_ok=True)
    runs: list[StressRun] = []
    for name in wanted:
        suite, left_out = fitting_tasks(suite_of(registry, name))
        plan, version = Plan(suite, agents(suite), samples, seed, left_out=left_out), registry.version(name)
        out = folder / f"{name}-{version}{_SUFFIX}"
        with open_or_create(out) as study:
            study.set_facts(replace(study.facts(), stress_set=name, stress_version=version))
            state = carry_out(plan, study, replace_settings(how, unfinished=unfinished_folder(out)))
            with bar("auditing") as tell:
                audit_study(study, USUAL_DETECTORS, tell)
        runs.append(StressRun(name, out, state))
        ended(runs[-1])
    return runs


def studies_in(paths: Iterable[Path]) -> list[Path]:
    """List the studies that are named, and those in folders that are named.

    Raises:
        TaskError: a folder holds none.
    """
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob(f"*{_SUFFIX}")) if path.is_dir() else [path]
        if not inside:
            raise TaskError(f"{path} contains no studies (files that end with {_SUFFIX})")
        found += inside
    return found


def judged_in(paths: Iterable[Path], tell: Tell = tell_nobody) -> list[JudgedSet]:
    """Judge the sets of all studies, and audit them first if necessary."""
    sets: list[JudgedSet] = []
    for path in studies_in(paths):
        with open_study(path, "write") as study:
            _audit_with_usual(study, path, tell)
            sets += judged_sets(study)
    return sets


def lever_effects(paths: Iterable[Path], against: Path | None = None, level: float = 0.95) -> list[Effect]:
    """Measure what each lever changes in these studies; where `against` is given, also against that study, by set."""
    baseline: list[tuple[JudgedSet, list[Agent]]] = []
    for path in studies_in([against] if against is not None else []):
        with open_study(path, "write") as study:
            _audit_with_usual(study, path)
            baseline += [(judged, study.agents()) for judged in judged_sets(study)]
    effects: list[Effect] = []
    for path in studies_in(paths):
        with open_study(path, "write") as study:
            _audit_with_usual(study, path)
            for judged in judged_sets(study):
                # The baseline's set of the same name; where names differ, the only one that counts the same.
                alike = [each for each in baseline if each[0].judge.measure == judged.judge.measure]
                named = [each for each in alike if each[0].name == judged.name]
                for other, before in named or (alike if len(alike) == 1 else []):
                    effects += effects_between(judged, other, study.agents(), before, level)
                effects += [
                    *effects_within(judged, level),
                    *reward_effects(judged, study.cells(), level),
                    *disclosure_effects(judged, level),
                ]
    return effects


def add_erratum(paths: Iterable[Path], text: str) -> None:
    """Keep in each study that something about it is known to be wrong, with the date.

    Raises:
        StoreError: the text is empty, or a study cannot be written.
    """
    if not text.strip():
        raise StoreError("the erratum is empty; say what is wrong")
    for path in studies_in(paths):
        with open_study(path, "write") as study:
            facts = study.facts()
            study.set_facts(replace(facts, errata=(*facts.errata, f"{_today_date()}: {text.strip()}")))


def write_pairs(source: str, only: Sequence[str], measured: Sequence[str], arm: str, out: Path) -> int:
    """Write the pre-exposure pairs of a suite as JSON lines, and return how many.

    Args:
        source: the suite.
        only: ids of its tasks; empty for all.
        measured: what is measured on: registries, suites, studies, folders of studies.
        arm: whose text comes before the instruction.
        out: the file.

    Raises:
        TaskError: a task is measured on, or the file cannot be written; nothing is written then.
    """
    evaluated = [suite for place in measured for suite in _evaluated(place)]
    made = training_pairs(load_suite(source, only=only), evaluated, arm_named(arm))
    write_file(out, b"".join(msgspec.json.encode(pair) + b"\n" for pair in made), TaskError)
    return len(made)


def _evaluated(place: str) -> list[Suite]:
    """The set that is measured on, as somebody names it: a registry, a study, a folder of studies, or a suite."""
    path = Path(place)
    if path.suffix == ".toml":
        registry = read_registry(path)
        return [suite_of(registry, name) for name in SETS if registry.set_tasks(name)]
    if path.is_file() or (path.is_dir() and any(path.glob(f"*{_SUFFIX}"))):
        return [_tasks_of(study) for study in studies_in([path])]
    return [load_suite(place)]


def _tasks_of(path: Path) -> Suite:
    with open_study(path) as study:
        return Suite(name=path.name, version="", tasks=tuple(study.tasks()))


def _audit_with_usual(study: Store, path: Path, tell: Tell = tell_nobody) -> None:
    audit_study(study, USUAL_DETECTORS, partial(tell, f"auditing {path.name}"))


def _relative_place(source: str, registry: StressRegistry) -> str:
    """A suite as the registry names it: relative to its file where it lies beside or below it."""
    if source == EMBEDDED:
        return source
    folder = Path(source).resolve()
    return str(folder.relative_to(registry.folder)) if folder.is_relative_to(registry.folder) else str(folder)


def _today_date() -> str:
    return datetime.now(UTC).date().isoformat()
