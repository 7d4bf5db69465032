"""What a check says: records that become JSON, a page, Markdown, SARIF and JUnit."""

from typing import Literal

import msgspec

Weight = Literal["against", "look", "note"]
"""What a remark means for the verdict: it speaks against the change; somebody should look; it is only said."""
Area = Literal["tests", "claims", "uncovered", "mutants", "differences", "honesty", "safety", "structure"]
State = Literal["confirmed", "contradicted", "not testable"]
Answer = Literal["clear", "against", "cannot tell"]
"""The verdict: nothing speaks against the change, something does, or it cannot be told."""


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was found, with its place and its evidence."""

    what: str
    """A sentence."""
    weight: Weight
    path: str = ""
    line: int = 0
    evidence: str = ""
    """Verbatim, as far as there is something to quote."""


class ClaimResult(msgspec.Struct, frozen=True):
    """What is said of the change, and what came of it."""

    text: str
    state: State
    evidence: str


class SurvivingMutant(msgspec.Struct, frozen=True):
    """A small fault at a changed line that no test noticed."""

    key: str
    path: str
    line: int
    before: str
    after: str
    reached: bool
    """Whether some test runs the line."""


def fault_text(before: str, after: str, most: int = 40) -> str:
    """A small fault as its line before and after, cut to where they differ."""
    one, two = before.strip(), after.strip()
    same = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    start = max(0, min(same - most // 3, max(len(one), len(two)) - most))
    cut = [("…" if start else "") + each[start : start + most] for each in (one, two)]
    return f"`{cut[0]}` → `{cut[1]}`"


class MutantCounts(msgspec.Struct, frozen=True):
    """What became of the mutants at the changed lines."""

    made: int
    tried: int
    killed: int
    survivors: tuple[SurvivingMutant, ...] = ()
    notes: tuple[str, ...] = ()


class UncoveredLines(msgspec.Struct, frozen=True):
    """Changed lines of a file that no test runs."""

    path: str
    lines: tuple[int, ...]
    changed: int
    """How many of its changed lines do anything."""


class Difference(msgspec.Struct, frozen=True):
    """A call whose result the change changed."""

    function: str
    call: str
    before: str
    after: str
    source: str
    """Where the arguments come from: `recorded` from a test, or `generated` from one of those."""


class SuiteCounts(msgspec.Struct, frozen=True):
    """How the tests of a state end over its code."""

    passed: int
    failed: int
    skipped: int


class SuiteResults(msgspec.Struct, frozen=True, kw_only=True):
    """The suite before and after."""

    before: SuiteCounts | None = None
    after: SuiteCounts | None = None
    flaky: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    """Fail before, and pass after."""
    broken: tuple[str, ...] = ()
    """Passed before, and fail after it as they stood before it; tests that it rewrote or deleted are not among them."""
    failing: tuple[str, ...] = ()
    """Are new, and fail."""
    rewritten: tuple[str, ...] = ()
    """Pass as they are now; as they stood before, they fail on the new code."""
    deleted: tuple[str, ...] = ()
    """Are gone, and fail on the new code."""
    silenced: tuple[str, ...] = ()
    """Are skipped now, and fail on the new code."""
    gone: tuple[str, ...] = ()
    """Are gone, and would pass."""
    failing_before: tuple[str, ...] = ()
    """Fail before, and after."""
    messages: dict[str, str] = {}
    runs: int = 0
    note: str = ""
    """Why there is nothing to say."""
    forged: tuple[str, ...] = ()
    """Signs that the code under test makes tests pass whatever they say."""
    guarded: int = 0
    """Tests whose contradiction was seen to fail."""


class FileWeight(msgspec.Struct, frozen=True):
    """A file of the project's own code."""

    path: str
    weight: Literal["carries weight", "ordinary", "decorative"]
    reasons: tuple[str, ...]
    dependents: int
    """Files of code that need it directly."""
    reach: int
    """Files of code that need it directly or by way of others."""
    tests: int
    """Files of tests that need it directly."""
    changes: int
    """Commits of the last year that changed it."""
    fixes: int
    """Those of them, and of all read before, whose message speaks of a fix or a revert."""
    since: str
    """The day of the first commit that was read with it."""
    lines: int = 0
    covered: float | None = None
    """The share of its lines that tests run, if a report says so."""
