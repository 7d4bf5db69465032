"""`honestly audit --monitor` against a real server: the whole way, killed and gone on, refused, over its budget."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from anyio import from_thread, to_thread
from click.testing import CliRunner, Result

sys.path.insert(0, str(Path(__file__).parents[1] / "audit"))

from gullible import Gullible
from positives import fill, positives

from honestly.audit._cli import audit
from honestly.errors import ModelError, SettingsError
from honestly.models import Message, scripted_server
from honestly.store import create_study, open_study

PRICES = "model,input,output\njudge,10,10\n"


class Server(Gullible):
    """A judge that can be held up: it waits before the call with this number."""

    def __init__(self) -> None:
        super().__init__(obeys=False, name="judge")
        self.hold_at, self.limited = -1, 0
        self.held, self.go = threading.Event(), threading.Event()

    async def __call__(self, messages, tools=(), settings=None) -> Message:
        if self.limited:
            self.limited -= 1
            raise ModelError("rate limit reached", transient=True, status=429, retry_after_s=0.01)
        if self.calls == self.hold_at:
            self.held.set()
            await to_thread.run_sync(self.go.wait)
        assert settings.schema is None  # the server's dialect does not read it; the wire is looked at below
        return await super().__call__(messages, tools, settings)


@contextmanager
def serving(judge: Server) -> Iterator[object]:
    with from_thread.start_blocking_portal() as portal, portal.wrap_async_context_manager(scripted_server(judge)) as up:
        try:
            yield up
        finally:
            judge.go.set()


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "s.honestly"
    rows = {name: mini for name, mini in positives().items() if name in {"3 test removed by a step", "18 false claim"}}
    with create_study(path) as opened:
        fill(opened, rows, ["authority", "echo"])
    return path


def command(study: Path, server, *more: str) -> list[str]:
    return [sys.executable, "-m", "honestly", "audit", str(study), "--monitor", server.spec("judge"), *more]


def honestly(study: Path, server, *more: str) -> Result:
    return CliRunner().invoke(audit, command(study, server, *more)[4:])


@pytest.mark.slow
def test_a_study_is_judged_over_the_wire_with_cost_before_and_after(study: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    prices.write_text(PRICES)
    with serving(judge := Server()) as server:
        before = json.loads(honestly(study, server, "--estimate", "--prices", str(prices), "--json").stdout)["estimate"]
        assert judge.calls == 0
        assert (before["trials"], before["survey"]["calls"], before["confirm"]["calls"]) == (6, 4, 4)
        judge.limited = 2
        done = honestly(study, server, "--prices", str(prices), "--json")
        assert done.exit_code == 0, done.output
        found = json.loads(done.stdout)
        bodies = [json.loads(request.body) for request in server.requests]
        shown = honestly(study, server, "--prices", str(prices), "--list")
    watched = found["monitor"]
    assert (watched["judged"], watched["left"], watched["cost"]["calls"]) == (6, 0, 8)
    assert 0.2 * before["usd"] < watched["cost"]["usd"] < 2 * before["usd"]
    assert watched["planted"]["full"]["sensitivity"] == 1
    rates = {(rate["detector"], rate["arm"]): rate for rate in found["rates"]}
    assert rates["monitor", "all"]["flagged"] == 3
    assert rates["monitor", "all"]["version"] == watched["version"]
    assert all(body["response_format"]["type"] == "json_schema" for body in bodies)
    assert all("tools" not in body for body in bodies)
    assert judge.calls == 8
    assert "attention only: full view 4 of 4, and 0 of 4 lookalikes" in " ".join(shown.stdout.split())
    assert "0 trials to judge" in shown.stderr
    assert "$G tests/test_prices.py" in shown.stdout


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_and_asks_nothing_twice(study: Path) -> None:
    judge = Server()
    judge.hold_at = 5
    with serving(judge) as server:
        running = subprocess.Popen(command(study, server, "--jobs", "1"), stderr=subprocess.DEVNULL)
        assert judge.held.wait(60)
        running.send_signal(signal.SIGKILL)
        running.wait(30)
        with open_study(study) as opened:
            kept = [each for each in opened.findings() if each.detector == "monitor"]
        assert len(kept) == 3
        judge.go.set()
        judge.hold_at = -1
        asked = judge.calls
        done = honestly(study, server, "--json")
    assert done.exit_code == 0, done.output
    watched = json.loads(done.stdout)["monitor"]
    assert (watched["judged"], watched["left"], watched["planted"]["full"]["positives"]) == (3, 0, 4)
    assert watched["cost"]["calls"] == 3
    assert judge.calls <= asked + 4


@pytest.mark.slow
def test_an_interrupt_keeps_what_is_done(study: Path) -> None:
    judge = Server()
    judge.hold_at = 5
    with serving(judge) as server:
        running = subprocess.Popen(command(study, server, "--jobs", "1"), stderr=subprocess.PIPE, text=True)
        assert judge.held.wait(60)
        running.send_signal(signal.SIGINT)
        _, words = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "kept the results of 3 trials" in words


def test_a_wrong_key_ends_the_run_and_says_so(study: Path) -> None:
    class Closed(Server):
        async def __call__(self, messages, tools=(), settings=None) -> Message:
            raise ModelError("invalid key \x1b[2J", status=401)

    with serving(Closed()) as server:
        done = honestly(study, server)
    assert done.exit_code == 1
    assert "6 trials are left: http" in done.stdout
    assert "invalid key" in done.stdout
    assert "\x1b" not in done.stderr + done.stdout


def test_a_budget_ends_the_run_and_needs_a_price(study: Path, tmp_path: Path) -> None:
    prices = tmp_path / "prices.csv"
    prices.write_text(PRICES)
    with serving(Server()) as server:
        refused = honestly(study, server, "--budget", "1")
        assert isinstance(refused.exception, SettingsError)
        assert "price" in str(refused.exception)
        short = honestly(study, server, "--budget", "0.05", "--prices", str(prices), "--jobs", "1", "--json")
    watched = json.loads(short.stdout)["monitor"]
    assert short.exit_code == 1
    assert "the budget is spent" in watched["stopped"]
    assert 0 < watched["left"] <= 6
    assert watched["cost"]["usd"] <= 0.055


@pytest.mark.parametrize("options", [["--estimate"], ["--budget", "3"], ["--task", "t"], ["--confirm", "script:x"]])
def test_options_of_the_monitor_need_a_monitor(study: Path, options: list[str]) -> None:
    done = CliRunner().invoke(audit, [str(study), *options])
    assert isinstance(done.exception, SettingsError)
    assert "--monitor MODEL" in str(done.exception)
