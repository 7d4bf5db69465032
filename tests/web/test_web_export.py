"""Studies written as pages without a server: every link leads somewhere, nothing runs, nothing else is asked for."""

import re
from html import unescape

import pytest
from click.testing import CliRunner
from hostile_texts import hostile_texts
from test_web_xss import planted
from web_studies import many_trials

from honestly.cli import cli
from honestly.records import Agent, Evidence, Finding, Outcome, Step, Task, Trial
from honestly.store import create_study, open_study
from honestly.web import export_comparison

pytestmark = pytest.mark.slow

TRIAL = "c" * 32
CITED = (3, 250)
FORBIDDEN = re.compile(r"<(?:form|iframe)|\bhx-get|/s/[0-9a-f]{10}/")
"""What needs a server."""


def exported(path, *words):
    return CliRunner().invoke(cli, ["view", str(path), "--export", *map(str, words)])


def whole(folder, hostile=False):
    """Asserts that all links of a folder lead to its own files, and to steps that are there; returns its pages."""
    pages = {each.name: each.read_text() for each in folder.glob("*.html")}
    ids = {name: set(re.findall(r' id="([^"]+)"', text)) for name, text in pages.items()}
    for name, text in pages.items():
        bare = re.sub(r'<form method="dialog">', "", text)
        assert hostile or not FORBIDDEN.search(bare), name
        for link in map(unescape, re.findall(r'(?:href|src)="([^"]*)"', text)):
            file, _, mark = link.partition("#")
            if link.startswith("data:"):
                continue
            assert (folder / (file or name)).is_file(), (name, link)
            if mark.startswith(("step-", "finding-")):
                assert mark in ids[file or name], (name, link)
    return pages


@pytest.fixture
def from_disk(chromium):
    """Opens a file in a fresh profile; the test fails where a page has errors, runs a text, or asks for anything else."""
    contexts, wrong = [], []

    def opened(path, mark=""):
        context = chromium.new_context()
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else wrong.append(asked.url))
        page.set_default_timeout(30_000)  # machines are busy
        page.goto(path.as_uri() + mark)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not wrong


def walked(folder, page, trial=""):
    """From the first page to a trial, its steps folded and hidden by keys and boxes, to the next trial, and back."""
    page.get_by_role("link", name="Trials", exact=True).click()
    page.locator("tbody a").first.click()
    if trial:
        page.goto((folder / f"trial-{trial}.html").as_uri())
    page.locator(".step").first.wait_for()
    total = page.locator(".step").count()
    page.keyboard.press("c")
    assert page.locator(".step.folded").count() == total
    page.keyboard.press("j")
    assert page.locator(".step.now").count() == 1
    before = page.url
    page.keyboard.press("ArrowRight")
    page.wait_for_url(lambda url: url != before)
    page.get_by_text("Show", exact=True).click()
    for box in page.locator("[data-kind]").all():
        box.uncheck()
    assert not page.locator(".step:visible").count()
    page.get_by_role("link", name="Compare").click()
    page.locator("main li a").first.click()
    assert page.get_by_role("heading", name="Task by task").is_visible()
    page.locator("#groups details").nth(3).locator("summary").click()
    page.get_by_role("link", name="honestly", exact=True).click()
    assert page.url == (folder / "index.html").as_uri()
    assert page.get_by_role("heading", name="Leaderboard").is_visible()


def test_a_study_as_a_folder(demo_study, tmp_path, from_disk):
    done = exported(demo_study, tmp_path / "out")
    assert done.exit_code == 0, done.output
    pages = whole(tmp_path / "out")
    assert f"{len(pages):,} pages" in done.output
    with open_study(demo_study) as store:
        ids = {trial.id for trial in store.trials()}
    assert {f"trial-{each}.html" for each in ids} <= set(pages)
    walked(tmp_path / "out", from_disk(tmp_path / "out" / "index.html"))
    again = exported(demo_study, tmp_path / "out")
    assert again.exit_code != 0
    assert "exists already" in str(again.exception)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out"]


def test_the_real_trials_as_a_folder(terminal_bench, tmp_path, from_disk):
    assert exported(terminal_bench, tmp_path / "out").exit_code == 0
    assert len(whole(tmp_path / "out")) > 3_600
    with open_study(terminal_bench) as store:  # not all have a trajectory, and none has an order
        trial = next(each.id for each in store.trials() if next(store.steps(each.id), None) is not None)
    walked(tmp_path / "out", from_disk(tmp_path / "out" / "index.html"), trial)


def test_a_link_to_a_step_leads_to_the_part_that_holds_it(tmp_path, from_disk):
    words = "I will cheat at {} now"
    with create_study(tmp_path / "s.honestly") as store:
        store.add([Agent(name="somebody"), Task(id="t", instruction="Do it.")])
        trial = Trial(id=TRIAL, agent="somebody", task="t", sample=0, outcome=Outcome.FAILED)
        store.add_trial(trial, (Step(source="agent", message=words.format(number)) for number in range(350)))
        quotes = tuple(Evidence(quote=words.format(at), step=at, start=0, where="message") for at in CITED)
        store.add([Finding(trial=TRIAL, detector="a", version="1", state="flagged", evidence=quotes)])
    assert exported(tmp_path / "s.honestly", tmp_path / "out").exit_code == 0
    whole(tmp_path / "out")
    page = from_disk(tmp_path / "out" / f"trial-{TRIAL}-2.html", f"#step-{CITED[1]}")
    assert page.locator(".step.now").get_attribute("data-step") == str(CITED[1])
    assert page.locator(".step.now mark").count() == 1
    page.locator(f".finding a[data-step='{CITED[0]}']").click()
    page.wait_for_url(f"**/trial-{TRIAL}.html#step-{CITED[0]}")
    assert page.locator(".step.now").get_attribute("data-step") == str(CITED[0])
    page.keyboard.press("n")
    page.wait_for_url(f"**/trial-{TRIAL}-2.html#step-{CITED[1]}")
    page.get_by_role("link", name="on the next page").click()
    assert page.locator(".step").first.get_attribute("data-step") == "300"


def test_a_comparison_as_one_file(demo_study, tmp_path, from_disk):
    file = tmp_path / "pair.html"
    with open_study(demo_study) as store:
        a, b = sorted(agent.name for agent in store.agents())[:2]
    done = exported(demo_study, file, "--compare", a, b)
    assert done.exit_code == 0, done.output
    page = from_disk(file)
    assert page.get_by_role("heading", name="The difference").is_visible()
    assert page.locator("#groups summary").count() == 4
    assert not page.locator("a[href]:not(.skip)").count()
    page.keyboard.press("?")
    assert page.locator("dialog[open]").count() == 1
    wrong = exported(demo_study, tmp_path / "other.html", "--compare", a, "nobody")
    assert "not two agents of this study" in str(wrong.exception)
    assert "--compare A B" in exported(demo_study, tmp_path / "other.html").output
    assert "FILE.html" in exported(demo_study, tmp_path / "folder", "--compare", a, b).output
    assert [each.name for each in tmp_path.iterdir()] == ["pair.html"]


def test_a_comparison_as_one_file_has_its_tasks_however_long_the_list_takes(tmp_path):
    study = many_trials(tmp_path / "many.honestly", agents=3, tasks=2000, samples=1)
    export_comparison(study, tmp_path / "pair.html", "agent-000", "agent-001")
    assert "task-01999" in (tmp_path / "pair.html").read_text()


def test_nothing_hostile_runs_and_no_reference_is_told(tmp_path, from_disk):
    texts = hostile_texts()
    study = planted(tmp_path / "s.honestly", ["\n".join(texts[part::6]) for part in range(6)])
    assert exported(study, tmp_path / "out").exit_code == 0
    pages = whole(tmp_path / "out", hostile=True)
    assert not any("eference solution" in text for text in pages.values())
    page = from_disk(tmp_path / "out" / "index.html")
    page.add_init_script("window.pwned = []; window.pwn = (n) => window.pwned.push(n);")
    for name in sorted(pages)[::6]:
        page.goto((tmp_path / "out" / name).as_uri())
        page.wait_for_timeout(30)
        assert page.evaluate("window.pwned") == [], name


def test_a_study_that_cannot_be_written_leaves_nothing(demo_study, tmp_path):
    done = exported(demo_study, tmp_path / "absent" / "out")
    assert done.exit_code != 0
    assert "expected a folder that exists" in str(done.exception)
    assert not list(tmp_path.iterdir())
