"""Evolve with several agents and several metrics: a bandit finds the better agent, a front holds what nothing beats."""

import json

from click.testing import CliRunner

from honestly.cli import cli
from honestly.improve import Evaluation, read_target
from honestly.improve._front import ParetoPoint, attempts_by_agent, dominates, front_of, pareto_front
from honestly.improve.recipes._evolve import Bandit
from improve.loop_parts import TOML, begun, memory_box, plain, project, worked


async def two_metrics(target, edit, seed):
    """The level costs, and so does its distance from 9."""
    text = target.workspace(edit).text("knobs.py").split()
    level, rate = float(text[2]), float(text[5])
    metrics = {"loss": level**2 + (seed % 7) / 100, "far": abs(9 - level), "rate": rate}
    return Evaluation("ok", metrics["loss"], metrics, "", 0.0)


def ran(tmp_path, toml=TOML, budget="30 attempts", **terms):
    folder = project(tmp_path / "p", toml)
    run = begun(folder, terms.pop("agent", "searcher"), budget, loop="evolve", **terms)
    return folder, run, worked(run, memory_box, two_metrics)


def test_a_bandit_leaves_the_agent_that_never_wins():
    bandit, tried = Bandit(["a", "b"]), []
    for _ in range(200):
        tried.append(bandit.choose())
        bandit.learn_result(tried[-1], won=tried[-1] == "b" and len(tried) % 2 == 0)
    assert tried[:2] == ["a", "b"]
    assert 5 <= tried.count("a") < 60 < 120 < tried.count("b")


def test_several_agents_are_known_by_what_they_made_and_the_one_that_gains_is_asked_more(tmp_path):
    _, run, state = ran(tmp_path, agent="gambler", rivals=("searcher",))
    assert {each.agent for each in state.attempts()} == {"gambler", "searcher"}
    found = attempts_by_agent(state)
    assert sum(made for made, _ in found.values()) == 30
    assert found["searcher"][0] > found["gambler"][0]
    assert found["gambler"][1] == 0 < found["searcher"][1]
    truths = {each.agent: each.truth.kind for each in state.attempts()}
    assert truths == {"gambler": "gambler", "searcher": "searcher"}
    again = worked(run, memory_box, two_metrics)
    assert plain(again) == plain(state)


def test_in_other_loops_agents_take_turns(tmp_path):
    run = begun(project(tmp_path / "p"), "gambler", "4 attempts", rivals=("searcher",))
    state = worked(run, memory_box, two_metrics)
    assert [each.agent for each in state.attempts()] == ["gambler", "searcher"] * 2


def test_a_front_holds_what_no_other_candidate_beats(tmp_path):
    said = TOML.replace("metric =", 'metrics = {far = "lower"}\nmetric =')
    folder, run, state = ran(tmp_path, said)
    target = read_target(folder)
    front = front_of(target, state)
    assert len(front) >= 2
    assert not any(dominates(target.declaration, a, b) for a in front for b in front)
    best = min(front, key=lambda each: each.values["loss"])
    assert best.values["far"] == max(each.values["far"] for each in front)
    status = CliRunner().invoke(cli, ["improve", str(folder), "status", "--json"])
    assert [row["attempt"] for row in json.loads(status.stdout)["front"]] == [each.attempt for each in front]
    assert "front: attempt" in CliRunner().invoke(cli, ["improve", str(folder), "status"]).stdout
    assert plain(worked(run, memory_box, two_metrics)) == plain(state)


def test_equal_candidates_are_one_and_one_metric_has_no_front(tmp_path):
    target = read_target(project(tmp_path / "p", TOML.replace("metric =", 'metrics = {gain = "higher"}\nmetric =')))
    rows = [
        ParetoPoint(str(n), n, {"loss": loss, "gain": gain})
        for n, (loss, gain) in enumerate([(1, 1), (1, 1), (2, 1), (2, 3)])
    ]
    assert [each.attempt for each in pareto_front(target.declaration, rows)] == [0, 3]
