"""Trajectories in ATIF v1.7, there and back (Harbor's RFC 0001; v1.0 to v1.8 are read).

`to_atif` writes a trial with its trajectory as one document: the agent's own steps, and those of each helper as an
embedded trajectory. `from_atif` reads one, ours or anybody's. What a file says that our records have no place for is
listed, path by path (`lost`); from our own files nothing is lost. A trajectory without steps cannot be said in ATIF,
and no step is made up for it.
"""

import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from honestly.errors import FormatError
from honestly.formats.atif._read import Load, read_step, read_tools
from honestly.formats.atif._shape import KEY, VERSION, AtifAgent, AtifFile, AtifTotals, restored_extra, with_rest
from honestly.formats.atif._write import AtifWriter, tool_shape
from honestly.records import Agent, Record, Step, Tags, Trajectory, Trial, Usage, encode


class AtifTask(Record, frozen=True, kw_only=True):
    """A document's part about the task: its public part, without files."""

    id: str
    version: str = "1"
    instruction: str = ""
    tags: Tags = Tags()
    """What kind of task it is; of an impossible one no score is taken."""


class _Ours(Record, frozen=True, kw_only=True):
    """The content of a document's own `extra.honestly`."""

    trial: Trial | None = None
    agent: Agent | None = None
    task: AtifTask | None = None
    order: tuple[int, ...] = ()
    """For each step the document it stands in: 0 the outer one, n the n-th embedded one; empty where they follow one
    another."""
    trajectory: dict[str, msgspec.Raw] = {}
    """Fields of the trajectory that ATIF has no words for."""


@dataclass(frozen=True, slots=True)
class AtifDocument:
    """An ATIF file to write, and the images that belong beside it."""

    data: bytes
    images: Mapping[str, bytes]
    """Content of each image by its path, relative to the file."""


@dataclass(frozen=True, slots=True)
class AtifTrial:
    """The content of an ATIF file, in our records."""

    trajectory: Trajectory
    agent: Agent
    trial: Trial | None
    """Only our own files hold it."""
    task: AtifTask | None
    usage: Usage
    """What the file says of the whole."""
    lost: tuple[str, ...]
    """What of the file has no place in our records: `steps[].extra.score`."""


def to_atif(
    trajectory: Trajectory, agent: Agent, *, trial: Trial | None = None, task: AtifTask | None = None
) -> AtifDocument:
    """Write a trajectory as an ATIF document.

    Args:
        trajectory: its steps, at least one.
        agent: who acted.
        trial: what came of it; read back by `from_atif`, ignored by other programs.
        task: what was asked, without files.

    Raises:
        FormatError: it has no step.
    """
    if not trajectory.steps:
        raise FormatError("a trajectory without steps cannot be written in ATIF, which needs at least one")
    threads = _threads(trajectory.steps)
    places = [threads.index(step.thread) if len(threads) > 1 else 0 for step in trajectory.steps]
    writer = AtifWriter()
    documents = [
        AtifFile(
            schema_version=VERSION,
            trajectory_id=thread or None,
            agent=AtifAgent(name=agent.name, version=agent.version, model_name=agent.model or None),
            steps=[
                writer.step_shape(step, number, thread)
                for number, step in enumerate(itertools.compress(trajectory.steps, (at == n for at in places)), 1)
            ],
        )
        for n, thread in enumerate(threads)
    ]
    shape = documents[0]
    shape.agent.tool_definitions = [tool_shape(tool) for tool in trajectory.tools] or None
    shape.session_id = trajectory.session or (trial.id if trial else None)
    shape.trajectory_id = trial.id if trial else None
    shape.notes = trajectory.notes or None
    shape.continued_trajectory_ref = trajectory.continued or None
    shape.subagent_trajectories = documents[1:] or None
    shape.final_metrics = _totals(trial.usage, len(trajectory.steps)) if trial else None
    rest = with_rest(replace(trajectory, steps=()), _head_trajectory(shape))
    ours = _Ours(
        trial=trial,
        agent=agent,
        task=task,
        order=() if places == sorted(places) else tuple(places),
        trajectory=msgspec.json.decode(rest[KEY], type=dict[str, msgspec.Raw]) if rest else {},
    )
    shape.extra = {KEY: msgspec.Raw(encode(ours))}
    return AtifDocument(msgspec.json.encode(shape), writer.images)


def from_atif(data: bytes, load: Load = lambda _path: b"") -> AtifTrial:
    """Read an ATIF document.

    Args:
        data: the file.
        load: gives the bytes of an image by its path; empty where it cannot be had.

    Raises:
        FormatError: it is not a trajectory in ATIF.
    """
    try:
        return _read_document(data, load)
    except RecursionError as error:
        raise FormatError("no trajectory in ATIF: nested too deeply") from error


def _read_document(data: bytes, load: Load) -> AtifTrial:
    shape, plain = _parsed_document(data)
    if not shape.extra or KEY not in shape.extra:
        ours = None
    else:
        try:
            ours = msgspec.json.decode(shape.extra[KEY], type=_Ours)
        except (msgspec.DecodeError, RecursionError) as error:
            raise FormatError(f"extra.{KEY}: {error}") from error
    parts = [
        [read_step(step, load, thread) for step in document.steps] for thread, document in _embedded_documents(shape)
    ]
    trajectory = replace(_head_trajectory(shape), steps=_merged_steps(parts, ours.order if ours else ()))
    if ours and ours.trajectory:
        trajectory = restored_extra(trajectory, {KEY: msgspec.Raw(encode(ours.trajectory))})
    agent, said = ours.agent if ours else None, shape.agent
    agent = agent or Agent(name=said.name, program=said.name, version=said.version, model=said.model_name or "")
    lost: set[str] = set()
    # Our own files are exact by construction; of others, what would be written again tells.
    if ours is None:
        again = json.loads(to_atif(trajectory, agent).data)
        lost = _key_paths(plain) - _key_paths(again) - _DERIVED
    return AtifTrial(
        trajectory=trajectory,
        agent=agent,
        trial=ours.trial if ours else None,
        task=ours.task if ours else None,
        usage=_atif_usage(shape.final_metrics),
        lost=tuple(sorted(lost)),
    )


# What a file may say and we don't keep in a trajectory, since the trial holds it.
_DERIVED = frozenset({"final_metrics", "trajectory_id", *(f"final_metrics.{n}" for n in AtifTotals.__struct_fields__)})


def _threads(steps: Sequence[Step]) -> list[str]:
    """The threads, the agent's own first; that alone where it has no step."""
    threads = list(dict.fromkeys(step.thread for step in steps))
    return ["", *filter(None, threads)] if "" in threads else [""]


def _embedded_documents(shape: AtifFile, thread: str = "") -> Iterator[tuple[str, AtifFile]]:
    """The document and all that are embedded in it, with the names of their threads."""
    if not shape.steps:
        raise FormatError("a trajectory in ATIF has at least one step; this has none")
    yield thread, shape
    for number, embedded in enumerate(shape.subagent_trajectories or (), 1):
        yield from _embedded_documents(embedded, embedded.trajectory_id or f"{thread}/{number}".lstrip("/"))


def _merged_steps(parts: Sequence[Sequence[Step]], order: Sequence[int]) -> tuple[Step, ...]:
    """The steps of all documents in the order in which they happened, where it is known."""
    if not order:
        return tuple(step for part in parts for step in part)
    left = [iter(part) for part in parts]
    try:
        steps = tuple(next(left[at]) for at in order if at >= 0)
    except (IndexError, RuntimeError):
        steps = ()
    if len(steps) != sum(map(len, parts)):
        raise FormatError(f"extra.{KEY}.order does not fit the steps")
    return steps


def _head_trajectory(shape: AtifFile) -> Trajectory:
    return Trajectory(
        session=shape.session_id or "",
        tools=read_tools(shape.agent.tool_definitions or ()),
        continued=shape.continued_trajectory_ref or "",
        notes=shape.notes or "",
    )


def _totals(usage: Usage, steps: int) -> AtifTotals:
    return AtifTotals(
        total_prompt_tokens=usage.input_tokens,
        total_completion_tokens=usage.output_tokens,
        total_cached_tokens=usage.cached_tokens,
        total_cost_usd=usage.usd,
        total_steps=steps,
    )


def _atif_usage(shape: AtifTotals | None) -> Usage:
    if shape is None:
        return Usage()
    return Usage(
        input_tokens=shape.total_prompt_tokens,
        output_tokens=shape.total_completion_tokens,
        cached_tokens=shape.total_cached_tokens,
        usd=shape.total_cost_usd,
    )


def _parsed_document(data: bytes) -> tuple[AtifFile, object]:
    try:
        plain = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from error
    version = plain.get("schema_version") if isinstance(plain, dict) else None
    if not (isinstance(version, str) and version.startswith("ATIF-v1.")):
        raise FormatError("no trajectory in ATIF: expected an object with schema_version ATIF-v1.0 to ATIF-v1.8")
    try:
        # Arguments of tools stay as they are, so that nothing else would look at them.
        msgspec.json.decode(data)
        return msgspec.json.decode(data, type=AtifFile), plain
    except (msgspec.DecodeError, RecursionError) as error:
        try:
            return msgspec.json.decode(json.dumps(_mended_value(plain)), type=AtifFile), plain
        except (msgspec.DecodeError, RecursionError):
            raise FormatError(f"no trajectory in ATIF: {error}") from error


def _mended_value(value: object) -> object:
    """Plain data without what Python's JSON lets through: NaN becomes null, half surrogate pairs their escapes."""
    if isinstance(value, dict):
        return {_mended_value(key): _mended_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_mended_value(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _key_paths(value: object, prefix: str = "") -> set[str]:
    """The keys of plain data by their paths, places in lists left out; arguments of tools are one key."""
    found: set[str] = set()
    if isinstance(value, dict):
        for key, item in value.items():
            path = f"{prefix}.{key}" if prefix else str(key)
            if item is not None and item != [] and item != {}:
                found.add(path)
            if not path.endswith((".arguments", ".parameters")):
                found |= _key_paths(item, path)
    elif isinstance(value, list):
        kinds = [item.get("type") for item in value if isinstance(item, dict) and "type" in item]
        if kinds:
            found.add(f"{prefix}[{', '.join(map(str, kinds))}]")
        for item in value:
            found |= _key_paths(item, f"{prefix}[]")
    return found
