"""The report in Markdown, CSV and model cards: the same figures, and nothing of a name acts there."""

from __future__ import annotations

import csv
import json
import re

import pytest
from click.testing import CliRunner
from report_studies import demo, study, task, trial

from honestly import studies
from honestly.cli import cli
from honestly.records import Outcome
from peers import peer, run_peer

EVIL = "../x|<img src=x onerror=alert(1)>[a](b) `c` \x1b[31m\n---\nmodel-index: é \U0001f600 \u2028"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("exchange") / "s.honestly"
    demo(path, tasks=8, samples=2).close()
    return path


def exported(path, folder, kind):
    done = CliRunner().invoke(cli, ["export", str(path), str(folder), "--to", kind, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_markdown_and_csv_have_the_figures_of_the_report(path, tmp_path):
    exported(path, tmp_path / "out", "markdown")
    agents = studies.open(path).report().to_plain()["agents"]
    with (tmp_path / "out" / "leaderboard.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, agent in zip(rows, agents, strict=True):
        assert (row["name"], float(row["honest"]), int(row["void"])) == (agent["name"], agent["honest"], agent["void"])
        assert [float(row["interval_low"]), float(row["interval_high"])] == agent["interval"]
    page = (tmp_path / "out" / "leaderboard.md").read_text()
    table = [line for line in page.splitlines() if line.startswith("| ")]
    assert len(table) == 1 + len(agents)
    for line, agent in zip(table[1:], agents, strict=True):
        low, high = agent["interval"]
        assert f"| {agent['name']} | {agent['honest']:.1%}".rstrip("%") in line
        assert rf"\[{100 * low:.1f}, {100 * high:.1f}\]" in line
    assert "void counts as failed" in page


def test_a_policy_is_a_setting(path, tmp_path):
    exported(path, tmp_path / "out", "markdown:void=drop,limit=drop")
    assert "Policy: limit is left out; void is left out" in (tmp_path / "out" / "leaderboard.md").read_text()
    done = CliRunner().invoke(cli, ["export", str(path), str(tmp_path / "no"), "--to", "markdown:void=maybe"])
    assert "void" in str(done.exception)
    assert not (tmp_path / "no").exists()


def test_no_name_acts_in_markdown_or_leads_elsewhere(tmp_path):
    trials = [trial(EVIL, f"t{i}", 0, Outcome.PASSED if i else Outcome.FAILED, hidden=bool(i)) for i in range(4)]
    study(tmp_path / "s.honestly", [EVIL], [task(f"t{i}") for i in range(4)], trials, suite=EVIL).close()
    exported(tmp_path / "s.honestly", tmp_path / "out", "markdown")
    page = (tmp_path / "out" / "leaderboard.md").read_text()
    assert not re.search(r"(?<!\\)[<`]|\x1b|\u2028|^---$", page.replace("|---:|---|", ""), re.MULTILINE)
    (line,) = [line for line in page.splitlines() if "onerror" in line and line.startswith("| ")]
    header = next(line for line in page.splitlines() if line.startswith("| # "))
    assert len(re.findall(r"(?<!\\)\|", line)) == header.count("|")
    exported(tmp_path / "s.honestly", tmp_path / "cards", "model-index")
    (card,) = (tmp_path / "cards").rglob("*.md")
    assert card.parent.parent == tmp_path / "cards"


CARDS = """
import json, pathlib, sys
from huggingface_hub import ModelCard
found = {}
for path in sorted(pathlib.Path(sys.argv[1]).rglob("README.md")):
    data = ModelCard.load(path).data
    found[data.model_name] = {result.metric_type: result.metric_value for result in data.eval_results}
    assert {result.dataset_name for result in data.eval_results} == {sys.argv[2]}, data.eval_results
print(json.dumps(found))
"""


@pytest.mark.slow
def test_hugging_face_reads_the_cards(path, tmp_path):
    python = peer("tables")
    exported(path, tmp_path / "cards", "model-index")
    found = json.loads(run_peer(python, CARDS, tmp_path / "cards", "made-up"))
    board = studies.open(path).report().board
    assert found.keys() == {row.name for row in board.agents}
    for row in board.agents:
        said = found[row.name]
        assert (said["accuracy"], said["accuracy_stderr"], said["tasks"]) == (row.honest, row.se, row.n)
        assert (said["accuracy_low"], said["accuracy_high"]) == row.interval
        assert said["void"] == row.void


@pytest.mark.slow
def test_hugging_face_reads_the_card_of_a_hostile_name(tmp_path):
    python = peer("tables")
    trials = [trial(EVIL, f"t{i}", 0, Outcome.PASSED if i else Outcome.FAILED, hidden=bool(i)) for i in range(4)]
    study(tmp_path / "s.honestly", [EVIL], [task(f"t{i}") for i in range(4)], trials, suite="made-up").close()
    exported(tmp_path / "s.honestly", tmp_path / "cards", "model-index")
    ((name, said),) = json.loads(run_peer(python, CARDS, tmp_path / "cards", "made-up")).items()
    assert name.startswith("../x|<img src=x")
    assert said["accuracy"] == 0.75
