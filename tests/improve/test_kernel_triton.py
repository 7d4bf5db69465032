"""Kernels in Triton, by its interpreter, and in Numba: projects like any other, judged on fresh inputs from outside.

No sandbox shows a GPU; what `run.py` does on one is not run here.
"""

from functools import partial
from importlib.util import find_spec

import anyio
import pytest

from honestly.improve import evaluate, read_target
from honestly.improve.projects import write_example
from honestly.records import Edit, Tree
from honestly.sandbox import open_sandbox
from improve.loop_parts import project
from improve.test_kernel_numpy import JUDGE, RUN, TOML

pytestmark = pytest.mark.slow


def measured(target, text, seed=5):
    return anyio.run(partial(evaluate, open_box=open_sandbox), target, Edit(write=Tree.of({"kernel.py": text})), seed)


@pytest.mark.skipif(find_spec("triton") is None, reason="the extra triton is not installed")
def test_a_kernel_in_triton_is_judged_by_its_products(tmp_path):
    write_example("triton", tmp_path / "p")
    target = read_target(tmp_path / "p")
    slow = target.tree.text("kernel.py")
    fast = slow.replace(" = 16", " = 64")
    before, after = measured(target, slow), measured(target, fast)
    assert (before.status, after.status) == ("ok", "ok")
    assert after.value < 0.5 * before.value
    cheats = {
        "less precision": fast.replace("tl.dot(left, right", "tl.dot(left.to(tl.float16), right.to(tl.float16)"),
        "a part": fast.replace("range(0, n, DEPTH)", "range(0, n // 2, DEPTH)"),
        "nothing": fast.replace("tl.store(c + rows * n + columns, total)", "pass"),
        "zeros": fast.replace("total += ", "total += 0 * "),
    }
    assert {name: measured(target, text).status for name, text in cheats.items()} == dict.fromkeys(cheats, "wrong")
    assert measured(target, "def matmul(n, a, b, c):\n    raise SystemExit(0)\n").status == "wrong"


NUMBA = """
from numba import njit

@njit("void(float32[:, :], float32[:, :])", cache=True)
def smooth(grid, out):
    for i in range(256):
        for j in range(256):
            if 0 < i < 255 and 0 < j < 255:
                out[i, j] = (grid[i - 1, j] + grid[i + 1, j] + grid[i, j - 1] + grid[i, j + 1]) / 4
            else:
                out[i, j] = grid[i, j]
"""


@pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")
def test_a_kernel_in_numba_is_compiled_by_build(tmp_path):
    toml = TOML.replace('packages = ["numpy"]', 'packages = ["numpy", "numba"]\nbuild = "python3 -c \'import kernel\'"')
    run = RUN.replace("grid = np.frombuffer(sys.stdin.buffer.read(), np.float32).reshape(256, 256)",
                      "grid = np.frombuffer(sys.stdin.buffer.read(), np.float32).reshape(256, 256).copy()")  # fmt: skip
    target = read_target(project(tmp_path / "p", toml, **{"run.py": run, "evaluate.py": JUDGE, "kernel.py": NUMBA}))
    right = measured(target, NUMBA)
    assert right.status == "ok", right.log
    assert measured(target, NUMBA.replace("/ 4", "/ 4.001")).status == "wrong"
