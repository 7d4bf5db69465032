"""The judge's part of `honestly conduct`: marks by a model, and what they cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from honestly.cli._options import progress_bar, say
from honestly.cli.audit._monitor import answers_of, check_prices, prices_of

if TYPE_CHECKING:
    from honestly.audit.conduct import Marker
    from honestly.store import Store


def make_marker(study: Path, spec: str, *, budget: float | None, answers: Path | None, prices: Path | None) -> Marker:
    """The judge that was asked for.

    Raises:
        ModelError: it cannot be made.
        click.UsageError: its price is not known, and there is a budget.
    """
    from honestly.audit.conduct import Marker
    from honestly.models import make_model

    table = prices_of(prices)
    if budget is not None:
        check_prices([spec], table)
    return Marker(
        model=make_model(spec, prices=table), folder=answers or answers_of(study), budget=budget, prices=table
    )


def marked(study: Store, marker: Marker, *, estimate: bool, quiet: bool) -> dict[str, object]:
    """Says what the missing marks would cost, asks for them unless only that is wanted, and says what came of it."""
    import anyio

    from honestly.audit.conduct import estimate_marks, mark_study
    from honestly.report import marks_lines, marks_plain

    expected = estimate_marks(study, marker)
    usd = expected.usd(marker.prices)
    about = f"about ${usd:.2f}" if usd is not None else "price unknown; --prices CSV gives prices"
    if not quiet or estimate:
        say(f"{expected.calls} marks to ask {marker.model.name} for: {expected.input_tokens} tokens to read, {about}")
    if estimate:
        return marks_plain(marker, expected, None)
    try:
        with progress_bar("marking", quiet=quiet) as line:
            marks = anyio.run(mark_study, study, marker, line)
    except KeyboardInterrupt:
        say("stopped: what was marked is kept; the same command goes on, and pays for no answer twice")
        raise
    if not quiet:
        say("\n".join(marks_lines(marks)))
    return marks_plain(marker, expected, marks)
