"""Any trajectory that our records can hold, for Hypothesis; and a plain one that has a bit of everything."""

from __future__ import annotations

import json

import msgspec
from hypothesis import strategies as st

from honestly.records import Observation, Picture, Step, Subagent, ToolCall, ToolDefinition, Trajectory, Usage

__all__ = ["FULL", "trajectories"]

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
COUNTS = st.none() | st.integers(0, 2**53)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=3,
)
RAWS = st.builds(
    lambda value, indent: msgspec.Raw(json.dumps(value, indent=indent).encode()), JSONS, st.sampled_from([None, 1])
)
IDS = st.sampled_from(["", "1", "2", "call-1"])
PICTURES = st.builds(
    Picture,
    media_type=st.sampled_from(["image/png", "image/jpeg", "image/svg+xml", ""]),
    data=st.binary(max_size=4),
    path=st.sampled_from(["", "a.png", "../x.png"]),
)
CALLS = st.builds(ToolCall, id=IDS, name=TEXTS, arguments=st.dictionaries(TEXTS, RAWS, max_size=2))
SUBAGENTS = st.builds(Subagent, thread=IDS, path=IDS, session=IDS)
OBSERVATIONS = st.builds(
    Observation,
    text=TEXTS,
    call_id=st.none() | IDS,
    code=st.none() | st.integers(-64, 255),
    dropped=st.integers(0, 9),
    images=st.lists(PICTURES, max_size=1).map(tuple),
    subagents=st.lists(SUBAGENTS, max_size=2).map(tuple),
)
USAGES = st.builds(
    Usage,
    input_tokens=COUNTS,
    output_tokens=COUNTS,
    cached_tokens=COUNTS,
    cache_write_tokens=COUNTS,
    usd=st.none() | NUMBERS,
)
STEPS = st.builds(
    Step,
    source=st.sampled_from(["system", "user", "agent", "agent", "agent"]),
    message=TEXTS,
    reasoning=TEXTS,
    calls=st.lists(CALLS, max_size=3).map(tuple),
    observations=st.lists(OBSERVATIONS, max_size=3).map(tuple),
    model=st.sampled_from(["", "m"]),
    usage=USAGES,
    at=st.sampled_from([None, "2026-11-21T15:00:00.123+00:00", "2026-11-21T15:00:00Z", "yesterday"]),
    seconds=st.none() | NUMBERS,
    images=st.lists(PICTURES, max_size=2).map(tuple),
    thread=st.sampled_from(["", "", "helper", "other"]),
    effort=st.sampled_from(["", "high", "0.5"]),
    llm_calls=st.sampled_from([None, 0, 1, 2, -1]),
    copied=st.booleans(),
    logprobs=st.lists(st.tuples(TEXTS, NUMBERS), max_size=2).map(tuple),
    token_ids=st.lists(st.integers(0, 9), max_size=2).map(tuple),
    prompt_token_ids=st.lists(st.integers(0, 9), max_size=2).map(tuple),
)
TOOLS = st.builds(ToolDefinition, name=TEXTS, doc=TEXTS, schema=RAWS)


def trajectories() -> st.SearchStrategy[Trajectory]:
    """Trajectories of one to five steps."""
    return st.builds(
        Trajectory,
        steps=st.lists(STEPS, min_size=1, max_size=5).map(tuple),
        stop=TEXTS,
        session=st.sampled_from(["", "s"]),
        tools=st.lists(TOOLS, max_size=2).map(tuple),
        continued=st.sampled_from(["", "more.json"]),
        notes=TEXTS,
    )


FULL = Trajectory(
    steps=(
        Step(source="system", message="You are an agent."),
        Step(source="user", message="Look at this.", images=(Picture(data=b"\x89PNG"),)),
        Step(
            source="agent",
            message="I look.",
            reasoning="Hm.",
            calls=(
                ToolCall.of("1", "bash", command="ls -l"),
                ToolCall.of("2", "edit", path="a.py", old="1.0", new="2"),
                ToolCall.of("3", "python", code="print(1)", timeout=5),
            ),
            observations=(
                Observation(text="a.py", call_id="1", code=0),
                Observation(text="edited", call_id="2"),
                Observation(text="1", call_id="3", images=(Picture(data=b"GIF", media_type="image/gif"),)),
            ),
            model="m",
            usage=Usage(input_tokens=10, output_tokens=5, cached_tokens=4, cache_write_tokens=2, usd=0.01),
            seconds=1.5,
        ),
        Step(source="agent", message="I ask a helper.", thread="helper", usage=Usage(input_tokens=1)),
        Step(source="agent", message="Done.", model="m"),
    ),
    stop="done",
    session="abc",
    tools=(ToolDefinition(name="bash", doc="Runs.", schema=msgspec.Raw(b'{"type": "object"}')),),
)
