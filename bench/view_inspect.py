"""What `bench/view.py` shows to Inspect's own viewer: a study's trials as one log that Inspect itself writes.

Steps become messages, and where `events` is asked for, model and tool events as well: an event for each thing said and
for each call. Inspect runs in an environment of its own, made by `inspect_logs.environment`.
"""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import psutil

from honestly.records import Step
from honestly.store import open_study

WRITE = """
import json, sys
from inspect_ai.event import ModelEvent, ToolEvent
from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser, GenerateConfig, ModelOutput
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall

file, with_events = sys.argv[1], sys.argv[2] == "events"
samples = []
for line in sys.stdin:
    sample, epoch, outcome, steps = json.loads(line)
    messages, events = [], []
    for number, (said, command, seen) in enumerate(steps):
        if command is None:
            messages.append(ChatMessageUser(content=said))
            continue
        call = ToolCall(id=f"c{number}", function="bash", arguments={"command": command})
        messages += [
            ChatMessageAssistant(content=said, tool_calls=[call]),
            ChatMessageTool(content=seen, tool_call_id=call.id, function="bash"),
        ]
        if with_events:
            output = ModelOutput.from_message(messages[-2])
            events += [
                ModelEvent(model="m", input=[], tools=[], tool_choice="auto", config=GenerateConfig(), output=output),
                ToolEvent(id=call.id, function="bash", arguments=call.arguments, result=seen),
            ]
    score = Score(value="C" if outcome == "passed" else "I")
    samples.append(
        EvalSample(id=sample, epoch=epoch, input=steps[0][0], target="x", messages=messages, events=events,
                   scores={"match": score})
    )
spec = EvalSpec(created="2026-01-01T00:00:00+00:00", task="bench", dataset=EvalDataset(samples=len(samples)),
                model="mockllm/model", config=EvalConfig())
write_eval_log(EvalLog(status="success", eval=spec, samples=samples), file)
"""


def write_log(python: Path, study: Path, file: Path, *, events: bool = False) -> None:
    """The trials of a study, those of the first agent as epoch 1, as a log of Inspect."""
    command = [str(python), "-c", WRITE, str(file), "events" if events else "messages"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, text=True) as writer, open_study(study) as store:
        assert writer.stdin is not None
        epochs = {agent.name: number for number, agent in enumerate(store.agents(), 1)}
        for trial in store.trials():
            steps = [_said(step) for step in store.steps(trial.id)]
            json.dump([trial.task, epochs[trial.agent], trial.outcome.value, steps], writer.stdin)
            writer.stdin.write("\n")
    if writer.returncode:
        raise SystemExit("Inspect could not write the log")


def _said(step: Step) -> tuple[str, str | None, str]:
    """What was said, what was called, and what came back."""
    call, seen = next(iter(step.calls), None), next(islice(step.observations, 1), None)
    return step.message, str(call.argument("command")) if call else None, seen.text if seen else ""


def _wait(port: int) -> None:
    end = time.monotonic() + 120
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
        else:
            return


@contextmanager
def inspect_served(python: Path, folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """`inspect view` of a folder: its address, and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(python.with_name("inspect")), "view", "start", "--log-dir", str(folder), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as viewer:
        address = f"http://127.0.0.1:{port}/"
        try:
            _wait(port)
            yield address, psutil.Process(viewer.pid)
        finally:
            viewer.terminate()
