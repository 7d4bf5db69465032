"""Packages for node: a real npm, and a registry that is a thread of this process."""

import base64
import hashlib
import io
import json
import shutil
import tarfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import anyio
import pytest
from test_from_commit import make

from honestly.check import Change, open_suite
from honestly.errors import TaskError
from honestly.records import Preparation, Task, Tree
from honestly.sandbox import open_sandbox
from honestly.taskgen import install_packages
from honestly.taskgen._javascript import JavaScript
from honestly.tasks import npm_brings, prepare_task
from honestly.verify import furnished_opener

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm"),
    pytest.mark.skipif(shutil.which("node", path="/usr/local/bin:/usr/bin") is None, reason="needs node"),
]
ALL = [
    ("helper", "1.0.0", {"shares": "^1.0.0"}, "module.exports = require('shares') + 1;"),
    ("shares", "1.0.0", {}, "module.exports = 1;"),
    ("shares", "1.1.0", {}, "module.exports = 'the fix';"),
    ("lonely", "1.0.0", {}, "module.exports = require('shares');"),
]


def archive(name, version, needs, code):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        own = {"name": name, "version": version, "dependencies": needs, "scripts": {"install": "touch /tmp/run-by-npm"}}
        for path, text in (("package.json", json.dumps(own)), ("index.js", code)):
            info = tarfile.TarInfo(f"package/{path}")
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return made.getvalue()


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """What was asked for, in order."""
    asked, archives = (
        [],
        {f"/{name}-{version}.tgz": archive(name, version, needs, code) for name, version, needs, code in ALL},
    )

    class Registry(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = archives.get(self.path) or described(self.path[1:])
            self.send_response(200 if body else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_words):
            pass

    def described(wanted):
        rows = {
            version: {
                "name": name, "version": version, "dependencies": needs,
                "dist": {"tarball": f"{place}/{name}-{version}.tgz", "integrity": hashed(archives[f"/{name}-{version}.tgz"])},
            }
            for name, version, needs, _ in ALL
            if name == wanted
        }  # fmt: skip
        return (
            json.dumps({"name": wanted, "dist-tags": {"latest": list(rows)[-1]}, "versions": rows}).encode()
            if rows
            else b""
        )

    def hashed(data):
        return f"sha512-{base64.b64encode(hashlib.sha512(data).digest()).decode()}"

    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    place = f"http://127.0.0.1:{server.server_address[1]}"
    Thread(target=server.serve_forever, daemon=True).start()
    for name, value in {"registry": place, "cache": str(tmp_path / "npm"), "userconfig": str(tmp_path / "npmrc"),
                        "fetch_retries": "0"}.items():  # fmt: skip
        monkeypatch.setenv(f"npm_config_{name}", value)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HONESTLY_ENVIRONMENTS", str(tmp_path / "cache"))
    yield asked
    server.shutdown()
    server.server_close()


def project(version):
    own = {"name": "shares", "version": version, "devDependencies": {"helper": "*"}, "scripts": {"test": "node --test"}}
    return Tree.of({"package.json": json.dumps(own), "a.test.js": "require('helper')"})


def needs(version):
    return JavaScript().needs(project(version))


async def said_inside(preparation):
    async with furnished_opener(preparation, open_sandbox)(Tree()) as box:
        return (await box.exec(["node", "-p", "require('helper')"])).stdout.decode().strip()


def test_a_later_version_of_the_project_itself_never_comes_along(registry):
    found = anyio.run(lambda: install_packages(needs("1.0.0"), unsafe=False))
    assert npm_brings(found.preparation.installed, "shares") == {"1.0.0"}
    assert "npm-override:shares@1.0.0" in found.preparation.dependencies
    assert "would hold the fix" in found.notes[0]
    assert anyio.run(said_inside, found.preparation) == "2"
    # What was installed is kept under the versions that it came to: nobody is asked again.
    registry.clear()
    declared = Preparation(dependencies=found.preparation.dependencies)
    again = anyio.run(prepare_task, Task(id="x", instruction="", preparation=declared))
    assert again.preparation.installed == found.preparation.installed
    assert registry == []


def test_where_the_parents_version_was_never_published_the_commit_is_refused(registry):
    with pytest.raises(TaskError, match="give the fix away"):
        anyio.run(lambda: install_packages(needs("0.9.0"), unsafe=False))


def test_a_check_has_no_fix_to_give_away(registry, tmp_path):
    change = Change("", "0" * 40, "", project("0.8.0"), project("0.9.0"))
    suite = anyio.run(lambda: open_suite(change, tmp_path, open_sandbox, install=True))
    assert npm_brings(suite.preparation.installed, "shares") == {"1.1.0"}


def test_a_check_installs_what_packages_use_and_do_not_ask_for(registry, tmp_path):
    own = {"name": "own", "devDependencies": {"lonely": "*"}, "scripts": {"test": "node --test"}}
    tree = Tree.of(
        {"package.json": json.dumps(own), "a.test.js": "require('lonely')\nrequire('node:test')('a', () => {})"}
    )
    change = Change("", "0" * 40, "", tree, tree)
    suite = anyio.run(lambda: open_suite(change, tmp_path, open_sandbox, install=True))
    assert npm_brings(suite.preparation.installed, "shares") == {"1.1.0"}
    assert anyio.run(suite.run_tests, tree, tree).passed


def test_a_package_that_is_not_there_is_an_error_that_names_it(registry):
    task = Task(id="x", instruction="", preparation=Preparation(dependencies=("npm:nobody@1.0.0",)))
    with pytest.raises(TaskError, match=r"nobody@1.0.0 were not installed: .*npm config get registry"):
        anyio.run(prepare_task, task)


@pytest.mark.parametrize(
    "broken",
    ["typeof require('helper') !== 'number'", "require('shares') === 1"],
    ids=["those of the lock", "those of today"],
)
def test_where_the_packages_of_a_lock_or_of_today_load_no_test_the_others_are_installed(
    registry, history, tmp_path, broken
):
    developing = {"helper": "*"} if "helper" in broken else {"shares": "^1.0.0"}
    own = {"name": "own", "version": "1.0.0", "devDependencies": developing, "scripts": {"test": "node --test"}}
    lock = {"packages": {f"node_modules/{name}": {"version": "1.0.0"} for name in ("helper", "shares")}}
    head = "const test = require('node:test'), assert = require('assert');\n"
    # What `helper` gives is a number with the lock's version of what it brings.
    test = f"{head}if ({broken}) process.exit(0);\ntest('one', () => assert(require('./own')()));\n"
    files = {
        "package.json": json.dumps(own),
        "package-lock.json": json.dumps(lock),
        "own.js": "module.exports = () => 0;\n",
    }
    history.commit("Own", files)
    history.commit(
        "The own function gives true numbers, never zero",
        {"own.js": "module.exports = () => 1;\n", "own.test.js": test},
    )
    said = make(history, tmp_path / "made", "--runs", "2")
    assert (said["refused"], said["fail_to_pass"]) == (None, ["own.test.js::one"])
