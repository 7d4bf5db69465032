"""Runs a trial once more, offline: what the model said is given again, everything else really happens.

The agent is made anew from its record; its model is the trial's own recording: the cassette of our agent, the proxy's
record of an external one. Commands run, files change, the work is judged. What comes is compared with what was
recorded. A request that differs from the recorded one only in what differs from run to run gets its answer all the
same, and so does one that differs in more, since only then can be seen where that leads; every such place is told.
What a person did in a terminal is done again without them: each command in one shell, an editor's edit as it was
recorded. Statuses and files must come again; what was printed may differ, since there is no terminal.
Arguments of calls are compared as what they mean: the order of JSON's keys and its spaces are no difference.
"""

import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from msgspec.structs import replace as replace_record

from honestly._loose import canonical_json
from honestly.agents import CASSETTE, MODEL_RECORD, Run, agent_again, seed_record
from honestly.errors import AgentError, ModelError
from honestly.models import (
    NO_SETTINGS,
    Answer,
    Cassette,
    Message,
    Recorded,
    ScriptedModel,
    Settings,
    ToolSpec,
    read_cassette,
    read_exchanges,
)
from honestly.records import Agent, Edit, Observation, Step, Task, Trajectory, Trial, decode, trial_id
from honestly.runner._attempt import TrialResult, run_attempt
from honestly.runner._plan import Planned
from honestly.sandbox import Sandbox
from honestly.scratch import scratch_folder
from honestly.store import Store
from honestly.tools import Tool, default_tools
from honestly.verify import OpenBox

_NOISE = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d[:-]\d\d[:-]\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\b\d\d:\d\d:\d\d(?:\.\d+)?\b"
    r"|\b\d+(?:\.\d+)? ?(?:ms|secs?|seconds|s)\b"
    r"|\b0x[0-9a-f]+\b"
    r"|(?<![A-Za-z0-9])(?=[0-9a-f-]{0,40}[0-9])(?=[0-9a-f-]{0,40}[a-f])[0-9a-f]{6}[0-9a-f-]{0,60}\b"
    r"|(?i:\b(?:pid|pgid|process group|port)\W{1,3}\d+)"
    r"|\bChunk ID: [0-9a-f]+"
    r"|127\.0\.0\.1:\d+"
    r"|/tmp/[^\s'\"]{1,200}"
)
_STATUS = re.compile(r"\[exit status -?\d+\]\Z")
_SHOWN = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where they differ."""

    step: int
    """Index of the step, from 0."""
    what: str
    """`message`, `call 1`, `observation 1`, `step`, ..."""
    expected: str
    """What was recorded, shortened; empty where nothing stood there."""
    came: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayComparison:
    """The result of a comparison."""

    steps: int
    """Steps that both have."""
    differences: tuple[Difference, ...]
    noise: tuple[Difference, ...]
    """Where they differ in clocks, durations, names and the like only."""


def compare_trajectories(recorded: Trajectory, replayed: Trajectory) -> ReplayComparison:
    """Where two trajectories differ; clocks, durations, addresses and random names count as noise."""
    differences: list[Difference] = []
    noise: list[Difference] = []
    for found in _step_differences(recorded.steps, replayed.steps):
        alike = without_noise(found.expected) == without_noise(found.came) and found.what != "step"
        # A difference whose texts begin shortly before they differ.
        start = max(0, _common_length(found.expected, found.came) - 80)
        shown = slice(start, start + _SHOWN)
        (noise if alike else differences).append(replace(found, expected=found.expected[shown], came=found.came[shown]))
    steps = min(len(recorded.steps), len(replayed.steps))
    return ReplayComparison(steps=steps, differences=tuple(differences), noise=tuple(noise))


def without_noise(text: str) -> str:
    """A text with a mark in the place of everything that differs from run to run."""
    return _NOISE.sub("#", text)


def _step_differences(ones: Sequence[Step], others: Sequence[Step]) -> Iterator[Difference]:
    for number, (one, other) in enumerate(zip(ones, others, strict=False)):
        then, now = dict(_step_texts(one)), dict(_step_texts(other))
        for what in [*then, *(key for key in now if key not in then)]:
            if then.get(what) != now.get(what):
                yield Difference(step=number, what=what, expected=then.get(what, ""), came=now.get(what, ""))
    shared = min(len(ones), len(others))
    for number, step in enumerate(ones[shared:], shared):
        yield Difference(step=number, what="step", expected=_step_outline(step), came="")
    for number, step in enumerate(others[shared:], shared):
        yield Difference(step=number, what="step", expected="", came=_step_outline(step))


def _step_texts(step: Step) -> Iterator[tuple[str, str]]:
    """The texts of a step that must come again. Times, tokens and names of calls are how it happened, not what."""
    yield "source", f"{step.source} {step.thread}".strip()
    yield "message", step.message
    yield "reasoning", step.reasoning
    for number, call in enumerate(step.calls, 1):
        arguments = {
            name: canonical_json(bytes(raw).decode("utf-8", "replace")) for name, raw in call.arguments.items()
        }
        yield f"call {number}", f"{call.name} {dict(sorted(arguments.items()))}"
    for number, seen in enumerate(step.observations, 1):
        code = "" if seen.code is None else f" [exit status {seen.code}]"
        yield f"observation {number}", seen.text + code
    yield "images", ", ".join(f"{image.media_type} {len(image.data)}" for image in step.images)


def _step_outline(step: Step) -> str:
    return f"{step.source}: {step.message}{''.join(f' {call.name}()' for call in step.calls)}"


def _common_length(ones: Sequence[str], others: Sequence[str]) -> int:
    """How long two sequences are the same from their beginning."""
    pairs = zip(ones, others, strict=False)
    return next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(ones), len(others)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A trial with everything that its study has about it."""

    trial: Trial
    agent: Agent
    task: Task
    trajectory: Trajectory
    artifacts: Mapping[str, bytes]
    """At least the recording of its model, and `final.json`."""
    seed: int = 0
    """Of the study: a trial under a prompt arm has the seeds of the trial without it."""


def read_original(study: Store, trial_id: str) -> Original:
    """Read all that a study holds of a trial.

    Raises:
        StoreError: The study has no such trial, or is damaged.
    """
    trial = study.trial(trial_id)
    return Original(
        seed=study.facts().seed or 0,
        trial=trial,
        agent=next(agent for agent in study.agents() if agent.name == trial.agent),
        task=study.task(trial.task),
        trajectory=study.trajectory(trial_id) or Trajectory(),
        artifacts={name: study.artifact(trial_id, name) for name in study.artifacts(trial_id)},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The result of a replay."""

    compared: ReplayComparison
    asked: tuple[str, ...]
    """Where the agent asked its model something else than was recorded, in the order in which it happened."""
    left: int
    """Recorded answers that nobody asked for."""
    files: tuple[str, ...]
    """Files that were left in another state."""
    version: str
    """The program's version, where it is not the recorded one."""
    again: TrialResult

    @property
    def is_same(self) -> bool:
        """Whether the same happened, up to what differs from run to run."""
        return not (self.compared.differences or self.files or self.left)


async def replay_trial(original: Original, open_box: OpenBox, folder: Path | None = None) -> Replay:
    """Replays a trial.

    Args:
        original: The trial.
        open_box: Opens a sandbox.
        folder: Where an external agent's program is installed; None for the search path.

    Raises:
        AgentError: The trial has no recording of its model, or its agent cannot be made again here.
    """
    record, artifacts = original.agent, original.artifacts
    if record.program == "person":
        return await _replay_person(original, open_box)
    tape: _Tape | Recorded
    if CASSETTE in artifacts:
        tape = _Tape(record.model, read_cassette(artifacts[CASSETTE]))
        actor = agent_again(record, tape)
    elif MODEL_RECORD in artifacts:
        # A proxy's record, which answers behind another proxy.
        with scratch_folder("replay") as recorded_folder:
            path = recorded_folder / MODEL_RECORD
            path.write_bytes(artifacts[MODEL_RECORD])
            tape = Recorded(exchange for exchange in read_exchanges(path) if exchange.request.operation == "answer")
        nobody = ScriptedModel((), name=record.model)  # is asked nothing: the record answers in its place
        actor = agent_again(record, nobody, behind=tape, folder=folder)
    else:
        raise AgentError(
            f"trial {original.trial.id} has no recording of a model ({CASSETTE} or {MODEL_RECORD} among its artifacts)"
        )
    trial, plain = original.trial, seed_record(original.agent)
    seeds = trial_id(original.task.hash, plain.hash, trial.sample, original.seed) if plain != original.agent else ""
    again = await run_attempt(Planned(trial.id, original.task, actor, trial.sample, seeds), open_box)
    version = actor.record.version
    return Replay(
        compared=compare_trajectories(original.trajectory, again.trajectory),
        asked=tuple(tape.asked if isinstance(tape, _Tape) else _asked_otherwise(tape)),
        left=tape.left,
        files=_changed(original, again),
        version=version if version != record.version else "",
        again=again,
    )


class _Person:
    """What a person did, done again."""

    def __init__(self, original: Original) -> None:
        self.record, self._steps = original.agent, original.trajectory.steps

    async def __call__(self, run: Run, box: Sandbox) -> None:
        (bash,) = default_tools(["bash"])
        try:
            for step in self._steps:
                run.steps.append(
                    replace_record(step, observations=[seen async for seen in _seen_again(step, bash, box)])
                )
        finally:
            await bash.close()
        run.stop = "done"


async def _seen_again(step: Step, bash: Tool, box: Sandbox) -> AsyncIterator[Observation]:
    for call in step.calls:
        if call.name == "bash":
            done = await bash(box, {"command": call.argument("command")})
            yield Observation(text=done.text, call_id=call.id, code=done.code)
        elif call.name == "write":
            await box.write(str(call.argument("path")), str(call.argument("content")).encode())
    for seen in step.observations:  # of full-screen programs, and diffs, which follow from the files
        if not any(call.id == seen.call_id and call.name == "bash" for call in step.calls):
            yield seen


async def _replay_person(original: Original, open_box: OpenBox) -> Replay:
    if any(call.name == "browser" for step in original.trajectory.steps for call in step.calls):
        raise AgentError("recorded actions in a browser cannot be replayed, because the pages may have changed")
    trial = original.trial
    again = await run_attempt(Planned(trial.id, original.task, _Person(original), trial.sample), open_box)
    compared = compare_trajectories(original.trajectory, again.trajectory)
    statuses = [
        each
        for each in compared.differences
        if not each.what.startswith("observation") or _STATUS.findall(each.expected) != _STATUS.findall(each.came)
    ]
    noise = [each for each in compared.differences if each not in statuses]
    compared = replace(compared, differences=tuple(statuses), noise=(*compared.noise, *noise))
    return Replay(compared=compared, asked=(), left=0, files=_changed(original, again), version="", again=again)


def _changed(original: Original, again: TrialResult) -> tuple[str, ...]:
    if "final.json" not in original.artifacts:
        return ()
    then, now = decode(original.artifacts["final.json"], Edit), again.final
    written = {path: file for edit in (then, now) for path, file in edit.write.files.items()}
    differing = {path for path in written if then.write.files.get(path) != now.write.files.get(path)}
    return tuple(sorted(differing | set(then.delete) ^ set(now.delete)))


def _asked_otherwise(recorded: Recorded) -> list[str]:
    return [
        f"{found.path or 'the request'}: {found.recorded!r} was recorded, {found.found!r} came"
        for found in recorded.divergences
        if without_noise(found.recorded) != without_noise(found.found)
    ]


class _Tape:
    """A cassette, whose answers are given to whom they were given, or to whoever comes nearest."""

    def __init__(self, name: str, cassette: Cassette) -> None:
        self.name = name
        self.asked: list[str] = []
        self._cassette = cassette
        self._waiting = list(cassette.answers)
        self._shown = cache(lambda digest: _shown_message(cassette.message(digest)))

    @property
    def left(self) -> int:
        return len(self._waiting)

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The answer to the recorded conversation that is most like this one; each is given once."""
        del tools, settings  # the agent's record holds them, and it is the same agent
        if not self._waiting:
            self.asked.append("an answer beyond the last recorded one")
            raise ModelError("all recorded answers were given, and another one was asked for")
        now = [_shown_message(message) for message in messages]
        answer = max(self._waiting, key=lambda one: self._shared_messages(one, now))
        self._waiting.remove(answer)
        then = [self._shown(digest) for digest in self._cassette.chain_digests(answer.at)]
        if then != now:
            at = _common_length(then, now)
            one, other = (side[at] if at < len(side) else "nothing" for side in (then, now))
            self.asked.append(f"message {at + 1}: {one[:200]!r} was recorded, {other[:200]!r} came")
        return answer.message()

    def _shared_messages(self, answer: Answer, now: Sequence[str]) -> tuple[int, int]:
        """How many messages at the beginning are alike, and how near the lengths are."""
        then = [self._shown(digest) for digest in self._cassette.chain_digests(answer.at)]
        return _common_length(then, now), -abs(len(then) - len(now))


def _shown_message(message: Message) -> str:
    calls = "".join(f" {call.name}({canonical_json(call.arguments)})" for call in message.calls)
    return f"[{message.role}] {without_noise(message.text + calls)}"
