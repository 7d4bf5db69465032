"""The page docs/methods/coverage.md, made from the results of the grid: a summary, a picture, and what fails.

Nothing on it is written by hand but the sentences here.
"""

import json
import sys
from functools import cache
from itertools import groupby
from pathlib import Path

from grid.cells import CELLS

from honestly.stats._special import binomial_cdf

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "methods"
RESULTS = FOLDER / "coverage.jsonl"
FALSE_POSITIVES = {"size", "above", "below", "announced", "apart", "any look"}
POWER = "power"
TAIL = 0.0005
MOST_FALSE, LEAST_COVERED, MOST_COVERED, LEAST_POWER = 0.055, 0.93, 0.99, 0.8
KEPT = {"holds", "over"}
DRAWN = "drawn "
VERDICTS = {"holds": "honest", "over": "third", "fails": "visible"}
WHAT = {
    "score": "the interval of one agent's score",
    "compare": "`compare`, and every pair of `report`",
    "one-sided": "`gate`, `--margin`, `--at-least`, at the very margin",
    "ladder": "`--ladder`: one of eight equal submissions announced",
    "macro": "the macro mean of `--by`",
    "unpaired": "`--cutoff` where nothing changed",
    "family": "`report`: any false order among 8 to 20 agents after Holm",
    "until": "`run --until`: a false verdict at any look",
    "looks": "planned looks at thirds of the questions",
    "pass": "`pass_at_k` and `pass_all_k`, k = 2",
    "noise": "`noise` and `paired_noise`: the three components",
    "shares": "`share_difference_interval`",
    "plan": "`stats plan --pilot`: a study of the planned size finds the gap",
}
INTRO = """# Coverage on hard designs

Does a 95% interval contain the truth, and does a test at 5% keep its level, in the hardest cases? A grid of
simulations answers this. Each cell simulates a design with a known truth: skewed values, rare outliers, clusters,
samples that depend on results, real leaderboards. `bench/grid` declares {declared} cells; another {drawn} were drawn at
random after the code was final. [The headline's rule](headline.md) judges all {studies:,} studies.
{left}
    python bench/coverage.py           # simulates the cells that coverage.jsonl lacks (all: {minutes:.0f} min)
    python bench/coverage.py --page    # makes this page and its picture
    python bench/coverage.py --cells   # prints every cell as a table

We promise three rates: a coverage of at least 93%, at most 5.5% false positives, and, for a plan from a pilot study, a
power of 80%. A cell *fails* if the exact 99.9% interval of its rate is entirely outside the promise.

"""
FAILING = """
These cells fail because their questions form clusters that were not declared (N questions, K samples of each). Declare
[clusters](clusters.md) with `--cluster`.
"""


def read_lines(path: Path) -> dict[str, dict]:
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line["cell"]: line for line in map(json.loads, lines)}


def write_lines(path: Path, lines: dict[str, dict]) -> None:
    kept = path.with_suffix(".part")
    kept.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines.values()), "utf-8")
    kept.replace(path)


def most_wrong(name: str) -> float:
    """The share of wrong studies that is promised at most."""
    return MOST_FALSE if name in FALSE_POSITIVES else 1 - (LEAST_POWER if name == POWER else LEAST_COVERED)


@cache
def judgement(name: str, asked: int, wrong: int) -> str:
    """`holds`, `over` (covers more) or `fails`."""
    if _above(wrong, asked, most_wrong(name)):
        return "fails"
    least = 0.0 if name in FALSE_POSITIVES or name == POWER else 1 - MOST_COVERED
    return "over" if least and float(binomial_cdf(wrong, asked, least)) < TAIL else "holds"


def verdict(name: str, tally: list[int]) -> str:
    return judgement(name, *tally)


def is_in_doubt(name: str, tally: list[int]) -> bool:
    """Whether a rate lies outside the promise, and its interval does not."""
    return tally[1] / tally[0] > most_wrong(name) and verdict(name, tally) != "fails"


def _above(wrong: int, asked: int, most: float) -> bool:
    """Whether the exact 99.9% interval (Clopper & Pearson's) of the share lies above `most`."""
    return float(binomial_cdf(asked - wrong, asked, 1 - most)) < TAIL


def measured(name: str, tally: list[int]) -> float:
    """Share of false positives, of intervals that cover, or of gaps that were found."""
    return tally[1] / tally[0] if name in FALSE_POSITIVES else 1 - tally[1] / tally[0]


def in_words(line: dict) -> str:
    parts = [f"{name} {measured(name, tally):.1%} {verdict(name, tally)}" for name, tally in line["rates"].items()]
    return f"{line['cell']}: " + "; ".join(parts)


def judged(lines: list[dict]) -> list[tuple[str, float, str]]:
    """Name, share and verdict of every rate."""
    return [(name, measured(name, t), verdict(name, t)) for line in lines for name, t in line["rates"].items()]


def procedure(line: dict) -> str:
    return line["cell"].split(": ")[0]


def halves(lines: list[dict]) -> list[tuple[str, list[dict]]]:
    """The declared cells of each procedure, and those that were drawn."""
    found = []
    for is_drawn in (False, True):
        some = sorted((line for line in lines if (DRAWN in line["cell"]) == is_drawn), key=procedure)
        found += [(f"{name}{', drawn' * is_drawn}", list(group)) for name, group in groupby(some, procedure)]
    return sorted(found)


def summary(lines: list[dict]) -> str:
    """A row for each procedure."""
    columns = ("procedure", "declared", "drawn", "fail", "lowest coverage (plan: power)", "most false positives")
    text = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for name, group in groupby(sorted(lines, key=procedure), procedure):
        cells = list(group)
        drawn = sum(DRAWN in line["cell"] for line in cells)
        rates = [each for each in judged(cells) if each[2] in KEPT]
        failing = sum(any(each[2] == "fails" for each in judged([line])) for line in cells)
        covered = [share for rate, share, _ in rates if rate not in FALSE_POSITIVES]
        false = [share for rate, share, _ in rates if rate in FALSE_POSITIVES]
        ends = f"{100 * min(covered):.1f}%" if covered else "", f"{100 * max(false):.1f}%" if false else ""
        text.append(f"| {name} | {len(cells) - drawn} | {drawn} | {failing} | {' | '.join(ends)} |")
    return "\n".join(text) + "\n"


def cell_rows(cells: list[dict]) -> list[str]:
    names = list(dict.fromkeys(name for line in cells for name in line["rates"]))
    rows = [f"| design | studies | {' | '.join(names)} |", "|---" * (len(names) + 2) + "|"]
    for line in cells:
        texts = []
        for name in names:
            tally = line["rates"].get(name)
            mark = {"holds": "", "over": " *over*", "fails": " **fails**"}
            texts.append("" if tally is None else f"{100 * measured(name, tally):.1f}{mark[verdict(name, tally)]}")
        tally = next(iter(line["rates"].values()))
        rows.append(f"| {line['cell'].split(': ', 1)[1]} | {tally[0]:,} | {' | '.join(texts)} |")
    return rows


def page_text(lines: list[dict]) -> str:
    studies = sum(next(iter(line["rates"].values()))[0] for line in lines)
    minutes = sum(line["seconds"] for line in lines) / 60
    declared = sum(DRAWN not in line["cell"] for line in lines)
    left = f"{len(CELLS) - len(lines)} cells of the list have not been run yet.\n" if len(lines) < len(CELLS) else ""
    counted = {
        "declared": declared,
        "drawn": len(lines) - declared,
        "studies": studies,
        "minutes": max(1, minutes),
        "left": left,
    }
    text = [INTRO.format(**counted), summary(lines)]
    text.append(
        "\n*Declared* and *drawn* count cells; the last two columns show the worst rate that does not fail.\n\n"
    )
    text.append("![Errors of every cell](pictures/coverage.svg)\n\nEach dot is the worst error rate of a cell.\n")
    failing = [line for line in lines if any(found == "fails" for *_, found in judged([line]))]
    text.append(f"\n## What fails\n{FAILING}\n" + "\n".join(f"- {in_words(line)}" for line in failing) + "\n")
    return "".join(text)


def every_cell(lines: list[dict]) -> str:
    """Tables of all cells, by procedure and half."""
    shown = [(name, WHAT[name.split(",", 1)[0]], "\n".join(cell_rows(cells))) for name, cells in halves(lines)]
    return "\n".join(f"### {name}: {what}\n\n{rows}\n" for name, what, rows in shown)


def picture(lines: list[dict]) -> str:
    """A dot for the worst rate of each cell, in the order of the page."""
    sys.path.insert(0, str(FOLDER))
    from chart import Axis, Curve, line_chart, percent

    most, points, at = 0.12, {found: [] for found in VERDICTS}, {}
    for place, line in enumerate(lines):
        worst = max(judged([line]), key=lambda rate: ("holds", "over", "fails").index(rate[2]))
        error = worst[1] if worst[0] in FALSE_POSITIVES else 1 - worst[1]
        points[worst[2]].append((float(place), min(error, most)))
        at.setdefault(procedure(line), []).append(place)
    groups = {sum(places) / len(places): name for name, places in at.items() if len(places) > len(lines) / 20}
    end = float(len(lines))
    curves = [Curve("", "ink", [(0.0, MOST_FALSE), (end, MOST_FALSE)], width=0.8)]
    curves += [Curve("", "ink", [(0.0, 1 - LEAST_COVERED), (end, 1 - LEAST_COVERED)], width=0.8)]
    words = {"holds": "holds", "over": "covers more than 99%", "fails": "fails"}
    curves += [Curve(words[found], colour, points[found], dots=True) for found, colour in VERDICTS.items()]
    axes = Axis("cells", 0, end, lambda place: groups[place], sorted(groups)), Axis("errors", 0, most, percent)
    title = "Errors of every cell, and what is promised at most"
    return line_chart(
        title, "No dot lies above its line but families that nobody declared", *axes, curves
    ).canvas.render()


def made(path: Path = RESULTS) -> dict[str, str]:
    """The files that are made from the results."""
    lines = list(read_lines(path).values())
    return {"coverage.md": page_text(lines), "pictures/coverage.svg": picture(lines)}


def write() -> None:
    for name, text in made().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
