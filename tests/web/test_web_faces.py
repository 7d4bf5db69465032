"""What is seen first: the sentence with its forest, what two agents did task by task, when a trial did what."""

import html
import re
import time

import msgspec
import pytest
from msgspec.structs import replace
from web_studies import many_trials

from honestly.comparisons._figure import PairedTask, paired_figure
from honestly.records import Agent, Check, CheckRun, Defect, Observation, Outcome, Step, Task, ToolCall, Trial, Verdict
from honestly.store import create_study, open_study
from honestly.web._export import export_pages
from honestly.web.trial import Showing, Sums
from honestly.web.trial._steps import _Marks, _shown_step


def made_trial(number: int, agent: str, task: str, *, passed: bool) -> Trial:
    hidden = CheckRun(checks=(Check(id="x", status="passed" if passed else "failed"),))
    outcome = Outcome.PASSED if passed else Outcome.FAILED
    return Trial(id=f"{number:032x}", agent=agent, task=task, sample=0, outcome=outcome, verdict=Verdict(hidden=hidden))


@pytest.fixture
def many(tmp_path):
    """Twelve agents, 66 pairs, at three tasks; a row was refused."""
    path = tmp_path / "many.honestly"
    agents, tasks = [f"a{number:02}" for number in range(12)], ["t", "u", "v"]
    with create_study(path) as store:
        store.add([*(Agent(name=each) for each in agents), *(Task(id=each, instruction="") for each in tasks)])
        store.add([Defect(kind="row refused", where="x.csv:7", count=3, effect="refused")])
        for number, (agent, task) in enumerate((agent, task) for agent in agents for task in tasks):
            store.add_trial(made_trial(number, agent, task, passed=number % 5 < 3))
    return path


def soon(client, address: str) -> str:
    """What an address says once it says something."""
    for _ in range(3_000):
        if (answer := client.get(address)).status_code == 200:
            return answer.text
        time.sleep(0.1)
    raise AssertionError(f"{address} says nothing")


@pytest.mark.slow
def test_the_first_page_says_what_was_lost_then_the_verdict_then_draws_it(viewer, many):
    with viewer(many) as view, view.client() as client:
        top = soon(client, view.study("scores?half=top"))
        places = [
            top.index(text)
            for text in ("found 39: kept 36, refused 3", 'class="claim"', 'class="forest"', "<h2>Leaderboard")
        ]
        assert places == sorted(places)
        page = client.get(view.study()).text
        assert 'class="forest"' in page, "it is on the page at once where it is there"
        (seen,) = set(re.findall(r"half=top&amp;seen=(\d+)", page))
        assert client.get(view.study(f"scores?half=top&seen={seen}")).status_code == 204
        assert client.get(view.study("grid?seen=0")).status_code == 200


@pytest.mark.slow
def test_a_page_that_stays_open_gets_the_scores_of_a_study_that_grew(viewer, many):
    with viewer(many) as view, view.client() as client:
        page = soon(client, view.study("scores?half=top"))
        (seen,) = set(re.findall(r"half=top&amp;seen=(\d+)", page))
        with open_study(many, "write") as store:
            store.add_trial(replace(made_trial(99, "a00", "t", passed=True), sample=1))
        assert "2" in soon(client, view.study(f"scores?half=top&seen={seen}"))
        assert "37 trials" in client.get(view.study("pulse?seen=36")).text


@pytest.mark.slow
def test_an_export_of_many_agents_has_pages_of_few_pairs(many, tmp_path):
    export_pages(many, tmp_path / "out", lambda *_: None)
    texts = [page.read_text() for page in (tmp_path / "out").glob("compare-*.html")]
    assert 12 <= len(texts) <= 45
    assert "Of 66 pairs those with the best agent" in (tmp_path / "out" / "compare.html").read_text()
    assert all('class="paired"' in text for text in texts)


def test_two_agents_are_drawn_task_by_task():
    tasks = [PairedTask("only <a>", 1.0, 0.0), PairedTask("only b", 0.0, 0.5), PairedTask("alike", 1.0, 1.0)]
    found = paired_figure(("x", "y"), tasks, 0.25, (-0.5, 0.9))
    assert found.svg.count("<circle") == 1 + 2 * 2
    assert "only &lt;a&gt;" in found.svg
    assert "Tasks that ended alike (1) are not drawn" in found.caption
    assert "cannot be estimated" in paired_figure(("x", "y"), tasks, None, None).svg
    assert "No task was tried by both" in paired_figure(("x", "y"), [], None, None).svg


def test_a_timeline_is_as_wide_as_the_steps_took_and_has_few_bars():
    call = ToolCall(id="1", name="bash", arguments={})
    failed = Observation(text="no", call_id="1", code=1)
    steps = [Step(source="user", message="do"), Step(source="agent", calls=(call,), observations=(failed,), seconds=3.0),
             Step(source="agent", message="done", seconds=1.0)]  # fmt: skip
    bars = Sums(steps).timeline()
    assert [bar.kind for bar in bars] == ["user", "bad", "agent"]
    assert bars[1].width == pytest.approx(3 * bars[2].width, rel=0.01)
    assert sum(bar.width for bar in bars) == pytest.approx(1000, abs=1)
    many = Sums(Step(source="agent", message="x") for _ in range(10_000)).timeline()
    assert len(many) <= 300
    assert (many[0].first, many[-1].last) == (0, 9_999)
    assert Sums([]).timeline() == []


def test_the_head_of_a_step_says_the_tool_and_what_it_is_about():
    def call(name: str, **arguments: object) -> ToolCall:
        return ToolCall(
            id=name,
            name=name,
            arguments={key: msgspec.Raw(msgspec.json.encode(value)) for key, value in arguments.items()},
        )

    step = Step(source="agent", calls=(call("edit", new="x", path="a/b.py"), call("bash", command="ls\necho"), call("shell", command=["git", "log"]), call("think", n=3)))  # fmt: skip
    shown = _shown_step(0, step, Showing(), _Marks(Showing()))
    assert shown.acts == (("edit", "a/b.py"), ("bash", "ls"), ("shell", "git log"), ("think", ""))
    assert not shown.failed


@pytest.mark.slow
def test_figures_say_their_values_at_once_and_open_large_to_zoom(viewer, many, open_page):
    with viewer(many) as view:
        page = open_page(view, "")
        dot = page.locator("figure.forest svg circle").first
        dot.wait_for(timeout=60_000)
        dot.hover()
        assert re.fullmatch(r"a\d\d: .*%.*", page.locator("#tip").inner_text())
        page.mouse.move(2, 2)
        assert page.locator("#tip").is_hidden()
        page.get_by_role("button", name="Open the figure large").first.click()
        large = page.locator("dialog.large svg")
        whole = large.get_attribute("viewBox")
        page.keyboard.press("+")
        assert float(large.get_attribute("viewBox").split()[2]) < float(whole.split()[2])
        page.keyboard.press("0")
        assert large.get_attribute("viewBox").split() == whole.split()
        page.keyboard.press("Escape")
        page.locator("dialog.large").wait_for(state="detached")
        page.locator("#contents a", has_text="Tasks by agents").click()
        assert page.url.endswith("-tasks-by-agents")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_what_stands_beside_the_steps_is_in_tabs(viewer, many, open_page, width):
    with viewer(many) as view:
        page = open_page(view, f"t/{0:032x}", viewport={"width": width, "height": 800})
        tabs = page.get_by_role("tab")
        names = ["Checks", "Findings", "Outline", "Change", "Configuration"]
        assert tabs.all_inner_texts() == (names if width > 900 else ["Trace", *names])
        assert page.locator(".told").is_visible()
        page.get_by_role("tab", name="Configuration").click()
        assert page.locator(".told").is_visible() is (width > 900)
        assert "a00" in page.get_by_role("tabpanel").inner_text()
        page.keyboard.press("ArrowLeft")
        assert page.get_by_role("tab", selected=True).inner_text() == "Change"
        page.reload()
        assert page.get_by_role("tab", selected=True).inner_text() == ("Change" if width > 900 else "Trace")


@pytest.mark.slow
def test_no_page_of_200_agents_and_500_tasks_is_over_200_kb(viewer, tmp_path):
    path = many_trials(tmp_path / "many.honestly", agents=200, tasks=500, samples=1)
    with viewer(path) as view, view.client() as client:
        shown, pages = {}, ["", "trials", "compare", "compare?a=agent-000&b=agent-001", "review", "live"]
        pages += [f"t/{'0' * 32}", f"{view.url}/trends", f"{view.url}/trends?by=model"]
        while pages:
            page = pages.pop()
            shown[page] = soon(client, page if page.startswith("http") else view.study(page))
            # What it asks for by itself, once of each kind; not whether that has changed.
            asked = {f"{view.url}{html.unescape(each)}" for each in re.findall(r'hx-get="([^"]+)"', shown[page])}
            kinds = {re.sub(r"\d+", "", each) for each in (*shown, *pages)}
            pages += [each for each in asked if "seen=" not in each and re.sub(r"\d+", "", each) not in kinds]
        assert {page: len(text.encode()) for page, text in shown.items() if len(text.encode()) > 200_000} == {}
        parts = {page.rpartition("half=")[2]: text for page, text in shown.items() if "half=" in page}
        assert "the best 40 of 200" in shown[""]
        assert all(f"agent-{number:03}" in parts["table"] for number in range(200))
        assert parts.keys() >= {"table", "figures", "questions", "rest"}
        assert "Rank of each agent" not in parts["figures"]  # of 40 agents alone it would say wrong ranks
        assert any("/grid?start=" in page for page in shown)
