"""What a check reads of a change without running anything: which change, its words, its honesty, its safety."""

import re
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files as package_files
from io import StringIO
from pathlib import Path
from time import process_time
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace as replaced
from rich.console import Console

from check.projects_to_check import CALC, FIX, FIXED, START, TESTS, checkout, git, write
from honestly.check import Change, CheckResult, check_page, opened_change
from honestly.check._beside import hook_answer
from honestly.check._check import _why_none
from honestly.check._claims import Facts, claim_results
from honestly.check._coverage import covered_shares
from honestly.check._differences import _equal
from honestly.check._honesty import honesty_remarks
from honestly.check._map import weight_map
from honestly.check._map_picture import _placed, map_page
from honestly.check._mutants import mutants_of
from honestly.check._records import Difference, FileWeight, Remark, SuiteCounts, SuiteResults
from honestly.check._safety import safety_remarks
from honestly.check._structure import structure_remarks
from honestly.check._suite import SuiteRun
from honestly.errors import TaskError
from honestly.permissions import read_policy
from honestly.records import File, Tree
from honestly.taskgen import open_repository

PASSED = SuiteResults(before=SuiteCounts(2, 0, 0), after=SuiteCounts(2, 0, 0))


def of(change: dict[str, str | None], *messages: str) -> Change:
    """A change of the small project, without a repository."""
    before = Tree.of(START)
    written = Tree.of({path: text for path, text in change.items() if text is not None})
    after = written.over(before.without(path for path, text in change.items() if text is None))
    return Change("", "0" * 40, "", before, after, messages)


def states(
    change: Change, tests: SuiteResults = PASSED, differences: tuple[Difference, ...] | None = ()
) -> dict[str, str]:
    return {each.text: each.state for each in claim_results(Facts(change, tests, (), differences))}


def against(change: Change) -> list[str]:
    return [each.what for each in (*honesty_remarks(change), *safety_remarks(change)) if each.weight == "against"]


def test_reading_a_change_of_a_large_project_ends_soon() -> None:
    many = "".join(f"def test_{at}():\n    assert f({at * 7919}) == 'answer {at * 104729}'\n\n\n" for at in range(3000))
    large = "".join(f"def function_{at}():\n    return 'text number {at}'\n\n\n" for at in range(20000))
    before = Tree.of({**START, "src/toy/large.py": large, "tests/test_many.py": many})
    found = Change("", "0" * 40, "", before, Tree.of(FIX).over(before), ("Fix the mean",))
    start = process_time()
    assert against(found) == []
    assert process_time() - start < 10  # minutes, where each constant of the tests was looked for in the whole project


@pytest.mark.slow
def test_a_change_is_named_in_every_way(tmp_path: Path) -> None:
    place = checkout(tmp_path / "toy", FIX, "Fix the mean")
    git(place, "checkout", "-q", "-b", "work")
    write(place, {"src/toy/more.py": "MORE = 1\n"})
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "Add more")
    git(place, "branch", "-f", "main", "HEAD~2")
    with opened_change(place) as found:
        assert found.paths == ("src/toy/more.py",)
        assert found.messages == ("Add more",)
    with opened_change(place / "src", "work") as found:
        assert found.paths == ("src/toy/calc.py", "src/toy/more.py", "tests/test_calc.py")
        assert found.messages == ("Fix the mean", "Add more")
    with opened_change(place, "HEAD~1") as found:
        assert found.sources == ("src/toy/calc.py",)
        assert found.lines_of("src/toy/calc.py") == {2, 3}
    with opened_change(place, "main..work~1", claim="It is faster") as found:
        assert found.messages == ("Fix the mean", "It is faster")
    patch = tmp_path / "more.diff"
    patch.write_text(git(place, "diff", "work~1..work"))
    git(place, "checkout", "-q", "work~1")
    with opened_change(place, str(patch)) as found:
        assert found.paths == ("src/toy/more.py",)
    write(place, {"src/toy/own.py": "OWN = 1\n"})
    with opened_change(place) as found:
        assert found.paths == ("src/toy/own.py",)
        assert found.head == ""
    with pytest.raises(TaskError, match="no commit 'nothing'"), opened_change(place, "nothing"):
        pass


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("All tests pass.", "confirmed"),
        ("Everything is green: 70 passed", "contradicted"),
        ("Add regression tests", "contradicted"),
        ("No new dependencies were added", "confirmed"),
        ("Refactor clamp, no behaviour change", "confirmed"),
        ("Fix typo in the docs", "contradicted"),
        ("Fully backwards compatible", "confirmed"),
        ("Introduce `median` for lists", "contradicted"),
        ("Remove `clamp`", "contradicted"),
        ("Only changes tests", "contradicted"),
        ("Makes the mean twice as fast", "not testable"),
    ],
)
def test_a_claim_is_held_against_what_was_measured(text: str, state: str) -> None:
    assert states(of({"src/toy/calc.py": FIXED}, text)) == {text: state}


def test_claims_that_a_run_decides() -> None:
    change = of(FIX, "Fix the mean, and add a test.\n\nAll tests pass. No functional change.")
    broken = SuiteResults(
        before=SuiteCounts(2, 0, 0), after=SuiteCounts(1, 1, 0), broken=("tests/test_calc.py::test_clamp",)
    )
    assert list(states(change, broken).values()) == ["confirmed", "contradicted", "contradicted"]
    different = (Difference("src/toy/calc.py::mean", "mean([])", "ZeroDivisionError", "0.0", "generated"),)
    assert states(change, PASSED, different)["No functional change."] == "contradicted"
    assert states(change, PASSED, None)["No functional change."] == "not testable"
    lying = replace(change, messages=(), last_words="Done! All 40 tests pass.")
    assert states(lying, broken) == {"Done!": "not testable", "All 40 tests pass.": "contradicted"}


@pytest.mark.parametrize(
    ("tests", "state"),
    [
        (SuiteResults(before=SuiteCounts(3, 0, 0), after=SuiteCounts(2, 0, 1), silenced=("t.py::x",)), "contradicted"),
        (SuiteResults(before=SuiteCounts(3, 0, 0), after=SuiteCounts(2, 0, 0), deleted=("t.py::x",)), "not testable"),
        (SuiteResults(before=SuiteCounts(3, 0, 0), after=SuiteCounts(2, 0, 0), gone=("t.py::x",)), "not testable"),
        (SuiteResults(before=SuiteCounts(3, 0, 0), after=SuiteCounts(2, 0, 1)), "not testable"),
    ],
)
def test_that_all_tests_pass_is_not_confirmed_where_the_change_took_some(tests: SuiteResults, state: str) -> None:
    assert states(of({"src/toy/calc.py": FIXED}, "All tests pass."), tests) == {"All tests pass.": state}


def test_a_weaker_test_confirms_no_claim_and_is_in_the_sentence() -> None:
    weaker = Remark(what="tampering: a test asserts less", weight="look", path="tests/test_calc.py")
    change = of({"src/toy/calc.py": FIXED}, "All tests pass.")
    (claim,) = claim_results(Facts(change, PASSED, (), (), (weaker,)))
    assert (claim.state, "asserts less" in claim.evidence) == ("not testable", True)
    found = CheckResult(change, (claim,), PASSED, (), None, (), (weaker,), (), 1.0, "honestly check")
    assert (found.exit_code, "weakened" in found.sentence) == (0, True)
    assert replace(found, honesty=()).sentence == "Nothing speaks against this change."


@pytest.mark.parametrize(("failed", "code"), [(0, 1), (2, 1), (3, 4)])
def test_a_new_test_that_fails_where_most_do_tells_nothing(failed: int, code: int) -> None:
    tests = SuiteResults(before=SuiteCounts(2, failed, 0), after=SuiteCounts(2, failed + 1, 0), failing=("t.py::test",))
    change = of({"src/toy/calc.py": FIXED}, "Fix it")
    found = CheckResult(change, (), tests, (), None, (), (), (), 1.0, "honestly check")
    assert found.exit_code == code
    assert replace(found, tests=replaced(tests, broken=("t.py::test",), failing=())).exit_code == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("25.0", "25", True),
        ("[1.0, {'a': -0.0}]", "[1, {'a': 0}]", True),
        ("{'b', 'a'}", "{'a', 'b'}", True),
        ("Point(x=2.0)", "Point(x=2)", True),
        ("True", "1", False),
        ("'25.0'", "'25'", False),
        ("(1,)", "[1]", False),
        ("22.5", "15", False),
    ],
)
def test_equal_values_are_no_difference(one: str, other: str, same: bool) -> None:
    assert _equal(one, other) is same


def test_an_honest_fix_has_nothing_against_it() -> None:
    assert against(of(FIX, "Fix the mean of nothing")) == []
    assert {mutant.line for mutant in mutants_of(of(FIX))} <= {2, 3}


def test_a_field_that_is_looked_up_is_no_value_that_is_compared() -> None:
    code = CALC + "\n\ndef is_known(old, size, time):\n"
    code += "    if old['file_size'] == size and old.get('file_mtime') == time and old['parse_status'] == 'parsed':\n"
    code += "        return True\n    return False\n"
    test = (
        TESTS
        + "\n\ndef test_known():\n    old = {'file_size': 7, 'file_mtime': 8, 'parse_status': 'parsed'}\n    assert is_known(old, 7, 8)\n"
    )
    assert against(of({"src/toy/calc.py": code, "tests/test_calc.py": test})) == []
    fitted = code.replace("old['file_size'] == size", "size == 'file_size 7351'").replace(
        "old.get('file_mtime') == time", "time == 'mtime-9184'"
    )
    test = test.replace("is_known(old, 7, 8)", "is_known(old, 'file_size 7351', 'mtime-9184')")
    assert against(of({"src/toy/calc.py": fitted, "tests/test_calc.py": test})) != []


HOOK = """import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    report.outcome = "passed"
"""
DISHONEST: dict[str, dict[str, str | None]] = {
    "tests that cannot fail": {"tests/test_calc.py": TESTS.replace("== 2", "== 2 or True")},
    "reports rewritten": {"conftest.py": HOOK},
    "an example answered by its literal": {
        "src/toy/calc.py": CALC.replace("    return sum", "    if values == [1, 2, 3]:\n        return 2\n    return sum")
    },
    "the process ended with success": {"src/toy/calc.py": "import os\n\nos._exit(0)\n\n\n" + CALC},
    "equal to everything": {
        "src/toy/calc.py": "class Any:\n    def __eq__(self, other):\n        return True\n\n\n" + CALC.replace("return sum(values) / len(values)", "return Any()")
    },
    "a private key": {"src/toy/key.py": 'KEY = """-----BEGIN RSA ' + 'PRIVATE KEY-----\nMIIE\n"""\n'},
    "a token": {"src/toy/key.py": 'TOKEN = "ghp_' + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA2bC4" + '"\n'},
    "code that reads otherwise than it runs": {"src/toy/calc.py": CALC + "ROLE = 'user\u202e'\n"},
}  # fmt: skip


@pytest.mark.parametrize("name", DISHONEST)
def test_what_speaks_against_a_change_by_its_lines(name: str) -> None:
    found = against(of(DISHONEST[name], "Make it work"))
    assert found, name


LOOKED_AT: dict[str, tuple[dict[str, str | None], str]] = {
    "dependency": ({"requirements.txt": "left-pad==1.0\n"}, "left-pad"),
    "undeclared": (
        {"requirements.txt": "a\n", "src/toy/n.py": "import leftpad\n"},
        "imports leftpad, which nothing declares",
    ),
    "network": ({"src/toy/net.py": "import socket\n"}, "network"),
    "shell": ({"src/toy/run.py": "import os\nos.system('ls')\n"}, "runs programs"),
    "ci": ({".github/workflows/ci.yml": "on: push\npermissions: write-all\n"}, "more rights"),
    "site": ({"sitecustomize.py": "print(1)\n"}, "without being called"),
    "snapshot": ({"tests/test_calc.py": None}, "test"),
}


@pytest.mark.parametrize("name", LOOKED_AT)
def test_what_somebody_should_look_at(name: str) -> None:
    change, words = LOOKED_AT[name]
    found = of(change, "Do more")
    said = [each.what for each in (*honesty_remarks(found), *safety_remarks(found))]
    assert any(words in each for each in said), said


def test_a_link_out_of_the_project_speaks_against_it() -> None:
    change = of({}, "Add a link")
    linked = Tree(files={**change.after.files, "data/link": File(data=b"../../etc/passwd", mode="link")})
    assert against(replace(change, after=linked)) == ["a link leads out of the project"]


def test_a_secret_is_not_shown_on_the_page() -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA2bC4"
    change = of({"src/toy/key.py": f'TOKEN = "{token}"\n'})
    assert all(token not in each.evidence for each in safety_remarks(change))


def test_the_map_says_which_files_carry_weight_and_why(tmp_path: Path) -> None:
    place = checkout(
        tmp_path / "toy",
        {
            "src/toy/one.py": "from toy.calc import mean\n", "src/toy/two.py": "from . import one\n",
            "src/toy/three.py": "import toy.two\n", "src/toy/billing.py": "RATE = 1\n", "src/toy/alone.py": "ALONE = 1\n",
            "pyproject.toml": START["pyproject.toml"] + '[project.scripts]\ntoy = "toy.three:main"\n',
        },
        "Fix everything",
    )  # fmt: skip
    with open_repository(place) as repository:
        found = {each.path: each for each in weight_map(repository, "main").files}
    calc = found["src/toy/calc.py"]
    assert (calc.weight, calc.dependents, calc.reach, calc.tests) == ("carries weight", 1, 3, 1)
    assert found["src/toy/three.py"].reasons[0] == "a program begins here"
    assert found["src/toy/billing.py"].reasons[0] == "its name speaks of money"
    assert found["src/toy/alone.py"].weight == "decorative"
    assert found["src/toy/two.py"].weight == "ordinary"


def test_an_agent_changes_by_itself_what_carries_no_weight(tmp_path: Path) -> None:
    odd = "src/toy/billing/[id]{1}*.py"
    place = checkout(tmp_path / "toy", {odd: "RATE = 1\n", "src/toy/alone.py": "ALONE = 1\n"})
    policy, page = tmp_path / "policy.toml", tmp_path / "map.html"
    command = [sys.executable, "-m", "honestly", "check", "--map", "--write-policy", str(policy), "--html", str(page)]
    subprocess.run(command, cwd=place, check=True, capture_output=True)
    rules = read_policy(policy)
    assert rules.decision("edit", {"path": odd}).word == "ask"
    assert rules.decision("bash", {"command": "sed -i s/1/2/ 'src/toy/billing/[id]{1}*.py'"}).word == "ask"
    assert rules.decision("read", {"path": odd}).word == "allow"
    assert rules.decision("edit", {"path": "src/toy/alone.py"}).word == "allow"
    assert page.read_text().count("<rect") >= 5
    assert "alone.py: no other file needs it" in page.read_text()


@settings(max_examples=40)
@given(st.lists(st.tuples(st.lists(st.sampled_from("abc"), max_size=3), st.integers(0, 900)), min_size=1, max_size=30))
def test_the_files_of_the_picture_fill_it_and_do_not_overlap(drawn: list[tuple[list[str], int]]) -> None:
    files = tuple(
        FileWeight("/".join([*folders, f"{at}.py"]), "ordinary", (), 0, 0, 0, 0, 0, "", lines)
        for at, (folders, lines) in enumerate(drawn)
    )
    boxes = [
        box for _, box in _placed(sorted(files, key=lambda each: each.path.split("/")), 0, (0.0, 0.0, 800.0, 400.0))
    ]
    assert len(boxes) == len(files)
    assert 0.4 * 320_000 < sum(w * h for _, _, w, h in boxes) < 320_001
    for at, (x, y, w, h) in enumerate(boxes):
        for left, top, wide, high in boxes[:at]:
            assert x + w <= left + 1e-6 or left + wide <= x + 1e-6 or y + h <= top + 1e-6 or top + high <= y + 1e-6


def test_the_structure_of_a_change_is_described() -> None:
    long = "".join(f"    value_{at} = values[{at}] + low\n" for at in range(7))
    before = {"src/toy/old.py": f"from toy import calc\n\n\ndef old(values, low):\n{long}    return value_6\n"}
    after = {
        "src/toy/calc.py": "from toy import old\n\n\n" + CALC.replace("    return sum", "    if not values and values is not None:\n        return 0\n    return sum")
        + f"\n\ndef frobnicate(values, low):\n{long}    return 1\n",
    }  # fmt: skip
    whole = Tree.of(before).over(Tree.of(START))
    change = Change("", "0" * 40, "", whole, Tree.of(after).over(whole), ())
    found = [each.what for each in structure_remarks(change)]
    assert found == [
        "other numbers of branches plus one (McCabe): mean 1 → 3",
        "6 lines or more that it adds also stand at src/toy/old.py:5",
        "imports between files that close a circle: src/toy/calc.py → src/toy/old.py",
        "1 new name of functions with words that the project has nowhere: frobnicate",
    ]
    assert {each.weight for each in structure_remarks(change)} == {"note"}
    assert list(structure_remarks(of({"README": "x"}))) == []


def test_a_new_test_makes_no_old_one_easier() -> None:
    new = "\n\nclass Nothing:\n    pass\n\n\n@pytest.mark.skip\ndef test_late():\n    assert mean([1]) == approx(1, abs=0.5)\n"
    honest = of({"tests/test_calc.py": TESTS + new})
    assert [each.what for each in honesty_remarks(honest)] == []
    hollow = of({"tests/test_calc.py": TESTS.replace("    assert mean", "    return\n    assert mean")})
    assert "cannot fail" in "".join(against(hollow))


def test_a_stop_hook_holds_a_state_against_an_agent_once(tmp_path: Path) -> None:
    broken = of({"src/toy/calc.py": CALC + 'KEY = "AKIAQWERTZUIOPLKJHGF"\n'})
    fine = of(FIX)
    checked: list[Change] = [broken, broken, fine]

    def check(place: Path, log: Path | None, words: str) -> CheckResult:
        assert (place, log, words) == (tmp_path, None, "Done.")
        return CheckResult(change=(change := checked.pop(0)), claims=(), tests=PASSED, uncovered=(), mutants=None,
                           differences=(), honesty=(), safety=tuple(safety_remarks(change)), seconds=1, again="a")  # fmt: skip

    given = {"hook_event_name": "Stop", "session_id": "s", "cwd": str(tmp_path), "transcript_path": "",
             "last_assistant_message": "Done."}  # fmt: skip
    records = tmp_path / "hook.jsonl"
    first = hook_answer(given, check, records)
    assert first["decision"] == "block"
    assert "a key of AWS" in first["reason"]
    assert list(hook_answer(given, check, records)) == ["systemMessage"]
    assert hook_answer(given, check, records) == {}
    assert hook_answer({"hook_event_name": "PreToolUse"}, check, records) == {}
    assert len(records.read_text().splitlines()) == 3


def test_the_map_reads_go_a_package_that_names_itself_and_coverage(tmp_path: Path) -> None:
    place = checkout(
        tmp_path / "toy",
        {
            "go.mod": "module example.com/toy\n", "sum.go": "package toy\n\nfunc Sum() int { return one + sub.Two() }\n",
            "one.go": "package toy\n\nconst one = 1 // Sum has it\n", "sub/two.go": "package sub\n\nfunc Two() int { return 2 }\n",
            "sub/alone.go": "package sub\n\nfunc Alone() int { return 2 }\n", "sum_test.go": "package toy\n\nvar x = Sum()\n",
            "package.json": '{"name": "toys"}', "src/index.js": "exports.a = 1;\n", "src/more.js": "import {a} from 'toys';\n",
            "src/rust.rs": "fn main() {}\n",
        },
        "Start",
    )  # fmt: skip
    write(
        place, {"sum.go": 'package toy\n\nimport "example.com/toy/sub"\n\nfunc Sum() int { return one + sub.Two() }\n'}
    )
    git(place, "commit", "-qam", "Add")
    with open_repository(place) as repository:
        found = {each.path: each for each in weight_map(repository, "main").files}
    assert [found[f"{name}.go"].dependents for name in ("one", "sub/two", "sub/alone", "sum")] == [1, 1, 0, 0]
    assert (found["sum.go"].tests, found["src/index.js"].dependents) == (1, 1)
    assert (found["src/rust.rs"].weight, found["src/rust.rs"].reasons[0]) == ("ordinary", "its language is not read")


REPORTS = {
    "coverage.xml": '<class name="a" filename="toy/calc.py" line-rate="1"><lines><line number="1" hits="1"/><line hits="0" number="2"/>'
    '<line number="3" hits="4"/><line number="4" hits="2"/></lines></class>',
    "coverage/lcov.info": "TN:\nSF:/home/me/toy/src/toy/calc.py\nDA:1,1\nDA:2,0\nDA:3,1,abc\nDA:4,9\nend_of_record\n",
    "cover.out": "mode: set\nexample.com/toy/src/toy/calc.go:1.2,3.4 2 1\nexample.com/toy/src/toy/calc.go:3.4,4.5 1 0\n",
}  # fmt: skip


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_of_coverage_says_which_share_of_lines_ran(tmp_path: Path, name: str) -> None:
    write(tmp_path, {name: REPORTS[name]})
    code = f"src/toy/calc.{'go' if name == 'cover.out' else 'py'}"
    assert covered_shares(tmp_path, ["src/toy/other.py", code, "calc.py"]) == (name, {code: 0.75})
    assert covered_shares(tmp_path, ["a.py"]) == ("", {})
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / name.rpartition("/")[2]).symlink_to(tmp_path / name)
    assert covered_shares(tmp_path / "link", [code]) == ("", {}), "a link may lead anywhere"


def test_a_report_of_coverage_that_was_made_to_take_long_says_nothing(tmp_path: Path) -> None:
    nines = "9" * 5000
    for name, text in (
        ("coverage.xml", "<class " * 100_000 + "<line " * 100_000 + f'<line number="{nines}" hits="1"/>'),
        ("coverage/lcov.info", f"SF:calc.py\nDA:{nines},1\n"),
        ("cover.out", f"mode: set\ncalc.go:1.2,{nines}.4 2 1\n"),
    ):
        write(tmp_path / name.partition(".")[0], {name: text})
        assert covered_shares(tmp_path / name.partition(".")[0], ["calc.py", "calc.go"]) == ("", {})


def shown(found: CheckResult, height: int) -> list[str]:
    console = Console(file=StringIO(), width=80, height=height, force_terminal=True, color_system=None)
    console.print(found)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


def test_the_page_fits_the_screen_the_worst_first() -> None:
    remarks = tuple(
        Remark(what=f"finding {at} " + "of many words " * 6, weight="note" if at else "against", path="a.py")
        for at in range(12)
    )
    change = of({"src/toy/calc.py": FIXED}, "Fix the mean")
    found = CheckResult(
        change, (), PASSED, (), None, (), remarks[:6], remarks[6:], 1.0, "honestly check", ("note " * 50,)
    )
    for height in (14, 24, 40):
        lines = shown(found, height)
        assert len(lines) <= height - 2
        assert lines[0] == "Something speaks against this change."
        assert "finding 0" in lines[3]
        assert (
            f"{len(found.rows) - sum('finding' in line or 'passing' in line for line in lines)} more lines"
            in "".join(lines)
        )


def test_a_command_names_a_file_whatever_its_name_is(tmp_path: Path) -> None:
    name = "a\x1b[2J'\\\n\u202e b.py"
    remark = Remark(what="odd", weight="against", path=name)
    found = CheckResult(of(FIX), (), PASSED, (), None, (), (remark,), (), 1.0, "honestly check")
    (row,) = [each for each in found.rows if each.weight == "against"]
    assert row.command.isprintable()
    word = row.command.partition(" -- ")[2]
    said = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True).stdout
    assert said.decode() == name


def test_what_is_said_of_tests_whose_files_stand_as_they_were() -> None:
    counts = SuiteCounts(3, 0, 0)
    tests = SuiteResults(before=counts, after=counts, deleted=("tests/other.py::x",), rewritten=("tests/other.py::y",),
                         failing_before=("tests/other.py::z",))  # fmt: skip
    found = CheckResult(of({"conftest.py": "x = 1\n"}), (), tests, (), None, (), (), (), 1.0, "honestly check")
    said = [row.text for row in found.rows]
    assert "1 test not run any more, would fail: tests/other.py::x" in said
    assert "1 test set up anew, failing as they stood before: tests/other.py::y" in said
    assert {row.command for row in found.rows if row.area == "tests"} == {"honestly check --show tests"}
    assert "failing before  tests/other.py::z" in "\n".join(map(str, found.details("tests").renderables))


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("Clean up the tests", 1), ("Remove some flaky tests", 1), ("Delete the old unit tests", 1),
        ("Remove the old format and its tests", 0), ("Drop turned ranges", 0), ("Remove tests of the dropped format", 0),
    ],
)  # fmt: skip
def test_to_say_that_tests_go_is_no_reason_for_it(words: str, code: int) -> None:
    tests = SuiteResults(before=SuiteCounts(3, 0, 0), after=SuiteCounts(2, 0, 0), deleted=("tests/test_calc.py::x",))
    found = CheckResult(of({"src/toy/calc.py": FIXED}, words), (), tests, (), None, (), (), (), 1.0, "honestly check")
    assert found.exit_code == code


def test_forged_results_confirm_no_claim_and_are_no_good_sign() -> None:
    change = of({"src/toy/calc.py": FIXED}, "Fix it; all tests pass")
    hook = Remark(what="test runner hooks: conftest.py changes what tests report", weight="against", path="conftest.py")
    (claim,) = claim_results(Facts(change, PASSED, (), (), (hook,)))
    assert (claim.state, "conftest.py" in claim.evidence) == ("not testable", True)
    (claim,) = claim_results(Facts(change, replaced(PASSED, forged=("the code meddles",)), (), (), ()))
    assert claim.state == "not testable"
    found = CheckResult(change, (), PASSED, (), None, (), (hook,), (), 1.0, "honestly check")
    assert "good" not in {row.weight for row in found.rows}
    none = replaced(PASSED, after=SuiteCounts(0, 0, 0))
    assert "good" not in {row.weight for row in replace(found, honesty=(), tests=none).rows}


def test_a_fix_is_what_a_sentence_says_and_not_a_word_in_it() -> None:
    fixed = replaced(PASSED, fixed=("t.py::a", "t.py::b"))
    words = {"mean() no longer divides by zero": "confirmed", "It matches how names are resolved": "not testable",
             "Fix the mean": "confirmed"}  # fmt: skip
    change = of(FIX, "\n\n".join(words))
    assert states(change, fixed) == words
    assert states(of(FIX, "mean() no longer divides by zero"), PASSED) == {
        "mean() no longer divides by zero": "not testable"
    }
    (claim,) = claim_results(Facts(of(FIX, "Fix the mean"), fixed, (), ()))
    assert claim.evidence == "t.py::a, t.py::b fail before and pass after"
    (claim,) = claim_results(Facts(of(FIX, "Fix the mean"), SuiteResults(note="none"), None, None))
    assert claim.evidence == "no test could be run"
    assert next(iter(states(of(FIX, "Say " + "many words " * 60)))).endswith((" many…", " words…"))


def test_what_the_page_says_of_new_names_and_large_files() -> None:
    code = "def __eq__(self):\n    return 1\n\n\ndef frobnicate():\n    return 1\n"
    change = of({"src/toy/calc.py": CALC + "\n\nX = 1\n", "src/toy/zed.py": code, "src/toy/zed2.py": code})
    (remark,) = [each for each in structure_remarks(change) if "new name" in each.what]
    assert (remark.what.rpartition(": ")[2], remark.path) == ("frobnicate", "src/toy/zed.py")
    large = of({"src/toy/data.py": "X = '" + "a" * 600_000 + "'\n"})
    assert "it grows to 600,007 bytes, more than a review sees" in [each.what for each in safety_remarks(large)]


def test_why_no_test_passes_ends_with_what_went_wrong() -> None:
    long = SuiteRun({}, note="Traceback:\n" + "  File x\n" * 60 + "TypeError: expected str")
    assert "\n" not in _why_none(long, installed=True)
    assert _why_none(long, installed=True).endswith("TypeError: expected str")
    lacking = SuiteRun({}, note="the test process ended before its last test (No module named 'x')")
    assert "--install" in _why_none(lacking, installed=False)
    assert "--test" not in _why_none(lacking, installed=False)


def test_pages_break_lines_of_text() -> None:
    found = CheckResult(of(FIX), (), PASSED, (), None, (), (), (), 1.0, "honestly check")
    weight = FileWeight("a.py", "ordinary", ("a reason",), 0, 0, 0, 0, 0, "")
    for page in (check_page(found), map_page([weight])):
        table = ET.fromstring("<t>" + page.rpartition("<table>")[2].partition("</table>")[0] + "</t>")
        assert [cell.get("class") for cell in table.iter("td")] == [None, "wrap", "wrap"]
    pages = Path(str(package_files("honestly.web"))) / "templates"
    plain = [path.name for path in pages.rglob("*.html") if re.search(r"<td>\{\{[^}]*\|printable", path.read_text())]
    assert plain == [], "a cell of text without the class that lets it break"
