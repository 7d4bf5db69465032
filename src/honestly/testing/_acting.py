"""Contracts of who acts: agents, scaffolds, models, tools."""

import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import msgspec

from honestly.agents import Actor, AgentLimits, Honest, Scaffold, ScaffoldFunction, make_agent
from honestly.errors import ToolError
from honestly.models import Message, Model, ScriptedModel, ToolSpec, assistant_message, make_model, tool_call
from honestly.records import Agent, File, Outcome, Trajectory, Tree, Trial, decode, encode
from honestly.runner import LocalExecutor, Plan, run_plan
from honestly.sandbox import open_sandbox
from honestly.store import create_study
from honestly.tasks import load_suite
from honestly.tools import Tool, ToolResult, default_tools

_TASK = "split-bill"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check_agent(agent: str | Actor, model: Model | None = None) -> list[Trial]:
    """Runs an agent twice on an embedded task, in sandboxes, and checks the contract.

    Args:
        agent: The agent, or what `--agent` would name.
        model: Who answers it, if it needs a model.

    Returns:
        The two trials.

    Raises:
        AssertionError: It has no identity, a trial is void, it left no steps, or a resumed study runs it again.
    """
    suite = load_suite("embedded", only=[_TASK])
    actor = make_agent(agent, suite, model) if isinstance(agent, str) else agent
    record = actor.record
    assert isinstance(record, Agent), f"its record is of type {type(record).__name__}; expected an Agent"
    assert record.name, "its record has no name; reports need one"
    assert record.hash == actor.record.hash, "its identity changes from one look to the next; it must stay as it is"
    plan, executor = Plan(suite, [actor], 2), LocalExecutor(open_sandbox, 2)
    with TemporaryDirectory() as folder, create_study(Path(folder) / "s.honestly") as study:
        anyio.run(run_plan, plan, study, executor)
        trials = list(study.trials())
        for trial in trials:
            assert trial.outcome is not Outcome.VOID, f"a trial is void: {trial.reason}"
            trajectory = study.trajectory(trial.id)
            assert trajectory is not None, "a trial has no trajectory"
            assert trajectory.steps, "it left no step; append to run.steps whatever it says and does"
            assert decode(encode(trajectory), Trajectory) == trajectory, "its trajectory does not survive storing"
        again: list[Trial] = []
        anyio.run(run_plan, plan, study, executor, lambda state: again.extend([state.latest] if state.latest else []))
        assert not again, "the study was finished, and it was run again: its identity changed"
    return trials


def check_scaffold(scaffold: str | ScaffoldFunction) -> list[Trial]:
    """Runs a scaffold with a model that looks around and ends, and again with only two turns.

    Args:
        scaffold: The scaffold, or what the setting `scaffold` would name.

    Returns:
        The two trials without the narrow limit.

    Raises:
        AssertionError: It never asks the model, what was said is not on record, or it goes on beyond its limits.
    """
    done = assistant_message("", tool_call("finish", outcome="done", summary="I looked."))
    model = ScriptedModel([assistant_message("I look.", tool_call("bash", command="ls")), *[done] * 50], by_turn=True)
    loop = Scaffold.of(scaffold)
    trials = check_agent(Honest(model, scaffold=loop))
    assert model.asked, "it never asked the model"
    assert all(trial.claimed is not None for trial in trials), "the model ended with `finish`, and it is not on record"
    endless = ScriptedModel([assistant_message("I look.", tool_call("bash", command="ls"))] * 9, by_turn=True)
    for trial in check_agent(Honest(endless, scaffold=loop, limits=AgentLimits(turns=2))):
        assert trial.reason == "limit: turns", f"with two turns it ended with {trial.reason!r}; expected 'limit: turns'"
    assert len(endless.asked) == 4, f"with two turns it asked the model {len(endless.asked)} times in two trials"
    return trials


def check_model(model: str | Model) -> Message:
    """Asks a model for a word, with and without a tool, and checks its answers.

    Returns:
        The first answer.

    Raises:
        AssertionError: It has no name, or gives something else than an assistant's message.
    """
    asked = make_model(model) if isinstance(model, str) else model
    assert isinstance(asked.name, str), "its name is not text"
    assert asked.name, "it has no name; studies know it by its name"
    talk = [Message(role="user", text="Say one word.")]
    tool = ToolSpec(name="shout", doc="Shouts.", schema={"type": "object", "properties": {}})
    replies = [anyio.run(asked, tuple(talk), tools) for tools in ((), (tool,))]
    for reply in replies:
        assert isinstance(reply, Message), f"it answered with {type(reply).__name__}; expected a Message"
        assert reply.role == "assistant", f"its answer has the role {reply.role!r}; expected 'assistant'"
        assert reply.text or reply.calls or reply.stop, "its answer is empty, and does not say why (stop)"
        assert all(call.name for call in reply.calls), "it calls a tool without a name"
    return replies[0]


def check_tool(
    tool: str | Tool, arguments: Mapping[str, Any] | None = None, tree: Tree | None = None
) -> ToolResult | None:
    """Checks a tool's description, and calls it with invalid and valid arguments.

    Args:
        tool: The tool, or what the setting `tools` would name, in a sandbox that shows the packages that it needs.
        arguments: Some that make sense; None to leave that out.
        tree: Files of the workspace in which it is used.

    Raises:
        AssertionError: What it tells or does is not what a tool may; a ToolError is for arguments only.
    """
    made = default_tools([tool])[0] if isinstance(tool, str) else tool
    spec = made.spec
    assert _NAME.fullmatch(spec.name), f"its name is {spec.name!r}; models take letters, digits, _ and -, at most 64"
    assert spec.doc.strip(), "it has no doc; a model knows it by that alone"
    assert spec.schema.get("type") == "object", "its schema does not describe an object"
    msgspec.json.encode(spec.schema)

    needs = Honest(ScriptedModel([]), tools=(tool,)).needs

    async def use() -> ToolResult | None:
        async with open_sandbox(tree or Tree(), needs.limits, layout=needs.layout) as box:
            try:
                await made(box, {"no such argument": 1})
            except ToolError:
                pass
            else:
                raise AssertionError("it took the argument 'no such argument'; expected a ToolError")
            out = await made(box, arguments) if arguments is not None else None
            await made.close()
            await made.close()
            return out

    out = anyio.run(use)
    assert out is None or isinstance(out, ToolResult), f"it gave {type(out).__name__}; expected an Out"
    return out


def check_sandbox(provider: str) -> None:
    """Opens two sandboxes of a provider, and uses them as agents and verification do.

    Args:
        provider: What `run --sandbox` would name.

    Raises:
        AssertionError: Something comes back otherwise than it was put in, or what is killed goes on.
    """
    anyio.run(_use_provider, provider)


async def _use_provider(provider: str) -> None:
    tree = Tree(files={"a.txt": File(data=b"hello\n"), "deep/run": File(data=b"#!/bin/sh\nexit 3\n", mode="exec")})
    async with open_sandbox(tree, provider=provider) as box, open_sandbox(Tree(), provider=provider) as other:
        assert box.name, "it has no name; a study records the kind of its sandboxes"
        result = await box.exec("cat a.txt; cat nowhere; deep/run")
        assert (result.code, result.stdout) == (3, b"hello\n"), f"a command gave {result}; expected 3 and 'hello'"
        assert b"nowhere" in result.stderr, "what a command writes to standard error does not come back"
        listed = await box.exec(["printf", "%s|", "$HOME", "a b", "*"])
        assert listed.stdout == b"$HOME|a b|*|", "a list was not run as it is, without a shell"
        given = await box.exec("cat; echo $WORD", stdin=b"in\0put\n", env={"WORD": "x"})
        assert given.stdout == b"in\0put\nx\n", "standard input or variables did not arrive"
        assert (await box.exec(["no-such-program"])).code == 127, "a program that is missing must end with status 127"
        late = await box.exec("echo before; while :; do sleep 1; done", timeout=0.5)
        assert late.timed_out, "the deadline did not end a command"
        assert late.code is None, f"a command that the deadline ended has the status {late.code}; expected None"
        await box.write("new/b.bin", b"\0\xff", executable=True)
        assert await box.read("new/b.bin") == b"\0\xff", "a file comes back otherwise than it was written"
        await box.exec("rm a.txt; echo more > new/c")
        left = await box.snapshot()
        assert set(left.files) == {"deep/run", "new/b.bin", "new/c"}, f"a snapshot holds {sorted(left.files)}"
        assert left.files["new/b.bin"].mode == "exec", "a snapshot lost that a file is executable"
        assert (await other.snapshot()).files == {}, "one sandbox sees the files of another"
