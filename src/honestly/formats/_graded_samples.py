"""Judged samples of functions to write: HumanEval, EvalPlus, MBPP, BigCodeBench, LiveCodeBench, and debuggers of them.

Rows of a JSONL file that say `passed`, `is_solved` or a `graded_list` of their samples, and result files that say it of
each task (`eval`). Nobody is named in them: the agent has the file's name. Of EvalPlus a sample passes if it passes the
base tests and the further ones; each is a check. Samples that nobody judged are no results: `honestly verify` is for
them.
"""

from collections.abc import Iterator, Mapping
from typing import Literal

from honestly._loose import inside, items_of, objects_of
from honestly.formats._heads import Head
from honestly.formats._imported import storable
from honestly.formats._rows import rows
from honestly.formats._sources import FileReader, Found, Item, noted, per_file, place, refused, stem_of, trial
from honestly.records import Agent, Check, CheckRun, Outcome, Tags, Task, Verdict

_NAMES = ("task_id", "question_id", "name")
_JUDGED = ("passed", "is_solved", "is_passing")


def recognises(head: Head) -> bool:
    """Whether its rows or its tasks were judged."""
    if any(head.has(name) for name in _NAMES) and (head.has("graded_list") or head.has("is_solved")):
        return True
    if head.has("task_id", "passed"):
        return head.has("completion") or head.has("solution") or head.has("result")
    around = head.start + head.end
    return (
        head.has("eval")
        and (b'"base_status"' in around or b'"solution"' in around)
        and b'"status"' not in head.start[:40]
    )


@per_file
def read(head: Head) -> Iterator[Item]:
    """The trials of a file."""
    agent = Agent(name=stem_of(head).removesuffix("_results").removesuffix("_eval"))
    if head.has("eval"):
        yield from _by_task(head, inside(head.json()), agent)
        return
    for at, row in rows(head.path):
        where = f"{place(head)}{at.removeprefix(str(head.path))}"
        name = next((row[key] for key in _NAMES if isinstance(row.get(key), str | int)), None)
        if name is None:
            yield refused(where, "row refused", f"no {', '.join(_NAMES)}")
            continue
        asked = row.get("prompt") or row.get("question_content")
        task = Task(
            id=storable(name),
            instruction=storable(asked) if isinstance(asked, str) else "",
            tags=Tags(language="python"),
        )
        yield from _row(where, row, agent, task)


def _row(where: str, row: Mapping[str, object], agent: Agent, task: Task) -> Iterator[Item]:
    """The samples of a row: one, or as many as its list of grades has."""
    code = [each for each in items_of(row.get("code_list")) if isinstance(each, str)]
    if isinstance(row.get("graded_list"), list):
        for number, grade in enumerate(items_of(row["graded_list"])):
            yield _found(where, agent, task, grade, code[number] if number < len(code) else None)
        return
    said = next((row[key] for key in _JUDGED if key in row), None)
    solution = row.get("solution", row.get("completion"))
    why = row.get("result")
    yield _found(
        where, agent, task, said, solution, storable(why)[:200] if isinstance(why, str) and why != "passed" else ""
    )


def _found(where: str, agent: Agent, task: Task, said: object, solution: object, why: str = "") -> Found:
    outcome = (
        Outcome.PASSED if said is True or said == 1 else Outcome.FAILED if said is False or said == 0 else Outcome.VOID
    )
    reason = why if outcome is not Outcome.VOID else "not judged"
    run = CheckRun(checks=(Check(id="tests", status="passed" if said else "failed", message=why),))
    verdict = Verdict() if outcome is Outcome.VOID else Verdict(hidden=run)
    files = {"solution.py": storable(solution).encode()} if isinstance(solution, str) else {}
    return Found(agent, task, trial(where, outcome, reason=reason, verdict=verdict), None, files)


def _by_task(head: Head, found: Mapping[str, object], agent: Agent) -> Iterator[Item]:
    for name, samples in inside(found, "eval").items():
        task = Task(id=storable(name), instruction="", tags=Tags(language="python"))
        for number, sample in enumerate(objects_of(samples)):
            where = f"{place(head)}#{storable(name)}.{number}"
            groups = [key for key in ("base_status", "plus_status", "status") if sample.get(key) is not None]
            checks = tuple(
                Check(id=key.removesuffix("_status"), status=_status(sample[key]), message=_failed(sample, key))
                for key in groups
            )
            passed = bool(checks) and all(check.status == "passed" for check in checks)
            outcome = Outcome.PASSED if passed else Outcome.FAILED if checks else Outcome.VOID
            solution = sample.get("solution")
            files = {"solution.py": storable(solution).encode()} if isinstance(solution, str) else {}
            made = trial(
                where, outcome, reason="" if checks else "not judged", verdict=Verdict(hidden=CheckRun(checks=checks))
            )
            yield Found(agent, task, made, None, files)
    claimed = inside(found, "pass_at_k")
    if claimed:
        yield noted(place(head), "its own figures", f"pass@k as the file has it: {storable(claimed)[:200]}")


def _status(said: object) -> Literal["passed", "failed", "timeout"]:
    word = storable(said).lower()
    return "passed" if word in {"pass", "passed", "success"} else "timeout" if word == "timeout" else "failed"


def _failed(sample: Mapping[str, object], key: str) -> str:
    tests = items_of(sample.get(key.replace("_status", "_fail_tests")))
    return f"{len(tests)} tests failed" if tests else ""


READER = FileReader("graded-samples", recognises, read)
