"""Proposers of known truth in loops: hackers gain nothing and are named, the searcher reaches what is known."""

import random
from importlib.util import find_spec

import pytest

from honestly.improve import BASELINE, loop_proof, proof_evidence, prove_run, read_target
from honestly.improve.projects import EXAMPLES, write_example
from honestly.improve.proposers import HACKERS
from honestly.improve.proposers._searcher import annealed_network, unsorted_count
from honestly.sandbox import open_sandbox
from improve.loop_parts import begun, memory_box, project, scored, unsafe_box, worked

pytestmark = pytest.mark.slow

GEPA = pytest.mark.skipif(find_spec("gepa") is None, reason="the extra gepa is not installed")

NAMES = {
    "gambler": "nothing",
    "seed-hacker": "seed",
    "evaluator-hacker": "tampering",
    "special-caser": "table",
    "bloater": "unused",
}


async def no_difference(target, edit, seed):
    return scored(float(seed % 5) if not target.declaration.deterministic else 1.0)


async def pure_noise(target, edit, seed):
    return scored(random.Random(f"{seed}{len(edit.write.files)}").gauss(5, 1))


def ran(tmp_path, example, hacker, budget, box, measure=None, **terms):
    folder = tmp_path / "p"
    write_example(example, folder)
    run = begun(folder, hacker, budget, **terms)
    state = worked(run, box, measure)
    return proof_evidence(read_target(folder), state), state


@pytest.mark.parametrize("hacker", sorted(HACKERS))
@pytest.mark.parametrize("example", EXAMPLES)
def test_what_a_hacker_changes_is_named(tmp_path, example, hacker):
    found, _ = ran(tmp_path, example, hacker, "1 attempt", memory_box, measure=no_difference)
    named = {each.flag for each in found.flags}
    if example == "curve":
        assert NAMES[hacker] in named
    assert found.tampering == (hacker == "evaluator-hacker")
    assert (found.best, found.kept) == (BASELINE, 0)


def test_an_evaluator_hacker_gains_nothing_from_the_real_evaluator(tmp_path):
    found, state = ran(tmp_path, "curve", "evaluator-hacker", "1 attempt", unsafe_box)
    assert (found.best, found.kept, found.tampering) == (BASELINE, 0, 1)
    assert state.decided["loop", 1].status == "wrong"
    assert loop_proof(found).verdict == "nothing was kept"


@pytest.mark.parametrize("loop", ["autoresearch", "best-of", "evolve", pytest.param("reflect", marks=GEPA)])
@pytest.mark.parametrize("example", ["curve", "prompt", "sorting"])  # kernels: test_kernel_cheats.py
@pytest.mark.parametrize("hacker", sorted(HACKERS))
def test_no_hacker_gains_in_any_loop_in_real_sandboxes(tmp_path, hacker, example, loop):
    found, _ = ran(tmp_path, example, hacker, "4 attempts", open_sandbox, loop=loop)
    run = tmp_path / "p" / ".improve"
    proof = loop_proof(worked(run, open_sandbox, then=prove_run))
    assert proof.verdict in {"nothing was kept", "cannot tell"}
    assert loop == "best-of" or found.kept == 0


@pytest.mark.parametrize(
    ("loop", "wires", "known", "attempts"),
    [
        *(("autoresearch", wires, known, attempts) for wires, known, attempts in ((5, 9, 2), (6, 12, 4), (7, 16, 12))),
        *(("evolve", wires, known, attempts) for wires, known, attempts in ((5, 9, 3), (6, 12, 9))),
    ],
)
def test_the_searcher_reaches_the_best_known_sorting_network_and_the_proof_confirms_it(
    tmp_path, loop, wires, known, attempts
):
    folder = tmp_path / "p"
    write_example("sorting", folder)
    bubble = [[i, i + 1] for last in range(wires - 1, 0, -1) for i in range(last)]
    (folder / "wires.txt").write_text(str(wires))
    (folder / "network.json").write_text(str(bubble))
    run = begun(folder, budget=f"{attempts} attempts", loop=loop)
    assert worked(run, unsafe_box).score == known
    proof = loop_proof(worked(run, unsafe_box, then=prove_run))
    assert (proof.over_baseline.verdict, proof.baseline, proof.best, proof.failed) == ("better", len(bubble), known, 0)
    # Best-of-N finds the shortest network for five wires, too: that the loop helped is shown where it does not.
    assert proof.verdict == ("better" if proof.best_of_n > known else "cannot tell")
    assert proof.optimism == 0
    assert proof.best_of_n >= known


@pytest.mark.parametrize(("wires", "known"), [(6, 12), (7, 16)])
def test_its_search_finds_larger_networks(wires, known):
    rng = random.Random(2)
    network = [(i, i + 1) for last in range(wires - 1, 0, -1) for i in range(last)]
    for size in range(len(network) - 1, known - 1, -1):
        found = None
        for _ in range(30):
            found = found or annealed_network(wires, size, network, rng)
        assert found is not None, size
        network = found
    assert len(network) == known


def test_a_network_that_leaves_an_input_unsorted_is_told_so():
    inputs = [sum(1 << k for k in range(8) if k >> wire & 1) for wire in range(3)], 255
    assert unsorted_count([(0, 1), (1, 2), (0, 1)], inputs) == 0
    assert unsorted_count([(0, 1), (1, 2)], inputs) == 1


def test_naive_keep_keeps_what_changes_nothing_and_the_proof_says_so(tmp_path):
    _, state = ran(tmp_path, "curve", "gambler", "12 attempts", memory_box, pure_noise, keep="naive")
    assert state.best != BASELINE
    run = tmp_path / "p" / ".improve"
    proof = loop_proof(worked(run, memory_box, pure_noise, then=prove_run))
    assert proof.verdict == "cannot tell"
    assert proof.wrongly
    assert proof.flagged == proof.kept
    assert proof.optimism > 0.5


def test_an_agent_of_run_works_in_a_loop(tmp_path):
    folder = project(tmp_path / "p")
    run = begun(folder, "nop", "1 attempt")
    state = worked(run, unsafe_box)
    assert state.decided["loop", 1].why == "it changes nothing"
