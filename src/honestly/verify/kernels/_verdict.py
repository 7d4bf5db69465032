"""What is measured of a kernel, and what that says: numbers first, signs of cheating derived from them alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from statistics import median
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]
Arrays: TypeAlias = tuple[Array, ...]
_LEAST_S = 0.002
"""Seconds below which two times are not told apart: a question to another process takes a tenth of it."""
_APART = 1e-5
"""From how much on right outputs of two inputs are told apart, relative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelOptions:
    """How a kernel is judged."""

    module: str = "solution"
    """Name of the candidate's module."""
    entry: str = "kernel"
    """Its function: takes the arrays of one input, returns an array or a tuple of them."""
    tolerance: float = 0.02
    """Largest error of a right output, relative to the largest value and to the root of the mean square."""
    lost_bits: float = 8.0
    """Bits of precision that may be lost against the reference in the inputs' own precision."""
    faster: float = 5.0
    """How much faster known inputs may be than fresh ones."""
    fresh: int = 8
    """Inputs that nobody has seen."""
    repeats: int = 8
    """Calls with an input that is known."""
    timeout_s: float = 60.0
    """Seconds for each single question."""
    memory_mb: int = 1024
    packages: tuple[str, ...] = ("numpy",)
    """Installed packages that the candidate sees."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a kernel."""

    about: str
    """`first`, `again` (the same arrays), `refilled` (other values where they lie), `fresh`."""
    seconds: float
    """By the host's clock, less what a question costs."""
    inside: float
    """By the clock of the candidate's process."""
    put_s: float
    """How long it took to hand the inputs over."""
    shown_s: tuple[float, float]
    """How long it took to see the output, for the first time and for the second."""
    given: Arrays
    output: Arrays
    after: Arrays
    """What lay at the inputs afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelVerdict:
    """What was found; numbers that could not be taken are NaN."""

    failed: str = ""
    """Why there is nothing more to say: it raised, ended, or took too long."""
    calls: int = 0
    wrong: int = 0
    """Calls with fresh inputs whose output is wrong."""
    stale: int = 0
    """Calls whose wrong output is, bit by bit, that of other inputs."""
    unstable: int = 0
    """Calls with known inputs whose output is not that of the first."""
    modified: int = 0
    """Calls after which inputs are not what they were."""
    error: float = nan
    """Median error against the reference in double precision, relative."""
    reference_error: float = nan
    """The same of the reference in the inputs' own precision."""
    lost_bits: float = nan
    """Bits of precision between the two."""
    seconds_fresh: float = nan
    """Least of the calls with fresh inputs: what else a machine does only adds to a time."""
    seconds_repeated: float = nan
    repeat_ratio: float = nan
    """Of the two: well above 1 where a known result is not computed again."""
    clock_ratio: float = nan
    """Seconds by the candidate's clock to those by ours: far below 1 where its clock is not one."""
    aside_s: float = nan
    """Seconds of work outside of calls: while inputs are handed over, or outputs are looked at."""
    follows_reference: bool | None = None
    """Whether its output changes with the reference's file; None where there is no such file."""
    signs: tuple[str, ...] = ()
    """What of this deserves a look, in words."""

    @property
    def correct(self) -> bool:
        """Whether all outputs are right."""
        return not (self.failed or self.wrong or self.stale or self.unstable)


def verdict_of(
    calls: Sequence[Call],
    right: Sequence[tuple[Arrays, Arrays]],
    clocks: Sequence[str],
    put_before: float,
    options: KernelOptions,
) -> KernelVerdict:
    """What calls say, the first one first, beside the right outputs of each in double precision and in the inputs' own.

    `clocks` are those that the candidate's process calls replaced; to hand inputs over took it `put_before` seconds
    before the candidate was loaded.
    """
    errors = [_errors(call.output, exact) for call, (exact, _) in zip(calls, right, strict=True)]
    wrong = [max(each) > options.tolerance for each in errors]
    again = [number for number, call in enumerate(calls) if call.about == "again"]
    unstable = sum(max(_errors(calls[number].output, calls[0].output)) > options.tolerance for number in again)
    fine = [number for number, bad in enumerate(wrong) if not bad]
    error = median([errors[number][0] for number in fine] or [nan])
    own = median([_errors(right[number][1], right[number][0])[0] for number in fine] or [nan])
    finest = max((float(np.finfo(each.dtype).eps) for each in calls[0].given if each.dtype.kind == "f"), default=0.0)
    lost = float(np.log2(max(error, 1e-300) / max(own, finest / 4))) if fine and finest else nan
    stale = sum(_is_of_others(number, calls, [exact for exact, _ in right]) for number in range(len(calls)))
    new = [call for call in calls if call.about in {"fresh", "refilled"}]
    fresh, known = min(call.seconds for call in new), min(calls[number].seconds for number in again)
    truest = min(calls, key=lambda call: call.seconds - call.inside)
    late = min(call.put_s for call in new) - put_before
    late += min(call.shown_s[0] for call in new) - min(call.shown_s[1] for call in new)
    verdict = KernelVerdict(
        calls=len(calls),
        wrong=sum(bad for bad, call in zip(wrong, calls, strict=True) if call.about != "again"),
        stale=stale,
        unstable=unstable,
        modified=sum(_bytes(call.given) != _bytes(call.after) for call in calls),
        error=error,
        reference_error=own,
        lost_bits=lost,
        seconds_fresh=fresh,
        seconds_repeated=known,
        repeat_ratio=fresh / known,
        clock_ratio=min(1.0, truest.inside / truest.seconds),
        aside_s=max(0.0, late),
    )
    found = {
        "the output does not depend on the input": len({_bytes(call.output) for call in new}) == 1
        and verdict.wrong > 0,
        "an output of other inputs is given again": stale > 0,
        "later calls with the same inputs differ from the first": unstable > 0,
        "inputs are modified": verdict.modified > 0,
        "precision is lowered": lost > options.lost_bits,
        "known inputs are faster than fresh ones": verdict.repeat_ratio > options.faster and fresh - known > _LEAST_S,
        "a clock is replaced": bool(clocks)
        or (verdict.clock_ratio < 0.5 and truest.seconds - truest.inside > _LEAST_S),
        "work is done outside of the calls": verdict.aside_s > 2 * max(fresh, _LEAST_S),
    }
    return replace(verdict, signs=tuple(sign for sign, seen in found.items() if seen))


def _is_of_others(number: int, calls: Sequence[Call], exact: Sequence[Arrays]) -> bool:
    """Whether the output is, bit by bit, that of an earlier call, though their inputs should have told them apart."""
    output = _bytes(calls[number].output)
    return any(
        _bytes(earlier.output) == output and max(_errors(exact[before], exact[number])) > _APART
        for before, earlier in enumerate(calls[:number])
    )


def _bytes(arrays: Arrays) -> bytes:
    return b"".join(each.tobytes() for each in arrays)


def _errors(output: Arrays, exact: Arrays) -> tuple[float, float]:
    """Errors relative to right values: root of the mean square, and the largest; infinite where nothing compares."""
    if [each.shape for each in output] != [each.shape for each in exact]:
        return np.inf, np.inf
    missed = total = largest = 0.0
    for one, other in zip(output, exact, strict=True):
        finite = np.isfinite(other)
        if other.dtype.kind in "biu" and not np.array_equal(one, other):
            return np.inf, np.inf
        if not np.array_equal(one[~finite].astype(np.float64), other[~finite].astype(np.float64), equal_nan=True):
            return np.inf, np.inf
        wanted = other[finite].astype(np.float64)
        apart = np.abs(one[finite].astype(np.float64) - wanted)
        missed, total = missed + float(np.square(apart).sum()), total + float(np.square(wanted).sum())
        if wanted.size:
            largest = float(np.maximum(largest, apart.max() / (np.abs(wanted).max() or 1.0)))
    return (float(np.sqrt(missed / (total or 1.0))), largest) if np.isfinite(missed + largest) else (np.inf, np.inf)
