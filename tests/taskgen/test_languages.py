"""What is read of a JavaScript or Go project, without running it; and what its tests say, as a script reports it."""

import json
import re
import runpy
import shlex
import shutil
import time
import zipfile
from dataclasses import replace
from importlib.resources import files as package_files

import pytest

from honestly.check import ProjectSuite
from honestly.errors import TaskError
from honestly.records import Preparation, Tree
from honestly.sandbox import open_sandbox
from honestly.taskgen import _languages, hidden_checks, language_named, missing_reason
from honestly.taskgen._installed import _version_parts
from honestly.taskgen._languages import Go, JavaScript, visible_checks
from honestly.taskgen._measured import States, Way, _showable_tests
from honestly.tasks import REQUIREMENT, npm_manifest
from honestly.tasks.preparation._install import installed_versions
from honestly.verify import SeenTests

JS = JavaScript()


def project(manifest, **files):
    return Tree.of({"package.json": json.dumps(manifest), **{k.replace("__", "."): v for k, v in files.items()}})


@pytest.mark.parametrize(
    ("scripts", "kind", "argv"),
    [
        ({"test": "pnpm run test:nodejs && pnpm run edge", "test:nodejs": "jest --env node --coverage"}, "jest", ["--env", "node"]),
        ({"test": "c8 mocha --require ./setup.cjs --reporter dot 'test/*.js'"}, "mocha", ["--require", "./setup.cjs"]),
        ({"test": "tsc && vitest run --coverage"}, "vitest", []),
        ({"test": "node --import tsx --test test/*.ts"}, "node", ["--import", "tsx"]),
        ({"test": "jest --maxWorkers 2 --env node"}, "jest", ["--coverage=false --env node --json"]),
        ({"test": "mocha --timeout 5s --exit --slow 20 test/*.js"}, "mocha", ["--timeout 5s --exit --slow 20"]),
        ({"test": "cross-env BABEL_ENV=test CI=1 npm run unit", "unit": "nyc -r html mocha"}, "mocha", ["env BABEL_ENV=test /node_modules"]),
        ({"test": 'NODE_OPTIONS="$NODE_OPTIONS --experimental-vm-modules" jest'}, "jest", ["NODE_OPTIONS=--experimental-vm-modules /"]),
        ({"test": "node --experimental-vm-modules --expose-gc node_modules/.bin/jest"}, "jest", ["NODE_OPTIONS=--experimental-vm-modules /"]),
        ({"test": "nyc --require esm tape test/*.js | tap-spec"}, "tap", ["env NODE_OPTIONS=--require esm node"]),
        ({"test": "tape -r ./hooks.js 'test/**/*.js'"}, "tap", ["node -r ./hooks.js"]),
        ({"test": "tap --100 test/*.js"}, "tap", ["node"]),
        ({"test": "xo && ava --serial"}, "tap", ["/node_modules/.bin/ava --tap --serial"]),
        ({"test": "lab -t 100 -a @hapi/code -L -m 5000"}, "tap", ["/node_modules/.bin/lab -r tap -l -a @hapi/code -m 5000"]),
        ({"test": "qunit test/*.js"}, "tap", ["/node_modules/.bin/qunit --reporter tap"]),
        ({"test": "node --test $(find test \\( -name '*.js' -o -x \\)) `ls -a`"}, "node", ["node --test --test-reporter"]),
        ({"test": "uvu -r esm test -i fixtures"}, "files", ["node -r esm"]),
        ({"test:unit": "mocha --require ./a.cjs", "lint": "jest"}, "mocha", ["--require", "./a.cjs"]),
        ({"test": "xo", "tests": "node --test"}, "node", ["node --test"]),
    ],
)  # fmt: skip
def test_the_runner_and_its_options_are_those_of_the_projects_own_script(scripts, kind, argv):
    orders = JS.run_orders(project({"scripts": scripts}), ["a.test.js"])
    assert (orders["kind"], orders["paths"]) == (kind, ["a.test.js"])
    assert " ".join(argv) in " ".join(orders["argv"])
    assert not {"--coverage", "dot", "test/*.js", "test/*.ts", "--maxWorkers", "-t", "html", "CI=1"} & set(
        orders["argv"]
    )


def test_a_project_without_a_runner_that_reports_single_tests_is_refused():
    assert "no package.json" in JS.refused(Tree.of({"a.js": ""}))
    assert "but ./check" in JS.refused(project({"scripts": {"test": "./check"}}))
    assert JS.refused(project({"devDependencies": {"mocha": "*"}})) == ""
    assert JS.refused(project({"name": "a"}, a__test__js="it('is', () => 0)")) != ""
    for text, kind in (("import test from 'ava'", "tap"), ("require('assert')(true)", "files")):  # no script at all
        tree = project({"name": "a"}, a__test__js=text)
        assert (JS.refused(tree), JS.run_orders(tree, ["a.test.js"])["kind"]) == ("", kind)
    browser = {"scripts": {"test": "karma start"}, "devDependencies": {"mocha": "*", "karma-mocha": "*"}}
    assert "but karma start" in JS.refused(project(browser))


@pytest.mark.parametrize(
    "said", [{"nyc": {"require": ["babel-register"]}}, {".nycrc": '{"require": "babel-register"}'}]
)
def test_what_a_measure_of_coverage_loads_first_is_loaded_without_it(said):
    manifest = {
        "scripts": {"test": "nyc --all mocha"},
        "devDependencies": {"babel-register": "6", "mocha": "*", "x": "*"},
    }
    tree = project({**manifest, **({} if ".nycrc" in said else said)}, __nycrc=said.get(".nycrc", "{}"))
    assert JS.run_orders(tree, [])["argv"] == [
        "env",
        "NODE_OPTIONS=--require=babel-register",
        "/node_modules/.bin/mocha",
    ]
    assert JS.needs(tree).free == ("npm:babel-register@6", "npm:mocha@*")


def test_a_runner_behind_a_wrapper_is_the_one_that_the_tests_load():
    tree = project({"scripts": {"test": "wrapped test"}}, a__test__ts="import { it } from 'vitest'\n")
    assert (JS.refused(tree), JS.run_orders(tree, ["a.test.ts"])["kind"], JS.needs(tree).free) == (
        "",
        "vitest",
        ("npm:vitest@*",),
    )


def test_only_packages_that_code_or_settings_name_are_installed_in_the_locks_versions():
    manifest = {
        "name": "us", "version": "1.2.0", "dependencies": {"adding": "^1.0.0"}, "scripts": {"test": "jest"},
        "devDependencies": {"jest": "^29.0.0", "@scope/plugin": "2.x", "linting": "*", "typescript": "5.0.0",
                            "local": "file:../x", "elsewhere": "git+ssh://x/y"},
    }  # fmt: skip
    lock = {
        "packages": {
            "node_modules/jest": {"version": "29.1.2"},
            "node_modules/x/node_modules/jest": {"version": "1.0.0"},
        }
    }
    tree = project(manifest, jest__config__js="module.exports = {preset: '@scope/plugin'}")
    needs = JS.needs(Tree(files={**tree.files, **Tree.of({"package-lock.json": json.dumps(lock)}).files}))
    assert needs.pinned == ("npm:@scope/plugin@2.x", "npm:adding@^1.0.0", "npm:jest@29.1.2")
    assert needs.free == ("npm:@scope/plugin@2.x", "npm:adding@^1.0.0", "npm:jest@^29.0.0")
    assert (needs.name, needs.version) == ("us", "1.2.0")


def test_other_lock_files_are_read_too():
    tree = project(
        {
            "devDependencies": {"mocha": "*"},
            "dependencies": {"ms": "^2.0.0", "us": "github:we/us", "own": "file:../own"},
        },
        yarn__lock='mocha@*, mocha@^9.0.0:\n  version "9.2.2"\n  resolved "x"\n',
        **{
            "pnpm-lock__yaml": "importers:\n  .:\n    dependencies:\n      ms:\n        specifier: ^2.0.0\n        version: 2.1.3(x@1)\n"
        },
    )
    assert JS.needs(tree).pinned == ("npm:mocha@9.2.2", "npm:ms@2.1.3")
    assert JS.needs(tree).addresses == ("own: file:../own", "us: github:we/us")
    lock = (
        '"@a/b@^1.0.0", "@a/b@^1.1.0":\n  version "1.1.5"\n  x\n\nms@1.0.0:\n  version "1.0.0"\n\n'
        '"ms@npm:^2.0.0":\n  version: 2.1.1\n'
    )
    tree = project({"dependencies": {"ms": "^2.0.0"}}, yarn__lock=lock)
    assert JS.needs(tree).pinned == ("npm:ms@2.1.1",)  # the version for the range that it asks for
    assert JS.needs(tree).below == ("npm-below:@a/b@1.1.5",)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "npm-shrinkwrap.json",
            json.dumps({"dependencies": {"ms": {"version": "2.1.1"}, "far": {"version": "3.0.0"}}}),
        ),
        (
            "pnpm-lock.yaml",
            "dependencies:\n  ms: 2.1.1\n\npackages:\n\n  /ms/2.1.1:\n    dev: false\n  /far/3.0.0_ms@2.1.1:\n",
        ),
        ("pnpm-lock.yaml", "packages:\n\n  ms@2.1.1:\n    resolution: {}\n  'far@3.0.0(ms@2.1.1)':\n    x: y\n"),
        (
            "bun.lock",
            '{\n  "packages": {\n    "ms": ["ms@2.1.1", "", {}, "x"],\n    "ms/far": ["far@3.0.0", "", {}, "x"],\n',
        ),
    ],
)
def test_all_that_a_lock_has_is_kept_for_where_todays_packages_do_not_load(path, text):
    needs = JS.needs(project({"dependencies": {"ms": "^2.0.0"}}, **{path.replace(".", "__"): text}))
    assert (needs.pinned, needs.below, needs.files) == (
        ("npm:ms@2.1.1",),
        ("npm-below:far@3.0.0",),
        ("package.json", path),
    )


def test_an_override_is_for_all_packages_and_nothing_but_names_and_versions_is_taken():
    manifest = json.loads(npm_manifest(["npm:mocha@4.0.1", "npm-override:@a/ms@2.1.1"]))
    assert manifest["dependencies"] == {"mocha": "4.0.1", "@a/ms": "2.1.1"}
    assert manifest["overrides"] == {"@a/ms": "2.1.1"}
    below = json.loads(npm_manifest(["npm:mocha@4.0.1", "npm-below:ms@2.1.1"]))
    assert (below["dependencies"], below["overrides"]) == ({"mocha": "4.0.1"}, {"ms": "2.1.1"})
    for bad in ("npm:x@file:../y", "npm:x@https://example.org/x.tgz", "npm:../x@1", "npm:x@npm:y@1", "npm:x --flag@1"):
        assert not re.match(REQUIREMENT, bad)
    for good in (
        "npm:@types/node@^24.1.0",
        "npm:x@>=1 <2 || 3.x",
        "npm-override:x@3.0.0-canary.1",
        "npm-below:x@1",
        "toolz==1.0",
    ):
        assert re.match(REQUIREMENT, good)
    assert _version_parts("2.1.3") > _version_parts("2.1.1-canary.9")


def test_without_npm_packages_are_refused_and_say_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("HONESTLY_ENVIRONMENTS", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TaskError, match="apt-get install npm"):
        installed_versions(["npm:x@1"])


def test_a_language_whose_program_is_missing_names_the_package(tmp_path, monkeypatch):
    monkeypatch.setattr(_languages, "_FOLDERS", str(tmp_path))
    assert "apt-get install golang-go" in missing_reason(language_named("go"))
    assert "apt-get install nodejs" in missing_reason(language_named("javascript"))
    assert language_named("python") is None


def test_a_check_leaves_no_test_file_out():
    tree = Tree.of({"go.mod": "module x\n", **{f"p{at}/a_test.go": "package a\n" for at in range(70)}})
    suite = ProjectSuite("go", open_sandbox, language=Go())
    orders = json.loads(suite.checks_of(tree, (), 1.0).files.text("orders.json"))
    assert len(orders["paths"]) == 70


def test_code_from_before_modules_gets_the_path_that_its_tests_import():
    tree = Tree.of(
        {
            "a.go": "package flags\n",
            "a_test.go": 'package a\nimport (\n. "example.org/me/flags"\n"example.org/me/flags/x"\n"fmt")\n',
        }
    )
    assert Go().beside(tree, "flags").text("go.mod") == "module example.org/me/flags\n"
    more = Tree.of({"x/y/z.go": "package y\n", "y/y.go": "package y\n", "b.go": 'import "example.org/me/flags/x/y"'})
    assert Go().beside(more.over(tree), "my-clone").text("go.mod") == "module example.org/me/flags\n"
    assert not Go().beside(Tree.of({"go.mod": "module x\n"}), "flags").files


def test_of_a_slow_suite_the_files_that_a_commit_touches_are_shown():
    before = project({"scripts": {"test": "mocha"}}, a__test__js="", b__test__js="")
    states = States(before, before, before, ("b.test.js",), Preparation(), JS)
    quick = Way(SeenTests({}, "", timed_out=False, whole=True), hidden_checks(JS, before, (), 60), "", 1.0)
    whole, some = _showable_tests(states, quick)
    assert whole.command == (*some.command[:-1], "a.test.js", "b.test.js")
    assert some.command[-1] == "b.test.js"
    assert [shown.command for shown in _showable_tests(states, replace(quick, cpu_s=9.0))] == [some.command]
    nearest = list(_showable_tests(replace(states, touched=("new.test.js",)), replace(quick, cpu_s=9.0)))
    assert [shown.command[-1] for shown in nearest] == ["a.test.js"]


def test_checks_hold_the_tests_and_run_those_that_the_commit_touches():
    tree = Tree.of(
        {"go.mod": "module x\n", "a.go": "", "a_test.go": "1", "b/b_test.go": "2", "b/testdata/c_test.go": "3"}
    )
    hidden = hidden_checks(Go(), tree, ("b/b_test.go", "a.go"), 60)
    assert json.loads(hidden.files.text("orders.json"))["paths"] == ["b"]
    assert {"test.sh", "run_tests.py", "files/a_test.go", "files/b/testdata/c_test.go"} <= hidden.files.files.keys()
    assert "files/a.go" not in hidden.files.files
    shown = visible_checks(Go(), tree, 60)
    assert shown.command[-2:] == ("./.", "./b")
    assert json.loads(hidden_checks(Go(), tree, ("b/testdata/c_test.go",), 60).files.text("orders.json"))["paths"] == [
        ".",
        "b",
    ]


@pytest.mark.parametrize(
    ("which", "test", "opposite"),
    [
        (JS, "expect(ms(1)).toBe(2); expect(x).not.toBe(1);", "expect(ms(1)).not.toBe(2); expect(x).not.toBe(1);"),
        (JS, "expect(a).to.be(1); a.to.not.equal(2)", "expect(a).to.not.be(1); a.to.not.equal(2)"),
        (JS, "assert.equal(a, 1); assert.deepStrictEqual(a, b)", "assert.notEqual(a, 1); assert.notDeepStrictEqual(a, b)"),
        (JS, "assert.strictEqual(a); assert.throws(f)", "assert.notStrictEqual(a); assert.doesNotThrow(f)"),
        (Go(), "if got := f(); got != 3 {\n\t\tt.Errorf(got)", "if got := f(); got == 3 {\n\t\tt.Errorf(got)"),
        (Go(), "if err == nil {\n\t\tt.Fatal()", "if err != nil {\n\t\tt.Fatal()"),
        (Go(), "if err != nil {\n\t\treturn", "if err != nil {\n\t\treturn"),
    ],
)  # fmt: skip
def test_assertions_are_turned_round(which, test, opposite):
    assert which.opposite(test.encode()).decode() == opposite


TAP = """TAP version 13
# Subtest: shares
    # Subtest: of two
    ok 1 - of two
      ---
      duration_ms: 1
      ...
    # Subtest: of none
    not ok 2 - of none
    # Subtest: later
    ok 3 - later # SKIP
    1..3
not ok 1 - shares
ok 2 - alone
"""
MOCHA = 'noise {\n{\n  "stats": {},\n  "passes": [{"fullTitle": "a b", "err": {}}], "failures": [{"fullTitle": "a c", "err": {"message": "no"}}], "pending": []}\nmore'
GO = "\n".join(
    json.dumps(row)
    for row in (
        {"Action": "output", "Test": "TestA", "Output": "it was 4\n"}, {"Action": "fail", "Test": "TestA"},
        {"Action": "run", "Test": "TestB/x"}, {"Action": "pass", "Test": "TestB/x"},
        {"Action": "skip", "Test": "TestC"}, {"Action": "run", "Test": "TestD"}, {"Action": "fail"},
    )
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("node", TAP, {"shares > of two": "passed", "shares > of none": "failed", "shares > later": "skipped", "shares": "failed", "alone": "passed"}),
        ("mocha", MOCHA, {"a b": "passed", "a c": "failed"}),
        ("go", GO + "\nFAIL x [build failed]\n", {"TestA": "failed", "TestB/x": "passed", "TestC": "skipped", "TestD": "failed"}),
    ],
)  # fmt: skip
def test_each_test_has_a_result_of_its_own(kind, text, found, capsys):
    guest = runpy.run_path(str(_languages.files("honestly.taskgen._guest") / "run_tests.py"))
    guest["main"].__globals__["_run"] = lambda _argv: text
    rows = list(guest["_KINDS"][kind]({"argv": ["x"], "paths": ["t.js"]}, False))
    assert {name.removeprefix("t.js::"): status for name, status, _ in rows} == found
    assert not any(name == "t.js" for name, _, _ in rows)


def test_jest_reports_a_title_that_is_a_list(tmp_path):
    guest = runpy.run_path(str(_languages.files("honestly.taskgen._guest") / "run_tests.py"))
    test = {"ancestorTitles": ["dates", ["a", 1]], "title": ["L", "LT"], "status": "passed"}
    said = {"testResults": [{"name": "t.js", "assertionResults": [test]}]}
    (tmp_path / "results.json").write_text(json.dumps(said))
    reporter = ["cp", str(tmp_path / "results.json"), str(guest["_SCRATCH"] / "results.json")]
    guest["_SCRATCH"].mkdir(exist_ok=True)
    rows = list(
        guest["_KINDS"]["jest"]({"kind": "jest", "argv": ["sh", "-c", shlex.join(reporter)], "paths": []}, False)
    )
    assert [name.partition("::")[2] for name, _, _ in rows] == ["dates > ['a', 1] > ['L', 'LT']"]


@pytest.mark.skipif(shutil.which("go") is None, reason="needs go; on Debian: apt-get install golang-go")
@pytest.mark.parametrize("place", ["{folder}", "../{name}", "./a/../../{name}"])
def test_a_go_mod_takes_no_code_from_other_folders_of_this_machine(tmp_path, place):
    (tmp_path / "go.mod").write_text("module example.org/own\n\ngo 1.14\n")
    (tmp_path / "own.go").write_text('package own\n\nconst Key = "secret"\n')
    told = place.format(folder=tmp_path, name=tmp_path.name)
    mod = f"module example.org/a\n\ngo 1.14\n\nrequire example.org/own v0.0.0\n\nreplace example.org/own => {told}\n"
    tree = Tree.of({"go.mod": mod, "a.go": 'package a\n\nimport "example.org/own"\n\nvar A = own.Key\n'})
    with pytest.raises(TaskError, match="outside of the project"):
        Go().beside(tree, "a")


@pytest.mark.skipif(shutil.which("go") is None, reason="needs go; on Debian: apt-get install golang-go")
def test_a_go_mod_may_take_code_from_the_projects_own_folders():
    own = {"own/go.mod": "module example.org/own\n\ngo 1.14\n", "own/own.go": "package own\n\nconst Key = 1\n"}
    mod = "module example.org/a\n\ngo 1.14\n\nrequire example.org/own v0.0.0\n\nreplace example.org/own => ./own\n"
    tree = Tree.of({**own, "go.mod": mod, "a.go": 'package a\n\nimport "example.org/own"\n\nvar A = own.Key\n'})
    assert b"Key = 1" in Go().beside(tree, "a").files["vendor/example.org/own/own.go"].data


@pytest.mark.skipif(shutil.which("go") is None, reason="needs go; on Debian: apt-get install golang-go")
def test_code_from_before_modules_gets_those_that_it_imports(tmp_path, monkeypatch):
    place = tmp_path / "proxy/example.org/own/@v"
    place.mkdir(parents=True)
    for name, text in {
        "list": "v1.0.0\n",
        "v1.0.0.info": '{"Version": "v1.0.0"}',
        "v1.0.0.mod": "module example.org/own\n",
    }.items():
        (place / name).write_text(text)
    with zipfile.ZipFile(place / "v1.0.0.zip", "w") as packed:
        packed.writestr("example.org/own@v1.0.0/own.go", "package own\n\nconst Key = 1\n")
    for name, value in {
        "GOPROXY": f"file://{tmp_path}/proxy",
        "GOSUMDB": "off",
        "GOMODCACHE": str(tmp_path / "mod"),
    }.items():
        monkeypatch.setenv(name, value)
    tree = Tree.of({"a.go": 'package a\n\nimport (\n\t"fmt"\n\t"example.org/own"\n)\n\nvar A = fmt.Sprint(own.Key)\n'})
    found = Go().beside(tree, "a").files
    assert found["go.mod"].data.startswith(b"module a\n")
    assert b"Key = 1" in found["vendor/example.org/own/own.go"].data


@pytest.mark.skipif(shutil.which("go") is None, reason="needs go; on Debian: apt-get install golang-go")
def test_a_module_below_the_root_is_tested_in_its_own_folder():
    own = {"own/go.mod": "module example.org/own\n\ngo 1.14\n", "own/own.go": "package own\n\nconst Key = 1\n"}
    mod = "module example.org/a\n\ngo 1.14\n\nrequire example.org/own v0.0.0\n\nreplace example.org/own => ../own\n"
    code = 'package a\n\nimport "example.org/own"\n\nvar A = own.Key\n'
    files = {
        "a/go.mod": mod,
        "a/a.go": code,
        "a/b/b_test.go": "package b\n",
        "go.mod": "module example.org/us\n",
        "c_test.go": "",
    }
    tree = Tree.of({**own, **files})
    assert "a/vendor/example.org/own/own.go" in Go().beside(tree, "us").files
    orders = Go().run_orders(tree, ["a/b/b_test.go", "a/x_test.go", "c_test.go"])
    assert (orders["at"], orders["paths"]) == ("a", [".", "b"])
    assert Go().command(tree, ["a/b/b_test.go"])[1:3] == ("-C", "a")
    assert "at" not in Go().run_orders(tree, ["c_test.go"])


def test_runners_are_found_behind_scripts_that_run_several():
    scripts = {"test": "run-p test:*", "test:tsd": "tsd", "test:tsc": "tsc", "lint": "mocha"}
    tree = project({"scripts": scripts}, **{"test-d/a__ts": "", "b__test-d__ts": ""})
    assert JS.run_orders(tree, ["test-d/a.ts"])["argv"] == ["/node_modules/.bin/tsd"]
    assert JS.command(tree, ["test-d/a.ts"])[-2:] == ("--files", "test-d/a.ts")
    assert [JS.runs(path) for path in ("test-d/a.ts", "b.test-d.ts", "source/a.d.ts")] == [True, True, False]
    both = {"scripts": {"test": "tsd && vitest run"}}
    assert JS.run_orders(project(both), ["a.test.ts"])["kind"] == "vitest"
    assert JS.run_orders(project(both), ["test-d/a.ts"])["kind"] == "tsd"
    assert "but karma && tsd" in JS.refused(project({"scripts": {"test": "karma && tsd"}}))


def test_packages_of_babel_find_each_other_by_name_alone():
    manifest = {"devDependencies": {"babel-core": "*", "@babel/core": "*", "babelfish": "*", "jest": "22"}}
    needs = JS.needs(project({**manifest, "scripts": {"test": "jest"}}, __babelrc="{}"))
    assert needs.free == ("npm:@babel/core@*", "npm:babel-core@*", "npm:jest@22")
    assert JS.needs(project({**manifest, "scripts": {"test": "jest"}})).free == ("npm:jest@22",)


@pytest.mark.parametrize(("jest", "url", "given"), [("^22.4", "", True), ("^22.4", "x", False), ("^29", "", False)])
def test_an_old_jest_gets_an_address_unless_the_project_gives_it_one(jest, url, given):
    manifest = {"scripts": {"test": "jest"}, "devDependencies": {"jest": jest}}
    tree = project({**manifest, "jest": {"testURL": url}} if url else manifest)
    assert ("--testURL=http://localhost/" in JS.run_orders(tree, [])["argv"]) is given


def test_tests_run_in_the_time_zone_that_the_script_begins_with():
    scripts = {"test": "cross-env TZ=Europe/Paris npm run zone && TZ=UTC jest", "zone": "jest test/zone"}
    assert JS.run_orders(project({"scripts": scripts}), [])["argv"][:2] == ["env", "TZ=Europe/Paris"]
    assert JS.command(project({"scripts": scripts}), ["a.test.js"])[:2] == ("env", "TZ=Europe/Paris")


def test_a_program_of_the_projects_own_runs_tests_where_no_runner_does():
    assert JS.refused(project({"scripts": {"test": "node test/run && tsc"}}, **{"other/run__js": ""})) != ""
    tree = project({"scripts": {"test": "node --expose-gc test"}}, **{"test/index__js": "", "test/a__js": "it = 1"})
    assert JS.run_orders(tree, ["test/a.js"])["argv"] == ["node", "test/index.js"]
    # A runner beside it that nobody calls runs only what is written for it.
    both = {"scripts": {"test": "node test/run"}, "devDependencies": {"mocha": "*"}}
    files = {
        "test/run__js": "",
        "test/a__js": "case_a: 1",
        "test/b__js": "it('is', () => 0)",
        "test/c__js": "require('tape')",
    }
    kinds = {
        path: JS.run_orders(project(both, **files), [path])["kind"] for path in ("test/a.js", "test/b.js", "test/c.js")
    }
    assert list(kinds.values()) == ["script", "mocha", "tap"]
    tree = project({"scripts": {"test": "node ./test/run.js && tsc"}}, **{"test/run__js": "", "test/a__js": ""})
    assert JS.refused(tree) == ""
    orders = JS.run_orders(tree, ["test/a.js"])
    assert (orders["kind"], orders["argv"], orders["paths"]) == ("script", ["node", "test/run.js"], ["test/a.js"])
    assert JS.command(tree, ["test/a.js"]) == ("node", "test/run.js")
    assert JS.needs(tree).pinned == ()


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node (apt-get install nodejs)")
def test_each_file_of_tests_that_a_program_runs_is_a_check(tmp_path, monkeypatch):
    (tmp_path / "run.js").write_text("process.exit(1)")
    (tmp_path / "a.js").write_text("process.exit(process.env.NODE_ENV === 'test' ? 0 : 1)")
    monkeypatch.chdir(tmp_path)
    guest = runpy.run_path(str(package_files("honestly.taskgen._guest") / "run_tests.py"))
    guest["main"].__globals__.update(_ENV={"HOME": str(tmp_path)})
    rows = guest["_KINDS"]["script"]({"kind": "script", "argv": ["node", "run.js"], "paths": ["a.js"]}, False)
    assert [row[:2] for row in rows] == [("node run.js", "failed"), ("node a.js", "passed")]


JASMINE = """#!/usr/bin/env node
const {readFileSync} = require("fs"), reporters = [], all = s => reporters.forEach(s);
global.jasmine = {getEnv: () => ({addReporter: each => reporters.push(each)})};
require(process.argv.find(word => word.startsWith("--helper=")).slice(9));
all(r => r.suiteStarted({description: "outer"}));
const failedExpectations = process.argv.includes("--random=true") ? [{message: "out of order"}] : [];
all(r => r.specDone({description: "a", status: failedExpectations.length ? "failed" : "passed", failedExpectations}));
all(r => r.specDone({description: "b", status: "pending", failedExpectations: []}));
all(r => r.suiteDone({}));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node (apt-get install nodejs)")
def test_jasmine_reports_by_a_reporter_of_ours(tmp_path, monkeypatch):
    (tmp_path / "jasmine").write_text(JASMINE)
    (tmp_path / "jasmine").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    tree = project({"devDependencies": {"jasmine": "3"}, "scripts": {"test": "jasmine --config=jasmine.json"}})
    argv = JS.run_orders(tree, ["a-spec.js"])["argv"]
    assert argv == ["/node_modules/.bin/jasmine", "--config=jasmine.json", "--helper=/tmp/reporter.cjs"]
    guest = runpy.run_path(str(package_files("honestly.taskgen._guest") / "run_tests.py"))
    guest["main"].__globals__.update(_ENV={"HOME": str(tmp_path)}, _SCRATCH=tmp_path)
    orders = {"argv": [str(tmp_path / "jasmine"), f"--helper={tmp_path}/reporter.cjs"], "paths": ["a-spec.js"]}
    said = [list(guest["_KINDS"]["jasmine"](orders, backwards)) for backwards in (False, True)]
    assert said[0] == [("a-spec.js::outer > a", "passed", ""), ("a-spec.js::outer > b", "skipped", "")]
    assert said[1][0] == ("a-spec.js::outer > a", "failed", "out of order")


TAPE = """TAP version 13
# (anonymous)
# adds
ok 1 should be equal
not ok 2 should be equal
  ---
    at: x
  ...
# of none
ok 3 should be equal
# SKIP later
# breaks
ok 4 should be truthy

1..4
# tests 4
# pass  3
# fail  1
"""
LAB = "TAP version 13\n1..2\nok 1 (1) any checks\n  ---\n  duration_ms: 1\n  ...\nok 2 # SKIP (2) any later\n# tests 2\n# pass 1\n"
NODE_TAP = "# Subtest: t.js\n    # Subtest: adds\n        ok 1 - equal\n    ok 1 - adds # time=1.2ms\nok 1 - t.js # time=30ms\n"


@pytest.mark.parametrize(
    ("text", "code", "found"),
    [
        (TAPE, 1, {"adds": "failed", "of none": "passed", "breaks": "passed"}),
        (TAPE.replace("not ok", "ok"), 1, {"adds": "passed", "of none": "passed", "breaks": "failed"}),
        (LAB, 0, {"any checks": "passed", "": "skipped"}),
        (NODE_TAP, 0, {"adds": "passed", "adds > equal": "passed"}),
        ("# of one\nok 1 - of one\n# of two\nnot ok 2 - of two\n", 1, {"of one": "passed", "of two": "failed"}),
        ("ok 1 Shares > of two\nok 2 - Shares > of none\n", 0, {"Shares > of two": "passed", "Shares > of none": "passed"}),
    ],
)  # fmt: skip
def test_of_tap_a_test_is_what_its_name_stands_above(text, code, found):
    guest = runpy.run_path(str(_languages.files("honestly.taskgen._guest") / "run_tests.py"))
    guest["main"].__globals__["_said"] = lambda _argv: (code, text)
    said = {}
    for name, status, _ in guest["_KINDS"]["tap"]({"argv": ["node"], "paths": ["t.js"]}, False):
        said.setdefault(name.removeprefix("t.js::"), set()).add(status)
    assert {name: "failed" if "failed" in each else each.pop() for name, each in said.items()} == found


def test_typescript_that_a_build_would_compile_first_is_read_as_it_is():
    manifest = {
        "scripts": {"test": "tsc && mocha dist/test/*.js"},
        "devDependencies": {"mocha": "*", "typescript": "5"},
    }
    tree = project(manifest, **{"test/a__test__ts": "it('is', () => 0)"})
    assert JS.run_orders(tree, ["test/a.test.ts"])["argv"][:2] == ["env", "NODE_OPTIONS=--import=tsx"]
    assert JS.needs(tree).free == ("npm:mocha@*", "npm:tsx@*", "npm:typescript@5")
    own = project({**manifest, "mocha": {"require": "ts-node/register"}}, **{"test/a__test__ts": ""})
    assert JS.run_orders(own, ["test/a.test.ts"])["argv"] == ["/node_modules/.bin/mocha"]


def test_of_several_packages_the_one_is_tested_that_the_tests_are_in_and_all_find_each_other():
    root = {
        "private": True,
        "workspaces": ["packages/*"],
        "scripts": {"test": "npm test --workspaces"},
        "devDependencies": {"lint": "*"},
    }
    one = {
        "name": "@us/one",
        "version": "1.0.0",
        "scripts": {"test": "mocha"},
        "devDependencies": {"mocha": "9", "chai": "4"},
    }
    two = {
        "name": "two",
        "version": "2.0.0",
        "scripts": {"test": "jest"},
        "dependencies": {"@us/one": "^1.0.0", "ms": "2"},
    }
    files = {
        "packages/one/package__json": json.dumps(one), "packages/one/test/a__js": "require('chai')",
        "packages/two/package__json": json.dumps(two), "packages/two/a__js": "require('ms')", "packages/two/x__test__js": "",
        "packages/two/examples/package__json": json.dumps({"name": "no"}),
    }  # fmt: skip
    tree = project(root, **files)
    orders = JS.run_orders(tree, ["packages/one/test/a.js", "packages/one/test/b.js", "packages/two/x.test.js"])
    assert (orders["kind"], orders["at"], orders["paths"]) == ("mocha", "packages/one", ["test/a.js", "test/b.js"])
    assert orders["links"] == {"@us/one": "packages/one", "two": "packages/two"}
    assert JS.command(tree, ["packages/two/x.test.js"])[:4] == ("env", "-C", "packages/two", "/node_modules/.bin/jest")
    needs = JS.needs(tree)
    assert needs.free == ("npm:chai@4", "npm:jest@*", "npm:mocha@9", "npm:ms@2")
    assert needs.siblings == (("@us/one", "1.0.0"), ("two", "2.0.0"))
    links = JS.beside(tree, "us")
    assert {path: file.data for path, file in links.files.items()} == {
        "node_modules/@us/one": b"../../packages/one", "node_modules/two": b"../packages/two"
    }  # fmt: skip
    said = json.loads(hidden_checks(JS, links.over(tree), ("packages/one/test/a.js",), 60).files.text("orders.json"))
    assert said["without"] == ["node_modules"]
    called = project({**root, "scripts": {"test": "jest"}}, **files)
    assert "at" not in JS.run_orders(called, ["packages/one/test/a.js"])
    for more in ({"lerna__json": "{}"}, {"pnpm-workspace__yaml": "packages:\n  - 'packages/*'\n"}):
        other = project({"scripts": {"test": "turbo run test"}}, **files, **more)
        assert (JS.refused(other), JS.run_orders(other, ["packages/two/x.test.js"])["at"]) == ("", "packages/two")
    gone = project({"scripts": {"test": "cd packages/one && npm test"}}, **files)
    assert JS.run_orders(gone, ["packages/one/test/a.js"])["at"] == "packages/one"


def test_what_a_build_makes_is_made_before_tests_that_load_it():
    scripts = {
        "pretest": "eslint . && cross-env NODE_ENV=test npm run build", "build": "babel src -d lib && rollup -c", "test": "mocha",
    }  # fmt: skip
    manifest = {"scripts": scripts, "devDependencies": {"mocha": "*", "rollup": "1", "babel-cli": "6"}}
    tree = project(manifest, **{"test/a__js": "require('../lib/index')", "src/index__js": ""})
    orders = JS.run_orders(tree, ["test/a.js"])
    assert orders["builds"] == ["NODE_ENV=test babel src -d lib"]  # what comes after it makes something else
    assert JS.needs(tree).free == ("npm:babel-cli@6", "npm:mocha@*", "npm:rollup@1")
    assert "NODE_ENV=test babel src -d lib; exec" in JS.command(tree, ["test/a.js"])[2]
    there = project(manifest, **{"test/a__js": "require('../lib/index')", "lib/index__js": ""})
    assert "builds" not in JS.run_orders(there, ["test/a.js"])
    main = {"main": "./dist/us.js", "scripts": {"build": "make-it", "test": "mocha"}}
    assert JS.run_orders(project(main, **{"test/a__js": "import '..'"}), ["test/a.js"])["builds"] == ["make-it"]


def test_tests_that_load_what_a_commit_changes_beside_others_are_run_too():
    tree = project(
        {"scripts": {"test": "jest"}},
        **{
            "test/a.test__js": "test('a', () => {})", "test/b.test__js": "require('./behaves.js')\ntest('b', () => {})",
            "test/c.test__js": "require('./helpers/rows')\ntest('c', () => {})", "test/helpers/rows/index__js": "",
            "test/behaves__js": "import f from './features/windows'", "test/features/windows__js": "",
            "test/d.test__js": "require('../src/a')\ntest('d', () => {})",
        },
    )  # fmt: skip
    a, b, behaves, windows = (f"test/{each}.js" for each in ("a.test", "b.test", "behaves", "features/windows"))
    assert _languages.wanted_files(JS, tree, [a]) == [a]
    assert _languages.wanted_files(JS, tree, [a, windows]) == [a, windows, behaves, b]
    rows = "test/helpers/rows/index.js"
    assert _languages.wanted_files(JS, tree, [a, rows]) == [a, "test/c.test.js"]
    assert len(_languages.wanted_files(JS, tree, [rows])) == 6


@pytest.mark.parametrize(
    ("first", "run"),
    [
        ("gen src/rules.ne -o src/made/rules.ts", True),
        ("gen --out=src/rules.js", True),
        ("peggy src/rules.peggy", True),
        ("gen --in=src/us.js", False),  # it is there
        ("node node_modules/x/x.js", False),
        ("gen 'src/*.js' -o dist/us.js", False),  # nothing loads it
    ],
)
def test_code_that_the_test_script_writes_before_its_runner_is_written(first, run):
    manifest = {"scripts": {"rules": first, "test": "eslint . && yarn rules && mkdirp out && mocha"}}
    tree = project(manifest, **{"test/a__js": "require('../src/us')", "src/us__js": "require('./rules')"})
    assert JS.run_orders(tree, ["test/a.js"]).get("builds") == ([first] if run else None)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node (apt-get install nodejs)")
def test_a_package_is_built_and_tested_in_its_folder_beside_the_others(tmp_path, monkeypatch):
    (tmp_path / "tests/files").mkdir(parents=True)
    orders = {
        "kind": "tap", "argv": ["node"], "paths": ["t.js"], "without": ["node_modules"], "at": "packages/a",
        "links": {"@us/b": "packages/b"}, "builds": ["mkdir -p dist && cp src.js dist/made.js"],
    }  # fmt: skip
    (tmp_path / "tests/orders.json").write_text(json.dumps(orders))
    for path, text in {
        "a/src.js": "module.exports = require('@us/b') + 1;", "b/index.js": "module.exports = 1;",
        "a/t.js": "console.log('# adds\\n' + (require('./dist/made') === 2 ? 'ok 1' : 'not ok 1'))",
    }.items():  # fmt: skip
        place = tmp_path / "work/packages" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    monkeypatch.chdir(tmp_path / "work")
    guest = runpy.run_path(str(package_files("honestly.taskgen._guest") / "run_tests.py"))
    guest["main"].__globals__.update(_ENV={"HOME": str(tmp_path)}, HERE=tmp_path / "tests")
    guest["main"](tmp_path / "said.json")
    assert json.loads((tmp_path / "said.json").read_text()) == {"packages/a/t.js::adds": 1.0}


def test_a_script_that_no_shell_would_end_takes_no_time_to_read():
    """Such texts took time that doubles, or grows with the square, at every repetition."""
    began = time.process_time()
    for text in ("$(" + "\\()" * 60, "$(" * 20_000, "`" * 20_001, "${" * 20_000):
        JS.refused(project({"scripts": {"test": f"NODE_OPTIONS={text} mocha {text}"}}))
    assert time.process_time() - began < 10
