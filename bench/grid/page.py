"""The page docs/methods/coverage.md, made from the results of the grid: every cell, and a picture."""

import json
from pathlib import Path

from honestly.stats import clopper_pearson_interval

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "methods"
RESULTS = FOLDER / "coverage.jsonl"
FALSE_POSITIVES = {"size", "Holm", "ranks", "any look"}
MOST_FALSE, LEAST_COVERED, MOST_COVERED = 0.055, 0.93, 0.99


def read_lines(path: Path) -> dict[str, dict]:
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line["cell"]: line for line in map(json.loads, lines)}


def write_lines(path: Path, lines: dict[str, dict]) -> None:
    kept = path.with_suffix(".part")
    kept.write_text("".join(json.dumps(line) + "\n" for line in lines.values()), "utf-8")
    kept.replace(path)


def verdict(name: str, tally: list[int]) -> str:
    """`holds`, `over` (covers more), `said` (the answer warns) or `fails`."""
    asked, wrong, unsaid, _ = tally
    most = MOST_FALSE if name in FALSE_POSITIVES else 1 - LEAST_COVERED
    low, high = (float(end) for end in clopper_pearson_interval(wrong, asked, 0.999))
    if low > most:
        return "fails" if float(clopper_pearson_interval(unsaid, asked, 0.999)[0]) > most else "said"
    return "over" if name not in FALSE_POSITIVES and high < 1 - MOST_COVERED else "holds"


def in_words(line: dict) -> str:
    parts = []
    for name, tally in line["rates"].items():
        asked, wrong, unsaid, noted = tally
        share = wrong / asked if name in FALSE_POSITIVES else 1 - wrong / asked
        said = f"(unsaid {unsaid / asked:.1%}, warned {noted / asked:.0%})"
        parts.append(f"{name} {share:.1%} {verdict(name, tally)} {said}")
    return f"{line['cell']}: " + "; ".join(parts)
