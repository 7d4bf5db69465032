"""Two studies, or results, held against each other: is the one worse?"""

from contextlib import nullcontext
from pathlib import Path

from honestly._settings import verb
from honestly.comparisons import GateReport, GateRule, ThresholdReport, gate_report, threshold_report
from honestly.errors import SettingsError
from honestly.stats import Estimand
from honestly.studies._open import open  # noqa: A004 - as the library calls it
from honestly.studies._study import Study
from honestly.studies._study_settings import GateSettings


@verb(GateSettings)
def gate(settings: GateSettings) -> GateReport | ThresholdReport:
    """Whether the agent of a study is worse than a baseline by more than a gap, or below a score; see docs/gate.md.

    Raises:
        UnfairComparisonError: the two differ in more than the agents.
        AgentError: a name is unknown, fits several agents, or is missing.
        StatisticsError: there is nothing to compare.
        StoreError: a study cannot be read.
        FormatError: a path is neither a study nor results.
        SettingsError: a score is demanded, and a baseline named; or the baseline is the study itself.
    """
    if settings.at_least is not None:
        if settings.baseline is not None or settings.baseline_agent or settings.min_gap or settings.about != "new":
            raise SettingsError(
                "--at-least needs no baseline, and is about new tasks: leave --baseline, --baseline-agent, --min-gap "
                "and --about out, or run honestly gate twice"
            )
        if 0 < settings.at_least <= 1:
            said, share = f"{settings.at_least:g}", f"{100 * settings.at_least:g}"
            raise SettingsError(
                f"--at-least takes 0 to 100: {said} would be {said}%; for {share}% say --at-least {share}"
            )
        asked = _study_or_open(settings.study).strictly() if settings.strict else _study_or_open(settings.study)
        with asked.store() as store:
            least = settings.at_least / 100
            return threshold_report(store, settings.agent, least, settings.alpha, settings.policy, settings.declared)
    estimand = Estimand.NEW_QUESTIONS if settings.about == "new" else Estimand.THESE_QUESTIONS
    rule = GateRule(settings.min_gap / 100, settings.alpha, estimand)
    ours, other = (
        _study_or_open(settings.study),
        None if settings.baseline is None else _study_or_open(settings.baseline),
    )
    if other is not None and other.path.resolve() == ours.path.resolve():
        if not settings.baseline_agent:
            raise SettingsError(
                f"the study and its baseline are both {ours.path}; name another one, or an agent with --baseline-agent"
            )
        other = None
    if settings.strict:
        ours, other = ours.strictly(), None if other is None else other.strictly()
    agents = (settings.agent, settings.baseline_agent)
    with ours.store() as mine, nullcontext() if other is None else other.store() as theirs:
        return gate_report(mine, theirs, agents, rule, settings.policy, settings.declared)


def _study_or_open(given: Study | str | Path) -> Study:
    return given if isinstance(given, Study) else open(given)
