"""How large a study must be, from a pilot or a guess, and the promise that it is judged by."""

from importlib import import_module
from pathlib import Path

from honestly._settings import verb
from honestly.errors import HonestlyError, SettingsError
from honestly.plans import (
    PlanBasis,
    PlanBudget,
    PlanQuestion,
    StudyPlan,
    pilot_basis,
    prior_basis,
    registration_markdown,
    registration_of_plan,
    study_plan,
)
from honestly.records import Suite
from honestly.scores import OnlyTasks
from honestly.show import printable_text_line
from honestly.stats import Caps, Demands, DesignPrices
from honestly.studies._open import open  # noqa: A004 - as the library calls it
from honestly.studies._prepare import without_twins
from honestly.studies._study import Study
from honestly.studies._study_settings import PlanSettings
from honestly.tasks import load_suite
from honestly.work import write_file


@verb(PlanSettings)
def plan(settings: PlanSettings) -> StudyPlan:
    """How many questions and samples it takes to see a gap between two agents (docs/plan.md).

    Variances come from a pilot, which is whatever `honestly.open` takes, or from the expected score as a guess.

    Raises:
        SettingsError: two settings do not go together, or one is missing.
        StoreError: the pilot cannot be read.
    """
    assert isinstance(settings.samples, tuple)  # since a record of settings makes one of whatever is given
    assert isinstance(settings.gap, tuple)
    if (settings.pilot is None) == (settings.score is None):
        raise SettingsError("give the variances either from --pilot STUDY, or as a guess from --score 0.5")
    if settings.pilot is None and settings.from_health:
        raise SettingsError("--from-health judges the tasks of a pilot; give --pilot STUDY")
    if settings.pilot is None and settings.agents:
        raise SettingsError("--agents are two of the pilot's; give --pilot STUDY")
    if settings.score is None and not (settings.data_share is None and settings.solvable is None):
        raise SettingsError(
            "--data-share and --solvable belong to the guess of --score, not to a pilot; leave them out"
        )
    prices = (
        settings.price_run_a,
        settings.price_run_b,
        settings.price_question,
        settings.most_questions,
        settings.most_samples,
    )
    if settings.budget is None and any(price is not None for price in prices):
        raise SettingsError("prices and limits are for a budget; give --budget")
    if (settings.register is None) != (settings.claim is None):
        raise SettingsError('--register FILE.md and --claim "A>B" belong together; give both')
    if settings.register is not None and len(settings.samples) != 1:
        raise SettingsError("a registration has one number of samples; give --samples once")
    if settings.register is not None and len(settings.gap) > 1:
        raise SettingsError("a registration is planned for one gap; give --gap once")
    suite = load_suite(settings.suite) if settings.suite is not None else None
    suite = without_twins(suite) if suite is not None and settings.stop_early else suite
    basis, worth = _basis(settings)
    questions = settings.questions
    if worth is not None and questions is None and suite is None:
        questions = worth
    found = study_plan(basis, _plan_question(settings, questions, basis, suite))
    if settings.register is not None:
        promise = registration_of_plan(
            found, settings.claim or "", hypothesis=settings.hypothesis, suite=suite, policy=settings.policy
        )
        # Write a new file, never over another one: a plan that exists may be somebody's promise.
        path = Path(settings.register)
        text = registration_markdown(promise)
        if path.exists():
            raise HonestlyError(f"{path} exists; a plan is not overwritten, so give another name or remove it")
        write_file(path, text, new=True)
        settings.say(f"wrote {settings.register}; read it, edit it, then: honestly run ... --plan {settings.register}")
    return found


def _basis(said: PlanSettings) -> tuple[PlanBasis, int | None]:
    """The variances, and, from a pilot's health, how many of its tasks are worth running."""
    if said.pilot is None:
        share, solvable = said.data_share, said.solvable
        guess = prior_basis(
            said.score or 0.0,
            data_share=0.5 if share is None else share,
            solvable=1.0 if solvable is None else solvable,
        )
        return guess, None
    pilot = said.pilot if isinstance(said.pilot, Study) else open(said.pilot)
    with pilot.store() as study:
        if not said.from_health:
            return pilot_basis(study, said.agents or (), said.policy, said.declared), None
        task_health = import_module("honestly.taskgen").task_health  # it stands on this room
        found = task_health(study, said.policy, said.declared)
        said.say(f"{found.sentence} Planned with the {len(found.keep)} that are worth running; not with: "
                 f"{', '.join(map(printable_text_line, found.drop)) or 'none'}")  # fmt: skip
        kept = OnlyTasks(study, frozenset(found.keep))
        return pilot_basis(kept, said.agents or (), said.policy, said.declared), len(found.keep)


def _plan_question(said: PlanSettings, questions: int | None, basis: PlanBasis, suite: Suite | None) -> PlanQuestion:
    assert isinstance(said.samples, tuple)
    assert isinstance(said.gap, tuple)
    if suite is not None:
        standard = sum(task.tags.variant != "impossible" for task in suite.tasks)
        if questions not in {None, standard}:
            raise SettingsError(f"the suite has {standard} questions; leave --questions out, or --suite")
        questions = standard
    return PlanQuestion(
        gaps=tuple(gap / 100 for gap in said.gap),
        samples=tuple(dict.fromkeys(said.samples)),
        questions=questions,
        demands=Demands(said.alpha, said.power, said.comparisons, said.theory),  # type: ignore[arg-type]
        early=said.stop_early,
        budget=_budget(said, basis) if said.budget is not None else None,
    )


def _budget(said: PlanSettings, basis: PlanBasis) -> PlanBudget:
    first = said.price_run_a or basis.prices[0]
    second = said.price_run_b or basis.prices[1] or first
    if first is None or second is None:
        raise SettingsError("give --price-run-a: a budget needs the price of a trial, and no pilot reports one")
    caps = Caps(said.most_questions, said.most_samples or 1000)
    return PlanBudget(said.budget or 0.0, DesignPrices(said.price_question or 0.0, (first, second)), caps)
