"""What a study may spend: read as people write it, counted over all commands, kept for each kind of amount."""

from functools import partial

import anyio
import pytest
from msgspec.structs import replace

from honestly.agents import make_agent
from honestly.errors import AgentError, BudgetError, StoreError, TaskError
from honestly.records import Attempt, Outcome, Trial, Usage
from honestly.runner import (
    Looker,
    Oversight,
    Plan,
    Redo,
    drawn_suite,
    in_hours,
    read_first,
    read_study_budget,
    run_plan,
    spent_on,
    with_tags,
)
from honestly.store import create_study
from honestly.tasks import load_suite
from honestly.work import Budget
from instant import START, Instant, Priced
from shipped import shipped_suite

TASKS = load_suite("embedded", only=["split-bill", "stock-holds", "config-layers"])


def run(plan, study, executor, budget=None, redo=Redo(), **more):
    over = Oversight(read_study_budget(budget) if budget else None, **more)
    return anyio.run(partial(run_plan, plan, study, executor, redo=redo, oversight=over))


@pytest.fixture
def study(tmp_path):
    with create_study(tmp_path / "s.honestly") as made:
        yield made


def test_a_budget_is_read_as_people_write_it():
    assert read_study_budget("200 trials, 2h, 5M tokens, 20 usd") == Budget(
        trials=200, seconds=7200.0, tokens=5_000_000, usd=20.0
    )
    assert read_study_budget("1 Trial, 30 min, 15 s") == Budget(trials=1, seconds=1815.0)
    for wrong in ("", "5", "5 apples", "-1 usd", "3 attempts"):
        with pytest.raises(BudgetError):
            read_study_budget(wrong)


def test_hours_are_those_in_which_a_trial_ran_and_earlier_attempts_count():
    def trial(sample, start, seconds, earlier=(), **usage):
        return Trial(
            id=str(sample), agent="a", task="t", sample=sample, outcome=Outcome.FAILED, earlier=earlier,
            started_at=START.format(start), seconds=seconds, usage=Usage(**usage),
        )  # fmt: skip

    before = Attempt(outcome=Outcome.VOID, started_at=START.format(40), seconds=5.0, usage=Usage(usd=1.0))
    spent = spent_on([trial(0, 0, 10.0, usd=0.5, input_tokens=7), trial(1, 5, 10.0, (before,), output_tokens=3)])
    assert (spent.trials, spent.seconds, spent.tokens, spent.usd) == (2, 20.0, 10, 1.5)
    assert spent_on([]).seconds == 0.0


@pytest.mark.parametrize("began", ["yesterday", "0001-01-01T00:00:00", "9999-12-31T23:59:59-23:59"])
def test_a_time_that_is_none_ends_no_run(began):
    strange = Trial(
        id="0", agent="a", task="t", sample=0, outcome=Outcome.FAILED, started_at=began, seconds=1.0, usage=Usage(usd=2)
    )
    assert spent_on([strange]).usd == 2


@pytest.mark.parametrize(
    ("budget", "trials", "said"),
    [
        ("4 trials", 4, "4 trials have started"),
        ("2.5 usd", 3, "2.5 usd are spent (3.00)"),
        ("2 usd", 2, "2 usd are spent (2.00)"),
        ("250 tokens", 3, "250 tokens are spent (300)"),
        ("1 usd, 100 trials", 1, "1 usd are spent"),
        ("10 trials, 100 usd, 1M tokens, 1h", 9, ""),
    ],
)
def test_no_trial_begins_beyond_the_budget_and_more_goes_on(study, budget, trials, said):
    plan, executor = Plan(TASKS, [Priced()], 3), Instant(Usage(usd=1.0, input_tokens=60, output_tokens=40))
    state = run(plan, study, executor, budget)
    assert (len(executor.began), state.done) == (trials, trials)
    assert said in state.stopped
    assert bool(state.stopped) == bool(said)
    again = run(plan, study, executor, budget)
    assert (len(executor.began), again.stopped) == (trials, state.stopped), "the same budget lets nothing more begin"
    last = run(plan, study, executor)
    assert (len(executor.began), last.done, last.stopped) == (9, 9, "")


def test_another_attempt_is_no_further_trial(study):
    plan = Plan(TASKS, [Priced()], 1)
    run(plan, study, Instant(outcome=Outcome.VOID), "2 trials", Redo(waits_s=(), breaker=0))
    executor = Instant()
    state = run(plan, study, executor, "2 trials", Redo(waits_s=()))
    assert (len(executor.began), state.done, state.redone, state.missing) == (2, 2, 2, 1)
    assert "2 trials have started" in state.stopped


def test_where_nobody_knows_what_a_model_costs_no_budget_of_money_is_kept(study):
    plan, executor = Plan(TASKS, [Priced()], 1), Instant(Usage(input_tokens=5))
    state = run(plan, study, executor, "5 usd")
    assert len(executor.began) == 1
    assert "nobody knows what priced costs" in state.stopped
    assert run(Plan(TASKS, [Priced("free", model="")], 1), study, Instant(), "5 usd").stopped == ""


def test_lookers_are_told_of_all_that_happens(study):
    class Notes(Looker):
        said = []

        def run_began(self, plan, held):
            self.said.append(("run", len(plan.trials), held))

        def began(self, planned):
            self.said.append(("began", planned.sample))

        def ended(self, planned, result):
            self.said.append(("ended", planned.sample, study.trial(planned.id).outcome))

        def run_ended(self, now):
            self.said.append(("over", now.done))

    suite = load_suite("embedded", only=["split-bill"])
    run(Plan(suite, [Priced()], 1), study, Instant(), lookers=[Notes()])
    assert Notes.said == [("run", 1, 0), ("began", 0), ("ended", 0, Outcome.PASSED), ("over", 1)]


def test_what_is_named_first_begins_first_and_the_rest_keeps_its_order(study):
    agents = [Priced("a"), Priced("b")]
    plain = [(each.actor.record.name, each.task.id, each.sample) for each in Plan(TASKS, agents, 2).trials]
    wishes = read_first(["task=stock-holds", "agent=b"], ["a", "b"], [task.id for task in TASKS.tasks])
    executor = Instant()
    run(Plan(TASKS, agents, 2, first=wishes), study, executor)
    assert executor.began == sorted(
        plain, key=lambda each: 0 if each[1] == "stock-holds" else 1 if each[0] == "b" else 2
    )
    assert executor.began != plain


@pytest.mark.parametrize("wrong", ["b", "agent=", "agent=c", "task=b", "tag=b"])
def test_what_cannot_be_first_is_refused(wrong):
    with pytest.raises(AgentError, match="--first"):
        read_first([wrong], ["a", "b"], ["t"])


def test_a_larger_draw_adds_tasks_and_twins_come_with_their_tasks():
    suite = load_suite("embedded")
    few, more = ({task.id for task in drawn_suite(suite, count, seed=3).tasks} for count in (5, 9))
    assert few < more
    assert sum(".impossible" not in name for name in few) == 5
    assert {name.removesuffix(".impossible") for name in few} <= few
    assert {task.id for task in drawn_suite(suite, 5, seed=4).tasks} != few
    assert drawn_suite(suite, 999, seed=3).tasks == suite.tasks


def test_tasks_are_chosen_by_their_tags():
    suite = shipped_suite("embedded")
    found = with_tags(suite, ["category=debug", "difficulty=easy", "difficulty=hard"])
    assert {task.tags.category for task in found.tasks} == {"debug"}
    assert {task.tags.difficulty for task in found.tasks} == {"easy", "hard"}
    assert [task.id for task in found.tasks] == [
        task.id for task in suite.tasks if task.tags.category == "debug" and task.tags.difficulty != "medium"
    ]
    with pytest.raises(TaskError, match=r"there are .*debug"):
        with_tags(suite, ["category=debux"])
    with pytest.raises(TaskError, match="category"):
        with_tags(suite, ["categories=debug"])


def test_times_are_said_as_people_say_them():
    assert [in_hours(each) for each in (0, 59.6, 99, 100, 3599, 3600, 9000, 90000, 176400)] == [
        "0 s", "60 s", "99 s", "2 min", "60 min", "1 h", "2 h 30 min", "1 d 1 h", "2 d 1 h",
    ]  # fmt: skip


def test_a_larger_or_smaller_suite_goes_on_and_a_changed_task_is_refused_with_what_changed(study):
    small, large = load_suite("embedded", only=["split-bill"]), TASKS
    oracle = make_agent("oracle", large)
    run(Plan(small, [oracle], 1), study, Instant())
    assert run(Plan(large, [oracle], 1), study, Instant()).total == 3
    assert study.facts().suite_hash == large.hash
    assert run(Plan(small, [oracle], 2), study, Instant()).total == 2
    assert study.facts().suite_hash == large.hash, "fewer tasks this time are not another suite"
    edited = replace(large, tasks=tuple(replace(task, instruction=task.instruction + "!") for task in large.tasks))
    with pytest.raises(StoreError, match="task split-bill: 2 trials from before its instruction changed"):
        run(Plan(edited, [oracle], 1), study, Instant())
    with pytest.raises(StoreError, match="agent oracle: 4 trials from before its program, version, model changed"):
        run(Plan(large, [Priced("oracle")], 1), study, Instant())
    with pytest.raises(StoreError, match="started with seed"):
        run(Plan(large, [oracle], 1, seed=1), study, Instant())
