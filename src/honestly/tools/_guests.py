"""A program of ours that does a tool's work inside a sandbox, and the host's end of its wire.

The program reaches the sandbox as text over its standard input, so that nothing has to be shown there and nothing is
left in the workspace. After that one request goes in and one reply comes out, each a frame that holds JSON. Code in the
sandbox has the same user id and can forge or break any reply; that lets it say to its own agent what it could have
printed, and no more: a reply is bounded, fits its type, answers the last request, or the program is killed with all
that it started.
"""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Generic, TypeVar

import anyio
import msgspec

from honestly.errors import SandboxError
from honestly.sandbox import Process, Sandbox, unpaused_limit
from honestly.sandbox._guest import frames

_MOST = 48 << 20
_STALE = 1000
_CHUNK = 1 << 18
_END_S = 5.0
_LAST_WORDS = 2000
_NAME = "honestly_guest"
_FRAMES = files("honestly.sandbox") / "_guest" / "frames.py"
_BOOT = f"""
import importlib.util, json, os, sys
def take(size):
    data = b""
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part: sys.exit("the host has hung up")
        data += part
    return data
texts = json.loads(take(int.from_bytes(take(4), "big")))
frames = sys.modules["honestly.sandbox._guest.frames"] = type(sys)("frames")
exec(texts.pop("frames"), frames.__dict__)
class Texts:
    def find_spec(self, name, path=None, target=None):
        inside = name.removeprefix("{_NAME}").removeprefix(".")
        if name.startswith("{_NAME}") and inside in texts:
            return importlib.util.spec_from_loader(name, self, origin=inside, is_package=not inside)
    def create_module(self, spec): pass
    def exec_module(self, module):
        inside = module.__spec__.origin
        exec(compile(texts[inside], inside + ".py", "exec"), module.__dict__)
sys.meta_path.insert(0, Texts())
importlib.import_module("{_NAME}." + list(texts)[-1]).main()
"""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The part that all replies of a guest have."""

    id: int
    """Number of the request that it answers."""


_Answer = TypeVar("_Answer", bound=Reply)


class GuestGone(Exception):  # noqa: N818  (an event of the protocol, which a tool turns into words for the model)
    """The program ended, hung, or sent what is not a reply; it has been killed, with all that it had started."""


class Guest(Generic[_Answer]):
    """A running guest program. Requests are made one after the other."""

    def __init__(self, box: Sandbox, process: Process, answer: type[_Answer]) -> None:
        """Takes over `process` in `box`, which answers with `answer`s."""
        self._box, self._process = box, process
        self._decoder = msgspec.json.Decoder(answer)
        self._inbox = bytearray()
        self._arrived: deque[bytes] = deque()
        self._last = 0
        self.gone = False

    @classmethod
    async def start(cls, box: Sandbox, modules: Sequence[str], answer: type[_Answer]) -> "Guest[_Answer]":
        """Start a program.

        Args:
            box: Where.
            modules: Names of files in `_guest/`; the last one has `main`.
            answer: Type of its replies.

        Raises:
            SandboxError: The sandbox is closed or broken.
        """
        # PYTHONSAFEPATH: files of the workspace must not stand in for modules of the program.
        process = await box.start(["python3", "-c", _BOOT], env={"PYTHONSAFEPATH": "1"})
        guest = cls(box, process, answer)
        folder = files("honestly.tools") / "_guest"
        texts = {"frames": _FRAMES.read_text("utf-8"), "": ""}
        texts |= {name: (folder / f"{name}.py").read_text("utf-8") for name in modules}
        try:
            await process.send(_json_frame(texts))
        except SandboxError:
            pass  # it has ended already; the first request will say how
        except BaseException:
            with anyio.CancelScope(shield=True):
                await guest.close()
            raise
        return guest

    async def ask_guest(self, request: Mapping[str, Any], seconds: float) -> _Answer:
        """Makes a request, and waits for its reply.

        Where the caller is cancelled while waiting, the program is told so by a frame without content, and its late
        reply is skipped.

        Raises:
            GuestGone: There is no reply within so many seconds.
        """
        self._last += 1
        sent = False
        try:
            with unpaused_limit(self._box, seconds):
                await self._process.send(_json_frame({"id": self._last, **request}))
                sent = True
                for _ in range(_STALE):
                    reply = self._decoder.decode(await self._receive())
                    if reply.id == self._last:
                        return reply
                raise GuestGone("it answered what was not asked")
            raise TimeoutError
        except TimeoutError:
            raise await self._end_guest(f"it did not answer within {seconds:.0f} s") from None
        except (msgspec.MsgspecError, RecursionError):
            raise await self._end_guest("its answer was malformed") from None
        except (GuestGone, SandboxError) as error:
            raise await self._end_guest(str(error)) from None
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                if not (sent and await self._was_interrupted()):
                    await self.close()
            raise

    async def close(self) -> None:
        """Kills it and all that it started; idempotent."""
        self.gone = True
        await self._process.kill()

    async def _was_interrupted(self) -> bool:
        """Whether it took the frame that says that nobody waits any more."""
        with anyio.move_on_after(_END_S):
            try:
                await self._process.send(_json_frame({}))
                return True
            except SandboxError:
                return False
        return False

    async def _receive(self) -> bytes:
        while not self._arrived:
            part = await self._process.receive(_CHUNK)
            if not part:
                raise GuestGone("it ended")
            self._inbox += part
            try:
                self._arrived.extend(frames.take_frames(self._inbox, _MOST))
            except frames.FrameError:
                raise GuestGone("its answer was malformed") from None
        return self._arrived.popleft()

    async def _end_guest(self, how: str) -> GuestGone:
        """Kills it, and finds out what it died of."""
        await self.close()
        with anyio.move_on_after(_END_S):
            result = await self._process.wait()
            if result.out_of_memory:
                return GuestGone("the sandbox ran out of memory")
            last = result.stderr.decode("utf-8", "replace").strip()[-_LAST_WORDS:]
            return GuestGone(f"{how}; it last wrote:\n{last}" if last else how)
        return GuestGone(how)


def _json_frame(value: object) -> bytes:
    return frames.pack_frame(json.dumps(value).encode())
