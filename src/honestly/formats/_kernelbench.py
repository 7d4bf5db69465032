"""Graded GPU kernels, as kernelbench.com publishes them, as agents, tasks, trials and defects.

A run is a row of `labels.jsonl`, or a file `rundetail/BENCH/RUN.json`, which counts where both say something. Of either
only what was measured is read: who did which problem, whether the kernel is correct, and its fraction of the machine's
peak, which is the score. What auditors say of a run stays outside. The graded solution, `code/BENCH/RUN.py`, is what
the trial left (`solution.py`); a run without it left nothing that is known, so that whoever needs files cannot read it.

Not covered: `transcripts/`, sessions rendered as HTML, whose outputs and arguments the site shortened: steps made of
them would look whole, and are not. They are counted.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from honestly._loose import count_of, nested_dict
from honestly.errors import FormatError
from honestly.formats._files import Tally, files_below, is_folder, is_there, read_bytes, read_json, storable_name
from honestly.formats._imported import Imported, ImportProgress, number_of, storable_text
from honestly.formats._rows import problem_rows
from honestly.formats._sources import imported_trial
from honestly.records import Agent, Defect, Edit, Outcome, Tags, Task, Tree, Trial, Usage, digest, encode

_LABELS, _DETAILS, _CODE = "labels.jsonl", "rundetail", "code"
_LARGEST = 16 << 20
# A plain name: names of runs become parts of paths.
_NAME = re.compile(r"(?!\.)[\w.@+-]{1,200}", re.ASCII)
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]+")
_MEASURED = ("run_id", "bench", "harness", "model", "problem")


def read_kernelbench(root: Path, progress: ImportProgress | None = None) -> Iterator[Agent | Task | Imported | Defect]:
    """Read the runs below `root`: agents and tasks before the trials that name them, defects last.

    Args:
        root: a directory with `labels.jsonl` or `rundetail/`, and mostly `code/`.
        progress: called after each run.

    Raises:
        FormatError: there is no such directory, or no run in it.
    """
    if not is_folder(root):
        raise FormatError(f"{root} is not a directory; expected one with {_LABELS} or {_DETAILS}/")
    tally = Tally()
    runs = _runs_by_id(root, tally)
    if not runs:
        raise FormatError(
            f"{root} contains no run: neither rows with {', '.join(_MEASURED)} in {_LABELS} nor {_DETAILS}/"
        )
    known: set[str] = set()
    cells: Counter[tuple[str, str]] = Counter()
    for number, (run, said) in enumerate(sorted(runs.items()), 1):
        agent = Agent(name=f"{said['harness']} {said['model']}", program=said["harness"], model=said["model"])  # type: ignore[arg-type]
        task = Task(
            id=_NOT_IN_IDS.sub("-", f"{said['bench']}.{said['problem']}"),
            instruction="",
            tags=Tags(category="performance", language="python"),
        )
        for record, name in ((agent, f"agent {agent.name}"), (task, f"task {task.id}")):
            if name not in known:
                known.add(name)
                yield record
        final = _final(root, f"{_CODE}/{said['bench']}/{run}.py", tally)
        cell = agent.name, task.id
        made = replace(_run_trial(run, said, tally), agent=agent.name, task=task.id, sample=cells[cell])
        yield Imported(made, None, final)
        cells[cell] += 1
        if progress is not None:
            progress(run, number)
    sessions = sum(1 for _ in files_below(root, Tally(), ".html.gz"))
    if sessions:
        tally.add("session not read", "transcripts", "sessions as HTML, which the site shortened", sessions)
    yield from tally.defects()


def recognises(root: Path) -> bool:
    """Whether the first row of `labels.jsonl`, or the first file below `rundetail/`, is a run."""
    if not is_folder(root):
        return False
    try:
        if is_there(root / _LABELS):
            return _is_run(next(problem_rows(root / _LABELS, links=False), ("", {}))[1])
        first = next(files_below(root / _DETAILS, Tally(), ".json"), "") if is_folder(root / _DETAILS) else ""
        return bool(first) and _is_run(nested_dict(read_json(root / _DETAILS / first)))
    except FormatError:
        return False


def _is_run(said: Mapping[str, object]) -> bool:
    return all(isinstance(said.get(name), str) and said[name] for name in _MEASURED)


def _runs_by_id(root: Path, tally: Tally) -> dict[str, dict[str, object]]:
    """The facts of each run, by its id."""
    runs: dict[str, dict[str, object]] = {}

    def add(said: Mapping[str, object], where: str) -> None:
        if not _is_run(said):
            tally.count_refused("unreadable run", where, f"expected {', '.join(_MEASURED)}; not imported")
            return
        clean = {key: storable_text(value) if isinstance(value, str) else value for key, value in said.items()}
        if not (_NAME.fullmatch(str(clean["run_id"])) and _NAME.fullmatch(str(clean["bench"]))):
            tally.count_refused("unreadable run", where, "its id or bench is no plain name; not imported")
            return
        before = runs.setdefault(str(clean["run_id"]), {})
        if any(before.get(name, clean[name]) != clean[name] for name in _MEASURED):
            tally.add("run varies", where, f"{clean['run_id']}: the last one counts")
        before.update({key: value for key, value in clean.items() if value is not None})

    if is_there(root / _LABELS):
        try:
            for _, row in problem_rows(root / _LABELS, links=False):
                add(row, _LABELS)
        except FormatError as error:
            tally.add("unreadable file", _LABELS, f"{error}; what stands after it is lost")
    if is_folder(root / _DETAILS):
        for name in files_below(root / _DETAILS, tally, ".json"):
            where = f"{_DETAILS}/{storable_name(name)}"
            try:
                add(nested_dict(read_json(root / _DETAILS / name)), where)
            except FormatError as error:
                tally.add("unreadable file", where, str(error))
    return runs


def _final(root: Path, name: str, tally: Tally) -> dict[str, bytes]:
    """The graded solution, as the artifact in which a study keeps what a trial left."""
    if not all(is_folder(folder) for folder in (root / _CODE, (root / name).parent)) or not is_there(root / name):
        tally.add("no solution", _CODE, f"{storable_name(name)} is not there; imported without files")
        return {}
    try:
        data = read_bytes(root / name, _LARGEST)
    except FormatError as error:
        tally.add("unreadable file", storable_name(name), str(error))
        return {}
    return {"final.json": encode(Edit(write=Tree.of({"solution.py": data})))}


def _run_trial(run: str, said: Mapping[str, object], tally: Tally) -> Trial:
    """A trial that still lacks its agent, its task and its sample."""
    outcome, score, reason = _graded_outcome(run, said, tally)
    stats = nested_dict(said, "stats")
    usage = Usage(
        input_tokens=count_of(stats.get("input_tokens")) or None,
        output_tokens=count_of(stats.get("output_tokens")) or None,
        usd=number_of(stats.get("cost_usd")),
    )
    seconds, agent_seconds = number_of(stats.get("total_s")), number_of(stats.get("agent_s"))
    made = imported_trial(
        run, outcome, reason=reason, score=score, usage=usage, seconds=seconds, agent_seconds=agent_seconds
    )
    return replace(made, id=digest("kernelbench", run))


def _graded_outcome(run: str, said: Mapping[str, object], tally: Tally) -> tuple[Outcome, float | None, str]:
    """Outcome, score and reason; only the whole of the peak would have passed."""
    correct, share = said.get("correct"), number_of(said.get("peak_fraction"))
    if correct is False:
        failure = said.get("failure_reason")
        return Outcome.FAILED, None, failure[:200] if isinstance(failure, str) else "not correct"
    if share is None:
        tally.add("no score", _LABELS, f"{run}: correct, or not known to be, and no fraction of the peak; void")
        return Outcome.VOID, None, "no score"
    if share > 1:
        tally.add("score beyond 1", _LABELS, f"{run}: {share:g} of the peak, which no kernel reaches; void")
        return Outcome.VOID, None, "score beyond 1"
    if correct is not True:
        tally.add("correctness not said", _LABELS, f"{run}: its score counts")
    return (Outcome.PASSED, None, "") if share == 1 else (Outcome.FAILED, share, "")
