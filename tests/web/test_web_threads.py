"""Helpers, compaction and continuations of a trajectory as a tree."""

import pytest

from honestly.records import Agent, Observation, Outcome, Step, Subagent, Task, ToolCall, Trial, Usage
from honestly.store import create_study
from honestly.web.trial._threads import Threads

TRIAL = "d" * 32


def steps():
    yield Step(source="user", message="Do it.", copied=True)
    yield Step(source="agent", message="as before", copied=True)
    yield Step(source="agent", message="I ask for help.", usage=Usage(output_tokens=3))
    yield Step(source="agent", message="looking", thread="scout", usage=Usage(output_tokens=5))
    yield Step(source="agent", message="looking deeper", thread="deep <b>", usage=Usage(usd=0.5))
    seen = Observation(text="found", call_id="c", subagents=(Subagent(thread="deep <b>"),))
    yield Step(source="agent", thread="scout", calls=(ToolCall.of("c", "task"),), observations=(seen,))
    seen = Observation(text="found", call_id="c", subagents=(Subagent(thread="scout"), Subagent(path="far.json")))
    yield Step(source="agent", calls=(ToolCall.of("c", "task"),), observations=(seen,))
    yield Step(source="system", message="[The conversation is long: it is being summed up.]")
    yield Step(source="agent", message="done")


def read(given):
    threads = Threads()
    for index, step in enumerate(given):
        threads.take_step(index, step)
    return threads


def test_a_helper_stands_below_the_thread_that_it_worked_for():
    threads = read(steps())
    assert [(depth, each.name, each.at, each.steps) for depth, each in threads.tree()] == [
        (0, "", None, 6),
        (1, "scout", 6, 2),
        (2, "deep <b>", 5, 1),
    ]
    main = next(each for _, each in threads.tree())
    assert main.events == [
        (0, 1, "repeats an earlier conversation as context"),
        (7, 7, "[The conversation is long: it is being summed up.]"),
    ]
    assert threads.elsewhere == [(6, "far.json")]


def test_threads_that_name_each_other_are_each_shown_once():
    def naming(thread, other):
        seen = Observation(text="", call_id="c", subagents=(Subagent(thread=other),))
        return Step(source="agent", thread=thread, calls=(ToolCall.of("c", "task"),), observations=(seen,))

    threads = read([naming("a", "b"), naming("b", "a"), naming("c", "c")])
    assert sorted(each.name for _, each in threads.tree()) == ["", "a", "b", "c"]


def test_turns_say_what_was_done_after_each_word_to_the_agent():
    def did(*tools, code=0):
        calls = tuple(ToolCall.of(str(n), tool) for n, tool in enumerate(tools))
        return Step(source="agent", calls=calls, observations=(Observation(text="", code=code),))

    told = [Step(source="user", message=text) for text in ("first\nwords", "more")]
    threads = read([told[0], did("bash", "edit"), did("bash", code=1), told[1], did(), told[1], told[1]])
    (main,) = [each for _, each in threads.tree()]
    assert [(turn.first, turn.last, turn.words, turn.steps, turn.failures) for turn in main.turns] == [
        (0, 2, "first\nwords", 2, [2]),
        (3, 4, "more", 1, []),
        (5, 6, "more", 0, []),
    ]
    assert main.turns[0].tools.most_common() == [("bash", 2), ("edit", 1)]
    assert [turn.words for turn in read([did("bash")]).tree().__next__()[1].turns] == [""]
    assert len(read([told[0], did()] * 400).tree().__next__()[1].turns) == 200, "an outline stays short"


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "s.honestly"
    with create_study(path) as store:
        store.add([Agent(name="somebody"), Task(id="t", instruction="Do.")])
        store.add_trial(Trial(id=TRIAL, agent="somebody", task="t", sample=0, outcome=Outcome.FAILED), steps())
    return path


@pytest.mark.slow
def test_the_tree_leads_to_the_steps(viewer, study, open_page):
    with viewer(study) as view:
        page = open_page(view, f"t/{TRIAL}")
        page.get_by_role("tab", name="Outline").click()
        tree = page.locator(".threads")
        tree.wait_for()
        assert "deep <b>: 1 steps from step 4, summed up in step 5, $0.500" in tree.inner_text()
        tree.get_by_role("link", name="step 7").click()
        page.wait_for_selector('.step.now[data-step="7"]')
