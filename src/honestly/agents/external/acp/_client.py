"""What an ACP program may ask of us while it works, and what it gets: all of it inside the sandbox, or nothing.

Permissions are granted once, by rule: the sandbox is the permission. Files are read and written inside the sandbox, as
its user. Terminals are not offered: the program has the sandbox's own shell. There is no person to be asked.
"""

from collections.abc import Mapping
from typing import Any

from honestly.errors import SandboxError
from honestly.sandbox import Sandbox

CAPABILITIES = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": False}
"""What is offered, in the words of the protocol."""

_GRANTS = ("allow_once", "allow_always")
_MOST_FILE = 4 << 20
_WITHIN_S = 30.0


class Client:
    """Answers the requests of a program in a sandbox."""

    def __init__(self, box: Sandbox) -> None:
        self._box = box

    async def __call__(self, method: str, params: Any, notification: bool) -> dict[str, Any]:  # noqa: ANN401, ARG002
        """The answer to a request.

        Raises:
            RequestError: It is not offered, makes no sense, or cannot be done.
        """
        from acp import RequestError

        offered = {
            "session/request_permission": self._permission,
            "fs/read_text_file": self._read,
            "fs/write_text_file": self._write,
        }
        if method not in offered:
            raise RequestError.method_not_found(method[:200])
        try:
            return await offered[method](params or {})
        except (KeyError, TypeError, ValueError, AttributeError):
            raise RequestError.invalid_params() from None
        except SandboxError as error:
            raise RequestError(-32002, str(error)[:1000]) from None

    async def _permission(self, params: Mapping[str, Any]) -> dict[str, Any]:
        options = {str(option["kind"]): str(option["optionId"]) for option in reversed(params["options"])}
        granted = next((options[kind] for kind in _GRANTS if kind in options), None)
        if granted is None:
            return {"outcome": {"outcome": "cancelled"}}
        return {"outcome": {"outcome": "selected", "optionId": granted}}

    async def _read(self, params: Mapping[str, Any]) -> dict[str, Any]:
        path, first, most = str(params["path"]), params.get("line"), params.get("limit")
        size = await self._box.exec(["stat", "-L", "-c", "%s", "--", path], timeout=_WITHIN_S)
        if size.code == 0 and int(size.stdout) > _MOST_FILE:
            raise SandboxError(f"{path} has {int(size.stdout)} bytes; at most {_MOST_FILE} are read at once")
        lines = (await self._box.read(path)).decode("utf-8", "replace").splitlines(keepends=True)
        start = max(0, int(first or 1) - 1)
        return {"content": "".join(lines[start : None if most is None else start + max(0, int(most))])}

    async def _write(self, params: Mapping[str, Any]) -> dict[str, Any]:
        path, text = str(params["path"]), str(params["content"])
        executable = (await self._box.exec(["test", "-x", path], timeout=_WITHIN_S)).code == 0
        await self._box.write(path, text.encode("utf-8", "replace"), executable=executable)
        return {}
