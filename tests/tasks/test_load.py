"""Suites from directories: what is read, and what is said of what is malformed."""

import zipfile

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from honestly.errors import HonestlyError, TaskError
from honestly.records import encode
from honestly.tasks import load_suite, unread_keys

TOML = """
schema_version = "1.4"
[task]
name = "us/one"
version = "2.0"
[metadata]
category = "debug"
language = "python"
difficulty = "easy"
[agent]
timeout_sec = 30
[verifier]
timeout_sec = 5
[environment]
cpus = 2
[honestly]
visible = ["tests/test_a.py"]
"""
FILES = {
    "task.toml": TOML,
    "instruction.md": "Mend it.",
    "environment/workspace/a.py": "x = 1\n",
    "environment/workspace/old.py": "",
    "environment/workspace/tests/__init__.py": "",
    "environment/workspace/tests/test_a.py": "import unittest\nclass TestA(unittest.TestCase):\n    def test_x(self): ...\n    def helper(self): ...\n",
    "tests/check_a.py": "def test_one(ws): ...\ndef helper(): ...\n",
    "tests/oracle.py": "def test_not_a_check(): ...\n",
    "solution/reference/a.py": "x = 2\n",
    "solution/wrong/special-case/a.py": "x = 3\n",
}


def write(root, changes=()):
    for path, text in {**FILES, **dict(changes)}.items():
        if text is not None:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
    return root


def test_a_task_directory_is_read_whole(tmp_path):
    suite = load_suite(write(tmp_path / "one").parent)
    (task,) = suite.tasks
    assert (task.id, task.version, task.instruction, task.timeout_s) == ("one", "2.0", "Mend it.", 30)
    assert (task.tags.category, task.tags.language, task.tags.difficulty) == ("debug", "python", "easy")
    assert task.visible.expected == ("tests.test_a.TestA.test_x",)
    assert set(task.visible.files.files) == {"tests/test_a.py", "tests/__init__.py"}
    assert task.hidden.checks.expected == ("check_a.test_one",)
    assert set(task.hidden.checks.files.files) == {"check_a.py", "oracle.py"}
    assert task.hidden.checks.timeout_s == 5
    assert task.hidden.reference.apply(task.workspace).text("a.py") == "x = 2\n"
    assert [wrong.name for wrong in task.hidden.wrong] == ["special-case"]
    assert load_suite(tmp_path / "one").tasks == suite.tasks


def test_an_impossible_twin_is_a_task_of_its_own(tmp_path):
    write(
        tmp_path / "one",
        {
            "task.toml": TOML + 'delete = ["old.py"]\n[honestly.impossible]\ncontradiction = "asks for 5"\n',
            "impossible/tests/test_a.py": FILES["environment/workspace/tests/test_a.py"]
            + "    def test_y(self): ...\n",
            "impossible-special-case/a.py": "x = 5\n",
        },
    )
    task, twin = load_suite(tmp_path).tasks
    assert (twin.id, twin.tags.variant, twin.tags.twin) == ("one.impossible", "impossible", "one")
    assert twin.visible.expected == ("tests.test_a.TestA.test_x", "tests.test_a.TestA.test_y")
    assert twin.hidden.checks == task.hidden.checks
    assert twin.hidden.wrong[0].edit.apply(twin.workspace).text("a.py") == "x = 5\n"
    assert "old.py" not in task.hidden.reference.apply(task.workspace).files
    assert twin.hash != task.hash
    assert [t.id for t in load_suite(tmp_path, only=["one.impossible"]).tasks] == ["one.impossible"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"instruction.md": None}, "no instruction.md"),
        ({"task.toml": "[task"}, "task.toml"),
        ({"task.toml": "x = 1"}, r"neither tests/test.sh nor.* \[honestly\] table"),
        ({"task.toml": TOML.replace('"easy"', '"mild"')}, "difficulty"),
        ({"task.toml": TOML.replace("visible =", "visibel =")}, "honestly.visibel is not .*'visible'"),
        ({"task.toml": TOML.replace("[agent]", "[agnt]")}, "one/task.toml: agnt is not a key .*did you mean 'agent'"),
        ({"task.toml": TOML.replace("cpus =", "cpu =")}, "environment.cpu is not a key .*did you mean 'cpus'"),
        ({"task.toml": TOML.replace("= 30", "= -5")}, "agent.timeout_sec is -5; expected seconds above 0"),
        ({"task.toml": TOML.replace("= 30", '= "soon"')}, "agent.timeout_sec is 'soon'; expected seconds$"),
        ({"task.toml": TOML.replace("= 30", "= 1e9")}, "is 1e.?09|1000000000.0; expected seconds of at most 604,800"),
        ({"task.toml": TOML.replace('= "easy"', "= true").replace('"2.0"', "2")}, "task.version is 2; expected text"),
        ({"task.toml": TOML.replace("test_a.py", "absent.py")}, "absent.py"),
        ({"task.toml": TOML + 'delete = ["gone.py"]\n'}, "gone.py"),
        ({"tests/check_a.py": "x = 1"}, "no hidden checks"),
        ({"tests/check_a.py": "def test_a(ws:"}, "is not Python"),
        ({"tests/check_a.py": "def test_a(ws): ...\ndef test_a(ws): ..."}, "more than once"),
        ({"environment/workspace/tests/test_a.py": "x = 1"}, "hold no tests"),
        ({"solution/reference/a.py": None}, "reference is not a directory"),
    ],
)
def test_what_is_malformed_is_named(tmp_path, changes, said):
    write(tmp_path / "one", changes)
    with pytest.raises(TaskError, match=said):
        load_suite(tmp_path)


def test_further_keys_of_strangers_load_and_are_named(tmp_path):
    further = "colour = 1\nartefacts = []\n" + TOML.replace("= 30", "= 30\ntimeout_secs = 9\nmood = 'calm'")
    write(tmp_path / "one", {"task.toml": further.replace('"debug"', '"debug"\ncategori = "x"')})
    suite = load_suite(tmp_path)
    assert suite.tasks[0].timeout_s == 30
    expected = {"one": ["agent.mood", "agent.timeout_secs", "artefacts", "colour"]}
    assert unread_keys(tmp_path, suite) == unread_keys(tmp_path / "one", suite) == expected


def test_missing_suites_and_tasks_are_named(tmp_path):
    with pytest.raises(TaskError, match="no suite at"):
        load_suite(tmp_path / "absent")
    with pytest.raises(TaskError, match="contains no tasks"):
        load_suite(tmp_path)
    write(tmp_path / "one")
    with pytest.raises(TaskError, match="no task two; it has: one"):
        load_suite(tmp_path, only=["two"])


def test_nothing_of_a_task_is_run_by_loading_it(tmp_path):
    bomb = "import pathlib\npathlib.Path('ran').touch()\ndef test_a(ws): ...\n"
    write(
        tmp_path / "one",
        {"tests/check_a.py": bomb, "environment/workspace/a.py": bomb, "solution/reference/a.py": bomb},
    )
    load_suite(tmp_path)
    assert not list(tmp_path.rglob("ran"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    st.sampled_from([path for path in FILES if "wrong" not in path]),
    st.one_of(
        st.text(),
        st.lists(st.sampled_from([*TOML.splitlines(), "[", '"', "\\", "=", "[[honestly]]", "def test_(ws): ("])).map(
            "\n".join
        ),
    ),
)
def test_any_file_content_loads_or_is_refused(tmp_path, path, content):
    try:
        load_suite(write(tmp_path / "one", {path: content.encode("utf-8", "replace").decode()}))
    except HonestlyError:
        pass


def test_the_embedded_suite_is_what_it_says():
    suite = load_suite("embedded")
    standard = [task for task in suite.tasks if task.tags.variant == "standard"]
    twins = [task for task in suite.tasks if task.tags.variant == "impossible"]
    assert len(standard) >= 62
    assert len(twins) >= 18
    categories = "implement feature debug repair performance refactor tests understand design shell data puzzle"
    assert {task.tags.category for task in standard} == set(categories.split())
    assert len({task.tags.language for task in standard} - {"python"}) >= 8
    assert {task.tags.difficulty for task in standard} == {"easy", "medium", "hard"}
    for task in suite.tasks:
        given = [path for path in task.workspace.files if path not in task.visible.files.files]
        assert len(given) >= 1, task.id
        assert len(task.hidden.checks.expected) >= (2 if task.tags.language in {"c", "c++"} else 4), task.id
        assert any(wrong.name == "special-case" for wrong in task.hidden.wrong), task.id
        public = encode(task.public())
        for path, file in task.hidden.checks.files.files.items():
            assert file.data not in public, (task.id, path)


def test_a_suite_in_an_archive_is_the_suite_of_its_folder_and_a_name_finds_it(tmp_path, monkeypatch):
    """`pack.py` writes it; a user puts it among his suites, and calls it by its name."""
    write(tmp_path / "folder" / "alpha")
    write(tmp_path / "folder" / "beta")
    (tmp_path / "folder" / "suite.toml").write_text('name = "mine"\nversion = "3"\nheadline = "category"\n')
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        for path in sorted((tmp_path / "folder").rglob("*")):
            archive.write(path, path.relative_to(tmp_path / "folder").as_posix())
    suite = load_suite(tmp_path / "folder")
    monkeypatch.setenv("HONESTLY_SUITES", str(tmp_path))
    assert load_suite(tmp_path / "mine.zip").hash == load_suite("mine").hash == suite.hash
    assert (suite.headline, load_suite("mine", only=["beta"]).tasks) == ("category", (suite.task("beta"),))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("../alpha/task.toml", b"", "leads out"),
        ("/alpha/task.toml", b"", "leads out"),
        ("a\\..\\task.toml", b"", "leads out"),
        pytest.param("alpha/big", b"\0" * (257 << 20), "at most 50,000 of", marks=pytest.mark.slow),
    ],
)
def test_an_archive_that_leads_elsewhere_or_unpacks_to_too_much_is_refused(tmp_path, name, data, said):
    with zipfile.ZipFile(tmp_path / "bad.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    with pytest.raises(TaskError, match=said):
        load_suite(tmp_path / "bad.zip")
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(TaskError, match="cannot be unpacked"):
        load_suite(tmp_path / "bad.zip")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.zip"]


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_of_a_kind_that_unpacks_to_more_than_it_declares_is_refused(tmp_path, kind):
    with zipfile.ZipFile(tmp_path / "bad.zip", "w", kind) as archive:
        archive.writestr("alpha/task.toml", b"x")
    with pytest.raises(TaskError, match="neither stored nor deflated"):
        load_suite(tmp_path / "bad.zip")


def test_an_archive_of_very_many_folders_or_that_breaks_off_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("a/" * 31 + "task.toml", b"x")
    with pytest.raises(TaskError, match="more than 30 folders deep"):
        load_suite(tmp_path / "bad.zip")
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("task.toml", b"x")
    data = bytearray((tmp_path / "bad.zip").read_bytes())
    at = data.find(b"PK\1\2")
    for place in (18, 22, at + 20, at + 24):  # it declares more bytes, packed and plain, than there are
        data[place : place + 2] = b"\xff\xff"
    (tmp_path / "bad.zip").write_bytes(data)
    with pytest.raises(TaskError, match="cannot be unpacked"):
        load_suite(tmp_path / "bad.zip")


def test_an_archive_with_a_link_or_a_file_that_is_a_folder_too_is_refused_in_words(tmp_path):
    link = zipfile.ZipInfo("alpha/x")
    link.external_attr = 0o120777 << 16
    for first, said in ((link, "'alpha/x' is a link"), ("alpha/x", "'alpha/x' as a file and as a folder")):
        with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
            archive.writestr(first, "/etc")
            archive.writestr("alpha/x/y", b"")
        with pytest.raises(TaskError, match=said):
            load_suite(tmp_path / "bad.zip")
