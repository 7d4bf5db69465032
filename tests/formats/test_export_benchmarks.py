"""Predictions and samples: what goes out is what the benchmarks' own programs read, and comes back by our readers."""

from __future__ import annotations

import json
import subprocess

import pytest
from hypothesis import given, settings, strategies as st
from published import items, of, refusals, trials

from honestly.formats import EXPORTERS, Exported, Imported, Remark, importers_for, write_patch
from honestly.records import Agent, Check, CheckRun, Edit, File, Outcome, Task, Tree, Trial, Verdict, encode

PATCH = "diff --git a/f.py b/f.py\n--- a/f.py\n+++ b/f.py\n@@ -1 +1 @@\n-old é\n+new \U0001f600\n"


def exported(agent, task, sample, outcome, artifacts=None, workspace=None, **more):
    trial = Trial(id=f"{agent}{task}{sample}", agent=agent, task=task, sample=sample, outcome=outcome, **more)
    given_files = Tree.of(workspace or {})
    return Exported(trial, Agent(name=agent), Task(id=task, instruction="", workspace=given_files), None, artifacts)


def test_predictions_come_back_with_every_sample(tmp_path):
    final = encode(Edit(write=Tree.of({"f.py": "new\n"}), delete=("gone.py",)))
    made = [
        exported("../a", "x__y-1", 0, Outcome.PASSED, {"patch.diff": PATCH.encode()}),
        exported("../a", "x__y-1", 1, Outcome.FAILED, {"patch.diff": PATCH.replace("new", "other").encode()}),
        exported("../a", "x__y-2", 0, Outcome.VOID),
        exported("b", "x__y-1", 0, Outcome.PASSED, {"final.json": final}, {"f.py": "old\n", "gone.py": "1\n"}),
    ]
    said = list(EXPORTERS.make_object("swe-bench")(made, tmp_path / "out"))
    assert [isinstance(each, Remark) for each in said] == [False, False, True, False]
    files = {path.relative_to(tmp_path / "out").as_posix().partition("/")[2] for path in tmp_path.rglob("*.jsonl")}
    assert files == {"sample-0/predictions.jsonl", "sample-1/predictions.jsonl"}
    for path in tmp_path.rglob("*.jsonl"):  # the harness: a list of objects with these three, keyed by instance
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        assert all(row.keys() == {"instance_id", "model_name_or_path", "model_patch"} for row in rows)
        assert len({row["instance_id"] for row in rows}) == len(rows)
    found = items(tmp_path / "out", "swe-bench")
    assert importers_for(tmp_path / "out") == "swe-bench"
    assert refusals(found) == {}
    back = {(t.trial.agent, t.trial.task, t.trial.sample): t.artifacts.get("patch.diff") for t in of(Imported, found)}
    assert back.keys() == {(each.trial.agent, each.trial.task, each.trial.sample) for each in made}
    assert back["../a", "x__y-1", 0] == PATCH.encode()
    assert back["../a", "x__y-2", 0] is None
    assert b"-old\n+new\n" in back["b", "x__y-1", 0]


def test_a_patch_that_is_no_text_is_left_out(tmp_path):
    (said,) = EXPORTERS.make_object("swe-bench")(
        [exported("a", "t", 0, Outcome.PASSED, {"patch.diff": b"\xff"})], tmp_path
    )
    assert "not UTF-8" in said
    assert list(tmp_path.iterdir()) == []


FILES = st.builds(
    File,
    data=st.one_of(
        st.binary(max_size=200),
        st.lists(st.sampled_from([b"a\n", b"b\n", b"\r\n", b"c\r", b"\n", "é\u2028\n".encode()]), max_size=12).map(
            b"".join
        ),
        st.just(b"x"),
    ),
    mode=st.sampled_from(["file", "exec"]),
)
PATHS = st.sampled_from(["a.py", "dir/b.txt", 'odd "name" é', "tab\there", "-c", "z z"])
TREES = st.dictionaries(PATHS, FILES, max_size=4).map(lambda files: Tree(files=files))


@settings(max_examples=40)
@given(TREES, TREES)
def test_git_makes_the_final_files_of_a_patch(tmp_path_factory, before, after):
    folder = tmp_path_factory.mktemp("git")
    git(folder, "init", "-q")
    for path, file in before.files.items():
        write(folder / path, file)
    patch = write_patch(before, Edit.between(before, after))
    if patch:
        git(folder, "apply", "-", words=patch)
    left = {path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts}
    assert {path.relative_to(folder).as_posix() for path in left} == set(after.files)
    for path, file in after.files.items():
        assert (folder / path).read_bytes() == file.data
        assert bool((folder / path).stat().st_mode & 0o100) == (file.mode == "exec")


def write(path, file):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(file.data)
    path.chmod(0o755 if file.mode == "exec" else 0o644)


def git(folder, *words_of, words=None):
    done = subprocess.run(["git", "-C", str(folder), *words_of], input=words, capture_output=True)
    assert done.returncode == 0, (done.stderr, words)


def of_functions():
    """Trials with solutions, with every outcome."""
    both = {"base": "passed", "plus": "failed"}
    run = CheckRun(checks=tuple(Check(id=name, status=status) for name, status in both.items()))
    code = {"solution.py": "def f():\n    return 'é'\n".encode()}
    final = {"final.json": encode(Edit(write=Tree.of({"solution.py": "x = 1\n"})))}
    return [
        exported("m1", "HumanEval-0", 0, Outcome.PASSED, code),
        exported("m1", "HumanEval-0", 1, Outcome.FAILED, code, verdict=Verdict(hidden=run)),
        exported("m1", "HumanEval-1", 0, Outcome.LIMIT, final, reason="agent_timeout"),
        exported("m1", "HumanEval-2", 0, Outcome.VOID, code, reason="sandbox died"),
        exported("m2", "HumanEval-0", 0, Outcome.PASSED, code),
    ]


@pytest.mark.parametrize("kind", ["samples", "evalplus"])
def test_samples_come_back_with_their_outcomes(kind, tmp_path):
    assert set(EXPORTERS.make_object(kind)(of_functions(), tmp_path / "out")) == {""}
    results = tmp_path / "results"
    results.mkdir()
    for path in (tmp_path / "out").iterdir():
        if "results" in path.name:
            path.rename(results / path.name)
    assert importers_for(results) == "graded-samples"
    found = items(results)
    assert refusals(found) == {}
    said = {Outcome.LIMIT: Outcome.FAILED}
    back = {(t.agent, t.task, t.sample): t.outcome for t in trials(found)}
    assert back == {
        (e.trial.agent, e.trial.task, e.trial.sample): said.get(e.trial.outcome, e.trial.outcome)
        for e in of_functions()
    }
    assert all(each.artifacts["solution.py"] for each in of(Imported, found))
    key = {"samples": "completion", "evalplus": "solution"}[kind]
    rows = [json.loads(line) for line in (tmp_path / "out" / "m1.jsonl").read_text().splitlines()]
    assert [row["task_id"] for row in rows] == ["HumanEval/0", "HumanEval/0", "HumanEval/1", "HumanEval/2"]
    assert rows[2] == {"task_id": "HumanEval/1", key: "x = 1\n"}


def test_evalplus_counts_its_own_results_as_the_study_does(tmp_path):
    """As `evalplus.evaluate` does where a results file is there: a sample passes if base and plus say `pass`."""
    list(EXPORTERS.make_object("evalplus")(of_functions(), tmp_path))
    found = json.loads((tmp_path / "m1_eval_results.json").read_text())["eval"]
    passed = {task: [s["base_status"] == "pass" and s["plus_status"] in {"pass", None} for s in samples]
              for task, samples in found.items()}  # fmt: skip
    assert passed == {"HumanEval/0": [True, False], "HumanEval/1": [False], "HumanEval/2": [False]}
    assert found["HumanEval/0"][1] == {
        "task_id": "HumanEval/0", "solution": "def f():\n    return 'é'\n", "base_status": "pass",
        "plus_status": "fail", "base_fail_tests": [], "plus_fail_tests": [],
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["samples", "evalplus"])
def test_what_has_no_solution_is_left_out_and_a_grade_is_remarked(kind, tmp_path):
    code = {"solution.py": b"x = 1\n"}
    made = [exported("a", "t", 0, Outcome.PASSED), exported("a", "t", 1, Outcome.FAILED, code, score=0.5)]
    said = list(EXPORTERS.make_object(kind)(made, tmp_path))
    assert said[0] == "its solution was not kept"
    assert isinstance(said[1], Remark)
    assert len((tmp_path / "a.jsonl").read_text().splitlines()) == 1


def results(tmp_path, name, content):
    (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return items(tmp_path / name)


def test_base_tests_alone_are_said_of_each_trial(tmp_path):
    new = {"t/0": [{"task_id": "t/0", "solution": "x", "base_status": "pass", "plus_status": None},
                   {"task_id": "t/0", "solution": "x", "base_status": "pass", "plus_status": "fail"}]}  # fmt: skip
    found = results(tmp_path, "m_eval_results.json", {"date": "", "hash": "", "eval": new})
    assert [(t.outcome.value, t.reason) for t in trials(found)] == [
        ("passed", "judged by the base tests alone"),
        ("failed", ""),
    ]


def test_the_older_results_of_evalplus_are_read(tmp_path):
    old = {"t/0": {"nfiles": 2, "base": [["pass", [True]], ["pass", [True]]], "plus": [["pass", []], ["timeout", []]]},
           "t/1": {"nfiles": 1, "base": [["fail", [False]]], "plus": []}}  # fmt: skip
    found = results(tmp_path, "m_eval_results.json", {"date": "", "hash": "h", "eval": old})
    assert [(t.task, t.outcome.value) for t in trials(found)] == [
        ("t-0", "passed"),
        ("t-0", "failed"),
        ("t-1", "failed"),
    ]


def test_codes_of_livecodebench_are_failures_but_for_its_own_errors(tmp_path):
    note = json.dumps({"error_code": -2, "error_message": "Wrong Answer"})
    row = {"question_id": "q", "code_list": list("abcdefghi"),
           "graded_list": [True, False, -1, -2, -3, -4, -5, [True, True], [True, -3]], "metadata": ["{}", note]}  # fmt: skip
    found = trials(results(tmp_path, "lcb.json", [row]))
    assert [(t.outcome.value, t.reason) for t in found] == [
        ("passed", ""), ("failed", "Wrong Answer"), ("failed", "time limit over all tests"), ("failed", "wrong answer"),
        ("failed", "time limit exceeded"), ("failed", "runtime error"), ("void", "the judge broke"), ("passed", ""),
        ("failed", "time limit exceeded"),
    ]  # fmt: skip
