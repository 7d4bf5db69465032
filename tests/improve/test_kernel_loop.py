"""The loop `kernel`: it measures the machine first, races, repairs, remembers what was expected, and ends."""

import re

import pytest

from honestly.errors import TaskError
from honestly.improve import read_state
from honestly.improve.recipes._kernel import Reflexion
from improve.loop_parts import begun, kernel_project, kernel_times, machine_box, project, worked


def ran(tmp_path, budget="12 attempts", wrong=(), near=None, **terms):
    folder = kernel_project(tmp_path / "p")
    if near is not None:
        toml = folder / "improve.toml"
        toml.write_text(toml.read_text().replace("[kernel]", f"[kernel]\nnear = {near}"))
    return worked(begun(folder, budget=budget, loop="kernel", **terms), machine_box, kernel_times([], wrong))


def prompts(state):
    return [state.begun["loop", n].prompt for n in range(1, 1 + state.spent["loop"].attempts)]


def test_it_makes_a_kernel_faster_from_one_version_to_the_next(tmp_path):
    state = ran(tmp_path)
    assert state.score < 0.5 * state.decided["loop", 0].score
    assert state.notes["machine"] == {"flops": 1e11, "bytes": 1e11, "idle": 0.01}
    assert {each.parent for each in state.attempts()} - {"baseline"}
    assert re.search(r"at 1\.[2-5]% of that speed", prompts(state)[0])
    abouts = [re.search(r"^Bottleneck: (\w+)", text, re.MULTILINE)[1] for text in prompts(state)]
    assert set(abouts) == {"compute", "memory"}


def test_what_was_expected_is_told_beside_what_came_out(tmp_path):
    state = ran(tmp_path)
    first = state.proposed["loop", 1]
    expected = re.search(r"expect: ([\d.]+)x", first.said)[1]
    assert re.search(rf"- attempt 1 \(compute\): expected {expected}x; came out [\d.]+x, ", prompts(state)[1])
    assert "What earlier rewrites expected" not in prompts(state)[0]


def test_the_first_correct_one_wins_and_what_is_wrong_goes_back(tmp_path):
    state = ran(tmp_path, wrong=(1, 2))
    first, second, third = (state.proposed["loop", n] for n in (1, 2, 3))
    assert [state.decided["loop", n].status for n in (1, 2, 3)] == ["wrong", "wrong", "ok"]
    assert (first.parent, second.parent, third.parent) == ("baseline", first.id, second.id)
    assert "You are the worker who repairs a kernel" in prompts(state)[1]
    assert "What the check says: wrong" in prompts(state)[1]
    assert "it failed: wrong" in prompts(state)[2]
    assert "You are the worker who rewrites a kernel" in prompts(state)[3]


def test_a_worker_who_repairs_in_vain_makes_room_for_the_next(tmp_path):
    state = ran(tmp_path, budget="4 attempts", wrong=(1, 2, 3))
    assert [state.proposed["loop", n].parent for n in (1, 4)] == ["baseline", "baseline"]


def test_it_ends_near_the_roofline_and_without_gains(tmp_path):
    near = ran(tmp_path, budget="200 attempts", near=0.1)
    assert near.sealed["loop"].why == "the loop ended"
    (tmp_path / "far").mkdir()
    far = ran(tmp_path / "far", budget="200 attempts")
    assert far.sealed["loop"].why == "the loop ended"
    assert near.spent["loop"].attempts < far.spent["loop"].attempts < 100


def test_a_project_without_a_kernel_is_refused_before_anything_begins(tmp_path):
    folder = project(tmp_path / "p")
    with pytest.raises(TaskError, match=r"needs .* a table \[kernel\]"):
        begun(folder, loop="kernel")
    assert not (folder / ".improve").exists()


def test_a_machine_that_cannot_be_measured_is_said(tmp_path):
    from improve.loop_parts import memory_box

    run = begun(kernel_project(tmp_path / "p"), loop="kernel")
    with pytest.raises(TaskError, match="flops a second cannot be measured"):
        worked(run, memory_box, kernel_times([]))
    assert read_state(run).notes == {}


@pytest.mark.parametrize(
    ("expected", "came", "kept", "words"),
    [
        (2.0, 1.9, True, "about as expected; this bottleneck was one"),
        (4.0, 1.5, True, "less than expected; this bottleneck was one"),
        (1.1, 3.0, False, "more than expected; which may be luck"),
        (2.0, 0.9, False, "this was not the bottleneck, or not the cure"),
        (None, 2.0, True, "expected nothing; came out 2x; this bottleneck was one"),
        (0.0, 2.0, False, "about as expected"),
        (2.0, None, False, "it failed: wrong"),
    ],
)
def test_a_reflexion_in_words(expected, came, kept, words):
    assert words in str(Reflexion(1, "memory", expected, "", came, kept, "wrong"))
