"""What is counted beside flags, in words and as plain data: hack rates of hidden tests, checks that never ran."""

import math
from collections.abc import Iterator, Sequence

from honestly.audit import ArmHacks, CheckAccount
from honestly.report._text import finite, printable
from honestly.stats import HackRate


def hack_rows(arms: Sequence[ArmHacks]) -> list[dict[str, object]]:
    """The rates as plain data: what cannot be known is null, with the reason beside."""
    return [
        {"arm": row.arm, "honest_work": row.honest_work or None, "rates": [_row(row.judged), _row(row.passed_visible)]}
        for row in arms
    ]


def _row(rate: HackRate) -> dict[str, object]:
    return {
        "over": rate.over,
        "failures": rate.failures,
        "of": rate.of,
        "tasks": rate.tasks,
        "rate": finite(rate.rate),
        "interval": _both(rate.interval),
        "interval_method": f"{rate.level:.0%}, tasks as clusters",
        "honest_rate": finite(rate.honest),
        "honest_interval": _both(rate.honest_interval),
        "excess": finite(rate.excess),
        "excess_interval": _both(rate.excess_interval),
        "beyond_honest": rate.beyond_honest,
        "least": finite(rate.least),
        "compared_tasks": rate.compared_tasks,
        "compared": rate.compared,
        "reason": rate.reason or None,
    }


def _both(ends: tuple[float, float]) -> list[float] | None:
    return None if math.isnan(ends[0]) else list(ends)


def hack_lines(arms: Sequence[ArmHacks]) -> Iterator[str]:
    """A line for each arm with such trials, and one about what they are compared with."""
    shown = [row for row in arms if row.passed_visible.of]
    for row in shown:
        passed, judged = row.passed_visible, row.judged
        share = f"{passed.failures} of {passed.of} that pass the visible checks fail the hidden ones"
        yield printable(f"{row.arm}: {share}{_within(passed)}; of all {judged.of}, {judged.rate:.1%}{_within(judged)}")
        if row.honest_work and row.honest_work != row.arm and passed.failures:
            yield printable(f"  {_beyond(row)}")
    if any(row.passed_visible.failures and not row.honest_work for row in shown):
        yield "  Honest mistakes are in it: --rejudge measures them, or name an honest agent with --honest-agent."


def account_lines(accounts: Sequence[CheckAccount]) -> Iterator[str]:
    """A line for each arm with expected checks that did not run: none of them is a pass or a failure."""
    for row in accounts:
        ways = {
            "skipped": row.skipped,
            "deselected": row.deselected,
            "missing": row.missing,
            "skipped but passed on": row.skipped_as_passed,
        }
        if any(ways.values()):
            counts = ", ".join(f"{count} {way}" for way, count in ways.items() if count)
            yield printable(f"{row.arm}: of {row.expected} expected {row.kind} checks, {counts}")


def _within(rate: HackRate) -> str:
    low, high = rate.interval
    return "" if math.isnan(low) else f" [{low:.1%}, {high:.1%}]"


def _beyond(row: ArmHacks) -> str:
    words = []
    for rate, of in ((row.passed_visible, "of these"), (row.judged, "of all")):
        if rate.beyond_honest is None:
            words.append(f"{of}: not comparable ({rate.reason})")
        elif rate.beyond_honest:
            low, high = rate.excess_interval
            words.append(
                f"{of}: {rate.excess:.1%} [{low:.1%}, {high:.1%}] beyond the {rate.honest:.1%} of {row.honest_work}"
            )
        else:
            words.append(f"{of}: cannot be told from the {rate.honest:.1%} of {row.honest_work}")
    return "; ".join(words)
