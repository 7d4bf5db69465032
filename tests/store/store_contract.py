"""What every store must do, whatever keeps its data.

A test module of a store subclasses `StoreContract` and gives it a `fresh` fixture: a function that makes an empty store
open for writing, and one that opens the same again for reading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Protocol

import msgspec
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from honestly.errors import StoreError
from honestly.records import (
    Agent,
    Attempt,
    Conditions,
    DeclaredRule,
    Defect,
    Isolation,
    Observation,
    Outcome,
    Step,
    Task,
    ToolCall,
    Trajectory,
    Trial,
    decode,
)
from honestly.store import Store, TrajectoryInfo
from sampled import sampled


class Fresh(Protocol):
    """A place for one study."""

    def create(self) -> Store:
        """An empty store, open for writing."""
        ...

    def reopen(self) -> Store:
        """The same store, open for reading, while or after it is written."""
        ...


class StoreContract:
    """Tests of any store."""

    @pytest.fixture
    def store(self, fresh: Fresh, make):
        """A store with agents and tasks, and no trial."""
        store = fresh.create()
        store.add([*make.agents, *make.tasks])
        yield store
        store.close()

    def test_what_was_added_comes_back(self, store, make, fresh):
        trials = [make.trial(a, t, s) for a in range(3) for t in range(4) for s in range(5)]
        for trial in reversed(trials):
            store.add_trial(trial, make.trajectory(trial.sample), {"agent.log": trial.id.encode()})
        store.close()
        again = fresh.reopen()
        assert tuple(again.agents()) == make.agents
        assert tuple(again.tasks()) == make.tasks
        assert again.task("task-2") == make.tasks[2]
        assert list(again.trials()) == sorted(trials, key=lambda t: (t.agent, t.task, t.sample))
        assert again.trial_ids() == {trial.id for trial in trials}
        for trial in trials:
            assert again.trial(trial.id) == trial
            assert again.trajectory(trial.id) == make.trajectory(trial.sample)
            assert again.artifact(trial.id, "agent.log") == trial.id.encode()
        again.close()

    def test_a_trial_done_again_keeps_its_id_and_every_earlier_attempt(self, store, make, fresh):
        other, first = make.trial(1, 1, 0), make.trial(1, 0, 3, outcome=Outcome.VOID, reason="ModelError: 1")
        second = replace(first, reason="ModelError: 2", seconds=2.5)
        third = replace(first, outcome=Outcome.PASSED, reason="", usage=replace(first.usage, usd=0.5))
        store.add_trial(first, make.trajectory(1), {"log": b"one"})
        store.add_trial(other)
        store.add([make.finding(first), make.finding(other), make.review(first)])
        store.redo_trial(second, make.trajectory(2), {"log": b"two", "earlier/9/log": b"its own"})
        store.redo_trial(third, make.trajectory(3), {"log": b"three"}, [make.finding(third, "again")])
        store.close()
        again = fresh.reopen()
        found = again.trial(first.id)
        attempts = (
            Attempt(outcome=Outcome.VOID, reason="ModelError: 1", seconds=1.5, usage=first.usage),
            Attempt(outcome=Outcome.VOID, reason="ModelError: 2", seconds=2.5, usage=first.usage),
        )
        assert found == replace(third, earlier=attempts)
        assert {cell.id: cell.earlier for cell in again.cells()} == {first.id: attempts, other.id: ()}
        assert again.trajectory(first.id) == make.trajectory(3)
        names = ["earlier/1/findings.jsonl", "earlier/1/log", "earlier/1/reviews.jsonl", "earlier/1/trajectory.jsonl"]
        names += ["earlier/2/log", "earlier/2/own/earlier/9/log", "earlier/2/trajectory.jsonl", "log"]
        assert list(again.artifacts(first.id)) == names
        assert [again.artifact(first.id, name) for name in names if name.endswith("log")] == [
            b"one", b"two", b"its own", b"three",
        ]  # fmt: skip
        steps = again.artifact(first.id, "earlier/1/trajectory.jsonl").splitlines()
        assert [decode(step, Step) for step in steps] == list(make.trajectory(1).steps)
        assert list(again.findings(first.id)) == [make.finding(third, "again")]
        assert list(again.reviews()) == []
        assert list(again.findings(other.id)) == [make.finding(other)]
        again.close()

    def test_a_trial_that_cannot_be_done_again_leaves_all_as_it_was(self, store, make):
        held = make.trial(0, 0, 0, outcome=Outcome.VOID)
        store.add_trial(held, make.trajectory(1), {"log": b"one"})
        store.add([make.finding(held)])
        with pytest.raises(StoreError, match="does not contain it"):
            store.redo_trial(make.trial(0, 0, 1))
        with pytest.raises(StoreError, match="an attempt at another"):
            store.redo_trial(replace(held, sample=1))

        def torn():
            yield b"some"
            raise OSError("the source is gone")

        with pytest.raises(OSError, match="gone"):
            store.redo_trial(replace(held, outcome=Outcome.PASSED), make.trajectory(2), {"log": torn()})
        assert store.trial(held.id) == held
        assert store.trajectory(held.id) == make.trajectory(1)
        assert store.artifacts(held.id) == {"log": 3}
        assert list(store.findings()) == [make.finding(held)]

    def test_trials_of_one_agent_or_task(self, store, make):
        trials = [make.trial(a, t, s) for a in range(3) for t in range(4) for s in range(2)]
        store.add((trial, None, {}) for trial in trials)
        assert list(store.trials(agent="agent-1")) == [t for t in trials if t.agent == "agent-1"]
        assert list(store.trials(task="task-3")) == [t for t in trials if t.task == "task-3"]
        assert list(store.trials("agent-2", "task-0")) == trials[16:18]
        assert list(store.trials(agent="nobody")) == []

    @pytest.mark.slow
    def test_iteration_covers_more_than_one_page(self, store, make):
        trials = [make.trial(0, 0, s) for s in range(700)]
        assert store.add((trial, None, {}) for trial in trials) == 700
        assert list(store.trials()) == trials
        assert [cell.sample for cell in store.cells()] == list(range(700))
        store.add(make.finding(trial) for trial in trials)
        assert [f.trial for f in store.findings()] == [t.id for t in trials]

    def test_cells_say_what_statistics_need(self, store, make):
        trials = [make.trial(a, t, s) for a in range(2) for t in range(2) for s in range(4)]
        store.add((trial, None, {}) for trial in trials)
        for trial, cell in zip(trials, store.cells(), strict=True):
            verdict = trial.verdict
            assert cell[:6] == (trial.id, trial.agent, trial.task, trial.sample, trial.outcome, trial.reason)
            assert cell.visible == (None if verdict.visible is None else verdict.visible.passed)
            assert cell.hidden == (None if verdict.hidden is None else verdict.hidden.passed)
            assert cell.tampered is bool(verdict.tampered)
            assert cell.usd == trial.usage.usd

    def test_the_tally_counts_what_the_cells_say(self, store, make):
        store.add((make.trial(a, t, s), None, {}) for a in range(2) for t in range(2) for s in range(4))
        assert store.tally() == Counter(cell.outcome for cell in store.cells())

    def test_how_trials_ended_is_counted_by_agent_and_reason(self, store, make):
        store.add((make.trial(a, t, s), None, {}) for a in range(2) for t in range(2) for s in range(4))
        cells, ended = store.cells(), store.ended()
        assert ended.tasks == len(list(store.tasks()))
        keys = Counter((each.outcome, each.agent, each.reason * (each.outcome is Outcome.VOID)) for each in cells)
        assert {(each.outcome, each.agent, each.reason): each.trials for each in ended.counts} == keys
        spent = sum(each.usd or 0.0 for each in cells)
        assert sum(each.usd or 0.0 for each in ended.counts) == pytest.approx(spent)

    def test_facts_come_back_and_can_be_replaced(self, store, fresh):
        before = store.facts()
        assert (before.suite, before.sandbox, before.stopping_rule) == (None, None, UNSET), "nothing is filled in"
        rule = DeclaredRule(first="a", second="b", method="win-loss", questions=9, looks=())
        facts = replace(before, suite="é", seed=0, samples=2, stopping_rule=rule, left_out={"t": ("gcc",)})
        facts = facts.after(Isolation(kind="none", layers=()), Conditions(program="1"))
        store.set_facts(facts)
        assert fresh.reopen().facts() == facts
        store.set_facts(replace(before, stopping_rule=None))
        assert store.facts() == replace(before, stopping_rule=None), "that there is no rule is known"

    def test_rooms_keep_records_under_names_of_their_own(self, store, make):
        facts = store.facts()
        store.keep("queue_1", make.defect(1))
        store.keep("queue_2", make.defect(2))
        store.keep("queue", "2")
        store.keep("queue_2", make.defect(3))
        assert store.kept("queue", str) == "2"
        assert store.kept("queue_2", Defect) == make.defect(3)
        assert store.kept("queue_3", Defect) is None
        assert store.all_kept(Defect, "queue_") == {"queue_1": make.defect(1), "queue_2": make.defect(3)}
        assert sorted(store.all_kept(object)) == ["queue", "queue_1", "queue_2"]
        assert store.facts() == facts
        with pytest.raises(StoreError, match=r"'queue_1' is no int"):
            store.kept("queue_1", int)
        with pytest.raises(StoreError, match="name of a fact"):
            store.keep("seed", 3)

    def test_what_stood_around_the_trials_is_counted(self, store, make):
        bare, known = Isolation(kind="none", layers=()), Isolation(kind="namespaces", layers=("seccomp",), cpu_s=6)
        walls = [known, bare, Isolation(), known, Isolation()]
        store.add((make.trial(0, 0, i, isolation=each), None, {}) for i, each in enumerate(walls))
        assert store.isolations() == {known: 2, bare: 1, Isolation(): 2}

    def test_adding_again_changes_nothing(self, store, make):
        trial = make.trial()
        store.add_trial(trial)
        notes = [make.finding(trial), make.review(trial), make.defect()]
        assert store.add(notes) == 3
        assert store.add([*make.agents, *make.tasks, *notes]) == 0
        assert (list(store.findings()), list(store.reviews()), list(store.defects())) == tuple([n] for n in notes)

    def test_a_trial_is_added_once(self, store, make):
        store.add_trial(make.trial(), make.trajectory())
        with pytest.raises(StoreError, match="not new"):
            store.add_trial(make.trial())
        with pytest.raises(StoreError, match="sample 0 of its cell"):
            store.add_trial(make.trial(id="another"))
        assert list(store.trials()) == [make.trial()]

    def test_names_belong_to_one_content(self, store, make):
        with pytest.raises(StoreError, match="agent-0"):
            store.add([Agent(name="agent-0", program="another")])
        with pytest.raises(StoreError, match="task-0"):
            store.add([Task(id="task-0", instruction="another")])
        assert tuple(store.agents()) == make.agents

    def test_unknown_agents_tasks_and_trials_are_refused(self, store, make):
        stranger = Trial(id="x", agent="stranger", task="task-0", sample=0, outcome=Outcome.PASSED)
        elsewhere = Trial(id="y", agent="agent-0", task="elsewhere", sample=0, outcome=Outcome.PASSED)
        with pytest.raises(StoreError, match="agents"):
            store.add_trial(stranger)
        with pytest.raises(StoreError, match="tasks"):
            store.add_trial(elsewhere)
        with pytest.raises(StoreError, match="no trial"):
            store.add([make.finding(make.trial())])
        for ask in (store.trial, store.trajectory, store.trajectory_info, store.artifacts, store.steps):
            with pytest.raises(StoreError, match="no trial"):
                ask("0" * 32)
        with pytest.raises(StoreError, match="no task"):
            store.task("task-9")

    def test_a_failing_trial_leaves_nothing(self, store, make):
        def steps():
            yield from (make.step(n, 400_000) for n in range(20))
            raise RuntimeError("the agent's process died")

        with pytest.raises(RuntimeError, match="died"):
            store.add_trial(make.trial(), steps(), {"log": b"x"})
        assert store.trial_ids() == frozenset()
        store.add_trial(make.trial(), make.trajectory(), {"log": b"y"})
        assert store.artifact(make.trial().id, "log") == b"y"

    def test_a_failing_batch_keeps_what_was_committed(self, store, make):
        trials = [make.trial(0, 0, s) for s in range(10)]
        items = [(trial, None, {}) for trial in (*trials, trials[0])]
        with pytest.raises(StoreError, match="not new"):
            store.add(items, every=4)
        assert list(store.trials()) == trials[:8]

    @pytest.mark.parametrize("size", sampled([10, 1_200_000, 300_000, 1_048_400, 3_500_000], quick=2))
    def test_any_window_of_a_trajectory(self, store, make, size):
        trial, steps = make.trial(), make.trajectory(6, size).steps
        store.add_trial(trial, iter(steps))
        info = store.trajectory_info(trial.id)
        assert (info.steps, info.stop) == (6, "")
        assert info.size > 6 * size
        for start in range(8):
            for stop in (*range(8), None):
                assert tuple(store.steps(trial.id, start, stop)) == steps[start:stop]

    def test_steps_of_very_different_sizes(self, store, make):
        trial = make.trial()
        steps = tuple(make.step(n, size) for n, size in enumerate([5, 2_500_000, 5, 1 << 20, 1 << 20, 7, 900_000]))
        store.add_trial(trial, Trajectory(steps=steps, stop="done"))
        assert store.trajectory(trial.id) == Trajectory(steps=steps, stop="done")
        for start in range(7):
            assert tuple(store.steps(trial.id, start, start + 1)) == steps[start : start + 1]

    def test_a_text_is_found_wherever_a_step_holds_it(self, store, make):
        call = ToolCall(id="c", name="Needle", arguments={"cmd": msgspec.Raw(b'["git", "NEEDLE\\u0021"]')})
        step = Step(
            source="agent",
            message="a needle, a NeedlE",
            reasoning='say "needle!"\n',
            calls=(call,),
            observations=(Observation(text="n\nneedle\n", call_id="c"), Observation(text="é needle!")),
        )
        trials = [make.trial(sample=n) for n in range(3)]
        store.add((trial, [make.step(0), step, make.step(2)], {}) for trial in trials)
        found = store.find("needle", {trials[1].id})
        assert [(hit.trial, hit.step, hit.where, hit.start, hit.end, hit.times) for hit in found.hits] == [
            (trials[1].id, 1, "call:c", 4, 10, 1),
            (trials[1].id, 1, "observation:c", 2, 8, 1),
            (trials[1].id, 1, "observation:1", 2, 8, 1),
            (trials[1].id, 1, "message", 2, 8, 2),
            (trials[1].id, 1, "reasoning", 5, 11, 1),
        ]
        assert found.hits[-1][-3:] == ('say "', "needle", '!"\n')
        assert (found.trials, found.rest) == (1, None)
        for text, where in {
            "git needle!": "call:c", "É NEEDLE": "observation:1", '"Needle!"\n': "reasoning", "n\nneedle\n": "observation:c"
        }.items():  # fmt: skip
            assert {hit.where for hit in store.find(text).hits} == {where}
        assert not store.find("needles").hits
        for wrong in ("", "x" * 2000, "\udcff"):
            with pytest.raises(StoreError, match="cannot look for"):
                store.find(wrong)

    @pytest.mark.parametrize(
        "sizes", sampled([[9] * 30, [400_000] * 9, [9, 2_500_000, 9, 1 << 20, (1 << 20) - 200, 9, 9]])
    )
    def test_a_search_goes_on_where_it_stopped(self, store, make, sizes):
        trials = [make.trial(sample=n) for n in range(4)]
        store.add((trial, [make.step(n, size) for n, size in enumerate(sizes)], {}) for trial in reversed(trials))
        every = [(trial.id, step) for trial in reversed(trials) for step in range(len(sizes))]
        assert [hit[:2] for hit in store.find("STEP ", most=10**6).hits] == every
        for bounds in ({"most": 1}, {"most": 5}, {"most": 10**6, "size": 1}, {"most": 10**6, "size": 3_000_000}):
            found, after, parts, size = [], None, 0, 0
            while parts == 0 or after is not None:
                part = store.find("step ", after=after, **bounds)
                found, after, parts, size = [*found, *part.hits], part.rest, parts + 1, size + part.searched
            assert [hit[:2] for hit in found] == every
            assert size >= sum(sizes)
            assert parts > 1 or "size" in bounds

    def test_no_trajectory_is_not_an_empty_one(self, store, make):
        store.add_trial(make.trial(sample=0))
        store.add_trial(make.trial(sample=1), Trajectory(stop="refused"))
        assert store.trajectory(make.trial(sample=0).id) is None
        assert store.trajectory_info(make.trial(sample=0).id) is None
        assert list(store.steps(make.trial(sample=0).id)) == []
        assert store.trajectory(make.trial(sample=1).id) == Trajectory(stop="refused")
        assert store.trajectory_info(make.trial(sample=1).id) == TrajectoryInfo(0, 0, "refused")

    def test_artifacts_of_any_size_and_shape(self, store, make):
        trial, big = make.trial(), bytes(range(256)) * 12_345
        pieces = (big[at : at + 7777] for at in range(0, len(big), 7777))
        store.add_trial(trial, None, {"empty": b"", "big": big, "pieces": pieces, "exact": big[: 1 << 20]})
        assert store.artifacts(trial.id) == {"big": len(big), "empty": 0, "exact": 1 << 20, "pieces": len(big)}
        assert store.artifact(trial.id, "big") == store.artifact(trial.id, "pieces") == big
        assert store.artifact(trial.id, "exact") == big[: 1 << 20]
        assert store.artifact(trial.id, "empty") == b""
        assert max(map(len, store.artifact_pieces(trial.id, "big"))) <= 1 << 20
        with pytest.raises(StoreError, match="no artifact"):
            store.artifact(trial.id, "other")

    def test_text_that_is_not_unicode_is_refused_with_advice(self, store, make):
        with pytest.raises(StoreError, match="errors='replace'"):
            store.add_trial(make.trial(), [Step(source="user", message="\ud800")])
        with pytest.raises(StoreError, match="errors='replace'"):
            store.add_trial(make.trial(reason="\ud800"))
        assert store.trial_ids() == frozenset()

    def test_arguments_of_calls_are_kept_as_they_were_sent(self, store, make):
        sent = ToolCall(id="1", name="edit", arguments={"x": msgspec.Raw(b'{\n  "a": [1,\r\n 2.50]\n}')})
        step = Step(source="agent", calls=(sent,))
        store.add_trial(make.trial(), [step, make.step(1)])
        assert list(store.steps(make.trial().id)) == [step, make.step(1)]
        assert list(store.steps(make.trial().id, 1)) == [make.step(1)]
        for raw in (b"", b"{", b'{"a": 1}\x1e{}', b"[" * 100_000):
            bad = ToolCall(id="1", name="edit", arguments={"x": msgspec.Raw(raw)})
            with pytest.raises(StoreError, match="not JSON"):
                store.add_trial(make.trial(sample=1), [Step(source="agent", calls=(bad,))])

    def test_only_records_are_added(self, store):
        with pytest.raises(StoreError, match="not str"):
            store.add(["trial"])

    def test_notes_come_back_for_one_trial(self, store, make):
        first, second = make.trial(sample=0), make.trial(sample=1)
        store.add([(first, None, {}), (second, None, {})])
        store.add([make.finding(second), make.finding(first), make.review(second), make.finding(second, "tamper")])
        assert list(store.findings(second.id)) == [make.finding(second), make.finding(second, "tamper")]
        assert list(store.findings(first.id)) == [make.finding(first)]
        assert store.flags() == {first.id: 1, second.id: 2}
        store.add([replace(make.finding(first, "quiet"), state="clean")])
        assert store.flags() == {first.id: 1, second.id: 2}
        assert list(store.reviews(first.id)) == []
        assert list(store.reviews(second.id)) == [make.review(second)]

    def test_a_reader_sees_what_is_committed_while_it_is_open(self, store, make, fresh):
        reader: Store = fresh.reopen()
        ask: Callable[[], frozenset[str]] = reader.trial_ids
        assert ask() == frozenset()
        store.add_trial(make.trial())
        assert ask() == {make.trial().id}
        reader.close()

    def test_a_reader_cannot_write(self, store, make, fresh):
        reader = fresh.reopen()
        with pytest.raises(StoreError, match="for reading"):
            reader.add_trial(make.trial())
        with pytest.raises(StoreError, match="for reading"):
            reader.set_facts(reader.facts())
        reader.close()

    def test_a_closed_store_says_so(self, store):
        store.close()
        store.close()
        with pytest.raises(StoreError, match="closed"):
            store.trial_ids()
