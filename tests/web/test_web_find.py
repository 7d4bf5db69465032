"""A text in all trials of a study, in a real browser: as it is found, with links to its steps."""

import pytest

from honestly.records import Agent, Outcome, Step, StudyFacts, Task, Trajectory, Trial
from honestly.store import create_study, open_study
from honestly.web.pages import _find

HOSTILE = "<img src=x onerror=document.title='owned'>\u202e"


@pytest.mark.slow
@pytest.mark.parametrize(("which", "text"), [("demo_study", "def "), ("terminal_bench", "error")])
def test_hits_are_grouped_by_trial_and_lead_to_steps(which, text, request, viewer, open_page):
    path = request.getfixturevalue(which)
    with open_study(path) as store:
        found = store.find(text, most=50)
    if not found.hits:
        pytest.skip("these trials came without steps")
    with viewer(path) as view:
        page = open_page(view, "find")
        page.get_by_role("searchbox").fill(text)
        page.get_by_role("button", name="Find").click()
        first = found.hits[0]
        link = page.locator(".hits li a").first
        link.wait_for()
        assert f"t/{first.trial}?step={first.step}&q=" in link.get_attribute("href")
        assert page.locator(".hits li mark").first.inner_text().casefold() == text.strip().casefold()
        page.get_by_role("searchbox").fill("stands surely nowhere 7b1f")
        page.get_by_role("button", name="Find").click()
        page.get_by_text("It stands nowhere").wait_for()


@pytest.fixture
def hostile(tmp_path):
    """A study of three trials, each with four steps that hold a text of many kinds of harm."""
    path = tmp_path / "s.honestly"
    with create_study(path, StudyFacts()) as store:
        store.add([Agent(name="a"), Agent(name="b"), Task(id="t", instruction="x")])
        for agent, sample in (("a", 0), ("a", 1), ("b", 0)):
            trial = Trial(id=f"{agent}{sample}", agent=agent, task="t", sample=sample, outcome=Outcome.FAILED)
            steps = tuple(Step(source="agent", message=f"before {HOSTILE} needle {step}") for step in range(4))
            store.add_trial(trial, Trajectory(steps=steps))
    return path


def test_parts_follow_each_other_until_all_is_searched(hostile, viewer, open_page, monkeypatch):
    monkeypatch.setattr(_find, "_HITS", 5)
    with viewer(hostile) as view:
        page = open_page(view, "find?q=NEEDLE")
        page.get_by_text("12 found; ").wait_for()
        assert page.locator(".hits li").count() == 12
        page.goto(view.study("find?q=needle&list=agent%3Db"))
        page.get_by_text("4 found; ").wait_for()
        assert page.locator(".hits li").count() == 4
        page.get_by_role("link", name="In all trials").click()
        page.get_by_text("12 found; ").wait_for()
        assert "owned" not in page.title()


def test_a_list_leads_to_find_and_what_makes_no_sense_is_said(hostile, viewer, open_page):
    with viewer(hostile) as view, view.client() as client:
        page = open_page(view, "trials?agent=b")
        page.get_by_label("Find in their steps").fill("needle")
        page.get_by_role("button", name="Find").click()
        page.get_by_text("4 found; ").wait_for()
        for bad in ("q=x&after=9.9", "q=x&after=%00.1", "q=&after=1.1", f"q={'x' * 3000}", "q=x&hits=-1&searched=1e9"):
            assert client.get(view.study(f"find/part?{bad}")).status_code == 200
        assert client.get(view.study("find?q=x&list=where%3Dnonsense")).status_code == 404
