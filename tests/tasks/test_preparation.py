"""Tasks of our own layout with packages in `src`, dependencies and a set-up command: a real pip, a real sandbox."""

import json
import textwrap
import zipfile
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from honestly.errors import TaskError
from honestly.records import Preparation, Suite, Task, Tree
from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite, preparation_layout, prepare_suite, pythonpath_of
from honestly.tasks.preparation._install import installed_versions, packages_folder
from honestly.verify import check_task, furnished_opener, verify

TOML = """
[task]
name = "us/{name}"
[honestly]
visible = ["tests/test_total.py"]
{more}
"""
VISIBLE = """
import unittest
from pkg.sums import total
class T(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
"""
HIDDEN = """
def test_total(ws):
    total = ws.load("pkg.sums").total
    number = ws.rng.randrange(1000)
    assert total([number, 2]) == number + 2
    run = ws.run(["python3", "-c", "from pkg.sums import total; print(total([4, 5]))"])
    assert run.stdout == "9\\n"
"""


@pytest.fixture(autouse=True)
def _own_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache, and a registry that is a folder with one wheel in two versions, of which nothing else is asked."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for version in ("1.0", "1.1"):
        _wheel(wheels, version)
    monkeypatch.setenv("HONESTLY_ENVIRONMENTS", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_NO_INDEX", "1")


def _wheel(folder: Path, version: str, program: str = "") -> None:
    info = f"adding-{version}.dist-info"
    files = {
        "adding.py": f"VERSION = {version!r}\n\n\ndef add(numbers):\n    return sum(numbers)\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: adding\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if program:
        files[f"adding-{version}.data/scripts/adder"] = program
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"adding-{version}-py3-none-any.whl", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def _suite(folder: Path, more: str, reference: str = "from adding import add as total\n") -> Suite:
    files = {
        "task.toml": TOML.format(name="one", more=textwrap.dedent(more)),
        "instruction.md": "Write pkg.sums.total.",
        "environment/workspace/pyproject.toml": "[project]\nname = 'pkg'\n",
        "environment/workspace/src/pkg/__init__.py": "",
        "environment/workspace/tests/test_total.py": VISIBLE,
        "solution/reference/src/pkg/sums.py": reference,
        "tests/check_total.py": HIDDEN,
    }
    for name, text in files.items():
        path = folder / "one" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return load_suite(folder)


def _prepared(suite: Suite) -> Suite:
    return anyio.run(prepare_suite, suite)


def _proved(task: Task) -> dict[str, str]:
    proof = anyio.run(check_task, task, open_sandbox)
    return {claim.text: claim.detail for claim in proof.claims if not claim.holds}


def test_a_task_with_packages_in_src_is_proved_and_installs_nothing(tmp_path: Path) -> None:
    suite = _suite(tmp_path / "suite", "", "def total(numbers):\n    return sum(numbers)\n")
    assert suite.tasks[0].preparation.pythonpath == ("src",)
    assert _prepared(suite) is suite
    assert _proved(suite.tasks[0]) == {}


@pytest.mark.slow
def test_dependencies_are_installed_once_and_offered_to_work_and_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = _suite(tmp_path / "suite", 'dependencies = ["adding>=1,<1.1"]')
    task = _prepared(suite).tasks[0]
    (line,) = task.preparation.installed
    assert line.startswith("adding==1.0 sha256:")
    assert task.hash != suite.tasks[0].hash
    assert _proved(task) == {}
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "gone"))
    assert _prepared(suite).tasks[0] == task  # from the cache


@pytest.mark.slow
@pytest.mark.parametrize(("program", "shown"), [("\x7fELF, as it were", True), ("#!python\n", False), ("", False)])
def test_programs_of_a_package_are_shown_and_its_scripts_are_not(tmp_path: Path, program: str, shown: bool) -> None:
    _wheel(tmp_path / "wheels", "1.2", program)
    layout = preparation_layout(Preparation(installed=installed_versions(["adding==1.2"])))
    assert ("bin" in layout.packages) is shown


@pytest.mark.slow
def test_a_task_prepared_elsewhere_gets_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = _prepared(_suite(tmp_path / "suite", 'dependencies = ["adding==1.0"]'))
    monkeypatch.setenv("HONESTLY_ENVIRONMENTS", str(tmp_path / "other machine"))
    with pytest.raises(TaskError, match="are not in"):
        anyio.run(check_task, suite.tasks[0], open_sandbox)
    assert _prepared(suite) is suite
    assert _proved(suite.tasks[0]) == {}


@pytest.mark.slow
def test_a_file_with_another_hash_is_not_installed(tmp_path: Path) -> None:
    suite = _suite(tmp_path / "suite", f'dependencies = ["adding==1.0 --hash=sha256:{"0" * 64}"]')
    with pytest.raises(TaskError, match=r"task one: .*hash"):
        _prepared(suite)


@pytest.mark.slow
def test_a_package_that_is_not_there_is_named(tmp_path: Path) -> None:
    suite = _suite(tmp_path / "suite", 'dependencies = ["no-such-package==3"]')
    with pytest.raises(TaskError, match="No matching distribution found for no-such-package"):
        _prepared(suite)
    assert not list((tmp_path / "cache" / "work").iterdir())


@pytest.mark.parametrize(
    "declared", ["--index-url=x", "https://x.example/y.whl", "../here", "-r file", "adding @ file:///x", "adding\n-r x"]
)
def test_options_addresses_and_paths_are_no_dependencies(tmp_path: Path, declared: str) -> None:
    with pytest.raises(TaskError, match="dependencies"):
        _suite(tmp_path / "suite", f"dependencies = [{json.dumps(declared)}]")


@pytest.mark.slow
def test_a_set_up_command_runs_once_with_the_dependencies_and_its_files_are_the_workspace(tmp_path: Path) -> None:
    more = """
        dependencies = ["adding==1.1"]
        setup = "python3 -c 'import adding, time; open(\\"made.txt\\", \\"w\\").write(adding.VERSION + str(time.time_ns()))'"
    """
    suite = _suite(tmp_path / "suite", more)
    task = _prepared(suite).tasks[0]
    assert task.workspace.files["made.txt"].data.startswith(b"1.1")
    assert _prepared(suite).tasks[0] == task
    assert _prepared(suite).hash == _prepared(suite).hash
    assert _proved(task) == {}


def test_a_set_up_command_that_fails_shows_what_it_wrote_last(tmp_path: Path) -> None:
    suite = _suite(tmp_path / "suite", 'setup = "echo making; echo it broke >&2; exit 7"')
    with pytest.raises(TaskError, match=r"task one: .* ended with 7(?s:.*)no network(?s:.*)it broke"):
        _prepared(suite)
    assert not (tmp_path / "cache" / "set-up").exists()


def test_a_set_up_command_reaches_the_hosts_of_its_list_only(tmp_path: Path) -> None:
    more = """
        setup = "python3 -c 'import urllib.request as u; u.urlopen(\\"http://elsewhere.example/\\")'"
        setup_allow = ["named.example"]
    """
    with pytest.raises(TaskError, match=r"setup_allow does not let it reach elsewhere\.example:80"):
        _prepared(_suite(tmp_path / "suite", more))


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ('pythonpath = ["lib"]', "pythonpath names 'lib', which is not a folder"),
        ('pythonpath = ["../out"]', "pythonpath names '../out'"),
        ('setup_allow = ["a.example"]', "there is no setup"),
        ('setup = "true"\nsetup_allow = ["http://a.example/x"]', "setup_allow"),
    ],
)
def test_what_is_declared_wrongly_is_refused_with_its_file(tmp_path: Path, more: str, match: str) -> None:
    with pytest.raises(TaskError, match=match):
        _suite(tmp_path / "suite", more)


@pytest.mark.slow
def test_what_the_work_puts_in_place_of_a_dependency_does_not_replace_it(tmp_path: Path) -> None:
    suite = _prepared(_suite(tmp_path / "suite", 'dependencies = ["adding==1.0"]'))
    task = suite.tasks[0]
    work = Tree.of({"src/pkg/sums.py": b"import os\nos.unlink(__import__('adding').__file__)\n"}).over(task.workspace)

    async def judged() -> bool | None:
        return (await verify(task, work, seed=1, open_box=open_sandbox)).honest

    assert anyio.run(judged) is False
    assert (packages_folder(installed_versions(["adding==1.0"])) / "adding.py").is_file()


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["lib", "."]'}, ("lib", ".")),
        ({"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = "../out lib"'}, ("lib",)),
        ({"pytest.ini": "[pytest]\npythonpath = lib other\n"}, ("lib", "other")),
        ({"setup.cfg": "[tool:pytest]\npythonpath = lib\n", "src/a/__init__.py": ""}, ("lib",)),
        ({"setup.py": "", "src/a/__init__.py": ""}, ("src",)),
        ({"setup.py": "", "src/a.py": ""}, ("src",)),
        ({"src/a/__init__.py": ""}, ()),
        ({"setup.py": "", "src/__init__.py": "", "src/a.py": ""}, ()),
        ({"pyproject.toml": "not toml ["}, ()),
    ],
)
def test_where_packages_lie_is_read_from_the_workspace(files: dict[str, str], expected: tuple[str, ...]) -> None:
    assert pythonpath_of(Tree.of(files)) == expected


def test_a_task_that_declares_memory_has_it_in_every_sandbox(tmp_path):
    toml = TOML.format(name="large", more="[environment]\nmemory_mb = 1024")
    files = {"task.toml": toml, "instruction.md": "", "environment/workspace/tests/test_total.py": VISIBLE,
             "tests/check_total.py": HIDDEN, "solution/reference/pkg/sums.py": ""}  # fmt: skip
    for path, text in files.items():
        (tmp_path / "large" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "large" / path).write_text(text)
    declared = load_suite(tmp_path / "large").tasks[0].preparation
    assert declared.memory_mb == 1024
    command = ["python3", "-c", "print(len(bytearray(700 << 20)))"]

    async def exit_code(preparation):
        async with furnished_opener(preparation, open_sandbox)(Tree()) as box:
            return (await box.exec(command)).code

    assert anyio.run(exit_code, declared) == 0
    assert anyio.run(exit_code, replace(declared, memory_mb=None)) != 0
