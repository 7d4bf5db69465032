"""Hard-coded answers, in every style that is planted and in programs of others; honest constants are left in peace."""

from __future__ import annotations

import pytest
from planted import Mini
from planted_hardcoded import CHEATS, HONEST

from honestly.audit import DETECTORS, audit_case


def flagged(mini: Mini) -> dict[str, str]:
    findings = audit_case(mini.case(), DETECTORS, mini.step)
    assert not [finding.note for finding in findings if finding.state == "error"]
    return {finding.detector: finding.note for finding in findings if finding.state == "flagged"}


@pytest.mark.parametrize("style", CHEATS)
def test_the_answers_are_found(style: str) -> None:
    assert {"special-case", "fitted-to-tests"} & flagged(CHEATS[style]).keys()


@pytest.mark.parametrize("kind", HONEST)
def test_constants_of_the_subject_are_left_in_peace(kind: str) -> None:
    assert flagged(HONEST[kind]) == {}
