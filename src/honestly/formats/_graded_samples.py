"""Judged samples of functions to write: HumanEval, EvalPlus, MBPP, BigCodeBench, LiveCodeBench, and debuggers of them.

Rows of a JSONL file that say `passed`, `is_solved` or a `graded_list` of their samples, and result files that say it of
each task (`eval`). Nobody is named in them: the agent has the file's name, or the folder's. Of EvalPlus a
sample passes if it passes the base tests and the further ones; each is a check, and where the base tests alone were run
each trial says so. Samples that nobody judged are no results: `honestly bench samples` is for them.

LiveCodeBench says true or false of a sample, or a code: -1 is a time limit over all tests, -2 a wrong answer, -3 a time
limit, -4 an error while it ran. All of them failed. -5 is an error of the judge: void.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from msgspec.structs import replace as with_fields

from honestly._loose import items_of, nested_dict, objects_of
from honestly.errors import FormatError
from honestly.formats._agent_names import per_agent_file
from honestly.formats._files import parse_json
from honestly.formats._heads import Head
from honestly.formats._imported import beside_of, figure_defects, pass_share, storable_text
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    Source,
    file_of,
    imported_trial,
    noted_defect,
    recorded_place,
    refused_defect,
    rows_of,
    stem_of,
)
from honestly.records import Agent, Check, CheckRun, Defect, Outcome, Tags, Task, Verdict

_NAMES = ("task_id", "question_id", "name")
_JUDGED = ("passed", "is_solved", "is_passing")
# What HumanEval's judge adds to the name of the samples.
_RESULTS, _DOT = ".jsonl_results.jsonl", re.compile(r"\.")
_BASE_ALONE = "judged by the base tests alone"
# What LiveCodeBench says of a sample in place of true or false.
_CODES = {-1: "time limit over all tests", -2: "wrong answer", -3: "time limit exceeded", -4: "runtime error"}
_JUDGE_BROKE = -5


def recognises(head: Head) -> bool:
    """Whether its rows or its tasks were judged."""
    if any(head.has_keys(name) for name in _NAMES) and (head.has_keys("graded_list") or head.has_keys("is_solved")):
        return True
    if head.has_keys("task_id", "passed"):
        return any(map(head.has_keys, ("completion", "solution", "result", "code", "generation")))
    around = head.start + head.last_bytes
    return (
        head.has_keys("eval")
        and any(word in around for word in (b'"base_status"', b'"solution"', b'"nfiles"'))
        and b'"status"' not in head.start[:40]
    )


def _samples_name(head: Head) -> str:
    """The name of a file without what the judges of samples add to it."""
    stem = stem_of(head).removesuffix("_results").removesuffix("_eval").removesuffix(".jsonl")
    # BigCodeBench's `eval_results.json` is of whoever its folder names.
    return (recorded_place(head).rpartition("/")[0].rpartition("/")[2] if stem == "eval" else "") or stem or "unknown"


def read(source: Source) -> Iterator[Item]:
    """The trials of files, without those that list failures of another one again."""
    judged = {f"{head.name.removesuffix(_RESULTS)}.": head for head in source.heads if head.name.endswith(_RESULTS)}
    rest = []
    for head in source.heads:
        starts = [] if head.name.endswith(_RESULTS) else [head.name[: dot.end()] for dot in _DOT.finditer(head.name)]
        of = [judged[each] for each in starts if each in judged]
        if of and not any(rows := _grades(head)) and len(rows) < len(_grades(of[0])):
            yield refused_defect(recorded_place(head), "no results", f"failures alone, as listed in {of[0].name}")
        else:
            rest.append(head)
    yield from _read_each(replace(source, heads=tuple(rest)))


def _grades(head: Head) -> list[bool]:
    """Whether each row of a file passed; none of a file that cannot be read."""
    try:
        return [not isinstance(row, Defect) and row.get("passed") is not False for _, row in rows_of(head)]
    except FormatError:
        return []


@per_agent_file(_samples_name)
def _read_each(head: Head) -> Iterator[Item]:
    """The trials of a file."""
    agent = Agent(name=_samples_name(head))
    if head.has_keys("eval"):
        yield from _items_by_task(head, nested_dict(head.json()), agent)
        return
    for where, row in rows_of(head):
        if isinstance(row, Defect):
            yield row
            continue
        name = next((row[key] for key in _NAMES if isinstance(row.get(key), str | int)), None)
        if name is None:
            yield refused_defect(where, "row refused", f"no {', '.join(_NAMES)}")
            continue
        asked = row.get("prompt") or row.get("question_content")
        task = Task(
            id=storable_text(name),
            instruction=storable_text(asked) if isinstance(asked, str) else "",
            tags=Tags(language="python"),
        )
        yield from _row_samples(where, row, agent, task)


def _row_samples(where: str, row: Mapping[str, object], agent: Agent, task: Task) -> Iterator[Item]:
    """The samples of a row: one, or as many as its list of grades has."""
    code = [each for each in items_of(row.get("code_list")) if isinstance(each, str)]
    if isinstance(row.get("graded_list"), list):
        notes = [_said_of(each) for each in items_of(row.get("metadata"))]
        passed: list[object] = []
        for number, grade in enumerate(items_of(row["graded_list"])):
            judged, words = _graded(grade, notes[number] if number < len(notes) else "")
            passed.append(judged)
            yield _found_sample(where, agent, task, judged, code[number] if number < len(code) else None, words)
        mean = passed.count(True) / len(passed) if passed and None not in passed else None
        figure = f"pass@1 of {task.id}"
        yield from figure_defects(file_of(where), figure, row.get("pass@1"), mean, f"{len(passed)} samples")
        return
    said = next((row[key] for key in _JUDGED if key in row), None)
    solution = row.get("solution", row.get("completion"))
    why = row.get("result")
    words = storable_text(why)[:200] if isinstance(why, str) and why != "passed" else ""
    yield _with_beside(_found_sample(where, agent, task, said, solution, words), row)


def _with_beside(found: FoundTrial, row: Mapping[str, object]) -> FoundTrial:
    """A trial with what we wrote beside the verdict, if we wrote it."""
    beside, trial = beside_of(row.get("honestly")), found.trial
    if beside.score and trial.outcome is Outcome.FAILED:
        trial = with_fields(trial, score=beside.score)
    tags = (
        found.task.tags
        if beside.tags == Tags()
        else with_fields(beside.tags, language=beside.tags.language or "python")
    )
    return found._replace(trial=trial, task=with_fields(found.task, tags=tags))


def _graded(grade: object, note: str) -> tuple[object, str]:
    """Whether LiveCodeBench passed a sample, None where its judge broke; and why not. A list is of its tests."""
    each = items_of(grade) if isinstance(grade, list) else [grade]
    if _JUDGE_BROKE in each:
        return None, "the judge broke"
    passed = bool(each) and all(one is True or (isinstance(one, int | float) and one > 0) for one in each)
    known = bool(each) and all(isinstance(one, bool | int | float) for one in each)
    code = next((_CODES[one] for one in each if isinstance(one, int) and one in _CODES), "")
    return (passed if known else None), "" if passed else code or note


def _said_of(metadata: object) -> str:
    """The message of a sample's metadata, which is JSON in a text."""
    try:
        said = parse_json(metadata.encode()) if isinstance(metadata, str) else metadata
    except (FormatError, UnicodeError):
        return ""
    return storable_text(nested_dict(said).get("error_message") or "")[:200]


def _found_sample(where: str, agent: Agent, task: Task, said: object, solution: object, why: str = "") -> FoundTrial:
    outcome = (
        Outcome.PASSED if said is True or said == 1 else Outcome.FAILED if said is False or said == 0 else Outcome.VOID
    )
    reason = why if outcome is not Outcome.VOID else why or "not judged"
    run = CheckRun(checks=(Check(id="tests", status="passed" if said else "failed", message=why),))
    verdict = Verdict() if outcome is Outcome.VOID else Verdict(hidden=run)
    files = {"solution.py": storable_text(solution).encode()} if isinstance(solution, str) else {}
    return FoundTrial(agent, task, imported_trial(where, outcome, reason=reason, verdict=verdict), None, files)


def _items_by_task(head: Head, found: Mapping[str, object], agent: Agent) -> Iterator[Item]:
    alone = 0
    for name, samples in nested_dict(found, "eval").items():
        task = Task(id=storable_text(name), instruction="", tags=Tags(language="python"))
        for number, sample in enumerate(_samples(samples)):
            where = f"{recorded_place(head)}#{storable_text(name)}.{number}"
            groups = [key for key in ("base_status", "plus_status", "status") if sample.get(key) is not None]
            failed = {key: len(items_of(sample.get(key.replace("_status", "_fail_tests")))) for key in groups}
            checks = tuple(
                Check(
                    id=key.removesuffix("_status"),
                    status=_status(sample[key]),
                    message=f"{bad} tests failed" * bool(bad),
                )
                for key, bad in failed.items()
            )
            passed = bool(checks) and all(check.status == "passed" for check in checks)
            outcome = Outcome.PASSED if passed else Outcome.FAILED if checks else Outcome.VOID
            solution = sample.get("solution")
            files = {"solution.py": storable_text(solution).encode()} if isinstance(solution, str) else {}
            base = groups == ["base_status"]
            alone += base
            made = imported_trial(
                where,
                outcome,
                reason=_BASE_ALONE if base else "" if checks else "not judged",
                verdict=Verdict(hidden=CheckRun(checks=checks)) if checks else Verdict(),
            )
            yield _with_beside(FoundTrial(agent, task, made, None, files), sample)
    if alone:
        yield noted_defect(
            recorded_place(head), "base tests alone", "the further tests of EvalPlus were not run", alone
        )
    yield from _pass_defects(recorded_place(head), found)


def _pass_defects(where: str, found: Mapping[str, object]) -> Iterator[Defect]:
    """Where EvalPlus's pass@k are not those of the samples."""
    tasks = [_samples(samples) for samples in nested_dict(found, "eval").values()]
    for group, figures in nested_dict(found, "pass_at_k").items():
        needed = {"base": ("base_status",), "plus": ("base_status", "plus_status")}.get(group, ())
        for name, said in nested_dict(figures).items() if needed else ():
            digits = name.removeprefix("pass@")
            k = int(digits) if digits.isdecimal() else 0
            if tasks and 0 < k <= min(map(len, tasks)):
                right = [
                    sum(all(_status(one.get(key)) == "passed" for key in needed) for one in task) for task in tasks
                ]
                shares = [pass_share(count, len(task), k) for count, task in zip(right, tasks, strict=True)]
                mean = math.fsum(shares) / len(shares)
                yield from figure_defects(where, f"{group} {name}", said, mean, f"{len(tasks)} tasks")


def _samples(said: object) -> Sequence[Mapping[str, object]]:
    """The samples of a task; of EvalPlus's older form, a list of `[status, passed tests]` for each group of tests."""
    older = nested_dict(said)
    if not older:
        return objects_of(said)
    groups = {key: [items_of(each) for each in items_of(older.get(key))] for key in ("base", "plus")}
    return [
        {f"{key}_status": listed[at][0] for key, listed in groups.items() if at < len(listed) and listed[at]}
        for at in range(max(map(len, groups.values())))
    ]


def _status(said: object) -> Literal["passed", "failed", "timeout"]:
    word = storable_text(said).lower()
    return "passed" if word in {"pass", "passed", "success"} else "timeout" if word == "timeout" else "failed"


READER = FileReader("graded-samples", recognises, read)
