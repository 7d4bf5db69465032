"""Fixtures of the viewer's tests: real studies, a real server, a real Chromium that tells of every error."""

import threading
import time
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from web_studies import SHARED, audited_demo, imported_terminal_bench

from honestly.web import Access, Library, make_app
from honestly.web._serve import make_server

CHROMIUM = Path("/usr/bin/chromium")


def pytest_itemcollected(item):
    """The real Terminal-Bench trials are looked at every night; the same tests on a demo study are in the gate."""
    asked = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if "terminal_bench" in (*item.fixturenames, *map(str, asked)):
        item.add_marker(pytest.mark.slow)


class Viewer:
    """A server of the viewer in this process, with what opens it."""

    def __init__(self, url, access, library, routes):
        self.url, self.access, self.library, self.routes = url, access, library, routes
        self.ended = False

    def study(self, place=""):
        """The address of a page of the only study."""
        (study,) = self.library
        return f"{self.url}/s/{study.key}/{place}"

    def client(self):
        """A program that is let in, and whose changes are believed to be the pages' own."""
        name, value = self.access.cookie
        return httpx2.Client(
            base_url=self.url,
            cookies={name: value},
            headers={"origin": self.url, "x-csrf-token": self.access.csrf},
            timeout=30,
        )


@contextmanager
def viewing(*paths):
    """A viewer of these studies."""
    library = Library(paths)
    access = Access(frozenset())
    app = make_app(library, access)
    server = make_server(app)
    server.config.port = 0
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    access.hosts = frozenset({f"127.0.0.1:{port}"})
    view = Viewer(f"http://127.0.0.1:{port}", access, library, app.app.routes)
    try:
        yield view
    finally:
        view.ended = True
        server.should_exit = True
        thread.join(10)
        library.close()


@pytest.fixture(scope="session")
def terminal_bench(tmp_path_factory):
    """The real Terminal-Bench trials, imported; a skip where their files are absent."""
    if not (SHARED / "data/terminal-bench").is_dir():
        pytest.skip("the Terminal-Bench files are not beside the repository")
    return imported_terminal_bench(tmp_path_factory.mktemp("tb") / "terminal-bench.honestly")


@pytest.fixture(scope="session")
def demo_study(tmp_path_factory):
    """A study as `make demo` makes it, of four tasks, audited."""
    return audited_demo(tmp_path_factory.mktemp("demo") / "demo.honestly")


@pytest.fixture
def viewer():
    """What makes a viewer of some studies: `with viewer(path) as view`."""
    return viewing


@pytest.fixture(scope="module")
def chromium():
    """A browser for a file of tests; a skip where there is none. While it is open, nothing else may run a loop."""
    playwright = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM.exists():
        pytest.skip("needs Debian's package chromium")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """What opens a page of a viewer in a fresh profile; the test fails where a page has errors or asks elsewhere."""
    contexts, wrong = [], []

    def opened(viewer, place="", **settings):
        context = chromium.new_context(**settings)
        contexts.append(context)
        context.route("**/*", lambda route: _only(viewer.url, route, wrong))
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))

        def hear(said):
            # a sum may come for a step whose window was dropped meanwhile; what polls finds no server that has ended
            if said.type == "error" and "oobErrorNoTarget" not in said.text and not viewer.ended:
                wrong.append(said.text)

        page.on("console", hear)
        page.set_default_timeout(30_000)  # machines are busy
        path = viewer.study(place).removeprefix(viewer.url) if not place.startswith("/") else place
        mark = "&" if "?" in path else "?"
        head, hash_, rest = path.partition("#")
        page.goto(f"{viewer.url}{head}{mark}token={viewer.access.new_token()}{hash_}{rest}")
        page.errors = wrong
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not wrong


def _only(url, route, wrong):
    """Let through what goes to the viewer; note anything else."""
    asked = route.request.url
    if not asked.startswith((url, "data:")):
        wrong.append(f"a page asked for {asked}")
        route.abort()
    else:
        route.continue_()
