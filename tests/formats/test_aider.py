"""Exercises of aider's benchmark: the last try counts, what broke off is void, the rest of a directory belongs to it."""

from __future__ import annotations

import json

from published import items, of, refusals, trials

from honestly.formats import Imported, importers_for
from honestly.records import Agent

RESULT = {
    "testdir": "tmp.benchmarks/2025-01-01-00-00-00--m/python/exercises/practice/two-fer", "testcase": "two-fer",
    "model": "openai/m", "edit_format": "diff", "tests_outcomes": [False, True], "cost": 0.25, "duration": 12.5,
    "test_timeouts": 0, "commit_hash": "abc", "num_error_outputs": 0, "num_malformed_responses": 0,
    "reasoning_effort": None, "prompt_tokens": 100, "completion_tokens": 20, "thinking_tokens": None, "chat_hashes": [["a", "b"]],
}  # fmt: skip


def lay(root, run, language, name, content):
    folder = root / run / language / "exercises" / "practice" / name
    (folder / ".meta").mkdir(parents=True)
    (folder / ".aider.results.json").write_text(content if isinstance(content, str) else json.dumps(content, indent=4))
    (folder / ".aider.chat.history.md").write_text("# chat")
    (folder / ".meta" / "config.json").write_text('{"files": {"solution": []}}')
    (folder / f"{name}.py").write_text("x = 1")


def test_the_exercises_of_a_run_are_trials(tmp_path):
    lay(tmp_path, "r1", "python", "two-fer", RESULT)
    lay(tmp_path, "r1", "go", "two-fer", RESULT | {"tests_outcomes": [False, False], "test_timeouts": 1, "cost": 0})
    lay(tmp_path, "r1", "go", "bowling", {"exception": "litellm: boom"})
    lay(tmp_path, "r1", "rust", "bowling", RESULT | {"testcase": "bowling", "tests_outcomes": []})
    lay(tmp_path, "r1", "rust", "acronym", RESULT | {"testcase": "acronym", "tests_outcomes": [True]})
    assert importers_for(tmp_path) == "aider"
    found = items(tmp_path)
    assert refusals(found) == {}
    assert {t.task: (t.outcome.value, t.reason, t.usage.usd) for t in trials(found)} == {
        "python-two-fer": ("passed", "try 2", 0.25),
        "go-two-fer": ("failed", "try 2, tests timed out", None),
        "go-bowling": ("void", "litellm: boom", None),
        "rust-bowling": ("void", "no tests were run", 0.25),
        "rust-acronym": ("passed", "try 1", 0.25),
    }
    (agent,) = of(Agent, found)
    assert (agent.name, agent.program, agent.settings) == ("openai/m", "aider", {"edit_format": "diff"})
    assert all(each.artifacts == {"aider.chat.history.md": b"# chat"} for each in of(Imported, found))


def test_a_second_run_is_an_agent_of_its_own(tmp_path):
    lay(tmp_path, "r1", "python", "two-fer", RESULT)
    lay(tmp_path, "r2", "python", "two-fer", RESULT | {"tests_outcomes": [False, False]})
    found = [(t.agent, t.outcome.value) for t in trials(items(tmp_path))]
    assert found == [("openai/m [r1]", "passed"), ("openai/m [r2]", "failed")]


def test_a_directory_is_a_run_whatever_some_of_its_files_say(tmp_path):
    for name, more in (("a", {}), ("b", {}), ("c", {"model": "openai/old", "commit_hash": "abc-dirty"})):
        lay(tmp_path, "r1", "python", name, RESULT | {"testcase": name} | more)
    assert {trial.agent for trial in trials(items(tmp_path))} == {"openai/m"}


def test_a_single_file_and_broken_ones(tmp_path):
    alone = tmp_path / "x.json"
    alone.write_text(json.dumps(RESULT))
    (trial,) = trials(items(alone))
    assert (trial.task, trial.agent_seconds, trial.usage.input_tokens) == ("python-two-fer", 12.5, 100)
    lay(tmp_path / "d", "r", "python", "two-fer", RESULT)
    lay(tmp_path / "d", "r", "python", "broken", json.dumps(RESULT)[:-5])
    lay(tmp_path / "d", "r", "python", "odd", RESULT | {"testcase": "odd", "tests_outcomes": ["yes"]})
    found = items(tmp_path / "d")
    assert refusals(found)["r/python/exercises/practice/broken/.aider.results.json"].startswith("unreadable file")
    assert {t.task: t.outcome.value for t in trials(found)} == {"python-two-fer": "passed", "python-odd": "void"}
