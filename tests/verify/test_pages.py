"""Pages of the work in a real browser, judged from outside of them: what a check sees, and pages that lie or resist."""

import os
import re
import textwrap
import threading
from pathlib import Path

import anyio
import pytest

from honestly.records import Checks, Edit, Hidden, Task, Tree
from honestly.sandbox import open_sandbox
from honestly.verify import verify

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("buildable"),
    pytest.mark.skipif(not Path("/usr/lib/chromium/chromium").exists(), reason="needs Debian's package chromium"),
]


def judged(files, *checks, open_box=open_sandbox, timeout=240.0):
    """Status and message of each check, over a workspace of these files."""
    source = "".join(
        f"def test_{at}(ws):\n{textwrap.indent(textwrap.dedent(one), '    ')}\n" for at, one in enumerate(checks)
    )
    names = tuple(f"check_page.test_{at}" for at in range(len(checks)))
    hidden = Checks(runner="grader", files=Tree.of({"check_page.py": source}), expected=names, timeout_s=timeout)
    whole = Hidden(checks=hidden, reference=Edit(write=Tree()))
    task = Task(id="page", instruction="A page.", workspace=Tree(), hidden=whole)
    files = {"index.html": files} if isinstance(files, str) else files

    async def go():
        return await verify(task, Tree.of(files), seed=1, open_box=open_box)

    return [(check.status, check.message) for check in anyio.run(go).hidden.checks]


def browsers():
    """Processes of Chromium below this one, in whatever sandbox."""
    parents, programs = {}, {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            programs[int(place.name)] = (place / "cmdline").read_bytes()
        except OSError:
            continue
    found = {os.getpid()}
    while more := {one for one, parent in parents.items() if parent in found} - found:
        found |= more
    return sum(b"/chromium/chromium" in programs.get(one, b"") for one in found)


FORM = """<!doctype html><html lang=en><title>Order</title>
<h2>Order</h2>
<label>Name <input id=name></label>
<button aria-expanded=false aria-controls=out onclick="save(this)">Save</button>
<p id=out style="color: #767676; background: white">nothing yet</p>
<label>Size <select><option>small<option>large</select></label>
<label><input type=checkbox disabled> Gift</label>
<div hidden><button>Save</button></div>
<ul><li>a<li>b<li>c</ul>
<div style="width: 900px">wide</div>
<script src="app.js"></script>"""
APP = """
function save(button) {
  button.setAttribute("aria-expanded", "true");
  document.getElementById("out").textContent = document.getElementById("name").value;
  setTimeout(() => { localStorage.saved = document.getElementById("name").value; document.title = "Saved"; }, 100);
}
if (localStorage.saved) document.getElementById("name").value = localStorage.saved;
"""


def test_what_a_check_can_do_and_see():
    seen = """
    page = ws.page("index.html", width=800, height=600)
    save, name = page.get("button", "Save"), page.get("textbox", "Name")
    assert (page.title, page.path, page.errors) == ("Order", "index.html", [])
    assert save.state("expanded") is False and name.value == "" and name.role == "textbox" and save.name == "Save"
    assert page.focused is None
    page.press("Tab")
    assert page.focused == name != save
    page.type("Ada + 1")
    page.press("Tab", "Enter")
    out = page.css("#out")[0]
    assert out.text == "Ada + 1" and save.state("expanded") is True and save.state("controls") == [out]
    page.wait(lambda: page.title == "Saved")
    name.type("Bob")
    assert name.value == "Bob"
    page.press("Shift+Tab")
    assert page.focused is None or page.focused != name
    page.reload()
    assert page.get("textbox", "Name").value == "Ada + 1"
    size = page.get("combobox", "Size")
    size.choose("large")
    assert size.value == "large"
    gift = page.get("checkbox", "Gift")
    gift.click()
    assert (gift.state("checked"), gift.state("disabled")) == ("false", True)
    assert [one.text for one in page.all("listitem", within=page.get("list"))] == ["a", "b", "c"]
    assert page.get("heading", "Order").state("level") == 2
    """
    laid = """
    page = ws.page("index.html", width=800, height=600)
    out = page.css("#out")[0]
    assert 4.5 < out.contrast < 4.6 and out.style("color") == "rgb(118, 118, 118)"
    left, top, width, height = out.box
    assert (left, width) == (8, 784) and 0 < top < 600 and height > 10
    assert page.size[0] == 908
    page.resize(1000, 600)
    assert page.size[0] == 1000 and out.box[2] == 984
    assert out.visible and not page.css("[hidden]")[0].visible
    page.goto("index.html#part")
    assert page.path == "index.html#part" and page.css("html")[0].attribute("lang") == "en"
    """
    random = """
    rows = [ws.rng.randrange(1000) for _ in range(5)]
    ws.write("app.js", f"document.body.innerHTML = {rows}.map(n => `<p>${{n}}</p>`).join('')")
    page = ws.page("index.html")
    assert [int(one.text) for one in page.css("p")] == rows
    assert not ws.page("index.html").css("button")
    """
    fails = """ws.page("index.html").get("button", "Send")"""
    told = judged({"index.html": FORM, "app.js": APP}, seen, laid, random, fails)
    assert told[:3] == [("passed", "")] * 3
    assert told[3] == ("failed", "0 elements are 'button' with the name 'Send'; expected one")


def test_cards_are_dragged_both_ways():
    page = """<!doctype html><title>Board</title><style>div { width: 200px; height: 80px; border: 1px solid }</style>
    <div id=card draggable=true>Card</div><div id=there>There</div><div id=knob>Knob</div>
    <script>
    card.ondragstart = e => e.dataTransfer.setData("text/plain", "card");
    there.ondragover = e => e.preventDefault();
    there.ondrop = e => { e.preventDefault(); document.title = e.dataTransfer.getData("text/plain"); };
    let down = false;
    knob.onpointerdown = () => { down = true; };
    onpointerup = e => { if (down) document.title = "knob on " + e.target.id; };
    </script>"""
    check = """
    page = ws.page("index.html")
    card, there, knob = (page.css(one)[0] for one in ("#card", "#there", "#knob"))
    card.drag(there)
    assert page.title == "card"
    knob.drag(there)
    assert page.title == "knob on there"
    """
    assert judged(page, check) == [("passed", "")]


def test_a_box_that_is_drawn_by_its_label_is_clicked_and_not_seen():
    page = """<!doctype html><title>Box</title><style>input { opacity: 0 } label { position: relative }
    label span { position: absolute; inset: 0; background: silver } a:hover { color: red }</style>
    <label><input type=checkbox aria-label=Gift><span></span></label> <a href="#x">More</a>"""
    check = """
    page = ws.page("index.html")
    box, more = page.get("checkbox", "Gift"), page.get("link", "More")
    box.click()
    assert box.state("checked") == "true" and not box.visible
    more.hover()
    assert more.style("color") == "rgb(255, 0, 0)"
    left, top, width, height = more.box
    page.click(left + width / 2, top + height / 2)
    assert page.path == "index.html#x" and page.focused == more
    """
    assert judged(page, check) == [("passed", "")]


LIE = """<!doctype html><title>Lie</title>
<form><input name=parentNode><input name=innerText><button id=real disabled>Pay</button></form>
<img name=activeElement><img name=querySelectorAll><img name=title>
<p id=note style="opacity: .1">Paid</p>
<script>
const yes = () => true;
document.querySelector = document.querySelectorAll = () => [document.body];
JSON.stringify = () => '"forged"'; JSON.parse = () => ({});
Object.getOwnPropertyDescriptor = () => ({get: () => 'forged', value: 'forged'});
Function.prototype.call = Function.prototype.apply = () => 'forged';
Object.defineProperty(HTMLElement.prototype, 'innerText', {get: () => 'forged'});
Object.defineProperty(HTMLElement.prototype, 'hidden', {get: yes});
Object.defineProperty(Node.prototype, 'textContent', {get: () => 'forged'});
Object.defineProperty(HTMLInputElement.prototype, 'value', {get: () => 'forged'});
Object.defineProperty(HTMLButtonElement.prototype, 'disabled', {get: () => false});
Object.defineProperty(document, 'activeElement', {get: () => document.getElementById('real')});
Element.prototype.getBoundingClientRect = () => ({left: 0, top: 0, width: 999, height: 999});
Element.prototype.checkVisibility = yes;
window.getComputedStyle = () => ({color: 'black', getPropertyValue: () => 'forged', opacity: 1});
window.requestAnimationFrame = () => {}; window.setTimeout = () => {};
Promise = undefined; Date.now = () => 0;
if (navigator.webdriver || navigator.userAgent.includes('Headless')) document.body.append('judged');
</script>"""


def test_a_page_that_replaces_what_scripts_can_reach_changes_nothing():
    check = """
    page = ws.page("index.html")
    pay, note = page.get("button", "Pay"), page.css("#note")[0]
    assert pay.state("disabled") is True and page.focused is None and pay.text == "Pay"
    assert note.text == "Paid" and note.style("opacity") == "0.1" and note.contrast < 2 and pay.box[2] < 200
    assert page.css("input")[0].value == "" and len(page.css("img")) == 3 and page.title == "Lie"
    assert "judged" not in page.css("body")[0].text
    assert page.css("form")[0].visible and page.css("form")[0].text == "Pay", page.css("form")[0].text
    """
    assert judged(LIE, check) == [("passed", "")]


HIDDEN = """<!doctype html><title>Hidden</title><style>button { width: 90px; height: 30px }</style>
<div style="display: none"><button>None</button></div>
<div aria-hidden=true><button>Untold</button></div>
<button role=checkbox aria-checked=true aria-hidden=true style="visibility: hidden">Ghost</button>
<button style="opacity: 0">Clear</button>
<button style="position: absolute; left: -999px">Away</button>
<button style="clip-path: inset(50%)">Clipped</button>
<div inert><button>Inert</button></div>
<div style="position: relative"><button>Under</button>
<div style="position: absolute; inset: 0; background: white; pointer-events: none"></div></div>
<div style="position: relative"><button>Below</button><div style="position: absolute; inset: 0"></div></div>
<div style="height: 0; overflow: hidden"><button>Folded</button></div>
<div style="height: 1500px"></div><button>Far</button>"""


def test_what_is_hidden_is_neither_told_of_nor_seen_nor_clicked():
    check = """
    page = ws.page("index.html")
    told = [one.name for one in page.all("button")] + [one.name for one in page.all("checkbox")]
    assert told == ["Clear", "Away", "Clipped", "Under", "Below", "Folded", "Far"], told
    seen = [one.text for one in page.css("button") if one.visible]
    assert seen == ["Untold", "Inert", "Far"], seen
    """
    covered = """ws.page("index.html").get("button", "Below").click()"""
    passes = """ws.page("index.html").get("button", "Far").click()"""
    folded = """ws.page("index.html").get("button", "Folded").click()"""
    told = judged(HIDDEN, check, covered, passes, folded)
    assert [status for status, _ in told] == ["passed", "failed", "passed", "failed"], told
    assert "something else lies over the element" in told[1][1]


HOSTILE = {
    "loops for ever": ("<button onclick='while (true);'>Go</button>", "timeout", "does not answer"),
    "loops as it loads": ("<button>Go</button><script>while (true);</script>", "timeout", "does not answer"),
    "alerts for ever": ("<button onclick='while (true) alert(1)'>Go</button>", "failed", "opened 25 dialogs"),
    "opens windows for ever": (
        "<button onclick='setInterval(() => window.open(\"/index.html\"), 1)'>Go</button><script>for (;;) open('about:blank', Math.random())</script>",
        "failed|timeout",
        "",
    ),
    "reloads for ever": ("<button>Go</button><script>location.reload()</script>", "timeout|failed", ""),
    "goes elsewhere": (
        "<button onclick='location = \"https://example.com/\"'>Go</button>",
        "failed",
        "https://example.com/",
    ),
    "floods the console": (
        "<button onclick='for (let i = 0; i < 1e5; i++) console.error(\"x\".repeat(900))'>Go</button>",
        "failed|timeout",
        "",
    ),
    "fills the memory": (
        "<button onclick='const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()))'>Go</button>",
        "failed|timeout",
        "",
    ),
    "is huge": (
        "<button>Go</button><script>document.write('<p><a href=x>item</a>'.repeat(150000))</script>",
        "failed|timeout",
        "",
    ),
    "asks": (
        "<button onclick='document.title = confirm(\"Sure?\")'>Go</button>",
        "failed",
        "false \\[\\['confirm', 'Sure\\?'\\]\\]",
    ),
    "removes the button": ("<button onclick='this.remove()'>Go</button>", "failed", ""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_page_passes_by_resisting_and_each_ends_in_time(name):
    page, status, message = HOSTILE[name]
    check = """
    with ws.limit(4):
        page = ws.page("index.html")
        go = page.all("button", "Go")[0]
        go.click()
        assert False, (page.path, len(page.all("link")), page.title, page.dialogs) and f"{page.path} {page.title} {page.dialogs}"
    """
    ((told, why),) = judged(f"<!doctype html><title>T</title>{page}", check)
    assert told in status.split("|"), (told, why)
    assert re.search(message, why), why


WORN = """<!doctype html><button>Go</button><script>
if (top === window) for (let i = 0; i < 30; i++) {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts"; frame.src = "index.html?" + i;
  document.body.append(frame);
}
const all = [];
for (let i = 0; i < 100; i++) all.push(new Uint8Array(1 << 24).fill(1));
</script>"""


def test_a_page_that_wears_its_whole_sandbox_out_as_it_loads_fails_and_is_not_void():
    ((status, why),) = judged(WORN, "ws.page('index.html').get('button', 'Gone')")
    assert status in {"failed", "timeout"}, why


def test_text_that_is_no_unicode_is_told_with_a_mark_in_its_place():
    page = "<!doctype html><button>Go</button><script>document.title = 'a\\ud800b'; document.querySelector('button').textContent += '\\udfff'</script>"
    check = """
    page = ws.page("index.html")
    assert (page.title, page.get("button").name) == ("a?b", "Go?"), ascii([page.title, page.get("button").name])
    """
    assert judged(page, check) == [("passed", "")]


def test_windows_are_closed_and_counted():
    page = "<title>T</title><button onclick='window.open(\"/other.html\")'>Help</button><a href=/other.html target=_blank>More</a>"
    check = """
    page = ws.page("index.html")
    page.get("button", "Help").click()
    page.wait(lambda: page.opened == 1)
    page.get("link", "More").click()
    page.wait(lambda: page.opened == 2)
    """
    assert judged(page, check) == [("passed", "")]


def test_nothing_of_a_check_is_there_in_the_next_one_and_no_process_is_left():
    page = (
        "<title>T</title><p id=p></p><script>p.textContent = localStorage.n || 'new'; localStorage.n = 'old'</script>"
    )
    check = """
    assert ws.page("index.html").css("#p")[0].text == "new"
    assert ws.page("index.html").css("#p")[0].text == "new"
    """
    counts, done = [], threading.Event()

    def watch():
        while not done.wait(0.2):
            counts.append(browsers())

    watcher = threading.Thread(target=watch)
    watcher.start()
    told = judged({"index.html": page}, *[check] * 4, 'ws.page("index.html").get("button")')
    done.set()
    watcher.join()
    assert [status for status, _ in told] == ["passed"] * 4 + ["failed"]
    assert max(counts) > 1
    assert browsers() == 0
