"""The prompt of an agent: what to try, the rules, the best so far, and what became of earlier attempts."""

from honestly.improve._run import LoopRun

_LAST = 12

_RULES = """\
You improve the project in the current folder.

The metric is `{metric}`; {direction} is better. It is measured with `{evaluate}` after you have ended, in other
sandboxes, on seeds that are drawn then. Only these files may change: {change}. Everything else is put back.
Make one change that you can explain, check that the project still works, and end. A change is kept only if it is
better on fresh seeds than what is there now."""


def next_prompt(run: LoopRun, best: str, *, memory: bool = True, more: str = "") -> str:
    """The prompt of the next attempt.

    Args:
        run: the loop.
        best: the candidate that the agent begins with.
        memory: whether earlier attempts are told; best-of-N tells none.
        more: what the loop adds.
    """
    said = run.target.declaration
    command = f"{said.produce} | {said.evaluate}" if said.produce else said.evaluate
    if said.agent is not None:
        command = f"honestly run {said.agent.suite} --agent {run.declared_terms.solvers[0]}"
    rules = _RULES.format(metric=said.metric, direction=said.direction, evaluate=command, change=", ".join(said.change))
    parts = [rules, run.target.program.strip()]
    if memory and (history := _history(run, best)):
        parts.append(history)
    return "\n\n".join(filter(None, [*parts, more]))


def _history(run: LoopRun, best: str) -> str:
    state, lines = run.state, []
    start = state.decided[run.arm, 0]
    for each in run.recent_decisions(_LAST):
        score = "no score" if each.score is None else f"{each.score:.5g}"
        lines.append(f"- attempt {each.n}: {score}, {'kept' if each.kept else 'dropped'}: {each.why[:200]}")
    if not lines:
        return ""
    now = f"best now {state.score:.5g}" if state.score is not None and best != start.id else "nothing is better yet"
    head = f"Earlier attempts ({run.target.declaration.metric} of the unchanged project: {start.score:.5g}; {now}):"
    return "\n".join([head, *lines])
