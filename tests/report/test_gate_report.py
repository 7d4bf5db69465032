"""A gate's report: whose agents, which tasks, what spoilt trials do to it, and what it leaves for others to read."""

import random
import xml.etree.ElementTree as ET

import pytest
from msgspec.structs import replace
from report_studies import study, task, trial

import honestly
from honestly.comparisons import GateRule, diff_report, gate_junit, gate_markdown, gate_report, threshold_report
from honestly.errors import AgentError, SettingsError, StatisticsError
from honestly.records import Outcome
from honestly.show import percent_text, text_apart
from honestly.stats import Estimand, Policy
from honestly.store import open_study
from honestly.studies import import_results

P, F, V = Outcome.PASSED, Outcome.FAILED, Outcome.VOID
THESE = GateRule(estimand=Estimand.THESE_QUESTIONS)
FIXED = ["verdict", "difference", "interval", "p_value", "gap"]


def made(path, results, samples=6, void=0, **facts):
    """A study of agents, each with its passes by task; the first `void` samples of each task are spoilt."""
    tasks = sorted({name for passes in results.values() for name in passes})
    rows = [
        replace(
            trial(agent, name, k, V if k < void else P if k < count else F, reason=""),
            id=f"{path.name}{agent}{name}{k}",
        )
        for agent, passes in results.items()
        for name, count in passes.items()
        for k in range(samples)
    ]
    return study(path, list(results), [task(name) for name in tasks], rows, **facts)


GOOD = dict.fromkeys([f"t{at:02d}" for at in range(8)], 6)
BAD = {name: 1 if at < 4 else 6 for at, name in enumerate(GOOD)}


@pytest.fixture
def good(tmp_path):
    return made(tmp_path / "good", {"mine": GOOD})


@pytest.fixture
def bad(tmp_path):
    return made(tmp_path / "bad", {"mine": BAD})


def test_a_real_loss_is_red_and_says_which_tasks_were_lost(good, bad):
    found = gate_report(bad, good, rule=THESE)
    assert (found.verdict, found.exit_code(), found.exit_code("pass")) == ("worse", 1, 1)
    assert found.difference == pytest.approx(-20 / 48)
    assert (found.agent, found.baseline, found.n) == ("mine (now)", "mine (baseline)", 8)
    assert [each.task for each in found.changed_tasks] == ["t00", "t01", "t02", "t03"]
    assert found.message.startswith("WORSE: mine (now) is worse than mine (baseline) (−41.7 points on 8 tasks")
    shown = " ".join(str(found).split())
    assert "t00 6/6 1/6 lost, may be luck" in shown  # four tasks, but each alone is no proof among eight
    assert "The verdict is about exactly these tasks" in shown


def test_clusters_that_make_an_interval_wide_are_named_before_what_may_be_done(tmp_path):
    passes = {f"org__repo{at // 20}-{at}": 3 + at % 4 for at in range(60)}
    runs = [made(tmp_path / name, {"mine": passes}) for name in ("now", "before")]
    first, second, *_ = gate_report(*runs).notes
    assert first.startswith("60 questions form 3 clusters by the repository, inferred from their ids")
    assert "With a gap of 0 no number of trials" in second


def test_the_same_loss_may_be_no_proof_for_new_tasks_and_the_report_says_both(good, bad):
    found = gate_report(bad, good)
    assert (found.verdict, found.exit_code(), found.exit_code("fail"), found.exit_code("pass")) == (
        "cannot tell",
        4,
        1,
        0,
    )
    assert found.other.verdict == "worse"
    assert any("About exactly these tasks the answer is: worse" in note for note in found.notes)
    assert any("say with --min-gap what loss you would tolerate" in note for note in found.notes)
    assert 0 < found.detectable < 1
    assert any("(80% power) only with --min-gap" in note for note in found.notes)


def test_no_loss_is_green_where_there_is_enough_to_exclude_one(tmp_path, good):
    same = made(tmp_path / "same", {"mine": GOOD})
    found = gate_report(same, good, rule=GateRule(0.1, estimand=Estimand.THESE_QUESTIONS))
    assert (found.verdict, found.exit_code("fail")) == ("not worse", 0)
    assert found.p_not_worse == pytest.approx(0.9**48, rel=1e-4)
    close = gate_report(same, good, rule=GateRule(0.05, estimand=Estimand.THESE_QUESTIONS))
    assert close.verdict == "cannot tell"
    assert close.samples_needed == 8  # 0.95 ^ (8 * 8) is less than 5%
    assert "For 5 points it takes about 10 tasks at 6 samples each or 8 samples of each of these tasks." in close.notes


def test_a_gain_is_called_one(good, bad):
    found = gate_report(good, bad, rule=THESE)
    assert found.verdict == "not worse"
    assert "mine (now) is better than mine (baseline)" in found.message
    # The p-value is of the sentence that it stands in: with a gap, of a loss.
    gap = gate_report(good, bad, rule=GateRule(0.1, estimand=Estimand.THESE_QUESTIONS))
    assert gap.p_not_worse < found.p_not_worse
    assert "mine (now) is not worse than mine (baseline) by 10 points or more" in gap.message


def test_an_end_of_an_interval_is_not_rounded_to_the_threshold_that_it_misses():
    assert [text_apart(end, 0.72, percent_text) for end in (0.71997, 0.72, 0.7201, 0.75)] == [
        "71.997",
        "72.0",
        "72.01",
        "75.0",
    ]


def test_trials_that_the_harness_spoilt_make_no_build_red_nor_green(tmp_path, good):
    spoilt = made(tmp_path / "spoilt", {"mine": GOOD}, void=3)
    found = gate_report(spoilt, good, rule=THESE)
    assert (found.difference, found.verdict) == (-0.5, "cannot tell")
    assert "The verdict turns on 24 trials that the harness spoilt: worse as declared" in found.notes[0]
    assert found.message.endswith("at each end).")  # nothing of a gap: there is none
    told = gate_report(
        spoilt, good, rule=GateRule(0.2, estimand=Estimand.THESE_QUESTIONS), policy=Policy("fail", "pass", "drop")
    )
    assert told.verdict == "cannot tell"
    one = made(tmp_path / "one", {"mine": BAD}, void=0)
    one.add([(replace(trial("mine", "t00", 9, V), id="spoilt"), None, {})])
    other = made(tmp_path / "other", {"mine": GOOD})
    other.add([(replace(trial("mine", "t00", 9, P), id="fine"), None, {})])
    assert gate_report(one, other, rule=THESE).verdict == "worse"  # whatever that one trial was


def test_tasks_of_one_side_are_named_and_not_counted(tmp_path, good):
    fewer = {name: passes for name, passes in GOOD.items() if name != "t00"} | {"new": 0}
    found = gate_report(made(tmp_path / "x", {"mine": fewer}), good)
    assert (found.n, found.difference, found.only_agent, found.only_baseline) == (7, 0, ("new",), ("t00",))
    assert "1 task only the agent has, not counted: new." in found.notes
    apart = made(tmp_path / "y", {"mine": {"other": 1}})
    with pytest.raises(StatisticsError, match="no task in common"):
        gate_report(apart, good)


def test_whose_agents_are_compared(tmp_path, good, bad):
    both = made(tmp_path / "both", {"old": GOOD, "new": BAD, "mine": GOOD})
    found = gate_report(both, names=("new", "old"), rule=THESE)
    assert (found.agent, found.baseline, found.verdict) == ("new", "old", "worse")
    with pytest.raises(AgentError, match="--agent and --baseline-agent"):
        gate_report(both, names=("new", ""))
    assert gate_report(both, good).agent == "mine (now)"  # the only name that both have
    assert gate_report(both, good, ("new", "")).baseline == "mine"
    assert gate_report(good, both, ("", "old")).baseline == "old"
    assert gate_report(good, both).baseline == "mine (baseline)"
    other = made(tmp_path / "other", {"x": GOOD, "y": GOOD})
    with pytest.raises(AgentError, match="the study has 2 agents, so say which with --agent NAME: x, y"):
        gate_report(other, good)
    with pytest.raises(AgentError, match="the baseline has 2 agents, so say which with --baseline-agent NAME: x, y"):
        gate_report(good, other)
    with pytest.raises(StatisticsError, match="itself"):
        gate_report(both, names=("new", "new"))


def test_a_study_that_could_stop_early_is_not_judged_as_one_of_fixed_size(tmp_path, good):
    rule = {"first": "mine", "second": "other", "method": "betting", "questions": 8}
    with pytest.raises(StatisticsError, match="a study with a stopping rule"):
        gate_report(made(tmp_path / "x", {"mine": GOOD}, stopping_rule=rule), good)


def test_graded_results_are_judged_as_means(tmp_path):
    def grades(path, scores):
        rows = [
            replace(trial("mine", f"t{at}", k, P if score == 1 else F), id=f"{path.name}{at}{k}", score=score)
            for at, score in enumerate(scores)
            for k in range(2)
        ]
        return study(path, ["mine"], [task(f"t{at}") for at in range(len(scores))], rows)

    rng = random.Random(2)
    before = [rng.uniform(0.5, 1) for _ in range(30)]
    old, new = grades(tmp_path / "1", before), grades(tmp_path / "2", [each - 0.3 for each in before])
    found = gate_report(new, old)
    assert (found.verdict, found.other, found.changed_tasks[0].certain) == ("worse", None, None)
    with pytest.raises(StatisticsError, match="graded"):
        gate_report(new, old, rule=THESE)
    assert "−30" in str(found)


def test_the_plain_object_begins_with_its_fixed_keys(good, bad):
    plain = gate_report(bad, good, rule=THESE).to_plain()
    assert list(plain)[:5] == FIXED
    assert plain["p_value"] <= 0.05
    assert plain["interval"][1] < 0
    assert len(plain["tasks"]) == 8


HOSTILE = "](http://x.example) `a` | @everyone <b>www.x.example"


def test_markdown_shows_names_that_lead_nowhere(tmp_path):
    names = {HOSTILE: 6, **GOOD}
    old = made(tmp_path / "1", {"mine": names, f"b{HOSTILE}": names})
    new = made(tmp_path / "2", {"mine": names | {HOSTILE: 0}})
    text = gate_markdown(gate_report(new, old, ("", "mine")))
    (row,) = [line for line in text.splitlines() if "6/6 | 0/6" in line]
    assert row == r"| `](http://x.example) 'a' \| @everyone <b>www.x.example` | 6/6 | 0/6 | lost, certain |"
    assert "honestly gate: cannot tell" in text
    outside = text.replace(row, "")
    assert "@everyone" not in outside
    assert "http://" not in outside


def test_junit_fails_for_the_verdict_alone(tmp_path, good, bad):
    red = gate_report(bad, good, rule=THESE)
    suite = ET.fromstring(gate_junit(red))[0]
    failed = [case for case in suite.iter("testcase") if case.find("failure") is not None]
    assert [case.get("name") for case in failed] == ["not worse than the baseline"]
    assert suite.attrib | {"name": ""} == {"name": "", "tests": "9", "failures": "1", "errors": "0", "skipped": "4"}
    open_ = gate_report(bad, good)
    assert ET.fromstring(gate_junit(open_)).get("failures") == "0"
    assert ET.fromstring(gate_junit(open_, "fail")).get("failures") == "1"
    (tmp_path / "gate.xml").write_text(gate_junit(red))
    import_results(tmp_path / "gate.xml", tmp_path / "back.honestly")
    with honestly.open_study(tmp_path / "back.honestly") as back:
        assert [agent.name for agent in back.agents()] == ["mine (now)"]
        assert len(back.cells()) == 9


def test_python_asks_in_one_call(tmp_path, good, bad):
    found = honestly.gate(tmp_path / "bad", tmp_path / "good", min_gap=5, alpha=0.1, about="these")
    assert (found.verdict, found.gap, found.alpha) == ("worse", 0.05, 0.1)
    assert honestly.gate(honestly.open(tmp_path / "bad"), str(tmp_path / "good")).verdict == "cannot tell"
    with pytest.raises(SettingsError, match=r"both .*bad; name another one, or an agent with --baseline-agent"):
        honestly.gate(tmp_path / "bad", tmp_path / "bad")


def test_samples_that_their_results_ended_decide_nothing(tmp_path):
    rng = random.Random(3)
    lines = ["agent,task,sample,passed"]
    for at in range(60):
        chance, ended = rng.random(), False
        for k in range(5):
            lines.append(f"B,q{at},{k},{int(rng.random() < 0.5 + chance / 2)}")
            if not ended:
                passed = rng.random() < chance
                lines.append(f"A,q{at},{k},{int(passed)}")
                ended = not passed
    table = tmp_path / "t.csv"
    table.write_text("\n".join(lines))
    import_results(table, tmp_path / "t.honestly")
    with open_study(tmp_path / "t.honestly") as store:
        found = gate_report(store, names=("A", "B"))
        assert (found.verdict, found.exit_code()) == ("cannot tell", 4)
        assert "Means over such samples are biased" in found.notes[0]
        assert "may lie within" not in found.message
        assert found.other is None or found.other.verdict == "cannot tell"
        assert not any(task.certain for task in found.tasks)
        low = threshold_report(store, "A", 0.05)
        assert (low.verdict, low.exit_code()) == ("cannot tell", 4)
        assert "Means over such samples are biased" in low.notes[0]
        assert threshold_report(store, "B", 0.05).verdict == "at least"
        changed = diff_report(store, "A", "B")
        assert (changed.p_any, changed.certain, changed.dependent_samples) == (None, 0, True)
        assert "tasks did change" not in changed.sentence
        assert "whether any changed cannot be told" in changed.sentence
