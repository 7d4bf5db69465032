"""Runs that somebody interrupts: they end cleanly, and say what is kept. Those that are killed: `tests/faults`."""

import signal
import subprocess
import time

import pytest

from disturbed import begun, command, descendants, gone

TRIALS = 54


@pytest.mark.slow
def test_ctrl_c_twice_ends_cleanly_and_says_what_is_kept(tmp_path):
    out = tmp_path / "s.honestly"
    process = subprocess.Popen(command(out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while len(begun(out)) < 2:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    children = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    time.sleep(0.05)  # two at once would be one
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert f"of {TRIALS} trials; run the same command" in errors
    assert gone(children)
    assert 2 <= len(begun(out)) < TRIALS
