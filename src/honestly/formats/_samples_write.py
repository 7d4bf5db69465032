"""Samples of functions to write, with their results, in the two shapes that evaluators of them write.

`samples` is HumanEval's: `AGENT.jsonl`, which `evaluate_functional_correctness` reads, and the
`AGENT.jsonl_results.jsonl` that it writes. `evalplus` is EvalPlus's: `AGENT.jsonl` for `evalplus.evaluate --samples`
(BigCodeBench's reads the same), and `AGENT_eval_results.json`. Both know true and false: void is null, which their own
figures count as failed; a limit is a failure with its reason, or a timeout.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

import msgspec
from msgspec.structs import replace

from honestly.errors import FormatError
from honestly.formats._export import safe_name
from honestly.formats._imported import beside_text
from honestly.formats._seams import Exported, Remark
from honestly.formats.problems._make_task import SOLUTION, problem_of
from honestly.records import Check, Edit, Outcome, decode

# Problems whose names have a slash, which no task's id may have.
_SLASHED = re.compile(r"(HumanEval|Mbpp|BigCodeBench)[-.](\d+)")
_NOT_KEPT = "its solution was not kept"
_WORDS = {Outcome.FAILED: "failed", Outcome.LIMIT: "timed out", Outcome.VOID: "not judged"}
_OUTCOMES = {Outcome.PASSED: "pass", Outcome.FAILED: "fail", Outcome.LIMIT: "timeout"}
_GRADED = Remark("it is graded: written as failed; only honestly reads the grade")


def export_samples(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Writes `AGENT.jsonl` and `AGENT.jsonl_results.jsonl` for each agent."""
    folder.mkdir(parents=True, exist_ok=True)
    for each in trials:
        code = solution_of(each)
        if code is None:
            yield _NOT_KEPT
            continue
        trial = each.trial
        row: dict[str, object] = {"task_id": problem_name(each), "completion": code}
        passed = None if trial.outcome is Outcome.VOID else trial.outcome is Outcome.PASSED
        result = "passed" if passed else ": ".join(filter(None, (_WORDS[trial.outcome], trial.reason)))
        name = safe_name(trial.agent)
        _append(folder / f"{name}.jsonl", row)
        _append(folder / f"{name}.jsonl_results.jsonl", row | {"result": result, "passed": passed} | _beside(each))
        yield _GRADED if trial.is_graded else ""


def export_evalplus(trials: Iterable[Exported], folder: Path) -> Iterator[str]:
    """Writes `AGENT.jsonl` and `AGENT_eval_results.json` for each agent."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, theirs in groupby(trials, lambda each: safe_name(each.trial.agent)):
        path, last = folder / f"{name}_eval_results.json", ""
        with path.open("wb") as file:
            file.write(b'{"date": "", "hash": "", "eval": {')
            for each in theirs:
                code = solution_of(each)
                if code is None:
                    yield _NOT_KEPT
                    continue
                task = problem_name(each)
                row = {"task_id": task, "solution": code}
                _append(folder / f"{name}.jsonl", row)
                # They come in the order of tasks.
                if task != last:
                    file.write((b"],\n" if last else b"") + msgspec.json.encode(task) + b": [")
                else:
                    file.write(b",\n")
                file.write(msgspec.json.encode(row | test_statuses(each) | _beside(each)))
                last = task
                yield _GRADED if each.trial.is_graded else ""
            file.write(b"]}}")
        if not last:
            path.unlink()


def test_statuses(exported: Exported) -> dict[str, object]:
    """EvalPlus's fields of a sample: of its base tests and of the further ones, as far as each was judged."""
    trial = exported.trial
    said: dict[str, object] = {"base_status": None, "plus_status": None, "base_fail_tests": [], "plus_fail_tests": []}
    if trial.outcome is Outcome.VOID:
        return said
    run = trial.verdict.hidden
    checks = {name: [c for c in run.checks if c.id.split("-")[0] == name] for name in ("base", "plus")} if run else {}
    if checks.get("base"):
        said |= {f"{name}_status": _status(found) for name, found in checks.items() if found}
    passed = all(said[key] in {"pass", None} for key in ("base_status", "plus_status"))
    # Where the statuses contradict the outcome, the outcome counts.
    if said["base_status"] is None or passed is not (trial.outcome is Outcome.PASSED):
        said |= {"base_status": _OUTCOMES[trial.outcome], "plus_status": None}
    return said


def _status(checks: list[Check]) -> str:
    bad = [check.status for check in checks if check.status != "passed"]
    return "pass" if not bad else "timeout" if "timeout" in bad else "fail"


def solution_of(exported: Exported) -> str | None:
    """The program that a trial left; None where it was not kept."""
    kept = exported.artifacts.get(SOLUTION)
    if kept is None and (final := exported.artifacts.get("final.json")) is not None:
        try:
            file = decode(final, Edit).write.files.get(SOLUTION)
        except FormatError:
            return None
        kept = None if file is None else file.data
    return None if kept is None else kept.decode("utf-8", "replace")


def problem_name(exported: Exported) -> str:
    """The problem's name as its benchmark has it; ids of tasks hold no slash."""
    return _SLASHED.sub(r"\1/\2", problem_of(exported.task))


def _beside(exported: Exported) -> dict[str, str]:
    """A field that those tools do not read; none where nothing would be in it."""
    tags = exported.task.tags
    more = beside_text(exported.trial, replace(tags, language="") if tags.language == "python" else tags)
    return {"honestly": more} if more else {}


def _append(path: Path, row: Mapping[str, object]) -> None:
    with path.open("ab") as file:
        file.write(msgspec.json.encode(row) + b"\n")
