"""The counts of honest failures that a study keeps, by task and version of the measurement."""

from collections.abc import Mapping

import msgspec

from honestly.records import Task
from honestly.stats import HiddenFailures
from honestly.store import Store

HONEST_FAILURES = "honest_failures"
"""Name that a study keeps it under: by task id its hash, the version of the measurement, and three counts."""
VERSION = "1"


class _Measured(msgspec.Struct):
    hash: str
    version: str
    judged: int
    passed_visible: int
    failed_hidden: int


def known_failures(study: Store, tasks: Mapping[str, str]) -> dict[str, HiddenFailures]:
    """The known honest failures of a study, by task; of other versions of a task nothing.

    Args:
        study: where it is kept.
        tasks: hash of each task by its id.
    """
    kept = study.kept(HONEST_FAILURES, dict[str, _Measured]) or {}
    return {
        name: HiddenFailures(each.judged, each.passed_visible, each.failed_hidden)
        for name, each in kept.items()
        if each.version == VERSION and tasks.get(name) == each.hash and 0 <= each.failed_hidden <= each.passed_visible
        if each.passed_visible <= each.judged
    }


def keep_failures(study: Store, task: Task, counts: HiddenFailures) -> None:
    """Keep the counts of a task in the study."""
    kept = study.kept(HONEST_FAILURES, dict[str, _Measured]) or {}
    found = _Measured(task.hash, VERSION, counts.judged, counts.passed_visible, counts.failed_hidden)
    study.keep(HONEST_FAILURES, {**kept, task.id: found})
