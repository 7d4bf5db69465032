"""Two agents task by task, and their trials side by side, in a real browser."""

import re

import pytest
from hypothesis import given, strategies as st

from honestly import studies
from honestly.records import Edit, File, Tree
from honestly.store import open_study
from honestly.trials import between_changes
from honestly.web._listing import Listing
from honestly.web.pages._compare import grouped_tasks

pytestmark = pytest.mark.slow


def agents_of(path):
    with open_study(path) as study:
        return Listing.from_store(study).ranked("agent")


def test_the_difference_stands_on_top_in_the_words_of_the_command(viewer, terminal_bench, open_page):
    a, b = agents_of(terminal_bench)[:2]
    found = studies.open(terminal_bench).compare(a, b)
    with viewer(terminal_bench) as view:
        page = open_page(view, "compare")
        page.locator("select[name=a]").select_option(a)
        page.locator("select[name=b]").select_option(b)
        page.get_by_role("button", name="Compare").click()
        page.locator("#pair .claim").wait_for(timeout=60_000)
        assert page.locator("#pair .claim").inner_text() == found.sentence
        page.locator("#groups").wait_for()
        with open_study(terminal_bench) as study:
            groups, alone = grouped_tasks(Listing.from_store(study), a, b)
        assert sum(len(group.tasks) for group in groups) + len(alone) == 80
        for group in groups:
            assert page.get_by_text(f"{group.title}: {len(group.tasks)}").is_visible()
        page.locator(".group-a a").first.click()
        page.wait_for_url(re.compile("compare/task"))
        assert page.locator(".side").count() == 2
        first = page.url
        page.keyboard.press("ArrowRight")
        page.wait_for_url(lambda url: url != first)
        page.keyboard.press("ArrowLeft")
        page.wait_for_url(first)


def test_each_of_two_real_trials_opens_alone(viewer, terminal_bench, open_page):
    with open_study(terminal_bench) as study:
        cells = [cell for cell in study.cells() if study.trajectory_info(cell.id)]
        mine = cells[0]
        other = next(cell for cell in study.cells() if cell.task == mine.task and cell.agent != mine.agent)
        sample = study.trial(mine.id).sample
    with viewer(terminal_bench) as view:
        page = open_page(view, f"compare/task?a={mine.agent}&b={other.agent}&task={mine.task}&sample_a={sample}")
        page.locator(".side .step").first.wait_for()
        page.locator(".side h2 a").first.click()
        page.wait_for_url(re.compile(f"/t/{mine.id}"))


@pytest.mark.slow
def test_a_demo_pair_is_aligned_step_by_step_with_its_patches(viewer, demo_study, open_page):
    a, b = agents_of(demo_study)[0], agents_of(demo_study)[-1]
    with open_study(demo_study) as study:
        task = Listing.from_store(study).ranked("task")[0]
    with viewer(demo_study) as view:
        page = open_page(view, f"compare/task?a={a}&b={b}&task={task}", viewport={"width": 1280, "height": 500})
        columns = page.locator(".side .column")
        columns.first.locator(".step").nth(2).wait_for()
        columns.first.hover()
        page.mouse.wheel(0, 700)
        page.wait_for_timeout(300)
        tops = page.evaluate(
            """() => [...document.querySelectorAll('.side .column')].map(column => {
                const top = column.getBoundingClientRect().top;
                const step = [...column.querySelectorAll('.step')].find(one => one.getBoundingClientRect().bottom > top + 4);
                return Number(step.dataset.step);
            })"""
        )
        assert tops[0] > 0
        assert abs(tops[0] - tops[1]) <= 1
        page.keyboard.press("l")
        assert not page.locator("#together").is_checked()
        page.get_by_text("What tells the two final changes apart").click()
        page.locator(".change .diff").last.wait_for()


@pytest.mark.parametrize("asked", ["a=x&b=y", "a=&b=", "a={0}&b={0}"])
def test_who_cannot_be_compared_is_told_so(viewer, demo_study, asked):
    with viewer(demo_study) as view, view.client() as client:
        place = view.study(f"compare?{asked.format(agents_of(demo_study)[0])}").removeprefix(view.url)
        assert client.get(place).status_code == 200
        assert client.get(place.replace("compare?", "compare/groups?")).status_code == 404
        assert client.get(place.replace("compare?", "compare/task?")).status_code == 404


FILES = st.dictionaries(st.sampled_from(("a.py", "b.py", "c/d.py")), st.text("xy\n", max_size=6), max_size=3)


def tree(files):
    return Tree(files={name: File(data=text.encode()) for name, text in files.items()})


@given(FILES, FILES, FILES)
def test_what_tells_two_changes_apart_makes_the_one_of_the_other(given_files, one, two):
    base = tree(given_files)
    first, second = (Edit.between(base, tree(files)) for files in (one, two))
    left, edit = between_changes(base, first, second)
    assert edit.apply(first.apply(base)) == second.apply(base)
    assert edit.apply(left).files.items() <= second.apply(base).files.items()
    same, none = between_changes(base, first, first)
    assert none.apply(same) == same
