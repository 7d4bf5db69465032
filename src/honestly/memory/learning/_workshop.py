"""How a skill gets in: it works where it comes from, adds no answer of its own, and then works on another task.

Four gates, in this order. What it is (`memory`): small, readable, few constants, none of them an answer. Its own test.
A rewritten run of its task, that passes with it and not without it, and in which it knows nothing (`_own`). Then it
is a candidate, of which no agent is told. The fourth is a rewritten run of another task, made after it can no longer be
changed; what that run does not execute or need is cut out (`_cut`), and without these parts it must do the same.
"""

from collections.abc import Sequence
from secrets import token_hex

from msgspec.structs import replace

from honestly.errors import ModelError, SandboxLimitError, TaskError
from honestly.memory._answers import Answers
from honestly.memory._learn import checked_skill
from honestly.memory._library import Event, MemoryLibrary, Skill
from honestly.memory.learning._asked import Asked, Proposed
from honestly.memory.learning._bench import SkillBench
from honestly.memory.learning._cut import executed_code, instrumented_code, without_idle_data
from honestly.memory.learning._own import own_answer
from honestly.records import Step

_MOST_CANDIDATES, _MOST_TRIES, _MOST_SKILLS, _LEAST_STEPS, _SHOWN = 3, 3, 12, 3, 300


async def refusal_reason(
    skill: Skill, commands: Sequence[str], bench: SkillBench, library: MemoryLibrary, *, first: bool
) -> str:
    """Why a run of a task does not speak for a skill; empty where it does.

    Args:
        skill: as it would be kept.
        commands: the task's run, rewritten to use it.
        bench: where it takes place.
        library: whose skills are at hand.
        first: whether it is the task that the skill comes from, where its own test is run, too.
    """
    skills = {each.name: each.code for each in library.admitted_skills} | {skill.name: skill.code}
    if not any(skill.name in command for command in commands):
        return "its rewritten run does not use it"
    if first and (why := await bench.skill_problem(skill.name, skill.code, skill.test)):
        return why
    return await bench.needed(commands, skills, skill.name) or await own_answer(bench, commands, skills)


async def admitted_skill(skill: Skill, commands: Sequence[str], bench: SkillBench, library: MemoryLibrary) -> Skill:
    """The skill as agents are told of it, after a run of another task than the one that it comes from.

    Raises:
        TaskError: the run does not speak for it; the message says why.
    """
    if why := await refusal_reason(skill, commands, bench, library, first=False):
        raise TaskError(why)
    marks = f"/tmp/marks-{token_hex(8)}"  # noqa: S108 - inside the sandbox
    skills = {each.name: each.code for each in library.admitted_skills}
    ran = await bench.run_commands(commands, {**skills, skill.name: instrumented_code(skill.code, marks)}, marks=marks)

    async def works(code: str) -> bool:
        again = await bench.run_commands(commands, {**skills, skill.name: code})
        return not again.trouble and again.final == ran.final

    code = executed_code(skill.code, ran.marks)
    if not await works(code):
        raise TaskError("without the parts that were not executed it does not do the same")
    code = await without_idle_data(code, works)
    return replace(skill, code=code, state="admitted", tasks=(*skill.tasks, bench.task.id))


async def candidate_skill(
    found: Proposed, by: str, bench: SkillBench, library: MemoryLibrary, answers: Sequence[Answers]
) -> tuple[Skill | None, Event]:
    """The candidate that a proposal becomes, or None; and what happened."""
    skill = Skill(name=found.name, doc=found.doc, code=found.code, test=found.test, tasks=(bench.task.id,), by=by)
    try:
        if found.name in {each.name for each in library.skills} or found.name in library.revoked:
            raise TaskError("there is a skill of this name, or one was revoked")
        skill = checked_skill(skill, answers)
        why = await refusal_reason(skill, found.commands, bench, library, first=True)
    except (TaskError, SandboxLimitError) as error:
        why = str(error)
    if why:
        return None, Event(what="refused", key=found.name[:60], why=why[:_SHOWN], text=found.code[:_SHOWN])
    return skill, Event(what="candidate", key=skill.name, why=f"it works on {bench.task.id}")


async def skill_lesson(
    asked: Asked, steps: Sequence[Step], bench: SkillBench, library: MemoryLibrary, answers: Sequence[Answers]
) -> tuple[MemoryLibrary, list[Event]]:
    """The library of skills after a success: candidates tried on its task, and a new one.

    Raises:
        ModelError: the model did not answer.
    """
    events: list[Event] = []
    skills = {each.name: each for each in library.skills}
    for skill in [each for each in library.skills if each.state == "candidate" and bench.task.id not in each.tasks]:
        commands = await asked.rewritten_run(skill, bench.task, steps)
        try:
            skills[skill.name] = await admitted_skill(skill, commands, bench, library)
            events.append(Event(what="admitted", key=skill.name, why=f"it works on {bench.task.id}, too"))
        except (TaskError, SandboxLimitError) as error:
            skills[skill.name] = replace(skill, tries=skill.tries + 1)
            events.append(Event(what="nothing", key=skill.name, why=f"on {bench.task.id}: {error}"[:_SHOWN]))
            if skill.tries + 1 >= _MOST_TRIES:
                del skills[skill.name]
                events.append(Event(what="dropped", key=skill.name, why=f"{_MOST_TRIES} other tasks had no use for it"))
    waiting = sum(each.state == "candidate" for each in skills.values())
    if (
        waiting < _MOST_CANDIDATES
        and len(skills) < _MOST_SKILLS
        and sum(len(step.calls) for step in steps) >= _LEAST_STEPS
    ):
        try:
            found = await asked.proposed_skill(bench.task, steps)
        except ModelError as error:
            events.append(Event(what="refused", why=str(error)[:_SHOWN]))
        else:
            if found.name:
                new, event = await candidate_skill(found, asked.model.name, bench, library, answers)
                events.append(event)
                skills |= {new.name: new} if new else {}
    return library.next_version(skills=tuple(skills.values())), events
