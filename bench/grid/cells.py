"""The cells: which procedure is tried on which design. Half are declared; half were drawn by a seed, the code final."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from honestly.stats import Policy

from . import designs as d

DROP = Policy(void="drop")
SEED = 202611292018
ZIPF = np.maximum(1, np.round(200 / np.arange(1, 41) / (1 / np.arange(1, 41)).sum())).astype(int)
SIZES = (10, 12, 15, 20, 25, 30, 45, 60, 80, 120, 200)


@dataclass(frozen=True)
class Cell:
    procedure: str
    name: str
    design: object
    """A design, or a function of the data folder that makes one."""

    @property
    def id(self):
        return f"{self.procedure}: {self.name}"


def scores():
    for mean, n in product((0.01, 0.05, 0.5, 0.95, 0.99), (10, 20, 80)):
        yield f"beta {mean}, N={n}, K=5", d.one(d.beta(mean), n, 5)
    for mean, n in product((0.02, 0.05, 0.3), (10, 20, 80)):
        yield f"mean {mean}, N={n}, K=1", d.one(d.beta(mean), n, 1)
    for n in (10, 20, 30, 80):
        yield f"grades .88 to .92, 5% zero, N={n}", d.one(d.masses(0.05, 0.0, 0.88, 0.92), n, "exact")
        yield f"grades 0 to .02, 1% one, N={n}", d.one(d.masses(0.01, 1.0, 0.0, 0.02), n, "exact")
        yield f".98, but 0 on 2%, N={n}, K=50", d.one(d.rare(0.02, 0.0, 0.98), n, 50)
    for mean in (0.05, 0.5, 0.9, 0.97):
        yield f"40 Zipf clusters, mean {mean}", d.families(d.beta(mean), ZIPF, 1, agents=1)
        yield f"12 clusters of 10, mean {mean}", d.families(d.beta(mean), [10] * 12, 1, agents=1)
    yield "SWE-bench's repositories, K=1", d.families(d.beta(0.4), d.REPOSITORIES, 1, copies=0.5, agents=1)
    yield "families of 8 undeclared, N=200, K=1", d.families(d.beta(0.4), [8] * 25, 1, declared=False, agents=1)
    for name in d.TABLES:
        yield f"{name}, worst agent, N=20", lambda folder, a=name: d.redrawn(folder, a, 0.0, 20)


def pairs():
    for samples, n in product((1, 5, "2/5"), (10, 20, 80, 500)):
        yield f"equal, N={n}, K={samples}", d.equal(d.beta(0.4, 5), n, samples)
    for mean, samples, n in product((0.02, 0.95), (1, 5), (20, 80)):
        yield f"equal at {mean}, N={n}, K={samples}", d.equal(d.beta(mean), n, samples)
    for samples, n in product((1, 5, "exact"), (10, 20, 80)):
        yield f"+.1 on 90% and -.9 on 10%, N={n}, K={samples}", d.skewed(0.1, 0.9, n, samples)
    for n in (20, 80):
        yield f"-.98 on 2%, N={n}, K=5", d.skewed(0.02, 0.98, n, 5)
        yield f"equal, N={n}, K=1 against 10", d.equal(d.beta(0.4), n, (1, 10))
        yield f"40% of failures void and dropped, N={n}, K=5", d.equal(d.beta(0.4), n, 5, taken="lost", policy=DROP)
    for taken, mean, n in product(("retried", "once", "ended"), (0.1, 0.4, 0.8), (10, 20, 80)):
        yield f"A {taken}, at {mean}, N={n}", d.equal(d.beta(mean), n, 1 if taken == "once" else 5, taken=taken)
    for n in (20, 60, 200):
        yield f"grades, A until one is good enough, N={n}", d.good_enough(d.beta(0.5), n, 4)
    for n, agree, samples in ((8, 0, 1), (16, 0, 1), (16, 0, 5), (17, 0.045, 1), (43, 0, 1), (68, 0.04, 1)):
        yield f"agreeing on {agree:.1%}, N={n}, K={samples}", d.opposed(n, samples, agree)
    for size, groups in ((4, 5), (8, 3), (8, 10), (4, 125), (25, 20)):
        yield f"{groups} families of {size} declared, K=5", d.families(d.beta(0.4), [size] * groups, 5)
    yield "12 unequal families declared, N=78, K=5", d.families(d.beta(0.4), d.UNEQUAL, 5)
    yield "SWE-bench's repositories, sd .15, K=1", d.shifted_families(0.15, d.REPOSITORIES, 1)
    yield (
        "SWE-bench's repositories, sd .15 undeclared, K=1",
        d.shifted_families(0.15, d.REPOSITORIES, 1, declared=False),
    )
    for name, which in product(d.TABLES, ("closest", "skewed")):
        yield f"recentred {name}, {which} pair, N=20", lambda folder, a=name, b=which: d.recentred(folder, a, b, 20)


def margins():
    for samples, n in product((1, 5, "exact"), (10, 20, 80)):
        yield f"+.1 on 90% and -.9 on 10%, N={n}, K={samples}", d.skewed(0.1, 0.9, n, samples)
    yield "equal, N=20, K=5", d.equal(d.beta(0.4, 5), 20, 5)
    yield "12 unequal families declared, N=78, K=5", d.families(d.beta(0.4), d.UNEQUAL, 5)


def ladders():
    for samples, n in product((1, 5, "exact"), (10, 20, 80)):
        yield f"8 equal, +.1 on 90% and -.9 on 10%, N={n}, K={samples}", d.skewed(0.1, 0.9, n, samples, agents=8)
    yield "8 equal, N=20, K=5", d.equal(d.beta(0.4), 20, 5, 8)


def macros():
    for sizes, mean in product(((2, 50, 50), (2, 2, 100), (3, 10, 100, 300)), (0.05, 0.5, 0.95)):
        yield f"groups of {sizes}, mean {mean}, K=5", d.grouped(d.beta(mean), sizes, 5)


def cutoffs():
    for mean, n in product((0.05, 0.5, 0.93), (40, 80, 200)):
        yield f"no change at {mean}, N={n}, K=1", d.one(d.beta(mean), n, 1)


def families():
    for agents, n, samples in ((10, 10, 5), (10, 20, 1), (20, 20, 5), (10, 80, 5)):
        yield f"{agents} equal agents, N={n}, K={samples}", d.equal(d.beta(0.4), n, samples, agents)
    for n in (10, 20, 80):
        yield f"10 agents, one +.1 on 90% and -.9 on 10%, N={n}, grades", d.skewed(0.1, 0.9, n, "exact", agents=10)
        yield f"8 agents 4 points apart, N={n}, K=5", d.ladder(0.04, n, 5, 8)
    yield "10 agents, 10 families of 8 declared, K=5", d.families(d.beta(0.4), [8] * 10, 5, agents=10)


def until():
    for samples, n in product((1, 5, "exact"), (30, 80, 500)):
        yield f"+.1 on 90% and -.9 on 10%, N={n}, K={samples}", d.skewed(0.1, 0.9, n, samples)
    yield "-.98 on 2%, N=500, K=5", d.skewed(0.02, 0.98, 500, 5)


def looks():
    for samples, n in product((2, 5, "exact"), (30, 90)):
        yield f"+.1 on 90% and -.9 on 10%, N={n}, K={samples}", d.skewed(0.1, 0.9, n, samples)
    name = "terminal-bench"
    yield f"recentred {name}, skewed pair, N=60", lambda folder: d.recentred(folder, name, "skewed", 60)


def passes():
    for mean, n in product((0.02, 0.3, 0.95), (10, 20, 80)):
        yield f"beta {mean}, N={n}, K=5", d.one(d.beta(mean), n, 5)


def noise():
    for mean, n in product((0.03, 0.4), (10, 20, 80)):
        yield f"beta {mean}, N={n}, K=5", d.one(d.beta(mean), n, 5)
    yield "pair, equal at 0.05, N=20, K=5", d.equal(d.beta(0.05), 20, 5)
    yield "pair, own questions at 0.4, N=20, K=5", d.own(d.beta(0.4), 20, 5)


def shares():
    for mean, samples, n in product((0.02, 0.3), (1, 5), (20, 80)):
        yield f"equal at {mean}, N={n}, K={samples}", d.equal(d.beta(mean), n, samples)


def plans():
    base, few = d.scaled(d.beta(0.4, 4), 0.6), d.scaled(d.beta(0.4, 4), 0.4)

    def tenth(rng, shape):
        return np.where(rng.random(shape) < 0.1, 0.5, rng.uniform(-0.02, 0.02, shape))

    laws = {
        "gains as gamma(1)": (lambda n: d.gains(base, lambda r, s: r.gamma(1, 0.05, s), 0.05, n, "exact"), (60, 300)),
        "gains of .5 on a tenth": (lambda n: d.gains(few, tenth, 0.05, n, "exact"), (60, 300)),
        "gains of 0 to .4": (lambda n: d.gains(few, lambda r, s: r.uniform(0, 0.4, s), 0.2, n, "exact"), (20,)),
        "+.1, -.4 on 5%": (lambda n: d.skewed(0.05, 0.5, n, "exact", 0.07), (60,)),
        "+.1, -.4 on 5%, K=5": (lambda n: d.skewed(0.05, 0.5, n, 5, 0.07), (60,)),
        "+.15, K=1": (lambda n: d.gains(base, lambda _, s: np.full(s, 0.15), 0.15, n, 1), (60,)),
        "+.1, K=5": (lambda n: d.gains(base, lambda _, s: np.full(s, 0.1), 0.1, n, 5), (60,)),
    }
    for words, (law, sizes) in laws.items():
        yield from ((f"{words}, pilot of {n}", d.pilot(law, n)) for n in sizes)


SOURCES = {
    "score": scores,
    "compare": pairs,
    "one-sided": margins,
    "ladder": ladders,
    "macro": macros,
    "unpaired": cutoffs,
    "family": families,
    "until": until,
    "looks": looks,
    "pass": passes,
    "noise": noise,
    "shares": shares,
    "plan": plans,
}
DECLARED = [Cell(procedure, *named) for procedure, make in SOURCES.items() for named in make()]


def random_law(rng):
    """A law of chances, and its words."""
    kind = rng.choice(["beta", "rare", "grades"], p=[0.6, 0.2, 0.2])
    mean = round(float(rng.choice([rng.uniform(0.01, 0.1), rng.uniform(0.1, 0.9), rng.uniform(0.9, 0.99)])), 3)
    if kind == "beta":
        spread = float(rng.choice([0.3, 1.0, 3.0, 10.0]))
        return d.beta(mean, spread), f"beta {mean} of spread {spread:g}", False
    share = round(float(rng.uniform(0.01, 0.3)), 3)
    odd = float(rng.integers(2))
    if kind == "rare":
        return d.rare(share, odd, mean), f"{mean}, but {odd:g} on {share:.1%}", False
    low = max(0.0, round(mean - float(rng.uniform(0.01, 0.2)), 3))
    high = min(1.0, round(2 * mean - low, 3))
    return d.masses(share, odd, low, high), f"grades {low:g} to {high:g}, {odd:g} on {share:.1%}", True


def random_sizes(rng):
    groups = int(rng.integers(5, 41))
    sizes = np.maximum(1, np.round(rng.choice([2, 5, 10]) * rng.lognormal(0, rng.choice([0, 0.7, 1.2]), groups)))
    return sizes.astype(int), f"{groups} clusters of {int(sizes.min())} to {int(sizes.max())}"


def drawn_cell(at):
    """The cell of this number among those that the seed draws."""
    rng = np.random.default_rng([SEED, at])
    kinds = ["score", "compare", "one-sided", "ladder", "macro", "unpaired", "family", "until"]
    procedure = str(rng.choice(kinds, p=[0.3, 0.3, 0.12, 0.06, 0.06, 0.06, 0.05, 0.05]))
    (law, words, graded), n = random_law(rng), int(rng.choice(SIZES))
    samples = "exact" if graded else int(rng.choice([1, 2, 5, 20, 50]))
    place = f"N={n}, K={samples}"
    agents = {"ladder": 8, "family": 8}.get(procedure, 2)
    if procedure == "macro":
        sizes = tuple(sorted(int(each) for each in rng.choice([2, 3, 10, 50, 100], rng.integers(2, 6))))
        return Cell(procedure, f"drawn {at}: {words}, groups of {sizes}, K={samples}", d.grouped(law, sizes, samples))
    clustered = rng.random() < 0.3 and procedure not in {"unpaired", "until"} and not graded
    if clustered:
        sizes, groups = random_sizes(rng)
        design = d.families(law, sizes, samples, copies=float(rng.choice([0.3, 1.0])), agents=agents)
        if procedure == "score":
            design = d.families(law, sizes, samples, agents=1)
        return Cell(procedure, f"drawn {at}: {words}, {groups}, K={samples}", design)
    if procedure in {"score", "unpaired"}:
        return Cell(procedure, f"drawn {at}: {words}, {place}", d.one(law, max(n, 20), samples))
    how = str(rng.choice(["equal", "own", "skewed"]))
    if how == "skewed":
        share, gap = round(float(rng.uniform(0.01, 0.4)), 3), round(float(rng.uniform(0.1, 0.95)), 3)
        name = f"drawn {at}: -{gap:g} on {share:.1%}, better on the rest, {place}"
        return Cell(procedure, name, d.skewed(share, gap, n, samples, agents=agents))
    make = {"equal": d.equal, "own": d.own}[how]
    return Cell(procedure, f"drawn {at}: {how}, {words}, {place}", make(law, n, samples, agents))


DRAWN = [drawn_cell(at) for at in range(len(DECLARED))]
CELLS = sorted([*DECLARED, *DRAWN], key=lambda cell: list(SOURCES).index(cell.procedure))


def drawn(cell, folder: Path):
    """The cell's design."""
    return cell.design if isinstance(cell.design, d.Design) else cell.design(folder)
