"""Compose files of tasks: the services beside the container in which a task is done.

Each service gets an image and a sandbox of its own, and is found by its name. Read are `build`, `image`, `command`,
`entrypoint`, `environment`, `depends_on`, `healthcheck`, `working_dir`, `user`, `hostname`, `mem_limit`, and aliases of
networks. Files beside the compose file that are mounted are copied into the image; a volume of one service is a folder
like any other. What says nothing here (`ports`, `restart`, ...) is passed over; whatever else is there, volumes that
services share above all, is required, and named.
"""

import json
import math
import posixpath
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Literal, NamedTuple

import msgspec
import yaml
from msgspec.structs import replace

from honestly._toml import refusal_text
from honestly.errors import TaskError
from honestly.records import Environment, File, Healthcheck, Service, Tree

COMPOSE_FILES = ("docker-compose.yaml", "docker-compose.yml")
_MOST_BYTES, _MOST_VALUES = 1 << 20, 100_000
_PASSED_OVER = frozenset((
    "attach", "container_name", "cpus", "cpu_count", "cpu_shares", "deploy", "expose", "init", "labels", "logging",
    "platform", "ports", "profiles", "pull_policy", "restart", "shm_size", "stdin_open", "stop_grace_period",
    "stop_signal", "tty", "ulimits",
))  # fmt: skip
_OF_MAIN = frozenset(("environment", "depends_on", "healthcheck"))
"""What is read of the task's own container; the rest is the task's, as is its network."""
_MORE_RIGHTS = frozenset(("cap_add", "devices", "gpus", "ipc", "pid", "privileged", "runtime", "sysctls"))
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}", re.IGNORECASE | re.ASCII)
_TIME = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_SIZE = re.compile(r"(\d+)([kmg]?)b?", re.IGNORECASE)
_STAGES: Mapping[str, Literal["started", "healthy", "completed"]] = {
    "service_started": "started", "service_healthy": "healthy", "service_completed_successfully": "completed",
}  # fmt: skip

_Words = str | list[str]
_Value = str | int | float | bool | None


class _Build(msgspec.Struct):
    context: str = "."
    dockerfile: str = "Dockerfile"


class _Health(msgspec.Struct):
    test: _Words = []
    interval: str = "30s"
    timeout: str = "30s"
    start_period: str = "0s"
    retries: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 3
    disable: bool = False


class _Dependency(msgspec.Struct):
    condition: str = "service_started"


class _Network(msgspec.Struct):
    aliases: list[str] = []


class _Volume(msgspec.Struct):
    target: str
    source: str = ""
    type: str = "volume"


class _Service(msgspec.Struct):
    build: str | _Build | None = None
    image: str = ""
    command: _Words | None = None
    entrypoint: _Words | None = None
    environment: dict[str, _Value] | list[str] = {}
    depends_on: list[str] | dict[str, _Dependency] = []
    healthcheck: _Health | None = None
    working_dir: str = ""
    user: str | int = ""
    hostname: str = ""
    mem_limit: str | int = ""
    networks: list[str] | dict[str, _Network | None] = []
    volumes: list[str | _Volume] = []


class ComposedServices(NamedTuple):
    """The services of a compose file, and what its main one says."""

    services: tuple[Service, ...] = ()
    env: Mapping[str, str] = {}
    after: Mapping[str, Literal["started", "healthy", "completed"]] = {}
    healthcheck: Healthcheck | None = None
    needs: tuple[str, ...] = ()
    """What of the file no sandbox here gives, as words after "needs"."""


def composed_services(text: str, context: Tree, main: Callable[[Sequence[str]], str], where: str) -> ComposedServices:
    """The services that a compose file puts beside a task's own container.

    Args:
        text: the file.
        context: the folder that it lies in.
        main: names the service of the task's own container, of all names.
        where: what the file is called in errors.

    Raises:
        TaskError: it is no compose file; the message says where and why.
    """
    given = _read_services(text, where)
    own = main(list(given))
    needs: list[str] = []
    services = []
    for name, table in given.items():
        keys = _OF_MAIN if name == own else frozenset(_Service.__struct_fields__)
        known = {key: value for key, value in table.items() if key in keys}
        unknown = table.keys() & _MORE_RIGHTS if name == own else table.keys() - known.keys() - _PASSED_OVER
        if name != own and isinstance(build := known.get("build"), dict):
            unknown |= {
                f"build.{key}" for key in build.keys() - {"context", "dockerfile", "labels", "platforms", "tags"}
            }
        needs += [f"{key} of the service {name} ({where})" for key in sorted(map(str, unknown))]
        try:
            read = msgspec.convert(known, _Service)
        except msgspec.ValidationError as error:
            raise TaskError(f"{where}: the service {name!r}: {refusal_text(error, known)}") from error
        try:
            service = _as_service(name, read, context, where, is_main=name == own)
        except _Missing as missing:
            needs.append(str(missing))
        else:
            services.append(service)
    needs += [f"the volume {name} that services share ({where})" for name in _shared_volumes(given)]
    for service in services:
        if lost := sorted(service.after.keys() - given.keys()):
            raise TaskError(f"{where}: the service {service.names[0]!r} depends on {lost[0]!r}, which it does not have")
    mine = next((each for each in services if each.names[0] == own), None)
    others = _in_order([each for each in services if each is not mine], where)
    if mine is None:
        return ComposedServices(others, needs=tuple(needs))
    return ComposedServices(others, mine.environment.env, mine.after, mine.environment.healthcheck, tuple(needs))


def with_services(environment: Environment, made: ComposedServices) -> Environment:
    """The environment of a task's own container, with what a compose file says of it, and the services beside it."""
    return replace(
        environment,
        services=made.services,
        env={**made.env, **environment.env},
        after=dict(made.after),
        healthcheck=environment.healthcheck or made.healthcheck,
    )


class _Missing(Exception):  # noqa: N818 - becomes a line of what a task needs
    """What a service needs, and no sandbox here gives."""


def _read_services(text: str, where: str) -> dict[str, dict[str, object]]:
    top = read_yaml(text, where)
    services = top.get("services") if isinstance(top, dict) else None
    if services is None and isinstance(top, dict) and "services" in top:
        return {}
    if not isinstance(services, dict):
        raise TaskError(f"{where} has no services; expected `services:` and a table of them")
    for name, table in services.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name) or not isinstance(table, dict):
            raise TaskError(f"{where}: the service {str(name)[:60]!r} is not understood; expected a name and a table")
    return services


def read_yaml(text: str, where: str) -> object:
    """What a YAML file holds, with plain values.

    Raises:
        TaskError: it is too large, also with what its aliases stand for; or no YAML that is understood.
    """
    if len(text) > _MOST_BYTES:
        raise TaskError(f"{where} has {len(text)} characters; expected at most {_MOST_BYTES}")
    try:
        found = yaml.safe_load(text)
        if _value_count(found, {}) > _MOST_VALUES:
            raise TaskError(f"{where} stands for more than {_MOST_VALUES} values, by its aliases")
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise TaskError(f"{where} is not valid YAML: {' '.join(str(error).split())[:200]}") from error
    return found


def _value_count(value: object, known: dict[int, float]) -> float:
    """How many values it holds, those under aliases each time; without end if it holds itself."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        known[id(value)] = math.inf
        inner = [*value, *value.values()] if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_value_count(each, known) for each in inner)
    return known[id(value)]


def _as_service(name: str, read: _Service, context: Tree, where: str, *, is_main: bool) -> Service:
    health = read.healthcheck
    after = read.depends_on
    if isinstance(after, list):
        after = dict.fromkeys(after, _Dependency())
    stages = {key: each.condition for key, each in after.items()}
    for key, stage in stages.items():
        if stage not in _STAGES:
            raise TaskError(f"{where}: {name!r} waits for {key!r} to be {stage!r}; expected {', '.join(_STAGES)}")
    aliases = [] if isinstance(read.networks, list) else [
        alias for each in read.networks.values() if each is not None for alias in each.aliases
    ]  # fmt: skip
    names = tuple(dict.fromkeys(filter(None, (name, read.hostname, *aliases))))
    for each in names:
        if not _NAME.fullmatch(each):
            raise TaskError(f"{where}: {each!r} is not a name of a host")
    built = Tree()
    if not is_main:
        if read.build is None and not read.image:
            raise TaskError(f"{where}: the service {name!r} has neither `build` nor `image`; give it one")
        if read.build is not None:
            made = _Build(context=read.build) if isinstance(read.build, str) else read.build
            folder = posixpath.normpath(made.context).strip("/")
            if made.context.startswith("/") or folder.startswith("..") or "://" in made.context:
                raise TaskError(f"{where}: {name!r} is built from {made.context!r}; expected a folder next to the file")
            files = context.below(folder).files
            dockerfile = posixpath.normpath(made.dockerfile)
            if dockerfile not in files:
                raise TaskError(
                    f"{where}: the service {name!r} has no {posixpath.normpath(f'{folder}/{dockerfile}')} to be built "
                    "from"
                )
            built = Tree(files={**files, "Dockerfile": files[dockerfile]})
        elif "$" in read.image:
            raise _Missing(f"the image {read.image} of the service {name}, whose name a variable gives")
        built = _with_mounts(built, read, context, f"of the service {name} ({where})")
    return Service(
        names=names,
        command=_as_words(read.command),
        entrypoint=_as_words(read.entrypoint),
        after={key: _STAGES[stage] for key, stage in stages.items()},
        environment=Environment(
            image="" if built.files or is_main else read.image,
            context=built,
            workdir=read.working_dir,
            env=_variables(read.environment),
            agent_user=str(read.user),
            memory_mb=_mebibytes(read.mem_limit, f"{where}: mem_limit of {name!r}"),
            healthcheck=_as_healthcheck(health, f"{where}: the health check of {name!r}") if health else None,
        ),
    )


def _volume_parts(given: object) -> tuple[str, str, str]:
    """Type, source and target of a volume."""
    if isinstance(given, str):
        source, _, target = given.rpartition(":") if given.count(":") == 1 else given.partition(":")
        target = target.partition(":")[0]
        return ("bind" if source.startswith((".", "/", "~", "$")) else "volume"), source, target
    if isinstance(given, dict):
        given = msgspec.convert(given, _Volume)
    return (given.type, given.source, given.target) if isinstance(given, _Volume) else ("", "", "")


def _shared_volumes(services: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Names of volumes that are of more services than one; the others are folders like any other."""
    found = Counter[str]()
    for table in services.values():
        listed = table.get("volumes")
        with suppress(msgspec.ValidationError):  # which is said elsewhere
            parts = [_volume_parts(each) for each in listed] if isinstance(listed, list) else []
            found.update({source for kind, source, _ in parts if kind == "volume" and source})
    return sorted(name for name, count in found.items() if count > 1)


def _with_mounts(built: Tree, read: _Service, context: Tree, whose: str) -> Tree:
    """The files that an image is built from, with those of the folder that are mounted into it."""
    lines, files = [], dict[str, File]()
    for at, (kind, source, target) in enumerate(map(_volume_parts, read.volumes)):
        if kind != "bind":
            continue
        path = posixpath.normpath(source)
        prefix = "" if path == "." else f"{path}/"
        inner = {name[len(prefix) :]: file for name, file in context.files.items() if name.startswith(prefix)}
        if source.startswith(("/", "~", "$")) or path.startswith("..") or not (inner or path in context.files):
            raise _Missing(f"the volume {source[:80]} {whose}, which is not a file next to it")
        place = f".mounted/{at}"
        files |= {f"{place}/{name}": file for name, file in inner.items()} or {place: context.files[path]}
        lines.append(f"COPY {json.dumps([place + '/' if inner else place, target + '/' if inner else target])}")
    if not lines:
        return built
    text = built.text("Dockerfile") if built.files else f"FROM {read.image}"
    dockerfile = File(data="\n".join([text, *lines, ""]).encode())
    return Tree(files={**built.files, **files, "Dockerfile": dockerfile})


def _as_words(given: _Words | None) -> tuple[str, ...]:
    if given is None:
        return ()
    words = shlex.split(given) if isinstance(given, str) else given
    return tuple(word.replace("$$", "$") for word in words)


def _variables(given: dict[str, _Value] | list[str]) -> dict[str, str]:
    """Variables and their values; one without a value is this machine's."""
    if isinstance(given, list):
        pairs = [entry.partition("=") for entry in given]
        return {name: value if equals else f"${{{name}}}" for name, equals, value in pairs}
    texts = {True: "true", False: "false"}
    return {
        name: f"${{{name}}}" if value is None else texts[value] if isinstance(value, bool) else str(value)
        for name, value in given.items()
    }


def _as_healthcheck(health: _Health, where: str) -> Healthcheck | None:
    test = health.test
    if health.disable or not test or test == ["NONE"]:
        return None
    if isinstance(test, str):
        command = test
    elif test[0] == "CMD-SHELL" and len(test) == 2:
        command = test[1]
    elif test[0] == "CMD":
        command = shlex.join(test[1:])
    else:
        raise TaskError(f"{where} begins with {test[0]!r}; expected CMD, CMD-SHELL or NONE")
    return Healthcheck(
        command=command.replace("$$", "$"),
        interval_s=_seconds(health.interval, where),
        timeout_s=_seconds(health.timeout, where),
        start_s=_seconds(health.start_period, where),
        retries=health.retries,
    )


def _seconds(text: str, where: str) -> float:
    found = _TIME.fullmatch(text.strip())
    if not text.strip() or not found:
        raise TaskError(f"{where}: {text!r} is not a time; expected one such as 10s or 1m30s")
    return sum(float(part or 0) * each for part, each in zip(found.groups(), (3600, 60, 1, 0.001), strict=True))


def _mebibytes(given: str | int, where: str) -> int | None:
    if given == "":
        return None
    if not (found := _SIZE.fullmatch(str(given).strip())):
        raise TaskError(f"{where} is {given!r}; expected a size such as 512m")
    return max(1, int(found[1]) * {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}[found[2].lower()] >> 20)


def _in_order(services: list[Service], where: str) -> tuple[Service, ...]:
    """The services, each after those that it waits for."""
    left, done = list(services), list[Service]()
    while left:
        ready = [each for each in left if not each.after.keys() & {other.names[0] for other in left}]
        if not ready:
            raise TaskError(f"{where}: the services {', '.join(each.names[0] for each in left)} wait for each other")
        done += ready
        left = [each for each in left if each not in ready]
    return tuple(done)
