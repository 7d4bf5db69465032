"""A real `honestly run` beside a real browser: steps appear as they happen, and a killed run leaves no ghost."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from honestly.store import live_trials, open_study

AGENT = """
import os, pathlib
import anyio
from honestly.agents import Hands

GATE = pathlib.Path(os.environ["GATE"])

async def slow(run, box):
    hands = Hands(run, box)
    for number in range(3):
        while not (GATE / str(number)).exists():
            await anyio.sleep(0.02)
        await hands.bash(f"echo so far {number}")
    hands.finish("done", claimed=False)
"""


@pytest.fixture
def begin(tmp_path):
    """Begins a run whose agent takes a step for each file in the folder `gate`."""
    (tmp_path / "slow_agent.py").write_text(AGENT)
    (tmp_path / "gate").mkdir()
    processes = []

    def start():
        words = "-m honestly run embedded --task split-bill --agent slow_agent:slow --no-preflight --out s.honestly"
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "GATE": str(tmp_path / "gate")}
        command = [sys.executable, *words.split()]
        processes.append(subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL))
        end = time.monotonic() + 60
        while not live_trials(tmp_path / "s.honestly"):
            assert time.monotonic() < end, "the run never began"
            time.sleep(0.05)
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_run_is_followed_to_its_end_and_a_killed_one_is_told(tmp_path, viewer, begin, open_page):
    study, gate = tmp_path / "s.honestly", tmp_path / "gate"
    killed = begin()
    with viewer(study) as view:
        page = open_page(view)
        page.get_by_role("link", name="1 running now").click()
        page.get_by_role("link", name=re.compile("slow")).click()
        page.get_by_text("running …").wait_for(state="attached")
        (gate / "0").touch()
        page.get_by_text("so far 0").first.wait_for()
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        page.get_by_text("It runs no more, and is not in the study").wait_for(timeout=30_000)

        process = begin()
        page.goto(view.study("live"))
        page.get_by_role("link", name=re.compile("slow")).click()
        (gate / "1").touch()
        page.get_by_text("so far 1").first.wait_for()
        (gate / "2").touch()
        page.get_by_role("link", name="All of it").click(timeout=60_000)
        page.locator(".step", has_text="so far 2").first.wait_for()
        assert process.wait(60) == 0
        page.goto(view.study())
        page.get_by_text("1 trials").first.wait_for()
    with open_study(study) as opened:
        assert len(opened.trial_ids()) == 1
