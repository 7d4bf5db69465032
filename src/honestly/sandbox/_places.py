"""The view of this machine in a sandbox: its programs and this interpreter's standard library, and no more.

Of the system's `/usr`, programs and libraries are shown, and those folders of `lib` and `share` that belong to a
known language or tool (`_KNOWN`). The machine's other software is not: who ships packages of its own, as clouds' kits
and package managers do, may ship another version of the very code that somebody is to write. Of the interpreter, only
the executable and its libraries are shown, since the rest of its prefix may be somebody's home. Installed packages are
hidden, and so is whatever of the user's lies below the shown directories: the working directory, the home, the virtual
environment.
"""

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from honestly.sandbox._etc import etc_files
from honestly.sandbox._guest import _wire
from honestly.sandbox._layout import DEFAULT, Extent, Layout, paths_overlap
from honestly.sandbox._python_only import python_files, read_ahead

OWN_BIN = "/opt/bin"
"""Where `python` and `python3` are found inside."""

_TOP = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr")
_OWN = tuple(f"/{name}" for name in _TOP)
"""What belongs to the machine, whatever of it is shown."""
_ETC = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
_CERTIFICATES = (
    *("/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted", "/etc/ca-certificates/extracted"),
)
_NEEDED = tuple(Path("/usr", name) for name in ("bin", "sbin", "lib", "lib64", "share", "local/bin", "local/lib"))
_PLAIN = ("bin", "sbin", "include", "local/bin", "local/sbin", "local/include", "local/go")
"""Folders of `/usr` that are shown whole."""
_SORTED = (
    *("lib", "lib32", "lib64", "libx32", "libexec", "share"),
    *("local/lib", "local/lib64", "local/libexec", "local/share"),
)
"""Folders of `/usr` of which files are shown, and the folders that are known."""
_KNOWN = re.compile(
    r"[\w.]+-linux-(?:gnu|musl)\w*|python3\.\d+|gcc(?:-cross)?|git-core|locale|ssl|terminfo|tabset|perl\d*|perl-base|ruby\w*"
    r"|jvm|java|go(?:-[\d.]+|lang)?|rustlib|rust|llvm-\d+|clang|ocaml|ghc|haskell\w*|erlang|elixir|lua|luajit\S*|R|php\d*|tcl\S*|tk\d\S*"
    r"|tcltk|mono|dotnet|swift\S*|julia|guile|sbcl|gprolog\S*|swi-prolog|fpc|gforth|octave|nasm|bash|file|misc|mime|zoneinfo|i18n"
    r"|icu|ca-certificates|unicode|fonts|fontconfig|X11|glib-2\.0|glvnd|drirc\.d|gettext\S*|aclocal\S*|autoconf|automake\S*"
    r"|libtool|cmake\S*|pkgconfig|bison|flex|awk|gawk|groff|gdb|valgrind|debug|postgresql|sqlite\S*|chromium|libalpm|engines-\S+"
    r"|openssh|gnupg\d?|sasl2|publicsuffix|bfd-plugins|compat-ld|gold-ld|ldscripts|coreutils|binfmts|cuda\S*|nvidia\S*"
)
"""Languages, tools, and what they read."""
_NODE = ("acorn", "acorn-walk", "cjs-module-lexer", "minimatch", "undici")
"""Folders of `/usr/share/nodejs` without which Debian's node does not start."""
_MOST_FILES = 100
"""Files of one folder that are shown one by one; where there are more, what is not known in it is covered."""


def base_python() -> Path:
    """The interpreter that this program runs on, outside of any virtual environment."""
    return Path(getattr(sys, "_base_executable", "") or sys.executable).resolve()


def encoded_places(layout: Layout = DEFAULT, extent: Extent = Extent.MACHINE) -> bytes:
    """Encode what a sandbox shows, and where, as `_guest/_root.py` takes it.

    What a sandbox for Python shows is also read, so that it lies in the page cache.

    Raises:
        ValueError: The layout puts something where this machine's programs are shown, or shows what is not there.
    """
    try:
        here = Path.cwd()
    except FileNotFoundError:
        here = Path("/")
    binds, links, hidden, copies = _machine_places(here, extent) if layout.root is None else ([], [], [], [])
    tops = [str(top) for top in map(Path, _OWN) if top.is_dir()] if layout.root is None else []
    layout.check([*tops, *(str(target) for _, target in binds), *(where for where, _ in links)])
    shown = [(_existing(path), inside) for inside, path in layout.all_shown.items()]
    if extent is not Extent.MACHINE:
        read_ahead(tuple(source for source, _ in [*binds, *shown]))
    image: list[str] = []
    if layout.root is not None:
        if not any((layout.root / name).is_dir() for name in ("bin", "usr")):
            raise ValueError(
                f"there is neither a `bin` nor a `usr` in {layout.root}; expected the root of an unpacked image"
            )
        changes = str(layout.changes.resolve()) if layout.changes else ""
        image = [str(layout.root.resolve()), "writable" if layout.open_root else "", changes]
    files = etc_files(layout.workspace, layout.root, own_user=layout.user is not None)
    files["hosts"] += "".join(f"{address} {name}\n" for name, address in layout.hosts.items())
    options = [extent.value, *(["terminals"] if layout.terminals else [])]
    if layout.named_streams or extent is not Extent.MACHINE:  # in one for Python only candidates run
        options.append("named_streams")
    return _wire.pack(
        _packed_pairs([*binds, *shown]),
        _packed_pairs(links),
        _packed_paths(hidden),
        _packed_paths((layout.workspace, *layout.private)),
        _packed_pairs(files.items()),
        _packed_paths(image),
        _packed_paths(options),
        _packed_pairs(copies),
    )


@lru_cache(maxsize=8)
def _machine_places(
    here: Path, extent: Extent
) -> tuple[list[tuple[Path, Path]], list[tuple[str, str]], list[Path], list[tuple[str, str]]]:
    """The parts of this machine that every sandbox shows and hides: binds, links, hidden directories, files to copy."""
    tops = [Path("/", name) for name in _TOP]
    links = [(str(top), str(top.readlink())) for top in tops if top.is_symlink()]
    shown = [top for top in tops if top.is_dir() and not top.is_symlink() and top.name != "usr"]
    prefix, python = Path(sys.base_prefix).resolve(), base_python()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    links += [(f"{OWN_BIN}/{name}", str(python)) for name in ("python", "python3", version)]
    if extent is not Extent.MACHINE:
        files, copies = python_files(prefix / "lib" / version, python)
        return [(path.resolve(), path) for path in (*files, Path(_ETC[1])) if path.exists()], links, [], copies
    parts, inner, unknown = _usr_places(Path("/usr"))
    shown += parts
    links += inner
    if not prefix.is_relative_to("/usr"):
        shown += [path for path in (prefix / "lib" / version, prefix / "include" / version, python) if path.exists()]
        shown += [path for name in ("lib", "lib64") for path in (prefix / name).glob("*.so*") if path.is_file()]
    packages = {prefix / "lib" / version / "site-packages", Path("/usr/local/lib", version, "dist-packages")}
    packages |= {
        prefix / "lib" / version / "ensurepip/_bundled",
        *Path("/usr/lib").glob("python3.*/ensurepip/_bundled"),
        *Path("/usr/lib").glob("ruby/*/bundler/vendor"),
    }
    packages |= {Path("/usr/lib/python3/dist-packages"), Path(__file__).parents[2], *unknown}
    private = {here, Path(os.environ.get("HOME", "/")), Path(sys.prefix)}
    hidden = hidden_below(shown, packages | private, needed=[*_NEEDED, python, prefix / "lib" / version])
    binds = [
        (path.resolve(), path)
        for path in (*shown, *map(Path, _ETC), *Path("/etc").glob("java-*-openjdk"))
        if path.exists()
    ]
    return binds, links, hidden, []


def _usr_places(usr: Path) -> tuple[list[Path], list[tuple[str, str]], list[Path]]:
    """What of `/usr` is shown, links to make, and folders to cover."""
    shown = [usr / name for name in _PLAIN if (usr / name).is_dir() and not (usr / name).is_symlink()]
    shown += [path for path in usr.glob("local/cuda*") if path.is_dir() and not path.is_symlink()]
    shown += [usr / "share/nodejs" / name for name in _NODE if (usr / "share/nodejs" / name).is_dir()]
    links = [(str(path), str(path.readlink())) for path in (*usr.iterdir(), *usr.glob("local/*")) if path.is_symlink()]
    covered: list[Path] = []
    for folder in (usr / name for name in _SORTED):
        if not folder.is_dir() or folder.is_symlink():
            continue
        entries = sorted(folder.iterdir())
        files = [path for path in entries if path.is_file() and not path.is_symlink()]
        known = [path for path in entries if path.is_dir() and not path.is_symlink() and _KNOWN.fullmatch(path.name)]
        if len(files) > _MOST_FILES:
            shown.append(folder)
            covered += [path for path in entries if path.is_dir() and not path.is_symlink() and path not in known]
            continue
        shown += [*files, *known]
        links += [(str(path), str(path.readlink())) for path in entries if path.is_symlink()]
    return shown, links, covered


def with_certificates(layout: Layout) -> Layout:
    """A layout that also shows which authorities this machine trusts, unless the files in `/etc` are an image's."""
    if layout.root is not None:
        return layout
    own = [path for path in _CERTIFICATES if Path(path).is_dir()]
    free = {path: Path(path) for path in own if not any(paths_overlap(path, place) for place in layout.named_paths)}
    return replace(layout, shown={**free, **layout.shown})


def _existing(path: Path) -> Path:
    if not path.exists():
        raise ValueError(f"the layout shows {path}, which does not exist on this machine")
    return path.resolve()


def hidden_below(shown: Iterable[Path], private: Iterable[Path], needed: Iterable[Path] = ()) -> list[Path]:
    """Private directories that the shown ones would reveal, and that hold nothing that is needed."""
    return sorted(
        path
        for path in set(private)
        if path.is_dir()
        and any(path.is_relative_to(top) for top in shown)
        and not any(thing.is_relative_to(path) for thing in needed)
    )


def _packed_pairs(pairs: Iterable[tuple[str | Path, str | Path]]) -> bytes:
    return _packed_paths(path for pair in pairs for path in pair)


def _packed_paths(paths: Iterable[str | Path]) -> bytes:
    return _wire.pack(*map(os.fsencode, paths))
