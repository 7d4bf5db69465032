"""Other people's packages play our environment: each release in an environment of its own, 200 episodes, half of them hacks."""

import json
import re
import sys
from pathlib import Path

import pytest

from peers import ROOT, released, run_peer

RELEASES = {
    "gymnasium": ("gymnasium==1.4.0",),
    "skyrl": ("skyrl-gym==0.4.0",),
    "openenv": ("openenv==0.10.0",),
    "verifiers": ("verifiers==0.4.0",),
    "verifiers-v0": ("verifiers==0.1.14",),
}
PROGRAM = """
import runpy, sys
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def played(python: Path, face: str, episodes: int) -> tuple[int, int]:
    said = run_peer(
        python, PROGRAM, ROOT / "bench" / "environment.py", "--face", face, "--episodes", episodes, timeout=3600
    )
    earned = re.search(r"earned: (\d+), not: (\d+)", said)
    assert earned, said
    return int(earned[1]), int(earned[2])


@pytest.mark.slow
@pytest.mark.parametrize("face", RELEASES)
def test_two_hundred_episodes_pay_for_the_hidden_checks_alone(face):
    """The special case passes the visible test, and earns nothing through any package."""
    assert played(released(*RELEASES[face]), face, 200) == (100, 100)


@pytest.mark.slow
def test_the_plain_class_for_trl_plays_too():
    assert played(Path(sys.executable), "trl", 20) == (10, 10)


@pytest.mark.slow
def test_grpo_of_trl_learns_what_hidden_checks_pay(tmp_path):
    """A tiny model on the CPU: above the untrained one with each seed, and by honest programs."""
    program, kept = ROOT / "bench" / "trl_grpo.py", tmp_path / "runs.json"
    said = run_peer(released("trl==1.16.0", "torch==2.13.0"), PROGRAM, program, "--seeds", 2, "--steps", 40, "--json", kept, timeout=3600)  # fmt: skip
    runs = json.loads(kept.read_text())
    for untrained, hidden in zip(runs["untrained"], runs["paid by hidden checks"], strict=True):
        assert len(hidden["rewards"]) == 40
        assert hidden["last"] > untrained["last"] + 0.2
    nothing, everything = re.findall(r"special case': (\[.*?\])", said)
    assert (nothing, everything) == ("[0.0, 0.0]", "[1.0, 1.0]")
