"""Terminal-Bench's older tasks: what is read of their YAML, and what they need."""

import json
from contextlib import suppress

import pytest
from foreign_suites import TERMINAL_BENCH as TASK, write
from hypothesis import given, strategies as st

from honestly.errors import TaskError
from honestly.tasks import load_suite, read_mapping, runnable_tasks

TWO = """
    services:
      client:
        build: .
      db:
        image: postgres
"""


def test_a_task_is_read(tmp_path):
    (task,) = load_suite(write(tmp_path, TASK)).tasks
    assert task.instruction == 'Write "hello" into /app/hello.txt.\n\n  No more: than that.'
    assert (task.timeout_s, task.hidden.checks.timeout_s) == (360, 60)
    assert (task.tags.category, task.tags.difficulty) == ("file-operations", "easy")
    assert set(task.environment.context.files) == {"Dockerfile", "data.txt"}
    assert set(task.hidden.checks.files.files) == {"run-tests.sh", "test.sh", "test_outputs.py"}
    assert task.requires == ()


@pytest.mark.parametrize(
    ("changes", "needed"),
    [
        ({"hello/docker-compose.yaml": TWO}, "the image postgres"),
        ({"hello/task.yaml": "instruction: Do it.\nparser_name: junit\n"}, "a reader for reports of junit"),
    ],
)
def test_what_a_task_needs_beyond_a_sandbox_is_said(changes, needed, tmp_path):
    assert needed in str(runnable_tasks(load_suite(write(tmp_path, {**TASK, **changes})))[1][0])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hello/task.yaml": "category: x\n"}, "no instruction"),
        ({"hello/task.yaml": "instruction: a\nmax_agent_timeout_sec: soon\n"}, "max_agent_timeout_sec is 'soon'"),
        ({"hello/task.yaml": "instruction: &anchor a\n"}, "anchors"),
        ({"hello/task.yaml": "just text\n"}, "line 1: 'just text' is not understood"),
        ({"hello/Dockerfile": None}, "no Dockerfile"),
    ],
)
def test_what_is_wrong_is_said(changes, said, tmp_path):
    files = {path: text for path, text in {**TASK, **changes}.items() if text is not None}
    with pytest.raises(TaskError, match=said):
        load_suite(write(tmp_path, files))


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), st.text(max_size=40), max_size=5))
def test_quoted_values_come_back(values):
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items())
    assert read_mapping(text, "here") == values


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    with suppress(TaskError):
        assert all(isinstance(value, str) for value in read_mapping(text, "here").values())
