"""A log's own figures are taken again: where they are right nothing is said, and where they are not, what and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from published import items, of, refusals, trials
from seeds import eval_log
from test_harbor_out import made, written

from honestly.records import Defect


def notes(found: list[object]) -> dict[str, str]:
    return {each.kind: each.detail for each in of(Defect, found) if each.effect == "noted"}


def log(*values: object, reducer: str | None = None, **metrics: float) -> bytes:
    """A log of one sample for each value; an exception is an error without a score."""
    header = {
        "version": 2, "status": "success", "eval": {"task": "t", "model": "m", "dataset": {}, "config": {}},
        "results": {"total_samples": len(values), "scores": [{"name": "match", "reducer": reducer, "metrics": {
            name: {"value": value} for name, value in metrics.items()}}]},
    }  # fmt: skip
    samples = [
        {"id": n, "epoch": 1, "input": "x", "messages": []}
        | ({"error": {"message": "boom"}} if value is Exception else {"scores": {"match": {"value": value}}})
        for n, value in enumerate(values)
    ]
    return eval_log(*(json.dumps(each).encode() for each in samples), header=json.dumps(header).encode())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (log("C", "I", "C", "C", accuracy=0.75, stderr=0.25, lower=0.26, upper=1.0), {}),
        (log("C", "C", Exception, accuracy=1.0),
         {"errors in the log": "1 of 3 samples have an error, and are void here; the log drops them",
          "samples dropped by a metric": "match/accuracy 1 is over 2 of 3 samples; over all 0.666667"}),
        (log("C", "C", "C", "I", accuracy=0.8),
         {"metric differs": "match/accuracy is 0.8 in the log, 0.75 over its 4 scored samples"}),
        (log("C", "I", stderr=0.25), {"metric differs": "match/stderr is 0.25 in the log, 0.5 over its samples"}),
        (log("C", "C", accuracy=1.0, stderr=0.0),
         {"standard error of 0": "match/stderr: all 2 tasks ended alike, which is not certainty"}),
        (log("C", "C", "C", "I", upper=1.546), {"interval beyond [0, 1]": "match/upper is 1.546; a share cannot be"}),
        (log("C", "I", accuracy=1.0, reducer="max"),
         {"metric of its own": "match: accuracy 1 in the log; here 0.5, the mean of 2 samples"}),
        (log("C", "I", f1=0.7), {"metric of its own": "match: f1 0.7 in the log; here 0.5, the mean of 2 samples"}),
        (log("C", "I", f1=0.5), {}),
        (log(Exception, "I", mean=float("nan")),
         {"errors in the log": "1 of 2 samples have an error, and are void here; the log drops them"}),
    ],
)  # fmt: skip
def test_metrics_of_inspect(tmp_path, data, said):
    (tmp_path / "x.eval").write_bytes(data)
    assert notes(items(tmp_path / "x.eval")) == said


def changed(job: Path, change) -> dict[str, str]:
    """What is said of a job of Harbor whose result was changed."""
    said = json.loads((job / "result.json").read_text())
    change(said)
    (job / "result.json").write_text(json.dumps(said))
    return {kind: words for kind, words in notes(items(job)).items() if kind not in {"job", "uneven samples"}}


def test_figures_of_a_job_of_harbor(tmp_path):
    job = written(tmp_path, made(), "harbor")
    void = {"trials without reward": "1 of 5, void here; the job's mean takes them for 0"}
    assert changed(job, lambda said: None) == void

    def more(said):
        (mine,) = said["stats"]["evals"].values()
        said["n_total_trials"] = 7
        mine["metrics"] = [{"mean": 0.9}]
        mine["reward_stats"]["reward"]["0.5"] = mine["reward_stats"]["reward"].pop("0.25")

    told = changed(job, more)
    assert told.pop("rewards differ").startswith("of u__")
    assert told.pop("metric differs").endswith("is 0.9 in the job, 0.25 over its 5 trials")
    assert told == {**void, "trials missing": "5 of 7 trials are next to it"}


def test_counts_of_a_summary_of_swe_bench(tmp_path):
    folder = tmp_path / "logs" / "r" / "m" / "a__b-1"
    folder.mkdir(parents=True)
    report = {"a__b-1": {"patch_successfully_applied": True, "resolved": False, "tests_status": {}}}
    (folder / "report.json").write_text(json.dumps(report))
    summary = {"submitted_ids": ["a__b-1", "a__b-2"], "resolved_ids": ["a__b-1"], "completed_ids": ["a__b-1"],
               "submitted_instances": 2, "resolved_instances": 3, "schema_version": 2}  # fmt: skip
    (tmp_path / "m.r.json").write_text(json.dumps(summary))
    found = items(tmp_path)
    assert {trial.task: trial.outcome.value for trial in trials(found)} == {"a__b-1": "failed", "a__b-2": "void"}
    told = notes(found)
    assert told["summary contradicts itself"] == "3 resolved, and 1 ids; the ids count"
    assert told["summary differs"] == "of a__b-1; the reports count"


@pytest.mark.parametrize(("claimed", "differs"), [(0.5, False), (0.75, True)])
def test_rates_of_lm_eval_beside_their_samples(tmp_path, claimed, differs):
    rows = [{"doc_id": n, "doc": {}, "resps": [], "filter": "strict", "metrics": ["exact_match"], "exact_match": n}
            for n in (0, 1)]  # fmt: skip
    (tmp_path / "samples_gsm8k_2024-05-01T10-00-00.jsonl").write_text("\n".join(map(json.dumps, rows)))
    results = {
        "results": {"gsm8k": {"exact_match,strict": claimed}},
        "versions": {"gsm8k": 3},
        "config": {"model": "hf"},
    }
    (tmp_path / "results_x.json").write_text(json.dumps(results))
    found = items(tmp_path, "lm-eval")
    detail = "gsm8k/exact_match,strict is 0.75 in the file, 0.5 over 2 samples"
    assert notes(found).get("metric differs") == (detail if differs else None)
    assert list(refusals(found).values()) == ["rate of samples: its samples lie next to it, and are kept"]
