"""Published numbers that need no model come out to their digits; runs without known answers say so."""

import csv
import json
import math

import numpy as np
import pytest

from forked import honestly
from honestly.errors import StatisticsError
from honestly.uncertainty import RatedClaim, claims_threshold, evaluate_methods, factual_score, read_questions
from uncertainty.published_runs import DATA, published, published_program

THRESHOLDS = [
    ("factscore", 0.7, 0.15, 4.00022563726816),
    ("factscore", 1.0, 0.15, 4.8998812119930735),
    ("nq", 0.8, 0.1, 3.7987289281099534),
    ("nq", 0.9, 0.1, 3.999139923235701),
    ("nq", 1.0, 0.1, 3.999139923235701),
    (
        "MATH",
        1.0,
        0.15,
        -1.999206799236141,
    ),  # its claims are not among the data here; they are in the paper's repository
]


def claims(name: str) -> list[list[RatedClaim]]:
    """The claims of each answer, as people judged them."""
    rows = json.loads(published(f"conformal_factuality/{name}_subclaims_with_scores.jsonl").read_text())["data"]
    return [
        [RatedClaim(c["frequency+gpt-score"] + c["noise"], c["annotation"] in ("Y", "S")) for c in row["claims"]]
        for row in rows
    ]


@pytest.mark.published
@pytest.mark.parametrize(("name", "share", "alpha", "expected"), THRESHOLDS)
def test_thresholds_of_real_claims_are_bit_equal(name, share, alpha, expected):
    answers = claims(name)
    threshold = claims_threshold(answers, alpha=alpha, share=share)
    assert threshold.value == expected
    assert threshold.n == 50
    written = (
        published("conformal_factuality/README.md").parent / f"{name}_a={share:g}_alpha={alpha}_conf=frequency+gpt.txt"
    )
    if written.exists():
        assert float(written.read_text()) == expected
    others = [answers[:at] + answers[at + 1 :] for at in range(len(answers))]
    held = [
        factual_score(one, share) <= claims_threshold(rest, alpha=alpha, share=share).value
        for one, rest in zip(answers, others, strict=True)
    ]
    assert np.mean(held) == (0.86 if alpha == 0.15 else 0.90)


def test_claims_without_a_score_are_refused():
    for broken in ([], [RatedClaim(math.nan, True)]):
        with pytest.raises(StatisticsError, match="at least one claim"):
            factual_score(broken)


PUBLISHED_ROW = {"mmbench": (73.73, 2.54, 82.83), "oodcv": (74.82, 1.89, 100.73)}


@pytest.mark.published
@pytest.mark.parametrize("as_published", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_published_row_of_the_vision_benchmark_comes_out_to_its_digits(as_published):
    """MoE-LLaVA-Phi2-2.7B, the one model of the published tables whose logits are here; means of LAC and APS."""
    found = read_questions([published("vlm_uncertainty/MoE-LLaVA-Phi2-2.7B-4e.npz")])
    table = found.answer_table(found.recorded)
    rows = evaluate_methods(table, as_published=as_published, replicates=2).tasks
    for task, (accuracy, size, uacc) in PUBLISHED_ROW.items():
        both = [each for each in rows if each.task == task and each.score in ("lac", "aps")]
        mine = [float(np.mean([getattr(each, name) for each in both])) for name in ("accuracy", "set_size", "uacc")]
        if as_published:
            assert [round(100 * mine[0], 2), round(mine[1], 2), round(100 * mine[2], 2)] == [accuracy, size, uacc]
        else:  # the threshold a rank lower, where the theory has it, and options that tie share what is right
            assert [100 * mine[0], mine[1]] == [pytest.approx(accuracy, abs=0.05), pytest.approx(size, abs=0.01)]


@pytest.mark.slow
def test_sets_of_labelled_logits_are_those_of_the_published_program():
    path = published("emotion_10k/emotion_10k_4.npz")
    found, expected = read_questions([path]), json.loads((path.parent / "expected.json").read_text())
    with np.load(path) as arrays:
        logits, right = {name: arrays[name] for name in arrays.files}, arrays["label"].astype(int)
    evaluation = evaluate_methods(found.answer_table(found.recorded), as_published=True, replicates=2)
    assert len(evaluation.methods) == 11 * 3
    for each in evaluation.methods:
        p = found.recorded[each.name]
        assert (p.argmax(1) == right).mean() == pytest.approx(
            expected[each.name.replace("__", "/")]["accuracy_argmax6"]
        )
        assert each.n == each.calibration == 5000
        if each.score != "raps":
            accuracy, size, coverage = published_program(logits[each.name], right)[each.score]
            assert (each.accuracy, each.set_size) == (pytest.approx(accuracy), pytest.approx(size, abs=1e-3)), each.name
            assert each.coverage == pytest.approx(coverage, abs=2e-3)  # which of two tied options fills an empty set
        assert each.interval[0] <= each.coverage_unfilled <= each.interval[1] + 0.02, each


@pytest.mark.slow
def test_logits_without_answers_are_near_the_published_sizes():
    """LLM-Uncertainty-Bench, PSEUDO-labelled: three models vote for each other, falcon-7b at chance among them."""
    found = read_questions(sorted(published("llm_uncertainty_bench/README.md").parent.glob("*.npz")))
    table = found.answer_table(found.recorded)
    assert set(table.pseudo_labels) == {"Llama-2-13b-hf", "Qwen-14B", "Yi-6B", "falcon-7b"}
    rows = evaluate_methods(table, as_published=True, replicates=2).tasks
    with (DATA / "llm_uncertainty_bench/published_set_size.csv").open() as file:
        sizes = {row["model"]: row for row in csv.DictReader(file)}
    gaps = []
    for model, name in (("Llama-2-13b-hf", "Llama-2-13B"), ("Qwen-14B", "Qwen-14B"), ("Yi-6B", "Yi-6B")):
        for task, column in (("cosmosqa_10k", "RC_cosmosqa"), ("hellaswag_10k", "CI_hellaswag")):
            mine = [e.set_size for e in rows if e.name == model and e.task.startswith(task) and e.score != "raps"]
            assert len(mine) == 6
            gaps.append(abs(np.mean(mine) - float(sizes[name][column])))
    assert np.mean(gaps) < 0.5


def test_a_run_without_answers_says_that_it_is_pseudo_labelled(tmp_path):
    rows = [
        {
            "id": n,
            "question": f"{n}?",
            "options": ["a", "b", "c"],
            "logits": {m: [n % k, 1.0, n % (k + 1)] for m, k in (("x", 3), ("y", 4))},
        }
        for n in range(60)
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = honestly("uncertainty", tmp_path / "q.jsonl")
    assert (done.returncode, done.stdout[:15]) == (0, "PSEUDO-LABELLED"), done.stderr
    assert json.loads(honestly("uncertainty", tmp_path / "q.jsonl", "--json").stdout)["pseudo_labelled"] is True


@pytest.mark.slow
def test_a_published_archive_in_one_command():
    path = published("vlm_uncertainty/Monkey.npz")
    done = honestly("uncertainty", path, "--json", "--as-published")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert [each["score"] for each in said["methods"]] == ["lac", "aps", "raps"]
    assert all(
        {"name", "n", "accuracy", "set_size", "coverage", "interval", "uacc", "score"} <= each.keys()
        for each in said["methods"]
    )
    with np.load(path) as arrays:
        expected = published_program(arrays["oodcv__logits"], arrays["oodcv__label"].astype(int))
    (row,) = [each for each in said["tasks"] if each["task"] == "oodcv" and each["score"] == "lac"]
    assert (row["accuracy"], row["set_size"]) == (pytest.approx(expected["lac"][0]), pytest.approx(expected["lac"][1]))
