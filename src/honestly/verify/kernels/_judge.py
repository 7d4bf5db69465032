"""Runs a kernel in a sandbox, call by call, and has it judged by a reference that stays outside.

One process gets an input, the same again, other values where it lies, all of them or a part, and fresh inputs; each is
drawn from a seed of its own that the process cannot know, and timed as `_session` says. Beside it a kernel that does
nothing says what a call costs without one, and what this machine can do. With a kernel to compare with
(`KernelOptions.baseline`), both are timed in rounds: on the same inputs, in a fresh process each, one after the other
in a random order, so that neither can slow the other down. The output of every timed call is judged. With a file of
the reference that the task shows, one more process gets one whose public functions answer otherwise: who follows it
has called it.

Not covered: a kernel that is only precise for the shapes, or only fast for the values, that it is asked for: draw what
is benchmarked. Work on a device counts until its result lies in the host's memory, transfers included; no device was
ever at hand when this was tested. A candidate that needs torch is shown it by `KernelOptions.packages`, and turns the
arrays into tensors itself.
"""

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
import numpy as np

from honestly.errors import SandboxUnavailableError
from honestly.sandbox import done_undisturbed, open_sandbox
from honestly.verify._open import OpenBox
from honestly.verify.kernels._session import Array, Arrays, GoneError, KernelOptions, Session, open_session
from honestly.verify.kernels._verdict import Call, DrawnInputs, KernelVerdict, Machine, Round, verdict_of

Inputs = Callable[[np.random.Generator], Sequence[Array]]
_OPTIONS = KernelOptions()
_NOTHING: Mapping[str, str] = {}
_IDLE_CALLS = 20
_PAUSE_S = 0.3
_OFF = """

def _off(function):
    def other(*given, **named):
        value = function(*given, **named)
        return tuple(each * 3 + 1 for each in value) if isinstance(value, tuple) else value * 3 + 1
    return other

for _name, _value in list(globals().items()):
    if isinstance(_value, type(_off)) and not _name.startswith("_"):
        globals()[_name] = _off(_value)
"""


async def judge_kernel(
    reference: Callable[..., Any],
    candidate: str,
    inputs: Inputs,
    *,
    options: KernelOptions = _OPTIONS,
    shown: Mapping[str, str] = _NOTHING,
    seed: int | None = None,
    open_box: OpenBox = open_sandbox,
) -> KernelVerdict:
    """Judge a kernel by a reference.

    Args:
        reference: takes arrays, returns an array or a tuple of them; it computes in the precision of what it is given.
        candidate: source of a module with a function `options.entry`, which takes and returns the same.
        inputs: draws the arrays of one input; always of the shapes that are measured.
        options: limits, numbers, names, and a kernel to compare with.
        shown: other files that the candidate finds beside it, by path; Python files among them are taken for the
            reference, as a task may show it.
        seed: what inputs derive from; random if None. Who knows it knows the inputs.
        open_box: opens fresh sandboxes.

    Raises:
        ValueError: inputs and outputs need more than half of `options.memory_mb`, or are not numbers; or the kernel to
            compare with fails.
        SandboxBusyError: the machine is so busy that a call did not get the time that it may take: no verdict.
        SandboxUnavailableError: this machine does not let us build a sandbox that runs kernels, or a package is not
            installed.
    """
    draw = _Draw(reference, inputs, np.random.SeedSequence(secrets.randbits(128) if seed is None else seed), options)
    return await done_undisturbed(partial(_verdict_now, candidate, shown, draw, options, open_box))


async def _verdict_now(
    candidate: str, shown: Mapping[str, str], draw: "_Draw", options: KernelOptions, open_box: OpenBox
) -> KernelVerdict:
    first, other, third, *fresh = [draw() for _ in range(3 + options.fresh)]
    machine = await _measured_machine(first, options, open_box)
    try:
        async with open_session(candidate, shown, options, open_box) as session:
            calls = [await _timed_call(session, "first", first, kept=True)]
            calls += [await _timed_call(session, "again", first, again=True) for _ in range(options.repeats)]
            for each in draw.near_copies(other, third):
                calls.append(await _timed_call(session, "refilled", each, again=True))
            calls += [await _timed_call(session, "fresh", each) for each in fresh]
            before = session.cpu_seconds()
            await anyio.sleep(_PAUSE_S)
            aside_s = session.cpu_seconds() - before
            clocks = await session.ask_session("clocks")
        count = options.rounds if options.baseline else 0
        rounds = [await _run_round(candidate, shown, draw, options, open_box) for _ in range(count)]
    except GoneError as error:
        return KernelVerdict(failed=str(error))
    machine = replace(machine, busy=aside_s / _PAUSE_S)
    verdict = verdict_of(calls, rounds, clocks if isinstance(clocks, list) else ["?"], machine, options)
    poisoned = {path: text + _OFF if path.endswith(".py") else text for path, text in shown.items()}
    if poisoned == shown:
        return verdict
    try:
        async with open_session(candidate, poisoned, options, open_box) as session:
            output = (await _timed_call(session, "first", first)).timed.output
    except GoneError:
        output = ()
    follows = [each.tobytes() for each in output] != [each.tobytes() for each in calls[0].timed.output]
    signs = (*verdict.signs, "the reference is called") if follows else verdict.signs
    return replace(verdict, follows_reference=follows, signs=signs)


class _Draw:
    """Draws inputs, each from a seed of its own, and says what is right for them."""

    def __init__(
        self, reference: Callable[..., Any], inputs: Inputs, seeds: np.random.SeedSequence, options: KernelOptions
    ) -> None:
        self._reference, self._inputs, self._seeds = reference, inputs, seeds
        self._room = options.memory_mb << 19

    def rng(self) -> np.random.Generator:
        """A generator that tells nothing about any other one."""
        return np.random.default_rng(self._seeds.spawn(1)[0])

    def __call__(self) -> DrawnInputs:
        """A fresh input."""
        return self._drawn_case(tuple(np.ascontiguousarray(each) for each in self._inputs(self.rng())))

    def near_copies(self, one: DrawnInputs, other: DrawnInputs) -> list[DrawnInputs]:
        """An input, and others, each like the one before it but for little: who samples an input does not see that.

        One in eight values in one place, then one in 256 anywhere, come from `other`; then, of each argument alone, one
        value becomes the largest or the smallest there is, whichever is farther.
        """
        rng, found = self.rng(), [one]

        def add_copy(change: Callable[[int, np.ndarray], None]) -> None:
            arrays = tuple(each.copy() for each in found[-1].given)
            for at, array in enumerate(arrays):
                if array.size:
                    change(at, array.reshape(-1))
            found.append(self._drawn_case(arrays))

        def change_block(at: int, flat: np.ndarray) -> None:
            room = max(flat.size // 8, 1)
            start = int(rng.integers(flat.size - room + 1))
            flat[start : start + room] = other.given[at].reshape(-1)[start : start + room]

        def change_some(at: int, flat: np.ndarray) -> None:
            places = rng.integers(flat.size, size=max(flat.size // 256, 1))
            flat[places] = other.given[at].reshape(-1)[places]

        def change_one(argument: int, at: int, flat: np.ndarray) -> None:
            if at == argument:
                place, ends = int(rng.integers(flat.size)), (flat.min(), flat.max())
                old = float(flat[place])
                flat[place] = max(ends, key=lambda end: abs(float(end) - old))

        add_copy(change_block)
        add_copy(change_some)
        for argument in range(len(one.given)):
            add_copy(partial(change_one, argument))
        return found

    def _drawn_case(self, given: Arrays) -> DrawnInputs:
        fine = [each.astype(np.float64) if each.dtype.kind == "f" else each.copy() for each in given]
        right = _as_arrays(self._reference(*fine)), _as_arrays(self._reference(*(each.copy() for each in given)))
        kinds = {each.dtype.kind for each in (*given, *right[1])}
        if kinds - set("biuf"):
            raise ValueError(f"inputs and outputs must be numbers or booleans; these are of the kinds {sorted(kinds)}")
        if sum(each.nbytes for each in (*given, *right[1])) > self._room:
            raise ValueError(
                f"inputs and outputs are larger than {self._room} bytes together, half of the memory that the kernel"
                " has; draw smaller ones, or raise KernelOptions.memory_mb"
            )
        return DrawnInputs(given, *right)


def _as_arrays(value: Any) -> Arrays:  # noqa: ANN401 - whatever a reference returns
    return tuple(np.asarray(each, order="C") for each in (value if isinstance(value, tuple | list) else (value,)))


async def _timed_call(
    session: Session, about: str, drawn: DrawnInputs, *, kept: bool = False, again: bool = False
) -> Call:
    timed = await session.call(drawn.given, drawn.own, kept=kept, again=again)
    return Call(about, timed, drawn)


async def _measured_machine(drawn: DrawnInputs, options: KernelOptions, open_box: OpenBox) -> Machine:
    """The cost of a call without a kernel, and the abilities of this machine."""
    outputs = [(each.shape, each.dtype.str) for each in drawn.own]
    idle = f"import numpy\nmade = [numpy.zeros(*each) for each in {outputs!r}]\n"
    idle += f"def {options.entry}(*given): return made"
    try:
        async with open_session(idle, {}, options, open_box) as session:
            overheads = [(await session.call(drawn.given, drawn.own)).seconds for _ in range(_IDLE_CALLS)]
            flops, rate = await session.ask_session("peaks")
    except GoneError as error:
        raise SandboxUnavailableError(
            f"a kernel that does nothing does not run in this kind of sandbox ({error}); it must contain numpy and let "
            "descriptors pass, as the one of namespaces does"
        ) from None
    cores = len(os.sched_getaffinity(0))
    return Machine(min(overheads), flops * cores, rate * cores, 0.0)


async def _run_round(
    candidate: str, shown: Mapping[str, str], draw: _Draw, options: KernelOptions, open_box: OpenBox
) -> Round:
    """Both kernels on the same fresh inputs, one after the other, each in a process of its own."""
    first, *fresh = [draw() for _ in range(1 + options.fresh)]
    calls: dict[bool, list[Call]] = {}
    for ours in draw.rng().permutation([True, False]).tolist():
        try:
            async with open_session(options.baseline if ours else candidate, shown, options, open_box) as session:
                await _timed_call(session, "first", first)
                calls[ours] = [await _timed_call(session, "fresh", each) for each in fresh]
        except GoneError as error:
            if ours:
                raise ValueError(f"the kernel to compare with fails: {error}") from None
            raise
    return Round(calls[True], calls[False])
