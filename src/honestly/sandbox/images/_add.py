"""The sources of `COPY`, `ADD` and `RUN --mount`: the context, other stages, other images, addresses."""

import hashlib
import os
import posixpath
import re
import tarfile
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio.to_thread

from honestly.sandbox._egress import Egress
from honestly.sandbox.images._copy import Goal, Ignore, Source, digest_of, find_sources
from honestly.sandbox.images._dockerfile import Step, expand_words, replace_variables
from honestly.sandbox.images._fetch import fetch_file
from honestly.sandbox.images._layer import LayerWriter, MakeLayer
from honestly.sandbox.images._model import Config
from honestly.sandbox.images._paths import is_folder, path_inside, user_ids
from honestly.sandbox.images._tar import unpack_archive

_URL = re.compile(r"https?://[^\s]+")
_GIT = re.compile(r"git@|(ssh|git)://|https?://[^#]*\.git([#?]|$)")
_MOUNTS = {"cache", "tmpfs", "bind"}


@dataclass
class State:
    """An image on its way."""

    config: Config
    work: Path
    layers: list[str]
    escape: str
    """The escape character of the Dockerfile."""
    args: dict[str, str] = field(default_factory=dict)
    head: str = ""
    """The step that is being done, as it is shown."""
    merged: int = 0
    """How many of its layers are in `root`."""

    @property
    def root(self) -> Path:
        """Directory of the layers, one over the other, as far as they were merged."""
        return self.work / "root"

    @property
    def known_variables(self) -> Mapping[str, str]:
        """The values of `$NAME`."""
        return {**self.args, **self.config.env}

    def replaced(self, text: str) -> str:
        """A text with its variables replaced."""
        return replace_variables(text, self.known_variables, self.escape)

    def expanded_words(self, step: Step) -> list[str]:
        """The words of an instruction, their variables replaced."""
        if step.exec_words is not None:
            return [self.replaced(word) for word in step.exec_words]
        return expand_words(step.text, self.known_variables, self.escape)


Origin = tuple[Path, Ignore, str]
"""Where files are copied from: a directory, what is left out of it, and the state of it, where that is known."""


@dataclass(frozen=True)
class _Copy:
    """The files that one instruction copies."""

    goal: str
    """Absolute, as it is spelt."""
    sources: list[Source]
    documents: list[tuple[str, bytes]]
    """Names and contents of here-documents."""
    urls: list[str]
    ignored: Ignore
    owner: str
    mode: int | None
    unpacks: bool

    @property
    def goal_is_folder(self) -> bool:
        """Whether the goal is a directory in any case."""
        return self.goal.endswith("/") or len(self.sources) + len(self.documents) + len(self.urls) > 1


async def plan_copy(
    state: State, step: Step, origin_of: Callable[[str], Awaitable[Origin]], network: Egress | None
) -> tuple[list[str], MakeLayer]:
    """The inputs of the layer of a `COPY` or `ADD`, and what makes it.

    Args:
        state: The image so far.
        step: The instruction.
        origin_of: Finds the origin that `--from` names; empty for the context.
        network: How addresses are reached.

    Raises:
        ValueError: It cannot be understood.
        ImageError: There is nothing of what it names.
    """
    flags = {key: state.replaced(value) for key, value in step.flags}
    words = state.expanded_words(step)
    if len(words) < 2:
        raise ValueError("it names no goal; expected what to copy, and where to")
    *names, last = words
    documents = {document.name: document for document in step.heredocs}
    written, paths, urls = [], [], []
    for name in names:
        document = documents.get(name.removeprefix("<<").removeprefix("-")) if name.startswith("<<") else None
        if document:
            text = document.text if document.raw else state.replaced(document.text)
            written.append((document.name, text.encode()))
        elif step.name == "ADD" and _GIT.match(name):
            raise ValueError(f"it fetches the repository {name[:80]}; clone it in the context, and copy it")
        elif step.name == "ADD" and _URL.fullmatch(name):
            urls.append(name)
        else:
            paths.append(name)
    root, ignored, origin = await origin_of(flags.get("from", ""))
    sources = [source for path in paths for source in find_sources(root, path, ignored)]
    goal = posixpath.join("/", state.config.workdir, last)
    if last.endswith("/.") or last in {".", ".."}:
        goal += "/"
    mode = flags.get("chmod")
    if mode is not None and not re.fullmatch("0?[0-7]{1,4}", mode):
        raise ValueError(f"--chmod={mode[:40]} is not understood; expected an octal number such as 755")
    owner = flags.get("chown", "" if "from" in flags else "0:0")
    number = None if mode is None else int(mode, 8)
    copy = _Copy(goal, sources, written, urls, ignored, owner, number, step.name == "ADD")
    origin = origin or await anyio.to_thread.run_sync(digest_of, sources, ignored)
    key = [step.name, goal, owner, str(mode), origin, *paths, *urls, flags.get("checksum", "")]
    key += [hashlib.sha256(text).hexdigest() for _, text in written]
    return key, partial(_make_copy, copy, network, flags.get("checksum", ""))


async def _make_copy(copy: _Copy, network: Egress | None, checksum: str, home: Path, root: Path) -> None:
    os.mkdir(home, 0o700)
    fetched: list[tuple[str, Path]] = []
    for url in copy.urls:
        path = home / f"fetched-{len(fetched)}"
        await fetch_file(url, path, network, checksum)
        name = posixpath.basename(url.partition("?")[0]) or "index"
        fetched.append((name, path))
    await anyio.to_thread.run_sync(_write, copy, home, root, fetched)


def _write(copy: _Copy, home: Path, root: Path, fetched: list[tuple[str, Path]]) -> None:
    owner = None
    if copy.owner:
        uid, gid, *_ = user_ids(root, copy.owner)[0]
        owner = (uid, gid if ":" in copy.owner else uid)
    inside = path_inside(root, copy.goal)
    into = copy.goal_is_folder or is_folder(root, inside)
    with LayerWriter(home) as writer:
        goal = Goal(root, writer, owner, copy.mode)
        for source in copy.sources:
            if is_folder(source.root, source.path):
                goal.copy(source, inside, copy.ignored)
            elif copy.unpacks and _is_tar(source.root / source.path):
                place = goal.make_folder(inside)
                with (source.root / source.path).open("rb") as file:
                    unpack_archive(file, writer, below=place)
            else:
                goal.copy(source, f"{inside}/{source.name}" if into else inside, copy.ignored)
        for name, text in copy.documents:
            goal.write(text, f"{inside}/{name}" if into else inside)
        for name, path in fetched:
            goal.write(path.read_bytes(), f"{inside}/{name}" if into else inside)
            path.unlink()


def _is_tar(path: Path) -> bool:
    try:
        return path.is_file() and not path.is_symlink() and tarfile.is_tarfile(path)
    except (OSError, EOFError, ValueError):
        return False


async def mounts_of(
    state: State, step: Step, origin_of: Callable[[str], Awaitable[Origin]]
) -> dict[str, tuple[Path, str]]:
    """The mounts of a `RUN`: by their place in the image, a path of this machine, and a hash of its files.

    Caches and temporary file systems are directories of the image like others.

    Raises:
        ValueError: A mount is of a kind that there is not.
    """
    found: dict[str, tuple[Path, str]] = {}
    for flag, text in step.flags:
        if flag == "security" or (flag == "network" and text not in {"none", "default"}):
            raise ValueError(f"--{flag}={text[:40]} would give it rights that no step has here")
        if flag != "mount":
            continue
        options = dict(part.partition("=")[::2] for part in state.replaced(text).split(","))
        kind = options.get("type", "bind")
        if kind not in _MOUNTS:
            raise ValueError(f"a mount of type {kind[:40]} is not known here; expected {', '.join(sorted(_MOUNTS))}")
        if kind != "bind":
            continue
        place = options.get("target") or options.get("dst") or options.get("destination") or ""
        root, ignored, origin = await origin_of(options.get("from", ""))
        wanted = options.get("source") or options.get("src") or "/"
        (source, *_) = find_sources(root, wanted, ignored)
        digest = origin or await anyio.to_thread.run_sync(digest_of, [source], ignored)
        found[posixpath.join("/", state.config.workdir, place)] = (root / source.path, f"{wanted} {digest}")
    return found
