"""A leaderboard as a Ladder: which submissions were better than the best before them, and what asking often costs."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.errors import StatisticsError
from honestly.leaderboards._board import Leaderboard
from honestly.scores import find_agent, granted_words
from honestly.show import (
    AtWidth,
    Shown,
    finite_or_none,
    numbers_table,
    p_value,
    percent_text,
    plural_text,
    points_text,
    printable_text_line,
)
from honestly.stats import Rung, assumptions, climb_ladder
from honestly.store import Store


@dataclass(frozen=True, slots=True, repr=False)
class LadderReport(Shown):
    """Submissions in their order."""

    main_table: ClassVar[str] = "submissions"

    submissions: tuple[Rung, ...]
    best: str
    """The last that was announced."""
    sentence: str
    alpha: float
    """Probability, at most, of any announcement of what is not better."""
    optimism: float | None
    """By how much the best score of so many equal agents exceeds their true score, on average."""
    assumed: tuple[str, ...]
    """What every announcement takes for granted."""

    @property
    def table(self) -> RenderableType:
        """The submissions, a line each."""
        rows = [
            (
                row.agent,
                points_text(row.difference),
                percent_text(row.needed),
                p_value(row.p_value),
                f"{row.level:.2g}" if row.against else "–",
                "new best" if row.announced else "",
            )
            for row in self.submissions
        ]
        widths = {"submission": 0, "lead": 7, "needed": 7, "p": 8, "level": 8, "announced": 9}
        return AtWidth(lambda width: numbers_table("", widths, rows, width, left=("announced",)))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(self.sentence, style="bold")
        yield self.table


def submission_order(study: Store) -> list[str]:
    """The agents of a study in the order in which their first trials started.

    Raises:
        StatisticsError: no trial of an agent says when it started.
    """
    first: dict[str, str] = {}
    for trial in study.trials():
        if trial.started_at is not None:
            first[trial.agent] = min(trial.started_at, first.get(trial.agent, trial.started_at))
    unknown = [agent.name for agent in study.agents() if agent.name not in first]
    if unknown:
        raise StatisticsError(
            f"the study does not say when {len(unknown)} of its agents were first tried (first: "
            f"{printable_text_line(unknown[0])}); name the submissions in their order: --ladder A,B,C"
        )
    return sorted(first, key=lambda name: (first[name], name))


def ladder_report(board: Leaderboard, order: Sequence[str]) -> LadderReport | None:
    """The agents of a leaderboard as submissions.

    Args:
        board: the leaderboard.
        order: names, or parts of them, in the order of submission. Who is not named is left out.

    Returns:
        None where there is no agent, or no standard task.

    Raises:
        AgentError: a name fits no agent, or several.
        StatisticsError: an agent is named twice.
    """
    if board.resolved is None:
        return None
    names = [find_agent(board.resolved.agents, name) for name in order]
    found = climb_ladder(board.resolved, names, alpha=round(1 - board.level, 12), apart=board.apart)
    better = sum(rung.announced for rung in found.rungs[1:])
    said = plural_text(len(found.rungs), "submission")
    cost = ""
    if len(found.rungs) > 1 and not math.isnan(found.optimism):
        cost = (
            f" The best score of {len(found.rungs)} equal agents would look {percent_text(found.optimism)} points "
            "too good."
        )
    level = f"one-sided level {found.alpha:g} for all together"
    after = f", {better} of them better than every earlier one, for any distribution ({level})"
    return LadderReport(
        submissions=found.rungs,
        best=found.best_announced,
        sentence=f"{said}{after}; the best announced is {printable_text_line(found.best_announced)}.{cost}",
        alpha=found.alpha,
        optimism=finite_or_none(found.optimism),
        assumed=granted_words(assumptions(), clustered=board.resolved.clusters is not None),
    )
