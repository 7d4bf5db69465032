"""The view of a sandbox that is for Python alone: an interpreter, its library, a handful of programs, file by file.

The machine remembers what was looked at: the pages of a file that was read, and each name that was looked up in one of
its directories, there or not. All sandboxes share that memory, and whoever looks later finds it sooner. So of the
machine, such a sandbox shows single files, no directories, and each of them is read before the first such sandbox is
opened. Modules of the library are copied into the sandbox, as compiled code without its source. What the library holds
beside that (its own tests, an editor) is left out.

Not covered: directories that a layout shows, installed packages among them.
"""

import os
import re
import sys
import sysconfig
from contextlib import suppress
from functools import cache
from pathlib import Path

_LIBRARIES = (  # noqa: SIM905
    "bz2 c crypt crypto db dl expat ffi gcc_s gdbm gfortran gomp lzma m mpdec ncursesw panelw pcre2-8 pthread quadmath "
    "readline resolv rt selinux sqlite3 ssl stdc++ tinfo util uuid z"
).split()
_PROGRAMS = "cat dash echo env false find head ls mkdir rm sh sleep sort tail tr true wc".split()  # noqa: SIM905
_LEFT_OUT = {"distutils", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "site-packages", "test", "tests", "tkinter"}
_CHUNK = 1 << 17


def python_files(library: Path, python: Path) -> tuple[list[Path], list[tuple[str, str]]]:
    """Files to show, and files to copy: where from, and where to.

    Args:
        library: The interpreter's standard library.
        python: The interpreter.
    """
    shown = [python, *_needed_libraries(library.parent)]
    shown += [path for name in _PROGRAMS if (path := Path("/usr/bin", name)).exists()]
    shown += sorted((library / "lib-dynload").glob("*.so"))
    shown += sorted(path for path in Path("/usr/lib/locale").glob("C.*/**/*") if path.is_file())  # LANG's
    copied = []
    for folder, folders, names in os.walk(library):
        folders[:] = sorted(set(folders) - _LEFT_OUT)
        code = f"{folder}/__pycache__"
        compiled = {path.name for path in Path(code).glob("*.pyc")}
        for name in names:
            if name.endswith(".py"):
                cached = f"{name[:-3]}.{sys.implementation.cache_tag}.pyc"
                source, target = (f"{code}/{cached}", f"{name}c") if cached in compiled else (f"{folder}/{name}", name)
                copied.append((source, f"{folder}/{target}"))
    return shown, copied


def _needed_libraries(own_folder: Path) -> list[Path]:
    """The libraries that Python's own modules need, and usual packages."""
    known = ["/usr/lib64", "/usr/lib", f"/usr/lib/{sysconfig.get_config_var('MULTIARCH') or ''}", "/lib64", "/lib"]
    folders = [path for name in known if not (path := Path(name)).is_symlink() and path.is_dir()]
    own = rf"libpython{sys.version_info.major}\.{sys.version_info.minor}.*"
    wanted = re.compile(rf"ld-linux.*|{own}|lib({'|'.join(map(re.escape, _LIBRARIES))})(\.so\..*|-[0-9].*\.so.*)")
    return [
        path
        for folder in (own_folder, *dict.fromkeys(folders))
        for path in sorted(folder.iterdir())
        if wanted.fullmatch(path.name) and path.is_file()
    ]


@cache
def read_ahead(files: tuple[Path, ...]) -> None:
    """Have files read, and all that is in directories; once in a program."""
    for path in files:
        for each in [f"{top}/{name}" for top, _, names in os.walk(path) for name in names] or [str(path)]:
            with suppress(OSError):  # who may not read it here, may not inside
                fd = os.open(each, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
                for start in range(0, os.fstat(fd).st_size, _CHUNK):  # more at once the kernel would cut off
                    os.posix_fadvise(fd, start, _CHUNK, os.POSIX_FADV_WILLNEED)
                os.close(fd)
