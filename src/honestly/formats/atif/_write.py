"""ATIF's objects from our records, made so that the format's own rules hold, with the rest beside.

Only what ATIF allows stands in its own words: nothing of a model on a step that is not the agent's, no numbers where no
model was asked, no reference to a call that the step does not have. What is left out of these goes to `extra.honestly`.
Images become files of their own, named after their content.
"""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from honestly.formats._images import SUFFIXES, image_path
from honestly.formats.atif._read import read_call, read_result, read_step, read_usage
from honestly.formats.atif._shape import (
    AtifCall,
    AtifMetrics,
    AtifObservation,
    AtifPart,
    AtifReference,
    AtifResult,
    AtifSource,
    AtifStep,
    with_rest,
)
from honestly.records import Observation, Picture, Step, ToolCall, ToolDefinition, encode


class AtifWriter:
    """Writes the steps of one trajectory."""

    def __init__(self) -> None:
        self.images: dict[str, bytes] = {}
        """Files that belong beside the trajectory, by path."""

    def step_shape(self, step: Step, number: int, thread: str = "") -> AtifStep:
        """The step with this number, from 1."""
        agent = step.source == "agent"
        asked = agent and step.llm_calls != 0
        own = {call.id for call in step.calls} if agent else set()
        results = [self._result_shape(seen, own) for seen in step.observations]
        shape = AtifStep(
            step_id=number,
            source=step.source,
            message=self._content_shape(step.message, step.images),
            timestamp=step.at if _is_time(step.at) else None,
            model_name=(step.model or None) if agent else None,
            reasoning_effort=(step.effort or None) if agent else None,
            reasoning_content=(step.reasoning or None) if asked else None,
            tool_calls=[self._call_shape(call) for call in step.calls] if agent and step.calls else None,
            observation=AtifObservation(results=results) if results else None,
            metrics=_metrics(step) if asked else None,
            llm_call_count=step.llm_calls if step.llm_calls is not None and step.llm_calls >= 0 else None,
            is_copied_context=step.copied or None,
        )
        shape.extra = with_rest(step, read_step(shape, self._load, thread))
        return shape

    def _call_shape(self, call: ToolCall) -> AtifCall:
        shape = AtifCall(tool_call_id=call.id, function_name=call.name, arguments=call.arguments)
        shape.extra = with_rest(call, read_call(shape))
        return shape

    def _result_shape(self, seen: Observation, own: set[str]) -> AtifResult:
        references = [
            AtifReference(
                trajectory_id=helper.thread or None,
                session_id=helper.session or None,
                trajectory_path=helper.path or None,
            )
            for helper in seen.subagents
        ]
        resolvable = all(reference.trajectory_id or reference.trajectory_path for reference in references)
        shape = AtifResult(
            source_call_id=seen.call_id if seen.call_id in own else None,
            content=self._content_shape(seen.text, seen.images),
            subagent_trajectory_ref=references if references and resolvable else None,
        )
        shape.extra = with_rest(seen, read_result(shape, self._load))
        return shape

    def _content_shape(self, text: str, images: Sequence[Picture]) -> str | list[AtifPart]:
        if not images or any(image.media_type not in SUFFIXES for image in images):
            return text
        parts = [AtifPart(type="text", text=text)] if text else []
        sources = (AtifSource(path=image_path(each, self.images), media_type=each.media_type) for each in images)
        return parts + [AtifPart(type="image", source=source) for source in sources]

    def _load(self, path: str) -> bytes:
        return self.images.get(path, b"")


def tool_shape(tool: ToolDefinition) -> msgspec.Raw:
    """A tool in the form of OpenAI's functions; its schema stays as it was sent."""
    function = {"name": tool.name, "description": tool.doc, "parameters": tool.schema}
    return msgspec.Raw(encode({"type": "function", "function": function}))


def _metrics(step: Step) -> AtifMetrics | None:
    usage = step.usage
    shape = AtifMetrics(
        prompt_tokens=usage.input_tokens,
        completion_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        cost_usd=usage.usd,
    )
    shape.extra = with_rest(usage, read_usage(shape))
    shape.completion_token_ids = list(step.token_ids) or None
    shape.prompt_token_ids = list(step.prompt_token_ids) or None
    shape.logprobs = [number for _, number in step.logprobs] or None
    return None if shape == AtifMetrics() else shape


def _is_time(text: str | None) -> bool:
    try:
        datetime.fromisoformat(text or "")
    except ValueError:
        return False
    return True
