"""One evaluation of a candidate: sandboxes of its own, the evaluator's files from the declaration, a seed drawn late.

What comes of it is one of eight things, and only `ok` is a number:

- `ok`: the metric is finite; `wrong`: the evaluator says `correct: false`; `nan`: it is not finite;
- `crash`, `timeout`: the candidate's doing;
- `unmeasured`: the evaluator or the sandbox failed, or no metric of this name was printed: nothing is known;
- `interrupted`: the loop was killed meanwhile; `spent`: the budget was, before it began.

Where `evaluate` runs the candidate itself, its failures cannot be told from the candidate's, and count as those.

An evaluator prints its metrics as one JSON object on the last line that is one, or as lines `name: value`.
"""

import json
import math
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

import anyio

from honestly.errors import SandboxError, SandboxLimitError, SandboxUnavailableError
from honestly.improve._declare import Declaration, Target
from honestly.records import Edit, Usage, digest
from honestly.sandbox import Layout, Limits, Result, packages_layout
from honestly.verify import OpenBox

Status = Literal["ok", "wrong", "nan", "crash", "timeout", "unmeasured", "interrupted", "spent"]

SEED = "HONESTLY_SEED"
"""Variable that holds the seed: the evaluation's for the evaluator, one of its own for the candidate."""

_LINE = re.compile(
    r"^\s*([A-Za-z_][\w.-]*)\s*[:=]\s*([-+]?(?:\d[\d_]*\.?\d*(?:[eE][-+]?\d+)?|\.\d+|nan|inf))\s*$", re.IGNORECASE
)
_LOG = 2000
_MOST_METRICS = 50
_NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of one evaluation."""

    status: Status
    value: float | None
    """The metric; None for every status but `ok`."""
    metrics: Mapping[str, float]
    log: str
    """The end of what was printed, or why there is no score."""
    seconds: float
    """Wall time of the whole evaluation."""
    left: Edit | None = None
    """What an agent left, where the evaluation is one of its work."""
    usage: Usage = _NOTHING
    """What it cost, then."""
    cpu: float | None = None
    """Seconds of CPU time of its commands; None where nobody knows."""


async def evaluate(target: Target, candidate: Edit, seed: int, open_box: OpenBox) -> Evaluation:
    """Measure a candidate once.

    Args:
        target: the project; everything but the candidate's own files comes from it.
        candidate: the change.
        seed: of this evaluation; drawn after the candidate was frozen.
        open_box: opens the sandboxes.
    """
    clock, cpu = anyio.current_time(), _Cpu()
    try:
        how = _evaluated_apart if target.declaration.produce else _evaluated_together
        status, value, metrics, log = await how(target, candidate, seed, open_box, cpu)
    except SandboxUnavailableError:
        raise
    except SandboxLimitError as error:
        status, value, metrics, log = "crash", None, {}, f"{error}"
    except SandboxError as error:
        status, value, metrics, log = "unmeasured", None, {}, f"the sandbox failed: {error}"
    seconds = round(anyio.current_time() - clock, 4)
    return Evaluation(status, value, metrics, log[-_LOG:], seconds, cpu=round(cpu.seconds, 4))


class _Cpu:
    """The CPU seconds that commands have used; their wall time where the sandbox cannot tell."""

    seconds = 0.0

    def count_cpu(self, result: Result) -> Result:
        self.seconds += result.seconds if math.isnan(result.cpu) else result.cpu
        return result


_Came = tuple[Status, float | None, Mapping[str, float], str]


async def _evaluated_apart(target: Target, candidate: Edit, seed: int, open_box: OpenBox, cpu: _Cpu) -> _Came:
    said = target.declaration
    limits, judge = limits_of(said), shlex.split(said.evaluate)
    shown = layout_of(said.packages + said.judge_packages)
    async with open_box(target.tree, limits=limits, layout=shown) as evaluator:
        given = cpu.count_cpu(await evaluator.exec([*judge, "give"], env={SEED: str(seed)}))
        if given.code != 0 or given.truncated:
            return "unmeasured", None, {}, f"`{said.evaluate} give` failed: {_output_tail(given)}"
        own = {SEED: str(candidate_seed(seed))}
        async with open_box(target.workspace(candidate), limits=limits, layout=layout_of(said.packages)) as box:
            if said.build and (
                failed := _failure_status(built := cpu.count_cpu(await box.exec(shlex.split(said.build))))
            ):
                return failed, None, {}, _output_tail(built)
            made = cpu.count_cpu(await box.exec(shlex.split(said.produce), env=own, stdin=given.stdout))
        if failed := _failure_status(made):
            return failed, None, {}, _output_tail(made)
        scored = cpu.count_cpu(await evaluator.exec([*judge, "score"], env={SEED: str(seed)}, stdin=made.stdout))
    if scored.code != 0:
        return "unmeasured", None, {}, f"`{said.evaluate} score` failed: {_output_tail(scored)}"
    return _read_evaluation(said, scored, {"seconds": made.seconds})


async def _evaluated_together(target: Target, candidate: Edit, seed: int, open_box: OpenBox, cpu: _Cpu) -> _Came:
    said = target.declaration
    async with open_box(candidate.apply(target.tree), limits=limits_of(said), layout=layout_of(said.packages)) as box:
        made = cpu.count_cpu(await box.exec(shlex.split(said.evaluate), env={SEED: str(seed)}))
    if failed := _failure_status(made):
        return failed, None, {}, _output_tail(made)
    return _read_evaluation(said, made, {"seconds": made.seconds})


def _read_evaluation(said: Declaration, result: Result, timed: Mapping[str, float]) -> _Came:
    correct, metrics = read_metrics(result.stdout)
    metrics = {**metrics, **timed} if said.metric == "seconds" else {**timed, **metrics}
    value, log = metrics.get(said.metric), _output_tail(result)
    finite = {name: number for name, number in metrics.items() if math.isfinite(number)}
    if not correct:
        return "wrong", None, finite, log
    if value is None:
        return "unmeasured", None, finite, f"no metric {said.metric!r} was printed: {log}"
    if not math.isfinite(value):
        return "nan", None, finite, log
    return "ok", value, finite, log


def read_metrics(printed: bytes) -> tuple[bool, dict[str, float]]:
    """Whether the evaluator calls it correct, and its numbers; a truth value counts as none."""
    lines = printed.decode("utf-8", "replace").splitlines()
    for line in reversed(lines):
        if line.lstrip().startswith("{"):
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                numbers = {str(name): _number_or_none(value) for name, value in list(found.items())[:_MOST_METRICS]}
                return found.get("correct", True) is True, {n: v for n, v in numbers.items() if v is not None}
    pairs = [match for line in lines if (match := _LINE.match(line))]
    return True, {match[1]: float(match[2]) for match in pairs[-_MOST_METRICS:]}


def _number_or_none(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def candidate_seed(seed: int) -> int:
    """The seed that a candidate is given: nobody can tell the evaluation's from it."""
    return int(digest("candidate seed", seed)[:8], 16)


def _failure_status(result: Result) -> Literal["timeout", "crash", ""]:
    return "timeout" if result.timed_out else "crash" if result.code != 0 or result.truncated else ""


def _output_tail(result: Result) -> str:
    said = (result.stderr or result.stdout).decode("utf-8", "replace").strip()
    why = "it printed too much; " if result.truncated else "out of memory; " if result.out_of_memory else ""
    return f"{why}exit status {result.code}: {said[-_LOG:]}" if result.code != 0 or why else said[-_LOG:]


def limits_of(said: Declaration) -> Limits:
    """The limits of a command of an evaluation."""
    return Limits(wall_s=said.seconds, memory_mb=said.memory_mb, output_bytes=said.output_mb << 20)


@cache
def layout_of(packages: tuple[str, ...]) -> Layout:
    """A sandbox that shows these packages."""
    return packages_layout(packages) if packages else Layout()
