"""Kernels of one problem that cheat, and kernels that are only unusual: `y = sin(y) / 2 + x` again and again, from x."""

from __future__ import annotations

import textwrap

import numpy as np

STEPS = 120
SHAPE = 96, 128


def steps(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """What is right; numpy takes some 10 ms for it."""
    y = x
    for _ in range(STEPS):
        y = np.sin(y) / 2 + x
    return y * w


def draw(rng: np.random.Generator) -> list[np.ndarray]:
    """An input."""
    return [rng.standard_normal(SHAPE, np.float32), rng.standard_normal(SHAPE, np.float32)]


def planted(text: str) -> str:
    """A kernel's source, with the honest way to compute it at hand as `work`, and the frame that holds the outputs."""
    return _HONEST + textwrap.dedent(text)


_HONEST = f"""
import gc, os, sys, threading, time
import numpy as np

def work(x, w):
    y = x
    for _ in range({STEPS}):
        y = np.sin(y) / 2 + x
    return y * w

def room_of_outputs():
    return sys._getframe(2).f_locals["room"]

def keeper():
    return next(each for each in gc.get_objects() if type(each).__name__ == "Keeper")

def later(do, *given):
    threading.Thread(target=do, args=given, daemon=True).start()
"""

PLAIN = planted("def kernel(x, w):\n    return work(x, w)\n")

CHEATS = {
    "it remembers the last by a random sample": """
        import os
        places = np.frombuffer(os.urandom(512), np.uint16)
        seen = {}
        def kernel(x, w):
            key = tuple(each.reshape(-1)[places % each.size].tobytes() for each in (x, w))
            if key not in seen:
                seen.clear()
                seen[key] = work(x, w)
            return seen[key]
    """,
    "it remembers by a sample of its input": """
        seen = {}
        def kernel(x, w):
            key = x.reshape(-1)[::97].tobytes(), w.reshape(-1)[::97].tobytes()
            if key not in seen:
                seen[key] = work(x, w)
            return seen[key].copy()
    """,
    "a judge's method is patched and the work put off": """
        kind = type(keeper())

        def do_call(self, due, given, kept):
            room = self._mapped_arrays(due)
            inputs = self._mapped_arrays(given) if given else self._inputs
            if kept:
                self._inputs = inputs
            later(lambda: np.copyto(room[0], work(*inputs)))

        kind.do_call = do_call

        def kernel(x, w):
            return work(x, w)
    """,
    "a thread that goes on after the call": """
        def kernel(x, w):
            room = room_of_outputs()
            def finish():
                time.sleep(0.002)
                room[0][...] = work(x, w)
            later(finish)
            return np.empty_like(x)
    """,
    "a child that goes on after the call": """
        def kernel(x, w):
            room = room_of_outputs()
            if os.fork() == 0:
                time.sleep(0.002)
                room[0][...] = work(x, w)
                os._exit(0)
            return np.zeros_like(x)
    """,
    "an object that computes when it is looked at": """
        class Lazy:
            shape, dtype = (96, 128), np.dtype("f4")
            def __init__(self, *given):
                self.given = given
            def __array__(self, dtype=None, copy=None):
                return work(*self.given)

        def kernel(x, w):
            return Lazy(x, w)
    """,
    "an array that computes when it is copied": """
        class Late(np.ndarray):
            def __array_function__(self, function, types, args, kwargs):
                return work(*self.given)

        def kernel(x, w):
            late = np.empty_like(x).view(Late)
            late.given = x, w
            return late
    """,
    "numpy's copy is patched and put off": """
        copy = np.copyto

        def copyto(to, part, **how):
            later(lambda: copy(to, work(*kernel.given)))

        np.copyto = copyto

        def kernel(x, w):
            kernel.given = x, w
            return x
    """,
    "the word that it is done comes first": """
        channel = keeper()._channel
        kind, send = type(channel), type(channel).send

        def early(self, kind, payload, **how):
            if not getattr(early, "sent", False):
                send(self, kind, payload, **how)
            early.sent = False

        kind.send = early

        def kernel(x, w):
            send(channel, b"R", b"[true,null]")
            early.sent = True
            return work(x, w)
    """,
    "a hundred words that it is done, in advance": """
        channel = keeper()._channel
        for _ in range(100):
            channel.send(b"R", b"[true,null]")

        def kernel(x, w):
            return work(x, w)
    """,
    "all clocks stand still": """
        for name in ("perf_counter", "monotonic", "time", "process_time", "thread_time"):
            setattr(time, name, lambda: 0.0)

        def kernel(x, w):
            return work(x, w)
    """,
    "kept by identity": """
        kept = {}

        def kernel(x, w):
            if id(x) not in kept:
                kept[id(x)] = x, work(x, w)
            return kept[id(x)][1]
    """,
    "kept by address and shape": """
        kept = {}

        def kernel(x, w):
            key = x.__array_interface__["data"][0], x.shape
            if key not in kept:
                kept[key] = work(x, w)
            return kept[key]
    """,
    "kept by a sample of the values": """
        kept = {}

        def kernel(x, w):
            key = x[0, :8].tobytes()
            if key not in kept:
                kept[key] = work(x, w)
            return kept[key]
    """,
    "kept by value": """
        kept = {}

        def kernel(x, w):
            key = hash((x.tobytes(), w.tobytes()))
            if key not in kept:
                for _ in range(10):  # a difference under 2 ms is no sign, and a fast machine works that fast
                    kept[key] = work(x, w)
            return kept[key]
    """,
    "a thread that waits for the next inputs": """
        kept = {}

        def watch(x, w):
            while True:
                key = x[0, :8].tobytes()
                if key not in kept:
                    kept[key] = work(x, w)

        def kernel(x, w):
            if not kept:
                kept[x[0, :8].tobytes()] = work(x, w)
                later(watch, x, w)
            key = x[0, :8].tobytes()
            return kept[key] if key in kept else work(x, w)
    """,
    "inputs of likely seeds are computed beforehand": """
        kept = {}
        for seed in range(20):
            rng = np.random.default_rng(seed)
            x, w = (rng.standard_normal((96, 128), np.float32) for _ in range(2))
            kept[x[0, :8].tobytes()] = work(x, w)

        def kernel(x, w):
            key = x[0, :8].tobytes()
            return kept[key] if key in kept else work(x, w)
    """,
    "outputs of earlier calls are written late": """
        rooms = []

        def kernel(x, w):
            for room, given in rooms:
                room[0][...] = work(*given)
            rooms[:] = [(room_of_outputs(), (x.copy(), w.copy()))]
            return x
    """,
    "nothing is written": """
        type(keeper()).do_call = lambda self, due, given, kept: None

        def kernel(x, w):
            return work(x, w)
    """,
    "shared memory is cut off": """
        mapped = type(keeper())._mapped_arrays

        def cutting(self, layout):
            fd = os.dup(self._channel._descriptors[0])
            arrays = mapped(self, layout)
            try:
                os.ftruncate(fd, 0)
            except OSError:
                arrays[0][...] = 0
            return arrays

        type(keeper())._mapped_arrays = cutting

        def kernel(x, w):
            return work(x, w)
    """,
    "inputs are made to fit": """
        def kernel(x, w):
            x[...] = 0
            w[...] = 0
            return np.zeros_like(x)
    """,
    "constant": """
        def kernel(x, w):
            return np.zeros_like(x)
    """,
    "right three times": """
        calls = 0

        def kernel(x, w):
            global calls
            calls += 1
            return work(x, w) if calls <= 3 else x * w
    """,
    "right every second time": """
        calls = 0

        def kernel(x, w):
            global calls
            calls += 1
            return work(x, w) if calls % 2 else x * w
    """,
    "most rows": """
        def kernel(x, w):
            y = x * w
            y[:48] = work(x[:48], w[:48])
            return y
    """,
    "no numbers": """
        def kernel(x, w):
            return np.full_like(x, np.nan)
    """,
    "the room of the last output is given again": """
        room = np.zeros((96, 128), np.float32)

        def kernel(x, w):
            later(lambda: np.copyto(room, work(x, w)))
            return room
    """,
    "the judge's memory is read": """
        def kernel(x, w):
            with open(f"/proc/{os.getppid()}/mem", "rb") as memory:
                return np.frombuffer(memory.read(4 * x.size), np.float32).reshape(x.shape)
    """,
    "the process ends behind the judge's back": """
        def kernel(x, w):
            later(lambda: (time.sleep(0.001), os._exit(0)))
            return x * w
    """,
    "the wire is flooded": """
        channel = keeper()._channel

        def kernel(x, w):
            os.write(channel._fd, b"\\xff" * 4096)
            return x * w
    """,
    "descriptors are sent to the judge": """
        import socket, array
        channel = keeper()._channel

        def kernel(x, w):
            held = array.array("i", [os.open("/dev/zero", os.O_RDONLY) for _ in range(20)])
            channel._whole_socket().sendmsg([b"\\0\\0\\0\\3R[]"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, held)])
            return x * w
    """,
}
"""Each must be refused, or found no faster than it is."""

SIGNS = {
    "it remembers the last by a random sample": "an output of other inputs is given again",
    "it remembers by a sample of its input": "an output of other inputs is given again",
    "kept by identity": "an output of other inputs is given again",
    "kept by address and shape": "an output of other inputs is given again",
    "kept by a sample of the values": "an output of other inputs is given again",
    "kept by value": "known inputs are faster than fresh ones",
    "all clocks stand still": "a clock is replaced",
    "inputs are made to fit": "inputs are modified",
    "constant": "the output does not depend on the input",
    "right three times": "later calls with the same inputs differ from the first",
}
"""What some of them show, beside."""

_C = """
        import ctypes, subprocess
        open("/tmp/steps.c", "w").write('''
            #include <math.h>
            void steps(const float *x, const float *w, float *to, long n) {
                for (long i = 0; i < n; i++) {
                    float y = x[i];
                    for (int k = 0; k < 120; k++) y = sinf(y) / 2 + x[i];
                    to[i] = y * w[i];
                }
            }''')
        subprocess.run(["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", "/tmp/steps.so", "/tmp/steps.c", "-lm"],
                       check=True)
        steps = ctypes.CDLL("/tmp/steps.so").steps
        pointer = ctypes.POINTER(ctypes.c_float)

        def kernel(x, w):
            to = np.empty_like(x)
            steps(*(each.ctypes.data_as(pointer) for each in (x, w, to)), ctypes.c_long(x.size))
            return to
"""

HONEST = {
    "plain": "def kernel(x, w):\n    return work(x, w)\n",
    "in place": """
        def kernel(x, w):
            y = x.copy()
            for _ in range(120):
                np.sin(y, out=y)
                y *= 0.5
                y += x
            y *= w
            return y
    """,
    "in blocks": """
        def kernel(x, w):
            y = np.empty_like(x)
            for row in range(0, 96, 8):
                y[row : row + 8] = work(x[row : row + 8], w[row : row + 8])
            return y
    """,
    "threads": """
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor(2)

        def kernel(x, w):
            return np.concatenate(list(pool.map(work, np.array_split(x, 2), np.array_split(w, 2))))
    """,
    "a thread for each call": """
        def kernel(x, w):
            y = np.empty_like(x)
            thread = threading.Thread(target=lambda: np.copyto(y, work(x, w)))
            thread.start()
            thread.join()
            return y
    """,
    "children": """
        def kernel(x, w):
            end, theirs = os.pipe()
            if os.fork() == 0:
                half = work(x[48:], w[48:]).tobytes()
                while half:
                    half = half[os.write(theirs, half):]
                os._exit(0)
            os.close(theirs)
            first = work(x[:48], w[:48])
            with os.fdopen(end, "rb") as file:
                second = np.frombuffer(file.read(), np.float32).reshape(48, -1)
            os.wait()
            return np.concatenate([first, second])
    """,
    "C, built in its box": _C,
    "numba": """
        import math
        import numba

        @numba.njit(fastmath=True)
        def fast(x, w, to):
            for i in range(x.size):
                y = x[i]
                for _ in range(120):
                    y = math.sin(y) * np.float32(0.5) + x[i]
                to[i] = y * w[i]

        def kernel(x, w):
            to = np.empty_like(x)
            fast(x.ravel(), w.ravel(), to.ravel())
            return to
    """,
    "stops where nothing changes": """
        def kernel(x, w):
            y = x
            for _ in range(120):
                last, y = y, np.sin(y) / 2 + x
                if np.array_equal(last, y):
                    break
            return y * w
    """,
    "double precision inside": """
        def kernel(x, w):
            return work(x.astype(np.float64), w).astype(np.float32)
    """,
    "double precision is returned": """
        def kernel(x, w):
            return work(x.astype(np.float64), w)
    """,
    "another order in memory": """
        def kernel(x, w):
            return work(np.asfortranarray(x), np.asfortranarray(w))
    """,
    "a list of one output": """
        def kernel(x, w):
            return [work(x, w)]
    """,
    "a generator inside": """
        def kernel(x, w):
            return np.stack([work(*rows) for rows in zip(x, w)])
    """,
    "room that is kept": """
        room = np.empty((96, 128), np.float32)

        def kernel(x, w):
            np.copyto(room, work(x, w))
            return room
    """,
    "a clock that is read": """
        def kernel(x, w):
            start = time.perf_counter()
            y = work(x, w)
            kernel.took = time.perf_counter() - start
            return y
    """,
    "garbage is collected": """
        def kernel(x, w):
            y = work(x, w)
            gc.collect()
            return y
    """,
    "made ready at the first call": """
        ready = None

        def kernel(x, w):
            global ready
            if ready is None:
                ready = [work(x, w) for _ in range(3)] and np.empty_like(x)
            np.multiply(work(x, np.float32(1)), w, out=ready)
            return ready
    """,
}
"""Each must be correct, show no sign, and be found as fast as it is."""
