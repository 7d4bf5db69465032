"""Setting results aside whose task or agent has changed, so that the study goes on without them.

The study as it was stays whole under a name of its own beside it (`NAME.before-1.honestly`), where every command reads
it. In its place stands a copy without the stale trials, which says in its facts what was set aside, and why. Nobody
writes the study while it is copied, and the two change places in one step: whoever is killed meanwhile has the one or
the other.

Not covered: what rooms keep beside the trials (queues of reviews, classifiers, views) stays with the old study, and
studies that are no files.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from honestly.errors import StoreError
from honestly.records import Stale
from honestly.store import Item, Store, create_study, is_address, open_study, replace_study


def set_stale_aside(path: Path, stale: Sequence[Stale]) -> Path:
    """Takes stale results out of a study; returns the file where all that it held before lies.

    Args:
        path: the study.
        stale: what has changed; trials of these tasks and agents do not stay.

    Raises:
        StoreError: it may stop early, so that what it has seen must stay; or it cannot be written.
        StudyBusyError: somebody has it open.
    """
    if is_address(path):
        raise StoreError(
            f"{path} is in a database, where results of changed tasks and agents cannot be set aside; give the run a "
            "new study with --out, or copy this one into a file first (honestly study copy)"
        )
    kept = next(name for name in _backup_paths(path) if not name.exists() or name.samefile(path))
    part, ours = path.with_name(f"{path.name}.part"), False

    def make() -> None:
        nonlocal ours
        ours = True
        kept.unlink(missing_ok=True)  # if a kill left it, as a second name of the study
        _remove_part(part)
        with open_study(path) as old:
            if old.facts().stopping_rule or old.facts().registration:
                raise StoreError(
                    f"{path} has a stopping rule or a pre-registration, which are about the tasks as they were; give "
                    "the run a new file with --out"
                )
            with create_study(part) as new:
                facts = old.facts()
                now = datetime.now(UTC).isoformat(timespec="seconds")
                noted = (replace(each, kept_in=kept.name, at=now) for each in stale if each.trials)
                new.set_facts(replace(facts, stale=(*facts.stale, *noted)))
                new.add(_fresh_items(old, stale))

    try:
        replace_study(path, part, kept.name, make)
    finally:
        if ours:  # else it may be that of another process at work on the study
            _remove_part(part)
    return kept


def _backup_paths(path: Path) -> Iterator[Path]:
    return (path.with_name(f"{path.stem}.before-{number}{path.suffix}") for number in count(1))


def _fresh_items(old: Store, stale: Sequence[Stale]) -> Iterator[Item]:
    tasks = {each.name for each in stale if each.kind == "task"}
    agents = {each.name for each in stale if each.kind == "agent"}
    yield from (agent for agent in old.agents() if agent.name not in agents)
    yield from (task for task in old.tasks() if task.id not in tasks)
    stay = set[str]()
    for trial in old.trials():
        if trial.task not in tasks and trial.agent not in agents:
            stay.add(trial.id)
            artifacts = {name: old.artifact_pieces(trial.id, name) for name in old.artifacts(trial.id)}
            yield trial, old.trajectory(trial.id), artifacts
    yield from (finding for finding in old.findings() if finding.trial in stay)
    yield from (review for review in old.reviews() if review.trial in stay)
    yield from old.defects()


def _remove_part(part: Path) -> None:
    for ending in ("", "-wal", "-shm", "-lock", "-journal"):  # no pattern: what else begins so is somebody's
        part.with_name(part.name + ending).unlink(missing_ok=True)
