"""Tasks in other people's layouts: they hold there as here, say what they are, and what no layout can say is named."""

import json
import subprocess
import sys
import tomllib

import pytest

from forked import honestly
from honestly.errors import TaskError
from honestly.records import Checks, Edit, Hidden, Preparation, Tags, Task, Tree
from honestly.taskgen import Records, harbor_task
from honestly.taskgen._guest import harbor_checks
from honestly.tasks import load_suite, write_task
from honestly.verify._guest import asking
from peers import peer, run_peer
from shipped import shipped_suite

CODE, TEST = "def half(n):\n    return n\n", "from parts import half\n\n\ndef test_half():\n    assert half(4) == 2\n"
MADE = {
    "repository": "owner/parts",
    "parent": "a" * 40,
    "fail_to_pass": ["test_parts.py::test_half"],
    "pass_to_pass": [],
}


def task(**changes):
    base = {
        "id": "parts-1", "instruction": "Halves are wrong.\n", "workspace": Tree.of({"parts.py": CODE}),
        "hidden": Hidden(
            checks=Checks(runner="pytest", files=Tree.of({"test_parts.py": TEST}), expected=("test_parts.py::test_half",)),
            reference=Edit(write=Tree.of({"parts.py": CODE.replace("return n", "return n // 2")})),
        ),
        "tags": Tags(category="repair", language="python", date="2026-01-02"),
    }  # fmt: skip
    return Task(**{**base, **changes})


def made(folder, found=MADE, **changes):
    """A suite with a task that was made of a repository."""
    write_task(folder / "parts-1", task(**changes))
    (folder / "parts-1" / "made.json").write_text(json.dumps(found))
    return folder


def test_a_task_of_a_repository_is_a_row_over_its_checkout_and_comes_back(tmp_path):
    out = tmp_path / "out"
    said = json.loads(honestly("task", "export", made(tmp_path / "s"), out, "--to", "swe-bench", "--json").stdout)
    assert (said["written"], said["left_out"]) == (["parts-1"], {})
    (row,) = (json.loads(line) for line in (out / "instances.jsonl").read_text().splitlines())
    assert row["repo"] == "owner/parts"
    assert row["base_commit"] == "a" * 40
    assert json.loads(row["FAIL_TO_PASS"]) == MADE["fail_to_pass"]
    assert json.loads(row["PASS_TO_PASS"]) == []
    assert row["patch"].startswith("diff --git a/parts.py b/parts.py")
    assert "test_parts.py" in row["test_patch"]
    (back,) = load_suite(out).tasks
    asked = task()
    assert (back.id, back.instruction, back.workspace) == (asked.id, asked.instruction, asked.workspace)
    assert back.hidden.reference == asked.hidden.reference
    assert back.hidden.checks.expected == asked.hidden.checks.expected


def test_a_planted_bug_is_a_row_over_a_commit_of_its_own(tmp_path):
    suite, rows = made(tmp_path / "s", {**MADE, "parent": ""}), []
    for name in ("a", "b"):
        honestly("task", "export", suite, tmp_path / name, "--to", "swe-bench")
        rows.append(json.loads((tmp_path / name / "instances.jsonl").read_text()))
    assert rows[0] == rows[1]
    where = ["git", "-C", tmp_path / "a" / "checkouts" / "parts-1"]
    clone = subprocess.run([*where, "clone", "-q", ".", tmp_path / "clone"], capture_output=True, check=True)
    assert clone.returncode == 0
    at = [*where[:2], tmp_path / "clone"]
    subprocess.run([*at, "checkout", "-q", rows[0]["base_commit"]], check=True, capture_output=True)
    assert (tmp_path / "clone" / "parts.py").read_text() == CODE
    for patch in ("patch", "test_patch"):
        subprocess.run([*at, "apply", "-"], input=rows[0][patch], text=True, check=True)
    assert "n // 2" in (tmp_path / "clone" / "parts.py").read_text()


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ({}, "made from no repository"), ([], "made from no repository"),
        ({**MADE, "fail_to_pass": []}, "no test fails before"),
    ],
)  # fmt: skip
def test_what_swe_bench_needs_and_a_task_has_not_is_named(tmp_path, found, why):
    done = honestly("task", "export", made(tmp_path / "s", found), tmp_path / "out", "--to", "swe-bench")
    assert done.returncode == 1
    assert why in done.stderr + done.stdout
    assert not (tmp_path / "out").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    done = honestly("task", "export", made(tmp_path / "s"), tmp_path / "out", "--to", "harbor")
    assert done.returncode == 2
    assert "not empty" in done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]


def test_what_a_task_needs_is_in_its_dockerfile(tmp_path):
    needs = Preparation(pythonpath=("src",), dependencies=("toolz==1.0",), setup="make 'all'")
    harbor_task(tmp_path / "t", task(preparation=needs), Records(tmp_path, "s"))
    said = (tmp_path / "t/environment/Dockerfile").read_text()
    assert (tmp_path / "t/environment/requirements.txt").read_text() == "toolz==1.0\n"
    for line in ("RUN pip install --no-cache-dir -r /tmp/requirements.txt", "ENV PYTHONPATH=/app/src"):
        assert line in said.splitlines()
    assert """RUN ["sh", "-c", "make 'all'"]""" in said
    assert said.index("COPY workspace/") < said.index("make 'all'")
    assert tomllib.loads((tmp_path / "t/task.toml").read_text())["metadata"]["category"] == "repair"


def test_names_of_tests_reach_pytest_as_they_are(tmp_path):
    names = ("test_parts.py::test_half[a b]", "test_parts.py::test_half['$(rm -rf ~)']")
    checks = Checks(runner="pytest", files=Tree.of({"test_parts.py": TEST}), expected=names)
    harbor_task(tmp_path / "t", task(hidden=Hidden(checks=checks, reference=Edit())), Records(tmp_path, "s"))
    assert (tmp_path / "t/tests/expected.txt").read_text().splitlines() == list(names)
    assert "rm -rf" not in (tmp_path / "t/tests/test.sh").read_text()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"hidden": None}, "no hidden checks"),
        ({"tags": Tags(variant="impossible")}, "cannot be done"),
        ({"requires": ("cobc",)}, "it needs cobc"),
    ],
)
def test_what_harbor_cannot_say_is_named_and_leaves_nothing(tmp_path, changes, why):
    with pytest.raises(TaskError, match=why):
        harbor_task(tmp_path / "t", task(**changes), Records(tmp_path, "s"))
    assert not (tmp_path / "t").exists()


KINDS = ("split-bill", "retry-budget", "deploy-waves", "mask-logs")


def test_what_checks_need_of_us_goes_along_and_needs_nothing_else(tmp_path):
    grader = Checks(
        runner="grader", files=Tree.of({"check.py": "def test_a(ws):\n    pass\n"}), expected=("check.test_a",)
    )
    harbor_task(tmp_path / "t", task(hidden=Hidden(checks=grader, reference=Edit())), Records(tmp_path, "s"))
    program = "import sys; sys.path.insert(0, sys.argv[1]); from honestly.verify._guest import asking, candidate, grader, wire"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, tmp_path / "t" / "tests"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_a_judges_tool_of_an_exported_task_has_a_home_and_a_folder_of_its_own(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("print('a decoy ran')")
    look = "import json, os, sys; print(json.dumps([os.listdir(), os.listdir(os.environ['HOME']), '' in sys.path]))"
    files = [["src/a.py", b"x"], ["json.py", b"print('a decoy ran')"]]
    code, out, err, late = harbor_checks._run_tool(tmp_path, ["python3", "-c", look], files, "", {}, 20.0)
    assert (code, sorted(json.loads(out)[0]), json.loads(out)[1:], late) == (
        0,
        ["json.py", "src"],
        [["of-the-work"], False],
        False,
    ), err
    with pytest.raises(OSError, match="not in the workspace"):
        harbor_checks._run_tool(tmp_path, ["true"], [["../x", b""]], "", {}, 20.0)


def test_exported_checks_answer_what_a_grader_asks_its_host():
    own = {name for name in vars(harbor_checks._here(asking.Wire)) if not name.startswith("_")}
    assert own == {"ask_host"}
    assert own <= set(vars(asking.Wire))


@pytest.mark.slow
def test_exported_tasks_hold_in_our_own_sandbox(tmp_path):
    chosen = [word for name in KINDS for word in ("--task", name)]
    said = json.loads(
        honestly("task", "export", "embedded", tmp_path / "h", "--to", "harbor", "--json", *chosen).stdout
    )
    assert sorted(said["written"]) == sorted(KINDS)
    held = honestly("task", "check", tmp_path / "h")
    assert held.returncode == 0, held.stdout + held.stderr
    assert f"Tasks of h that hold: {len(KINDS)} of {len(KINDS)};" in held.stdout


READS = """
import json, sys
from pathlib import Path
from harbor.models.task.task import Task
found = {}
for folder in sorted(Path(sys.argv[1]).iterdir()):
    task = Task(folder)
    found[folder.name] = [task.instruction, task.config.agent.timeout_sec, Task.is_valid_dir(folder)]
print(json.dumps(found))
"""


@pytest.mark.slow
def test_harbors_own_package_takes_the_whole_embedded_suite(tmp_path):
    said = json.loads(honestly("task", "export", "embedded", tmp_path / "h", "--to", "harbor", "--json").stdout)
    found = json.loads(run_peer(peer("harbor", (3, 12)), READS, tmp_path / "h"))
    tasks = {each.id: each for each in shipped_suite("embedded").tasks}
    assert set(found) == set(said["written"])
    assert set(said["left_out"]) == {name for name, each in tasks.items() if each.tags.variant != "standard"}
    for name, (instruction, seconds, valid) in found.items():
        assert instruction.strip() == tasks[name].instruction.strip()
        assert seconds == tasks[name].timeout_s
        assert valid
