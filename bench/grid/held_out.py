"""A second list, of other means, skews, sizes, families and seeds, which no procedure was mended on.

It was written before the first results of the first list were seen, and run once, when all mending was done.
"""

from itertools import product

import numpy as np

from . import designs as d
from .cells import DROP, Cell

GEOMETRIC = np.array([64, 32, 16, 8, 4, 2, 1, 1])


def scores():
    for (mean, spread), n in product(((0.03, 0.5), (0.08, 6.0), (0.15, 1.0), (0.7, 1.0)), (15, 45)):
        yield f"beta {mean} of spread {spread}, N={n}, K=3", d.one(d.beta(mean, spread), n, 3)
    for mean, n in product((0.03, 0.15, 0.4), (12, 25, 120)):
        yield f"mean {mean}, N={n}, K=1", d.one(d.beta(mean), n, 1)
    yield "8 families halving in size declared, K=3", d.families(d.beta(0.6), GEOMETRIC, 3, agents=1)


def pairs():
    for n, samples in ((15, 3), (25, 8), (45, 3), (250, 8)):
        yield (
            f"one at the edge: +.09 on 85% and -.5 on 15%, N={n}, K={samples}",
            d.skewed(0.15, 0.5, n, samples, quiet=True),
        )
        yield f"-.6 on 3%, N={n}, K={samples}", d.skewed(0.03, 0.6, n, samples)
    for n, samples in ((25, 1), (25, 3), (120, 3)):
        yield f"equal at .9 of spread .5, N={n}, K={samples}", d.equal(d.beta(0.9, 0.5), n, samples)
        yield f"own questions at .1, N={n}, K={samples}", d.own(d.beta(0.1), n, samples)
    for size in (3, 6, 12, 50):
        yield f"families of {size} declared, N=300, K=3", d.families(d.beta(0.2), [size] * (300 // size), 3)
    yield "8 families halving in size declared, K=3", d.families(d.beta(0.2), GEOMETRIC, 3)
    yield "A retried until it passes, N=40, K=1 to 5 against 5", d.equal(d.beta(0.3, 4), 40, 5, taken="retried")
    yield "40% of failures void and dropped, N=40, K=3", d.equal(d.beta(0.7), 40, 3, taken="lost", policy=DROP)


def tables():
    for name in d.TABLES:
        yield f"recentred {name}, widest pair, N=40", lambda folder, a=name: d.recentred(folder, a, "widest", 40)


def passes():
    for mean, n in product((0.03, 0.15, 0.7), (15, 45)):
        yield f"beta {mean} of spread 1, N={n}, K=4", d.one(d.beta(mean, 1.0), n, 4)


def noise():
    for mean, n in product((0.04, 0.2, 0.9), (25, 120)):
        yield f"beta {mean} of spread 1, N={n}, K=3", d.one(d.beta(mean, 1.0), n, 3)


def families():
    for agents, n, samples in ((5, 15, 3), (15, 25, 8), (30, 45, 1)):
        yield f"{agents} equal agents, N={n}, K={samples}", d.equal(d.beta(0.6, 3), n, samples, agents)
    yield "recentred lcb_selfrepair, N=45", lambda folder: d.recentred_agents(folder, "lcb_selfrepair", 45)


def until():
    for samples in (1, 3, 8):
        yield f"+.09 on 85% and -.5 on 15%, N=300, K={samples}", d.skewed(0.15, 0.5, 300, samples, quiet=True)
    yield "recentred terminal-bench, widest pair, N=120", lambda f: d.recentred(f, "terminal-bench", "widest", 120)


def shares():
    for mean, n in product((0.03, 0.15), (25, 60)):
        yield f"own questions at {mean}, N={n}, K=3", d.own(d.beta(mean), n, 3)


SOURCES = (
    ("score", scores),
    ("compare", pairs),
    ("compare", tables),
    ("pass", passes),
    ("noise", noise),
    ("family", families),
    ("until", until),
    ("shares", shares),
)
HELD_OUT = [Cell(procedure, f"held out: {name}", design) for procedure, make in SOURCES for name, design in make()]
