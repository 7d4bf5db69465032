"""What one turn of an agent costs in CPU, with its tool call: ours in a sandbox, beside inspect-ai's react agent.

python bench/agent.py

Both play the same script: a model that answers at once and asks for `echo hi` in a shell, over and over, and then
ends. Ours runs it in a sandbox of namespaces and keeps the trajectory, a cassette and a journal on disk; inspect-ai
runs it with its `local` sandbox, which isolates nothing, and keeps its log. A turn's cost is the difference between a
long and a short run, so that starting up, imports and the sandbox's opening do not count; children are counted.
inspect-ai gets an environment of its own, made once in the temporary directory. Neither talks to a network.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

SHORT, LONG, ROUNDS = 20, 120, 3
HOME = Path(tempfile.gettempdir()) / "honestly-bench-inspect"

OURS = """
import sys
from pathlib import Path
import anyio
from honestly.agents import AgentLimits, Honest, Run
from honestly.models import ScriptedModel, assistant_message, tool_call
from honestly.records import Task, Trajectory, Tree, encode
from honestly.runner._written_steps import written_steps
from honestly.sandbox import open_sandbox
from honestly.store import Running

turns = int(sys.argv[1])
script = [assistant_message("", tool_call("bash", command="echo hi")) for _ in range(turns)]
script.append(assistant_message("", tool_call("finish", outcome="done", summary="x")))

async def main():
    agent = Honest(ScriptedModel(script), tools=("bash",), limits=AgentLimits(turns=None))
    task = Task(id="t", instruction="Do it.")
    running = Running(id="t", agent="a", task="t", sample=0, started_at="")
    with written_steps(Path(sys.argv[2], "unfinished"), running) as steps:
        run = Run(task=task, seed=0, steps=steps)
        async with open_sandbox(task.workspace) as box:
            await agent(run, box)
    assert run.stop == "done"
    assert sum(seen.text == "hi" for step in run.steps for seen in step.observations) == turns
    Path(sys.argv[2], "trajectory.json").write_bytes(encode(run.trajectory()))

anyio.run(main)
"""

THEIRS = """
import sys
from inspect_ai import Task, eval
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.tool import bash

turns = int(sys.argv[1])
script = [ModelOutput.for_tool_call("mockllm/model", "bash", {"command": "echo hi"}) for _ in range(turns)]
script.append(ModelOutput.for_tool_call("mockllm/model", "submit", {"answer": "x"}))
for output in script:  # without a usage of its own it is counted, with a vocabulary that has to be downloaded
    output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
task = Task(dataset=[Sample(input="Do it.")], solver=react(tools=[bash(timeout=60)]), sandbox="local")
model = get_model("mockllm/model", custom_outputs=script)
(log,) = eval(task, model=model, display="none", log_dir=sys.argv[2], message_limit=None)
assert log.status == "success", str(log.error)[:500]
said = [message.text for message in log.samples[0].messages if message.role == "tool"]
assert sum(text.strip() == "hi" for text in said) == turns, said[:3]
"""


def python_of_inspect() -> str:
    """The interpreter of an environment with inspect-ai, which is made if it is not there."""
    python = HOME / "bin" / "python"
    if not (HOME / "ready").exists():
        venv.create(HOME, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "inspect-ai", "openai"], check=True)
        (HOME / "ready").touch()
    return str(python)


def cpu(python: str, program: str, turns: int) -> float:
    """CPU seconds of a run with so many turns, its children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, "-c", program, str(turns), folder], check=True, env={**os.environ, "TMPDIR": folder})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Prints milliseconds per turn of both, and their ratio, from interleaved rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    programs = {"honestly": (sys.executable, OURS), "inspect-ai": (python_of_inspect(), THEIRS)}
    turn = {name: [] for name in programs}
    whole = {name: [] for name in programs}
    for _ in range(rounds):
        for name, (python, program) in programs.items():
            short, long = cpu(python, program, SHORT), cpu(python, program, LONG)
            turn[name].append(1000 * (long - short) / (LONG - SHORT))
            whole[name].append(short)
    for name in programs:
        print(
            f"{name:12} {statistics.median(turn[name]):8.2f} ms CPU per turn   "
            f"{statistics.median(whole[name]):6.2f} s CPU for a whole run of {SHORT} turns"
        )
    ratio = statistics.median(turn["inspect-ai"]) / statistics.median(turn["honestly"])
    print(f"inspect-ai / honestly: {ratio:.0f} times the CPU per turn")


if __name__ == "__main__":
    main()
