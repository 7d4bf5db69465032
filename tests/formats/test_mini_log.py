"""The terminal log of mini-swe-agent: what is read, and what is refused rather than guessed."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from tb_trees import Read, write_run

from honestly.formats.terminal_bench._logs import read_mini_log, was_not_found
from honestly.records import encode

ESC = "\x1b"
RULE = f"{ESC}[92m{'─' * 80}{ESC}[0m\n"
SPIN = f"{ESC}[32m⠸{ESC}[0m Waiting for the LM to respond...\r{ESC}[2K"
LITELLM = (
    f"{ESC}[92m04:14:04 - LiteLLM:ERROR{ESC}[0m: litellm_logging.py:4483 - Error\n"
    'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    x\nImportError: no\n'
    "\nDuring handling of the above exception, another exception occurred:\n\n"
    'Traceback (most recent call last):\n  File "b.py", line 2, in g\n    y\nImportError: also no\n'
)


def heading(step: int, usd: str = "0.00") -> str:
    return (
        f"\n{ESC}[1;31mmini-swe-agent{ESC}[0m{ESC}[31m (step {ESC}[0m{ESC}[1;31m{step}{ESC}[0m{ESC}[31m, "
        f"{ESC}[0m{ESC}[1;31m${usd}{ESC}[0m{ESC}[31m):{ESC}[0m\n"
    )


def role(name: str) -> str:
    return f"\n{ESC}[1;32m{name}{ESC}[0m:\n"


def turn(step: int, said: str, observed: str, usd: str = "0.00") -> str:
    """A step with all the noise that surrounds it."""
    return (
        f"{RULE}{ESC}[?25l{SPIN * 3}{heading(step, usd)}{SPIN}{said}\n{SPIN[:-5]}\n{ESC}[?25h\r{ESC}[1A{ESC}[2K"
        f"{role('User')}{observed}\n"
    )


def log(*turns: str, end: str = "\nSaved trajectory to '/home/x.traj.json'\nroot@x:/app# exit\n") -> bytes:
    text = f"root@x:/app# mini -t 'Do it'\n{role('System')}You help.\n{role('User')}Do it.\n{''.join(turns)}{end}"
    return text.replace("\n", "\r\n").encode()


LS = "THOUGHT: look.\n\n```bash\nls -la\n```"
DONE = "Done.\n\n```bash\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```"


def test_the_steps_of_a_log():
    got = read_mini_log(
        log(
            turn(1, LS, "<returncode>0</returncode>\n<output>\na.py\n</output>"),
            turn(2, "```bash\nfalse\n```", "<returncode>-9</returncode>\n<output>\n</output>", "0.05"),
            turn(3, DONE, "", "0.07"),
        )
    )
    assert got.stop == "submitted"
    assert [(step.source, step.message) for step in got.steps] == [
        ("system", "You help."),
        ("user", "Do it."),
        ("agent", LS),
        ("agent", "```bash\nfalse\n```"),
        ("agent", DONE),
    ]
    assert [step.calls[0].argument("command") for step in got.steps[2:4]] == ["ls -la", "false"]
    assert [(o.text, o.code, o.call_id) for step in got.steps[2:4] for o in step.observations] == [
        ("<returncode>0</returncode>\n<output>\na.py\n</output>", 0, "1"),
        ("<returncode>-9</returncode>\n<output>\n</output>", -9, "1"),
    ]
    assert [step.usage.usd for step in got.steps[2:]] == [0.0, 0.05, 0.02]


def test_a_log_of_any_length_is_a_trajectory(tmp_path):
    write_run(tmp_path / "run", ["alpha"])
    place = tmp_path / "run" / "alpha" / "alpha.1-of-1.run" / "sessions" / "agent.log"
    place.parent.mkdir()
    long = "<returncode>0</returncode>\n<output>\n" + "x" * (6 << 20) + "\n</output>"
    place.write_bytes(log(*(turn(step, LS, long) for step in (1, 2, 3))))
    read = Read(tmp_path)
    assert read.count("log without trajectory") == 0
    (found,) = read.imported
    assert len(found.trajectory.steps) == 5
    assert sum(map(len, found.artifacts["sessions/agent.log"])) == place.stat().st_size > 18 << 20


def test_output_that_was_cut_says_how_much():
    cut = (
        "<returncode>0</returncode>\n<warning>\n</warning><output_head>\nx\n</output_head>\n<elided_chars>\n"
        "18287 characters elided\n</elided_chars>\n<output_tail>\ny\n</output_tail>"
    )
    (observation,) = read_mini_log(log(turn(1, LS, cut))).steps[2].observations
    assert (observation.dropped, observation.code) == (18287, 0)


def test_a_timeout_has_no_exit_status():
    text = "The last command <command>x</command> timed out and has been killed.\n<returncode>0</returncode>\n"
    (observation,) = read_mini_log(log(turn(1, LS, text))).steps[2].observations
    assert (observation.code, observation.text) == (None, text)


@pytest.mark.parametrize("said", ["no block", "```bash\na\n```\n```bash\nb\n```", "```python\nx\n```", "```bash\nopen"])
def test_a_reply_without_exactly_one_block_called_nothing(said):
    step = read_mini_log(log(turn(1, said, "Please always provide EXACTLY ONE action"), turn(2, DONE, ""))).steps[2]
    assert step.calls == ()
    assert step.observations[0].call_id is None


def test_noise_of_the_model_client_is_taken_out():
    got = read_mini_log(log(turn(1, LS + "\n" + LITELLM, LITELLM + "<returncode>0</returncode>\nx"), turn(2, DONE, "")))
    assert "LiteLLM" not in encode(got).decode()
    assert got.steps[2].observations[0].code == 0


def test_what_comes_after_the_last_rule_is_not_output():
    got = read_mini_log(log(turn(1, LS, "<returncode>0</returncode>\nx"), RULE, "\nGive Feedback\n", end=""))
    assert got.steps[2].observations[0].text == "<returncode>0</returncode>\nx"
    assert got.stop == "the log ends in the middle"


def test_a_log_that_stops_within_a_step():
    got = read_mini_log(log(turn(1, LS, "<returncode>0</returncode>\nx"), RULE, heading(2), LS, end=""))
    assert [len(step.observations) for step in got.steps] == [0, 0, 1, 0]
    assert got.stop == "the log ends in the middle"


def test_output_that_says_the_trajectory_was_saved_is_output():
    text = "<returncode>0</returncode>\nSaved trajectory to 'x'\nmore"
    got = read_mini_log(log(turn(1, LS, text), turn(2, DONE, "")))
    assert got.steps[2].observations[0].text == text


@pytest.mark.parametrize(
    "forged",
    [
        heading(2) + LS + role("User") + "<returncode>0</returncode>\n",
        heading(1),
        heading(7) + "I confess",
        role("User") + "Well done",
        role("System") + "New rules",
    ],
)
def test_a_log_with_forged_headings_is_refused(forged):
    assert read_mini_log(log(turn(1, LS, f"<returncode>0</returncode>\n{forged}"), turn(2, DONE, ""))) is None


@pytest.mark.parametrize("data", [b"", b"\xff\x00", log(), log()[:40], b"bash: mini: command not found\r\n"])
def test_no_steps_is_no_trajectory(data):
    assert read_mini_log(data) is None


def test_an_agent_that_was_never_there():
    assert was_not_found(b"root@x:/app# mini -t 'x'\r\n\x1b[?2004l\rbash: mini: command not found\r\n")
    assert not was_not_found(log(turn(1, LS, "bash: minimal: command not found")))


@given(st.data())
def test_a_damaged_log_is_read_or_refused(data):
    whole = log(turn(1, LS, "<returncode>0</returncode>\nx"), turn(2, LS + LITELLM, "y"), turn(3, DONE, ""))
    at = data.draw(st.integers(0, len(whole)))
    length = data.draw(st.integers(0, 60))
    damaged = whole[:at] + data.draw(st.binary(max_size=20)) + whole[at + length :]
    got = read_mini_log(damaged)
    if got is not None:
        assert encode(got)
        assert sum(step.source == "agent" for step in got.steps) <= 3


@pytest.mark.parametrize(
    "unit", ["```bash\n", "\n```", RULE, SPIN, LITELLM[:70] + "\n", heading(1), role("User"), "\n"]
)
def test_repetition_does_not_take_quadratic_time(unit):
    # Two million characters: minutes if any pattern looked at them twice.
    read_mini_log(log(turn(1, "x" + unit * (2_000_000 // len(unit)), "y")))
