"""What the docs show is true: examples run, names exist, links lead somewhere, the surface is as documented."""

import importlib
import json
import re
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import anyio
import pytest
from click import Group

from honestly.agents import Run
from honestly.cli import cli
from honestly.errors import ModelError
from honestly.records import Task, Tree
from honestly.sandbox import open_sandbox

ROOT = Path(__file__).parents[2]
LATE = (".formats", ".leaderboards", ".runner", ".sandbox", ".stats", ".store", ".studies", ".tasks", ".verify")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_files_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("name", [f"honestly{room}" for room in ("", *LATE)])
def test_every_name_of_a_package_that_loads_late_can_be_had(name):
    package = importlib.import_module(name)
    assert package.__all__
    for each in package.__all__:
        assert getattr(package, each) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing


def test_every_command_has_a_page_or_a_place_in_one():
    shown = " ".join(page.read_text() for page in PAGES)
    for name in cli.list_commands(None):
        assert f"honestly {name}" in shown, name
        command = cli.get_command(None, name)
        if isinstance(command, Group):
            for inner in command.commands:
                assert f"honestly {name} {inner}" in shown


@pytest.mark.slow
def test_the_readmes_example_runs(capsys, tmp_path, monkeypatch):
    (example,) = blocks(ROOT / "README.md", "python")
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    assert "honest is ahead of special-case by 25.0 points" in capsys.readouterr().out
    assert len(list(tmp_path.glob("runs/embedded-*.honestly"))) == 1


class Service(BaseHTTPRequestHandler):
    """Answers a task with its files in capitals."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = json.dumps({"files": {path: text.upper() for path, text in asked["files"].items()}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)


def test_the_agent_over_http_of_the_docs_works():
    (example,) = blocks(ROOT / "docs" / "external-agents.md", "python")
    names = {}
    exec(compile(example, "external-agents.md", "exec"), names)
    task = Task(id="t", instruction="x", workspace=Tree.of({"a.txt": "a\n"}))

    async def go():
        run = Run(task=task, seed=0)
        async with open_sandbox(task.workspace) as box:
            await names["over_http"](run, box)
            return run, await box.snapshot()

    with HTTPServer(("127.0.0.1", 0), Service) as server:
        names["URL"] = f"http://127.0.0.1:{server.server_port}"
        Thread(target=server.serve_forever, daemon=True).start()
        run, after = anyio.run(go)
        server.shutdown()
    assert after.text("a.txt") == "A\n"
    assert run.claimed is True
    with pytest.raises(ModelError):  # nobody is there: void, not failed
        anyio.run(go)


def test_the_core_stays_small():
    """At most 25 distributions; what they weigh is measured by bench/install.py."""
    pinned = re.findall(r"^([a-z0-9-]+)==", (ROOT / "constraints" / "core.txt").read_text(), re.MULTILINE)
    assert len(set(pinned) - {"uv-build"}) + 1 <= 25


def test_no_committed_file_names_a_registry_host():
    for path in [ROOT / "pyproject.toml", ROOT / "Makefile", ROOT / ".ci" / "run", *(ROOT / "constraints").iterdir()]:
        assert not re.search(r"https?://|file:", path.read_text()), path
