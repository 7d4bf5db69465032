"""The questions that a proposal answers before the first trial, and what the study says to each of them afterwards.

They are Heilmeier's, with three that evaluations forget: would it get done otherwise, what is gained for whom (value)
apart from how far one is (progress), and what must not break (health). What no trial can show is repeated as it was
written. Not covered: whether an answer is a good one.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from math import fsum

from honestly.plans.registration._guards import Checked, Status
from honestly.plans.registration._registration import PROPOSAL, Registration
from honestly.scores import StudyCounts
from honestly.show import plural_text, printable_text_line


def proposal_answers(
    registration: Registration, checks: tuple[Checked, ...], evaluation: StudyCounts, today: date | None = None
) -> tuple[Checked, ...]:
    """Each question of the proposal that was answered, with what the study says to it; none where none was.

    Args:
        registration: what was promised.
        checks: each promise, and whether it was kept; the claim last.
        evaluation: the study, counted.
        today: the day of the report.
    """
    claim, metrics = checks[-1], {guard.metric.value for guard in registration.guards}
    guards = [check for check in checks if check.topic in metrics]
    size = next(check for check in checks if check.topic in {"size", "stopping"})
    asked = int((evaluation.trials.sum(axis=0) > 0).sum())
    begun = f"{asked:,} of {plural_text(registration.questions, 'question')} started"
    usd, priced = fsum(evaluation.usd.tolist()), int(evaluation.priced.sum())
    revisit = registration.proposal.get("revisit", "")
    due = bool(revisit) and date.fromisoformat(revisit) <= (today or datetime.now(UTC).date())
    broken = [check.topic.replace("_", " ") for check in guards if check.status == "broken"]
    half: Status = "kept" if 2 * asked >= registration.questions else "not yet"
    said: Mapping[str, tuple[Status, str]] = {
        "achieve": (claim.status, claim.found),
        "value": (claim.status, claim.found.partition(" (")[0]),
        "progress": (half if asked < registration.questions else "kept", begun),
        "health": (_worst(guards), f"broken: {', '.join(broken)}" if broken else "; ".join(c.found for c in guards)),
        "cost": (
            _within(registration.proposal.get("cost", ""), usd) if priced else "not measurable",
            f"${usd:,.2f} over {plural_text(priced, 'trial')}" if priced else "no trial reports its cost",
        ),
        "halfway": (half, f"{begun}: {'past' if half == 'kept' else 'before'} half of them"),
        "end": (size.status, size.found),
        "revisit": ("kept" if not due else "not yet", "is due: look at it again" if due else "is still to come"),
    }
    return tuple(
        Checked(key, *_in_order(said.get(key, ("not measurable", "no trial shows it")), printable_text_line(text)))
        for key in PROPOSAL
        if (text := registration.proposal.get(key))
    )


def _in_order(said: tuple[Status, str], text: str) -> tuple[Status, str, str]:
    return said[0], text, said[1]


def _within(text: str, usd: float) -> Status:
    """Whether the first amount of dollars in a text was kept; not measurable where there is none."""
    most = re.search(r"\$\s*(\d[\d,]*(?:\.\d+)?)", text)
    if most is None:
        return "not measurable"
    return "kept" if usd <= float(most[1].replace(",", "")) else "broken"


def _worst(guards: list[Checked]) -> Status:
    found = {guard.status for guard in guards}
    order: tuple[Status, ...] = ("broken", "not measurable", "not yet", "kept")
    return next((status for status in order if status in found), "not measurable")
