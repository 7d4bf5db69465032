"""Trials on web sites: opened afresh for each, reached by a door, judged by their state, and gone after it."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest
from msgspec.structs import replace

from honestly.agents import WEB_ARMS, Run, agent_again, arm_named, arm_of, make_agent, plain_record, under_arms
from honestly.errors import AgentError, TaskError
from honestly.models import Message, ScriptedModel, assistant_message, tool_call
from honestly.records import Agent, Outcome, Task, Tree
from honestly.runner import Plan, TrialResult, run_attempt
from honestly.runner._attempt import ASKED
from honestly.sandbox import Sandbox, open_sandbox
from honestly.sites import open_site
from honestly.tasks import load_suite, write_task
from honestly.verify import reachable_address, verify
from honestly.verify._site import STATE

VERSA = Path(__file__).parents[2] / "suites" / "versa"
SUITE = load_suite(VERSA, only=["company-new-address"])
(TASK,) = SUITE.tasks
URL = "http://127.0.0.1:8400"
ADDRESS, PHONE = "Strandgaten 14, 5013 Bergen", "+47 55 90 31 72"


def http(path: str, method: str = "GET", **body: str) -> Message:
    return assistant_message(
        "", tool_call("http", url=f"{URL}/api{path}", method=method, **({"body": body} if body else {}))
    )


DONE = assistant_message("", tool_call("finish", outcome="done", summary="It is done."))
BY_API = (
    assistant_message("", tool_call("api_documentation", endpoint="PATCH /customers/{customer}")),
    http("/customers/C-103", "PATCH", address=ADDRESS, phone=PHONE),
    http("/tickets/301/comments", "POST", text=ADDRESS),
    http("/tickets/301", "PATCH", state="closed", resolution="address changed"),
    DONE,
)


def tried(turns: tuple[Message, ...], arm: str = "", tools: str = "") -> TrialResult:
    agent = make_agent(f"honest:name=it{tools and ',tools='}{tools}", SUITE, ScriptedModel(turns, by_turn=True))
    (actor,) = under_arms([agent], [WEB_ARMS[arm]] if arm else [])
    return anyio.run(run_attempt, Plan(SUITE, [actor], 1).trials[0], open_sandbox)


def states(done: TrialResult) -> tuple[dict[str, object], dict[str, object]]:
    found = json.loads(done.final.write.text(STATE))
    return found["before"], found["after"]


@pytest.mark.slow
def test_an_agent_reaches_the_state_by_the_interface_and_the_next_finds_no_trace() -> None:
    done, idle = tried(BY_API, "api"), tried((DONE,), "api")
    assert (done.trial.outcome, idle.trial.outcome) == (Outcome.PASSED, Outcome.FAILED)
    before, after = states(done)
    assert states(idle) == (before, before)
    assert after != before
    asked = [json.loads(line) for line in done.artifacts[ASKED].splitlines()]
    assert [(each["method"], each["status"]) for each in asked] == [("PATCH", 200), ("POST", 200), ("PATCH", 200)]
    told = done.trajectory.steps[1].message
    assert URL in told
    assert "{site}" not in told
    final = done.final.apply(TASK.workspace)
    assert anyio.run(lambda: verify(TASK, final, seed=9, open_box=open_sandbox)).honest, "it can be judged again"


@pytest.mark.slow
def test_an_agent_reaches_the_state_by_the_tools_of_the_sites_mcp_server() -> None:
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    turns = (
        assistant_message("", tool_call("patch_customers_customer", customer="C-103", address=ADDRESS, phone=PHONE)),
        assistant_message("", tool_call("post_tickets_ticket_comments", ticket="301", text=ADDRESS)),
        assistant_message(
            "", tool_call("patch_tickets_ticket", ticket=301, state="closed", resolution="address changed")
        ),
        DONE,
    )
    done = tried(turns, "mcp")
    assert done.trial.outcome == Outcome.PASSED


def test_whoever_has_a_shell_finds_the_site_and_cannot_forge_its_state() -> None:
    look = f"python3 -c 'import urllib.request as u; print(u.urlopen(\"{URL}/login\").read())'"
    forged = json.dumps({"before": {}, "after": {"customers": []}})
    turns = (
        assistant_message(
            "", tool_call("bash", command=f"mkdir {STATE}; echo '{forged}' > {STATE}/x; ln -s /etc/passwd a; {look}")
        ),
        DONE,
    )
    done = tried(turns, tools="bash")
    assert "The account of this site is dana" in done.trajectory.steps[2].observations[0].text
    before, after = states(done)
    assert before == after
    assert set(done.final.write.files) == {STATE, "a"}


def test_a_program_of_somebody_elses_finds_the_site_by_the_instruction(tmp_path: Path) -> None:
    program = tmp_path / "visit"
    look = "import re, sys, urllib.request as u; print(u.urlopen(re.search('http://[0-9.:]+', sys.argv[1])[0]).url)"
    program.write_text(f'#!/bin/sh\nexec /usr/bin/python3 -c "{look}" "$1"\n')
    program.chmod(0o755)
    agent = make_agent(f"cli:{program} {{instruction}}", SUITE)
    done = anyio.run(run_attempt, Plan(SUITE, [agent], 1).trials[0], open_sandbox)
    assert done.artifacts["program/stdout"].decode().strip() == f"{URL}/login?next=%2F"


async def asked_inside(box: Sandbox, url: str) -> str:
    code = "import sys, urllib.request as u\ntry: print(u.urlopen(sys.argv[1], timeout=9).status)\nexcept OSError as e: print(e)"
    return (await box.exec(["python3", "-c", code, url])).stdout.decode().strip()


def test_a_door_leads_to_the_site_and_nowhere_else_and_can_be_for_pages_only() -> None:
    async def work() -> None:
        async with open_site("tracker") as site, open_sandbox(Tree()) as box:
            async with reachable_address(site, box) as url:
                assert url == URL
                assert await asked_inside(box, f"{url}/api/tickets") == "200"
                assert "refused" in await asked_inside(box, f"{site.url}/api/tickets"), "its port here is not reached"
            assert "refused" in await asked_inside(box, f"{URL}/"), "the door is shut again"
            async with reachable_address(site, box, pages_only=True) as url:
                assert await asked_inside(box, f"{url}/tickets") == "200"
                for path in ("/api/tickets", "/%61pi/tickets", "/api", "/mcp"):
                    assert "403" in await asked_inside(box, url + path), path

    anyio.run(work)


class Looking:
    """An agent that leaves where the site really is, and raises."""

    record = Agent(name="looking", program="looking")

    def __init__(self) -> None:
        self.found = ""

    async def __call__(self, run: Run, box: Sandbox) -> None:
        assert run.site is not None
        self.found = run.site.apis["good"].really
        with socket.create_connection(("127.0.0.1", urlsplit(self.found).port or 0)):
            pass
        raise RuntimeError("enough")


def test_the_site_is_gone_after_the_trial_however_it_ended() -> None:
    agent = Looking()
    done = anyio.run(run_attempt, Plan(SUITE, [agent], 1).trials[0], open_sandbox)
    assert done.trial.outcome == Outcome.FAILED
    assert states(done)[0]
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", urlsplit(agent.found).port or 0))


def test_arms_of_tools_are_paired_known_by_their_records_and_made_again() -> None:
    agent = make_agent("honest:name=it", SUITE, ScriptedModel([]))
    actors = under_arms([agent], [*WEB_ARMS.values()])
    assert [each.record.name for each in actors] == [f"it@script+{arm}" for arm in WEB_ARMS]
    trials = Plan(SUITE, actors, 2).trials
    assert len({each.id for each in trials}) == 2 * len(WEB_ARMS)
    assert len({each.agent_seed for each in trials}) == 2
    for actor in actors:
        assert plain_record(actor.record) == agent.record
        assert WEB_ARMS[arm_of(actor.record).name] == arm_of(actor.record)
        assert agent_again(actor.record, ScriptedModel([])).record == actor.record
    gui, api, _, _, hybrid, _ = actors
    assert (gui.needs.pages_only, api.needs.pages_only, hybrid.needs.pages_only) == (True, False, False)  # type: ignore[attr-defined]
    assert gui.needs.limits.memory_mb > api.needs.limits.memory_mb  # type: ignore[attr-defined]


def test_an_arm_of_ones_own_may_give_tools(tmp_path: Path) -> None:
    path = tmp_path / "shell.toml"
    path.write_text('name = "shell"\nversion = "2"\ntext = "Use the shell."\ntools = ["bash", "http"]\n')
    (actor,) = under_arms([make_agent("honest:name=it", SUITE, ScriptedModel([]))], [arm_named(str(path))])
    assert arm_of(actor.record) == arm_named(str(path))
    with pytest.raises(AgentError, match="'oracle' takes none"):
        under_arms([make_agent("oracle", SUITE)], [WEB_ARMS["gui"]])


def test_a_task_on_a_site_is_written_down_and_read_back(tmp_path: Path) -> None:
    write_task(tmp_path / "t", replace(TASK, id="t"))
    assert load_suite(tmp_path / "t").tasks == (replace(TASK, id="t"),)
    assert TASK.public().site == "company"
    assert Task(id="a", instruction="b").hash != Task(id="a", instruction="b", site="shop").hash


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ('site = "shp"', "did you mean 'shop'"),
        ("site_seed = 3", "none is named"),
        ('site = "shop"\nsite_seed = -1', "site_seed"),
        ('site = "shop"\nvisible = ["a.py"]', "judged by the site's state"),
        ('visible = ["a.py"]', "environment/workspace does not hold"),
    ],
)
def test_a_task_that_names_its_site_wrongly_is_refused(tmp_path: Path, lines: str, complaint: str) -> None:
    shutil.copytree(VERSA / TASK.id, tmp_path / "t")
    (tmp_path / "t" / "task.toml").write_text(f'[task]\nname = "a/t"\n[honestly]\n{lines}\n')
    with pytest.raises(TaskError, match=complaint):
        load_suite(tmp_path / "t")
