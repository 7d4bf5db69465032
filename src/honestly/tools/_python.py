"""The tool `python`: a Jupyter kernel inside the sandbox, one for each trial, whose state stays from call to call.

The kernel and Jupyter's client of it run in the sandbox (`_guest/kernel.py`); what crosses is code one way, and bounded
text and images the other. It starts with the first call. Code that takes too long is interrupted and the state stays;
when the kernel dies, hangs, or takes its surroundings along, everything that it started is killed, the model is told,
and the next call has a new one. What it costs, and what it needs, is in docs/tools-python.md.
"""

from typing import Annotated, Literal

import anyio
import msgspec

from honestly.errors import ToolError
from honestly.sandbox import Sandbox
from honestly.tools._api import FunctionTool, ToolResult
from honestly.tools._guests import Guest, GuestGone, Reply
from honestly.tools._pictures import picture_in
from honestly.tools._text import middle_dropped, tidy_text

KERNEL_PACKAGES = ("ipykernel", "jupyter-client")
"""The packages that the sandbox must show: `packages_layout(KERNEL_PACKAGES)`, after `pip install 'honestly[kernel]'`.
"""

_DOC = """
Run Python code in a Jupyter kernel in the sandbox. Variables, functions and imports stay from call to call.

You get back what the code prints, the value of its last expression, its error, and the images that it shows. There
is no input(). The working directory is the workspace.
"""
_MOST_IMAGES = 8
_IMAGE_BYTES = 3_700_000
_START_S, _GRACE_S = 120.0, 30.0
_LOST = "The kernel and everything that it had started are gone, and so is its state; the next call starts a new one."


class _Image(msgspec.Struct, frozen=True):
    data: bytes


class _Ran(Reply, frozen=True, kw_only=True):
    how: Literal["ok", "error", "interrupted", "stuck", "dead", "absent"]
    text: str = ""
    dropped: Annotated[int, msgspec.Meta(ge=0)] = 0
    images: tuple[_Image, ...] = ()
    images_left_out: Annotated[int, msgspec.Meta(ge=0)] = 0


class PythonTool(FunctionTool):
    """The tool that runs Python in one lasting Jupyter kernel; made once for each trial."""

    def __init__(self, *, characters: int = 20_000) -> None:
        """A session that has not begun.

        Args:
            characters: Most characters of output that one call gives back; half from the beginning, half from the end.
        """
        self._characters = characters
        self._guest: Guest[_Ran] | None = None
        self._box: Sandbox | None = None
        self._one = anyio.Lock()
        super().__init__(self._run_call, name="python", doc=_DOC.strip())

    async def _run_call(
        self,
        box: Sandbox,
        code: Annotated[str, msgspec.Meta(description="Python, or IPython's `%magic` and `!command`.")],
        timeout: Annotated[  # noqa: ASYNC109 - the model's, and the kernel's own to keep
            float, msgspec.Meta(gt=0, le=3600, description="Seconds until it is interrupted.")
        ] = 120.0,
        restart: Annotated[bool, msgspec.Meta(description="Begin with a fresh kernel.")] = False,
    ) -> ToolResult:
        async with self._one:
            if restart or box is not self._box or (self._guest and self._guest.gone):
                await self.close()
            if not code.strip():
                return ToolResult(text="(nothing to run; the next call has a fresh kernel)" if restart else "(no code)")
            return await self._run_code(box, code, timeout)

    async def close(self) -> None:
        """Ends the kernel and what it started; idempotent."""
        guest, self._guest = self._guest, None
        if guest:
            await guest.close()

    async def _run_code(self, box: Sandbox, code: str, seconds: float) -> ToolResult:
        request = {
            "code": code,
            "seconds": seconds,
            "characters": self._characters,
            "images": _MOST_IMAGES,
            "image_bytes": _IMAGE_BYTES,
        }
        if self._guest is None:
            self._guest, self._box = await Guest.start(box, ("wire", "kernel"), _Ran), box
        try:
            ran = await self._guest.ask_guest(request, _START_S + seconds + _GRACE_S)
        except GuestGone as error:
            self._guest = None
            return ToolResult(text=f"[The kernel is gone: {middle_dropped(tidy_text(str(error)), 2000)[0]}. {_LOST}]")
        if ran.how == "absent":
            await self.close()
            raise ToolError(
                f"Python's kernel cannot run here: the sandbox shows no {middle_dropped(tidy_text(ran.text), 200)[0]}. "
                "Whoever opens it must show them, with layout=packages_layout(KERNEL_PACKAGES), after "
                "pip install 'honestly[kernel]'."
            )
        if ran.how in {"stuck", "dead"}:
            await self.close()
        return self._run_output(ran, seconds)

    def _run_output(self, ran: _Ran, seconds: float) -> ToolResult:
        text, cut = middle_dropped(tidy_text(ran.text), self._characters + 200)  # 200: the guest's own line about a gap
        images = tuple(one for image in ran.images[:_MOST_IMAGES] if (one := picture_in(image.data)))
        missing = ran.images_left_out + len(ran.images) - len(images)
        notes = {
            "interrupted": f"[Interrupted after {seconds:g} s; the kernel lives, with what was defined before.]",
            "stuck": f"[The code did not stop after {seconds:g} s, nor when interrupted. {_LOST}]",
            "dead": f"[The kernel died. {_LOST}]",
        }
        parts = [text.rstrip("\n"), notes.get(ran.how, "")]
        if missing:
            parts.append(f"[{missing:,} images are not shown: too many, too large, or not in order.]")
        return ToolResult(
            text="\n".join(part for part in parts if part) or "(no output)", images=images, dropped=ran.dropped + cut
        )
