"""Tasks that bring an image along: built once, and opened for whoever works or judges in it.

`in_environment` makes of something that opens sandboxes one that opens them in the task's image. Trees are then what
was changed of the image, with paths relative to its root: no files where a trial begins, and the whole difference where
it ends. What the image's entry point starts, it starts anew in each sandbox; what a trial has started is gone after it.
"""

import dataclasses
import os
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from msgspec.structs import replace

from honestly.errors import SandboxError, SandboxUnavailableError, TaskError
from honestly.records import Environment, Service, Suite, Task, Tree
from honestly.sandbox import Egress, Extent, Layout, Limits, Sandbox, open_sandbox
from honestly.sandbox.images import (
    ImageError,
    ImageSandbox,
    RootImage,
    SandboxSettings,
    build_image,
    find_image,
    has_shell,
    images_wanted,
    machine_trust,
    open_image,
    user_ids,
)
from honestly.scratch import scratch_folder
from honestly.tasks import NO_SHELL, LeftOut, environments_of
from honestly.verify._open import OpenBox
from honestly.verify._services import beside_services, changes_of_services, service_hosts, wait_until_healthy

Who = Literal["agent", "verifier", "solution"]

_IDLE = ("sh", "-c", "sleep infinity")
"""What Harbor gives an image's entry point to start."""
_LEFT_OUT = ("solution", "tests", "logs")
"""Harbor's own directories, which are laid anew for who needs them."""
_BESIDE = "/.honestly/"
"""Where no image has anything, and no work leaves anything."""
_MEMORY_MB, _STORAGE_MB = 4096, 10_240
_DISK_MB = 1024
_WALL_S = 3600.0
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::?-([^}]*))?\}|\$([A-Za-z_][A-Za-z0-9_]*)")
_PLAIN, _USUAL = Layout(), Limits()
_OPENED: set[str] = set()
"""Ids of the images whose shell this process has seen start."""


BEYOND = "HONESTLY_NETWORK"
"""Variable that names, with commas between them, what lies beyond the public network, and may be reached wherever that
may: a mirror of packages at a private address, as `10.0.0.7:443`."""


def public_network(allowed: Sequence[str]) -> tuple[str, ...]:
    """The allowed hosts; with the public network, also those that the user names."""
    own = [part.strip() for part in os.environ.get(BEYOND, "").split(",")]
    return tuple(dict.fromkeys((*allowed, *(filter(None, own) if "*" in allowed else ()))))


def image_of(task: Task) -> RootImage:
    """The image of a task.

    Raises:
        TaskError: it is not there; the message says what makes it.
    """
    assert task.environment is not None
    if (found := find_image(task.environment.image_name)) is None:
        raise TaskError(f"task {task.id}: {_missing_image(task.environment)}")
    return found


def _missing_image(environment: Environment) -> str:
    how = "`honestly task check` and `run` build it first"
    if environment.image:
        how = f"`honestly image add ARCHIVE --name {environment.image}` adds it"
    return f"its image {environment.image_name} is not there; {how}"


async def build_environments(tasks: Iterable[Task], say: Callable[[str], object]) -> tuple[LeftOut, ...]:
    """Builds the images of tasks; returns the tasks whose image cannot be used, with the reason.

    Images are built one after the other. Steps of a build may reach the public network, whatever their trials may.

    Args:
        tasks: those without an environment need nothing.
        say: told what is done, a line a step.

    Raises:
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    left_out = []
    for task in tasks:
        if task.environment is None:
            continue
        try:
            for name, environment in environments_of(task):
                if not _is_built(environment):
                    if environment.image:
                        raise TaskError(_missing_image(environment))
                    say(f"{task.id}: building {name}")
                    await _build(environment, lambda line, task=task: say(f"{task.id}: {line}"))  # type: ignore[misc]
            if (image := image_of(task)).id not in _OPENED:
                if not has_shell(image):
                    raise ImageError(NO_SHELL)
                async with open_image(image, Tree(), SandboxSettings(user="0", workdir="/"), open_sandbox) as box:
                    result = await box.exec(["sh", "-c", "exit 0"], timeout=60)
                if result.code != 0:
                    said = result.stderr.strip()[-200:].decode("utf-8", "replace")
                    raise ImageError(f"its shell (`sh`) does not start: it ended with {result.code} {said}".strip())
                _OPENED.add(image.id)
        except (SandboxError, TaskError) as error:
            if isinstance(error, SandboxUnavailableError):
                async with open_sandbox(Tree()):  # if it is this machine, and not this image, it says so again
                    pass
            left_out.append(LeftOut(task.id, (f"its image, which cannot be used: {error}",)))
    return tuple(left_out)


async def buildable_tasks(suite: Suite, say: Callable[[str], object]) -> tuple[Suite, tuple[LeftOut, ...]]:
    """Builds the images of a suite; returns it without tasks whose image cannot be used, and these tasks.

    Raises:
        TaskError: nothing is left.
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    left_out = await build_environments(suite.tasks, say)
    if not left_out:
        return suite, ()
    gone = {each.task for each in left_out}
    kept = tuple(task for task in suite.tasks if task.id not in gone)
    if not kept:
        raise TaskError(f"no task is left to run: {'; '.join(map(str, left_out))}")
    return replace(suite, tasks=kept), left_out


def images_to_build(tasks: Iterable[Task]) -> tuple[str, ...]:
    """Ids of the tasks whose image has to be built before they can be run."""
    return tuple(task.id for task in tasks if not all(_is_built(each) for _, each in environments_of(task)))


def _is_built(environment: Environment) -> bool:
    """Whether its image is there, and stands on what its Dockerfile's FROM names now."""
    image = find_image(environment.image_name)
    if image is None or environment.image:
        return image is not None
    named = images_wanted(environment.context.text("Dockerfile"))
    base = find_image(named[0]) if named else None
    return base is None or image.layers[: len(base.layers)] == base.layers


async def _build(environment: Environment, say: Callable[[str], object]) -> None:
    shown, env = machine_trust(os.environ.get("SSL_CERT_FILE", ""))
    network = Egress(allow=public_network(["*"]), log=lambda _: None, max_bytes=8 << 30)
    limits = Limits(
        wall_s=environment.build_timeout_s,
        cpu_s=7200,
        memory_mb=max(environment.memory_mb or 0, _MEMORY_MB),
        processes=1024,
        file_mb=8192,
        disk_mb=16_384,
        open_files=4096,
    )
    with scratch_folder("context") as folder:
        # Links last, so that nothing is written through one.
        for path, file in sorted(environment.context.files.items(), key=lambda item: item[1].mode == "link"):
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            if file.mode == "link":
                place.symlink_to(file.data.decode("utf-8", "surrogateescape"))
            else:
                place.write_bytes(file.data)
                place.chmod(0o755 if file.mode == "exec" else 0o644)
        name = environment.image_name
        await build_image(folder, name=name, network=network, env=env, shown=shown, limits=limits, progress=say)


@dataclass(frozen=True)
class InEnvironment:
    """Opens sandboxes in a task's image; an `OpenBox`.

    Of a layout it takes what is to be shown, and private directories that lie beside the image, or are Harbor's where
    somebody else than root, who could not make them, is to write there; limits are the environment's.
    """

    task: Task
    open_box: OpenBox
    who: Who

    def __call__(
        self,
        tree: Tree,
        /,
        *,
        layout: Layout = _PLAIN,
        limits: Limits = _USUAL,  # noqa: ARG002 - the environment has its own
        egress: Egress | None = None,
        extent: Extent = Extent.MACHINE,  # noqa: ARG002
    ) -> AbstractAsyncContextManager[Sandbox]:
        """A sandbox over what was changed of the image; `egress` is what may be reached, if the task does not say."""
        return self._opened_image(tree, layout, egress)

    @asynccontextmanager
    async def _opened_image(self, tree: Tree, layout: Layout, egress: Egress | None) -> AsyncIterator[Sandbox]:
        environment, image = self.task.environment, image_of(self.task)
        assert environment is not None
        if egress is None and (network := network_of(self.task, self.who)):
            egress = Egress(allow=network, log=lambda _: None)
        own = {"verifier": environment.verifier_env, "solution": environment.solution_env, "agent": {}}[self.who]
        user = (environment.verifier_user if self.who == "verifier" else environment.agent_user) or image.user
        own_places = () if user_ids(image.root, user)[0][0] == 0 else tuple(f"/{name}" for name in _LEFT_OUT)
        hosts = service_hosts(environment.services)
        stay = dataclasses.replace(
            _settings(environment, user, {**environment.env, **own}, egress, hosts),
            left_out=_LEFT_OUT,
            private=tuple(path for path in layout.private if path.startswith(_BESIDE) or path in own_places),
            named_streams=layout.named_streams,
        )
        stay = dataclasses.replace(stay, shown={**stay.shown, **layout.shown})
        changes, of_services = changes_of_services(tree)
        async with AsyncExitStack() as stack:
            box = await stack.enter_async_context(open_image(image, changes, stay, self.open_box))
            if environment.services:
                opener = partial(self._opened_service, egress)
                beside = beside_services(box, environment.services, environment.after, of_services, opener)
                await stack.enter_async_context(beside)
            if image.entrypoint:
                await box.start([*image.entrypoint, *_IDLE], cwd=image.workdir)
            if environment.healthcheck is not None:
                await wait_until_healthy(box, environment.healthcheck)
            yield box

    @asynccontextmanager
    async def _opened_service(
        self, egress: Egress | None, service: Service, changes: Tree, hosts: Mapping[str, str]
    ) -> AsyncIterator[tuple[ImageSandbox, list[str]]]:
        """The sandbox of a service, and what it is to run."""
        name, environment = service.names[0], service.environment
        if (image := find_image(environment.image_name)) is None:
            raise TaskError(f"task {self.task.id}: of its service {name}, {_missing_image(environment)}")
        arguments = service.command or (() if service.entrypoint else image.cmd)
        words = [*(service.entrypoint or image.entrypoint), *arguments]
        if not words:
            raise TaskError(f"task {self.task.id}: its service {name} has no command, and its image none either")
        stay = _settings(environment, environment.agent_user or image.user, environment.env, egress, hosts)
        async with open_image(image, changes, stay, self.open_box) as box:
            yield box, words


def _settings(
    environment: Environment, user: str, env: Mapping[str, str], egress: Egress | None, hosts: Mapping[str, str]
) -> SandboxSettings:
    """What a sandbox in an environment's image gets."""
    shown, trust = machine_trust(os.environ.get("SSL_CERT_FILE", "")) if egress else ({}, {})
    return SandboxSettings(
        user=user,
        workdir=environment.workdir,
        env={**trust, **{name: _VARIABLE.sub(_value, text) for name, text in env.items()}},
        network=egress,
        limits=Limits(
            wall_s=_WALL_S,
            cpu_s=7200,
            memory_mb=environment.memory_mb or _MEMORY_MB,
            processes=1024,
            file_mb=4096,
            disk_mb=_DISK_MB,
            open_files=4096,
        ),
        storage_mb=environment.storage_mb or _STORAGE_MB,
        shown=shown,
        hosts=hosts,
    )


def in_environment(task: Task, open_box: OpenBox, who: Who) -> OpenBox:
    """Opens a task's sandboxes: directly, in its image, or with the workspace in Harbor's `/app`."""
    if task.environment is None:
        harbors = task.hidden is not None and task.hidden.checks.runner == "script" and not task.hidden.checks.command
        return partial(_opened_at_app, open_box) if harbors and who == "agent" else open_box
    return InEnvironment(task, open_box.open_box if isinstance(open_box, InEnvironment) else open_box, who)


@asynccontextmanager
async def _opened_at_app(
    open_box: OpenBox,
    tree: Tree,
    /,
    *,
    layout: Layout = _PLAIN,
    **how: Any,  # noqa: ANN401 - what an OpenBox takes
) -> AsyncIterator[Sandbox]:
    """A sandbox whose workspace is `/app`; without isolation, where there is no such place, it stays where it is."""
    async with AsyncExitStack() as stack:
        try:
            box = await stack.enter_async_context(
                open_box(tree, layout=dataclasses.replace(layout, workspace="/app"), **how)
            )
        except SandboxUnavailableError:  # a machine that has no sandbox at all says so again now
            box = await stack.enter_async_context(open_box(tree, layout=layout, **how))
        yield box


def network_of(task: Task, who: Who) -> tuple[str, ...]:
    """The hosts that a task's environment may reach; empty if none."""
    if task.environment is None:
        return ()
    allowed = task.environment.verifier_network if who == "verifier" else task.environment.agent_network
    return public_network(allowed)


def _value(found: re.Match[str]) -> str:
    """The value of a variable of this machine that one of a task names."""
    return os.environ.get(found[1] or found[3], found[2] or "")
