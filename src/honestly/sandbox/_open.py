"""Opening a sandbox: the one place that decides which kind it is."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from honestly.errors import SandboxError, SandboxUnavailableError
from honestly.records import Tree
from honestly.sandbox._api import Limits, Sandbox
from honestly.sandbox._container import Container
from honestly.sandbox._layout import DEFAULT, Extent, Layout
from honestly.seams import KnownName, Seam

if TYPE_CHECKING:
    from honestly.sandbox._egress import Egress

_LIMITS = Limits()


class Provider(Protocol):
    """Opens sandboxes."""

    def __call__(self, tree: Tree, limits: Limits, layout: Layout, /) -> AbstractAsyncContextManager[Sandbox]:
        """A sandbox whose workspace holds the files of `tree`; on leaving, everything inside is killed."""
        ...


_HERE = "honestly.sandbox._open:open_sandbox"

SANDBOXES = Seam(
    kind="sandbox",
    group="honestly.sandboxes",
    protocol="honestly.sandbox.Provider",
    error=SandboxError,
    known=(
        KnownName("namespaces", _HERE, "a box of Linux namespaces, the usual one"),
        KnownName("none", _HERE, "no isolation: for code that is known to be harmless"),
        KnownName("docker", _HERE, "a container of an image that Docker has", "IMAGE"),
        KnownName("podman", _HERE, "a container of an image that Podman has", "IMAGE"),
        KnownName(
            "kubernetes",
            "honestly.sandbox._kubernetes:open_kubernetes",
            "a pod of a warm pool of agent-sandbox: `pool=NAME,namespace=NAME` (extra `kubernetes`)",
        ),
    ),
)
"""What can be named with `run --sandbox`."""


def known_provider(provider: str) -> str:
    """The built-in name of a provider; empty for your own, or for none.

    Raises:
        SandboxError: It names nothing.
    """
    spec = SANDBOXES.parse(provider) if provider else None
    return spec.name if spec and not SANDBOXES.is_foreign(spec) else ""


def check_provider(provider: str) -> None:
    """Checks that the sandbox named in `run --sandbox` can be imported.

    Raises:
        SandboxError: It names nothing, or what cannot be imported.
    """
    spec = SANDBOXES.parse(provider)
    if SANDBOXES.is_foreign(spec):
        SANDBOXES.make_object(spec)


@asynccontextmanager
async def open_sandbox(
    tree: Tree,
    limits: Limits = _LIMITS,
    *,
    layout: Layout = DEFAULT,
    container: Container | None = None,
    egress: Egress | None = None,
    extent: Extent = Extent.MACHINE,
    unsafe: bool = False,
    provider: str = "",
) -> AsyncIterator[Sandbox]:
    """Open a sandbox whose workspace holds the files of `tree`; on leaving, everything inside is killed.

    Args:
        tree: The files of the workspace.
        limits: What the code inside may use.
        layout: Where the workspace lies, and which other directories there are.
        container: Have Docker or Podman run a container of an image, instead of building a box of namespaces.
        egress: What of the network the code inside may reach; None for nothing at all.
        extent: How much of this machine to show, as far as the sandbox shows it at all.
        unsafe: Isolate nothing (`UnsafeSandbox`); for people who know that the code is harmless. Of a layout, it can
            only show packages.
        provider: Who opens it: a name in `SANDBOXES`, or `module:object`; what the other arguments say if empty.

    Raises:
        ValueError: The layout does not fit this machine, or what is asked for does not go together.
        SandboxUnavailableError: This machine does not let us build a sandbox; the message says what to do.
        SandboxError: The files don't fit.
    """
    if os.name != "posix":
        raise SandboxUnavailableError(
            f"commands cannot be run on {sys.platform}. Run honestly in a Linux container (Docker, Podman) or virtual "
            "machine; everything but running untrusted code works here."
        )
    box: Sandbox
    if provider:
        spec = SANDBOXES.parse(provider)
        if SANDBOXES.is_foreign(spec) or spec.name == "kubernetes":
            async with SANDBOXES.make_object(spec)(tree, limits, layout) as box:
                yield box
            return
        unsafe = unsafe or spec.name == "none"
        container = Container(spec.text, spec.name) if spec.text else container
    if container and unsafe:
        raise ValueError(f"{container} and no isolation are asked for; expected one of them")
    if egress and (container or unsafe):
        raise ValueError("egress by an allow-list is asked for; only the sandbox of namespaces has it")
    # Imported here: on other systems some of the modules behind these do not exist.
    if container:
        from honestly.sandbox._engine import ContainerSandbox

        box = await ContainerSandbox.open(container, tree, limits, layout)
    elif unsafe:
        from honestly.sandbox._unsafe import UnsafeSandbox

        plain = Layout(packages=layout.packages, pythonpath=layout.pythonpath, named_streams=layout.named_streams)
        if layout != plain:
            raise SandboxUnavailableError(
                f"without isolation nothing can be shown at {', '.join(layout.named_paths)}; run this in a sandbox"
            )
        box = await UnsafeSandbox.open(tree, limits, layout)
    else:
        from honestly.sandbox._linux import LinuxSandbox
        from honestly.sandbox._places import with_certificates

        shown = with_certificates(layout) if egress else layout
        box = await LinuxSandbox.open(tree, limits, shown, egress, extent)
    try:
        yield box
    finally:
        await box.close()
