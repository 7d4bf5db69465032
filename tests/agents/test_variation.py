"""What people vary of other people's programs: it reaches the program, identifies the agent, and no key is in a study."""

from __future__ import annotations

import base64
import json
import socket
import sqlite3
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import anyio
import pytest

from external_programs import installed
from honestly.agents import MODEL_RECORD, External, agent_again, make_agent
from honestly.errors import AgentError
from honestly.models import Proxy, ScriptedModel, assistant_message, read_exchanges
from honestly.records import Outcome, Suite, Task, Tree, encode
from honestly.runner import Planned, TrialResult, run_attempt
from honestly.sandbox import open_sandbox
from honestly.store import open_study
from honestly.studies import run_async
from honestly.tasks import make_task
from zstd_module import zstd

TASK = Task(id="q", instruction="Do it.", workspace=Tree.of({"b.txt": "b\n"}), timeout_s=120.0)
SUITE = Suite(name="s", version="1", tasks=(TASK,))
JUDGED = make_task(
    "j", "Do it.", {"a.py": ""}, hidden={"check_a.py": "def test_a(ws):\n    ws.load('b')\n"}, reference={"b.py": ""}
)
SECRET = "sk-ant-oat-canary-0123456789abcdef"
SECRET_FORMS = (SECRET.encode(), base64.b64encode(SECRET.encode())[:-2], SECRET.encode().hex().encode())

PROGRAM = '''#!/usr/bin/env python3
"""As much of Claude Code as asks its model once, and shows what it was given."""
import base64, json, os, pathlib, sys, urllib.error, urllib.request

home = pathlib.Path(os.environ["CLAUDE_CONFIG_DIR"]).parent
names = ("TOKEN", "DEBUG")
seen = {"argv": sys.argv[1:], "env": {name: os.environ.get(name) for name in names}}
seen["files"] = {str(path.relative_to(home)): path.read_text() for path in home.rglob("*") if path.is_file()}
print(json.dumps(seen))
token = os.environ.get("TOKEN", "nothing")
open("leak.txt", "w").write(token + base64.b64encode(token.encode()).decode())
if "CLAUDE_CODE_OAUTH_TOKEN" in os.environ:
    shown = {"authorization": "Bearer " + os.environ["CLAUDE_CODE_OAUTH_TOKEN"]}
else:
    shown = {"x-api-key": os.environ["ANTHROPIC_API_KEY"]}
body = {"model": sys.argv[-1], "max_tokens": 9, "messages": [{"role": "user", "content": sys.stdin.read() + token}]}
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
headers = {"content-type": "application/json", "anthropic-version": "2023-06-01", **shown}
try:
    print(urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)).read().decode())
except urllib.error.HTTPError as error:
    sys.exit(error.read().decode())
'''

CODEX = '''#!/usr/bin/env python3
"""As much of Codex as asks its model once."""
import json, os, pathlib, sys, tomllib, urllib.error, urllib.request

config = tomllib.loads(pathlib.Path(os.environ["CODEX_HOME"], "config.toml").read_text())
server = config["model_providers"][config["model_provider"]]
body = json.dumps({"model": config["model"], "input": sys.stdin.read()}).encode()
headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ[server["env_key"]]}
try:
    print(urllib.request.urlopen(urllib.request.Request(server["base_url"] + "/responses", body, headers)).read().decode())
except urllib.error.HTTPError as error:
    sys.exit(error.read().decode())
'''

SERVER = '''"""A tool server of one tool."""
import json, os, sys

TOOL = {"name": "add_up", "description": "Adds.", "inputSchema": {"type": "object", "properties": {}}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    given = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    listed = {"tools": [TOOL]} if asked["method"] == "tools/list" else {}
    answer = given if asked["method"] == "initialize" else listed
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
'''
SKILL = "---\nname: summing\ndescription: Knows how one adds up.\n---\nAdd, do not subtract.\n"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    folder.mkdir()
    for name, text in (("claude", PROGRAM), ("codex", CODEX)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    """A folder with a skill and a tool server."""
    (tmp_path / "summing").mkdir()
    (tmp_path / "summing" / "SKILL.md").write_text(SKILL)
    (tmp_path / "servers").mkdir()
    (tmp_path / "servers" / "server.py").write_text(SERVER)
    entry = {"command": "python3", "args": ["{folder}/server.py"], "env": {"KEY": "${TOKEN}"}}
    (tmp_path / "servers" / "mine.json").write_text(json.dumps({"mcpServers": {"sums": entry}}))
    return tmp_path


def model() -> ScriptedModel:
    return ScriptedModel([assistant_message("Done.")], name="http://example.org/v1#tiny", by_turn=True)


def attempt(actor: External) -> TrialResult:
    return anyio.run(run_attempt, Planned("t" * 32, TASK, actor, 0), partial(open_sandbox))


def everything_kept(done: TrialResult, place: Path) -> bytes:
    """All that a study keeps of a trial, the record of the model unpacked."""
    (place / MODEL_RECORD).write_bytes(done.artifacts[MODEL_RECORD])
    told = b"".join(encode(each.request) for each in read_exchanges(place / MODEL_RECORD))
    files = b"".join(file.data for file in done.final.write.files.values())
    records = b"".join(map(encode, (done.trial, done.trajectory, done.final, *done.findings)))
    return b"".join([told, files, records, *done.artifacts.values()])


def test_what_is_varied_reaches_the_program_and_no_secret_is_kept(
    program: Path, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    spec = (
        f"claude-code:path={program},skill={parts}/summing,mcp={parts}/servers/mine.json,effort=high,"
        "flags='--betas \"a b\"',env=TOKEN+DEBUG=yes"
    )
    actor = make_agent(spec, SUITE, model())
    assert isinstance(actor, External)
    done = attempt(actor)
    assert done.trial.reason == "", done.trial.reason
    seen = json.loads(done.artifacts["program/stdout"].splitlines()[0])
    assert seen["argv"][:2] == ["--effort", "high"]
    assert "--strict-mcp-config" in seen["argv"]
    assert seen["argv"][seen["argv"].index("--betas") + 1] == "a b"
    assert seen["env"] == {"TOKEN": "[secret]", "DEBUG": "yes"}
    assert seen["files"]["claude/skills/summing/SKILL.md"] == SKILL
    assert seen["files"]["mcp/server.py"] == SERVER
    (server,) = json.loads(seen["files"]["claude-servers.json"])["mcpServers"].values()
    assert server["args"] == ["/.honestly/home/mcp/server.py"]
    assert server["env"] == {"KEY": "[secret]"}
    assert done.final.write.text("leak.txt").startswith("[secret][secret]")
    assert SECRET.encode() not in everything_kept(done, parts) + encode(actor.record)
    assert b"${TOKEN}" in encode(actor.record) or b"mcp_files" in encode(actor.record)


def test_what_is_varied_identifies_the_agent_and_makes_it_again(program: Path, parts: Path) -> None:
    spec = f"claude-code:path={program},skill={parts}/summing,effort=high"
    actor = make_agent(spec, SUITE, model())
    assert isinstance(actor, External)
    name, _, rest = actor.record.name.partition(":")
    assert name.startswith("claude-code+skill-")
    assert rest == "effort=high@http://example.org/v1#tiny"
    again = agent_again(actor.record, model(), folder=program)
    assert again.record == actor.record
    assert again.variation == actor.variation
    (parts / "summing" / "SKILL.md").write_text(SKILL + "Carry.\n")
    assert make_agent(spec, SUITE, model()).record.name != actor.record.name


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("skill=absent", "is not a directory"),
        ("skill=servers", r"no SKILL\.md"),
        ("mcp=absent", "cannot be read"),
        ("mcp=summing/SKILL.md", "mcpServers"),
        ("mcp=address.json", "because a sandbox has no network"),
        ("env=ABSENT_HERE", "ABSENT_HERE, which is not set"),
        ("env=a b", "is not a variable"),
        ("env=ANTHROPIC_API_KEY=x", "sets itself"),
        ("env=HOME=/x+PATH=/x+LD_PRELOAD=/x.so", "HOME, LD_PRELOAD, PATH, which honestly sets itself"),
        ("env=PATH", "sets itself"),
        ("flags='\"'", "cannot be split"),
        ("login=ABSENT_HERE", "goes with a model"),
        ("login=ABSENT_HERE,model=anthropic:claude-x", "ABSENT_HERE is not set"),
    ],
)
def test_a_slip_is_named(settings: str, said: str, program: Path, parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(parts)
    Path("address.json").write_text('{"mcpServers": {"a": {"url": "https://example.org"}}}')
    with pytest.raises(AgentError, match=said):
        make_agent(f"claude-code:path={program},{settings}", SUITE, None if "model=" in settings else model())


def test_a_program_without_skills_says_what_it_takes(tmp_path: Path) -> None:
    (tmp_path / "mini").write_text("#!/bin/sh\n")
    (tmp_path / "mini").chmod(0o755)
    with pytest.raises(AgentError, match=r"'mini-swe-agent' has no setting skill=; it has: effort, env, flags"):
        make_agent(f"mini-swe-agent:path={tmp_path},skill=x", SUITE, model())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "variable"),
    [("claude-code", "CLAUDE_CODE_OAUTH_TOKEN"), ("claude-code", "MY_KEY"), ("codex", "OPENAI_API_KEY"), ("codex", "MY_KEY")],
)  # fmt: skip
def test_a_program_asks_by_a_log_in_that_is_in_no_study(
    name: str, variable: str, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The vendor's stand-in checks the key, and answers nobody who has another."""
    found: dict[str, Mapping[str, str]] = {}

    async def study(key: str, out: str) -> None:
        monkeypatch.setenv(variable, key)
        async with Proxy(model(), token=SECRET) as vendor:
            listener = socket.create_server(("127.0.0.1", 0))
            served = vendor.serve(listener)
            monkeypatch.setenv("ANTHROPIC_BASE_URL", served)
            monkeypatch.setenv("OPENAI_BASE_URL", f"{served}/v1")
            vendors = "openai" if name == "codex" else "anthropic"
            spec = f"{name}:path={program},model={vendors}:tiny,login={variable}"
            done = await run_async([JUDGED], [spec], out=tmp_path / out, attempts=1)
            found[out] = {trial.outcome: trial.reason for trial in done.trials()}
            answered = [each for each in vendor.exchanges if each.reply and each.reply.status == 200]
            assert len(answered) == (key == SECRET)
            assert all(each.request.model == "tiny" for each in answered)

    anyio.run(study, SECRET, "right.honestly")
    anyio.run(study, "another-key-than-is-wanted", "wrong.honestly")
    assert set(found["right.honestly"]) == {Outcome.FAILED}
    assert "401" in found["wrong.honestly"][Outcome.VOID]
    with open_study(tmp_path / "right.honestly") as store:
        (trial,) = store.trials()
        kept = [store.artifact(trial.id, name) for name in store.artifacts(trial.id)]
        kept += [encode(store.trajectory(trial.id)), *map(encode, store.agents())]
    kept += [file.read_bytes() for file in tmp_path.rglob("right*") if file.is_file()]
    with sqlite3.connect(tmp_path / "right.honestly") as database:
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            cells = [cell for row in database.execute(f"SELECT * FROM {table}") for cell in row]
            kept += [cell if isinstance(cell, bytes) else str(cell).encode() for cell in cells]
    unpacked = [zstd.decompress(each) for each in kept if each.startswith(b"\x28\xb5\x2f\xfd")]
    assert unpacked
    assert [each for each in (*kept, *unpacked) for form in SECRET_FORMS if form in each] == []


SHOWN = {
    "claude-code": ("mcp__sums__add_up", {}),
    "codex": ("add_up", {"reasoning.effort": "high"}),
    "gemini": ("add_up", None),
    "opencode": ("add_up", {"reasoning_effort": "high"}),
    "mini-swe-agent": ("", {"reasoning_effort": "high"}),
}
"""What the model is shown of the tool, and what else of the effort."""


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_real_program_shows_its_model_what_is_varied(name: str, parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    tool, sent = SHOWN[name]
    effort = "" if sent is None else ",effort=high"
    own = f",skill={parts}/summing,mcp={parts}/servers/mine.json" if tool else ""
    actor = make_agent(f"{name}:path={installed(name)},env=TOKEN{effort}{own}", SUITE, model())
    assert isinstance(actor, External)
    done = attempt(actor)
    kept = everything_kept(done, parts)
    assert SECRET.encode() not in kept
    requests = [each.request for each in read_exchanges(parts / MODEL_RECORD)]
    bodies = b"".join(bytes(each.body) for each in requests)
    assert tool.encode() in bodies, (done.trial.reason, done.artifacts["program/stderr"][-2000:])
    if tool:
        assert b"Knows how one adds up" in bodies
    for key, value in (sent or {}).items():
        assert value in [json.loads(bytes(each.settings[key])) for each in requests if key in each.settings]
