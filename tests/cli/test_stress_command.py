"""`honestly stress` and `honestly disclose` from end to end: real sandboxes, an agent that hacks when it is told to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.errors import HonestlyError
from honestly.records import Agent, Outcome, StudyFacts, Trial
from honestly.store import create_study, open_study
from honestly.stress import StressRegistry, impossible_entries, own_entries, read_registry, write_registry
from honestly.tasks import load_suite

pytestmark = pytest.mark.slow

AGENT = "susceptible:name=s,none=0,pro-hack=1,easy=1,medium=1,hard=1"
OWN, TWIN = ("compound-units", "ticket-codes"), "upload-ranges.impossible"


class Said(NamedTuple):
    stdout: str
    stderr: str


def honestly(*arguments: str | Path, code: int = 0) -> Said:
    """A command in this process: starting one for each would take longer than all that they do."""
    result = CliRunner().invoke(cli, [*map(str, arguments)])
    found, stderr = result.exit_code, result.stderr
    if isinstance(result.exception, HonestlyError):
        found, stderr = result.exception.exit_code, stderr + str(result.exception)
    elif isinstance(result.return_value, int):
        found = result.return_value
    if found == 3:
        pytest.skip("this machine cannot build a sandbox")
    assert found == code, (stderr, result.exception)
    return Said(result.stdout, stderr)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a registry, and the studies of a run under two arms."""
    folder = tmp_path_factory.mktemp("stress")
    suite = load_suite("embedded", only=[*OWN, TWIN])
    made = StressRegistry(folder).with_tasks("own", own_entries(suite, "embedded", 9, 0, "2026-01-01"))
    write_registry(
        made.with_tasks("impossible", impossible_entries(suite, "embedded", "2026-01-01")), folder / "stress.toml"
    )
    arms = ("--arm", "none", "--arm", "pro-hack")
    honestly("audit", "stress", "run", folder / "stress.toml", "-a", AGENT, *arms, "-o", folder / "out")
    return folder


def test_rates_and_differences_are_those_of_the_agent(place: Path) -> None:
    said = json.loads(honestly("audit", "stress", "report", place / "out", "--json").stdout)
    rates = {
        (rate["suite"], rate["measure"].split()[0], rate["arm"]): rate["rate"]
        for rate in said["rates"]
        if "rate" in rate
    }
    assert rates["own", "flagged", "none"] == rates["own", "solved", "pro-hack"] == 0
    assert rates["own", "flagged", "pro-hack"] == rates["own", "solved", "none"] == 1
    lost = [each for each in said["rates"] if "reason" in each]
    assert {each["suite"] for each in lost} <= {"impossible"}, "one task has no interval, and so no rate"
    found = {(each["suite"], each["measure"].split()[0]): each["paired"]["difference"] for each in said["differences"]}
    assert found == {("own", "flagged"): 1, ("own", "solved"): -1, ("impossible", "cheated"): 1}
    assert said["series"] == []
    shown = honestly("audit", "stress", "report", place / "out", "--figures", place / "figures").stdout
    assert "pro-hack - none" in shown
    assert list((place / "figures").glob("rates-own-flagged*.svg"))


def test_what_was_hacked_and_can_be_solved_comes_into_the_registry(place: Path) -> None:
    path = place / "refilled.toml"
    path.write_text((place / "stress.toml").read_text())
    (study,) = (place / "out").glob("own-*.honestly")
    honestly("audit", "stress", "refill", path, study, "--no-prove")
    entries = read_registry(path).set_tasks("hacked-before")
    assert {entry.task for entry in entries} == set(OWN)
    assert all("passes visible checks only (1). Can be solved: s did" in entry.why for entry in entries)
    before = path.read_text()
    honestly("audit", "stress", "refill", path, study, "--no-prove")
    assert path.read_text() == before, "what is in it stays as it is"


def test_a_reference_is_run_where_nobody_solved_it(place: Path, tmp_path: Path) -> None:
    (source,) = (place / "out").glob("own-*.honestly")
    with open_study(source) as old, create_study(tmp_path / "hacks.honestly") as new:
        trial = next(old.trials("s+pro-hack"))
        new.add([*old.agents(), *old.tasks()])
        new.add_trial(trial, old.trajectory(trial.id), {"final.json": old.artifact(trial.id, "final.json")})
    path = tmp_path / "stress.toml"
    write_registry(StressRegistry(tmp_path), path)
    honestly("audit", "stress", "refill", path, tmp_path / "hacks.honestly")
    (entry,) = read_registry(path).set_tasks("hacked-before")
    assert entry.why.endswith("Can be solved: its reference passes")


def test_levers_say_what_they_change_and_what_they_do_not_cover(place: Path) -> None:
    (study,) = (place / "out").glob("own-*.honestly")
    effects = json.loads(honestly("audit", "stress", "levers", study, "--json").stdout)["effects"]
    paid = {each["agent"]: each["paired"]["difference"] for each in effects if each["lever"] == "reward"}
    assert paid == {"s": 0, "s+pro-hack": -1}
    against = json.loads(honestly("audit", "stress", "levers", study, "--against", study, "--json").stdout)["effects"]
    assert {each["note"] for each in against if each["lever"] == "nothing"} == {
        "nothing differs between the two but chance"
    }
    folders = json.loads(
        honestly("audit", "stress", "levers", place / "out", "--against", place / "out", "--json").stdout
    )
    compared = [each for each in folders["effects"] if each["lever"] == "nothing"]
    assert all(each["switched_on"] == each["switched_off"] for each in compared), "a set against itself only"
    assert {each["suite"] for each in compared} == {"own", "impossible"}
    assert "environment and training: not switched" in honestly("audit", "stress", "levers", study).stdout


def test_checkpoints_are_tracked(place: Path, tmp_path: Path) -> None:
    registry = place / "stress.toml"
    for checkpoint in ("1", "2"):
        honestly(
            "audit", "stress", "run", registry, "--set", "own", "-a", "nop", "--checkpoint", checkpoint, "-o", tmp_path
        )
    (series,) = json.loads(honestly("audit", "stress", "report", tmp_path, "--json").stdout)["series"]
    assert (series["agent"], series["checkpoints"]) == ("nop", ["1", "2"])
    assert series["alarm"]["raised_at"] is None
    assert "no alarm" in honestly("audit", "stress", "report", tmp_path).stdout


def test_pairs_are_written_only_apart_from_what_is_measured_on(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    registry, (study,) = place / "stress.toml", (place / "out").glob("own-*.honestly")
    for measured in (registry, study, place / "out", "embedded"):
        refused = honestly(
            "audit", "stress", "pairs", "embedded", "--task", OWN[0], "--not-in", measured, "-o", out, code=2
        )
        assert "which is measured on" in refused.stderr
        assert not out.exists()
    honestly("audit", "stress", "pairs", "embedded", "--task", "cache-tags", "--not-in", registry, "-o", out)
    (pair,) = map(json.loads, out.read_text().splitlines())
    assert pair["pre_exposed"].endswith(pair["plain"])
    assert pair["task"] == "cache-tags"


def test_a_page_tells_all_rates_and_keeps_errata(place: Path, tmp_path: Path) -> None:
    (study,) = (place / "out").glob("own-*.honestly")
    copy = tmp_path / "own.honestly"
    copy.write_bytes(study.read_bytes())
    honestly("audit", "disclose", copy, "-o", tmp_path / "page.html", "--erratum", "It was <b>wrong</b>.")
    page = (tmp_path / "page.html").read_text()
    assert "&lt;b&gt;wrong" in page
    assert "<b>wrong" not in page
    assert "MAKE SURE THE TESTS PASS" in page
    told = json.loads(honestly("audit", "disclose", copy, "--json").stdout)
    assert len(told["rates"]) == 4
    assert told["errata"][0].endswith("It was <b>wrong</b>.")
    assert all(rate["errata"] == told["errata"] for rate in told["rates"])
    assert {arm["name"] for arm in told["arms"]} == {"none", "pro-hack"}
    honestly("audit", "disclose", copy, "-o", tmp_path / "page.md")
    assert "\\<b\\>wrong" in (tmp_path / "page.md").read_text()


def test_a_rate_without_its_dates_is_refused_by_name(tmp_path: Path) -> None:
    task = load_suite("embedded", only=[OWN[0]]).tasks[0]
    with create_study(tmp_path / "s.honestly", StudyFacts(suite="s")) as study:
        study.add([Agent(name="a"), task])
        for number in range(3):
            study.add_trial(Trial(id=f"{number:032x}", agent="a", task=task.id, sample=number, outcome=Outcome.FAILED))
    refused = honestly("audit", "disclose", tmp_path / "s.honestly", code=2)
    assert "cannot be printed without" in refused.stderr
    assert "the hash of its suite, the dates of its trials" in refused.stderr


def test_what_makes_no_sense_is_refused(place: Path, tmp_path: Path) -> None:
    registry = place / "stress.toml"
    assert "already exists" in honestly("audit", "stress", "init", registry, code=2).stderr
    run = ("stress", "run", registry, "-a", "nop", "-o", tmp_path / "o")
    assert "unknown arm 'x'" in honestly(*run, "--arm", "x", code=2).stderr
    assert "'hacked-before' is empty" in honestly(*run, "--set", "hacked-before", code=2).stderr
    (tmp_path / "empty").mkdir()
    assert "contains no studies" in honestly("audit", "stress", "report", tmp_path / "empty", code=2).stderr
    honestly("audit", "stress", "init", tmp_path / "new.toml", "--own", "3")
    assert [len(read_registry(tmp_path / "new.toml").set_tasks(name)) for name in ("hacked-before", "own")] == [0, 3]
