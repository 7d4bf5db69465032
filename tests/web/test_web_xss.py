"""Hostile texts in every field that can hold text: nothing runs, nothing is asked of another machine, on any page."""

import re

import pytest
from hostile_texts import hostile_texts

from honestly.people import Draw, draw_queue, keep_queue
from honestly.records import (
    Agent,
    Check,
    CheckRun,
    Defect,
    Edit,
    Evidence,
    File,
    Finding,
    Observation,
    Outcome,
    Picture,
    Review,
    Step,
    StudyFacts,
    Subagent,
    Tags,
    Task,
    ToolCall,
    Tree,
    Trial,
    Verdict,
    encode,
)
from honestly.store import create_study

pytestmark = pytest.mark.slow

TEXTS = hostile_texts()


def planted(path, groups):
    """A study with a trial of two agents for each group of texts, which stand in all its fields."""
    with create_study(path, StudyFacts(suite=TEXTS[0])) as store:
        for number, text in enumerate(groups):
            name = f"{number}{text}"
            tags = Tags(category=text, cluster=text)
            workspace = Tree(files={"a.py": File(data=b"x")})
            store.add([Task(id=name, instruction=text, tags=tags, workspace=workspace)])
            for side in "ab":
                agent = f"{side}{name}"
                settings = {text[:50]: text}
                store.add([Agent(name=agent, program=text, model=text, version=text, settings=settings)])
                trial = f"{number * 2 + (side == 'b'):032x}"
                run = CheckRun(checks=(Check(id=text, status="failed", message=text),), note=text)
                verdict = Verdict(visible=run, hidden=run, tampered=(text,))
                edit = Edit(write=Tree(files={safe(text): File(data=text.encode())}))
                store.add_trial(
                    Trial(
                        id=trial,
                        agent=agent,
                        task=name,
                        sample=0,
                        outcome=Outcome.FAILED,
                        reason=text,
                        verdict=verdict,
                        source=text,
                        started_at=text,
                    ),
                    steps(text),
                    artifacts={safe(text) + ".html": text.encode(), "final.edit": encode(edit)},
                )
                quotes = (Evidence(quote=text, step=1, start=0, where="message"), Evidence(quote=text, where=text))
                store.add(
                    [
                        Finding(
                            trial=trial,
                            detector=text[:80],
                            version=text,
                            state="flagged",
                            evidence=quotes,
                            note=text,
                            category=text,
                        ),
                        Review(trial=trial, reviewer=text[:60], at="2026-01-01", label=text, note=text, codebook=text),
                    ]
                )
        store.add([Defect(kind=TEXTS[0], where=TEXTS[1], detail=TEXTS[2])])
        keep_queue(store, draw_queue(store, Draw(double=0)))
    return path


def safe(text):
    """As a file's name."""
    return re.sub(r"[/\0]", "_", text)[:100]


def steps(text):
    yield Step(source="user", message=text)
    call = ToolCall.of(text, text, command=text, **{safe(text)[:40]: text})
    seen = Observation(text=text, call_id=text, subagents=(Subagent(thread=text), Subagent(path=text)))
    yield Step(
        source="agent", message=text, reasoning=text, calls=(call,), observations=(seen,), model=text, effort=text
    )
    yield Step(
        source="system", message=text, images=(Picture(path=text, data=text.encode(), media_type="image/svg+xml"),)
    )
    yield Step(source="agent", message=text, thread=text)


def crawled(page, most, wait):
    """Open the pages that links lead to, at most so many of a kind, and press what loads more."""
    home, waiting, seen = page.url, [page.url], set()
    kinds = {}
    while waiting:
        address = waiting.pop(0)
        kind = re.sub(r"[0-9a-f]{10,32}|\?.*", "*", address)
        if address in seen or kinds.get(kind, 0) >= most:
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
        seen.add(address)
        page.goto(address)
        page.wait_for_timeout(wait)
        for summary in page.locator("summary").all()[:12]:
            summary.dispatch_event("click")
        page.wait_for_timeout(wait // 4)
        assert page.evaluate("window.pwned ?? []") == [], address
        found = "[...document.querySelectorAll('a[href]:not([download])')]"  # of figures, too, whose href is an object
        links = page.evaluate(found + ".map(a => new URL(a.getAttribute('href'), document.baseURI).href)")
        waiting += [link for link in links if link.startswith(home.rpartition("/s/")[0]) and "/download" not in link]
    return seen


def tried(viewer, open_page, path, most, wait):
    with viewer(path) as view:
        page = open_page(view)
        dialogs = []
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        page.add_init_script("window.pwned = []; window.pwn = (n) => window.pwned.push(n);")
        page.context.add_cookies([{"name": "honestly-reviewer", "value": "ann", "url": view.url}])
        seen = crawled(page, most, wait)
        assert not dialogs
        (key,) = [study.key for study in view.library]
        for place in ("review", "find?q=pwn", "live", "compare", "trials"):
            page.goto(f"{view.url}/s/{key}/{place}")
            page.wait_for_timeout(400)
            assert page.evaluate("window.pwned") == []
    return seen


def test_there_are_enough_of_them():
    assert len(set(TEXTS)) >= 130
    assert all("pwn(" in text or "base64" in text for text in TEXTS)


def test_the_watch_itself_sees_what_runs(open_page, viewer, tmp_path):
    """A page that would let them through is noticed: without the policy and the escaping, most of them run."""
    with viewer(planted(tmp_path / "s.honestly", ["x"])) as view:
        page = open_page(view)
        bare = page.context.browser.new_page()
        bare.set_content("<script>window.pwned = []; window.pwn = n => window.pwned.push(n)</script>" + TEXTS[27])
        bare.wait_for_function("window.pwned.length > 0")
        bare.close()


def test_nothing_runs_of_a_part_of_them(viewer, open_page, tmp_path):
    groups = ["\n".join(TEXTS[part::33][:2]) for part in range(33)][::20]
    seen = tried(viewer, open_page, planted(tmp_path / "s.honestly", groups), 1, 120)
    kinds = {re.sub(r".*/s/[^/]+/?|[?].*|[0-9a-f]{32}", "", address) for address in seen}
    assert {"", "trials", "compare", "t/", "review"} <= kinds


def test_nothing_runs_wherever_they_stand(viewer, open_page, tmp_path):
    groups = ["\n".join(TEXTS[part::33]) for part in range(33)]  # four each: what is longer no address can name
    seen = tried(viewer, open_page, planted(tmp_path / "s.honestly", groups), 66, 250)
    assert sum(bool(re.search(r"/t/[0-9a-f]{32}(\?|$)", address)) for address in seen) >= 60
