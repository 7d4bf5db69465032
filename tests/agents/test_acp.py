"""Programs that speak ACP: one that is written with the protocol's library, in a real sandbox; and hostile ones."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import pytest

from honestly.agents import make_agent
from honestly.errors import ModelError
from honestly.models import ScriptedModel, Turn, assistant_message, tool_call
from honestly.records import Outcome, Suite, Task, Tree, Usage, encode
from honestly.runner import Original, Planned, TrialResult, replay_trial, run_attempt
from honestly.sandbox import open_sandbox
from honestly.tasks import load_suite

pytest.importorskip("acp", reason="the extra `acp` is not installed")

pytestmark = pytest.mark.slow

TASK = Task(id="hello", instruction="Write.", workspace=Tree.of({"b.txt": "b\n"}), timeout_s=30.0)
SUITE = load_suite("embedded", only=["split-bill"])
PACKAGES = ("acp", "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection")
USED = Usage(input_tokens=100, output_tokens=7)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment that holds the program and what it imports."""
    folder = tmp_path_factory.mktemp("environment")
    packages = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    packages.mkdir(parents=True)
    folder.chmod(0o755)
    for name in PACKAGES:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        found = Path(spec.origin)
        if found.name == "__init__.py":
            shutil.copytree(found.parent, packages / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(found, packages)
    (packages / "acp_agent-1.2.dist-info").mkdir()
    (folder / "pyvenv.cfg").write_text(f"home = {sys.base_prefix}/bin\n")
    (folder / "bin").mkdir()
    script = folder / "bin" / "acp-agent"
    shutil.copy(Path(__file__).with_name("acp_agent.py"), script)
    script.chmod(0o755)
    return script


def run(line: str, turns: Sequence[Turn] = (), task: Task = TASK) -> TrialResult:
    model = ScriptedModel(turns, name="http://example.org/v1#tiny", by_turn=True)
    agent = make_agent(f"acp:{line}", Suite(name="s", version="1", tasks=(task,)), model)
    return anyio.run(run_attempt, Planned("t" * 32, task, agent, 0), partial(open_sandbox))


def said(done: TrialResult) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.artifacts["program/acp.jsonl"].splitlines()]


def bash(command: str, text: str = "") -> Turn:
    return assistant_message(text, tool_call("bash", command=command), usage=USED)


def test_a_program_solves_a_task_and_all_of_it_is_on_record(program: Path) -> None:
    task = SUITE.tasks[0]
    assert task.hidden is not None
    files = {path: file.data.decode() for path, file in task.hidden.reference.write.files.items()}
    writes = [tool_call("write", path=f"/workspace/{path}", content=text) for path, text in files.items()]
    turns = [
        bash("ls; echo $OPENAI_API_KEY; exit 3", "I look."),
        assistant_message("I write.", *writes, usage=USED),
        assistant_message("Done.", usage=USED),
    ]
    done = run(f"'{program}' {{model}}", turns, task)
    assert done.trial.outcome is Outcome.PASSED, (done.trial.reason, done.artifacts.get("program/stderr"))
    user, first, second, last = done.trajectory.steps
    assert user.message == task.instruction
    assert (first.message, second.message, last.message) == ("I look.", "I write.", "Done.")
    assert [seen.code for seen in first.observations] == [3]
    assert [seen.call_id for seen in second.observations] == [made.id for made in second.calls]
    assert second.observations[0].text.startswith("written; it begins with")
    assert (done.trajectory.session, done.trajectory.stop) == ("the-session", "end_turn")
    assert done.trial.usage == Usage(input_tokens=300, output_tokens=21)
    (finding,) = done.findings
    assert (finding.state, finding.note) == ("clean", f"calls that are alike in both records: {1 + len(files)}")

    lines = said(done)
    granted = [line["message"]["result"] for line in lines if "outcome" in str(line.get("message", {}).get("result"))]
    assert granted == [{"outcome": {"outcome": "selected", "optionId": "yes"}}]
    kinds = {
        line["message"]["params"]["update"]["sessionUpdate"]
        for line in lines
        if "update" in str(line)
        and line["by"] == "program"
        and "params" in line["message"]
        and "update" in line["message"]["params"]
    }
    assert kinds == {"agent_message_chunk", "tool_call", "tool_call_update"}
    assert b"[secret]" in done.artifacts["program/acp.jsonl"]


def test_a_model_that_does_not_answer_makes_the_trial_void(program: Path) -> None:
    done = run(f"'{program}' {{model}}", [bash("true"), ModelError("overloaded", status=400)])
    assert done.trial.outcome is Outcome.VOID
    assert "overloaded" in done.trial.reason
    assert len(done.trajectory.steps) == 2


def test_a_call_that_the_wire_does_not_show_is_a_finding(program: Path, tmp_path: Path) -> None:
    mute = tmp_path / "bin" / "acp-agent"
    shutil.copytree(program.parents[1], tmp_path, dirs_exist_ok=True)  # its mode, too
    mute.write_text(program.read_text().replace("await self.client.session_update(session,", "str("))
    done = run(
        f"'{mute}' {{model}}",
        [assistant_message("", tool_call("write", path="/workspace/a", content="a")), assistant_message("Done.")],
    )
    (finding,) = done.findings
    assert finding.state == "flagged"
    assert "only the proxy has" in finding.evidence[0].quote


PRELUDE = """#!/usr/bin/env python3
import json, os, sys, time
def say(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def hear(): return json.loads(sys.stdin.readline() or sys.exit("hung up"))
def ask(method, **params):
    say(id=7, method=method, params=params)
    return hear()
def begin():
    say(id=hear()["id"], result={"protocolVersion": 1})
    say(id=hear()["id"], result={"sessionId": "s"})
    return hear()
"""


def hostile(tmp_path: Path, code: str, task: Task = TASK) -> TrialResult:
    script = tmp_path / "hostile"
    script.write_text(PRELUDE + code)
    script.chmod(0o755)
    return run(str(script), (), task)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("print('nonsense', flush=True)", "ended with status 1 after"),
        ("begin(); os._exit(3)", "ended with status 3 after"),
        ("begin(); os._exit(0)", "ended with status 1 after"),
        ("begin(); os.write(1, b'x' * (17 << 20)); time.sleep(99)", "before it asked its model"),
        ("say(id=hear()['id'], error='no'); hear()", "opens no ACP session"),
        ("say(id=hear()['id'], error={'code': -32000, 'message': 'log in'}); hear()", "opens no ACP session: log in"),
        ("begin(); say(id=2, error={'code': [], 'message': {}}); hear()", "before it asked its model"),
        ("begin(); say(id=2, result={'stopReason': 'end_turn'})", "before it asked its model"),
        ("say(id=hear()['id'], result=[]); say(id=hear()['id'], result=7)", "without an id"),
    ],
)
def test_a_program_that_does_not_work_makes_the_trial_void_and_says_why(tmp_path: Path, code: str, words: str) -> None:
    done = hostile(tmp_path, code)
    assert done.trial.outcome is Outcome.VOID
    assert words in done.trial.reason


NOISE = """
os.write(1, b"\\x1b[31m \\xff\\xfe\\n" + b"[" * 100000 + b"\\n" + b'{"id": {}}\\n{"method": 5}\\nnull\\n\\n{"id": 99, "result": 1}\\n')
for odd in ({"id": None, "method": "x"}, {"method": "session/update", "params": [1]}, {"method": "session/update"}):
    say(**odd)
for n in range(300): say(method="session/update", params={"update": {"sessionUpdate": n}})
prompt = begin()
answers = [ask(*what[:1], **what[1]) for what in (
    ("fs/read_text_file", {"sessionId": "s", "path": "/etc/shadow"}),
    ("fs/read_text_file", {"sessionId": "s", "path": "/workspace/../etc/passwd"}),
    ("fs/read_text_file", {"sessionId": "s", "path": "/workspace/huge"}),
    ("fs/read_text_file", {"sessionId": "s", "path": "/workspace/b.txt", "line": "x"}),
    ("fs/write_text_file", {"sessionId": "s", "path": "/usr/bin/x", "content": "x"}),
    ("fs/write_text_file", {"sessionId": "s", "path": "/workspace/c.txt", "content": "c\\ud800"}),
    ("terminal/create", {"sessionId": "s", "command": "id"}),
    ("session/request_permission", {"options": []}),
    ("session/request_permission", {"options": 5}),
    ("_secret/method", {}),
)]
json.dump(answers, open("/workspace/answers.json", "w"))
say(id=prompt["id"], result={"stopReason": "end_turn"})
"""


def test_what_it_asks_for_lies_inside_the_sandbox_or_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    done = hostile(tmp_path, "open('huge', 'w').truncate(5 << 20)\n" + NOISE)
    answers = json.loads(done.final.write.files["answers.json"].data)
    shown = [answer.get("error", {}).get("message") or answer["result"] for answer in answers]
    assert shown[0] == "/etc/shadow: No such file or directory"
    assert "user:x:1000" in str(shown[1])  # the sandbox's own
    assert shown[1] != {"content": Path("/etc/passwd").read_text()}
    assert "at most 4194304 are read at once" in shown[2]
    assert shown[3] == "Invalid params"
    assert "/usr/bin/x" in shown[4]
    assert shown[6:] == [
        "Method not found",
        {"outcome": {"outcome": "cancelled"}},
        "Invalid params",
        "Method not found",
    ]
    texts = [line["text"] for line in said(done) if "text" in line]
    assert texts[0].startswith("\x1b[31m")
    assert len(texts) >= 5
    assert "".join(capfd.readouterr()) == ""


@pytest.mark.parametrize(
    "code",
    [
        "begin()\ntime.sleep(99)",
        "begin()\nwhile True: say(method='session/update', params={'update': {}})",
        "begin()\nwhile True: say(id=1, method='fs/read_text_file', params={'path': '/workspace/b.txt'})",
    ],
)
def test_one_that_never_ends_is_ended_by_the_tasks_time(tmp_path: Path, code: str) -> None:
    task = Task(id="hello", instruction="Write.", workspace=TASK.workspace, timeout_s=1.5)
    done = hostile(tmp_path, code, task)
    assert done.trajectory.stop == "limit: time" or "time" in done.trajectory.stop or "time" in done.trial.reason
    assert len(done.artifacts["program/acp.jsonl"]) < 64 << 20


def test_a_trial_is_played_again_from_its_record(program: Path) -> None:
    model = ScriptedModel([bash("ls"), assistant_message("Done.")], name="http://example.org/v1#tiny", by_turn=True)
    actor = make_agent(f"acp:'{program}' {{model}}", SUITE, model)
    task = SUITE.tasks[0]
    done = anyio.run(run_attempt, Planned("t" * 32, task, actor, 0), partial(open_sandbox))
    artifacts = {**done.artifacts, "final.json": encode(done.final)}
    original = Original(
        trial=done.trial, agent=actor.record, task=task, trajectory=done.trajectory, artifacts=artifacts
    )
    again = anyio.run(replay_trial, original, partial(open_sandbox))
    assert again.is_same, again
    assert again.left == 0
