"""A real Chromium in a real sandbox, against a site served inside it: what it does, and what hostile pages can do."""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from honestly.errors import ToolError
from honestly.models import Image
from honestly.records import Tree
from honestly.sandbox import Egress, Limits, Sandbox, open_sandbox, packages_layout
from honestly.tools import BROWSER_LIMITS, BrowserTool, browser_packages
from pdfs import pdf_of

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="needs the sandbox of namespaces"),
    pytest.mark.skipif(find_spec("playwright") is None, reason="needs the extra browser"),
    pytest.mark.skipif(not Path("/usr/lib/chromium/chromium").exists(), reason="needs Debian's package chromium"),
]

SITE = """
import html, http.server
PAGES = {
    "/": "<title>Shop</title><h1>Shop</h1><a href=/form>Order</a> <a href=/report>Report</a>"
         "<a href=/popup target=_blank>Help</a><div style='background:red;width:300px;height:300px'></div>"
         "<button onclick='document.title=confirm(\\"Delete it?\\")'>Delete</button>"
         "<button onclick='console.log(\\"said\\", 42)'>Speak</button><button onclick='while(1);'>Hang</button>",
    "/form": "<title>Order</title><form method=post action=/done enctype=multipart/form-data>"
             "<label>Name <input name=name></label><label>Size <select name=size><option>small<option>large</select>"
             "</label><label>Photo <input type=file name=photo></label><button>Send</button></form>",
    "/popup": "<title>Help</title><p>Nobody can help you.",
    "/title": "<script>document.title='\\\\x1b]0;owned\\\\x07' + 'T'.repeat(1e6)</script><p>tall\\x1b[2J",
    "/huge": "<title>Huge</title><script>document.write('<p><a href=x>item</a>'.repeat(20000))</script>",
    "/long": "<title>Long</title><script>for (let i = 0; i < 999; i++) document.write('<p>line ' + i)</script>",
    "/alerts": "<title>Alerts</title><script>while (true) alert('again')</script>",
    "/popups": "<title>Popups</title><script>for (let i = 0; i < 13; i++) window.open('/popup')</script>",
    "/flood": "<title>Flood</title><script>let n = 0; const flood = setInterval(() => {"
              "for (let i = 0; i < 150; i++) console.log('x'.repeat(2000)); if (++n > 20) clearInterval(flood)}, 5)</script>",
    "/papers": "<title>Papers</title><a href=/tariff.pdf?year=2025>Tariff</a>",
    "/fake.pdf": "<title>Fake</title><p>no PDF at all",
    "/reload": "<title>Reload</title><script>location.href = '/reload?' + Math.random()</script>",
}
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/loop":
            return self.answer(302, b"", ("Location", "/loop"))
        if path == "/report":
            name = 'attachment; filename="../re\\x1bport.csv"'
            return self.answer(200, b"a,b\\n1,2\\n", ("Content-Disposition", name))
        if path == "/tariff.pdf":
            return self.answer(200, open("own.pdf", "rb").read(), ("Content-Type", "application/pdf"))
        self.answer(200 if path in PAGES else 404, PAGES.get(path, "").encode())
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.answer(200, ("<title>Done</title><pre>" + html.escape(body) + "</pre>").encode())
    def answer(self, status, body, *headers):
        self.send_response(status)
        for name, value in headers or [("Content-Type", "text/html")]:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Handler)
print("up", flush=True)
server.serve_forever()
"""


PDF = pdf_of("The tariff is 4711 pence <b>a month</b>", "Second page")


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def outside() -> Iterator[tuple[str, int]]:
    """A site outside of the sandbox, at this machine's own address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<title>Outside</title><p>the world")

        def log_message(self, *_: Any) -> None:
            pass

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; it only chooses an address of ours
            host = str(probe.getsockname()[0])
        except OSError:
            host = "127.0.0.1"
    with HTTPServer((host, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield host, server.server_address[1]
        server.shutdown()


@pytest.fixture(scope="module")
async def box(outside: tuple[str, int]) -> AsyncIterator[Sandbox]:
    host, port = outside
    own = {
        "photo.txt": "a photo",
        "page.html": "<title>Mine</title><p>my own page",
        "own.pdf": PDF,
        "bad.pdf": PDF[:60],
    }
    tree = Tree.of({"site.py": SITE, **own})
    layout = packages_layout(browser_packages())
    async with open_sandbox(
        tree, BROWSER_LIMITS, layout=layout, egress=Egress(allow=(f"{host}:{port}",), log=[].append)
    ) as box:
        site = await box.start(["python3", "site.py"])
        assert await site.receive() == b"up\n"
        yield box


class Browser:
    """The tool, called with keywords."""

    def __init__(self, box: Sandbox) -> None:
        self.box, self.tool = box, BrowserTool()

    async def __call__(self, action: str, target: str = "", **given: Any) -> str:
        return (await self.tool(self.box, {"action": action, "target": target, **given})).text

    async def goto(self, path: str, **given: Any) -> str:
        return await self("goto", url=f"localhost:8000{path}", **given)


@pytest.fixture(scope="module")
async def browser(box: Sandbox) -> AsyncIterator[Browser]:
    browser = Browser(box)
    yield browser
    await browser.tool.close()


def reference(snapshot: str, what: str) -> str:
    line = next(line for line in snapshot.splitlines() if what in line)
    return line.partition("[ref=")[2].partition("]")[0]


@pytest.mark.slow
async def test_a_form_is_filled_by_references(browser: Browser) -> None:
    page = await browser.goto("/")
    assert 'heading "Shop" [level=1]' in page
    form = await browser("click", reference(page, 'link "Order"'))
    assert "Title: Order" in form
    await browser("type", reference(form, 'textbox "Name"'), text="Ada")
    await browser("select", reference(form, 'combobox "Size"'), text="large")
    await browser("upload", reference(form, 'button "Photo"'), values=["photo.txt"])
    done = await browser("click", reference(form, 'button "Send"'))
    assert "Title: Done" in done
    assert all(word in done for word in ("Ada", "large", "a photo", "photo.txt"))
    assert "Title: Order" in await browser("back")


@pytest.mark.slow
async def test_a_screenshot_shows_the_page(browser: Browser) -> None:
    await browser.goto("/")
    out = await browser.tool(browser.box, {"action": "screenshot"})
    (shot,) = out.images
    assert struct.unpack(">II", shot.data[16:24]) == (1280, 720)
    red = (await browser.tool(browser.box, {"action": "screenshot", "target": "div"})).images[0]
    assert pixels(red)[255, 0, 0] == 300 * 300
    heading = (await browser.tool(browser.box, {"action": "screenshot", "target": "h1"})).images[0]
    assert len(pixels(heading)) > 10  # letters have soft edges
    await browser.goto("/long")
    (tall,) = (await browser.tool(browser.box, {"action": "screenshot", "full_page": True})).images
    assert struct.unpack(">II", tall.data[16:24]) == (1280, 6000)


def pixels(image: Image) -> Counter[tuple[int, ...]]:
    """How many pixels of a PNG have which colour; undoes the five filters of its rows."""
    data, at, packed = image.data, 8, b""
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "big")
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += 12 + length
    width, height, _, kind = struct.unpack(">IIBB", data[16:26])
    size = {2: 3, 6: 4}[kind]
    raw, row = zlib.decompress(packed), bytes(width * size)
    colours: Counter[tuple[int, ...]] = Counter()
    for y in range(height):
        start = y * (width * size + 1)
        how, line = raw[start], bytearray(raw[start + 1 : start + 1 + width * size])
        for x in range(len(line)) if how else ():
            left, up, corner = (line[x - size] if x >= size else 0), row[x], (row[x - size] if x >= size else 0)
            near = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            line[x] = (line[x] + (0, left, up, (left + up) // 2, near)[how]) & 255
        row = bytes(line)
        colours.update(zip(*(row[part::size] for part in range(3)), strict=True))
    return colours


@pytest.mark.slow
async def test_downloads_land_in_the_workspace(browser: Browser) -> None:
    page = await browser.goto("/")
    assert "downloaded downloads/_re_port.csv (8 bytes)" in await browser("click", reference(page, 'link "Report"'))
    assert "downloaded downloads/_re_port-2.csv" in await browser("download", reference(page, 'link "Report"'))
    assert "downloaded downloads/popup" in await browser("download", url="http://localhost:8000/popup")
    files = (await browser.box.snapshot()).files
    assert {name for name in files if "/" in name} == {
        f"downloads/{name}" for name in ("_re_port.csv", "_re_port-2.csv", "popup")
    }
    assert {name for name in files if "/" not in name} == {"site.py", "photo.txt", "page.html", "own.pdf", "bad.pdf"}
    assert files["downloads/_re_port.csv"].data == b"a,b\n1,2\n"


@pytest.mark.slow
async def test_dialogs_console_keys_and_tabs(browser: Browser) -> None:
    page = await browser.goto("/")
    delete = reference(page, 'button "Delete"')
    refused = await browser("click", delete)
    assert 'confirm dialog "Delete it?" was dismissed' in refused
    assert "Title: false" in refused
    assert "Title: true" in await browser("press", delete, text="Enter", dialog="accept")
    await browser("click", reference(page, 'button "Speak"'))
    assert "[log] said 42" in await browser("console")
    assert "tab 2 opened, and is now the current one" in await browser("click", reference(page, 'link "Help"'))
    assert "* 2: http://localhost:8000/popup" in await browser("tabs")
    assert "Title: true" in await browser("tab", tab=1)
    assert "Title: true" in await browser("close_tab", tab=2)
    assert "scrolled to" in await browser("scroll", reference(page, 'link "Order"'))
    assert "Title: Mine" in await browser("goto", url="page.html")


@pytest.mark.slow
async def test_a_long_page_is_cut_in_the_middle_and_read_on(browser: Browser) -> None:
    page = await browser.goto("/long")
    assert "line 0" in page
    assert "line 998" in page
    assert "line 500" not in page
    assert len(page) < 10_500
    more = await browser("snapshot", start=page.index("[..."))
    assert "line 200" in more
    part = await browser("snapshot", reference(page, "line 998"))
    assert "line 998" in part
    assert "line 99:" not in part
    assert len(part) < 200


async def test_what_cannot_be_done_is_said(browser: Browser) -> None:
    await browser.goto("/")
    for given, words in {
        ("click", "e999"): "no e999 in the last snapshot",
        ("click", ""): "needs a `target`",
        ("click", "text=nothing like this"): "Timeout 500ms exceeded",
        ("upload", "h1"): "no file",
        ("goto", ""): "needs an address",
        ("close_tab", ""): "no tab 0",
    }.items():
        with pytest.raises(ToolError, match=words):
            await browser(given[0], given[1], timeout=0.5)
    with pytest.raises(ToolError, match="neither an address"):
        await browser("goto", url="javascript:alert(1)")
    with pytest.raises(ToolError, match="Invalid enum value"):
        await browser("fly")


async def test_it_reaches_what_is_allowed_and_nothing_else(browser: Browser, outside: tuple[str, int]) -> None:
    host, port = outside
    if host.startswith("127."):
        pytest.skip("this machine has no address but its loopback")
    assert "the world" in await browser("goto", url=f"http://{host}:{port}/")
    refused = await browser("goto", url=f"http://{host}:{port + 1}/")
    assert "status 403" in refused


@pytest.mark.slow
async def test_hostile_pages_neither_hang_nor_flood(browser: Browser) -> None:
    with pytest.raises(ToolError, match="ERR_TOO_MANY_REDIRECTS"):
        await browser.goto("/loop")
    title = await browser.goto("/title")
    assert "\x1b" not in title
    assert len(title) < 1000
    assert "are too many for a snapshot" in await browser.goto("/huge")
    await browser.goto("/flood")
    said = await browser("wait", timeout=1) + await browser("console")
    assert len(said) < 20_000


@pytest.mark.slow
async def test_a_page_that_does_not_stop_costs_its_tab_at_most(browser: Browser) -> None:
    await browser("new_tab")
    with pytest.raises(ToolError, match="25 dialogs; its tab was closed"):
        await browser.goto("/alerts", timeout=5)
    try:
        said = await browser("new_tab", url="http://localhost:8000/reload", timeout=2)
    except ToolError as error:  # it depends on which of its many loads is waited for
        said = str(error)
    assert len(said) < 2000
    assert "Title: Shop" in await browser("new_tab", url="http://localhost:8000/")


@pytest.mark.slow
async def test_tabs_without_end_and_the_death_of_the_browser_are_told(browser: Browser) -> None:
    popups = await browser.goto("/popups")
    assert "more than 10 are open (" in popups
    assert len(popups) < 2000
    await browser.box.exec("pkill -9 chromium")
    told = await browser("snapshot")
    assert "The browser and its tabs are gone" in told
    assert "Title: Shop" in await browser.goto("/")


async def test_it_says_what_is_missing() -> None:
    async with open_sandbox(Tree.of({}), Limits()) as bare:
        with pytest.raises(ToolError, match=r"shows no playwright.*honestly\[browser\]"):
            await BrowserTool()(bare, {"action": "tabs"})


def test_one_small_schema() -> None:
    spec = BrowserTool().spec
    assert len(json.dumps(spec.schema)) + len(spec.doc) < 4000


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pypdf") is None, reason="needs the extra browser with pypdf")
async def test_a_pdf_is_read_as_text_and_downloaded_as_it_is(box: Sandbox) -> None:
    browser = BrowserTool()
    try:
        await browser(box, {"action": "goto", "url": "localhost:8000/papers"})
        clicked = await browser(box, {"action": "click", "target": "text=Tariff"})
        for page in (clicked, await browser(box, {"action": "goto", "url": "own.pdf"})):
            assert "The tariff is 4711 pence <b>a month</b>" in page.text
            assert 'heading "Page 2 of 2"' in page.text
        done = await browser(box, {"action": "download", "url": "http://localhost:8000/tariff.pdf"})
        assert f"downloaded downloads/tariff.pdf ({len(PDF):,} bytes)" in done.text
        assert await box.read("downloads/tariff.pdf") == PDF
        assert "cannot be read" in (await browser(box, {"action": "goto", "url": "bad.pdf"})).text
        assert "no PDF at all" in (await browser(box, {"action": "goto", "url": "localhost:8000/fake.pdf"})).text
    finally:
        await browser.close()
