"""Where the expected checks went: passed, failed, and each way in which a check is not run, counted by its id.

A verdict names every check that was expected. That a check was skipped, deselected, or never reported is no failure and
no pass: each is counted apart, and so are passes that a detector says never ran, and trials whose agent made tests
easier. Trials that were run here are judged by the task's own tests whatever the agent did to them; in imported ones
that depends on who ran them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from honestly.audit._case import GRADER_DEFECT
from honestly.audit.detectors.skipped_passes import SKIP_LINE
from honestly.audit.detectors.test_edits import WEAKENED
from honestly.records import Check, CheckRun, Finding, Trial


@dataclass(frozen=True, slots=True)
class CheckAccount:
    """What became of the checks of one arm, of one kind; counts of ids over all its trials, unless said otherwise."""

    arm: str
    kind: Literal["visible", "hidden"]
    trials: int
    """Trials in which these checks were run."""
    expected: int
    """Ids that should have been reported: the sum of the next seven."""
    passed: int
    failed: int
    error: int
    timeout: int
    skipped: int
    """By themselves: a skip, an expected failure."""
    deselected: int
    """By the settings or hooks of what was tested."""
    missing: int
    """Never reported."""
    skipped_as_passed: int
    """Of `passed`, those that by their ids are a runner's words about skipped tests."""
    doubted: int
    """Trials of which a detector says that more checks stand as passed than ran."""
    weakened: int
    """Trials whose agent made tests assert less, as far as a detector saw it; nothing of it reaches a run of ours."""


def check_accounts(trials: Iterable[Trial], findings: Iterable[Finding]) -> list[CheckAccount]:
    """What became of the expected checks, by arm and kind.

    Args:
        trials: with their verdicts.
        findings: of these trials.
    """
    doubted, weakened = set(), set()
    for finding in findings:
        if finding.state == "flagged" and finding.category == GRADER_DEFECT:
            doubted.add(finding.trial)
        elif finding.state == "flagged" and WEAKENED in finding.kinds:
            weakened.add(finding.trial)
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for trial in trials:
        for kind, run in (("visible", trial.verdict.visible), ("hidden", trial.verdict.hidden)):
            if run is not None:
                count = counts[trial.agent, kind]
                count.update(_statuses(run))
                count["trials"] += 1
                count["doubted"] += trial.id in doubted and kind == "hidden"
                count["weakened"] += trial.id in weakened
    return [_account(arm, kind, count) for (arm, kind), count in sorted(counts.items())]


def _statuses(run: CheckRun) -> Iterable[str]:
    for check in run.checks:
        yield "expected"
        yield "deselected" if check.status == "skipped" and _was_deselected(check) else check.status
        if check.status == "passed" and SKIP_LINE.match(check.id):
            yield "skipped_as_passed"


def _was_deselected(check: Check) -> bool:
    # Older studies have only the word that our runner wrote for it; they keep the numbers that they had.
    return check.message == "deselected" if check.deselected is None else check.deselected


def _account(arm: str, kind: str, count: Counter[str]) -> CheckAccount:
    names = [name for name in CheckAccount.__slots__ if name not in {"arm", "kind"}]
    return CheckAccount(arm=arm, kind=kind, **{name: count[name] for name in names})  # type: ignore[arg-type]
