"""The page docs/methods/coverage.md, made from the results of the grid: a summary, a picture, and what fails.

Nothing on it is written by hand but the sentences here.
"""

import json
import sys
from collections import Counter
from functools import cache
from itertools import groupby
from pathlib import Path

from honestly.stats._special import binomial_cdf

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "methods"
RESULTS = FOLDER / "coverage.jsonl"
FALSE_POSITIVES = {"size", "Holm", "ranks", "any look"}
TAIL = 0.0005
MOST_FALSE, LEAST_COVERED, MOST_COVERED = 0.055, 0.93, 0.99
KEPT = {"holds", "over"}
HELD_OUT = "held out: "
VERDICTS = {"holds": "honest", "over": "third", "said": "muted", "fails": "visible"}
WHAT = {
    "score": "`score`: the interval of one agent's score",
    "compare": "`compare`: test and interval of a paired difference (t, mid-p McNemar, CR2 in declared families)",
    "cluster-law": "`compare(method='cluster-law')`",
    "unpaired": "`compare_unpaired`",
    "bounds": "`Scores.bounds`: from the lower score's lower end to the upper score's upper end",
    "pass": "`pass_at_k` and `pass_all_k`, k = 2",
    "noise": "`noise` and `paired_noise`: the three components",
    "family": "`compare_all` after Holm, and `rank_intervals`: any false separation",
    "until": "`run --until`: a false verdict at any look",
    "shares": "`share_difference_interval`",
}
INTRO = """# Coverage on hard designs

Where is it hardest for a 95% interval to cover, and for a test at 5% to keep its level? Each of {cells} cells of
`bench/grid` is a design with a known truth: skewed nulls, scores near 0 and 1, few questions, unequal samples, families,
results that are missing because of what they are, recentred real leaderboards. With a second list, kept shut until the
procedures were fixed ("held out"), {studies:,} studies.

    python bench/coverage.py           # runs what docs/methods/coverage.jsonl lacks: {minutes:.0f} minutes of one core
    python bench/coverage.py --page    # makes this page and its picture

Rows of `score`, `compare`, `pass`, `unpaired` and `family` are of the approximate answers; [the headline](headline.md)
is stricter.

**Promise**: coverage of 93 to 99%, false positives of at most 5.5%. A rate breaks it if its exact 99.9% interval is
wholly outside. *over*: covers more than 99%. *said*: outside, and the answer itself warns (among all studies no more
errors than promised come without a warning). *fail*: outside, without a word.

## Summary

"""
FAILING = """
Families that nobody declared: declare them with `--cluster` ([clusters](clusters.md)); on the command line, ids like
SWE-bench's declare themselves.
"""


def read_lines(path: Path) -> dict[str, dict]:
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line["cell"]: line for line in map(json.loads, lines)}


def write_lines(path: Path, lines: dict[str, dict]) -> None:
    kept = path.with_suffix(".part")
    kept.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines.values()), "utf-8")
    kept.replace(path)


def verdict(name: str, tally: list[int]) -> str:
    """`holds`, `over` (covers more), `said` (the answer warns) or `fails`."""
    return _verdict(name, *tally[:3])


@cache
def _verdict(name: str, asked: int, wrong: int, unsaid: int) -> str:
    most = MOST_FALSE if name in FALSE_POSITIVES else 1 - LEAST_COVERED
    if _above(wrong, asked, most):
        return "fails" if _above(unsaid, asked, most) else "said"
    least = 0.0 if name in FALSE_POSITIVES else 1 - MOST_COVERED
    return "over" if least and float(binomial_cdf(wrong, asked, least)) < TAIL else "holds"


def _above(wrong: int, asked: int, most: float) -> bool:
    """Whether the exact 99.9% interval (Clopper & Pearson's) of the share lies above `most`."""
    return float(binomial_cdf(asked - wrong, asked, 1 - most)) < TAIL


def measured(name: str, tally: list[int]) -> float:
    """Share of false positives, or of intervals that cover."""
    return tally[1] / tally[0] if name in FALSE_POSITIVES else 1 - tally[1] / tally[0]


def in_words(line: dict) -> str:
    parts = []
    for name, tally in line["rates"].items():
        said = f"(unsaid {tally[2] / tally[0]:.1%}, warned {tally[4] / max(1, tally[3]):.0%})"
        parts.append(f"{name} {measured(name, tally):.1%} {verdict(name, tally)} {said}")
    return f"{line['cell']}: " + "; ".join(parts)


def judged(lines: list[dict]) -> list[tuple[str, float, str]]:
    """Name, share and verdict of every rate."""
    return [(name, measured(name, t), verdict(name, t)) for line in lines for name, t in line["rates"].items()]


def procedure(line: dict) -> str:
    return line["cell"].split(": ")[0]


def summary(lines: list[dict]) -> str:
    """A row for each procedure and list."""
    text = ["| procedure | cells | rates | hold | over | said | fail | coverage | false positives |"]
    text.append("|---|---|---|---|---|---|---|---|---|")
    for held_out in (False, True):
        some = [line for line in lines if (HELD_OUT in line["cell"]) == held_out]
        for name, group in groupby(some, procedure):
            cells = list(group)
            rates = judged(cells)
            count = Counter(found for _, _, found in rates)
            ends = []
            for false in (False, True):
                shares = [s for rate, s, found in rates if (rate in FALSE_POSITIVES) == false and found in KEPT]
                ends.append(f"{100 * min(shares):.1f} to {100 * max(shares):.1f}" if shares else "")
            shown = f"{name}, held out" if held_out else name
            numbers = " | ".join(str(count[found]) for found in VERDICTS)
            text.append(f"| {shown} | {len(cells)} | {len(rates)} | {numbers} | {ends[0]} | {ends[1]} |")
    return "\n".join(text) + "\n"


def cell_rows(cells: list[dict]) -> list[str]:
    names = list(dict.fromkeys(name for line in cells for name in line["rates"]))
    rows = [f"| design | studies | {' | '.join(names)} | warned |", "|---" * (len(names) + 3) + "|"]
    for line in cells:
        texts = []
        for name in names:
            if (tally := line["rates"].get(name)) is None:
                texts.append("")
                continue
            found = verdict(name, tally)
            mark = {"holds": "", "over": " *over*", "said": f" *said*, unsaid {100 * tally[2] / tally[0]:.1f}"}
            texts.append(f"{100 * measured(name, tally):.1f}{mark.get(found, ' **fails**')}")
        tally = next(iter(line["rates"].values()))
        design = line["cell"].split(": ", 1)[1].removeprefix(HELD_OUT)
        rows.append(f"| {design} | {tally[0]:,} | {' | '.join(texts)} | {100 * tally[4] / max(1, tally[3]):.0f} |")
    return rows


def page_text(lines: list[dict]) -> str:
    studies = sum(next(iter(line["rates"].values()))[0] for line in lines)
    minutes = sum(line["seconds"] for line in lines) / 60
    declared = sum(HELD_OUT not in line["cell"] for line in lines)
    text = [INTRO.format(cells=declared, studies=studies, minutes=minutes), summary(lines)]
    text.append("\nRanges are of the rates that hold or cover more, in percent.\n\n## Picture\n\n")
    text.append("![Errors of every cell](pictures/coverage.svg)\n\nThe worst rate of each cell: errors, in percent.\n")
    failing = [line for line in lines if any(found == "fails" for *_, found in judged([line]))]
    text.append(f"\n## What fails\n{FAILING}\n" + "\n".join(f"- {in_words(line)}" for line in failing) + "\n")
    return "".join(text)


def every_cell(lines: list[dict]) -> str:
    """Tables of all cells, by procedure and list."""
    parts = []
    for held_out in (False, True):
        some = [line for line in lines if (HELD_OUT in line["cell"]) == held_out]
        for name, group in groupby(some, procedure):
            rows = "\n".join(cell_rows(list(group)))
            parts.append(f"### {WHAT[name]}{', held out' if held_out else ''}\n\n{rows}\n")
    return "\n".join(parts)


def picture(lines: list[dict]) -> str:
    """A dot for the worst rate of each cell, in the order of the page."""
    sys.path.insert(0, str(FOLDER))
    from chart import Axis, Curve, line_chart, percent

    most, points, at = 0.12, {found: [] for found in VERDICTS}, {}
    for place, line in enumerate(lines):
        worst = max(judged([line]), key=lambda rate: ("holds", "over", "said", "fails").index(rate[2]))
        error = worst[1] if worst[0] in FALSE_POSITIVES else 1 - worst[1]
        points[worst[2]].append((float(place), min(error, most)))
        at.setdefault((HELD_OUT in line["cell"], procedure(line)), []).append(place)
    groups = {sum(places) / len(places): name for (_, name), places in at.items() if len(places) > len(lines) / 20}
    end = float(len(lines))
    curves = [Curve("", "ink", [(0.0, MOST_FALSE), (end, MOST_FALSE)], width=0.8)]
    curves += [Curve("", "ink", [(0.0, 1 - LEAST_COVERED), (end, 1 - LEAST_COVERED)], width=0.8)]
    words = {"holds": "holds", "over": "covers more than 99%", "said": "outside, and says so", "fails": "fails"}
    curves += [Curve(words[found], colour, points[found], dots=True) for found, colour in VERDICTS.items()]
    axes = Axis("cells", 0, end, lambda place: groups[place], sorted(groups)), Axis("errors", 0, most, percent)
    title = "Errors of every cell, and what is promised at most"
    return line_chart(title, "Few dots lie above the lines without a word", *axes, curves).canvas.render()


def made(path: Path = RESULTS) -> dict[str, str]:
    """The files that are made from the results."""
    lines = list(read_lines(path).values())
    return {"coverage.md": page_text(lines), "pictures/coverage.svg": picture(lines)}


def write() -> None:
    for name, text in made().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
