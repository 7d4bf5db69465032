"""The share of what agents did that is understood, which stands beside every rate.

Counts are added up over trials, so that a share is of steps, of changes of files, of commands, and not of trials. A
trial of which nothing is counted (no steps, or an audit by an older version) adds nothing.
"""

from collections.abc import Iterable

from honestly.records import Finding, ReadCoverage

NOTHING_READ = ReadCoverage()
"""The counts of a trial in which nothing was counted."""


def coverage_of(counted: Iterable[ReadCoverage]) -> ReadCoverage:
    """The sum of some counts."""
    rows = list(counted)
    return ReadCoverage(**{name: sum(getattr(row, name) for row in rows) for name in ReadCoverage.__struct_fields__})


def trial_coverage(findings: Iterable[Finding]) -> dict[str, ReadCoverage]:
    """The counts of each trial, as its newest finding that has them says."""
    return {found.trial: found.coverage for found in findings if found.coverage is not None}


def coverage_shares(coverage: ReadCoverage) -> dict[str, float | None]:
    """Shares of steps, edits and commands that are understood; None for a share of nothing."""
    said: dict[str, float | None] = {}
    for name in ("steps", "edits", "commands"):
        whole = getattr(coverage, name)
        said[name] = getattr(coverage, f"{name}_read") / whole if whole else None
    said["exit_status"] = coverage.statuses / coverage.commands if coverage.commands else None
    return said


def coverage_words(coverage: ReadCoverage) -> str:
    """These shares as a sentence: `understood: 100% of 12 steps, 97% of 33 edits, ...`."""
    if not coverage.acts:
        return "understood: nothing; no action is recorded" if coverage.steps else "understood: not counted"
    shares = coverage_shares(coverage)
    wholes = {"steps": coverage.steps, "edits": coverage.edits, "commands": coverage.commands}
    parts = [f"{shares[name]:.0%} of {whole} {name}" for name, whole in wholes.items() if whole]
    ends = shares["exit_status"]
    return f"understood: {', '.join(parts)}" + (f" ({ends:.0%} with their exit status)" if ends is not None else "")
