"""A log's own figures are taken again: where they are right nothing is said, and where they are not, what and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from published import FORMATS, items, of, refusals, trials
from seeds import eval_log
from test_harbor_out import made, written

from honestly import studies
from honestly.cli import cli
from honestly.errors import FormatError, NoResultsError
from honestly.formats import DIFFERENCES, Imported
from honestly.records import Defect
from honestly.scores import data_quality
from honestly.store import open_study


def notes(found: list[object]) -> dict[str, str]:
    return {each.kind: each.detail for each in of(Defect, found) if each.effect == "noted"}


def log(*values: object, epochs: int = 1, reducer: str | None = None, **metrics: float) -> bytes:
    """A log of so many epochs of its samples, with a value for each; an exception is an error without a score."""
    header = {
        "version": 2, "status": "success", "eval": {"task": "t", "model": "m", "dataset": {}, "config": {}},
        "results": {"total_samples": len(values), "scores": [{"name": "match", "reducer": reducer, "metrics": {
            name: {"value": value} for name, value in metrics.items()}}]},
    }  # fmt: skip
    samples = [
        {"id": n // epochs, "epoch": 1 + n % epochs, "input": "x", "messages": []}
        | ({"error": {"message": "boom"}} if value is Exception else {"scores": {"match": {"value": value}}})
        for n, value in enumerate(values)
    ]
    return eval_log(*(json.dumps(each).encode() for each in samples), header=json.dumps(header).encode())


def test_a_log_whose_mean_is_beyond_1_has_no_pass_among_its_numbers(tmp_path):
    (tmp_path / "x.eval").write_bytes(log(1, "10", 0, accuracy=11 / 3))
    assert [str(each.trial.outcome) for each in of(Imported, items(tmp_path / "x.eval"))] == ["void", "void", "void"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (log("C", "I", "C", "C", accuracy=0.75, stderr=0.25, lower=0.26, upper=1.0), {}),
        (log("C", "C", Exception, accuracy=1.0),
         {"errors in the log": "1 of 3 samples have an error, and are void here; the log drops them",
          "samples dropped by a metric": "match/accuracy 1 is over 2 of 3 samples; over all 0.666667"}),
        (log("C", "C", "C", "I", accuracy=0.8),
         {"figure differs": "match/accuracy is 0.8 in the file, 0.75 over its 4 scored samples"}),
        (log("C", "I", stderr=0.25), {"figure differs": "match/stderr is 0.25 in the file, 0.5 over its 2 scored samples"}),
        (log("C", "C", accuracy=1.0, stderr=0.0),
         {"standard error of 0": "match/stderr: all 2 tasks ended alike, which is not certainty"}),
        (log("C", "C", "C", "I", upper=1.546), {"interval beyond [0, 1]": "match/upper is 1.546; a share cannot be"}),
        (log("C", "I", "I", "I", epochs=2, accuracy=0.5, reducer="max"),
         {"metric of its own": "match: accuracy 0.5 in the log; here 0.25, the mean of 4 samples"}),
        (log("C", "I", accuracy=1.0, reducer="max"),
         {"metric of its own": "match: accuracy 1 in the log; here 0.5, the mean of 2 samples",
          "figure differs": "match/accuracy is 1 in the file, 0.5 over its 2 scored samples"}),
        (log("C", "I", "I", "C", epochs=2, accuracy=1.0, reducer="pass_at_2"),
         {"metric of its own": "match: accuracy 1 in the log; here 0.5, the mean of 4 samples"}),
        (log("C", "I", "C", "C", epochs=2, accuracy=0.5, reducer="at_least_2"),
         {"metric of its own": "match: accuracy 0.5 in the log; here 0.75, the mean of 4 samples"}),
        (log("C", "I", accuracy=0.9, reducer="somebodys"),
         {"metric of its own": "match: accuracy 0.9 in the log; here 0.5, the mean of 2 samples"}),
        (log("C", "I", f1=0.7), {"metric of its own": "match: f1 0.7 in the log; here 0.5, the mean of 2 samples"}),
        (log("C", "I", f1=0.5), {}),
        (log(1, "1", "4", accuracy=2.0, stderr=1.0), {}),
        (log(0, 0, 2, accuracy=2 / 3), {"figure differs": "match/accuracy is 0.666667 in the file, 0 over its 2 scored samples"}),
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
    assert told.pop("figure differs").endswith("is 0.9 in the file, 0.25 over its 5 trials")
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
    assert told["figure differs"] == "resolved_instances is 3 in the file, 1 over its ids"
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
    assert notes(found).get("figure differs") == (detail if differs else None)
    assert list(refusals(found).values()) == ["rate of samples: its samples lie next to it, and are kept"]


EVALPLUS = {
    "eval": {
        "HumanEval/0": [{"base_status": "pass", "plus_status": "pass"}, {"base_status": "pass", "plus_status": "fail"}],
        "HumanEval/1": [{"base_status": "fail", "plus_status": "pass"}, {"base_status": "fail", "plus_status": "fail"}],
    },
    "pass_at_k": {"base": {"pass@1": 0.5, "pass@2": 0.5}, "plus": {"pass@1": 0.25, "pass@10": 0.9}},
}
HAL = {
    "config": {"agent_name": "a"},
    "results": {"accuracy": 0.667},
    "raw_eval_results": {"0": {"reward": 1.0}, "1": {"reward": 1.0}, "2": {"reward": 0.0}},
}
LIVE = [{"question_id": "a", "code_list": ["x", "y"], "graded_list": [True, False], "pass@1": 0.5}]
SUITES = """<testsuites tests="9"><testsuite name="s" tests="3" failures="1" errors="0">
<testcase name="a"/><testcase name="b"><failure/></testcase><testsuite name="t" tests="1" failures="0" errors="0">
<testcase name="c"/></testsuite></testsuite></testsuites>"""
TB = {
    "results": [{"id": "1", "task_id": "t", "trial_name": "t.1-of-1.r", "is_resolved": True, "parser_results": {}}],
    "accuracy": 1.0,
    "n_resolved": 1,
}


@pytest.mark.parametrize(
    ("name", "text", "right", "wrong", "detail"),
    [
        ("samples_eval_results.json", json.dumps(EVALPLUS), '"pass@2": 0.5', '"pass@2": 0.75',
         "base pass@2 is 0.75 in the file, 0.5 over 2 tasks"),
        ("samples_eval_results.json", json.dumps(EVALPLUS), '"pass@1": 0.25', '"pass@1": 0.5',
         "plus pass@1 is 0.5 in the file, 0.25 over 2 tasks"),
        ("a_UPLOAD.json", json.dumps(HAL), "0.667", "0.668", "accuracy is 0.668 in the file, 0.666667 over 3 tasks"),
        ("m_eval_all.json", json.dumps(LIVE), '"pass@1": 0.5', '"pass@1": 1.0',
         "pass@1 of a is 1 in the file, 0.5 over 2 samples"),
        ("junit.xml", SUITES, 'tests="3"', 'tests="5"', "s: tests is 5 in the file, 3 over its 3 test cases"),
        ("junit.xml", SUITES, 'failures="0"', 'failures="1"',
         "t: failures and errors is 1 in the file, 0 over its 1 test cases"),
        ("results.json", json.dumps(TB), '"n_resolved": 1', '"n_resolved": 2',
         "n_resolved is 2 in the file, 1 over its 1 trials"),
    ],
)  # fmt: skip
def test_a_figure_that_a_tool_printed_otherwise_stops_every_command(tmp_path, name, text, right, wrong, detail):
    assert right in text
    results = tmp_path / "run" / name
    results.parent.mkdir()
    results.write_text(text)
    study, source = tmp_path / "s.honestly", str(results.parent)
    done = CliRunner().invoke(cli, ["study", "import", source, "-o", str(study)])
    assert done.exit_code == 0, done.output
    results.write_text(text.replace(right, wrong))
    for command in (["report", source], ["study", "import", source, "-o", str(tmp_path / "t.honestly")]):
        done = CliRunner().invoke(cli, command)
        assert isinstance(done.exception, FormatError)
        assert str(done.exception).startswith(f"{name}: figure differs: {detail}. Figures that")
        assert not (tmp_path / "t.honestly").exists()
        assert CliRunner().invoke(cli, [*command, "--allow-difference"]).exit_code == 0
    assert CliRunner().invoke(cli, ["report", source]).exit_code != 0  # what was allowed once is not remembered
    with open_study(tmp_path / "t.honestly") as kept:
        assert detail in {each.detail for each in kept.defects()}


@pytest.mark.published
@pytest.mark.parametrize("folder", sorted(FORMATS.iterdir()) if FORMATS.is_dir() else [], ids=lambda each: each.name)
def test_no_published_file_stops_falsely(folder):
    try:
        found = items(folder)
    except FormatError:
        return  # no results
    assert not [each for each in of(Defect, found) if each.kind in DIFFERENCES]


def test_a_source_that_cannot_be_read_is_counted_and_the_others_are_read(tmp_path):
    (tmp_path / "a.csv").write_text("agent,task,passed\nx,t,1\nx,u,0\n")
    (tmp_path / "b.csv").write_text("agent,task,passed\ny,t,1\ny,u,0\n")
    (tmp_path / "notes.txt").write_text("nothing in particular")
    out = str(tmp_path / "s.honestly")
    sources = [str(tmp_path / name) for name in ("a.csv", "notes.txt", "b.csv")]
    done = CliRunner().invoke(cli, ["study", "import", *sources, "-o", out])
    assert done.exit_code == 2
    assert "1 of 5 could not be read: notes.txt: source not read: " in done.stderr
    with open_study(Path(out)) as study:
        assert [agent.name for agent in study.agents()] == ["x", "y"]
        quality = data_quality(len(study.cells()), study.defects())
    assert quality.sentence == "found 5: kept 4, refused 1; refused: 1 source not read"
    done = CliRunner().invoke(cli, ["study", "import", *sources, "-o", f"{out}2.honestly", "--allow-refused"])
    assert done.exit_code == 0, done.output
    with pytest.raises(NoResultsError, match=r"no format that is known.*; to read the other results: --allow-refused"):
        studies.open(sources)
    told: list[str] = []
    assert len(studies.open(sources, allow_refused=True, tell=told.append).report().board.agents) == 2
    assert any(line.startswith("not read: ") and "notes.txt" in line for line in told)
    with pytest.raises(NoResultsError, match=r"notes.txt"):
        studies.open([sources[1], sources[1]], allow_refused=True)
    assert CliRunner().invoke(cli, ["study", "import", sources[0], f"{out}.none", "-o", f"{out}3"]).exit_code != 0
    assert not Path(f"{out}3").exists(), "a slip of the pen is no source"


@pytest.mark.parametrize(("rows", "stops"), [(60, False), (40, True)])
def test_more_than_two_percent_that_cannot_be_read_stop_a_command(tmp_path, rows, stops):
    lines = [json.dumps({"task_id": f"t/{n}", "completion": "x", "passed": True}) for n in range(rows)]
    (tmp_path / "s_results.jsonl").write_text("\n".join([*lines, '{"task_id": 1, ']))
    out = tmp_path / "s.honestly"
    done = CliRunner().invoke(cli, ["study", "import", str(tmp_path / "s_results.jsonl"), "-o", str(out)])
    assert done.exit_code == (2 if stops else 0)
    assert (f"1 of {rows + 1} could not be read" in done.stderr) is stops
    with open_study(out) as study:
        assert len(study.cells()) == rows, "the rest is there"
    done = CliRunner().invoke(cli, ["report", str(tmp_path / "s_results.jsonl")])
    assert (f"1 of {rows + 1} could not be read" in str(done.exception)) is stops
    assert CliRunner().invoke(cli, ["report", str(tmp_path / "s_results.jsonl"), "--allow-refused"]).exit_code == 0


def test_junit_that_says_no_number_of_failures_is_not_wrong(tmp_path):
    text = '<testsuite name="s" tests="2"><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>'
    (tmp_path / "t.xml").write_text(text)
    assert not notes(items(tmp_path / "t.xml"))
