"""`gate --at-least`: a score that is demanded is reached, missed, or the data cannot tell; and how often that is wrong."""

import numpy as np
import pytest

from forked import honestly
from honestly.comparisons import threshold_report
from honestly.errors import AgentError, SettingsError
from honestly.records import Agent, Check, CheckRun, Outcome, Task, Trial, Verdict
from honestly.store import create_study, open_study
from honestly.studies import gate


def study(path, rates, tasks=40, samples=2, void=0, seed=0):
    rng = np.random.default_rng(seed)
    with create_study(path) as made:
        made.add([*(Agent(name=name) for name in rates), *(Task(id=f"t{i}", instruction="x") for i in range(tasks))])
        for name, rate in rates.items():
            for at in range(tasks * samples):
                lost = at < void
                passed = bool(rng.random() < rate)
                run = CheckRun(checks=(Check(id="c", status="passed" if passed else "failed"),))
                outcome = Outcome.VOID if lost else Outcome.PASSED if passed else Outcome.FAILED
                verdict = Verdict() if lost else Verdict(hidden=run)
                made.add_trial(
                    Trial(id=f"{name}{at}", agent=name, task=f"t{at % tasks}", sample=at // tasks, verdict=verdict,
                          outcome=outcome, reason="lost" if lost else "")
                )  # fmt: skip
    return path


@pytest.mark.slow
def test_reached_missed_and_cannot_tell(tmp_path):
    made = study(tmp_path / "s.honestly", {"good": 0.9, "bad": 0.2})
    for least, name, verdict, code in (
        ("70", "good", "at least", 0),
        ("70", "bad", "below", 1),
        ("90", "good", "cannot tell", 4),
    ):
        done = honestly(
            "gate",
            made,
            "-a",
            name,
            "--at-least",
            least,
            "--markdown",
            tmp_path / "m.md",
            "--junit",
            tmp_path / "j.xml",
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert f"honestly gate: {verdict}" in (tmp_path / "m.md").read_text()
        assert f'failures="{int(code == 1)}"' in (tmp_path / "j.xml").read_text()
    found = gate(made, agent="good", at_least=90)
    assert found.exit_code("pass") == 0
    assert found.exit_code("fail") == 1


def test_an_agent_that_passes_everything_is_not_refused(tmp_path):
    with open_study(study(tmp_path / "s.honestly", {"good": 1.0})) as store:
        assert threshold_report(store, "", 0.9).verdict == "at least"
        assert threshold_report(store, "", 0.99).verdict == "cannot tell"


def test_what_does_not_go_together_is_refused(tmp_path):
    made = study(tmp_path / "s.honestly", {"good": 0.9, "bad": 0.2})
    with pytest.raises(SettingsError, match="needs no baseline"):
        gate(made, made, agent="good", at_least=50)
    with pytest.raises(AgentError, match="--agent NAME"):
        gate(made, at_least=50)
    with pytest.raises(SettingsError, match="at most 100"):
        gate(made, agent="good", at_least=500)
    with pytest.raises(SettingsError, match=r"are both .*s\.honestly; name another one, or an agent with --base"):
        gate(made, made, agent="good")


def test_a_verdict_that_turns_on_void_trials_is_none(tmp_path):
    made = study(tmp_path / "s.honestly", {"good": 0.9}, void=30)
    with open_study(made) as store:
        found = threshold_report(store, "", 0.75)
    assert found.verdict == "cannot tell"
    assert "turns on 30 void trials" in " ".join(found.notes)


@pytest.mark.slow
def test_a_green_build_below_the_demand_is_as_rare_as_said(tmp_path):
    """At a true score of exactly the demand, green comes in at most alpha of studies, up to the noise of 60."""
    green = 0
    for seed in range(60):
        made = study(tmp_path / f"{seed}.honestly", {"a": 0.7}, tasks=30, samples=1, seed=seed)
        with open_study(made) as store:
            green += threshold_report(store, "", 0.7, alpha=0.1).verdict == "at least"
    assert green <= 14  # 60 studies at 10%: more in 0.1% of cases
