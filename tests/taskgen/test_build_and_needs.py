"""What a project needs: read from all the files that may say so, from its build, and from what its tests lack."""

import gettext
import io
import subprocess
from dataclasses import replace
from functools import partial

import anyio
import pytest

from honestly.records import Checks, Preparation, Tree
from honestly.sandbox import open_sandbox
from honestly.taskgen import bare_settings, open_repository
from honestly.taskgen._built import BuiltProject, _read_wheel, built_project
from honestly.taskgen._catalogues import missing_catalogues
from honestly.taskgen._content import refused_by_content
from honestly.taskgen._measured import States, _hidden_tests
from honestly.taskgen._needs import ALL, needs_of
from honestly.tasks.preparation._install import _remove_package
from honestly.verify import see_tests


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", '[dependency-groups]\ntests = ["freezing>=1"]\n'),
        ("pyproject.toml", '[dependency-groups]\ntests = [{include-group = "more"}]\nmore = ["freezing>=1"]\n'),
        ("pyproject.toml", '[project.optional-dependencies]\nfast = ["freezing>=1"]\n'),
        ("pyproject.toml", '[tool.poetry.group.ci.dependencies]\nfreezing = ">=1"\n'),
        ("pyproject.toml", '[tool.hatch.envs.x]\nextra-dependencies = ["freezing>=1"]\n'),
        ("hatch.toml", '[envs.x]\ndependencies = ["freezing>=1"]\n'),
        ("pyproject.toml", '[tool.pdm.dev-dependencies]\nx = ["freezing>=1"]\n'),
        ("pyproject.toml", '[tool.uv]\ndev-dependencies = ["freezing>=1"]\n'),
        ("pyproject.toml", '[tool.flit.metadata.requires-extra]\ntest = ["freezing>=1"]\n'),
        ("pyproject.toml", '[tool.tox.env_run_base]\ndeps = ["freezing>=1"]\n'),
        ("pyproject.toml", '[tool.tox]\nlegacy_tox_ini = """\n[testenv]\ndeps =\n    freezing>=1\n"""\n'),
        ("tox.ini", "[testenv:x]\ndeps =\n    py3: freezing>=1\n"),
        ("noxfile.py", "import nox\n@nox.session\ndef tests(session):\n    session.install('freezing>=1', '-e', '.')\n"),
        ("Pipfile", '[dev-packages]\nfreezing = ">=1"\n'),
        ("requirements/ci.txt", "freezing>=1\n"),
        ("setup.cfg", "[options.extras_require]\nwhatever =\n    freezing>=1\n"),
        ("setup.py", "from setuptools import setup\nsetup(extras_require={'whatever': ['freezing>=1']})\n"),
        (".travis.yml", "install:\n  - pip install -U pytest 'freezing>=1' .\n"),
        (".github/workflows/ci.yml", "      - run: python -m pip install freezing>=1 -r x.txt && pytest\n"),
        ("tox.ini", "[testenv]\ndeps =\n    old: freezing<1\n    new: freezing>=1\n"),
    ],
)  # fmt: skip
def test_what_tests_import_is_found_wherever_it_is_declared(path, text):
    assert needs_of(Tree.of({path: text, "test_it.py": "import freezing\n"})).free == ("freezing>=1",)


def test_files_of_requirements_are_followed():
    files = {
        "tox.ini": "[testenv]\ndeps = -rci/all.txt\n",
        "ci/all.txt": "-r more/x.txt\n",
        "ci/more/x.txt": "freezing\n",
    }
    assert needs_of(Tree.of({**files, "test_it.py": "import freezing\n"})).free == ("freezing",)


def test_plug_ins_are_taken_and_what_tests_turn_out_to_lack():
    tree = Tree.of({
        "pyproject.toml": '[dependency-groups]\ndev = ["pytest-moons", "snapping", "linting"]\ndocs = ["drawing"]\n',
        "uv.lock": '[[package]]\nname = "typing-more"\nversion = "4.5"\n', "test_it.py": "",
    })  # fmt: skip
    assert needs_of(tree).free == ("pytest-moons",)
    assert needs_of(tree, lacking={ALL}).free == ("linting", "pytest-moons", "snapping")
    assert needs_of(tree, lacking={"pkg_resources"}).free == ("setuptools<81", "pytest-moons")
    assert needs_of(tree, lacking={"typing_more", "drawing"}).free == ("drawing", "pytest-moons", "typing-more==4.5")
    # A module of another name than its package: any of those for tests may bring it.
    assert needs_of(tree, lacking={"winter"}).free == ("linting", "pytest-moons", "snapping")


def test_a_package_is_known_by_its_name_in_any_letters():
    files = {"tests/requirements.txt": "MarkedUp\n", "test_it.py": "from MarkedUp import x\n"}
    assert needs_of(Tree.of(files)).free == ("MarkedUp",)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [("pytest>=8.2,<9", "pytest<9"), ("pytest<7", "pytest"), ("pytest>=6", "pytest"), ("pytest<=8", "pytest<=8")],
)
def test_the_bound_on_pytest_is_kept_where_such_a_pytest_runs(said, wanted):
    assert needs_of(Tree.of({"pyproject.toml": f'[project]\ndependencies = ["{said}"]\n'})).pytest == wanted


def test_plug_ins_that_only_report_or_check_style_are_no_need_of_tests():
    lines = '[dependency-groups]\ndev = ["pytest-pep8", "pytest-sugar", "pytest-pythonpath", "pytest-mock", "pytest-randomly"]\n'
    assert needs_of(Tree.of({"pyproject.toml": lines})).free == ("pytest-mock",)


def test_a_build_says_what_is_required_and_of_its_extras_what_tests_import():
    built = BuiltProject(name="us", requires=("adding>=1", "freezing; extra == 'cold'", "melting; extra == 'hot'"))
    tree = Tree.of({"pyproject.toml": '[project]\ndependencies = ["old"]\n', "test_it.py": "import freezing\n"})
    assert needs_of(tree, built).free == ("adding>=1", "freezing")


def test_what_a_wheel_adds_lies_where_its_package_does(tmp_path):
    import zipfile

    files = {"lib/us/__init__.py": "from us._version import version\n", "pyproject.toml": ""}
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as wheel:
        wheel.writestr("us/__init__.py", files["lib/us/__init__.py"])
        wheel.writestr("us/_version.py", "version = '3'\n")
        wheel.writestr(
            "us-3.dist-info/METADATA", "Metadata-Version: 2.1\nName: Us\nVersion: 3\nRequires-Dist: a>1\n\nLong.\n"
        )
        wheel.writestr("us-3.dist-info/entry_points.txt", "[pytest11]\nus = us\n")
    built = _read_wheel(into.getvalue(), Tree.of(files))
    assert (built.name, built.requires, built.pythonpath) == ("us", ("a>1",), ("lib",))
    assert set(built.made.files) == {
        "lib/us/_version.py",
        "lib/Us.egg-info/PKG-INFO",
        "lib/Us.egg-info/entry_points.txt",
    }
    assert b"Long" not in built.made.files["lib/Us.egg-info/PKG-INFO"].data


def test_a_build_runs_in_a_sandbox_with_a_backend_of_the_project(tmp_path, monkeypatch):
    monkeypatch.setenv("HONESTLY_ENVIRONMENTS", str(tmp_path))
    backend = """
import os, zipfile
def build_wheel(folder, settings, metadata):
    assert not os.path.exists("OUTSIDE")
    with zipfile.ZipFile(os.path.join(folder, "us-1-py3-none-any.whl"), "w") as wheel:
        wheel.writestr("us.py", open("us.py").read())
        wheel.writestr("us-1.dist-info/METADATA", "Name: us\\nVersion: " + os.environ["SETUPTOOLS_SCM_PRETEND_VERSION"] + "\\n")
    return "us-1-py3-none-any.whl"
""".replace("OUTSIDE", str(tmp_path))
    files = {
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "making"\nbackend-path = ["."]\n',
        "us.py": "x = 1\n",
    }
    built = anyio.run(
        partial(built_project, Tree.of({**files, "making.py": backend}), "7.5", open_sandbox, unsafe=False)
    )
    assert (built.name, built.note) == ("us", "")
    assert b"Version: 7.5" in built.made.files["us.egg-info/PKG-INFO"].data
    broken = anyio.run(
        partial(built_project, Tree.of({**files, "making.py": "raise OSError('no')"}), "1", open_sandbox, unsafe=False)
    )
    assert "was not built" in broken.note


@pytest.mark.parametrize(
    ("addopts", "kept"),
    [
        ("--cov=us --cov-report xml -n auto -p no:cov --import-mode=importlib", "-p no:cov --import-mode=importlib"),
        ("-m 'not stress' --strict-markers --lf", "-m 'not stress' --strict-markers"),
        ("--cov us --no-cov-on-fail --pep8 --flakes --doctest-modules", "--doctest-modules"),
    ],
)
def test_settings_keep_what_says_how_tests_are_read(addopts, kept):
    files = Tree.of(
        {
            "pyproject.toml": f'[tool.pytest.ini_options]\naddopts = "{addopts}"\nasyncio_mode = "auto"\nxfail_strict = true\n'
        }
    )
    text = bare_settings(files).files["pytest.ini"].data.decode()
    assert text == f"[pytest]\nasyncio_mode = auto\nxfail_strict = true\naddopts = {kept}\n"
    assert bare_settings(Tree.of({"pytest.ini": "[pytest]\nmarkers = a\n"})).files.keys() == {"pytest.ini"}


def test_the_project_itself_is_not_among_what_others_require(tmp_path):
    for name in ("us", "others"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / f"{name}-1.dist-info" / "RECORD").write_text(
            f"{name}/__init__.py,,\n{name}-1.dist-info/RECORD,,\n../../etc/x,,\n"
        )
    _remove_package(tmp_path, "us")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["others", "others-1.dist-info"]


def test_a_folder_of_a_repository_is_read_as_a_whole_one(history, tmp_path):
    history.commit("Back", {"backend/us.py": "x = 1\n", "front.js": "1"})
    last = history.commit(
        "Both", {"backend/us.py": "x = 2\n", "backend/tests/test_us.py": "import us\n", "front.js": "2"}
    )
    with open_repository(history.folder, "backend") as repository:
        commit = repository.commits_from("HEAD", 1)[0]
        assert commit.sha == last
        assert commit.changed == {"us.py": "M", "tests/test_us.py": "A"}
        assert set(repository.tree(commit.sha).files) == {"us.py", "tests/test_us.py"}
        assert repository.commit_files(commit.sha, ["us.py"]) == {"us.py": b"x = 2\n"}
        git = repository.history_until(commit.parents[0], whole=True)
    for name, file in git.files.items():
        (tmp_path / "out" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "out" / name).write_bytes(file.data)
    said = subprocess.run(
        ["git", "-C", tmp_path / "out", "ls-tree", "-r", "--name-only", "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split() == ["us.py"]


PO = """
# Somebody
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

#: us.py:3
msgid "a %(n)s day"
msgid_plural "%(n)s days"
msgstr[0] "ein Tag"
msgstr[1] "%(n)s "
"Tage"

msgctxt "month"
msgid "May"
msgstr "Mai \\"x\\""

#, fuzzy
msgid "now"
msgstr "nie"

#~ msgid "old"
#~ msgstr "alt"
"""


def test_translations_are_made_of_their_texts_where_a_build_would_make_them():
    texts = {
        "us/locale/de/LC_MESSAGES/us.po": PO,
        "a/LC_MESSAGES/a.po": PO,
        "a/LC_MESSAGES/a.mo": "",
        "docs/LC_MESSAGES/b.po": PO,
    }
    made = missing_catalogues(Tree.of(texts)).files
    assert list(made) == ["us/locale/de/LC_MESSAGES/us.mo"]
    read = gettext.GNUTranslations(io.BytesIO(made["us/locale/de/LC_MESSAGES/us.mo"].data))
    assert [read.ngettext("a %(n)s day", "", n) for n in (1, 2)] == ["ein Tag", "%(n)s Tage"]
    assert (read.pgettext("month", "May"), read.gettext("now"), read.gettext("old")) == ('Mai "x"', "now", "old")


def test_cases_of_tests_may_be_broken_and_are_run_by_the_tests_beside_them(history):
    history.commit(
        "Look", {"us.py": "x = 1\n", "testsuite/E1.py": "", "testsuite/test_all.py": "def test_all(): pass\n"}
    )
    history.commit("See more", {"us.py": "x = 2\n", "testsuite/E1.py": "#: E1\nif a :\nb = 1\n"})
    with open_repository(history.folder) as repository:
        commit = repository.commits_from("HEAD", 1)[0]
        assert refused_by_content(repository, commit) == ""
        tree = repository.tree(commit.sha)
    states = States(tree, tree, tree, ("testsuite/E1.py",), Preparation())
    assert _hidden_tests(states).expected == ("testsuite/test_all.py",)
    held = Tree.of({"testsuite/more.py": "class TestMore:\n    pass\n"}).over(tree)
    own = replace(states, after=held, touched=("testsuite/more.py",))
    assert _hidden_tests(own).expected == ("testsuite/more.py",)
    reads = Tree.of({"testsuite/test_cases.py": "CASES = ['more']\n\ndef test_cases(): pass\n"}).over(held)
    assert _hidden_tests(replace(own, after=reads)).expected == ("testsuite/more.py", "testsuite/test_cases.py")


def test_programs_that_tests_start_find_the_project_too():
    test = (
        "import subprocess, sys\n\ndef test_it(tmp_path):\n"
        "    subprocess.run([sys.executable, '-c', 'import us'], cwd=tmp_path, check=True)\n"
    )
    checks = Checks(runner="pytest", files=Tree.of({"test_us.py": test}), expected=("test_us.py",))
    seen = anyio.run(partial(see_tests, checks, Tree.of({"us.py": ""}), Preparation(), open_sandbox, hidden=True))
    assert seen.passed == {"test_us.py::test_it"}
