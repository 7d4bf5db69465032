"""A dry run says what would run and what it would cost, and makes nothing."""

import json
from functools import partial
from pathlib import Path

import anyio
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from honestly.cli import cli
from honestly.command import show_dry_run
from honestly.errors import StoreError
from honestly.records import Outcome, Usage
from honestly.runner import Plan, Redo, run_plan
from honestly.store import create_study, open_study
from honestly.studies import PreparedRun, RunSettings
from honestly.tasks import load_suite
from instant import Instant, Priced

TASKS = load_suite("embedded", only=["split-bill", "stock-holds", "config-layers"])


def prepared(plan, out):
    asked = RunSettings("embedded", "nop", jobs=2)
    return PreparedRun(settings=asked, out=out, plan=plan, rule=None, redo=Redo(), registration="", clustered="")


def dry(plan, out, capsys, *, as_json):
    show_dry_run(prepared(plan, out), as_json=as_json)
    return capsys.readouterr().out


def test_without_a_study_all_would_run_and_nothing_is_known(tmp_path, capsys):
    plan, out = Plan(TASKS, [Priced("a"), Priced("b")], 2, first=[("agent", "b")]), tmp_path / "s.honestly"
    told = json.loads(dry(plan, out, capsys, as_json=True))
    assert (told["to_run"], told["exists"], told["usd"]["total"], told["usd"]["unknown"]) == (12, False, None, 12)
    assert {each[0] for each in told["next"]} == {"b"}
    said = dry(plan, out, capsys, as_json=False)
    assert "12 trials would run." in said
    assert "Cost: unknown: these agents have no trial yet; run one of each to know" in said
    assert "These start first:\n  b at " in said
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def out(tmp_path):
    out = tmp_path / "s.honestly"
    with create_study(out) as study:
        for agent, outcome in (("a", Outcome.PASSED), ("b", Outcome.VOID)):
            executor = Instant(Usage(usd=0.5, input_tokens=100), outcome=outcome)
            redo = Redo(waits_s=(), breaker=0)
            anyio.run(partial(run_plan, Plan(TASKS, [Priced(agent)], 2), study, executor, redo=redo))
    return out


def test_what_the_study_holds_is_not_run_again_and_tells_the_cost_of_the_rest(out, capsys):
    before = out.read_bytes()
    told = json.loads(dry(Plan(TASKS, [Priced("a"), Priced("b")], 6), out, capsys, as_json=True))
    rows = {each["agent"]: each for each in told["agents"]}
    assert [rows["a"][name] for name in ("planned", "held", "void", "to_run")] == [18, 6, 0, 12]
    assert [rows["b"][name] for name in ("planned", "held", "void", "to_run")] == [18, 0, 6, 18]
    assert (rows["a"]["usd"]["total"], rows["a"]["tokens"]["total"], rows["a"]["seconds"]["total"]) == (6.0, 1200, 12.0)
    assert rows["b"]["usd"] == {"total": None, "low": None, "high": None, "unknown": 18}, "void trials tell nothing"
    assert (told["usd"]["total"], told["usd"]["unknown"], told["spent"]["usd"]) == (6.0, 18, 6.0)
    said = dry(Plan(TASKS, [Priced("a"), Priced("b")], 6), out, capsys, as_json=False)
    assert "Cost: 6.00, without 18 trials of agents that have not run yet" in said
    assert "Time, 2 at a time: 6 s" in said
    with open_study(out, "write") as study:
        anyio.run(partial(run_plan, Plan(TASKS, [Priced("free")], 1), study, Instant(), redo=Redo()))
    before = out.read_bytes()
    assert "Cost: unknown: their trials report none" in dry(
        Plan(TASKS, [Priced("free")], 2), out, capsys, as_json=False
    )
    assert out.read_bytes() == before
    assert [each.name for each in out.parent.iterdir()] == ["s.honestly"]


@pytest.mark.parametrize("columns", ["40", "80"])
def test_a_narrow_terminal_shows_whom_and_how_much(tmp_path, capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    said = dry(Plan(TASKS, [Priced("good")], 2), tmp_path / "s.honestly", capsys, as_json=False)
    table = said.partition("\n6 trials")[0]
    assert "good" in table
    assert "to run" in said
    assert max(map(len, table.splitlines())) <= int(columns)


def test_stale_results_are_told_and_do_not_count_as_held(out, capsys):
    edited = replace(TASKS, tasks=tuple(replace(task, timeout_s=7.0) for task in TASKS.tasks))
    said = dry(Plan(edited, [Priced("a")], 2), out, capsys, as_json=False)
    assert "task split-bill: 4 trials from before its time limit changed" in said
    told = json.loads(dry(Plan(edited, [Priced("a", "other")], 2), out, capsys, as_json=True))
    assert (told["to_run"], told["agents"][0]["held"], told["usd"]["total"]) == (6, 0, None)
    assert {(each["kind"], each["name"]) for each in told["stale"]} >= {("agent", "a"), ("task", "split-bill")}


def test_a_run_that_would_be_refused_is_not_promised(out):
    for plan in (Plan(TASKS, [Priced("a")], 2, seed=5), Plan(replace(TASKS, name="other"), [Priced("a")], 2)):
        with pytest.raises(StoreError, match="was started with"):
            show_dry_run(prepared(plan, out), as_json=True)


def test_a_log_does_not_go_into_the_study(out):
    before = out.read_bytes()
    asked = ["run", "embedded", "--agent", "nop", "--out", str(out), "--log", str(out.parent / "." / out.name)]
    result = CliRunner().invoke(cli, asked)
    assert "into the study itself" in str(result.exception)
    assert (result.exception.exit_code, out.read_bytes()) == (2, before)


@pytest.mark.parametrize("budget", ["nan usd", "5", ""])
def test_a_budget_that_cannot_be_read_is_refused_in_a_dry_run_too(tmp_path, budget):
    asked = ["run", "embedded", "--agent", "nop", "--out", str(tmp_path / "s"), "--dry-run", "--budget", budget]
    assert CliRunner().invoke(cli, asked).exit_code != 0


def test_a_draw_of_more_tasks_than_there_are_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["run", "embedded", "--task", "split-bill", "-a", "oracle", "--dry-run", "--draw"]
    said = [CliRunner().invoke(cli, [*words, count]).stderr for count in ("5", "1")]
    assert ["note: --draw 5 takes every task; tasks to draw from: 1" in each for each in said] == [True, False]


def test_what_a_draw_takes_along_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(cli, ["run", "embedded", "-a", "nop", "--dry-run", "--draw", "5"])
    assert "note: the impossible twins of the drawn tasks run, too: 2 tasks" in said.stderr
    assert "7 tasks" in said.output


def test_what_cannot_be_used_says_what_helps(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bare").mkdir()
    Path("bare/task.toml").write_text("x = 1\n")
    Path("empty").mkdir()
    create_study("s.honestly").close()
    Path("labels.jsonl").write_text('{"trial": "x/y/0", "label": "hack"}\n')
    for words, says in {
        "task check bare": "bare is no task: it has no folder tests",
        "run embedded -a nop --dry-run --plan p.md": "`honestly stats plan --register p.md` writes one",
        "review s.honestly --import labels.jsonl": "there is no trial 'x/y/0'; expected ids",
    }.items():
        found = CliRunner().invoke(cli, words.split())
        assert says in str(found.exception), words
    assert "no manifest, import or install was found" in CliRunner().invoke(cli, ["deps", "empty"]).output
