"""One lesson: from a trial and its verdict to the library after it."""

from collections.abc import Sequence

from honestly.errors import HonestlyError, SandboxUnavailableError
from honestly.memory._answers import Answers
from honestly.memory._learn import by_rules, take_workflow
from honestly.memory._library import Event, MemoryLibrary, TrialLesson
from honestly.memory.learning._agent import Remembering
from honestly.memory.learning._asked import Asked
from honestly.memory.learning._bench import SkillBench
from honestly.memory.learning._workshop import skill_lesson
from honestly.records import Outcome, Step, Task, Trial, Usage

_SHOWN = 300


async def learn_from_trial(
    actor: Remembering, trial: Trial, steps: Sequence[Step], bench: SkillBench, answers: Sequence[Answers]
) -> TrialLesson:
    """The lesson of an agent from a trial.

    Args:
        actor: whose memory it is.
        trial: with its verdict.
        steps: what was done in it.
        bench: where runs of its task take place.
        answers: of the tasks of the suite, that of the trial first.
    """
    library, mind = actor.mind.library, actor.mind
    asked = Asked(actor.model) if actor.model else None
    events: list[Event] = []
    success: bool | None = None
    try:
        success = await judged_trial(actor, trial, steps, bench.task, asked)
        if success:
            library, events = await _taught_library(actor, steps, bench, answers, asked)
    except SandboxUnavailableError:
        raise  # a reason to stop, and none against a skill
    except (HonestlyError, RecursionError) as error:  # no answer, a broken sandbox, a program of a thousand brackets
        events = [Event(what="nothing", why=f"{type(error).__name__}: {error}"[:_SHOWN])]
    return TrialLesson(
        step=mind.step + 1,
        task=trial.task,
        judged=success,
        passed=trial.outcome is Outcome.PASSED,
        events=tuple(events),
        before=mind.library.hash,
        library=library,
        usage=asked.usage if asked else Usage(),
    )


async def judged_trial(
    actor: Remembering, trial: Trial, steps: Sequence[Step], task: Task, asked: Asked | None
) -> bool | None:
    """Whether the agent takes a trial for a success; None where nobody can say."""
    judge = actor.spec.judge
    if judge == "hidden":
        return trial.outcome is Outcome.PASSED
    if judge == "model" and asked is not None:
        return await asked.judged_success(task.public(), steps)
    visible = trial.verdict.visible
    if visible is None:
        return trial.claimed
    return visible.passed and trial.claimed is not False


async def _taught_library(
    actor: Remembering, steps: Sequence[Step], bench: SkillBench, answers: Sequence[Answers], asked: Asked | None
) -> tuple[MemoryLibrary, list[Event]]:
    spec, library, task = actor.spec, actor.mind.library, bench.task
    if spec.kind == "skills":
        if asked is None:
            raise HonestlyError("skills need a model that writes them")
        return await skill_lesson(asked, steps, bench, library, answers)
    new = await asked.seen_workflow(task.public(), steps) if asked else by_rules(task, steps)
    if new is None:
        return library, [Event(what="nothing", why="there are too few steps to make a workflow of")]
    return take_workflow(library, new, answers, spec.most, spec.size)
