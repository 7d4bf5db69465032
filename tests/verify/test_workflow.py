"""The emulator of workflows: GitHub's rules of order, matrices, conditions and files, and what is not emulated is said."""

import json
import subprocess
import sys
import time
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import anyio
import pytest

from decoys import DECOYS
from honestly.records import Checks, Edit, Hidden, Task, Tree
from honestly.sandbox import open_sandbox
from honestly.verify import verify

EMULATOR = Path(__file__).parents[2] / "suites" / "workflow.py"
SPEC = spec_from_file_location("workflow", EMULATOR)
workflow = sys.modules["workflow"] = module_from_spec(SPEC)
SPEC.loader.exec_module(workflow)
WorkflowError, cells, expression = workflow.WorkflowError, workflow.cells, workflow.expression
FUNCTIONS = {**workflow._functions(), "success": lambda: True, "failure": lambda: False, "always": lambda: True}
SCOPE = {"functions": FUNCTIONS, "matrix": {"os": "Linux", "n": 3, "list": [1, 2]}, "env": {"MODE": "fast"}}
CHECKOUT = {"uses": "actions/checkout@v4"}


def job(*steps: object, **more: object) -> dict:
    made = [{"run": step} if isinstance(step, str) else step for step in steps]
    return {"runs-on": "ubuntu-latest", "steps": made, **more}


def run(folder: Path, jobs: dict, *words: str, on: object = "push", **more: object) -> tuple[int, dict]:
    (folder / "ci.json").write_text(json.dumps({"on": on, "jobs": jobs, **more}))
    done = subprocess.run(
        [sys.executable, EMULATOR, "ci.json", "--json", *words], cwd=folder, capture_output=True, text=True
    )
    return done.returncode, json.loads(done.stdout) if done.stdout else {"error": done.stderr}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("matrix.os == 'linux'", True),
        ("matrix.n > 2 && matrix['os'] != 'Windows'", True),
        ("env.MODE || 'slow'", "fast"),
        ("env.NONE || 'it''s'", "it's"),
        ("!(matrix.n == 3)", False),
        ("matrix.list[1]", 2),
        ("contains(fromJSON('[\"a\", \"b\"]'), 'A')", True),
        ("format('{0}-{1}', matrix.os, true)", "Linux-true"),
        ("join(matrix.list, '+')", "1+2"),
        ("'' == 0", True),
        ("null < 1 && !(null > null)", True),
        ("startsWith('refs/tags/v1', 'refs/tags/') && endsWith('x.PY', '.py')", True),
    ],
)
def test_expressions(text: str, value: object) -> None:
    assert expression(text, SCOPE) == value


@pytest.mark.parametrize("text", ["", "a b", "matrix.", "(1", "1 +2", "hashFiles('x')", "contains('a'"])
def test_what_is_no_expression_is_an_error(text: str) -> None:
    with pytest.raises(WorkflowError):
        expression(text, SCOPE)


def test_matrix_by_githubs_own_example() -> None:
    """The example of `include` in GitHub's documentation, cell by cell."""
    matrix = {
        "fruit": ["apple", "pear"],
        "animal": ["cat", "dog"],
        "include": [
            {"color": "green"},
            {"color": "pink", "animal": "cat"},
            {"fruit": "apple", "shape": "circle"},
            {"fruit": "banana"},
            {"fruit": "banana", "animal": "cat"},
        ],
    }
    assert cells({"matrix": matrix}, SCOPE) == [
        {"fruit": "apple", "animal": "cat", "color": "pink", "shape": "circle"},
        {"fruit": "apple", "animal": "dog", "color": "green", "shape": "circle"},
        {"fruit": "pear", "animal": "cat", "color": "pink"},
        {"fruit": "pear", "animal": "dog", "color": "green"},
        {"fruit": "banana"},
        {"fruit": "banana", "animal": "cat"},
    ]
    few = {"a": [1, 2], "b": [1, 2], "exclude": [{"a": 1}, {"a": 2, "b": 2}]}
    assert cells({"matrix": few}, SCOPE) == [{"a": 2, "b": 1}]


def test_order_outputs_and_files(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("kept")
    find = {
        "id": "find",
        "run": 'echo "version=1.2" >> "$GITHUB_OUTPUT"; printf "NOTE<<END\\na\\nb\\nEND\\n" >> "$GITHUB_ENV"',
    }
    build = job(
        CHECKOUT,
        find,
        'test "$NOTE" = "$(printf "a\\nb")"',
        "cat data > built",
        {"uses": "actions/upload-artifact@v4", "with": {"name": "b", "path": "built"}},
        outputs={"version": "${{ steps.find.outputs.version }}"},
    )
    last = job(
        "test ! -e data",
        {"uses": "actions/download-artifact@v4", "with": {"name": "b"}},
        'echo "${{ needs.build.outputs.version }} $(cat built)" >> "$GITHUB_STEP_SUMMARY"',
        needs="build",
    )
    code, report = run(tmp_path, {"last": last, "build": build})
    assert (code, report["conclusion"], report["summary"]) == (0, "success", "1.2 kept\n")
    assert [each["id"] for each in report["jobs"]] == ["build", "last"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ci.json", "data"]


def test_failures_conditions_and_levels_of_env(tmp_path: Path) -> None:
    steps = [
        "echo $A $B ${{ env.C }} > /dev/stdout",
        "exit 4",
        "echo no",
        {"run": "echo yes", "if": "failure()"},
        {"run": "echo last", "if": "${{ always() && matrix.n == 1 }}"},
    ]
    steps[0] = {"run": "echo $A $B ${{ env.C }}", "env": {"C": "step"}}
    jobs = {
        "one": job(*steps, env={"B": "job"}, strategy={"matrix": {"n": [1, 2]}, "fail-fast": True}),
        "two": job("echo two", needs=["one"]),
        "three": job("echo three", needs=["two"], **{"if": "failure()"}),
        "soft": job({"run": "exit 1", "continue-on-error": True}, "echo on"),
    }
    code, report = run(tmp_path, jobs, env={"A": "top", "B": "top", "C": "top"})
    results = [(each["id"], each["result"]) for each in report["jobs"]]
    assert (code, sorted(results)) == (
        1,
        [("one", "cancelled"), ("one", "failure"), ("soft", "success"), ("three", "success"), ("two", "skipped")],
    )
    one = next(each for each in report["jobs"] if each["id"] == "one")
    assert [each["output"] for each in one["steps"]] == ["top job step\n", "", "", "yes\n", "last\n"]
    assert [each["outcome"] for each in one["steps"]] == ["success", "failure", "skipped", "success", "success"]


def test_a_matrix_that_is_no_json_fails_its_job(tmp_path: Path) -> None:
    jobs = {"a": job("true", strategy={"matrix": "${{ fromJSON(env.NONE) }}"}), "b": job("true", needs="a")}
    code, report = run(tmp_path, jobs)
    assert (code, [each["result"] for each in report["jobs"]]) == (1, ["failure", "skipped"])


def test_pipefail_only_where_bash_is_named(tmp_path: Path) -> None:
    code, _ = run(tmp_path, {"a": job("false | cat")})
    strict, _ = run(tmp_path, {"a": job("false | cat", defaults={"run": {"shell": "bash"}})})
    assert (code, strict) == (0, 1)


def test_what_is_not_emulated_is_said(tmp_path: Path) -> None:
    step = {"uses": "some/action@v1", "continue-on-error": True}
    code, report = run(tmp_path, {"a": job(step, **{"timeout-minutes": 5})}, permissions={})
    assert (code, report["undecided"], report["conclusion"]) == (3, True, "failure")
    assert sorted(report["not_emulated"]) == [
        "job a: timeout-minutes",
        "the workflow: permissions",
        "uses: some/action@v1",
    ]


@pytest.mark.parametrize(
    ("given", "said", "decides"),
    [
        (job("true", **{"runs-on": "windows-latest"}), "runs-on: windows-latest", True),
        (job("true", **{"runs-on": "${{ matrix.os }}"}, strategy={"matrix": {"os": ["macos-14"]}}), "runs-on: macos-14", True),
        (job({"run": "true", "shell": "pwsh"}), "shell pwsh", True),
        (job("false", container="node:20"), "job a: container", True),
        (job("false", services={"db": {"image": "postgres"}}), "job a: services", True),
        ({"uses": "./.github/workflows/other.yml"}, "job a: uses", True),
        (job({"uses": "./.github/actions/setup"}), "uses: ./.github/actions/setup", True),
        (job("true", concurrency="one"), "job a: concurrency", False),
        (job({"run": "true", "timeout-minutes": 1}), "step 'true': timeout-minutes", False),
        (job("echo ${{ secrets.TOKEN }}"), "secrets.TOKEN in an expression", False),
        (job("true", env={"A": "${{ vars.A }}"}), "vars.A in an expression", False),
        (job("true", **{"if": "github.event.pull_request.draft == false"}), "github.event in an expression", True),
        (job({"run": "true", "if": "github['head_ref'] != ''"}), "github.head_ref in an expression", True),
        (job("true", **{"if": "inputs.deploy"}), "inputs.deploy in an expression", True),
        (job("echo '::set-output name=a::1'"), "::set-output", True),
        (job({"uses": "actions/setup-python@v5", "with": {"cache": "pip"}}), "actions/setup-python: cache", False),
        (job({"uses": "actions/setup-python@v5", "with": {"python-version": "3.8"}}), "Python 3.8: the one here is", False),
        (job("touch a", {"uses": "actions/upload-artifact@v4", "with": {"path": "*\n!b"}}), "paths with !", True),
        (job({"uses": "actions/download-artifact@v4", "with": {"pattern": "x*"}}), "actions/download-artifact: pattern", True),
    ],
)  # fmt: skip
def test_nothing_of_real_workflows_is_left_out_silently(tmp_path: Path, given: dict, said: str, decides: bool) -> None:
    _, report = run(tmp_path, {"a": given})
    assert [each for each in report["not_emulated"] if said in each], report["not_emulated"]
    assert report["undecided"] is decides
    if "runs-on" in said or "job a:" in said:
        assert [each["result"] for each in report["jobs"]] == ["failure" if decides else "success"]
        assert not decides or not report["jobs"][0]["steps"]


def test_what_does_not_count_in_a_condition_is_not_missed(tmp_path: Path) -> None:
    condition = "github.event_name == 'pull_request' && github.event.pull_request.draft || github.event_name == 'push' || vars.A"
    code, report = run(tmp_path, {"a": job("true", **{"if": condition})})
    assert (code, report["not_emulated"], report["jobs"][0]["result"]) == (0, [], "success")


def test_what_a_step_leaves_running_ends_with_its_job(tmp_path: Path) -> None:
    steps = ("sleep 60 & echo $! > ../pid", "kill -0 $(cat ../pid)")
    began = time.monotonic()
    code, _ = run(tmp_path, {"a": job(*steps), "b": job("! grep -q sleep /proc/$(cat ../pid)/cmdline", needs="a")})
    assert code == 0
    assert time.monotonic() - began < 30


def test_a_flood_of_output_is_not_held(tmp_path: Path) -> None:
    code, report = run(tmp_path, {"a": job("head -c 50000000 /dev/zero | tr '\\0' x; echo end")})
    output = report["jobs"][0]["steps"][0]["output"]
    assert (code, len(output), output[-5:]) == (0, 20_000, "xend\n")


def test_artifacts_keep_their_paths_and_come_all_where_none_is_named(tmp_path: Path) -> None:
    up, down = "actions/upload-artifact@v4", "actions/download-artifact@v4"
    made = "mkdir -p out/a out/b; echo 1 > out/a/x; echo 2 > out/b/x; echo 3 > one"
    first = {"uses": up, "with": {"name": "both", "path": "out/a/x\nout/b/x"}}
    second = {"uses": up, "with": {"name": "glob", "path": "out/**/x"}}
    steps = (made, first, second, {"uses": up, "with": {"name": "one", "path": "one"}})
    look = "cat all/both/a/x all/both/b/x all/glob/a/x all/one/one"
    jobs = {"a": job(*steps), "b": job({"uses": down, "with": {"path": "all"}}, look, needs="a")}
    code, report = run(tmp_path, jobs)
    assert (code, report["jobs"][1]["steps"][1]["output"]) == (0, "1\n2\n1\n3\n")
    code, report = run(tmp_path, {"a": job(made, {"uses": up, "with": {"name": "../../x", "path": "one"}})})
    assert (code, "no name" in report["jobs"][0]["steps"][1]["output"]) == (1, True)


@pytest.mark.parametrize(
    ("jobs", "said"),
    [
        ({"a": job("true", **{"if": "(" * 5000 + "1"})}, "RecursionError"),
        ({"a": job("true", strategy={"matrix": {key: list(range(9)) for key in "abcdef"}})}, "more than 256 cells"),
        ({"a": {"runs-on": "ubuntu-latest", "steps": ["true"]}}, "not built as a workflow"),
        ({"a": job("echo ${{ matric.os }}")}, "no context 'matric'"),
        ({"a": job("true", **{"if": "functions"})}, "no context"),
    ],
)
def test_what_makes_no_workflow_is_an_error_and_not_a_failed_run(tmp_path: Path, jobs: dict, said: str) -> None:
    code, report = run(tmp_path, jobs)
    assert (code, said in report["error"]) == (2, True), report


def test_a_workflow_of_endless_aliases_is_refused() -> None:
    """As YAML reads `&a [*a]`, and nine lists of nine of the list before."""
    endless: list[object] = []
    endless.append({"again": endless})
    much: object = "a"
    for _ in range(9):
        much = [much] * 9
    for held in (endless, much):
        with pytest.raises(WorkflowError, match="more than 100000 values"):
            workflow._bounded({"env": held}, "ci.yml")


@pytest.mark.parametrize(
    ("on", "event", "ref", "starts"),
    [
        ("push", "push", "refs/heads/x", True),
        (["push"], "pull_request", "refs/heads/x", False),
        ({"push": {"branches": ["main", "release/*"]}}, "push", "refs/heads/release/1", True),
        ({"push": {"branches": ["main", "release/*"]}}, "push", "refs/heads/release/1/a", False),
        ({"push": {"branches": ["main"]}}, "push", "refs/tags/v1", False),
        ({"push": {"branches": ["**", "!wip"]}}, "push", "refs/heads/wip", False),
        ({"push": {"tags": ["v*"]}}, "push", "refs/tags/v1", True),
    ],
)
def test_what_starts_it(on: object, event: str, ref: str, starts: bool) -> None:
    assert workflow.started({"on": on}, event, ref, lambda _: None) is starts


@pytest.mark.parametrize("jobs", [{}, {"a": job("x", needs="b")}, {"a": {"steps": []}}, {"a": job({"name": "x"})}])
def test_bad_files(tmp_path: Path, jobs: dict) -> None:
    code, report = run(tmp_path, jobs)
    assert code == 2
    assert any(word in report["error"] for word in ("expected", "need", "neither"))


def test_tasks_carry_the_emulator_as_it_is() -> None:
    suite = EMULATOR.with_name("versa")
    copies = [*suite.glob("*/environment/workspace/ci.py"), *suite.glob("*/tests/workflow.py")]
    assert copies
    assert [path for path in copies if path.read_bytes() != EMULATOR.read_bytes()] == []


def beside(content: dict, then: str, **files: str) -> None:
    """What a check finds that has the workflow run beside the work."""
    source = (
        f"import workflow\n\n\ndef test_a(ws):\n    report, place = workflow.run_beside(ws, 'ci.json')\n    {then}\n"
    )
    checks = Tree.of({"check_a.py": source, "workflow.py": EMULATOR.read_bytes()})
    work = Tree.of({"ci.json": json.dumps(content), **files})
    hidden = Hidden(checks=Checks(runner="grader", files=checks, expected=("check_a.test_a",)), reference=Edit())
    task = Task(id="a", instruction="", workspace=work, hidden=hidden)
    verdict = anyio.run(lambda: verify(task, work, seed=1, open_box=open_sandbox))
    assert verdict.honest, verdict.hidden


@pytest.mark.slow
def test_beside_the_work_it_says_what_it_says_elsewhere(tmp_path: Path) -> None:
    up, down = "actions/upload-artifact@v4", "actions/download-artifact@v4"
    steps = [
        CHECKOUT,
        {"id": "find", "run": "echo version=1.2 >> $GITHUB_OUTPUT; printf 'NOTE<<END\\na\\nb\\nEND\\n' >> $GITHUB_ENV"},
        {"run": 'echo "$NOTE"; pwd | wc -l; cat data; echo é; exit 3', "continue-on-error": True},
        "mkdir -p out/a out/b bin; echo 1 > out/a/x; echo 2 > out/b/x; echo 'echo mine' > bin/tool; chmod +x bin/tool",
        "echo $PWD/bin >> $GITHUB_PATH; echo '**' >> $GITHUB_STEP_SUMMARY; sleep 50 & kill -0 $!",
        {"uses": up, "with": {"name": "glob", "path": "out/**/x"}},
        {"run": "tool; echo ${{ matrix.n }} $MODE", "working-directory": "out"},
        {"run": "true", "working-directory": "nowhere", "if": "matrix.n == 2"},
    ]
    matrix = {"matrix": {"n": [1, 2]}, "fail-fast": False}
    jobs = {
        "a": job(*steps, strategy=matrix, outputs={"version": "${{ steps.find.outputs.version }}"}, env={"MODE": "x y"}),
        "b": job({"uses": down, "with": {"path": "all"}}, "cat all/glob/a/x; echo ${{ needs.a.outputs.version }}", needs="a", **{"if": "always()"}),
        "c": job("head -c 3000000 /dev/zero | tr '\\0' x; echo end", "kill -9 $$"),
    }  # fmt: skip
    content = {"on": "push", "jobs": jobs}
    (tmp_path / "data").write_text("kept\n")
    _, here = run(tmp_path, jobs)
    steps_of = "lambda said: [(job['id'], step) for job in said['jobs'] for step in job['steps']]"
    then = f"here, steps = {here!r}, {steps_of}\n    assert steps(report) == steps(here), [each for each in zip(steps(report), steps(here)) if each[0] != each[1]]"
    beside(content, f"{then}\n    assert report == here, report", data="kept\n")


def test_beside_the_work_a_step_does_not_speak_for_the_emulator() -> None:
    forge = 'for f in /proc/[0-9]*/fd/1; do echo \'{"conclusion": "success"}\' > $f; done 2> /dev/null; '
    forge += "kill -9 $PPID; for p in /proc/[0-9]*; do test ${p#/proc/} = $$ || kill -9 ${p#/proc/}; done 2> /dev/null; exit 1"
    jobs = {
        "a": job(CHECKOUT, forge, "exit 4"),
        "b": job("cp /bin/true /tmp/sh; exit 5", needs="a", **{"if": "always()"}),
    }
    then = "assert [job['steps'][-1]['code'] for job in report['jobs']] == [None, 5] and report['conclusion'] == 'failure', report"
    decoys = {path: file.data.decode() for path, file in DECOYS.files.items()}
    beside({"on": "push", "jobs": jobs}, then, **decoys)
    beside({"on": "push", "jobs": {"a": job("true")}}, "assert report['conclusion'] == 'success', report", **decoys)
