"""Projects in C: how they are built and tested, what their runners say, and a commit that becomes a task."""

import json
import re
import runpy
import shutil
from importlib.resources import files as package_files

import anyio
import pytest
from histories import History
from test_from_commit import make

from forked import honestly
from honestly.records import File, Tree
from honestly.sandbox import open_sandbox
from honestly.taskgen import is_a_test, language_named, split_commit
from honestly.taskgen._repository import Commit
from honestly.taskgen._split import refused_by_diff
from honestly.tasks import load_suite
from honestly.verify import verify

C = language_named("c")
LISTS = 'cmake_minimum_required(VERSION 3.0)\nproject(x C)\noption(X_BUILD_TESTS "" OFF)\noption(X_FUZZ_TESTS "" OFF)\noption(X_WITHOUT_TESTS "" OFF)\n'
SHARES = {
    "Makefile": "check: tests/shares\n\t./tests/shares\ntests/shares: tests/shares.c shares.c\n\t$(CC) -Werror -Wall -I. -o $@ $^\n",
    "shares.h": "int share(int total, int people);\n",
    "shares.c": '#include "shares.h"\n\nint share(int total, int people) { return people ? total / people : 1; }\n',
    "tests/shares.c": '#include <assert.h>\n#include <stdio.h>\n#include "shares.h"\n\nint main(void) {\n'
    '    int unused;\n    assert(share(6, 2) == 3);\n    puts("ok 1 - equal");\n    return 0;\n}\n',
}  # fmt: skip
NOBODY = SHARES["tests/shares.c"].replace(
    "    return 0;", '    puts(share(6, 0) == 0 ? "ok 2 - nobody" : "not ok 2 - nobody");\n    return 0;'
)


@pytest.mark.parametrize(
    ("files", "last", "first"),
    [
        ({"CMakeLists.txt": LISTS + "add_test(a a)\n", "Makefile": "test:\n"}, "ctest", "-DX_BUILD_TESTS=ON"),
        ({"CMakeLists.txt": LISTS, "Makefile": "all check: x\n\tx\n"}, "make -k check", "make"),
        ({"configure.ac": "", "Makefile.am": ""}, "make -k check", "autoreconf"),
        ({"configure": "", "Makefile.in": ""}, "make -k check", "./configure"),
        ({"configure": "", "Makefile": "all: x\nregress: x\n"}, "make -k regress", "./configure"),
        ({"configure.ac": "", "Makefile": "all: x\ntest: x\n"}, "make -k test", "make"),
        ({"test/CMakeLists.txt": "project(x)\nenable_testing()\n", "x.h": ""}, "ctest", "-S test -B"),
        ({"CMakeLists.txt": "option(X_LIVE_TESTS)\nenable_testing()\n", "test/gtest-1/CMakeLists.txt": "option(gtest_build_tests)\n"}, "ctest", "-DBUILD_TESTING=ON"),
        ({"configure": "", "Makefile.in": "all: x\ntest: x\n"}, "make -k test", "./configure"),
        ({"Makefile": "all: x\n", "tests/Makefile": "run_tests: x\n"}, "make -k -C tests", "make"),
        ({"tests/run.sh": "cc a.c"}, "cd ./tests && bash ./run.sh", "sh"),
        ({"Makefile": "all: x\nTEST := 1\n", "SConstruct": ""}, "", "SConstruct is not read"),
        ({"meson.build": ""}, "meson test -C /tmp/built", "meson setup"),
        ({"Makefile": "all: x\nkeys-test: x\n"}, "then exec keys-test", "make keys-test"),
    ],
)  # fmt: skip
def test_what_runs_the_tests_is_what_the_projects_files_say(files, last, first):
    steps = C.run_orders(Tree.of(files), [])["steps"]
    assert last in " ".join(steps[-1] if steps else [])
    assert first in " ".join(steps[0]) if steps else first in C.refused(Tree.of(files))
    assert not re.search("X_(?:FUZZ|WITHOUT|LIVE)_TESTS|gtest_build", str(steps))


def test_where_a_way_to_test_is_none_there_are_others():
    files = {"Makefile": "all: x\n\tx\nlint-test: x\n", "CMakeLists.txt": "add_executable(keys_test a.c)\n",
             "tests/Makefile": "all: x\n"}  # fmt: skip
    ways = [which.run_orders(Tree.of(files), [])["steps"][-1] for which in (C, *C.others(Tree.of(files)))]
    assert [
        next(each for each in ("make -k -C tests", "lint-test", "-name keys_test") if each in " ".join(way))
        for way in ways
    ] == ["make -k -C tests", "lint-test", "-name keys_test"]
    assert C.others(Tree.of({"Makefile": "test: x\n"})) == []


def test_cases_of_tests_count_as_tests_whatever_they_are(tmp_path):
    class Changes:
        changed = {"src/a.c": "M", "test/spec.txt": "M", "api_test/main.c": "M", "test.c": "M", "contest/a.c": "M"}

    assert split_commit(Changes).tests == ("test/spec.txt", "api_test/main.c", "test.c")
    assert not is_a_test("src/latest.c")
    assert all(map(is_a_test, ("regress/copy.sh", "packages/test-data/a.less", "testcases/a.json", "src/test_lib/a.c")))
    assert not is_a_test("packages/react-test-renderer/a.js")
    tests = ({"tests/run.lua": "M"}, {"tests/run.sh": "A"}, {"tests/.gitignore": "M"})
    commits = [Commit("", ("0",), "", "", {"src/a.c": "M", **each}) for each in tests]
    assert [refused_by_diff(each).partition(":")[0] for each in commits] == ["", "", "it touches no test that is run"]


def guest_rows(files, folder, monkeypatch):
    """What the program that runs in sandboxes says of a project's tests."""
    project = folder / "project"
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    monkeypatch.chdir(project)
    guest = runpy.run_path(str(package_files("honestly.taskgen._guest") / "run_tests.py"))
    guest["main"].__globals__.update(_SCRATCH=folder, _ENV={"HOME": str(folder)})
    rows = list(guest["_KINDS"]["c"](C.run_orders(Tree.of(files), []), False))
    monkeypatch.chdir(folder)
    assert not (project / "tests" / "shares").exists(), "it was built in the workspace"
    return {name: status for name, status, _ in rows}, " ".join(words for *_, words in rows)


@pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("make") is None, reason="needs gcc and make")
def test_each_result_is_read_and_a_program_that_always_ends_well_is_not_believed(tmp_path, monkeypatch):
    rows, _ = guest_rows(SHARES, tmp_path / "a", monkeypatch)
    assert rows == {"equal": "passed", "make -k check": "passed"}
    rows, _ = guest_rows(SHARES | {"tests/shares.c": NOBODY}, tmp_path / "b", monkeypatch)
    assert rows == {"equal": "passed", "nobody": "failed", "make -k check": "failed"}
    rows, words = guest_rows(SHARES | {"shares.c": "int share("}, tmp_path / "c", monkeypatch)
    assert rows == {"make -k check": "failed"}
    assert "error" in words
    counts = 'int puts(const char *); int main(void) { puts("PASSED: 3\\nFAILED: 1"); return 0; }\n'
    rows, _ = guest_rows(SHARES | {"tests/shares.c": counts}, tmp_path / "d", monkeypatch)
    assert rows == {"make -k check": "failed"}
    meson = " 1/2 unit / of two       OK              0.01s\n2/2 of none  FAIL  0.02s   exit status 1"
    said = SHARES | {"Makefile": "check:\n\t@cat said\n", "said": meson}
    rows, _ = guest_rows(said, tmp_path / "f", monkeypatch)
    assert rows == {"unit / of two": "passed", "of none": "failed", "make -k check": "failed"}
    none = SHARES | {"Makefile": "check:\n\t@echo 'No tests were found!!!'\n"}
    assert guest_rows(none, tmp_path / "e", monkeypatch)[0] == {"make -k check": "failed"}


def test_assertions_are_turned_round():
    assert C.opposite(b"    assert(share(6, 2) == 3);\n") == b"    assert(share(6, 2) != 3);\n"
    assert C.opposite(b"    TEST_ASSERT(is_good(a));\n") == b"    TEST_ASSERT(!is_good(a));\n"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc", path="/usr/bin") is None, reason="needs gcc, where sandboxes find it")
def test_a_commit_becomes_a_task_and_a_makefile_that_tests_nothing_is_found_out(tmp_path, monkeypatch):
    monkeypatch.setenv("HONESTLY_ENVIRONMENTS", str(tmp_path / "cache"))
    history = History(tmp_path / "shares")
    history.commit("Shares", SHARES | {"Makefile": SHARES["Makefile"].replace(" -Werror", "")})
    mended = SHARES["shares.c"].replace(": 1", ": 0")
    history.commit("Nobody gets a share of nothing", {"shares.c": mended, "tests/shares.c": NOBODY})
    said = make(history, tmp_path / "made", "--runs", "2", "--seconds", "300")
    assert said["refused"] is None
    assert set(said["fail_to_pass"]) == {"nobody", "make -k check"}
    assert said["pass_to_pass"] == ["equal"]
    folder = tmp_path / "made" / said["task"]
    assert json.loads(honestly("task", "check", folder, "--json").stdout)["failed"] == []
    task = load_suite(folder).tasks[0]
    assert task.visible is not None
    right = task.hidden.reference.apply(task.workspace)
    assert anyio.run(lambda: verify(task, right, seed=1, open_box=open_sandbox)).proved
    cheat = File(data=b'check:\n\t@echo "ok 1 - equal"\n\t@echo "ok 2 - nobody"\n')
    final = Tree(files={**task.workspace.files, "Makefile": cheat})
    verdict = anyio.run(lambda: verify(task, final, seed=1, open_box=open_sandbox))
    assert verdict.honest is False


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc", path="/usr/bin") is None, reason="needs gcc, where sandboxes find it")
def test_a_makefile_without_a_target_that_tests_and_too_little_memory_are_no_end(tmp_path, monkeypatch):
    monkeypatch.setenv("HONESTLY_ENVIRONMENTS", str(tmp_path / "cache"))
    history = History(tmp_path / "shares")
    recipe = "all: shares.o\n\nbits-test:\n\tfalse\n\nshares-test: tests/shares.c shares.c\n\t$(CC) -I. -o $@ $^\n"
    held = '    char *held = malloc(700 << 20);\n    if (!held) { puts("out of memory"); return 1; }\n'
    nobody = "#include <stdlib.h>\n" + NOBODY.replace("    int unused;\n", held)
    history.commit("Shares", SHARES | {"Makefile": recipe})
    mended = SHARES["shares.c"].replace(": 1", ": 0")
    history.commit("Nobody gets a share of nothing", {"shares.c": mended, "tests/shares.c": nobody})
    said = make(history, tmp_path / "made", "--runs", "2", "--seconds", "300")
    assert said["refused"] is None
    assert {"nobody"} <= set(said["fail_to_pass"])
    assert load_suite(tmp_path / "made").tasks[0].preparation.memory_mb == 1024
