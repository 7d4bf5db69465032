"""Does an agent reach a score that was demanded? For a build that is red only where it does not.

The score is that of `honestly.stats.score`, for new tasks like these, with its guaranteed interval, as for every
decision with one side (docs/methods/headline.md). Each end is one-sided: *at least* where the lower end reaches the
demand, *below* where the upper end does not, else *cannot tell*. As for `gate`, the verdict holds only where void
trials counted as failed, left out and passed all give it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from honestly.errors import AgentError, StatisticsError
from honestly.scores import (
    DEFAULT_POLICY,
    UNDECLARED,
    Declared,
    Interval,
    StudyData,
    count_study,
    find_agent,
    granted_words,
    some_names,
    void_caution,
)
from honestly.show import Shown, percent_text, plural_text, printable_text_line, text_apart, whole_sentence
from honestly.stats import Policy, ScoreEstimate, Scores, assumptions, score

ThresholdVerdict = Literal["at least", "below", "cannot tell"]
_VOID: tuple[Literal["fail", "drop", "pass"], ...] = ("fail", "drop", "pass")


@dataclass(frozen=True, slots=True, repr=False)
class ThresholdReport(Shown):
    """The answer of `honestly gate --at-least`. Shares are fractions of 1."""

    main_table: ClassVar[str] = ""

    verdict: ThresholdVerdict
    agent: str
    least: float
    """The score that was demanded."""
    score: float
    interval: Interval
    """Each end one-sided at level alpha."""
    n: int
    """Tasks that count."""
    alpha: float
    """Chance of a green build below the demand, and of a red one at or above it."""
    method: str
    message: str
    """The verdict for people."""
    notes: tuple[str, ...]
    policy: str
    assumed: tuple[str, ...]
    """What the verdict takes for granted."""
    barred: tuple[str, ...] = ()
    """Packages of a barred status that trials install; any makes the build red."""

    def exit_code(self, cannot_tell: str = "") -> int:
        """0 where the score reaches the demand, 1 where it does not or a package is barred, 4 where none can tell.

        Args:
            cannot_tell: `pass` or `fail`, which make 4 a 0 or a 1.
        """
        undecided = {"pass": 0, "fail": 1}.get(cannot_tell, 4)
        return 1 if self.barred else {"at least": 0, "below": 1}.get(self.verdict, undecided)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        yield Text(self.message, style="bold")
        yield from map(Text, (*self.barred, *self.notes))
        yield Text(f"Policy: {self.policy}. The verdict is about new tasks of this kind.", style="dim")


def threshold_report(
    study: StudyData,
    name: str,
    least: float,
    alpha: float = 0.05,
    policy: Policy = DEFAULT_POLICY,
    declared: Declared = UNDECLARED,
) -> ThresholdReport:
    """Decide whether an agent's score is at least `least`, a fraction of 1.

    Raises:
        AgentError: the name is unknown, fits several agents, or is missing where there are several.
        StatisticsError: there is no score, or the study could stop early.
    """
    names = [agent.name for agent in study.agents()]
    if not name and len(names) != 1:
        raise AgentError(f"the study has {plural_text(len(names), 'agent')}, so say which with --agent NAME: "
                         f"{some_names(names)}")  # fmt: skip
    agent = find_agent(names, name) if name else names[0]
    if study.facts().stopping_rule:
        raise StatisticsError(
            "a study that could stop early has a biased score, so --at-least cannot be tested; run one without --until"
        )
    counted = count_study(study, declared)
    if counted.scores is None:
        raise StatisticsError("the study has no standard task, so the agent has no score")
    found = _estimate(counted.scores, agent, policy, alpha)
    if math.isnan(found.mean) or found.claim is None:
        raise StatisticsError(f"{printable_text_line(agent)} has no score with an interval: {found.reason}")
    verdict, turned = _threshold_verdict(found, least), ""
    void = int(counted.scores.void[counted.scores.agents.index(agent)].sum())
    for how in _VOID if void else ():
        other = _threshold_verdict(_estimate(counted.scores, agent, replace(policy, void=how), alpha), least)
        if verdict not in ("cannot tell", other):
            words = {"fail": "failed", "drop": "left out", "pass": "passed"}[how]
            turned = (
                f"The verdict turns on {plural_text(void, 'void trial')}: {verdict} as declared, {other} if {words}."
            )
    spoilt = void_caution(counted.scores, (agent,), policy)
    biased = [f"{printable_text_line(each)}." for each in counted.scores.dependent_samples((agent,))]
    verdict = "cannot tell" if turned or biased else verdict
    low, high = found.claim.guaranteed.interval
    bottom, top = (text_apart(end, least, percent_text) for end in (low, high))
    ends = f"{bottom} to {top} with {percent_text(1 - alpha, 0)}% confidence at each end"
    said = {"at least": "AT LEAST", "below": "BELOW", "cannot tell": "CANNOT TELL whether at least"}[verdict]
    return ThresholdReport(
        verdict=verdict,
        agent=agent,
        least=least,
        score=found.mean,
        interval=(low, high),
        n=found.n,
        alpha=alpha,
        method=found.claim.guaranteed.method,
        message=f"{said} {percent_text(least)}%: {printable_text_line(agent)} scores {percent_text(found.mean)}% on "
        f"{plural_text(found.n, 'task')} ({ends}).",
        notes=tuple(filter(None, (*biased, turned or spoilt, whole_sentence(counted.known.dependence)))),
        policy=str(policy),
        assumed=granted_words(assumptions(), "scores", clustered=found.clusters is not None),
    )


def _estimate(scores: Scores, agent: str, policy: Policy, alpha: float) -> ScoreEstimate:
    return score(scores.resolve(policy).select((agent,)), agent, level=1 - 2 * alpha)


def _threshold_verdict(found: ScoreEstimate, least: float) -> ThresholdVerdict:
    if found.claim is None:
        return "cannot tell"
    low, high = found.claim.guaranteed.interval
    return "at least" if low >= least else "below" if high < least else "cannot tell"
