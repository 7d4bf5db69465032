"""Many solutions in series: each gets what it would get alone, whatever those around it do."""

import socket
import sys
from pathlib import Path

import anyio
import pytest

from honestly.errors import SandboxBusyError
from honestly.records import Checks, Edit, Hidden, Task, Tree, Verdict
from honestly.sandbox import WarmSandbox, open_sandbox
from honestly.sandbox._guest._cpu_time import is_crowded
from honestly.verify import Slots, Submission, verify_each
from honestly.verify.wire._nursery import make_nursery

from .conftest import GOOD, text

pytestmark = pytest.mark.slow

SHORT = """
    def test_it(ws):
        with ws.limit(1):
            assert ws.load("calc").add(1, 2) == 3
"""
FILES = """
    def test_it(ws):
        ws.write("n", "3")
        assert ws.run(["cat", "n"]).stdout == "3"
        assert ws.load("calc").add(1, 2) == 3
"""


def task_with(checks, *names):
    files = Tree.of({"check_calc.py": text(checks)})
    expected = tuple(f"check_calc.{name}" for name in names)
    return Task(
        id="series",
        instruction="add",
        hidden=Hidden(checks=Checks(runner="grader", files=files, expected=expected, timeout_s=20.0), reference=Edit()),
    )


def judged(tasks, sources, opened=open_sandbox):
    """Verdicts on sources, in their order, of one task or of several in turn; and how many sandboxes were opened."""
    turns = tasks if isinstance(tasks, list) else [tasks]
    found, count = {}, [0]

    def open_box(*args, **kwargs):
        count[0] += 1
        return opened(*args, **kwargs)

    async def run():
        async with Slots(open_box) as slots:
            cases = [
                Submission(turns[seed % len(turns)], Tree.of({"calc.py": text(source)}), seed)
                for seed, source in enumerate(sources)
            ]
            await verify_each(cases, slots, found.__setitem__)
            for _ in range(20):  # what failed on a crowded machine, and did not again, is judged anew, as in a run
                busy = [at for at, verdict in found.items() if isinstance(verdict, SandboxBusyError)]
                some = dict(enumerate(busy))
                await verify_each(
                    [cases[at] for at in busy], slots, lambda at, said, of=some: found.update({of[at]: said})
                )

    anyio.run(run)
    assert all(isinstance(verdict, Verdict) for verdict in found.values())
    return [[check.status for check in found[at].hidden.checks] for at in range(len(sources))], count[0]


def of_the_slow_one():
    """How many sandboxes an answer may need that came too late: none, but on a crowded machine it is judged twice more."""
    return (0, 1, 2) if is_crowded() else (0,)


def test_an_answer_that_keeps_the_grader_busy_is_known_by_its_name_and_not_tried_again():
    checks = """
        def test_it(ws):
            with ws.limit(0.5):
                assert sum(ws.load("calc").answer()) == 3
    """
    busy, right, found = "def answer(): return range(10**18)\n", "def answer(): return [1, 2]\n", {}

    async def run():
        async with Slots(open_sandbox) as slots:
            task = task_with(checks, "test_it")
            cases = [Submission(task, Tree.of({"calc.py": source}), 1) for source in (right, busy, right)]
            await verify_each(cases, slots, found.__setitem__)

    anyio.run(run)
    one = {at: verdict.hidden.checks[0] for at, verdict in found.items()}
    assert [one[at].status for at in range(3)] == ["passed", "error", "passed"]
    assert (one[1].ended, one[1].seconds) == ("grader", 0.0)  # what is run by itself takes time


def test_a_solution_gets_what_it_deserves_whatever_those_around_it_do(tmp_path):
    wrong = "def add(a, b): return a - b\n"
    sources = [
        GOOD,
        "import os\nos._exit(0)\n",
        wrong,
        "while True: pass\n",
        GOOD,
        "def add(a, b):\n    import os\n    os.kill(os.getpid(), 9)\n",
        "import os\nfor fd in range(3, 99):\n    try: os.write(fd, b'x' * 99)\n    except OSError: pass\n" + text(GOOD),
        "import os, time\nfor _ in range(20):\n    if os.fork() == 0: time.sleep(1000)\n" + text(GOOD),
        "def add(a, b):\n    open('left', 'w').write('x')\n    return 3\n",
        "import os\ndef add(a, b): return 3 if not os.path.exists('left') and len(os.listdir('/proc/self/fd')) < 9 else 0\n",
        "not python",
        GOOD,
    ]
    statuses, opened = judged(task_with(SHORT, "test_it"), sources)
    # the one that writes to every descriptor breaks its own wire
    right = {0, 4, 7, 8, 9, 11}
    assert [at for at, each in enumerate(statuses) if each == ["passed"]] == sorted(right)
    assert statuses[3] == ["timeout"]
    # a grader's, one of cells, and one for each that wanted more than a cell has
    assert opened - (4 + 2) in of_the_slow_one()


def test_several_checks_of_many_solutions(task):
    task = Task(id="many", instruction="add", hidden=task.hidden)
    sources = [GOOD, "def add(a, b): return 3\n", "def add(a, b): return a + b + 0.0\n"] * 9
    statuses, opened = judged(task, sources)
    by_kind = [["passed"] * 3, ["failed", "failed", "passed"], ["passed", "passed", "failed"]]
    assert statuses == by_kind * 9
    assert opened == 2


def test_checks_of_different_problems_in_turn_keep_their_own_modules():
    helper = "from check_calc import WANTED\ndef right(found): return found == WANTED\n"
    checks = "WANTED = {n}\nimport helper\ndef test_it(ws):\n  with ws.limit(.3): assert helper.right(ws.load('calc').add(1, 2))\n"
    tasks = []
    for n in range(5):
        files = Tree.of({"check_calc.py": checks.replace("{n}", str(n)), "helper.py": helper})
        hidden = Hidden(
            checks=Checks(runner="grader", files=files, expected=("check_calc.test_it",), timeout_s=20.0),
            reference=Edit(),
        )
        tasks.append(Task(id=f"t{n}", instruction="add", hidden=hidden))
    answers = [at % 5 if at % 3 else 7 for at in range(40)]
    sources = [f"def add(a, b): return {answer}\n" for answer in answers]
    sources[17] = "while True: pass\n"  # ends its series: what follows has other numbers of sets
    statuses, opened = judged(tasks, sources)
    wanted = [["passed"] if at % 3 else ["failed"] for at in range(40)]
    wanted[17] = ["timeout"]
    assert statuses == wanted
    # Both sandboxes are replaced after an answer that came too late.
    assert opened - 4 in of_the_slow_one()


def test_a_solution_finds_its_own_source():
    source = "import inspect\ndef add(a, b):\n    assert 'own' in inspect.getsource(add)  # own\n    return a + b\n"
    assert judged(task_with(SHORT, "test_it"), [source])[0] == [["passed"]]


def test_checks_that_need_the_host_are_run_one_by_one():
    statuses, _ = judged(task_with(FILES, "test_it"), [GOOD, "def add(a, b): return 4\n", GOOD])
    assert statuses == [["passed"], ["failed"], ["passed"]]


def test_checks_that_ask_nothing_are_run_one_by_one():
    statuses, _ = judged(task_with("def test_it(ws): pass\n", "test_it"), [GOOD, GOOD])
    assert statuses == [["passed"], ["passed"]]


def test_a_grader_that_dies_costs_no_other_solution_its_verdict():
    checks = "import os\ndef test_it(ws):\n    if ws.load('calc').add(1, 2) == 4: os._exit(1)\n"
    statuses, _ = judged(task_with(checks, "test_it"), [GOOD, GOOD, "def add(a, b): return 4\n", GOOD])
    assert statuses == [["passed"], ["passed"], ["error"], ["passed"]]


def test_without_isolation_there_are_no_series_and_the_same_verdicts():
    def unsafe(tree, **_):
        return open_sandbox(tree, unsafe=True)

    statuses, _ = judged(task_with(SHORT, "test_it"), [GOOD, "def add(a, b): return 4\n"], unsafe)
    assert statuses == [["passed"], ["failed"]]


def test_turns_that_nobody_waits_for_and_a_partner_that_hangs_up_leave_nothing():
    async def run():

        async with open_sandbox(Tree()) as box:
            assert isinstance(box, WarmSandbox)
            forks = await make_nursery(box, "candidate")
            for calls in (b"", b".", b"." * 9):
                pairs = [socket.socketpair() for _ in range(3)]
                turns, theirs = socket.socketpair()
                await forks.fork_each([far for _, far in pairs], theirs, 0)
                for end in (theirs, *(far for _, far in pairs)):
                    end.close()
                turns.send(calls or b".")
                turns.close()
                await forks.clear()
                for near, _ in pairs:
                    assert near.recv(1) == b""
                    near.close()
            assert (await box.exec("ls -A; ls /proc/self/fd | wc -l")).stdout == b"4\n"

    anyio.run(run)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_series_leave_no_descriptor_open():
    task = task_with(SHORT, "test_it")
    judged(task, [GOOD])
    before = len(list(Path("/proc/self/fd").iterdir()))
    judged(task, [GOOD] * 40)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.parametrize(
    ("body", "boxes"),
    [
        ("    import subprocess\n    return int(subprocess.run(['echo', '3'], capture_output=True).stdout)\n", 2),
        ("    import asyncio\n    return asyncio.run(asyncio.sleep(0, 3))\n", 2),
        (
            "    import lib2to3.pgen2.token\n    return 3\n"
            if sys.version_info < (3, 13)
            else "    import pydoc_data\n    return 3\n",
            3,
        ),
        ("    import os\n    return 3 if os.system('true') == 0 else 0\n", 2),
        ("    import threading\n    t = threading.Thread(target=int); t.start(); t.join()\n    return 3\n", 2),
        ("    import tempfile\n    with tempfile.TemporaryFile() as f: f.write(b'.')\n    return 3\n", 2),
        ("    import sqlite3\n    return sqlite3.connect('d').execute('select 3').fetchone()[0]\n", 2),
    ],
)
def test_what_a_cell_lacks_is_there_when_a_solution_is_judged_by_itself(body, boxes):
    (status,), opened = judged(task_with(SHORT, "test_it"), [f"def add(a, b):\n{body}"])
    assert (status, opened) == (["passed"], boxes)


def test_a_package_that_is_nowhere_is_not_looked_for_twice():
    (status,), opened = judged(task_with(SHORT, "test_it"), ["import numpy\ndef add(a, b): return 3\n"])
    assert (status, opened) == (["failed"], 2)


REFUSED = """
    import ctypes, errno, fcntl, os, sys
    libc = ctypes.CDLL(None, use_errno=True)
    x86 = os.uname().machine == "x86_64"
    calls = {  # what would outlive its process, or reach another one: memory, queues, keys, namespaces, mounts, rings
        "shmget": (29, 194, 0, 4096, 0o1600), "msgget": (68, 186, 0, 0o1600), "semget": (64, 190, 0, 1, 0o1600),
        "memfd_create": (319, 279, b"a", 0), "add_key": (248, 217, b"user", b"a", b"b", 1, -4),
        "unshare": (272, 97, 0x10000000), "setns": (308, 268, 3, 0), "mount": (165, 40, b"a", b"/tmp", b"tmpfs", 0, 0),
        "io_uring_setup": (425, 425, 1, ctypes.create_string_buffer(120)), "ptrace": (101, 117, 0, 0, 0, 0),
        "inotify_init1": (294, 26, 0), "epoll_create1": (291, 20, 0), "eventfd2": (290, 19, 0, 0),
        "clone": (56, 220, 17, 0, 0, 0, 0), "clone3": (435, 435, ctypes.create_string_buffer(88), 88),
        "socketpair": (53, 199, 1, 1, 0, ctypes.create_string_buffer(8)), "pidfd_open": (434, 434, os.getpid(), 0),
        "fstat of the wire": (5, 80, 3, ctypes.create_string_buffer(256)), "dup of the wire": (32, 23, 3),
        "cachestat": (451, 451, 3, 0, 0, 0), "execve": (59, 221, b"/bin/true", 0, 0),
        "to outlive its keeper": (157, 167, 1, 0, 0, 0, 0),
    }
    left = [name for name, (one, other, *rest) in calls.items() if libc.syscall(one if x86 else other, *rest) >= 0]
    file = os.open(sys.executable, os.O_RDONLY)
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # done by doing nothing
    for name, ask in {"lease": lambda: fcntl.fcntl(file, 1024, 0), "write": lambda: open(sys.executable, "ab"),
                      "device": lambda: os.utime("/dev/null"), "root": lambda: os.mkdir("/here"),
                      "proc": lambda: os.listdir("/proc")[0], "sys": lambda: os.listdir("/sys")}.items():
        try:
            ask()
            left.append(name)
        except (OSError, IndexError):
            pass
    assert not left, left
    return 3
"""


def test_a_cell_is_refused_what_outlives_it():
    (status,), opened = judged(task_with(SHORT, "test_it"), [f"def add(a, b):{REFUSED}"])
    assert (status, opened) == (["passed"], 2)


def test_who_names_what_a_cell_lacks_gets_no_second_chance():
    """A guess that fails is final, whatever else its text says; else it would be made twice."""
    guess = "import os\nPICK = os.urandom(1)[0] < 64\ndef add(a, b):\n    return 3 if PICK else 0 and os.pipe()\n"
    statuses, _ = judged(task_with(SHORT, "test_it"), [guess + f"# {at}\n" for at in range(120)])
    assert sum(status == ["passed"] for status in statuses) < 52  # 30 are expected, 52 of a second chance
