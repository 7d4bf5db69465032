"""mini-swe-agent's trajectories: what is read, what is counted, and what hostile files can do, which is nothing."""

from __future__ import annotations

import json
import os
import tarfile
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from foreign_runs import LS, PATCH, answer, mini, report, said, write_json, write_mini
from hypothesis import given, settings, strategies as st

from honestly.errors import FormatError
from honestly.formats import Imported, importer_of
from honestly.records import Agent, Defect, Observation, Outcome, Task, encode
from honestly.store import create_study

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
DATA = Path(__file__).parents[2].parent / "shared" / "data" / "trajectories" / "gemini-3-pro-swe-bench-verified"


class Read:
    """Everything that one import gives, in order, and stored."""

    def __init__(self, root: Path) -> None:
        self.items = list(importer_of("mini-swe-agent")(root))
        with tempfile.TemporaryDirectory() as folder, create_study(Path(folder) / "s.honestly") as study:
            study.add(self.items)
        self.agents = [item for item in self.items if isinstance(item, Agent)]
        self.tasks = [item for item in self.items if isinstance(item, Task)]
        self.found = [item for item in self.items if isinstance(item, Imported)]
        self.trials = [item.trial for item in self.found]
        self.kinds: dict[str, int] = Counter()
        for item in self.items:
            if isinstance(item, Defect):
                self.kinds[item.kind] += item.count


def one(root: Path, **changes: Any) -> Read:
    """The import of one trajectory with its report."""
    write_mini(root, "owner__repo-1")
    write_json(root / "runs" / "owner__repo-1" / "owner__repo-1.traj.json", mini(**changes))
    return Read(root)


def test_a_run_with_its_reports(tmp_path):
    read = Read(write_mini(tmp_path))
    assert read.kinds == {}
    (agent,) = read.agents
    assert (agent.name, agent.program, agent.version) == ("mini-swe-agent vendor/m", "mini-swe-agent", "1.15.0")
    assert agent.model == "vendor/m"
    assert agent.settings["agent.step_limit"] == 250
    assert agent.settings["model.model_kwargs"] == '{"temperature": 0.0}'
    assert "environment.image" not in agent.settings
    assert [(task.id, task.instruction, task.tags.cluster) for task in read.tasks] == [
        ("owner__repo-1", "Mend owner__repo-1.", "owner__repo"),
        ("owner__repo-2", "Mend owner__repo-2.", "owner__repo"),
    ]
    first, second = read.found
    assert (first.trial.outcome, second.trial.outcome) == (Outcome.PASSED, Outcome.FAILED)
    assert [(check.id, check.status) for check in second.trial.verdict.hidden.checks] == [
        ("test_new", "failed"),
        ("test_old", "passed"),
    ]
    assert first.trial.verdict.visible is None
    usage = first.trial.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.usd) == (30, 6, 12, 0.75)
    assert first.trial.started_at == "2025-11-19T00:01:56+00:00"
    assert first.artifacts["patch.diff"].decode() == PATCH
    assert json.loads(first.artifacts["trajectory.json"]) == mini("owner__repo-1")
    assert json.loads(second.artifacts["report.json"]) == report(resolved=False)


def test_steps_are_answers_with_what_came_back(tmp_path):
    trajectory = one(tmp_path).found[0].trajectory
    assert trajectory.stop == "Submitted"
    assert [step.source for step in trajectory.steps] == ["system", "user", "agent", "agent", "agent"]
    look, talk, submit = trajectory.steps[2:]
    assert look.calls[0].argument("command") == "ls -la"
    assert look.observations == (
        Observation(text="<returncode>3</returncode>\n<output>\na.py\n</output>", call_id="1", code=3),
    )
    assert (look.reasoning, look.model, look.usage.usd) == ("hm", "m-1", 0.25)
    assert (talk.calls, talk.observations[0].call_id) == ((), None)
    assert submit.observations == (Observation(text=PATCH, call_id="1"),)


def test_later_versions_name_their_actions(tmp_path):
    calls = [
        {"id": name, "type": "function", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
        for name, command in (("a", "ls"), ("b", "cat x"))
    ]
    messages = [
        said("Do."),
        answer("", content=None, tool_calls=calls),
        {"role": "tool", "tool_call_id": "b", "content": "no x", "extra": {"returncode": 1}},
        {"role": "tool", "tool_call_id": "a", "content": "y", "extra": {"returncode": 0}},
        answer("Text.\n```mswea_bash_command\npwd\n```"),
        said("/here", extra={"returncode": 0}),
        answer("", extra={"actions": [{"command": "id", "tool_call_id": "c"}], "timestamp": 5.5, "cost": 0.5}),
        {"role": "tool", "tool_call_id": "c", "content": "root"},
        {"role": "exit", "content": PATCH, "extra": {"exit_status": "Submitted"}},
    ]
    read = one(tmp_path, messages=messages, trajectory_format="mini-swe-agent-1.1")
    assert read.kinds == {}
    _, both, text, named = read.found[0].trajectory.steps
    assert [(call.id, call.argument("command")) for call in both.calls] == [("a", "ls"), ("b", "cat x")]
    assert [(seen.call_id, seen.code) for seen in both.observations] == [("b", 1), ("a", 0)]
    assert (text.calls[0].argument("command"), text.observations[0].code) == ("pwd", 0)
    assert (named.calls[0].argument("command"), named.at, named.usage.usd) == (
        "id",
        "1970-01-01T00:00:05.500000+00:00",
        0.5,
    )
    assert [seen.text for seen in named.observations] == ["root", PATCH]


@pytest.mark.parametrize(
    ("changes", "kinds", "outcome"),
    [
        ({"info": {"submission": ""}}, {"empty submission": 1}, Outcome.PASSED),
        ({"trajectory_format": "mini-swe-agent-9"}, {"unknown version": 1}, Outcome.PASSED),
        ({"info": {"model_stats": {"api_calls": 7}}}, {"answers do not add up": 1}, Outcome.PASSED),
        ({"instance_id": "other-1"}, {"no report": 1, "unknown format": 1}, Outcome.VOID),
        ({"messages": [{"role": 3}, 7, answer(LS)]}, {"unreadable message": 2, "answers do not add up": 1}, Outcome.PASSED),
    ],
)  # fmt: skip
def test_what_is_odd_is_counted_and_imported(tmp_path, changes, kinds, outcome):
    read = one(tmp_path, **changes)
    assert (read.kinds, [trial.outcome for trial in read.trials]) == (kinds, [outcome])


@pytest.mark.parametrize(
    ("changes", "kinds", "outcome"),
    [
        ({"infra_failure": True}, {"no verdict: infrastructure": 1}, Outcome.VOID),
        ({"resolved": None}, {"report without verdict": 1}, Outcome.VOID),
        ({"resolved": False}, {"verdict contradicts tests": 1}, Outcome.FAILED),
        ({"resolved": False, "patch_successfully_applied": False, "tests_status": {}}, {}, Outcome.FAILED),
    ],
)
def test_what_a_report_says(tmp_path, changes, kinds, outcome):
    write_mini(tmp_path, "owner__repo-1")
    write_json(tmp_path / "logs" / "owner__repo-1" / "report.json", {"owner__repo-1": {**report(), **changes}})
    read = Read(tmp_path)
    assert (read.kinds, read.trials[0].outcome) == (kinds, outcome)


def test_a_limit_is_a_limit_only_where_the_work_failed(tmp_path):
    stopped = {"info": {"exit_status": "LimitsExceeded"}}
    passed = one(tmp_path / "a", **stopped).trials[0]
    write_json(tmp_path / "a" / "logs" / "owner__repo-1" / "report.json", report(resolved=False))
    failed = Read(tmp_path / "a").trials[0]
    assert [(trial.outcome, trial.reason) for trial in (passed, failed)] == [
        (Outcome.PASSED, "LimitsExceeded"),
        (Outcome.LIMIT, "LimitsExceeded"),
    ]


def test_of_several_reports_the_nearest_counts(tmp_path):
    for run, resolved in (("one", True), ("two", False)):
        write_json(tmp_path / run / "x.traj.json", mini("owner__repo-1", messages=[said(run), answer(LS)]))
        write_json(tmp_path / run / "logs" / "owner__repo-1" / "report.json", report(resolved=resolved))
    read = Read(tmp_path)
    assert [(trial.agent, trial.outcome) for trial in read.trials] == [
        ("mini-swe-agent vendor/m [one]", Outcome.PASSED),
        ("mini-swe-agent vendor/m [two]", Outcome.FAILED),
    ]
    write_json(tmp_path / "one" / "more" / "owner__repo-1" / "report.json", report())
    assert Read(tmp_path).trials[0].outcome is Outcome.VOID
    kinds = Read(tmp_path).kinds
    assert (kinds["report not clear"], kinds["unknown format"]) == (1, 2)


def test_a_report_that_two_runs_may_claim_is_given_to_neither(tmp_path):
    write_mini(tmp_path / "first", "owner__repo-1")
    again = mini("owner__repo-1", info={"model_stats": {}})
    write_json(tmp_path / "second" / "owner__repo-1.traj.json", {**again, "messages": again["messages"][:-2]})
    (tmp_path / "first" / "logs").rename(tmp_path / "logs")
    read = Read(tmp_path)
    assert [trial.outcome for trial in read.trials] == [Outcome.VOID, Outcome.VOID]
    assert read.kinds == {"report not clear": 2, "unknown format": 1, "agents named after folders": 2}


def test_other_configurations_are_other_agents_and_copies_are_left_out(tmp_path):
    write_mini(tmp_path)
    other = mini("owner__repo-1", info={"mini_version": "2.0"})
    other["messages"].append(answer(LS))
    write_json(tmp_path / "runs" / "z.traj.json", other)
    write_json(tmp_path / "runs" / "copy.traj.json", mini("owner__repo-2"))
    read = Read(tmp_path)
    assert {agent.name for agent in read.agents} == {"mini-swe-agent vendor/m", "mini-swe-agent vendor/m 2.0"}
    assert len(read.trials) == 3
    assert read.kinds == {"several configurations": 2, "duplicate trial": 1, "answers do not add up": 1}


def test_a_trajectory_of_any_length_is_one(tmp_path):
    turn = [answer(LS), said("<returncode>0</returncode>\n<output>\n" + "x" * 9000 + "\n</output>")]
    read = one(tmp_path, messages=[said("Do."), *(turn * 2500)])
    assert (tmp_path / "runs" / "owner__repo-1" / "owner__repo-1.traj.json").stat().st_size > 16 << 20
    assert len(read.found[0].trajectory.steps) == 2501


def test_a_program_that_writes_trajectories_is_none(tmp_path):
    write_mini(tmp_path)
    (tmp_path / "utils.py").write_text('data = {"trajectory_format": "mini-swe-agent-1", "messages": messages}\n')
    assert Read(tmp_path).kinds == {"unknown format": 1}


def test_links_and_what_is_no_trajectory_are_not_followed(tmp_path):
    write_mini(tmp_path / "real", "owner__repo-1")
    runs = tmp_path / "in" / "runs"
    runs.mkdir(parents=True)
    (runs / "x.traj.json").symlink_to(tmp_path / "real" / "runs" / "owner__repo-1" / "owner__repo-1.traj.json")
    os.mkfifo(runs / "pipe.traj.json")
    with pytest.raises(FormatError, match="contains no result"):
        Read(tmp_path / "in")
    with pytest.raises(FormatError, match="there is nothing at"):
        Read(tmp_path / "nowhere")


@pytest.mark.slow
@pytest.mark.parametrize("depth", [100, 700, 900, 980, 50_000])
def test_deep_nesting_and_huge_texts(tmp_path, depth):
    write_mini(tmp_path, "owner__repo-2")
    deep = "[" * depth + "]" * depth
    text = json.dumps(mini(info={"config": {"agent": "DEEP", "model": {"model_name": "DEEP"}}, "exit_status": "DEEP"}))
    (tmp_path / "runs" / "deep.traj.json").write_text(text.replace('"DEEP"', deep))
    huge = mini("owner__repo-3", messages=[said("{{" * 500_000), answer("```bash\n" * 500_000)])
    huge["info"]["config"]["agent"]["instance_template"] = "{{" * 500_000 + "{{task}}" + " " * 500_000
    write_json(tmp_path / "runs" / "huge.traj.json", huge)
    read = Read(tmp_path)
    assert len(read.trials) + read.kinds["unreadable file"] == 3


PARTS = st.sampled_from([
    ("info",), ("messages",), ("instance_id",), ("trajectory_format",), ("info", "exit_status"), ("info", "submission"),
    ("info", "config"), ("info", "config", "agent"), ("info", "config", "agent", "instance_template"),
    ("info", "config", "model", "model_name"), ("info", "model_stats"), ("info", "mini_version"), ("messages", 2),
    ("messages", 2, "content"), ("messages", 2, "role"), ("messages", 2, "extra"), ("messages", 2, "tool_calls"),
    ("messages", 2, "extra", "actions"), ("messages", 2, "extra", "response"), ("messages", 3, "tool_call_id"),
    ("messages", 2, "extra", "response", "choices"), ("messages", 2, "extra", "response", "usage"),
    ("messages", 2, "extra", "response", "created"), ("messages", 2, "extra", "timestamp"), ("messages", 3, "extra"),
])  # fmt: skip
LOST = ("unknown format", "unreadable file", "no trajectory", "trajectory without messages", "duplicate trial")
REPORTS = st.sampled_from([(), ("resolved",), ("tests_status",), ("tests_status", "FAIL_TO_PASS"), ("infra_failure",),
                           ("tests_status", "FAIL_TO_PASS", "success"), ("infra_failure_reason",)])  # fmt: skip


def put(data: Any, path: tuple[Any, ...], value: object) -> Any:
    """The data with something else at a place, where that place is there."""
    if not path:
        return value
    with suppress(KeyError, IndexError, TypeError, AttributeError):
        inner = data
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
    return data


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(PARTS, JSON), max_size=4), st.lists(st.tuples(REPORTS, JSON), max_size=2), st.binary(max_size=3)
)
def test_anything_may_stand_anywhere(changes, in_report, noise):
    trajectory, judged = mini(), report()
    for path, value in changes:
        trajectory = put(trajectory, path, value)
    for path, value in in_report:
        judged = put(judged, path, value)
    with tempfile.TemporaryDirectory() as name:
        root = write_mini(Path(name), "owner__repo-2")
        write_json(root / "runs" / "owner__repo-1.traj.json", trajectory)
        write_json(root / "logs" / "owner__repo-1" / "report.json", judged)
        broken = (root / "runs" / "owner__repo-1.traj.json").read_bytes()
        (root / "runs" / "broken.traj.json").write_bytes(noise + broken[: len(broken) // 2] + noise)
        read = Read(root)
    assert all(encode(trial) for trial in read.trials)
    lost = sum(
        item.count
        for item in read.items
        if isinstance(item, Defect) and item.kind in LOST and item.where.endswith("traj.json")
    )
    assert len(read.trials) + lost == 3


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the published trajectories are not beside the checkout")
def test_published_trajectories(tmp_path):
    with tarfile.open(DATA / "dev.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    expected = json.loads((DATA / "expected.json").read_text())
    read = Read(tmp_path)
    assert len(read.trials) == expected["trajectories"]
    assert Counter(item.trajectory.stop for item in read.found) == expected["exit_status"]
    outcomes = Counter(trial.outcome for trial in read.trials)
    assert outcomes == {Outcome.PASSED: expected["resolved"], Outcome.FAILED: expected["not_resolved"]}
    assert outcomes.total() == expected["reports"]
    assert read.kinds == {"empty submission": expected["empty_submission"], "several configurations": 2}
    answers = [step for item in read.found for step in item.trajectory.steps if step.source == "agent"]
    assert len(answers) == expected["api_calls"]
    shown = [seen for step in answers for seen in step.observations if seen.text.startswith("<returncode>")]
    assert all(seen.code is not None and seen.call_id for seen in shown)
    assert all(len(step.calls) == 1 for step in answers if not step.observations[0].text.startswith("Please always"))
