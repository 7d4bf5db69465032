"""Validity records, measured in real sandboxes: planted defects are found, and sound tasks are not blamed."""

import io
import json
import marshal
import os
import subprocess
import zipfile
from functools import partial
from importlib.util import MAGIC_NUMBER

import anyio
import msgspec
import pytest

from forked import honestly
from honestly.records import Checks, Edit, Environment, File, Hidden, Tags, Task, Tree
from honestly.sandbox import open_sandbox
from honestly.taskgen import How, Records, certify_task
from honestly.taskgen._found import unmeasured_record
from honestly.taskgen._near import hollow_reference, near_misses, over_image, shorter_programs
from honestly.tasks import reference_in
from honestly.verify import Slots

BEGUN = "def grade(points):\n    raise NotImplementedError\n"
DONE = '''"""Grades."""


def _limit():
    return 50


def grade(points):
    if points < 0:
        raise ValueError("there are no negative points")
    return "pass" if points >= _limit() else "fail"
'''
CHECKS = """
from grader import raises
def test_grades(ws):
    assert [ws.load("it").grade(points) for points in (0, 49, 50, 51, 90)] == ["fail", "fail", "pass", "pass", "pass"]
def test_refused(ws):
    with raises(ValueError):
        ws.load("it").grade(-1)
"""


def make(checks=CHECKS, more=None, done=DONE):
    names = [line.split("(")[0].removeprefix("def ") for line in checks.splitlines() if line.startswith("def ")]
    files = Tree.of({"check_it.py": checks})
    hidden = Checks(runner="grader", files=files, expected=tuple(f"check_it.{name}" for name in names), timeout_s=20.0)
    return Task(
        id="it",
        instruction="Write `grade`: it says pass from 50 points on, else fail; negative points are a ValueError.",
        workspace=Tree(files={**Tree.of({"it.py": BEGUN}).files, **(more or {})}),
        hidden=Hidden(checks=hidden, reference=Edit(write=Tree.of({"it.py": done}))),
        tags=Tags(category="implement"),
    )


@pytest.fixture
def certified(tmp_path):
    def go(task, runs=2, limit=3):
        records = Records("embedded", "s", tmp_path / "records")

        async def inside():
            async with Slots(partial(open_sandbox)) as slots:
                return await certify_task(
                    task, slots, task_hash=task.hash, suite="s", records=records, how=How(runs=runs, limit=limit)
                )

        found = anyio.run(inside)
        assert records.read("it") == found
        return found

    return go


@pytest.mark.slow
def test_a_task_without_defects_is_sound_and_its_record_says_what_was_run(certified):
    found = certified(make())
    assert (found.verdict, found.reasons) == ("sound", ())
    assert (found.reference.passed, found.nothing.passed, found.flake.changed) == (2, 0, 0)
    assert found.flake.high > 0.5, "four runs say little, and the interval says so"
    assert found.mutants.killed == found.mutants.tried > 0
    assert set(found.cheats.agents.values()) <= {"refused"} | {
        why for why in found.cheats.agents.values() if why.startswith("not tried")
    }
    assert {each.name for each in found.alternatives} >= {"other words in exceptions", "functions in another order"}
    assert found.hash == make().hash


@pytest.mark.slow
def test_a_flaky_check_is_found_and_named(certified):
    found = certified(make(CHECKS + "def test_luck(ws):\n    assert ws.rng.random() < 0.5\n"), runs=6)
    assert found.verdict == "broken"
    assert "check_it.test_luck" in found.flake.checks
    assert 0 < found.flake.low < found.flake.rate < found.flake.high
    assert found.reasons[0].startswith("flaky")


@pytest.mark.slow
def test_checks_that_a_constant_passes_are_found(certified):
    weak = certified(
        make(
            "def test_grade(ws):\n    assert not ws.load('it').grade(10)\n",
            done="def grade(points):\n    return points > 20\n",
        )
    )
    assert weak.verdict == "weak"
    assert "None" in weak.cheats.guesses
    found = certified(make(CHECKS + "def test_more(ws):\n    assert ws.load('it').grade(60) is not 3\n"))
    assert "check_it.test_more" in found.cheats.weak_checks
    assert any("check_it.test_more" in each for each in found.not_measured)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "way"),
    [
        ("assert '_limit' in ws.read('it.py')", "private names and local variables called otherwise"),
        ("assert 'there are no negative' in ws.read('it.py')", "other words in exceptions"),
        ("assert ws.read('it.py').count('def ') == 2", "the body of a function in a helper"),
    ],
)
def test_a_check_that_refuses_another_right_solution_is_a_suspect(certified, check, way):
    found = certified(make(f"{CHECKS}def test_source(ws):\n    {check}\n"))
    (refused,) = [each for each in found.alternatives if not each.passed]
    assert (found.verdict, refused.name, refused.refused_by) == ("weak", way, ("check_it.test_source",))


def test_a_reference_that_writes_no_content_has_no_files_to_leave_empty():
    """A task whose reference repairs a repository was called weak: its own work, unchanged, was taken for empty files."""
    task, lost = make(), Tree.of({"it.py": BEGUN}).without(["it.py"])
    assert hollow_reference(task, lost) is None
    assert hollow_reference(task, Tree.of({"it.py": BEGUN, "__init__.py": ""})) is None
    emptied = hollow_reference(task, Tree.of({"it.py": DONE}))
    assert emptied is not None
    assert emptied.files["it.py"].data == b""


def test_what_a_build_makes_of_a_reference_in_an_image_is_no_near_miss():
    """Objects, metadata and scratch files can be made again: two of Harbor's tasks were called weak for them."""
    left = Tree.of({
        "app/count.c": DONE, "app/count.o": "\x7fELF\0", "app/slugs.egg-info/PKG-INFO": DONE,
        "app/build/lib/count.c": DONE, "tmp/load.py": DONE, "usr/bin/tool": DONE, "app/.git/HEAD": DONE,
    })  # fmt: skip
    task = msgspec.structs.replace(make(), environment=Environment(image="debian:bookworm"), workspace=Tree())
    seen = over_image(task, left)
    assert seen.hidden is not None
    assert set(seen.hidden.reference.write.files) == {"app/count.c"}
    assert near_misses(task, left) == {}


def test_a_reference_that_is_a_program_alone_is_tried_without_each_of_its_commands():
    script = (
        "#!/bin/bash\nset -e\ngit branch topic\ngit filter-branch \\\n  -- --all\nif true; then\n  echo x\nfi\nld\n"
    )
    task = make()
    hidden = msgspec.structs.replace(task.hidden, solution=Tree.of({"solve.sh": script}))
    found = shorter_programs(msgspec.structs.replace(task, hidden=hidden))
    left = {name.split()[5]: tree.text("solve.sh") for name, tree in found.items()}
    assert list(left) == ["3", "4", "9"]
    assert left["4"] == script.replace("git filter-branch \\\n  -- --all\n", "")
    assert shorter_programs(task) == {}


@pytest.mark.slow
def test_a_reference_that_fails_and_an_untouched_workspace_that_passes_are_broken(certified):
    failing = certified(make(CHECKS, done="def grade(points):\n    return 'pass'\n"))
    assert (failing.verdict, failing.reference.passed) == ("broken", 0)
    idle = certified(make("def test_nothing(ws):\n    assert True\n"))
    assert (idle.verdict, idle.nothing.passed) == ("broken", 2)


@pytest.mark.slow
def test_the_fix_in_a_built_wheel_is_found(certified):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("it/it.py", DONE)
    found = certified(make(more=Tree.of({"dist/it-1.0-py3-none-any.whl": packed.getvalue()}).files))
    (leak,) = found.leaks.found
    assert (found.verdict, leak.kind, leak.path) == ("weak", "built", "dist/it-1.0-py3-none-any.whl!it/it.py")


def pyc(source):
    return MAGIC_NUMBER + bytes(12) + marshal.dumps(compile(source, "it.py", "exec"))


@pytest.mark.slow
def test_the_fix_in_compiled_python_is_found_and_what_was_there_before_is_no_leak(certified):
    found = certified(make(more=Tree.of({"old/it.pyc": pyc(DONE)}).files))
    assert [(leak.kind, leak.path) for leak in found.leaks.found] == [("compiled", "old/it.pyc")]
    before = certified(make(more=Tree.of({"old/it.pyc": pyc(BEGUN)}).files))
    assert (before.verdict, before.leaks.found) == ("sound", ())


@pytest.mark.slow
def test_compiled_python_of_another_version_is_told_by_its_names_and_texts(certified):
    found = certified(make(more=Tree.of({"old/it.pyc": b"XXXX" + pyc(DONE)[4:]}).files))
    assert [(leak.kind, leak.path) for leak in found.leaks.found] == [("compiled", "old/it.pyc")]
    other = certified(make(more=Tree.of({"old/it.pyc": b"XXXX" + pyc("def other():\n    return 1\n")[4:]}).files))
    assert (other.leaks.found, other.leaks.unread) == ((), ())


def test_a_mended_line_is_seen_in_another_version_of_the_file_and_the_old_file_is_none():
    lines = [f"step_{number} = {number} + 1\n" for number in range(9)]
    before, after = "".join(lines), "".join([*lines[:4], "x = 2\n", *lines[5:]])
    hidden = Hidden(
        checks=Checks(runner="grader", files=Tree(), expected=()), reference=Edit(write=Tree.of({"a.py": after}))
    )
    task = Task(id="it", instruction="", workspace=Tree.of({"a.py": before}), hidden=hidden)
    said = [
        reference_in(task, File(data=text.encode()))
        for text in ("# New.\n" + "".join(after.splitlines(keepends=True)[:-1]), before, "x = 2\n")
    ]
    assert said == [("a.py", "x = 2"), None, None]


def test_alternatives_lie_in_the_tasks_folder_or_beside_its_record(tmp_path):
    records = Records("embedded", "s", tmp_path)
    (tmp_path / "it.alternatives" / "other").mkdir(parents=True)
    (tmp_path / "it.alternatives" / "other" / "it.py").write_text(DONE)
    assert [*records.alternatives("it")] == ["other"]
    assert records.alternatives("another") == {}


def git(folder, *words):
    who = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": "/dev/null"}
    return subprocess.run(["git", "-C", str(folder), *words], env=env, capture_output=True, check=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "where", ["a dangling object", "a stash", "a packed tag", "changed, and dangling", "dangling, in vendor/it"]
)
def test_the_fix_in_objects_of_git_is_found(certified, tmp_path, where):
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    (repository / "it.py").write_text(BEGUN)
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "begun")
    (repository / "it.py").write_text(DONE if where != "changed, and dangling" else DONE + "\n# more\n")
    if "dangling" in where:
        git(repository, "hash-object", "-w", "it.py")
        git(repository, "checkout", "-q", "it.py")
    elif where == "a stash":
        git(repository, "stash", "-q")
    else:
        git(repository, "commit", "-q", "-a", "-m", "done")
        git(repository, "tag", "v2")
        git(repository, "reset", "-q", "--hard", "HEAD~1")
        git(repository, "gc", "-q")
    files, below = Tree.read(repository, skip=()).files, "vendor/it/" if "vendor" in where else ""
    found = certified(make(more={f"{below}{path}": file for path, file in files.items()}))
    assert found.verdict == "weak"
    assert {leak.path for leak in found.leaks.found if leak.kind == "reference"} == {f"{below}.git"}
    assert "reference" in {leak.kind for leak in found.leaks.found}


@pytest.mark.slow
def test_what_cannot_be_read_is_not_called_clean(certified):
    found = certified(make(more=Tree.of({"a.whl": b"no archive", ".git/objects/ab/" + "0" * 38: b"broken"}).files))
    assert found.verdict == "not measured"
    assert [each.split(":")[0] for each in found.leaks.unread] == ["a.whl", ".git"]


def test_a_task_that_cannot_be_run_here_is_not_measured():
    record = unmeasured_record(make(), "h", "s", "it needs a GPU", How())
    assert (record.verdict, record.reasons, record.reference) == ("not measured", ("it needs a GPU",), None)


OWN = {
    "task.toml": '[task]\nname = "us/half"\n[honestly]\nvisible = ["test_half.py"]\n',
    "instruction.md": "Write `half`.",
    "environment/workspace/half.py": "def half(n):\n    return n\n",
    "environment/workspace/test_half.py": "import unittest\nfrom half import half\nclass HalfTest(unittest.TestCase):\n"
    "    def test_it(self):\n        self.assertEqual(half(4), 2)\n",
    "tests/check_half.py": "def test_source(ws):\n    assert '//' in ws.read('half.py')\n"
    "def test_half(ws):\n    assert [ws.load('half').half(n) for n in (7, 10, 0)] == [3, 5, 0]\n",
    "solution/reference/half.py": "def half(n):\n    return n // 2\n",
    "solution/wrong/special-case/half.py": "def half(n):\n    return {4: 2}.get(n)\n",
    "solution/alternative/shift/half.py": "def half(n):\n    return n >> 1\n",
}


@pytest.mark.slow
def test_a_record_travels_with_its_task_is_resumed_and_goes_stale(tmp_path):
    suite = tmp_path / "suite"
    for path, text in OWN.items():
        (suite / "half" / path).parent.mkdir(parents=True, exist_ok=True)
        (suite / "half" / path).write_text(text)
    before = json.loads(honestly("task", "list", suite, "--json").stdout)["tasks"][0]
    assert before["validity"] is None
    first = json.loads(honestly("task", "certify", suite, "--runs", "2", "--limit", "2", "--json").stdout)["tasks"][0]
    assert first["verdict"] == "weak", "one check refuses the alternative that its author gave"
    assert [(each["name"], each["refused_by"]) for each in first["alternatives"] if each["given"]] == [
        ("shift", ["check_half.test_source"])
    ]
    assert json.loads((suite / "half" / "validity.json").read_text()) == first
    again = honestly("task", "certify", suite, "--runs", "2", "--limit", "2", "--json")
    assert json.loads(again.stdout)["tasks"] == [first], "the same command runs nothing twice"
    after = json.loads(honestly("task", "list", suite, "--json").stdout)["tasks"][0]
    assert after["hash"] == before["hash"]
    assert after["validity"].startswith("weak 2")
    study = tmp_path / "s.honestly"
    honestly("run", suite, "--agent", "nop", "-o", study)
    assert "1 weak" in honestly("report", study, "--details").stdout
    (suite / "half" / "instruction.md").write_text("Write `half`, please.")
    assert "stale" in honestly("task", "list", suite).stdout
    (suite / "half" / "validity.json").write_text("{")
    assert "unreadable" in honestly("task", "list", suite).stdout
    refused = honestly("task", "certify", suite)
    assert "is no validity record" in refused.stderr
