"""`honestly model`: several studies in one fit, what it costs, what it says; its numbers are those of the fit."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from report_studies import demo, study, task, trial

from forked import honestly
from honestly.errors import AgentError, StatisticsError
from honestly.rankings import model_report
from honestly.rankings._frontier import frontier_figure
from honestly.rankings._model import _fit_sentence, _log_costs
from honestly.records import Outcome
from honestly.scores import Declared, study_scores
from honestly.stats import CONDITIONAL, Policy, score

pytestmark = pytest.mark.slow

P, F = Outcome.PASSED, Outcome.FAILED
POLICY = Policy(limit="fail", void="fail", missing="drop")


@pytest.fixture(autouse=True)
def short_chains(monkeypatch):
    monkeypatch.setattr("honestly.stats.hierarchy._fit._WARM_UP", 100)
    monkeypatch.setattr("honestly.stats.hierarchy._fit._THIN", (1,))


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    return [
        (name, demo(folder / f"{name}.honestly", tasks=tasks, samples=3, seed=seed))
        for name, tasks, seed in (("a", 15, 7), ("b", 9, 9))
    ]


def test_two_studies_are_two_suites_of_the_same_agents(studies):
    report = model_report(studies, POLICY, seed=1, draws=100)
    assert report.suites == ("a", "b")
    assert [row.name for row in report.agents][:2] == ["honest-good", "honest-weak"]
    for name, store in studies:
        resolved = study_scores(store).resolve(POLICY)
        for row in report.agents:
            assert row.these[name].mean == pytest.approx(score(resolved, row.name).mean, abs=0.06)
    first = report.agents[0]
    assert first.score.mean == pytest.approx(np.mean([each.mean for each in first.new.values()]))
    assert first.usd.mean == pytest.approx(0.02, abs=0.002)
    weak = next(row for row in report.agents if row.name == "honest-weak")
    assert (weak.usd, weak.p_frontier) == (None, None)
    assert any("no trial of honest-weak reports a cost" in note for note in report.notes)
    assert len(report.items) == 24
    plain = report.to_plain()
    assert "fit" not in plain
    assert json.loads(json.dumps(plain))["agents"][0]["score"]["mean"] == first.score.mean
    drawing = ElementTree.fromstring(report.figures["frontier"].svg)
    assert "honest-good" in "".join(drawing.itertext())
    assert len(report.to_frame("items", "polars")) == 24


def test_covariates_are_tags_or_another_agent(studies):
    report = model_report(studies[:1], POLICY, seed=1, draws=100, covariates=("difficulty", "agent:weak"))
    assert set(report.effects) == {"difficulty=hard", "difficulty=medium", "honest-weak"}
    assert "honest-weak" not in [row.name for row in report.agents]
    with pytest.raises(StatisticsError, match="no covariate colour"):
        model_report(studies, POLICY, covariates=("colour",))
    with pytest.raises(StatisticsError, match="15 of 15 tasks have no tag date"):
        model_report(studies[:1], POLICY, covariates=("date",))
    with pytest.raises(AgentError):
        model_report(studies, POLICY, covariates=("agent:nobody",))
    with pytest.raises(StatisticsError, match="same name"):
        model_report([studies[0], ("a", studies[1][1])], POLICY)


def test_dates_count_in_days_and_costs_against_the_agents_own(tmp_path):
    tasks = [task(f"t{i}", date=f"2026-01-{1 + (5 * i) % 8:02d}") for i in range(8)]
    trials = [
        trial(agent, t.id, 0, P if i < 5 else F, usd=0.01 * 2**i * (1 if agent == "a" else 100))
        for agent in "ab"
        for i, t in enumerate(tasks)
    ]
    with study(tmp_path / "dated.honestly", "ab", tasks, trials) as store:
        report = model_report([("dated", store)], POLICY, covariates=("date", "cost"), draws=100)
        assert _log_costs(np.array([[1.0, 2.0], [100.0, 200.0], [np.nan, 7.0]])).round(3).tolist() == [-0.347, 0.231]
    assert set(report.effects) == {"date", "cost"}
    assert report.effects["cost"].mean > 0  # the dearer, the harder


def test_a_cost_that_nobody_reports_is_no_covariate(tmp_path):
    tasks = [task(f"t{i}") for i in range(5)]
    trials = [trial("a", t.id, 0, P) for t in tasks]
    with (
        study(tmp_path / "free.honestly", "a", tasks, trials) as store,
        pytest.raises(StatisticsError, match="5 tasks"),
    ):
        model_report([("free", store)], POLICY, covariates=("cost",))


def test_who_did_not_run_every_question_is_no_covariate(tmp_path):
    tasks = [task(f"t{i}") for i in range(5)]
    trials = [trial("a", t.id, 0, P) for t in tasks] + [trial("b", "t0", 0, F)]
    with study(tmp_path / "part.honestly", "ab", tasks, trials) as store, pytest.raises(StatisticsError, match="b did"):
        model_report([("part", store)], POLICY, covariates=("agent:b",))


@pytest.mark.parametrize("costs", [(0.01, 0.02), (0.001, 5.0), (0.0, 0.0)])
def test_a_frontier_is_drawn_for_costs_alike_and_far_apart(costs):
    rows = [
        (f"agent <{i}>", 0.3 + 0.3 * i, (0.2 + 0.3 * i, 0.4 + 0.3 * i), cost, (cost, cost), 0.9)
        for i, cost in enumerate(costs)
    ]
    figure = frontier_figure(rows)
    for each in ElementTree.fromstring(figure.svg).iter("{http://www.w3.org/2000/svg}circle"):
        assert 0 <= float(each.get("cx")) <= 860
    assert "agent <1>" in "".join(ElementTree.fromstring(figure.svg).itertext())


def test_the_command_prints_what_the_report_says(studies):
    paths = [store.path for _, store in studies]
    shown = honestly("stats", "fit", *paths[1:], "--seed", "2", "--draws", "100", "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    found = json.loads(shown.stdout)
    assert found["suites"] == ["b"]
    assert found["seed"] == 2
    assert {"sentence", "converged", "agents", "items", "scales", "effects", "convergence", "notes"} <= found.keys()


def test_clusters_of_a_file_count_and_who_is_ahead_is_said_in_the_words_of_the_headline(studies, tmp_path):
    name, store = studies[0]
    file = tmp_path / "groups.csv"
    file.write_text("question,cluster\n" + "".join(f"{t.id},g{at // 4}\n" for at, t in enumerate(store.tasks())))
    alone, grouped = (
        model_report([(name, store)], POLICY, seed=1, draws=100, declared=Declared.from_options(said))
        for said in ("none", str(file))
    )
    assert any("clusters" in each for each in grouped.assumed)
    assert not any("clusters" in each for each in alone.assumed)
    for report in (alone, grouped):
        best = report.agents[0]
        assert (best.rank_verdict == "shown") == (best.rank_interval[1] < len(report.agents))
        good = replace(report.fit.convergence, r_hat=1.0, ess=1e4, items_r_hat=1.0, items_ess=1e4)
        said, verdicts = _fit_sentence(replace(report.fit, convergence=good)), report.fit.ranks.verdicts
        first = report.fit.agents.index(best.name)
        behind = sum(each != "cannot tell" for each in verdicts[first])
        assert (f"is ahead of {behind} agent" in said) == (behind > 0)
        assert ("if rare large differences can be excluded" in said) == (CONDITIONAL in verdicts[first])
        assert ("the data cannot tell it from" in said) == (behind < len(report.agents) - 1)
    low, high = (sum(row.rank_interval[1] - row.rank_interval[0] for row in each.agents) for each in (alone, grouped))
    assert low < high
    shown = honestly("stats", "fit", store.path, "--draws", "100", "--cluster", file, "--json")
    assert any("clusters" in each for each in json.loads(shown.stdout)["assumed"])


def test_the_command_says_what_is_wrong(tmp_path):
    shown = honestly("stats", "fit", tmp_path / "none.honestly")
    assert shown.returncode == 2
    assert "there is no study" in shown.stderr
