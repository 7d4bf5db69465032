"""Attacks on the program that judges: solutions and check files that would crash it, or make it misjudge others."""

from functools import partial

import anyio
import pytest

from honestly.errors import VerifierError
from honestly.records import Tree, encode
from honestly.sandbox import open_sandbox
from honestly.verify import verify

from .conftest import GOOD, text
from .test_verdicts import judged, statuses, with_hidden, with_visible

AFTER = """
        def test_after(ws):
            assert ws.load("calc").add(1, 2) == 3
"""


def test_messages_that_are_no_text_can_be_stored(task):
    checks = "def test_it(ws):\n    ws.load('calc').add(1, 2)\n"
    verdict = judged(with_hidden(task, checks, "test_it"), "def add(a, b): raise ValueError('\\ud800')\n")
    assert r"\ud800" in verdict.hidden.checks[0].message
    assert encode(verdict)


def test_a_visible_failure_that_is_no_text_is_no_tampering(task):
    source = """
        import unittest
        class TestAdd(unittest.TestCase):
            def test_small(self): self.fail("\\ud800")
            def test_zero(self): self.skipTest("\\ud800")
    """
    verdict = judged(with_visible(task, source))
    assert statuses(verdict.visible) == ["failed", "skipped"]
    assert verdict.tampered == ()


@pytest.mark.parametrize(
    "request_",
    [
        "ws.run(['true'], env={'PORT': 80})",
        "ws.run(['true'], stdin=b'bytes')",
        "ws.run([5])",
        "ws.run(['true'], timeout=10**400)",
        "ws.run([])",
        "ws.read(5)",
        "ws.read('../x')",
        "ws.write('x', 5)",
        "ws._wire.host('no such request')",
        "ws._wire.host(['unhashable'])",
    ],
)
def test_a_malformed_request_of_a_check_is_that_checks_error(task, request_):
    checks = f"def test_it(ws):\n    {request_}\n" + text(AFTER)
    assert statuses(judged(with_hidden(task, checks, "test_it", "test_after")).hidden) == ["error", "passed"]


@pytest.mark.parametrize("frame", ['b"nonsense"', """b'["wonderful","x"]'""", """b'["passed",5]'""", "b'5'"])
def test_checks_that_forge_frames_to_the_host_are_an_error_of_the_verifier(task, frame):
    checks = f"def test_it(ws):\n    ws._wire._host.send(b'D', {frame})\n"
    with pytest.raises(VerifierError, match="not a result"):
        judged(with_hidden(task, checks, "test_it"))


def test_a_file_too_large_for_the_wire_is_not_read_into_it(task):
    checks = "def test_it(ws):\n    ws.load('calc').add(1, 2)\n    ws.read('big')\n"
    calc = """
        def add(a, b):
            with open("big", "wb") as file: file.truncate(26 << 20)
    """
    run = judged(with_hidden(task, checks, "test_it"), calc).hidden
    assert "too many for the wire" in run.checks[0].message


def test_nothing_that_a_check_leaves_behind_reaches_the_next(task):
    checks = """
        def test_leaves_things(ws):
            found = ws.load("calc").leave()
            assert found == [], found

        def test_finds_nothing(ws):
            found = ws.load("calc").leave()
            assert found == [], found
    """
    calc = """
        import glob, os, time
        PLACES = ("/workspace", "/tmp", "/dev/shm")
        def leave():
            found = [path for place in PLACES for path in glob.glob(place + "/**/*", recursive=True)]
            found = [path for path in found if path != "/workspace/calc.py" and "/tests" not in path and "__pycache__" not in path]
            others = {name for name in os.listdir("/proc") if name.isdigit()} - {"1", str(os.getpid())}
            time.sleep(0.3)  # who has been killed may be seen for a moment
            found += sorted(others & set(os.listdir("/proc")))
            for place in PLACES:
                os.makedirs(place + "/deep/er")
                open(place + "/deep/er/note", "w").close()
                os.chmod(place + "/deep", 0)
                os.symlink("/", place + "/link")
                os.mkfifo(place + "/pipe")
            open("calc.py", "w").write("1/0")
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(1000)
                os._exit(0)
            return found
    """
    run = judged(with_hidden(task, checks, "test_leaves_things", "test_finds_nothing"), calc).hidden
    assert statuses(run) == ["passed", "passed"], run


def test_a_slot_that_a_check_filled_is_replaced(task):
    checks = """
        def test_fills(ws):
            ws.load("calc").fill()

        def test_goes_on(ws):
            assert ws.load("calc").add(1, 2) == 3
    """
    calc = """
        def add(a, b): return a + b
        def fill():
            for n in range(15_000):
                open(f"/tmp/{n}", "w").close()
    """
    run = judged(with_hidden(task, checks, "test_fills", "test_goes_on"), calc).hidden
    assert statuses(run) == ["passed", "passed"], run


def test_an_empty_workspace_is_judged(task):
    checks = "def test_it(ws):\n    assert ws.files() == []\n"
    tried = with_hidden(task, checks, "test_it")
    verdict = anyio.run(lambda: verify(tried, Tree(), seed=1, open_box=open_sandbox))
    assert verdict.hidden.passed, verdict


def test_without_a_sandbox_verdicts_are_the_same_and_trials_do_not_meet(task):
    checks = (
        """
        def test_files(ws):
            ws.write("new.txt", "x")
            assert ws.read("new.txt") == "x"
            assert "new.txt" in ws.files()
            assert ws.run(["python3", "-c", "import calc; print(calc.add(2, 3))"]).stdout == "5\\n"
    """
        + AFTER
    )
    tried = with_hidden(task, checks, "test_files", "test_after")
    final = Tree.of({"calc.py": text(GOOD)}).over(task.workspace)
    verdicts = []

    async def one():
        verdicts.append(await verify(tried, final, seed=1, open_box=partial(open_sandbox, unsafe=True)))

    async def several():
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(one)

    anyio.run(several)
    assert [verdict.hidden.passed for verdict in verdicts] == [True] * 3, verdicts
