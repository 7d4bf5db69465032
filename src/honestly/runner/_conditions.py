"""Under which conditions trials run here: the program, the machine, and what a sandbox says of itself."""

import os
import platform
from functools import cache

from msgspec.structs import replace

from honestly._version import program_version
from honestly.records import Conditions, Isolation
from honestly.sandbox import Limits, Sandbox
from honestly.sandbox import layers as all_layers


@cache
def conditions_here() -> Conditions:
    """The conditions of every trial that this process runs."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (AttributeError, ValueError, OSError):  # not every system says
        memory = None
    return Conditions(
        program=program_version(),
        python=platform.python_version(),
        kernel=f"{platform.system()} {platform.release()} {platform.machine()}",
        processors=os.cpu_count(),
        memory_mb=memory,
    )


def isolation_of(box: Sandbox, network: tuple[str, ...] = ()) -> Isolation:
    """What stands around an open sandbox; of one that is not ours, the limits and walls are not known."""
    layers = _walls() if box.name == "namespaces" else () if box.name == "none" else None
    known = Isolation(kind=box.name, layers=layers, network=network)
    limits = getattr(box, "limits", None)
    if not isinstance(limits, Limits):
        return known
    names = ("memory_mb", "disk_mb", "processes", "cpu_s")
    return replace(known, **{name: getattr(limits, name) for name in names})


@cache
def _walls() -> tuple[str, ...]:
    """Names of the layers that this machine gives; trying them takes some ten milliseconds, once."""
    return tuple(layer.name for layer in all_layers().layers if layer.present)
