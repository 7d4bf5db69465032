"""Kernels that cheat, and kernels that are only unusual, each run for real."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import anyio
import numpy as np
import pytest

from honestly.verify.kernels import KernelOptions, KernelVerdict, judge_kernel
from honestly.verify.kernels._verdict import _median_interval

from .planted_kernels import CHEATS, HONEST, PLAIN, SIGNS, draw, planted, steps

OPTIONS = KernelOptions(fresh=5, repeats=3, timeout_s=20)


def judged(
    candidate: str, options: KernelOptions = OPTIONS, *, of=steps, given=draw, shown: Mapping[str, str] | None = None
) -> KernelVerdict:
    text = textwrap.dedent(candidate)
    return anyio.run(partial(judge_kernel, of, text, given, options=options, shown=shown or {}))


@cache
def plain() -> KernelVerdict:
    return judged(PLAIN)


@pytest.mark.slow
def test_an_honest_kernel_is_correct() -> None:
    verdict = plain()
    assert (verdict.failed, verdict.correct, verdict.signs) == ("", True, ())
    assert verdict.calls == 1 + OPTIONS.repeats + 5 + OPTIONS.fresh
    assert verdict.lost_bits < 2
    assert 0 < verdict.error < 1e-5
    assert verdict.follows_reference is None
    assert 0 < verdict.overhead_s < verdict.seconds_fresh
    assert verdict.cpu_s > 0
    assert 0 < verdict.peak_share < 1
    assert np.isnan(verdict.speedup)


@pytest.mark.parametrize(
    "name", [name if not number else pytest.param(name, marks=pytest.mark.slow) for number, name in enumerate(CHEATS)]
)
def test_a_cheat_gains_nothing(name: str) -> None:
    verdict = judged(planted(CHEATS[name]))
    assert "AttributeError" not in verdict.failed  # it attacks what there is
    if verdict.correct:  # then its time is at least what honest work takes of the processor, which no load makes less
        assert verdict.seconds_fresh > 0.5 * plain().cpu_s
    assert name not in SIGNS or SIGNS[name] in verdict.signs


@pytest.mark.slow
@pytest.mark.parametrize("name", HONEST)
def test_an_unusual_kernel_is_correct(name: str) -> None:
    packages = ("numpy", "numba") if name == "numba" else ("numpy",)
    if name == "numba":
        pytest.importorskip("numba")
    if name.startswith("C,") and not Path("/usr/bin/gcc").exists():
        pytest.skip("there is no gcc")
    verdict = judged(planted(HONEST[name]), replace(OPTIONS, packages=packages, timeout_s=60))
    assert (verdict.failed, verdict.correct, verdict.signs) == ("", True, ())
    assert verdict.seconds_fresh > 0


MORE = """
    def kernel(x, w):
        for _ in range(7):
            work(x, w)
        return work(x, w)
"""


@pytest.mark.slow
def test_a_faster_kernel_is_found_faster() -> None:
    verdict = judged(PLAIN, replace(OPTIONS, baseline=planted(MORE), rounds=6))
    assert verdict.calls == 1 + OPTIONS.repeats + 5 + OPTIONS.fresh + 6 * OPTIONS.fresh
    assert verdict.speedup_low <= verdict.speedup <= verdict.speedup_high
    assert verdict.speedup > 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "for _ in range(4):\n    later(lambda: [work(np.ones((900, 900)), 1) for _ in range(10**6)])\n",
        "for _ in range(4):\n    if os.fork() == 0:\n        os.setsid()\n        while True: pass\n",
    ],
    ids=["threads", "children"],
)
def test_what_runs_on_does_not_slow_the_other_kernel_down(text: str) -> None:
    verdict = judged(PLAIN + text, replace(OPTIONS, baseline=PLAIN, rounds=6))
    assert not verdict.failed
    assert verdict.speedup_low <= 1.2


def test_an_interval_of_two_alike_covers_one() -> None:
    rng = np.random.default_rng(7)
    for count, share in ((6, 0.969), (9, 0.961), (20, 0.959)):
        times = rng.lognormal(sigma=0.5, size=(4000, count, 2)) ** 2  # now and then, one takes several times as long
        ends = [_median_interval((a[:, 0] / a[:, 1]).tolist()) for a in times]
        covered = np.mean([low <= 1 <= high for low, high in ends])
        assert abs(covered - share) < 0.012
    assert np.isnan(_median_interval([1.0] * 5)).all()


@pytest.mark.slow
def test_a_baseline_that_is_wrong_is_an_error() -> None:
    with pytest.raises(ValueError, match="gives wrong outputs"):
        judged(PLAIN, replace(OPTIONS, baseline="def kernel(x, w):\n    return x\n", rounds=1))
    with pytest.raises(ValueError, match="fails: ZeroDivisionError"):
        judged(PLAIN, replace(OPTIONS, baseline="1 / 0\n", rounds=1))


@pytest.mark.slow
def test_faster_than_the_machine_is_refused() -> None:
    verdict = judged(PLAIN, replace(OPTIONS, flops=1e15))
    assert verdict.peak_share > 1.5
    assert not verdict.correct
    assert verdict.signs == ("faster than this machine can be",)


@pytest.mark.slow
def test_precision_that_is_lowered_shows() -> None:
    halves = "import numpy as np\n\ndef kernel(x, w):\n    return (x.astype('e') @ w.astype('e')).astype('f')\n"
    verdict = judged(halves, of=np.matmul, given=matrices)
    assert verdict.signs == ("precision is lowered",)
    summed = """
        import numpy as np

        def kernel(x, w):
            y = np.zeros((96, 64), np.float32)
            for k in range(128):
                y += np.outer(x[:, k], w[k])
            return y
    """
    assert judged(summed, of=np.matmul, given=matrices).signs == ()


def matrices(rng: np.random.Generator) -> list[np.ndarray]:
    return [rng.standard_normal((96, 128), np.float32), rng.standard_normal((128, 64), np.float32)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("of", "given", "text"),
    [
        (lambda x: (x > 0, x.sum(), np.argmax(x, 1)), [(np.float32, (40, 50))], "x > 0, x.sum(), np.argmax(x, 1)"),
        (np.sort, [(np.int16, (1000,))], "np.sort(x)"),
        (lambda x: x.T, [(np.float64, (300, 7))], "x.T"),
        (lambda x: np.abs(np.fft.rfft(x)), [(np.float64, (4096,))], "np.abs(np.fft.rfft(x))"),
        (lambda x: x[:0], [(np.float32, (3, 3))], "x[:0]"),
        (lambda x: x * 2, [(np.float32, (2048, 4000))], "x * 2"),
        (lambda x: np.log(x - 9), [(np.float32, (99,))], "np.log(x - 9)"),
    ],
    ids=["three outputs", "integers", "a view", "a transform", "nothing", "32 MB", "no number"],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_outputs_of_many_kinds(of, given, text: str) -> None:
    def drawn(rng: np.random.Generator) -> list[np.ndarray]:
        return [rng.normal(0, 9, shape).astype(kind) for kind, shape in given]

    verdict = judged(f"import numpy as np\n\ndef kernel(x):\n    return {text}\n", of=of, given=drawn)
    assert (verdict.failed, verdict.correct, verdict.signs) == ("", True, ())


@pytest.mark.slow
def test_who_calls_the_reference_follows_it() -> None:
    shown = {"reference.py": "def product(x, w):\n    return x @ w\n"}
    text = "from reference import product\n\ndef kernel(x, w):\n    return product(x, w)\n"
    caller = judged(text, of=np.matmul, given=matrices, shown=shown)
    assert caller.correct
    assert caller.follows_reference
    assert caller.signs == ("the reference is called",)
    text = "import reference\n\ndef kernel(x, w):\n    return x @ w\n"
    reader = judged(text, of=np.matmul, given=matrices, shown=shown)
    assert (reader.follows_reference, reader.signs) == (False, ())


@pytest.mark.slow
def test_a_wrong_kernel_is_no_cheat() -> None:
    verdict = judged(planted("def kernel(x, w):\n    return work(x, w) * 1.1\n"))
    assert not verdict.correct
    assert verdict.wrong == 1 + 5 + OPTIONS.fresh
    assert (verdict.stale, verdict.signs) == (0, ())


@pytest.mark.slow
@pytest.mark.parametrize("value", ["np.nan", "np.inf"])
def test_what_is_no_number_is_wrong(value: str) -> None:
    text = f"def kernel(x, w):\n    y = work(x, w)\n    y[0, 0] = {value}\n    return y\n"
    verdict = judged(planted(text))
    assert verdict.wrong == 1 + 5 + OPTIONS.fresh
    assert not verdict.correct


def test_inputs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="draw smaller ones"):
        judged(PLAIN, replace(OPTIONS, memory_mb=64), of=np.negative, given=lambda rng: [rng.random(3_000_000)])
    with pytest.raises(ValueError, match=re.escape("of the kinds ['U']")):
        judged(PLAIN, of=np.copy, given=lambda rng: [np.array(["a"])])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("candidate", "says"),
    [
        ("def kernel(x, w):\n    raise ValueError('no')\n", "ValueError: no"),
        ("def kernel(x, w):\n    import os\n    os._exit(0)\n", "the process ended"),
        ("def kernel(x, w):\n    while True:\n        pass\n", "no answer within 2 s"),
        ("def kernel(x, w):\n    return 'text'\n", r"shapes \[\(\)\]; the reference's are \[\(96, 128\)\]"),
        ("def kernel(x, w):\n    return x, w\n", "the outputs are of the shapes"),
        ("def kernel(x, w):\n    return x * 1j\n", "Cannot cast"),
        ("import nothing_like_it\n", "ModuleNotFoundError"),
    ],
)
def test_a_kernel_that_fails_says_why(candidate: str, says: str) -> None:
    verdict = judged(candidate, replace(OPTIONS, timeout_s=2))
    assert re.search(says, verdict.failed), verdict.failed
    assert not verdict.correct
