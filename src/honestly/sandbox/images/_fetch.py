"""`ADD` of an address: fetched by this program, through the very proxy that the steps of the build have.

So the same list says what may be reached, and the same log what was.
"""

import hashlib
import socket
from pathlib import Path

import httpx2

from honestly.sandbox._egress import Egress
from honestly.sandbox._proxy import Proxy
from honestly.sandbox.images._model import ImageError

_MOST_BYTES = 4 << 30
_PATIENCE_S = 60.0


async def fetch_file(url: str, path: Path, network: Egress | None, checksum: str) -> None:
    """Fetch a file.

    Args:
        url: Its address.
        path: Where it goes.
        network: What may be reached; None for nothing.
        checksum: `sha256:` and digits that it must have; empty for any.

    Raises:
        ImageError: It cannot be fetched, or is something else than was asked for.
    """
    if network is None:
        raise ImageError(f"it fetches {url[:200]}, and the build has no network; allow it, or copy the file instead")
    digest, size = hashlib.sha256(), 0
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.setblocking(False)
    proxy = Proxy(listener, network)
    try:
        async with (
            httpx2.AsyncClient(
                proxy=f"http://127.0.0.1:{port}", trust_env=False, follow_redirects=True, timeout=_PATIENCE_S
            ) as client,
            client.stream("GET", url) as reply,
        ):
            reply.raise_for_status()
            with path.open("wb") as file:
                async for chunk in reply.aiter_bytes():
                    size += len(chunk)
                    if size > _MOST_BYTES:
                        raise ImageError(f"{url[:200]} is longer than {_MOST_BYTES >> 30} GiB")
                    digest.update(chunk)
                    file.write(chunk)
    except httpx2.HTTPError as error:
        raise ImageError(f"{url[:200]} cannot be fetched: {error}") from error
    finally:
        proxy.close()
    if checksum and checksum != f"sha256:{digest.hexdigest()}":
        raise ImageError(f"{url[:200]} has the digest sha256:{digest.hexdigest()}; expected {checksum[:80]}")
