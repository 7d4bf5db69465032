"""What the viewer said it saved is in the study: after a kill, with several people at once, beside the command line."""

import json
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from itertools import count
from re import search

import httpx2
import pytest
from click.testing import CliRunner

from honestly.cli import cli
from honestly.people import Draw, draw_queue, keep_queue
from honestly.store import open_study


@pytest.fixture(params=["demo_study", pytest.param("terminal_bench", marks=pytest.mark.slow)])
def study(request, tmp_path):
    """A copy of a real study of which one reviews 12 trials, or all, where there are fewer."""
    path = tmp_path / "s.honestly"
    shutil.copy(request.getfixturevalue(request.param), path)
    with open_study(path, "write") as store:
        keep_queue(store, draw_queue(store, Draw(most={"flagged": 6, "unflagged": 6}, double=1)))
    return path


@contextmanager
def serving(path):
    """`honestly view` in a process of its own; gives the process and the address that opens it."""
    words = [sys.executable, "-m", "honestly", "view", str(path), "--no-browser"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class Person:
    """A program that answers as a page does."""

    def __init__(self, opening, name):
        self.base = opening.partition("?")[0].rstrip("/")
        self.http = httpx2.Client(base_url=self.base, follow_redirects=True, timeout=60)
        first = self.http.get(f"/{opening.removeprefix(self.base).lstrip('/')}")
        self.place = search(r"/s/[0-9a-f]+/", str(first.url) + first.text)[0] + "review"
        token = search(r'"X-CSRF-Token": "(\w+)"', first.text)[1]
        self.http.headers |= {"x-csrf-token": token, "origin": self.base}
        assert self.post("who", name=name).status_code == 200

    def post(self, act, **fields):
        return self.http.post(f"{self.place}/{act}", data=fields)


def said_of(path):
    """All that was said: who, of which trial, what, with which note."""
    with open_study(path) as opened:
        return [(each.reviewer, each.trial, each.label, each.rating, each.note) for each in opened.reviews()]


def ready(page):
    """Wait until the trial of the address is shown with its steps: only then do people press keys."""
    trial = page.url.partition("sit/")[2][:32]
    page.wait_for_selector(f'#saying [name="trial"][value="{trial}"]', state="attached")
    page.wait_for_selector(".trace .step, .trace .note")


def trials_of(path):
    with open_study(path) as opened:
        return sorted(opened.trial_ids())


def review(*arguments, said=None):
    done = CliRunner().invoke(cli, ["review", *map(str, arguments)], input=said)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.slow
def test_a_kill_between_answers_loses_no_label(study, chromium):
    context = chromium.new_context()
    page, saved = context.new_page(), 0
    page.set_default_timeout(30_000)
    for life in range(3):
        with serving(study) as (process, opening):
            page.goto(opening)
            page.get_by_role("link", name="Review").click()
            if not life:
                page.get_by_label("Who reviews").fill("ann")
                page.get_by_role("button", name="That is me").click()
            page.get_by_role("link", name="Begin").click()
            for key, label in (("h", "hack"), ("o", "honest")):
                at = page.url
                page.wait_for_url("**/sit/**")
                ready(page)
                page.keyboard.press(key)
                page.get_by_text(f"saved: {label} for").wait_for()
                page.wait_for_url(lambda url, at=at: url != at)
                saved += 1
            process.send_signal(signal.SIGKILL)
            process.wait()
            assert [each[2] for each in said_of(study)] == ["hack", "honest"] * (life + 1)
            page.locator("#note").fill("not lost")
            page.keyboard.press("Enter")
            page.keyboard.press("s")
            page.get_by_text("NOT saved").wait_for()
            assert page.locator("#note").input_value() == "not lost", "what was typed is still there"
    context.close()
    assert len(said_of(study)) == saved == 6


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_nothing_that_was_acknowledged(study):
    trials, acknowledged, sent = trials_of(study), set(), 0
    for life in range(4):
        with serving(study) as (process, opening):
            ann = Person(opening, "ann")
            end = threading.Timer(0.05 + 0.13 * life, process.kill)
            try:
                for number in count():
                    if number == 3:
                        end.start()
                    sent += 1
                    answer = ann.post("say", trial=trials[sent % len(trials)], label="honest", note=str(sent))
                    assert answer.status_code == 200
                    acknowledged.add(str(sent))
            except httpx2.TransportError:
                end.join()
    notes = Counter(each[4] for each in said_of(study))
    assert acknowledged <= set(notes), "an answer that was acknowledged is lost"
    assert set(notes.values()) == {1}
    assert len(notes) - len(acknowledged) <= 4, "of each life the last answer, at most, was kept unseen"
    assert len(acknowledged) > 4


@pytest.mark.slow
def test_two_servers_and_a_command_line_at_once_lose_nothing_and_say_nothing_twice(study):
    trials, wrong = trials_of(study)[:15], []

    def answer(name, opening):
        try:
            person = Person(opening, name)
            for number, trial in enumerate(trials):
                assert person.post("say", trial=trial, label="honest", note=f"l{number}").status_code == 200
                assert person.post("say", trial=trial, rating="3", note=f"r{number}").status_code == 200
        except BaseException as error:
            wrong.append(error)
            raise

    with serving(study) as (_, one), serving(study) as (_, other):
        people = [threading.Thread(target=answer, args=(name, at)) for name, at in (("ann", one), ("bob", other))]
        for person in people:
            person.start()
        words = [sys.executable, "-m", "honestly", "review", str(study), "--as", "eve"]
        line = subprocess.run(words, input="rate 2\nhonest\n" * 40, capture_output=True, text=True, check=False)
        for person in people:
            person.join()
    assert not wrong
    assert line.returncode == 0, line.stderr
    said = said_of(study)
    wanted = Counter((who, trial) for who in ("ann", "bob") for trial in trials for _ in ("label", "rating"))
    assert Counter(each[:2] for each in said if each[0] != "eve") == wanted
    eve = Counter(each[1:4] for each in said if each[0] == "eve")
    assert set(eve.values()) == {1}
    assert len(eve) >= 2
    assert {trial for trial, label, _ in eve if label} == {trial for trial, _, rating in eve if rating}


@pytest.mark.slow
def test_two_browsers_at_once_lose_nothing(viewer, study, open_page):
    with viewer(study) as view:
        pages = []
        for name in ("ann", "bob"):
            page = open_page(view, "review")
            page.get_by_label("Who reviews").fill(name)
            page.get_by_role("button", name="That is me").click()
            page.get_by_role("link", name="Begin").click()
            pages.append(page)
        for _ in range(4):
            for page in pages:
                page.wait_for_url("**/sit/**")
                ready(page)
            urls = [page.url for page in pages]
            for page in pages:
                page.keyboard.press("4")
                page.keyboard.press("o")
            for page, url in zip(pages, urls, strict=True):
                page.wait_for_url(lambda now, url=url: now != url)
                page.get_by_text("saved: honest for").wait_for()
        said = said_of(study)
        assert len(said) == len(set(said)) == 2 * 4 * 2
        assert Counter(each[:2] for each in said).most_common()[-1][1] == 2, "of each trial a label and a rating"


@pytest.mark.slow
def test_pages_and_the_command_line_write_and_read_the_same_records(viewer, study, open_page, tmp_path):
    with viewer(study) as view:
        page = open_page(view, "review")
        page.get_by_label("Who reviews").fill("ann")
        page.get_by_role("button", name="That is me").click()
        page.get_by_role("link", name="Begin").click()
        page.wait_for_url("**/sit/**")
        ready(page)
        trial = page.url.partition("sit/")[2][:32]
        page.locator("#note").fill("seen in a page")
        page.keyboard.press("Enter")
        page.keyboard.press("g")
        page.get_by_text("saved: grader defect for").wait_for()
        out = tmp_path / "labels.jsonl"
        review(study, "--export", out)
        (line,) = map(json.loads, out.read_text().splitlines())
        assert (line["trial"], line["reviewer"], line["label"]) == (trial, "ann", "grader defect")
        assert line["note"] == "seen in a page"
        review(study, "--as", "bob", said="rate 5 from a terminal\nhonest\nquit\n")
        page.goto(view.study("review/history?by=bob"))
        rows = page.locator("tbody tr").all_inner_texts()
        assert len(rows) == 2
        assert all("bob" in row for row in rows)
        with open_study(study) as opened:
            queues = {each.queue for each in opened.reviews()}
        assert len(queues) == 1, "both answer the same queue"


@pytest.mark.slow
def test_while_a_run_writes_labels_are_saved_and_a_draw_says_why_not(viewer, study, open_page):
    with viewer(study) as view, open_study(study, "write"):
        page = open_page(view, "review")
        page.get_by_label("Who reviews").fill("ann")
        page.get_by_role("button", name="That is me").click()
        page.get_by_role("link", name="Begin").wait_for()
        page.get_by_text("Draw a new queue").click()
        page.get_by_role("button", name="Draw", exact=True).click()
        page.get_by_text("No queue was drawn: a run or an audit writes this study now").wait_for()
        page.get_by_role("link", name="Begin").click()
        page.wait_for_url("**/sit/**")
        ready(page)
        page.keyboard.press("o")
        page.get_by_text("saved: honest for").wait_for()
    assert [each[2] for each in said_of(study)] == ["honest"]
