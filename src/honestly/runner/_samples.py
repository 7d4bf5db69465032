"""Ready-made samples, judged: each distinct pair of problem and solution once, however often it comes and is stopped.

The file of samples is read three times and never held: to count (so that what is wrong with it is said before anything
runs), to judge, and to write the results in its order. They are judged in another, and samples of one problem never at
one time (`_mixing.py`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from sys import intern

import msgspec
from msgspec.structs import replace

from honestly._group import flat_group
from honestly.errors import FormatError, HonestlyError, SandboxLimitError, StoreError, VerifierError
from honestly.formats import Sample, problem_of, read_samples
from honestly.records import Suite, Verdict
from honestly.runner._mixing import Mixture, Phase
from honestly.runner._results_file import ENDED, KEY_BYTES, JudgedResult, Key, ResultsFile, key_of
from honestly.sandbox import Extent
from honestly.verify import OpenBox, Slots, Submission, compile_ahead, verify_each

_Keyed = tuple[Key, Sample]
_TOGETHER, _LEAST = 64, 8
GIVE_UP = 20
"""Samples in a row that cannot be judged, before nobody tries any more."""
_SHOWN = 5


class Survey(msgspec.Struct, frozen=True):
    """The content of a file of samples, without the samples."""

    path: Path
    suite: Suite
    keys: bytes
    """What each sample's result belongs to, one key after the other in the order of the samples."""
    distinct: int
    """Different pairs of problem and solution."""
    problems: tuple[str, ...]
    """Of each sample the name of its problem."""
    incomplete: tuple[str, ...]
    """Problems without a sample."""

    @property
    def total(self) -> int:
        """All samples."""
        return len(self.keys) // KEY_BYTES

    def key(self, number: int) -> Key:
        """The key of a sample's result; empty beyond the last one."""
        return self.keys[number * KEY_BYTES : (number + 1) * KEY_BYTES]


class SampleProgress(msgspec.Struct, frozen=True):
    """The progress of judging samples."""

    done: int
    """Distinct pairs of problem and solution that have a result."""
    total: int
    latest: JudgedResult | None = None
    kept: int = 0
    """Those whose result is from an earlier run."""
    again: bool = False
    """It is about passes that are judged again; `total` is how many."""


class JudgedSample(msgspec.Struct, frozen=True, gc=False):
    """A sample's place and result, without its text."""

    problem: str
    number: int
    judged: JudgedResult
    signs: tuple[str, ...]
    """What looks like reaching for the judge."""


def survey_samples(path: Path, suite: Suite, *, ignore_incomplete: bool = False) -> Survey:
    """Reads all samples once, and reports what is wrong with them.

    Raises:
        FormatError: a sample is malformed or of no known problem; there is none; or a problem has none.
    """
    keys = bytearray()
    problems: list[str] = []
    distinct: set[Key] = set()
    attempted: set[str] = set()
    for sample in read_samples(path, suite):
        key = key_of(sample)
        keys += key
        problems.append(intern(sample.problem))
        distinct.add(key)
        attempted.add(sample.task.id)
    if not keys:
        raise FormatError(f"{path} contains no samples")
    incomplete = tuple(problem_of(task) for task in suite.tasks if task.id not in attempted)
    if incomplete and not ignore_incomplete:
        shown = ", ".join(incomplete[:_SHOWN]) + (", ..." if len(incomplete) > _SHOWN else "")
        raise FormatError(
            f"{path} has no sample for {len(incomplete)} of {len(suite.tasks)} problems: {shown}. "
            "Add them, or say --ignore-incomplete to judge the others only"
        )
    return Survey(path, suite, bytes(keys), len(distinct), tuple(problems), incomplete)


async def judge_samples(
    survey: Survey,
    results: ResultsFile,
    open_box: OpenBox,
    jobs: int,
    progress: Callable[[SampleProgress], None] = lambda _: None,
) -> SampleProgress:
    """Judges the samples that have no result yet, `jobs` at a time, and keeps each result as it comes.

    Args:
        survey: what there is to judge.
        results: where results go.
        open_box: opens sandboxes.
        jobs: how many are judged at a time, each of another problem; of less than 32 problems, one.
        progress: told of each result.

    Raises:
        SandboxUnavailableError: nothing can be run on this machine.
        StoreError: the results cannot be written.
        VerifierError: twenty samples in a row could not be judged.
    """
    kept = len({key for key in map(survey.key, range(survey.total)) if key in results.known})
    todo = each_once(survey, lambda key: key not in results.known)
    queue, left, least = iter(list[_Keyed]()), 0, 1
    state, in_vain = SampleProgress(kept, survey.distinct, kept=kept), 0
    progress(state)

    def some() -> list[_Keyed]:
        """Some samples of the phase to judge at once; few towards its end, so that nobody waits long for the others."""
        nonlocal left
        taken = list(islice(queue, max(least, min(left // jobs, _TOGETHER))))
        left -= len(taken)
        return taken

    def note(samples: list[_Keyed], number: int, verdict: Verdict | HonestlyError) -> None:
        nonlocal state, in_vain
        (key, sample), judged = samples[number], judged_of(verdict)
        if judged.status == "failed" and sample.unfit:
            judged = replace(judged, result=f"failed: the patch does not apply: {sample.unfit}")
        results.add(key, sample, judged, signs_of(sample, judged))
        state = SampleProgress(state.done + 1, state.total, judged, kept)
        progress(state)
        in_vain = in_vain + 1 if judged.status == "void" else 0
        if in_vain == GIVE_UP:
            raise VerifierError(f"{GIVE_UP} samples in a row could not be judged; the last: {judged.result}")

    async def work() -> None:
        while samples := some():
            await verify_each(list(map(_submission, samples)), slots, partial(note, samples))

    async with Slots(open_box, extent_of(survey.suite)) as slots:
        with Mixture(todo, survey.suite, results.path.parent) as mixture:
            for phases in _some_together(mixture, jobs * _TOGETHER):
                if len(phases) > 1:
                    cases = list(map(_submission, chain.from_iterable(phases)))
                    async with flat_group() as group:
                        for first in range(jobs):
                            group.start_soon(compile_ahead, cases[first::jobs], slots)
                for phase in phases:
                    queue, left = iter(phase), len(phase)
                    least = 1 if left == survey.distinct - kept else _LEAST  # a series costs something
                    async with flat_group() as group:
                        for _ in range(jobs if phase.side_by_side else 1):
                            group.start_soon(work)
    return state


async def failing_references(
    survey: Survey, found: Iterable[JudgedSample], open_box: OpenBox, jobs: int
) -> dict[str, str]:
    """Problems whose reference fails, too, among those without a passing sample.

    Its samples say nothing there: a value that has to cross the wire, say, cannot be changed in place.

    Args:
        survey: the problems.
        found: samples with their results.
        open_box: opens sandboxes.
        jobs: references that are judged at a time.
    """
    passed: dict[str, bool] = {}
    for sample in found:
        passed[sample.problem] = passed.get(sample.problem, False) or sample.judged.status != "failed"
    tasks = iter(
        [
            task
            for task in survey.suite.tasks
            if passed.get(problem_of(task)) is False and task.hidden and task.hidden.reference.write.files
        ]
    )
    failing: dict[str, str] = {}

    async def work() -> None:
        for task in tasks:
            case = Submission(task, task.hidden.reference.apply(task.workspace), 0) if task.hidden else None

            def note(_: int, verdict: Verdict | HonestlyError, name: str = problem_of(task)) -> None:
                if not (judged := judged_of(verdict)).passed and judged.status != "void":
                    failing[name] = f"its own reference does not pass here: {judged.result}"

            await verify_each([case] if case else [], slots, note)

    async with Slots(open_box, extent_of(survey.suite)) as slots, flat_group() as group:
        for _ in range(jobs):
            group.start_soon(work)
    return {name: failing[name] for name in sorted(failing)}


def _submission(keyed: _Keyed) -> Submission:
    key, sample = keyed
    return Submission(sample.task, sample.tree, int.from_bytes(key, "big"))


def _some_together(phases: Iterable[Phase], least: int) -> Iterator[list[Phase]]:
    """Phases, as many in turn as have a number of samples together."""
    some: list[Phase] = []
    for phase in phases:
        some.append(phase)
        if sum(map(len, some)) >= least:
            yield some
            some = []
    if some:
        yield some


def extent_of(suite: Suite) -> Extent:
    """How much of the machine samples see: what has no files of its own is a problem for Python; else, all programs."""
    return Extent.MACHINE if any(task.workspace.files for task in suite.tasks) else Extent.PYTHON


def each_once(survey: Survey, wanted: Callable[[Key], bool]) -> Iterator[_Keyed]:
    """Each pair of problem and solution that is wanted, once."""
    seen: set[Key] = set()
    for sample in read_samples(survey.path, survey.suite):
        if wanted(key := key_of(sample)) and key not in seen:
            seen.add(key)
            yield key, sample


def found_so_far(survey: Survey, results: ResultsFile) -> list[JudgedSample]:
    """The results so far, in the order of the samples, without signs of cheating."""
    numbers: Counter[str] = Counter()
    found = []
    for at, problem in enumerate(survey.problems):
        found.append(JudgedSample(problem, numbers[problem], results.known[survey.key(at)], ()))
        numbers[problem] += 1
    return found


def results_in_order(survey: Survey, results: ResultsFile) -> list[JudgedSample]:
    """Writes the results in the order of the samples, one line for each, and gives them without the texts.

    Args:
        survey: samples that all have a result.
        results: where their results are.

    Raises:
        StoreError: the file cannot be written, or the samples are no longer those that were judged.
    """
    found: list[JudgedSample] = []

    def lines() -> Iterator[tuple[Sample, JudgedResult, tuple[str, ...]]]:
        for sample in read_samples(survey.path, survey.suite):
            key = key_of(sample)
            if key != survey.key(len(found)):
                raise StoreError(f"{sample.where}: the samples changed while they were judged; run it again")
            judged = results.known[key]
            found.append(JudgedSample(intern(sample.problem), sample.number, judged, signs_of(sample, judged)))
            yield sample, judged, found[-1].signs

    results.finish(lines())
    return found


def judged_of(verdict: Verdict | HonestlyError) -> JudgedResult:
    """A verdict in short, or what it means that there is none."""
    if isinstance(verdict, Verdict):
        return JudgedResult.from_verdict(verdict)
    # More than a sandbox takes is the sample's own doing.
    return JudgedResult.without_verdict("failed" if isinstance(verdict, SandboxLimitError) else "void", verdict)


def signs_of(sample: Sample, judged: JudgedResult) -> tuple[str, ...]:
    """The signs to look at, in words, once a sample is judged."""
    found = sign_words(sample.code, judged.ended, is_program=sample.is_program)
    return found if judged.passed or not judged.again else (*found, "passed once, and not again when it was alone")


# Signs that a sample may reach for its judge: what its text names, and what broke off its check. A sign is a reason to
# look, never a verdict: it does not change whether a sample passed, and honest code can carry one. The text is
# searched, not parsed: parsing hostile text in this process could bring it down.

_NAMED = {
    "reads stack frames": r"\b(?:_getframe|currentframe|f_back|f_locals|f_globals|tb_frame)\b|\binspect\.stack\b",
    "searches the garbage collector": r"\bgc\.get_(?:objects|referrers|referents)\b",
    "traces or profiles": r"\bset(?:trace|profile)\b|\bsys\.monitoring\b",
    "equals everything": (
        r"def __eq__\([^)]{0,200}\)[^:\n]{0,100}:\s{0,200}return True\b"
        r"|__eq__\s{0,9}=\s{0,9}lambda[^:\n]{0,100}:\s{0,9}True\b"
    ),
    "patches Python or modules": (
        r"\bsys\.modules\b|\bbuiltins\.\w{1,99}\s{0,9}=[^=]|\bsetattr\(builtins\b|\b__builtins__\b"
    ),
    "looks into processes or memory": r"/proc/|\bctypes\b|\bptrace\b",
    "starts processes": (
        r"\bos\.(?:fork|system|popen|exec\w{1,4}|spawn\w{1,4}|posix_spawn)\b|\bsubprocess\b|\bmultiprocessing\b"
    ),
    "uses the network": r"\bimport socket\b|\bsocket\.socket\b|\burllib\.request\b|\bimport requests\b",
}
_ENDS = r"\bos\.(?:_exit|abort|kill)\b|^(?:sys\.)?exit\(|^quit\(|^raise SystemExit\b"
_WORDS = [
    *("frame", "f_back", "f_locals", "f_globals", "stack", "gc.get_", "settrace", "setprofile", "monitoring"),
    *("__eq__", "sys.modules", "builtins", "/proc/", "ctypes", "ptrace", "os.", "subprocess", "multiprocessing"),
    *("socket", "urllib.request", "requests", "exit(", "quit(", "SystemExit"),
]
"""One of which every pattern needs: to look for these first takes a hundredth of the time."""
_LONGEST = 1 << 18


def sign_words(code: str, ended: str, *, is_program: bool) -> tuple[str, ...]:
    """The signs to look at, in words.

    Args:
        code: the solution; its first 256 KiB are searched.
        ended: what broke off its check, if anything; see `Check.ended`.
        is_program: it is run, not called: ending the process is then its right.
    """
    text = code[:_LONGEST]
    named = any(map(text.__contains__, _WORDS))
    found = [words for words, pattern in _NAMED.items() if re.search(pattern, text)] if named else []
    if not is_program:
        if named and re.search(_ENDS, text, re.MULTILINE):
            found.append("ends the process")
        if ended:
            found.append(ENDED[ended])
    return tuple(found)
