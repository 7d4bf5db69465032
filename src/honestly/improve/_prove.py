"""The proof of a loop's gain: what was declared before it began is measured after it has ended.

Winner, baseline and control are measured on the same fresh seeds, which nobody could know before. The control is
best-of-N: the same agent, as many attempts, as many evaluations, no feedback; its winner is chosen by its own score, as
the loop's was. All of it is journalled: asked again, nothing is measured again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from honestly.errors import StoreError
from honestly.improve._agent_target import AgentTarget
from honestly.improve._audit import DiffFlag, flags_of
from honestly.improve._declare import BASELINE, Constraint, Declaration, Target
from honestly.improve._hack_rates import attack_afresh, attacked_afresh, task_rates
from honestly.improve._journal import Arm, State
from honestly.improve._run import LoopRun
from honestly.improve.recipes import best_of
from honestly.work import Budget

_FEWEST = 3


@dataclass(frozen=True, slots=True)
class LoopEvidence:
    """The measurements of a loop, and what its changes look like."""

    name: str
    loop: str
    keep: str
    agent: str
    metric: str
    higher: bool
    """Whether more of the metric is better."""
    best: str
    """The winner's id; `baseline` where nothing was kept."""
    attempts: int
    kept: int
    bound: float | None
    """The declared largest difference of two scores; 0 where the declaration excludes rare large losses, None where
    nobody knows."""
    trusted: bool
    """Whether the user's own command measured the candidate in one sandbox with it, so that its word is taken."""
    selected: tuple[float, ...]
    """The winner's scores that made it the winner."""
    fresh: dict[str, tuple[float | None, ...]]
    """Scores on fresh seeds, the same for all: `baseline`, `best`, `control`. None where no score was given."""
    constraints: tuple[tuple[str, Constraint, tuple[float | None, ...], tuple[float | None, ...]], ...]
    """Each declared constraint with its metric's fresh values, of the winner and of the unchanged project."""
    tampering: int
    """Attempts that changed what they may not."""
    flags: tuple[DiffFlag, ...]
    wrongly: tuple[int, ...]
    """Kept attempts of which the agent's known truth says that they gain nothing."""


async def prove_run(run: LoopRun, *, end: bool = False) -> LoopEvidence:
    """Measure what was declared, as far as it is not measured yet.

    Args:
        run: whose loop has ended.
        end: end the loop here, if it has not.

    Raises:
        StoreError: the loop has not ended.
    """
    state, proof = run.state, run.target.declaration.proof
    if "loop" not in state.sealed:
        if not end:
            raise StoreError(
                "the loop has not ended: resume it with `honestly improve run`, or end it: honestly improve prove --end"
            )
        run.enter_arm("loop", Budget())
        run.seal(state.best, "ended by prove")
    if state.best != BASELINE and run.declared_terms.loop == "harden":
        await attack_afresh(run)
    elif state.best != BASELINE:
        if proof.control:
            await _run_control(run)
        run.enter_arm("proof", Budget())
        who = list(dict.fromkeys(proof_contestants(run.state).values()))
        measure = None
        if run.target.declaration.agent is not None:
            declared = run.declared_terms
            suite = AgentTarget(run.target, declared.solvers[0], declared.suite, run.open_box)
            measure = partial(suite.measure, fresh=True)
        for at in range(run.target.declaration.proof.pairs):
            seed = run.seed("proof", at)
            # A fixed order would compare places in it, too: machines that take turns, or that slow down.
            for each in sorted(who, key=partial(run.seed, "order", at)):
                await run.evaluate(each, seed, f"proof {at}", measure)
    return proof_evidence(run.target, state)


async def _run_control(run: LoopRun) -> None:
    if "control" in run.state.sealed:
        return
    had = run.state.spent["loop"]
    attempts = max(1, had.attempts)
    usd = None if had.unpriced else had.usd or None
    run.enter_arm("control", Budget(attempts=attempts, tokens=had.tokens or None, usd=usd))
    best = await best_of(run, max(_FEWEST, had.evaluations // attempts))
    run.seal(best, run.arm_budget.reached(run.spent))


def proof_contestants(state: State) -> dict[str, str]:
    """Who is compared at the end, by role."""
    found = {"baseline": BASELINE, "best": state.best}
    return {**found, "control": state.sealed["control"].best} if "control" in state.sealed else found


def proof_evidence(target: Target, state: State) -> LoopEvidence:
    """The journal's evidence for the proof."""
    said, declared = target.declaration, state.declared
    assert declared is not None
    arm: Arm = "proof"
    fresh: dict[str, tuple[float | None, ...]] = attacked_afresh(target, state) if declared.loop == "harden" else {}
    for role, who in proof_contestants(state).items() if not fresh else ():
        keys = [f"{arm} proof {at} {who}" for at in range(said.proof.pairs)]
        fresh[role] = tuple(state.evaluated[key].value for key in keys if key in state.evaluated)
    kept = [each for (where, n), each in state.decided.items() if where == "loop" and n and each.kept]
    truths = {n: each.truth for (where, n), each in state.proposed.items() if where == "loop"}
    last = kept[-1].n if kept else 0
    looks = f"loop {'score' if declared.keep == 'race' else f'keep {last}'}"
    selected = (state.evaluated.get(f"{looks} {at} {state.best}") for at in range(said.keep.most))
    return LoopEvidence(
        name=declared.name,
        loop=declared.loop,
        keep=declared.keep,
        agent=declared.agents,
        metric=said.metric,
        higher=said.direction == "higher",
        best=state.best,
        attempts=state.spent["loop"].attempts,
        kept=len(kept),
        bound=0.0 if _excludes_rare_losses(said, fresh) else said.bound,
        trusted=not said.produce and said.agent is None and declared.loop != "harden",
        selected=task_rates(target, state)
        if declared.loop == "harden"
        else tuple(each.value for each in selected if each is not None and each.value is not None),
        fresh=fresh,
        constraints=tuple(
            (name, each, _fresh_metric(state, state.best, name), _fresh_metric(state, BASELINE, name))
            for name, each in said.constraints.items()
        ),
        tampering=sum(bool(each.tampered) for each in state.attempts()),
        flags=tuple(flags_of(target, state)),
        wrongly=tuple(each.n for each in kept if (truth := truths.get(each.n)) and not truth.succeeded),
    )


def _fresh_metric(state: State, who: str, name: str) -> tuple[float | None, ...]:
    """The values of a metric on the fresh seeds, in their order, which all contestants share."""
    found = (each for each in state.evaluated.values() if each.arm == "proof" and each.id == who)
    return tuple(each.metrics.get(name) for each in sorted(found, key=lambda each: int(each.key.split(" ")[2])))


def _excludes_rare_losses(said: Declaration, fresh: Mapping[str, Sequence[float | None]]) -> bool:
    """Whether it is declared that no seed is much unlike the others, and no fresh one says otherwise."""
    return not said.rare_losses or (said.deterministic and all(len(set(scores)) <= 1 for scores in fresh.values()))
