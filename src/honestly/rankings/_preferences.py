"""The strengths of agents from preferences: a file of answers to "which is better?", and the strengths that follow.

Where rows hold both texts, or how they sound, strengths are also those of answers that sound alike; where rows say
which of the two is correct, whether people preferred that, or how it sounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.errors import StatisticsError
from honestly.formats import table_rows
from honestly.scores import STYLE, Interval, style_of
from honestly.show import (
    Shown,
    dim_line,
    level_text,
    number_text,
    numbers_table,
    plural_text,
    printable_text_line,
    span_text,
)
from honestly.stats import BradleyTerry, Preference, bradley_terry, t_quantile

_OUTCOMES = {"a": 1.0, "b": 0.0, "tie": 0.5}
_SIDES = (("a", "winner"), ("b", "loser"))
_TRUE, _FALSE = (
    ("1", "1.0", "true", "yes", "passed", "correct"),
    ("0", "0.0", "false", "no", "failed", "wrong", "incorrect"),
)


@dataclass(frozen=True, slots=True)
class Strength:
    """One agent."""

    name: str
    strength: float
    """In logits; the mean over agents is 0."""
    se: float
    interval: Interval
    rank: int
    rank_interval: tuple[int, int]
    answers: int
    wins: float
    """Answers that preferred it; a tie is half of one."""
    of_equal_style: float | None = None
    """Its strength among answers that sound alike, with its interval; None where nothing is known of style."""
    of_equal_style_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class PreferredFor:
    """What else answers are preferred for."""

    what: str
    """`correct`, or how it sounds: `length`, `flattery`, `tone`, `layout`."""
    effect: float
    """Log-odds to be preferred: for the only one of two that is correct, else by a standard deviation more."""
    interval: Interval
    p_value: float


@dataclass(frozen=True, slots=True, repr=False)
class PreferenceReport(Shown):
    """Everything that `honestly stats prefer` says."""

    main_table: ClassVar[str] = "agents"

    agents: tuple[Strength, ...]
    """The strongest first."""
    answers: int
    clusters: dict[str, int]
    level: float
    preferred_for: tuple[PreferredFor, ...]
    """Beside strengths, all in one model; empty where nothing is known of the answers."""
    notes: tuple[str, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        widths = {"agent": 0, "strength": 8, f"{level_text(self.level)} interval": 16, "rank": 5, "won": 12}
        if self.agents[0].of_equal_style is not None:
            widths |= {"of equal style": 22}
        yield numbers_table("Strengths in logits", widths, map(_strength_row, self.agents), options.max_width)
        if self.preferred_for:
            yield numbers_table(
                "Answers are preferred for",
                {"": 8, "log-odds": 8, f"{level_text(self.level)} interval": 16, "p": 6},
                [
                    (
                        each.what,
                        number_text(each.effect, 2, sign=True),
                        _interval_text(each.interval),
                        number_text(each.p_value, 3),
                    )
                    for each in self.preferred_for
                ],
                options.max_width,
            )
        known = [plural_text(count, name.removesuffix("s")) for name, count in self.clusters.items()]
        yield dim_line(
            f"{plural_text(self.answers, 'answer')}; errors count {' and '.join(known) or 'every answer'} as clusters"
        )
        for note in self.notes:
            yield Text.assemble(("! ", "bold yellow"), printable_text_line(note))


def _strength_row(each: Strength) -> tuple[str, ...]:
    won = f"{number_text(each.wins, 1)} of {each.answers}"
    texts = (
        each.name,
        number_text(each.strength, 2, sign=True),
        _interval_text(each.interval),
        span_text(each.rank_interval),
        won,
    )
    if each.of_equal_style is None or each.of_equal_style_interval is None:
        return texts
    return *texts, f"{number_text(each.of_equal_style, 2, sign=True)} {_interval_text(each.of_equal_style_interval)}"


def _interval_text(interval: Interval) -> str:
    low, high = (number_text(end, 2, sign=True) for end in interval)
    return f"[{low}, {high}]"


def preference_report(path: Path, alpha: float = 0.05) -> PreferenceReport:
    """Strengths by the preferences in a table: CSV or JSONL, say.

    Args:
        path: rows with `winner` and `loser`, or `a`, `b` and `outcome`; `question` and `rater` where known; the texts
            `text_a` and `text_b` (`text_winner`, `text_loser`), or `length_a`, `flattery_a`, `tone_a`, `layout_a` and
            the same of b; `correct_a` and `correct_b`.
        alpha: intervals hold `1 - alpha`.

    Raises:
        StatisticsError: a row lacks what it needs, or there is none.
        FormatError: the file cannot be read, or is no table.
    """
    rows = list(table_rows(path))
    answers = [_preference(where, row) for where, row in rows]
    found = bradley_terry(answers, level=1 - alpha)
    style, correct, left_out = _features(rows)
    alike: BradleyTerry | None = None
    preferred_for: tuple[PreferredFor, ...] = ()
    if style or correct:
        alike = _beside(answers, style, 1 - alpha) if style else None
        preferred_for = _preferred_for(_beside(answers, correct | style, 1 - alpha), [*correct, *style])
    counts = {name: [0, 0.0] for name in found.agents}
    for each in answers:
        for name, won in ((each.a, each.share), (each.b, 1 - each.share)):
            counts[name][0] += 1
            counts[name][1] += won
    agents = [
        Strength(
            name,
            float(found.strength[i]),
            float(found.se[i]),
            (float(found.low[i]), float(found.high[i])),
            int(found.rank[i]),
            (int(found.rank_low[i]), int(found.rank_high[i])),
            int(counts[name][0]),
            counts[name][1],
            None if alike is None else float(alike.strength[i]),
            None if alike is None else (float(alike.low[i]), float(alike.high[i])),
        )
        for i, name in enumerate(found.agents)
    ]
    ordered = tuple(sorted(agents, key=lambda each: -each.strength))
    notes = tuple(dict.fromkeys([*found.notes, *(alike.notes if alike else ()), *left_out]))
    return PreferenceReport(ordered, found.answers, found.clusters, found.level, preferred_for, notes)


def _features(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """What a has more of than b, by name and as columns: of style, of being correct; and notes."""
    found: dict[str, list[float | None]] = {name: [] for name in ("correct", *STYLE)}
    for where, row in rows:
        sides = [_side(where, row, names) for names in _SIDES]
        for name, values in found.items():
            first, second = (side.get(name) for side in sides)
            values.append(None if first is None or second is None else first - second)
    notes = [
        f"{name} is known of {sum(value is not None for value in values)} of {len(values)} answers, and left out"
        for name, values in found.items()
        if 0 < sum(value is not None for value in values) < len(values)
    ]
    columns = {name: np.array(values, dtype=np.float64) for name, values in found.items() if None not in values}
    known = {name: column for name, column in columns.items() if column.size and np.ptp(column) > 0}
    style = {name: column / column.std() for name, column in known.items() if name != "correct"}
    return style, {name: known[name] for name in known if name == "correct"}, notes


def _side(where: str, row: Mapping[str, Any], names: tuple[str, str]) -> dict[str, float]:
    """What a row says of one of its two answers."""
    found: dict[str, float] = {}
    for side in names:
        if row.get(f"text_{side}") is not None:
            found |= style_of([str(row[f"text_{side}"])])
        for name in STYLE:
            value = row.get(f"{name}_{side}")
            if value not in (None, ""):
                try:
                    found[name] = float(str(value))
                except ValueError:
                    raise StatisticsError(f"{where}: {name}_{side} is {str(value)[:40]!r}; expected a number") from None
        said = str(row.get(f"correct_{side}", "")).strip().lower()
        if said in _TRUE or said in _FALSE:
            found["correct"] = float(said in _TRUE)
    return found


def _beside(answers: Sequence[Preference], columns: Mapping[str, Any], level: float) -> BradleyTerry:
    """Strengths beside what else answers differ in."""
    features = np.column_stack(list(columns.values()))
    return bradley_terry(
        [replace(each, features=tuple(map(float, row))) for each, row in zip(answers, features, strict=True)],
        level=level,
    )


def _preferred_for(fit: BradleyTerry, names: Sequence[str]) -> tuple[PreferredFor, ...]:
    half = t_quantile(fit.level, fit.freedom) * fit.effects_se
    return tuple(
        PreferredFor(
            name,
            float(fit.effects[i]),
            (float(fit.effects[i] - half[i]), float(fit.effects[i] + half[i])),
            float(fit.effects_p[i]),
        )
        for i, name in enumerate(names)
    )


def _preference(where: str, row: Mapping[str, Any]) -> Preference:
    question, rater = (str(row.get(name) or "") for name in ("question", "rater"))
    if row.get("winner") and row.get("loser"):
        return Preference(str(row["winner"]), str(row["loser"]), 1.0, question, rater)
    if row.get("a") and row.get("b") and row.get("outcome") in _OUTCOMES:
        return Preference(str(row["a"]), str(row["b"]), _OUTCOMES[row["outcome"]], question, rater)
    found = printable_text_line(", ".join(f"{name}={value}" for name, value in row.items())[:120])
    raise StatisticsError(f"{where}: expected winner and loser, or a, b and outcome (a, b or tie); found {found}")
