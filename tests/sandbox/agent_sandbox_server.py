"""A server of HTTP that speaks what a cluster with agent-sandbox speaks, as far as its client asks: claims on warm pools
(create, get, list, watch, patch, delete; uids as preconditions; a controller that binds and expires them), sandboxes with their
pod's address, and the router to the pods' runtimes (`/execute`, `/upload`, `/download`).

Each pod is a real sandbox of ours. As in python-runtime, commands are split and run without a shell, what they write is
text, and files go to the runtime's directory only. `faults` makes it fail as clusters do.
"""

from __future__ import annotations

import json
import re
import select
import shlex
import socket
import threading
import time
import urllib.parse
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

from honestly.errors import SandboxError
from honestly.records import Tree
from honestly.sandbox import Layout, Limits, Sandbox, open_sandbox

CLAIMS = re.compile(r"/apis/extensions\.agents\.x-k8s\.io/v1beta1/namespaces/([\w-]+)/sandboxclaims(?:/([\w-]+))?")
SANDBOXES = re.compile(r"/apis/agents\.x-k8s\.io/v1beta1/namespaces/([\w-]+)/sandboxes/([\w-]+)")
POOLS = {"pool"}


class Cluster:
    """What the cluster holds."""

    def __init__(self, portal: BlockingPortal) -> None:
        self.portal = portal
        self.claims: dict[str, dict[str, Any]] = {}
        self.pods: dict[str, tuple[Sandbox, Any]] = {}
        self.events: list[dict[str, Any]] = []
        self.changed = threading.Condition()
        self.faults: Counter[str] = Counter()
        """How often still: `create`, `patch`, `delete`, `execute`, `upload`, `list` fail with 500, `watch` breaks off, `lost`
        takes the pod away with the next command. `slow` is the seconds until a pod is there."""
        self.asked: Counter[str] = Counter()
        self.ended = threading.Event()

    def fails(self, what: str) -> bool:
        self.asked[what] += 1
        if self.faults[what] > 0:
            self.faults[what] -= 1
            return True
        return False

    def create(self, claim: dict[str, Any]) -> dict[str, Any]:
        name = claim["metadata"]["name"]
        claim["metadata"] |= {"uid": str(uuid.uuid4())}
        self.claims[name] = claim
        self._tell("ADDED", claim)
        threading.Thread(target=self._bind, args=(name,), daemon=True).start()
        return claim

    def delete(self, name: str) -> None:
        claim = self.claims.pop(name)
        self._tell("DELETED", claim)
        self.lose(name)

    def lose(self, name: str) -> None:
        if pod := self.pods.pop(f"pod-of-{name}", None):
            pod[1].__exit__(None, None, None)

    def extend(self, name: str, change: dict[str, Any]) -> None:
        """Change the lifetime of a claim."""
        assert change.keys() == {"spec"}
        assert change["spec"].keys() == {"lifecycle"}
        self.claims[name]["spec"]["lifecycle"] |= change["spec"]["lifecycle"]

    def expire(self) -> None:
        """What the controller does with leases that have run out, until the cluster is shut down."""
        while not self.ended.wait(0.1):
            now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            for name, claim in list(self.claims.items()):
                lifecycle = claim["spec"].get("lifecycle", {})
                if lifecycle.get("shutdownTime", "9") <= now and lifecycle["shutdownPolicy"] == "Delete":
                    with suppress(KeyError):  # somebody else was quicker
                        self.delete(name)

    def _bind(self, name: str) -> None:
        claim = self.claims[name]
        if claim["spec"]["warmPoolRef"]["name"] not in POOLS:
            condition = {"type": "Ready", "status": "False", "reason": "WarmPoolNotFound", "message": "no such pool"}
            claim["status"] = {"conditions": [condition]}
            self._tell("MODIFIED", claim)
            return
        until = time.monotonic() + self.faults["slow"]
        while time.monotonic() < until and name in self.claims:
            time.sleep(0.05)
        layout = Layout(workspace="/app", private=("/workspace",))
        entered = self.portal.wrap_async_context_manager(open_sandbox(Tree(), Limits(processes=256), layout=layout))
        self.pods[f"pod-of-{name}"] = (entered.__enter__(), entered)
        claim["status"] = {"sandbox": {"name": f"pod-of-{name}"}, "conditions": [{"type": "Ready", "status": "True"}]}
        if name in self.claims:
            self._tell("MODIFIED", claim)
        else:
            self.lose(name)

    def _tell(self, kind: str, claim: dict[str, Any]) -> None:
        with self.changed:
            claim["metadata"]["resourceVersion"] = str(len(self.events) + 1)
            self.events.append({"type": kind, "object": json.loads(json.dumps(claim))})
            self.changed.notify_all()


class Handler(BaseHTTPRequestHandler):
    """Answers of the API server and of the router."""

    cluster: Cluster
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        place = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(place.query))
        if match := CLAIMS.fullmatch(place.path):
            if query.get("watch"):
                self._watch(query)
            elif match[2]:
                self._say(self.cluster.claims.get(match[2]))
            elif self.cluster.fails("list"):
                self._say({}, 500)
            else:
                wanted = query.get("labelSelector", "")
                items = [each for each in self.cluster.claims.values() if wanted in each["metadata"].get("labels", {})]
                self._say({"kind": "SandboxClaimList", "items": items})
        elif match := SANDBOXES.fullmatch(place.path):
            there = match[2] in self.cluster.pods
            self._say({"metadata": {"name": match[2]}, "status": {"podIPs": ["10.0.0.7"]}} if there else None)
        elif place.path.startswith("/download/"):
            name = urllib.parse.unquote(place.path.removeprefix("/download/"))
            self._in_pod(lambda box: self._bytes(self.cluster.portal.call(box.read, f"/app/{name}")))
        else:
            self._say(None)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if CLAIMS.fullmatch(self.path):
            if self.cluster.fails("create"):
                self._say({"message": "etcdserver: leader changed"}, 500)
            elif (name := json.loads(body)["metadata"]["name"]) in self.cluster.claims:
                self._say({"message": f"{name} already exists"}, 409)
            else:
                self._say(self.cluster.create(json.loads(body)), 201)
        elif self.path == "/execute":
            self._in_pod(lambda box: self._execute(box, json.loads(body)))
        elif self.path == "/upload":
            head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
            (part,) = BytesParser().parsebytes(head + body).get_payload()
            self._in_pod(lambda box: self._upload(box, part.get_filename(), part.get_payload(decode=True)))

    def do_PATCH(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        match = CLAIMS.fullmatch(self.path)
        if self.cluster.fails("patch"):
            self._say({}, 500)
        elif self.headers["Content-Type"] != "application/merge-patch+json":
            self._say({"message": "this is no merge patch"}, 415)
        elif match is None or match[2] not in self.cluster.claims:
            self._say(None)
        else:
            self.cluster.extend(match[2], json.loads(body))
            self._say(self.cluster.claims[match[2]])

    def do_DELETE(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        match = CLAIMS.fullmatch(urllib.parse.urlsplit(self.path).path)
        wanted = (json.loads(body or b"{}").get("preconditions") or {}).get("uid")
        claim = self.cluster.claims.get(match[2]) if match else None
        if self.cluster.fails("delete"):
            self._say({}, 500)
        elif claim is None or match is None:
            self._say(None)
        elif wanted and wanted != claim["metadata"]["uid"]:
            self._say({"message": "the uid is another"}, 409)
        else:
            self.cluster.delete(match[2])
            self._say({"status": "Success"})

    def _watch(self, query: dict[str, str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        at, until = int(query["resourceVersion"]), time.monotonic() + int(query["timeoutSeconds"])
        name = query["fieldSelector"].removeprefix("metadata.name=")
        if self.cluster.fails("watch"):
            self.close_connection = True
            return
        with suppress(OSError):
            while time.monotonic() < until and not self._hung_up():
                with self.cluster.changed:
                    self.cluster.changed.wait_for(lambda: len(self.cluster.events) > at, timeout=0.2)
                    fresh, at = self.cluster.events[at:], len(self.cluster.events)
                for event in fresh:
                    if event["object"]["metadata"]["name"] == name:
                        self._chunk(json.dumps(event).encode() + b"\n")
            self._chunk(b"")
        self.close_connection = True

    def _hung_up(self) -> bool:
        return bool(select.select([self.connection], [], [], 0)[0]) and not self.connection.recv(1, socket.MSG_PEEK)

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _in_pod(self, work: Any) -> None:
        name = self.headers["X-Sandbox-ID"]
        if self.cluster.faults["lost"] > 0 and self.path == "/execute":
            self.cluster.faults["lost"] -= 1
            self.cluster.lose(name.removeprefix("pod-of-"))
        if name not in self.cluster.pods:
            self._say({"message": "no such pod"}, 502)
        elif self.cluster.fails(self.path.split("/")[1]):
            self._say({}, 500)
        else:
            work(self.cluster.pods[name][0])

    def _execute(self, box: Sandbox, asked: dict[str, Any]) -> None:
        try:
            words = shlex.split(asked["command"])
            done = self.cluster.portal.call(lambda: box.exec(words, timeout=asked.get("timeout_seconds", 600)))
            said = {"stdout": done.stdout.decode(), "stderr": done.stderr.decode(), "exit_code": done.code or 0}
            self._say({**said, "timed_out": done.timed_out})
        except (SandboxError, UnicodeDecodeError) as error:
            self._say({"stdout": "", "stderr": f"Failed to execute command: {error}", "exit_code": 1})

    def _upload(self, box: Sandbox, name: str, data: bytes) -> None:
        self.cluster.portal.call(box.write, f"/app/{name}", data)
        self._say({"message": "uploaded"})

    def _bytes(self, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with suppress(ConnectionError):  # who asked has seen how much it is
            self.wfile.write(data)

    def _say(self, what: object, code: int = 200) -> None:
        data = json.dumps(what if what is not None else {"kind": "Status", "code": 404}).encode()
        self.send_response(code if what is not None else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def cluster() -> Iterator[tuple[Cluster, str]]:
    """A cluster and its address, until the block ends."""
    with start_blocking_portal() as portal:
        made = Cluster(portal)
        with ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Handler,), {"cluster": made})) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            controller = threading.Thread(target=made.expire, daemon=True)
            controller.start()
            try:
                yield made, f"http://127.0.0.1:{server.server_address[1]}"
            finally:
                server.shutdown()
                made.ended.set()
                controller.join()
                for name in list(made.claims):
                    made.delete(name)


if __name__ == "__main__":
    with cluster() as (_, url):
        print(url, flush=True)
        threading.Event().wait()
