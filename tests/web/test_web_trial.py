"""The page of a trial in a real browser: windows, keys, find, links that last, and what is only shown when asked for."""

import json
import re

import pytest

from honestly.records import (
    Agent,
    Check,
    CheckRun,
    Evidence,
    Finding,
    Observation,
    Outcome,
    Step,
    Task,
    ToolCall,
    Trial,
    Usage,
    Verdict,
)
from honestly.store import create_study, open_study

TRIAL = "c" * 32
STEPS = 20_000
CITED = (3, 15_000)


def step(number):
    if number == 0:
        return Step(source="user", message="# Do it\n\nsee [here](https://elsewhere.example/x)")
    text = f"\x1b[31mred {number}\x1b[0m <b>not bold</b> " + ("needle" if number in {7, 19_990} else "")
    return Step(
        source="agent",
        model="some-model",
        message=f"thinking about **{number}**" if number not in CITED else f"I will cheat at {number} now",
        usage=Usage(input_tokens=10, cached_tokens=4, output_tokens=2, usd=0.01),
        seconds=1.0,
        calls=(ToolCall.of("c", "bash", command=f"echo {number}"),),
        observations=(Observation(call_id="c", text=text, code=0),),
    )


@pytest.fixture(scope="module")
def long_study(tmp_path_factory):
    """One trial of 20,000 steps with two citations, far apart."""
    path = tmp_path_factory.mktemp("long") / "long.honestly"
    with create_study(path) as store:
        store.add([Agent(name="somebody"), Task(id="t", instruction="Do *it*.")])
        checks = (Check(id="adds", status="passed"), Check(id="divides", status="failed", message="ZeroDivisionError"))
        trial = Trial(
            id=TRIAL,
            agent="somebody",
            task="t",
            sample=0,
            outcome=Outcome.FAILED,
            verdict=Verdict(hidden=CheckRun(checks=checks)),
        )
        store.add_trial(trial, map(step, range(STEPS)))
        cited = tuple(Evidence(quote=f"cheat at {number}", step=number, start=7, where="message") for number in CITED)
        store.add(
            [Finding(trial=TRIAL, detector="says so", version="1", state="flagged", evidence=cited, note="It says it.")]
        )
    return path


def at(page, number):
    return page.locator(f'.step[data-step="{number}"]')


@pytest.mark.slow
def test_a_long_trajectory_opens_in_windows_and_keeps_few_in_the_page(viewer, long_study, open_page):
    with viewer(long_study) as view:
        page = open_page(view, f"t/{TRIAL}")
        at(page, 0).wait_for()
        most = 0
        for _ in range(60):
            page.mouse.wheel(0, 4000)
            page.wait_for_timeout(40)
            most = max(most, page.locator(".step").count())
        last = int(page.locator(".step").last.get_attribute("data-step"))
        assert last > 250
        assert most < 300, "windows that are far away are dropped"
        assert page.locator(".step").count() == len(
            set(page.locator(".step").evaluate_all("all => all.map(s => s.dataset.step)"))
        )
        page.keyboard.press("g")
        page.keyboard.type("12345")
        page.keyboard.press("Enter")
        page.wait_for_selector('.step.now[data-step="12345"]')
        before = at(page, 12_345).bounding_box()["y"]
        page.locator(".more.up").scroll_into_view_if_needed()
        at(page, 12_330).wait_for(state="attached")
        assert before < 200


@pytest.mark.slow
def test_keys_go_from_step_to_step_and_from_finding_to_finding(viewer, long_study, open_page):
    with viewer(long_study) as view:
        page = open_page(view, f"t/{TRIAL}")
        at(page, 0).wait_for()
        for number in (0, 1, 2):
            page.keyboard.press("j")
            page.wait_for_selector(f'.step.now[data-step="{number}"]')
        page.keyboard.press("k")
        page.wait_for_selector('.step.now[data-step="1"]')
        page.keyboard.press("n")
        page.wait_for_selector('.step.now[data-step="3"] mark[data-of="1"]')
        page.keyboard.press("n")
        page.wait_for_selector('.step.now[data-step="15000"]')
        assert at(page, 15_000).locator("mark").inner_text() == "cheat at 15000"
        page.keyboard.press("p")
        page.wait_for_selector('.step.now[data-step="3"]')
        page.keyboard.press("c")
        assert page.locator(".step.folded").count() == page.locator(".step").count()
        page.keyboard.press("o")
        assert page.locator(".step:not(.folded)").count() == 1
        page.keyboard.press("e")
        assert page.locator(".step.folded").count() == 0
        page.keyboard.press("?")
        assert page.get_by_text("next / previous finding").is_visible()


@pytest.mark.slow
def test_find_reaches_beyond_the_window_and_links_last(viewer, long_study, open_page):
    with viewer(long_study) as view:
        page = open_page(view, f"t/{TRIAL}")
        at(page, 0).wait_for()
        page.keyboard.press("/")
        page.keyboard.type("needle")
        page.keyboard.press("Enter")
        hits = page.locator(".hits a")
        hits.nth(1).wait_for()
        assert hits.all_inner_texts() == ["step 7", "step 19,990"]
        hits.nth(1).click()
        page.wait_for_selector('.step.now[data-step="19990"] mark[data-of~="0"]')
        mark = at(page, 19_990).locator("mark")
        assert mark.inner_text() == "needle"
        assert mark.bounding_box()["y"] < page.viewport_size["height"]
        sought = open_page(view, f"t/{TRIAL}?step=19990&q=needle")
        sought.locator(".hits a", has_text="step 7").wait_for()
        assert sought.locator("form.find input").input_value() == "needle"
        head, tools = at(sought, 19_990).locator(".head").bounding_box(), sought.locator(".tools").bounding_box()
        assert head["y"] >= tools["y"] + tools["height"], "the bar of tools stands before the step"
        again = open_page(view, page.url.removeprefix(view.url))
        again.wait_for_selector('.step.now[data-step="19990"] mark[data-of~="0"]')
        page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        at(page, 19_990).get_by_role("button", name="link").click()
        assert page.evaluate("window.copied").endswith(f"/t/{TRIAL}?step=19990")


@pytest.mark.slow
def test_kinds_raw_text_colours_and_sums(viewer, long_study, open_page):
    with viewer(long_study) as view:
        page = open_page(view, f"t/{TRIAL}?step=5")
        at(page, 5).wait_for()
        assert at(page, 5).locator(".md strong").inner_text() == "5"
        assert at(page, 5).locator(".t1").inner_text() == "red 5"
        assert "<b>not bold</b>" in at(page, 5).inner_text()
        at(page, 5).locator(".sum", has_text="Σ 50 read (20 cached)").wait_for()
        assert "$0.050" in at(page, 5).locator(".sum").inner_text()
        at(page, 5).get_by_role("button", name="raw").click()
        at(page, 5).get_by_text("thinking about **5**", exact=True).wait_for()
        page.get_by_text("Show", exact=True).click()
        page.locator('[data-kind="calls"]').uncheck()
        page.wait_for_url(re.compile("hide=calls"))
        page.locator(".steps:not(:has(.is-calls)) .is-observations").first.wait_for()
        assert "echo 5" not in page.locator(".steps").inner_text()


@pytest.mark.slow
def test_a_link_of_a_trajectory_asks_before_it_opens(viewer, long_study, open_page):
    with viewer(long_study) as view:
        page = open_page(view, f"t/{TRIAL}")
        asked = []
        page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
        at(page, 0).get_by_role("button", name="here").click()
        assert "https://elsewhere.example/x" in asked[0]
        assert len(page.context.pages) == 1


def test_downloads_are_the_records(viewer, long_study):
    with viewer(long_study) as view, view.client() as client:
        base = view.study(f"t/{TRIAL}").removeprefix(view.url)
        lines = client.get(f"{base}/trajectory.jsonl").text.splitlines()
        assert len(lines) == STEPS
        assert json.loads(lines[3])["message"] == "I will cheat at 3 now"
        assert json.loads(client.get(f"{base}/step.json?step=3").text)["message"] == "I will cheat at 3 now"
        record = client.get(f"{base}/trial.json").json()
        assert record["trial"]["id"] == TRIAL
        assert record["findings"][0]["detector"] == "says so"
        assert client.get(f"{base}/step.json?step=99999").status_code == 404
        assert client.get(f"/s/x/t/{TRIAL}").status_code == 404


@pytest.mark.slow
def test_checks_change_and_reference_of_a_demo_trial(viewer, demo_study, open_page):
    with open_study(demo_study) as study:
        trial = next(cell.id for cell in study.cells() if cell.outcome is Outcome.PASSED and study.artifacts(cell.id))
    with viewer(demo_study) as view:
        page = open_page(view, f"t/{trial}")
        page.get_by_role("tab", name="Checks").click()
        assert "hidden: passed" in page.locator(".panel").inner_text()
        whole = page.content()
        page.keyboard.press("4")  # the tab Change
        page.locator(".change .diff").first.wait_for()
        assert page.locator(".change .ins").count()
        reference = page.get_by_text("Show the reference solution")
        assert "reference solution" in whole
        assert page.locator(".change").nth(1).inner_text() == ""
        reference.click()
        page.locator(".change").nth(1).locator(".diff").wait_for()


@pytest.mark.slow
def test_numbers_that_make_no_sense_break_no_page(viewer, demo_study):
    with open_study(demo_study) as study:
        trial = min(study.trial_ids())
    with viewer(demo_study) as view, view.client() as client:
        for n in ("9" * 2000, "9" * 5000, "9" * 19, "\u0663", "-1", "1e3"):
            for place in (
                f"t/{trial}?step=1&span={n}-1",
                f"t/{trial}?step={n[:19]}",
                f"t/{trial}/find?q=a&after={n[:4400]}.1",
                f"t/{trial}/steps?start={n}",
                f"trials?start={n}",
                f"find/part?q=a&after={n}",
                f"grid?start={n}",
            ):
                assert client.get(view.study(place)).status_code < 500, place


@pytest.mark.slow
def test_print_cuts_nothing_off(viewer, demo_study, open_page):
    with open_study(demo_study) as study:
        trial = study.trial(next(iter(study.findings(state="flagged"))).trial)
        other = next(agent.name for agent in study.agents() if agent.name != trial.agent)
    pair = f"compare/task?a={trial.agent}&b={other}&task={trial.task}"
    with viewer(demo_study) as view:
        page = open_page(view, viewport={"width": 1280, "height": 300})
        page.emulate_media(media="print")
        for place, held in ((f"t/{trial.id}", ".panel"), (pair, ".column >> nth=0"), ("", ".grid")):
            page.goto(view.study(place))
            page.locator(held).wait_for(timeout=30_000)
            assert page.locator(held).evaluate("each => each.scrollHeight - each.clientHeight") <= 0, held


def test_a_real_trial_of_terminal_bench_opens(viewer, terminal_bench, open_page):
    with open_study(terminal_bench) as study:
        trial = next(cell.id for cell in study.cells() if study.trajectory_info(cell.id))
    with viewer(terminal_bench) as view:
        page = open_page(view, f"t/{trial}", viewport={"width": 390, "height": 800})
        page.locator(".step").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
