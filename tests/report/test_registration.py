"""Pre-registrations: the document comes back as it was, hostile text is refused, and every promise can be broken."""

import io
import random
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from report_fakes import HOSTILE
from report_studies import study, task, trial
from rich.cells import cell_len
from rich.console import Console
from test_html import Page

from honestly.errors import FormatError, StatisticsError, StoreError
from honestly.leaderboards import leaderboard, render_html
from honestly.plans import (
    DEFAULT_GUARDS,
    PROPOSAL,
    Guard,
    Metric,
    Registration,
    Stopping,
    check_registration,
    parse_registration,
    read_registration,
    registration_markdown,
    registration_report,
    registration_section,
    store_registration,
)
from honestly.records import Outcome, StudyFacts
from honestly.runner import Until
from honestly.scores import DEFAULT_POLICY
from honestly.stats import Policy, RuleVerdict, Scores, StoppingRule, compare

FAR = "2999-01-01T00:00:00.000+00:00"
LONG_AGO = "2001-01-01T00:00:00.000+00:00"
EARLY = Stopping("difference-sequence")


def plan(**changes):
    return Registration(**{"claim": "new>old", "questions": 30, "samples": 2} | changes)


def made(path, rates, *, questions=30, samples=2, started=FAR, outcome=None, extra=(), **facts):
    """A study in which the agents pass a question's first samples, as many as their rate says, drawn with a seed."""
    rng = random.Random(7)
    tasks = [task(f"q{i:02d}") for i in range(questions)]
    trials = []
    for name, rate in rates.items():
        for item in tasks:
            for k in range(samples):
                passed = rng.random() < rate
                found = Outcome.PASSED if passed else Outcome.FAILED
                if outcome is not None:
                    found = outcome(name, item.id, k, found)
                one = trial(name, item.id, k, found, visible=passed, hidden=passed, usd=0.02 if name == "new" else 0.01)
                trials.append(msgspec.structs.replace(one, started_at=started))
    order = [item.id for item in tasks]
    random.Random(1).shuffle(order)
    return study(path, list(rates), tasks, [*trials, *extra], question_order=order, **facts)


def checked(store, registration, policy=DEFAULT_POLICY, alpha=0.05):
    return {check.topic: check for check in check_registration(store, registration, policy, alpha)}


def registered(path, registration, rates, **options):
    """A study that was registered first and run then."""
    text = registration_markdown(registration)
    facts = {"registration": text, "registered_at": LONG_AGO} | options.pop("facts", {})
    return made(path, rates, **options, **facts)


# --- the document -------------------------------------------------------------------------------------------------

lines = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=30)
names = lines.map(str.strip).filter(lambda name: name and not set("<>") & set(name))
shares = st.floats(0.001, 0.999)
bounds = st.none() | st.floats(0, 1e6)
guards = st.builds(Guard, st.sampled_from(Metric), st.floats(0, 1), bounds) | st.builds(
    Guard, st.sampled_from(Metric), st.none(), st.floats(0, 10)
)
stoppings = st.one_of(
    st.just(Stopping()),
    st.just(Stopping("win-loss")),
    st.builds(
        Stopping, st.just("difference-sequence"), tuned_for=st.none() | st.floats(1, 1e4), least=st.integers(2, 100)
    ),
    st.just(Stopping("planned-looks", looks=(20, 60, 100), spending="pocock")),
)


@st.composite
def registrations(draw):
    pair = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    stopping = draw(stoppings)
    choices = st.builds(
        Policy,
        limit=st.sampled_from(["fail", "drop"]),
        void=st.sampled_from(["fail", "drop", "pass"]),
        missing=st.sampled_from(["fail", "drop", "pass"]),
    )
    return Registration(
        claim=f"{pair[0]}>{pair[1]}",
        questions=100,
        samples=draw(st.integers(1, 100)),
        hypothesis=draw(lines),
        agents=tuple(pair),
        suite=draw(lines),
        suite_hash=draw(lines),
        alpha=draw(shares),
        comparisons=draw(st.integers(1, 1000)),
        gap=draw(st.none() | shares),
        power=draw(st.none() | shares),
        basis=draw(lines),
        policy=draw(choices) if stopping.method == "fixed" else DEFAULT_POLICY,
        stopping=stopping,
        guards=tuple(draw(st.lists(guards, max_size=5))),
    )


@given(registrations())
@settings(max_examples=150, deadline=None)
def test_a_document_comes_back_without_loss(registration):
    text = registration_markdown(registration)
    assert parse_registration(text) == registration
    assert parse_registration("\ufeff" + text.replace("\n", "\r\n")) == registration


GOOD = registration_markdown(plan(guards=DEFAULT_GUARDS, gap=0.05, power=0.8, suite="s", stopping=EARLY))
FENCE = GOOD.split("\n").index("```toml honestly") + 1


def edited(before, after):
    assert before in GOOD
    return GOOD.replace(before, after)


def line_of(text, part):
    return next(i for i, line in enumerate(text.split("\n"), 1) if part in line)


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        (edited("questions = 30", 'questions = "30"'), "questions =", "field questions: Expected `int`, got `str`"),
        (edited("questions = 30", "questions = 1"), "questions =", "field questions: must be a whole number from 2"),
        (edited("samples = 2", "samples = true"), "samples =", "field samples"),
        (edited("alpha = 0.05", "alpha = nan"), "alpha =", "field alpha: must lie between 0 and 1"),
        (edited("alpha = 0.05", "alhpa = 0.05"), "```toml", "unknown field `alhpa`"),
        (edited("alpha = 0.05\n", ""), "```toml", "missing required field `alpha`"),
        (edited('claim = "new>old"', 'claim = "new"'), "claim =", "field claim: a claim reads 'A>B'"),
        (edited('agents = ["new", "old"]', 'agents = ["new"]'), "agents =", "field agents: do not hold old"),
        (edited('agents = ["new", "old"]', 'agents = ["new", 2]'), "agents =", "field agents[1]"),
        (edited('metric = "hack_rate"', 'metric = "hacks"'), '"hacks"', "choose void_share, limit_share, hack_rate"),
        (edited("\nat_most = 0.05", "\nat_most = -1"), "[[must", "field must_not_get_worse[0]: a bound on void_share"),
        (edited("\nat_most = 0.05", "\nat_least = 1"), "[[must", "unknown field `at_least`"),
        (edited('void = "fail"', 'void = "maybe"'), "void =", "field policy.void"),
        (edited('void = "fail"', 'void = "drop"'), "[policy]", "field policy: a rule that may stop early"),
        (
            edited('method = "difference', 'method = "same'),
            "method =",
            "choose win-loss, betting, difference-sequence, planned",
        ),
        (edited("least = 20", "least = 0"), "[stopping]", "field stopping: tuned_for must be positive"),
        (edited("version = 1", "version = 2"), "version =", "field version"),
        (edited("version = 1", "version ="), "version =", "is not TOML: Invalid value (line"),
        (edited("version = 1", "version = " + "[" * 5000), "```toml", "nested far too deeply"),
        (edited("version = 1", "version = " + "9" * 5000), "```toml", "is not TOML"),
        (edited("alpha = 0.05", '"a\\u001b[31m" = 1'), "```toml", "\\x1b"),
        (GOOD.replace("```\n", ""), "```toml", "this block is never closed"),
        (GOOD + GOOD, "```toml", "each start a block"),
    ],
)
def test_a_bad_edit_is_answered_with_line_and_field(text, where, said):
    with pytest.raises(FormatError) as error:
        parse_registration(text)
    assert said in str(error.value)
    assert re.search(rf"\blines? {line_of(text, where)}\b", str(error.value))
    assert str(error.value).isprintable()


def test_the_block_in_the_documentation_is_one():
    shown = (Path(__file__).parents[2] / "docs" / "plan.md").read_text()
    block = re.search(r"^    ```toml honestly$.*?^    ```$", shown, re.MULTILINE | re.DOTALL).group()
    registration = parse_registration("\n".join(line[4:] for line in block.split("\n")))
    assert (registration.claim, registration.stopping, len(registration.guards)) == ("new>old", Stopping(), 1)


def test_what_is_no_plan_at_all_is_refused(tmp_path):
    for text in ("", "# notes\n```toml\nclaim = 1\n```\n", "```python honestly\n```"):
        with pytest.raises(FormatError, match="no plan is here"):
            parse_registration(text)
    with pytest.raises(FormatError, match="half a character"):
        parse_registration(GOOD.replace("new>old", "new>\ud800"))
    with pytest.raises(FormatError, match="too long"):
        parse_registration("x" * 200_001)
    with pytest.raises(FormatError, match=r"absent\.md"):
        read_registration(tmp_path / "absent.md")
    (tmp_path / "latin.md").write_bytes(GOOD.encode() + b"\xff")
    with pytest.raises(FormatError, match="not UTF-8"):
        read_registration(tmp_path / "latin.md")
    (tmp_path / "good.md").write_text(GOOD, newline="\n")
    assert read_registration(tmp_path / "good.md") == (GOOD, parse_registration(GOOD))


TOKENS = ['"', "[", "]", "=", "{", "-1", "1e999", "nan", "\x00", "#", ".", "\ud800"]


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_any_edit_gives_a_plan_or_a_clear_error(data):
    """Characters are replaced, lines moved, doubled and lost, mostly inside the block."""
    found = GOOD.split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        i = data.draw(st.integers(FENCE - 1, len(found) - 1))
        kind = data.draw(st.sampled_from(["lose", "double", "replace", "insert", "any"]))
        if kind == "lose":
            found[i] = ""
        elif kind == "double":
            found.insert(i, found[data.draw(st.integers(0, len(found) - 1))])
        elif kind == "any":
            found[i] = data.draw(st.text(max_size=40))
        else:
            at = data.draw(st.integers(0, len(found[i])))
            token = data.draw(st.sampled_from(TOKENS))
            found[i] = found[i][:at] + token + found[i][at + (kind == "replace") :]
    try:
        registration = parse_registration("\n".join(found))
    except FormatError:
        return
    assert parse_registration(registration_markdown(registration)) == registration


@given(st.text(max_size=300))
def test_any_block_gives_a_plan_or_a_clear_error(text):
    with pytest.raises(FormatError):
        parse_registration(f"```toml honestly\n{text}\n```\n")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"claim": "a=b"}, "claim: "),
        ({"questions": 10**10}, "questions: "),
        ({"hypothesis": "two\nlines"}, "hypothesis: "),
        ({"agents": ("new", "old", "new")}, "agents: hold a name twice"),
        ({"gap": 5.0}, "gap: "),
        ({"policy": Policy()}, "policy: must say"),
        ({"stopping": Stopping("planned-looks", looks=(10, 20))}, "stopping: the last look must be at 30"),
    ],
)
def test_promises_without_sense_are_refused(changes, said):
    with pytest.raises(StatisticsError, match=re.escape(said)):
        plan(**changes)


# --- promises -----------------------------------------------------------------------------------------------------


def test_a_study_as_promised_keeps_everything(tmp_path):
    registration = plan(suite="s", suite_hash="h", guards=(*DEFAULT_GUARDS, Guard(Metric.USD, at_most=0.02)))
    with registered(
        tmp_path / "s", registration, {"new": 0.9, "old": 0.4}, facts={"suite": "s", "suite_hash": "h"}
    ) as s:
        report = registration_report(s)
        scores = Scores.from_counts(*_counts(s, ("new", "old")))
        expected = compare(scores.resolve(DEFAULT_POLICY), "new", "old")
    assert {check.status for check in report.checks} == {"kept"}
    assert report.broken_promises == ()
    assert "The claim is shown; all 12 promises kept." in report.sentence
    claim = report.checks[-1]
    assert claim.topic == "claim"
    assert f"{100 * expected.difference:+.1f} points" in claim.found
    assert "paired t test" in claim.found
    assert msgspec.json.decode(msgspec.json.encode(report.to_plain()))["registration"]["claim"] == "new>old"


def test_each_question_of_a_proposal_is_answered(tmp_path):
    """What trials can show is held against them, the rest repeated; a day that has come is due."""
    said = {name: f"the {name} of it" for name in PROPOSAL} | {"revisit": "2001-01-31", "cost": "at most $2"}
    registration = plan(guards=DEFAULT_GUARDS, proposal=said)
    assert parse_registration(registration_markdown(registration)) == registration
    with registered(tmp_path / "s", registration, {"new": 0.9, "old": 0.4}) as s:
        report = registration_report(s)
    found = {check.topic: check for check in report.proposal}
    assert list(found) == list(PROPOSAL)
    assert [check.promised for check in report.proposal] == list(said.values())
    assert found["achieve"].status == found["end"].status == found["health"].status == found["halfway"].status == "kept"
    assert found["progress"].found == "30 of 30 questions started"
    assert found["matters"].found == "no trial shows it"
    assert (found["cost"].status, found["cost"].found) == ("kept", "$1.80 over 120 trials")
    assert (found["revisit"].status, found["revisit"].found) == ("not yet", "is due: look at it again")
    with pytest.raises(StatisticsError, match=r"proposal\.revisit: must be a day"):
        plan(proposal={"revisit": "soon"})


def _counts(store, pair):
    passed = {(name, item.id): 0 for name in pair for item in store.tasks()}
    failed = dict(passed)
    for cell in store.cells():
        if cell.agent in pair:
            (passed if cell.outcome is Outcome.PASSED else failed)[cell.agent, cell.task] += 1
    questions = sorted({item for _, item in passed})
    return (
        list(pair),
        questions,
        *(np.array([[counts[name, item] for item in questions] for name in pair]) for counts in (passed, failed)),
    )


GOOD_RATES = {"new": 0.9, "old": 0.4}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("topic", "status", "said", "changes", "rates", "options"),
    [
        ("claim", "broken", "points", {}, {"new": 0.3, "old": 0.9}, {}),
        ("claim", "undecided", "p = ", {}, {"new": 0.5, "old": 0.5}, {}),
        ("claim", "not yet", "size is locked", {"questions": 31}, GOOD_RATES, {}),
        ("size", "not yet", "look before the end", {"questions": 31}, GOOD_RATES, {}),
        ("size", "broken", "30 questions were asked", {"questions": 29}, GOOD_RATES, {}),
        ("size", "broken", "another rule", {}, GOOD_RATES, {"stopping_rule": plan(stopping=EARLY).rule.to_plain()}),
        ("samples", "broken", "up to 2", {"samples": 1}, GOOD_RATES, {}),
        ("samples", "not yet", "30 questions started", {"samples": 3}, GOOD_RATES, {}),
        ("agents", "broken", "also holds third", {}, GOOD_RATES | {"third": 0.5}, {}),
        ("agents", "not yet", "no trial of old", {}, {"new": 0.5}, {}),
        (
            "suite",
            "broken",
            "suite s g",
            {"suite": "s", "suite_hash": "h"},
            GOOD_RATES,
            {"suite": "s", "suite_hash": "g"},
        ),
        ("suite", "not measurable", "does not say", {"suite": "s"}, GOOD_RATES, {}),
        ("registered", "broken", "first trial started 2000", {}, GOOD_RATES, {"started": "2000-01-01T00:00:00+00:00"}),
        ("registered", "not measurable", "no trial says", {}, GOOD_RATES, {"started": None}),
        ("registered", "not measurable", "no trial says", {}, GOOD_RATES, {"started": "yesterday"}),
        ("registered", "not measurable", "does not say when", {}, GOOD_RATES, {"facts": {"registered_at": "soon"}}),
        ("registered", "kept", "no trial yet", {}, GOOD_RATES, {"questions": 0}),
        ("samples", "not yet", "0 questions", {}, GOOD_RATES, {"questions": 0}),
        ("agents", "not yet", "no trial of new and old", {}, GOOD_RATES, {"questions": 0}),
    ],
)
def test_each_promise_can_be_broken_or_open(tmp_path, topic, status, said, changes, rates, options):
    with registered(tmp_path / "s", plan(**changes), rates, **options) as store:
        check = checked(store, plan(**changes))[topic]
        report = registration_report(store)
    assert (check.status, said in check.found) == (status, True), check
    assert (topic in {found.topic for found in report.broken_promises}) == (status == "broken" and topic != "claim")


def test_the_report_itself_has_to_be_the_registered_one(tmp_path):
    with registered(tmp_path / "s", plan(alpha=0.1, comparisons=4), GOOD_RATES) as store:
        found = checked(store, plan(alpha=0.1, comparisons=4), Policy(limit="drop", void="drop", missing="drop"), 0.05)
    assert (found["policy"].status, found["alpha"].status) == ("broken", "broken")
    assert "limit is left out" in found["policy"].found
    assert found["alpha"].promised == "level 10% over 4 claims, 2.5% for this one"
    assert "97.5% interval" in found["claim"].found


def _void(name, item, k, found):
    return Outcome.VOID if name == "new" and k == 0 else found


def _limit(name, item, k, found):
    return Outcome.LIMIT if name == "new" and k == 0 else found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("guard", "outcome", "status", "said"),
    [
        (Guard(Metric.VOID, at_most=0.4), _void, "broken", "new 50.0% (30 of 60), old 0.0% (0 of 60)"),
        (Guard(Metric.VOID, worse_by_at_most=0.5), _void, "kept", "new 50.0%"),
        (Guard(Metric.LIMIT, worse_by_at_most=0.4), _limit, "broken", "new 50.0%"),
        (Guard(Metric.LIMIT, at_most=0.6, worse_by_at_most=0.4), _limit, "broken", "new 50.0%"),
        (Guard(Metric.FALL, worse_by_at_most=0.1), _limit, "broken", "over 30 questions, old 0.0 points"),
        (Guard(Metric.USD, worse_by_at_most=0.005), None, "broken", "new $0.0200 over 60 trials, old $0.0100"),
        (Guard(Metric.USD, worse_by_at_most=0.01), None, "kept", "$0.0200"),
        (Guard(Metric.HACKS, at_most=0), None, "kept", "new 0.0% (0 of "),
    ],
)
def test_health_metrics_are_held_to_their_bounds(tmp_path, guard, outcome, status, said):
    with made(tmp_path / "s", GOOD_RATES, outcome=outcome) as store:
        check = checked(store, plan(guards=(guard,)))[guard.metric]
    assert (check.status, said in check.found) == (status, True), check


def test_hacks_break_their_bound_and_what_was_not_measured_is_said(tmp_path):
    tasks = [task("t0"), task("t1")]
    hack = [trial("new", name, 0, Outcome.FAILED, visible=True, hidden=False) for name in ("t0", "t1")]
    honest = [trial("old", name, 0, Outcome.PASSED, visible=True, hidden=True) for name in ("t0", "t1")]
    registration = plan(questions=2, samples=1, guards=DEFAULT_GUARDS)
    with study(tmp_path / "s", ["new", "old"], tasks, [*hack, *honest]) as store:
        found = checked(store, registration)
    assert (found["hack_rate"].status, found["visible_honest_gap"].status) == ("broken", "broken")
    assert "new 100.0% (2 of 2), old 0.0% (0 of 2)" in found["hack_rate"].found
    blind = [trial(name, item, 0, Outcome.FAILED) for name in ("new", "old") for item in ("t0", "t1")]
    with study(tmp_path / "b", ["new", "old"], tasks, blind) as store:
        found = checked(store, replace(registration, guards=(*DEFAULT_GUARDS, Guard(Metric.USD, at_most=1))))
    for name in ("hack_rate", "visible_honest_gap", "usd_per_trial"):
        assert (found[name].status, found[name].found) == ("not measurable", "new not measured, old not measured")


# --- stopping rules -----------------------------------------------------------------------------------------------

RULES = [(1, Stopping("win-loss")), (2, EARLY), (2, Stopping("planned-looks", looks=(20, 40, 60)))]


@pytest.mark.parametrize(("samples", "stopping"), RULES)
@pytest.mark.parametrize("rates", [(0.9, 0.3), (0.3, 0.9), (0.5, 0.5)])
def test_the_rule_is_replayed_from_the_trials(tmp_path, samples, stopping, rates):
    registration = plan(questions=60, samples=samples, stopping=stopping)
    with registered(
        tmp_path / "s",
        registration,
        dict(zip(("new", "old"), rates, strict=True)),
        questions=60,
        samples=samples,
        stopping_rule=registration.rule.to_plain(),
    ) as store:
        found = checked(store, registration)
        order = store.facts().question_order
        decision = Until(registration.rule, order, samples).take_cells(store.cells(), store.facts())
    wanted = {RuleVerdict.FIRST: "kept", RuleVerdict.SECOND: "broken", RuleVerdict.UNDECIDED: "undecided"}[
        decision.verdict
    ]
    assert (rates[0] > rates[1]) == (wanted == "kept")
    assert found["claim"].status == wanted
    assert found["stopping"].status == "kept"
    assert f"after {decision.questions} questions" in found["stopping"].found
    assert decision.reason in found["stopping"].found
    assert f"{100 * decision.difference:+.1f}".replace("-", "−") in found["claim"].found
    assert ("at this look" in found["claim"].found) == (stopping.method == "planned-looks")


def test_a_rule_that_has_not_spoken_gives_no_verdict(tmp_path):
    registration = plan(questions=30, stopping=EARLY)
    cut = random.Random(1)
    order = [f"q{i:02d}" for i in range(30)]
    cut.shuffle(order)
    late = set(order[22:])
    with registered(
        tmp_path / "s", registration, {"new": 0.5, "old": 0.5}, stopping_rule=registration.rule.to_plain()
    ) as whole:
        kept = [one for one in whole.trials() if one.task not in late or one.agent == "new"]
        facts = whole.facts().to_plain()
    with study(tmp_path / "part", ["new", "old"], [task(name) for name in order], kept, **facts) as store:
        found = checked(store, registration)
    assert (found["claim"].status, found["stopping"].status) == ("not yet", "not yet")
    assert "after 22 questions of the declared order the rule says go on" in found["stopping"].found
    assert found["samples"].found == "8 questions started and not complete"


OTHER = plan(stopping=Stopping("difference-sequence", least=10)).rule.to_plain()


@pytest.mark.parametrize(
    ("facts", "status", "said", "claim"),
    [
        ({}, "broken", "had no stopping rule", "kept"),
        ({"stopping_rule": None}, "broken", "had no stopping rule", "kept"),
        ({"stopping_rule": OTHER}, "broken", "another rule", "kept"),
        ({"stopping_rule": {**OTHER, "method": "soon"}}, "broken", "another rule", "kept"),
        ({"stopping_rule": True, "question_order": None}, "not measurable", "in which order", "not measurable"),
        ({"stopping_rule": True, "question_order": ["q00"] * 30}, "not measurable", "1 different", "not measurable"),
        ({"stopping_rule": True, "question_order": ["q00"]}, "not measurable", "30 are", "not measurable"),
    ],
)
def test_a_rule_that_was_not_followed_is_said(tmp_path, facts, status, said, claim):
    registration = plan(stopping=EARLY)
    if facts.get("stopping_rule") is True:
        facts = facts | {"stopping_rule": registration.rule.to_plain()}
    with made(tmp_path / "s", {"new": 0.95, "old": 0.1}) as store:
        store.set_facts(msgspec.convert(store.facts().to_plain() | facts, StudyFacts))
        found = checked(store, registration)
    assert (found["stopping"].status, said in found["stopping"].found) == (status, True), found["stopping"]
    assert found["claim"].status == claim


def test_the_rule_of_a_registration_is_the_one_that_a_run_stores():
    registration = plan(stopping=EARLY, alpha=0.1, comparisons=2)
    assert registration.rule == StoppingRule("new", "old", "difference-sequence", 30, 0.05)
    assert registration.stops_early
    assert not plan().stops_early


# --- storing and showing ------------------------------------------------------------------------------------------


def test_a_plan_is_stored_once_and_only_before_the_first_trial(tmp_path):
    with made(tmp_path / "new", GOOD_RATES, questions=0) as store:
        registration = store_registration(store, GOOD)
        kept = store.facts()
        assert store_registration(store, GOOD) == registration == parse_registration(GOOD)
        assert store.facts() == kept
        assert kept.registration == GOOD
        with pytest.raises(StoreError, match="another registration"):
            store_registration(store, GOOD.replace("alpha = 0.05", "alpha = 0.1"))
        with pytest.raises(FormatError):
            store_registration(store, "nothing")
        assert checked(store, registration)["registered"].status == "kept"
    with made(tmp_path / "begun", GOOD_RATES) as store:
        with pytest.raises(StoreError, match="contains 120 trials already"):
            store_registration(store, GOOD)
        assert store.facts().registration is None


def test_a_run_that_would_break_its_promise_is_told_before():
    registration = plan(suite="s", suite_hash="h")
    same = {"agents": ["old", "new"], "samples": 2, "questions": 30, "suite": "s", "suite_hash": "h"}
    assert registration.objections(**same) == ()
    for name, value in {"agents": ["new"], "samples": 3, "questions": 29, "suite": "t", "suite_hash": "i"}.items():
        (said,) = registration.objections(**same | {name: value})
        assert "registered" in said
    assert plan().objections(**same) == ()


def test_a_study_without_a_plan_or_with_an_unreadable_one_still_has_a_report(tmp_path):
    with made(tmp_path / "none", GOOD_RATES) as store:
        assert registration_report(store) is None
        assert registration_section(None) == ""
        store.set_facts(msgspec.structs.replace(store.facts(), registration="# nothing"))
        report = registration_report(store)
        said = "cannot be read: no plan is here"
        assert said in report.sentence
        assert report.checks == ()
        assert len(report.hash) == 32
        assert said in registration_section(report)
        assert said in shown(report, 80)


def test_the_hash_changes_with_every_character(tmp_path):
    with registered(tmp_path / "s", plan(), GOOD_RATES) as store:
        before = registration_report(store).hash
        facts = store.facts()
        store.set_facts(msgspec.structs.replace(facts, registration=facts.registration.replace("people.", "people!")))
        assert registration_report(store).hash != before


def shown(report, width, *, terminal=False):
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=terminal, color_system="truecolor" if terminal else None).print(
        report
    )
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_view_fits_and_names_every_promise(tmp_path, width):
    with registered(tmp_path / "s", plan(guards=DEFAULT_GUARDS), GOOD_RATES) as store:
        report = registration_report(store)
    text = shown(report, width)
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= width
    for check in report.checks:
        assert check.topic.replace("_", " ") in text
    assert "\x1b" not in text
    assert "\x1b[" in shown(report, width, terminal=True)
    brief = shown(report.brief(), width)
    assert " ".join(brief.split()) == report.sentence
    broken = replace(report, checks=(replace(report.checks[0], status="broken"), *report.checks[1:]))
    assert report.checks[0].topic.replace("_", " ") in shown(broken.brief(), width)
    assert report.checks[1].topic.replace("_", " ") not in shown(broken.brief(), width)


def test_hostile_names_neither_act_nor_vanish(tmp_path):
    names = [n for n in HOSTILE if n.strip() and not set("<>\n\t\x07\x1b") & set(n) and "\ud800" not in n]
    registration = plan(
        claim=f"{names[0]}>{names[1]}", agents=tuple(names), questions=2, samples=1, guards=DEFAULT_GUARDS
    )
    trials = [trial(name, item, 0, Outcome.PASSED) for name in names for item in ("a", "b")]
    text = registration_markdown(registration)
    with study(tmp_path / "s", names, [task("a"), task("b")], trials, registration=text) as store:
        report = registration_report(store)
        page = Page(render_html(leaderboard(store), report))
    assert report.registration == registration
    said = "".join(page.text)
    assert report.sentence in said
    assert report.hash in said
    assert "{{ 7" in "".join(names)
    assert "script" not in page.tags
    assert all(character.isprintable() or character == "\n" for character in shown(report, 120))


def test_the_page_shows_the_document_and_every_promise(tmp_path):
    with registered(tmp_path / "s", plan(hypothesis="a <b>bold</b> guess", guards=DEFAULT_GUARDS), GOOD_RATES) as store:
        board, report = leaderboard(store), registration_report(store)
    with_plan, without = Page(render_html(board, report)), Page(render_html(board))
    said = "".join(with_plan.text)
    assert "a <b>bold</b> guess" in said
    assert "Pre-registration: `new` is better than `old`" in said
    for check in report.checks:
        assert check.promised in said
        assert check.found in said
    assert "Registered before" not in "".join(without.text)
    assert "toml honestly" not in "".join(without.text)
