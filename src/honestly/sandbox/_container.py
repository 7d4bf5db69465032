"""The words to Docker and Podman: which container, behind which walls, and how a command is run in it.

Everything here is plain lists of words, so that it can be read and tested without an engine. The container's first
process belongs to its root, who has no capabilities; it waits for the end of its standard input, which is the end of
this program, however that comes, and the container's. All commands belong to user 1000, who cannot reach it.
"""

import os
import resource
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from honestly.sandbox._api import Limits
from honestly.sandbox._guest._ids import USER
from honestly.sandbox._layout import Layout

LABEL = "honestly.sandbox"
"""Every container of ours has it; `docker ps --filter label=honestly.sandbox` lists them."""
READY = b"ready\n"
"""What the first process says when the container stands."""
TAG = "HONESTLY_COMMAND"
"""Variable by which the processes of a command are known."""

_MIB = 1 << 20
_KERNEL_MIB = 64
_PID_MAX = Path("/proc/sys/kernel/pid_max")
_ENGINES = ("docker", "podman")
_FIRST = "echo ready; while read -r line; do :; done; exit 0"
# The tag first: an error text without it is the engine's, and the command was not started.
_START = 'echo "$HONESTLY_COMMAND" >&2; cd -- "$1" || exit 126; shift; exec "$@"'
_KILL = """
for round in 1 2 3 4 5 6 7 8; do
  found=
  for file in /proc/[0-9]*/environ; do
    if grep -q -- "$1" "$file"; then
      process=${file#/proc/}
      kill -9 "${process%/environ}" && found=1
    fi
  done
  [ "$found" ] || exit 0
done
exit 1
"""
_CLIENT = ("PATH", "HOME", "TMPDIR", "USER", "LANG", "SSH_AUTH_SOCK")
_CLIENT_PREFIXES = ("DOCKER_", "CONTAINER", "XDG_", "LD_", "LC_", "PODMAN_", "GO")


@dataclass(frozen=True, slots=True)
class Container:
    """A kind of container: the image, and the engine that runs it.

    The image is not fetched. It needs `sh`, `tar`, `cat`, `grep`, `mkdir` and `chmod`, as nearly every image has.
    """

    image: str
    engine: str = "docker"
    """`docker` or `podman`: the name of its command-line client."""

    def __post_init__(self) -> None:
        if self.engine not in _ENGINES:
            raise ValueError(f"the engine is {self.engine!r}; expected one of {', '.join(_ENGINES)}")
        if not self.image or self.image.startswith("-") or not self.image.isprintable() or " " in self.image:
            raise ValueError(f"the image is {self.image!r}; expected the name of one, such as python:3.12")

    @classmethod
    def from_text(cls, text: str) -> "Container":
        """The container that `docker:IMAGE` or `podman:IMAGE` names.

        Raises:
            ValueError: It is not of this form.
        """
        engine, _, image = text.partition(":")
        return cls(image, engine)

    def __str__(self) -> str:
        return f"{self.engine}:{self.image}"


def run_words(container: Container, name: str, limits: Limits, layout: Layout) -> list[str]:
    """The command that starts a container and stays attached to its first process.

    Raises:
        ValueError: The layout asks for what a container cannot give.
    """
    if layout.root is not None or layout.packages:
        raise ValueError("the layout names a root file system or packages; in a container these are the image's")
    # The files are in memory, too, and the first process is one more.
    memory = limits.memory_mb + limits.disk_mb + _KERNEL_MIB
    words = [
        *(container.engine, "run", "--rm", "--interactive", "--pull=never", f"--name={name}", f"--label={LABEL}=1"),
        *("--network=none", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--read-only", "--user=0:0"),
        *("--hostname=box", f"--memory={memory}m", f"--memory-swap={memory}m", f"--pids-limit={limits.processes + 1}"),
        *(f"--shm-size={limits.disk_mb}m", "--workdir=/", "--entrypoint=/bin/sh", "--log-driver=none"),
    ]
    for kind, most in (
        ("core", 0),
        ("cpu", limits.cpu_s),
        ("data", limits.data_mb * _MIB),
        ("fsize", limits.file_mb * _MIB),
        ("nofile", limits.open_files),
    ):
        words.append(f"--ulimit={kind}={most}:{most}")
    options = f"rw,exec,nosuid,nodev,mode=1777,size={limits.disk_mb}m"
    if container.engine == "podman":  # which would fill them from the image, and add others of its own
        options += ",notmpcopyup"
        words.append("--read-only-tmpfs=false")
        words += _own_processes()
    for path in (layout.workspace, *layout.private, "/tmp"):  # noqa: S108 - inside
        words.append(f"--tmpfs={path}:{options}")
    for inside, outside in layout.shown.items():
        if ":" in inside or ":" in str(outside):
            raise ValueError(f"the layout shows {outside} at {inside}; a container takes no paths with a colon")
        words.append(f"--volume={outside.resolve()}:{inside}:ro")
    return [*words, container.image, "-c", _FIRST]


def _own_processes() -> list[str]:
    """The settings that keep Podman from asking for more processes of a user than this program may grant."""
    if not _PID_MAX.exists():  # the engine runs in a virtual machine
        return []
    granted, numbers = resource.getrlimit(resource.RLIMIT_NPROC)[1], int(_PID_MAX.read_text())
    # No limit beyond the machine's own: so many processes there cannot be.
    most = numbers if granted == resource.RLIM_INFINITY else min(granted, numbers)
    return [f"--ulimit=nproc={most}:{most}"]


def exec_words(
    container: Container, name: str, argv: Sequence[str], env: Mapping[str, str], cwd: str
) -> tuple[list[str], dict[str, str]]:
    """The command that runs another one inside, and the environment in which to run it.

    Values reach the client by its environment, where other users of the machine do not see them; except for variables
    that the client itself obeys, whose values are not secret.
    """
    own = {key: value for key, value in os.environ.items() if _of_client(key)}
    words = [container.engine, "exec", "--interactive", f"--user={USER}:{USER}", "--workdir=/"]
    for key, value in env.items():
        words.append(f"--env={key}={value}" if _of_client(key) else f"--env={key}")
    words += [name, "/bin/sh", "-c", _START, "sh", cwd, *argv]
    return words, {**{key: value for key, value in env.items() if not _of_client(key)}, **own}


def _of_client(key: str) -> bool:
    return key in _CLIENT or key.startswith(_CLIENT_PREFIXES)


def kill_command(tag: str) -> list[str]:
    """The command that, run inside, kills every process of a command and ends with 0 if none is left."""
    return ["/bin/sh", "-c", _KILL, "sh", f"{TAG}={tag}"]
