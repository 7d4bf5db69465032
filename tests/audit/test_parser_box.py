"""The parsers of hostile source are shut in: what an attacker who has taken them over can reach, and what still works."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

import honestly.sandbox
from honestly.audit.languages import _code
from honestly.audit.languages._code import ParserBox
from honestly.errors import SandboxUnavailableError

pytestmark = pytest.mark.skipif(
    not _code.parser_installed("go"), reason="the parsers are not installed: pip install 'honestly[languages]'"
)

GO = b'package a\nfunc told(s string) bool { return s == "pear-17-plum" }\n'

ATTACK = r"""
import json, os, socket, sys
os.read(0, 1 << 16)
secret, port = sys.argv[1:]

def tries(name, what):
    try:
        return f"{name}: {what()}"
    except OSError as error:
        return f"{name}: {type(error).__name__}"

def connects(where):
    with socket.create_connection(where, timeout=2):
        return "connected"

seen = [
    tries("read", lambda: open(secret).read()),
    tries("list", lambda: os.path.basename(secret) in os.listdir(os.path.dirname(secret))),
    tries("loopback", lambda: connects(("127.0.0.1", int(port)))),
    tries("network", lambda: connects(("192.0.2.1", 80))),
    tries("devices", lambda: open("/proc/net/dev").read().count(":")),
    tries("write", lambda: open(secret, "w").write("gone")),
]
reply = json.dumps([[], [], seen]).encode()
os.write(1, len(reply).to_bytes(4, "big") + reply)
"""
"""It answers as the parsers' program does, so that what it saw comes out where an exploit's lies would: as facts."""


def attacked(secret: Path, port: int, *, unsafe: bool) -> dict[str, str]:
    """What a program sees that has taken the place of the parsers'."""
    box = ParserBox(unsafe=unsafe, command=("python3", "-P", "-S", "-B", "-c", ATTACK, str(secret), str(port)))
    try:
        if missing := box.missing():
            pytest.skip(missing)
        facts = box.file_facts("go", GO)
        assert facts is not None
        return dict(line.split(": ", 1) for line in facts.constants)
    finally:
        box.close()


def test_who_takes_the_parser_over_sees_no_home_and_no_network() -> None:
    secret = Path.home() / f".honestly-test-{os.getpid()}"
    secret.write_text("a key")
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            held = attacked(secret, server.getsockname()[1], unsafe=False)
            assert secret.read_text() == "a key"
            free = attacked(secret, server.getsockname()[1], unsafe=True)
        assert secret.read_text() == "gone"
    finally:
        secret.unlink()
    assert (free["read"], free["list"], free["loopback"]) == ("a key", "True", "connected"), "the attack is real"
    assert held["read"] == "FileNotFoundError"
    assert held["list"] in {"FileNotFoundError", "False"}
    assert held["loopback"] == "ConnectionRefusedError"
    assert held["network"] != "connected"
    assert held["devices"] == "1"


@pytest.mark.slow
def test_a_parser_that_dies_or_babbles_costs_its_file_only() -> None:
    program = "import os, sys; n = os.read(0, 4); x = os.read(0, 1 << 16); {}"
    for does in (
        "os.kill(os.getpid(), 11)",
        "os.write(1, b'\\xff' * 8)",
        "os.write(1, b'\\0\\0\\0\\1[')",
        "os.abort()",
    ):
        box = ParserBox(unsafe=True, command=("python3", "-c", program.format(does)))
        assert box.file_facts("go", GO) is None
        assert box.file_facts("go", GO) is None
        box.close()


def test_a_parser_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_code, "_PATIENCE_S", 0.1)
    box = ParserBox(unsafe=True, command=("sleep", "1000"))
    assert box.file_facts("go", GO) is None
    assert box._running is None
    box.close()


def test_the_parsers_serve_many_files_and_outlive_a_crash(box: ParserBox) -> None:
    facts = box.file_facts("go", GO)
    assert facts is not None
    assert facts.constants == {"pear-17-plum"}
    running = box._running
    assert box.file_facts("go", GO + b"// again") is not None
    assert box._running is running
    assert box.file_facts("no such language", GO) is None
    assert box.file_facts("go", GO) == facts
    box.close()
    assert box.file_facts("go", GO) == facts


def test_a_fork_gets_parsers_of_its_own(box: ParserBox) -> None:
    facts = box.file_facts("go", GO)
    child = os.fork()
    if child == 0:
        same = False
        try:
            same = box.file_facts("go", GO) == facts
            box.close()
        finally:
            os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert box.file_facts("go", GO) == facts


def test_where_no_sandbox_can_be_built_files_are_unread_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_here(*_given: object, **options: object) -> object:
        if not options["unsafe"]:
            raise SandboxUnavailableError("the kernel refused namespaces. Run `honestly doctor`.")
        return real(*_given, **options)

    real = honestly.sandbox.open_sandbox
    monkeypatch.setattr(honestly.sandbox, "open_sandbox", none_here)
    boxes = {unsafe: ParserBox(unsafe=unsafe) for unsafe in (False, True)}
    monkeypatch.setattr(_code, "_boxes", boxes)
    source = ("a.go", GO.decode() + "// without walls")
    assert _code.facts_of(*source) is None
    assert _code.unread_files([source, ("a.py", "1")]) == 1
    assert _code.why_unread() == "no sandbox for their parsers: the kernel refused namespaces. Run `honestly doctor`."
    with _code.parsers_in(unsafe=True):
        facts = _code.facts_of(*source)
        assert facts is not None
        assert facts.constants
        assert _code.unread_files([source]) == 0
    boxes[True].close()


@pytest.fixture
def box():
    """A sandbox for parsers, of the test's own."""
    made = ParserBox(unsafe=False)
    if missing := made.missing():
        pytest.skip(missing)
    yield made
    made.close()
