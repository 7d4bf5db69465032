"""Everything that `honestly report` says of a study, as an object and as one HTML file.

The file needs no script and no address outside it, and can be read on a phone, on paper and in the dark. Everything
that comes from a study is escaped by Jinja2 and made printable before; the only markup that is passed through are our
own drawings. A Content-Security-Policy in the page forbids everything but its inline styles.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from honestly.audit.report import Endings, endings_of
from honestly.leaderboards._board import Leaderboard
from honestly.leaderboards._breakdown import PARTS, Breakdown, score_breakdown
from honestly.leaderboards._corrected import CorrectedScores, corrected_scores
from honestly.leaderboards._guarded import GuardUse, guard_table, guard_use
from honestly.leaderboards._ladder import LadderReport, ladder_report
from honestly.leaderboards._leaderboard import leaderboard
from honestly.leaderboards._page import board_section
from honestly.leaderboards._table import BriefLeaderboard, LeaderboardView
from honestly.leaderboards.figures._all import board_figures
from honestly.plans import RegistrationReport, registration_report, registration_section
from honestly.scores import DEFAULT_POLICY, UNDECLARED, CountedTable, Declared
from honestly.show import Figures, Shown, as_json, filled, level_text, plural_text, printable_text_line
from honestly.stats import Policy
from honestly.store import Store
from honestly.tasks import groups_by_parts
from honestly.trials import Reasons, failure_reasons, reasons_section
from honestly.work import write_file


@dataclass(frozen=True, slots=True, repr=False)
class StudyReport(Shown):
    """Honest scores with error bars, and what the visible tests would have said."""

    main_table: ClassVar[str] = "agents"

    board: Leaderboard
    registration: RegistrationReport | None
    """What was promised before, and what came of it."""
    corrected: CorrectedScores | None
    """What stands of the scores, where the study was audited."""
    endings: Endings
    """Of trials at impossible tasks."""
    breakdown: Breakdown | None
    """By groups of tasks, and before and after cutoffs, where that was asked for."""
    ladder: LadderReport | None = None
    """The agents as submissions in their order, where that was asked for; see `with_ladder`."""
    reasons: Reasons | None = None
    """Why trials are void, at a limit or failed."""
    guards: tuple[GuardUse, ...] = ()
    """What guards decided, and what each costs in solved tasks."""
    is_headline: bool = False
    """Whether the suite's score is the macro mean of the breakdown, which then stands first."""

    def with_ladder(self, order: Sequence[str]) -> "StudyReport":
        """A report that also takes the agents as submissions in an order; see `ladder_report`."""
        return replace(self, ladder=ladder_report(self.board, order))

    @property
    def figures(self) -> Figures:
        """The figures that there are data for, by name."""
        return Figures(board_figures(self.board))

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON."""
        said = self.board.to_plain()
        said["registration"] = self.registration.to_plain() if self.registration else None
        said["corrected"] = self.corrected.to_plain() if self.corrected else None
        if self.breakdown:
            said["breakdown"] = self.breakdown.to_plain()
        if self.ladder:
            said["ladder"] = self.ladder.to_plain()
        if self.endings.trials:
            said["impossible"] = self.endings.rates
        if self.reasons is not None:
            said["reasons"] = self.reasons.to_plain()["reasons"]
        if self.guards:
            said["guards"] = [as_json(each) for each in self.guards]
        return as_json(said)

    def write_html(self, path: Path) -> Path:
        """Writes it as one HTML file without scripts, whole or not at all, and returns the path.

        Raises:
            HonestlyError: the file cannot be written.
        """
        page = render_html(
            self.board, self.registration, self.corrected, self.breakdown, self.ladder, reasons=self.reasons
        )
        write_file(path, page)
        return path

    def brief(self) -> RenderableType:
        """The leaderboard's sentence, table and first warnings; and what was asked for beside it."""
        parts: list[RenderableType] = []
        if self.is_headline and self.breakdown is not None:
            parts.append(replace(self.breakdown, groups=(), notes=()))
        beside = [] if self.ladder is None else [(0, self.ladder.table)]
        beside += [] if self.breakdown is None or self.is_headline else self.breakdown.brief_parts
        asked = self.ladder.sentence if self.ladder else self.breakdown.sentence if beside and self.breakdown else ""
        parts.append(BriefLeaderboard(self.board, beside, asked))
        parts += [guard_table(self.guards)] if self.guards else []
        if self.corrected is not None and self.corrected.defects + self.corrected.flagged:
            parts.append(Text(self.corrected.sentence))
        parts += ["", self.registration.brief()] if self.registration is not None else []
        return Group(*parts)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        if self.is_headline and self.breakdown is not None:
            yield self.breakdown
            yield ""
        yield LeaderboardView(self.board)
        if self.guards:
            yield ""
            yield guard_table(self.guards)
        if self.reasons:
            yield ""
            yield self.reasons
        if self.breakdown is not None and not self.is_headline:
            yield ""
            yield self.breakdown
        if self.ladder is not None:
            yield ""
            yield self.ladder
        if self.corrected is not None:
            yield ""
            yield self.corrected
        yield self.endings
        if self.registration is not None:
            yield ""
            yield self.registration


def study_report(
    study: Store | CountedTable,
    policy: Policy = DEFAULT_POLICY,
    alpha: float = 0.05,
    declared: Declared = UNDECLARED,
    by: str = "",
    cutoffs: Sequence[str] = (),
    *,
    name: str = "STUDY",
) -> StudyReport:
    """Everything that a report says about a study; `name` is its file's, for the commands that show more.

    Where nothing else is asked for, tasks are grouped by what their suite's score is a mean over (`Suite.headline`).
    Of a table that was counted there are no trials to audit, to group by reason, or to plan.

    The other arguments, and errors, are as in `leaderboard` and `score_breakdown`.
    """
    board = leaderboard(study, policy, alpha, declared)
    if isinstance(study, CountedTable):
        return StudyReport(board, None, None, Endings((), ()), score_breakdown(board, by, cutoffs))
    headline = study.facts().headline if not by and board.resolved is not None else ""
    return StudyReport(
        board,
        registration_report(study, policy, alpha),
        corrected_scores(study, policy, alpha, declared),
        endings_of(study),
        score_breakdown(board, by or headline, cutoffs, groups_by_parts(study.tasks()) if by == PARTS else None),
        reasons=failure_reasons(study, name).of_failures,
        guards=guard_use(study, policy, alpha, declared),
        is_headline=bool(headline),
    )


def html_report(board: Leaderboard, path: Path) -> Path:
    """Write a leaderboard to `path` as one HTML file, whole or not at all, and return `path`.

    Raises:
        HonestlyError: the file cannot be written; what was there before is still there.
    """
    write_file(path, render_html(board).encode())
    return path


def render_html(
    board: Leaderboard,
    registration: RegistrationReport | None = None,
    corrected: CorrectedScores | None = None,
    parts: Breakdown | None = None,
    ladder: LadderReport | None = None,
    *,
    reasons: Reasons | None = None,
) -> str:
    """The report as the text of one self-contained HTML document.

    Args:
        board: the leaderboard.
        registration: what was registered before the study and what came of it, where there is such a thing.
        corrected: what stands of the scores, where the study was audited.
        parts: the same by groups of tasks, where that was asked for.
        ladder: the agents as submissions in their order, where that was asked for.
        reasons: why trials are void, at a limit or failed.
    """
    rows = board.agents
    standard = sum(not task.impossible for task in board.tasks)
    impossible = len(board.tasks) - standard
    counts = [
        plural_text(len(rows), "agent"),
        plural_text(standard, "task"),
        plural_text(sum(row.stored for row in rows), "trial"),
    ]
    if impossible:
        counts.insert(2, plural_text(impossible, "impossible task"))
    fill = partial(filled, "leaderboards", names=[*(row.name for row in rows), *(task.id for task in board.tasks)])
    page = board_section(
        "report.html",
        board,
        board_figures(board),
        title=printable_text_line(str(board.study.get("suite") or board.study.get("imported_from") or "Study")),
        counts=" · ".join(counts),
        registration=registration_section(registration),
        parts=parts and fill("breakdown.html", found=parts, level=level_text(parts.level)),
        corrected=corrected and fill("corrected.html", found=corrected, level=level_text(corrected.level)),
        ladder=ladder and fill("ladder.html", found=ladder),
        reasons=reasons and reasons_section(reasons),
    )
    return str(page)
