"""A run as its settings say it, before its first trial: which tasks, agents and rules; what the study is to hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as replace_record

from honestly.agents import (
    AGENTS,
    WEB_ARMS,
    Actor,
    AgentLimits,
    FunctionAgent,
    arm_named,
    guarded_agent,
    make_agents,
    overlaid_agents,
    under_arms,
)
from honestly.errors import AgentError, PreflightError, SandboxUnavailableError, SettingsError, TaskError
from honestly.models import Model, ModelSource, Prices, default_prices, read_price, read_rate
from honestly.people import USER_ARMS, FactTable, facts_of_suite, model_plays, read_manner, with_users
from honestly.permissions import read_policy
from honestly.plans import read_registration, store_registration
from honestly.records import Suite, Task
from honestly.runner import (
    STALE,
    DryRun,
    Looker,
    Oversight,
    Plan,
    Redo,
    RunLog,
    as_declared,
    drawn_suite,
    dry_run_of,
    read_first,
    read_on,
    read_redo,
    read_study_budget,
    refuse_stale,
    rule_until,
    stale_results,
    with_tags,
)
from honestly.sandbox import check_provider, open_sandbox
from honestly.show import plural_text, printable_text_line
from honestly.store import Store, StudyAddress, open_or_create, open_study, study_path, unfinished_folder
from honestly.studies._aside import set_stale_aside
from honestly.studies._match import limits_of
from honestly.studies._run_settings import RunSettings
from honestly.studies._runs import new_run_path
from honestly.tasks import LeftOut, clusters_of, load_suite, prepare_suite, runnable_tasks, validity_words
from honestly.verify import OpenBox, buildable_tasks

if TYPE_CHECKING:
    from honestly.runner import Executor
    from honestly.stats import StoppingRule

Tell = Callable[[str], object]

_ON_TOP = {"memory": "honestly.memory.learning", "otel": "honestly.integrations.otel", "validity": "honestly.taskgen"}
"""What stands on this room, and is loaded by name where a setting asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How a plan is carried out."""

    jobs: int | None = None
    """Trials at a time; if nobody says, a little more than there are cores, or more if every agent calls a model."""
    unsafe: bool = False
    """Without isolation: recorded in the study, and shown in its reports."""
    sandbox: str = ""
    """Who opens the sandboxes, as `run --sandbox` names it; this machine's namespaces, if nobody says."""
    on: str = ""
    """Where trials run, as `run --on` names it: this machine, if nobody says."""
    unfinished: Path | None = None
    """Folder for the steps of trials in flight."""
    preflight: bool = False
    """Whether to look first at what trials need: one question to each model."""
    executor: Executor | None = None
    """What runs trials, in place of what all this says."""

    @property
    def open_box(self) -> OpenBox:
        """What opens its sandboxes."""
        return partial(open_sandbox, unsafe=self.unsafe, provider=self.sandbox)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRun:
    """A prepared run."""

    settings: RunSettings
    out: Path
    plan: Plan
    rule: StoppingRule | None
    redo: Redo
    registration: str
    """The document of the pre-registration that the run keeps to; empty for none."""
    clustered: str
    """Why tasks are taken together, where the run may stop early."""

    def oversight(self) -> Oversight:
        """What looks on while it goes."""
        said = self.settings
        lookers: list[Looker] = [RunLog(Path(said.log))] if said.log is not None else []
        if said.otel:
            otel = import_module(_ON_TOP["otel"])
            lookers.append(otel.Spans(otel.span_exporter()))
        return Oversight(read_study_budget(said.budget) if said.budget is not None else None, lookers)

    def dry_run(self) -> DryRun:
        """What would run, and what it would cost; nothing is written.

        Raises:
            StoreError: the study cannot be read, or is another one's.
        """
        if not self.out.exists():
            return dry_run_of(self.plan, None, self.redo)
        with open_study(self.out) as study:
            return dry_run_of(self.plan, study, self.redo)

    @contextmanager
    def opened(self) -> Iterator[Store]:
        """The study, open for writing; a new one that got no trial, since what it needs is not there, is removed.

        Raises:
            StoreError: it cannot be opened or made.
        """
        new = not self.out.exists()
        if not self.settings.out:
            self.out.parent.mkdir(parents=True, exist_ok=True)
        with open_or_create(self.out) as study:
            try:
                yield study
                return
            except PreflightError as error:
                refused: Exception = error
            except SandboxUnavailableError as error:
                refused = error
            empty = new and not study.cells() and not isinstance(self.out, StudyAddress)
        if empty:
            self.out.unlink()
            with suppress(OSError):  # others' studies are there
                self.out.parent.rmdir() if not self.settings.out else None
        raise refused

    def settle_stale(self) -> None:
        """Sets results of changed tasks and agents aside where that is wanted.

        Raises:
            StoreError: there are some, and it is not; or the study cannot be read.
        """
        if not self.out.exists():
            return
        with open_study(self.out) as study:
            stale = stale_results(self.plan, study)
            known = {task.id for task in study.tasks()}
        if STALE not in self.settings.redo and any(each.trials for each in stale):
            refuse_stale(stale)
        tell = self.settings.tell
        if stale:
            tell(f"{self.out} as it was is {set_stale_aside(self.out, stale)} now; these of its results count no more:")
            for each in stale:
                tell(f"  {printable_text_line(str(each))}")
        new = [task.id for task in self.plan.suite.tasks if task.id not in known] if known else []
        new = [name for name in new if name not in {each.name for each in stale}]
        if new:
            named = ", ".join(map(printable_text_line, new[:5]))
            tell(f"new to the study: {plural_text(len(new), 'task')}: {named}{', …' if new[5:] else ''}")

    def begin(self, study: Store) -> tuple[Plan, StoppingRule | None, Execution]:
        """Writes into a study what was promised of the run; the plan, the rule and the way in which it is carried out.

        Raises:
            StoreError: the study was promised something else.
        """
        said, plan, rule = self.settings, self.plan, self.rule
        if self.registration:
            store_registration(study, self.registration)
        if said.strict:
            study.set_facts(replace_record(study.facts(), strict=True))
        if said.until and rule is not None:
            rule = as_declared(rule, study)
            plan = plan if rule.clusters else replace(plan, clusters=None)
            if rule.clusters:
                said.tell(f"{self.clustered}: --until takes each cluster as one bet")
        how = Execution(
            jobs=said.jobs,
            unsafe=said.unsafe,
            sandbox=said.sandbox,
            on=said.on,
            unfinished=unfinished_folder(self.out),
            preflight=said.preflight,
        )
        if said.memory:
            learning = import_module(_ON_TOP["memory"])
            learning.restore_design(plan, study)
            executor = learning.LearningExecutor(plan, how.open_box, how.jobs, how.unfinished, how.sandbox)
            how = replace(how, executor=executor)
        return plan, rule, how


async def prepare_run(settings: RunSettings, *, dry: bool = False) -> PreparedRun:
    """Prepares a run; builds the images of its tasks, unless it is a dry run.

    Raises:
        HonestlyError: an agent, a suite or a setting cannot be used; the message says why.
    """
    said, tell = settings, settings.tell
    _demand_sense(said)
    if said.sandbox:
        check_provider(said.sandbox)
    document, promised = read_registration(Path(said.plan)) if said.plan is not None else ("", None)
    early = bool(said.until) or (promised is not None and promised.stops_early)
    asked = with_tags(_suite(said), said.tags)
    if said.draw is not None:
        there = sum(not task.tags.twin for task in asked.tasks)
        if said.draw > there:
            tell(f"note: --draw {said.draw} takes every task; tasks to draw from: {there}")
        asked = drawn_suite(asked, said.draw, said.seed)
        if twins := sum(bool(task.tags.twin) for task in asked.tasks):
            tell(f"note: the impossible twins of the drawn tasks run, too: {plural_text(twins, 'task')}")
    validity: dict[str, str] = {}
    if isinstance(said.suite, str):
        validity = import_module(_ON_TOP["validity"]).Records(said.suite, asked.name).verdicts_by_task(asked)
    loaded, left_out = await on_this_machine(asked, tell, unsafe=said.unsafe)
    loaded = without_twins(loaded) if early else loaded
    loaded, tables = _with_facts(said, loaded)
    actors = actors_of(said, loaded, tables)
    if not dry:
        loaded, unbuilt = await buildable_suite(loaded, tell)
        left_out = (*left_out, *unbuilt)
    plan = Plan(loaded, actors, said.samples, said.seed, early, left_out=left_out, validity=validity)
    plan = _with_memory(plan, said)
    if validity:
        tell(validity_words(validity, len(loaded.tasks)))
    clustered, rule = "", None
    if said.until:
        together, clustered = clusters_of({task.id: task.tags for task in loaded.tasks})
        plan = replace(plan, clusters=together)
        rule = rule_until(said.until, plan, 0.05 if said.alpha is None else said.alpha)
    if promised is not None:
        promised.check_plan(plan)
        rule = promised.rule if early else None
    ids = [task.id for task in loaded.tasks]
    redo = replace(read_redo(said.redo, said.attempts, plan.names, ids), breaker=said.breaker)
    plan = replace(plan, first=read_first(said.first, plan.names, ids))
    if said.budget is not None:
        read_study_budget(said.budget)
    out = study_path(said.out or new_run_path(loaded.name))
    return PreparedRun(
        settings=said, out=out, plan=plan, rule=rule, redo=redo, registration=document, clustered=clustered
    )


def _demand_sense(said: RunSettings) -> None:
    """Refuses settings that do not go together.

    Raises:
        SettingsError: with what to leave out.
    """
    ordered = bool(said.until or said.plan is not None or said.first)
    workers = read_on(said.on) is not None
    if said.log is not None and said.out and os.path.realpath(said.log) == os.path.realpath(said.out):
        raise SettingsError("--log would write into the study itself; give it another file")
    if said.alpha is not None and not said.until:
        raise SettingsError("--alpha is the level of --until, which is not given; give --until, or leave --alpha out")
    if said.until and said.plan is not None:
        raise SettingsError("--plan says itself whether the run may stop early; leave --until out")
    if said.first and (said.until or said.plan is not None):
        raise SettingsError("with --until or --plan the order of the questions is declared; leave --first out")
    if said.rate and workers:
        raise SettingsError("--rate holds for the models that this process asks, not for workers: leave --on out")
    if not said.memory:
        if said.memory_holdout or said.memory_families:
            raise SettingsError(
                "--memory-holdout and --memory-families go with --memory, which is not given; "
                "give --memory, or leave them out"
            )
        return
    if ordered or said.arms or said.overlays or said.checkpoint:
        raise SettingsError(
            "with --memory the order of trials is that of the lessons, and agents have no other conditions: leave "
            "--until, --plan, --first, --arm, --overlay and --checkpoint out"
        )
    if said.redo:
        raise SettingsError(
            "a trial that is done again would take its lesson out of the study, and come after later ones: leave "
            "--redo out, and give the run a new file with --out"
        )
    if said.on:
        raise SettingsError("agents that learn do so here, one trial after the other: leave --on out")
    if said.unsafe and any(each.startswith("skills") or "of=skills" in each for each in said.memory):
        raise SettingsError("skills are programs that nobody has read: they need the sandbox")


def _suite(said: RunSettings) -> Suite:
    given = said.suite
    if isinstance(given, str | os.PathLike):
        return load_suite(given, only=said.tasks, visible_tests=said.visible_tests)
    several = (given,) if isinstance(given, Task) else given
    suite = several if isinstance(several, Suite) else Suite(name="tasks", version="", tasks=tuple(several))
    if said.visible_tests:
        raise SettingsError("--visible-tests is for suites that are loaded by name; these tasks are loaded already")
    if unknown := set(said.tasks) - {task.id for task in suite.tasks}:
        raise TaskError(f"{suite.name} has no task {printable_text_line(min(unknown))}")
    return replace_record(suite, tasks=tuple(task for task in suite.tasks if not said.tasks or task.id in said.tasks))


def _with_memory(plan: Plan, said: RunSettings) -> Plan:
    """The plan with each agent once more for each memory, if there is any."""
    if not said.memory:
        return plan
    learning = import_module(_ON_TOP["memory"])
    specs = learning.specs_of(said.memory)
    design = learning.design_of(plan.suite, said.memory_holdout, said.memory_families, plan.seed, plan.samples)
    for spec in specs:
        if spec.begun:
            learning.demand_untaught(spec.begun, design, plan.suite)
    given: dict[str, Any] = {each.name: getattr(plan, each.name) for each in fields(plan)}
    given["actors"] = learning.with_memory(plan.actors, specs)
    with_it: Plan = learning.MemoryPlan(**given, design=design)
    return with_it


def fitting_tasks(suite: Suite) -> tuple[Suite, tuple[LeftOut, ...]]:
    """The suite without tasks whose programs are missing here, and these tasks.

    Raises:
        TaskError: nothing is left.
    """
    kept, left_out = runnable_tasks(suite)
    if not kept.tasks:
        missing = f": {'; '.join(map(str, left_out))}" if left_out else ""
        raise TaskError(f"no task is left to run; install what is missing, or choose other tasks{missing}")
    return kept, left_out


async def on_this_machine(suite: Suite, tell: Tell, *, unsafe: bool = False) -> tuple[Suite, tuple[LeftOut, ...]]:
    """The suite without tasks whose programs are missing here; reports each of them.

    What its tasks declare to be installed and set up is, before anything is run.

    Raises:
        TaskError: nothing is left, or a task cannot be set up.
    """
    kept, left_out = fitting_tasks(suite)
    name_left_out(left_out, tell)
    return await prepare_suite(kept, unsafe=unsafe), left_out


async def buildable_suite(suite: Suite, tell: Tell) -> tuple[Suite, tuple[LeftOut, ...]]:
    """The suite without tasks whose image cannot be built or used; reports each of them.

    The images of the others are there from now on.

    Raises:
        TaskError: nothing is left.
    """
    kept, left_out = await buildable_tasks(suite, tell)
    name_left_out(left_out, tell)
    return kept, left_out


def name_left_out(left_out: Sequence[LeftOut], tell: Tell) -> None:
    """Reports which tasks cannot run, and why."""
    if left_out:
        tell(
            f"left out, because they cannot run here: {'; '.join(printable_text_line(str(each)) for each in left_out)}"
        )


def without_twins(suite: Suite) -> Suite:
    """The suite less its impossible twins, on which there is no score to compare."""
    return replace_record(suite, tasks=tuple(task for task in suite.tasks if task.tags.variant != "impossible"))


def _with_facts(said: RunSettings, suite: Suite) -> tuple[Suite, dict[str, FactTable]]:
    """The tasks with a table of facts, and the tables, where an arm has a user; else all tasks.

    Raises:
        SettingsError: no task has one.
    """
    if not _user_arms(said):
        if said.user:
            raise SettingsError("--user is for the arms interact and session; add --arm")
        return suite, {}
    tables = facts_of_suite(said.suite, suite) if isinstance(said.suite, str) else {}
    if not tables:
        raise SettingsError(f"{suite.name} has no task with facts (facts.toml); arms with a user need them")
    kept = replace_record(suite, tasks=tuple(task for task in suite.tasks if task.id in tables))
    if absent := len(suite.tasks) - len(kept.tasks):
        said.tell(
            f"{absent} of {len(suite.tasks)} tasks have no table of facts (facts.toml), and are left out of all arms"
        )
    return kept, tables


def _user_arms(said: RunSettings) -> list[str]:
    return [name for typed in said.arms for name in typed.split(",") if name in USER_ARMS]


def actors_of(said: RunSettings, suite: Suite, tables: Mapping[str, FactTable] | None = None) -> list[Actor]:
    """The agents of a run under every arm, with retries and rate limits for models.

    Args:
        said: how to run.
        suite: what they will be tried on.
        tables: the facts of its tasks, where an arm has a user.

    Raises:
        AgentError: one cannot be made, or what is said does not go together.
    """
    assert isinstance(said.agents, tuple)  # since a record of settings makes one of whatever is given
    assert isinstance(said.models, tuple)
    specs = [each for each in said.agents if isinstance(each, str)]
    limits = limits_of(said, suite)
    own = (AGENTS.parse(spec).settings.get("model") for spec in specs)
    named = [each for each in said.models if isinstance(each, str)]
    models = list(dict.fromkeys(filter(None, (*named, *own))))
    if not (models or said.models) and limits != AgentLimits():
        raise AgentError("a budget is for agents that work with a model; add --model, or leave the budget out")
    source = ModelSource(_model_prices(said.prices, models), read_rate(said.rate) if said.rate else None)
    answering: list[Model] = [source(each) for each in said.models]
    actors = make_agents(specs, suite, answering, limits, source) if specs else []
    for spec in specs:
        if AGENTS.parse(spec).name == "cli" and "{instruction" not in spec:
            said.tell(
                f"agent {printable_text_line(spec)!r} does not see its task: its command line has neither "
                "{instruction} nor {instruction_file}"
            )
    actors += [FunctionAgent.of(each) for each in said.agents if not isinstance(each, str)]
    if said.guard is not None:
        policy = read_policy(Path(said.guard))
        actors = [guarded_agent(actor, policy) for actor in actors]
    assert isinstance(said.overlays, tuple)
    actors = overlaid_agents(actors, said.overlays, suite.tasks)
    users = _user_arms(said)
    arms = [arm_named(name) for typed in said.arms for name in typed.split(",") if name not in users]
    on_sites = [arm.name for arm in arms if arm.name in WEB_ARMS]
    elsewhere = [task.id for task in suite.tasks if not task.site]
    if on_sites and elsewhere:
        raise AgentError(
            f"the arms {', '.join(on_sites)} are for tasks that play on a web site, and {elsewhere[0]!r} does not"
            f"{f' (nor do {len(elsewhere) - 1} more)' if elsewhere[1:] else ''}; choose tasks with --task"
        )
    if not users:
        return under_arms(actors, arms, said.checkpoint)
    if said.checkpoint or arms:
        raise SettingsError("arms with a user go with no other arm and no --checkpoint; use a second run for those")
    manner, player = read_manner(said.user)
    make_user = model_plays(source(player)) if player else None
    return with_users(actors, users, tables or {}, manner, make_user, player or "rule")


def _model_prices(typed: Sequence[str], models: Sequence[str]) -> Prices | None:
    """The prices of the models of a run, where somebody gave any."""
    given = [read_price(text) for text in typed]
    bare = [price for price in given if not price.model]
    if bare and (len(given) > 1 or len(models) != 1):
        raise AgentError(
            f"--price {typed[given.index(bare[0])]!r} does not say of which of {len(models)} models "
            "(--model, or model= of an agent); expected one model, or NAME=IN/OUT for each"
        )
    if not given:
        return None
    return Prices(given, bare[0]) if bare else Prices(given).over(default_prices())
