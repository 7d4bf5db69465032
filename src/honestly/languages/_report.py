"""The answer of `honestly bench languages`: pass@k by language and model, failures, what follows the corpus."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.languages._pass_at import PassCurve, pass_panels
from honestly.languages._table import Correlation, LanguageCell
from honestly.languages._taxonomy import FAILURES
from honestly.languages._toolchains import TOOLCHAINS
from honestly.show import (
    Figures,
    Shown,
    as_json,
    dim_line,
    finite_or_none,
    level_text,
    number_text,
    numbers_table,
    p_is,
    percent_text,
    plural_text,
    printable_text_line,
)

_SHOWN_K = (1, 10, 100, 128)


@dataclass(frozen=True, slots=True, repr=False)
class LanguagesReport(Shown):
    """Everything that `honestly bench languages` says."""

    main_table: ClassVar[str] = "cells"

    cells: tuple[LanguageCell, ...]
    correlations: tuple[Correlation, ...]
    toolchains: Mapping[str, str]
    """Versions, by language."""
    left_out: Mapping[str, str]
    """Languages that are asked for and have no toolchain here, each with how to install one."""
    level: float
    notes: tuple[str, ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """Plain data; a number that cannot be estimated is None."""
        plain = as_json(self)
        for each in plain["correlations"]:
            each["spearman"], each["range"] = each.pop("value"), [each.pop("low"), each.pop("high")]
        return plain

    @property
    def figures(self) -> Figures:
        """pass@k as small panels."""
        curves = [
            PassCurve(
                cell.model,
                TOOLCHAINS[cell.language].title,
                {k: (rate.value, rate.low, rate.high) for k, rate in cell.pass_at.items()},
            )
            for cell in self.cells
        ]
        return Figures([pass_panels(curves)])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        most = max((max(cell.pass_at) for cell in self.cells), default=1)
        ks = sorted({k for k in (*_SHOWN_K, most) if k <= most})
        heads = {f"pass@{k}": 5 for k in ks[1:]}
        widths = {"language": 0, "pass@1": 5, f"{level_text(self.level)} interval": 14, **heads, "samples": 7}
        widths |= {"tokens": 6} if any(cell.tokens is not None for cell in self.cells) else {}
        for model in dict.fromkeys(cell.model for cell in self.cells):
            own = [cell for cell in self.cells if cell.model == model]
            rows = [_language_row(cell, ks, with_tokens="tokens" in widths) for cell in own]
            yield numbers_table(model, widths, rows, options.max_width)
            yield Text()
            present = [name for name in FAILURES if any(cell.failures.get(name) for cell in own)]
            if present:
                yield numbers_table(
                    "How samples fail, in percent of all samples",
                    {"language": 0, **dict.fromkeys(present, 5)},
                    [[TOOLCHAINS[cell.language].title, *(_cell_share(cell, name) for name in present)] for cell in own],
                    options.max_width,
                )
                yield Text()
        for each in self.correlations:
            yield Text(printable_text_line(_correlation(each)))
        yield dim_line("The intervals are for new puzzles of this kind, with the puzzle as the unit.")
        for language, how in self.left_out.items():
            yield Text.assemble(
                ("! ", "bold yellow"), printable_text_line(f"{language} is left out: no toolchain here ({how})")
            )
        for note in self.notes:
            yield dim_line(note)


def _language_row(cell: LanguageCell, ks: Sequence[int], *, with_tokens: bool) -> list[str]:
    first = cell.pass_at[1]
    interval = f"[{percent_text(finite_or_none(first.low))}, {percent_text(finite_or_none(first.high))}]"
    later = [percent_text(cell.pass_at[k].value) if k in cell.pass_at else "" for k in ks[1:]]
    tokens = [number_text(cell.tokens, 0)] if with_tokens else []
    return [TOOLCHAINS[cell.language].title, percent_text(first.value), interval, *later, f"{cell.samples:,}", *tokens]


def _cell_share(cell: LanguageCell, name: str) -> str:
    count = cell.failures.get(name, 0)
    return percent_text(count / cell.samples) if count else ""


def _correlation(each: Correlation) -> str:
    of = f"{each.model}: pass@{each.k} and the size of the corpus, {plural_text(len(each.languages), 'language')}"
    if math.isnan(each.value):
        return f"{of}: no rank correlation ({each.reason})"
    moves = "" if math.isnan(each.low) else f"; other puzzles move it between {each.low:.2f} and {each.high:.2f}"
    return f"{of}: Spearman {each.value:.2f} ({p_is(each.p_value)}){moves}"
