"""What `bench/house.py` counts: goals that are reached stay reached, and those that are not get no worse."""

import ast
import re
import runpy
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_house_gets_no_harder_to_live_in():
    now = runpy.run_path(str(ROOT / "bench" / "house.py"))["measured"](ROOT)
    assert now["names with five return types"] == {}
    assert now["circles of files"] == []
    assert now["public names nobody uses"] == []
    assert now["one-word functions, %"] < 35
    # goals that are not reached: CONTRIBUTING.md
    assert now["... in 1,000 lines"] < 14.2
    assert now["lines"] < 216_000
    assert now["private imports in tests"] < 450
    audit = (ROOT / "src" / "honestly" / "audit").rglob("*.py")
    assert sum(len(path.read_text().splitlines()) for path in audit) < 19_900
    guard = [path for room in ("guard", "permissions") for path in (ROOT / "src" / "honestly" / room).rglob("*.py")]
    assert sum(len(path.read_text().splitlines()) for path in guard) < 12_200


IMPORT = re.compile(r"(?<!\w)from (honestly[\w.]*) import (\([^)]*\)|\w+(?:, *\w+)*)")


def test_programs_inside_of_strings_and_pages_import_what_there_is():
    """Programs that only slow tests and benches run would else be found broken long after a name has changed."""
    wrong, seen = [], 0
    for path in [each for folder in ("bench", "docs", "suites", "tests") for each in (ROOT / folder).rglob("*")]:
        if path.suffix not in (".py", ".md", ".toml", ".sh"):
            continue
        for module, names in IMPORT.findall(path.read_text(errors="replace")):
            try:
                found = import_module(module)
            except ModuleNotFoundError as error:
                if (error.name or "").startswith("honestly"):
                    wrong.append((path.name, module))
                continue
            for name in re.findall(r"\w+", re.sub(r"#.*| as \w+", "", names)):
                seen += 1
                if not hasattr(found, name) and not _is_module(f"{module}.{name}"):
                    wrong.append((path.name, f"{module}.{name}"))
    assert not wrong
    assert seen > 5_000


def test_rooms_that_are_loaded_by_name_have_what_is_asked_of_them():
    """No type checker looks at them: a name that changed would else end in a traceback."""
    asked = set()
    for path in (ROOT / "src" / "honestly").rglob("*.py"):
        tree = ast.parse(path.read_text())
        rooms = {ast.unparse(n.targets[0]): ast.unparse(n.value) for n in ast.walk(tree) if isinstance(n, ast.Assign)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                text = ast.unparse(node.value)
                if found := re.fullmatch(r"import_module\((_ON_TOP\[.*?\]|'honestly[.\w]*')\)", rooms.get(text, text)):
                    here = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
                    asked.add((eval(found[1], vars(import_module(here))), node.attr))
    assert len(asked) >= 10
    assert [(room, name) for room, name in sorted(asked) if not hasattr(import_module(room), name)] == []


def _is_module(name: str) -> bool:
    try:
        import_module(name)
    except ModuleNotFoundError:
        return False
    return True
