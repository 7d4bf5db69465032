"""A started command, seen from outside: its pipes are held here, and the keeper does not see what goes through them."""

from honestly.errors import SandboxBusyError, SandboxError
from honestly.sandbox._api import Result
from honestly.sandbox._channel import FOREVER_S, Call, Channel
from honestly.sandbox._pipes import Piped

_LIMITS = {b"deadline", b"memory"}


class LinuxProcess(Piped):
    """A started command; see `Process`."""

    def __init__(self, channel: Channel, call: Call, stdin: int, stdout: int) -> None:
        super().__init__(stdin, stdout)
        self._channel = channel
        self._call = call
        self._result: Result | None = None

    async def wait(self) -> Result:
        """Wait for its end; see `Process.wait`."""
        if self._result is None:
            self._result = decoded_result(await self._channel.reply(self._call, FOREVER_S))
        return self._result

    async def kill(self) -> None:
        """Kill it and all that it started; see `Process.kill`."""
        await self._channel.order_kill(self._call)


def decoded_result(fields: list[bytes]) -> Result:
    """Decode the reply to `exec` and `start`.

    Raises:
        SandboxBusyError: The machine did not let the command run for as long as it might have.
        SandboxError: The reply is malformed.
    """
    try:
        code, killed_by, seconds, cpu, dropped, stdout, stderr = fields
        ended = None if killed_by in _LIMITS else int(code)
        took, used, lost = float(seconds), float(cpu), int(dropped)
    except ValueError as error:
        raise SandboxError(f"the sandbox sent a malformed result ({error})") from error
    if killed_by == b"starved":
        raise SandboxBusyError(f"a command waited for processors for most of {took:.0f} s")
    return Result(ended, stdout, stderr, killed_by == b"deadline", lost, took, killed_by == b"memory", used)
