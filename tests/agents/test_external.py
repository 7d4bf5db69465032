"""A program of somebody else's as an agent: a small real one, in a real sandbox, on a scripted model behind the proxy."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from honestly.agents import AGENTS, MODEL_RECORD, AgentLimits, External, guarded_agent, make_agent
from honestly.agents.external._agent import spoken_name
from honestly.agents.external._driver import OwnRecord
from honestly.agents.external._guarded import GuardedModel
from honestly.agents.external._make import driver_of
from honestly.errors import AgentError, ModelError
from honestly.models import (
    NO_SETTINGS,
    Message,
    ScriptedModel,
    Settings,
    ToolSpec,
    Turn,
    assistant_message,
    proxy_turn,
    read_exchanges,
    scripted_server,
    tool_call,
)
from honestly.permissions import PolicyJudgeTerms, ToolPolicy, parse_rules
from honestly.records import Outcome, Suite, Task, Tree, Usage, encode
from honestly.runner import Planned, TrialResult, run_attempt
from honestly.sandbox import open_sandbox
from honestly.store import live_steps, live_trials, unfinished_folder
from honestly.tasks import load_suite

TASK = Task(id="hello", instruction="Write {hello} into a.txt.", workspace=Tree.of({"b.txt": "b"}), timeout_s=30.0)
SUITE = Suite(name="s", version="1", tasks=(TASK,))

PROGRAM = '''
"""An agent of forty lines: OpenAI's chat completions, one tool, no library."""
import json, os, subprocess, sys, urllib.request

def ask(messages):
    body = {"model": sys.argv[2], "messages": messages, "temperature": 0.5, "tools": [TOOL]}
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps(body).encode(),
        {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
    )
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["choices"][0]["message"]

TOOL = {"type": "function", "function": {"name": "bash", "description": "Runs.", "parameters": {"type": "object"}}}
messages = [{"role": "system", "content": "You act."}, {"role": "user", "content": open(sys.argv[1]).read()}]
while True:
    reply = ask(messages)
    messages.append(reply)
    if not reply.get("tool_calls"):
        print(reply["content"])
        break
    for made in reply["tool_calls"]:
        command = json.loads(made["function"]["arguments"])["command"]
        done = subprocess.run(command, shell=True, capture_output=True, text=True)
        messages.append({"role": "tool", "tool_call_id": made["id"], "content": done.stdout + done.stderr})
'''
KEY = "sk-canary-0123456789abcdef"
USED = Usage(input_tokens=100, output_tokens=7, cached_tokens=40)


def bash(command: str, text: str = "") -> Message:
    return assistant_message(text, tool_call("bash", command=command), usage=USED)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("program") / "my agent.py"
    path.write_text(f"#!/usr/bin/env python3\n{PROGRAM}")
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def judged() -> Task:
    """A task with hidden checks, so that what is left has an outcome."""
    return load_suite("embedded", only=["split-bill"]).tasks[0]


def external(program: Path, turns: Sequence[Turn], **settings: object) -> External:
    model = ScriptedModel(turns, name="http://example.org/v1#tiny", by_turn=True)
    agent = make_agent(f'cli:"{program}" {{instruction_file}} {{model}}', SUITE, model)
    assert isinstance(agent, External)
    return dataclasses.replace(agent, **settings)  # type: ignore[arg-type]


def run(agent: External, task: Task = TASK) -> TrialResult:
    return anyio.run(run_attempt, Planned("t" * 32, task, agent, 0), partial(open_sandbox))


ESCAPES = """
import os, socket
url = os.environ["OPENAI_BASE_URL"].split("/")[2]
for place in [("127.0.0.1", 22), ("127.0.0.1", 80), ("10.0.0.1", 80), ("1.1.1.1", 443)]:
    try:
        socket.create_connection(place, 2)
        print("reached", place)
    except OSError:
        print("closed")
print("home", os.environ["HOME"], sorted(os.listdir("/.honestly/home")), os.path.exists("/root/.ssh"))
"""


def test_everything_that_happened_is_on_record(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HONESTLY_MODEL_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    turns = [
        bash("cat b.txt; env >&2; cat /proc/*/environ >&2", "I look."),
        assistant_message(
            "Two things.",
            tool_call("bash", command="echo '{hello}' > a.txt"),
            tool_call("bash", command=f"python3 -c '{ESCAPES}'"),
        ),
        assistant_message("Done."),
    ]
    agent = external(program, [turns[0], dataclasses.replace(turns[1], usage=USED), turns[2]])
    done = run(agent)
    system, user, first, second, last = done.trajectory.steps
    assert (system.source, system.message) == ("system", "You act.")
    assert (user.source, user.message) == ("user", TASK.instruction)
    assert first.message == "I look."
    assert first.calls[0].argument("command") == "cat b.txt; env >&2; cat /proc/*/environ >&2"
    assert first.observations[0].text.startswith("b")
    assert "OPENAI_API_KEY=[secret]" in first.observations[0].text
    assert KEY not in encode(done.trajectory).decode()
    assert (first.model, first.usage, first.llm_calls) == ("tiny", USED, 1)
    assert first.at is not None
    assert first.at.endswith("+00:00")
    assert [seen.call_id for seen in second.observations] == [made.id for made in second.calls]
    assert second.observations[1].text.splitlines() == [
        *["closed"] * 4,
        "home /.honestly/home ['instruction.md', 'stderr', 'stdout'] False",
    ]
    assert last.message == "Done."
    assert {path: file.data for path, file in done.final.write.files.items()} == {"a.txt": b"{hello}\n"}
    assert [tool.name for tool in done.trajectory.tools] == ["bash"]
    assert done.trial.usage == Usage(input_tokens=200, output_tokens=14, cached_tokens=80)
    assert done.artifacts["program/stdout"] == b"Done.\n"
    assert done.artifacts["program/stderr"] == b""
    (finding,) = done.findings
    assert (finding.trial, finding.state) == ("t" * 32, "unreadable")  # a command line has no record of its own
    assert done.trajectory.stop == "done"


def test_the_record_of_the_proxy_is_kept_without_the_token(program: Path, tmp_path: Path) -> None:
    done = run(
        external(
            program,
            [bash("echo $OPENAI_API_KEY > /.honestly/home/stderr; echo $OPENAI_API_KEY"), assistant_message("Done.")],
        )
    )
    record = tmp_path / MODEL_RECORD
    record.write_bytes(done.artifacts[MODEL_RECORD])
    exchanges = read_exchanges(record)
    assert [exchange.request.operation for exchange in exchanges] == ["answer", "answer"]
    assert json.loads(bytes(exchanges[0].request.settings["temperature"])) == 0.5
    last = proxy_turn(exchanges[1])
    assert last.asked is not None
    assert last.asked.messages[-1].text == "[secret]\n"
    assert done.artifacts["program/stderr"] == b"[secret]\n"
    assert done.trajectory.steps[2].observations[0].text == "[secret]\n"


def test_steps_are_there_for_others_while_the_program_works(program: Path, tmp_path: Path) -> None:
    study = tmp_path / "s.honestly"
    scripted = ScriptedModel(
        [bash("echo $OPENAI_API_KEY; echo one", "I look."), bash("echo two"), assistant_message("Done.")]
    )
    seen: list[list[tuple[str, list[str]]]] = []

    class Watching:
        name = "http://example.org/v1#tiny"

        async def __call__(
            self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
        ) -> Message:
            (running,) = live_trials(study)
            steps = live_steps(study, running).steps.values()
            seen.append([(step.source, [each.text for each in step.observations]) for step in steps])
            return await scripted(messages, tools, settings)

    agent = dataclasses.replace(external(program, []), model=Watching())
    done = anyio.run(run_attempt, Planned("t" * 32, TASK, agent, 0), partial(open_sandbox), unfinished_folder(study))
    told: list[tuple[str, list[str]]] = [("system", []), ("user", [])]
    first, second = ("agent", ["[secret]\none\n"]), ("agent", ["two\n"])
    assert seen == [told, [*told, first], [*told, first, second]]
    assert [step.source for step in done.trajectory.steps] == ["system", "user", "agent", "agent", "agent"]
    assert live_trials(study) == []


def test_its_identity_is_the_program_and_what_could_change_it(program: Path) -> None:
    agent = external(program, [])
    record = agent.record
    assert record.program == "cli"
    assert record.version.startswith("blake2b:")
    assert record.model == "http://example.org/v1#tiny"
    assert record.settings["told"] == "tiny"
    assert "{instruction_file}" in str(record.settings["command"])
    assert dataclasses.replace(agent, limits=AgentLimits(tokens=5)).record.hash != record.hash


@pytest.mark.slow
def test_a_program_that_is_killed_leaves_what_it_did(program: Path, judged: Task) -> None:
    done = run(external(program, [bash("echo hi > a.txt"), bash("sleep 1000")]), replace(judged, timeout_s=3.0))
    assert (done.trial.outcome, done.trial.reason) == (Outcome.LIMIT, "agent_timeout")
    first, second = done.trajectory.steps[2:]
    assert first.observations
    assert second.calls[0].argument("command") == "sleep 1000"
    assert not second.observations
    assert done.trial.usage.output_tokens == 14
    assert "a.txt" in done.final.write.files
    assert MODEL_RECORD in done.artifacts


@pytest.mark.slow
def test_a_budget_ends_it_and_is_a_limit(program: Path, judged: Task) -> None:
    done = run(
        external(program, [bash("true"), bash("true"), assistant_message("Done.")], limits=AgentLimits(turns=2)), judged
    )
    assert done.trial.outcome is Outcome.LIMIT
    assert "2 of 2 calls" in done.trial.reason
    assert sum(step.source == "agent" for step in done.trajectory.steps) == 2


def test_a_model_that_does_not_answer_makes_the_trial_void(program: Path) -> None:
    done = run(external(program, [bash("true"), ModelError("overloaded", transient=True, status=529)]))
    assert done.trial.outcome is Outcome.VOID
    assert "overloaded" in done.trial.reason
    assert len(done.trajectory.steps) == 3  # what was done is kept all the same


@pytest.mark.slow
def test_a_program_that_says_that_it_failed_is_believed_whatever_its_status(tmp_path: Path, judged: Task) -> None:
    smooth = tmp_path / "smooth"
    smooth.write_text(f"#!/usr/bin/env python3\ntry:\n    exec({PROGRAM!r})\nexcept OSError as e:\n    e.read()\n")
    smooth.chmod(0o755)
    turns = [bash("true"), ModelError("it is refused", status=400)]
    agent = external(smooth, turns)
    driver = dataclasses.replace(agent.driver, read=lambda _stdout, _files: OwnRecord(failed=True))
    done = run(dataclasses.replace(agent, driver=driver), judged)
    assert done.trial.outcome is Outcome.VOID
    assert "it is refused" in done.trial.reason
    assert run(external(smooth, turns), judged).trial.outcome is Outcome.FAILED


def test_a_program_that_needs_its_model_and_never_asks_it_makes_the_trial_void(tmp_path: Path) -> None:
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\necho it crashed inside >&2\n")
    silent.chmod(0o755)
    agent = external(silent, [])
    done = run(dataclasses.replace(agent, driver=dataclasses.replace(agent.driver, asks=True)))
    assert done.trial.outcome is Outcome.VOID
    assert "status 0 " in done.trial.reason
    assert "s, before it asked its model; its last words: it crashed inside" in done.trial.reason


def test_a_program_that_cannot_start_makes_the_trial_void(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho no such luck >&2\nexit 7\n")
    broken.chmod(0o755)
    done = run(external(broken, []))
    assert done.trial.outcome is Outcome.VOID
    assert re.search(r"status 7 after \d\.\d s, before it asked its model; .* no such luck", done.trial.reason)


@pytest.mark.parametrize(
    ("script", "outcome", "said"),
    [
        ("nosuch", Outcome.VOID, r"cli ended with status 127 after .* before it changed a file; .* not found"),
        ("exit 1", Outcome.VOID, r"cli ended with status 1 after .* before it changed a file; it said nothing"),
        ("echo x > x; echo lost >&2; exit 3", Outcome.FAILED, r"^cli ended with status 3 after .* words: lost"),
        ("exit 0", Outcome.FAILED, "^$"),
    ],
)
def test_a_program_without_a_model_that_fails_at_once_is_void(
    script: str, outcome: Outcome, said: str, judged: Task
) -> None:
    agent = make_agent(f"cli:sh -c '{script}' {{instruction_file}}", SUITE)
    assert isinstance(agent, External)
    done = run(agent, judged)
    assert done.trial.outcome is outcome
    assert re.search(said, done.trial.reason)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("claude-code:path=/nowhere", "not installed in /nowhere"),
        ("codex:color=red", "has no setting 'color'"),
        ("codex:modle=openai:x", "has no setting 'modle' (did you mean 'model'?)"),
        ("gemini:max-turns=-1", "'-1'; expected a whole number from 1"),
        ("cli:", "expected a command line"),
        ("cli:python3 {key}", "expected one of {instruction}"),
        ("cli:python3 'x", "cannot be split into words"),
        ("cli:no-such-program-anywhere", "on the search path"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_runs(spec: str, message: str) -> None:
    with pytest.raises(AgentError, match=re.escape(message)):
        make_agent(spec, SUITE, ScriptedModel([]))
    if "=" in spec and "path" not in spec:
        with pytest.raises(AgentError, match=re.escape(message)):
            make_agent(spec, SUITE)


def test_a_program_needs_a_model() -> None:
    for spec in (
        *filter(driver_of, {known.name for known in AGENTS.known} - {"acp", "cli"}),
        "cli:python3 --model {model}",
    ):
        with pytest.raises(AgentError, match="--model"):
            make_agent(spec, SUITE)


def test_the_name_that_a_program_is_told() -> None:
    names = ["openai:gpt-5", "http://h:1/v1#a/b c", "script:/x/y.jsonl", "::", "anthropic:claude-opus-4"]
    assert [spoken_name(name) for name in names] == ["gpt-5", "b-c", "y.jsonl", "model", "claude-opus-4"]


def test_a_budget_that_nobody_can_keep_makes_the_trial_void(program: Path) -> None:
    done = run(external(program, [bash("true"), bash("true"), assistant_message("Done.")], limits=AgentLimits(usd=1.0)))
    assert done.trial.outcome is Outcome.VOID
    assert "cannot be kept" in done.trial.reason


def test_where_a_program_is_installed_is_no_part_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "claude").write_bytes(b"\x7fELF")
    (tmp_path / "claude").chmod(0o755)
    specs = [f"claude-code:path={tmp_path}", f"claude-code:max-turns=3,path={tmp_path}"]
    names = [make_agent(spec, SUITE, ScriptedModel([])).record.name for spec in specs]
    assert names == ["claude-code@script", "claude-code:max-turns=3@script"]


def test_what_a_program_leaves_is_kept_as_far_as_it_goes(tmp_path: Path) -> None:
    mess = tmp_path / "mess"
    mess.write_text(
        "#!/usr/bin/env python3\nimport os\nos.makedirs('/.honestly/home/mini')\nos.symlink('/etc/passwd', '/.honestly/home/mini/a')\n"
        "print('x' * (70 << 20))\n"
    )
    mess.chmod(0o755)
    done = run(external(mess, []))
    assert "before it asked" not in done.trial.reason  # it ended well, and did nothing
    assert not any(name.endswith("/a") for name in done.artifacts)
    assert sum(map(len, done.artifacts.values())) < 1 << 20
    assert done.artifacts["program/lost"] == b"/.honestly/home/stdout (more than 64 MiB)"


def test_a_record_can_be_stored(program: Path) -> None:
    done = run(external(program, [bash("printf '\\xff\\x1b[31m'"), assistant_message("\ud800 Done.")]))
    assert encode(done.trajectory)
    assert done.trial.reason == ""


PUSHES = ToolPolicy(tuple(parse_rules("deny", ["Bash(rm:*)", "Read(.env)"])[0]))


def guarded(program: Path, turns: Sequence[Turn], policy: ToolPolicy = PUSHES) -> TrialResult:
    agent = dataclasses.replace(external(program, []), model=ScriptedModel(turns, name="http://example.org/v1#tiny"))
    return run(agent.guarded_by(policy))


def test_the_proxy_lets_no_turn_through_that_a_policy_refuses(program: Path) -> None:
    two = tool_call("bash", command="echo no > c.txt"), tool_call("bash", command="timeout 9 rm b.txt")
    done = guarded(
        program,
        [bash("ls; rm b.txt"), dataclasses.replace(assistant_message("Both.", *two), usage=USED), bash("cat .env"),
         bash("echo yes > a.txt", "So."), assistant_message("Done.", usage=USED)],
    )  # fmt: skip
    assert done.final.write.files.keys() == {"a.txt"}
    assert done.final.delete == ()
    said = done.trajectory.steps[2]
    assert [made.argument("command") for made in said.calls] == ["echo yes > a.txt"]
    assert said.message.splitlines()[-1] == "So."
    assert said.message.count("[refused: bash: the rules for you do not permit this (deny: ") == 3
    assert said.usage == Usage(input_tokens=400, output_tokens=28, cached_tokens=160)
    rows = [json.loads(line) for line in done.artifacts["guard.jsonl"].split(b"\n")]
    assert [(row["decision"], row["done"]) for row in rows] == [
        ("deny", False), ("allow", True), ("deny", False), ("deny", False), ("allow", True),
    ]  # fmt: skip


def test_a_model_that_asks_for_nothing_else_ends_its_turn(program: Path) -> None:
    done = guarded(program, [bash("rm b.txt")] * 4)
    assert done.final.delete == ()
    assert done.trajectory.steps[-1].calls == ()
    assert done.artifacts["program/stdout"].count(b"[refused: bash") == 4


def test_a_judge_stands_in_the_proxy_too(program: Path) -> None:
    async def judge(
        messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        verdict = "refuse" if "upload" in messages[-1].text else "permit"
        return assistant_message(json.dumps({"verdict": verdict, "category": "none", "reason": "so"}))

    judge.name = "judge"  # type: ignore[attr-defined]

    async def go() -> TrialResult:
        async with scripted_server(judge) as server:
            policy = ToolPolicy(principles=("Nothing leaves.",), judge=PolicyJudgeTerms(server.spec("judge")))
            turns = [bash("./upload b.txt"), bash("echo yes > a.txt"), assistant_message("Done.")]
            model = ScriptedModel(turns, name="http://example.org/v1#tiny")
            agent = dataclasses.replace(external(program, []), model=model).guarded_by(policy)
            return await run_attempt(Planned("t" * 32, TASK, agent, 0), partial(open_sandbox))

    done = anyio.run(go)
    first, second = (json.loads(line) for line in done.artifacts["guard.jsonl"].split(b"\n"))
    assert (first["decision"], second["decision"]) == ("deny", "allow")
    assert "outcome: refuse" in first["reason"]
    assert done.final.write.files.keys() == {"a.txt"}


def test_a_shell_that_lasts_is_followed_from_turn_to_turn_and_a_refused_turn_leaves_nothing(program: Path) -> None:
    async def go(lasting: bool) -> list[str]:
        policy = ToolPolicy(tuple(parse_rules("deny", ["Edit(sub/**)", "Bash(rm:*)"])[0]))
        turns = ["cd sub", "cd ..; rm x", "pwd", "echo x > a.txt", "ls"]
        model = GuardedModel(ScriptedModel([bash(each) for each in turns]), policy, lasting=lasting)
        said = [await model([Message(role="user", text="x")]) for _ in range(2 if lasting else 3)]
        said += [await model([Message(role="user", text="x")])]
        return [json.loads(each.calls[0].arguments)["command"] for each in said]

    assert anyio.run(go, True) == ["cd sub", "pwd", "ls"]
    assert anyio.run(go, False) == ["cd sub", "pwd", "echo x > a.txt", "ls"]


def test_a_program_whose_model_is_out_of_sight_and_that_has_no_place_for_a_policy_is_not_guarded() -> None:
    agent = make_agent("cli:true", SUITE, None)
    with pytest.raises(AgentError, match="has no place for such a policy"):
        guarded_agent(agent, PUSHES)
