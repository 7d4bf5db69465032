"""The first pages in a real browser: scores, model and harness, the grid, findings, spend, and trends over studies."""

import re
import shutil

import pytest

from honestly.records import Agent, Check, CheckRun, Outcome, Task, Trial, Usage, Verdict
from honestly.store import create_study, open_study
from honestly.web._listing import Listing
from honestly.web._trend import TrendPoint, trend_figure


@pytest.mark.slow
def test_a_demo_is_told_at_a_glance(viewer, demo_study, open_page):
    with viewer(demo_study) as view:
        page = open_page(view)
        page.locator("#scores-top .claim").wait_for(timeout=180_000)  # 14 s on a quiet machine
        page.locator("#grid").wait_for()
        page.locator("#scores-rest").wait_for()
        page.locator("#scores-figures").wait_for()
        text = page.locator("main").inner_text()
        for heading in (
            "Leaderboard",
            "Model and harness",
            "Tasks by agents",
            "Spend and time",
            "What the audit found",
        ):
            assert heading in text
        with open_study(demo_study) as study:
            listing = Listing.from_store(study)
        task, agent = listing.ranked("task")[0], listing.ranked("agent")[0]
        cell = listing.grid(tasks=[task])[task, agent]
        assert f"{cell.passed}/{cell.trials}" in page.locator("#grid tbody tr").first.inner_text()
        assert page.locator("#grid .g-tampered").count() == sum(one.tampered > 0 for one in listing.grid().values())
        assert page.locator("#scores-top svg").count() == 1
        assert page.locator("#scores-figures svg").count() >= 2
        page.locator("#grid tbody a").first.click()
        page.wait_for_url(re.compile("trials"))


def test_real_trials_have_the_reports_own_words(viewer, terminal_bench, open_page):
    from honestly import studies

    said = studies.open(terminal_bench).report().board.sentence
    with viewer(terminal_bench) as view:
        page = open_page(view, viewport={"width": 390, "height": 800})
        page.locator("#scores-top .claim").wait_for(timeout=180_000)  # 14 s on a quiet machine
        assert page.locator("#scores-top .claim").inner_text() == said
        page.locator("#grid").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.fixture
def mixed(tmp_path):
    """One agent with a pass, a failure, a limit, a void trial and a tampered one; another that lacks trials."""
    path = tmp_path / "mixed.honestly"
    with create_study(path) as store:
        store.add(
            [
                Agent(name="a", model="m", program="h"),
                Agent(name="b", model="n", program="h"),
                Task(id="t", instruction=""),
            ]
        )
        store.add([Task(id="u", instruction="")])
        good, bad = (Verdict(hidden=CheckRun(checks=(Check(id="x", status=s),))) for s in ("passed", "failed"))
        ends = [
            (Outcome.PASSED, good),
            (Outcome.FAILED, bad),
            (Outcome.LIMIT, bad),
            (Outcome.VOID, Verdict()),
            (Outcome.FAILED, Verdict(hidden=good.hidden, tampered=("it reached for its judge",))),
        ]
        for sample, (outcome, verdict) in enumerate(ends):
            usage = Usage(usd=0.5) if sample < 2 else Usage()
            store.add_trial(
                Trial(
                    id=f"{sample:032x}",
                    agent="a",
                    task="t",
                    sample=sample,
                    outcome=outcome,
                    verdict=verdict,
                    usage=usage,
                )
            )
        store.add_trial(Trial(id=f"{9:032x}", agent="b", task="t", sample=0, outcome=Outcome.PASSED, verdict=good))
    return path


@pytest.mark.slow
def test_the_grid_tells_outcomes_apart_and_says_what_is_missing(viewer, mixed, open_page):
    with viewer(mixed) as view:
        page = open_page(view)
        row = page.locator("#grid tbody tr")
        row.first.wait_for(timeout=30_000)
        assert row.first.locator("td").all_inner_texts() == ["1/1 −4", "1/5 T1 L1 V1"]
        assert "tampered" in row.first.locator("td").nth(1).get_attribute("title")
        assert "$1.000 of 2" in page.locator("main").inner_text()
        page.locator("#scores-top").wait_for(timeout=60_000)


@pytest.mark.slow
def test_an_empty_study_says_so(viewer, tmp_path, open_page):
    create_study(tmp_path / "empty.honestly").close()
    with viewer(tmp_path / "empty.honestly") as view:
        page = open_page(view)
        page.locator("#scores-top").wait_for(timeout=60_000)
        page.get_by_text("There are no trials.").wait_for()


@pytest.mark.slow
def test_trends_over_studies_leave_out_what_cannot_be_read(viewer, demo_study, tmp_path, open_page):
    broken = tmp_path / "broken.honestly"
    broken.write_bytes(b"no study")
    again = shutil.copy(demo_study, tmp_path / "again.honestly")
    with viewer(demo_study, again, broken, tmp_path / "absent.honestly") as view:
        page = open_page(view, "/")
        page.locator("#trends svg").wait_for(timeout=90_000)
        assert page.locator("#trends li").count() == 2
        page.get_by_role("button", name="by model").click()
        page.locator("#trends b", has_text="by model").wait_for()


def test_a_trend_has_a_panel_a_series_and_a_dot_a_score():
    points = [
        TrendPoint(series=name, agent=name, study=study, score=0.5, low=0.4, high=0.6)
        for name in ("x", "<y>")
        for study in (0, 1)
    ]
    svg = trend_figure(["one", "two"], points).svg
    assert svg.count("<circle") == 4
    assert "&lt;y&gt;" in svg
    assert "There are no scores" in trend_figure([], []).svg
    points = [TrendPoint(series=f"a{at}", agent="x", study=0, score=at / 200, low=0, high=1) for at in range(200)]
    most = trend_figure(["one"], points)
    assert most.title.endswith(": 100 of 200")
    assert "a199" in most.svg
    assert "a099" not in most.svg
