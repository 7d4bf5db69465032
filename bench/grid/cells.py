"""The declared list of cells: which procedure is tried on which design. Chosen before any of them was run."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

from honestly.stats import Policy

from . import designs as d

EVERY = (10, 20, 30, 80, 500)
EDGES = (0.02, 0.05, 0.3, 0.5)
DROP, FAIL = Policy(void="drop"), Policy(void="fail")


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
    for mean, n in product((*EDGES, 0.95), (10, 20, 80, 500)):
        yield f"beta {mean}, N={n}, K=5", d.one(d.beta(mean), n, 5)
    for mean, n in product((*EDGES, 0.1), (10, 20, 30, 80)):
        yield f"mean {mean}, N={n}, K=1", d.one(d.beta(mean), n, 1)
    for mean, n in product((0.05, 0.3), (20, 80)):
        yield f"beta {mean}, N={n}, K=2/5", d.one(d.beta(mean), n, "2/5")
    for mean, n in product((0.05, 0.5), (20, 80)):
        yield f"all alike {mean}, N={n}, K=5", d.one(d.alike(mean), n, 5)
        yield f"solved or not {mean}, N={n}, K=5", d.one(d.rare(mean / 0.9), n, 5)
    for size, declared in product((2, 8, 25), (True, False)):
        word = "declared" if declared else "undeclared"
        design = d.families(d.beta(0.4), [size] * (200 // size), 1, declared=declared, agents=1)
        yield f"families of {size} {word}, N=200, K=1", design
    yield "SWE-bench's repositories, K=1", d.families(d.beta(0.4), d.REPOSITORIES, 1, copies=0.5, agents=1)
    for n in (20, 80):
        lost = d.one(d.beta(0.4), n, 5, taken="lost", policy=DROP)
        yield f"40% of failures void and dropped, N={n}, K=5", lost


def pairs():
    for samples, n in product((1, 5, "2/5"), EVERY):
        yield f"equal, N={n}, K={samples}", d.equal(d.beta(0.4, 5), n, samples)
    for mean, samples, n in product((0.02, 0.95), (1, 5), (20, 80)):
        yield f"equal at {mean}, N={n}, K={samples}", d.equal(d.beta(mean), n, samples)
    for samples, n in product((1, 5), (10, 20)):
        yield f"equal, own questions, N={n}, K={samples}", d.own(d.beta(0.4), n, samples)
    for n in (20, 80):
        yield f"equal, N={n}, K=1 against 10", d.equal(d.beta(0.4), n, (1, 10))
        yield f"equal, all alike .5, N={n}, K=5", d.equal(d.alike(0.5), n, 5)
    for samples, n in product((5, 10), EVERY[:4]):
        yield f"+.1 on 90% and -.9 on 10%, N={n}, K={samples}", d.skewed(0.1, 0.9, n, samples)
    for n in (10, 20, 80):
        yield f"+.1 on 90% and -.9 on 10%, N={n}, exact", d.skewed(0.1, 0.9, n, "exact")
    for (share, gap), n in product(((0.05, 0.95), (0.02, 0.98)), (20, 80)):
        yield f"-{gap:g} on {share:.0%}, N={n}, K=5", d.skewed(share, gap, n, 5)


def bent():
    """Pairs with families, lost samples, or samples that depend on results."""
    for n in (20, 80):
        yield f"+.1 on 90% and -.9 on 10%, N={n}, K=1", d.skewed(0.1, 0.9, n, 1)
        yield f"+.2 on 90% and -.8 on 10%, N={n}, K=5", d.skewed(0.1, 0.9, n, 5, shift=0.1)
        yield f"A retried until it passes, N={n}, K=1 to 5 against 5", d.equal(d.beta(0.4), n, 5, taken="retried")
        for policy, word in ((DROP, "dropped"), (FAIL, "failed")):
            both = d.equal(d.beta(0.4), n, 5, taken="lost", policy=policy)
            yield f"40% of failures void and {word}, N={n}, K=5", both
        alone = d.equal(d.beta(0.4), n, 5, taken="lost, one agent", policy=DROP)
        yield f"40% of A's failures void and dropped, N={n}, K=5", alone
    for size, declared in product((1, 2, 4, 8, 25, 100), (True, False)):
        if size in (1, 100) and not declared:
            continue
        word = "declared" if declared else "undeclared"
        design = d.families(d.beta(0.4), [size] * (500 // size), 5, declared=declared, copies=0.5)
        yield f"families of {size} {word}, N=500, K=5", design
    for size, groups in ((4, 5), (8, 3), (8, 10), (1, 20)):
        yield f"{groups} families of {size} declared, K=5", d.families(d.beta(0.4), [size] * groups, 5)
    yield "12 unequal families declared, N=78, K=5", d.families(d.beta(0.4), d.UNEQUAL, 5)
    for deviation, declared in product((0.05, 0.15), (True, False)):
        word = "declared" if declared else "undeclared"
        design = d.shifted_families(deviation, d.REPOSITORIES, 1, declared=declared)
        yield f"SWE-bench's repositories, sd {deviation} {word}, K=1", design


def tables():
    for name, (which, n) in product(d.TABLES, (("closest", 80), ("skewed", 20), ("skewed", 80))):
        yield (
            f"recentred {name}, {which} pair, N={n}",
            lambda folder, a=name, b=which, c=n: d.recentred(folder, a, b, c),
        )


def law():
    for deviation in (0.0, 0.05, 0.15):
        yield f"SWE-bench's repositories, sd {deviation}, K=1", d.shifted_families(deviation, d.REPOSITORIES, 1)
    yield "12 unequal families, N=78, K=5", d.families(d.beta(0.4), d.UNEQUAL, 5)


def unpaired():
    for n in (40, 160):
        yield f"equal, N={n}, K=5", d.equal(d.beta(0.4), n, 5)


def bounds():
    for n in (20, 80):
        yield f"40% of failures void, N={n}, K=5", d.one(d.beta(0.4), n, 5, taken="lost", policy=FAIL)


def passes():
    for mean, n in product((0.02, 0.05, 0.3, 0.95), (10, 20, 80)):
        yield f"beta {mean}, N={n}, K=5", d.one(d.beta(mean), n, 5)
    for n in (20, 80, 500):
        yield f"beta 0.1, N={n}, K=2", d.one(d.beta(0.1), n, 2)
        yield f"beta 0.9, N={n}, K=10", d.one(d.beta(0.9), n, 10)


def noise():
    for mean, n in product((0.03, 0.1, 0.4), (10, 20, 80, 500)):
        yield f"beta {mean}, N={n}, K=5", d.one(d.beta(mean), n, 5)
    for n in (20, 80):
        yield f"mean 0.03 of 2% solved, N={n}, K=5", d.one(d.rare(0.02, 0.9, 0.0122), n, 5)
        yield f"beta 0.4, N={n}, K=2/5", d.one(d.beta(0.4), n, "2/5")
        yield f"pair, equal at 0.05, N={n}, K=5", d.equal(d.beta(0.05), n, 5)
        yield f"pair, equal at 0.4, N={n}, K=5", d.equal(d.beta(0.4), n, 5)
        yield f"pair, own questions at 0.05, N={n}, K=5", d.own(d.beta(0.05), n, 5)
        yield f"pair, own questions at 0.4, N={n}, K=5", d.own(d.beta(0.4), n, 5)


def families():
    for n, samples in product((10, 20, 30, 80), (1, 5)):
        yield f"10 equal agents, N={n}, K={samples}", d.equal(d.beta(0.4, 5), n, samples, 10)
    for n, samples in ((10, 5), (20, 5), (80, 5), (164, 1)):
        yield f"20 equal agents, N={n}, K={samples}", d.equal(d.beta(0.4), n, samples, 20)
    for n in (20, 80):
        yield f"10 equal agents at .05, N={n}, K=5", d.equal(d.beta(0.05), n, 5, 10)
        yield f"10 agents, own questions, N={n}, K=5", d.own(d.beta(0.4), n, 5, 10)
        yield f"10 agents, one +.1 on 90% and -.9 on 10%, N={n}, K=5", d.skewed(0.1, 0.9, n, 5, agents=10)
        yield f"8 agents 4 points apart, N={n}, K=5", d.ladder(0.04, n, 5, 8)
    yield "10 equal agents, N=500, K=5", d.equal(d.beta(0.4), 500, 5, 10)
    yield "10 agents, 10 families of 8 declared, K=5", d.families(d.beta(0.4), [8] * 10, 5, agents=10)
    for name, n in product(("terminal-bench", "lcb_codegeneration", "interactive_swe"), (30, 80)):
        yield (
            f"recentred {name}, up to 12 agents, N={n}",
            lambda folder, a=name, b=n: d.recentred_agents(folder, a, b),
        )


def until():
    for mean in (0.05, 0.4):
        yield f"equal at {mean}, N=500, K=1", d.equal(d.beta(mean), 500, 1)
    yield "+.1 on 90% and -.9 on 10%, N=500, K=1", d.skewed(0.1, 0.9, 500, 1)
    for samples in (5, 10, "exact"):
        yield f"equal, own questions, N=500, K={samples}", d.own(d.beta(0.4), 500, samples)
        for n in (30, 80, 500):
            yield f"+.1 on 90% and -.9 on 10%, N={n}, K={samples}", d.skewed(0.1, 0.9, n, samples)
        yield f"-.98 on 2%, N=500, K={samples}", d.skewed(0.02, 0.98, 500, samples)
    for name, which in product(("terminal-bench", "lcb_codegeneration", "lcb_selfrepair"), ("closest", "skewed")):
        yield (
            f"recentred {name}, {which} pair, N=80",
            lambda folder, a=name, b=which: d.recentred(folder, a, b, 80),
        )


def shares():
    for mean, samples, n in product((0.02, 0.3), (1, 5), (20, 80)):
        yield f"equal at {mean}, N={n}, K={samples}", d.equal(d.beta(mean), n, samples)
    for n in (20, 80):
        yield f"+.2 on 90% and -.8 on 10%, N={n}, K=5", d.skewed(0.1, 0.9, n, 5, shift=0.1)


def redrawn():
    for name in d.TABLES:
        yield f"{name}, worst agent, N=20", lambda folder, a=name: d.redrawn(folder, a, 0.0, 20)


SOURCES = (
    ("score", scores),
    ("score", redrawn),
    ("compare", pairs),
    ("compare", bent),
    ("compare", tables),
    ("cluster-law", law),
    ("unpaired", unpaired),
    ("bounds", bounds),
    ("pass", passes),
    ("noise", noise),
    ("family", families),
    ("until", until),
    ("shares", shares),
)
CELLS = [Cell(procedure, *named) for procedure, make in SOURCES for named in make()]


def drawn(cell, folder: Path):
    """The cell's design."""
    return cell.design if isinstance(cell.design, d.Design) else cell.design(folder)
