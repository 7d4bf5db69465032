"""The grid of hard designs: its page is what its results make, every cell has one, and the hardest hold when tried again.

`bench/coverage.py` runs it, for a quarter of an hour of a core; here are some of its cells at fewer studies.
"""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from honestly import stats

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "methods"
sys.path.append(str(ROOT / "bench"))  # at the end: a bench of this name must hide no library

page, cells = (import_module(f"grid.{name}") for name in ("page", "cells"))

HARD = (
    r"score: (mean 0\.05, N=20, K=1|beta 0\.05, N=20, K=5|12 clusters of 10, mean 0\.9)$"
    r"|compare: (\+\.1 on 90% and -\.9 on 10%, N=20, K=1|equal, N=10, K=5|10 families of 8 declared, K=5)$"
    r"|one-sided: \+\.1 on 90% and -\.9 on 10%, N=20, K=5|macro: groups of \(2, 2, 100\), mean 0\.5, K=5"
    r"|unpaired: no change at 0\.93, N=40|pass: beta 0\.02, N=20|noise: (beta 0\.03, N=20|pair, equal at 0\.05, N=20)"
    r"|family: 10 equal agents, N=20, K=1|until: \+\.1 on 90% and -\.9 on 10%, N=80, K=(1|5)$"
    r"|plan: \+\.1, -\.4 on 5%, K=5, pilot of 60"
)


def lines():
    return list(page.read_lines(page.RESULTS).values())


def run(*given):
    command = [sys.executable, "bench/coverage.py", *map(str, given)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_no_other_cells_have_results():
    order = [cell.id for cell in cells.CELLS]
    found = [line["cell"] for line in lines()]
    assert found == [name for name in order if name in set(found)]
    assert len(order) == len(set(order)) <= 500
    assert page.RESULTS.stat().st_size < 90_000


def test_the_pages_are_made_from_the_results():
    made = page.made()
    assert sorted(made) == ["coverage.md", "pictures/coverage.svg"]
    for name, text in made.items():
        assert (FOLDER / name).read_text("utf-8") == text, "run: python bench/coverage.py --page"


def test_nothing_fails_but_families_that_nobody_declared():
    failing = [line["cell"] for line in lines() if any(found == "fails" for *_, found in page.judged([line]))]
    assert failing
    assert [cell for cell in failing if "undeclared" not in cell] == []


def test_a_rate_is_judged_by_its_exact_interval():
    for wrong in (600, 620, 621, 622, 623, 624, 625, 626, 627, 628, 629, 630, 640):
        low, _ = stats.clopper_pearson_interval(wrong, 10_000, 0.999)
        assert (page.verdict("size", [10_000, wrong]) == "fails") == (low > 0.055)
        assert page.is_in_doubt("size", [10_000, wrong]) == (low <= 0.055)
    assert page.verdict("coverage", [10_000, 640]) == "holds"
    assert not page.is_in_doubt("coverage", [10_000, 640])
    assert page.verdict("coverage", [10_000, 790]) == "fails"
    assert page.verdict("coverage", [10_000, 60]) == "over"


def test_the_hardest_cells_hold_when_they_are_tried_again(tmp_path):
    out = tmp_path / "tried.jsonl"
    run("--out", out, "--only", HARD, "--studies", 300)
    tried = page.read_lines(out)
    assert len(tried) >= 15
    assert [page.in_words(line) for line in tried.values() if any(f == "fails" for *_, f in page.judged([line]))] == []
    before = out.read_bytes()
    assert run("--out", out, "--only", HARD, "--studies", 300) == ""
    assert out.read_bytes() == before
