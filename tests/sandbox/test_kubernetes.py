"""Sandboxes in Kubernetes by agent-sandbox's own client, against a server that speaks its API (`agent_sandbox_server`).

Never exercised here: a real API server with its admission and authorization, agent-sandbox's controller, its router, the
tunnel by kubectl, and its runtime image.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_sandbox_server import Cluster, cluster

from peers import peer

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
BEGIN = """
import sys
import anyio
from honestly.errors import *
from honestly.records import Tree
from honestly.sandbox import Limits, open_sandbox
KIND = sys.argv[1]
def box(tree=Tree(), **more):
    return open_sandbox(tree, Limits(wall_s=20, disk_mb=4, output_bytes=1000), provider=KIND + more.pop("also", ""), **more)
"""


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Cluster, str]]:
    """A cluster, and what names its sandboxes."""
    with cluster() as (made, url):
        config = tmp_path / "kubeconfig"
        config.write_text(
            "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
            f"clusters: [{{name: c, cluster: {{server: '{url}'}}}}]\n"
            "contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n"
        )
        monkeypatch.setenv("KUBECONFIG", str(config))
        yield made, f"kubernetes:pool=pool,namespace=evals,connect={url},lease-s=3600"


def program(kind: str, code: str, *words: str) -> subprocess.Popen[str]:
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [str(peer("kubernetes")), "-c", BEGIN + code, kind, *words]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environ)


def said(kind: str, code: str) -> str:
    process = program(kind, code)
    out = process.communicate(timeout=300)[0]
    assert process.returncode == 0, out
    return out


def test_it_fulfils_the_contract_of_sandboxes(remote: tuple[Cluster, str]) -> None:
    made, kind = remote
    said(kind, "from honestly.testing import check_sandbox\ncheck_sandbox(KIND)")
    assert made.asked["create"] == 2
    assert made.claims == {}
    assert made.pods == {}


def test_bytes_limits_links_and_long_words_come_through(remote: tuple[Cluster, str]) -> None:
    made, kind = remote
    said(
        kind,
        """
async def main():
    tree = Tree.of({"a/b": b"\\0\\xff" * 1000})
    async with box(tree) as one:
        assert (await one.snapshot()).files == tree.files
        out = await one.exec("seq 1 100000; printf '\\\\377' >&2; kill -TERM $$")
        assert (out.code, out.stderr, out.truncated) == (-15, b"\\xff", 588895 - 1000), out
        assert out.stdout.startswith(b"1\\n2\\n") and out.stdout.endswith(b"100000\\n")
        long = await one.exec(["wc", "-c"], stdin=b"x" * 300_000)
        assert long.stdout == b"300000\\n"
        words = await one.exec(["sh", "-c", "echo ${#1}", "sh", "w" * 120_000])
        assert words.stdout == b"120000\\n", words
        quoted = await one.exec(["printf", "%s|", "it's", "ENV", 'a"b', "$(id)", "CWD", "line\\nbreak"], env={"TAG": "SECONDS"})
        assert quoted.stdout == b"it's|ENV|a\\"b|$(id)|CWD|line\\nbreak|", quoted
        assert (await one.exec("echo $TAG", env={"TAG": "ARGV'"})).stdout == b"ARGV'\\n"
        await one.write("/tmp/deep/x y", b"\\0z", executable=True)
        assert await one.read("/tmp/deep/x y") == b"\\0z"
        for path in ("missing", "/tmp"):
            try:
                await one.read(path)
            except SandboxError as error:
                assert path in str(error), error
            else:
                raise AssertionError(path)
        await one.exec("head -c 6000000 /dev/zero >large")
        for far in (one.read("large"), one.snapshot()):
            try:
                await far
            except SandboxLimitError:
                continue
            raise AssertionError("it is larger than the limit")
        process = await one.start(["sh", "-c", "while read x; do echo got $x; done; echo done; exit 3"])
        await process.send(b"one\\ntwo\\n")
        heard = b""
        while heard != b"got one\\ngot two\\n":
            heard += await process.receive()
        await process.close_stdin()
        while more := await process.receive():
            heard += more
        assert heard.endswith(b"done\\n"), heard
        assert (await process.wait()).code == 3
        sleeper = await one.start(["sleep", "1000"])
        await sleeper.kill()
        assert (await sleeper.wait()).code in (-9, 137)
        with anyio.move_on_after(1) as scope:
            await one.exec("sleep 1000 & sleep 1000")
        assert scope.cancelled_caught
        assert b"sleep 1000" not in (await one.exec("cat /proc/[0-9]*/cmdline | tr '\\\\0' ' '; :")).stdout.replace(b"cat", b"")
anyio.run(main)
""",
    )
    assert made.claims == {}


HOLD = """
async def main():
    async with box() as one:
        print("open", flush=True)
        while await anyio.to_thread.run_sync(sys.stdin.readline):
            print((await one.exec("echo there")).stdout.decode(), end="", flush=True)
anyio.run(main)
"""


def holding(kind: str) -> subprocess.Popen[str]:
    """A program with an open sandbox, which runs a command there for each line that it is sent."""
    process = program(kind, HOLD)
    assert process.stdout
    assert process.stdout.readline() == "open\n"
    return process


def test_a_lease_is_renewed_while_the_owner_lives_and_the_controller_ends_it_afterwards(
    remote: tuple[Cluster, str],
) -> None:
    made, kind = remote
    made.faults["patch"] = 1
    process = holding(kind.replace("lease-s=3600", "lease-s=8,ready-s=1"))
    assert process.stdin
    assert process.stdout
    (claim,) = made.claims.values()
    labels = claim["metadata"]["labels"]
    assert labels["honestly.sandbox"] == "1"
    assert f"-{process.pid}-" in labels["honestly.sandbox/owner"]
    time.sleep(12)
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "there\n", "the pod outlives the lease that it began with"
    assert list(made.claims.values()) == [claim]
    process.kill()
    process.communicate()
    until = time.monotonic() + 20
    while made.claims and time.monotonic() < until:
        time.sleep(0.1)
    assert made.claims == {}, "nobody but the cluster was there to delete it"
    assert made.pods == {}


def test_a_claim_that_is_gone_already_is_no_error(remote: tuple[Cluster, str]) -> None:
    made, kind = remote
    process = holding(kind)
    made.delete(*made.claims)
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_claims_of_the_dead_are_deleted_by_the_next_and_those_of_the_living_stay(remote: tuple[Cluster, str]) -> None:
    made, kind = remote
    living, dying = holding(kind), holding(kind)
    dying.kill()
    dying.wait()
    elsewhere = {"honestly.sandbox": "1", "honestly.sandbox/owner": "ffffff000000-1-1-000000000000-000000"}
    for name, labels in (("theirs", elsewhere), ("not-ours", {})):
        made.create({"metadata": {"name": name, "labels": labels}, "spec": {"warmPoolRef": {"name": "pool"}}})
    said(kind, "async def main():\n    async with box():\n        pass\nanyio.run(main)")
    owners = [claim["metadata"]["labels"].get("honestly.sandbox/owner", "") for claim in made.claims.values()]
    assert len(owners) == 3
    assert any(f"-{living.pid}-" in owner for owner in owners)
    assert {"theirs", "not-ours"} < set(made.claims)
    living.communicate(timeout=60)
    assert set(made.claims) == {"theirs", "not-ours"}


REFUSED = """
async def main():
    for _ in range(2):
        try:
            async with box(also=ALSO) as one:
                await one.exec("true")
        except SandboxError as error:
            print(type(error).__name__, error, flush=True)
        else:
            print("went well", flush=True)
anyio.run(main)
"""


@pytest.mark.parametrize(
    ("faults", "also", "first", "second"),
    [
        ({"create": 1}, "", "SandboxError", "went well"),
        ({"list": 1}, "", "SandboxError", "went well"),
        ({"slow": 30}, ",ready-s=1", "SandboxError", "SandboxError"),
        ({"execute": 1}, "", "SandboxError", "went well"),
        ({"upload": 1}, "", "SandboxError", "went well"),
        ({"lost": 1}, "", "SandboxError", "went well"),
        ({"watch": 1}, "", "went well", "went well"),
        ({"delete": 2}, "", "went well", "went well"),
    ],
)
def test_faults_of_the_cluster_are_errors_of_one_sandbox_and_leave_no_claim(
    remote: tuple[Cluster, str], faults: dict[str, int], also: str, first: str, second: str
) -> None:
    made, kind = remote
    made.faults.update(faults)
    lines = said(kind, REFUSED.replace("ALSO", repr(also))).splitlines()
    assert [line.partition(" ")[0] if "Error" in line else line for line in lines] == [first, second], lines
    assert made.claims == {}
    assert made.asked["list"] == 1 + faults.get("list", 0), (
        "who is dead is looked for once, and again where that failed"
    )


def test_a_pool_that_is_not_there_ends_a_run_instead_of_spoiling_its_trials(remote: tuple[Cluster, str]) -> None:
    made, kind = remote
    (line, _) = said(kind.replace("pool=pool", "pool=nowhere"), REFUSED.replace("ALSO", "''")).splitlines()
    assert line.startswith("SandboxUnavailableError")
    assert "no such pool" in line
    assert made.claims == {}


def test_an_agent_works_in_a_pod(remote: tuple[Cluster, str], tmp_path: Path) -> None:
    made, kind = remote
    words = [str(peer("kubernetes")), "-m", "honestly", "run", "embedded", "--task", "split-bill", "--agent", "nop"]
    words += [
        "--agent",
        "honest:name=h,easy=1,medium=1,hard=1",
        "--sandbox",
        kind,
        "--out",
        str(tmp_path / "s.honestly"),
    ]
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(words, capture_output=True, text=True, env=environ, check=False, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert made.asked["create"] >= 2
    assert made.claims == {}
