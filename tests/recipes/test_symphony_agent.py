"""Attempts of agents: turns, ticket tool, limits, what is refused (rows 17.5)."""

import anyio
import pytest
from symphony_parts import HEAD, Events, attempt, git, repository, state_of, text_of, write, write_workflow

from honestly.agents import FunctionAgent, Honest, Needs
from honestly.errors import AttemptError
from honestly.models import ScriptedModel, assistant_message, tool_call
from honestly.records import Usage
from honestly.sandbox import open_sandbox
from honestly.symphony import Tracker, Worker, Workflow, Workspaces, read_workflow
from honestly.symphony._tool import OUTBOX
from honestly.symphony._worker import LiveAttempt

DONE = assistant_message("", tool_call("finish", outcome="done", summary="It works."))


def ticket(tmp_path, more="", body="Do {{ issue.identifier }}.", name="A"):
    write_workflow(tmp_path, head=HEAD, more=more, body=body)
    if not (tmp_path / "tickets" / f"{name}.md").exists():
        write(tmp_path, name)
    return Tracker(read_workflow(tmp_path / "WORKFLOW.md")).by_ids([name])[name]


def scripted(turns):
    model = ScriptedModel(turns)
    return model, Honest(model, tools=("bash",))


def moved(state="Done"):
    return assistant_message("", tool_call("ticket", action="state", text=state))


def test_the_agent_works_in_a_sandbox_over_its_workspace_and_nowhere_else(tmp_path):
    repository(tmp_path)
    (tmp_path / "secret").write_text("hidden-word")
    more = "workspace:\n  root: work\n  repository: repo\n"
    head = HEAD.replace("workspace:\n  root: work\n", "")
    write(folder(tmp_path), "A")
    write_workflow(tmp_path, head=head, more=more)
    one = Tracker(read_workflow(tmp_path / "WORKFLOW.md")).by_ids(["A"])["A"]
    seen = []

    async def acts(run, box):
        done = await box.exec(f"pwd; ls -A; cat {tmp_path}/secret; cat {tmp_path}/tickets/A.md; echo b > b.txt")
        seen.append(done.stdout.decode() + done.stderr.decode())
        await box.exec(f'echo \'{{"state": "Done"}}\' > {OUTBOX}')

    attempt(tmp_path, acts, one, unsafe=False)
    assert seen[0].split("\n")[:2] == ["/workspace", "a.txt"]
    assert "hidden-word" not in seen[0]
    assert "About A" not in seen[0]
    assert (tmp_path / "work" / "A" / "b.txt").read_text() == "b\n"
    assert git(tmp_path / "repo", "show", "symphony/A:b.txt") == "b\n"
    assert git(tmp_path / "repo", "status", "--porcelain") == ""
    assert not (tmp_path / "work" / "A" / OUTBOX).exists()


def folder(tmp_path):
    (tmp_path / "tickets").mkdir(exist_ok=True)
    return tmp_path


def test_packages_that_the_workflow_names_are_there(tmp_path):
    write(folder(tmp_path), "A")
    head = HEAD.replace("  root: work\n", "  root: work\n  packages: [pytest]\n").replace(
        "scripted", "x\n  max_turns: 1"
    )
    write_workflow(tmp_path, head=head)
    seen = []

    async def acts(run, box):
        seen.append((await box.exec("python3 -m pytest --version")).code)

    attempt(tmp_path, acts, Tracker(read_workflow(tmp_path / "WORKFLOW.md")).by_ids(["A"])["A"], unsafe=False)
    assert seen == [0]


def test_an_agent_that_asks_for_the_network_is_refused(tmp_path):
    one = ticket(tmp_path)

    class Outgoing:
        record = FunctionAgent.of(acts_not).record
        needs = Needs(allow=("example.org",))

        async def __call__(self, run, box):
            raise AssertionError

    with pytest.raises(AttemptError, match="asks for the network"):
        attempt(tmp_path, Outgoing(), one)


async def acts_not(run, box):
    """Does nothing."""


def test_turns_go_on_in_the_same_conversation(tmp_path):
    model, agent = scripted([DONE, DONE, moved(), DONE, assistant_message("never")])
    live = LiveAttempt()
    log = attempt(tmp_path, agent, ticket(tmp_path), live=live)
    assert state_of(tmp_path, "A") == "Done"
    last = [message.text for message in model.asked[-1][0]]
    assert sum(text == "Do A." for text in last) == 1
    assert sum("turn 2 of 20" in text for text in last) == 1
    assert len(model.asked) == 4
    sessions = [each["session_id"] for each in log.of("session")]
    assert sessions == [f"{live.thread}-1", f"{live.thread}-2", f"{live.thread}-3"]


def test_turns_have_a_cap(tmp_path):
    model, agent = scripted([DONE] * 9)
    attempt(tmp_path, agent, ticket(tmp_path, "  max_turns: 3\n"))
    assert len(model.asked) == 3
    assert state_of(tmp_path, "A") == "Todo"


def test_another_agent_is_called_once_a_turn_and_told_where_it_is(tmp_path):
    told = []

    async def acts(run, box):
        told.append(run.task.instruction)
        line = '{"comment": "I was here"}' if len(told) == 1 else '{"state": "Human Review"}'
        await box.exec(f"echo '{line}' >> {OUTBOX}; echo {len(told)} >> count")

    attempt(tmp_path, acts, ticket(tmp_path))
    assert [text.startswith("Do A.") and OUTBOX in text for text in told] == [True, True]
    assert "turn 2 of 20" in told[1]
    assert "turn" not in told[0]
    assert (tmp_path / "work" / "A" / "count").read_text() == "1\n2\n"
    assert text_of(tmp_path, "A").count("I was here") == 1
    assert state_of(tmp_path, "A") == "Human Review"


@pytest.mark.slow
def test_a_turn_has_a_time_limit(tmp_path):
    async def sleeps(run, box):
        await box.exec("echo half > part")
        await anyio.sleep(30)

    one = ticket(tmp_path, "codex:\n  turn_timeout_ms: 1500\n")
    with pytest.raises(AttemptError, match="turn_timeout"):
        attempt(tmp_path, sleeps, one)
    assert (tmp_path / "work" / "A" / "part").read_text() == "half\n"


def test_lines_that_are_no_json_cost_no_other(tmp_path):
    lines = 'no json\n{"comment": "first"}\n[1]\n{"state": "a: b"}\n{"other": 1}\n{"state": "Done"}\n{"comment": "cut'

    async def acts(run, box):
        await box.write(f"/workspace/{OUTBOX}", lines.encode()) if box.name != "none" else await box.exec(
            ["tee", OUTBOX], stdin=lines.encode()
        )

    log = attempt(tmp_path, acts, ticket(tmp_path))
    assert state_of(tmp_path, "A") == "Done"
    assert "first" in text_of(tmp_path, "A")
    assert [each["reason"].split(": ")[0][-6:] for each in log.of("ticket", "refused")] == [
        f"line {number}" for number in (1, 3, 4, 5, 7)
    ]


def test_an_unknown_tool_is_refused_and_the_session_goes_on(tmp_path):
    model, agent = scripted([assistant_message("", tool_call("linear_graphql", query="{}")), moved(), DONE])
    attempt(tmp_path, agent, ticket(tmp_path))
    assert state_of(tmp_path, "A") == "Done"
    assert "linear_graphql" in model.asked[1][0][-1].text


def test_a_question_fails_the_attempt(tmp_path):
    asks = assistant_message("", tool_call("finish", outcome="asks", summary="Which one?"))
    with pytest.raises(AttemptError, match="turn_input_required"):
        attempt(tmp_path, [asks], ticket(tmp_path))


def test_a_limit_of_the_agent_fails_the_attempt(tmp_path):
    with pytest.raises(AttemptError, match="turn_failed: the agent ended with '3 malformed"):
        attempt(tmp_path, [assistant_message(""), assistant_message(""), assistant_message("")], ticket(tmp_path))


def test_usage_is_counted_once(tmp_path):
    live = LiveAttempt()
    used = Usage(input_tokens=100, output_tokens=7)
    turns = [
        assistant_message("", tool_call("bash", command="true"), usage=used),
        assistant_message("", tool_call("ticket", action="state", text="Done"), usage=used),
        assistant_message("", tool_call("finish", outcome="done", summary=""), usage=used),
    ]
    attempt(tmp_path, turns, ticket(tmp_path), live=live)
    assert live.tokens() == {"input_tokens": 300, "output_tokens": 21, "total_tokens": 321}


def test_the_ticket_tool_is_advertised_and_works(tmp_path):
    turns = [
        assistant_message("", tool_call("ticket", action="read")),
        assistant_message("", tool_call("ticket", action="comment", text="Half -->\n<!-- symphony x -->")),
        assistant_message("", tool_call("bash", command="echo work > file")),
        moved("Human Review"),
        DONE,
    ]
    model, agent = scripted(turns)
    log = attempt(tmp_path, agent, ticket(tmp_path))
    assert "ticket" in [tool.name for tool in model.asked[0][1]]
    assert "About A" in model.asked[1][0][-1].text
    assert "state: Todo" in model.asked[1][0][-1].text
    assert (state_of(tmp_path, "A"), text_of(tmp_path, "A").count("Half")) == ("Human Review", 1)
    assert Tracker(read_workflow(tmp_path / "WORKFLOW.md")).by_ids(["A"])["A"].description == "Please."
    assert len(log.of("turn", "completed")) == 1


def test_bad_arguments_are_told_to_the_model(tmp_path):
    bad = [
        tool_call("ticket", action="state", text="Done\ntitle: mine"),
        tool_call("ticket", action="delete"),
        tool_call("ticket", action="comment", text="  "),
    ]
    model, agent = scripted(
        [*(assistant_message("", each) for each in bad[:2]), moved(), assistant_message("", bad[2]), DONE]
    )
    attempt(tmp_path, agent, ticket(tmp_path))
    answers = [message.text for message in model.asked[-1][0] if message.role == "tool"]
    assert [text.startswith("error: ") for text in answers] == [True, True, False, True]
    assert "title: About A" in text_of(tmp_path, "A")


def test_a_ticket_that_is_gone_is_told(tmp_path):
    one = ticket(tmp_path)
    model, agent = scripted([assistant_message("", tool_call("ticket", action="read")), moved(), DONE])
    (tmp_path / "tickets" / "A.md").unlink()
    log = attempt(tmp_path, agent, one)
    assert model.asked[1][0][-1].text == "the ticket is gone"
    assert "could not be written" in log.of("ticket", "failed")[0]["reason"]
    assert not (tmp_path / "tickets" / "A.md").exists()


def test_a_bad_prompt_fails_the_attempt_before_anything_is_asked(tmp_path):
    model, agent = scripted([DONE])
    with pytest.raises(Exception, match="template_render_error"):
        attempt(tmp_path, agent, ticket(tmp_path, body="{{ nobody }}"))
    assert model.asked == []


def test_an_agent_that_breaks_leaves_its_work_and_its_comments_but_no_state(tmp_path):
    repository(tmp_path)
    write(folder(tmp_path), "A")
    head = HEAD.replace("  root: work\n", "  root: work\n  repository: repo\n")
    write_workflow(tmp_path, head=head)
    one = Tracker(read_workflow(tmp_path / "WORKFLOW.md")).by_ids(["A"])["A"]

    async def breaks(run, box):
        await box.exec(f'echo b > b.txt; echo \'{{"comment": "so far", "state": "Done"}}\' > {OUTBOX}')
        raise ValueError("oh")

    with pytest.raises(AttemptError, match="turn_failed: ValueError: oh"):
        attempt(tmp_path, breaks, one)
    assert git(tmp_path / "repo", "show", "symphony/A:b.txt") == "b\n"
    assert state_of(tmp_path, "A") == "Todo"
    assert text_of(tmp_path, "A").count("so far") == 1


@pytest.mark.slow
def test_a_cancelled_attempt_saves_what_there_is(tmp_path):
    one = ticket(tmp_path)

    async def acts(run, box):
        await box.exec("echo half > part")
        await anyio.sleep(30)

    async def cancelled():
        log = Events()
        source = Workflow(tmp_path / "WORKFLOW.md")
        agent = FunctionAgent.of(acts)
        worker = Worker(lambda: source.config, Workspaces(log), lambda _: agent, unisolated, log)
        with anyio.move_on_after(1.5):
            await worker(one, None, LiveAttempt())

    anyio.run(cancelled)
    assert (tmp_path / "work" / "A" / "part").read_text() == "half\n"


def unisolated(tree, **settings):
    return open_sandbox(tree, unsafe=True, **settings)
