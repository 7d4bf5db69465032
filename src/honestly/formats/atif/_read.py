"""Steps of our records out of ATIF's objects.

Everything is read as it stands; a text in several parts becomes one, line by line. `restored_extra` puts back what our
own files carry beside the format's words. Images are asked of `load`, which knows where the file lies.
"""

from collections.abc import Callable, Iterable, Sequence

import msgspec

from honestly.errors import FormatError
from honestly.formats.atif._shape import AtifCall, AtifMetrics, AtifPart, AtifResult, AtifStep, restored_extra
from honestly.records import Observation, Picture, Step, Subagent, ToolCall, ToolDefinition, Usage

Load = Callable[[str], bytes]
"""The bytes of an image by its path; empty where it cannot be had."""

Content = str | list[AtifPart] | None


class _Function(msgspec.Struct, kw_only=True):
    name: str
    description: str = ""
    parameters: msgspec.Raw = msgspec.Raw(b"{}")


class _Wrapped(msgspec.Struct, kw_only=True):
    function: _Function


def read_step(shape: AtifStep, load: Load, thread: str = "") -> Step:
    """One step.

    Raises:
        FormatError: its source is unknown, or its `extra.honestly` does not fit.
    """
    if shape.source not in ("system", "user", "agent"):
        raise FormatError(f"step {shape.step_id}: the source is {shape.source!r}; expected system, user or agent")
    metrics = shape.metrics or AtifMetrics()
    text, images = _content_parts(shape.message, load)
    step = Step(
        source=shape.source,  # type: ignore[arg-type]
        message=text,
        images=images,
        thread=thread,
        reasoning=shape.reasoning_content or "",
        calls=tuple(map(read_call, shape.tool_calls or ())),
        observations=tuple(read_result(result, load) for result in shape.observation.results)
        if shape.observation
        else (),
        model=shape.model_name or "",
        usage=read_usage(metrics),
        at=shape.timestamp,
        effort="" if shape.reasoning_effort is None else str(shape.reasoning_effort),
        llm_calls=shape.llm_call_count,
        copied=bool(shape.is_copied_context),
        logprobs=tuple(("", float(number)) for number in _plain_numbers(metrics.logprobs)),
        token_ids=tuple(metrics.completion_token_ids or ()),
        prompt_token_ids=tuple(metrics.prompt_token_ids or ()),
    )
    return restored_extra(step, shape.extra)


def read_call(shape: AtifCall) -> ToolCall:
    """One tool call."""
    return restored_extra(
        ToolCall(id=shape.tool_call_id, name=shape.function_name, arguments=shape.arguments), shape.extra
    )


def read_result(shape: AtifResult, load: Load) -> Observation:
    """The result of one tool."""
    text, images = _content_parts(shape.content, load)
    subagents = tuple(
        Subagent(
            thread=reference.trajectory_id or "",
            path=reference.trajectory_path or "",
            session=reference.session_id or "",
        )
        for reference in shape.subagent_trajectory_ref or ()
    )
    observation = Observation(text=text, call_id=shape.source_call_id, images=images, subagents=subagents)
    return restored_extra(observation, shape.extra)


def read_usage(shape: AtifMetrics) -> Usage:
    """The usage of a step."""
    usage = Usage(
        input_tokens=shape.prompt_tokens,
        output_tokens=shape.completion_tokens,
        cached_tokens=shape.cached_tokens,
        usd=shape.cost if shape.cost_usd is None else shape.cost_usd,
    )
    return restored_extra(usage, shape.extra)


def read_tools(shapes: Iterable[msgspec.Raw]) -> tuple[ToolDefinition, ...]:
    """Tools that stand in the form of OpenAI's functions, wrapped or not; others are left out."""
    return tuple(tool for raw in shapes if (tool := _tool_definition(raw)) is not None)


def _tool_definition(raw: msgspec.Raw) -> ToolDefinition | None:
    try:
        function = msgspec.json.decode(raw, type=_Wrapped).function
    except msgspec.DecodeError:
        try:
            function = msgspec.json.decode(raw, type=_Function)
        except (msgspec.DecodeError, RecursionError):
            return None
    return ToolDefinition(name=function.name, doc=function.description, schema=function.parameters)


def _content_parts(content: Content, load: Load) -> tuple[str, tuple[Picture, ...]]:
    if not isinstance(content, list):
        return content or "", ()
    text = "\n".join(part.text for part in content if part.type == "text" and part.text is not None)
    return text, tuple(_picture(part, load) for part in content if part.type == "image")


def _picture(part: AtifPart, load: Load) -> Picture:
    if part.source is None:
        raise FormatError("an image has no source")
    data = load(part.source.path)
    return Picture(
        media_type=part.source.media_type or Picture().media_type, data=data, path="" if data else part.source.path
    )


def _plain_numbers(values: Sequence[object] | None) -> list[int | float]:
    numbers = [value for value in values or () if isinstance(value, int | float)]
    return numbers if len(numbers) == len(values or ()) else []
