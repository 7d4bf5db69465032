"""The tool `edit`: looks at files, and changes exactly what it was asked to change.

A replacement must fit one place and no other, character by character; where it does not, nothing is changed, and the
answer says how often and where it fits, or what comes closest. Files keep their modes, their line endings and their
byte order mark; what is not UTF-8 text is refused. Each change can be taken back, unless something else has changed the
file since. How texts are searched and shown is in `_edit_text.py`.

Where a path may lead is the sandbox's to say: files outside of the workspace can be reached as far as it lets them.
Without isolation nothing outside of the workspace is read or written, by links neither.
"""

import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import anyio
from msgspec import Meta

from honestly.errors import SandboxError, ToolError
from honestly.sandbox import WORKSPACE, Sandbox
from honestly.tools._api import FunctionTool, ToolResult
from honestly.tools._edit_text import decoded_text, lines_around, numbered_lines, place_of, sorted_listing
from honestly.tools._text import middle_dropped, printed_text

_DOC = """
Looks at files and changes them. `view` shows a file with line numbers (`start`, `end`: a part of it), or what a
directory holds; `create` writes a whole file; `replace` puts `new` in the place of `old`, which must occur exactly
once, character by character, or `everywhere`; `insert` puts `text` after line `line` (0: at the top); `undo` takes the
last change of a file back.
"""
_MOST_BYTES = 4 << 20
_MOST_UNDO = 16 << 20
_PATH = 1000
_WAIT_S = 30.0
_LIST = r"""
[ -d "$1" ] && find "$1" -mindepth 1 -maxdepth 2 \( -name '.?*' -o -name node_modules -o -name __pycache__ \) -prune \
    -o -type d -exec printf '%s/\n' {} + -o -exec printf '%s\n' {} +
"""
_WRITE = 'cat >"$1"'


@dataclass(frozen=True)
class _Change:
    path: str
    before: bytes | None
    """None: it did not exist."""
    after: bytes


class EditTool(FunctionTool):
    """The tool that shows and changes files, and undoes changes; one per trial."""

    def __init__(self, *, keep: int = 20_000) -> None:
        """An editor with nothing to undo.

        Args:
            keep: Characters of a file or a directory that one view shows.
        """
        self._keep = keep
        super().__init__(self._run_call, name="edit", doc=_DOC.strip().replace("\n", " "))
        self._root = ""
        self._changes: list[_Change] = []
        self._one_at_a_time = anyio.Lock()

    async def _run_call(
        self,
        box: Sandbox,
        action: Literal["view", "create", "replace", "insert", "undo"],
        path: Annotated[
            str, Meta(description="Of a file, from the workspace or absolute; for `view`, a directory too.")
        ],
        text: Annotated[str, Meta(description="What to create or insert.")] = "",
        old: Annotated[str, Meta(description="What to replace.")] = "",
        new: Annotated[str, Meta(description="What to put in its place.")] = "",
        everywhere: Annotated[bool, Meta(description="Replace all occurrences.")] = False,
        line: Annotated[int | None, Meta(description="Insert after this line.")] = None,
        start: Annotated[int | None, Meta(description="First line to view.")] = None,
        end: Annotated[int | None, Meta(description="Last line to view.")] = None,
    ) -> ToolResult:
        async with self._one_at_a_time:
            path = await self._sandbox_path(box, path)
            match action:
                case "view":
                    try:
                        data = await box.read(path)
                    except SandboxError as error:
                        return await self._view_folder(box, path, error)
                    return ToolResult(
                        text=numbered_lines(decoded_text(data, path, _MOST_BYTES), start, end, self._keep)
                    )
                case "create":
                    before = await self._file_bytes(box, path, missing=True)
                    await self._write(box, path, before, _encoded_text(text))
                    lines = text.count("\n") + (not text.endswith("\n") and bool(text))
                    what = "created" if before is None else "replaced the whole of"
                    return ToolResult(text=f"{what} {path}: {lines} lines")
                case "replace":
                    return await self._replace(box, path, (old, new), everywhere=everywhere)
                case "insert":
                    return await self._insert(box, path, text, line)
                case _:
                    return await self._undo(box, path)

    async def close(self) -> None:
        """Forgets what could be undone."""
        self._changes.clear()

    async def _view_folder(self, box: Sandbox, path: str, error: SandboxError) -> ToolResult:
        found = await box.exec(["/bin/sh", "-c", _LIST, "sh", path], timeout=_WAIT_S)
        if found.code != 0:
            raise ToolError(f"cannot view {path}: {printed_text(str(error).encode())}") from error
        text, dropped = middle_dropped(sorted_listing(printed_text(found.stdout), path), self._keep)
        return ToolResult(text=text or f"{path} is an empty directory", dropped=dropped + found.truncated)

    async def _replace(self, box: Sandbox, path: str, texts: tuple[str, str], *, everywhere: bool) -> ToolResult:
        before, text = await self._file_text(box, path)
        old, new = place_of(text, *texts, path, everywhere=everywhere)
        at, count = text.index(old), text.count(old)
        after = text.replace(old, new)
        await self._write(box, path, before, _encoded_text(after))
        many = f"{count} places" if count > 1 else "one place"
        return ToolResult(text=f"changed {path} in {many}\n{lines_around(after, at, at + len(new), self._keep)}")

    async def _insert(self, box: Sandbox, path: str, addition: str, line: int | None) -> ToolResult:
        before, text = await self._file_text(box, path)
        lines = text.split("\n")
        count = len(lines) - (lines[-1] == "")
        if line is None or not 0 <= line <= count:
            raise ToolError(f"insert needs a `line` from 0 to {count}, after which the text shall stand; got {line}")
        if not addition:
            raise ToolError("insert needs a `text`")
        newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
        addition = addition.replace("\r\n", "\n").removesuffix("\n").replace("\n", newline)
        at = sum(len(each) + 1 for each in lines[:line])
        if at > len(text):  # the last line has no end of its own
            after, at = text + newline + addition, len(text) + len(newline)
        else:
            after = text[:at] + addition + newline + text[at:]
        await self._write(box, path, before, _encoded_text(after))
        return ToolResult(text=f"inserted into {path}\n{lines_around(after, at, at + len(addition), self._keep)}")

    async def _undo(self, box: Sandbox, path: str) -> ToolResult:
        change = next((change for change in reversed(self._changes) if change.path == path), None)
        if change is None:
            raise ToolError(f"there is no change of {path} to undo")
        if await self._file_bytes(box, path, missing=True) != change.after:
            raise ToolError(f"{path} was changed by something else since its last edit; an undo would lose that")
        if change.before is None:
            await self._run_script(box, 'rm -- "$1"', path, b"")
        else:
            await self._overwrite_file(box, path, change.before)
        self._changes.remove(change)
        return ToolResult(
            text=f"{path} is {'gone again' if change.before is None else 'as it was before its last change'}"
        )

    async def _sandbox_path(self, box: Sandbox, path: str) -> str:
        """A path as the sandbox takes it: relative to the workspace where it lies in there."""
        if not path or "\0" in path or len(path) > _PATH:
            raise ToolError(f"expected the path of a file, of 1 to {_PATH} characters without null characters")
        _encoded_text(path)
        if not self._root:
            self._root = (await box.exec(["pwd"], timeout=_WAIT_S)).stdout.decode("utf-8", "replace").strip()
        whole = posixpath.normpath(posixpath.join(self._root, path))
        for root in (self._root, WORKSPACE) if box.name == "none" else (self._root,):
            if whole == root or whole.startswith(f"{root}/"):
                return self._held_inside(box, path, posixpath.relpath(whole, root))
        return self._held_inside(box, path, whole)

    def _held_inside(self, box: Sandbox, asked: str, path: str) -> str:
        """Refuses what leads out of the workspace where no walls do: there a link would lead to the person's files."""
        if box.name == "none":
            try:
                root = Path(self._root).resolve()
                inside = (root / path).resolve().is_relative_to(root)
            except (OSError, RuntimeError):  # links in a circle: which of the two depends on Python's version
                inside = False
            if not inside:
                raise ToolError(f"{asked} leads out of the workspace, which has no walls here; it was not touched")
        return f"./{path}" if path.startswith("-") else path

    async def _file_bytes(self, box: Sandbox, path: str, *, missing: bool = False) -> bytes | None:
        try:
            return await box.read(path)
        except SandboxError as error:
            if missing and await self._is_absent(box, path):
                return None
            raise ToolError(f"cannot read {path}: {printed_text(str(error).encode())}") from error

    async def _is_absent(self, box: Sandbox, path: str) -> bool:
        found = await box.exec(["/bin/sh", "-c", '[ ! -e "$1" ] && [ ! -L "$1" ]', "sh", path], timeout=_WAIT_S)
        return found.code == 0

    async def _file_text(self, box: Sandbox, path: str) -> tuple[bytes, str]:
        data = await self._file_bytes(box, path) or b""
        return data, decoded_text(data, path, _MOST_BYTES)

    async def _write(self, box: Sandbox, path: str, before: bytes | None, after: bytes) -> None:
        if len(after) > _MOST_BYTES:
            raise ToolError(f"{path} would have {len(after)} bytes; this tool writes {_MOST_BYTES} at most")
        try:
            if before is None:
                await box.write(path, after)
            else:
                await self._overwrite_file(box, path, after)
        except (SandboxError, ToolError) as error:
            if before is not None:
                await self._overwrite_file(box, path, before)
            raise ToolError(f"cannot write {path}: {printed_text(str(error).encode())}") from error
        self._changes.append(_Change(path, before, after))
        while sum(len(change.before or b"") + len(change.after) for change in self._changes) > _MOST_UNDO:
            del self._changes[0]

    async def _overwrite_file(self, box: Sandbox, path: str, data: bytes) -> None:
        """Overwrites a file that exists: in place, so that mode, owner and links stay."""
        await self._run_script(box, _WRITE, path, data)

    async def _run_script(self, box: Sandbox, script: str, path: str, data: bytes) -> None:
        result = await box.exec(["/bin/sh", "-c", script, "sh", path], stdin=data, timeout=_WAIT_S)
        if result.code != 0:
            raise ToolError(printed_text(result.stderr).strip() or "the sandbox took too long")


def _encoded_text(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(f"that is not valid text: {error}") from None
