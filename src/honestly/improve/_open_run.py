"""Begin a run of a loop, go on with it, work until it ends."""

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from honestly.agents import Actor, make_agent
from honestly.errors import BudgetError, StoreError, TaskError
from honestly.improve._agent_target import PROJECT_FOLDER, AgentTarget, tuned_suite
from honestly.improve._attacks import ATTACKERS, attacking_actor
from honestly.improve._declare import BASELINE, Target
from honestly.improve._evaluate import evaluate
from honestly.improve._journal import Declared, Extended, LoopJournal, Rival, State, read_state
from honestly.improve._keep import KEEPS
from honestly.improve._record import Measure
from honestly.improve._run import LoopRun
from honestly.improve._suite_target import METRIC, task_ids, task_in, write_suite
from honestly.improve.proposers import FIXERS, PROPOSERS
from honestly.improve.recipes import LOOPS, Loop
from honestly.models import RetryModel, make_model
from honestly.records import Record, Suite, Task, decode, encode
from honestly.sandbox import open_sandbox
from honestly.verify import OpenBox
from honestly.work import Budget, write_file

TARGET = "project.json"
HARDENED = "hardened"
"""Folder of a run with the suite that `harden` made."""


class LoopTerms(Record, frozen=True, kw_only=True):
    """The terms of a run, in addition to the project."""

    loop: str = "autoresearch"
    """What `LOOPS` knows, or `module:function`."""
    keep: str = ""
    """`race`, `paired`, or `naive` to see what that does; empty for `race`, and for `paired` where time is measured."""
    agent: str
    """A proposer of known truth, or an agent as `run --agent` takes it."""
    rivals: tuple[str, ...] = ()
    """Other agents that make attempts, too: `evolve` finds out whose are worth more, else they take turns."""
    model: str = ""
    """Who answers for the agents."""
    budget: Budget
    seed: int | None = None
    """Makes a run repeatable. Whoever knows it can foresee the seeds of evaluations, so that no agent should."""
    attackers: tuple[str, ...] = ATTACKERS
    """Of `harden`: who tries to earn rewards."""
    solvers: tuple[str, ...] = ()
    """Of `harden`: whose honest solutions must pass, beside those that are known. With `[agent]`: whose work is
    measured, one; `{project}` in it is a folder with the candidate's files."""
    tries: Annotated[int, Meta(ge=1)] = 1
    """Of `harden`: rounds in which no attacker earns a reward, after which a task is done."""


def begin_run(folder: Path, target: Target, terms: LoopTerms, name: str) -> None:
    """Declare a run: its project, terms and proof, before anything is measured.

    Raises:
        TaskError: there is no such loop or rule, or it is no async function.
        AgentError: there is no such agent.
        StoreError: the folder holds a run already.
    """
    spec = LOOPS.parse(terms.loop)
    if not callable(loop := LOOPS.make_object(spec)):
        raise TaskError(f"the loop {terms.loop!r} is {type(loop).__name__}; expected an async function of a LoopRun")
    said = target.declaration
    if terms.loop == "kernel" and (said.kernel is None or (said.metric, said.direction) != ("seconds", "lower")):
        raise TaskError(
            '--loop kernel needs `metric = "seconds"`, `direction = "lower"` and a table [kernel] in improve.toml '
            "(docs/improve.md)"
        )
    if terms.keep not in {"", *KEEPS}:
        raise TaskError(f"there is no rule {terms.keep!r}; there are: {', '.join(KEEPS)}")
    roles = _declared_roles(target, terms)
    actor = loop_agent(terms.agent, terms.model, target, name)
    if len({terms.agent, *terms.rivals}) <= len(terms.rivals):
        raise TaskError(f"an agent is named twice: {', '.join((terms.agent, *terms.rivals))}; name each once")
    rivals = tuple(
        Rival(agent=each, record=loop_agent(each, terms.model, target, name).record) for each in terms.rivals
    )
    journal = LoopJournal(folder)
    try:
        if journal.state.declared is not None:
            raise StoreError(f"{folder} contains a run already; expected a new folder")
        write_file(folder / TARGET, encode(target))
        secret = secrets.token_hex(16) if terms.seed is None else f"seed {terms.seed}"
        journal.write(
            Declared(
                name=name, loop=terms.loop, source=LOOPS.source(spec), agent=terms.agent, model=terms.model,
                record=actor.record, budget=terms.budget, secret=secret, rivals=rivals, **roles,
            )
        )  # fmt: skip
    finally:
        journal.close()


@contextmanager
def open_run(folder: Path, open_box: OpenBox, measure: Measure | None = None) -> Iterator[LoopRun]:
    """Opens a run that was started; attempts that were in flight when it was killed count.

    Args:
        folder: where it lies.
        open_box: opens the sandboxes of the agent and of evaluations.
        measure: how a candidate is measured; by the declared commands, if nobody says.

    Raises:
        StoreError: there is none, or it is damaged.
        StudyBusyError: another process is at work on it.
    """
    target, state = read_run(folder)
    assert state.declared is not None
    actors = _Actors(state.declared, target, open_box)
    journal = LoopJournal(folder)
    if measure is None and target.declaration.agent is not None:
        measure = AgentTarget(target, state.declared.solvers[0], state.declared.suite, open_box).measure
    try:
        yield LoopRun(target, actors, journal, folder, open_box, measure or partial(evaluate, open_box=open_box))
    finally:
        journal.close()


class _Actors(Mapping[str, Actor]):
    """The agents of a run, each made when it is to act; until then it may have changed, or be gone."""

    def __init__(self, declared: Declared, target: Target, open_box: OpenBox) -> None:
        self._known = {declared.agent: declared.record, **{each.agent: each.record for each in declared.rivals}}
        self._make = partial(loop_agent, model=declared.model, target=target, name=declared.name, open_box=open_box)
        self._made: dict[str, Actor] = {}

    def __getitem__(self, spec: str) -> Actor:
        if spec not in self._made:
            made = self._make(spec)
            if made.record != self._known[spec]:
                raise StoreError(f"the agent {spec!r} has changed since the run started; start another with --out")
            self._made[spec] = made
        return self._made[spec]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def read_run(folder: Path) -> tuple[Target, State]:
    """The project of a run as it was at the start, and what its journal says.

    Raises:
        StoreError: there is no run in the folder, or it is damaged.
    """
    state = read_state(folder)
    path = folder / TARGET
    if state.declared is None or not path.is_file():
        raise StoreError(f"{folder} contains no run that was started; remove the folder and start again")
    return decode(path.read_bytes(), Target), state


async def work_until_spent(run: LoopRun) -> None:
    """Run the loop until its budget is spent; writes a hardened suite into the run's folder.

    Raises:
        StoreError: the loop is your own, and has changed since the run began.
        TaskError: it gives no candidate.
    """
    if "loop" not in run.state.sealed:
        extended, whole = run.state.extended, run.state.total_budget
        run.enter_arm("loop", extended.part if extended else whole.part(loop_share(run.target)), whole)
        spec = LOOPS.parse(run.declared_terms.loop)
        if LOOPS.source(spec) != run.declared_terms.source:
            raise StoreError(
                f"the loop {run.declared_terms.loop!r} has changed since the run started; start another with --out"
            )
        loop: Loop = LOOPS.make_object(spec)
        try:
            best = await loop(run)
        except BudgetError:  # whatever a loop does, it ends with its budget
            if not run.ended():
                raise
            best = run.state.best
        if best not in run.state.edits:
            raise TaskError(f"the loop {run.declared_terms.loop!r} gave {best!r}; expected the id of a candidate")
        run.seal(best, run.ended() or "the loop ended")
    if run.declared_terms.loop == "harden":
        write_suite(run.folder / HARDENED, run.target, run.state.edits[run.state.best], run.declared_terms.name)


def extend_run(folder: Path, more: Budget) -> None:
    """Continue an ended loop, at the remaining level, with the attempt that the budget interrupted.

    Args:
        folder: of the run.
        more: what the loop may spend on top. Where it was given this already and has not ended, nothing changes.

    Raises:
        BudgetError: what ended the loop is not in `more`.
        StoreError: there is no run, it has not ended, or its proof has begun.
    """
    target, state = read_run(folder)
    if "loop" not in state.sealed:
        if state.extended is None or state.extended.more != more:
            raise StoreError("the loop has not ended; the same command without --more continues it")
        return
    if state.spent["proof"].evaluations or state.spent["control"].attempts:
        raise StoreError(f"the run in {folder} was already proved, so it cannot continue; start another with --out")
    part = state.extended.part if state.extended else state.total_budget.part(loop_share(target))
    spent = state.spent["loop"]
    whole, part = (each.plus(more, spent) for each in (state.total_budget, part))
    if reached := (whole if state.best == BASELINE else part).reached(spent):
        raise BudgetError(f"the loop has no {reached} left: name them in --more, too")
    journal = LoopJournal(folder)
    try:
        journal.write(Extended(more=more, budget=whole, part=part))
    finally:
        journal.close()


def loop_share(target: Target) -> float:
    """Which share of the time, tokens and money the loop has: the rest is for the proof and its control."""
    proof = target.declaration.proof
    return (1 - proof.share) / (2 if proof.control else 1)


def _declared_roles(target: Target, terms: LoopTerms) -> dict[str, Any]:
    """The declarations beside the agent: how changes are kept, and of `harden` who attacks and who solves.

    Raises:
        TaskError: the loop is not for what it is to improve.
        AgentError: there is no such agent.
    """
    if (terms.loop == "harden") != (target.declaration.metric == METRIC):
        raise TaskError("only the loop `harden` takes a suite of tasks; the others take a project with an improve.toml")
    if target.declaration.agent is not None:
        if len(terms.solvers) != 1:
            raise TaskError("name the agent that the changed files are for: --solver AGENT")
        if PROJECT_FOLDER not in terms.solvers[0] and not target.declaration.agent.overlay:
            raise TaskError(
                f"the agent {terms.solvers[0]!r} does not see the project; name {PROJECT_FOLDER}/FILE in --solver, or "
                "an `overlay` in improve.toml"
            )
        return {"keep": terms.keep or "race", "solvers": terms.solvers, "suite": tuned_suite(target).hash}
    if terms.loop != "harden":
        # A clock is no seed: two kernels are compared side by side, or the machine's day decides.
        return {"keep": terms.keep or ("paired" if target.declaration.metric == "seconds" else "race")}
    task = task_in(target.tree, task_ids(target)[0])
    for spec in (*terms.attackers, *terms.solvers):
        attacking_actor(spec, task)
    return {"keep": "replayed", "attackers": terms.attackers, "solvers": terms.solvers, "tries": terms.tries}


def loop_agent(spec: str, model: str, target: Target, name: str, open_box: OpenBox = open_sandbox) -> Actor:
    """The agent of a loop: a proposer or fixer of known truth, or any agent that `run --agent` takes.

    Raises:
        AgentError: there is none such.
    """
    if spec in PROPOSERS:
        return PROPOSERS[spec]()
    if spec in FIXERS:
        return FIXERS[spec](open_box)
    task = Task(id=name, instruction=target.program or name, workspace=target.agent_tree)
    suite = Suite(name=name, version="1", tasks=(task,))
    return make_agent(spec, suite, RetryModel(make_model(model)) if model else None)
