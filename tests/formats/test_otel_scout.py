"""Traces of OpenTelemetry there and back, Scout's transcripts, and what of either is no result."""

from __future__ import annotations

import json

import pytest
from published import expected, items, of, real, trials

from honestly.errors import FormatError
from honestly.formats import EXPORTERS, Exported, Imported, importers_for
from honestly.records import Agent, Observation, Outcome, Step, Task, ToolCall, Trajectory, Trial, Usage

STEPS = (
    Step(source="system", message="Be brief."),
    Step(source="user", message="List it."),
    Step(
        source="agent",
        message="Looking.",
        reasoning="ls will do",
        calls=(
            ToolCall.of("1", "bash", command="ls"),
            ToolCall.of("2", "bash", command="pwd", n=1.5, deep={"a": [None]}),
        ),
        observations=(Observation(text="a b", call_id="1"), Observation(text="/", call_id="2")),
        model="m",
        usage=Usage(input_tokens=10, output_tokens=3, cached_tokens=2),
    ),
    Step(source="user", message="And now?"),
    Step(source="agent", message="Done.", model="m"),
)


def test_a_trial_goes_out_as_spans_and_comes_back(tmp_path):
    agent, task = Agent(name="a", program="p", model="m"), Task(id="t", instruction="List it.")
    trial = Trial(id="x", agent="a", task="t", sample=3, outcome=Outcome.LIMIT, reason="time", score=None)
    made = [Exported(trial, agent, task, Trajectory(steps=STEPS)), Exported(trial, agent, task, None)]
    left = list(EXPORTERS.make_object("otel")(made, tmp_path))
    assert left == ["", "it has no trajectory"]
    (back,) = of(Imported, items(tmp_path, "otel"))
    assert (back.trial.task, back.trial.sample, back.trial.outcome, back.trial.reason) == (
        "t",
        3,
        Outcome.LIMIT,
        "time",
    )
    assert len(back.trajectory.steps) == len(STEPS)
    for one, other in zip(back.trajectory.steps, STEPS, strict=True):
        for name in ("source", "message", "reasoning", "observations", "model", "usage"):
            assert getattr(one, name) == getattr(other, name)
        assert [(call.id, call.name, {key: call.argument(key) for key in call.arguments}) for call in one.calls] == [
            (call.id, call.name, {key: call.argument(key) for key in call.arguments}) for call in other.calls
        ]
    assert of(Agent, items(tmp_path, "otel")) == [agent]


def test_lines_of_spans_are_read_whatever_their_file_is_called_and_however_long_they_are(tmp_path):
    def line(trace):
        said = [("gen_ai.operation.name", "chat"), ("gen_ai.request.model", "m"), ("long", "x" * 20_000)]
        attributes = [{"key": key, "value": {"stringValue": value}} for key, value in said]
        return json.dumps(
            {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": trace, "attributes": attributes}]}]}]}
        )

    (tmp_path / "traces.json").write_text("\n".join(map(line, ("ab", "cd"))))
    assert [found.trial.task for found in of(Imported, items(tmp_path))] == ["ab", "cd"]


def test_inputs_that_hold_all_that_was_said_add_only_what_is_new(tmp_path):
    def chat(number, asked, answer):
        said = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(asked),
                "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": answer}]}])}  # fmt: skip
        pairs = [{"key": key, "value": {"stringValue": value}} for key, value in said.items()]
        return {"traceId": "t", "spanId": str(number), "startTimeUnixNano": str(number), "attributes": pairs}

    first = {"role": "user", "parts": [{"type": "text", "content": "one"}]}
    second = {"role": "user", "parts": [{"type": "text", "content": "two"}]}
    spans = [chat(2, [first, {"role": "assistant", "parts": []}, second], "b"), chat(1, [first], "a")]
    (tmp_path / "t.json").write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    (kept,) = of(Imported, items(tmp_path / "t.json"))
    assert [step.message for step in kept.trajectory.steps] == ["one", "a", "two", "b"]
    assert (kept.trial.outcome, kept.trial.reason) == (Outcome.VOID, "not judged")


@pytest.mark.published
def test_summaries_of_scenarios_and_results_of_scanners_are_refused():
    for name, parts in expected("otel_genai").items():
        path = real("otel_genai") / f"scenario_{name}__data.json"
        assert len(json.loads(path.read_text())) == parts
        assert importers_for(path) == "otel"
        with pytest.raises(FormatError, match="no span is in it"):
            items(path)
    pytest.importorskip("polars")
    with pytest.raises(FormatError, match="results of a scanner: 216 rows, said of transcripts"):
        items(real("inspect_scout") / "word_counter.parquet")


def test_transcripts_of_scout(tmp_path):
    polars = pytest.importorskip("polars")
    chat = json.dumps([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}])
    base = {
        "task_set": "s",
        "task_id": "1",
        "agent": "react",
        "model": "m",
        "messages": chat,
        "error": None,
        "limit": None,
    }
    rows = [
        {"transcript_id": "a", "task_repeat": 1, "success": True, "score": "1", **base},
        {"transcript_id": "b", "task_repeat": 2, "success": None, "score": "0.5", **base},
        {"transcript_id": "c", "task_repeat": 3, "success": False, "score": "0", **base, "limit": "time"},
        {"transcript_id": "d", "task_repeat": 4, "success": None, "score": None, **base, "error": "boom"},
        {"transcript_id": "d", "task_repeat": 4, "success": None, "score": None, **base},
    ]
    polars.DataFrame(rows, infer_schema_length=10).write_parquet(tmp_path / "any")
    assert importers_for(tmp_path / "any") == "inspect-scout"
    found = items(tmp_path / "any")
    assert [(trial.sample, trial.outcome.value, trial.score, trial.reason) for trial in trials(found)] == [
        (0, "passed", None, ""), (1, "failed", 0.5, ""), (2, "limit", None, "time limit"), (3, "void", None, "boom")]  # fmt: skip
    assert [step.message for step in of(Imported, found)[0].trajectory.steps] == ["Hi", "Ho"]
