"""Where trials run, as somebody types it: `local`, `ray`, `ray:cpus=0.25,...`, `ray://HOST:PORT`."""

from dataclasses import dataclass
from typing import Annotated

import msgspec

from honestly.errors import HonestlyError
from honestly.seams import Positive, did_you_mean, parse_list, parse_spec, read_settings

_TYPES = {"address": str, "cpus": Positive, "memory-mb": Annotated[int, msgspec.Meta(ge=1)], "env": str}
PLACES = ("local", "ray")

LOST = "WorkerLost"
"""Start of the reason of an attempt whose process or machine was lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RayOptions:
    """How trials run on Ray."""

    address: str = ""
    """Of a cluster, as Ray takes it. Empty: the Ray that runs on this machine, and one of our own where none does."""
    cpus: float | None = None
    """Cores that Ray sets aside for each trial; what the task's image asks for, and otherwise one, where None."""
    memory_mb: int | None = None
    """MiB that Ray sets aside for each trial; what its sandbox may fill, where None."""
    env: tuple[str, ...] = ()
    """Variables that the workers get from here: a model's key, say."""


def read_on(text: str) -> RayOptions | None:
    """The choices in `--on`; None for this machine without Ray.

    Raises:
        HonestlyError: it names no such place, or a setting makes no sense.
    """
    if text in {"", "local"}:
        return None
    if text.startswith("ray://"):
        return RayOptions(address=text)
    spec = parse_spec(text, PLACES)
    if spec is None or spec.name != "ray":
        raise HonestlyError(
            f"--on {text!r}{did_you_mean(text, PLACES)}: expected local, ray, ray:KEY=VALUE,... or ray://HOST:PORT"
        )
    given = read_settings(spec.settings, _TYPES, "--on ray")
    given["env"] = parse_list(given["env"]) if "env" in given else ()
    return RayOptions(**{key.replace("-", "_"): value for key, value in given.items()})
