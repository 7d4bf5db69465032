"""Agents that people use, in a loop, on a scripted model: their change is frozen, measured and kept as a proposer's is."""

import json
import subprocess
import sys

import pytest

from external_programs import installed

pytestmark = pytest.mark.slow

EDIT = "sed -i 's/^DEGREE = 2/DEGREE = 5/; s/^PENALTY = 3.0/PENALTY = 0.01/' train.py"
CALLS = {
    "honest": {"name": "bash", "arguments": {"command": EDIT}},
    "claude-code": {"name": "Bash", "arguments": {"command": EDIT, "description": "Lower the penalty."}},
    "codex": {"name": "exec_command", "arguments": {"cmd": EDIT}},
}


def honestly(*words, cwd):
    command = [sys.executable, "-m", "honestly", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("name", CALLS)
def test_a_real_agent_improves_a_project(tmp_path, name):
    script = tmp_path / "script.jsonl"
    used = {"input_tokens": 100, "output_tokens": 7}
    turns = [{"text": "I change it.", "calls": [CALLS[name]], "usage": used}, *[{"text": "Done.", "usage": used}] * 2]
    script.write_text("\n".join(map(json.dumps, turns)))
    agent = name if name == "honest" else f"{name}:path={installed(name)}"
    begun = ("improve", "p", "--new", "curve", "--agent", agent, "--model", f"script:{script}")
    done = honestly(*begun, "--budget", "2 attempts", "--seed", 1, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    status = json.loads(done.stdout)
    assert status["kept"] == 1, done.stderr
    assert status["best"]["score"] < 0.5 * status["baseline"]
    assert status["budget"]["spent"]["tokens"] >= 200
    assert "+PENALTY = 0.01" in honestly("improve", "p", "show", 1, cwd=tmp_path).stdout
    proved = honestly("improve", "prove", "p", "--json", cwd=tmp_path)
    said = json.loads(proved.stdout)
    assert said["over_baseline"]["verdict"] == "better", proved.stderr
    # The agent makes the same change without feedback: best-of-N is as good, and the loop is not said to help.
    assert (said["verdict"], said["best_of_n"]) == ("cannot tell", said["best"])
