"""What the checks of a task need of this machine, beyond the programs that the task names."""

from honestly.errors import VerifierError
from honestly.records import Task
from honestly.verify.inside._shipped import pytest_modules


def missing_for_checks(task: Task) -> str:
    """What the checks of a task need and this machine lacks, in words; empty where nothing is missing."""
    checks = (task.visible, task.hidden.checks if task.hidden else None)
    if not any(each is not None and each.runner == "pytest" for each in checks):
        return ""
    try:
        pytest_modules()
    except VerifierError as error:
        return str(error)
    return ""
