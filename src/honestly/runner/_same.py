"""Are two trajectories the same? Step by step, byte by byte, and again without what differs from run to run.

Clocks, durations, addresses, process numbers, made-up names and identifiers are noise: where two texts are alike
without these, that is said, and is no difference. Any other number counts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from honestly.records import Step, Trajectory

_NOISE = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d[:-]\d\d[:-]\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\b\d\d:\d\d:\d\d(?:\.\d+)?\b"
    r"|\b\d+(?:\.\d+)? ?(?:ms|secs?|seconds|s)\b"
    r"|\b0x[0-9a-f]+\b"
    r"|(?<![A-Za-z0-9])(?=[0-9a-f-]{0,40}[0-9])(?=[0-9a-f-]{0,40}[a-f])[0-9a-f]{6}[0-9a-f-]{0,60}\b"
    r"|(?i:\b(?:pid|pgid|process group|port)\W{1,3}\d+)"
    r"|\bChunk ID: [0-9a-f]+"
    r"|127\.0\.0\.1:\d+"
    r"|/tmp/[^\s'\"]{1,200}"
)
_SHOWN = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where they differ."""

    step: int
    """Index of the step, from 0."""
    what: str
    """`message`, `call 1`, `observation 1`, `step`, ..."""
    expected: str
    """What was recorded, shortened; empty where nothing stood there."""
    came: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What a comparison found."""

    steps: int
    """Steps that both have."""
    differences: tuple[Difference, ...]
    noise: tuple[Difference, ...]
    """Where they differ in clocks, durations, names and the like only."""


def compare_trajectories(recorded: Trajectory, replayed: Trajectory) -> Compared:
    """Where the second differs from the first."""
    differences: list[Difference] = []
    noise: list[Difference] = []
    for found in _all(recorded.steps, replayed.steps):
        alike = without_noise(found.expected) == without_noise(found.came) and found.what != "step"
        (noise if alike else differences).append(_short(found))
    steps = min(len(recorded.steps), len(replayed.steps))
    return Compared(steps=steps, differences=tuple(differences), noise=tuple(noise))


def without_noise(text: str) -> str:
    """A text with a mark in the place of everything that differs from run to run."""
    return _NOISE.sub("#", text)


def _all(ones: Sequence[Step], others: Sequence[Step]) -> Iterator[Difference]:
    for number, (one, other) in enumerate(zip(ones, others, strict=False)):
        then, now = dict(_texts(one)), dict(_texts(other))
        for what in [*then, *(key for key in now if key not in then)]:
            if then.get(what) != now.get(what):
                yield Difference(step=number, what=what, expected=then.get(what, ""), came=now.get(what, ""))
    shared = min(len(ones), len(others))
    for number, step in enumerate(ones[shared:], shared):
        yield Difference(step=number, what="step", expected=_outline(step), came="")
    for number, step in enumerate(others[shared:], shared):
        yield Difference(step=number, what="step", expected="", came=_outline(step))


def _texts(step: Step) -> Iterator[tuple[str, str]]:
    """What of a step must come again. Times, tokens and names of calls are how it happened, not what."""
    yield "source", f"{step.source} {step.thread}".strip()
    yield "message", step.message
    yield "reasoning", step.reasoning
    for number, call in enumerate(step.calls, 1):
        arguments = {name: bytes(raw).decode("utf-8", "replace") for name, raw in call.arguments.items()}
        yield f"call {number}", f"{call.name} {arguments}"
    for number, seen in enumerate(step.observations, 1):
        code = "" if seen.code is None else f" [exit status {seen.code}]"
        yield f"observation {number}", seen.text + code
    yield "images", ", ".join(f"{image.media_type} {len(image.data)}" for image in step.images)


def _outline(step: Step) -> str:
    return f"{step.source}: {step.message}{''.join(f' {call.name}()' for call in step.calls)}"


def _short(found: Difference) -> Difference:
    """The same with texts that begin shortly before they differ."""
    pairs = zip(found.expected, found.came, strict=False)
    shorter = min(len(found.expected), len(found.came))
    at = next((place for place, (one, other) in enumerate(pairs) if one != other), shorter)
    start = max(0, at - 80)
    return Difference(
        step=found.step,
        what=found.what,
        expected=found.expected[start : start + _SHOWN],
        came=found.came[start : start + _SHOWN],
    )
