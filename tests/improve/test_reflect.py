"""GEPA's own loop over our candidates: what enters its pool was kept on evidence, and a killed run goes on."""

import random
import sys

import anyio
import pytest

from honestly.errors import AgentError, TaskError
from honestly.improve import BASELINE, open_run, read_state, work_until_spent
from honestly.improve.recipes._reflect import feedback_of
from improve.loop_parts import TOML, begun, memory_box, project, scored, worked
from improve.test_resume import noisy, plain

pytest.importorskip("gepa", reason="the extra gepa is not installed")


async def no_gain(target, edit, seed):
    return scored(random.Random(f"{seed}{sorted(edit.write.files.items())}").gauss(5, 1))


def test_a_searcher_gains_and_its_kept_changes_are_those_of_the_run(tmp_path):
    state = worked(begun(project(tmp_path / "p"), loop="reflect", budget="20 attempts"), memory_box, noisy([]))
    kept = [each for (_, n), each in state.decided.items() if n and each.kept]
    assert kept
    assert state.best == state.sealed["loop"].best == kept[-1].id
    assert set(state.decided) == {("loop", n) for n in range(21)}
    pool = {each.id for each in state.evaluated.values() if each.key.startswith("loop pool")}
    assert pool == {BASELINE, *(each.id for each in kept)}


def test_what_never_gains_never_enters_the_pool(tmp_path):
    for at in range(3):
        run = begun(project(tmp_path / f"p{at}"), "gambler", loop="reflect", budget="30 attempts", seed=at)
        state = worked(run, memory_box, no_gain)
        assert state.best == BASELINE
        assert sum("evidence" in each.why for each in state.decided.values()) > 0


def test_cut_off_anywhere_it_comes_to_the_same_end_and_measures_nothing_twice(tmp_path):
    run = begun(project(tmp_path / "p"), loop="reflect")
    whole = plain(worked(run, memory_box, noisy([])))
    journal = run / "journal.jsonl"
    text = journal.read_bytes()
    rng, first = random.Random(3), text.index(b"\n") + 1
    for _ in range(10):
        journal.write_bytes(text[: rng.randrange(first, len(text))])
        held, again = read_state(run), []
        state = worked(run, memory_box, noisy(again))
        assert plain(state) == whole
        assert len(again) == len(state.evaluated) - len(held.evaluated)


def test_the_agent_is_told_what_went_wrong_with_what_it_begins_with(tmp_path):
    async def measure(target, edit, seed):
        found = scored(float(seed % 7))
        return type(found)(
            "ok", found.value, {"loss": found.value, "hint": 2.0}, 'x\n{"loss": 1, "feedback": "too sweet"}', 0
        )

    folder = project(tmp_path / "p", 'private = ["hint"]\n' + TOML)
    state = worked(begun(folder, "nop", "2 attempts", loop="reflect"), memory_box, measure)
    prompt = state.begun["loop", 2].prompt
    assert prompt.count("too sweet") == 3
    assert "hint" not in prompt
    assert "it changes nothing" in prompt


def test_a_candidate_that_fails_does_not_enter_and_is_told_as_what_it_was(tmp_path):
    async def measure(target, edit, seed):
        return scored(1.0) if not edit.write.files else scored(None, "timeout")

    state = worked(begun(project(tmp_path / "p"), loop="reflect", budget="3 attempts"), memory_box, measure)
    assert {each.status for (_, n), each in state.decided.items() if n} <= {"timeout", "same"}
    assert state.best == BASELINE


@pytest.mark.parametrize("place", ["pool", "attempt", "train", "keep"])
def test_a_failure_ends_the_loop_and_is_not_tried_again(tmp_path, place):
    calls = []

    class Stopped(Exception):
        pass

    run = begun(project(tmp_path / "p"), loop="reflect", budget="30 attempts")
    with open_run(run, memory_box, noisy([])) as opened:
        step = "attempt" if place == "attempt" else "evaluate"
        inner = getattr(opened, step)

        async def failing(*words):
            if place == "attempt" or words[2].startswith(place):
                calls.append(words)
                raise Stopped
            return await inner(*words)

        setattr(opened, step, failing)
        with pytest.raises(Stopped):
            anyio.run(work_until_spent, opened)
    assert len(calls) == 1


def test_agents_that_never_answer_end_it(tmp_path):
    async def void(run, box):
        raise TaskError("no model")

    with open_run(begun(project(tmp_path / "p"), loop="reflect"), memory_box, noisy([])) as opened:
        opened.actors = dict.fromkeys(opened.actors, void)
        with pytest.raises(AgentError, match="3 attempts in a row"):
            anyio.run(work_until_spent, opened)


def test_without_gepa_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gepa", None)
    with pytest.raises(TaskError, match=r"pip install 'honestly\[gepa\]'"):
        worked(begun(project(tmp_path / "p"), loop="reflect"), memory_box, noisy([]))


def test_feedback_is_what_the_last_line_of_json_says():
    assert feedback_of('{"feedback": "a"}\n{"feedback": "b", "loss": 1}\nend') == "b"
    for log in ("", "text", "{broken", '["feedback"]', '{"feedback": 3}', '{"loss": 1}', "{" * 100_000):
        assert feedback_of(log) == ""
