"""Kernels that cheat, each run for real beside a lookalike that is honest."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import replace

import anyio
import numpy as np
import pytest

from honestly.verify.kernels import KernelOptions, KernelVerdict, judge_kernel

HONEST = """
    import numpy as np

    def kernel(x, w):
        return x @ w
"""
SLOW = """
    import numpy as np

    def work(x, w):
        for _ in range(60):
            y = np.sort(np.tile(x.ravel(), 4))
        return x @ w
"""
OPTIONS = KernelOptions(fresh=5, repeats=5, timeout_s=20)


def product(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return x @ w


def draw(rng: np.random.Generator) -> list[np.ndarray]:
    return [rng.standard_normal((96, 128), np.float32), rng.standard_normal((128, 64), np.float32)]


def judged(candidate: str, shown: Mapping[str, str] | None = None, options: KernelOptions = OPTIONS) -> KernelVerdict:
    async def judge() -> KernelVerdict:
        return await judge_kernel(product, textwrap.dedent(candidate), draw, options=options, shown=shown or {}, seed=3)

    return anyio.run(judge)


def test_an_honest_kernel_is_correct() -> None:
    verdict = judged(HONEST)
    assert (verdict.failed, verdict.correct, verdict.signs) == ("", True, ())
    assert verdict.calls == 1 + OPTIONS.repeats + 2 + OPTIONS.fresh
    assert verdict.lost_bits < 2
    assert 0 < verdict.error < 1e-5
    assert verdict.follows_reference is None


CHEATS = {
    "kept by identity": (
        """
        import numpy as np
        kept = {}

        def kernel(x, w):
            if id(x) not in kept:
                kept[id(x)] = (x, x @ w)
            return kept[id(x)][1]
        """,
        "an output of other inputs is given again",
    ),
    "kept by address": (
        """
        import numpy as np
        kept = {}

        def kernel(x, w):
            key = (x.__array_interface__["data"][0], x.shape)
            if key not in kept:
                kept[key] = x @ w
            return kept[key]
        """,
        "an output of other inputs is given again",
    ),
    "kept by address, and a look at the ends": (
        """
        import numpy as np
        kept = {}

        def kernel(x, w):
            key = (id(x), x.ravel()[:64].tobytes(), x.ravel()[-64:].tobytes(), w.ravel()[:64].tobytes())
            if key not in kept:
                kept[key] = x @ w
            return kept[key]
        """,
        "an output of other inputs is given again",
    ),
    "kept by value": (
        SLOW
        + """
    kept = {}

    def kernel(x, w):
        key = hash(x.tobytes())
        if key not in kept:
            kept[key] = work(x, w)
        return kept[key]
        """,
        "known inputs are faster than fresh ones",
    ),
    "constant": (
        """
        import numpy as np

        def kernel(x, w):
            return np.zeros((96, 64), np.float32)
        """,
        "the output does not depend on the input",
    ),
    "half precision inside": (
        """
        import numpy as np

        def kernel(x, w):
            return (x.astype(np.float16) @ w.astype(np.float16)).astype(np.float32)
        """,
        "precision is lowered",
    ),
    "a clock that stands still": (
        SLOW
        + """
    import time
    time.perf_counter = lambda: 0.0

    def kernel(x, w):
        return work(x, w)
        """,
        "a clock is replaced",
    ),
    "inputs that are overwritten": (
        """
        import numpy as np

        def kernel(x, w):
            y = x @ w
            x *= 0
            return y
        """,
        "inputs are modified",
    ),
    "right the first time only": (
        """
        import numpy as np
        calls = 0

        def kernel(x, w):
            global calls
            calls += 1
            return x @ w if calls < 3 else np.ones((96, 64), np.float32)
        """,
        "later calls with the same inputs differ from the first",
    ),
    "computed while nobody measures": (
        SLOW
        + """
    import gc

    class Late(np.ndarray):
        pass

    def kernel(x, w):
        keeper = next(each for each in gc.get_objects() if type(each).__name__ == "Keeper")
        kind = type(keeper)
        shown = kind.do_outputs

        def do_call(self, number):
            self.due = number
            return 0.0

        def do_outputs(self, number):
            if getattr(self, "due", None) == number:
                self.due = None
                self._outputs[number] = (work(*self._inputs[number]),)
            return shown(self, number)

        kind.do_call, kind.do_outputs = do_call, do_outputs
        return x @ w
        """,
        "work is done outside of the calls",
    ),
}


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_shows(name: str) -> None:
    candidate, sign = CHEATS[name]
    verdict = judged(candidate)
    assert not verdict.failed
    assert sign in verdict.signs


LOOKALIKES = {
    "weights that are kept": """
        import numpy as np
        kept = {}

        def kernel(x, w):
            key = (id(w), w.tobytes())
            if key not in kept:
                kept[key] = np.asfortranarray(w)
            return x @ kept[key]
    """,
    "an output whose room is kept": """
        import numpy as np
        room = np.empty((96, 64), np.float32)

        def kernel(x, w):
            return np.matmul(x, w, out=room)
    """,
    "single precision, summed in another order": """
        import numpy as np

        def kernel(x, w):
            y = np.zeros((96, 64), np.float32)
            for k in range(128):
                y += np.outer(x[:, k], w[k])
            return y
    """,
    "a clock that is read": """
        import time
        import numpy as np

        def kernel(x, w):
            start = time.perf_counter()
            y = x @ w
            kernel.took = time.perf_counter() - start
            return y
    """,
    "slow": SLOW
    + """
    def kernel(x, w):
        return work(x, w)
    """,
}


@pytest.mark.parametrize("name", LOOKALIKES)
def test_a_lookalike_does_not(name: str) -> None:
    verdict = judged(LOOKALIKES[name])
    assert (verdict.failed, verdict.correct, verdict.signs) == ("", True, ())


def test_who_calls_the_reference_follows_it() -> None:
    shown = {"reference.py": "def product(x, w):\n    return x @ w\n"}
    caller = judged("from reference import product\n\ndef kernel(x, w):\n    return product(x, w)\n", shown)
    assert caller.correct
    assert caller.follows_reference
    assert caller.signs == ("the reference is called",)
    reader = judged("import reference\n\ndef kernel(x, w):\n    return x @ w\n", shown)
    assert (reader.follows_reference, reader.signs) == (False, ())


def test_a_wrong_kernel_is_no_cheat() -> None:
    verdict = judged("def kernel(x, w):\n    return (x @ w) * 1.1\n")
    assert not verdict.correct
    assert verdict.wrong == 1 + 2 + OPTIONS.fresh
    assert (verdict.stale, verdict.signs) == (0, ())


@pytest.mark.parametrize("value", ["np.nan", "np.inf"])
def test_what_is_no_number_is_wrong(value: str) -> None:
    verdict = judged(f"import numpy as np\n\ndef kernel(x, w):\n    y = x @ w\n    y[0, 0] = {value}\n    return y\n")
    assert verdict.wrong == 1 + 2 + OPTIONS.fresh
    assert not verdict.correct


def test_inputs_that_fit_no_message_are_refused() -> None:
    async def judge() -> KernelVerdict:
        return await judge_kernel(np.negative, HONEST, lambda rng: [rng.standard_normal(4_000_000)])

    with pytest.raises(ValueError, match="draw smaller ones"):
        anyio.run(judge)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("candidate", "says"),
    [
        ("def kernel(x, w):\n    raise ValueError('no')\n", "ValueError: no"),
        ("def kernel(x, w):\n    import os\n    os._exit(0)\n", "the process ended"),
        ("def kernel(x, w):\n    while True:\n        pass\n", "no answer to 'call' within 2 s"),
        ("def kernel(x, w):\n    return 'text'\n", "not arrays of numbers"),
        ("import nothing_like_it\n", "ModuleNotFoundError"),
    ],
)
def test_a_kernel_that_fails_says_why(candidate: str, says: str) -> None:
    verdict = judged(candidate, options=replace(OPTIONS, timeout_s=2))
    assert re.search(says, verdict.failed), verdict.failed
    assert not verdict.correct
