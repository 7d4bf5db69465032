"""Sandboxes in pods of a Kubernetes cluster that runs kubernetes-sigs/agent-sandbox, by its own client.

    honestly run ... --sandbox kubernetes:pool=python-pool,namespace=evals

A sandbox is a claim on a warm pool, whose template says everything about the pod: image, limits, network. The claim
carries its owner (as `honestly.scratch` names programs) and a lease, the claim's `shutdownTime`, which its owner renews
as long as the sandbox is open. It is deleted when the sandbox is closed; when the lease has run out, agent-sandbox's
controller deletes it, by the cluster's clock. A claim whose owner was a program of this machine that has died is
deleted before that, by the next program that opens a sandbox in the namespace.

The runtime in the pod is the one whose API is `/execute`, `/upload` and `/download` (python-runtime); it runs as the
same user as the code, which can end it. Not covered: `Limits` of memory and processes, which the template sets; egress,
doors, and layouts that show something of this machine.
"""

import io
import secrets
import shlex
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from logging import getLogger
from typing import Any, TypeVar

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from honestly._group import flat_group
from honestly.errors import SandboxError, SandboxLimitError, SandboxUnavailableError
from honestly.records import Tree
from honestly.sandbox._api import Limits, Sandbox
from honestly.sandbox._layout import Layout
from honestly.sandbox._scripts import Answer, Box
from honestly.scratch import is_dead_owner, owner_name

T = TypeVar("T")
LABEL = "honestly.sandbox"
"""Every claim of ours has it; `kubectl get sandboxclaims -l honestly.sandbox` lists them."""
OWNER = f"{LABEL}/owner"
_HTTP_S = 60.0
_GROUP = {"group": "extensions.agents.x-k8s.io", "version": "v1beta1", "plural": "sandboxclaims"}
_HOPELESS = {401, 403, 404, 422}
_RENEWALS = 4  # in the time of a lease, so that some may fail
_MOST_THREADS = 1000  # each waits for a pod or a command
_threads = RunVar[anyio.CapacityLimiter]("honestly_kubernetes_threads")
_reaped: set[tuple[str, str]] = set()


@asynccontextmanager
async def open_kubernetes(
    tree: Tree,
    limits: Limits,
    layout: Layout,
    *,
    pool: str,
    namespace: str = "default",
    connect: str = "tunnel",
    port: int = 8888,
    lease_s: int = 1800,
    ready_s: int = 180,
) -> AsyncIterator[Sandbox]:
    """Open a sandbox in a pod; on leaving, its claim is deleted.

    Args:
        tree: The files of the workspace.
        limits: How long commands may run, and how many bytes come back; the rest is the template's.
        layout: Where the workspace lies.
        pool: Name of the `SandboxWarmPool`.
        namespace: Where it lies.
        connect: How pods are reached: `tunnel` by `kubectl port-forward` to the sandbox router, `cluster` from a pod of
            the same cluster, or the router's address.
        port: Where the runtime listens in the pod.
        lease_s: Seconds after which the claim is deleted if this program has not renewed it.
        ready_s: Seconds to wait for a pod.

    Raises:
        SandboxUnavailableError: The client is not installed, the cluster or the pool cannot be had, or the layout shows
            something of this machine.
        SandboxError: No pod came, or it does not answer.
    """
    if layout.root is not None or layout.packages or layout.shown:
        raise SandboxUnavailableError("a pod shows nothing of this machine: no packages, root or directories of it")
    client = await _in_thread(_client, connect, port)
    if (namespace, connect) not in _reaped:
        _reaped.add((namespace, connect))  # before it is done, so that others who open one do not wait for it
        try:
            await _in_thread(reap_claims, client, namespace)
        except SandboxError:
            _reaped.discard((namespace, connect))
            raise
    name = f"honestly-{secrets.token_hex(8)}"
    labels = {LABEL: "1", OWNER: owner_name()}
    try:
        claim = partial(client.create_sandbox, pool, namespace, ready_s, labels, claim_name=name)
        # Not renewed while it waits for a pod, which may take as long as that.
        pod = await _in_thread(claim, shutdown_after_seconds=ready_s + lease_s)
        async with _renewed_lease(client, name, namespace, lease_s):
            box = Box(_ClientPod(pod), limits, layout)
            await box.plant_tree(tree)
            yield box
            await box.close()
    finally:
        with anyio.CancelScope(shield=True):
            # Tried again for half a minute; then its lease must run out.
            for wait in (0.5, 1, 2, 4, 8, 16, 0):
                with suppress(SandboxError):
                    await _in_thread(client.k8s_helper.delete_sandbox_claim, name, namespace, (5.0, 10.0))
                    break
                await anyio.sleep(wait)


@asynccontextmanager
async def _renewed_lease(client: Any, name: str, namespace: str, lease_s: int) -> AsyncIterator[None]:  # noqa: ANN401
    """Context in which a claim's lease is renewed; where that fails, it is said, and tried again the next time."""
    from k8s_agent_sandbox.utils import construct_sandbox_claim_lifecycle_spec as lease_of

    async def renew() -> None:
        while True:
            await anyio.sleep(lease_s / _RENEWALS)
            lease = {"spec": {"lifecycle": lease_of(lease_s)}}
            try:
                await _in_thread(client.k8s_helper.patch_sandbox_claim, name, namespace, lease, abandon=True)
            except SandboxError as error:
                getLogger("honestly").warning("the lease of %s cannot be renewed: %s", name, error)

    async with flat_group() as group:
        group.start_soon(renew)
        yield
        group.cancel_scope.cancel()


def reap_claims(client: Any, namespace: str) -> list[str]:  # noqa: ANN401 - the client's types are not always installed
    """Delete claims whose owner was a program of this machine and has died; their names."""
    listed = client.k8s_helper.custom_objects_api.list_namespaced_custom_object(
        namespace=namespace, label_selector=LABEL, **_GROUP
    )
    gone: list[str] = []
    for claim in listed.get("items", []):
        facts = claim.get("metadata", {})
        if is_dead_owner(facts.get("labels", {}).get(OWNER, "")):
            # By its uid: another claim may have come to the name.
            client.k8s_helper.delete_sandbox_claim(facts["name"], namespace, expected_uid=facts.get("uid"))
            gone.append(facts["name"])
    return gone


class _ClientPod:
    """`Pod` by the client of agent-sandbox."""

    def __init__(self, pod: Any) -> None:  # noqa: ANN401
        self._pod = pod

    async def run_script(self, script: str, seconds: float) -> Answer:
        """Run a script of `sh` in the runtime's own directory.

        By an explicit shell, since some runtimes have one of their own and some have none.
        """
        command = shlex.join(["/bin/sh", "-c", script])
        run = partial(self._pod.commands.run, command, timeout=seconds + _HTTP_S, command_timeout=seconds + _HTTP_S / 2)
        answer: Answer = await _in_thread(run, abandon=True)
        return answer

    async def put(self, name: str, data: bytes) -> None:
        """Write a file there."""
        await _in_thread(self._pod.files.write, name, data, timeout=_HTTP_S)

    async def get(self, name: str, most: int) -> bytes:
        """Read a file there; a SandboxLimitError where it is larger than `most` bytes."""
        stream = io.BytesIO()
        try:
            await _in_thread(self._pod.files.read_to, name, stream, timeout=_HTTP_S, max_bytes=most)
        except _TooLargeError as error:
            raise SandboxLimitError(f"it is larger than the limit of {most} bytes") from error
        return stream.getvalue()

    async def hang_up(self) -> None:
        """Hang up; the claim is deleted by who made it."""
        await _in_thread(self._pod.close_connection)


class _TooLargeError(Exception):
    pass


def _client(connect: str, port: int) -> Any:  # noqa: ANN401
    try:
        from k8s_agent_sandbox import SandboxClient, models
    except ImportError as error:
        advice = "pip install 'honestly[kubernetes]'"
        raise SandboxUnavailableError(f"sandboxes in Kubernetes need its client: {advice}") from error
    if connect == "tunnel":
        return SandboxClient(models.SandboxLocalTunnelConnectionConfig(server_port=port))
    if connect == "cluster":
        return SandboxClient(models.SandboxInClusterConnectionConfig(server_port=port))
    return SandboxClient(models.SandboxDirectConnectionConfig(api_url=connect, server_port=port))


async def _in_thread(call: Callable[..., T], *words: object, abandon: bool = False, **more: object) -> T:
    """Call the client, which blocks, and make its errors ours."""
    try:
        limiter = _threads.get()
    except LookupError:
        _threads.set(limiter := anyio.CapacityLimiter(_MOST_THREADS))
    called = partial(_as_sandbox_errors, partial(call, *words, **more))
    return await anyio.to_thread.run_sync(called, abandon_on_cancel=abandon, limiter=limiter)


def _as_sandbox_errors(call: Callable[[], T]) -> T:
    try:
        return call()
    except SandboxError:
        raise
    except Exception as error:  # the client raises its own errors, Kubernetes', requests' and urllib3's
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if kinds == {"RuntimeError", "Exception", "BaseException", "object"} and "exceeds limit" in str(error):
            raise _TooLargeError from error
        said = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        status = getattr(error, "status", None)
        nothing_there = {"ConfigException", "SandboxTemplateNotFoundError", "SandboxWarmPoolNotFoundError"}
        if nothing_there & kinds or ("ApiException" in kinds and status in _HOPELESS):
            raise SandboxUnavailableError(f"no sandbox can be had from Kubernetes: {said}") from error
        raise SandboxError(f"the sandbox in Kubernetes: {said}") from error
