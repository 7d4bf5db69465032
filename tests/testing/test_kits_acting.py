"""Every built-in agent, model, wrapper of a model and tool passes the kit that strangers run on their own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio.from_thread
import pytest

from sampled import sampled

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from fake_vendors import fake_vendors
from loopback import site

import honestly.models
from honestly.agents import ARMS, CHEATS, FunctionAgent, Hands, Run, ScaffoldTools, make_agent
from honestly.agents._arms import AgentUnderArm
from honestly.agents._finish import Finish
from honestly.agents._project._offered import Helper, Skill, helper_tool, skill_tool
from honestly.errors import BudgetError
from honestly.models import (
    MISBEHAVIOURS,
    Budget,
    BudgetModel,
    CacheModel,
    CassetteWriter,
    ChatOptions,
    LoggedModel,
    Message,
    Model,
    PricedModel,
    RateLimit,
    RateModel,
    RecordingModel,
    ReplayModel,
    RetryModel,
    ScriptedModel,
    ScriptedServer,
    assistant_message,
    default_prices,
    faulty_turn,
    log_file,
    make_model,
    read_cassette,
    scripted_server,
    tool_call,
)
from honestly.records import Tree
from honestly.sandbox import Sandbox
from honestly.tasks import load_suite
from honestly.testing import check_agent, check_model, check_scaffold, check_tool
from honestly.tools import TOOLS, Api, Surroundings, ToolResult, default_tools, file_engine

KEY = "sk-canary-1234567890"


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["oracle", "nop", "honest", *CHEATS, "susceptible"])
def test_known_truth_agents(agent: str) -> None:
    assert len(check_agent(agent)) == 2


@pytest.mark.slow
def test_a_scaffold_that_asks_nobody_or_beyond_its_limit_is_refused() -> None:
    async def asleep(run: Run, model: Model) -> None: ...

    async def deaf(run: Run, model: Model) -> None:
        await model([])

    async def greedy(run: Run, model: Model, tools: ScaffoldTools) -> None:
        talk = [Message(role="user", text=run.task.instruction)]
        while tools.ending is None:
            try:
                reply = await model(talk, tools.specs)
            except BudgetError:
                run.limit, run.stop = "", "enough"
                return
            talk += [reply, *await tools.do(reply)]

    for scaffold, message in ((asleep, "it left no step"), (deaf, "it is not on record"), (greedy, "expected 'limit")):
        with pytest.raises(AssertionError, match=message):
            check_scaffold(scaffold)


@pytest.mark.slow
@pytest.mark.parametrize("arm", sampled(ARMS.values()))
def test_agents_under_an_arm_or_at_a_checkpoint(arm: Any) -> None:
    check_agent(AgentUnderArm(make_agent("nop", load_suite("embedded", only=["split-bill"])), arm, "step-5"))


@pytest.mark.slow
def test_a_function_is_an_agent() -> None:
    async def look(run: Run, box: Sandbox) -> None:
        await Hands(run, box).bash("ls")

    check_agent(FunctionAgent.of(look))


@pytest.mark.slow
@pytest.mark.parametrize(
    "turns",
    [
        ["DONE: nothing to do"],
        [
            assistant_message("", tool_call("bash", command="ls")),
            assistant_message("", tool_call("finish", outcome="done", summary="")),
        ],
    ],
    ids=["words", "tools"],
)
def test_the_agent_with_a_model(turns: list[Any]) -> None:
    check_agent("honest", ScriptedModel(turns, by_turn=True))


ASKS = """#!/usr/bin/env python3
import json, os, urllib.request
body = {"model": os.environ["LLM_MODEL"], "messages": [{"role": "user", "content": "What now?"}]}
headers = {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
print(urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)).read())
"""


@pytest.mark.slow
def test_programs_of_others(tmp_path: Path) -> None:
    for name, text in (("asks", ASKS), ("asks-nobody", "#!/bin/sh\necho done\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    check_agent(f"cli:{tmp_path / 'asks'}", ScriptedModel(["Nothing."], by_turn=True))
    with pytest.raises(AssertionError, match="left no step"):  # it never asks its model: `cli:` need not
        check_agent(f"cli:{tmp_path / 'asks-nobody'}", ScriptedModel([]))


Wrap = Callable[[Model, Path], Model]
WRAPPERS: dict[str, Wrap] = {
    "BudgetModel": lambda model, _: BudgetModel(model, Budget(calls=2, tokens=None)),
    "CacheModel": lambda model, _: CacheModel(model),
    "CacheModel on disk": lambda model, folder: CacheModel(model, folder / "cache"),
    "LoggedModel": lambda model, folder: LoggedModel(model, log_file(folder / "log.jsonl")),
    "PricedModel": lambda model, _: PricedModel(model, default_prices()),
    "RateModel": lambda model, _: RateModel(model, RateLimit(at_once=1, requests_per_minute=9)),
    "RecordingModel": lambda model, folder: RecordingModel(model, CassetteWriter(folder / "c.jsonl")),
    "RetryModel": lambda model, _: RetryModel(model),
}
OTHERS = {"ChatModel", "EmbeddingModel", "Model", "ReplayModel", "ScriptedModel", "VendorModel"}
"""Models that wrap none."""


def test_no_wrapper_is_missing() -> None:
    named = {name for name in honestly.models.__all__ if name.endswith("Model")}
    assert named - OTHERS == {name.partition(" ")[0] for name in WRAPPERS}


@pytest.mark.parametrize("name", WRAPPERS)
def test_wrappers_of_models(name: str, tmp_path: Path) -> None:
    assert check_model(WRAPPERS[name](ScriptedModel(["Yes.", "No."]), tmp_path)).text == "Yes."


def test_all_wrappers_at_once(tmp_path: Path) -> None:
    model: Model = ScriptedModel(["Yes.", "No."])
    for wrap in WRAPPERS.values():
        model = wrap(model, tmp_path)
    assert check_model(model).text == "Yes."


def test_scripts_and_recordings(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"text": "Yes."}\n')
    script, cassette = f"script:{tmp_path / 's.jsonl'}", CassetteWriter()
    assert check_model(script).text == "Yes."
    recorded = check_model(RecordingModel(make_model(script), cassette))
    assert check_model(ReplayModel(read_cassette(cassette.data()))) == recorded


@pytest.mark.parametrize("way", MISBEHAVIOURS)
def test_what_goes_wrong_is_a_message_or_an_error_of_models(way: str) -> None:
    model = ScriptedModel([faulty_turn(way)] * 9)
    if way == "a tool without a name":
        with pytest.raises(AssertionError, match="without a name"):
            check_model(model)
    elif isinstance(MISBEHAVIOURS[way](), Exception):
        with pytest.raises(honestly.errors.ModelError):
            check_model(model)
    else:
        check_model(model)


@contextmanager
def served(*turns: Any) -> Iterator[ScriptedServer]:
    """A chat server in a thread of its own, since the kit has its own event loop."""
    with anyio.from_thread.start_blocking_portal() as portal:
        model = ScriptedModel(turns, by_turn=True)
        with portal.wrap_async_context_manager(scripted_server(model)) as server:
            yield server


@pytest.mark.parametrize("stream", [False, True])
def test_chat_servers(stream: bool) -> None:
    with served(assistant_message("Yes.", tool_call("shout"))) as server:
        model = make_model(server.spec(), options=ChatOptions(stream=stream))
        assert check_model(model).text == "Yes."


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The model .* is deprecated:DeprecationWarning")
@pytest.mark.skipif(find_spec("pydantic_ai") is None, reason="needs honestly[models]")
@pytest.mark.parametrize(
    "spec", sampled(["openai:gpt-5", "openai-chat:gpt-4.1", "anthropic:claude-sonnet-4-5", "google:gemini-2.5-pro"])
)
def test_vendors(spec: str) -> None:
    with fake_vendors() as server:
        assert check_model(make_model(spec, environ=server.environ(KEY))).text == "I look."


USES: dict[str, dict[str, Any]] = {
    "api_documentation": {"endpoint": "GET /x"},
    "ask": {"question": "Which one?"},
    "bash": {"command": "cat a.txt"},
    "browser": {"action": "goto", "url": "a.txt"},
    "edit": {"action": "view", "path": "a.txt"},
    "http": {"url": "SITE/x"},
    "python": {"code": "print(open('a.txt').read())"},
    "search": {"query": "needle"},
}
NEEDS = {
    "browser": find_spec("playwright") and Path("/usr/lib/chromium/chromium").exists(),
    "python": find_spec("ipykernel"),
}


def test_no_tool_is_missing() -> None:
    assert set(USES) == {known.name for known in TOOLS.known}


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(USES, quick=lambda name: name != "browser"))
def test_tools(name: str, tmp_path: Path) -> None:
    if not NEEDS.get(name, True):
        pytest.skip(f"the tool {name!r} needs packages that are not installed")

    async def user(question: str) -> str:
        return f"The needle, to {question}"

    (tmp_path / "notes.txt").write_text("a needle\n")
    with site() as server:
        server.answer = lambda _: (200, {}, b"a needle")
        api = Api(base=server.url, pages={"GET /x": "A needle."})
        around = Surroundings(user=user, engine=file_engine(tmp_path), apis=(api,))
        alone = name in {"bash", "browser", "edit", "python"}  # named as a person would, in a sandbox that fits
        tool = name if alone else default_tools([name], around)[0]
        given = {key: str(value).replace("SITE", server.url) for key, value in USES[name].items()}
        out = check_tool(tool, given, Tree.of({"a.txt": "a needle\n"}))
    assert isinstance(out, ToolResult)
    assert "needle" in out.text.lower()


async def work(helper: Helper, task: str) -> str:
    return f"{helper.name} did {task}"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        (Finish(), {"outcome": "done", "summary": "All of it."}),
        (skill_tool([Skill("sew", "Sews.", "Take a needle.")]), {"name": "sew"}),
        (helper_tool([Helper("anna", "Sews.", "You sew.")], work), {"name": "anna", "task": "sewing"}),
    ],
    ids=["finish", "skill", "helper"],
)
def test_tools_that_an_agent_brings_along(tool: Any, given: dict[str, str]) -> None:
    assert check_tool(tool, given).text
