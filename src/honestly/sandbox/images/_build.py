"""Building an image from a Dockerfile: stage by stage, step by step, each step's layer kept for the next build.

A step's layer is found again by the layers below it, what the step says, and what it copies. What a set-up step gets
from this machine (network, variables, files) is no part of that: it says how things are fetched, not what.
"""

import hashlib
import posixpath
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import anyio.to_thread
import msgspec

from honestly.errors import SandboxError
from honestly.sandbox._api import Limits
from honestly.sandbox._egress import Egress
from honestly.sandbox.images._add import Origin, State, mounts_of, plan_copy
from honestly.sandbox.images._copy import Goal, Ignore, nothing_ignored, read_ignore, text_for
from honestly.sandbox.images._dockerfile import (
    Dockerfile,
    Stage,
    Step,
    expand_words,
    read_dockerfile,
    replace_variables,
)
from honestly.sandbox.images._layer import LayerWriter, MakeLayer
from honestly.sandbox.images._model import PATH, Config, ImageError, RootImage, full_name, machine_architecture
from honestly.sandbox.images._paths import is_folder, path_inside, user_ids
from honestly.sandbox.images._run import SetUp, run_step
from honestly.sandbox.images._store import ImageStore
from honestly.sandbox.images._upper import layer_id

_IDLE = {"LABEL", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "MAINTAINER", "VOLUME"}
_SHOWN = 72

Progress = Callable[[str], object]


async def build_image(
    context: Path,
    *,
    dockerfile: Path | None = None,
    name: str = "",
    target: str = "",
    args: Mapping[str, str] | None = None,
    network: Egress | None = None,
    env: Mapping[str, str] | None = None,
    shown: Mapping[str, Path] | None = None,
    limits: Limits | None = None,
    cached: bool = True,
    progress: Progress = lambda _: None,
) -> RootImage:
    """Build an image from a Dockerfile, in our own sandbox; steps that have been done before are not done again.

    The images that it begins with must be in the store (`add_image`). Nothing half-built is kept.

    Args:
        context: The directory that `COPY` takes files from.
        dockerfile: The file; `Dockerfile` in the context by default.
        name: What the image shall be called; empty for an image that is known by its id alone.
        target: The stage to build, by name or number; the last by default.
        args: Values for what `ARG` declares.
        network: What steps may reach; None for nothing. Trials in the image do not get it.
        env: Variables that steps get beside the image's, and the image does not keep.
        shown: Files and directories of this machine that steps see, by their path in the image; it does not keep them.
        limits: Of each step; `disk_mb` is what it may write.
        cached: Use what earlier builds have done.
        progress: Called with a line for each step.

    Raises:
        ImageError: The Dockerfile, or what it needs, is not as expected; the message names the line.
        StepError: A command ended with an error; likewise, with what it wrote last.
        SandboxUnavailableError: This machine does not let us build a sandbox.
    """
    path = dockerfile or context / "Dockerfile"
    text, folder = await anyio.to_thread.run_sync(_read_dockerfile, context, path)
    named = full_name(name) if name else ""
    set_up = SetUp(network=network, env=env or {}, shown=shown or {}, **({"limits": limits} if limits else {}))
    store = ImageStore()
    with store.keeping_layers(), ExitStack() as stack:
        build = Build(store, read_dockerfile(text), folder, read_ignore(context, path), set_up, stack)
        build.args, build.cached, build.progress = dict(args or {}), cached, progress
        state = await build.build_stage(build.index_of(target))
        config = msgspec.structs.replace(state.config, layers=tuple(state.layers))
        root = state.root if state.merged == len(state.layers) else None
        return await anyio.to_thread.run_sync(store.keep_image, config, named, root)


def _read_dockerfile(context: Path, path: Path) -> tuple[str, Path]:
    """The text of a Dockerfile, and the absolute path of its context."""
    if not context.is_dir():
        raise ImageError(f"{context} is not a directory; expected the one that COPY takes files from")
    return text_for(context, path), context.absolute()


class Build:
    """One run over a Dockerfile."""

    args: dict[str, str]
    cached: bool
    progress: Progress

    def __init__(
        self, store: ImageStore, file: Dockerfile, context: Path, ignored: Ignore, set_up: SetUp, stack: ExitStack
    ) -> None:
        self.store, self.file, self.context, self.ignored, self.set_up = store, file, context, ignored, set_up
        self._stack = stack
        self._states: dict[int, State] = {}

    def index_of(self, target: str) -> int:
        """The number of a stage.

        Raises:
            ImageError: There is none of that name.
        """
        stages = self.file.stages
        if not target:
            return len(stages) - 1
        found = self.find_stage(target, len(stages))
        if found is None:
            names = ", ".join(stage.name for stage in stages if stage.name) or "none has a name"
            raise ImageError(f"the Dockerfile has no stage {target!r}; expected one of its stages: {names}")
        return found

    def find_stage(self, name: str, before: int) -> int | None:
        """The number of the last stage with a name, of those before another; None if there is none."""
        for index in range(before - 1, -1, -1):
            if name.lower() == self.file.stages[index].name or name == str(index):
                return index
        return None

    async def build_stage(self, index: int) -> State:
        """Build a stage, and what it begins with.

        Raises:
            SandboxError: A step failed.
        """
        if index in self._states:
            return self._states[index]
        stage = self.file.stages[index]
        state = await self._begin_stage(stage, index)
        for number, step in enumerate(stage.steps, 1):
            said = " ".join(f"{step.name} {step.text}".split())
            state.head = f"[{stage.name or index} {number}/{len(stage.steps)}] {said[:_SHOWN]}"
            try:
                await self._run_instruction(state, step, index)
            except ValueError as error:
                raise step.refusal_error(str(error)) from error
            except SandboxError as error:
                if str(error).startswith("line "):
                    raise
                raise type(error)(f"line {step.line} of the Dockerfile, {said[:_SHOWN]}: {error}") from error
        self._states[index] = state
        return state

    async def _begin_stage(self, stage: Stage, index: int) -> State:
        name = self.base_of(stage)
        work = self._stack.enter_context(self.store.build_folder())
        if (before := self.find_stage(name, index)) is not None:
            base = await self.build_stage(before)
            return State(base.config, work, list(base.layers), self.file.escape)
        if name == "scratch":
            return State(Config(layers=(), env={"PATH": PATH}), work, [], self.file.escape)
        image = self.stored_image(name, stage.start)
        config = self.store.image_config(image.id)
        return State(
            msgspec.structs.replace(config, env={"PATH": PATH, **config.env}),
            work,
            list(config.layers),
            self.file.escape,
        )

    def base_of(self, stage: Stage) -> str:
        """The base of a stage: the name of an image or of a stage.

        Raises:
            ImageError: It is for another machine, or its variables are not understood.
        """
        known = self.global_args()
        try:
            name = replace_variables(stage.base, known, self.file.escape)
            platform = replace_variables(dict(stage.start.flags).get("platform", ""), known, self.file.escape)
        except ValueError as error:
            raise stage.start.refusal_error(str(error)) from error
        if platform and platform.split("/")[:2] != ["linux", machine_architecture()]:
            raise stage.start.refusal_error(
                f"it is for {platform[:40]}; expected linux/{machine_architecture()}, which runs here"
            )
        return name

    def stored_image(self, name: str, step: Step) -> RootImage:
        """An image of the store.

        Raises:
            ImageError: It is not there; the message says how to get it.
        """
        image = self.store.find_image(name) if name else None
        if image is None:
            raise step.refusal_error(
                f"the image {name[:120]!r} is not in the store of images. Where there is an engine or a registry, get "
                f"it by `docker save {name[:120]} -o base.tar` or `skopeo copy docker://{name[:120]} "
                f"oci-archive:base.tar`, and take it in by `honestly image add base.tar --name {name[:120]}`"
            )
        return image

    def global_args(self) -> dict[str, str]:
        """The variables before and in `FROM`."""
        machine = machine_architecture()
        known = {
            f"{where}{what}": value
            for where in ("TARGET", "BUILD")
            for what, value in (("PLATFORM", f"linux/{machine}"), ("OS", "linux"), ("ARCH", machine))
        }
        for step in self.file.arguments:
            self._declare_argument(step, known, known, {})
        return known

    def _declare_argument(
        self, step: Step, known: Mapping[str, str], into: dict[str, str], given: Mapping[str, str]
    ) -> None:
        """`ARG`: a variable of the build, with the value that it was given, or its own, or a global one's."""
        try:
            for word in expand_words(step.text, {**known, **into}, self.file.escape):
                key, equal, value = word.partition("=")
                own = value if equal else given.get(key)
                if key in self.args or own is not None:
                    into[key] = self.args.get(key, own or "")
        except ValueError as error:
            raise step.refusal_error(str(error)) from error

    # instructions

    async def _run_instruction(self, state: State, step: Step, index: int) -> None:
        if step.name == "RUN":
            await self._run_step(state, step, index)
        elif step.name in {"COPY", "ADD"}:
            key, make = await plan_copy(state, step, partial(self._copy_origin, step, index), self.set_up.network)
            await self.add_layer(state, key, make)
        elif step.name == "WORKDIR":
            await self._set_workdir(state, " ".join(state.expanded_words(step)))
        else:
            self.progress(state.head)
            config, name = state.config, step.name
            change: dict[str, object] = {}
            if name == "ENV":
                change["env"] = {**config.env, **_env_variables(step, state.known_variables, self.file.escape)}
            elif name == "ARG":
                self._declare_argument(step, state.known_variables, state.args, self.global_args())
            elif name == "USER":
                change["user"] = " ".join(state.expanded_words(step))
            elif name == "SHELL":
                if not step.exec_words:
                    raise ValueError('its program is not in the form ["program", "argument"]')
                change["shell"] = tuple(step.exec_words)
            elif name in {"CMD", "ENTRYPOINT"}:
                words = step.exec_words if step.exec_words is not None else [*config.shell, step.text]
                change[name.lower()] = tuple(words)
                if name == "ENTRYPOINT":
                    change["cmd"] = ()
            else:
                assert name in _IDLE
            state.config = msgspec.structs.replace(config, **change)

    async def _set_workdir(self, state: State, text: str) -> None:
        path = "/" + posixpath.normpath(posixpath.join("/", state.config.workdir, text)).lstrip("/")
        state.config = msgspec.structs.replace(state.config, workdir=path)

        async def make(home: Path, root: Path) -> None:
            ids, _ = user_ids(root, state.config.user)
            with LayerWriter(home) as writer:
                if not is_folder(root, path_inside(root, path)):
                    Goal(root, writer, None, None).make_folder(path, (ids[0], ids[1]))

        await self.add_layer(state, ["WORKDIR", path, state.config.user], make)

    async def _copy_origin(self, step: Step, index: int, name: str) -> Origin:
        if not name:
            return self.context, self.ignored, ""
        if (before := self.find_stage(name, index)) is not None:
            other = await self.build_stage(before)
            return await self.merged_files(other), nothing_ignored, " ".join(other.layers)
        image = self.stored_image(name, step)
        return image.root, nothing_ignored, image.id

    async def _run_step(self, state: State, step: Step, index: int) -> None:
        shown = await mounts_of(state, step, partial(self._copy_origin, step, index))
        argv = step.exec_words or [*state.config.shell, _script(step)]
        env = {**state.args, **state.config.env}
        what = ["RUN", *argv, state.config.user, state.config.workdir, *(f"{key}={env[key]}" for key in sorted(env))]
        key = [*what, *(f"{place}={digest}" for place, (_, digest) in sorted(shown.items()))]

        async def make(home: Path, root: Path) -> None:
            ids, folder = user_ids(root, state.config.user)
            binds = {place: path for place, (path, _) in shown.items()}
            set_up = SetUp(
                network=None if ("network", "none") in step.flags else self.set_up.network,
                env=self.set_up.env,
                shown={**self.set_up.shown, **binds},
                limits=self.set_up.limits,
            )
            user = state.config.user.partition(":")[0] or "root"
            own = {"HOME": folder, "USER": user, "LOGNAME": user}
            cwd = state.config.workdir
            await run_step(argv, root, home, set_up, ids=ids, env={**own, **env}, cwd=cwd)

        await self.add_layer(state, key, make)

    # layers

    async def add_layer(self, state: State, what: list[str], make: MakeLayer) -> None:
        """Add a step's layer: the one that it gave before, or a new one.

        Args:
            state: The image so far.
            what: All that the layer depends on, beside the layers below.
            make: Makes it.
        """
        key = hashlib.sha256(msgspec.json.encode([state.layers, what])).hexdigest()
        before = self.store.step(key) if self.cached else None
        if before is not None:
            self.progress(f"{state.head} (cached)")
            state.layers += [before] if before else []
            return
        self.progress(state.head)
        await anyio.to_thread.run_sync(self._merge, state)
        home = state.work / key
        await make(home, state.root)
        layer = await anyio.to_thread.run_sync(self._keep_layer, home, key, state.work)
        state.layers += [layer] if layer else []

    def _keep_layer(self, home: Path, key: str, work: Path) -> str:
        changed = any((home / "files").iterdir()) or msgspec.json.decode((home / "layer.json").read_bytes())["removed"]
        layer = layer_id(home) if changed else ""
        if layer:
            self.store.keep_layer(home, layer)
        self.store.keep_step(key, layer, work)
        return layer

    def _merge(self, state: State) -> None:
        """Bring the directory of an image's files up to its last layer."""
        self.store.merge(tuple(state.layers[state.merged :]), state.root)
        state.merged = len(state.layers)

    async def merged_files(self, state: State) -> Path:
        """The files of an image so far."""
        await anyio.to_thread.run_sync(self._merge, state)
        return state.root


def _env_variables(step: Step, variables: Mapping[str, str], escape: str) -> dict[str, str]:
    """The variables that `ENV` sets: `KEY=value` once or more, or one key and all that follows it."""
    first = step.text.split(maxsplit=1)[0]
    if "=" not in first:
        key, _, value = step.text.partition(" ")
        return {key: " ".join(expand_words(value.strip(), variables, escape))}
    words = [word.partition("=") for word in expand_words(step.text, variables, escape)]
    if not all(key and equal for key, equal, _ in words):
        raise ValueError("one of its words has no value; expected KEY=value")
    return {key: value for key, _, value in words}


def _script(step: Step) -> str:
    """The input of the shell: the text, with the documents that it announces; or the document, if there is no more."""
    if len(step.heredocs) == 1 and step.text.startswith("<<") and len(step.text.split()) == 1:
        return step.heredocs[0].text
    return "\n".join([step.text, *(f"{document.text}{document.name}" for document in step.heredocs)])
