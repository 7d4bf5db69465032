"""Steps out of a proxy's record, the program's own record, and both compared; programs found where they are installed."""

from __future__ import annotations

import json
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from honestly.agents import AGENTS
from honestly.agents.external._driver import OwnCall, OwnRecord
from honestly.agents.external._find import find_program
from honestly.agents.external._make import driver_of
from honestly.agents.external._second import compare_records, completed_steps
from honestly.agents.external._steps import noted_steps
from honestly.errors import AgentError
from honestly.models import Exchange, ProxyReply, ProxyRequest
from honestly.records import Observation, Step, ToolCall, Tree, Usage
from honestly.sandbox import Layout, open_sandbox

TOOLS = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}]
Object = dict[str, Any]


def said(text: str) -> Object:
    return {"role": "user", "content": text}


def made(*calls: tuple[str, str], text: str = "") -> Object:
    tools = [
        {"id": key, "type": "function", "function": {"name": "bash", "arguments": arguments}}
        for key, arguments in calls
    ]
    return {"role": "assistant", "content": text} | ({"tool_calls": tools} if tools else {})


def came(key: str, text: str) -> Object:
    return {"role": "tool", "tool_call_id": key, "content": text}


class Talk:
    """Exchanges in the dialect of OpenAI's chat completions, one after the other."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []

    def ask(self, messages: Sequence[Object], reply: Object | None, *, tools: bool = True, error: str = "") -> None:
        n = len(self.exchanges)
        body = {"model": "m", "messages": list(messages)} | ({"tools": TOOLS} if tools else {})
        request = ProxyRequest(
            n=n,
            at=f"2026-01-01T00:00:{n:02d}+00:00",
            method="POST",
            path="/chat/completions",
            dialect="chat",
            operation="answer",
            body=msgspec.Raw(json.dumps(body).encode()),
            model="m",
        )
        whole = {"choices": [{"index": 0, "message": reply, "finish_reason": "stop"}], "model": "m"}
        answer = ProxyReply(
            n=n,
            status=200 if reply else 500,
            type="application/json",
            body=msgspec.Raw(json.dumps(whole if reply else {}).encode()),
            error=error,
            usage=Usage(input_tokens=10, output_tokens=1),
        )
        self.exchanges.append(Exchange(request=request, reply=answer))


ONE, TWO = made(("1", '{"command": "ls"}'), text="I look."), made(("2", '{"a": 1}'), ("3", "not json"))


def test_one_conversation_step_by_step() -> None:
    talk = Talk()
    talk.ask([{"role": "system", "content": "S"}, said("task")], ONE)
    talk.ask([{"role": "system", "content": "S"}, said("task"), ONE, came("1", "a.txt")], TWO)
    end = [said("task"), ONE, came("1", "a.txt"), TWO, came("2", "x"), came("3", "y"), said("and?")]
    talk.ask([{"role": "system", "content": "S"}, *end], made(text="Done."))
    noted = noted_steps(talk.exchanges)
    assert [(step.source, step.message) for step in noted.steps] == [
        ("system", "S"),
        ("user", "task"),
        ("agent", "I look."),
        ("agent", ""),
        ("user", "and?"),
        ("agent", "Done."),
    ]
    assert noted.steps[2].observations == (Observation(text="a.txt", call_id="1"),)
    assert [(call.id, call.argument("malformed_json")) for call in noted.steps[3].calls] == [
        ("2", None),
        ("3", "not json"),
    ]
    assert [seen.text for seen in noted.steps[3].observations] == ["x", "y"]
    assert (noted.answers, noted.trouble, [tool.name for tool in noted.tools]) == (3, "", ["bash"])


def test_side_conversations_are_threads_of_their_own() -> None:
    talk = Talk()
    talk.ask([said("Give this a title: task")], made(text="Title"), tools=False)
    talk.ask([said("task")], ONE)
    talk.ask([said("You are a helper")], made(("h1", "{}")))
    talk.ask([said("task"), ONE, came("1", "a")], TWO)
    talk.ask([said("You are a helper"), made(("h1", "{}")), came("h1", "found")], made(text="It is there."))
    talk.ask([said("task"), ONE, came("1", "a"), TWO, came("2", "b"), came("3", "c")], made(text="Done."))
    steps = noted_steps(talk.exchanges).steps
    threads = [(step.thread, step.message) for step in steps if step.source == "agent"]
    assert threads == [
        ("thread-2", "Title"),
        ("", "I look."),
        ("thread-3", ""),
        ("", ""),
        ("thread-3", "It is there."),
        ("", "Done."),
    ]
    helper = next(step for step in steps if step.thread == "thread-3" and step.calls)
    assert helper.observations[0].text == "found"


def test_a_rewritten_history_is_no_second_one() -> None:
    talk = Talk()
    talk.ask([said("task")], ONE)
    talk.ask([said("task"), ONE, came("1", "long")], TWO)
    cleared = [said("task, in short"), ONE, came("1", "[cleared]"), TWO, came("2", "b"), came("3", "c")]
    talk.ask(cleared, made(text="Done."))
    steps = noted_steps(talk.exchanges).steps
    assert [step.thread for step in steps] == [""] * len(steps)
    assert [step.message for step in steps if step.source == "agent"] == ["I look.", "", "Done."]
    assert [seen.text for seen in steps[1].observations] == [
        "long",
        "[cleared]",
    ]  # what the model was told in its place
    assert [step.message for step in steps if step.source == "user"] == ["task", "task, in short"]


def test_a_request_that_is_made_again_says_nothing_new() -> None:
    talk = Talk()
    talk.ask([said("task")], None, error="overloaded")
    assert noted_steps(talk.exchanges).trouble == "overloaded"
    talk.ask([said("task")], ONE)
    talk.ask([said("task"), ONE, came("1", "a")], None, error="overloaded")
    talk.ask([said("task"), ONE, came("1", "a")], made(text="Done."))
    noted = noted_steps(talk.exchanges)
    assert [step.message for step in noted.steps] == ["task", "I look.", "Done."]
    assert len(noted.steps[1].observations) == 1
    assert noted.trouble == ""


def test_a_conversation_that_began_elsewhere_is_marked() -> None:
    talk = Talk()
    talk.ask([said("task"), ONE, came("1", "a"), said("go on")], made(text="Done."))
    copied, last = [step for step in noted_steps(talk.exchanges).steps if step.source == "agent"]
    assert (copied.copied, copied.observations[0].text, last.copied) == (True, "a", False)


@pytest.mark.parametrize(
    "arguments", ["", "{}", "[]", '{"a": 1e999}', '{"a": "\\ud800"}', "{" * 5000, "null", "\ud800"]
)
def test_arguments_are_kept_so_that_they_can_be_read(arguments: str) -> None:
    talk = Talk()
    talk.ask([said("task")], made(("1", arguments)))
    made_ = noted_steps(talk.exchanges).steps[-1].calls[0]
    assert [made_.argument(name) is None for name in made_.arguments] in ([], [False])


def test_nothing_is_nothing() -> None:
    assert noted_steps([]).steps == ()


def step(*calls: str, answers: Sequence[str] = ()) -> Step:
    seen = tuple(Observation(text=f"to {key}", call_id=key) for key in answers)
    return Step(source="agent", calls=tuple(ToolCall.of(key, "bash") for key in calls), observations=seen)


def own(**calls: str | None) -> OwnRecord:
    return OwnRecord(calls=tuple(OwnCall(id=key, name="bash", result=text, code=0) for key, text in calls.items()))


def test_what_never_went_to_the_model_is_completed_from_the_other_record() -> None:
    steps = (step("a", answers=("a",)), step("b"))
    first, last = completed_steps(steps, own(a="other words", b="the last result"))
    assert first.observations == (Observation(text="to a", call_id="a", code=0),)
    assert last.observations == (Observation(text="the last result", call_id="b", code=0),)
    assert completed_steps(steps, None) == steps


@pytest.mark.parametrize(
    ("record", "state", "words"),
    [
        (own(a="x", b="y"), "clean", "alike in both records: 2"),
        (own(a="x", b="y", c="z"), "flagged", "only the program's own record has this call; its result: z"),
        (own(b="y"), "flagged", "only the proxy has this call"),
        (own(a=None, b="y"), "flagged", "only the proxy has its result"),
        (None, "unreadable", "no record of its own"),
        (OwnRecord(calls=(OwnCall(id="", name="bash"),) * 2), "clean", "alike"),
        (OwnRecord(calls=(OwnCall(id="", name="edit"),)), "flagged", "only the program's own record has"),
        (
            OwnRecord(calls=own(a="", b="").calls, usage=Usage(output_tokens=7)),
            "flagged",
            "output_tokens: 5 by the proxy, 7",
        ),
    ],
)
def test_where_the_records_disagree_is_a_finding(record: OwnRecord | None, state: str, words: str) -> None:
    finding = compare_records((step("a", answers=("a",)), step("b")), record, Usage(output_tokens=5))
    assert finding.state == state
    assert words in "\n".join([finding.note, *(evidence.quote for evidence in finding.evidence)])


def test_a_result_that_was_kept_from_the_model_is_a_finding() -> None:
    finding = compare_records((step("a"), step("b", answers=("b",))), own(a="the tests fail", b="x"), Usage())
    (evidence,) = finding.evidence
    assert evidence.quote == "bash: its result never went to the model: the tests fail"
    assert (evidence.step, evidence.where) == (0, "observation:a")


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(filter(driver_of, {known.name for known in AGENTS.known} - {"acp", "cli"}))),
    st.recursive(
        st.none() | st.integers() | st.sampled_from(["tool_use", "tool_result", "function_call", "ActionEvent", "a"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "type",
                        "message",
                        "content",
                        "payload",
                        "call_id",
                        "id",
                        "tool_use_id",
                        "name",
                        "output",
                        "info",
                        "stats",
                        "modelUsage",
                        "messages",
                        "role",
                        "extra",
                        "tool_calls",
                        "function",
                        "response",
                        "usage",
                        "kind",
                        "tool_call_id",
                        "observation",
                        "result",
                    ]
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=12,
    ),
)
def test_whatever_a_program_leaves_is_read_or_skipped(name: str, value: object) -> None:
    text = json.dumps(value).encode()
    files = {"mini/trajectory.json": text, "x.jsonl": text + b"\n{\xff\n" + b"{" * 3000}
    record = driver_of(name).read(text, files)
    compare_records((step("a"),), record, Usage())


def test_a_package_of_node_is_found_with_its_version(tmp_path: Path) -> None:
    package = tmp_path / "node_modules" / "@x" / "tool"
    (package / "bin").mkdir(parents=True)
    (package / "package.json").write_text('{"name": "@x/tool", "version": "1.2.3"}')
    script = package / "bin" / "tool"
    script.write_bytes(b"\x7fELF")
    script.chmod(0o755)
    (tmp_path / "node_modules" / ".bin").mkdir()
    (tmp_path / "node_modules" / ".bin" / "tool").symlink_to("../@x/tool/bin/tool")
    found = find_program("tool", folder=tmp_path)
    assert found.version == "1.2.3"
    assert found.argv == ("/.honestly/agent/node_modules/@x/tool/bin/tool",)
    assert dict(found.shown) == {"/.honestly/agent/node_modules": tmp_path / "node_modules"}


def test_a_script_of_an_environment_is_found_with_its_version(tmp_path: Path) -> None:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = tmp_path / "lib" / version / "site-packages"
    (packages / "some_tool-4.5.dist-info").mkdir(parents=True)
    (packages / "some_tool_extras-9.dist-info").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tool").write_text("#!/nowhere/python\nprint(1)\n")
    (tmp_path / "bin" / "tool").chmod(0o755)
    (tmp_path / "pyvenv.cfg").write_text(f"home = {sys.base_prefix}/bin\nversion = x\n")
    found = find_program("tool", "some-tool", tmp_path)
    assert found.version == "4.5"
    assert found.argv[1:3] == ("-I", "-c")
    assert found.shown["/.honestly/agent"] == tmp_path
    (tmp_path / "pyvenv.cfg").write_text("home = /no/such/place/bin\n")
    with pytest.raises(AgentError, match="not a complete Python environment"):
        find_program("tool", "some-tool", tmp_path)


def test_the_interpreter_of_an_environment_runs_with_its_packages(tmp_path: Path) -> None:
    folder = tmp_path / "environment"
    venv.create(folder, symlinks=True)
    for other in ("python", "python3"):  # `python3 -m venv` links to the name by which it was called
        (folder / "bin" / other).unlink()
        (folder / "bin" / other).symlink_to(Path(sys.base_prefix, "bin", "python3"))
    (next(folder.glob("lib/python3*/site-packages")) / "mine.py").write_text("word = 'from the environment'\n")
    found = find_program("python3", folder=folder)

    async def said() -> bytes:
        async with open_sandbox(Tree(), layout=Layout(shown=found.shown)) as box:
            done = await box.exec([*found.argv, "-c", "import mine; print(mine.word)"])
            return done.stdout + done.stderr

    assert anyio.run(said).strip() == b"from the environment"


def test_what_lies_below_usr_is_there_anyway() -> None:
    found = find_program("sh")
    assert found.shown == {}
    assert found.argv[0].startswith("/usr/")
