"""What the stress commands do, apart from their options: kept from `_stress.py` so that help loads none of it."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import anyio
import msgspec
from msgspec.structs import replace

from honestly.agents import arm_named
from honestly.audit import DETECTORS, audit_study
from honestly.cli._options import Tried, progress_bar, say
from honestly.cli._study import actors_of, on_this_machine, open_or_create, run_study
from honestly.errors import StoreError, TaskError
from honestly.people import labels_of
from honestly.records import Agent, Suite, Task
from honestly.runner import Plan, unfinished_folder
from honestly.sandbox import open_sandbox
from honestly.store import Store, open_study
from honestly.stress import (
    SETS,
    Effect,
    JudgedSet,
    StressRegistry,
    disclosure_effects,
    effects_between,
    effects_within,
    hacked_tasks,
    impossible_entries,
    judged_sets,
    own_entries,
    read_registry,
    refilled,
    reward_effects,
    suite_of,
    training_pairs,
    write_registry,
)
from honestly.studies import RunSettings
from honestly.tasks import EMBEDDED, load_suite
from honestly.verify import check_task

_SUFFIX = ".honestly"


def begun(path: Path, suites: Sequence[str], own: int, seed: int) -> StressRegistry:
    """A new registry from suites, written."""
    registry = StressRegistry(path.resolve().parent)
    for source in suites:
        suite, place = load_suite(source), _place(source, registry)
        registry = registry.adding("own", own_entries(suite, place, own, seed, _today()))
        registry = registry.adding("impossible", impossible_entries(suite, place, _today()))
    write_registry(registry, path)
    return registry


def refill_from(
    path: Path, studies: Iterable[Path], source: str, *, impossible: bool, prove: bool, unsafe: bool
) -> tuple[StressRegistry, list[str]]:
    """The registry with what the studies confirm, written; and why tasks were refused."""
    registry, suite = read_registry(path), load_suite(source)
    place, refused = _place(source, registry), list[str]()
    if impossible:
        registry = registry.adding("impossible", impossible_entries(suite, place, _today()))
    proves = partial(_objection, unsafe=unsafe) if prove else None
    for study in studies_in(studies):
        with open_study(study, "write") as opened:
            _audited(opened, quiet=False)
            people = {trial: said.label for trial, said in labels_of(opened.reviews()).items() if said.decided}
            seen = hacked_tasks(opened, people)
        entries, not_taken = anyio.run(refilled, seen, suite, place, proves, _today())
        registry = registry.adding("hacked-before", entries)
        refused += [f"{one.task}: {one.reason}" for one in not_taken]
    write_registry(registry, path)
    return registry, refused


async def _objection(task: Task, *, unsafe: bool) -> str:
    """What speaks against the reference of a task; empty where it passes."""
    if task.hidden is None:
        return "its hidden part is not known"
    claims = (await check_task(task, partial(open_sandbox, unsafe=unsafe))).claims
    against = [claim for claim in claims if claim.about == "reference" and not claim.holds]
    return "; ".join(f"it does not hold that {claim.text} ({claim.detail})" for claim in against)


def run_sets(path: Path, sets: Sequence[str], folder: Path, tried: Tried, *, quiet: bool) -> int:
    """Runs the sets of a registry, each into its own study, and audits it; returns how many trials were void."""
    registry = read_registry(path)
    wanted = [name for name in SETS if name in sets] or [name for name in SETS if registry.of(name)]
    if not wanted:
        raise TaskError(f"all sets of {path} are empty; honestly stress refill fills them")
    folder.mkdir(parents=True, exist_ok=True)
    void = 0
    for name in wanted:
        suite, left_out = on_this_machine(suite_of(registry, name))
        plan = Plan(suite, actors_of(tried, suite), tried.samples, tried.seed, left_out=left_out)
        out = folder / f"{name}-{registry.version(name)}{_SUFFIX}"
        with open_or_create(out) as study:
            study.set_facts(replace(study.facts(), stress_set=name, stress_version=registry.version(name)))
            how = RunSettings(jobs=tried.jobs, unsafe=tried.unsafe, unfinished=unfinished_folder(out))
            state = run_study(plan, study, how, quiet=quiet)
            _audited(study, quiet=quiet)
        void += state.void
        say(f"{name}: {state.done} of {state.total} trials are in {out}")
    return void


def studies_in(paths: Iterable[Path]) -> list[Path]:
    """The studies that are named, and those in folders that are named.

    Raises:
        TaskError: a folder holds none.
    """
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob(f"*{_SUFFIX}")) if path.is_dir() else [path]
        if not inside:
            raise TaskError(f"{path} holds no studies (files that end with {_SUFFIX})")
        found += inside
    return found


def judged_in(paths: Iterable[Path], *, quiet: bool) -> list[JudgedSet]:
    """The sets of all studies, audited where that is still to be done."""
    sets: list[JudgedSet] = []
    for path in studies_in(paths):
        with open_study(path, "write") as study:
            _audited(study, quiet=quiet)
            sets += judged_sets(study)
    return sets


def effects_in(paths: Iterable[Path], against: Path | None, level: float) -> list[Effect]:
    """What each lever changes in these studies; where `against` is given, also against that study, set by set."""
    baseline: list[tuple[JudgedSet, list[Agent]]] = []
    for path in studies_in([against] if against is not None else []):
        with open_study(path, "write") as study:
            _audited(study, quiet=True)
            baseline += [(judged, study.agents()) for judged in judged_sets(study)]
    effects: list[Effect] = []
    for path in studies_in(paths):
        with open_study(path, "write") as study:
            _audited(study, quiet=True)
            for judged in judged_sets(study):
                for other, before in _counterparts(judged, baseline):
                    effects += effects_between(judged, other, study.agents(), before, level)
                effects += [
                    *effects_within(judged, level),
                    *reward_effects(judged, study.cells(), level),
                    *disclosure_effects(judged, level),
                ]
    return effects


def _counterparts(
    judged: JudgedSet, baseline: Sequence[tuple[JudgedSet, list[Agent]]]
) -> list[tuple[JudgedSet, list[Agent]]]:
    """The baseline's set of the same name; where names differ, the only one that counts the same."""
    alike = [each for each in baseline if each[0].judge.measure == judged.judge.measure]
    named = [each for each in alike if each[0].name == judged.name]
    return named or (alike if len(alike) == 1 else [])


def add_erratum(paths: Iterable[Path], text: str) -> None:
    """Keeps in each study that something about it is known to be wrong, with the date."""
    if not text.strip():
        raise StoreError("an erratum says what is wrong, and this one is empty")
    for path in studies_in(paths):
        with open_study(path, "write") as study:
            facts = study.facts()
            study.set_facts(replace(facts, errata=(*facts.errata, f"{_today()}: {text.strip()}")))


def write_pairs(source: str, only: Sequence[str], measured: Sequence[str], arm: str, out: Path) -> int:
    """Writes the pre-exposure pairs of a suite; returns how many."""
    evaluated = [suite for place in measured for suite in _evaluated(place)]
    made = training_pairs(load_suite(source, only=only), evaluated, arm_named(arm))
    part = out.with_name(f"{out.name}.part")
    try:
        part.write_bytes(b"".join(msgspec.json.encode(pair) + b"\n" for pair in made))
        part.replace(out)
    except OSError as error:
        raise TaskError(f"cannot write {out}: {error.strerror or error}") from error
    return len(made)


def _evaluated(place: str) -> list[Suite]:
    """What is measured on, as somebody names it: a registry, a study, a folder of studies, or a suite."""
    path = Path(place)
    if path.suffix == ".toml":
        registry = read_registry(path)
        return [suite_of(registry, name) for name in SETS if registry.of(name)]
    if path.is_file() or (path.is_dir() and any(path.glob(f"*{_SUFFIX}"))):
        return [_tasks_of(study) for study in studies_in([path])]
    return [load_suite(place)]


def _tasks_of(path: Path) -> Suite:
    with open_study(path) as study:
        return Suite(name=path.name, version="", tasks=tuple(study.tasks()))


def summary(registry: StressRegistry) -> dict[str, object]:
    """What a registry holds, for people and as JSON."""
    return {name: f"{len(registry.of(name))} tasks, version {registry.version(name)}" for name in SETS}


def _audited(study: Store, *, quiet: bool) -> None:
    with progress_bar("auditing", quiet=quiet) as line:
        audit_study(study, DETECTORS, line)


def _place(source: str, registry: StressRegistry) -> str:
    """A suite as the registry names it: relative to its file where it lies beside or below it."""
    if source == EMBEDDED:
        return source
    folder = Path(source).resolve()
    return str(folder.relative_to(registry.folder)) if folder.is_relative_to(registry.folder) else str(folder)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
