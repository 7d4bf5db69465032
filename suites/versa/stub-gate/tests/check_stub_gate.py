"""Hidden checks of stub-gate: mypy on right and wrong uses, and stubtest, in a folder that holds the stubs and nothing else
of the workspace's."""

import re
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = {"PYTHONPATH": "/opt/packages"}
LIBRARY = (HERE / "library.py").read_text()
USES = (HERE / "uses.py").read_text()
MISUSES = (HERE / "misuses.txt").read_text().splitlines()
CONFIG = '[tool.mypy]\nstrict = true\npython_version = "3.11"\nmypy_path = "stubs"\n'


def stubs(ws):
    """The stubs' files."""
    return [path for path in ws.files() if path.startswith("stubs/")]


def mypy(ws, files, options=""):
    """Runs mypy over files beside copies of the stubs."""
    ws.run(["rm", "-rf", "gate"])
    for path in stubs(ws):
        ws.write(f"gate/{path}", ws.read(path))
    ws.write("gate/pyproject.toml", CONFIG)
    for path, text in files.items():
        ws.write(f"gate/{path}", text)
    command = f"cd gate && python3 -m mypy --cache-dir=/dev/null {options} {' '.join(files)} stubs"
    return ws.run(["sh", "-c", command], env=PACKAGES, timeout=90)


def test_nothing_is_left_open(ws):
    """Stubs of tinyq only, without the words that switch types off."""
    for path in stubs(ws):
        assert path.startswith("stubs/tinyq/") and path.endswith(".pyi"), path
        found = re.search(r"\bAny\b|Incomplete|__getattr__|type:\s*ignore|mypy:", ws.read(path))
        assert found is None, (path, found)


def test_uses(ws):
    """Right uses have no error, each wrong one has; nothing of a stub is an Any."""
    first = USES.count("\n") + 1
    wrong = USES + "".join(f"{line}\n" for line in MISUSES)
    done = mypy(ws, {"uses.py": USES, "misuses.py": wrong})
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert all(line.startswith("misuses.py:") for line in lines), done.stdout
    found = {int(line.split(":")[1]) for line in lines}
    missed = [line for number, line in enumerate(MISUSES, first) if number not in found]
    assert not missed, missed
    assert min(found) >= first, done.stdout


def test_stubtest(ws):
    """The stubs agree with the library."""
    ws.run(["rm", "-rf", "gate"])
    for path in stubs(ws):
        ws.write(f"gate/{path}", ws.read(path))
    ws.write("gate/library/tinyq/__init__.py", LIBRARY)
    env = {"PYTHONPATH": "/opt/packages:library", "MYPYPATH": "stubs"}
    done = ws.run(["sh", "-c", "cd gate && python3 -m mypy.stubtest tinyq"], env=env, timeout=90)
    assert done.code == 0, done
