"""Do coverage and size hold where it is hardest? A grid of cells, each thousands of studies whose truth is known.

    python bench/coverage.py [--out FILE] [--data DIR] [--only PATTERN] [--studies N] [--jobs J]
    python bench/coverage.py --page
    python bench/coverage.py --cells

The first runs what FILE lacks of the list in `grid/cells.py` (one JSON line for each finished cell; stop it at any
time), the second writes docs/methods/coverage.md and its picture from docs/methods/coverage.jsonl, the third prints
every cell of FILE as a table. Cells of real leaderboards are left out where DIR (evaluation data, not in the
repository) lacks them.

A rate fails if its exact 99.9% interval lies wholly outside the promise: coverage of at least 93%, false positives of
at most 5.5%, power of at least 80%. A cell whose rate is outside, and not wholly, is drawn on to five times as many
studies, which all count.
Coverage above 99% is listed as such.
"""

import argparse
import json
import os
import re
import sys
import time
import zlib
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from grid import page
from grid.cells import CELLS, Cell, drawn
from grid.procedures import PROCEDURES, STUDIES, USUAL

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
ORDER = [cell.id for cell in CELLS]
AT_ONCE = 500_000
"""Cells of a table that are drawn together: some 30 MB."""


def run(name: str, folder: Path, studies: int | None) -> str:
    """Try the cell of this name; its line of the results."""
    start, cell = time.process_time(), next(cell for cell in CELLS if cell.id == name)
    design = drawn(cell, folder)
    usual = wanted = studies or STUDIES.get(cell.procedure, USUAL)
    rng = np.random.default_rng([46, zlib.crc32(cell.id.encode())])  # no cell was given a lucky seed
    chunk = max(2, AT_ONCE // (design.questions * len(design.truth)))
    rates: dict[str, list[int]] = {}
    drawn_studies = 0
    while drawn_studies < wanted:
        count = max(2, min(chunk, wanted - drawn_studies))
        for rate, wrong in PROCEDURES[cell.procedure](design, design.draw(rng, count)):
            tally = rates.setdefault(rate, [0, 0])
            tally[0] += len(wrong)
            tally[1] += int(wrong.sum())
        drawn_studies += count
        if drawn_studies == usual and any(page.is_in_doubt(*rate) for rate in rates.items()):
            wanted = 5 * usual
    seconds = round(time.process_time() - start, 1)
    return json.dumps({"cell": cell.id, "questions": design.questions, "seconds": seconds, "rates": rates})


def pending(cells: list[Cell], done: dict, folder: Path) -> list[Cell]:
    """Cells without a result whose data are at hand; what is left out is said."""
    found, absent = [], 0
    for cell in cells:
        if cell.id in done:
            continue
        try:
            drawn(cell, folder)
        except FileNotFoundError:
            absent += 1
        else:
            found.append(cell)
    if absent:
        print(f"{absent} cells need evaluation data that {folder} lacks", file=sys.stderr)
    return found


def work_through(cells: list[Cell], given: argparse.Namespace, done: dict) -> None:
    """Run cells and write the results after each, as a whole."""
    deadline = time.monotonic() + 60 * given.minutes
    with ProcessPoolExecutor(given.jobs) as pool:
        waiting, more = iter(cells), (given.data, given.studies)
        running = {pool.submit(run, cell.id, *more) for cell in islice(waiting, given.jobs)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for line in (json.loads(one.result()) for one in finished):
                done[line["cell"]] = line
                page.write_lines(given.out, {name: done[name] for name in sorted(done, key=ORDER.index)})
                print(f"{len(done)}: {page.in_words(line)} ({line['seconds']} s)", flush=True)
                if time.monotonic() < deadline and (cell := next(waiting, None)):
                    running.add(pool.submit(run, cell.id, *more))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=page.RESULTS, help="results, one JSON line a cell")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with evaluation data")
    parser.add_argument("--only", default="", metavar="PATTERN", help="regular expression that a cell's name must hold")
    parser.add_argument("--studies", type=int, help="studies of each cell; else 2,000, fewer where a study is dear")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no cell after so many")
    parser.add_argument("--page", action="store_true", help="write the page from the results, and run nothing")
    parser.add_argument("--cells", action="store_true", help="print every cell as a table, and run nothing")
    given = parser.parse_args()
    if given.cells:
        print(page.every_cell(list(page.read_lines(given.out).values())), end="")
        return
    if given.page:
        page.write()
        return
    done = page.read_lines(given.out)
    wanted = [cell for cell in CELLS if re.search(given.only, cell.id)]
    work_through(pending(wanted, done, given.data), given, done)


if __name__ == "__main__":
    main()
