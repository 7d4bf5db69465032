"""Tasks with services beside their container: a compose file with two of them, one an MCP server of the task's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from honestly.errors import TaskError
from honestly.records import Tree
from honestly.sandbox import open_sandbox
from honestly.sandbox.images import SERVICES_FOLDER
from honestly.tasks import load_suite
from honestly.verify import build_environments, in_environment
from packaged_images import add_packaged

KEPT = """
import http.server, pathlib
class Kept(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = pathlib.Path("/data" + self.path)
        self.send_response(200 if path.is_file() else 404); self.end_headers()
        self.wfile.write(path.read_bytes() if path.is_file() else b"")
    def do_PUT(self):
        pathlib.Path("/data" + self.path).write_bytes(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204); self.end_headers()
http.server.ThreadingHTTPServer(("0.0.0.0", 80), Kept).serve_forever()
"""
TOOLS = """
import http.server, json, urllib.request
class Tools(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked["method"] == "tools/call":
            secret = urllib.request.urlopen("http://kept/secret").read().decode()
            result = {"content": [{"type": "text", "text": secret}]}
        else:
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "t", "version": "1"}}
        body = json.dumps({"jsonrpc": "2.0", "id": asked.get("id"), "result": result}).encode()
        self.send_response(200); self.send_header("Content-Type", "application/json"); self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("0.0.0.0", 8000), Tools).serve_forever()
"""
COMPOSE = """
services:
  main:
    depends_on:
      tools: {condition: service_healthy}
  tools:
    build: {context: ./tools}
    command: python3 /srv/tools.py
    depends_on: [keeper]
    healthcheck:
      test: ["CMD", "python3", "-c", "import urllib.request; urllib.request.urlopen('http://kept/secret')"]
      interval: 1s
      retries: 60
  keeper:
    build: ./keeper
    networks: {default: {aliases: [kept]}}
    volumes: ["./keeper/secret.txt:/data/secret:ro", "kept:/data"]
    ports: ["8080:80"]
    restart: always
"""
TASK = {
    "task.toml": """schema_version = "1.1"
[environment]
network_mode = "no-network"
[[environment.mcp_servers]]
name = "tools"
transport = "streamable-http"
url = "http://tools:8000/mcp"
""",
    "instruction.md": "Ask the tool for the secret, keep it doubled at http://kept/doubled, and write it to /app/out.txt.\n",
    "environment/Dockerfile": "FROM python-on-debian\nWORKDIR /app\n",
    "environment/docker-compose.yaml": COMPOSE,
    "environment/tools/Dockerfile": "FROM python-on-debian\nCOPY tools.py /srv/tools.py\n",
    "environment/tools/tools.py": TOOLS,
    "environment/keeper/Dockerfile": "FROM python-on-debian\nCOPY kept.py /srv/\nRUN mkdir /data && printf ab > /data/secret\n"
    'CMD ["python3", "/srv/kept.py"]\n',
    "environment/keeper/kept.py": KEPT,
    "environment/keeper/secret.txt": "ab",
    "tests/test.sh": """#!/bin/sh
doubled=$(python3 -c 'import urllib.request; print(urllib.request.urlopen("http://kept/doubled").read().decode())')
if [ "$doubled" = abab ] && [ "$(cat /app/out.txt)" = ab ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
""",
    "solution/solve.sh": """#!/bin/sh
python3 - <<'EOF'
import json, urllib.request
call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "secret", "arguments": {}}}
request = urllib.request.Request("http://tools:8000/mcp", json.dumps(call).encode(), {"Content-Type": "application/json"})
secret = json.load(urllib.request.urlopen(request))["result"]["content"][0]["text"]
open("/app/out.txt", "w").write(secret)
urllib.request.urlopen(urllib.request.Request("http://keeper/doubled", secret.encode() * 2, method="PUT"))
EOF
""",
}


def write_task(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / "t" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "t" / name).write_text(text)
    return folder


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HONESTLY_IMAGES", str(tmp_path / "store"))
    add_packaged("python-on-debian")
    return write_task(tmp_path / "suite", TASK)


@pytest.mark.slow
def test_the_reference_gets_all_and_nothing_gets_nothing(suite: Path) -> None:
    """What the solution changes of a service is there when the tests ask it, in another sandbox."""
    words = [sys.executable, "-m", "honestly", "task", "check", str(suite), "--json"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout
    assert all(claim["holds"] for claim in json.loads(done.stdout)["proofs"][0]["claims"]), done.stdout


@pytest.mark.slow
def test_services_are_apart_from_the_agent_but_for_their_ports(suite: Path) -> None:
    task = load_suite(suite).tasks[0]

    async def work() -> None:
        assert await build_environments([task], lambda _: None) == ()
        async with in_environment(task, open_sandbox, "agent")(Tree()) as box:
            shown = await box.exec("cat /etc/hosts; ls /data; cat /proc/*/cmdline | tr '\\0' ' '")
            assert b"kept" in shown.stdout
            assert b"kept.py" not in shown.stdout
            assert b"/data" in shown.stderr
            forged = "mkdir -p /.honestly-services/keeper/data && printf abab > /.honestly-services/keeper/data/doubled"
            assert (await box.exec(forged)).code == 0
            left = await box.snapshot()
            assert f"{SERVICES_FOLDER}/keeper/data/doubled" not in left.files
            assert b"doubled" not in (await box.beside["keeper"].exec("ls /data")).stdout  # type: ignore[attr-defined]
            flood = (
                "import socket, urllib.request\nmany = [socket.create_connection(('kept', 80)) for _ in range(300)]\n"
            )
            ended = "for each in many: each.close()\nprint(urllib.request.urlopen('http://kept/secret').read())"
            crowd = await box.exec(["python3", "-c", flood + ended], timeout=120)
            assert crowd.stdout.strip() == b"b'ab'", crowd.stderr
            await box.pause()  # type: ignore[attr-defined]
            await box.resume()  # type: ignore[attr-defined]

    anyio.run(work)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("services: [a]", "no services"),
        ("services: {db: {image: postgres}, main: {depends_on: [cache]}}", "depends on 'cache'"),
        ("services: {a: {image: x, depends_on: [b]}, b: {image: x, depends_on: [a]}}", "wait for each other"),
        ("services: {a: {build: ../up}}", "expected a folder next to the file"),
        ("services: {a: {image: x, healthcheck: {test: [CMD, x], interval: often}}}", "'often' is not a time"),
        ("services: {a: {}}", "neither `build` nor `image`"),
        ("a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}]\n" for a, b in zip("abcdefghij", "bcdefghijk")), "more than"),
        ("a: &a [*a]", "more than"),
        ("services: {a: [", "not valid YAML"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_understood_is_said(tmp_path: Path, text: str, said: str) -> None:
    folder = write_task(tmp_path, TASK | {"environment/docker-compose.yaml": text})
    with pytest.raises(TaskError, match=said):
        load_suite(folder)


def test_what_no_sandbox_gives_is_named_and_the_task_left_out(tmp_path: Path) -> None:
    compose = (
        "services: {db: {image: postgres, volumes: ['data:/var', 'own:/x'], privileged: true}, "
        "b: {image: x, volumes: ['data:/d', '/var/run/docker.sock:/s']}}"
    )
    task = load_suite(write_task(tmp_path, TASK | {"environment/docker-compose.yaml": compose})).tasks[0]
    assert [each.split(" (")[0] for each in task.requires] == [
        "privileged of the service db",
        "the volume /var/run/docker.sock of the service b",
        "the volume data that services share",
    ]
