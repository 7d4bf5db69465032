"""Tool servers of a project: the programs that `.mcp.json` names, as people write it for MCP.

They are the project's code, so they are started in the sandbox, with the variables that stand there and no others. A
server at an address is left out, and noted: where an agent may go on the network is for whoever runs it to say.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from honestly.agents._project._reading import Reader

_FILE = ".mcp.json"
_MOST = 10


@dataclass(frozen=True, slots=True)
class Server:
    """One of them."""

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)


class _Entry(msgspec.Struct, frozen=True):
    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}


class _File(msgspec.Struct, frozen=True):
    servers: dict[str, _Entry] = msgspec.field(name="mcpServers", default_factory=dict)


def read_servers(reader: Reader) -> tuple[Server, ...]:
    """The servers of a project, by name."""
    if _FILE not in reader.tree.files:
        return ()
    try:
        found = msgspec.json.decode(reader.text(_FILE) or "{}", type=_File).servers
    except (msgspec.DecodeError, RecursionError) as error:
        reader.note(_FILE, f"cannot be understood: {error}")
        return ()
    for name in found:
        if not found[name].command:
            reader.note(_FILE, f"names the server {name[:80]!r} without a command; only programs are started")
    kept = [Server(name[:80], (one.command, *one.args), one.env) for name, one in sorted(found.items()) if one.command]
    return tuple(kept[:_MOST])
