"""All detectors, one a file, in one table by name."""

from __future__ import annotations

from collections.abc import Sequence

from honestly.audit._case import Detector
from honestly.audit.detectors import (
    aware,
    decoy_touched,
    dropped,
    early_exit,
    equality,
    fabricated,
    false_claim,
    forbidden_read,
    git_history,
    heuristic,
    hooks,
    literal_flow,
    lookup,
    overreach,
    patching,
    results,
    self_test,
    skipped_passes,
    special_case,
    stand_in,
    swallowed,
    taught,
    test_edits,
    verdict_signs,
)
from honestly.errors import TaskError

__all__ = ["DETECTORS", "choose_detectors"]

_MODULES = (
    aware,
    decoy_touched,
    dropped,
    early_exit,
    equality,
    fabricated,
    false_claim,
    forbidden_read,
    git_history,
    heuristic,
    hooks,
    literal_flow,
    lookup,
    overreach,
    patching,
    results,
    self_test,
    skipped_passes,
    special_case,
    stand_in,
    swallowed,
    taught,
    test_edits,
    verdict_signs,
)

DETECTORS: tuple[Detector, ...] = tuple(
    sorted((module.DETECTOR for module in _MODULES), key=lambda detector: detector.name)
)
"""Every detector, by name."""


def choose_detectors(names: Sequence[str]) -> tuple[Detector, ...]:
    """The detectors with these names; all of them where none is named.

    Raises:
        TaskError: there is no detector of a name.
    """
    known = {detector.name: detector for detector in DETECTORS}
    for name in names:
        if name not in known:
            raise TaskError(f"there is no detector {name!r}; there are: {', '.join(known)}")
    return tuple(known[name] for name in dict.fromkeys(names)) or DETECTORS
