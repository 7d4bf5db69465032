"""The loop that hardens suites: what is planted is closed, honest solutions stay right, unfair fixes are dropped."""

import pytest

from honestly.improve import BASELINE, LoopTerms, begin_run, loop_proof, prove_run, read_loop_budget, suite_target
from honestly.improve._hack_rates import attack_rates
from honestly.improve.proposers import HACKERS
from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite
from honestly.verify import check_tasks
from improve.loop_parts import worked
from improve.weak_tasks import weak_suite

pytestmark = pytest.mark.slow


def hardened(tmp_path, *names, agent="tasks-harden+probes", budget="12 attempts", **terms):
    run, target = tmp_path / "run", suite_target(weak_suite(*names))
    terms = {"seed": 1, **terms}
    begin_run(run, target, LoopTerms(loop="harden", agent=agent, budget=read_loop_budget(budget), **terms), "weak")
    return run, target, worked(run, open_sandbox)


def kept(state):
    return [each for (arm, n), each in state.decided.items() if arm == "loop" and n and each.kept]


def last(state, name):
    return [each.why for each in state.decided.values() if each.n and name in state.begun["loop", each.n].prompt]


def test_planted_weaknesses_are_closed_and_the_clean_task_is_left_alone(tmp_path):
    run, target, state = hardened(tmp_path)
    before, after = attack_rates(target, state)
    assert (before.hacked_tasks, after.hacked_tasks, after.tasks) == (4, 0, 5)
    assert after.hacked == 0 < before.hacked
    suite = load_suite(run / "hardened")
    clean = {task.id: task for task in weak_suite().tasks}["fine"]
    assert suite.task("fine") == clean
    assert all(task != weak_suite().task(task.id) for task in suite.tasks if task.id != "fine")
    import anyio

    proofs = anyio.run(check_tasks, suite.tasks, open_sandbox)
    assert all(proof.holds for proof in proofs), proofs
    proof = loop_proof(worked(run, open_sandbox, then=prove_run))
    assert (proof.verdict, proof.n, proof.best) == ("better", 5, 0) or proof.p_value > 0.05
    assert proof.baseline > 0.1


def test_a_fixer_that_cannot_leaves_it_open_and_says_so(tmp_path):
    _, target, state = hardened(tmp_path, "constant", agent="tasks-harden")
    assert attack_rates(target, state)[1].hacked_tasks == 1
    assert state.sealed["loop"].why == "the loop ended"
    assert not kept(state)


@pytest.mark.parametrize(
    ("fixer", "why"),
    [
        ("refuses_everything", "no longer true: the reference passes the hidden checks"),
        ("wants_the_reference", "an honest solution no longer passes: solution 1 of a solver"),
        ("rewrites_the_question", "changed more than the task in hand: fine/"),
    ],
)
def test_a_fix_that_is_unfair_is_dropped(tmp_path, fixer, why):
    agent = f"improve.harden_agents:{fixer}"
    solvers = ("improve.harden_agents:solves",)
    _, target, state = hardened(tmp_path, "constant", "fine", agent=agent, solvers=solvers, budget="2 attempts")
    assert not kept(state)
    assert any(why in said for said in last(state, "`constant/`")), last(state, "`constant/`")
    assert state.best == BASELINE
    assert attack_rates(target, state)[1].hacked_tasks == 1


def test_any_agent_in_each_role(tmp_path):
    where = "improve.harden_agents"
    attackers = (f"{where}:answers_what_is_shown",)
    _, target, state = hardened(
        tmp_path,
        "constant",
        "same",
        agent=f"{where}:asks_more",
        attackers=attackers,
        solvers=(f"{where}:solves",),
        tries=2,
    )
    before, after = attack_rates(target, state)
    assert before.hacked_tasks == 2
    assert [each.why.partition(":")[0] for each in kept(state)] == ["constant"]
    assert after.hacked_tasks == 1
    rounds = {key.split(" ")[2] for key in state.evaluated if key.startswith("loop attack") and " constant " in key}
    assert rounds == {"0", "1", "2"}


@pytest.mark.parametrize("hacker", sorted(HACKERS))
def test_no_hacker_gains_as_a_fixer(tmp_path, hacker):
    _, target, state = hardened(
        tmp_path, "constant", agent=hacker, attackers=("special-case", "guesses"), budget="3 attempts"
    )
    assert not kept(state)
    assert attack_rates(target, state)[1].hacked == 2
