"""`honestly gate` on tables of results: exit codes, and one answer in every form."""

import json
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner

from honestly.cli import cli

FIXED = ("verdict", "difference", "interval", "p_value", "gap")


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, broken in (("old", 0), ("same", 0), ("bad", 5), ("flaky", 1)):
        rows = [
            f"mine,t{task},{'failed' if task < broken and (name == 'bad' or sample == 0) else 'passed'}"
            for task in range(10)
            for sample in range(4)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["agent,task,outcome", *rows]) + "\n")
    return tmp_path


def honestly(*words, env=None):
    done = CliRunner().invoke(cli, list(map(str, words)), env=env)
    return done.exit_code, done.stdout, f"{done.stderr}{done.exception or ''}"


def gate(results, name, *words):
    return honestly("gate", results / f"{name}.csv", "--baseline", results / "old.csv", "--about", "these", *words)


@pytest.mark.parametrize(
    ("name", "words", "code", "verdict"),
    [
        ("same", ["--min-gap", "10"], 0, "not worse"),
        ("bad", ["--min-gap", "10"], 1, "worse"),
        ("bad", ["--min-gap", "10", "--cannot-tell", "pass"], 1, "worse"),
        ("flaky", [], 4, "cannot tell"),
        ("flaky", ["--cannot-tell", "pass"], 0, "cannot tell"),
        ("flaky", ["--cannot-tell", "fail"], 1, "cannot tell"),
    ],
)
def test_exit_codes(results, name, words, code, verdict):
    found, out, told = gate(results, name, *words, "--json")
    assert found == code, told
    plain = json.loads(out)
    assert plain["verdict"] == verdict
    assert tuple(plain)[:5] == FIXED


def test_one_answer_in_every_form(results):
    xml, md, summary = (results / name for name in ("gate.xml", "gate.md", "summary.md"))
    summary.write_text("before\n")
    words = ["gate", results / "bad.csv", "--baseline", results / "old.csv", "--about", "these"]
    code, out, told = honestly(
        *words, "--junit", xml, "--markdown", md, "--github-summary", env={"GITHUB_STEP_SUMMARY": str(summary)}
    )
    assert code == 1, told
    assert "WORSE: mine (now) is worse than mine (baseline)" in " ".join(out.split())
    assert "honestly gate: worse" in md.read_text()
    assert summary.read_text() == "before\n" + md.read_text()
    assert ET.parse(xml).getroot().get("failures") == "1"
    code, out, _ = honestly(*words, "--markdown", "-")
    assert (code, out) == (1, md.read_text())
    code, _, told = honestly(*words, "--github-summary", env={"GITHUB_STEP_SUMMARY": ""})
    assert code != 0
    assert "GITHUB_STEP_SUMMARY; it is not set" in told


def test_what_is_unfair_or_unknown_ends_with_two(results):
    copy = results / "old.csv"
    code, _, told = honestly("gate", copy, "--baseline", copy)
    assert "name another one, or an agent with --baseline-agent" in told
    assert code != 0
    _, _, told = gate(results, "bad", "--despite", "speed")
    assert "--despite does not know 'speed'" in told
    twice = ["a,t0,passed,0", "a,t0,failed,0", "b,t0,failed,0"]
    (results / "twice.csv").write_text("\n".join(["agent,task,outcome,sample", *twice]) + "\n")
    code, _, told = honestly("compare", results / "twice.csv", "a", "b")
    assert code != 0
    assert "1 of 3 rows refused" in told
    assert "a second row of a, t0, sample 0" in told
    _, _, told = honestly("compare", results / "twice.csv", "a", "b", "--allow-refused")
    assert "the import noted 'duplicate differs' 1 time" in told
    ranked = json.loads(honestly("report", results / "twice.csv", "--allow-refused", "--json")[1])
    assert ranked["significance"]["family"] == 0
    assert {row["rank_verdict"] for row in ranked["agents"]} <= {"cannot tell", None}
    code, out, _ = honestly("compare", results / "twice.csv", "a", "b", "--despite", "duplicates", "--allow-refused")
    assert code == 0
    assert "Unfair: the import noted" in out
    _, _, told = honestly("compare", results / "old.csv", "mine", "other")
    assert "there is no agent 'other'" in told


def test_a_gate_says_why_compare_says_otherwise(tmp_path):
    """13 tasks won alone to 5: one side at 5% is shown, both sides together are not."""
    lines = [f"gpt,t{at},{int(at < 13 or at > 30)}\nclaude,t{at},{int(13 <= at < 18 or at > 30)}" for at in range(40)]
    (tmp_path / "m.csv").write_text("\n".join(["agent,task,score", *lines]) + "\n")
    code, out, _ = honestly("gate", tmp_path / "m.csv", "-a", "claude", "--baseline-agent", "gpt")
    assert code == 1
    said = " ".join(out.split())
    assert (
        "A gate asks of one side, at 5%; honestly compare of both, at 5% together, and cannot tell (p = 0.064)." in said
    )
    _, out, _ = honestly("compare", tmp_path / "m.csv", "gpt", "claude")
    assert "the data cannot tell the two apart (p = 0.064" in " ".join(out.split())


def test_a_share_where_points_are_asked_for_is_no_silent_pass(results):
    code, _, told = honestly("gate", results / "bad.csv", "--at-least", "0.8")
    assert code not in {0, 4}
    assert "0.8 would be 0.8%; for 80% say --at-least 80" in told
    code, _, told = gate(results, "same", "--min-gap", "0.05")
    assert code in {0, 4}
    assert "--min-gap 0.05 is 0.05 points of 100; for 5 points say --min-gap 5" in told
    assert "points of 100" not in gate(results, "same", "--min-gap", "5")[2]
