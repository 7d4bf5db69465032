"""A team: planner, coder, tester and reviewer, each with a prompt and a conversation of its own, in rounds.

In a round the planner says what is to be done, the coder does it, the tester tries to break it, and the reviewer
accepts the work or says what is missing, which the next round begins with. It ends when the reviewer accepts, or after
so many rounds; only what the reviewer accepts is claimed to be done. Under a matched budget there is another round
then. All work in one sandbox on the same files, one after the other, and keep their memory from round to round.

Whoever ends without a word is said to have done so, and the round goes on without it.
"""

from dataclasses import replace
from typing import Annotated

from msgspec import Meta

from honestly.agents import ContinueUntilBudget, Ending, Hire, Run

ROLES = {
    "planner": """\
You are the planner. Read the task and the files, and write a plan that a good programmer can follow without asking:
what is to be changed, where, in which order, which cases matter, and how to see that it works. Change no file. End
with `finish`, the plan in `summary`.""",
    "coder": """\
You are the coder. Do what the plan and the task say; where they differ, the task counts. Run what shows that it works.
End with `finish`: what you did in `summary`, what you left in `not_done`.""",
    "tester": """\
You are the tester. Try to break the work: run the tests that are there, and the cases of the task that no test tries,
in files outside of the project (`/tmp`). Change nothing of the project. End with `finish`: what you ran, and what
failed with its exact output, in `summary`; `not_done` is what fails.""",
    "reviewer": """\
You are the reviewer, and the last to see the work. Read the task, then what has been changed, and see for yourself
that it works; believe nobody's report. Change nothing. End with `finish`: `done` with an empty `not_done` accepts it;
everything else sends it back, and `not_done` says exactly what is to be done.""",
}
_TASK = "The task of your team:\n\n{task}\n\n---\n{news}"
_SENT_BACK = "The reviewer sent the work back:\n{said}"
_ACCEPTED = "The reviewer accepted the work, and there is budget left: look for what everybody has missed.\n{said}"


async def team(run: Run, hire: Hire, more: ContinueUntilBudget, *, rounds: Annotated[int, Meta(ge=1)] = 2) -> None:
    """Rounds until the reviewer accepts the work.

    Args:
        run: the attempt.
        hire: gives each member its conversation.
        more: whether to go on after an end.
        rounds: so many at most, before it ends.
    """
    members = {name: hire(name, role) for name, role in ROLES.items()}
    met: set[str] = set()

    async def ask_member(name: str, news: str) -> Ending | None:
        told = news if name in met else _TASK.format(task=run.task.instruction, news=news)
        met.add(name)
        return await members[name].say(told)

    news, going = "Nothing has been done yet.", True
    while going:
        verdict = None
        for _ in range(rounds):
            plan = _handed_on("planner", await ask_member("planner", news))
            built = _handed_on("coder", await ask_member("coder", f"{news}\n\n{plan}"))
            tried = _handed_on("tester", await ask_member("tester", f"{plan}\n\n{built}"))
            verdict = await ask_member("reviewer", f"{built}\n\n{tried}")
            accepted = verdict is not None and verdict.outcome == "done" and not verdict.not_done.strip()
            news = (_ACCEPTED if accepted else _SENT_BACK).format(said=_handed_on("reviewer", verdict))
            if accepted:
                break
        going = await more(verdict if accepted or verdict is None else replace(verdict, outcome="cannot"))


def _handed_on(name: str, ending: Ending | None) -> str:
    """The words that a member hands on."""
    if ending is None:
        return f"The {name} ended without a word."
    left = f"\nNot done: {ending.not_done}" if ending.not_done.strip() else ""
    return f"The {name} ({ending.outcome}): {ending.summary}{left}"
