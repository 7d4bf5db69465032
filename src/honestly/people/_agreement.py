"""How far reviewers agree, in words: the same in a terminal and on a page."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from honestly.people._labels import Reliability
from honestly.show import printable_text_line
from honestly.stats import Kappa

AGREEMENT_COLUMNS = ("reviewers", "trials", "agree", "kappa", "95% interval")


@dataclass(frozen=True, slots=True)
class AgreementWords:
    """Sentences on agreement."""

    people: tuple[str, ...]
    """What each person labelled."""
    rows: tuple[tuple[str, ...], ...]
    """Of a table with `AGREEMENT_COLUMNS`: each pair, and all together where they are not one pair."""
    notes: tuple[str, ...]
    """Why something is not known, each label by itself, and how many trials are disputed."""


def agreement_words(found: Reliability) -> AgreementWords:
    """Agreement as text; intervals treat tasks as units."""
    rows = [(" and ".join(map(printable_text_line, pair)), *_kappa_cells(kappa)) for pair, kappa in found.pairs.items()]
    if len(found.pairs) != 1:
        rows.append(("all (Krippendorff's alpha)", *_kappa_cells(found.all)))
    reasons = {kappa.reason: None for kappa in [*found.pairs.values(), found.all] if kappa.reason}
    together = f"{found.blind} of {found.all.units} trials with several labels were labelled blind"
    return AgreementWords(
        people=tuple(f"{printable_text_line(name)}: {trials} trials" for name, trials in found.labelled.items()),
        rows=tuple(rows),
        notes=(
            *(f"not known: {printable_text_line(reason)}" for reason in reasons),
            *(f"{one.label}: given {one.given} times, agreed on {one.agreement:.0%}" for one in found.all.labels),
            f"{together}; {found.disputed} are disputed, {found.settled} settled",
        ),
    )


def _kappa_cells(kappa: Kappa) -> Sequence[str]:
    low, high = kappa.interval
    return (
        str(kappa.units),
        f"{kappa.raw:.0%}" if kappa.units else "",
        f"{kappa.kappa:.2f}" if not math.isnan(kappa.kappa) else "unknown",
        f"[{low:.2f}, {high:.2f}]" if not math.isnan(low) else "unknown",
    )
