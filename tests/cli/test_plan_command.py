"""`honestly plan` as its users meet it: a sentence, the numbers of the statistics, a promise that a report checks."""

import json
import math
from pathlib import Path

import pytest

from forked import honestly
from honestly.plans import PlanQuestion, pilot_basis, read_registration, store_registration, study_plan
from honestly.records import Agent, Check, CheckRun, Outcome, Task, Trial, Usage, Verdict
from honestly.stats import Demands, prior_variance, questions_needed
from honestly.store import create_study, open_study
from shipped import shipped_suite

SHARED = Path(__file__).parents[2].parent / "shared"


def plan(*words):
    shown = honestly("stats", "plan", *words, "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    return json.loads(shown.stdout)


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    """The Terminal-Bench submissions, imported once; only read."""
    source = SHARED / "data" / "terminal-bench"
    if not source.exists():
        pytest.skip("the Terminal-Bench results are not beside this repository")
    path = tmp_path_factory.mktemp("plan") / "tb.honestly"
    assert honestly("study", "import", source, "--out", path).returncode == 0
    return path


def fill(store, rates, questions, samples):
    """Trials of agents that pass a share of the samples, differently at each question."""
    store.add([*(Agent(name=name) for name in rates), *(Task(id=f"q{i}", instruction="x") for i in range(questions))])
    for name, rate in rates.items():
        for i in range(questions):
            for sample in range(samples):
                passed = (7 * i + 3 * sample + len(name)) % 10 < 10 * rate
                run = CheckRun(checks=(Check(id="c", status="passed" if passed else "failed"),))
                outcome = Outcome.PASSED if passed else Outcome.FAILED
                found = Trial(
                    id=f"{name}-{i}-{sample}",
                    agent=name,
                    task=f"q{i}",
                    sample=sample,
                    outcome=outcome,
                    verdict=Verdict(visible=run, hidden=run),
                    usage=Usage(usd=0.5),
                    started_at="2999-01-01T00:00:00+00:00",
                )
                store.add_trial(found)


@pytest.fixture(scope="module")
def pilot(tmp_path_factory):
    path = tmp_path_factory.mktemp("pilot") / "pilot.honestly"
    with create_study(path) as store:
        fill(store, {"new": 0.7, "older": 0.4}, 30, 3)
    return path


@pytest.mark.slow
def test_a_pilot_gives_the_numbers_of_the_statistics(bench):
    with open_study(bench) as study:
        basis = pilot_basis(study)
        expected = study_plan(basis, PlanQuestion((0.05,), questions=80))
    said = plan("--pilot", bench, "--gap", 5, "--questions", 80)
    assert said == json.loads(json.dumps(expected.to_plain()))
    for size in said["sizes"]:
        needed = questions_needed(basis.variance, gap=0.05, samples=(size["samples"],) * 2)
        assert (size["exact"], size["questions"]) == (needed.questions, needed.questions_to_buy)
    assert f"you need {said['sizes'][0]['questions']} questions at 1 sample of each agent" in said["sentence"]
    assert said["estimand"] == "new questions of this kind"


@pytest.mark.slow
def test_typical_neighbours_are_near_the_reference_of_all_pairs(bench):
    """The reference: medians over all pairs of thirteen submissions; here: neighbours of nine, with clusters."""
    golden = SHARED / "refs" / "golden_tb_power.json"
    if not golden.exists():
        pytest.skip("the reference values are not beside this repository")
    wanted = json.loads(golden.read_text())
    said = plan("--pilot", bench, "--gap", 5, "--questions", 80, "-k", 1, "-k", 5, "-k", 20)
    found = {size["samples"]: size for size in said["at_hand"]}
    for samples in (1, 5, 20):
        assert found[samples]["low"] <= wanted["mde80"][f"K{samples}"] <= found[samples]["high"]
    for size in said["sizes"][:2]:
        assert size["low"] <= wanted["n_needed_5pp"][f"K{size['samples']}"] <= size["high"]


@pytest.mark.slow
def test_a_named_pair_and_its_prices(pilot):
    said = plan(
        "--pilot", pilot, "--agents", "new", "old", "--budget", 60, "--price-question", 2, "--most-questions", 12
    )
    assert said["agents"] == ["new", "older"]
    assert "95% interval" in said["bounds_are"]
    assert said["purchase"]["questions"] == 12
    assert 2 * 12 + 0.5 * 12 * sum(said["purchase"]["samples"]) == pytest.approx(said["purchase"]["cost"])
    assert said["purchase"]["cost"] <= 60
    cheap = plan("--pilot", pilot, "--budget", 60, "--price-run-a", 5, "--price-run-b", 1)
    assert cheap["purchase"]["questions"] == 10


@pytest.mark.slow
def test_a_guess_says_so_and_options_reach_the_statistics():
    said = plan("--score", 0.4, "--data-share", 0.2, "--solvable", 0.8, "--gap", 4, "--gap", 8, "-k", 3,
                "--power", 0.9, "--alpha", 0.01, "--comparisons", 6, "--theory", "t")  # fmt: skip
    assert said["sentence"].startswith("A GUESS, not from data: ")
    variance, demands = prior_variance(0.4, data_share=0.2, solvable=0.8), Demands(0.01, 0.9, 6, "t")
    for size, gap in zip(said["sizes"], (0.04, 0.08), strict=True):
        assert (
            size["questions"] == questions_needed(variance, gap=gap, samples=(3, 3), demands=demands).questions_to_buy
        )
    assert said["alpha_each"] == pytest.approx(0.01 / 6)
    assert said["theory"] == "t"
    early = plan("--score", 0.4, "--gap", 4, "-k", 1, "--stop-early")
    assert early["early"] is True
    assert early["sizes"][0]["questions"] > 1.9 * plan("--score", 0.4, "--gap", 4, "-k", 1)["sizes"][0]["questions"]


@pytest.mark.slow
def test_people_read_the_sentence_first_then_the_table(pilot):
    shown = honestly("stats", "plan", "--pilot", pilot, "--gap", 5, "--questions", 30)
    assert shown.stdout.startswith("To see a gap of 5 points with 80% power you need")
    assert "Questions that it takes" in shown.stdout
    assert "30 questions find" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    guess = honestly("stats", "plan", "--score", 0.5)
    assert guess.stdout.startswith("A GUESS, not from data")
    assert "These variances are a GUESS" in honestly("stats", "plan", "--score", 0.5, "--details").stdout


def test_the_curve_is_written_as_drawing_and_as_specification(pilot, tmp_path):
    shown = honestly("stats", "plan", "--pilot", pilot, "--gap", 10, "--figures", tmp_path / "f", "--json")
    assert json.loads(shown.stdout)
    assert sorted(path.name for path in (tmp_path / "f").iterdir()) == ["plan.svg", "plan.vl.json"]
    rows = json.loads((tmp_path / "f" / "plan.vl.json").read_text())["data"]["values"]
    one = [row for row in rows if row["samples"] == "1 sample"]
    gaps = [row["gap"] for row in one]
    constants = [round(row["gap"] * math.sqrt(row["questions"]), 9) for row in one]
    assert gaps == sorted(gaps, reverse=True)
    assert constants == sorted(constants, reverse=True)  # what t and skewness take beyond the square root goes away
    assert constants[-1] > 0.8 * constants[0]


@pytest.mark.slow
def test_a_promise_is_written_kept_by_a_study_and_checked_by_its_report(pilot, tmp_path):
    file, out = tmp_path / "plan.md", tmp_path / "s.honestly"
    words = ["plan", "--pilot", pilot, "--questions", 40, "-k", 3, "--claim", "new>older", "--register", file]
    assert honestly(*words, "--hypothesis", "It reads more.").returncode == 0
    text, registration = read_registration(file)
    assert (registration.questions, registration.samples, registration.agents) == (40, 3, ("new", "older"))
    assert registration.power == 0.8
    assert "> It reads more." in text
    again = honestly(*words)
    assert (again.returncode, "is not overwritten" in again.stderr) == (2, True)
    with create_study(out) as store:
        store_registration(store, text)
        fill(store, {"new": 0.7, "older": 0.4}, 40, 3)
    said = json.loads(honestly("report", out, "--json").stdout)["registration"]
    assert said["registration"]["claim"] == "new>older"
    assert {check["status"] for check in said["checks"]} == {"kept"}
    shown = honestly("report", out, "--alpha", 0.1, "--html", tmp_path / "r.html")
    assert "The claim is shown; 1 of 10 promises broken (alpha)." in " ".join(shown.stdout.split())
    assert "Registered before" in (tmp_path / "r.html").read_text()
    assert json.loads(honestly("report", pilot, "--json").stdout)["registration"] is None


@pytest.mark.slow
def test_a_suite_gives_its_name_hash_and_size(tmp_path):

    suite = shipped_suite("embedded")
    standard = [task for task in suite.tasks if task.tags.variant != "impossible"]
    for early in ([], ["--stop-early"]):
        file = tmp_path / f"plan{len(early)}.md"
        shown = honestly(
            "stats",
            "plan",
            "--score",
            0.5,
            "--suite",
            "embedded",
            "-k",
            2,
            "--register",
            file,
            "--claim",
            "b<a",
            *early,
        )
        assert shown.returncode == 0
        registration = read_registration(file)[1]
        assert (registration.claim, registration.suite, registration.questions) == ("a>b", "embedded", len(standard))
        assert (registration.suite_hash == suite.hash) == (not early)
        assert registration.stopping.method == ("betting" if early else "fixed")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give the variances either from --pilot STUDY, or as a guess"),
        (["--score", "0.5", "--pilot", "PILOT"], "give the variances either"),
        (["--score", "1.5"], "--score"),
        (["--score", "0.5", "--agents", "a", "b"], "give --pilot"),
        (["--pilot", "PILOT", "--data-share", "0.5"], "belong to the guess"),
        (["--pilot", "PILOT", "--agents", "new", "newer"], "there is no agent 'newer'"),
        (["--pilot", "absent.honestly"], "absent.honestly"),
        (["--score", "0.5", "--gap", "0"], "--gap"),
        (["--score", "0.5", "--budget", "100"], "give --price-run-a"),
        (["--score", "0.5", "--price-run-a", "1"], "give --budget"),
        (["--score", "0.5", "--register", "p.md"], "belong together"),
        (["--score", "0.5", "--claim", "a>b"], "belong together"),
        (["--score", "0.5", "--register", "p.md", "--claim", "a>b"], "give --samples once"),
        (["--score", "0.5", "--register", "p.md", "--claim", "a=b", "-k", "2"], "a claim reads 'A>B'"),
        (["--score", "0.5", "--register", "no/p.md", "--claim", "a>b", "-k", "2"], "cannot write"),
        (["--score", "0.5", "--suite", "embedded", "-n", "3"], "leave --questions out"),
        (["--score", "0.5", "--solvable", "0.4"], "accuracy < solvable"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_clear_line_and_exit_code_two(pilot, tmp_path, words, said):
    shown = honestly("stats", "plan", *[pilot if word == "PILOT" else word for word in words], cwd=tmp_path)
    assert shown.returncode == 2
    assert said in " ".join(shown.stderr.split())
    assert "Traceback" not in shown.stderr
    assert shown.stdout == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_run_keeps_to_what_was_registered_or_is_refused(tmp_path):
    """`plan --register`, then `run --plan`, then `report`."""
    words = [
        "plan",
        "--score",
        "0.5",
        "--gap",
        "60",
        "-k",
        "1",
        "-n",
        "2",
        "--register",
        "p.md",
        "--claim",
        "oracle>nop",
    ]
    assert honestly(*words, cwd=tmp_path).returncode == 0
    run = ["run", "embedded", "--task", "split-bill", "--task", "stock-holds", "--plan", "p.md", "--out", "s.honestly"]
    other = honestly(*run, "--agent", "oracle", "--agent", "special-case", cwd=tmp_path)
    assert other.returncode == 2
    assert "would not keep to its pre-registration" in other.stderr
    assert not (tmp_path / "s.honestly").exists()
    assert honestly(*run, "--agent", "oracle", "--agent", "nop", cwd=tmp_path).returncode == 0
    assert honestly(*run, "--agent", "oracle", "--agent", "nop", cwd=tmp_path).returncode == 0
    said = json.loads(honestly("report", "s.honestly", "--json", cwd=tmp_path).stdout)["registration"]
    assert said is not None
    assert "oracle" in json.dumps(said)
