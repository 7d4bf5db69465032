"""The measurements of a kernel, and what they say: numbers first, signs of cheating derived from them alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb, inf, nan
from statistics import median

import numpy as np

from honestly.verify.kernels._session import Arrays, KernelOptions, Timed

_LEAST_S = 0.002
"""Seconds below which two times are not told apart."""
_APART = 1e-5
"""From how much on right outputs of two inputs are told apart, relative."""
_BUSY = 0.25
"""Processors that are used while nothing is asked, from which on that is a sign: pools of threads spin for a while."""
_BEYOND = 1.5
"""How much faster than this machine was measured to be a kernel has to be so that it cannot be."""


@dataclass(frozen=True, slots=True)
class DrawnInputs:
    """An input, and what is right for it."""

    given: Arrays
    exact: Arrays
    """The reference's outputs in double precision."""
    own: Arrays
    """The same in the precision of the inputs."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a kernel."""

    about: str
    """`first`, `again` (the same arrays), `refilled` (other values where they lie), `fresh`."""
    timed: Timed
    drawn: DrawnInputs


@dataclass(frozen=True, slots=True)
class Machine:
    """The further measurements."""

    overhead_s: float
    """Least seconds of a call whose kernel does nothing."""
    flops: float
    """A second, on all processors."""
    bytes: float
    """The same, in the nearest caches."""
    busy: float
    """Processors that the candidate's process used while nothing was asked."""


@dataclass(frozen=True, slots=True)
class Round:
    """Calls with the same inputs."""

    baseline: Sequence[Call]
    candidate: Sequence[Call]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelVerdict:
    """The verdict on a kernel; numbers that could not be taken are NaN."""

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
    """Median of the calls with fresh inputs, less `overhead_s`."""
    seconds_repeated: float = nan
    repeat_ratio: float = nan
    """Of the two: well above 1 where a known result is not computed again."""
    overhead_s: float = nan
    """What a call takes whose kernel does nothing: no candidate can hide more than that."""
    cpu_s: float = nan
    """Median CPU seconds of the candidate's process in a call with fresh inputs, all its threads together."""
    speedup: float = nan
    """Times faster than `KernelOptions.baseline`: median over rounds."""
    speedup_low: float = nan
    """Low end of its 95% interval, if the candidate had spared itself all of `overhead_s`."""
    speedup_high: float = nan
    """High end, if it had not."""
    peak_share: float = nan
    """Seconds that this machine needs at least, to those of the fastest call; above 1.5 is impossible."""
    busy: float = nan
    """Processors that its process used while nothing was asked."""
    follows_reference: bool | None = None
    """Whether its output changes with the reference's file; None where there is no such file."""
    signs: tuple[str, ...] = ()
    """What of this deserves a look, in words."""

    @property
    def correct(self) -> bool:
        """Whether all outputs are right, and the times possible."""
        return not (self.failed or self.wrong or self.stale or self.unstable or self.peak_share > _BEYOND)


def verdict_of(
    calls: Sequence[Call], rounds: Sequence[Round], clocks: Sequence[str], machine: Machine, options: KernelOptions
) -> KernelVerdict:
    """The verdict from calls, the first one first, and rounds beside a baseline.

    `clocks` are those that the candidate's process calls replaced.

    Raises:
        ValueError: The baseline is wrong.
    """
    compared = [call for each in rounds for call in each.candidate]
    if any(_is_wrong(call, options) for each in rounds for call in each.baseline):
        raise ValueError("the kernel to compare with gives wrong outputs; expected a right one")
    errors = [_relative_errors(call.timed.output, call.drawn.exact) for call in calls]
    wrong = [max(each) > options.tolerance for each in errors]
    again = [call for call in calls if call.about == "again"]
    unstable = sum(
        max(_relative_errors(call.timed.output, calls[0].timed.output)) > options.tolerance for call in again
    )
    fine = [number for number, bad in enumerate(wrong) if not bad]
    error = median([errors[number][0] for number in fine] or [nan])
    own = median([_relative_errors(calls[number].drawn.own, calls[number].drawn.exact)[0] for number in fine] or [nan])
    floats = [each.dtype for each in calls[0].drawn.given if each.dtype.kind == "f"]
    finest = max((float(np.finfo(each).eps) for each in floats), default=0.0)
    lost = float(np.log2(max(error, 1e-300) / max(own, finest / 4))) if fine and finest else nan
    stale = sum(_is_of_others(number, calls) for number in range(len(calls)))
    new = [call for call in calls if call.about in {"fresh", "refilled"}]
    unseen = [call for call in calls if call.about == "fresh"]
    fresh, known = _median_seconds(unseen, machine), _median_seconds(again, machine)
    cpu_s, cpu_again_s = (median(call.timed.cpu_s for call in some) for some in (unseen, again))
    cached = fresh > options.faster * known and fresh - known > _LEAST_S and not cpu_s <= options.faster * cpu_again_s
    moved = options.bytes or sum(each.nbytes for each in calls[0].drawn.own)
    roof = max(options.flops / machine.flops, moved / machine.bytes)
    ratios = [_ratios(each, machine) for each in rounds]
    ends = [_median_interval([each[end] for each in ratios])[end - 1] for end in (1, 2)]
    verdict = KernelVerdict(
        calls=len(calls) + len(compared),
        wrong=sum(bad for bad, call in zip(wrong, calls, strict=True) if call.about != "again")
        + sum(_is_wrong(call, options) for call in compared),
        stale=stale,
        unstable=unstable,
        modified=sum(call.timed.modified for call in (*calls, *compared)),
        error=error,
        reference_error=own,
        lost_bits=lost,
        seconds_fresh=fresh,
        seconds_repeated=known,
        repeat_ratio=fresh / known,
        overhead_s=machine.overhead_s,
        cpu_s=cpu_s,
        speedup=median([each[0] for each in ratios] or [nan]),
        speedup_low=ends[0],
        speedup_high=ends[1],
        peak_share=roof / min(call.timed.seconds for call in (*new, *compared)),
        busy=machine.busy,
    )
    found = {
        "the output does not depend on the input": len({_joined_bytes(call.timed.output) for call in new}) == 1
        and verdict.wrong > 0,
        "an output of other inputs is given again": stale > 0,
        "later calls with the same inputs differ from the first": unstable > 0,
        "inputs are modified": verdict.modified > 0,
        "precision is lowered": lost > options.lost_bits,
        "known inputs are faster than fresh ones": cached,  # on a busy machine times alone say little
        "a clock is replaced": bool(clocks),
        "work is done outside of the calls": machine.busy > _BUSY,
        "faster than this machine can be": verdict.peak_share > _BEYOND,
    }
    return replace(verdict, signs=tuple(sign for sign, seen in found.items() if seen))


def _median_seconds(calls: Sequence[Call], machine: Machine) -> float:
    return max(median(call.timed.seconds for call in calls) - machine.overhead_s, 1e-6)


def _ratios(each: Round, machine: Machine) -> tuple[float, float, float]:
    """How many times faster the candidate is; and at least, and at most, whatever it spared itself of the overhead."""
    ours, theirs = _median_seconds(each.baseline, machine), median(call.timed.seconds for call in each.candidate)
    less = theirs - machine.overhead_s
    return ours / max(less, 1e-6), ours / theirs, ours / less if less > 0 else inf


def _median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Of the median, from order statistics: at least 95% whatever the distribution; NaN for fewer than six values."""
    count, below, rank = len(values), 0, 0
    while rank < count and 2 * (below + comb(count, rank)) <= 0.05 * 2**count:
        below += comb(count, rank)
        rank += 1
    ranked = sorted(values)
    return (ranked[rank - 1], ranked[-rank]) if rank else (nan, nan)


def _is_wrong(call: Call, options: KernelOptions) -> bool:
    return max(_relative_errors(call.timed.output, call.drawn.exact)) > options.tolerance


def _is_of_others(number: int, calls: Sequence[Call]) -> bool:
    """Whether the output is, bit by bit, that of an earlier call, though their inputs should have told them apart."""
    output, exact = _joined_bytes(calls[number].timed.output), calls[number].drawn.exact
    return any(
        _joined_bytes(earlier.timed.output) == output and max(_relative_errors(earlier.drawn.exact, exact)) > _APART
        for earlier in calls[:number]
    )


def _joined_bytes(arrays: Arrays) -> bytes:
    return b"".join(each.tobytes() for each in arrays)


@np.errstate(all="ignore")  # an output may be anything
def _relative_errors(output: Arrays, exact: Arrays) -> tuple[float, float]:
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
