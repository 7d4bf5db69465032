"""The packages that a command would install."""

from __future__ import annotations

import re
from collections.abc import Sequence

_INSTALLERS = {
    "pip": ("PyPI", {"install", "download", "wheel"}),
    "uv": ("PyPI", {"add"}),
    "poetry": ("PyPI", {"add"}),
    "pdm": ("PyPI", {"add"}),
    "pipx": ("PyPI", {"install", "run"}),
    "uvx": ("PyPI", set[str]()),
    "conda": ("conda", {"install"}),
    "npm": ("npm", {"install", "i", "add", "in"}),
    "pnpm": ("npm", {"add", "install"}),
    "yarn": ("npm", {"add"}),
    "bun": ("npm", {"add", "install"}),
    "npx": ("npm", set[str]()),
    "cargo": ("crates.io", {"add", "install"}),
    "go": ("Go", {"get", "install"}),
    "gem": ("RubyGems", {"install"}),
    "apt": ("Debian", {"install"}),
    "apt-get": ("Debian", {"install"}),
    "apk": ("Alpine", {"add"}),
}


_INSTALL_VALUES_TEXT = """-r -c -e -i -t -d --requirement --constraint --editable --index-url --extra-index-url
--target --dest --prefix --registry --tag -f --find-links --python -p --root --platform --features --path --git
--group --optional --from --with --timeout --retries --proxy --cache-dir --python-version --abi --implementation -n
--name -w --workspace"""
_INSTALL_VALUES = frozenset(_INSTALL_VALUES_TEXT.split())


def installed_packages(argv: Sequence[str]) -> list[tuple[str, str]]:
    """The packages that a command would install, each with its ecosystem, as they are written there."""
    argv = list(argv)
    if argv[:2] == ["uv", "pip"]:
        argv = ["pip", *argv[2:]]
    if not argv or argv[0] not in _INSTALLERS:
        return []
    ecosystem, words = _INSTALLERS[argv[0]]
    plain: list[str] = []
    at = 1
    while at < len(argv):
        if argv[at] in _INSTALL_VALUES:
            at += 2
            continue
        if not argv[at].startswith("-"):
            plain.append(argv[at])
        at += 1
    if words:
        if not plain or plain[0] not in words:
            return []
        plain = plain[1:]
    else:
        plain = plain[:1]
    outside = re.compile(r"[./~]|(?:git\+)?\w+://|.*\.(?:whl|tar\.gz|tgz|zip|deb)$")
    return [(ecosystem, each) for each in plain if not outside.match(each) or (ecosystem == "Go" and each[:1] != ".")]


def package_name(ecosystem: str, written: str) -> str:
    """The name of a package as its registry compares it, of what a command or a file says: `Req_uests[x]>=2`."""
    name = re.split(r"[=<>~!;\[ ]|(?<=.)@", written)[0]
    return re.sub(r"[-_.]+", "-", name).lower() if ecosystem == "PyPI" else name
