"""A kernel in NumPy is a project like any other: the import is part of what `idle` costs."""

from functools import partial

import anyio
import pytest

from honestly.improve import evaluate, read_target
from honestly.improve._machine import measure_machine, roofline_times
from honestly.records import Edit, Tree
from honestly.sandbox import open_sandbox
from improve.loop_parts import project

pytestmark = pytest.mark.slow

TOML = """
change = ["kernel.py"]
produce = "python3 run.py"
evaluate = "python3 evaluate.py"
metric = "seconds"
direction = "lower"
hidden = ["evaluate.py"]
packages = ["numpy"]
[kernel]
flops = 2_621_440
bytes = 524_288
idle = "python3 run.py idle"
"""
RUN = """
import os, sys
import numpy as np
grid = np.frombuffer(sys.stdin.buffer.read(), np.float32).reshape(256, 256)
out = np.full_like(grid, np.nan)
if len(sys.argv) == 1:
    from kernel import smooth
    smooth(grid, out)
sys.stdout.buffer.write(out.tobytes())
"""
JUDGE = """
import json, os, sys
import numpy as np
grid = np.random.default_rng(int(os.environ["HONESTLY_SEED"])).uniform(-1, 1, (256, 256)).astype(np.float32)
if sys.argv[1] == "give":
    sys.stdout.buffer.write(grid.tobytes())
else:
    exact = grid.astype(float)
    exact[1:-1, 1:-1] = (exact[:-2, 1:-1] + exact[2:, 1:-1] + exact[1:-1, :-2] + exact[1:-1, 2:]) / 4
    got = np.frombuffer(sys.stdin.buffer.read(), np.float32)
    print(json.dumps({"correct": got.size == exact.size and bool(np.abs(got.reshape(exact.shape) - exact).max() < 1e-6)}))
"""
SLOW = """
def smooth(grid, out):
    out[:] = grid
    for i in range(1, 255):
        for j in range(1, 255):
            out[i, j] = (grid[i - 1, j] + grid[i + 1, j] + grid[i, j - 1] + grid[i, j + 1]) / 4
"""
FAST = """
def smooth(grid, out):
    out[:] = grid
    out[1:-1, 1:-1] = (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]) / 4
"""


def test_kernels_in_numpy(tmp_path):
    files = {"run.py": RUN, "evaluate.py": JUDGE, "kernel.py": SLOW}
    target = read_target(project(tmp_path / "p", TOML, **files))
    for text, status in [
        (SLOW, "ok"),
        (FAST, "ok"),
        (FAST.replace("1:-1, 1:-1] = ", "1:-1, 1:-1] = 0 * "), "wrong"),
        (FAST.replace("out[:] = grid", ""), "wrong"),
        (FAST.replace("(grid[", "(grid.astype('f2')["), "wrong"),
    ]:
        found = anyio.run(evaluate, target, Edit(write=Tree.of({"kernel.py": text})), 7, open_sandbox)
        assert found.status == status, (text, found)
    machine = anyio.run(partial(measure_machine, open_sandbox, target, 7))
    assert 1e8 < machine["bytes"] < machine["flops"] < 1e13
    assert 0.01 < machine["idle"] < 30
    assert max(roofline_times(target.declaration.kernel, machine)) < 0.01
