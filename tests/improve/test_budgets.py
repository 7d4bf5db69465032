"""Every budget ends a loop, within one evaluation of it; a loop that has ended can be given more; alpha lasts for ever."""

import random
from dataclasses import replace

import anyio
import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.errors import BudgetError, StoreError, TaskError
from honestly.improve import BASELINE, extend_run, open_run, prove_run, read_loop_budget, read_state, work_until_spent
from honestly.records import Step, Usage
from improve.loop_parts import NAMES, TOML, begun, memory_box, plain, project, scored, worked
from improve.test_resume import noisy

FLOOR = 4


def costing(seconds=0.0, cpu=0.0):
    """Noise alone, and what each evaluation costs."""

    async def measure(target, edit, seed):
        value = random.Random(f"{seed}{target.workspace(edit).text('knobs.py')}").gauss(5, 1)
        return replace(scored(value), seconds=seconds, cpu=cpu)

    return measure


def spending(usage):
    """An agent that leaves a change and has used something."""

    async def act(run, box):
        run.steps.append(Step(source="agent", message="I changed it.", usage=usage))
        await box.write("/workspace/knobs.py", f"LEVEL = 4\nRATE = {run.seed}\n".encode())

    return act


def ended(folder, budget, agent="gambler", measure=None, act=None, **terms):
    run = begun(project(folder), agent, budget, **terms)
    with open_run(run, memory_box, measure or costing()) as opened:
        if act is not None:
            opened.actors = dict.fromkeys(opened.actors, act)
        anyio.run(work_until_spent, opened)
        return opened.state


@pytest.mark.parametrize("loop", [loop for loop in NAMES if loop not in {"harden", "kernel"}])
@pytest.mark.parametrize(
    ("budget", "most"), [("30 evaluations", 30), ("5 min", 30), ("5 cpu-min", 30), ("2 evaluations", 2)]
)
def test_no_evaluation_begins_after_the_budget_is_spent(tmp_path, loop, budget, most):
    if loop == "reflect":
        pytest.importorskip("gepa", reason="the extra gepa is not installed")
    state = ended(tmp_path / "p", budget, measure=costing(10, 10), loop=loop)
    spent = state.spent["loop"]
    assert state.best == BASELINE
    assert spent.evaluations <= most
    if spent.idle < 20:  # in `evolve`, rewordings are not evaluated
        assert spent.evaluations + spent.unmeasured * ("evaluations" in budget) in {most, most + 1}
        assert state.sealed["loop"].why in {"evaluations", "seconds", "cpu"}


@pytest.mark.parametrize(
    ("agent", "budget", "attempts", "why"),
    [
        ("nop", "20 evaluations", 20 - FLOOR, "evaluations"),
        ("nop", "1 cpu-h", 20, "20 attempts in a row left nothing to evaluate"),
        ("nop", "4h, 20 usd", 20, "20 attempts in a row left nothing to evaluate"),
        ("gambler", "1M tokens, 20 usd", 3, "3 attempts in a row spent no tokens and no usd"),
    ],
)
def test_attempts_that_cost_nothing_end_too(tmp_path, agent, budget, attempts, why):
    state = ended(tmp_path / "p", budget, agent)
    assert (state.spent["loop"].attempts, state.sealed["loop"].why) == (attempts, why)


def test_what_an_attempt_costs_is_counted_or_ends_the_loop(tmp_path):
    known = ended(tmp_path / "a", "100 usd", act=spending(Usage(output_tokens=9, usd=15.0)))
    assert (known.spent["loop"].attempts, known.sealed["loop"].why) == (7, "usd")
    unknown = ended(tmp_path / "b", "100 usd, 4h", act=spending(Usage(output_tokens=9)))
    assert unknown.spent["loop"].attempts == 1
    assert "nobody knows" in unknown.sealed["loop"].why
    assert unknown.decided["loop", 1].pairs >= 3


def test_the_proofs_share_is_the_loops_until_something_is_kept(tmp_path):
    nothing = ended(tmp_path / "a", "10 min", measure=costing(10))
    assert nothing.spent["loop"].evaluations == 60
    kept = worked(begun(project(tmp_path / "b"), budget="10 min"), memory_box, slow(noisy([])))
    assert kept.best != BASELINE
    last = max(n for (_, n), each in kept.decided.items() if each.kept)
    assert kept.spent["loop"].seconds == pytest.approx(240, abs=1) or last == kept.spent["loop"].attempts


@pytest.mark.slow
def test_the_attempt_under_way_has_the_time_that_is_left(tmp_path):
    async def sleepy(run, box):
        assert run.task.timeout_s <= 4
        await anyio.sleep(60)

    state = ended(tmp_path / "p", "4 s", act=sleepy)
    assert state.spent["loop"].attempts <= 2
    assert state.spent["loop"].seconds < 5.5
    assert state.proposed["loop", 1].stop == "limit: seconds"


class Stop(BaseException):
    pass


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt("mine"), Stop("x"), GeneratorExit()])
def test_an_agent_that_wants_to_exit_ends_its_attempt_alone(tmp_path, error):
    async def leaving(run, box):
        await box.write("/workspace/knobs.py", f"LEVEL = 4\nRATE = {run.seed}\n".encode())
        raise error

    state = ended(tmp_path / "p", "3 attempts", act=leaving)
    assert (state.spent["loop"].attempts, "loop" in state.sealed) == (3, True)
    assert {each.stop.split(":")[0] for each in state.proposed.values()} == {type(error).__name__}


def slow(measure):
    async def again(target, edit, seed):
        return replace(await measure(target, edit, seed), seconds=10)

    return again


def late(first):
    """What is seen before that many candidates is worse than the project, what comes later is better."""
    seen = []

    async def measure(target, edit, seed):
        text = target.workspace(edit).text("knobs.py")
        if text not in seen:
            seen.append(text)
        rng = random.Random(f"{seed}{text}")
        at = seen.index(text)
        return scored(rng.gauss(5, 1) + 8 * (0 < at <= first) - 8 * (at > first))

    return measure


def test_a_gain_is_kept_after_a_hundred_attempts_where_no_number_of_them_was_declared(tmp_path):
    state = ended(tmp_path / "p", "1000 evaluations", measure=late(110))
    kept = [each for (_, n), each in state.decided.items() if n and each.kept]
    assert kept
    assert kept[0].n > 100
    dropped = sum(level for n, level in state.levels.items() if not state.decided["loop", n].kept)
    assert 0.03 < dropped < 0.05


@pytest.mark.parametrize("loop", [loop for loop in NAMES if loop not in {"harden", "kernel"}])
def test_a_loop_that_is_given_more_goes_on_as_if_it_had_had_it(tmp_path, loop):
    if loop == "reflect":
        pytest.importorskip("gepa", reason="the extra gepa is not installed")
    whole = worked(begun(project(tmp_path / "a" / "p"), loop=loop, budget="90 evaluations"), memory_box, noisy([]))
    run = begun(project(tmp_path / "b" / "p"), loop=loop, budget="41 evaluations")
    first = worked(run, memory_box, noisy([]))
    extend_run(run, read_loop_budget("49 evaluations"))
    extend_run(run, read_loop_budget("49 evaluations"))  # it was killed, and the same command goes on
    text = (run / "journal.jsonl").read_bytes()
    again = []
    state = worked(run, memory_box, noisy(again))
    assert plain(state) == plain(whole)
    assert len(again) == len(state.evaluated) - len(first.evaluated)
    (run / "journal.jsonl").write_bytes(text)
    assert plain(worked(run, memory_box, noisy([]))) == plain(whole)


def test_what_is_given_must_do_and_come_before_the_proof(tmp_path):
    run = begun(project(tmp_path / "p"), budget="2 attempts")
    with pytest.raises(StoreError, match="has not ended"):
        extend_run(run, read_loop_budget("2h"))
    worked(run, memory_box, slow(noisy([])))
    extend_run(run, read_loop_budget("900 s"))
    state = worked(run, memory_box, slow(noisy([])))
    assert (state.sealed["loop"].why, state.spent["loop"].attempts > 2) == ("seconds", True)
    assert state.spent["loop"].seconds >= 900
    with pytest.raises(BudgetError, match="no seconds left"):
        extend_run(run, read_loop_budget("3 attempts"))
    assert state.best != BASELINE
    worked(run, memory_box, noisy([]), prove_run)
    with pytest.raises(StoreError, match="was already proved"):
        extend_run(run, read_loop_budget("2 attempts"))


ENDLESS = """
async def endless(run, *, parents: int = 1):
    start = await run.baseline()
    while True:
        await run.keep(await run.attempt(start, "go on"), start)
"""


def test_a_loop_of_ones_own_ends_with_its_budget_and_goes_on_only_as_it_was(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "endless_loop.py").write_text(ENDLESS)
    loop = "endless_loop:endless,parents=2"
    assert ended(tmp_path / "p", "5 attempts", loop=loop).sealed["loop"].why == "attempts"
    run = tmp_path / "p" / ".improve"
    extend_run(run, read_loop_budget("1 attempt"))
    (tmp_path / "endless_loop.py").write_text(ENDLESS + "# changed\n")
    with pytest.raises(StoreError, match=r"the loop .* has changed since"):
        worked(run, memory_box, costing())
    for wrong in ("endless_loop:ENDLESS", "endless_loop:endless,depth=2", "endless_loop:nothing", "evolving"):
        with pytest.raises(TaskError):
            begun(project(tmp_path / wrong), loop=wrong)


AGENT = """
async def agent(run, box):
    await box.write("/workspace/knobs.py", b"LEVEL = 1\\n")
"""


@pytest.mark.slow
def test_a_page_that_is_measured_is_read_when_the_agent_is_gone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "gone_agent.py").write_text(AGENT)
    p = project(tmp_path / "p", TOML + "[proof]\npairs = 3\n")
    run = ["improve", str(p), "--agent", "gone_agent:agent", "--budget", "2 attempts", "--seed", "1"]
    made = CliRunner().invoke(cli, [*run, "--unsafe-no-sandbox"])
    assert made.exit_code == 0, (made.output, made.exception)
    first = CliRunner().invoke(cli, ["improve", "prove", str(p), "--unsafe-no-sandbox"])
    (tmp_path / "gone_agent.py").write_text(AGENT + "\n# another one\n")
    assert CliRunner().invoke(cli, ["improve", "prove", str(p), "--unsafe-no-sandbox"]).stdout == first.stdout
    more = CliRunner().invoke(cli, ["improve", str(p), "--more", "1 attempt", "--unsafe-no-sandbox"])
    assert "has changed since" in str(more.exception) or "was already proved" in str(more.exception)
    assert read_state(p / ".improve").spent["loop"].attempts == 2
