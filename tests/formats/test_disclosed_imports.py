"""Imported studies on a disclosure page: what they know is told, and what they cannot know is left out by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from tb_trees import write_run

from honestly.cli import cli
from honestly.errors import StatisticsError
from honestly.records import Agent, Outcome, Step, Task, Trajectory, Trial
from honestly.store import create_study
from honestly.stress import DisclosedRate, judged_in, make_disclosure
from honestly.studies import import_results

HASH, ARM, DATES = "the hash of its suite", "its arm", "the dates of its trials"
TASKS = ("alpha", "beta", "gamma")


def call(*arguments: object) -> str:
    done = CliRunner().invoke(cli, [*map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def table(folder: Path) -> Path:
    path = folder / "results.csv"
    path.write_text("agent,task,outcome\n" + "".join(f"a,{task},{passed}\n" for task, passed in zip(TASKS, (1, 0, 1))))
    return path


def terminal_bench(folder: Path) -> Path:
    write_run(folder / "20250801_agent_model" / "run", TASKS)
    return folder


def atif(folder: Path) -> Path:
    steps = (Step(source="user", message="Do."), Step(source="agent", message="Done."))
    with create_study(folder / "s.honestly") as study:
        study.add([Agent(name="a", model="m"), *(Task(id=task, instruction="Do.") for task in TASKS)])
        for task in TASKS:
            trial = Trial(id=f"{task:0>32}", agent="a", task=task, sample=0, outcome=Outcome.PASSED)
            study.add_trial(replace(trial, started_at="2026-01-02T03:04:05.000Z"), Trajectory(steps=steps, stop="done"))
    call("export", folder / "s.honestly", "--to", "atif", folder / "out")
    return folder / "out"


KINDS = {
    "table": (table, {HASH, ARM, DATES}),
    "terminal-bench": (terminal_bench, {HASH, ARM}),
    "atif": (atif, {HASH, ARM}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_import_cannot_know_is_left_out_by_name(kind: str, tmp_path: Path) -> None:
    make, unknown = KINDS[kind]
    (tmp_path / "source").mkdir()
    source, study = make(tmp_path / "source"), tmp_path / "imported.honestly"
    import_results(source, study, kind)
    told = json.loads(call("disclose", study, "--json"))
    assert told["rates"]
    for rate in told["rates"]:
        assert set(rate["unknown"]) == unknown
        assert (rate["imported_from"], rate["suite_version"], rate["arm"]) == (source.name, "", "not known")
        assert bool(rate["first"]) is (DATES not in unknown)
        assert rate["trials"] == len(TASKS)
    for page in (call("disclose", study), _written(study, tmp_path / "page.html")):
        assert "left out, because the import does not say: " + ", ".join(
            each for each in (HASH, ARM, DATES) if each in unknown
        ) in (" ".join(page.split()))
        assert "an import does not say" in page.lower()


def _written(study: Path, page: Path) -> str:
    call("disclose", study, "--out", page)
    return page.read_text()


def test_only_an_import_may_leave_out_and_only_what_it_names(tmp_path: Path) -> None:
    import_results(table(tmp_path), tmp_path / "s.honestly", "table")
    (judged,) = judged_in([tmp_path / "s.honestly"])
    rate = make_disclosure([judged]).rates[0]
    for changes in (
        {"imported_from": ""},
        {"unknown": (HASH, ARM)},
        {"judge": ""},
        {"judge": "", "unknown": ("its judge",)},
    ):
        with pytest.raises(StatisticsError, match="cannot be printed without"):
            replace_rate(rate, **changes)
    with pytest.raises(StatisticsError, match=r"several imported studies are called results\.csv"):
        make_disclosure([judged, judged])


def replace_rate(rate: DisclosedRate, **changes: object) -> DisclosedRate:
    values = {name: getattr(rate, name) for name in DisclosedRate.__dataclass_fields__}
    return DisclosedRate(**values | changes)  # type: ignore[arg-type]


def test_sessions_that_nobody_judged_have_a_rate_of_hacks_and_none_of_solved(tmp_path: Path) -> None:
    used = {"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "ls"}}
    seen = {"type": "tool_result", "tool_use_id": "1", "content": "a.py"}
    contents = [("user", "Look around."), ("assistant", [used]), ("user", [seen])]
    for name in TASKS:
        rows = (
            {"type": kind, "uuid": f"{name}{n}", "sessionId": name, "message": {"role": kind, "content": content}}
            for n, (kind, content) in enumerate(contents)
        )
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        import_results(tmp_path / f"{name}.jsonl", tmp_path / f"{name}.honestly", "claude-code")
    call("audit", tmp_path / "alpha.honestly")
    told = json.loads(call("disclose", tmp_path / "alpha.honestly", "--json"))
    (rate,) = told["rates"]
    assert (rate["measure"], rate["trials"], rate["void"]) == ("flagged as a hack by a detector", 1, 0)
    assert (rate["coverage"]["steps_read"], rate["coverage"]["statuses"]) == (1, 1)
    assert {each["reason"] for each in told["unmeasured"]} == {"the import has no outcomes"}
    assert "understood: 100% of 1 steps" in call("disclose", tmp_path / "alpha.honestly")
