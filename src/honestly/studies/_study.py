"""A study as a notebook holds it: its file, and one method for each question that the command line answers.

Nothing stays open between two questions: each method opens the file for as long as it takes, so that a study can be
asked while another process writes it, and no lock outlives a cell.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import anyio
from anyio.from_thread import start_blocking_portal

from honestly._settings import method, tell_nobody
from honestly.audit import Detector, audit_study, events_of
from honestly.audit.report import (
    AuditReport,
    ConductReport,
    GoldReport,
    MonitorEstimate,
    MonitorReport,
    audit_report,
    monitor_estimate,
    monitor_report,
)
from honestly.comparisons import DiffReport, PairReport, comparison, comparison_of_studies, diff_report, matched_budgets
from honestly.errors import SettingsError
from honestly.leaderboards import StudyReport, study_report, submission_order
from honestly.models import make_model
from honestly.people import PrevalenceReport, prevalence_report
from honestly.plans import PlanQuestion, StudyPlan, pilot_basis, study_plan
from honestly.scores import DEFAULT_POLICY, UNDECLARED, Declared, find_agent
from honestly.stats import Policy
from honestly.store import Hit, Store, open_study
from honestly.studies._ask_settings import AuditSettings, CompareSettings, ReportSettings, StrictSettings, Tell
from honestly.studies._detectors import detectors_named, known_detectors, new_findings
from honestly.studies._follow_up import next_change
from honestly.studies._monitor import answers_of, check_prices, prices_of
from honestly.studies._tidy import tidy_frame
from honestly.trials import Grep, Match, StepTable, TrialPage, TrialTable, find_trial, trial_table

if TYPE_CHECKING:
    from honestly.audit._ask import AskReport
    from honestly.audit._rubric import Rubric, RubricReport
    from honestly.audit.monitor import Estimate, Monitor
    from honestly.audit.rejudge import Cost


T = TypeVar("T")


def from_sync(work: Callable[[], Awaitable[T]]) -> T:
    """Runs async work in synchronous code, and returns its result; Ctrl-C or the notebook's stop button cancels it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return anyio.run(work)
    with start_blocking_portal() as portal:  # a loop cannot wait for its own work, so this runs in a thread's
        future = portal.start_task_soon(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


_PART = 32 << 20
"""Bytes of steps that are searched before what was found in them is handed on."""


@dataclass(frozen=True, slots=True)
class DiffSettings(StrictSettings):
    """Two agents, of one study or of two."""

    before: str
    """An agent's name, or enough of it."""
    after: str
    """Another's; the same name, if it is in another study."""
    other: Study | None = None
    """The study of the one after, if it is another one."""


@dataclass(frozen=True, slots=True, repr=False)
class Study:
    """A study; every answer that it gives has `to_plain()`, `to_frame()` and figures."""

    path: Path
    strict: bool = False
    """Whether undecided passes count as failed in every answer; they do anyway in a study that was run so."""

    def __repr__(self) -> str:
        with self.store() as store:
            counts = (len(store.agents()), sum(1 for _ in store.tasks()), len(store.trial_ids()))
        return f"Study({str(self.path)!r}): {counts[0]} agents, {counts[1]} tasks, {counts[2]} trials"

    def store(self, mode: Literal["read", "write"] = "read") -> Store:
        """The records themselves, as a context manager."""
        found = open_study(self.path, mode)
        found.strict = self.strict
        return found

    def strictly(self) -> Study:
        """This study with undecided passes counted as failed."""
        return replace(self, strict=True)

    def kept(self) -> Study:
        """This study where its trials can be looked at; a long table is imported for it."""
        return self

    @method(ReportSettings)
    def report(self, settings: ReportSettings) -> StudyReport:
        """The leaderboard, with error bars and hack rates, and what stands beside it.

        Raises:
            FormatError: a file of clusters or weights cannot be read.
            StatisticsError: no task has a tag, or `ladder` names too few agents.
        """
        study = self.strictly() if settings.strict else self
        with study.store() as store:
            found = study_report(
                store,
                settings.policy,
                settings.alpha,
                settings.declared,
                settings.by,
                settings.cutoffs,
                name=str(self.path),
            )
        return study.laddered(found, settings.ladder)

    def laddered(self, found: StudyReport, ladder: str | None) -> StudyReport:
        """A report that says which agents, in an order, beat the best before them, if one is given; `*`: by time."""
        if ladder is None:
            return found
        return found.with_ladder(self.order() if ladder == "*" else [name.strip() for name in ladder.split(",")])

    def order(self) -> list[str]:
        """The agents in the order in which their first trials started, for `StudyReport.with_ladder`.

        Raises:
            StatisticsError: no trial of an agent says when it started.
        """
        with self.store() as store:
            return submission_order(store)

    @method(CompareSettings)
    def compare(self, settings: CompareSettings) -> PairReport:
        """Whether the data can tell two agents apart.

        Raises:
            AgentError: a name fits no agent, or several.
            UnfairComparisonError: the two differ in more than the agents.
        """
        ours, other = self, settings.other
        if settings.strict:
            ours, other = ours.strictly(), None if other is None else other.strictly()
        names, how = (settings.a, settings.b), (settings.policy, settings.alpha)
        margin = None if settings.margin is None else settings.margin / 100
        with ours.store() as store, other.store() if other else nullcontext() as second:
            if second is not None:
                return comparison_of_studies(store, second, names, how, settings.declared, margin)
            found = comparison(store, *names, *how, settings.declared, margin)
            then = next_change(store, (found.a, found.b), how)
            return replace(found, matched=matched_budgets(store, found.a, found.b), next_change=then)

    @method(DiffSettings)
    def diff(self, settings: DiffSettings) -> DiffReport:
        """Which tasks flipped from one agent to another, how certain that is, and what went with it.

        Raises:
            AgentError: a name fits no agent, or several.
            StatisticsError: the two have no task in common, or graded results.
        """
        counted = (settings.policy, settings.alpha)
        ours, other = self, settings.other
        if settings.strict:
            ours, other = ours.strictly(), None if other is None else other.strictly()
        with ours.store() as store, other.store() if other else nullcontext() as second:
            return diff_report(store, settings.before, settings.after, second, counted, settings.declared)

    @method(AuditSettings)
    def audit(self, settings: AuditSettings) -> AuditReport:
        """Look for cheating in every trial, and for claims that the study's own logs contradict.

        Findings are kept in the study; what was looked at by the same version of a detector is not done again.
        `detectors` are names, or detectors of your own; all that come with the program, if nobody says. `monitor` is a
        model's name, or a `Monitor`.

        Raises:
            TaskError: there is no detector of a name.
            StoreError: the study cannot be written, or has no trials of that agent.
            SettingsError: a setting makes no sense without another.
        """
        from honestly.people import classify_messages

        assert isinstance(settings.detectors, tuple)  # since a record of settings makes one of whatever is given
        reading, again = detectors_named(settings.detectors)
        monitor, tell = self.monitor_for(settings), settings.tell
        with (self.strictly() if settings.strict else self).store("write") as store:
            audit_study(store, reading, partial(tell, "auditing"), unsafe=settings.unsafe)
            if settings.rejudge:
                from honestly.audit.rejudge import rejudge_study
                from honestly.runner import default_jobs
                from honestly.sandbox import open_sandbox

                progress = partial(tell, "judging again")
                from_sync(partial(rejudge_study, store, open_sandbox, again, jobs=default_jobs(), progress=progress))
            counted = known_detectors(store, reading, again)
            watched = self._monitored_report(store, monitor, tell) if monitor is not None else None
            counted += monitor.detectors if monitor is not None else ()
            classify_messages(store)
            who = settings.honest_agent
            return audit_report(store, str(self.path), counted, honest_agent=who, monitor=watched)

    def monitor_for(self, settings: AuditSettings) -> Monitor | None:
        """The monitor that an audit with these settings asks for; None where none is wanted.

        Raises:
            ModelError: a model cannot be made.
            AgentError: the name of an agent fits none, or several.
            TaskError: that of a task does.
            SettingsError: a setting makes no sense without another, or a budget cannot be kept.
        """
        if settings.monitor is None:
            if settings.confirm or settings.budget is not None or settings.tasks or settings.agents:
                raise SettingsError("--confirm, --budget, --estimate, --task and --agent need --monitor MODEL")
            return None
        from honestly.audit.monitor import Monitor

        if isinstance(settings.monitor, Monitor):
            return settings.monitor
        prices = prices_of(settings.prices)
        model = make_model(settings.monitor, prices=prices)
        confirm = make_model(settings.confirm, prices=prices) if settings.confirm else model
        if settings.budget is not None:
            check_prices(filter(None, (settings.monitor, settings.confirm)), prices)
        with self.store() as store:
            cells = store.cells()
        agents, tasks = sorted({cell.agent for cell in cells}), sorted({cell.task for cell in cells})
        return Monitor(
            model=model,
            confirm=confirm,
            folder=Path(settings.answers) if settings.answers else answers_of(self.kept().path),
            budget=settings.budget,
            prices=prices,
            jobs=settings.jobs,
            tasks=tuple(find_agent(tasks, name, "task") for name in settings.tasks),
            agents=tuple(find_agent(agents, name) for name in settings.agents),
        )

    def audited(self, honest_agent: str = "") -> AuditReport:
        """The report on the findings that the study holds; nothing is looked for.

        Args:
            honest_agent: whose trials show how often honest work fails hidden checks.

        Raises:
            StoreError: the study has no trials of that agent.
        """
        reading, again = detectors_named(())
        with self.store() as store:
            return audit_report(
                store, str(self.path), known_detectors(store, reading, again), honest_agent=honest_agent
            )

    def rejudge_cost(self, detectors: Sequence[str | Detector] = ()) -> Cost:
        """How much work `audit(rejudge=True)` would run again."""
        from honestly.audit.rejudge import cost_of

        with self.store() as store:
            return cost_of(store, detectors_named(detectors)[1])

    def monitor_estimate(self, monitor: Monitor) -> MonitorEstimate:
        """The estimated cost of `audit(monitor=...)`."""
        with self.store() as store:
            return monitor_estimate(store, monitor)

    @staticmethod
    def _monitored_report(store: Store, monitor: Monitor, tell: Tell) -> MonitorReport:
        from honestly.audit.monitor import monitor_study

        return monitor_report(
            store, monitor, from_sync(partial(monitor_study, store, monitor, partial(tell, "judging")))
        )

    def ask(self, question: str, asker: Monitor, tell: Tell = tell_nobody) -> AskReport:
        """What a model answers to a question about each trial, with quotes; answers are kept as reviews.

        Args:
            question: in words, about one trial.
            asker: who answers, within what; see `monitor_for`.
            tell: told how far it is.
        """
        from honestly.audit._ask import ask_study

        with self.store("write") as store:
            return from_sync(partial(ask_study, store, asker, question, partial(tell, "asking")))

    def ask_estimate(self, question: str, asker: Monitor) -> Estimate:
        """The estimated cost of `ask`."""
        from honestly.audit._ask import ask_estimate

        with self.store() as store:
            return ask_estimate(store, asker, question)

    def rubric(self, rubric: Rubric, judge: Monitor, readings: int = 2, tell: Tell = tell_nobody) -> RubricReport:
        """Scores of each agent by a rubric, by a model that reads each trial so many times; kept as reviews.

        Args:
            rubric: see `honestly.audit.read_rubric`.
            judge: who reads, within what; see `monitor_for`.
            readings: how often each trial is read.
            tell: told how far it is.
        """
        from honestly.audit._rubric import rubric_study

        with self.store("write") as store:
            return from_sync(partial(rubric_study, store, judge, rubric, readings, partial(tell, "reading")))

    def rubric_estimate(self, rubric: Rubric, judge: Monitor, readings: int = 2) -> Estimate:
        """The estimated cost of `rubric`."""
        from honestly.audit._rubric import rubric_estimate

        with self.store() as store:
            return rubric_estimate(store, judge, rubric, readings)

    def gold(self, tell: Tell = tell_nobody) -> GoldReport:
        """Who holds more of the reference solutions, word for word, than the others; findings are kept in the study."""
        from honestly.audit.gold import gold_table

        with self.store("write") as store:
            rows, findings = gold_table(store, partial(tell, "comparing"))
            store.add(new_findings(findings, store.findings()))
        return GoldReport(str(self.path), tuple(rows), tuple(found for found in findings if found.state == "flagged"))

    def prevalence(self, known: Study | None = None, width: float = 0.02) -> PrevalenceReport:
        """How many hacks there really are, from people's reviews and from how good the detectors are.

        Args:
            known: an audited study whose truth is known, to measure the detectors on.
            width: of the interval to say the number of reviews for.

        Raises:
            StoreError: the study was never audited.
        """
        with self.store() as store:
            if known is None:
                return prevalence_report(store, str(self.path), None, width)
            with known.store() as other:
                return prevalence_report(store, str(self.path), other, width)

    def conduct(self, tell: Tell = tell_nobody) -> ConductReport:
        """How the agents worked: safely, thoroughly, honestly, with denominators; and the marks that people gave."""
        from honestly.audit.conduct import conduct_of, mean_ratings, measured_trials, reviewer_agreements

        with self.store() as store:
            table = conduct_of(measured_trials(store, partial(tell, "measuring")))
            cells, reviews = store.cells(), list(store.reviews())
        rated, agreed = mean_ratings(cells, reviews), reviewer_agreements(cells, reviews)
        return ConductReport(str(self.path), tuple(table), tuple(rated), tuple(agreed))

    def plan(
        self,
        asked: PlanQuestion = PlanQuestion(),  # noqa: B008 - frozen
        agents: Sequence[str] = (),
        policy: Policy = DEFAULT_POLICY,
        declared: Declared = UNDECLARED,
    ) -> StudyPlan:
        """How many questions and samples it takes to see a gap, with this study as the pilot.

        Args:
            asked: the gaps, samples and questions at hand, and what is demanded of the test.
            agents: two of the pilot's; typical neighbours, if nobody says.
            policy: as in `report`.
            declared: as in `report`.
        """
        with self.store() as store:
            return study_plan(pilot_basis(store, agents, policy, declared), asked)

    def trials(self) -> TrialTable:
        """One row for each trial."""
        with self.store() as store:
            return trial_table(store, str(self.path))

    def frame(self, table: str, backend: str = "") -> Any:  # noqa: ANN401 - polars or pandas, as installed
        """All records of one type as a data frame; `export --to parquet` writes the same tables.

        Args:
            table: `agents`, `tasks`, `trials`, `checks`, `findings`, `reviews`, `steps` or `defects`.
            backend: `polars` or `pandas`; whichever is installed, if nobody says.

        Raises:
            FrameError: there is no such table, or what makes frames is not installed.
        """
        with self.store() as store:
            return tidy_frame(store, table, backend)

    def find(self, text: str, among: Collection[str] | None = None) -> Iterator[Hit]:
        """Where steps hold a text, upper and lower case alike, as it is found.

        Args:
            text: what to look for.
            among: ids of the trials to look in; None for all.

        Raises:
            StoreError: the text is empty, or longer than 1000 characters.
        """
        with self.store() as store:
            after, begun = None, False
            while not begun or after is not None:
                part = store.find(text, among, after, size=_PART)
                yield from part.hits
                after, begun = part.rest, True

    def grep(
        self, expression: str, among: Collection[str] | None = None, kinds: Collection[str] = ()
    ) -> Iterator[tuple[str, list[Match] | None]]:
        """Where events of trials match a regular expression: each trial with its places, None where it took too long.

        Args:
            expression: as Python's `re` takes it.
            among: ids of the trials to look in; None for all.
            kinds: kinds of events to look in, of `honestly.audit.EVENT_KINDS`; all if there are none.

        Raises:
            SettingsError: the expression is none.
        """
        grep = Grep(expression)
        try:
            with self.store() as store:
                for cell in store.cells():
                    if (among is None or cell.id in among) and store.trajectory_info(cell.id) is not None:
                        events = events_of(store.steps(cell.id))
                        found = grep.matches(each for each in events if not kinds or each.kind in kinds)
                        yield cell.id, None if found is None else list(found)
        finally:
            grep.close()

    def trial(self, trial: str, steps: range | None = None, *, full: bool = False) -> TrialPage:
        """One trial: why it ended so, the checks that failed, its steps, its final change.

        Args:
            trial: its id, the beginning of it, or `agent/task/sample`.
            steps: which steps are shown with what they hold; the first and the last are listed, if nobody says.
            full: whether all of everything is shown.

        Raises:
            StoreError: no trial is named so, or several are.
        """
        with self.store() as store:
            return TrialPage(self.kept().path, find_trial(store, trial), steps, full)

    def steps(self, trial: str) -> StepTable:
        """The steps of one trial.

        Args:
            trial: its id, the beginning of it, or `agent/task/sample`.

        Raises:
            StoreError: no trial is named so, or several are.
        """
        with self.store() as store:
            found = find_trial(store, trial)
            return StepTable(found, tuple(store.steps(found)))
