"""What somebody else's loops claim: the figures of real runs, and files that are not what they should be."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.errors import FormatError
from honestly.improve import proof_report, read_claims

LOOPS = Path(__file__).parents[2].parent / "shared" / "data" / "loops"
real = pytest.mark.skipif(not LOOPS.is_dir(), reason="no published loops beside the repository")


def proved(path, kind="cap-evolve"):
    (found,) = proof_report(read_claims(path, kind)).claims
    return found


@pytest.mark.published
@real
def test_a_gain_that_was_measured_again_is_paired_with_the_start_and_the_luck_of_the_choice_is_shown():
    found = proved(LOOPS / "cap-evolve" / "tau2_airline_run_full")
    assert (found.verdict, found.n, found.paired, found.held_out) == ("better", 50, True, False)
    assert found.baseline == pytest.approx(0.536)
    assert (found.selected, found.fresh) == pytest.approx((0.712, 0.694))
    assert found.difference == pytest.approx(0.694 - 0.536)
    assert found.optimism == pytest.approx(0.018)
    assert found.candidates == 10
    assert "tasks of the final comparison that did not choose the winner" in found.missing


@pytest.mark.published
@real
def test_the_selected_scores_of_the_same_run_give_the_published_difference_and_its_error():
    (claim,) = read_claims(LOOPS / "cap-evolve" / "tau2_airline_run_full", "cap-evolve")
    gains = [claim.selected.tasks[task] - score for task, score in claim.baseline.tasks.items()]
    mean = sum(gains) / len(gains)
    error = (sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1) / len(gains)) ** 0.5
    assert (round(mean, 3), round(error, 3)) == (0.176, 0.041)


@pytest.mark.published
@real
def test_three_tasks_cannot_tell_and_a_loop_that_kept_nothing_claims_nothing():
    found = proved(LOOPS / "cap-evolve" / "skillsbench_run_full")
    assert (found.verdict, found.n, found.held_out, found.candidates) == ("cannot tell", 3, True, 7)
    assert found.difference == pytest.approx(1 / 9)
    for name in ("tau2_airline_run_agentopt_v2", "tau2_airline_run_agentopt_v3"):
        nothing = proved(LOOPS / "cap-evolve" / name)
        assert (nothing.verdict, nothing.p_value) == ("nothing was kept", None)


@pytest.mark.published
@real
def test_the_claims_of_a_table_are_one_family():
    report = proof_report(read_claims(LOOPS / "rsihub.csv", "table"))
    assert len(report.claims) == 32
    best = next(each for each in report.claims if each.name.endswith("Codex / Hyperagents / full") and each.n == 97)
    assert best.p_value < 0.05 < best.p_holm
    assert best.verdict == "cannot tell"
    assert sum(each.verdict == "better" for each in report.claims) == 4


def run(tmp_path, **files):
    for name, content in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def test_a_winner_that_was_never_measured_again_proves_nothing(tmp_path):
    nodes = [
        {"id": "seed", "val": 0.0, "per_task": {str(n): 0 for n in range(30)}},
        {"id": "c1", "val": 1.0, "status": "accepted", "per_task": {str(n): 1 for n in range(30)}},
    ]
    found = proved(run(tmp_path, graph={"graph": {"nodes": nodes, "best_id": "c1"}}))
    assert (found.verdict, found.difference, found.fresh) == ("not measured again", 1.0, None)
    assert "the winner measured again, after it was chosen" in found.missing


def test_files_that_are_something_else_are_refused_with_what_was_expected(tmp_path):
    with pytest.raises(FormatError, match="expected a directory with final"):
        read_claims(tmp_path, "cap-evolve")
    with pytest.raises(FormatError, match="names no best candidate"):
        read_claims(run(tmp_path, final={"test": {}}), "cap-evolve")
    with pytest.raises(FormatError, match="start's score"):
        read_claims(run(tmp_path, final={"best_id": "c"}), "cap-evolve")
    bad = {"val": {"reward": float("nan"), "per_task": []}}
    with pytest.raises(FormatError, match="between 0 and 1, found nan"):
        read_claims(run(tmp_path, baseline=bad, final={"best_id": "c"}), "cap-evolve")
    table = tmp_path / "t.csv"
    for text, words in (
        ("a,b\n1,2\n", "no column evolved_percent"),
        ("seed_percent,evolved_percent,n\n1,x,3\n", "line 2"),
    ):
        table.write_text(text)
        with pytest.raises(FormatError, match=words):
            read_claims(table, "table")


def test_the_command_prints_the_fixed_keys(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("name,seed_percent,evolved_percent,n\nmine,10,80,50\n")
    answer = CliRunner().invoke(cli, ["improve", "prove", str(table), "--from", "table", "--json"])
    found = json.loads(answer.stdout)
    keys = "baseline best difference se interval p_value verdict selected fresh n best_of_n tampering flagged"
    assert set(keys.split()) <= set(found)
    assert (found["verdict"], found["baseline"], found["best"]) == ("better", 0.1, 0.8)
    words = CliRunner().invoke(cli, ["improve", "prove", str(table), "--from", "table"]).stdout
    assert "missing: the winner measured again" in " ".join(words.split())


def measured_again(tmp_path, gains):
    """A run of cap-evolve whose winner has these gains over the start, by task, when both were measured again."""
    sides = {"test_baseline": [0.5] * len(gains), "test": [0.5 + gain for gain in gains.values()]}
    totals = {
        name: {
            "reward": sum(each) / len(each),
            "per_task": [{"task_id": task, "reward": score} for task, score in zip(gains, each, strict=True)],
        }
        for name, each in sides.items()
    }
    start = {"val": {"reward": 0.5, "per_task": [{"task_id": "old", "reward": 0.5}]}}
    nodes = [{"id": "seed", "val": 0.5}, {"id": "c1", "val": 0.9, "status": "accepted"}]
    return run(tmp_path, baseline=start, graph={"graph": {"nodes": nodes}}, final={"best_id": "c1", **totals})


PLAIN = {f"t{at}": 0.1 + 0.01 * (at % 7) for at in range(40)}
SKEWED = {**{task: gain / 4 for task, gain in PLAIN.items()}, "t0": -0.3}


def test_a_gain_that_rare_large_differences_may_undo_has_that_condition(tmp_path):
    assert proved(measured_again(tmp_path, PLAIN)).verdict == "better"
    found = proved(measured_again(tmp_path, SKEWED))
    assert found.verdict == "better, if rare large differences can be excluded"
    assert found.p_if_excluded <= 0.05 < found.p_value
    assert "the start on tasks that had not chosen it, if rare large differences can be excluded: +" in found.sentence
    assert "if they cannot" in found.sentence
    lost = proved(measured_again(tmp_path, {task: -gain for task, gain in SKEWED.items()}))
    assert lost.verdict == "worse, if rare large differences can be excluded"
    words = ["improve", "prove", str(tmp_path), "--from", "cap-evolve"]
    assert CliRunner().invoke(cli, words).exit_code == 1


def test_tasks_of_a_claim_form_clusters_as_their_ids_show_or_a_file_says(tmp_path):
    names = [f"owner__repo{at % 4}-{at}" for at in range(40)]
    folder = measured_again(tmp_path, dict(zip(names, PLAIN.values(), strict=True)))
    words = ["improve", "prove", str(folder), "--from", "cap-evolve"]
    said = CliRunner().invoke(cli, words)
    assert "40 tasks in 4 clusters, paired" in " ".join(said.stdout.split())
    assert said.exit_code == 4
    assert CliRunner().invoke(cli, [*words, "--cluster", "none"]).exit_code == 0
    file = tmp_path / "groups.csv"
    file.write_text("question,cluster\n" + "".join(f"{name},g{at % 20}\n" for at, name in enumerate(names)))
    assert "in 20 clusters" in " ".join(CliRunner().invoke(cli, [*words, "--cluster", str(file)]).stdout.split())
    table = tmp_path / "t.csv"
    table.write_text("seed_percent,evolved_percent,n\n10,80,50\n")
    refused = CliRunner().invoke(cli, ["improve", "prove", str(table), "--from", "table", "--cluster", str(file)])
    assert "no scores of tasks" in str(refused.exception)
