"""`honestly image`: root file systems for sandboxes, taken in from elsewhere, or built from Dockerfiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from honestly.command import Name, json_option, print_json, say_on_stderr
from honestly.show import plural_text

if TYPE_CHECKING:
    from honestly.sandbox._egress import Egress, EgressRequest
    from honestly.sandbox.images._model import RootImage

_FILE = click.Path(exists=True, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command()
@click.argument("context", type=_FOLDER)
@click.option("--file", "-f", "dockerfile", type=_FILE, help="The Dockerfile.  [default: CONTEXT/Dockerfile]")
@click.option("--name", "-t", default="", help="The name of the image.")
@click.option("--target", default="", help="The stage to build.  [default: the last]")
@click.option("--arg", "args", multiple=True, metavar="NAME=VALUE", help="A value for an ARG of the Dockerfile.")
@click.option(
    "--allow",
    multiple=True,
    metavar="HOST",
    help="A host, or HOST:PORT, that steps may reach; private addresses as numbers.  [default: *, any public]",
)
@click.option("--offline", is_flag=True, help="Give build steps no network.")
@click.option(
    "--env", multiple=True, metavar="NAME=VALUE", help="A variable for build steps; it is not kept in the image."
)
@click.option(
    "--show",
    "shown",
    multiple=True,
    metavar="FILE=PATH",
    help="A file of this machine that build steps see at a path: pip.conf=/etc/pip.conf. It is not kept in the image.",
)
@click.option("--cache/--no-cache", default=True, help="Reuse layers of earlier builds.")
@json_option
def build(
    context: Path,
    dockerfile: Path | None,
    name: str,
    target: str,
    args: Sequence[str],
    allow: Sequence[str],
    offline: bool,
    env: Sequence[str],
    shown: Sequence[str],
    cache: bool,
    as_json: bool,
) -> None:
    """Build an image from the Dockerfile of CONTEXT.

    Steps run in a sandbox: as root over the image's files, without access to this machine, and to the network only as
    --allow says. Add base images first.
    """
    import anyio

    from honestly.sandbox.images._build import build_image

    files = {place: Path(path) for place, path in _parsed_pairs(shown, "--show", "FILE=PATH").items()}

    async def built() -> RootImage:
        return await build_image(
            context,
            dockerfile=dockerfile,
            name=name,
            target=target,
            args=_parsed_pairs(args, "--arg"),
            network=_build_egress(allow, offline=offline),
            env=_parsed_pairs(env, "--env"),
            shown=files,
            cached=cache,
            progress=(lambda _: None) if as_json else say_on_stderr,
        )

    _print_image(anyio.run(built), as_json=as_json)


@click.command()
@click.argument("source", type=_FILE)
@click.option("--name", required=True, help="The name of the image, as a FROM line uses it.")
@json_option
def add(source: Path, name: str, as_json: bool) -> None:
    """Add an image: an OCI archive or layout, output of docker save or docker export, or a root directory."""
    from honestly.sandbox.images._archive import add_image

    _print_image(add_image(source, name), as_json=as_json)


@click.command()
@json_option
def ls(as_json: bool) -> None:
    """List the images and their disk use: in their own layers, and in layers that they share."""
    from honestly.sandbox.images._store import ImageStore

    store = ImageStore()
    sizes = store.image_sizes()
    rows = [
        {"id": image.id, "names": store.image_names(image.id), "layers": len(image.layers)}
        | {"own": sizes[image.id].own, "shared": sizes[image.id].shared}
        for image in store.all_images()
    ]
    if as_json:
        print_json({"store": str(store.home), "images": rows})
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None)
    for column in ("image", "id"):
        table.add_column(column)
    for column in ("layers", "own MB", "shared MB"):
        table.add_column(column, justify="right")
    for image, row in zip(store.all_images(), rows, strict=True):
        numbers = (str(row["layers"]), *(f"{sizes[image.id].own / 1e6:.1f}", f"{sizes[image.id].shared / 1e6:.1f}"))
        table.add_row(", ".join(store.image_names(image.id)) or "-", image.id[:12], *numbers)
    Console(emoji=False, markup=False, soft_wrap=True).print(table)


@click.command()
@click.argument("names", nargs=-1, required=True, type=Name("sandbox.images._cli:image_names"))
@json_option
def rm(names: Sequence[str], as_json: bool) -> int:
    """Remove images by NAMES or ids, with the layers that no other image uses."""
    from honestly.sandbox.images._store import remove_image

    gone = {name: remove_image(name) for name in names}
    if as_json:
        print_json({"removed": [name for name in gone if gone[name]], "missing": [n for n in gone if not gone[n]]})
    else:
        for name in names:
            say_on_stderr(
                f"removed {name}" if gone[name] else f"there is no image {name}; `honestly image list` shows all"
            )
    return 0 if all(gone.values()) else 2


def image_names() -> list[str]:
    """The names of the images that are kept here, which a shell completes."""
    from honestly.sandbox.images._store import list_images

    return [image.name for image in list_images() if image.name]


def _print_image(image: RootImage, *, as_json: bool) -> None:
    if as_json:
        print_json({"id": image.id, "name": image.name, "layers": len(image.layers), "root": str(image.root)})
    else:
        click.echo(f"{image.name or image.id[:12]}  {image.id[:12]}  {plural_text(len(image.layers), 'layer')}")


def _build_egress(allow: Sequence[str], *, offline: bool) -> Egress | None:
    from honestly.sandbox._egress import Egress

    if offline and allow:
        raise click.UsageError("--offline and --allow exclude each other.")

    def log(request: EgressRequest) -> None:
        if not request.allowed and request.host:
            say_on_stderr(f"  refused: {request.host}:{request.port}, {request.reason}")

    try:
        return None if offline else Egress(allow=tuple(allow) or ("*",), log=log, max_bytes=16 << 30)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _parsed_pairs(given: Sequence[str], option: str, form: str = "NAME=VALUE") -> dict[str, str]:
    found = {}
    for text in given:
        key, equal, value = text.partition("=")
        if not key or not equal:
            raise click.UsageError(f"{option} got {text!r}; expected {form}.")
        if option == "--show":
            key, value = value, key
        found[key] = value
    return found
