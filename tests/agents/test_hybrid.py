"""Interfaces first, the browser to look at what they did: an agent as `honestly run` makes it, and a real shop."""

from __future__ import annotations

import json
import re
import shutil
import socket
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from honestly.agents import CASSETTE, make_agent
from honestly.errors import AgentError
from honestly.models import Message, ScriptedModel, assistant_message, tool_call
from honestly.records import Outcome, encode
from honestly.runner import LocalExecutor, Plan, run_plan
from honestly.runner._attempt import EGRESS
from honestly.sandbox import open_sandbox
from honestly.store import create_study
from honestly.tasks import make_task
from honestly.tools import read_api
from pdfs import pdf_of
from shipped import shipped_suite

KEY = "canary-key-0123456789"
EMBEDDED = shipped_suite("embedded")
MODEL = ScriptedModel([])
OPENAPI = {
    "paths": {
        "/items/{id}": {
            "parameters": [{"$ref": "#/components/parameters/id"}],
            "get": {"summary": "One item", "responses": {"200": {"description": "It."}}},
        },
        "/items": {
            "post": {
                "summary": "Add an item",
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}},
            }
        },
    },
    "components": {
        "parameters": {"id": {"name": "id", "in": "path", "required": True}},
        "schemas": {
            "Item": {"properties": {"name": {"type": "string"}, "parts": {"$ref": "#/components/schemas/Item"}}}
        },
    },
}


class Shop(BaseHTTPRequestHandler):
    """Items are added by the interface, with a key, and shown on a page."""

    items: list[str]
    keys: list[str | None]

    def do_POST(self) -> None:
        self.keys.append(self.headers["Authorization"])
        self.items.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["name"])
        self.reply(b'{"id": 1}', "application/json")

    def do_GET(self) -> None:
        self.reply(f"<title>Shop</title><ul>{''.join(f'<li>{item}</li>' for item in self.items)}</ul>".encode())

    def reply(self, body: bytes, kind: str = "text/html") -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def shop() -> Iterator[HTTPServer]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; it only chooses an address of ours
        except OSError:
            pytest.skip("this machine has no address but its loopback, where a sandboxed browser finds its own servers")
        host = str(probe.getsockname()[0])
    Shop.items, Shop.keys = [], []
    with HTTPServer((host, 0), Shop) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def described(folder: Path, base: str, **more: str) -> Path:
    (folder / "openapi.json").write_text(json.dumps(OPENAPI))
    path = folder / "shop.toml"
    lines = [f'base = "{base}"', 'methods = ["GET", "POST"]', 'openapi = "openapi.json"']
    lines += [f"{key} = {value}" for key, value in more.items()]
    path.write_text(
        "\n".join([*lines, "[headers]", 'Authorization = "Bearer ${SHOP_KEY}"', "[pages]", '"GET /" = "All"'])
    )
    return path


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("playwright") or not shutil.which("chromium"), reason="no Playwright or no Chromium")
def test_an_agent_uses_the_interface_and_looks_at_the_result_in_the_browser(
    shop: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_KEY", KEY)
    host, port = shop.server_address[:2]
    base = f"http://{host}:{port}"
    turns = [
        assistant_message("", tool_call("api_documentation", endpoint="POST /items")),
        assistant_message("", tool_call("http", url=f"{base}/items", method="POST", body={"name": "teapot"})),
        assistant_message("", tool_call("browser", action="goto", url=f"{base}/")),
        assistant_message("", tool_call("finish", outcome="done", summary="A teapot is for sale, as the page shows.")),
    ]
    spec = f"honest:tools=browser,apis={described(tmp_path, base)},allow={host}:{port}"
    agent = make_agent(spec, EMBEDDED, ScriptedModel(turns))
    assert agent.record.settings["tools"] == "browser+http+api_documentation"
    plan = Plan(replace(EMBEDDED, tasks=EMBEDDED.tasks[:1]), [agent], 1)
    with create_study(tmp_path / "s.honestly") as study:
        assert anyio.run(run_plan, plan, study, LocalExecutor(open_sandbox, 1)).void == 0
        (trial,) = study.trials()
        trajectory = study.trajectory(trial.id)
        egress = [json.loads(line) for line in study.artifact(trial.id, EGRESS).splitlines()]
        cassette = study.artifact(trial.id, CASSETTE)
    assert trajectory is not None
    prompt = trajectory.steps[0].message
    assert f"{base}\n- GET /items/{{id}}: One item\n- POST /items: Add an item\n- GET /: All" in prompt
    assert "look at it in the browser" in prompt
    page, added, seen = (
        step.observations[0].text
        for step in trajectory.steps
        if step.observations[:1] and step.calls[0].name != "finish"
    )
    assert '"name": {' in page
    assert added.startswith("200 OK")
    assert "teapot" in seen
    assert (Shop.items, Shop.keys) == (["teapot"], [f"Bearer {KEY}"])
    assert (host, port, True) in {(entry["host"], entry["port"], entry["allowed"]) for entry in egress}
    assert KEY.encode() not in cassette + encode(trajectory) + encode(agent.record)


def tariff_from(messages: Sequence[Message]) -> Message:
    """Write down what the last page of the browser says the tariff is, and nothing if it says none."""
    said = re.search(r"tariff is (\d+) pence", messages[-1].text)
    return assistant_message("", tool_call("bash", command=f"echo {said[1] if said else ''} > answer.txt"))


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("playwright") or not shutil.which("chromium"), reason="no Playwright or no Chromium")
@pytest.mark.parametrize("pence", [4711, 905])
def test_a_task_is_solved_by_reading_a_pdf_in_the_browser(tmp_path: Path, pence: int) -> None:
    check = "def test_tariff(ws):\n    assert ws.read('answer.txt').strip() == '4711'\n"
    task = make_task(
        "tariff",
        "Write the tariff of `tariff.pdf`, in pence, into `answer.txt`.",
        {"tariff.pdf": pdf_of("Terms", f"The tariff is {pence} pence")},
        hidden={"check_tariff.py": check},
        reference={"answer.txt": "4711\n"},
    )
    turns = [
        assistant_message("", tool_call("browser", action="goto", url="tariff.pdf")),
        tariff_from,
        assistant_message("", tool_call("finish", outcome="done", summary="The tariff is in answer.txt.")),
    ]
    agent = make_agent("honest:tools=bash+browser", EMBEDDED, ScriptedModel(turns))
    with create_study(tmp_path / "s.honestly") as study:
        anyio.run(run_plan, Plan(replace(EMBEDDED, tasks=(task,)), [agent], 1), study, LocalExecutor(open_sandbox, 1))
        (trial,) = study.trials()
    assert trial.outcome is (Outcome.PASSED if pence == 4711 else Outcome.FAILED)


def test_who_has_no_browser_is_not_sent_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", KEY)
    path = described(tmp_path, "https://shop.example.org/rest")
    with_browser = make_agent(f"honest:tools=browser,apis={path}", EMBEDDED, MODEL).record
    without = make_agent(f"honest:apis={path}", EMBEDDED, MODEL).record
    assert without.settings["tools"] == "bash+edit+http+api_documentation"
    assert "apis" not in make_agent("honest", EMBEDDED, MODEL).record.settings
    monkeypatch.setenv("SHOP_KEY", "another")
    assert make_agent(f"honest:apis={path}", EMBEDDED, MODEL).record == without
    (tmp_path / "openapi.json").write_text('{"paths": {}}')
    assert make_agent(f"honest:apis={path}", EMBEDDED, MODEL).record.settings["apis"] != without.settings["apis"]
    assert without != with_browser


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "base"),
        ("base = 3", "base"),
        ('base = "shop.example.org"', "expected an address"),
        ('base = "https://a.example"\nkeys = 1', "keys"),
        ('base = "https://a.example"\n[headers]\nA = "${NOT_SET_ANYWHERE}"', "NOT_SET_ANYWHERE"),
        ('base = "https://a.example"\nopenapi = "none.json"', "cannot be read"),
        ('base = "https://a.example"\nopenapi = "list.json"', "no `paths`"),
        ('base = "https://a.example"\nopenapi = "deep.json"', "deep.json|recursion"),
        ("base = [", "does not describe an HTTP interface"),
    ],
    ids=["empty", "number", "address", "unknown", "variable", "absent", "list", "deep", "toml"],
)
def test_a_file_that_describes_no_interface_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(AgentError, match=complaint):
        make_agent(f"honest:apis={tmp_path / 'a.toml'}", EMBEDDED, MODEL)


def test_references_that_lead_back_to_themselves_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", KEY)
    page = read_api(described(tmp_path, "https://shop.example.org")).pages["POST /items"]
    assert page.startswith("Add an item\n\nbody: {")
    assert len(page) < 5000


@pytest.mark.parametrize("hosts", ["", "http://a.example", "a.example:0", "a b"], ids=["empty", "url", "port", "space"])
def test_hosts_that_are_none_are_refused(hosts: str) -> None:
    with pytest.raises(AgentError):
        make_agent(f"honest:allow={hosts}", EMBEDDED, MODEL)
