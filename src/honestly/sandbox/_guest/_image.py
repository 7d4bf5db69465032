"""A root file system from a directory: the files of an unpacked image, and over them what the box needs and writes.

Both lie in one overlay: the image is its lower layer, which nothing changes, and the upper layer is part of the box's
tmpfs. What the box needs in fixed places was made in the upper layer beforehand, where it hides whatever the image has
there: no link in an image can thus lead astray what is done with the rights of the box's builder.

If the root is to be writable, a capable root shows the image's files, as far as they belong to the image's owner, as
the box's user's (an idmapped mount). For an ordinary user they do anyway, if the image is that user's.
"""

from __future__ import annotations

import os

from . import _kernel
from ._ids import RANGE, Identity

_HERE = "/.honestly-image"


def enter_image(
    image: str, data: str, carried: tuple[str, ...], changes: str, identity: Identity | None, *, capable: bool
) -> None:
    """Make an overlay over a directory the root, in place of the present one.

    Args:
        image: The directory.
        data: Where the tmpfs with the layers `upper`, `work` and `lower` is.
        carried: Mount points to take along.
        changes: Directory that gets what is changed; the tmpfs is then a second lower layer. Empty for the tmpfs.
        identity: Whose the image's files shall be; None for who owns them.
        capable: This process has root's rights on the machine.
    """
    for name in ("work", "lower", "changes"):
        os.mkdir(f"{data}/{name}")
    lower = image
    if identity:
        for path, folders, files in os.walk(f"{data}/upper"):
            for name in (".", *folders, *files):
                os.chown(f"{path}/{name}", *identity.owner, follow_symlinks=False)
        if capable:
            lower = f"{data}/lower"
            _kernel.bind_as(image, lower, _image_namespace(os.stat(image), identity, carried[0]))
    os.chdir(lower)  # so that neither its name nor odd characters in it appear among the options
    options = f"lowerdir=.,upperdir={data}/upper,workdir={data}/work{'' if capable else ',userxattr'}"
    if changes and identity:
        options = _kept_overlay_options(changes, data, identity, carried[0])
    os.mkdir(_HERE)
    _kernel.mount_filesystem("overlay", _HERE, "overlay", _kernel.MS_NOSUID | _kernel.MS_NODEV, options)
    for path in carried:
        _kernel.move(path, _HERE + path)
    os.chdir(_HERE)
    _kernel.pivot_root(".", ".")  # stacks the old root over the new one, at the same place
    _kernel.detach_mount(".")
    os.chdir("/")


def _kept_overlay_options(changes: str, data: str, identity: Identity, old: str) -> str:
    """Options of an overlay that writes to a directory of the machine, which nobody needs once the machine has died."""
    for name in ("files", "work"):
        os.mkdir(f"{changes}/{name}")
    os.chmod(f"{changes}/files", 0o755)  # noqa: S103 - of an image's root directory
    upper = f"{data}/changes"
    if identity.privileged:
        _kernel.bind_as(changes, upper, _image_namespace(os.stat(changes), identity, old))
    else:
        _kernel.bind(changes, upper)
    modes = "redirect_dir=off,metacopy=off,index=off" if identity.privileged else "userxattr"
    return f"lowerdir={data}/upper:.,upperdir={upper}/files,workdir={upper}/work,volatile,{modes}"


def _image_namespace(image: os.stat_result, identity: Identity, old: str) -> int:
    """A user namespace, as an idmapped mount takes it, in which the image's owner is the box's, or all ids are."""
    users, groups = (
        # The kernel makes an overlay's work directory as the root of the machine, who has to be somebody too.
        f"0 {owner} {RANGE}\n{RANGE} 0 1" if identity.first else f"{of_image} {owner} 1"
        for of_image, owner in zip((image.st_uid, image.st_gid), identity.owner, strict=True)
    )
    said, hear = os.pipe()
    go, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _kernel.unshare_namespaces(_kernel.CLONE_NEWUSER, "user")
            os.write(hear, b".")
            os.close(tell)
            os.read(go, 1)
        finally:
            os._exit(0)
    for fd in (hear, go):
        os.close(fd)
    try:
        os.read(said, 1)
        for name, extents in (("uid_map", users), ("gid_map", groups)):
            with open(f"{old}/proc/{pid}/{name}", "w", encoding="ascii") as file:
                file.write(extents)
        return os.open(f"{old}/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(said)
        os.close(tell)
        os.waitpid(pid, 0)
