"""Commands over suites from elsewhere, and the validation of their checks by mutation."""

import json

import pytest
from files import write

from forked import honestly

PROGRAMS = {
    "python_programs/half.py": "def half(n):\n    return n\n",
    "correct_python_programs/half.py": "def half(n):\n    return n // 2 if n > 0 else 0\n",
    "json_testcases/half.json": "[[6], 3]\n[[7], 3]\n[[-1], 0]\n",
}
PATCH = "--- a/half.py\n+++ b/half.py\n@@ -1,2 +1,2 @@\n def half(n):\n-    return n\n+    return n // 2\n"
TEST_PATCH = (
    "diff --git a/test_half.py b/test_half.py\nnew file mode 100644\n--- /dev/null\n+++ b/test_half.py\n"
    "@@ -0,0 +1,3 @@\n+from half import half\n+def test_half():\n+    assert half(7) == 3\n"
)


@pytest.mark.slow
def test_checks_are_measured_by_mutation_on_request(tmp_path):
    suite = write(tmp_path / "suite", PROGRAMS)
    plain = json.loads(honestly("task", "check", suite, "--json").stdout)
    assert (plain["failed"], "mutations" in plain) == ([], False)
    measured = honestly("task", "check", suite, "--mutants", "--json")
    (mutation,) = json.loads(measured.stdout)["mutations"]
    # `n > -1` and `n >= 0` are the same as far as the cases ask: 0 is not among them.
    assert measured.returncode == 1
    assert {survivor["after"] for survivor in mutation["survivors"]} >= {"return n // 2 if n > 1 else 0"}
    shown = honestly("task", "check", suite, "--mutants", "--task", "half", "--limit", "3")
    assert "not tried" in shown.stdout
    assert "mutants killed, over 1 task." in shown.stdout


@pytest.mark.slow
def test_predictions_for_a_folder_of_repository_tasks_are_judged(tmp_path):
    instance = {
        "instance_id": "one-1",
        "problem_statement": "Halve.",
        "patch": PATCH,
        "test_patch": TEST_PATCH,
        "FAIL_TO_PASS": ["test_half.py::test_half"],
    }
    suite = write(
        tmp_path / "suite",
        {"instances.jsonl": json.dumps(instance), "checkouts/one-1/half.py": "def half(n):\n    return n\n"},
    )
    rows = [{"instance_id": "one-1", "model_patch": patch} for patch in (PATCH, "")]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = json.loads(honestly("bench", "samples", suite, tmp_path / "p.jsonl", "-k", "1", "--json").stdout)
    assert said["pass@1"] == 0.5
    assert [row["passed"] for row in said["results"]["one-1"]] == [True, False]
    refused = honestly("bench", "samples", suite, tmp_path / "p.jsonl", "--timeout", "3")
    assert refused.returncode == 2
    assert "a folder of tasks" in refused.stderr


@pytest.mark.slow
def test_a_task_whose_image_is_not_there_is_left_out_before_any_trial(tmp_path, monkeypatch):
    monkeypatch.setenv("HONESTLY_IMAGES", str(tmp_path / "store"))
    files = {
        "task.toml": "",
        "instruction.md": "Do.",
        "environment/Dockerfile": "FROM x\nWORKDIR /app\n",
        "tests/test.sh": "echo 1 > /logs/verifier/reward.txt\n",
    }
    write(tmp_path / "suite", {f"one/{path}": text for path, text in files.items()})
    command = ("run", tmp_path / "suite", "-a", "nop", "--out", tmp_path / "s")
    refused = honestly(*command)
    assert refused.returncode == 2
    assert "needs the image x, which is not in the store" in " ".join(refused.stderr.split())
    own = {"environment/Dockerfile": "FROM scratch\nWORKDIR /app\n"}
    write(tmp_path / "suite", {f"two/{path}": text for path, text in {**files, **own}.items()})
    ahead = honestly(*command, "--dry-run", "--json")
    assert "left out, because they cannot run here: one (needs the image x" in " ".join(ahead.stderr.split())
    said = json.loads(ahead.stdout)
    assert (said["tasks"], said["to_run"], list(said["left_out"])) == (1, 1, ["one"])
    assert "1 task of the suite cannot run here" in " ".join(honestly(*command, "--dry-run").stdout.split())
    assert honestly(*command).returncode == 0
    told = " ".join(honestly("report", tmp_path / "s").stdout.split())
    assert "In no score: 1 task of the suite that could not be run there (one)." in told
    assert list(json.loads(honestly("report", tmp_path / "s", "--json").stdout)["study"]["left_out"]) == ["one"]


def test_a_task_whose_image_cannot_be_built_is_refused_before_any_trial(tmp_path, monkeypatch):
    monkeypatch.setenv("HONESTLY_IMAGES", str(tmp_path / "store"))
    files = {
        "task.toml": "",
        "instruction.md": "Do.",
        "environment/Dockerfile": "FROM scratch AS a\nFROM scratch\nCOPY --from=a absent /\n",
        "tests/test.sh": "echo 1 > /logs/verifier/reward.txt\n",
    }
    write(tmp_path / "suite", {f"one/{path}": text for path, text in files.items()})
    refused = honestly("run", tmp_path / "suite", "-a", "honest", "--out", tmp_path / "s")
    assert refused.returncode == 2
    assert "its image, which cannot be used: line 3 of the Dockerfile, COPY" in refused.stderr
