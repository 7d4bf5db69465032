"""Where images are kept, how they get in whole or not at all, and how they get out.

The store is a directory in the user's cache that nobody else may enter: `layers/ID/files` is an unpacked layer
beside `layer.json`, which says what it takes away from the layers below; `images/ID.json` an image's configuration,
`names/NAME` the id that a name stands for, `roots/ID` all layers of an image, linked one over the other, `steps/KEY`
what a step of a build has given before. Everything is made in `work/` and renamed to its place. Who makes something
holds a lock on its directory there, so that what a killed program has left can be told, and removed.
"""

import fcntl
import os
import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, unquote

import msgspec

from honestly.errors import SandboxUnavailableError
from honestly.sandbox.images._layer import Layer, apply_layer
from honestly.sandbox.images._model import Config, ImageError, ImageSize, RootImage, full_name
from honestly.scratch import clear_workshops, temporary_workshop
from honestly.work import user_folder

VARIABLE = "HONESTLY_IMAGES"
"""Variable that names the store's directory."""

_LEAST_PREFIX = 6


class ImageStore:
    """The images in one directory."""

    def __init__(self, home: Path | None = None) -> None:
        """Open it, making what is not there yet.

        Args:
            home: The directory; by default that of the variable `HONESTLY_IMAGES`, or one in the user's cache.

        Raises:
            SandboxUnavailableError: It cannot be written.
        """
        self.home = home or default_home()
        with self._as_disk_errors():
            for name in ("layers", "images", "names", "roots", "steps", "work"):
                (self.home / name).mkdir(parents=True, exist_ok=True)
            self.home.chmod(0o700)

    # what is there

    def find_image(self, name: str) -> RootImage | None:
        """The image of a name, or of an id or its first digits; see the function `find_image`."""
        if not (key := self._id_of(name)):
            return None
        image = self._stored_image(key)
        return image if key.startswith(name) else replace(image, name=full_name(name))

    def all_images(self) -> list[RootImage]:
        """All images, by name."""
        found = (self._stored_image(path.stem) for path in sorted((self.home / "images").glob("*.json")))
        return sorted(found, key=lambda image: (not image.name, image.name, image.id))

    def image_names(self, key: str) -> list[str]:
        """All names of an image."""
        return sorted(unquote(path.name) for path in (self.home / "names").iterdir() if _text_or_empty(path) == key)

    def image_sizes(self) -> dict[str, ImageSize]:
        """By image id, how much of the disk is its own."""
        layers = {path.stem: self.image_config(path.stem).layers for path in (self.home / "images").glob("*.json")}
        users = Counter(layer for ids in layers.values() for layer in set(ids))
        size = {layer: self.stored_layer(layer).size for layer in users}
        return {
            key: ImageSize(
                own=sum(size[layer] for layer in set(ids) if users[layer] == 1),
                shared=sum(size[layer] for layer in set(ids) if users[layer] > 1),
            )
            for key, ids in layers.items()
        }

    def image_config(self, key: str) -> Config:
        """The configuration of an image.

        Raises:
            ImageError: It is damaged.
        """
        path = self.home / "images" / f"{key}.json"
        try:
            config = msgspec.json.decode(path.read_bytes(), type=Config)
        except (OSError, msgspec.MsgspecError) as error:
            found = f"the image {key[:12]} in {self.home} cannot be read ({error})"
            raise ImageError(f"{found}; remove it, and add it again") from error
        return config

    def has_layer(self, key: str) -> bool:
        """Whether a layer is there."""
        return (self.home / "layers" / key / "layer.json").exists()

    def stored_layer(self, key: str) -> Layer:
        """A layer that is there."""
        return Layer.read(self.home / "layers" / key)

    def _stored_image(self, key: str) -> RootImage:
        config = self.image_config(key)
        names = self.image_names(key)
        return RootImage(
            id=key,
            name=names[0] if names else "",
            layers=tuple(self.home / "layers" / layer / "files" for layer in config.layers),
            root=self.home / "roots" / key,
            env=config.env,
            workdir=config.workdir,
            user=config.user,
            entrypoint=config.entrypoint,
            cmd=config.cmd,
        )

    def _id_of(self, name: str) -> str:
        if len(name) >= _LEAST_PREFIX and not set(name) - set("0123456789abcdef"):
            found = sorted(path.stem for path in (self.home / "images").glob(f"{name}*.json"))
            if len(found) > 1:
                raise ImageError(f"{name} begins the ids of {len(found)} images; give more of its digits")
            if found:
                return found[0]
        path = self.home / "names" / quote(full_name(name), safe="")
        return _text_or_empty(path) if path.exists() else ""

    # what comes in, and goes out

    @contextmanager
    def build_folder(self) -> Iterator[Path]:
        """A directory to make something in; gone afterwards, with what is still in it.

        Raises:
            SandboxUnavailableError: None can be made: the disk is full, or read-only.
        """
        with ExitStack() as stack:
            with self._as_disk_errors():
                path = stack.enter_context(temporary_workshop(self.home / "work"))
            yield path

    def keep_layer(self, made: Path, key: str) -> None:
        """Take over a finished layer from a workshop; if another program was faster, its is the same."""
        with self.locked_store():
            if not self.has_layer(key):
                made.rename(self.home / "layers" / key)

    def keep_image(self, config: Config, name: str, root: Path | None = None) -> RootImage:
        """Write down an image all of whose layers are there, and name it.

        Args:
            config: What it is.
            name: Empty for none.
            root: A directory with all its layers, one over the other, which may be taken over.
        """
        key = config.id
        with self.build_folder() as work:
            if root is None and not (self.home / "roots" / key).exists():
                root = work / "root"
                self.merge(config.layers, root)
            with self.locked_store():
                missing = [layer for layer in config.layers if not self.has_layer(layer)]
                if missing:
                    raise ImageError(f"the layer {missing[0][:12]} was removed meanwhile; do the same once more")
                if root is not None and not (self.home / "roots" / key).exists():
                    root.rename(self.home / "roots" / key)
                _put_file(self.home / "images" / f"{key}.json", config.encoded_config(), work)
                if name:
                    _put_file(self.home / "names" / quote(full_name(name), safe=""), key.encode(), work)
        return self._stored_image(key)

    def merge(self, layers: tuple[str, ...], root: Path) -> None:
        """Lay layers over what a directory holds, or over nothing; their files are linked, not copied."""
        root.mkdir(exist_ok=True)
        for layer in layers:
            apply_layer(self.stored_layer(layer), root)

    def remove(self, name: str) -> bool:
        """Remove a name, or an image; see `remove_image`."""
        with self.locked_store():
            if not (key := self._id_of(name)):
                return False
            named = [path for path in (self.home / "names").iterdir() if _text_or_empty(path) == key]
            given = [path for path in named if not key.startswith(name) and unquote(path.name) == full_name(name)]
            for path in given or named:
                path.unlink()
            if len(given or named) == len(named):
                (self.home / "images" / f"{key}.json").unlink()
                with suppress(FileNotFoundError):
                    (self.home / "roots" / key).rename(self.home / "work" / secrets.token_hex(8))
        with suppress(BlockingIOError), _folder_lock(self.home / "layers", fcntl.LOCK_EX | fcntl.LOCK_NB):
            # Move away what no image needs: layers, and what is known of steps that gave them. While anything is
            # built, nothing is moved: the next removal will do it.
            used = {
                layer for path in (self.home / "images").glob("*.json") for layer in self.image_config(path.stem).layers
            }
            for path in (self.home / "layers").iterdir():
                if path.name not in used:
                    path.rename(self.home / "work" / secrets.token_hex(8))
            for path in (self.home / "steps").iterdir():
                if _text_or_empty(path) and not self.has_layer(_text_or_empty(path)):
                    path.unlink()
        clear_workshops(self.home / "work")
        return True

    # steps of builds

    def step(self, key: str) -> str | None:
        """The layer that a step has given before, if it is still there; empty for a step that changed nothing."""
        path = self.home / "steps" / key
        layer = _text_or_empty(path) if path.exists() else None
        return layer if layer is not None and (not layer or self.has_layer(layer)) else None

    def keep_step(self, key: str, layer: str, work: Path) -> None:
        """Write down which layer a step has given."""
        _put_file(self.home / "steps" / key, layer.encode(), work)

    def locked_store(self) -> AbstractContextManager[None]:
        """Be the only one who changes what is there."""
        return _folder_lock(self.home, fcntl.LOCK_EX)

    def keeping_layers(self) -> AbstractContextManager[None]:
        """Keep others from removing layers that no image has yet."""
        return _folder_lock(self.home / "layers", fcntl.LOCK_SH)

    @contextmanager
    def _as_disk_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            advice = f"make room there, or name another directory by {VARIABLE}"
            raise SandboxUnavailableError(f"images are kept in {self.home}, and {error.strerror}; {advice}") from error


@contextmanager
def _folder_lock(path: Path, how: int) -> Iterator[None]:
    """Hold a lock on a directory, as `flock` takes it."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, how)
        yield
    finally:
        os.close(fd)


def find_image(name_or_id: str) -> RootImage | None:
    """The image of a name, or of an id or its first digits; None if there is none.

    Raises:
        ImageError: It is no name, or several ids begin so.
    """
    return ImageStore().find_image(name_or_id)


def list_images() -> list[RootImage]:
    """All images of this machine's store, by name."""
    return ImageStore().all_images()


def remove_image(name_or_id: str) -> bool:
    """Remove a name; with its last name, or by its id, the image, and the layers that no other image has.

    Returns:
        Whether there was such an image.
    """
    return ImageStore().remove(name_or_id)


def default_home() -> Path:
    """The store's directory: what the variable names, or one in the user's cache."""
    if named := os.environ.get(VARIABLE):
        return Path(named).absolute()
    return user_folder("cache") / "images"


def _put_file(path: Path, data: bytes, work: Path) -> None:
    """Put a small file in its place, whole or not at all."""
    made = work / secrets.token_hex(8)
    made.write_bytes(data)
    made.replace(path)


def _text_or_empty(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except FileNotFoundError:
        return ""
