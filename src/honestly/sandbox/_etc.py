"""The few files in `/etc` that every sandbox has: made up, or an image's own with what the sandbox needs added."""

import os
from pathlib import Path

from honestly.sandbox._guest._ids import USER
from honestly.work import open_regular

_MOST = 1 << 20
_OWN = {"hosts": "127.0.0.1 localhost box\n::1 localhost\n", "hostname": "box\n", "resolv.conf": ""}
_BASIC = {
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "services": "",
    "protocols": "ip 0 IP\nicmp 1 ICMP\ntcp 6 TCP\nudp 17 UDP\n",
}
_USERS = "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"
_GROUPS = "root:x:0:\nnogroup:x:65534:\n"


def etc_files(home: str, image: Path | None, *, own_user: bool = False) -> dict[str, str]:
    """Names and texts of the files.

    Args:
        home: Home directory of the sandbox's user.
        image: The image's directory, if the rest of `/etc` is an image's.
        own_user: Commands are somebody of the image's, which knows who.

    Raises:
        ValueError: The image has something else where these files should be.
    """
    user, group = f"user:x:{USER}:{USER}:user:{home}:/bin/sh\n", f"user:x:{USER}:\n"
    if image is None:
        return _OWN | _BASIC | {"passwd": _USERS + user, "group": _GROUPS + group}
    folder = image / "etc"
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ValueError(f"{folder} is not a directory; expected the root directory of an unpacked image in {image}")
    if own_user:
        return dict(_OWN)
    basic = {name: text for name, text in _BASIC.items() if not os.path.lexists(folder / name)}
    users = {
        "passwd": _with_line(folder / "passwd", _USERS, user),
        "group": _with_line(folder / "group", _GROUPS, group),
    }
    return _OWN | basic | users


def _with_line(path: Path, otherwise: str, line: str) -> str:
    """The text of a file of users or groups, which has `line` unless another line has its id."""
    # A strange image may have a link to a file of the machine there, or a pipe.
    try:
        with open_regular(path) as file:
            text = file.read(_MOST).decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return otherwise + line
    except OSError as error:
        raise ValueError(
            f"{path} cannot be read ({error.strerror}); expected a file, as an unpacked image has"
        ) from error
    if any(entry.split(":")[2:3] == [str(USER)] for entry in text.splitlines()):
        return text
    return text + ("" if text.endswith("\n") or not text else "\n") + line
