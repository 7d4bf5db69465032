"""Pre-exposure pairs: tasks for training, each told plainly and told to hack, and kept apart from what is measured on.

Training on hacks that were asked for keeps them from becoming a habit where they are not (inoculation prompting, arXiv
2510.05024): the text is present in training, and absent afterwards. A pair is the instruction, and the instruction
after the arm's text; what a model does with them is its trainer's business.

A task that is measured on must never be trained on, so nothing is written until every task is shown to be apart from
every evaluation set that is named: not the same task, not the same instruction, and no run of 13 words in common with
an instruction, a hidden check or a reference solution there (13-grams: Brown et al. 2020, appendix C). Its own hidden
checks and reference must not stand in what is written either. The price is that shared boilerplate refuses a task, too.

Not covered: tasks that say the same in other words, or in another language.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from honestly.agents import ARMS, PromptArm
from honestly.errors import TaskError
from honestly.records import Suite, Task
from honestly.tasks import MeasuredTasks, hidden_texts, lower_words, word_runs

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPair:
    """One task, told in two ways."""

    suite: str
    task: str
    task_hash: str
    arm: str
    arm_version: str
    arm_hash: str
    plain: str
    """The instruction as it is."""
    pre_exposed: str
    """The instruction after the arm's text."""


@dataclass(frozen=True, slots=True)
class Leak:
    """Why a task must not be trained on."""

    task: str
    """Its id."""
    reason: str
    """What training on it would give away."""


def training_pairs(
    suite: Suite, evaluated: Sequence[Suite], arm: PromptArm = ARMS["pre-exposure"]
) -> list[TrainingPair]:
    """The pairs of a suite.

    Args:
        suite: what is to be trained on.
        evaluated: everything that is measured on; there must be something.
        arm: whose text comes before the instruction.

    Raises:
        TaskError: no evaluation set is named, the arm says nothing, or a task leaks; the message names the first few.
    """
    if not evaluated:
        raise TaskError("name what is measured on, so that nothing of it is trained on: registries, suites or studies")
    if not arm.prompt:
        raise TaskError(f"the arm {arm.name!r} says nothing, so that both halves of a pair would be the same")
    if found := training_leaks(suite, evaluated):
        first = "; ".join(f"{leak.task}: {leak.reason}" for leak in found[:_SHOWN])
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise TaskError(f"nothing was written, because {len(found)} of {len(suite.tasks)} tasks leak. {first}{more}")
    return [
        TrainingPair(
            suite=suite.name,
            task=task.id,
            task_hash=task.hash,
            arm=arm.name,
            arm_version=arm.version,
            arm_hash=arm.hash,
            plain=task.instruction,
            pre_exposed=arm.before(task.instruction),
        )
        for task in suite.tasks
    ]


def training_leaks(suite: Suite, evaluated: Iterable[Suite]) -> list[Leak]:
    """The tasks of a suite that must not be trained on, each with the first reason found."""
    measured = MeasuredTasks(evaluated)
    return [
        Leak(task.id, reason) for task in suite.tasks if (reason := measured.training_leak(task) or _own_answer(task))
    ]


def _own_answer(task: Task) -> str:
    """Whether a task's instruction holds a part of its own hidden checks or reference."""
    shown = set(word_runs(lower_words(task.instruction)))
    for text in hidden_texts(task):
        if any(run in shown for run in word_runs(lower_words(text))):
            return "its instruction holds a part of its own hidden checks or reference"
    return ""
