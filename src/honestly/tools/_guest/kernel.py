"""A guest that keeps one Jupyter kernel and runs code in it, piece by piece.

The kernel starts with the first code. Output is kept in the order of its arrival, its beginning and its end, with the
images apart. Code that takes too long, or that nobody waits for any more, is interrupted as by Ctrl-C; if it does not
obey, or the kernel dies, the reply says so and this program is of no more use: the host kills it with all that the code
has started. Not covered: input from the user (the code gets an error), widgets, and kernels of other languages.
"""

from __future__ import annotations

import importlib.util
import os
import queue
import re
import select
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from .wire import KeptOutput, Wire, own_tempdir

_NEEDED = ("ipykernel", "jupyter_client")
_START_S = 90
_GRACE_S = 3.0
_INTERRUPTS = 2
_LOOK_S = 0.2
# Code that starts programs: the kernel passes on what they print in a thread of its own, a fifth of a second later.
_STARTS_PROGRAMS = re.compile(r"(?m)^[ \t]*[!%]|=[ \t]*!|subprocess|system[ \t]*\(|popen|spawn|multiprocessing")
_LATE_S, _LATEST_S = 0.3, 1.5
_OPTIONS = (
    "--HistoryManager.enabled=False",
    "--InteractiveShell.colors=nocolor",
    "--InteractiveShell.xmode=Plain",
    # `!command` with pipes: the sandbox has no terminals to give away
    "--IPKernelApp.exec_lines=get_ipython().system = get_ipython().system_raw",
)
_PICTURES = ("image/png", "image/jpeg")
_NO_WORDS = "<IPython.core.display."


@dataclass
class _Shown:
    text: KeptOutput
    most_images: int
    image_bytes: int
    images: list[dict[str, str]] = field(default_factory=list)
    left_out: int = 0
    failed: bool = False

    def take_message(self, kind: str, content: dict[str, Any]) -> None:
        """Takes a message of the kernel's."""
        if kind == "stream":
            self.text.add(content["text"])
        elif kind == "error":
            self.failed = True
            self._add_line("\n".join(content["traceback"]))
        elif kind in {"execute_result", "display_data"}:
            self._add_rich(content["data"])

    def show_pager(self, reply: dict[str, Any]) -> None:
        """Takes what `name?` shows in a pager."""
        for payload in reply.get("payload", ()):
            if payload.get("source") == "page":
                self._add_line(payload["data"].get("text/plain", ""))

    def _add_rich(self, data: dict[str, Any]) -> None:
        for kind in _PICTURES:
            if kind in data:
                self._add_image(kind, data[kind])
                return
        words = data.get("text/plain", "")
        if words.startswith(_NO_WORDS):  # an object made for showing, whose plain form says nothing
            words = data.get("text/markdown") or data.get("text/latex") or data.get("text/html") or words
        self._add_line(words)

    def _add_image(self, kind: str, base64: str) -> None:
        if len(self.images) < self.most_images and len(base64) <= self.image_bytes * 4 // 3 + 4:
            self.images.append({"data": base64.replace("\n", ""), "media_type": kind})
            self._add_line(f"[image {len(self.images)}]")
        else:
            self.left_out += 1

    def _add_line(self, text: str) -> None:
        self.text.add(f"{text}\n" if text else "")


class _Kernel:
    def __init__(self, source: int) -> None:
        """Starts it; `source` is where the host's frames come from."""
        from jupyter_client.manager import KernelManager

        folder = own_tempdir("kernel")
        own = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR")
        for name in own:  # the home directory is the workspace, which is for the task's files only
            os.environ[name] = folder
        os.environ["JUPYTER_PLATFORM_DIRS"] = "1"
        os.environ.pop("PYTHONSAFEPATH", None)
        self._source = source
        self._dead = False
        self._reply: dict[str, Any] = {}
        # Sockets in a directory rather than ports: nothing in the sandbox can take them, or is taken from it.
        self._manager = KernelManager(transport="ipc", ip=f"{folder}/s", connection_file=f"{folder}/kernel.json")
        self._manager.start_kernel(extra_arguments=list(_OPTIONS))
        self._client = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=_START_S)

    def run_code(self, code: str, seconds: float, shown: _Shown) -> str:
        """Runs code; says how it went."""
        self._reply = {}
        message = self._client.execute(code, stop_on_error=False, allow_stdin=False)
        due, interrupts = time.monotonic() + seconds, 0
        while not self._next(message, shown):
            late = time.monotonic() > due
            # The host says something if nobody waits any more, or if it wants the next thing.
            if late or (not interrupts and bool(select.select([self._source], [], [], 0)[0])):
                if interrupts == _INTERRUPTS:
                    return "stuck"
                self._manager.interrupt_kernel()
                due, interrupts = time.monotonic() + _GRACE_S, interrupts + 1
            if self._dead:
                return "dead"
        if _STARTS_PROGRAMS.search(code):
            self._take_late_output(shown)
        shown.show_pager(self._reply or self._awaited_reply(message))
        return "interrupted" if interrupts else "error" if shown.failed else "ok"

    def _next(self, message: str, shown: _Shown) -> bool:
        """Takes the kernel's next message, if there is one; whether it was the last for this code.

        Of messages that come too fast some are lost, even the last: then the silence after the reply, which comes over
        another socket, is the end.
        """
        try:
            got = self._client.get_iopub_msg(timeout=_LOOK_S)
        except queue.Empty:
            self._dead = not self._manager.is_alive()
            self._reply = self._reply or self._reply_within(message, 0)
            return bool(self._reply)
        kind, content = got["msg_type"], got["content"]
        if kind == "status":
            return bool(content["execution_state"] == "idle" and got["parent_header"].get("msg_id") == message)
        shown.take_message(kind, content)
        return False

    def _take_late_output(self, shown: _Shown) -> None:
        """Takes what comes after the code has ended, until nothing more comes."""
        due = time.monotonic() + _LATEST_S
        with suppress(queue.Empty):
            while time.monotonic() < due:
                got = self._client.get_iopub_msg(timeout=_LATE_S)
                if got["msg_type"] == "stream":
                    shown.take_message("stream", got["content"])

    def _awaited_reply(self, message: str) -> dict[str, Any]:
        """The reply to this code; empty if it does not come."""
        due = time.monotonic() + _GRACE_S
        while not (reply := self._reply_within(message, _LOOK_S)) and time.monotonic() < due:
            pass
        return reply

    def _reply_within(self, message: str, seconds: float) -> dict[str, Any]:
        try:
            reply = self._client.get_shell_msg(timeout=seconds)
        except queue.Empty:
            return {}
        mine = reply["parent_header"].get("msg_id") == message
        return dict(reply["content"]) if mine else {}


def main() -> None:
    """Answers the host's requests until it hangs up."""
    wire, kernel = Wire(), None
    absent = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    while (request := wire.read()) is not None:
        if not request:
            continue
        if absent:
            wire.write({"id": request["id"], "how": "absent", "text": " and ".join(absent)})
            continue
        kernel = kernel or _Kernel(wire.source)
        shown = _Shown(KeptOutput(request["characters"]), request["images"], request["image_bytes"])
        how = kernel.run_code(request["code"], request["seconds"], shown)
        wire.write(
            {
                "id": request["id"],
                "how": how,
                "text": shown.text.text(),
                "dropped": shown.text.dropped,
                "images": shown.images,
                "images_left_out": shown.left_out,
            }
        )
