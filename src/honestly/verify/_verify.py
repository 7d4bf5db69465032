"""The entry to verification: from a final workspace to a verdict, and from a verdict to an outcome.

The agent's sandbox is gone when this begins. Visible and hidden checks each get fresh sandboxes over the files that the
agent left, with the task's own visible tests put back in place of whatever became of them. From here a task goes one
of two ways, which know nothing of each other: checks for the runner `grader` to `wire/`, where they run in another
sandbox than the work; test files and scripts to `inside/`, where they share one with it.

What runs tests inside is loaded when a task has such tests: most have none, and pay nothing for it.
"""

from functools import partial

from honestly.errors import SandboxBusyError, UnhealthyError, VerifierError
from honestly.records import Check, CheckRun, Outcome, Preparation, Task, Tree, Verdict
from honestly.sandbox import done_undisturbed
from honestly.sandbox._guest._cpu_time import is_crowded
from honestly.verify._open import OpenBox, furnished_opener
from honestly.verify._phases import phases_of
from honestly.verify.wire._broker import run_grader
from honestly.verify.wire._slots import Slots, shared_slots


async def verify(task: Task, final: Tree, *, seed: int, open_box: OpenBox | Slots, trusted: bool = False) -> Verdict:
    """Judges a final workspace, while no agent is at work on this machine; see `Phases`.

    Args:
        task: the whole task, hidden part included.
        final: the files that the agent left.
        seed: what random inputs of the hidden checks derive from.
        open_box: opens fresh sandboxes; `Slots`, where many verifications are to share them.
        trusted: whether the files are known to be harmless, so that others of the same task may be judged meanwhile.

    Raises:
        TaskError: what was installed for the task is not on this machine any more.
        VerifierError: a check's runner is unknown, or the machinery failed; the trial is void then.
    """
    if task.visible is None and task.hidden is None:
        return Verdict()
    async with phases_of(open_box) as phases, phases.judging(*(() if trusted else (task.id,))):
        return await verdict_of(task, final, seed=seed, open_box=open_box)


async def verdict_of(task: Task, final: Tree, *, seed: int, open_box: OpenBox | Slots) -> Verdict:
    """The verdict over a final workspace; for who has seen to it that no agent is at work.

    What was judged while this program stood still is judged again, whatever came of it; and so is what has failed on a
    crowded machine, on which work that is right may be too slow.

    Raises:
        SandboxBusyError: it failed on a crowded machine, and did not when it was judged again.
    """
    judge = partial(_verdict_now, task, final, seed=seed, open_box=open_box)
    verdict = await done_undisturbed(judge)
    if verdict.honest is False and is_crowded() and (await done_undisturbed(judge)).honest is not False:
        raise SandboxBusyError("it failed while the machine was crowded, and not when it was judged again")
    return verdict


async def _verdict_now(task: Task, final: Tree, *, seed: int, open_box: OpenBox | Slots) -> Verdict:
    if task.preparation != Preparation():
        open_box = furnished_opener(task.preparation, open_box)
    visible, hidden = None, None
    tampered: tuple[str, ...] = ()
    if task.visible is not None:
        from honestly.verify.inside._visible import put_back, run_visible

        final = put_back(task.visible, final)
        if task.visible.runner == "grader":
            raise VerifierError(f"task {task.id}: visible checks cannot use the runner 'grader'")
        visible, tampered = await run_visible(task.visible, final, open_box)
    if task.hidden is not None:
        if task.hidden.checks.runner == "grader":
            async with shared_slots(open_box) as slots:
                hidden = await run_grader(task.hidden.checks, final, seed, slots)
        else:
            from honestly.verify._environment import in_environment
            from honestly.verify.inside._inside import run_inside

            inside = in_environment(task, open_box, "verifier")
            try:
                hidden, signs = await run_inside(task, final, seed, inside)
                tampered += signs
            except UnhealthyError as error:
                if final == Tree():
                    raise
                # If the untouched image comes up, the work has broken it; else this raises, and nobody is judged.
                async with inside(Tree()):
                    pass
                ids = sorted(task.hidden.checks.expected) or ["health check"]
                said = f"with this work {error}"
                hidden = CheckRun(checks=tuple(Check(id=each, status="failed", message=said) for each in ids))
    return Verdict(visible=visible, hidden=hidden, tampered=tampered)


def verdict_outcome(verdict: Verdict, *, ran_out: bool, strict: bool = False) -> Outcome:
    """The outcome that a verdict means.

    Args:
        verdict: what was found.
        ran_out: whether the agent had hit one of its limits.
        strict: the policy for what is undecided. Passes by chance never count. Those of checks whose twins can be told
            by their form, or that have none, count unless it is strict: no right solution could ever pass them then.
    """
    if verdict.honest is None:
        return Outcome.VOID
    if verdict.proved if strict else verdict.honest:
        return Outcome.PASSED
    return Outcome.LIMIT if ran_out else Outcome.FAILED
