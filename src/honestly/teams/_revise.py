"""Critique and revision by named principles: the agent works; the same model, in a conversation of its own, says which
principles the work breaks and where; the agent mends that, and nothing else.

The principles are those of the agent's policy (`--guard FILE`), numbered. What it is worth is the difference to
`single` under the same policy, paired by task (`honestly compare`). The critic may be wrong: nobody checks it.

Source: Bai et al., "Constitutional AI: Harmlessness from AI Feedback", 2022, whose critique and revision this is, of
work in place of answers, and without training.
"""

from typing import Annotated

from msgspec import Meta

from honestly.agents import ContinueUntilBudget, Hire, Run
from honestly.errors import AgentError

_CRITIC = """\
You are the critic. Read the task and the work, and judge the work by the principles that you are given, each for itself
and by nothing else. Change nothing. End with `finish`: an empty `not_done` says that it breaks none; otherwise
`not_done` names each principle that is broken by its number, with the file and the line that break it."""
_LOOK = "The task:\n\n{task}\n\nThe principles:\n{principles}\n\nWhat the worker says of its work: {said}"
_MEND = """\
The work breaks principles:
{broken}

The principles:
{principles}

Mend that, and nothing else. Then call `finish` again."""


async def revise(
    run: Run,
    hire: Hire,
    more: ContinueUntilBudget,
    principles: tuple[str, ...],
    *,
    rounds: Annotated[int, Meta(ge=1)] = 1,
) -> None:
    """Work, then critique and revision until no principle is broken.

    Args:
        run: the attempt.
        hire: gives the worker and the critic their conversations.
        more: whether to go on after an end.
        principles: those of the policy.
        rounds: so many critiques at most, before it ends.
    """
    if not principles:
        raise AgentError("the loop 'revise' needs principles; give it --guard FILE, with `principles = [...]`")
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate(principles, 1))
    worker, critic = hire(), hire("critic", _CRITIC)
    ending, going = await worker.say(run.task.instruction), True
    while going:
        for _ in range(rounds):
            said = ending.summary if ending is not None else "nothing"
            verdict = await critic.say(_LOOK.format(task=run.task.instruction, principles=listed, said=said))
            if verdict is None or not verdict.not_done.strip():
                break
            ending = await worker.say(_MEND.format(broken=verdict.not_done, principles=listed))
        going = await more(ending)
