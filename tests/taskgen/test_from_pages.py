"""`tasks from-pages` as a whole: tasks that hold, chains of forms, addresses, models, agents, and a run that is killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import anyio
import pytest

from forked import honestly
from honestly.models import ScriptedModel
from honestly.sandbox import open_sandbox
from honestly.sites import SiteAnswer, open_site
from honestly.taskgen.pages import PageTerms, from_pages, model_proposer, site_of
from honestly.tasks import load_suite
from honestly.verify import check_task

pytestmark = pytest.mark.slow

LOST = {"page": "/orders", "question": "What is “Status” of “Order 1001”? It is delivered.", "key": "Order 1001"}
IDEAS = [
    {"page": "/orders", "question": "Which Status has Order 1003?", "key": "Order 1003", "column": "Status"},
    {"page": "/addresses", "form": "Add address",
     "values": {"Name": "Ada Byron", "Street": "1 Quay", "Postcode": "10001", "City": "Lisse"}},
    {**LOST, "column": "Status"}, {"page": "/orders", "question": "Total of Order 9?", "key": "Order 9", "column": "Total"},
    {"page": "/addresses", "form": "Add address", "values": {"Colour": "red"}}, {"page": 7}, {"page": "/nowhere"},
]  # fmt: skip


def explored(name, into, **terms):
    return anyio.run(from_pages, site_of(name), into, PageTerms(**terms))


def claims(into):
    async def work():
        return [await check_task(task, open_sandbox) for task in load_suite(into).tasks]

    return anyio.run(work)


def test_every_task_of_the_shop_holds_and_each_form_that_does_something_has_one(tmp_path):
    found = explored("site:shop", tmp_path / "made", tasks=60)
    seen = found.coverage
    assert (seen.forms_known, seen.forms_tried, seen.forms_with_task) == (11, 11, 10)
    assert [row.refused for row in found.rows if row.form and not row.works and row.kind == "form"] == [
        "nothing changed on the site"  # to log out
    ]
    chains = [row for row in found.rows if row.task and " > " in row.target]
    assert {row.form for row in chains} == {
        "POST /orders [Place order] address,note",
        "POST /cart/#/# [Change KIT-#] quantity",
    }
    assert len({row.effect for row in found.rows if row.task}) == len(found.tasks)
    proofs = claims(tmp_path / "made")
    assert len(proofs) == len(found.tasks) >= 40
    assert [proof.task for proof in proofs if not proof.holds] == []


def test_another_seed_makes_other_tasks_and_a_folder_is_of_one_site_and_seed(tmp_path):
    first = explored("site:tracker", tmp_path / "made", tasks=3, pages=10)
    done = honestly("task", "from", "pages", "site:tracker", "-o", tmp_path / "made", "--seed", "1")
    assert (done.returncode, "was started with site:tracker seed=0" in done.stderr) == (2, True)
    other = anyio.run(from_pages, site_of("site:tracker", 1), tmp_path / "other", PageTerms(tasks=3, pages=10, seed=1))
    answers = [
        (folder / "solution/reference/answer.json").read_text()
        for made, into in ((first, tmp_path / "made"), (other, tmp_path / "other"))
        for folder in (into / task for task in made.tasks)
        if (folder / "solution/reference/answer.json").exists()
    ]
    assert len(set(answers)) > len(answers) / 2


def test_a_site_at_an_address_is_read_and_never_written(tmp_path):
    async def work():
        async with open_site("tracker", 2) as site:
            found = await from_pages(site_of(site.url), tmp_path / "made", PageTerms(tasks=40, pages=30))
            assert site.state() == site.before
            assert {seen.method for seen in site.requests} == {"GET"}
            return found, site.url

    found, url = anyio.run(work)
    posts = [row for row in found.rows if row.kind == "form"]
    assert posts
    assert {row.refused for row in posts} == {"the site is not made afresh for each try, so no form is sent"}
    assert any(row.kind == "search" and row.task for row in found.rows)
    assert url in (tmp_path / "made" / found.tasks[0] / "instruction.md").read_text()
    assert all(proof.holds for proof in claims(tmp_path / "made"))


def test_a_model_gives_words_and_never_an_answer(tmp_path):
    model = ScriptedModel(["Here you are:\n" + json.dumps(IDEAS)], name="muse")
    found = explored("site:shop", tmp_path / "made", tasks=2, proposer=model_proposer(model, 2))
    assert [(row.kind, row.by) for row in found.rows] == [("cell", "muse"), ("form", "muse")]
    assert "/orders/1003" not in model.asked[0][0][0].text.replace('"page": "/orders/1003"', "")
    assert all(proof.holds for proof in claims(tmp_path / "made"))
    play = (tmp_path / "made" / found.tasks[1] / "solution/reference/play.py").read_text()
    assert "Ada Byron" in play


def test_agents_try_each_task_and_what_none_passes_goes_aside(tmp_path):
    words = ("tasks", "from-pages", "site:shop", "-o", tmp_path / "made", "--tasks", "4", "--pages", "12", "--json")
    able = "honest:easy=0,medium=1,hard=1"
    done = honestly(*words, "-a", able)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    easy = {name for name in said["tasks"] if "-cell-" in name or "-count-" in name or "-most-" in name}
    assert easy
    assert {name: counts[able][0] for name, counts in said["agents"].items()} == {
        name: 0 if name in easy else 3 for name in said["tasks"]
    }
    assert {path.name for path in (tmp_path / "made-unsolved").iterdir()} == easy
    again = json.loads(honestly(*words, "-a", able).stdout)
    assert (again["tasks"], again["agents"]) == (said["tasks"], said["agents"])


def test_a_run_that_was_killed_goes_on_and_makes_nothing_twice(tmp_path):
    into = tmp_path / "made"
    words = ["tasks", "from-pages", "site:shop", "-o", str(into), "--tasks", "14"]
    running = subprocess.Popen([sys.executable, "-m", "honestly", *words], start_new_session=True)
    try:
        end = time.monotonic() + 300
        while len(list(into.glob("shop-*"))) < 5 and time.monotonic() < end:
            assert running.poll() is None
            time.sleep(0.02)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    first = {path.name: (path / "made.json").stat().st_mtime_ns for path in into.glob("shop-*")}
    with (into / "from-pages.jsonl").open("ab") as file:
        file.write(b'{"target": "half a l')
    (into / ".shop-half").mkdir()
    lost = min(first)
    shutil.rmtree(into / lost)
    assert honestly(*words).returncode == 0
    fresh = explored("site:shop", tmp_path / "fresh", tasks=14)
    assert {path.name for path in into.glob("shop-*")} == set(fresh.tasks)
    told = [json.loads(line) for line in (into / "from-pages.jsonl").read_text().splitlines()[1:]]
    assert [row["target"] for row in told].count(next(row["target"] for row in told if row.get("task") == lost)) <= 2
    kept = [name for name in first if name != lost]
    same = [name for name in kept if (into / name / "made.json").stat().st_mtime_ns == first[name]]
    assert len(same) >= len(kept) - 1  # the last one may have been written, and not told


class Odd:
    """A site with a form that works only once in a while, a clock on every page, and a form that changes nothing."""

    def __init__(self, seed: int = 0):
        self.names = ["Ada", "Bo", "Cy", "Di"]
        self.looks = 0

    def state(self):
        return {"names": list(self.names)}

    def answer(self, asked):
        self.looks += 1
        if asked.target == "/add" and asked.method == "POST":
            name = asked.body.decode().partition("name=")[2]
            if "-" not in name:
                return SiteAnswer(422, b'<p role="alert">a name has a hyphen</p>', "text/html")
            self.names.append(name)
        elif asked.target == "/nothing" or asked.method == "POST":
            return SiteAnswer(303, b"", "text/html", (("location", "/"),))
        rows = "".join(f"<tr><td>{name}<td>{len(name)} letters<td>{self.looks}" for name in self.names)
        return SiteAnswer(
            200,
            f"""<title>Odd</title><h1>Odd {len(self.names)}</h1><p>{self.looks}</p><dl><dt>Looks<dd>{self.looks}</dl>
            <table><caption>Names</caption><tr><th>Name<th>Length<th>Looks</tr>{rows}</table>
            <form method=post action=/add><input name=name required><button>Add</button></form>
            <form method=post action=/nothing><button>Nothing</button></form>
            <form method=post action=http://192.0.2.1/><input name=x><button>Away</button></form>""".encode(),
            "text/html",
        )


def test_what_changes_by_itself_is_no_answer_and_no_effect(tmp_path):
    found = explored("site:test_from_pages:Odd", tmp_path / "made", tasks=30)
    rows = {row.form: row for row in found.rows if row.kind == "form"}
    add = rows["POST /add [Add] name"]
    assert (add.works, add.tries) == (True, 3)
    assert rows["POST /nothing [Nothing]"].refused == "nothing changed on the site"
    assert rows["POST / [Away] x"].refused == "the form goes to another host"
    assert all("Looks" not in row.target or row.kind == "form" or not row.task for row in found.rows)
    assert add.task == "" or json.loads((tmp_path / "made" / add.task / "made.json").read_text())["effect"]


def test_nothing_is_begun_after_its_time_and_a_site_that_is_not_there_is_said_to_be(tmp_path):
    late = explored("site:shop", tmp_path / "late", seconds=0.0)
    assert late.rows == ()
    for url in ("http://127.0.0.1:1/", "http://192.0.2.1/", "site:none", "shop"):
        done = honestly("task", "from", "pages", url, "-o", tmp_path / "none")
        assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr


LIBRARY = """
import json, os, re
from pathlib import Path
from honestly.sites import FolderSite, wsgi_answers

BOOKS = {n: {"title": t, "shelf": s, "year": y, "lent": l} for n, t, s, y, l in [
    (1, "Emma", "A", 1815, 2), (2, "Moby-Dick", "B", 1851, 5), (3, "Dracula", "B", 1897, 1), (4, "Nana", "C", 1880, 3)]}

def read(folder):
    kept = folder / "books.json"
    return json.loads(kept.read_text()) if kept.exists() else {"books": {str(n): {**b} for n, b in BOOKS.items()}, "seen": []}

def page(title, body):
    return f"<!doctype html><title>{title}</title><h1>{title}</h1>{body}".encode()

def site():
    def serve(folder):
        def app(environ, start):
            path, state = environ["PATH_INFO"], read(folder)
            form = dict(pair.split("=") for pair in environ["wsgi.input"].read().decode().split("&") if "=" in pair)
            start("200 OK", [("Content-Type", "text/html; charset=utf-8")])
            if path == "/":
                rows = "".join(f"<tr><td>{b['title']}<td>{b['shelf']}<td>{b['lent']}" for b in state["books"].values())
                links = "".join(f"<li><a href=/book/{n}>{b['title']}</a>" for n, b in state["books"].items())
                links += "<li><a href=/next>Go on</a>"
                head = "<tr><th rowspan=2>Title<th colspan=2>Copies<tr><th>Shelf<th>lent"
                return [page("Branch", f"<p>Open: 9 to 17<ul>{links}</ul><table>{head}{rows}</table>")]
            if path == "/next":  # a link that changes something, and does not sound so
                state["seen"].append("next")
            book = state["books"].get((re.findall("/book/([0-9]+)", path) or ["1"])[0])
            flash = ""
            if form.get("shelf"):
                book["shelf"], flash = form["shelf"], "<div class=flash><p>Saved: at once</p></div>"
            (folder / "books.json").write_text(json.dumps(state))
            options = "".join(f"<option{' selected' * (s == book['shelf'])}>{s}" for s in "ABCD")
            change = f"<form method=post><label>Shelf <select name=shelf>{options}</select></label><button>Move</button></form>"
            return [page(book["title"], f"{flash}<p>Year: {book['year']}<p><b>Kept on:</b> shelf {book['shelf']}{change}")]
        return wsgi_answers(app)
    return FolderSite(Path("/nowhere"), serve, read)
"""


def test_an_ordinary_site_of_somebody_elses_is_read_and_left_as_it_was(tmp_path, monkeypatch):
    (tmp_path / "library_site.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = explored("site:library_site:site", tmp_path / "made", tasks=40, seed=2)  # draws both facts of a book
    assert found.coverage.left["reading it changes the site"] == 1
    made = [row for row in found.rows if row.task]
    assert {row.kind for row in made} == {"cell", "count", "detail", "form", "most"}, [
        row.refused for row in found.rows
    ]
    assert len(made) >= 0.8 * len(found.rows)
    asked = [task.instruction for task in load_suite(tmp_path / "made").tasks]
    assert all(any(name in each for each in asked) for name in ("Copies lent", "“Kept on”"))
    assert not any("Saved" in each for each in asked)
    assert [proof.task for proof in claims(tmp_path / "made") if not proof.holds] == []
