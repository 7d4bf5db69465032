"""Trials written as ATIF, a file each, or as ADP, a line each; what a format cannot say is left out, with a reason."""

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from pathlib import Path

from honestly.errors import FormatError
from honestly.formats._adp import to_adp
from honestly.formats._seams import Exported
from honestly.formats.atif._codec import AtifTask, to_atif

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_NOTHING = "it has no trajectory"


def export_atif(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Writes `AGENT/TASK/SAMPLE.json` for each trial, pictures beside it."""
    for trial, agent, task, trajectory in trials:
        if trajectory is None or not trajectory.steps:
            yield _NOTHING
            continue
        told = AtifTask(id=task.id, version=task.version, instruction=task.instruction, tags=task.tags)
        document = to_atif(trajectory, agent, trial=trial, task=told)
        place = folder / safe_name(trial.agent) / safe_name(trial.task)
        write_files(place, {f"{trial.sample}.json": document.data, **document.images})
        yield ""


def export_adp(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Writes a line of `full_std.jsonl` for each trial, pictures beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "full_std.jsonl").open("wb") as file:
        for trial, agent, task, trajectory in trials:
            if trajectory is None or not trajectory.steps:
                yield _NOTHING
                continue
            try:
                line = to_adp(trajectory, trial, agent, task.tags)
            except FormatError as error:
                yield f"{trial.id}: {error}"
                continue
            file.write(line.data + b"\n")
            write_files(folder, line.images)
            yield ""


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Writes files by their paths below `folder`, which need not be there yet."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def safe_name(name: str) -> str:
    """A file name that is valid everywhere; a changed name gets a hash, so that names stay different."""
    plain = _UNSAFE.sub("_", name)[:100]
    if plain == name and name.strip("."):
        return name
    return f"{plain.lstrip('.')}-{blake2b(name.encode(), digest_size=8).hexdigest()}"
