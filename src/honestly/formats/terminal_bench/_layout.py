"""Where the submissions, runs and trials of a Terminal-Bench directory are.

The leaderboard's layout is `DATASET@VERSION/SUBMISSION/RUN/TASK/TRIAL/results.json`, with a run file `results.json`
(all trials of the run) and `run_metadata.json`, `tb.lock` in RUN. Real ones deviate: the dataset with `:` for `@`, run
files directly in the submission, flat `*results.json` files, a run inside a run. So a run is wherever a file is named
`*results.json` outside a trial's directory, and a trial's directory is one named `TASK.I-of-N` or `TASK.I-of-N.RUN` in
one named TASK. Directories are visited level by level, in natural order of their names, which fixes the order of
samples.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from honestly._loose import nested_dict
from honestly.errors import FormatError
from honestly.formats._agent_names import names_apart
from honestly.formats._files import Tally, directory_entries, is_folder, is_there, natural_key, read_json, storable_name
from honestly.formats._imported import figure_defects, storable_text
from honestly.records import Agent

_DATASET = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?P<mark>[@:])(?P<version>[A-Za-z0-9][A-Za-z0-9._-]*)")
_TRIAL = re.compile(r"(?P<task>.+?)\.\d+-of-\d+(\..*)?")
# Directories below a submission that are looked at; trials stand at depth 3 or 4.
_DEPTH = 8


class Submission(NamedTuple):
    """One submission, which is one agent."""

    name: str
    dataset: str
    """`NAME@VERSION`; empty where no directory says it."""
    folders: tuple[Path, ...]
    """Its directories: more than one where the dataset's directory is there in both spellings."""


class Tree(NamedTuple):
    """The content of a submission's directory."""

    run_files: list[Path]
    trials: list[Path]
    """Directories of trials."""


def find_submissions(root: Path, tally: Tally) -> list[Submission]:
    """The submissions below `root`, in natural order.

    `root` may be a directory of datasets (or the repository with `results` above it), one dataset, one submission in
    it, or any directory of runs, whose agents `agents_of` tells apart.

    Raises:
        FormatError: `root` is not a directory, or there are several datasets in it.
    """
    if not root.is_dir():
        raise FormatError(f"{root} is not a directory; give the directory with Terminal-Bench's results")
    root = root.resolve()
    if _DATASET.fullmatch(root.name):
        datasets = [root]
    elif _DATASET.fullmatch(root.parent.name):
        return [_found_submission(root.name, [root], root.parent.name)]
    else:
        datasets = _dataset_folders(root) or _dataset_folders(root / "results")
    if not datasets:
        return [_found_submission(root.name, [root], "")]
    spelled = {folder.name.replace(":", "@", 1) for folder in datasets}
    if len(spelled) > 1:
        raise FormatError(
            f"{root} contains {len(spelled)} datasets ({', '.join(sorted(spelled))}); a study is about one set of "
            "tasks: "
            "import them one by one"
        )
    found: dict[str, list[Path]] = {}
    for dataset in datasets:
        if ":" in dataset.name:
            tally.add("dataset directory with ':'", storable_name(dataset.name), "read as '@'")
        _, folders, others = directory_entries(dataset)
        for name in others:
            tally.add("link or special file", storable_name(f"{dataset.name}/{name}"), "not followed")
        for name in folders:
            found.setdefault(storable_name(name), []).append(dataset / name)
    return [_found_submission(name, found[name], datasets[0].name) for name in sorted(found, key=natural_key)]


def submission_tree(folder: Path, where: str, tally: Tally) -> Tree:
    """The run files and the trials' directories below a submission's directory."""
    tree = Tree([], [])
    level = [folder]
    for _ in range(_DEPTH):
        level = [child for parent in level for child in _visit(parent, folder, where, tree, tally)]
    if level:
        tally.add("directory too deep", where, f"more than {_DEPTH} levels; not read", len(level))
    return tree


def agents_of(
    submission: Submission, trees: list[tuple[Path, Tree]], tally: Tally
) -> list[tuple[Submission, list[tuple[Path, Tree]]]]:
    """The agents of a directory of runs, each with its part: by the metadata of a run, or the folder that it lies in.

    A submission to the leaderboard is one agent.
    """
    if submission.dataset or _CONVENTION.fullmatch(submission.name):
        return [(submission, trees)]
    ((root, tree),) = trees
    runs = list(dict.fromkeys([path.parent for path in tree.run_files] + [path.parent.parent for path in tree.trials]))
    named = {run.as_posix(): name for run in runs if (name := _run_agent(run))}
    places = {
        run.as_posix(): (*map(storable_name, run.relative_to(root).parts[:-1]), submission.name)
        for run in runs
        if run.as_posix() not in named
    }
    names, said = names_apart(places, lambda _run: {""})
    for defect in said:
        tally.count_defect(structs.replace(defect, where=submission.name))
    parts: dict[str, set[Path]] = {}
    for run in runs:
        parts.setdefault((named | names)[run.as_posix()], set()).add(run)
    for name, mine in parts.items():
        folders = sorted({run.relative_to(root).parent.as_posix() for run in mine})
        if len(folders) > 1:
            tally.add("several runs", name, f"in {', '.join(map(storable_name, folders[:5]))}: samples of one agent")
    return [
        (
            submission._replace(name=name),
            [
                (
                    root,
                    Tree(
                        [path for path in tree.run_files if path.parent in mine],
                        [path for path in tree.trials if path.parent.parent in mine],
                    ),
                )
            ],
        )
        for name, mine in parts.items()
    ] or [(submission, trees)]


def _run_agent(run: Path) -> str:
    """The agent of a run and its model, as its metadata says them."""
    metadata, lock = (_read_object(run / name, "", Tally()) for name in ("run_metadata.json", "tb.lock"))
    said = nested_dict(lock, "agent")
    agent = _storable_texts(metadata.get("agent_name"), said.get("name"))[:1]
    model = _storable_texts(metadata.get("model_name"), said.get("model_name"))[:1]
    return " ".join([*agent, *([f"({model[0]})"] if agent else model)]) if model else "".join(agent)


def _visit(folder: Path, top: Path, where: str, tree: Tree, tally: Tally) -> Iterator[Path]:
    """Note what is in one directory, and yield the directories in it that are to be visited."""
    try:
        files, folders, others = directory_entries(folder)
    except FormatError as error:
        tally.add("unreadable file", where, f"{storable_name(folder.name)} {error}")
        return
    if others:
        within = storable_name(folder.relative_to(top).as_posix())
        tally.add("link or special file", where, f"in {within}, not followed", len(others))
    tree.run_files.extend(folder / name for name in files if name.endswith("results.json"))
    for name in folders:
        trial = _TRIAL.fullmatch(name)
        if trial and trial["task"] == folder.name:
            tree.trials.append(folder / name)
        else:
            yield folder / name


def _dataset_folders(folder: Path) -> list[Path]:
    if not is_folder(folder):
        return []
    return [folder / name for name in directory_entries(folder)[1] if _DATASET.fullmatch(name)]


def _found_submission(name: str, folders: list[Path], dataset: str) -> Submission:
    return Submission(storable_name(name), dataset.replace(":", "@", 1), tuple(folders))


def read_run(path: Path, where: str, tally: Tally) -> list[object] | None:
    """The trials in a run file, as plain data; None where the file is one trial's.

    Raises:
        FormatError: it cannot be read, or is neither.
    """
    data = read_json(path)
    if not isinstance(data, dict):
        raise FormatError("contains neither a run nor a trial")
    results = data.get("results")
    if not isinstance(results, list):
        if "is_resolved" in data:
            return None
        raise FormatError("contains neither a run nor a trial: it has no list `results`")
    resolved = sum(isinstance(trial, dict) and trial.get("is_resolved") is True for trial in results)
    said = {
        "n_resolved": resolved,
        "n_unresolved": len(results) - resolved,
        "accuracy": resolved / len(results) if results else None,
    }
    for key, expected in said.items():
        for defect in figure_defects(where, key, data.get(key), expected, f"its {len(results)} trials"):
            tally.count_defect(defect)
    return results


# Who made a submission: one agent from the metadata of its runs and the name of its directory. `run_metadata.json` and
# `tb.lock` may be absent, name no model, or differ between the runs of one submission; each is a defect, and the
# agent's settings hold all that was found. The leaderboard's directories are named `DATE_AGENT_MODEL`: the model is
# taken from there only where no metadata names one.

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
        metadata = _read_object(folder / "run_metadata.json", where, tally)
        lock = _read_object(folder / "tb.lock", where, tally)
        if not metadata and not lock:
            tally.add("run metadata missing", where, "neither run_metadata.json nor tb.lock")
        programs.update(_storable_texts(metadata.get("agent_name"), nested_dict(lock, "agent").get("name")))
        models.update(_storable_texts(metadata.get("model_name"), nested_dict(lock, "agent").get("model_name")))
        harnesses.update(_storable_texts(nested_dict(lock, "harness").get("version")))
        for ids in (metadata.get("task_ids"), nested_dict(lock, "dataset").get("task_ids")):
            tasks.update(_storable_texts(*ids) if isinstance(ids, list) else ())
        said = "@".join(_storable_texts(metadata.get("dataset_name"), metadata.get("dataset_version")))
        if said and submission.dataset and said != submission.dataset:
            tally.add("dataset contradicts directory", where, f"run metadata says {said}")
    if len(harnesses) > 1:
        tally.add("harness varies", where, ", ".join(sorted(harnesses)), len(harnesses))
    agent = Agent(
        name=submission.name,
        program=", ".join(sorted(programs)),
        model=_declared_model(submission.name, models, where, tally),
        settings={"dataset": submission.dataset, "harness": ", ".join(sorted(harnesses))},
    )
    return agent, tasks


def _declared_model(name: str, models: set[str], where: str, tally: Tally) -> str:
    convention = _CONVENTION.fullmatch(name)
    if len(models) > 1:
        tally.add("model varies", where, ", ".join(sorted(models)), len(models))
    if models:
        if convention is None and not any(model in name for model in models):
            tally.add("model not in directory name", where, f"run metadata says {', '.join(sorted(models))}; kept")
        return ", ".join(sorted(models))
    if convention is None:
        tally.add("model missing", where, "neither in the run metadata nor in the directory's name; kept as unknown")
        return ""
    tally.add("model not in run metadata", where, f"taken from the directory's name: {convention['model']}")
    return convention["model"]


def _read_object(path: Path, where: str, tally: Tally) -> dict[str, object]:
    if not is_there(path):
        return {}
    try:
        return nested_dict(read_json(path))
    except FormatError as error:
        tally.add("unreadable file", where, f"{path.name} {error}")
        return {}


def _storable_texts(*values: object) -> list[str]:
    return [storable_text(v[:_TEXT]) for v in values if isinstance(v, str) and v]
