"""The loop reflect as a person uses it: killed and gone on with, and with an agent whose model reads what went wrong."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import anyio.from_thread
import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.improve import BASELINE, read_state
from honestly.improve.projects import write_example
from honestly.models import ScriptedModel, assistant_message, scripted_server, tool_call
from improve.loop_parts import begun, memory_box, project, worked
from improve.test_reflect import no_gain
from improve.test_resume import plain

pytestmark = pytest.mark.slow

pytest.importorskip("gepa", reason="the extra gepa is not installed")

LINES = {
    "found The total is": "Answer with the number alone.",
    '"discount": 20': "Take off the discount before you answer.",
}


def reads_what_went_wrong(messages):
    """A model that puts a line into the prompt for what it is told of."""
    told = " ".join(str(message.text) for message in messages)
    line = next(
        (line for sign, line in LINES.items() if sign in told.rpartition("What became of")[2]), "Work step by step."
    )
    return assistant_message(
        "I see.", tool_call("bash", command=f"grep -qxF '{line}' prompt.md || echo '{line}' >> prompt.md")
    )


def test_an_agent_with_a_model_behind_an_endpoint_reads_the_feedback(tmp_path):
    folder = tmp_path / "p"
    write_example("prompt", folder)
    model = ScriptedModel([reads_what_went_wrong, assistant_message("DONE: I added a line.")], by_turn=True)
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(scripted_server(model)) as server,
    ):
        words = [
            *["improve", "--loop", "reflect", "--agent", "honest", "--seed", "1", "--budget"],
            "2 attempts",
            str(folder),
        ]
        done = CliRunner().invoke(cli, [*words, "--model", f"{server.url}#tiny", "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    found = json.loads(done.stdout)
    assert found["kept"] >= 1
    assert found["best"]["score"] > found["baseline"]
    state = read_state(folder / ".improve")
    assert "Answer with the number alone." in state.edits[state.best].write.text("prompt.md")


@pytest.mark.parametrize(("keep", "fewest", "most"), [("paired", 0, 7), ("naive", 45, 60)])
def test_sixty_loops_without_a_gain(tmp_path, keep, fewest, most):
    found = 0
    for seed in range(60):
        run = begun(project(tmp_path / f"p{seed}"), "gambler", "40 attempts", loop="reflect", seed=seed, keep=keep)
        found += worked(run, memory_box, no_gain).best != BASELINE
    assert fewest <= found <= most  # at 5% a loop, 8 or more of 60 come once in 100 times; 1% was measured in 300


def test_killed_or_interrupted_at_random_moments_then_the_same_command(tmp_path):
    quiet, killed = project(tmp_path / "quiet"), project(tmp_path / "killed")
    command = [sys.executable, "-m", "honestly", "improve", "--loop", "reflect", "--agent", "searcher"]
    command += ["--budget", "12 attempts", "--seed", "1", "--unsafe-no-sandbox"]
    subprocess.run([*command, str(quiet)], check=True, capture_output=True)
    rng, kills = random.Random(1), 0
    while True:
        job = subprocess.Popen([*command, str(killed)], start_new_session=True, stderr=subprocess.PIPE)
        if kills < 12:
            time.sleep(rng.uniform(0.6, 2.5))
            os.killpg(job.pid, rng.choice((signal.SIGKILL, signal.SIGINT)))
        _, said = job.communicate(timeout=60)
        if job.returncode == 0:
            break
        assert job.returncode in {-signal.SIGKILL, 130, 1, -signal.SIGINT}, (job.returncode, said)
        assert b"Traceback" not in said, said
        kills += 1
    states = [read_state(folder / ".improve") for folder in (quiet, killed)]
    assert kills > 0
    assert plain(states[0]) == plain(states[1])
    lines = (killed / ".improve" / "journal.jsonl").read_bytes().splitlines()
    keys = [json.loads(line)["key"] for line in lines if b'"type":"evaluated"' in line]
    assert len(keys) == len(set(keys))
