"""Who made a submission: one agent from the metadata of its runs and the name of its directory.

`run_metadata.json` and `tb.lock` lie beside a run file, where they were kept. They may be absent, name no model, or
differ between the runs of one submission; each is a defect, and the agent's settings hold all that was found. The
leaderboard's directories are named `DATE_AGENT_MODEL`: the model is taken from there only where no metadata names one.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from honestly.errors import FormatError
from honestly.formats._files import is_there, read_json
from honestly.formats._tally import Tally
from honestly.formats.terminal_bench._layout import Submission
from honestly.records import Agent

_CONVENTION = re.compile(r"\d{8}_(?P<agent>[^_]+)_(?P<model>.+)")
_TEXT = 500


def describe_agent(
    submission: Submission, run_folders: Iterable[Path], where: str, tally: Tally
) -> tuple[Agent, set[str]]:
    """The agent, and the ids of all tasks that its runs were asked to do (empty where no metadata says)."""
    programs: set[str] = set()
    models: set[str] = set()
    harnesses: set[str] = set()
    tasks: set[str] = set()
    for folder in dict.fromkeys(run_folders):
        metadata = _read(folder / "run_metadata.json", where, tally)
        lock = _read(folder / "tb.lock", where, tally)
        if not metadata and not lock:
            tally.add("run metadata missing", where, "neither run_metadata.json nor tb.lock")
        programs.update(_texts(metadata.get("agent_name"), _part(lock, "agent").get("name")))
        models.update(_texts(metadata.get("model_name"), _part(lock, "agent").get("model_name")))
        harnesses.update(_texts(_part(lock, "harness").get("version")))
        for ids in (metadata.get("task_ids"), _part(lock, "dataset").get("task_ids")):
            tasks.update(_texts(*ids) if isinstance(ids, list) else ())
        said = _dataset(metadata)
        if said and submission.dataset and said != submission.dataset:
            tally.add("dataset contradicts directory", where, f"run metadata says {said}")
    if len(harnesses) > 1:
        tally.add("harness varies", where, ", ".join(sorted(harnesses)), len(harnesses))
    agent = Agent(
        name=submission.name,
        program=", ".join(sorted(programs)),
        model=_model(submission.name, models, where, tally),
        settings={"dataset": submission.dataset, "harness": ", ".join(sorted(harnesses))},
    )
    return agent, tasks


def _model(name: str, models: set[str], where: str, tally: Tally) -> str:
    convention = _CONVENTION.fullmatch(name)
    if len(models) > 1:
        tally.add("model varies", where, ", ".join(sorted(models)), len(models))
    if models:
        if convention is None:
            tally.add("model not in directory name", where, f"run metadata says {', '.join(sorted(models))}; kept")
        return ", ".join(sorted(models))
    if convention is None:
        tally.add("model missing", where, "neither in the run metadata nor in the directory's name; kept as unknown")
        return ""
    tally.add("model not in run metadata", where, f"taken from the directory's name: {convention['model']}")
    return convention["model"]


def _read(path: Path, where: str, tally: Tally) -> dict[str, object]:
    if not is_there(path):
        return {}
    try:
        data = read_json(path)
    except FormatError as error:
        tally.add("unreadable file", where, f"{path.name} {error}")
        return {}
    return data if isinstance(data, dict) else {}


def _part(data: dict[str, object], key: str) -> dict[str, object]:
    part = data.get(key)
    return part if isinstance(part, dict) else {}


def _texts(*values: object) -> list[str]:
    return [v[:_TEXT].encode("utf-8", "replace").decode() for v in values if isinstance(v, str) and v]


def _dataset(metadata: dict[str, object]) -> str:
    return "@".join(_texts(metadata.get("dataset_name"), metadata.get("dataset_version")))
