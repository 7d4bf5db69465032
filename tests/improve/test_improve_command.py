"""`honestly improve` and `honestly prove` as a person uses them."""

import json

import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.errors import BudgetError, StoreError
from honestly.improve import read_loop_budget
from improve.loop_parts import JUDGE, TOML, project


def said(*words, code=0):
    found = CliRunner().invoke(cli, [str(word) for word in words])
    if code is None:
        return found
    assert found.exit_code == code, (found.output, found.exception)
    return found.stdout


@pytest.mark.slow
def test_from_a_project_to_its_proof(tmp_path):
    toml = TOML + "deterministic = true\n[proof]\npairs = 8\n"
    p = project(tmp_path / "p", toml, **{"judge.sh": JUDGE.replace(" + (s % 97) / 970", "")})
    run = ["improve", p, "--agent", "searcher", "--budget", "6 attempts", "--seed", "1", "--unsafe-no-sandbox"]
    first = json.loads(said(*run, "--json"))
    assert list(first) == ["loop", "metric", "direction", "baseline", "best", "attempts", "kept", "budget"]
    assert first["attempts"] == 6
    assert first["kept"] >= 1
    assert json.loads(said("improve", p, "status", "--json")) == first == json.loads(said(*run, "--json"))
    assert "kept" in said("improve", p, "status")
    assert "attempt 1" in said("improve", p, "show", "1")
    assert json.loads(said("improve", p, "show", "1", "--json"))["attempt"]["n"] == 1
    assert "+LEVEL" in said("improve", p, "diff", "baseline", "best")
    proof = json.loads(said("prove", p, "--unsafe-no-sandbox", "--json"))
    keys = "baseline best difference se interval p_value verdict selected fresh n best_of_n tampering flagged"
    assert set(keys.split()) <= set(proof)
    assert (proof["verdict"], proof["n"], proof["tampering"]) == ("better", 8, 0)
    assert proof["best_of_n"] is not None
    again = json.loads(said("prove", p, "--unsafe-no-sandbox", "--json"))
    assert again == proof
    assert "better" in said("prove", p, "--unsafe-no-sandbox")
    said("improve", p, "apply", "best")
    assert "LEVEL = 4" not in (p / "knobs.py").read_text()
    refused = said("improve", p, "apply", "best", code=None).exception
    assert isinstance(refused, StoreError)
    assert "knobs.py" in str(refused)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--agent", "searcher"], "a run begins with"),
        (["--agent", "searcher", "--budget", "a lot"], "is not understood"),
        (["--agent", "nobody", "--budget", "1h"], "nobody"),
        (["--agent", "searcher", "--budget", "1h", "--loop", "magic"], "there is no loop"),
        (["--agent", "searcher", "--budget", "1h", "--keep", "all"], "there is no rule"),
        (["fly"], "is not understood"),
    ],
)
def test_what_makes_no_sense_is_refused_and_leaves_no_run(tmp_path, words, expected):
    p = project(tmp_path / "p")
    found = said("improve", p, *words, code=None)
    assert expected in f"{found.output}{found.exception}"
    assert not (p / ".improve" / "project.json").exists()


@pytest.mark.slow
def test_a_run_goes_on_as_it_was_declared_or_not_at_all(tmp_path):
    p = project(tmp_path / "p")
    run = ["improve", p, "--agent", "gambler", "--budget", "1 attempt", "--unsafe-no-sandbox"]
    said(*run)
    for words in (["--budget", "2 attempts"], ["--agent", "searcher"], ["--keep", "naive"]):
        assert "was started with" in str(said("improve", p, *words, code=None).exception)
    said("improve", p)
    (p / "improve.toml").write_text((p / "improve.toml").read_text() + "bound = 5.0\n")
    assert "has changed since" in str(said("improve", p, code=None).exception)
    assert said("prove", p, code=4).startswith("nothing was kept")


def test_budgets_are_read_as_people_write_them():
    found = read_loop_budget("4h, 20 usd, 50 attempts, 1.5M tokens, 30 min, 2 cpu-h, 30 cpu-min")
    assert (found.seconds, found.usd, found.attempts, found.tokens) == (16200, 20, 50, 1_500_000)
    assert found.cpu == 9000
    half = found.part(0.5)
    assert (half.seconds, half.usd, half.attempts, half.tokens, half.cpu) == (8100, 10, 50, 750_000, 4500)
    for text in ("", "4", "4 parsecs", "-1h", "0 usd", "nan h", "1e99999h"):
        with pytest.raises(BudgetError):
            read_loop_budget(text)
