"""`--keep race`: a search that is free to explore, and claims that only the proof makes."""

import random

import pytest

from honestly.improve import BASELINE, extend_run, loop_proof, prove_run, read_loop_budget, read_run
from honestly.stats import wilson_interval
from improve.loop_parts import TOML, begun, kernel_project, memory_box, plain, project, scored, worked
from improve.test_null_loop import pure_noise
from improve.test_resume import noisy

CLAIMS = TOML + "rare_losses = false\n[proof]\ncontrol = false\n"


def test_all_candidates_meet_the_same_seeds_and_a_gain_costs_few_of_them(tmp_path):
    race, paired = (
        worked(begun(project(tmp_path / keep), "searcher", "10 attempts", keep=keep), memory_box, noisy([]))
        for keep in ("race", "paired")
    )
    assert race.best != BASELINE
    assert race.spent["loop"].evaluations < paired.spent["loop"].evaluations
    seeds = {}
    for key, each in race.evaluated.items():
        seeds.setdefault(key.split(" ")[2], set()).add(each.seed)
    assert all(len(found) == 1 for found in seeds.values())
    kept = [each for (_, n), each in race.decided.items() if n and each.kept]
    assert all("the search continues from it" in each.why and each.level is None for each in kept)


def test_it_is_the_rule_where_nobody_says_and_seeds_are_not_the_clock(tmp_path):
    _, state = read_run(begun(project(tmp_path / "p"), keep=""))
    assert state.declared.keep == "race"
    _, state = read_run(begun(kernel_project(tmp_path / "k") and tmp_path / "k", keep="", loop="kernel"))
    assert state.declared.keep == "paired"


@pytest.mark.parametrize("loop", ["autoresearch", "evolve"])
def test_cut_off_anywhere_or_given_more_it_comes_to_the_same_end(tmp_path, loop):
    run = begun(project(tmp_path / "c" / "p"), loop=loop, budget="12 attempts", keep="race")
    whole = worked(run, memory_box, noisy([]))
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    for cut in (len(lines) // 3, len(lines) // 2, len(lines) - 5):
        (run / "journal.jsonl").write_bytes(b"".join(lines[:cut]))
        assert plain(worked(run, memory_box, noisy([])))[3:7] == plain(whole)[3:7]
    run = begun(project(tmp_path / "a" / "p"), loop=loop, budget="90 evaluations", keep="race")
    whole = worked(run, memory_box, noisy([]))
    run = begun(project(tmp_path / "b" / "p"), loop=loop, budget="41 evaluations", keep="race")
    worked(run, memory_box, noisy([]))
    extend_run(run, read_loop_budget("49 evaluations"))
    assert plain(worked(run, memory_box, noisy([]))) == plain(whole)


def claims(tmp_path, loops, measure, attempts=20):
    kept = claimed = 0
    for n in range(loops):
        run = begun(project(tmp_path / f"{n}", CLAIMS), "gambler", f"{attempts} attempts", seed=n, keep="race")
        kept += worked(run, memory_box, measure).best != BASELINE
        claimed += loop_proof(worked(run, memory_box, measure, prove_run)).verdict == "better"
    return kept, claimed


@pytest.mark.slow
def test_it_goes_on_from_noise_and_does_not_claim_it(tmp_path):
    kept, claimed = claims(tmp_path, 8, pure_noise)
    assert kept >= 4
    assert claimed <= 1


@pytest.mark.slow
def test_of_loops_without_a_gain_five_percent_at_most_claim_one(tmp_path):
    _, claimed = claims(tmp_path, 300, pure_noise)
    assert wilson_interval(claimed, 300)[0] <= 0.05


@pytest.mark.slow
def test_a_gain_of_one_sd_is_found_and_claimed(tmp_path):
    async def gaining(target, edit, seed):
        text = target.workspace(edit).text("knobs.py")
        return scored(random.Random(f"{seed}{text}").gauss(5 - bool(edit.write.files), 1))

    _, claimed = claims(tmp_path, 40, gaining)
    assert claimed >= 34
