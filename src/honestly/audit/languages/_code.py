"""The facts that detectors ask of source code in other languages than Python: tests and constants.

The same facts for each of nine languages, so that a detector knows none of them. The parsers are an extra
(`pip install 'honestly[languages]'`), and run in a sandbox (`ParserBox`). Without the extra, without a sandbox, for
files of more than 128 KiB and beyond the limits there are no facts; `unread_files` counts such files, so that nobody
takes them for read, and `why_unread` says what they would take.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import socket
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

import msgspec

from honestly.audit.languages._guest.facts import Facts
from honestly.errors import SandboxError

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

    from honestly.sandbox import Process, Sandbox

INSTALL = "pip install 'honestly[languages]' gives the parsers"
"""What to do where they are missing."""

_SUFFIXES = {
    "sh": "bash", "bash": "bash", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp",
    "hh": "cpp", "go": "go", "java": "java", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
    "jsx": "javascript",
    "rb": "ruby", "rs": "rust", "ts": "typescript", "mts": "typescript", "cts": "typescript", "tsx": "tsx",
}  # fmt: skip


def language_of(path: str) -> str:
    """The language of a file by its name; empty for Python, and for what cannot be read."""
    return _SUFFIXES.get(path.rpartition(".")[2].lower(), "") if "." in path else ""


@lru_cache(maxsize=16)
def parser_installed(language: str) -> bool:
    """Whether the parser of a language is installed."""
    names = ("tree_sitter", _parser_package(language).replace("-", "_"))
    return all(importlib.util.find_spec(name) is not None for name in names)


def installed_packages() -> list[str]:
    """The packages of the parsers that are installed, as `pip` calls them."""
    return [
        "tree-sitter",
        *sorted({_parser_package(language) for language in _SUFFIXES.values() if parser_installed(language)}),
    ]


def _parser_package(language: str) -> str:
    return f"tree-sitter-{'typescript' if language == 'tsx' else language}"


_NAME = "honestly_parsers"
_COMMAND = ("python3", "-P", "-S", "-B", "-m", _NAME)
# For one file. The program allows itself two seconds of processor time, so this is for one that was taken over.
_PATIENCE_S = 60.0
_MEMORY_MB, _PROCESSES = 1024, 8
# Bytes of a reply; the longest that the bounds of a walk allow is half of it.
_MOST = 64 << 20


class ParserBox:
    """A sandbox with a parsing program in it, for plain functions; it lives on a thread of its own until the end.

    No network, no files of this machine, bounded time and memory. It is opened when the first file is asked for, and
    serves all files of the process. A file that crashes the parser or hangs costs its program, which is started again
    for the next. What a file that takes the program over could still do is to lie about the files after it.
    """

    def __init__(self, *, unsafe: bool, command: Sequence[str] = _COMMAND) -> None:
        """Nothing is opened before it is needed.

        Args:
            unsafe: Without any isolation.
            command: The program; an attacker's, to see what the walls hold.
        """
        self._unsafe, self._command = unsafe, command
        self._lock = Lock()
        self._owner = 0
        self._thread: Thread
        self._missing = ""
        self._portal: BlockingPortal
        self._box: Sandbox
        self._running: tuple[Process, socket.socket] | None = None

    def missing(self) -> str:
        """Why there is no such sandbox, and what to do; empty where there is one."""
        with self._lock:
            # It was not opened yet, or by the process that this one was forked from.
            if self._owner != os.getpid():
                self._open_box()
            return self._missing

    def file_facts(self, language: str, data: bytes) -> Facts | None:
        """The facts of a file; None where it is beyond the limits."""
        if self.missing():
            return None
        with self._lock:
            try:
                reply = self._exchange_bytes(language.encode() + b"\n" + data)
                return msgspec.json.decode(reply, type=Facts | None)
            except (OSError, SandboxError, msgspec.DecodeError):
                # It is dead, or not itself any more.
                self._kill()
                return None
            except BaseException:
                # The late reply must not be taken for that of another file.
                self._kill()
                raise

    def close(self) -> None:
        """Ends the sandbox; it is opened again where it is needed again."""
        # A fork must leave its parent's sandbox alone.
        if self._owner == os.getpid():
            atexit.unregister(self.close)
            # The thread may have ended already.
            with suppress(RuntimeError):
                self._kill()
                self._portal.call(self._portal.stop)
            self._thread.join()
            self._owner = 0

    def _exchange_bytes(self, request: bytes) -> bytes:
        if self._running is None:
            ours, theirs = socket.socketpair()
            ours.settimeout(_PATIENCE_S)
            with theirs:
                self._running = self._portal.call(partial(self._box.start, self._command, stdio=theirs)), ours
        wire = self._running[1]
        wire.sendall(len(request).to_bytes(4, "big") + request)
        size = int.from_bytes(_read_exactly(wire, 4), "big")
        if size > _MOST:
            raise SandboxError(f"a reply of {size} bytes was announced; {_MOST} are allowed")
        return _read_exactly(wire, size)

    def _kill(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running[1].close()
            with suppress(SandboxError):
                self._portal.call(running[0].kill)

    def _open_box(self) -> None:
        self._owner, self._missing, self._running = os.getpid(), "", None
        opened: Future[None] = Future()
        self._thread = Thread(target=self._run_box, args=(opened,), name=_NAME, daemon=True)
        self._thread.start()
        try:
            opened.result()
            atexit.register(self.close)
        except (SandboxError, ValueError) as error:
            self._missing = f"{'no sandbox for their parsers' if not self._unsafe else 'no parsers'}: {error}"

    def _run_box(self, opened: Future[None]) -> None:
        import anyio

        try:
            anyio.run(self._hold_box, opened)
        except BaseException as error:  # noqa: BLE001  whoever waits for it shall hear of it
            if not opened.done():
                opened.set_exception(error)

    async def _hold_box(self, opened: Future[None]) -> None:
        from anyio.from_thread import BlockingPortal

        from honestly.records import Tree
        from honestly.sandbox import Layout, Limits, open_sandbox, packages_layout

        guest = Path(str(files("honestly.audit.languages") / "_guest"))
        layout = Layout(packages={**packages_layout(installed_packages()).packages, _NAME: guest})
        limits = Limits(memory_mb=_MEMORY_MB, processes=_PROCESSES, cpu_s=1 << 30)
        opening = open_sandbox(Tree(files={}), limits, layout=layout, unsafe=self._unsafe)
        async with opening as self._box, BlockingPortal() as self._portal:
            opened.set_result(None)
            await self._portal.sleep_until_stopped()


def _read_exactly(wire: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = wire.recv(size - len(data))
        if not part:
            raise ConnectionError("the program has ended")
        data += part
    return bytes(data)


# Characters of a file that is parsed.
_LARGEST = 1 << 17
# Texts beyond the limits that are remembered.
_REFUSED = 1000
# Texts that were beyond the limits, for counting them.
_refused: set[int] = set()
_unsafe: ContextVar[bool] = ContextVar("unsafe", default=False)
_boxes = {unsafe: ParserBox(unsafe=unsafe) for unsafe in (False, True)}


@contextmanager
def parsers_in(*, unsafe: bool) -> Iterator[None]:
    """Within this, the parsers run in a sandbox, or without any isolation where that is asked for."""
    token = _unsafe.set(unsafe)
    try:
        yield
    finally:
        _unsafe.reset(token)


def facts_of(path: str, text: str) -> Facts | None:
    """The facts of a file; None for Python, for other languages, and where it cannot be read."""
    language = language_of(path)
    if not language or len(text) > _LARGEST or why_unread(language):
        return None
    return _cached_facts(language, text, _unsafe.get())


def unread_files(files: Iterable[tuple[str, str]]) -> int:
    """How many of these files (path and text) are in one of the languages, and could not be read."""
    return sum(
        len(text) > _LARGEST or bool(why_unread(language)) or hash((language, text)) in _refused
        for path, text in files
        if (language := language_of(path))
    )


def why_unread(language: str = "go") -> str:
    """Why no file of a language can be read, and what to do; empty where its parser is ready."""
    return INSTALL if not parser_installed(language) else _boxes[_unsafe.get()].missing()


@lru_cache(maxsize=64)
def _cached_facts(language: str, text: str, unsafe: bool) -> Facts | None:
    found = _boxes[unsafe].file_facts(language, text.encode("utf-8", "replace"))
    if found is None:
        if len(_refused) >= _REFUSED:
            _refused.clear()
        _refused.add(hash((language, text)))
    return found
