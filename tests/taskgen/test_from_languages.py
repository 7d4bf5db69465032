"""Commits of small node and Go projects as tasks, in real sandboxes: what is planted in them is found."""

import json
import shutil
import subprocess
import zipfile

import anyio
import pytest
from histories import History
from test_from_commit import make, refused

from forked import honestly
from honestly.records import Checks, Edit, File, Tree
from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite
from honestly.verify import verify
from honestly.verify.inside._script import run_script

pytestmark = pytest.mark.slow

NODE = {
    "package.json": '{"name": "shares", "version": "1.0.0", "scripts": {"test": "node --test"}}\n',
    "shares.js": "exports.share = (total, people) => total / people;\n",
    "shares.test.js": "const test = require('node:test'), assert = require('node:assert');\n"
    "const { share } = require('./shares.js');\ntest('equal', () => assert.equal(share(6, 2), 3));\n",
}
NODE_MENDED = (
    "exports.share = (total, people) => {\n  if (people < 1) throw new RangeError('nobody is there');\n"
    "  return total / people;\n};\n"
)
GO = {
    "shares.go": "package shares\n\nfunc Share(total, people int) (int, error) { return total, nil }\n",
    "shares_test.go": 'package shares\n\nimport "testing"\n\nfunc TestEqual(t *testing.T) {\n'
    "\tif got, _ := Share(6, 1); got != 6 {\n\t\tt.Fatal(got)\n\t}\n}\n",
}
GO_MENDED = (
    'package shares\n\nimport "errors"\n\nfunc Share(total, people int) (int, error) {\n\tif people < 1 {\n'
    '\t\treturn 0, errors.New("nobody is there")\n\t}\n\treturn total / people, nil\n}\n'
)
GO_BODY = "\n\nfunc Test%s(t *testing.T) {\n%s\n}\n"


class Kind:
    """A project in one language, and what is planted in it."""

    def __init__(self, program, start, source, mended, test):
        self.program, self.start, self.source, self.mended, self.test = program, start, source, mended, test

    def with_test(self, name, body, head=""):
        """Its test file with one more test; `head` is what it imports."""
        old = self.start[self.test]
        if self.program == "node":
            return f"{old}test('{name.lower()}', {body});\n"
        imports = f'import "testing"\n\nimport (\n{head})' if head else 'import "testing"'
        return old.replace('import "testing"', imports, 1) + GO_BODY % (name, body)


JS = Kind("node", NODE, "shares.js", NODE_MENDED, "shares.test.js")
GOLANG = Kind("go", GO, "shares.go", GO_MENDED, "shares_test.go")
NOBODY = {
    "node": ("() => assert.throws(() => share(6, 0), RangeError)", ""),
    "go": ('\tif _, err := Share(6, 0); err == nil {\n\t\tt.Fatal("no error")\n\t}', ""),
}
CHANCE = {
    "node": ("() => assert.ok(require('node:crypto').randomBytes(1)[0] < 128)", ""),
    "go": (
        '\tb := make([]byte, 1)\n\trand.Read(b)\n\tif b[0] > 127 {\n\t\tt.Fatal("chance")\n\t}',
        '\t"crypto/rand"\n',
    ),
}
NETWORK = {
    "node": ("async () => { await fetch('http://example.org/'); }", ""),
    "go": ('\tif _, err := net.Dial("tcp", "example.org:80"); err != nil {\n\t\tt.Fatal(err)\n\t}', '\t"net"\n'),
}


@pytest.fixture(params=[JS, GOLANG], ids=["node", "go"])
def kind(request, tmp_path, monkeypatch):
    if shutil.which(request.param.program, path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip(f"needs {request.param.program}, where sandboxes find it")
    monkeypatch.setenv("HONESTLY_ENVIRONMENTS", str(tmp_path / "cache"))
    made = History(tmp_path / "shares")
    made.commit("Shares", request.param.start)
    request.param.history = made
    return request.param


def name_of(kind, name):
    return f"shares.test.js::{name.lower()}" if kind.program == "node" else f".::Test{name}"


def test_a_commit_becomes_a_task_whose_tests_are_checks_of_their_own(kind, tmp_path):
    kind.history.commit(
        "Fix sharing among nobody, which must be an error",
        {kind.source: kind.mended, kind.test: kind.with_test("Nobody", *NOBODY[kind.program])},
    )
    said = make(kind.history, tmp_path / "made", "--runs", "2", "--seconds", "300")
    assert said["refused"] is None
    assert said["fail_to_pass"] == [name_of(kind, "Nobody")]
    assert said["pass_to_pass"] == [name_of(kind, "Equal")]
    folder = tmp_path / "made" / said["task"]
    assert json.loads(honestly("task", "check", folder, "--json").stdout)["failed"] == []
    exported = honestly("task", "export", folder, tmp_path / "harbor", "--to", "harbor")
    assert exported.returncode == 0, exported.stderr
    task = load_suite(folder).tasks[0]
    checks = Checks(runner="script", files=Tree.read(tmp_path / "harbor" / task.id / "tests"), expected=("reward",))
    for start, status in ((task.workspace, "failed"), (task.hidden.reference.apply(task.workspace), "passed")):
        run = anyio.run(run_script, checks, start, open_sandbox)
        assert [check.status for check in run.checks] == [status]
    assert task.requires == (kind.program,)
    assert task.visible is not None
    assert "nobody is there" not in task.instruction
    assert not any(b"nobody is there" in file.data for file in task.workspace.files.values())
    breaking = Edit(write=task.workspace.only([kind.source]))
    half = File(data=task.workspace.files[kind.source].data + b"\n// nothing\n")
    final = Edit(write=replaced(breaking, kind.source, half)).apply(task.workspace)
    verdict = anyio.run(lambda: verify(task, final, seed=1, open_box=open_sandbox))
    assert {check.id: check.status for check in verdict.hidden.checks} == {
        name_of(kind, "Nobody"): "failed", name_of(kind, "Equal"): "passed",
    }  # fmt: skip
    assert verdict.visible.passed


def replaced(edit, path, file):
    """The files of an edit, one of them another."""
    return type(edit.write)(files={**edit.write.files, path: file})


def test_tests_of_the_agents_own_change_nothing(kind, tmp_path):
    kind.history.commit(
        "Fix sharing among nobody, which must be an error",
        {kind.source: kind.mended, kind.test: kind.with_test("Nobody", *NOBODY[kind.program])},
    )
    said = make(kind.history, tmp_path / "made", "--runs", "2", "--seconds", "300")
    task = load_suite(tmp_path / "made" / said["task"]).tasks[0]
    files = {
        kind.test: File(data=b"// gone\n" if kind.program == "node" else b"package shares\n"),
        "zz_test.go": File(data=b'package shares\n\nimport ("os"; "testing")\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n'),
    }  # fmt: skip
    verdict = anyio.run(lambda: verify(task, type(task.workspace)(files={**task.workspace.files, **files}), seed=1,
                                       open_box=open_sandbox))  # fmt: skip
    assert {check.id: check.status for check in verdict.hidden.checks}[name_of(kind, "Nobody")] == "failed"


def test_modules_of_go_are_fetched_once_and_put_into_the_workspace(tmp_path, monkeypatch):
    if shutil.which("go", path="/usr/local/bin:/usr/bin") is None:
        pytest.skip("needs go, where sandboxes find it")
    proxy, mod = tmp_path / "proxy" / "example.org" / "adding" / "@v", "module example.org/adding\n\ngo 1.14\n"
    proxy.mkdir(parents=True)
    (proxy / "list").write_text("v1.0.0\n")
    (proxy / "v1.0.0.info").write_text('{"Version": "v1.0.0", "Time": "2020-01-01T00:00:00Z"}')
    (proxy / "v1.0.0.mod").write_text(mod)
    with zipfile.ZipFile(proxy / "v1.0.0.zip", "w") as made:
        made.writestr("example.org/adding@v1.0.0/go.mod", mod)
        made.writestr(
            "example.org/adding@v1.0.0/adding.go", "package adding\n\nfunc Add(a, b int) int { return a + b }\n"
        )
    for name, value in {"GOPROXY": f"file://{tmp_path / 'proxy'}", "GOSUMDB": "off", "GOMODCACHE": str(tmp_path / "modules"),
                        "GOFLAGS": "-modcacherw", "HONESTLY_ENVIRONMENTS": str(tmp_path / "cache")}.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    history = History(tmp_path / "shares")
    test = 'package shares\n\nimport (\n\t"testing"\n\n\t"example.org/adding"\n)\n' + GO_BODY % (
        "Equal", "\tif got, _ := Share(adding.Add(2, 2), 1); got != 4 {\n\t\tt.Fatal(got)\n\t}")  # fmt: skip
    mod = "module example.org/shares\n\ngo 1.14\n\nrequire example.org/adding v1.0.0\n"
    history.commit("Shares", {**GO, "go.mod": mod, "shares_test.go": test})
    subprocess.run(["go", "mod", "tidy"], cwd=history.folder, check=True, capture_output=True)
    history.commit("Sums", {})
    history.commit(
        "Fix sharing among nobody, which must be an error",
        {"shares.go": GO_MENDED, "shares_test.go": test + GO_BODY % ("Nobody", NOBODY["go"][0])},
    )
    said = make(history, tmp_path / "made", "--runs", "2", "--seconds", "300")
    assert said["fail_to_pass"] == [".::TestNobody"]
    task = load_suite(tmp_path / "made" / said["task"]).tasks[0]
    assert b"a + b" in task.workspace.files["vendor/example.org/adding/adding.go"].data
    assert task.workspace.text(".git/info/exclude") == "/vendor\n"


CHEATS = {
    "node": "const assert = require('node:assert');\nfor (const name of Object.keys(assert)) assert[name] = () => {};\n"
    "exports.share = () => 0;\n",
    "go": 'package shares\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc init() {\n\tfor _, name := range []string{"TestEqual", "TestNobody"} {\n'
    '\t\tfmt.Printf("=== RUN   %s\\n--- PASS: %s (0.00s)\\n", name, name)\n\t}\n\tfmt.Println("PASS")\n\tos.Exit(0)\n}\n\n'
    "func Share(total, people int) (int, error) { return 0, nil }\n",
}


def test_code_that_makes_all_tests_pass_is_found_out(kind, tmp_path):
    kind.history.commit(
        "Fix sharing among nobody, which must be an error",
        {kind.source: kind.mended, kind.test: kind.with_test("Nobody", *NOBODY[kind.program])},
    )
    said = make(kind.history, tmp_path / "made", "--runs", "2", "--seconds", "300")
    task = load_suite(tmp_path / "made" / said["task"]).tasks[0]
    files = {**task.workspace.files, kind.source: File(data=CHEATS[kind.program].encode())}
    verdict = anyio.run(lambda: verify(task, Tree(files=files), seed=1, open_box=open_sandbox))
    assert all(check.status == "passed" for check in verdict.hidden.checks)
    assert "says the opposite" in verdict.tampered[0]
    assert verdict.honest is False
    right = anyio.run(lambda: verify(task, task.hidden.reference.apply(task.workspace), seed=1, open_box=open_sandbox))
    assert right.proved


def test_flaky_tests_are_found_and_left_out(kind, tmp_path):
    planted = dict.fromkeys((f"Chance{number}" for number in range(12)), CHANCE[kind.program])
    text = kind.start[kind.test]
    for name, (body, head) in {"Nobody": NOBODY[kind.program], **planted}.items():
        head = "" if head in text else head
        text = Kind(kind.program, {kind.test: text}, "", "", kind.test).with_test(name, body, head)
    kind.history.commit("Fix sharing among nobody, which must be an error", {kind.source: kind.mended, kind.test: text})
    said = make(kind.history, tmp_path / "made", "--runs", "4", "--seconds", "300")
    assert said["flaky"]
    assert set(said["flaky"]) <= {name_of(kind, name) for name in planted}
    assert name_of(kind, "Nobody") in said["fail_to_pass"]
    assert name_of(kind, "Equal") in said["pass_to_pass"]


def test_a_commit_whose_tests_need_the_network_is_refused(kind, tmp_path):
    kind.history.commit("Pages", {kind.source: kind.mended, kind.test: kind.with_test("Page", *NETWORK[kind.program])})
    assert "need the network" in make(kind.history, tmp_path / "made", "--runs", "2", "--seconds", "300")["refused"]


def test_a_commit_without_tests_or_with_documentation_alone_is_refused_by_its_diff(kind):
    assert "touches no test" in refused(kind.history, **{kind.source.replace(".", "__"): kind.mended})
    assert "only changes documentation" in refused(kind.history, README__md="Shares.", LICENSE="Free.")
