"""An agent with parts of somebody's own: a prompt, tools, the loop; what identifies it, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import anyio
import anyio.from_thread
import pytest
from click.testing import CliRunner

from honestly.agents import Honest, Nobody, Scaffold, agent_again, call_tokens, make_agent
from honestly.cli import cli
from honestly.errors import AgentError
from honestly.models import Message, ScriptedModel, ScriptedServer, assistant_message, scripted_server, tool_call
from honestly.records import Suite, Task, Tree
from honestly.runner import Planned, TrialResult, run_attempt
from honestly.sandbox import open_sandbox
from honestly.store import open_study

TASK = Task(id="q", instruction="Do it.", workspace=Tree.of({"b.txt": "b\n"}), timeout_s=30.0)
SUITE = Suite(name="s", version="1", tasks=(TASK,))
DONE = assistant_message("", tool_call("finish", outcome="done", summary="It works."))
LOOK = assistant_message("I look.", tool_call("bash", command="cat b.txt"))
COUNTS = '''
from honestly.tools import tool


@tool
async def lines(box, path: str) -> str:
    """Counts the lines of a file."""
    return f"{(await box.read(path)).count(10)} lines"
'''
LOOP = """
from helping import opening
from honestly.models import Message


async def loop(run, box, model, tools, *, most: int = 3):
    talk = [Message(role="user", text=opening + run.task.instruction)]
    for _ in range(most):
        reply = await model(talk, tools.specs)
        talk += [reply, *await tools.do(reply)]
        if tools.ending:
            return
    run.stop = run.limit = "rounds"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current folder whose modules are forgotten after the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def forget(*names: str) -> None:
    for name in names:
        sys.modules.pop(name, None)


def made(spec: str, *turns: object) -> Honest:
    model = ScriptedModel(turns, name="http://example.org/v1#tiny", by_turn=True)  # type: ignore[arg-type]
    return make_agent(spec, SUITE, model)  # type: ignore[return-value]


def tried(agent: Honest) -> TrialResult:
    return anyio.run(run_attempt, Planned("t" * 32, TASK, agent, 0), partial(open_sandbox))


@contextmanager
def serving(*turns: object) -> Iterator[ScriptedServer]:
    script = ScriptedModel(turns, by_turn=True)  # type: ignore[arg-type]
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(scripted_server(script)) as server,
    ):
        yield server


def test_a_prompt_stands_in_the_place_of_ours_or_around_it(place: Path) -> None:
    (place / "p.md").write_text("You are terse.\n")
    (place / "around.md").write_text("Before.\n\n{default}\n\nAfter: {braces} stay.")
    usual, terse, around = (
        tried(made(spec, DONE)).trajectory.steps[0].message
        for spec in ("honest", "honest:prompt=p.md", "honest:prompt=around.md")
    )
    assert terse == "You are terse."
    assert around == f"Before.\n\n{usual}\n\nAfter: {{braces}} stay."


def test_the_rules_of_the_project_follow_a_prompt(place: Path) -> None:
    (place / "p.md").write_text("You are terse.")
    agent = made("honest:prompt=p.md", DONE)
    task = Task(id="r", instruction="Do it.", workspace=Tree.of({"AGENTS.md": "Use tabs."}), timeout_s=30.0)
    found = anyio.run(run_attempt, Planned("t" * 32, task, agent, 0), partial(open_sandbox))
    told = found.trajectory.steps[0].message
    assert told.startswith("You are terse.")
    assert "Use tabs." in told


@pytest.mark.slow
def test_a_changed_part_is_another_agent_by_identity_and_by_name(place: Path) -> None:
    (place / "p.md").write_text("One.")
    (place / "counting.py").write_text(COUNTS)
    (place / "looping.py").write_text(LOOP)
    (place / "helping.py").write_text("opening = 'A task: '\n")
    spec = "honest:prompt=p.md,tools=bash+counting:lines,scaffold=looping:loop,max-turns=9"
    one = made(spec).record
    assert one.name.startswith("honest+prompt-")
    assert one.name.endswith(":tools=bash+counting:lines,max-turns=9@http://example.org/v1#tiny")
    assert one.settings["prompt"] == "One."
    assert made(spec).record == one
    records = [one]
    for file, text in (("p.md", "Two."), ("counting.py", COUNTS + "# more\n"), ("looping.py", LOOP + "# more\n")):
        (place / file).write_text(text)
        forget("counting", "looping", "helping")
        records.append(made(spec).record)
    (place / "helping.py").write_text("opening = 'Your task: '\n")  # what the scaffold imports from beside it
    forget("looping", "helping")
    records.append(made(spec).record)
    assert len({record.hash for record in records}) == len({record.name for record in records}) == 5
    assert made("honest:prompt=p.md,name=mine").record.name == "mine@http://example.org/v1#tiny"


def test_a_package_is_known_by_all_its_files(place: Path) -> None:
    package = place / "mine"
    (package / "deep").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "loops.py").write_text("async def loop(run, model): ...\n")
    (package / "deep" / "words.md").write_text("Be good.")
    found = {Scaffold.of("mine.loops:loop").source}
    (package / "deep" / "words.md").write_text("Be better.")
    found.add(Scaffold.of("mine.loops:loop").source)
    (package / "deep" / "results.bin").write_bytes(b"x")
    (package / "__pycache__").mkdir(exist_ok=True)
    (package / "__pycache__" / "x.py").write_text("x")
    found.add(Scaffold.of("mine.loops:loop").source)
    assert len(found) == 2


def test_a_tool_of_ones_own_works_in_a_sandbox(place: Path) -> None:
    (place / "counting.py").write_text(COUNTS)
    done = tried(made("honest:tools=counting:lines", assistant_message("", tool_call("lines", path="b.txt")), DONE))
    assert [seen.text for step in done.trajectory.steps for seen in step.observations] == ["1 lines", "ended"]


@pytest.mark.slow
def test_the_scaffold_that_new_writes_does_a_task_against_a_real_server(place: Path) -> None:
    written = CliRunner().invoke(cli, ["plugin", "new", "scaffold", "my_loop"], catch_exceptions=False)
    assert written.exit_code == 0, written.output
    body = (place / "my_loop.py").read_text().partition("async def")[2]
    assert len([line for line in body.splitlines() if line.strip()]) <= 30
    fix = assistant_message("", tool_call("bash", command="echo x > a.txt; cat b.txt"))
    with serving(fix, DONE, assistant_message("", tool_call("bash", command="ls")), DONE) as server:
        common = ["run", "embedded", "--task", "split-bill", "--model", server.spec(), "-o", "s.honestly", "--json"]
        run = CliRunner().invoke(cli, [*common, "--agent", "honest:scaffold=my_loop:scaffold"], catch_exceptions=False)
        assert run.exit_code == 0, run.output
    with open_study(place / "s.honestly") as study:
        (trial,) = study.trials()
        (agent,) = study.agents()
        steps = study.trajectory(trial.id).steps  # type: ignore[union-attr]
    assert (trial.outcome, trial.claimed) == ("failed", True)
    assert agent.name.startswith("honest+scaffold-")
    assert [step.source for step in steps] == ["system", "user", "agent", "agent", "user", "agent", "agent"]
    assert steps[4].message.startswith("Look once more before you end")
    assert "./a.txt" in steps[4].message
    again = CliRunner().invoke(cli, ["agent", "replay", "s.honestly", trial.id, "--json"], catch_exceptions=False)
    assert json.loads(again.stdout)["same"], again.stdout
    (place / "my_loop.py").write_text((place / "my_loop.py").read_text() + "# changed\n")
    changed = CliRunner().invoke(cli, ["agent", "replay", "s.honestly", trial.id])
    assert "scaffold_source" in str(changed.exception)


@pytest.mark.slow
def test_the_test_that_new_writes_passes(place: Path) -> None:
    CliRunner().invoke(cli, ["plugin", "new", "scaffold", "my_loop"], catch_exceptions=False)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_loop.py"],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_settings_limits_and_what_a_scaffold_leaves_unsaid(place: Path) -> None:
    (place / "looping.py").write_text(LOOP)
    (place / "helping.py").write_text("opening = ''\n")
    by_rounds = tried(made("honest:scaffold='looping:loop,most=2'", *[LOOK] * 9))
    assert (by_rounds.trajectory.stop, by_rounds.trial.reason) == ("rounds", "rounds")
    by_turns = tried(made("honest:scaffold=looping:loop,max-turns=1", *[LOOK] * 9))
    assert (by_turns.trajectory.stop, by_turns.trial.reason) == ("limit: turns", "limit: turns")
    assert len([step for step in by_turns.trajectory.steps if step.model]) == 1
    unsaid = tried(
        made("honest:scaffold='looping:loop,most=9'", LOOK, assistant_message("", tool_call("lines", path="x")), DONE)
    )
    texts = [seen.text for step in unsaid.trajectory.steps for seen in step.observations]
    assert texts[1].startswith("error: there is no tool 'lines'")
    assert unsaid.trial.claimed is True


def test_a_function_in_a_notebook_is_a_scaffold() -> None:
    async def once(run, model, tools):  # type: ignore[no-untyped-def]
        reply = await model([], tools.specs)
        await tools.do(reply)
        await tools.do(reply)

    done = tried(Honest(ScriptedModel([LOOK]), scaffold=Scaffold.of(once)))
    assert "tools.do takes a reply of the model as it came, once" in done.trial.reason
    assert [seen.text for step in done.trajectory.steps for seen in step.observations] == ["b"]
    (asked,) = [step for step in done.trajectory.steps if step.model]
    assert call_tokens(asked) == asked.estimated_tokens > 100, "of the tools that it was told of, too"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("prompt=none.md", "the prompt 'none.md' cannot be read"),
        ("prompt=empty.md", "is empty; expected instructions for the agent"),
        ("prompt=latin.md", "is not UTF-8"),
        ("tools=bsh", "did you mean 'bash'"),
        ("tools=bash+nowhere:tool", "no module 'nowhere'"),
        ("scaffold=nowhere:loop", "no module 'nowhere'"),
        ("scaffold=raising:loop", "raising cannot be imported: ZeroDivisionError"),
        ("scaffold=odd:lop", "did you mean 'loop'"),
        ("scaffold=odd:number", "is of type int, not an async function; expected `async def"),
        ("scaffold=odd:plain", "is of type function, not an async function"),
        ("scaffold=odd:other", "asks for 'sandbox', which honestly does not pass"),
        ("scaffold=odd:near", "asks for 'modle', which honestly does not pass (did you mean 'model'?)"),
        ("scaffold=odd:blind", "does not ask for 'model'"),
        ("scaffold='odd:loop,rounds=x'", "setting 'rounds' of scaffold 'odd:loop' is 'x'"),
        ("scaffold='odd:loop,round=3'", "no setting 'round' (did you mean 'rounds'?)"),
        ("scafold=odd:loop", "no setting 'scafold' (did you mean 'scaffold'?)"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_asked(place: Path, spec: str, message: str) -> None:
    (place / "empty.md").write_text(" \n")
    (place / "latin.md").write_bytes(b"\xe9t\xe9")
    (place / "raising.py").write_text("1 / 0\n")
    (place / "odd.py").write_text(
        "number = 3\n"
        "def plain(run, model): ...\n"
        "async def loop(run, model, *, rounds: int = 1): ...\n"
        "async def other(run, model, sandbox): ...\n"
        "async def near(run, modle): ...\n"
        "async def blind(run, box): ...\n"
    )
    with serving(DONE) as server:
        common = ["run", "embedded", "--task", "split-bill", "--model", server.spec(), "-o", "s.honestly"]
        run = CliRunner().invoke(cli, [*common, "--agent", f"honest:{spec}"])
        assert isinstance(run.exception, AgentError), run.output
        assert message in str(run.exception)
        assert not server.requests
    assert not (place / "s.honestly").exists()


def test_an_agent_is_made_again_from_its_record(place: Path) -> None:
    (place / "p.md").write_text("Own.")
    agent = made("honest:prompt=p.md")
    (place / "p.md").unlink()
    assert agent_again(agent.record, agent.model).record == agent.record


@pytest.mark.slow
def test_run_says_that_a_changed_prompt_is_another_agent(place: Path) -> None:
    def run(spec: str) -> tuple[int, str]:
        common = ["run", "embedded", "--task", "split-bill", "-o", "s.honestly", "--json", "--agent", spec]
        found = CliRunner().invoke(cli, [*common, "--model", "script:script.jsonl"])
        return found.exit_code, str(found.exception or found.stderr)

    (place / "script.jsonl").write_text(json.dumps({"text": "DONE: it is."}))
    (place / "p.md").write_text("One.")
    assert run("honest:prompt=p.md") == (0, "")
    assert run("honest:prompt=p.md,name=mine") == (0, "")
    (place / "p.md").write_text("Two.")
    code, told = run("honest:prompt=p.md")
    assert code == 0
    assert "is another agent than" in told
    assert "which the study has: another prompt" in told
    code, told = run("honest:prompt=p.md,name=mine")
    assert code == 1
    assert "agent mine: 1 trial from before its setting prompt changed" in told
    with open_study(place / "s.honestly") as study:
        assert len(study.agents()) == 3


class Watching(Nobody):
    """A person who types a line before the second turn, and stops it before the fourth."""

    there = True

    def __init__(self) -> None:
        self.turns = 0

    def said(self) -> tuple[str, ...]:
        self.turns += 1
        return ("Hurry up.",) if self.turns == 2 else ()

    def stopping(self) -> bool:
        return self.turns == 3


def test_a_person_can_steer_and_stop_a_scaffold() -> None:
    async def loop(run, model, tools):  # type: ignore[no-untyped-def]
        talk = [Message(role="user", text=run.task.instruction)]
        while True:
            reply = await model(talk, tools.specs)
            talk += [reply, *await tools.do(reply)]

    model = ScriptedModel([LOOK] * 9)
    done = tried(Honest(model, scaffold=Scaffold.of(loop), person=Watching()))
    assert done.trajectory.stop == "stopped by the person"
    assert [step.message for step in done.trajectory.steps if step.source == "user"] == ["Do it.", "Hurry up."]
    told = [message.text for message in model.asked[2][0] if message.role in {"user", "assistant"}]
    assert told == ["Do it.", "I look.", "Hurry up.", "I look."]
