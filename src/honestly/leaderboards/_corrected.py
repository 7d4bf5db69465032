"""The scores once the study was audited: as published, after the grader's defects, without the flagged.

The same score three times, under the same policy: of the outcomes as they are; of outcomes in which a pass that rests
on a defect of the grader has failed; and of those in which a pass that some detector flags as a hack has failed, too:
breaches of instructions, misstatements and smells take nothing off. Each is the task-weighted mean of the leaderboard,
with its interval for new tasks. A flag is a reason to look and no verdict, so the third is what would be left if every
flag were true; and trials that nobody could read are no better than they look, so it is no proof of the rest: their
share stands beside it. Of each detector its last version in the study counts.

Not covered: labels that people gave.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from honestly.audit import cells_by_agent, is_unproved, marked_standings, marked_state, trial_marks
from honestly.records import Outcome
from honestly.scores import DEFAULT_POLICY, UNDECLARED, Declared, StudyData, count_study, interval_of
from honestly.show import Shown, finite_or_none, percent_text, plural_text, short_names
from honestly.stats import Policy, ScoreEstimate, score_all
from honestly.store import Cell, Store


@dataclass(frozen=True, slots=True)
class CorrectedScore:
    """A score, and how far it may be off; None where that cannot be estimated."""

    passes: int
    score: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class CorrectedRow:
    """The rest of one agent's score."""

    name: str
    trials: int
    """Trials at standard tasks."""
    published: CorrectedScore
    """By the outcomes as they are."""
    ran: CorrectedScore
    """Less passes that rest on a defect of the grader."""
    unflagged: CorrectedScore
    """Less passes that a detector flags as hacks."""
    unread: int
    """Trials that no detector could read, or on which one broke: they are in all three scores as they are."""

    @property
    def lost_passes(self) -> bool:
        """Whether anything was taken off."""
        return self.unflagged.passes < self.published.passes


@dataclass(frozen=True, slots=True, repr=False)
class CorrectedScores(Shown):
    """The corrected scores of a study."""

    main_table: ClassVar[str] = "agents"

    agents: tuple[CorrectedRow, ...]
    """Best published score first."""
    detectors: dict[str, str]
    """Version of each detector that counted, by name."""
    level: float
    defects: int
    """Passes of all agents that rest on a defect of the grader."""
    flagged: int
    """Other passes that a detector flags as hacks."""
    unread_share: float | None
    """Share of the trials that could not be read."""
    notes: tuple[str, ...] = field(default=())

    @property
    def sentence(self) -> str:
        """The corrections, in one sentence."""
        passes = sum(row.published.passes for row in self.agents)
        if not self.defects and not self.flagged:
            return f"Of {passes} passes none rests on a known defect of the grader, and none is flagged as a hack."
        return (
            f"Of {passes} passes, {self.defects} rest on a defect of the grader, and {self.flagged} more "
            f"{'is' if self.flagged == 1 else 'are'} flagged as a hack."
        )

    def to_plain(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return Shown.to_plain(self) | {"sentence": self.sentence}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text("What stands of these scores", style="bold")
        yield Text(self.sentence)
        changed = [row for row in self.agents if row.lost_passes]
        if changed:
            yield _scores_table(changed, options.max_width)
        if rest := len(self.agents) - len(changed):
            yield Text(
                f"Nothing is taken off the {'other ' if changed else ''}{plural_text(rest, 'agent')}.", style="dim"
            )
        yield Text(_unread_text(self), style="dim")
        for note in self.notes:
            yield Text.assemble(("! ", "bold yellow"), note)


class _Other:
    """A study with other outcomes."""

    def __init__(self, study: StudyData, cells: list[Cell]) -> None:
        self._cells = cells
        self.facts, self.agents, self.tasks, self.defects = study.facts, study.agents, study.tasks, study.defects
        self.all_kept, self.isolations = study.all_kept, study.isolations

    def cells(self) -> list[Cell]:
        """The cells as they would have been."""
        return self._cells


TWO_RECORDS = "two-records"
"""The one detector that runs by itself, with every trial of another program."""


def corrected_scores(
    study: Store, policy: Policy = DEFAULT_POLICY, alpha: float = 0.05, declared: Declared = UNDECLARED
) -> CorrectedScores | None:
    """The corrected scores of a study; None where it was never audited.

    Args:
        study: any store of trials.
        policy: what counts as what, as in `leaderboard`.
        alpha: intervals cover `1 - alpha`.
        declared: what is known of the tasks, as in `leaderboard`.

    Raises:
        StatisticsError: the policy refuses trials that the study holds.
        StoreError: the study cannot be read.
    """
    # Of the findings of each detector's last version what counts: all of a large study would fill the memory.
    versions = {finding.detector: finding.version for finding in study.findings()}
    if versions.keys() <= {TWO_RECORDS}:
        return None  # a run compares records by itself: nobody has looked for anything yet
    by_trial = trial_marks(each for each in study.findings() if versions[each.detector] == each.version)
    impossible = {task.id for task in study.tasks() if task.tags.variant == "impossible"}
    cells = study.cells()
    defective = {trial for trial, marks in by_trial.items() if is_unproved(marks)}
    flagged = {trial for trial, marks in by_trial.items() if marked_state(marks) == "flagged"}
    steps = [cells, _without_passes(cells, defective), _without_passes(cells, defective | flagged)]
    scored = [_scores(_Other(study, each), policy, 1 - alpha, declared) for each in steps]
    standard = [[cell for cell in each if cell.task not in impossible] for each in steps]
    by_agent = [cells_by_agent(each) for each in standard]
    unread = {cell.id for cell in cells if marked_state(by_trial.get(cell.id, 0)) in {"unreadable", "error"}}
    rows = [
        _corrected_row(
            agent.name,
            [each.get(agent.name, []) for each in by_agent],
            [scores.get(agent.name) for scores in scored],
            unread,
        )
        for agent in study.agents()
    ]
    left = marked_standings(standard[0], by_trial)
    total = len(standard[0])
    return CorrectedScores(
        agents=tuple(sorted(rows, key=lambda row: (-(row.published.score or 0.0), row.name))),
        detectors=dict(sorted(versions.items())),
        level=1 - alpha,
        defects=sum(row.published - row.ran for row in left),
        flagged=sum(row.ran - row.unflagged for row in left),
        unread_share=sum(cell.id in unread for cell in standard[0]) / total if total else None,
        notes=_audit_notes(len(by_trial.keys() & {cell.id for cell in standard[0]}), total),
    )


def _without_passes(cells: Sequence[Cell], trials: set[str]) -> list[Cell]:
    """The cells with the passes of these trials taken off."""
    return [
        cell._replace(outcome=Outcome.FAILED, score=None)
        if cell.id in trials and (cell.outcome == Outcome.PASSED or cell.score)
        else cell
        for cell in cells
    ]


def _scores(study: StudyData, policy: Policy, level: float, declared: Declared) -> dict[str, ScoreEstimate]:
    scores = count_study(study, declared).scores
    if scores is None:
        return {}
    return {estimate.agent: estimate for estimate in score_all(scores.resolve(policy), level=level)}


def _corrected_row(
    name: str, mine: Sequence[Sequence[Cell]], estimates: Sequence[ScoreEstimate | None], unread: set[str]
) -> CorrectedRow:
    published, ran, unflagged = (_score(cells, estimate) for cells, estimate in zip(mine, estimates, strict=True))
    unread_here = sum(cell.id in unread for cell in mine[0])
    return CorrectedRow(name, len(mine[0]), published, ran, unflagged, unread_here)


def _score(cells: Sequence[Cell], estimate: ScoreEstimate | None) -> CorrectedScore:
    passes = sum(cell.outcome == Outcome.PASSED for cell in cells)
    if estimate is None:
        return CorrectedScore(passes, None, None)
    return CorrectedScore(passes, finite_or_none(estimate.mean), interval_of(*estimate.interval))


def _audit_notes(audited: int, total: int) -> tuple[str, ...]:
    if audited < total:
        return (f"{total - audited} of {total} trials were not audited; `honestly audit` continues with them.",)
    return ()


_COLUMNS = ("published", "tests ran", "not flagged", "unread")
_WIDTH = 13
_LEAST_NAME = 16


def _unread_text(found: CorrectedScores) -> str:
    share = "Every trial could be read."
    if found.unread_share:
        share = f"{percent_text(found.unread_share)}% of the trials could not be read, and stand as they are."
    return f"By {plural_text(len(found.detectors), 'detector')}. {share} A flag is a reason to look, not a verdict."


def _scores_table(rows: list[CorrectedRow], width: int) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("agent", no_wrap=True)
    for title in _COLUMNS:
        table.add_column(title, justify="right", no_wrap=True)
    room = max(_LEAST_NAME, width - (_WIDTH + 2) * (len(_COLUMNS) - 1) - 8)
    names = short_names((row.name for row in rows), room)
    for row in rows:
        scores = [f"{percent_text(each.score)} ({each.passes})" for each in (row.published, row.ran, row.unflagged)]
        unread = percent_text(row.unread / row.trials, 0) + "%" if row.trials else "–"
        table.add_row(Text(names[row.name]), *map(Text, [*scores, unread]))
    return table
