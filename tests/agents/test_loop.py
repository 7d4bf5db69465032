"""The loop of the agent: what it asks, how it bears with models that misbehave, and how it ends."""

import anyio
import anyio.lowlevel
import msgspec
import pytest

from honestly.agents import AgentLimits, Honest, Nobody, Run, call_tokens
from honestly.agents._replies import MISUSED
from honestly.errors import BudgetError, ModelError, ToolError
from honestly.models import (
    MISBEHAVIOURS,
    Call,
    Message,
    RetryModel,
    ScriptedModel,
    Settings,
    assistant_message,
    faulty_turn,
    read_cassette,
    tool_call,
)
from honestly.records import Task, Tree, Usage, encode
from honestly.runner._storable import storable_record
from honestly.runner._written_steps import written_steps
from honestly.store import Running
from honestly.tools import ToolResult, tool

DONE = assistant_message("", tool_call("finish", outcome="done", summary="It works."))


@tool
async def shout(box, text: str) -> ToolResult:
    """Say it loud."""
    if text == "no":
        raise ToolError("not that")
    return ToolResult(text=text.upper(), code=0)


def worked(*turns, files=None, instruction="Do it.", **settings):
    """The run of an agent whose model plays `turns`, and the model. It has no sandbox: its tool needs none."""
    model = ScriptedModel(turns)
    run = Run(task=Task(id="t", instruction=instruction, workspace=Tree.of(files or {})), seed=7)
    agent = Honest(model, tools=(shout,), **settings)
    anyio.run(agent, run, None)
    return run, model


def results(run):
    return [seen.text for step in run.steps for seen in step.observations]


def test_a_call_is_done_and_its_result_shown_to_the_model():
    run, model = worked(assistant_message("I look.", tool_call("shout", text="hello"), thinking="hm"), DONE)
    assert results(run) == ["HELLO", "ended"]
    system, task, first, last = run.steps
    assert (system.source, task.message) == ("system", "Do it.")
    assert (first.message, first.reasoning, first.calls[0].argument("text")) == ("I look.", "hm", "hello")
    assert first.observations[0].call_id == first.calls[0].id
    assert (first.observations[0].code, first.model) == (0, "script")
    assert [m.role for m in model.asked[1][0]] == ["system", "user", "assistant", "tool"]
    assert (run.stop, run.claimed) == ("done", True)
    assert last.calls[0].argument("summary") == "It works."
    assert {spec.name for spec in model.asked[0][1]} == {"shout", "finish"}
    assert [definition.name for definition in run.trajectory().tools] == ["shout"]


def test_parallel_calls_are_done_one_after_the_other_and_each_is_answered():
    run, model = worked(
        assistant_message(
            "", tool_call("shout", text="a"), tool_call("shout", text="no"), tool_call("shout", text="b")
        ),
        DONE,
    )
    assert results(run)[:3] == ["A", "error: not that", "B"]
    answers = [m.call_id for m in model.asked[1][0] if m.role == "tool"]
    assert answers == [c.id for c in model.asked[1][0][2].calls]
    assert len(set(answers)) == 3


def test_the_same_identifier_twice_is_told_apart():
    turn = assistant_message(
        "", Call("x", "shout", '{"text": "a"}'), Call("x", "shout", '{"text": "b"}'), Call("", "shout", "{}")
    )
    _, model = worked(turn, DONE)
    ids = [m.call_id for m in model.asked[1][0] if m.role == "tool"]
    assert ids[0] == "x"
    assert len(set(ids)) == 3


@pytest.mark.parametrize(
    ("turn", "told"),
    [
        (assistant_message("", Call("1", "shout", '{"text": ')), "not a JSON object"),
        (assistant_message("", Call("1", "shout", "[1]")), "not a JSON object"),
        (assistant_message("", Call("1", "shout", '{"a":' * 5000)), "not a JSON object"),
        (assistant_message("", Call("1", "shout", '"' + "x" * 1_000_001)), "Do it in smaller parts"),
        (assistant_message("", tool_call("shuot", text="a")), "there is no tool 'shuot'; there are: shout, finish"),
        (assistant_message("", tool_call("", text="a")), "there is no tool ''"),
        (assistant_message("", tool_call("shout", txt="a")), "the arguments do not fit"),
        (assistant_message("", Call("1", "shout", "")), "the arguments do not fit"),
        (assistant_message("", tool_call("finish", outcome="perfect", summary="x")), "the arguments do not fit"),
        (assistant_message(""), "Your reply was empty"),
        (Message(role="assistant", text="I cannot help with that.", stop="refusal"), "Your reply was a refusal"),
        (Message(role="assistant", text="First I will", stop="length"), "Your reply was cut off"),
        (assistant_message("I think that I should look around."), "If you have ended, say how"),
    ],
    ids=lambda value: None if isinstance(value, Message) else value,
)
def test_what_a_model_gets_wrong_is_told_to_it_and_it_goes_on(turn, told):
    run, model = worked(turn, assistant_message("", tool_call("shout", text="go")), DONE)
    heard = model.asked[1][0]
    assert told in heard[-1].text
    assert (run.stop, run.claimed) == ("done", True)
    assert "GO" in results(run)
    for message in heard:  # what goes back must not make the server choke
        assert message.role != "assistant" or message.text or message.calls
        for each in message.calls:
            assert isinstance(msgspec.json.decode(each.arguments), dict)
            assert 0 < len(each.name) <= 64


def test_what_was_written_is_on_record_even_where_it_is_no_json():
    run, _ = worked(assistant_message("", Call("1", "shout", '{"text": ')), DONE)
    assert run.steps[2].calls[0].argument(MISUSED) == '{"text": '


@tool
async def bash(box, command: str) -> ToolResult:
    """Run it."""
    return ToolResult(text=f"ran {len(command)}", code=0)


@pytest.mark.parametrize("way", sorted(MISBEHAVIOURS))
def test_it_gets_over_each_way_in_which_models_misbehave_and_all_of_it_can_be_stored(way, tmp_path):
    model = ScriptedModel(
        [faulty_turn(way), assistant_message("", tool_call("bash", command="ls")), faulty_turn(way), DONE]
    )
    retried = RetryModel(model, sleep=lambda _: anyio.lowlevel.checkpoint())
    with written_steps(tmp_path / "unfinished", Running(id="t", agent="a", task="t", sample=0, started_at="")) as steps:
        run = Run(task=Task(id="t", instruction="x"), seed=0, steps=steps)
        if way == "a page in place of an answer":  # it is no use to ask again, and no doing of the agent
            with pytest.raises(ModelError):
                anyio.run(Honest(retried, tools=(bash,)), run, None)
            return
        anyio.run(Honest(retried, tools=(bash,)), run, None)
    if way == "a conversation that is too long":
        assert run.limit == "context"
    else:
        assert (run.stop, run.claimed) == ("done", True)
        assert "ran 2" in results(run)
    for messages, _, _ in model.asked:
        assert sum(len(message.text) for message in messages) < 60_000
    assert len(encode(storable_record(run.trajectory()))) > 100
    assert read_cassette(run.artifacts["cassette.jsonl"]).answers


@pytest.mark.parametrize(
    "turn",
    [
        assistant_message(""),
        assistant_message("", tool_call("nothing")),
        assistant_message("", Call("1", "shout", "{")),
    ],
)
def test_three_of_them_in_a_row_end_it(turn):
    run, model = worked(turn, turn, assistant_message("", tool_call("shout", text="a")), turn, turn, turn, DONE)
    assert run.stop == "3 malformed replies in a row"
    assert run.claimed is None
    assert len(model.asked) == 6


@pytest.mark.parametrize(
    ("text", "stop", "claimed"),
    [
        ("I changed it.\n\nDONE: the tests pass.", "done", True),
        ("**Cannot**: there is no compiler.", "cannot", False),
        ("ASKS: which of the two?", "asks", False),
        ("I am done", "ended without saying how", None),
    ],
)
def test_it_may_end_in_plain_text_and_no_claim_is_made_up(text, stop, claimed):
    run, model = worked(assistant_message(text), assistant_message(text))
    assert (run.stop, run.claimed) == (stop, claimed)
    assert len(model.asked) == (1 if claimed is not None else 2)


@pytest.mark.parametrize(("outcome", "claimed"), [("done", True), ("cannot", False), ("asks", False)])
def test_it_ends_by_the_tool(outcome, claimed):
    run, _ = worked(assistant_message("", tool_call("finish", outcome=outcome, summary="so", not_done="that")))
    assert (run.stop, run.claimed, run.limit) == (outcome, claimed, "")


def test_it_does_not_end_together_with_calls_whose_results_it_has_not_seen():
    run, model = worked(assistant_message("", tool_call("shout", text="a"), *DONE.calls), DONE)
    assert results(run)[1].startswith("Not ended")
    assert len(model.asked) == 2
    assert run.stop == "done"


TALK = assistant_message("", tool_call("shout", text="a"), usage=Usage(input_tokens=100, output_tokens=10, usd=0.5))


@pytest.mark.parametrize(
    ("limits", "limit", "calls"),
    [
        (AgentLimits(turns=3), "turns", 3),
        (AgentLimits(tokens=300), "tokens", 3),
        (AgentLimits(tokens=330), "tokens", 3),
        (AgentLimits(usd=1.2), "usd", 3),
        (AgentLimits(turns=0), "turns", 0),
    ],
)
def test_no_limit_is_exceeded_by_more_than_the_call_in_flight(limits, limit, calls):
    run, model = worked(*[TALK] * 9, limits=limits)
    assert (run.stop, run.limit, len(model.asked)) == (f"limit: {limit}", limit, calls)
    assert run.claimed is None
    assert run.usage == (Usage(input_tokens=300, output_tokens=30, usd=1.5) if calls else Usage())


def test_a_limit_in_dollars_needs_a_price():
    from honestly.errors import AgentError

    with pytest.raises(AgentError, match="the price of 'script' is not known"):
        worked(assistant_message("", tool_call("shout", text="a")), DONE, limits=AgentLimits(usd=1))


def test_the_seconds_end_a_call_in_flight_and_what_was_done_stays():
    class Slow:
        name = "slow"
        asked = 0

        async def __call__(self, messages, tools=(), settings=None):
            self.asked += 1
            if self.asked == 2:
                await anyio.sleep(60)
            return TALK

    run = Run(task=Task(id="t", instruction="x"), seed=0)
    anyio.run(Honest(Slow(), tools=(shout,), limits=AgentLimits(seconds=0.2)), run, None)
    assert (run.limit, run.usage.usd) == ("seconds", 0.5)
    assert results(run) == ["A"]


def test_a_spent_budget_of_the_model_is_a_limit():
    def broke(_messages):
        raise BudgetError("0.30 of 0.30 dollars are spent")

    run, _ = worked(TALK, broke)
    assert (run.limit, run.stop) == ("budget", "budget: 0.30 of 0.30 dollars are spent")
    assert run.usage.usd == 0.5


def test_an_answer_that_never_comes_is_not_the_agents_doing_and_the_rest_is_kept():
    run = Run(task=Task(id="t", instruction="x"), seed=0)
    with pytest.raises(ModelError, match="overloaded"):
        anyio.run(Honest(ScriptedModel([TALK, ModelError("overloaded", status=529)]), tools=(shout,)), run, None)
    assert results(run) == ["A"]
    assert run.usage.input_tokens == 100


def test_huge_results_are_cut_in_the_middle():
    run, model = worked(assistant_message("", tool_call("shout", text="x" * 50_000 + "end")), DONE)
    text = model.asked[1][0][-1].text
    assert len(text) < 41_000
    assert text.endswith("END")
    assert run.steps[2].observations[0].dropped == 10_003


LONG = assistant_message("", tool_call("shout", text="word " * 500))


def test_where_no_tokens_are_reported_all_that_was_read_and_written_is_estimated():
    """Summaries, calls, results and tools included; nothing is where some are reported."""
    left, asked = [*[LONG] * 9, DONE], []

    def answer(messages):
        asked.append(sum(len(m.text) + sum(len(c.name + c.arguments) for c in m.calls) for m in messages))
        return (
            assistant_message("s" * 900, thinking="t" * 300) if "about to forget" in messages[-1].text else left.pop(0)
        )

    run, model = worked(*[answer] * 12, context_tokens=5_000)
    calls = [step for step in run.steps if step.model]
    assert any("being summed up" in step.message for step in run.steps)
    for read, step, (_, tools, _) in zip(asked, calls, model.asked, strict=True):
        told = sum(len(msgspec.json.encode(tool)) for tool in tools)
        wrote = len(step.message) + len(step.reasoning)
        wrote += sum(len(c.name) + len(msgspec.json.encode(c.arguments)) for c in step.calls)
        assert call_tokens(step) == pytest.approx((read + told + wrote) / 3.5, rel=0.02, abs=20)
    spent = sum(map(call_tokens, calls[:4]))
    run, model = worked(*[LONG] * 9, limits=AgentLimits(tokens=spent))
    assert (run.limit, len(model.asked)) == ("tokens", 4)
    assert {step.estimated_tokens for step in worked(TALK, TALK, limits=AgentLimits(turns=2))[0].steps} == {None}


def summed_up(summaries, turns, **settings):
    """A run of `turns` in a small context, with the model's answers to requests for a summary; all that was asked."""
    left, sums = list(turns), list(summaries)

    def answer(messages):
        return sums.pop(0) if "about to forget" in messages[-1].text else left.pop(0)

    run, model = worked(*[answer] * (len(left) + len(sums)), context_tokens=5_000, **settings)
    asked = [messages for messages, _, _ in model.asked]
    return run, asked, [number for number, messages in enumerate(asked) if "about to forget" in messages[-1].text]


def test_a_long_conversation_is_summed_up_and_what_matters_stays():
    run, asked, (at,) = summed_up(["Plan: step two of three."], [*[LONG] * 4, DONE])
    assert "Do it." in asked[at][-1].text
    after = asked[at + 1]
    assert after[0] == asked[0][0]
    assert after[1].text.startswith("Do it.")
    assert after[1].text.endswith("Plan: step two of three.")
    assert [message.role for message in after[2:4]] == ["assistant", "tool"]
    assert len(after) < len(asked[at - 1])
    assert any("being summed up" in step.message for step in run.steps)
    assert any(step.message == "Plan: step two of three." for step in run.steps)
    assert run.stop == "done"


def test_a_second_summary_takes_the_place_of_the_first_and_an_empty_one_is_made_good():
    _, asked, (first, second) = summed_up(["First.", ""], [*[LONG] * 9, DONE])
    assert asked[first + 1][1].text.endswith("First.")
    assert "First." in asked[second][-1].text
    told = asked[second + 1][1].text
    assert "First." not in told
    assert "- shout" in told


def test_a_server_that_finds_the_conversation_too_long_is_asked_again_with_less():
    refusal = ModelError("This model's maximum context length is 8192 tokens", status=400)
    run, model = worked(LONG, LONG, refusal, assistant_message("Sum."), DONE, context_tokens=9_000)
    assert run.stop == "done"
    assert "Sum." in model.asked[-1][0][1].text


def test_a_summary_is_a_call_like_any_other_to_the_limits():
    for turns in range(1, 12):
        _, asked, _ = summed_up(["First.", "Second."] * 4, [LONG] * 12, limits=AgentLimits(turns=turns))
        assert len(asked) == turns


def test_a_conversation_that_no_summary_makes_short_enough_is_a_limit_of_the_agent():
    refusal = ModelError("maximum context length exceeded", status=400)
    run, _ = worked(LONG, LONG, refusal, refusal, refusal, context_tokens=9_000)
    assert (run.stop, run.limit) == ("limit: context", "context")
    run, _ = worked(refusal, refusal)
    assert run.limit == "context"


def test_a_good_call_beside_a_bad_one_is_no_strike():
    mixed = assistant_message("", tool_call("shout", text="a"), tool_call("nothing"))
    run, _ = worked(mixed, mixed, mixed, mixed, DONE)
    assert run.stop == "done"


@pytest.mark.parametrize(
    "turn",
    [
        assistant_message("ASKS: which?"),
        assistant_message("", tool_call("finish", outcome="asks", summary="ASKS: which?")),
    ],
)
def test_a_question_at_the_end_is_answered_where_somebody_is_there(turn):
    class Somebody(Nobody):
        there = True

        async def answer(self, question):
            return "the left one" if question == "ASKS: which?" else ""

    run, model = worked(turn, DONE, person=Somebody())
    assert model.asked[1][0][-1].text == "the left one"
    assert run.stop == "done"
    assert "ask" in {spec.name for spec in model.asked[0][1]}


def test_what_was_typed_while_it_was_ending_is_not_lost():
    class Late(Nobody):
        lines = []

        def shows(self, step):
            if step.calls and step.calls[0].name == "finish" and not self.lines:
                self.lines = ["one more thing"]

        def said(self):
            said, self.lines = (self.lines, ["-"]) if self.lines == ["one more thing"] else ((), self.lines)
            return said

    run, model = worked(DONE, assistant_message("", tool_call("shout", text="that")), DONE, person=Late())
    assert model.asked[1][0][-1].text == "one more thing"
    assert "THAT" in results(run)
    assert run.stop == "done"


def test_each_trial_may_sample_with_a_seed_of_its_own_and_what_was_sent_is_kept():
    run, model = worked(DONE, settings=Settings(temperature=0.3), seeded=True)
    assert model.asked[0][2] == Settings(temperature=0.3, seed=7)
    (sent,) = msgspec.json.decode(run.artifacts["sent.json"])
    assert sent["calls"] == 1
    assert set(sent["dropped"]) == {"temperature", "seed"}


def test_its_identity_is_all_that_could_change_what_it_does():
    def agent(**changes):
        return Honest(ScriptedModel([]), **changes).record

    base = agent()
    others = [
        agent(tools=("bash",)),
        agent(limits=AgentLimits(turns=5)),
        agent(settings=Settings(temperature=0.0)),
        agent(settings=Settings(stop=("x",))),
        agent(context_tokens=5),
        agent(reads_project=False),
        agent(seeded=True),
        Honest(ScriptedModel([], name="other")).record,
    ]
    assert len({record.hash for record in [base, *others]}) == 9
    assert agent() == base
    assert base.program == "honest-agent"
