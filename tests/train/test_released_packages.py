"""Other people's packages play our environment: each release in an environment of its own, 200 episodes, half of them hacks."""

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
sys.argv = [sys.argv[1], "--face", sys.argv[2], "--episodes", sys.argv[3]]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def played(python: Path, face: str, episodes: int) -> tuple[int, int]:
    said = run_peer(python, PROGRAM, ROOT / "bench" / "environment.py", face, episodes, timeout=3600)
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
