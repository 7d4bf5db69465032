"""Harbor's task.toml: every key that Harbor documents, in versions 1.0 to 1.4, and what becomes of it here.

Read and used: timeouts of agent, verifier and build; users; variables, where `${NAME:-default}` is this machine's,
filled in when a sandbox opens; networks (`network_mode`, `allowed_hosts`, and `allow_internet` of old); processors,
memory and storage; the working directory; the health check. Without meaning here: what describes a task, and
`artifacts`, since all that was changed is kept. Whatever else is there is required, and named: GPUs, steps,
keys that are not known.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec

from honestly._toml import misspelt_keys
from honestly.errors import TaskError
from honestly.records import Environment, Healthcheck, ToolServer, Tree

_Seconds = Annotated[float, msgspec.Meta(gt=0, le=604_800)]
_Mode = Literal["public", "no-network", "allowlist"]
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B?)?\s*", re.IGNORECASE)
_UNITS = {"": 1 / (1 << 20), "K": 1 / 1024, "M": 1, "G": 1024, "T": 1 << 20}
_STORAGE_MB = 10_240
_PUBLIC = "*"


class _TaskTable(msgspec.Struct):
    name: str = ""
    version: str = "1.0"


class _Metadata(msgspec.Struct):
    category: object = ""
    language: object = ""
    difficulty: object = ""
    expert_time_estimate_min: object = None
    any_base: object = False
    """Whether any image will do that has the programs which the machine has: what FROM names is not needed."""


class _Health(msgspec.Struct, forbid_unknown_fields=True):
    command: str
    interval_sec: _Seconds = 5.0
    timeout_sec: _Seconds = 30.0
    start_period_sec: Annotated[float, msgspec.Meta(ge=0, le=604_800)] = 0.0
    start_interval_sec: _Seconds = 5.0
    retries: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 3


class _Agent(msgspec.Struct):
    timeout_sec: _Seconds | None = None
    user: str | int | None = None
    network_mode: _Mode | None = None
    allowed_hosts: list[str] | None = None


class _Verifier(_Agent):
    env: dict[str, str] = {}
    environment_mode: str = "shared"
    environment: dict[str, Any] | None = None
    collect: list[Any] = []


class _Solution(msgspec.Struct):
    env: dict[str, str] = {}


class _ToolServer(msgspec.Struct):
    name: str
    transport: Literal["sse", "streamable-http", "stdio"] = "sse"
    url: str | None = None
    command: str | None = None
    args: list[str] = []


class _Environment(msgspec.Struct):
    build_timeout_sec: _Seconds = 600.0
    docker_image: str | None = None
    os: str | None = None
    cpus: Annotated[float, msgspec.Meta(gt=0)] | None = None
    memory_mb: Annotated[int, msgspec.Meta(gt=0)] | None = None
    storage_mb: Annotated[int, msgspec.Meta(gt=0)] | None = None
    memory: str | None = None
    storage: str | None = None
    gpus: int | float | None = None
    gpu_types: list[str] | None = None
    tpu: Any = None
    mcp_servers: list[_ToolServer] = []
    env: dict[str, str] = {}
    skills_dir: str | None = None
    workdir: str | None = None
    healthcheck: _Health | None = None
    network_mode: _Mode | None = None
    allowed_hosts: list[str] | None = None
    allow_internet: bool | None = None

    @property
    def asks_more(self) -> bool:
        """Whether it asks for more than a workspace with files in it."""
        return bool(self.env or self.workdir or self.healthcheck or self.docker_image or self.mcp_servers)


class HarborToml(msgspec.Struct):
    """A task.toml without a table of ours."""

    task: _TaskTable = msgspec.field(default_factory=_TaskTable)
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)
    agent: _Agent = msgspec.field(default_factory=_Agent)
    verifier: _Verifier = msgspec.field(default_factory=_Verifier)
    environment: _Environment = msgspec.field(default_factory=_Environment)
    solution: _Solution = msgspec.field(default_factory=_Solution)
    steps: list[Any] = []
    schema_version: str = ""
    version: str = ""
    source: Any = None
    artifacts: list[Any] = []
    multi_step_reward_strategy: str | None = None
    unknown: list[str] = []
    """Keys that nobody here knows; filled in by `harbor_toml`."""


_TABLES = {"agent": _Agent, "verifier": _Verifier, "environment": _Environment, "solution": _Solution}
_KEYS: dict[str, set[str]] = {
    "": {*HarborToml.__struct_fields__, "honestly"} - {"unknown"},
    "task": {"name", "version", "description", "authors", "keywords"},
    **{name: set(kind.__struct_fields__) for name, kind in _TABLES.items()},
}
"""What each table may have; [metadata] may have anything."""
_IDLE = {"description", "authors", "keywords", "source", "artifacts"}
"""Keys that change nothing here, so that what is nearly one of them does no harm."""


def unknown_keys(table: dict[str, Any], honestly: Iterable[str] = ()) -> list[str]:
    """Keys of a task.toml that nobody here knows, such as `agent.colour`; of [honestly] where its keys are given.

    Raises:
        TaskError: one is nearly a key that is known.
    """
    found: list[str] = []
    for name, known in ({**_KEYS, "honestly": set(honestly)} if honestly else _KEYS).items():
        part = table.get(name) if name else table
        for key, meant in misspelt_keys(part if isinstance(part, dict) else {}, known).items():
            path = f"{name}.{key}".lstrip(".")
            if meant and meant not in _IDLE:
                raise TaskError(f"{path} is not a key of task.toml; did you mean {meant!r}?")
            found.append(path)
    return sorted(found)


def harbor_toml(table: dict[str, object]) -> HarborToml:
    """The keys of a task.toml.

    Raises:
        msgspec.ValidationError: one is not of its type.
        TaskError: one is misspelt.
    """
    known = _KEYS[""] & set(HarborToml.__struct_fields__)
    toml = msgspec.convert({key: value for key, value in table.items() if key in known}, HarborToml)
    toml.unknown = [key for key in unknown_keys(table) if not key.startswith("task.")]
    return toml


def needs_beyond(toml: HarborToml) -> list[str]:
    """The demands that no sandbox here meets, as words after "needs"."""
    environment = toml.environment
    needed = {
        "several steps": bool(toml.steps),
        "a container of its own for the tests": toml.verifier.environment_mode == "separate"
        or toml.verifier.environment is not None,
        "something collected for the tests (verifier.collect)": bool(toml.verifier.collect),
        f"the operating system {environment.os}": (environment.os or "linux").lower() != "linux",
        "a GPU": bool(environment.gpus),
        "a TPU": bool(environment.tpu),
        "skills for the agent (environment.skills_dir)": bool(environment.skills_dir),
        **{f"what task.toml calls {key}, which is not known here": True for key in toml.unknown},
    }
    return [name for name, is_needed in needed.items() if is_needed]


def environment_of(toml: HarborToml, context: Tree, *, installs: bool) -> Environment:
    """The image that a task is done in, and what its trials get.

    Args:
        toml: the task's.
        context: the Dockerfile, and what it copies; empty where the image is there already.
        installs: whether the script that judges installs its runner.

    Raises:
        TaskError: a size is none.
    """
    given, health = toml.environment, toml.environment.healthcheck
    usual = _allowed_hosts(given.network_mode, given.allowed_hosts)
    if usual is None:
        usual = () if given.allow_internet is False else (_PUBLIC,)
    agent = _allowed_hosts(toml.agent.network_mode, toml.agent.allowed_hosts)
    verifier = _allowed_hosts(toml.verifier.network_mode, toml.verifier.allowed_hosts)
    return Environment(
        image=(given.docker_image or "") if not context.files else "",
        context=context,
        workdir=given.workdir or "",
        env=given.env,
        agent_user=_user_text(toml.agent.user),
        verifier_user=_user_text(toml.verifier.user) or "root",
        verifier_env=toml.verifier.env,
        solution_env=toml.solution.env,
        agent_network=usual if agent is None else agent,
        verifier_network=usual if verifier is None else verifier,
        installs=installs,
        build_timeout_s=given.build_timeout_sec,
        cpus=given.cpus,
        memory_mb=given.memory_mb or _size_in_mib(given.memory, "memory"),
        storage_mb=given.storage_mb or _size_in_mib(given.storage, "storage") or _STORAGE_MB,
        healthcheck=Healthcheck(
            command=health.command,
            interval_s=health.interval_sec,
            timeout_s=health.timeout_sec,
            start_s=health.start_period_sec,
            retries=health.retries,
        )
        if health is not None
        else None,
        tool_servers=tuple(map(_as_tool_server, given.mcp_servers)),
    )


def _as_tool_server(given: _ToolServer) -> ToolServer:
    if not (given.command if given.transport == "stdio" else given.url):
        wanted = "command" if given.transport == "stdio" else "url"
        raise TaskError(f"the MCP server {given.name!r} of environment.mcp_servers has no {wanted}")
    if given.transport == "stdio":
        return ToolServer(name=given.name, command=(given.command or "", *given.args))
    return ToolServer(name=given.name, url=given.url or "", transport=given.transport)


def _allowed_hosts(mode: _Mode | None, hosts: list[str] | None) -> tuple[str, ...] | None:
    """Hosts that a table allows; None where it does not say."""
    if mode is None:
        return None
    return {"public": (_PUBLIC,), "no-network": (), "allowlist": tuple(hosts or ())}[mode]


def _user_text(user: str | int | None) -> str:
    return "" if user is None else str(user)


def _size_in_mib(text: str | None, name: str) -> int | None:
    """MiB that a size like `4G` means."""
    if text is None:
        return None
    found = _SIZE.fullmatch(text)
    if not found or (size := float(found[1]) * _UNITS[found[2].upper()]) < 1:
        raise TaskError(f"environment.{name} is {text!r}; expected a size such as 512M or 4G")
    return int(size)
