"""Commits of real git repositories as tasks: measured and proved in real sandboxes, refused with the reason."""

import json
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from histories import MENDED, MORE, SHARES, TEST

from forked import honestly
from honestly.errors import TaskError
from honestly.records import Edit, Tree
from honestly.taskgen import open_repository
from honestly.taskgen._content import refused_by_content
from honestly.taskgen._needs import needs_of
from honestly.taskgen._split import refused_by_diff
from honestly.taskgen._told import task_instruction
from honestly.tasks import load_suite

HEADERS = Path(sysconfig.get_paths()["include"], "Python.h")


def refused(history, message="Change", **files):
    """Why the next commit is refused, without running anything."""
    sha = history.commit(message, {name.replace("__", "."): text for name, text in files.items()})
    with open_repository(history.folder) as repository:
        commit = repository.commits_from(sha, 1)[0]
        return refused_by_diff(commit) or refused_by_content(repository, commit)


def lay(tree, folder):
    """Writes the files of a tree."""
    for name, file in tree.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(file.data)


def test_no_task_at_all_is_said_with_what_to_try_next(history, tmp_path):
    done = honestly("task", "from", "repo", history.folder, "--out", tmp_path / "tasks")
    assert (done.returncode, "wrote 0 tasks" in done.stderr, "`--limit 20`" in done.stderr) == (1, True, True)


def make(history, into, *words):
    """What `from-commit --json` says of the newest commit."""
    done = honestly("task", "from", "commit", history.folder, "HEAD", "--into", into, "--json", *words)
    said = json.loads(done.stdout)
    assert list(said) == ["task", "fail_to_pass", "pass_to_pass", "flaky", "refused", "notes"]
    assert done.returncode == (1 if said["refused"] else 0)
    return said


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"shares__py": MENDED}, "touches no test"),
        ({"test_shares__py": MORE}, "touches no source"),
        ({"README__md": "Shares.", "docs/shares__rst": "Shares"}, "only changes documentation"),
        ({"shares__py": "# " + MENDED, "shares__go": "x", "test_shares__py": None}, "touches no test"),
        ({"shares__rs": "x", "tests/shares__rs": "x"}, "source is in rust"),
        ({"shares__py": '"""Shares."""\n# more\n' + TEST, "test_shares__py": MORE}, ""),
    ],
)  # fmt: skip
def test_a_diff_alone_says_why_a_commit_is_no_task(history, files, why):
    found = refused(history, **files)
    assert why in found
    assert bool(found) is bool(why)


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (MORE, "import pytest\n" + TEST, "all that are left were there before"),
        (MORE.replace("def test_nobody", "@pytest.mark.skip\ndef test_nobody"), MORE, ""),
        (MORE.replace("share(6, 0)", "share(6, 1)"), MORE, ""),
        (TEST, "from itertools import izip\n" + MORE, ""),
        (TEST, "print 1\n" + MORE, "are not of Python"),
    ],
)
def test_tests_that_only_go_ask_for_nothing_new(history, before, after, why):
    history.commit("Tests", {"test_shares.py": before})
    found = refused(history, shares__py=MENDED, test_shares__py=after)
    assert why in found
    assert bool(found) is bool(why)


def test_a_merge_and_the_first_commit_are_refused_by_their_diff(history):
    history.git("checkout", "-q", "-b", "side")
    history.commit("Side", {"side.py": "x = 1\n"})
    history.git("checkout", "-q", "main")
    history.commit("Main", {"main.py": "x = 1\n"})
    history.git("merge", "-q", "--no-ff", "side", "-m", "Merge")
    with open_repository(history.folder) as repository:
        commits = repository.commits_from("HEAD", 10)
    assert refused_by_diff(commits[0]).startswith("it is a merge of 2 commits; name one of those, or make one commit")
    assert "first commit" in refused_by_diff(commits[-1])


def test_a_commit_that_only_changes_comments_and_annotations_does_the_same(history):
    text = (history.folder / "shares.py").read_text().replace("total,", "total: int,")
    assert "same" in refused(history, shares__py=f'"""Shares."""\n{text}# end\n', test_shares__py=MORE)


def test_a_revision_or_repository_that_is_not_there_is_an_error(history, tmp_path):
    with open_repository(history.folder) as repository:
        with pytest.raises(TaskError, match="has no commit 'nothing'"):
            repository.commits_from("nothing", 1)
        with pytest.raises(TaskError, match="is not a revision"):
            repository.commits_from("--output=x", 1)
    with pytest.raises(TaskError, match="not a git repository"), open_repository(tmp_path):
        pass
    (tmp_path / "file").write_text("no bundle")
    with pytest.raises(TaskError, match="neither a git repository nor a bundle"), open_repository(tmp_path / "file"):
        pass


def test_a_folder_that_no_commit_has_is_no_root(history):
    history.commit("Core", {"core/a.py": "x = 1\n"})
    history.commit("No core", {"core/a.py": None})
    with open_repository(history.folder, "core"):
        pass  # an older commit has it
    for root in ("nope", "shares.py"):
        no_folder = pytest.raises(TaskError, match=f"has no folder '{root}', in any commit")
        with no_folder, open_repository(history.folder, root):
            pass
    done = honestly("check", "--repo", history.folder, "--root", "nope")
    assert done.returncode == 2
    assert "--root: " in done.stderr


def test_a_repository_runs_nothing_when_it_is_read(history, tmp_path):
    hit = tmp_path / "hit"
    history.commit("Attributes", {".gitattributes": "*.py diff=x\n", "shares.py": MENDED})
    for name in ("core.fsmonitor", "core.pager", "diff.x.textconv", "diff.external", "filter.x.smudge"):
        history.git("config", name, f"touch {hit}")
    (history.folder / ".git/hooks/post-checkout").write_text(f"#!/bin/sh\ntouch {hit}\n")
    with open_repository(history.folder) as repository:
        repository.commits_from("HEAD", 5)
        repository.tree(repository.commits_from("HEAD", 1)[0].sha)
    assert not hit.exists()


def test_the_history_of_a_task_ends_at_the_parent(history, tmp_path):
    history.commit("The answer is 4711", {"shares.py": MENDED, "test_shares.py": MORE})
    history.git("tag", "answer")
    with open_repository(history.folder) as repository:
        after, parent = repository.commits_from("HEAD", 2)
        for whole in (True, False):
            lay(repository.history_until(parent.sha, whole=whole), tmp_path / str(whole))
            told = subprocess.run(
                ["git", "-C", tmp_path / str(whole), "cat-file", "--batch-all-objects", "--batch-check"],
                capture_output=True, text=True, check=True,
            ).stdout  # fmt: skip
            assert parent.sha in told
            assert after.sha not in told
            blob = repository.git_output("rev-parse", f"{after.sha}:shares.py").decode().strip()
            assert blob not in told


def test_an_instruction_tells_what_tests_ask_for_and_keeps_back_the_rest():
    before = Tree.of({"a.py": "def old():\n    return 1\n"})
    after = Tree.of({"a.py": "def fresh(size, *, deep=False):\n    _inner_step = 4711\n    return _inner_step\n"})
    tests = Tree.of({"test_a.py": "from a import fresh\ndef test(): assert fresh(2)\n"})
    told = task_instruction("Add fresh (#12)\n\nUses `_inner_step`, 4711.\n\nSigned-off-by: A <a@example.org>\n", "a", before,
                Edit.between(before, after), tests, [])  # fmt: skip
    assert "_inner_step" not in told.text
    assert "4711" not in told.text
    assert "example.org" not in told.text
    assert "#12" not in told.text
    assert "fresh(size, *, deep=False)" in told.text
    assert told.told == ("fresh",)
    assert any("a name of the solution: _inner_step" in each for each in told.changed)


def test_an_instruction_says_what_is_a_property_and_that_tests_may_be_outdated():
    before = Tree.of({"a.py": "class A:\n    pass\n"})
    after = Tree.of({"a.py": "class A:\n    @property\n    def fresh(self):\n        return 1\n"})
    tests = Tree.of({"test_a.py": "from a import A\ndef test(): assert A().fresh == 1\n"})
    told = task_instruction("Add fresh", "a", before, Edit.between(before, after), tests, ["test_b.py"])
    assert "- `A.fresh (a property)`" in told.text
    assert told.told == ("fresh",)
    assert "Of the tests in `test_b.py`, those that pass now" in told.text


def test_requirements_are_read_from_the_files_of_a_project():
    tree = Tree.of({
        "pyproject.toml": '[project]\nname = "us"\ndependencies = ["adding>=1; python_version >= \'3\'", "old; python_version < \'3\'"]\n'
        '[project.optional-dependencies]\ntest = ["freezing", "unused"]\n',
        "requirements-dev.txt": "# tools\nchecking==2  # why\n-r other.txt\nhttps://example.org/x.whl\n",
        "setup.cfg": "[options]\ninstall_requires =\n    more[fast]>=3\n",
        "uv.lock": '[[package]]\nname = "freezing"\nversion = "4.5"\n',
        "test_it.py": "import freezing, os\nimport checking\n",
    })  # fmt: skip
    found = needs_of(tree)
    assert found.name == "us"
    assert found.pinned == ("adding>=1", "checking==2", "freezing==4.5", "more[fast]>=3")
    assert found.addresses == ("https://example.org/x.whl",)


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("requirements.txt", "us @ git+https://me:secret@example.org/us  # why\n", "us @ git+https://example.org/us"),
        ("requirements.txt", "git+ssh://git@example.org/us.git#egg=us\n", "git+ssh://example.org/us.git#egg=us"),
        ("requirements.txt", "-e git+https://example.org/us\n-e .\n-e .[test]\n", "-e git+https://example.org/us"),
        ("requirements.txt", "--extra-index-url https://example.org/simple\n", "--extra-index-url https://example.org/simple"),
        ("requirements.txt", "./vendored/us\n-r ./more.txt\n", "./vendored/us"),
        ("pyproject.toml", '[project]\ndependencies = ["us[a] @ https://example.org/us.whl ; python_version > \'3\'"]', "us[a] @ https://example.org/us.whl"),
        ("pyproject.toml", '[tool.poetry.dependencies]\nus = {git = "https://example.org/us"}\n', "us @ https://example.org/us"),
        ("pyproject.toml", '[project]\ndependencies = ["us"]\n[tool.uv.sources]\nus = {path = "../us"}\nx = {path = "x"}\n', "us @ ../us"),
        ("setup.py", "from setuptools import setup\nsetup(dependency_links=['https://example.org/us'])", "https://example.org/us"),
        ("requirements.txt", "us @ https://example.org/us.whl ; python_version < '3'\n-e .\n-e '.'\n-e \".[x]\"\na==1\n", ""),
    ],
)  # fmt: skip
def test_addresses_among_requirements_are_named_and_not_followed(path, text, wanted):
    assert needs_of(Tree.of({path: text})).addresses == ((wanted,) if wanted else ())


@pytest.mark.slow
def test_a_commit_becomes_a_task_that_passes_its_check_and_holds_no_future(history, tmp_path):
    history.commit(
        "Fix shares among nobody\n\nZero people are an error.",
        {"shares.py": MENDED, "test_shares.py": MORE, "requirements.txt": "us @ git+https://example.org/us\n"},
    )
    into = tmp_path / "made"
    said = make(history, into, "--runs", "2")
    assert any("us @ git+https://example.org/us" in note for note in said["notes"])
    assert said["fail_to_pass"] == ["test_shares.py::test_nobody"]
    assert said["pass_to_pass"] == ["test_shares.py::test_equal"]
    folder = into / said["task"]
    assert json.loads((folder / "made.json").read_text())["kind"] == "from-commit"
    checked = json.loads(honestly("task", "check", folder, "--json").stdout)
    assert checked["failed"] == []
    task = load_suite(folder).tasks[0]
    assert "nobody is there" not in task.instruction
    assert (task.tags.made, task.tags.cluster) == ("from-commit", "shares")
    lay(task.workspace, tmp_path / "work")
    log = subprocess.run(
        ["git", "-C", tmp_path / "work", "log", "--all", "--format=%s"], capture_output=True, text=True, check=True
    )
    assert log.stdout.split() == ["Shares"]
    again = honestly("task", "from", "commit", history.folder, "HEAD", "--into", into)
    assert again.returncode != 0
    assert "exists" in again.stderr


@pytest.mark.slow
def test_a_flaky_test_is_found_and_left_out(history, tmp_path):
    flaky = MORE + "\n\ndef test_chance():\n    import os\n    assert os.urandom(1)[0] < 100\n"
    history.commit(
        "Return an empty list for nobody instead of dividing by zero", {"shares.py": MENDED, "test_shares.py": flaky}
    )
    said = make(history, tmp_path / "made", "--runs", "16")
    assert said["flaky"] == ["test_shares.py::test_chance"]
    assert said["fail_to_pass"] == ["test_shares.py::test_nobody"]


@pytest.mark.slow
def test_a_commit_whose_tests_need_the_network_is_refused(history, tmp_path):
    test = (
        "import urllib.request\nimport shares\n\n\ndef test_page():\n    urllib.request.urlopen('http://example.org')\n"
    )
    history.commit("Pages", {"shares.py": MENDED, "test_shares.py": None, "test_page.py": test})
    assert "need the network" in make(history, tmp_path / "made", "--runs", "2")["refused"]


@pytest.mark.slow
def test_a_commit_that_no_test_notices_is_refused(history, tmp_path):
    history.commit("Nothing", {"shares.py": MENDED, "test_shares.py": TEST + "\n\ndef test_more():\n    pass\n"})
    assert "no test fails before it" in make(history, tmp_path / "made", "--runs", "2")["refused"]


ROWS = "import pytest\nfrom shares import ROWS\n\n\n@pytest.mark.parametrize('row', ROWS)\ndef test_row(row):\n    assert row"


@pytest.mark.slow
def test_a_test_that_pytest_names_by_a_place_in_what_the_commit_adds_asks_for_nothing(history, tmp_path):
    """Where the same stands in another place, the test has another name."""
    history.commit("Rows", {"shares.py": SHARES + "ROWS = [(1,), (3,)]\n", "test_shares.py": ROWS})
    message = "Share the second row of all rows among people"
    history.commit(message, {"shares.py": MENDED + "ROWS = [(1,), (2,), (3,)]\n", "test_shares.py": f"{ROWS}, row\n"})
    why = make(history, tmp_path / "made", "--runs", "2")["refused"]
    assert (
        why == "pytest names its tests by places in what it adds, which nobody can know: test_shares.py::test_row[row2]"
    )


EXTENSION = """
#include <Python.h>
static PyObject *share(PyObject *self, PyObject *args) {
    long total, people;
    if (!PyArg_ParseTuple(args, "ll", &total, &people)) return NULL;
    GUARD
    return PyLong_FromLong(total / (people ? people : 1));
}
static PyMethodDef all[] = {{"share", share, METH_VARARGS, ""}, {NULL}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "shares", "", -1, all};
PyMODINIT_FUNC PyInit_shares(void) { return PyModule_Create(&module); }
"""
COMPILING = """
import subprocess, sysconfig, zipfile
def build_wheel(folder, settings, metadata):
    name = "shares" + sysconfig.get_config_var("EXT_SUFFIX")
    command = ["gcc", "-shared", "-fPIC", "-I" + sysconfig.get_paths()["include"], "shares.c", "-o", name]
    subprocess.run(command, check=True)
    with zipfile.ZipFile(folder + "/shares-1-cp3-none-any.whl", "w") as wheel:
        wheel.write(name)
        wheel.writestr("shares-1.dist-info/METADATA", "Name: shares\\nVersion: 1\\n")
    return "shares-1-cp3-none-any.whl"
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not shutil.which("gcc") or not HEADERS.is_file(),
    reason="needs gcc and the headers of this Python (for Debian's: apt-get install gcc python3-dev)",
)
def test_the_extension_that_a_commit_changes_is_built_before_its_tests(history, tmp_path):
    settings = '[build-system]\nrequires = []\nbuild-backend = "making"\nbackend-path = ["."]\n'
    files = {"pyproject.toml": settings, "making.py": COMPILING, "shares.py": None}
    history.commit("Quick shares", {**files, "shares.c": EXTENSION.replace("GUARD", ""), "test_shares.py": TEST})
    guard = 'if (people < 1) { PyErr_SetString(PyExc_ValueError, "nobody is there"); return NULL; }'
    fix = {"shares.c": EXTENSION.replace("GUARD", guard), "test_shares.py": MORE}
    history.commit("share raises ValueError where nobody is there, as shares of nothing are no shares", fix)
    said = make(history, tmp_path / "out")
    assert (said["refused"], said["fail_to_pass"], said["pass_to_pass"]) == (
        None,
        ["test_shares.py::test_nobody"],
        ["test_shares.py::test_equal"],
    )


def test_a_new_file_that_the_hidden_tests_load_is_told():
    before = Tree.of({"src/old.ts": "export const a = 1\n"})
    after = Tree.of({"src/plural.rules.ts": "export const a = 1\n", "src/apart.ts": "export const b = 2\n"})
    tests = Tree.of({"test/a.test.js": "import a from '../src/plural.rules';\ntest('a', () => {});\n"})
    found = task_instruction("fix plural filename", "a", before, Edit.between(before, after), tests, [])
    assert "- `module src/plural.rules.ts`" in found.text
    assert "apart" not in found.text
    assert found.told == ("module src/plural.rules.ts",)


@pytest.mark.slow
def test_tests_that_need_more_memory_get_it_and_the_task_declares_it(history, tmp_path):
    heavy = TEST + "\n\ndef test_heavy():\n    assert share(len(bytearray(700 << 20)), 1) == 700 << 20\n"
    history.commit("Heavy shares", {"test_shares.py": heavy})
    history.commit(
        "Shares among nobody are an error", {"shares.py": MENDED, "test_shares.py": MORE + heavy[len(TEST) :]}
    )
    said = make(history, tmp_path / "made", "--runs", "2")
    assert (said["refused"], said["fail_to_pass"]) == (None, ["test_shares.py::test_nobody"])
    assert said["pass_to_pass"] == ["test_shares.py::test_equal", "test_shares.py::test_heavy"]
    task = load_suite(tmp_path / "made" / said["task"]).tasks[0]
    assert task.preparation.memory_mb == 1024
    assert json.loads(honestly("task", "check", tmp_path / "made", "--json").stdout)["failed"] == []


@pytest.mark.slow
def test_more_memory_that_lets_no_more_tests_pass_is_not_asked_for(history, tmp_path):
    leak = MORE + "\n\ndef test_leak():\n    raise MemoryError\n"
    history.commit("Shares among nobody are an error", {"shares.py": MENDED, "test_shares.py": leak})
    said = make(history, tmp_path / "made", "--runs", "2")
    assert said["fail_to_pass"] == ["test_shares.py::test_nobody"]
    assert load_suite(tmp_path / "made" / said["task"]).tasks[0].preparation.memory_mb is None


@pytest.mark.slow
def test_what_nobody_can_know_is_no_check_and_a_commit_that_asks_for_nothing_else_is_refused(history, tmp_path):
    mended = MENDED + "\n\ndef limit():\n    return 4711\n"
    asked = "\n\ndef test_limit():\n    import shares\n    assert shares.limit() == 4711\n"
    history.commit("Shares have a limit; nobody is an error", {"shares.py": mended, "test_shares.py": MORE + asked})
    said = make(history, tmp_path / "made", "--runs", "2")
    assert said["fail_to_pass"] == ["test_shares.py::test_nobody"]
    assert said["notes"] == ["left out, since nobody can know what they ask for, are test_shares.py::test_limit"]
    history.commit("Shares have another limit", {
        "shares.py": mended.replace("4711", "4813"), "test_shares.py": MORE + asked.replace("4711", "4813")})  # fmt: skip
    why = make(history, tmp_path / "made", "--runs", "2")["refused"]
    assert why.startswith("it cannot be done from its text: test_shares.py::test_limit wants '4813'")


@pytest.mark.slow
def test_tests_that_need_the_network_are_left_out_and_said(history, tmp_path):
    pip = (
        "\n\n@pytest.fixture\ndef isolated():\n    import subprocess, sys\n"
        "    subprocess.run([sys.executable, '-m', 'pip', 'install', 'nothing-of-the-kind'], check=True)\n"
        "\n\ndef test_isolated(isolated):\n    pass\n"
    )
    history.commit("Shares among nobody are an error", {"shares.py": MENDED, "test_shares.py": MORE + pip})
    said = make(history, tmp_path / "made", "--runs", "2")
    assert (said["refused"], said["fail_to_pass"]) == (None, ["test_shares.py::test_nobody"])
    assert said["notes"] == ["left out, since they need the network, are test_shares.py::test_isolated"]
