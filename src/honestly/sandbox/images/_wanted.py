"""Which images a Dockerfile begins with and copies from, and whether an image has what its trials are run with."""

import os
from contextlib import ExitStack
from pathlib import Path

from honestly.sandbox.images._build import Build
from honestly.sandbox.images._copy import nothing_ignored
from honestly.sandbox.images._dockerfile import Step, read_dockerfile
from honestly.sandbox.images._model import PATH, ImageError, RootImage
from honestly.sandbox.images._paths import path_inside
from honestly.sandbox.images._run import SetUp
from honestly.sandbox.images._store import ImageStore


def images_wanted(dockerfile: str) -> list[str]:
    """Names of the images that a build of this Dockerfile takes from the store, as it spells them.

    The first is the one that its last stage stands on, if that is one of the store.

    Args:
        dockerfile: Its text.

    Raises:
        ImageError: It is none, is for another machine, or has an instruction that is not known here; the message names
            the line.
    """
    build, found, seen = _build_of(dockerfile), dict[str, None](), set[int]()

    def visit(index: int) -> None:
        seen.add(index)
        stage = build.file.stages[index]
        want(build.base_of(stage), index)
        for name in (name for step in stage.steps for name in _other_sources(step)):
            want(name, index)

    def want(name: str, index: int) -> None:
        before = build.find_stage(name, index)
        if before is not None and before not in seen:
            visit(before)
        elif before is None and name != "scratch":
            found[name] = None

    visit(len(build.file.stages) - 1)
    return list(found)


def stands_on_nothing(dockerfile: str) -> bool:
    """Whether its image begins with `scratch`, and gets files from the build's context alone.

    Raises:
        ImageError: As `images_wanted`.
    """
    build = _build_of(dockerfile)
    before: int | None = len(build.file.stages) - 1
    base = ""
    while before is not None:
        stage = build.file.stages[before]
        if any(_other_sources(step) or "://" in step.text or "git@" in step.text for step in stage.steps):
            return False
        base = build.base_of(stage)
        before = build.find_stage(base, before)
    return base == "scratch"


def has_shell(image: RootImage) -> bool:
    """Whether an image has `sh` where its commands are looked for: what scripts, solutions and checks are run by."""
    for folder in image.env.get("PATH", PATH).split(":"):
        try:
            path = image.root / path_inside(image.root, f"{folder}/sh")
        except ImageError:
            continue
        if path.is_file() and os.stat(path).st_mode & 0o111:
            return True
    return False


def _build_of(dockerfile: str) -> Build:
    build = Build(ImageStore(), read_dockerfile(dockerfile), Path(), nothing_ignored, SetUp(), ExitStack())
    build.args = {}
    return build


def _other_sources(step: Step) -> list[str]:
    """The other sources of a step's files than the context; names with a variable are left to the build."""
    mounts = [
        dict(part.partition("=")[::2] for part in text.split(",")) for flag, text in step.flags if flag == "mount"
    ]
    named = [text for flag, text in step.flags if flag == "from"] + [options.get("from", "") for options in mounts]
    return [name for name in named if name and "$" not in name]
