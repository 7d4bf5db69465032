"""What a user's editor and `help()` see: types, and the text of each public field."""

import importlib
import pkgutil
import pydoc
import subprocess
import sys

import pytest

import honestly
from honestly.records import Usage
from honestly.stats import Policy


def test_help_shows_the_text_of_fields():
    shown = pydoc.plain(pydoc.render_doc(Usage))
    assert "The usage of a trial." in shown
    assert "usd: Cost in US dollars." in shown
    assert "limit: The agent ran out of time" in (Policy.__doc__ or "")


def test_a_class_of_a_users_own_has_its_own_docstring():
    class Mine(Policy):
        pass

    class Told(Policy):
        """Mine."""

    assert (Mine.__doc__, Told.__doc__) == (None, "Mine.")


@pytest.mark.slow
def test_most_public_classes_say_what_their_fields_are():
    rooms = [importlib.import_module(f"honestly.{found.name}") for found in pkgutil.iter_modules(honestly.__path__)]
    public = [getattr(room, name) for room in rooms for name in getattr(room, "__all__", [])]
    fields = [each for each in public if isinstance(each, type) and hasattr(each, "__match_args__")]
    described = [each for each in fields if "\nAttributes:\n" in (each.__doc__ or "")]
    assert len(described) > 0.9 * len(fields) > 250


@pytest.mark.slow
def test_a_users_type_checker_sees_types(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import honestly\nfrom honestly.records import Usage\nreveal_type(Usage().usd)\nreveal_type(honestly.open)\nUsage(usd='x')\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "mine.py"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    assert 'mine.py:3: note: Revealed type is "float | None"' in said.replace(
        "Union[builtins.float, None]", "float | None"
    ).replace("builtins.float", "float"), said
    assert '-> honestly.studies._study.Study"' in said, said
    assert 'mine.py:5: error: Argument "usd" to "Usage" has incompatible type' in said
    assert "import-untyped" not in said
