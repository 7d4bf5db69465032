"""Services beside a task's image: each in a sandbox of its own, found by the others under its names.

No sandbox has a network that others are in. A name is an address of the loopback, and on each port on which a service
listens there is a door in the other sandboxes, behind which this program passes bytes on. So a service is reached by
TCP as soon as it listens at all addresses, and reaches the other services and what the task's network allows. Where a
sandbox listens itself at all addresses of a port, it cannot have a door there.
"""

import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from logging import getLogger

import anyio
from anyio.abc import TaskGroup

from honestly._group import flat_group
from honestly.errors import SandboxError, UnhealthyError
from honestly.records import Healthcheck, Service, Tree
from honestly.sandbox import Process, Sandbox
from honestly.sandbox.images import SERVICES_FOLDER, ImageSandbox

OpenService = Callable[[Service, Tree, Mapping[str, str]], AbstractAsyncContextManager[tuple[ImageSandbox, list[str]]]]
"""Opens the sandbox of a service over what was changed of its image, with names of hosts; and what it is to run."""

_LOOK_S = 0.2
_LISTENS_S = 10.0
"""How long a service may take to listen before the others go on, where nothing says when it is ready."""
_COMPLETES_S = 600.0
_CONNECTIONS, _CHUNK, _SAID = 256, 1 << 16, 200


def service_hosts(services: Sequence[Service]) -> dict[str, str]:
    """Names of all services, and the address of each."""
    return {name: _address(at) for at, each in enumerate(services) for name in each.names}


def _address(at: int) -> str:
    return f"127.0.{1 + at // 250}.{1 + at % 250}"


def changes_of_services(tree: Tree) -> tuple[Tree, dict[str, Tree]]:
    """A snapshot's changes of the task's own image; and of each service's, by its name."""
    own, beside = {}, dict[str, dict[str, object]]()
    for path, file in tree.files.items():
        if path.startswith(f"{SERVICES_FOLDER}/"):
            _, name, inner = path.split("/", 2)
            beside.setdefault(name, {})[inner] = file
        else:
            own[path] = file
    return Tree(files=own), {name: Tree(files=files) for name, files in beside.items()}  # type: ignore[arg-type]


@asynccontextmanager
async def beside_services(
    box: ImageSandbox,
    services: Sequence[Service],
    after: Mapping[str, str],
    changes: Mapping[str, Tree],
    open_service: OpenService,
) -> AsyncIterator[None]:
    """Context in which the services of a sandbox run, and it reaches them; they have come as far as it waits for.

    Raises:
        UnhealthyError: one has ended, or is not ready in its time.
    """
    hosts = service_hosts(services)
    async with flat_group() as group:
        async with AsyncExitStack() as stack:
            network = _Network(group, {"": box})
            group.start_soon(network.keep_doors)
            running: dict[str, _Running] = {}
            for at, service in enumerate(services):
                name = service.names[0]
                for other, stage in service.after.items():
                    await running[other].wait_for(stage)
                inner, words = await stack.enter_async_context(open_service(service, changes.get(name, Tree()), hosts))
                box.beside[name] = inner
                network.add_service(name, _address(at), inner)
                running[name] = _Running(service, inner, await inner.start(words))
                group.start_soon(running[name].listen_to)
            for name, each in running.items():
                await each.wait_for(after.get(name, "started"))
            await network.open_doors()
            yield
        group.cancel_scope.cancel()


async def wait_until_healthy(box: Sandbox, check: Healthcheck, who: str = "the environment") -> None:
    """Ask until it is healthy.

    Raises:
        UnhealthyError: it is not, as often as it is asked.
    """
    failures, began, said = 0, anyio.current_time(), b""
    while failures <= check.retries:
        result = await box.exec(check.command, timeout=check.timeout_s)
        if result.code == 0:
            return
        said = result.stderr.strip() or result.stdout.strip()
        failures += anyio.current_time() - began >= check.start_s
        await anyio.sleep(check.interval_s)
    last = said[-_SAID:].decode("utf-8", "replace")
    raise UnhealthyError(f"{who}'s health check failed {failures} times: {last}")


class _Running:
    """A service that was started."""

    def __init__(self, service: Service, box: ImageSandbox, process: Process) -> None:
        self._name, self._check = service.names[0], service.environment.healthcheck
        self._box, self._process = box, process
        self._said = b""
        self._code: int | None = None
        self._ended = anyio.Event()

    async def listen_to(self) -> None:
        """Take in what it says, until it ends."""
        with suppress(SandboxError):
            while said := await self._process.receive():
                self._said = (self._said + said)[-_SAID:]
            result = await self._process.wait()
            self._said, self._code = (self._said + result.stderr)[-_SAID:], result.code
        self._ended.set()

    async def wait_for(self, stage: str) -> None:
        """Wait until it is `started`, which is when it listens or nothing tells, `healthy` or `completed`."""
        if stage == "completed":
            with anyio.move_on_after(_COMPLETES_S):
                await self._ended.wait()
            if self._code != 0:
                raise UnhealthyError(self._words("did not complete"))
        elif self._check is not None and stage == "healthy":
            await wait_until_healthy(self._box, self._check, f"the service {self._name}")
        else:
            deadline = anyio.current_time() + _LISTENS_S
            while anyio.current_time() < deadline and not await self._box.open_ports():
                with anyio.move_on_after(_LOOK_S):
                    await self._ended.wait()
                    break
            if self._code:
                raise UnhealthyError(self._words("ended at once"))

    def _words(self, what: str) -> str:
        said = self._said.strip().decode("utf-8", "replace")
        return f"the service {self._name} {what} (exit status {self._code}): {said}"


class _Network:
    """Doors between sandboxes."""

    def __init__(self, group: TaskGroup, boxes: dict[str, ImageSandbox]) -> None:
        self._group, self._boxes = group, boxes
        self._addresses: dict[str, str] = {}
        self._doors: set[tuple[str, str, int]] = set()
        self._places = anyio.Semaphore(_CONNECTIONS)

    def add_service(self, name: str, address: str, box: ImageSandbox) -> None:
        self._boxes[name], self._addresses[name] = box, address

    async def keep_doors(self) -> None:
        """Open doors to what begins to listen, for as long as it lasts."""
        while True:
            with suppress(SandboxError):  # one that is closed is reached by nobody, and the others as before
                await self.open_doors()
            await anyio.sleep(_LOOK_S)

    async def open_doors(self) -> None:
        """Open the doors that are missing."""
        for name, address in list(self._addresses.items()):
            for port in await self._boxes[name].open_ports():
                for other, box in list(self._boxes.items()):
                    if other != name and (other, name, port) not in self._doors:
                        self._doors.add((other, name, port))
                        await self._open_door(other or "the task's own container", box, name, address, port)

    async def _open_door(self, other: str, box: ImageSandbox, name: str, address: str, port: int) -> None:
        try:
            listener = await box.listen(port, address)
        except SandboxError as error:
            getLogger("honestly").warning("%s cannot reach port %d of the service %s: %s", other, port, name, error)
            return
        listener.setblocking(False)
        self._group.start_soon(self._serve_listener, listener, self._boxes[name], port)

    async def _serve_listener(self, listener: socket.socket, box: ImageSandbox, port: int) -> None:
        with listener:
            while True:
                await anyio.wait_readable(listener)
                await self._places.acquire()  # who waits for a place has no descriptor of ours
                try:
                    caller = listener.accept()[0]
                except OSError:  # who wanted to connect is gone
                    self._places.release()
                else:
                    self._group.start_soon(self._pass_on, caller, box, port)

    async def _pass_on(self, caller: socket.socket, box: ImageSandbox, port: int) -> None:
        try:
            with caller, suppress(OSError, SandboxError):
                caller.setblocking(False)
                with await box.connect(port) as called:
                    async with anyio.create_task_group() as group:
                        group.start_soon(_pass_bytes, caller, called)
                        group.start_soon(_pass_bytes, called, caller)
        finally:
            self._places.release()


async def _pass_bytes(source: socket.socket, sink: socket.socket) -> None:
    """Pass on what comes until it ends, and that it has ended."""
    with suppress(OSError):
        while True:
            await anyio.wait_readable(source)
            with suppress(BlockingIOError):
                if not (left := memoryview(source.recv(_CHUNK))):
                    break
                while left:
                    await anyio.wait_writable(sink)
                    with suppress(BlockingIOError):
                        left = left[sink.send(left) :]
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
