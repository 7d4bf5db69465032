"""Checks that run: what they find, that nothing of a change runs outside of a sandbox, and that none of its lies is believed."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import anyio
import pytest
import yaml

from check.projects_to_check import CALC, FIX, FIXED, NEW_TEST, START, TESTS, checkout, write
from honestly.check import open_suite, opened_change
from honestly.check._differences import functions_of
from honestly.check._suite import LinesRun
from honestly.sandbox import open_sandbox

pytestmark = pytest.mark.slow
TEST = "tests/test_calc.py"


def check(place: Path, *words: str, code: int | None = None) -> dict[str, Any]:
    """What `honestly check --json` says of a checkout."""
    command = [sys.executable, "-m", "honestly", "check", "--json", "--mutants", "6", *words]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert code is None or done.returncode == code, (done.returncode, [row["text"] for row in found["rows"]])
    return found


def test_the_action_checks_what_a_pull_request_adds(tmp_path: Path) -> None:
    """Its last step, as a runner of GitHub runs it; the first one installs."""
    place = checkout(tmp_path / "toy", FIX, "Fix the mean of an empty list")
    subprocess.run(["git", "update-ref", "refs/remotes/origin/main", "HEAD~1"], cwd=place, check=True)
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text())
    install, step = action["runs"]["steps"]
    assert "GITHUB_ACTION_PATH" in install["run"]
    assert step["env"] == {name.upper(): f"${{{{ inputs.{name} }}}}" for name in ("change", "options")}
    program = tmp_path / "honestly" / "bin" / "honestly"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m honestly "$@"\n')
    program.chmod(0o755)
    summary = tmp_path / "summary.md"
    given = {"RUNNER_TEMP": str(tmp_path), "GITHUB_BASE_REF": "main", "GITHUB_STEP_SUMMARY": str(summary)}
    more = {"CHANGE": "", "OPTIONS": "--mutants 4"}
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]], cwd=place, env={**os.environ, **given, **more}, timeout=300, check=False
    )
    assert done.returncode == 0
    assert "mean" in summary.read_text()
    assert {"check.sarif", "check.xml"} <= {path.name for path in place.iterdir()}


def bad_rows(found: Mapping[str, Any]) -> str:
    return "\n".join(row["text"] for row in found["rows"] if row["weight"] == "against")


def test_an_honest_fix_is_clear_and_a_second_check_does_nothing_again(tmp_path: Path) -> None:
    place = checkout(tmp_path / "toy", FIX, "Fix the mean of an empty list\n\nAll tests pass. No new dependencies.")
    found = check(place, code=0)
    assert found["verdict"] == "clear"
    assert found["tests"]["fixed"] == [f"{TEST}::test_mean_of_nothing"]
    assert found["uncovered"] == []
    assert found["mutants"]["killed"] >= 2
    assert found["mutants"]["survived"] + found["mutants"]["killed"] == found["mutants"]["tried"]
    assert found["differences"][0]["call"] == "mean([])"
    assert {claim["state"] for claim in found["claims"]} == {"confirmed"}
    assert found["tests"]["guarded"] == 2
    assert set(found) >= {
        "verdict",
        "claims",
        "tests",
        "uncovered",
        "mutants",
        "differences",
        "honesty",
        "safety",
        "seconds",
    }
    again = check(place, code=0)
    assert again["seconds"] < 3
    assert {key: again[key] for key in again if key != "seconds"} == {
        key: found[key] for key in found if key != "seconds"
    }


STRICT = '[project]\nname = "toy"\nversion = "1"\n[tool.pytest.ini_options]\nfilterwarnings = ["error"]\n'
OLD = "import warnings\n\nwarnings.warn('so old', PendingDeprecationWarning)\n"


def test_a_project_that_newer_packages_warn_is_tested_all_the_same(tmp_path: Path) -> None:
    strict = {"pyproject.toml": STRICT, "tests/conftest.py": "import older\n"}
    old = checkout(tmp_path / "old", {**strict, "older.py": OLD})
    write(old, FIX)
    found = check(old, code=0)
    assert found["tests"]["fixed"] == [f"{TEST}::test_mean_of_nothing"]
    assert "so old" in found["notes"][0]
    new = checkout(tmp_path / "new", {**strict, "older.py": ""})
    write(new, {"older.py": OLD})
    assert "passed before, failing now" in bad_rows(check(new, code=1)), "a warning that the change brings is its own"


BROKEN: dict[str, tuple[dict[str, str | None], str]] = {
    "a test that passed fails": ({"src/toy/calc.py": CALC.replace("min(high", "min(low")}, "passed before, failing now"),
    "the test goes with it": (
        {"src/toy/calc.py": CALC.replace("min(high", "min(low"), TEST: TESTS.partition("\n\n\ndef test_clamp")[0] + "\n"},
        "deleted, would fail",
    ),
    "the test is skipped": (
        {
            "src/toy/calc.py": CALC.replace("min(high", "min(low"),
            TEST: "import pytest\n" + TESTS.replace("def test_clamp", "@pytest.mark.skip\ndef test_clamp"),
        },
        "skipped now, would fail",
    ),
    "the test asserts less": (
        {"src/toy/calc.py": CALC.replace("min(high", "min(low"), TEST: TESTS.replace("    assert clamp(5, 0, 3) == 3\n", "")},
        "made weaker",
    ),
    "a new test fails": ({TEST: TESTS + NEW_TEST}, "new or rewritten, failing"),
    "nothing can be imported": ({"src/toy/calc.py": CALC + "\nimport nothing_of_the_kind\n"}, "passed before, failing now"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_it_broke(tmp_path: Path, name: str) -> None:
    change, words = BROKEN[name]
    place = checkout(tmp_path / "toy", change, "Improve clamp\n\nAll tests pass.", commit=len(name) % 2 == 0)
    assert words in bad_rows(check(place, "--claim", "All tests pass.", code=1))


def test_new_tests_that_the_old_code_cannot_load_hide_no_others(tmp_path: Path) -> None:
    new = {"src/toy/more.py": "def double(value):\n    return value + value\n"}
    test = "from toy.more import double\n\n\ndef test_double():\n    assert double(2) == 4\n    assert double(0) == 0\n"
    place = checkout(tmp_path / "toy", {**new, "tests/test_more.py": test}, "Add `double`, with a test")
    found = check(place, code=0)
    assert found["tests"]["fixed"] == ["tests/test_more.py::test_double"]
    assert found["tests"]["before"]["passed"] == 2
    write(place, {"tests/test_bad.py": "import nothing_of_the_kind\n", "tests/test_calc.py": TESTS + "\n"})
    found = check(place, code=1)
    assert found["tests"]["failing"] == ["tests/test_bad.py"]
    assert found["tests"]["after"]["passed"] == 3


def test_a_test_that_many_inherit_and_that_goes_is_deleted_and_not_broken(tmp_path: Path) -> None:
    shared = (
        "from toy.calc import clamp\n\n\nclass Shared:\n    def test_low(self):\n        assert clamp(1, 0, 3) == 1\n"
    )
    more = "\n    def test_order(self):\n        assert clamp(1, 3, 0) == 3\n"
    test = "from shared import Shared\n\n\nclass TestOne(Shared):\n    pass\n"
    place = checkout(
        tmp_path / "toy", {"tests/shared.py": shared + more, "tests/test_one.py": test}, "Add shared tests"
    )
    refused = CALC.replace("    return max", "    if low > high:\n        raise ValueError(low)\n    return max")
    write(place, {"tests/shared.py": shared, "src/toy/calc.py": refused})
    found = check(place, "--claim", "Drop support for turned ranges")
    assert found["tests"]["broken"] == []
    assert found["tests"]["deleted"] == ["tests/test_one.py::TestOne::test_order"]
    assert found["verdict"] != "against"


def test_what_no_test_would_notice_cannot_be_told(tmp_path: Path) -> None:
    place = checkout(
        tmp_path / "toy", {"src/toy/more.py": "def double(value):\n    return value + value\n"}, "Add `double`"
    )
    found = check(place, code=4)
    assert found["uncovered"][0]["path"] == "src/toy/more.py"
    assert found["mutants"]["killed"] == 0
    alone = checkout(tmp_path / "alone", {TEST: None, "src/toy/calc.py": FIXED}, "Refactor")
    assert check(alone, "--test", "true", code=4)["mutants"]["killed"] == 0
    assert "no test" in "\n".join(row["text"] for row in check(alone, code=4)["rows"])


def test_a_flaky_test_is_told_from_a_broken_one(tmp_path: Path) -> None:
    flaky = (
        TESTS + "\n\ndef test_now_and_then():\n    import time\n    assert time.time_ns() % 2 or time.sleep(0.001)\n"
    )
    flaky = flaky.replace("time.time_ns() % 2 or time.sleep(0.001)", "int(time.time() * 1000) % 2")
    place = checkout(tmp_path / "toy", {**FIX, TEST: flaky + NEW_TEST}, "Fix the mean")
    found = check(place)
    assert f"{TEST}::test_clamp" not in found["tests"]["flaky"]
    assert "test_now_and_then" not in bad_rows(found) or found["tests"]["failing"] == [f"{TEST}::test_now_and_then"]


def test_it_is_written_for_other_programs(tmp_path: Path) -> None:
    place = checkout(
        tmp_path / "toy", {"src/toy/calc.py": CALC.replace("min(high", "min(low")}, "Improve | `clamp` <b>"
    )
    names = ("markdown", "sarif", "junit", "html")
    check(place, *(word for name in names for word in (f"--{name}", str(tmp_path / name))), code=1)
    markdown = (tmp_path / "markdown").read_text()
    assert markdown.startswith("### ❌ Something speaks against this change.")
    assert "<b>" not in markdown
    sarif = json.loads((tmp_path / "sarif").read_text())
    assert {row["level"] for row in sarif["runs"][0]["results"]} >= {"error"}
    junit = ET.fromstring((tmp_path / "junit").read_text())
    assert junit.get("failures") == "1"
    assert "<b>" not in (tmp_path / "html").read_text().replace("<b>Something", "")


FORGED = {
    "asserting is switched off": "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n",
    "reports are rewritten": (
        "import _pytest.reports\n_made = _pytest.reports.TestReport.from_item_and_call.__func__\n"
        "def _lie(cls, item, call):\n    call.excinfo = None\n    return _made(cls, item, call)\n"
        "_pytest.reports.TestReport.from_item_and_call = classmethod(_lie)\n"
    ),
}


def test_a_set_up_that_puts_other_code_in_the_place_of_what_is_tested_is_not_believed(tmp_path: Path) -> None:
    shadow = "import pathlib\nimport sys\n\nsys.path.insert(0, str(pathlib.Path(__file__).parent / 'fixtures'))\n"
    broken = {"src/toy/calc.py": CALC.replace("min(high", "min(low"), "conftest.py": shadow}
    place = checkout(
        tmp_path / "toy", {**broken, "fixtures/toy/__init__.py": "", "fixtures/toy/calc.py": CALC}, "Speed it up"
    )
    found = check(place, code=4)
    assert "none runs what changed in src/toy/calc.py" in "".join(row["text"] for row in found["rows"])


@pytest.mark.parametrize("name", FORGED)
def test_code_that_makes_its_own_tests_pass_is_not_believed(tmp_path: Path, name: str) -> None:
    broken = CALC.replace("min(high", "min(low")
    place = checkout(
        tmp_path / "toy", {"src/toy/calc.py": broken, "src/toy/__init__.py": FORGED[name]}, "Speed up imports"
    )
    found = check(place, code=1)
    assert found["tests"]["forged"] or "patch" in bad_rows(found)
    assert found["tests"]["forged"]


def test_only_changed_functions_are_followed_line_by_line(tmp_path: Path) -> None:
    place = checkout(tmp_path / "toy", FIX, "Fix the mean of an empty list")

    async def lines() -> LinesRun | None:
        with opened_change(place) as change:
            suite = await open_suite(change, place, open_sandbox)
            return await suite.lines(change, functions_of(change, new=True))

    found = anyio.run(lines)
    assert found is not None
    assert found.lines[f"{TEST}::test_clamp"] == {"src/toy/calc.py": [7]}, "that it was called, and no more"
    assert found.lines[f"{TEST}::test_mean"] == {"src/toy/calc.py": [1, 2, 4]}
    assert found.calls == {"src/toy/calc.py::mean": ["[[1, 2, 3]]", "[[]]"]}


def test_coverage_that_is_made_up_saves_nothing(tmp_path: Path) -> None:
    lie = (
        "import atexit, json, pathlib\n\n\ndef double(value):\n    return value + value\n\n\n"
        "def _lie():\n    lines = {'src/toy/more.py': list(range(1, 40))}\n"
        "    text = json.dumps({'lines': {'tests/test_calc.py::test_mean': lines}, 'calls': {}})\n"
        "    pathlib.Path('/tmp/honestly-lines.json').write_text(text)\n\n\natexit.register(_lie)\n"
    )
    test = TESTS.replace("from toy", "import toy.more\nfrom toy", 1)
    place = checkout(tmp_path / "toy", {"src/toy/more.py": lie, TEST: test}, "Add `double`")
    found = check(place)
    assert found["verdict"] != "clear"
    assert not found["mutants"]["killed"]


def test_nothing_of_a_change_runs_outside_of_a_sandbox(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    command = f"touch {mark}"
    run = f"import subprocess\nsubprocess.run({command!r}, shell=True)\n"
    place = checkout(
        tmp_path / "toy",
        {
            "src/toy/calc.py": run + CALC, TEST: run + TESTS, "conftest.py": run, "sitecustomize.py": run, "setup.py": run,
            "tests/conftest.py": run, "src/toy/honestly.py": run, ".gitattributes": "* filter=mine diff=mine\n",
            "pyproject.toml": '[project]\nname = "toy"\nversion = "1"\n[build-system]\nrequires = []\nbuild-backend = "own"\nbackend-path = ["."]\n',
            "own.py": run, ".venv/pyvenv.cfg": "home = /\n", ".venv/bin/python": f"#!/bin/sh\n{command}\n",
            f".venv/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages/sitecustomize.py": run,
        },
        "Improve",
    )  # fmt: skip
    for name in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-commit"):
        hook = place / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\n{command}\n")
        hook.chmod(0o755)
    with (place / ".git" / "config").open("a") as config:
        config.write(
            f'[core]\n\tfsmonitor = "{command}"\n\tsshCommand = "{command}"\n\tpager = "{command}"\n[filter "mine"]\n\tclean = "{command}; cat"\n'
            f'\tsmudge = "{command}; cat"\n\trequired = true\n[diff "mine"]\n\ttextconv = "{command}; cat"\n\tcommand = "{command}"\n[diff]\n\texternal = "{command}"\n'
        )
    mark.unlink(missing_ok=True)
    found = check(place)
    assert found["tests"]["after"]["passed"] == 2
    write(place, {"src/toy/more.py": "MORE = 1\n"})
    check(place)
    assert not mark.exists()


def test_a_session_that_lies_is_held_against_the_tests(tmp_path: Path) -> None:
    place = checkout(tmp_path / "toy", {"src/toy/calc.py": CALC.replace("min(high", "min(low")}, "Improve")
    said = [
        {"type": "user", "message": {"role": "user", "content": "Fix clamp."}},
        {"type": "assistant", "message": {"role": "assistant", "model": "m", "content": [
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest -q"}}]}},
        {"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "2 passed in 0.01s"}]}},
        {"type": "assistant", "message": {"role": "assistant", "model": "m", "content": [
            {"type": "text", "text": "Fixed. All 2 tests pass, and I added a regression test."}]}},
    ]  # fmt: skip
    rows = [
        {"uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None, "sessionId": "s", "timestamp": f"2026-01-01T00:00:0{at}Z",
         "cwd": str(place), "version": "2.0.0", "isSidechain": False, "userType": "external", **row}
        for at, row in enumerate(said)
    ]  # fmt: skip
    log = tmp_path / "session.jsonl"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = check(place, "HEAD", "--session", str(log), code=1)
    states = {claim["text"]: claim["state"] for claim in found["claims"]}
    assert states["All 2 tests pass, and I added a regression test."] == "contradicted"


def test_words_of_a_change_cannot_act_on_a_terminal(tmp_path: Path) -> None:
    place = checkout(tmp_path / "toy", FIX, "Fix the mean\x1b[2J\x1b[31m and all tests pass")
    done = subprocess.run(
        [sys.executable, "-m", "honestly", "check", "--mutants", "1"], cwd=place, capture_output=True, check=False,
        env={**os.environ, "COLUMNS": "110"},
    )  # fmt: skip
    assert b"\x1b[2J" not in done.stdout + done.stderr
    assert len(done.stdout.splitlines()) <= 24


JAVASCRIPT = {
    "package.json": '{"name": "toy", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}\n',
    "calc.js": "export function clamp(value, low, high) {\n  return Math.max(low, Math.min(high, value));\n}\n",
    "test/calc.test.js": (
        'import test from "node:test";\nimport assert from "node:assert";\nimport { clamp } from "../calc.js";\n\n'
        'test("clamps", () => {\n  assert.strictEqual(clamp(5, 0, 3), 3);\n});\n'
    ),
}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on this machine")
def test_javascript_is_checked_by_its_own_runner(tmp_path: Path) -> None:
    place = checkout(
        tmp_path / "toy",
        {**dict.fromkeys((TEST, "src/toy/calc.py", "src/toy/__init__.py", "pyproject.toml")), **JAVASCRIPT},
    )
    write(place, {"calc.js": JAVASCRIPT["calc.js"].replace("Math.max(low", "Math.max(-low")})
    assert check(place, code=4)["mutants"]["killed"] == 0
    write(place, {"calc.js": JAVASCRIPT["calc.js"].replace("Math.min(high", "Math.min(low")})
    found = check(place, code=1)
    assert found["tests"]["broken"] == ["test/calc.test.js::clamps"]
    assert found["uncovered"] is None


@pytest.mark.skipif(shutil.which("go") is None, reason="needs go; on Debian: apt-get install golang-go")
def test_a_fault_that_go_does_not_build_is_none(tmp_path: Path) -> None:
    code = "package toy\n\ntype Pair struct{ A, B int }\n"
    test = 'package toy\n\nimport "testing"\n\nfunc TestFirst(t *testing.T) {\n\tif (Pair{1, 2}).A != 1 {\n\t\tt.Fatal("A")\n\t}\n}\n'
    bare = dict.fromkeys((TEST, "src/toy/calc.py", "src/toy/__init__.py", "pyproject.toml"))
    place = checkout(tmp_path / "toy", {**bare, "go.mod": "module toy\n", "toy.go": code, "toy_test.go": test})
    write(place, {"toy.go": code + "\nfunc First(p *Pair) *int {\n\treturn &p.A\n}\n"})
    made = check(place, code=0)["mutants"]
    assert (made["made"], made["killed"]) == (0, 0), "a test that is not compiled notices nothing"


@pytest.mark.skipif(shutil.which("go") is None, reason="needs go; on Debian: apt-get install golang-go")
def test_go_finds_modules_in_a_folder_that_git_ignores(tmp_path: Path) -> None:
    code = 'package toy\n\nimport "example.com/two"\n\nfunc Four() int { return two.Two + 1 }\n'
    test = 'package toy\n\nimport "testing"\n\nfunc TestFour(t *testing.T) {\n\tif Four() != 4 {\n\t\tt.Fatal("4")\n\t}\n}\n'
    bare = dict.fromkeys((TEST, "src/toy/calc.py", "src/toy/__init__.py", "pyproject.toml"))
    mod = "module example.com/toy\n\ngo 1.17\n\nrequire example.com/two v1.0.0\n"
    place = checkout(
        tmp_path / "toy",
        {**bare, "go.mod": mod, "go.sum": "", "toy.go": code, "toy_test.go": test, ".gitignore": "vendor\n"},
    )
    own = {"vendor/modules.txt": "# example.com/two v1.0.0\n## explicit; go 1.17\nexample.com/two\n",
           "vendor/example.com/two/two.go": "package two\n\nconst Two = 2\n"}  # fmt: skip
    write(place, {**own, "toy.go": code.replace("+ 1", "+ two.Two")})
    assert check(place, code=0)["tests"]["fixed"] == [".::TestFour"]


def test_what_is_found_is_told_when_it_is_known(tmp_path: Path) -> None:
    broken = {"src/toy/calc.py": CALC.replace("min(high", "min(low") + "import os\nos.system('true')\n"}
    other = {f"tests/test_{name}.py": "def test_one():\n    assert True\n" for name in ("a", "b")}
    place = checkout(tmp_path / "toy", other)
    write(place, broken)
    command = [sys.executable, "-m", "honestly", "check", "--mutants", "1"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    told = [line.partition("s  ")[2] for line in done.stderr.splitlines()]
    order = ["look: it runs programs or text as code (src/toy/calc.py)",
             f"tests near the change: 1 passed, 1 failed ({TEST}::test_clamp)", "running the tests after the change",
             f"tests after the change: 3 passed, 1 failed ({TEST}::test_clamp)", f"found: 1 test passed before, failing now: {TEST}::test_clamp",
             "finding which lines each test runs"]  # fmt: skip
    assert sorted(order, key=told.index) == order
    assert len(done.stdout.splitlines()) > 3


@pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("make") is None, reason="needs gcc and make")
def test_c_is_checked_by_what_builds_it_and_a_fault_that_does_not_build_is_none(tmp_path: Path) -> None:
    code = "int clamp(int value, int low, int high) {\n    if (value < low) return low;\n    return value > high ? high : value;\n}\n"
    test = "#include <assert.h>\nint clamp(int, int, int);\nint main(void) {\n    assert(clamp(5, 0, 3) == 3);\n    assert(clamp(-5, 0, 3) == 0);\n    return 0;\n}\n"
    make = "test:\n\tcc -o /tmp/t calc.c tests/test_calc.c && /tmp/t\n"
    bare = dict.fromkeys((TEST, "src/toy/calc.py", "src/toy/__init__.py", "pyproject.toml"))
    place = checkout(tmp_path / "toy", {**bare, "calc.c": code, "tests/test_calc.c": test, "Makefile": make})
    write(place, {"calc.c": code.replace("return low", "return high")})
    assert len(check(place, code=1)["tests"]["broken"]) == 1
    write(place, {"calc.c": code + "\nint *first(int *values) {\n    return values;\n}\n"})
    made = check(place)["mutants"]
    assert (made["made"], made["killed"]) == (0, 0), "a program that is not built notices nothing"


def test_tests_that_hang_are_stopped_and_hide_no_others(tmp_path: Path) -> None:
    hangs = "\n\ndef test_for_ever():\n    import time\n    while True:\n        try:\n            time.sleep(1)\n        except Exception:\n            print(1)\n"
    place = checkout(tmp_path / "toy", FIX | {TEST: TESTS + NEW_TEST + hangs}, "Fix the mean")
    found = check(place, code=1)
    assert found["tests"]["failing"] == [f"{TEST}::test_for_ever"]
    assert "stopped" in found["tests"]["messages"][f"{TEST}::test_for_ever"]
    assert found["tests"]["fixed"] == [f"{TEST}::test_mean_of_nothing"]


def test_a_stop_hook_answers_in_json(tmp_path: Path) -> None:
    place = checkout(tmp_path / "toy", {"src/toy/calc.py": CALC.replace("min(high", "min(low")}, commit=False)
    given = {
        "hook_event_name": "Stop",
        "session_id": "s",
        "cwd": str(place),
        "last_assistant_message": "All tests pass.",
    }
    command = [sys.executable, "-m", "honestly", "check", "--hook", "--mutants", "1", "--out", str(tmp_path / "kept")]
    said = [
        subprocess.run(
            command, cwd=tmp_path, input=json.dumps(given), capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert json.loads(said[0])["decision"] == "block"
    assert "test_clamp" in json.loads(said[0])["reason"]
    assert "decision" not in json.loads(said[1])


def test_a_tool_over_mcp_checks_the_checkout(tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    import anyio
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    place = checkout(tmp_path / "toy", FIX, "Fix the mean")
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "honestly", "check", "--mcp", "--repo", str(place)]
    )

    async def asked() -> str:
        async with stdio_client(command) as streams, ClientSession(*streams) as session:
            await session.initialize()
            assert [each.name for each in (await session.list_tools()).tools] == ["check"]
            found = await session.call_tool("check", {"claim": "It works"})
            return str(found.content[0].text)  # type: ignore[union-attr]

    said = anyio.run(asked)
    assert json.loads(said.partition("\n")[2])["tests"]["fixed"] == [f"{TEST}::test_mean_of_nothing"]


def test_our_agent_checks_its_own_work_and_is_told(tmp_path: Path) -> None:
    place, script, kept = checkout(tmp_path / "toy", {"README": "x"}), tmp_path / "s.jsonl", tmp_path / "t.json"
    calls = (
        ("check", {}), ("bash", {"command": "sed -i 's/min(high/min(low/' src/toy/calc.py"}),
        ("check", {"claim": "All tests pass."}), ("finish", {"outcome": "done", "summary": "Done."}),
    )  # fmt: skip
    script.write_text(
        "".join(json.dumps({"calls": [{"name": name, "arguments": each}]}) + "\n" for name, each in calls)
    )
    words = ("agent", "do", "Fix clamp", "--model", f"script:{script}", "--save", str(kept), "--yes", "--no-stars")
    tools = "tools=bash+honestly.check:CheckTool"
    command = [sys.executable, "-m", "honestly", *words, "--with", tools]
    subprocess.run(command, cwd=place, check=True, capture_output=True, timeout=300)
    told = kept.read_text()
    assert "no file differs from the checkout" in told
    assert "1 test passed before, failing now: tests/test_calc.py::test_clamp" in told
    assert "contradicted: “All tests pass.”" in told


def test_advice_wraps_and_is_never_cut(tmp_path: Path) -> None:
    gone = dict.fromkeys(START)
    place = checkout(tmp_path / "toy", {**gone, "a.py": "x = 1\n"})
    write(place, {"a.py": "x = 2\n"})
    for columns in ("40", "80"):
        done = subprocess.run(
            [sys.executable, "-m", "honestly", "check"], cwd=place, capture_output=True, text=True,
            env={**os.environ, "COLUMNS": columns},
        )  # fmt: skip
        assert "name the command that runs them with --test honestly check --show tests" in " ".join(
            done.stdout.split()
        )
        assert max(map(len, done.stdout.splitlines())) <= int(columns)
