"""Terminal-Bench's results as agents, tasks, trials and defects.

Run files are the authority: they are what the leaderboard counts, and the only complete record (in the published data a
quarter of the trials have no file of their own). A trial's own file is read to compare, and instead of the run file
where that is lost. Everything odd is counted as a `Defect` and handed on at the end; nothing is dropped or guessed in
silence.

One run is held in memory at a time. What grows with the input is small: ids of one submission's trials, to notice
repetition, and counts by task.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from honestly.errors import FormatError
from honestly.formats._files import Tally, files_below, is_folder, is_there, natural_key, read_json, storable_name
from honestly.formats._heads import Head
from honestly.formats._imported import Imported, ImportProgress
from honestly.formats.terminal_bench._layout import (
    Submission,
    Tree,
    agents_of,
    describe_agent,
    find_submissions,
    read_run,
    submission_tree,
)
from honestly.formats.terminal_bench._logs import read_logs
from honestly.formats.terminal_bench._result import Result, parse_result
from honestly.records import Agent, Defect, Task, Trial, digest

# Files that are looked at to recognise it, a directory's own before those deeper down.
_MOST_NAMES = 5000


def read_terminal_bench(
    root: Path, progress: ImportProgress | None = None
) -> Iterator[Agent | Task | Imported | Defect]:
    """Read Terminal-Bench's results below `root`, in an order in which a store can take them.

    An agent or a task comes before the first trial that names it, the defects come last. Agents are named after the
    submission's directory, tasks have their instruction and no files. Samples of a cell are numbered from 0 in the
    order of run directories (level by level, natural order of names), within a run of trial names. A trial's id is the
    hash of submission, run and trial name, its source the path of its directory below `root`, or of the run file.

    Args:
        root: a directory of datasets (or the repository above it), one dataset, one submission, or any directory of
            runs, each of the agent and model that its metadata names.
        progress: called after each run.

    Raises:
        FormatError: there is no such directory, it holds several datasets, or no trial at all.
    """
    tally = Tally()
    submissions = find_submissions(root, tally)
    return _Reader(root.resolve(), tally, progress or (lambda _where, _trials: None)).read(submissions)


def recognises(root: Path) -> bool:
    """Whether a JSON file below `root` has the names that Terminal-Bench gives to the parts of a trial."""
    names = (name for name in files_below(root, Tally()) if name.endswith("results.json")) if is_folder(root) else ()
    heads = (Head(root, name) for name in islice(names, _MOST_NAMES))
    return any(
        b'"task_id"' in ends and b'"is_resolved"' in ends for head in heads if (ends := head.start + head.last_bytes)
    )


class _Reader:
    def __init__(self, root: Path, tally: Tally, progress: ImportProgress) -> None:
        self.root = root
        self.tally = tally
        self.progress = progress
        self.trials = 0
        # Hash of the instruction by task.
        self.tasks: dict[str, str] = {}
        # By task: how many trials have this number and hash of tests.
        self.tests: dict[str, Counter[tuple[int, str]]] = {}
        # Tasks by submission.
        self.done: dict[str, set[str]] = {}

    def read(self, submissions: list[Submission]) -> Iterator[Agent | Task | Imported | Defect]:
        for submission in submissions:
            trees = [
                (folder, submission_tree(folder, _relative_place(self.root, folder), self.tally))
                for folder in submission.folders
            ]
            for agent, own in agents_of(submission, trees, self.tally):
                yield from _SubmissionReader(self, agent, own).read()
        if not self.trials:
            raise FormatError(
                f"{self.root} contains no trial of Terminal-Bench; expected DATASET@VERSION/SUBMISSION/RUN/results.json"
            )
        for task, lists in self.tests.items():
            if len(lists) > 1:
                (_, most), *rest = lists.most_common()
                sizes = sorted({n for n, _ in lists})
                detail = f"{len(lists)} lists of {', '.join(map(str, sizes))} tests; {most} trials have the most common"
                self.tally.add("test list varies", f"task {task}", detail, sum(n for _, n in rest))
        for name, tasks in self.done.items():
            lacking = sorted(self.tasks.keys() - tasks)
            if lacking:
                detail = f"others have {', '.join(lacking[:10])}"
                self.tally.add("task of others without trials", name, detail, len(lacking))
        yield from self.tally.defects()

    def task(self, result: Result, dataset: str) -> Iterator[Task]:
        """The task of a result, where it is the first one."""
        instruction = digest(result.instruction)
        known = self.tasks.setdefault(result.task, "")
        if not known:
            self.tasks[result.task] = instruction
            yield Task(id=result.task, version=dataset or "1", instruction=result.instruction)
        elif known != instruction:
            self.tally.add("instruction varies", f"task {result.task}", "the first one met is kept")

    def count_tests(self, result: Result) -> None:
        """Note which tests were reported for the task."""
        run = result.trial.verdict.hidden
        if run is not None:
            names = sorted(check.id for check in run.checks)
            self.tests.setdefault(result.task, Counter())[len(names), digest(names)] += 1


class _SubmissionReader:
    def __init__(self, reader: _Reader, submission: Submission, trees: list[tuple[Path, Tree]]) -> None:
        self.reader = reader
        self.tally = reader.tally
        self.submission, self.trees = submission, trees
        self.where = self._relative_place(submission.folders[0])
        # Hash of a trial by the id that Terminal-Bench gave it.
        self.seen: dict[str, str] = {}
        # The ids that we gave.
        self.ids: set[str] = set()
        # Trials by task.
        self.samples: Counter[str] = Counter()
        # Tasks that the runs were asked to do; empty where nothing says.
        self.asked: set[str] = set()
        # Directories of trials that no run file has named yet.
        self.unclaimed: dict[Path, None] = {}
        # Directories whose run file could be read.
        self.complete: set[Path] = set()

    def read(self) -> Iterator[Agent | Task | Imported]:
        self.unclaimed = {path: None for _, tree in self.trees for path in tree.trials}
        run_files = [(folder, path) for folder, tree in self.trees for path in tree.run_files]
        if not run_files and not self.unclaimed:
            self.tally.add("submission without trials", self.where, "neither run files nor trials; not an agent")
            return
        owners = [path.parent for _, path in run_files] or [path.parent.parent for path in self.unclaimed]
        agent, self.asked = describe_agent(self.submission, owners, self.where, self.tally)
        yield agent
        for folder, path in run_files:
            yield from self._run_file(folder, path)
        yield from self._orphan_trials()
        self._note_unbalanced()
        self.reader.done[self.submission.name] = set(self.samples)

    def _run_file(self, top: Path, path: Path) -> Iterator[Task | Imported]:
        where = self._relative_place(path)
        try:
            results = read_run(path, where, self.tally)
        except FormatError as error:
            self.tally.count_refused("unreadable file", where, str(error))
            return
        if results is None:
            self.tally.count_refused(
                "trial outside a run", where, "a trial's file where a run's should be; not imported"
            )
            return
        self.complete.add(path.parent)
        # Count a run file that is not where the leaderboard wants it.
        depth = len(path.relative_to(top).parts)
        if depth == 1:
            kind = "no run directory" if path.name == "results.json" else "flat run file"
            self.tally.add(kind, self._relative_place(path), "in the submission's own directory")
        elif depth > 2:
            self.tally.add("run inside a run", self._relative_place(path), "read like any other")
        new: list[tuple[Result, Path]] = []
        repeated = 0
        for data in results:
            try:
                result = parse_result(data)
            except FormatError as error:
                self.tally.count_refused("unreadable trial", where, f"{error}; not imported")
                continue
            folder = path.parent / result.task / result.name
            self.unclaimed.pop(folder, None)
            if self._is_repeated(result, where):
                repeated += 1
            else:
                self._compare(result, folder, where)
                new.append((result, folder))
        if repeated:
            kind = "duplicate trial" if new else "duplicate run"
            self.tally.count_refused(kind, where, "the same ids and content as before; not imported again", repeated)
        run = storable_name(path.relative_to(top).as_posix())
        for result, folder in sorted(new, key=lambda item: natural_key(item[0].name)):
            yield from self._read_trial(result, run, folder, where)
        self.reader.progress(where, self.reader.trials)

    def _orphan_trials(self) -> Iterator[Task | Imported]:
        """Trials that are in no run file: imported if their run has none that can be read."""
        for folder in self.unclaimed:
            run = folder.parent.parent
            where = self._relative_place(run)
            try:
                result = parse_result(read_json(folder / "results.json"))
            except FormatError as error:
                self.tally.count_refused(
                    "unreadable trial", where, f"{storable_name(folder.name)}: {error}; not imported"
                )
                continue
            if run in self.complete:
                self.tally.count_refused("trial not in run file", where, f"{result.name}; not imported")
            elif self._is_repeated(result, where):
                self.tally.count_refused(
                    "duplicate trial", where, "the same ids and content as before; not imported again"
                )
            else:
                self.tally.add("run file missing", where, "trials are read from their own files")
                yield from self._read_trial(result, storable_name(run.name), folder, where)

    def _read_trial(self, result: Result, run: str, folder: Path, where: str) -> Iterator[Task | Imported]:
        identity = digest("terminal-bench", self.submission.name, run, result.task, result.name)
        if identity in self.ids:
            self.tally.count_refused("trial name repeated", where, f"{result.name}; only the first is imported")
            return
        self.ids.add(identity)
        for kind, detail in result.defects:
            self.tally.add(kind, where, detail)
        if self.asked and result.task not in self.asked:
            self.tally.add("task not in the dataset", where, f"{result.task}; imported")
        yield from self.reader.task(result, self.submission.dataset)
        exists = _is_own(folder)
        trajectory, artifacts = read_logs(folder, where, self.tally) if exists else (None, {})
        self.reader.count_tests(result)
        trial = replace(
            result.trial,
            id=identity,
            agent=self.submission.name,
            task=result.task,
            sample=self.samples[result.task],
            source=self._relative_place(folder) if exists else where,
        )
        self.samples[result.task] += 1
        self.reader.trials += 1
        yield Imported(trial, trajectory, artifacts)

    def _compare(self, result: Result, folder: Path, where: str) -> None:
        path = folder / "results.json"
        if not _is_own(folder) or not is_there(path):
            self.tally.add("trial file missing", where, "the run file alone has these trials")
            return
        try:
            own = parse_result(read_json(path))
        except FormatError as error:
            self.tally.add("trial file unreadable", where, f"{result.name}: {error}; the run file counts")
            return
        pairs = ((result, own, Result._fields[:-2]), (result.trial, own.trial, Trial.__struct_fields__))
        differing = [key for one, two, keys in pairs for key in keys if getattr(one, key) != getattr(two, key)]
        if differing:
            detail = f"{result.name}: {', '.join(differing)}; the run file counts"
            self.tally.add("trial file disagrees", where, detail)

    def _is_repeated(self, result: Result, where: str) -> bool:
        if not result.uid:
            self.tally.add("trial without id", where, "a repetition of it could not be noticed")
            return False
        content = digest(*result[1:-1])
        known = self.seen.get(result.uid)
        if known is None:
            self.seen[result.uid] = content
            return False
        if known != content:
            self.tally.add("duplicate differs", where, f"{result.name}: other content under the same id")
        return True

    def _note_unbalanced(self) -> None:
        """Count the cells with another number of samples than most, and tasks that were never done."""
        if not self.samples:
            return
        sizes = Counter(self.samples.values())
        usual = max(sizes, key=lambda n: (sizes[n], n))
        odd = sorted(task for task, n in self.samples.items() if n != usual)
        if odd:
            detail = f"{usual} samples are usual; " + ", ".join(f"{task} has {self.samples[task]}" for task in odd[:10])
            self.tally.add("wrong number of samples", self.where, detail, len(odd))
        undone = sorted(self.asked - self.samples.keys())
        if undone:
            self.tally.add("task without trials", self.where, ", ".join(undone[:10]), len(undone))

    def _relative_place(self, path: Path) -> str:
        return _relative_place(self.reader.root, path)


def _relative_place(root: Path, path: Path) -> str:
    place = path.relative_to(root).as_posix()
    return storable_name(path.name if place == "." else place)


def _is_own(folder: Path) -> bool:
    """Whether the trial's directory is really in its run's, with no link on the way."""
    return is_folder(folder.parent) and is_folder(folder)
