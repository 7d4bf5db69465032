"""The states of a trial between its steps, and what becomes of it when an agent goes on from one of them.

The states are made again: each recorded call is done once more, in one sandbox over the task's files, and the workspace
is kept after each step that acted. A continuation is an ordinary trial whose workspace is that state: the same
instruction, a new conversation. What the agent had in mind is not part of the state, then; and a step that only looked
at something changes none.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from honestly.agents import Actor
from honestly.errors import TaskError, ToolError
from honestly.people._credit import START, CreditReport, FatalSearch, credited_steps
from honestly.records import Edit, Outcome, Step, Task, ToolCall, Trajectory, Tree, decode, digest
from honestly.runner import Planned, run_attempt
from honestly.sandbox import Sandbox
from honestly.tools import TOOLS, Tool, default_tools
from honestly.verify import OpenBox, furnished_opener

_UNDONE = ("ask", "finish", "todo")
"""Calls that change no workspace."""


@dataclass(frozen=True, slots=True)
class TrialStates:
    """The workspaces of a trial between its steps."""

    states: tuple[Tree, ...]
    """The first is that of the task."""
    words: tuple[str, ...]
    """What each step did."""
    indices: tuple[int, ...]
    """Which step of the trajectory each is, from 0."""
    differs: tuple[str, ...]
    """Files that the last state has otherwise than was recorded."""


async def trial_states(task: Task, trajectory: Trajectory, final: Edit | None, open_box: OpenBox) -> TrialStates:
    """Repeat the steps of a trial, and keep the workspace after each step that changed it.

    Raises:
        TaskError: a call cannot be done again.
    """
    states, words, indices = [task.workspace], [], []
    names = {call.name for step in trajectory.steps for call in step.calls} - {"write", *_UNDONE}
    known = {each.name for each in TOOLS.known}
    if strange := sorted(names - known):
        raise TaskError(
            f"calls of {', '.join(strange)} cannot be repeated; expected calls of {', '.join(sorted(known))}"
        )
    tools = {name: default_tools([name])[0] for name in names}
    async with furnished_opener(task.preparation, open_box)(task.workspace) as box:
        try:
            for index, step in enumerate(trajectory.steps):
                if step.source != "agent" or not step.calls or step.copied:
                    continue
                for call in step.calls:
                    await _do_again(call, box, tools)
                state = await box.snapshot()
                if state != states[-1]:
                    states.append(state)
                    words.append(_step_words(step))
                    indices.append(index)
        finally:
            for tool in tools.values():
                await tool.close()
    recorded = final.apply(task.workspace) if final is not None else states[-1]
    paths = {*recorded.files, *states[-1].files}
    differs = tuple(sorted(path for path in paths if recorded.files.get(path) != states[-1].files.get(path)))
    return TrialStates(tuple(states), tuple(words), tuple(indices), differs)


async def _do_again(call: ToolCall, box: Sandbox, tools: Mapping[str, Tool]) -> None:
    arguments = {name: call.argument(name) for name in call.arguments}
    if call.name == "write":
        await box.write(str(arguments["path"]), str(arguments["content"]).encode())
    elif call.name in tools:
        try:
            await tools[call.name](box, arguments)
        except ToolError:
            return  # it was refused then, too


async def credit_of_trial(
    trial: str,
    task: Task,
    found: TrialStates,
    actor: Actor,
    open_box: OpenBox,
    *,
    budget: int,
    search: FatalSearch,
    each: int = 0,
    progress: Callable[[int, int], None] = lambda _done, _most: None,
) -> CreditReport:
    """Let an agent continue from states of a trial, until it is clear where the trial was lost.

    Args:
        trial: its id.
        task: its task, hidden part included.
        found: its states.
        actor: who goes on.
        open_box: opens sandboxes.
        budget: continuations at most.
        search: over as many states.
        each: continuations from each state at least, if the budget allows; for values, not for the answer.
        progress: told how many have been run.
    """
    runs = 0
    while runs < budget:
        state = search.next_state()
        if state is None:
            short = [n for n in range(search.states) if search.successes[n] + search.failures[n] < each]
            if not short:
                break
            state = short[0]
        begun = replace(task, workspace=found.states[state])
        name = digest("continuation", trial, state, runs)
        result = await run_attempt(Planned(name, begun, actor, runs), open_box)
        runs += 1
        progress(runs, budget)
        if result.trial.outcome is Outcome.VOID:
            if result.lost or not result.passing:
                raise TaskError(f"a continuation from state {state} was void: {result.trial.reason}")
            continue
        search.add(state, success=result.trial.outcome is Outcome.PASSED)
    places = (START, *found.indices)
    return CreditReport(
        trial,
        search.level,
        search.recoverable,
        runs,
        search.next_state() is None,
        search.fatal.in_steps(places),
        credited_steps(search, places, found.words),
        found.differs,
    )


def final_of_artifact(data: bytes | None) -> Edit | None:
    """What a trial changed, as its artifact has it."""
    return decode(data, Edit) if data is not None else None


def _step_words(step: Step) -> str:
    call = step.calls[0]
    what = next((str(call.argument(name)) for name in ("command", "path", "code") if name in call.arguments), "")
    more = f" (+{len(step.calls) - 1})" if step.calls[1:] else ""
    return " ".join(f"{call.name} {what}".split())[:120] + more
