"""Ralph: the same task again and again, each time in a fresh conversation; what it knows stands in files.

An iteration reads its notes, does a part, writes its notes, and ends. It is over when an iteration says that all is
done, with nothing left, and the visible tests pass, where the task shows any; or after so many iterations. Under a
matched budget it begins again then. The tests are run as they lie in the workspace: this decides when to stop, and no
verdict rests on it.

The notes are a file of the workspace, beside the work. They are no part of what is judged.
"""

from dataclasses import replace
from shlex import join
from typing import Annotated

from msgspec import Meta

from honestly.agents import ContinueUntilBudget, Hire, Run
from honestly.records import Step
from honestly.sandbox import Sandbox

NOTES = "RALPH_NOTES.md"

_TOLD = """\
{task}

---
You work on this in iterations. Each begins with a fresh memory: all that is known of earlier ones stands in the files,
and in {notes}. This is iteration {number}.

1. Read {notes}, if it is there, and look at how things stand. Trust what you see more than what it says.
2. Do the most important thing that is left, and see that it works.
3. Write into {notes} what the next iteration must know: what is done, what is left, what was found out. Briefly.
4. Call `finish`: `done` with an empty `not_done` if the whole task is done, and else with what is left in `not_done`.
{seen}"""
_FAILING = "\nThe last iteration said that all is done, but the visible tests do not pass:\n\n{tail}\n"
_TAIL = 2_000
_TESTS_S = 60.0
_ABSENT = (126, 127)


async def ralph(
    run: Run, box: Sandbox, hire: Hire, more: ContinueUntilBudget, *, iterations: Annotated[int, Meta(ge=1)] = 10
) -> None:
    """Repeats fresh conversations until the task is done.

    Args:
        run: the attempt.
        box: where it works.
        hire: gives a fresh conversation.
        more: whether to go on after an end.
        iterations: so many at most, before it ends.
    """
    run.notes = (NOTES,)
    number, seen, going = 0, "", True
    while going:
        ending = None
        for _ in range(iterations):
            number += 1
            told = _TOLD.format(task=run.task.instruction, notes=NOTES, number=number, seen=seen)
            ending, seen = await hire(f"iteration-{number}").say(told), ""
            if ending and ending.outcome == "done" and not ending.not_done.strip():
                if not (failing := await _failing_tests(run, box)):
                    break
                seen = _FAILING.format(tail=failing)
            ending = ending and replace(ending, outcome="cannot")
        going = await more(ending)


async def _failing_tests(run: Run, box: Sandbox) -> str:
    """The end of what the visible tests say where they fail; empty where they pass, or there are none."""
    # The command that runs the visible tests in the workspace; empty where nothing can.
    visible = run.task.visible
    if visible is None or visible.runner == "grader":
        command = ""
    elif visible.runner == "script":
        command = join(visible.command)
    else:
        runner = ["unittest"] if visible.runner == "unittest" else ["pytest", "-q", "-p", "no:cacheprovider"]
        command = join(["python3", "-m", *runner, *dict.fromkeys(name.partition("[")[0] for name in visible.expected)])
    if not command:
        return ""
    result = await box.exec(command, timeout=_TESTS_S)
    if result.code in _ABSENT or b"No module named pytest" in result.stderr:
        return ""  # what runs them is for the judge only
    said = (result.stdout + result.stderr).decode("utf-8", "replace")[-_TAIL:].strip()
    word = "pass" if result.code == 0 else f"do not pass (exit {result.code})"
    run.steps.append(Step(source="system", message=f"[The visible tests {word}: {command}]"))
    return "" if result.code == 0 else said or f"exit status {result.code}"
