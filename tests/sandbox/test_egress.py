"""The way out by an allow-list: real requests from inside to real servers outside, and everything else refused."""

from __future__ import annotations

import http.server
import json
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings, strategies as st

from honestly.http import Connection, HttpLimits, Refusal
from honestly.records import Tree
from honestly.sandbox import Container, Egress, EgressRequest, Limits, Sandbox, open_sandbox
from honestly.sandbox._egress import is_public
from honestly.sandbox._request import Onward, read_request

EMPTY = Tree()
CURL = pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl on this machine")


class Answers(http.server.BaseHTTPRequestHandler):
    """Says what it was asked."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        heads = {key.lower(): value for key, value in self.headers.items()}
        answer = json.dumps({"path": self.path, "heads": heads, "body": body, "method": self.command}).encode()
        if self.path == "/large":
            answer = bytes(300_000)
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_PUT = do_GET

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def port() -> Iterator[int]:
    """A real HTTP server on this machine's loopback."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.01))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


class Log(list[EgressRequest]):
    def allowing(self, *allow: str, **limits: float) -> Egress:
        return Egress(allow=allow, log=self.append, **limits)

    def brief(self) -> list[tuple[str, str, bool]]:
        return sorted((entry.method, entry.host, entry.allowed) for entry in self)


@pytest.fixture
def log() -> Log:
    return Log()


async def fetch(box: Sandbox, url: str, data: str = "None") -> str:
    """What urllib inside gets, or why it gets nothing."""
    code = (
        "import sys, urllib.request, urllib.error\n"
        f"try: print(urllib.request.urlopen({url!r}, data={data}, timeout=20).read().decode())\n"
        "except urllib.error.HTTPError as error: print(error.code, error.read().decode())\n"
        "except OSError as error: print(type(error).__name__, error)"
    )
    result = await box.exec(["python3", "-c", code], env={"no_proxy": "", "NO_PROXY": ""})  # the servers are local
    assert result.code == 0, result.stderr.decode()
    return result.stdout.decode().strip()


def sockets_here() -> int:
    return sum(path.is_socket() for path in Path("/proc/self/fd").iterdir())


async def raw(box: Sandbox, data: bytes) -> bytes:
    """What the proxy answers to bytes."""
    code = (
        f"import socket\ns = socket.create_connection(('127.0.0.1', 3128))\ns.sendall({data!r})\n"
        "s.shutdown(1)\nimport sys\nwhile part := s.recv(65536): sys.stdout.buffer.write(part)"
    )
    return (await box.exec(["python3", "-c", code])).stdout


@pytest.mark.anyio
async def test_what_is_on_the_list_is_reached_and_logged(port: int, log: Log) -> None:
    async with open_sandbox(EMPTY, egress=log.allowing(f"127.0.0.1:{port}")) as box:
        got = json.loads(await fetch(box, f"http://127.0.0.1:{port}/a?b=c", data="b'posted'"))
    assert (got["path"], got["method"], got["body"]) == ("/a?b=c", "POST", "posted")
    assert got["heads"]["host"] == f"127.0.0.1:{port}"
    assert not {name for name in got["heads"] if name.startswith("proxy")}
    (entry,) = log
    assert (entry.method, entry.host, entry.port, entry.allowed, entry.reason) == ("POST", "127.0.0.1", port, True, "")
    assert entry.sent > 100
    assert entry.received > 100
    assert entry.seconds >= 0
    assert entry.time > 1.7e9


@pytest.mark.anyio
async def test_a_tunnel_carries_any_bytes(port: int, log: Log) -> None:
    request = f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\nGET /x HTTP/1.0\r\n\r\n".encode()
    async with open_sandbox(EMPTY, egress=log.allowing(f"127.0.0.1:{port}")) as box:
        answer = await raw(box, request)
    assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.")
    assert b'"path": "/x"' in answer
    assert log.brief() == [("CONNECT", "127.0.0.1", True)]
    assert log[0].sent == len(b"GET /x HTTP/1.0\r\n\r\n")


@CURL
@pytest.mark.anyio
async def test_curl_finds_the_proxy_by_its_variables(port: int, log: Log) -> None:
    async with open_sandbox(EMPTY, egress=log.allowing(f"127.0.0.1:{port}")) as box:
        for options in ([], ["--proxytunnel"], ["-X", "PUT", "-d", "data", "-H", "Expect: 100-continue"]):
            words = ["curl", "-sS", "--max-time", "20", *options, f"http://127.0.0.1:{port}/y"]
            result = await box.exec(words, env={"no_proxy": "", "NO_PROXY": ""})
            assert b'"path": "/y"' in result.stdout, result.stderr
        refused = await box.exec(["curl", "-sS", "https://example.org"])
        assert b"403" in refused.stderr
    assert log.brief() == [
        ("CONNECT", "127.0.0.1", True),
        ("CONNECT", "example.org", False),
        ("GET", "127.0.0.1", True),
        ("PUT", "127.0.0.1", True),
    ]


@pytest.mark.slow
@pytest.mark.anyio
async def test_nothing_else_is_reached(port: int, log: Log) -> None:
    direct = (
        "import socket\n"
        f"for address in (('127.0.0.1', {port}), ('192.0.2.1', 80)):\n"
        "  try: socket.create_connection(address, 2); print('reached')\n"
        "  except OSError as error: print('refused')\n"
        "try: print(socket.getaddrinfo('example.org', 80))\n"
        "except OSError: print('unknown')"
    )
    async with open_sandbox(EMPTY, egress=log.allowing(f"127.0.0.1:{port}")) as box:
        assert (await box.exec(["python3", "-c", direct])).stdout == b"refused\nrefused\nunknown\n"
        for url in ("http://example.org/", f"http://127.0.0.1:{port + 1}/", f"http://localhost:{port}/"):
            assert (await fetch(box, url)).startswith("403 honestly: not on the list"), url
    assert [entry.allowed for entry in log] == [False] * 3
    async with open_sandbox(EMPTY) as box:
        assert "Connection refused" in await fetch(box, f"http://127.0.0.1:{port}/")


@pytest.mark.slow
@pytest.mark.anyio
async def test_no_name_leads_to_a_private_address(port: int, log: Log) -> None:
    hosts = ["localhost", "LOCALHOST.", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1", "[::1]"]
    hosts += ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "169.254.169.254", "[64:ff9b::7f00:1]"]
    async with open_sandbox(EMPTY, egress=log.allowing(f"*:{port}", f"localhost:{port}")) as box:
        for host in hosts:
            answer = await fetch(box, f"http://{host}:{port}/")
            assert answer.startswith(("403", "502", "400")), (host, answer)
            tunnel = await raw(box, f"CONNECT {host}:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert tunnel.startswith((b"HTTP/1.1 403", b"HTTP/1.1 502", b"HTTP/1.1 400")), (host, tunnel)
    assert len(log) == 2 * len(hosts)
    assert not any(entry.allowed for entry in log)
    async with open_sandbox(EMPTY, egress=log.allowing(f"localhost:{port}", f"127.0.0.1:{port}")) as box:
        assert '"path"' in await fetch(box, f"http://localhost:{port}/"), "an address that the list names is meant"


@pytest.mark.anyio
async def test_this_machines_public_address_is_private_too(log: Log) -> None:
    """By its own address, whatever that is, a machine reaches services that it offers to nobody else."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no network")
        own = probe.getsockname()[0]
    with socket.create_server((own, 0)) as server:
        port = server.getsockname()[1]
        async with open_sandbox(EMPTY, egress=log.allowing("*", f"*:{port}")) as box:
            assert (await raw(box, f"CONNECT {own}:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())).startswith(
                b"HTTP/1.1 403"
            )


@pytest.mark.anyio
async def test_a_second_request_does_not_slip_through_behind_the_first(port: int, log: Log) -> None:
    first = f"POST http://127.0.0.1:{port}/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
    second = f"GET http://127.0.0.1:{port}/2 HTTP/1.1\r\nHost: x\r\n\r\n"
    async with open_sandbox(EMPTY, egress=log.allowing(f"127.0.0.1:{port}")) as box:
        answer = await raw(box, (first + second).encode())
    assert answer.count(b"HTTP/1.1 200") == 1
    assert b'"/1"' in answer
    assert len(log) == 1


@pytest.mark.anyio
async def test_bytes_are_limited(port: int, log: Log) -> None:
    async with open_sandbox(EMPTY, egress=log.allowing(f"127.0.0.1:{port}", max_bytes=400_000)) as box:
        request = f"GET http://127.0.0.1:{port}/large HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        assert len(await raw(box, request)) > 300_000
        assert len(await raw(box, request)) < 200_000
    assert [entry.reason for entry in log] == ["", "more than 400000 bytes"]
    assert sum(entry.sent + entry.received for entry in log) <= 400_000 + 2 * len(request)


@pytest.mark.anyio
async def test_requests_are_limited(port: int, log: Log) -> None:
    async with open_sandbox(EMPTY, egress=log.allowing(f"127.0.0.1:{port}", max_requests=2)) as box:
        url = f"http://127.0.0.1:{port}/"
        assert ['"path"' in await fetch(box, url) for _ in range(4)] == [True, True, False, False]
    assert sorted(entry.allowed for entry in log) == [False, True, True]
    assert any("more than 2 requests" in entry.reason for entry in log)


@pytest.mark.anyio
async def test_connections_wait_for_room(port: int, log: Log) -> None:
    async with open_sandbox(EMPTY, egress=log.allowing(f"127.0.0.1:{port}", max_connections=1)) as box:
        held = await box.start(
            ["python3", "-uc", "import socket; s = socket.create_connection(('127.0.0.1', 3128)); print(1); input()"]
        )
        await held.receive()
        answers: list[str] = []

        async def ask() -> None:
            answers.append(await fetch(box, f"http://127.0.0.1:{port}/"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            with anyio.move_on_after(0.3):
                await held.wait()
            assert not answers
            await held.send(b"\n")
        assert '"path"' in answers[0]


@pytest.mark.anyio
async def test_idle_connections_end_and_closing_ends_all(port: int, log: Log) -> None:
    tunnel = f"CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"
    hold = (
        "import socket, sys; s = socket.create_connection(('127.0.0.1', 3128))\n"
        f"s.sendall(b'{tunnel}'); print(len(s.recv(100)), flush=True); print(s.recv(100), flush=True); input()"
    )
    async with open_sandbox(EMPTY, egress=log.allowing(f"127.0.0.1:{port}", idle_s=0.3)) as box:
        with anyio.fail_after(20):
            assert b"b''" in (await box.exec(["python3", "-c", hold], stdin=b"\n")).stdout
    assert [entry.reason for entry in log] == ["idle for 0 s"]
    async with open_sandbox(EMPTY, egress=log.allowing(f"127.0.0.1:{port}")) as box:
        process = await box.start(["python3", "-c", hold])
        await process.receive()
    assert len(log) == 2, "what is open when the sandbox closes is logged too"


@pytest.mark.anyio
async def test_what_the_log_raises_ends_the_proxy_and_is_raised(port: int) -> None:
    def refuse(_: EgressRequest) -> None:
        raise RuntimeError("no room to log")

    async def visit() -> None:
        async with open_sandbox(EMPTY, egress=Egress(allow=(f"127.0.0.1:{port}",), log=refuse)) as box:
            await fetch(box, f"http://127.0.0.1:{port}/")
            assert "path" not in await fetch(box, f"http://127.0.0.1:{port}/")

    with pytest.raises(RuntimeError, match="no room to log"):
        await visit()


@pytest.mark.anyio
async def test_boxes_have_proxies_of_their_own(port: int) -> None:
    one, other = Log(), Log()
    async with (
        open_sandbox(EMPTY, egress=one.allowing(f"127.0.0.1:{port}")) as box,
        open_sandbox(EMPTY, egress=other.allowing("example.org")) as second,
    ):
        assert '"path"' in await fetch(box, f"http://127.0.0.1:{port}/")
        assert (await fetch(second, f"http://127.0.0.1:{port}/")).startswith("403")
    assert [entry.allowed for entry in (*one, *other)] == [True, False]


@pytest.mark.anyio
async def test_a_flood_of_connections_takes_no_descriptor_outside(port: int, log: Log) -> None:
    flood = (
        "import socket\nkept = []\n"
        "for _ in range(120):\n s = socket.socket(); s.setblocking(False); s.connect_ex(('127.0.0.1', 3128)); kept.append(s)\n"
        "print('open', flush=True); input()"
    )
    async with open_sandbox(EMPTY, Limits(open_files=500), egress=log.allowing("x", max_connections=4)) as box:
        process = await box.start(["python3", "-c", flood])
        await process.receive()
        assert sockets_here() < 60
        await process.kill()
        assert (await fetch(box, f"http://127.0.0.1:{port}/")).startswith("403")


@pytest.mark.anyio
@pytest.mark.parametrize("other", [{"unsafe": True}, {"container": Container("i")}])
async def test_only_namespaces_have_it(other: dict[str, object], log: Log) -> None:
    with pytest.raises(ValueError, match="namespaces"):
        async with open_sandbox(EMPTY, egress=log.allowing("x"), **other):
            pass


@pytest.mark.parametrize(
    ("pattern", "host", "port", "allowed"),
    [
        ("example.com", "example.com", 443, True),
        ("example.com", "example.com", 80, True),
        ("example.com", "example.com", 22, False),
        ("Example.com.:8443", "example.com", 8443, True),
        ("example.com", "evil-example.com", 443, False),
        ("example.com", "example.com.evil.example", 443, False),
        ("*.example.org", "a.b.example.org", 443, True),
        ("*.example.org", "example.org", 443, False),
        ("*.example.org", "evilexample.org", 443, False),
        ("*", "anything.example", 443, True),
        ("*", "10.0.0.1", 443, False),
        ("10.0.0.1:5000", "10.0.0.1", 5000, True),
        ("[::1]:80", "::1", 80, True),
        ("[0:0::1]:80", "::1", 80, True),
    ],
)
def test_patterns(pattern: str, host: str, port: int, allowed: bool) -> None:
    assert Egress(allow=(pattern,), log=print).allows_host(host, port) is allowed


@pytest.mark.parametrize(
    "pattern", ["", "*.", "a*.b", "http://a", "a:b", "a:0", "a:70000", "a b", "ü.example", "[::1", "::1", "*.*.a"]
)
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        Egress(allow=(pattern,), log=print)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.100.100.200", "0.0.0.0"),
        *("224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.0.192", "168.63.129.16", "192.0.2.1"),
        *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1"),
        *(
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "::7f00:1",
        ),
        "2001:0:5ef5:79fd::1",
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "151.101.0.223", "2606:4700::1111", "64:ff9b::101:101", "::ffff:1.1.1.1"]
)
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "head",
    [
        "GET / HTTP/1.1",
        "GET https://a/ HTTP/1.1",
        "GET http://user@a/ HTTP/1.1",
        "GET http://a:x/ HTTP/1.1",
        "GET http://a/ HTTP/2",
        "GET  http://a/ HTTP/1.1",
        "GET http://a/ b HTTP/1.1",
        "GET http://a\\@b/ HTTP/1.1",
        "CONNECT a HTTP/1.1",
        "CONNECT a:0 HTTP/1.1",
        "CONNECT a:443/x HTTP/1.1",
        "CONNECT a:443@b:443 HTTP/1.1",
        "GET http://a/ HTTP/1.1\r\nNo colon",
        "GET http://a/ HTTP/1.1\r\nA : b",
        "GET http://a/ HTTP/1.1\r\nA: b\r\n folded",
        "GET http://a/ HTTP/1.1\r\nA: b\nC: d",
        "POST http://a/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2",
        "POST http://a/ HTTP/1.1\r\nContent-Length: +1",
        "POST http://a/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
        "POST http://a/ HTTP/1.1\r\nTransfer-Encoding: identity",
    ],
)
def test_what_can_be_read_in_two_ways_is_refused(head: str) -> None:
    first, *more = head.split("\r\n")
    with pytest.raises(Refusal):
        read("\r\n".join([first, "Host: x", *more, "", ""]).encode())


def test_a_request_is_written_anew() -> None:
    onward = read(
        b"GET http://A.Example.:8080?q HTTP/1.1\r\nHost: other.example\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n"
        b"Proxy-Authorization: secret\r\nUpgrade: websocket\r\nAccept:  */* \r\n\r\n"
    )
    assert (onward.method, onward.host, onward.port) == ("GET", "a.example", 8080)
    lines = onward.head.decode().split("\r\n")
    assert lines == ["GET /?q HTTP/1.1", "Host: a.example:8080", "accept: */*", "Connection: close", "", ""]


@settings(deadline=None)
@given(st.binary(max_size=300), st.sampled_from([b"", b"GET http://a/ HTTP/1.1\r\nHost: a\r\n", b"CONNECT "]))
def test_any_bytes_are_a_request_or_an_error(data: bytes, start: bytes) -> None:
    with suppress(Refusal):
        onward = read(start + data + b"\r\n\r\n")
        assert onward.port
        assert onward.head.count(b"\r\n\r\n") == (onward.method != "CONNECT")


def read(data: bytes) -> Onward:
    """What the proxy takes bytes for."""

    async def listen() -> Onward:
        here, there = socket.socketpair()
        with here:
            here.sendall(data)
            here.shutdown(socket.SHUT_WR)
            connection = Connection(there, HttpLimits())
            try:
                head = await connection.next_head()
            finally:
                connection.peer.close()
        assert head
        return read_request(head)

    return anyio.run(listen)
