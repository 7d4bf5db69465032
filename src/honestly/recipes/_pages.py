"""What a recipe leaves in its folder: a page as Markdown and as HTML, and its results as a table that is a study."""

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from honestly.recipes._recipe import ArmResult
from honestly.recipes._report import RecipeReport, claim_figures
from honestly.show import filled, page_style
from honestly.work import write_file

TABLE = "results.csv"
_STUDY = (
    "The study beside this page takes seeds for clusters. With few of them `honestly report` and `compare` give the "
    "answer that holds for any distribution; it is wider than the intervals here, which are Student's t over seeds."
)
_TURNED = " Its scores are 1 minus those of this page, because less is better here."


def write_pages(
    report: RecipeReport, results: Sequence[ArmResult], folder: Path, *, lower_is_better: bool = False
) -> list[Path]:
    """Write `recipe.md`, `recipe.html` and `results.csv`: a row for each problem of an arm and a seed.

    In the table an arm is an agent, and the problems of a seed are tasks of one cluster, so that `honestly report` and
    `honestly compare` take seeds for what varies. Where lower is better, a score of the table is 1 minus the result.
    """
    study = _STUDY + (_TURNED if lower_is_better else "")
    page = filled(
        "recipes", "recipe.html", found=report, study=study, figures=claim_figures, isnan=math.isnan,
        style=Markup(page_style()),  # noqa: S704 - our own file
    )  # fmt: skip
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["agent", "task", "score", "cluster"])
    for row in results:
        rows.writerows(
            [
                row.arm,
                f"seed-{row.seed}/{problem}",
                f"{1 - score if lower_is_better else score:.6g}",
                f"seed-{row.seed}",
            ]
            for problem, score in row.scores.items()
        )
    files = {"recipe.md": "\n".join(_page_lines(report, study)) + "\n", "recipe.html": str(page), TABLE: out.getvalue()}
    for name, text in files.items():
        write_file(folder / name, text.encode())
    return [folder / name for name in files]


def _page_lines(report: RecipeReport, study: str) -> Iterator[str]:
    yield from (f"# {report.title}", "", f"    {report.command}", "")
    yield from (f"After {report.source}. {report.sentence}", "")
    if report.quick:
        yield from ("**Made with --quick, which tests the program: nothing may be claimed from it.**", "")
    yield from (f"## {report.metric}", "", "| arm | seeds | mean | 95% interval over seeds |")
    yield "|---|---:|---:|---|"
    for arm in report.arms:
        span = "–" if math.isnan(arm.low) else f"{arm.low:.3f} to {arm.high:.3f}"
        yield f"| {arm.name} | {arm.seeds} | {arm.value:.3f} | {span} |"
    yield from ("", study)
    yield from ("", "## Claims", "", "Intervals count all claims of this page (Holm).", "")
    yield from ("| claim | holds | difference |", "|---|---|---|")
    for claim in report.claims:
        yield f"| {claim.text} | {'yes' if claim.holds else 'no'} | {claim_figures(claim)} |"
    yield from ("", "## Measures", "", "| measure | " + " | ".join(arm.name for arm in report.arms) + " |")
    yield "|---|" + "---|" * len(report.arms)
    for name, cells in report.measure_rows():
        yield f"| {name} | " + " | ".join(cell for cell in cells) + " |"
    yield from ("", "## Cannot be said at this size", "", *(f"- {line}" for line in report.unsaid))
