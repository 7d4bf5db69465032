"""`honestly run --arm gui,api,hybrid`: several arms in one option, and only where there is a site."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.store import open_study

VERSA = str(Path(__file__).parents[2] / "suites" / "versa")


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "idle.jsonl"
    path.write_text('{"calls": [{"name": "finish", "arguments": {"outcome": "cannot", "summary": "No."}}]}\n')
    return f"script:{path}"


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["run", *words])
    return result.exit_code, result.output + str(result.exception or "")


def test_arms_are_one_study(tmp_path: Path, script: str) -> None:
    study = tmp_path / "s.honestly"
    words = [VERSA, "--task", "company-refund", "--agent", "honest:name=it", "--model", script, "--no-preflight"]
    code, said = run(*words, "--arm", "api,api-poor", "--arm", "none", "--out", str(study))
    assert code == 0, said
    with open_study(study) as kept:
        assert sorted(agent.name for agent in kept.agents()) == ["it", "it+api", "it+api-poor"]
        tools = {agent.name: agent.settings.get("arm_documentation") for agent in kept.agents()}
    assert tools == {"it": None, "it+api": "good", "it+api-poor": "poor"}


def test_where_there_is_no_site_there_is_no_such_arm(tmp_path: Path, script: str) -> None:
    words = ["embedded", "--task", "api-move", "--agent", "honest", "--model", script, "--out", str(tmp_path / "s")]
    code, said = run(*words, "--arm", "none,gui")
    assert code != 0
    assert "the arms gui are for tasks that play on a web site, and 'api-move' does not" in said
    assert not (tmp_path / "s").exists()
