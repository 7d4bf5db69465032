"""Everything that `honestly report` says of a study: the leaderboard, and what stands beside it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from rich.console import Console, ConsoleOptions, RenderableType

from honestly.report._board import Leaderboard
from honestly.report._corrected import CorrectedScores, CorrectedView, corrected_scores
from honestly.report._html import html_report
from honestly.report._leaderboard import leaderboard
from honestly.report._shown import Figures, Shown, as_json
from honestly.report._variants import DEFAULT_POLICY
from honestly.report.audit._endings import Endings, endings_of
from honestly.report.figures._all import board_figures
from honestly.report.registration._report import RegistrationReport, RegistrationView, registration_report
from honestly.report.tables._leaderboard import LeaderboardView
from honestly.stats import Policy
from honestly.store import Store


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

    @property
    def figures(self) -> Figures:
        """The figures that there are data for, by name."""
        return Figures(board_figures(self.board))

    def to_plain(self) -> dict[str, Any]:
        """One plain-data object, ready for JSON."""
        said = self.board.to_plain()
        said["registration"] = self.registration.to_plain() if self.registration else None
        said["corrected"] = self.corrected.to_plain() if self.corrected else None
        if self.endings.trials:
            said["impossible"] = self.endings.rates
        plain: dict[str, Any] = as_json(said)
        return plain

    def write_html(self, path: Path) -> Path:
        """Writes it as one HTML file without scripts, whole or not at all, and returns the path.

        Raises:
            HonestlyError: the file cannot be written.
        """
        return html_report(self.board, path, self.registration, self.corrected)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield LeaderboardView(self.board)
        if self.corrected is not None:
            yield ""
            yield CorrectedView(self.corrected)
        yield self.endings
        if self.registration is not None:
            yield ""
            yield RegistrationView(self.registration)


def study_report(study: Store, policy: Policy = DEFAULT_POLICY, alpha: float = 0.05) -> StudyReport:
    """Everything that a report says about a study; arguments and errors as in `leaderboard`."""
    audited = next(iter(study.findings()), None) is not None
    return StudyReport(
        leaderboard(study, policy, alpha),
        registration_report(study, policy, alpha),
        corrected_scores(study, policy, alpha) if audited else None,
        endings_of(study),
    )
